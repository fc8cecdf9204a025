/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the local backend as it is open; private to it
 *
 * local.c has the table of runs and the functions of the backend, life.c what becomes of a run.
 */
#ifndef FL_BACKEND_LOCAL_HOST_H
#define FL_BACKEND_LOCAL_HOST_H

#include "backend/local/attempt.h"
#include "backend/local/folder.h"
#include "backend/local/group.h"
#include "backend/local/machine.h"

enum fl_life {
	FL_LIFE_MADE,  /* its folder is being written and its runner started, by another thread */
	FL_LIFE_FOUND, /* it is there from before; nobody has asked for it yet */
	FL_LIFE_HELD,  /* its runner is watched */
	FL_LIFE_OVER,  /* its outcome is known */
};

/* A run. Freed when it is out of the table and nothing of the loop has it. */
struct fl_local_run {
	struct fl_host *h;
	uint64_t job;
	uint32_t attempt;
	enum fl_life life;
	uint32_t refs;
	uint32_t uid;
	char token[FL_RUN_TOKEN],
		group[600]; /* what all of it is found by, when its runner is gone */
	uint32_t *devices;
	uint32_t n_devices;

	enum fl_before before;
	const char *refused; /* why it is not started, if it is not lost; NULL: it is started */
	bool lost;           /* was started before, and is not now */

	/* what it was told while it was being made */
	enum fl_go_why why;
	fl_time by;

	/* its runner */
	pid_t child; /* 0: of a daemon before us, or reaped */
	bool spent;  /* one that we started is gone */
	bool blind;  /* it cannot be watched: looked for now and then */
	int pidfd;
	uv_poll_t gone;
	uv_fs_event_t changed;
	bool polls, watches;

	/* on another thread: making it, or ending what is left of it */
	uv_work_t work;
	void *bytes;
	size_t n_bytes;
	int rc;
	bool remains; /* something could not be ended */
	bool buries;  /* it is being ended: `work` is taken, and so is all that it writes to */
	bool retry;   /* what is there could not be looked at: it is ended later */
	fairlead_error err;

	/* what is told next turn */
	bool knows_began, told_began, told_ended, due;
	fl_time began;
	struct fl_run_outcome outcome;
	struct fl_local_run *next_due;
};

enum { FL_HOST_NOTICES = 8 /* of one turn; more of them say nothing new */ };

struct fl_host {
	uv_loop_t *loop;
	struct fl_host_callbacks callbacks;
	char *runner;
	int64_t output_limit;
	struct fl_folder folder;
	struct fl_group_place place;
	bool alone; /* runs have a namespace of processes each, where no control group ends them */
	struct fl_stock machine;
	struct fl_local_run **runs; /* by job and attempt */
	uint32_t n_runs, room;
	uv_async_t tell;
	uv_timer_t again; /* while a runner cannot be watched */
	struct fl_local_run *first_due, *last_due;
	char notices[FL_HOST_NOTICES][400];
	uint32_t n_notices;
	char boot[FL_BOOT_ID];
	uint32_t refs; /* us, runs, handles and work under way */
	bool closed;
};

/* --- life.c --- */

/* With its file in `bytes`: write it and start its runner, on another thread. */
void fl_life_make(struct fl_local_run *r);
/* It was there before: watch its runner, start one, or end what is left. */
void fl_life_hold(struct fl_local_run *r);
/* Write down what it is told, and wake its runner. 0, or FAIRLEAD_EIO. */
int fl_life_order(struct fl_local_run *r, enum fl_go_why why, fl_time by, fairlead_error *err);
/* It could not be started. */
void fl_life_refuse(struct fl_local_run *r, const char *text);
/* It is over by what is written: to be told. */
void fl_life_over(struct fl_local_run *r, const struct fl_attempt_status *status);
/* Tell of it again, next turn. */
void fl_life_tell(struct fl_local_run *r);
void fl_life_tell_all(uv_async_t *tell);
/* Look at those that cannot be watched. */
void fl_life_look_again(uv_timer_t *again);
/* Its file; -1 with errno. */
int fl_life_open(const struct fl_local_run *r, int flags);
/* Watch it no more: it is out of the table. */
void fl_life_let_go(struct fl_local_run *r);

/*
 * Ends all that has its token or is in its control group, but waits for nobody's lock.  false:
 * something is left.  @ret_found: there was something.  On any thread.
 */
bool fl_life_end_all(const struct fl_local_run *r, bool *ret_found);

/* --- stray.c --- */

/* Those of @runs (NULL: none) are ended and set aside; *strays says what became of each. */
void fl_strays_end(struct fl_local_run *const *runs, struct fl_stray *strays, uint32_t n);

/* --- elsewhere.c --- */

/*
 * A run that goes on and whose folder is in another state folder: it is in this one from now
 * on.  1: there is none that could be had; FAIRLEAD_ESTATE: another daemon has it.
 */
int fl_elsewhere_fetch(const struct fl_folder *f, uint64_t job, uint32_t attempt, const char *token,
		       fairlead_error *err);

/* --- local.c --- */

/* What its file says it was given, which somebody else has made. */
void fl_local_reread(struct fl_local_run *r);
void fl_local_unref(struct fl_local_run *r);
void fl_host_unref(struct fl_host *h);

#endif
