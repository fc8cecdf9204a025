/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/amount.h"
#include "base/time.h"

enum { TRIES = 8 };
static const fl_time TOGETHER = FL_SECOND / 10000;

static fl_time of(clockid_t which)
{
	struct timespec t;

	(void)clock_gettime(which, &t);
	return t.tv_sec * FL_SECOND + t.tv_nsec;
}

static void read_both(const struct fl_clock *c, fl_time *wall, fl_time *boot)
{
	if (c->read) {
		c->read(wall, boot);
		return;
	}
	/* Together: again, where this thread waited between the two. */
	for (int i = 0; i < TRIES; i++) {
		const fl_time before = of(CLOCK_BOOTTIME);

		*wall = of(CLOCK_REALTIME);
		*boot = of(CLOCK_BOOTTIME);
		if (*boot - before < TOGETHER)
			return;
	}
}

/* "" when the kernel does not say: then each start counts as a new boot. */
static void read_boot_id(char ret[64])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	ret[0] = '\0';
	if (f && fgets(ret, 64, f))
		ret[strcspn(ret, "\n")] = '\0';
	if (f)
		(void)fclose(f);
}

void fl_clock_begin(struct fl_clock *c, const struct fl_clock_past *past)
{
	fl_time wall, gone;

	read_both(c, &wall, &c->boot);
	if (!c->read)
		read_boot_id(c->boot_id);
	c->at = wall;
	if (past->at == 0)
		return;
	if (c->boot_id[0] && past->boot_id && strcmp(c->boot_id, past->boot_id) == 0)
		gone = c->boot - past->boot;
	else
		gone = wall - past->wall;
	c->at = past->at + (gone > 0 ? gone : 0);
}

fl_time fl_clock_of_boot(const struct fl_clock *c, fl_time boot)
{
	return c->at + (boot - c->boot);
}

void fl_clock_read(const struct fl_clock *c, fl_time *ret_now, fl_time *ret_wall, fl_time *ret_boot)
{
	read_both(c, ret_wall, ret_boot);
	*ret_now = fl_clock_of_boot(c, *ret_boot);
	if (c->follows)
		*ret_wall = *ret_now;
}

fl_time fl_clock_now(const struct fl_clock *c)
{
	fl_time now, wall, boot;

	fl_clock_read(c, &now, &wall, &boot);
	return now;
}

fl_time fl_clock_wall(const struct fl_clock *c, fl_time at)
{
	fl_time now, wall, boot;

	fl_clock_read(c, &now, &wall, &boot);
	return at == FL_TIME_NONE || at == FL_NEVER ? at : wall + (at - now);
}

fl_time fl_clock_of_wall(const struct fl_clock *c, fl_time asked)
{
	fl_time now, wall, boot;

	fl_clock_read(c, &now, &wall, &boot);
	return fl_sat_add(asked, now - wall);
}

fl_time fl_clock_ahead(const struct fl_clock *c, fl_time shown, fl_time ago)
{
	const fl_time now = fl_clock_now(c), latest = fl_sat_add(shown, FL_SECOND);

	if (now < shown)
		return fl_time_minus(now, shown);
	return fl_amount_max(fl_time_minus(now - ago, latest), 0);
}

void fl_clock_shift(struct fl_clock *c, fl_time by) { c->at = fl_sat_add(c->at, by); }
