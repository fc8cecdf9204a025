/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the local backend as it is open; private to it
 *
 * local.c has the table of runs and the functions of the backend, life.c the life of a run.
 */
#ifndef FL_BACKEND_LOCAL_HOST_H
#define FL_BACKEND_LOCAL_HOST_H

#include "backend/local/attempt.h"
#include "backend/local/folder.h"
#include "backend/local/group.h"
#include "backend/local/machine.h"

enum fl_life {
	FL_LIFE_MADE,  /* another thread writes its folder and starts its runner */
	FL_LIFE_FOUND, /* it was there at the start; it was not looked up yet */
	FL_LIFE_HELD,  /* its runner is watched */
	FL_LIFE_OVER,  /* its outcome is known */
};

/* A run. Freed when it is out of the table and no handle of the loop uses it. */
struct fl_local_run {
	struct fl_host *h;
	uint64_t job;
	uint32_t attempt;
	enum fl_life life;
	uint32_t refs;
	uint32_t uid;
	char token[FL_RUN_TOKEN],
		group[600]; /* token and control group find its processes when its runner has ended */
	uint32_t *devices;
	uint32_t n_devices;

	enum fl_before before;
	const char *refused; /* if it is not lost: why it is not started; NULL: it is started */
	bool lost;           /* it was started before, so it is not started now */

	/* the order that came while it was being made */
	enum fl_go_why why;
	fl_time by;

	/* its runner */
	pid_t child; /* 0: started by a daemon before us, or reaped */
	bool spent;  /* a runner that we started has ended */
	bool blind;  /* it cannot be watched: it is checked each second */
	int pidfd;
	uv_poll_t gone;
	uv_fs_event_t changed;
	bool polls, watches;

	/* on another thread: making it, or ending what is left of it */
	uv_work_t work;
	void *bytes;
	size_t n_bytes;
	int rc;
	bool remains; /* some processes could not be ended */
	bool buries;  /* it is being ended: the thread uses `work` and the fields above */
	bool retry;   /* its file could not be opened now: it is ended later */
	fairlead_error err;

	/* reports of the next turn of the loop */
	bool knows_began, told_began, told_ended, due;
	fl_time began;
	struct fl_run_outcome outcome;
	struct fl_local_run *next_due;
};

enum { FL_HOST_NOTICES = 8 /* in one turn of the loop; further ones are dropped */ };

struct fl_host {
	uv_loop_t *loop;
	struct fl_host_callbacks callbacks;
	char *runner;
	int64_t output_limit;
	struct fl_folder folder;
	struct fl_group_place place;
	bool alone; /* each run has a namespace of processes, as control groups cannot end it */
	struct fl_stock machine;
	struct fl_local_run **runs; /* by job and attempt */
	uint32_t n_runs, room;
	uv_async_t tell;
	uv_timer_t again; /* runs while a runner cannot be watched */
	struct fl_local_run *first_due, *last_due;
	char notices[FL_HOST_NOTICES][400];
	uint32_t n_notices;
	char boot[FL_BOOT_ID];
	uint32_t refs; /* by the host, runs, handles and work under way */
	bool closed;
};

/* --- life.c --- */

/* Writes its file, which is in `bytes`, and starts its runner, on another thread. */
void fl_life_make(struct fl_local_run *r);
/* For a run that was there at the start: watches its runner, starts one, or ends what is left. */
void fl_life_hold(struct fl_local_run *r);
/* Writes the order, and wakes its runner. 0, or FAIRLEAD_EIO. */
int fl_life_order(struct fl_local_run *r, enum fl_go_why why, fl_time by, fairlead_error *err);
/* It could not be started. */
void fl_life_refuse(struct fl_local_run *r, const char *text);
/* It has ended with @status: reports that. */
void fl_life_over(struct fl_local_run *r, const struct fl_attempt_status *status);
/* Reports its state in the next turn of the loop. */
void fl_life_tell(struct fl_local_run *r);
void fl_life_tell_all(uv_async_t *tell);
/* Checks the runs that cannot be watched. */
void fl_life_look_again(uv_timer_t *again);
/* Opens its file; -1 with errno. */
int fl_life_open(const struct fl_local_run *r, int flags);
/* Stops watching it: it is out of the table. */
void fl_life_let_go(struct fl_local_run *r);

/*
 * Ends all processes with its token or in its control group, without waiting for a lock. false:
 * some are left.  @ret_found: there were some.  On any thread.
 */
bool fl_life_end_all(const struct fl_local_run *r, bool *ret_found);

/* --- stray.c --- */

/* Ends @runs (NULL: none) and sets them aside; *strays says what became of each. */
void fl_strays_end(struct fl_local_run *const *runs, struct fl_stray *strays, uint32_t n);

/* --- elsewhere.c --- */

/*
 * Moves the folder of a run that goes on from another state folder to this one. 1: there is none
 * that can be moved; FAIRLEAD_ESTATE: another daemon has it.
 */
int fl_elsewhere_fetch(const struct fl_folder *f, uint64_t job, uint32_t attempt, const char *token,
		       fairlead_error *err);

/* --- local.c --- */

/* Reads devices and token from its file, which another daemon has made. */
void fl_local_reread(struct fl_local_run *r);
void fl_local_unref(struct fl_local_run *r);
void fl_host_unref(struct fl_host *h);

#endif
