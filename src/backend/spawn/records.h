/* SPDX-License-Identifier: Apache-2.0 */
/*
 * records - what a daemon and its spawner say to each other: fixed records over one socket pair
 *
 * Each request is one message, with the descriptors it needs; it is answered by one message with its
 * number, in any order.  Both programs are installed together, so there are no versions.
 */
#ifndef FL_BACKEND_SPAWN_RECORDS_H
#define FL_BACKEND_SPAWN_RECORDS_H

#include <stdint.h>

#include "backend/process/group.h"

enum {
	FL_SPAWN_SOCKET = 3,   /* the spawner's end */
	FL_SPAWN_TOKEN = 33,   /* bytes of the token of a run, hex digits and a NUL */
	FL_SPAWN_FILES = 250,  /* descriptors of one message, at most */
	FL_SPAWN_MOST = 12400, /* of one request */
};

enum fl_spawn_op {
	/* What there is to hold runs: `place`, `alone`. */
	FL_SPAWN_PLACE,
	/*
	 * Starts the runner of a run of `uid`, with `n_files` descriptors as its 3, 4 and so on;
	 * those beyond FL_SPAWN_FILES follow in messages FL_SPAWN_MORE.  Answer: `pid` and its
	 * pidfd, once it is the runner.
	 */
	FL_SPAWN_START,
	FL_SPAWN_MORE,
	/* Ends all that is left of a run of `uid`: `found`, `remains`. */
	FL_SPAWN_END,
	/* The runner `pid` of `uid` is to read its orders, also if it was stopped. No answer. */
	FL_SPAWN_WAKE,
	/* A pidfd of process `pid`, if it began at `since`. */
	FL_SPAWN_OPEN,
	/* The file of the run of `uid` with that token that goes on: its descriptor. */
	FL_SPAWN_FIND,
	/* Removes the control group of a run that has ended. No answer. */
	FL_SPAWN_CLEAR,
	FL_SPAWN_OPS
};

/* How a run is held together. */
enum {
	FL_SPAWN_GROUP = 1,  /* by a control group, with `limits` */
	FL_SPAWN_ALONE = 2,  /* by a namespace of processes */
	FL_SPAWN_CLIENT = 4, /* its last descriptor is the socket of its client */
};

struct fl_spawn_request {
	uint32_t op, id;
	uint64_t job;
	uint64_t since;
	uint32_t attempt, uid, gid, flags, n_files;
	int32_t pid;
	struct fl_group_limits limits;
	char token[FL_SPAWN_TOKEN];
	char zero[7];
};

/* Where a start failed. */
enum fl_spawn_stage {
	FL_SPAWN_REFUSED, /* the table of the spawner does not allow it */
	FL_SPAWN_GROUP_MADE,
	FL_SPAWN_FORKED,
	FL_SPAWN_NAMESPACE,
	FL_SPAWN_MEMBER, /* the user is in no such group */
	FL_SPAWN_USER,
	FL_SPAWN_DESCRIPTORS,
	FL_SPAWN_RUNNER,
	FL_SPAWN_STAGES
};

struct fl_spawn_reply {
	uint32_t id;
	int32_t why;    /* errno; 0: it was done */
	uint32_t stage; /* of a START that failed */
	int32_t pid;
	uint32_t found, remains, alone;
	struct fl_group_place place;
};

#endif
