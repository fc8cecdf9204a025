/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept - what was heard of Workloads, as rows of the store, which a thread writes a moment later
 *
 * Promises: it never waits for the disk, and what it cannot write does not hold up deciding or answering.  While
 * commits fail, or one does not end for FL_KEPT_HANGS_MS (a volume that hangs), rows wait in memory; more than
 * FL_KEPT_ROWS are dropped, and then the store says from when to when it has nothing (`gap` settings), and what it says of
 * Workloads is set right.
 *
 * Cannot: end while a commit does not; keep what happened in the last FL_KEPT_MS before a kill, but for what the next
 * list says.
 * Tested in tests/unit/daemon/test_kept.c and tests/kube/test_history.py.
 */
#ifndef FL_DAEMON_CLUSTER_KEPT_H
#define FL_DAEMON_CLUSTER_KEPT_H

#include <uv.h>

#include "daemon/engine/rows.h"
#include "mirror/mirror.h"
#include "store/gather.h"

enum {
	FL_KEPT_MS = 1000,       /* from a change to its commit */
	FL_KEPT_BATCH = 2048,    /* jobs of one commit */
	FL_KEPT_ROWS = 20000,    /* that wait while the disk takes nothing */
	FL_KEPT_IDLE_MS = 60000, /* until it is noted that it still watches */
	FL_KEPT_AGAIN_MS = 1000,
	FL_KEPT_HANGS_MS = 10000,
};

struct fl_cluster;

struct fl_keeping {
	struct fl_gathered both[2];
	struct fl_gathered *gather;  /* new rows are added here */
	struct fl_gathered *writing; /* being committed, or to be tried again; NULL */
	bool in_flight, closing;
	uv_close_cb closed;
	uv_work_t work;
	uv_timer_t timer;
	int result;
	fairlead_error error;
	uint32_t most;   /* rows that wait: FL_KEPT_ROWS, or fewer for a test */
	uint32_t hangs;  /* ms: FL_KEPT_HANGS_MS, or fewer for a test */
	uint64_t *dirty; /* jobs that the store has otherwise, each once */
	uint32_t n_dirty, cap_dirty;
	fl_time told;    /* the last event's */
	fl_time watched; /* what the store says was so then; FL_TIME_NONE: it was never watched */
	fl_time begins;  /* admissions are whole since then, which is to be written; FL_TIME_NONE */
	fl_time failed;  /* since when nothing could be written, or was; FL_TIME_NONE */
	bool dropped;    /* rows since then were */
	char problem[600];
};

/* What is in the store: its last event and number, and up to when it was watched. */
int fl_kept_begin(struct fl_cluster *c, fairlead_error *err);
/* Writes all that is left, then closes the timer. */
void fl_kept_close(struct fl_cluster *c, uv_close_cb on_closed);
void fl_kept_done(struct fl_keeping *k);
/* All Workloads were listed: from now on it is noted that they are watched. */
void fl_kept_watches(struct fl_cluster *c);

/* Its row is to be written. */
int fl_kept_touch(struct fl_cluster *c, struct fl_live *job, fairlead_error *err);
/* The same at once, with what it holds: of one that has ended, or will not be found any more. */
int fl_kept_write(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		  fairlead_error *err);
/* Its attempt ended, when it was @job and @o. @how: a word of record/job.h. */
int fl_kept_over(struct fl_cluster *c, const struct fl_live *job, const struct fl_mirror_object *o,
		 fl_time to, const char *how, fairlead_error *err);
/* What is on its way to the store: the newest row of a job, or NULL; all of attempts. */
const struct fl_job_row *fl_kept_unwritten(const struct fl_cluster *c, uint64_t job);
int fl_kept_unwritten_attempts(const struct fl_cluster *c, fl_admission_fn *fn, void *user,
			       fairlead_error *err);
/* A row of any kind. */
#define fl_kept_row(c, row, err) fl_kept_add(c, FL_BATCH_PART_OF(row), row, err)
int fl_kept_add(struct fl_cluster *c, enum fl_batch_part part, const void *row,
		fairlead_error *err);
/* It is told to followers, too. */
void fl_kept_event(struct fl_cluster *c, const struct fl_tell *tell, uint64_t seq, uint32_t n);
/* There is nothing of a time, and why. */
int fl_kept_gap(struct fl_cluster *c, fl_time from, fl_time to, const char *why,
		fairlead_error *err);

#endif
