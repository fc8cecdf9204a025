/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core - the daemon without its socket: jobs, the policy that decides about them, the store that
 * keeps them and the backend that runs them, in one loop
 *
 * Guarantees:
 *   - A change that was answered with success is durable: a request becomes rows of the journal,
 *     they are committed, then they are applied and answered.  A request that could not be
 *     committed changed nothing.
 *   - Whenever the daemon is killed, its next start has every acknowledged job, and the state of
 *     the policy is what it was, to the last bit (replay.c).
 *   - No run is started twice (backend.h), and none before its cycle is durable.
 *   - Rows for people (events, admissions, states in lists) are written with the next batch, and
 *     made again after a kill.
 *
 * Limits: while the disk is full or fails no request is taken and no job is started; runs go on,
 * and their ends are recorded once there is room.
 *
 * Everything runs on the thread of the loop, except the commit of a batch (batch.h).
 */
#ifndef FL_DAEMON_MACHINE_CORE_H
#define FL_DAEMON_MACHINE_CORE_H

#include <uv.h>

#include "backend/backend.h"
#include "daemon/engine/jobs.h"
#include "store/store.h"

struct fl_core;
struct fl_config; /* config.h */

struct fl_core_options {
	uv_loop_t *loop;
	const char *config; /* file; NULL: none, all defaults */
	const char *state;  /* folder; absolute */
	const char *runner; /* path of the program beside each job */
	int spawner;        /* as fl_host_options */
	const struct fl_backend_ops *backend;
	/*
	 * If there are runs of jobs that are not in the database: numbers go on above them, and
	 * each such run is ended and set aside.  Without it such a folder is refused.
	 */
	bool adopt_runs;
	const struct fl_store_options *store; /* NULL: usual; else for tests, without `folder` */
	void (*log)(void *user, const char *line); /* one line for the journal of the system */
	/* The core cannot go on (the policy is out of memory, the store damaged): stop the loop. */
	void (*broken)(void *user, const fairlead_error *err);
	void *user;
};

/* Reads the configuration, opens the store, recovers, finds the runs, starts deciding. */
int fl_core_new(const struct fl_core_options *options, struct fl_core **ret, fairlead_error *err);

/*
 * Takes no more requests, commits gathered rows, makes a checkpoint, then calls @closed.  Runs go
 * on.  Afterwards fl_core_free.
 */
void fl_core_close(struct fl_core *c, void (*closed)(void *user), void *user);
struct fl_core *fl_core_free(struct fl_core *c); /* NULL is fine; returns NULL */

/*
 * --- requests of users, answered when durable: submit.h, wish.h, keep.h, adopt.h ---
 */

struct fl_reply {
	int code;                  /* 0, or FAIRLEAD_E... with err: nothing was changed */
	const fairlead_error *err; /* EIO: the store fails; ENOENT, ESTATE: the job has ended */
	const uint64_t *jobs;      /* SUBMIT: their numbers */
	uint32_t n_jobs;
	enum fl_job_state state; /* all others: the present state */
	const int *results;      /* by row that was asked for: 0 or FAIRLEAD_E...; NULL with err */
};
typedef void fl_reply_fn(void *user, const struct fl_reply *reply);

/* The user that asks for something, whose rights were checked by the caller. */
struct fl_wisher {
	const char *name;
	bool admin; /* holds of an admin are released by admins only */
};

/*
 * A row of the audit log, written with the next batch.  Texts are copied.  While the database cannot be
 * written, FL_CORE_AUDIT of them wait for that; the log says how many more there were.
 */
enum { FL_CORE_AUDIT = 4096 };
void fl_core_audit(struct fl_core *c, const struct fl_audit_row *row);

const char *fl_core_problem(const struct fl_core *c); /* NULL: all is well */

/* --- for the other files of machine --- */

/* The core cannot go on: calls `broken`. Returns err's code. */
int fl_core_break(struct fl_core *c, const fairlead_error *err);
void fl_core_log(const struct fl_core *c, const char *format, ...) FL_PRINTF(2, 3);
/* Logs what the store found damaged, if that is more than before. */
void fl_core_tell_damage(struct fl_core *c);
/* Does the daemon take requests? FAIRLEAD_EIO: no. */
int fl_core_check_open(const struct fl_core *c, fairlead_error *err);
/* The loop's clock. */
uint64_t fl_core_loop_ns(const struct fl_core *c);
/* There are rows to write: a batch is closed soon. */
void fl_core_soon(struct fl_core *c);
/* Adds a row of the journal to the next batch. */
int fl_core_note(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* The job is pending, and in no generation. */
int fl_core_newcomer(struct fl_core *c, const struct fl_live *job, fairlead_error *err);

#endif
