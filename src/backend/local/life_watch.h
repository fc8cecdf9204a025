/* SPDX-License-Identifier: Apache-2.0 */
/* life_watch - the runner of a run by its pidfd, and its file until it has begun */
#ifndef FL_BACKEND_LOCAL_LIFE_WATCH_H
#define FL_BACKEND_LOCAL_LIFE_WATCH_H

#include "backend/local/host.h"

/* Stops watching it: it is out of the table. */
void fl_life_let_go(struct fl_local_run *r);
/* Takes over @pidfd; -1: none could be opened. */
void fl_life_poll(struct fl_local_run *r, int pidfd);
/* Watched until the run has begun; with hooks until its end, which its runner outlives. */
void fl_life_watch(struct fl_local_run *r);
/* Its time limit and its grace are over, or those of its order, and then some. */
void fl_life_await_end(struct fl_local_run *r);
void fl_life_reap(struct fl_local_run *r);
/* In a second; and with too many open files, ours or the machine's, told once. */
void fl_life_look_soon(struct fl_host *h);
void fl_life_look_later(struct fl_local_run *r);

#endif
