/* SPDX-License-Identifier: Apache-2.0 */
/* life - a run from the daemon's side, from its making to its end */
#ifndef FL_BACKEND_LOCAL_LIFE_H
#define FL_BACKEND_LOCAL_LIFE_H

#include "backend/local/host.h"

/* For a run that was there at the start: watches its runner, starts one, or ends what is left. */
void fl_life_hold(struct fl_local_run *r);
struct fl_spawned fl_life_spawned(const struct fl_local_run *r);
/* Checks the runs that cannot be watched. */
void fl_life_look_again(uv_timer_t *again);

/* --- for the other files of a life --- */

/* Opens its file; -1 with errno. */
int fl_life_open(const struct fl_local_run *r, int flags);
/* It goes on by the state in its file. */
void fl_life_look(struct fl_local_run *r);
/*
 * No runner has begun it, and ours has ended: records an end, so that none begins it later. false:
 * one has begun it.
 */
bool fl_life_close_unbegun(struct fl_local_run *r, int fd);
/* Its runner is told that there is an order. */
void fl_life_wake(struct fl_local_run *r, const struct fl_attempt_status *s);

#endif
