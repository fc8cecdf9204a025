/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics - figures for Prometheus: what was counted, and what there is now
 *
 * Counting never fails, takes no memory and costs a search among names; all of it is made in the
 * beginning.  Nothing grows with jobs or users: labels are names of queues, cohorts, flavors and
 * resources, and words of ours.  Of queues at most FL_METRICS_QUEUES stand for themselves in a
 * metric, the rest together as "(other)"; shares, which have no sum, are left out there.
 *
 * What each metric is: metrics.def, from which doc/guide/metrics.md is printed.
 */
#ifndef FL_DAEMON_METRICS_METRICS_H
#define FL_DAEMON_METRICS_METRICS_H

#include "daemon/engine/view.h"
#include "daemon/metrics/vitals.h"
#include "net/server.h"
#include "record/record.h"

enum { FL_METRICS_QUEUES = 256 };

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

int fl_metrics_new(struct fl_metrics **ret, fairlead_error *err);
struct fl_metrics *fl_metrics_free(struct fl_metrics *m);

/* --- counting; @queue: the name of a ClusterQueue or Queue --- */

void fl_metrics_submitted(struct fl_metrics *m, const char *queue, uint32_t n);
/* A job was admitted, after so long. */
void fl_metrics_waited(struct fl_metrics *m, const char *queue, fl_time waited);
/* A job was told to go. */
void fl_metrics_preempted(struct fl_metrics *m, const char *queue, enum fl_reason reason);
/* DONE, FAILED or CANCELLED. */
void fl_metrics_ended(struct fl_metrics *m, const char *queue, enum fl_job_state state);
/* An attempt of a job came to nothing. */
void fl_metrics_lost(struct fl_metrics *m, const char *queue);
void fl_metrics_store_failed(struct fl_metrics *m);
void fl_metrics_loop(struct fl_metrics *m);
void fl_metrics_cycle(struct fl_metrics *m, fl_time took);
void fl_metrics_generation(struct fl_metrics *m, fl_time took);
void fl_metrics_committed(struct fl_metrics *m, fl_time took, uint32_t rows);

/* --- what there is now, in Prometheus' text format --- */

struct fl_metrics_now {
	struct fl_live_view view; /* jobs NULL: none */
	fl_time started;
	/* Of whoever keeps jobs on a disk: bytes, rows that are not what was written, pages cut off. */
	uint64_t store_bytes, store_damaged, store_cut;
	bool store_fails, restored;
	struct fl_server_figures server;
	struct fl_vitals vitals;
};

extern const char fl_metrics_type[]; /* Content-Type */

/* *ret from malloc, ended by a NUL that *ret_len does not count. Cost: once over all workloads. */
int fl_metrics_render(const struct fl_metrics *m, const struct fl_metrics_now *now, char **ret,
		      size_t *ret_len, fairlead_error *err);

#endif
