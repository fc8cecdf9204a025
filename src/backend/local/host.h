/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the local backend as it is open; private to it
 *
 * local.c has the table of runs and the functions of the backend, life.h the life of a run.
 */
#ifndef FL_BACKEND_LOCAL_HOST_H
#define FL_BACKEND_LOCAL_HOST_H

#include "backend/local/attempt.h"
#include "backend/local/folder.h"
#include "backend/local/machine.h"
#include "backend/local/spawner.h"

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
	uint32_t uid, gid;
	char token[FL_RUN_TOKEN]; /* finds its processes when its runner has ended */
	struct fl_group_limits limits;
	uint32_t n_outputs; /* files that keep its output */
	bool interactive;
	int client; /* the socket of its client, until its runner has it; -1 */
	fl_time time_limit, grace;
	bool hooks; /* its runner goes on behind its end, to run them */
	uint32_t *devices;
	uint32_t n_devices;

	enum fl_before before;
	const char *refused; /* if it is not lost: why it is not started; NULL: it is started */
	bool lost;           /* it was started before, so it is not started now */

	/*
	 * the order, also one that came while it was being made; since when a runner is to begin it;
	 * and when its end is overdue
	 */
	enum fl_go_why why;
	fl_time by, awaited, overdue;
	fl_time new_limit; /* that came while it was being made; 0 */

	/* its runner */
	pid_t child; /* 0: not our child, or reaped */
	bool ours;   /* one that was started for us is, or was, its runner */
	bool asked;  /* it was asked for, and the answer was not heard */
	bool again;  /* for a second time, as the first one did not begin */
	bool waited; /* no thread uses `work` any more: the answer may be heard */
	int fresh;   /* the pidfd that came with it */
	struct fl_local_run *next_answer;
	bool unwoken; /* its runner was not told of an order */
	bool late;    /* it is ended without its runner */
	bool spent;   /* a runner that we started has ended */
	bool blind;   /* it cannot be watched: it is checked each second */
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
	int64_t output_limit;
	struct fl_folder folder;
	struct fl_spawner *spawner;
	struct fl_spawner_place place;
	bool alone; /* each run has a namespace of processes, as control groups cannot end it */
	/* answers of the spawner, which come on another thread */
	uv_async_t answers;
	uv_mutex_t answers_lock;
	struct fl_local_run *answered;
	uint32_t n_asked;
	/* children that go on behind the end of their runs */
	pid_t *unreaped;
	uint32_t n_unreaped, cap_unreaped;
	bool spawner_gone, deaf;
	fl_time patience; /* how much later than it should a run may end */
	struct fl_stock machine;
	struct fl_local_run **runs; /* by job and attempt */
	uint32_t n_runs, room;
	uv_async_t tell;
	uv_timer_t again; /* runs while a runner cannot be watched, or an end is awaited */
	struct fl_local_run *first_due, *last_due;
	char notices[FL_HOST_NOTICES][400];
	uint32_t n_notices;
	char boot[FL_BOOT_ID];
	uint32_t refs; /* by the host, runs, handles and work under way */
	bool closed;
};

/* --- stray.c --- */

/* Ends @runs (NULL: none) and sets them aside; *strays says what became of each. */
void fl_strays_end(struct fl_local_run *const *runs, struct fl_stray *strays, uint32_t n);

/* --- elsewhere.c --- */

/*
 * Moves the folder of a run that goes on from another state folder to this one. 1: there is none
 * that can be moved; FAIRLEAD_ESTATE: another daemon has it.
 */
int fl_elsewhere_fetch(struct fl_spawner *spawner, const struct fl_folder *f, uint64_t job,
		       uint32_t attempt, const char *token, fairlead_error *err);

/* --- local.c --- */

/* Reads devices and token from its file, which another daemon has made. */
void fl_local_reread(struct fl_local_run *r);
void fl_local_unref(struct fl_local_run *r);
void fl_host_unref(struct fl_host *h);

#endif
