/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump - the bytes between a client over the network and the runner of its interactive job
 *
 * Both say frames (record/frame.h).  They are passed on as they come, with FL_PUMP_BYTES of each direction
 * at most in memory; what the client sends is checked, and states of the job are put between frames of the
 * runner.  One that does not read makes the other one wait.
 */
#ifndef FL_DAEMON_API_JOB_PUMP_H
#define FL_DAEMON_API_JOB_PUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "net/stream/upgrade.h"
#include "record/job.h"

enum { FL_PUMP_BYTES = 64 * 1024 };

struct fl_pump;
struct fl_pump_ends {
	struct fl_exchange *x; /* of the client, upgraded, and its descriptor */
	int outside;
	int inside; /* the runner's socket, without blocking, which stays the caller's */
	/*
	 * Nothing more is passed on; once.  @left: the client has left, or has sent what is no frame;
	 * else the last state was sent.
	 */
	void (*ended)(void *user, bool left);
	void *user;
};

/* NULL: no memory, or no descriptor is left. */
struct fl_pump *fl_pump_new(uv_loop_t *loop, const struct fl_pump_ends *ends);
/* The client is told; of states that it is not told at once it gets the last. */
void fl_pump_tell(struct fl_pump *p, enum fl_job_state state);
/*
 * Another runner's end instead of the one that it has, to which no runner listens.  false: there is no
 * memory, and the end stays the caller's.
 */
bool fl_pump_turn_to(struct fl_pump *p, int inside);
/* The job is over: the client gets what the runner has still to say, then this state; then it ends. */
void fl_pump_finish(struct fl_pump *p, enum fl_job_state state);
/* Its descriptors are not used after it. Returns NULL. */
struct fl_pump *fl_pump_free(struct fl_pump *p);

#endif
