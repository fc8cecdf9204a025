/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner - what starts, signals and ends runs: this process, as its own user; or fairlead-spawn,
 * which is root, for a daemon that is not (backend/spawn/main.c)
 *
 * Calls may be made on any thread.  Only fl_spawner_end takes long: seconds, when a process does not
 * end.
 */
#ifndef FL_BACKEND_LOCAL_SPAWNER_H
#define FL_BACKEND_LOCAL_SPAWNER_H

#include <stdbool.h>
#include <sys/types.h>

#include "backend/process/group.h"
#include "base/error.h"

struct fl_spawner;

/* Which run, and whose. */
struct fl_spawned {
	uint64_t job;
	uint32_t attempt, uid, gid;
	const char *token;
};

/* What holds runs together. */
struct fl_spawner_place {
	struct fl_group_place group;
	bool alone;     /* namespaces of processes can be made; where groups cannot end a run */
	bool contained; /* users that change by setuid programs are held, too */
};

/*
 * @socket: of the spawner process, which is taken over, also when this fails; -1: this process itself.
 * @runner: path of the program.  @gone is called on another thread when the spawner process has ended:
 * no run can be started or ended then.
 */
int fl_spawner_new(int socket, const char *runner, void (*gone)(void *user), void *user,
		   struct fl_spawner **ret, fairlead_error *err);
/*
 * Has the spawner process ended?  What it did not answer may have been done all the same: what became
 * of a run is then for the next daemon to find out.
 */
bool fl_spawner_is_gone(struct fl_spawner *s);
/* No more answers come: callers that wait for one are told so, and a spawner process ends. NULL is fine. */
void fl_spawner_stop(struct fl_spawner *s);
struct fl_spawner *fl_spawner_free(struct fl_spawner *s);

/* @groups: are control groups to be used? */
int fl_spawner_place(struct fl_spawner *s, bool groups, struct fl_spawner_place *ret,
		     fairlead_error *err);

/* A runner that was asked for. */
struct fl_spawner_start {
	struct fl_spawned run;
	struct fl_group_limits limits;
	bool group, alone; /* what holds it together */
	const int *files;  /* its descriptors 3, 4 and so on; the caller closes them */
	uint32_t n_files;
	bool client;       /* the last one is the socket of its client */
	const char *place; /* its folder, for people */
};

/*
 * Of one that was started: @pidfd, which is taken over (-1: there is none), and @child, its number
 * if it is our child, else 0.  @rc: FAIRLEAD_EIO: it was not started; FAIRLEAD_EINPUT: nor could it be
 * later.
 */
typedef void fl_spawner_started(void *user, int rc, int pidfd, pid_t child,
				const fairlead_error *err);

/* Asks for it. @done is called once, on this thread or another, during the call or later. */
void fl_spawner_start(struct fl_spawner *s, const struct fl_spawner_start *start,
		      fl_spawner_started *done, void *user);
/* As fl_process_end_run. */
bool fl_spawner_end(struct fl_spawner *s, const struct fl_spawned *run, bool *ret_found);
/* Its runner reads its orders. false: the spawner is busy, and it was not told. */
bool fl_spawner_wake(struct fl_spawner *s, const struct fl_spawned *run, pid_t pid, uint64_t since);
/* As fl_process_open. */
int fl_spawner_open(struct fl_spawner *s, pid_t pid, uint64_t since);
/* The file of a run that goes on, for reading; its user need not be known. -1: errno. */
int fl_spawner_find(struct fl_spawner *s, const struct fl_spawned *run);
/* Removes its control group, which is empty. */
void fl_spawner_clear(struct fl_spawner *s, const struct fl_spawned *run);

#endif
