/* SPDX-License-Identifier: Apache-2.0 */
/* view - the present state of a core, to be read; valid until the loop goes on */
#ifndef FL_DAEMON_MACHINE_VIEW_H
#define FL_DAEMON_MACHINE_VIEW_H

#include "daemon/engine/clock.h"
#include "daemon/engine/events.h"
#include "daemon/engine/reason.h"
#include "daemon/machine/core.h"

struct fl_metrics;     /* metrics.h */
struct fl_metrics_now; /* metrics.h, too */

/* A job that has not ended, or ended a moment ago; others are in the store only. */
const struct fl_live *fl_core_job(const struct fl_core *c, uint64_t id); /* NULL */
/* Queue or user of a job, until the next one is submitted. */
const char *fl_core_word(const struct fl_core *c, struct fl_sym word);
/* fl_live_reason. @size: FL_CORE_REASON is enough. */
enum { FL_CORE_REASON = FL_LIVE_REASON };
const char *fl_core_reason(const struct fl_core *c, const struct fl_live *job, char *buffer,
			   size_t size);

struct fl_living fl_core_living(const struct fl_core *c);
/* The state that questions are about. Its policy may be marked and rolled back. */
void fl_core_view(const struct fl_core *c, struct fl_live_view *ret);
/* fl_live_view_try of the present state: in a copy of the process, once. */
int fl_core_try(struct fl_core *c, const struct fl_config *config, struct fl_live_view *ret,
		fairlead_error *err);

struct fl_store *fl_core_store(const struct fl_core *c);
/*
 * The row of a job, whose spec may be damaged: it is not read.  FAIRLEAD_ENOENT; FAIRLEAD_EINPUT:
 * the row itself is damaged.
 */
int fl_core_row(const struct fl_core *c, uint64_t id, fl_job_fn *fn, void *user,
		fairlead_error *err);
struct fl_host *fl_core_host(const struct fl_core *c, const struct fl_backend_ops **ret);
const struct fl_config *fl_core_config(const struct fl_core *c);
const struct fl_daemon_settings *fl_core_settings(const struct fl_core *c);
/*
 * The settings as read at the start, for those that count only then: the row of the journal with
 * them may not be applied yet.  Their symbols and spans must not be used.
 */
const struct fl_daemon_settings *fl_core_start_settings(const struct fl_core *c);
struct fl_metrics *fl_core_metrics(const struct fl_core *c);
/* Fills in the figures of metrics.h that the core counts; the rest is left unchanged. */
void fl_core_figures(const struct fl_core *c, struct fl_metrics_now *ret);
const struct fl_clock *fl_core_clock(const struct fl_core *c);
fl_time fl_core_started(const struct fl_core *c);

/* --- followers: called for each event as it happens, from the next one on --- */

void fl_core_follow(struct fl_core *c, struct fl_follower *f);
void fl_core_unfollow(struct fl_core *c, struct fl_follower *f);
/* The events that the store may not have yet, in order. */
void fl_core_unwritten(const struct fl_core *c,
		       void (*fn)(void *user, const struct fl_event_row *row), void *user);

#endif
