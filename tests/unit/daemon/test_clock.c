/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever the clock of the world does, the daemon's goes on by as much as time has passed. */
#include "daemon/engine/clock.h"
#include "lib/unit.h"

enum { HOUR = 3600, YEAR = 365 * 24 * HOUR };

static const fl_time start = 1700000000 * FL_SECOND;

/* The clocks of the machine. */
static fl_time wall, boot;

static void read_machine(fl_time *ret_wall, fl_time *ret_boot)
{
	*ret_wall = wall;
	*ret_boot = boot;
}

static void pass(int64_t seconds)
{
	wall += seconds * FL_SECOND;
	boot += seconds * FL_SECOND;
}

/* A daemon that starts, with what the last one left. */
static struct fl_clock begun(const struct fl_clock_past *past, const char *boot_id)
{
	struct fl_clock c = { .read = read_machine };

	(void)snprintf(c.boot_id, sizeof c.boot_id, "%s", boot_id);
	fl_clock_begin(&c, past);
	return c;
}

/* What it leaves when it is killed now. */
static struct fl_clock_past left(const struct fl_clock *c)
{
	struct fl_clock_past past = { .boot_id = c->boot_id };

	fl_clock_read(c, &past.at, &past.wall, &past.boot);
	return past;
}

TEST(first_start)
{
	struct fl_clock_past nothing = { 0 };
	struct fl_clock c;

	wall = start;
	boot = 5 * FL_SECOND;
	c = begun(&nothing, "a");
	assert_int_equal(fl_clock_now(&c), start);
	assert_int_equal(fl_clock_wall(&c, start), start);
	pass(7);
	assert_int_equal(fl_clock_now(&c), start + 7 * FL_SECOND);
	assert_int_equal(fl_clock_of_boot(&c, 8 * FL_SECOND), start + 3 * FL_SECOND);
}

/* Steps of the world's clock while it runs change what is shown, and nothing else. */
TEST(steps_while_running)
{
	static const int64_t steps[] = { HOUR, -HOUR, YEAR, -YEAR, -2 * YEAR, 1, -1, 2 * YEAR };
	struct fl_clock_past nothing = { 0 };
	fl_time now, seen_wall, seen_boot, stepped = 0;
	struct fl_clock c;

	wall = start;
	boot = 0;
	c = begun(&nothing, "a");
	for (size_t i = 0; i < COUNT(steps); i++) {
		fl_time before = fl_clock_now(&c);

		wall += steps[i] * FL_SECOND;
		stepped += steps[i] * FL_SECOND;
		assert_int_equal(fl_clock_now(&c), before);
		pass(10);
		fl_clock_read(&c, &now, &seen_wall, &seen_boot);
		assert_int_equal(now, before + 10 * FL_SECOND);
		assert_int_equal(seen_wall, wall);
		assert_int_equal(seen_boot, boot);
		/* A moment of before is shown where the world's clock would put it now. */
		assert_int_equal(fl_clock_wall(&c, before), before + stepped);
		assert_int_equal(fl_clock_wall(&c, now), wall);
		assert_int_equal(fl_clock_of_wall(&c, before + stepped), before);
		assert_int_equal(fl_clock_of_wall(&c, wall), now);
	}
	assert_int_equal(fl_clock_wall(&c, FL_TIME_NONE), FL_TIME_NONE);
	assert_int_equal(fl_clock_wall(&c, FL_NEVER), FL_NEVER);
}

/*
 * It is killed after 100 s, is away for 50, and starts again: by the time since boot when that is
 * of the same boot, else by as far as the world's clock has gone forward.
 */
TEST(restarts)
{
	static const struct {
		const char *name, *boot_id;
		int64_t step_before, step_away; /* while it ran, while it was away */
		int64_t want;                   /* how much has passed, as it sees it */
	} rows[] = {
		{ "same boot", "a", 0, 0, 150 },
		{ "same boot, forward", "a", 0, HOUR, 150 },
		{ "same boot, back", "a", 0, -HOUR, 150 },
		{ "same boot, forward while it ran", "a", HOUR, 0, 150 },
		{ "same boot, back while it ran", "a", -HOUR, 0, 150 },
		{ "same boot, there and back", "a", HOUR, -HOUR, 150 },
		{ "other boot", "b", 0, 0, 150 },
		{ "other boot, forward", "b", 0, HOUR, 150 + HOUR },
		{ "other boot, back: no time has passed, but none is taken back", "b", 0, -HOUR,
		  100 },
		{ "other boot, forward while it ran", "b", HOUR, 0, 150 },
		{ "other boot, back while it ran", "b", -HOUR, 0, 150 },
		{ "other boot, there and back", "b", HOUR, -HOUR, 100 },
		{ "boot not known", "", 0, 0, 150 },
		{ "boot not known, back", "", 0, -HOUR, 100 },
	};
	struct fl_clock_past nothing = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_clock_past past;
		struct fl_clock was, is;

		wall = start;
		boot = 1000 * FL_SECOND;
		was = begun(&nothing, "a");
		wall += rows[i].step_before * FL_SECOND;
		pass(100);
		past = left(&was);
		wall += rows[i].step_away * FL_SECOND;
		pass(50);
		if (strcmp(rows[i].boot_id, "a") != 0)
			boot = 3 * FL_SECOND; /* it counts from anew */
		is = begun(&past, rows[i].boot_id);
		CHECK(fl_clock_now(&is) == start + rows[i].want * FL_SECOND, rows[i].name);
		/* And on from there, evenly. */
		wall -= HOUR * FL_SECOND;
		pass(20);
		CHECK(fl_clock_now(&is) == start + (rows[i].want + 20) * FL_SECOND, rows[i].name);
	}
}

/* Over a hundred restarts and steps of either kind it never goes back. */
TEST(never_back)
{
	static const char *const boots[] = { "a", "b" };
	struct fl_clock_past past = { 0 };
	uint64_t random = 3, which = 0;
	fl_time last = 0, run = 0;
	struct fl_clock c;

	wall = start;
	boot = 0;
	for (int i = 0; i < 100; i++) {
		fl_time before;

		random = random * UINT64_C(6364136223846793005) + 1;
		if (random >> 63) {
			which ^= 1;
			boot = 0;
		}
		c = begun(&past, boots[which]);
		before = fl_clock_now(&c);
		assert_true(before >= last);
		wall += ((int64_t)(random >> 40) % (4 * HOUR) - 2 * HOUR) * FL_SECOND;
		pass((int64_t)(random >> 20) % 100);
		run += (fl_time)(random >> 20) % 100 * FL_SECOND;
		past = left(&c);
		past.boot_id = boots[which];
		last = past.at;
		assert_int_equal(last - before, (fl_time)(random >> 20) % 100 * FL_SECOND);
		wall += ((int64_t)(random >> 30) % (4 * HOUR) - 2 * HOUR) * FL_SECOND;
	}
	assert_true(last >= start + run);
}

/* The machine's own: a boot is known, and time passes. */
TEST(of_the_machine)
{
	struct fl_clock c = { 0 }, again = { 0 };
	struct fl_clock_past past = { 0 };
	fl_time now;

	fl_clock_begin(&c, &past);
	now = fl_clock_now(&c);
	past = left(&c);
	assert_true(past.at >= now && past.at - now < 60 * FL_SECOND);
	assert_true(strlen(c.boot_id) > 0);
	/* It looks as if it had been long ago on the world's clock; it is the same boot. */
	past.wall -= YEAR * FL_SECOND;
	fl_clock_begin(&again, &past);
	assert_true(fl_clock_now(&again) >= past.at);
	assert_true(fl_clock_now(&again) - past.at < 60 * FL_SECOND);
}

/* It goes by another machine's clock, which shows whole seconds a while ago: steps of its own are nothing. */
TEST(of_another_machine)
{
	struct fl_clock_past nothing = { 0 };
	struct fl_clock c;

	wall = start + HOUR * FL_SECOND;
	boot = 5 * FL_SECOND;
	c = begun(&nothing, "a");
	c.follows = true;
	/* Sent two seconds ago, when the other clock was at most at the end of that second. */
	assert_int_equal(fl_clock_ahead(&c, start, 2 * FL_SECOND), (HOUR - 3) * FL_SECOND);
	assert_int_equal(fl_clock_ahead(&c, wall - 3 * FL_SECOND, 2 * FL_SECOND), 0);
	assert_int_equal(fl_clock_ahead(&c, wall, 2 * FL_SECOND), 0);
	assert_int_equal(fl_clock_ahead(&c, wall + 7, 2 * FL_SECOND), -7);
	fl_clock_shift(&c, -HOUR * FL_SECOND);
	assert_int_equal(fl_clock_now(&c), start);
	wall += YEAR * FL_SECOND;
	pass(7);
	assert_int_equal(fl_clock_now(&c), start + 7 * FL_SECOND);
	assert_int_equal(fl_clock_wall(&c, start), start);
	assert_int_equal(fl_clock_of_wall(&c, start), start);
}

UNIT_GROUP("clock")
