/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times - the clock of a cluster is that of its API server, whatever this machine's shows
 *
 * Times of objects are the API's, so what the daemon itself notes goes by the same clock: it begins with the Date of
 * the first answers, to a second, and goes on evenly.  Steps of this machine's clock change nothing.  The server's is followed
 * forward: by up to FL_TIMES_LEAP seconds at once, by more only when all answers of FL_TIMES_SURE seconds have said so, by the least
 * that they said.  Where an answer is behind by FL_TIMES_BACK seconds, that is a problem of the daemon's health, until none has been
 * for FL_TIMES_SURE seconds, since what has happened cannot have been later than now: events and sums have times that are too late
 * until that time comes, also after a restart.  Both are logged, but for what is followed at most every FL_TIMES_AGAIN seconds.
 *
 * Cannot: know the clocks of controllers, which write most times of objects, where they are not the API server's; go by
 * a server that says no Date: then the clock is this machine's as it was at the start.
 * Tested in tests/unit/daemon/test_times.c, tests/kube/test_clock.py.
 */
#ifndef FL_DAEMON_CLUSTER_TIMES_H
#define FL_DAEMON_CLUSTER_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ids.h"

enum {
	FL_TIMES_BACK = 10, /* seconds */
	FL_TIMES_TOLD = 5,  /* seconds: less of a difference at the beginning is not told */
	FL_TIMES_LEAP = 60,
	FL_TIMES_SURE = 300,
	FL_TIMES_AGAIN = 3600,
};

/* What was heard of the API server's clock; moments are times since boot. */
struct fl_times {
	bool dated;     /* it has said what time it is */
	fl_time leaps;  /* since when all answers are more than FL_TIMES_LEAP ahead; FL_TIME_NONE */
	fl_time least;  /* and by how much they all are */
	fl_time behind; /* when one was last behind, where that is a problem */
	fl_time leap_told, behind_told; /* when it was last logged; FL_TIME_NONE */
	char problem[300];              /* ""; what is wrong with it */
};

void fl_times_init(struct fl_times *t);

/* The API server's clock showed the second @date, since 1970, at some moment of the last @ago milliseconds. */
void fl_cluster_dated(void *cluster, int64_t date, uint64_t ago);

#endif
