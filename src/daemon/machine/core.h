/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core - the daemon without its doors: jobs, the policy that decides about them, the store that
 * remembers them and the backend that runs them, in one loop
 *
 * Guarantees:
 *   - What was answered with success is durable: a request becomes rows of the journal, they are
 *     committed, then they are applied and answered.  What could not be committed changed nothing.
 *   - Whenever the daemon is killed, its next start knows every acknowledged job, and the policy
 *     is what it was, to the last bit, with all it knows of the past (replay.c).
 *   - No run is started twice (backend.h), and none whose cycle is not durable.
 *   - Rows for people (events, admissions, states in lists) are written with the next batch, and
 *     derived once more after a kill.
 *
 * What it cannot do: while the disk is full or fails nothing new is taken or started; runs go on,
 * and what became of them is told once there is room.
 *
 * Everything is on the thread of the loop, but the commit of a batch (batch.h).
 */
#ifndef FL_DAEMON_MACHINE_CORE_H
#define FL_DAEMON_MACHINE_CORE_H

#include <uv.h>

#include "backend/backend.h"
#include "daemon/engine/clock.h"
#include "daemon/engine/events.h"
#include "daemon/engine/reason.h"
#include "store/store.h"

struct fl_core;
struct fl_config;      /* config.h */
struct fl_metrics;     /* metrics.h */
struct fl_metrics_now; /* the same */

struct fl_core_options {
	uv_loop_t *loop;
	const char *config; /* file; NULL: none, all defaults */
	const char *state;  /* folder; absolute */
	const char *runner; /* path of the program beside each job */
	const struct fl_backend_ops *backend;
	/*
	 * Where there are runs of jobs that the database does not know: numbers go on above them,
	 * and each run that is not one of the database's is ended and set aside.  Without it such a
	 * folder is refused.
	 */
	bool adopt_runs;
	const struct fl_store_options *store; /* NULL: usual; else for tests, without `folder` */
	void (*log)(void *user, const char *line); /* one line for the journal of the system */
	/* It cannot go on (the policy is out of memory, the store damaged): stop the loop. */
	void (*broken)(void *user, const fairlead_error *err);
	void *user;
};

/* Reads the configuration, opens the store, recovers, finds the runs, decides. */
int fl_core_new(const struct fl_core_options *options, struct fl_core **ret, fairlead_error *err);

/*
 * A backup becomes the state folder @state.  FAIRLEAD_EINPUT: there are runs of jobs above the last
 * one that it knows, whose numbers would be given again; unless @adopt_runs.
 */
int fl_core_restore(const struct fl_backend_ops *backend, const char *backup, const char *state,
		    bool adopt_runs, fairlead_error *err);
/* fl_store_verify, and does the database know of the jobs of all runs?  FAIRLEAD_EINPUT. */
int fl_core_verify(const struct fl_backend_ops *backend, const char *state, fairlead_error *err);

/*
 * Take nothing new, commit what there is, make a checkpoint, then @closed.  Runs go on.
 * Afterwards fl_core_free.
 */
void fl_core_close(struct fl_core *c, void (*closed)(void *user), void *user);
struct fl_core *fl_core_free(struct fl_core *c); /* NULL is fine; returns NULL */

/* --- what people ask for: answered after it is durable --- */

struct fl_reply {
	int code;                  /* 0, or FAIRLEAD_E... with err: nothing was changed */
	const fairlead_error *err; /* EIO: the store fails; ENOENT, ESTATE: it is over */
	const uint64_t *jobs;      /* SUBMIT: their numbers */
	uint32_t n_jobs;
	enum fl_job_state state; /* all others: as it is now */
};
typedef void fl_reply_fn(void *user, const struct fl_reply *reply);

/*
 * @n jobs, all or none; uid, gid and user of each spec are filled in.  Checked at once: queue,
 * resources, limits, what it waits for: FAIRLEAD_EINPUT, ENOENT (queue, job), ELIMIT (which
 * limit), EIO (the store fails, nothing is taken now), and @done is not called.  A spec of an
 * array stands for itself and n-1 more: @array of them, numbered one after another.
 */
int fl_core_submit(struct fl_core *c, const struct fl_job_spec *specs, uint32_t n, uint32_t array,
		   fl_reply_fn *done, void *user, fairlead_error *err);

enum fl_wish { FL_WISH_CANCEL, FL_WISH_HOLD, FL_WISH_RELEASE, FL_WISH_PRIORITY };
struct fl_wisher {
	const char *name;
	bool admin; /* whose holds are not released by others */
};
/*
 * Whether @who may is looked at before, but for who may release what an admin holds.
 * FAIRLEAD_ENOENT, ESTATE (it is over, an admin holds it), EIO: at once, and @done is not called.
 */
int fl_core_wish(struct fl_core *c, enum fl_wish wish, uint64_t job, int32_t priority,
		 const struct fl_wisher *who, fl_reply_fn *done, void *user, fairlead_error *err);

/*
 * What is older than its time is about to be dropped, but for what the last checkpoint needs: one is
 * made soon, unless the last one is less than a day old, or nothing has happened since.
 */
void fl_core_age(struct fl_core *c);

/* Who did what, with the next batch. Texts are copied. */
void fl_core_audit(struct fl_core *c, const struct fl_audit_row *row);

/* @who knows of what fl_core_warning says, which is told no more. FAIRLEAD_ESTATE: there is nothing. */
int fl_core_acknowledge(struct fl_core *c, const char *who, fl_reply_fn *done, void *user,
			fairlead_error *err);

/*
 * Read the configuration again, whole or not at all: the next generation is made by it.  @warn (or
 * NULL) is told what is odd about it, a line each, before this returns; so is the log.
 */
int fl_core_reload(struct fl_core *c, void (*warn)(void *user, const char *line), fl_reply_fn *done,
		   void *user, fairlead_error *err);

/* --- what there is; valid until the loop goes on --- */

/* A job that is not over, or was a moment ago; others are in the store only. */
const struct fl_live *fl_core_job(const struct fl_core *c, uint64_t id); /* NULL */
/* Queue or user of a job, until the next one is submitted. */
const char *fl_core_word(const struct fl_core *c, struct fl_sym word);
/* fl_live_reason. @size: FL_CORE_REASON is enough. */
enum { FL_CORE_REASON = FL_LIVE_REASON };
const char *fl_core_reason(const struct fl_core *c, const struct fl_live *job, char *buffer,
			   size_t size);

/* What questions are asked of. It may be marked and rolled back. */
void fl_core_view(const struct fl_core *c, struct fl_live_view *ret);
/* fl_live_view_try of what there is: in a copy of the process, once. */
int fl_core_try(struct fl_core *c, const struct fl_config *config, struct fl_live_view *ret,
		fairlead_error *err);

struct fl_store *fl_core_store(const struct fl_core *c);
/*
 * The row of a job, whose spec may be damaged: it is not read.  FAIRLEAD_ENOENT; FAIRLEAD_EINPUT: the
 * row itself is.
 */
int fl_core_row(const struct fl_core *c, uint64_t id,
		int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err),
		void *user, fairlead_error *err);
struct fl_host *fl_core_host(const struct fl_core *c, const struct fl_backend_ops **ret);
const struct fl_config *fl_core_config(const struct fl_core *c);
const struct fl_daemon_settings *fl_core_settings(const struct fl_core *c);
/*
 * As they were read at the start, for what counts then: the first row of the journal that they are
 * in may be yet to come.  Symbols and spans in them are nobody's.
 */
const struct fl_daemon_settings *fl_core_start_settings(const struct fl_core *c);
struct fl_metrics *fl_core_metrics(const struct fl_core *c);
/* What is counted here, of what metrics.h tells; the rest is left as it is. */
void fl_core_figures(const struct fl_core *c, struct fl_metrics_now *ret);
const struct fl_clock *fl_core_clock(const struct fl_core *c);
const char *fl_core_problem(const struct fl_core *c); /* NULL: all is well */
/* What people should know until one of them says that he does; NULL: nothing. */
enum { FL_CORE_WARNING = 480 };
const char *fl_core_warning(const struct fl_core *c);
fl_time fl_core_started(const struct fl_core *c);

/* --- who follows: each event as it happens, from the next one on --- */

void fl_core_follow(struct fl_core *c, struct fl_follower *f);
void fl_core_unfollow(struct fl_core *c, struct fl_follower *f);
/* Those that happened and that the store may not show yet, in order. */
void fl_core_unwritten(const struct fl_core *c,
		       void (*fn)(void *user, const struct fl_event_row *row), void *user);

#endif
