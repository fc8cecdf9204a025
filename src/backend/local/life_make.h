/* SPDX-License-Identifier: Apache-2.0 */
/* life_make - a run is made: on a thread, and by the spawner, whose answer comes later */
#ifndef FL_BACKEND_LOCAL_LIFE_MAKE_H
#define FL_BACKEND_LOCAL_LIFE_MAKE_H

#include "backend/local/host.h"

/* Writes its file, which is in `bytes`, and starts its runner, on another thread. */
void fl_life_make(struct fl_local_run *r);
/* The spawner has answered, or has ended. */
void fl_life_hear(uv_async_t *answers);
/* The same on its thread. */
void fl_life_spawner_gone(void *host);

/* --- for the other files of a life --- */

/*
 * Asks for its runner, with its files; the answer comes to fl_life_hear.  On any thread. 0 or errno:
 * it was not asked for.
 */
int fl_life_ask(struct fl_local_run *r);
/* So many more answers will come. */
void fl_life_expect(struct fl_host *h, int more);
void fl_life_answer(struct fl_local_run *r);

#endif
