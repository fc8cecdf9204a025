/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics - counters for Prometheus; metrics_render.h writes them as text, with the present state
 *
 * Counting never fails, allocates only the name of a new queue, and costs a search among names.
 * Nothing grows with jobs or users: labels are names of queues, cohorts, flavors and resources, and
 * fixed words.  In each metric a number of queues (.spec.metrics.queues) have series of their own,
 * the others are added up as "(other)"; shares, which have no sum, are left out there.
 *
 * What each metric is: metrics.def, from which doc/guide/metrics.md is printed.
 */
#ifndef FL_DAEMON_METRICS_METRICS_H
#define FL_DAEMON_METRICS_METRICS_H

#include "base/error.h"
#include "record/job.h"
#include "record/record.h"

enum fl_metric {
#define FL_METRIC(id, type, name, unit, labels, help, kueue, kai) FL_METRIC_##id,
#include "daemon/metrics/metrics.def"
#undef FL_METRIC
	FL_METRICS
};

struct fl_metric_row {
	const char *type, *name, *unit, *labels, *help, *kueue, *kai;
};
extern const struct fl_metric_row fl_metric_rows[FL_METRICS];

struct fl_metrics;

/* @queues: how many have series of their own, at most. */
int fl_metrics_new(uint32_t queues, struct fl_metrics **ret, fairlead_error *err);
struct fl_metrics *fl_metrics_free(struct fl_metrics *m);

/* --- counting; @queue: the name of a ClusterQueue or Queue --- */

void fl_metrics_submitted(struct fl_metrics *m, const char *queue, uint32_t n);
/* A job was admitted after @waited ns of waiting. */
void fl_metrics_waited(struct fl_metrics *m, const char *queue, fl_time waited);
/* A job was evicted, for one of the queue @by; NULL: for none. */
void fl_metrics_preempted(struct fl_metrics *m, const char *queue, const char *by,
			  enum fl_reason reason);
/* DONE, FAILED or CANCELLED. */
void fl_metrics_ended(struct fl_metrics *m, const char *queue, enum fl_job_state state);
/* An attempt of a job was lost, or could not be started. */
void fl_metrics_lost(struct fl_metrics *m, const char *queue);
void fl_metrics_store_failed(struct fl_metrics *m);
void fl_metrics_loop(struct fl_metrics *m);
void fl_metrics_cycle(struct fl_metrics *m, fl_time took);
void fl_metrics_generation(struct fl_metrics *m, fl_time took);
void fl_metrics_committed(struct fl_metrics *m, fl_time took, uint32_t rows);

#endif
