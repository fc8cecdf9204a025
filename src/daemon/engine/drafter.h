/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drafter - the next generation: begun now, made on a thread while the present one goes on, taken
 * later
 *
 * Zeroed but for `told` and `user` it is idle.  All but `told` is called on one thread.
 */
#ifndef FL_DAEMON_ENGINE_DRAFTER_H
#define FL_DAEMON_ENGINE_DRAFTER_H

#include <stdatomic.h>
#include <uv.h>

#include "daemon/engine/generation.h"

struct fl_drafter {
	struct fl_draft *draft; /* NULL: none was begun, or it is taken */
	bool making;            /* the thread works on it */
	uint64_t took;          /* ns that making it took, once it is made */
	uv_thread_t thread;
	atomic_bool made;
	void (*told)(void *user); /* called on that thread when it is made */
	void *user;
};

/*
 * Replaces a draft that was begun before.  Made on a thread when @aside; otherwise, or without a
 * thread, when it is taken.
 */
int fl_drafter_begin(struct fl_drafter *d, const struct fl_generation_options *options,
		     const struct fl_jobs *jobs, bool aside, fairlead_error *err);
/* The draft is made, and the thread is joined; false: there was none under way. */
bool fl_drafter_finish(struct fl_drafter *d);
/* fl_draft_take; waits for the thread. No draft is left afterwards. */
int fl_drafter_take(struct fl_drafter *d, const struct fl_generation_options *options,
		    struct fl_jobs *jobs, struct fl_generation *ret, fairlead_error *err);
void fl_drafter_drop(struct fl_drafter *d);

#endif
