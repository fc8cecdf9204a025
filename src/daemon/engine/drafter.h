/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drafter - the next generation, begun now, made on a thread while the one that is goes on, and
 * taken later
 *
 * Zeroed but for `told` and `user` it has nothing to do.  All but `told` is on one thread.
 */
#ifndef FL_DAEMON_ENGINE_DRAFTER_H
#define FL_DAEMON_ENGINE_DRAFTER_H

#include <stdatomic.h>
#include <uv.h>

#include "daemon/engine/generation.h"

struct fl_drafter {
	struct fl_draft *draft; /* NULL: none was begun, or it is taken */
	bool making;            /* a thread has it */
	uint64_t took;          /* ns, once it is made */
	uv_thread_t thread;
	atomic_bool made;
	void (*told)(void *user); /* on that thread: it is made */
	void *user;
};

/*
 * In place of one that was begun before.  Unless @aside, or where no thread is to be had, it is made
 * when it is taken.
 */
int fl_drafter_begin(struct fl_drafter *d, const struct fl_generation_options *options,
		     const struct fl_jobs *jobs, bool aside, fairlead_error *err);
/* The thread has made it, and is not needed any more; false: nobody waits for that. */
bool fl_drafter_finish(struct fl_drafter *d);
/* fl_draft_take; waits for the thread. There is none afterwards. */
int fl_drafter_take(struct fl_drafter *d, const struct fl_generation_options *options,
		    struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
void fl_drafter_drop(struct fl_drafter *d);

#endif
