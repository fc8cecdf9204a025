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
#include "daemon/engine/jobs.h"
#include "store/store.h"

struct fl_core;
struct fl_config; /* config.h */

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
 * Take nothing new, commit what there is, make a checkpoint, then @closed.  Runs go on.
 * Afterwards fl_core_free.
 */
void fl_core_close(struct fl_core *c, void (*closed)(void *user), void *user);
struct fl_core *fl_core_free(struct fl_core *c); /* NULL is fine; returns NULL */

/* --- what people ask for: answered after it is durable (submit.h, keep.h and adopt.h have more) --- */

struct fl_reply {
	int code;                  /* 0, or FAIRLEAD_E... with err: nothing was changed */
	const fairlead_error *err; /* EIO: the store fails; ENOENT, ESTATE: it is over */
	const uint64_t *jobs;      /* SUBMIT: their numbers */
	uint32_t n_jobs;
	enum fl_job_state state; /* all others: as it is now */
};
typedef void fl_reply_fn(void *user, const struct fl_reply *reply);

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

/* Who did what, with the next batch. Texts are copied. */
void fl_core_audit(struct fl_core *c, const struct fl_audit_row *row);

const char *fl_core_problem(const struct fl_core *c); /* NULL: all is well */

/* --- for the other files of machine --- */

/* It cannot go on. Returns err's code. */
int fl_core_break(struct fl_core *c, const fairlead_error *err);
void fl_core_log(const struct fl_core *c, const char *format, ...) FL_PRINTF(2, 3);
/* What the store found that is not what was written, when there is more of it. */
void fl_core_tell_damage(struct fl_core *c);
/* Is anything new taken? FAIRLEAD_EIO. */
int fl_core_check_open(const struct fl_core *c, fairlead_error *err);
/* The loop's clock. */
uint64_t fl_core_loop_ns(const struct fl_core *c);
/* There is something to write. */
void fl_core_soon(struct fl_core *c);
/* A fact of the journal: with the next batch. */
int fl_core_note(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err);
/* It waits, and is in no generation. */
int fl_core_newcomer(struct fl_core *c, const struct fl_live *job, fairlead_error *err);

#endif
