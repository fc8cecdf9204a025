/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the daemon's time: goes on evenly, even when the wall clock is changed
 *
 * It starts with the wall clock and goes on with the time since boot (suspended or not), so a step
 * of the wall clock, by an hour or a year, changes no wait, no half-life and no minimum run time.
 * After a restart it goes on from the last durable moment: by the time since boot when it is the
 * same boot, else by how far the wall clock went forward meanwhile.
 *
 * Limit: a wall clock that is ahead when it is read after another boot, and is set back later, leaves
 * the daemon's time ahead for good, and what is kept for so long has expired.  The service waits for
 * time-sync.target, where there is a service that reaches it when the time is right.
 *
 * One that goes by another machine's clock (follows) is told as it is, whatever this machine's clock on the wall
 * shows.  Tested in tests/unit/daemon/test_clock.c.
 */
#ifndef FL_DAEMON_ENGINE_CLOCK_H
#define FL_DAEMON_ENGINE_CLOCK_H

#include "base/ids.h"

struct fl_clock {
	fl_time at, boot; /* the daemon's time at a time since boot */
	char boot_id[64];
	bool follows; /* the clock of another machine: what is shown of it is the daemon's time */
	/* Tests: where the time comes from; NULL: the system. */
	void (*read)(fl_time *ret_wall, fl_time *ret_boot);
};

/* State of the run before; zeros at the very first start. */
struct fl_clock_past {
	fl_time at, wall, boot;
	const char *boot_id;
};

void fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past);
fl_time fl_clock_now(const struct fl_clock *c);
/* The same moment as the daemon's time, as wall clock, and as time since boot. */
void fl_clock_read(const struct fl_clock *c, fl_time *ret_now, fl_time *ret_wall,
		   fl_time *ret_boot);
/* A moment of the daemon's time on the wall clock, by their present difference. */
fl_time fl_clock_wall(const struct fl_clock *c, fl_time at);
/* The other way: the daemon's time of @wall on the wall clock, by their present difference. */
fl_time fl_clock_of_wall(const struct fl_clock *c, fl_time wall);
/*
 * Another clock showed some moment of the second from @shown on, at some moment of the last @ago: by how much this one is ahead at least,
 * or, negative, behind; 0: it may be the same.
 */
fl_time fl_clock_ahead(const struct fl_clock *c, fl_time shown, fl_time ago);
/* From now on it is so much ahead of what it was, or, negative, behind. */
void fl_clock_shift(struct fl_clock *c, fl_time by);
/* The daemon's time at a time since this boot. */
fl_time fl_clock_of_boot(const struct fl_clock *c, fl_time boot);

#endif
