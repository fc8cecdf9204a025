/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock - the daemon's time: goes on evenly, whatever happens to the clock of the world
 *
 * It starts as the clock of the world and goes on with the time since boot (suspended or not), so
 * a step of the world's clock, by an hour or a year, changes no wait, no half-life and no minimum
 * run time.  After a restart it goes on from the last durable moment: by the time since boot when
 * it is the same boot, else by as much as the world's clock has gone forward meanwhile.
 */
#ifndef FL_DAEMON_ENGINE_CLOCK_H
#define FL_DAEMON_ENGINE_CLOCK_H

#include "base/ids.h"

struct fl_clock {
	fl_time at, boot; /* the daemon's time at a time since boot */
	char boot_id[64];
	/* Tests: where the time comes from; NULL: the system. */
	void (*read)(fl_time *ret_wall, fl_time *ret_boot);
};

/* What is known of before: zeros at the very first start. */
struct fl_clock_past {
	fl_time at, wall, boot;
	const char *boot_id;
};

void fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past);
fl_time fl_clock_now(const struct fl_clock *c);
/* Of the same moment: the daemon's time, the world's, and that since boot. */
void fl_clock_read(const struct fl_clock *c, fl_time *ret_now, fl_time *ret_wall,
		   fl_time *ret_boot);
/* What a moment of the daemon's time was, or will be, on the clock of the world as it stands now. */
fl_time fl_clock_wall(const struct fl_clock *c, fl_time at);
/* The other way: the daemon's time of what people call @wall now. */
fl_time fl_clock_of_wall(const struct fl_clock *c, fl_time wall);
/* The daemon's time at a time since this boot. */
fl_time fl_clock_of_boot(const struct fl_clock *c, fl_time boot);

#endif
