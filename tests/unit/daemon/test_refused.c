/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose decisions were refused: for how long they are not looked at, and how long that is remembered. */
#include "daemon/cluster/scheduler/refused.h"
#include "lib/unit.h"

enum { SECOND = 1000, MOST = 300 * SECOND, REMEMBERED = 600 * SECOND, MANY = 5000 };

static void put(struct fl_refused *r, uint64_t job, uint64_t now)
{
	const struct fl_live live = { .id = job };
	fairlead_error err = { 0 };

	assert_int_equal(fl_refused_put(r, &live, now, &err), 0);
}

/* Of one job: it is let in after @wait, once, and not before. */
static void lets_in_after(struct fl_refused *r, uint64_t job, uint64_t now, uint64_t wait)
{
	assert_true(fl_refused_any(r));
	assert_int_equal(fl_refused_due(r, now), 0);
	assert_int_equal(fl_refused_due(r, now + wait - 1), 0);
	assert_true(fl_refused_any(r));
	assert_int_equal(fl_refused_due(r, now + wait), job);
	assert_false(fl_refused_any(r));
	assert_int_equal(fl_refused_due(r, now + wait), 0);
}

TEST(nothing_was_refused)
{
	struct fl_refused r = { 0 };

	assert_false(fl_refused_any(&r));
	assert_int_equal(fl_refused_due(&r, UINT64_MAX), 0);
	fl_refused_done(&r);
	fl_refused_done(&r);
}

TEST(each_time_it_is_twice_as_long_up_to_five_minutes)
{
	struct fl_refused r = { 0 };
	uint64_t now = 7, wait = SECOND;

	for (int i = 0; i < 12; i++) {
		put(&r, 3, now);
		assert_int_equal(r.n, 1);
		lets_in_after(&r, 3, now, wait);
		now += wait;
		wait = 2 * wait < MOST ? 2 * wait : MOST;
	}
	assert_int_equal(wait, MOST);
	fl_refused_done(&r);
}

TEST(however_often_it_was_the_wait_ends)
{
	struct fl_refused r = { 0 };

	for (int i = 0; i < 200; i++)
		put(&r, 3, 7);
	assert_int_equal(r.n, 1);
	lets_in_after(&r, 3, 7, MOST);
	fl_refused_done(&r);
}

TEST(one_that_is_refused_while_it_is_out_waits_from_then_on)
{
	struct fl_refused r = { 0 };

	put(&r, 3, 0);
	put(&r, 3, 900);
	lets_in_after(&r, 3, 900, 2 * SECOND);
	fl_refused_done(&r);
}

TEST(it_is_forgotten_ten_minutes_after_its_time_is_over)
{
	struct fl_refused r = { 0 };

	put(&r, 3, 0);
	lets_in_after(&r, 3, 0, SECOND);
	assert_int_equal(fl_refused_due(&r, SECOND + REMEMBERED - 1), 0);
	assert_int_equal(r.n, 1);
	/* It goes on where it was... */
	put(&r, 3, SECOND + REMEMBERED - 1);
	lets_in_after(&r, 3, SECOND + REMEMBERED - 1, 2 * SECOND);
	/* ...and begins anew. */
	assert_int_equal(fl_refused_due(&r, 3 * SECOND + 2 * REMEMBERED - 1), 0);
	assert_int_equal(r.n, 0);
	put(&r, 3, 0);
	lets_in_after(&r, 3, 0, SECOND);
	fl_refused_done(&r);
}

TEST(one_that_is_out_is_not_forgotten)
{
	struct fl_refused r = { 0 };

	put(&r, 3, 0);
	assert_int_equal(fl_refused_due(&r, SECOND + REMEMBERED), 3);
	assert_int_equal(fl_refused_due(&r, SECOND + REMEMBERED), 0);
	assert_int_equal(r.n, 0);
	fl_refused_done(&r);
}

TEST(each_waits_for_itself)
{
	struct fl_refused r = { 0 };

	put(&r, 1, 0);
	put(&r, 1, 0); /* until 2 s */
	put(&r, 2, 100);
	put(&r, 3, 200);
	assert_int_equal(fl_refused_due(&r, SECOND + 100), 2);
	assert_int_equal(fl_refused_due(&r, SECOND + 100), 0);
	assert_int_equal(fl_refused_due(&r, 2 * SECOND), 1);
	assert_int_equal(fl_refused_due(&r, 2 * SECOND), 3);
	assert_int_equal(fl_refused_due(&r, 2 * SECOND), 0);
	/* A number is no index: 2 is refused once more, and the others are not. */
	put(&r, 2, 3 * SECOND);
	assert_int_equal(r.n, 3);
	lets_in_after(&r, 2, 3 * SECOND, 2 * SECOND);
	fl_refused_done(&r);
}

TEST(one_row_a_job_and_none_in_the_end)
{
	struct fl_refused r = { 0 };
	bool seen[MANY + 1] = { false };
	uint64_t job, now = 0;
	uint32_t n = 0;

	for (int times = 0; times < 2; times++)
		for (uint32_t i = 1; i <= MANY; i++)
			put(&r, i, now);
	assert_int_equal(r.n, MANY);
	now = 2 * SECOND;
	for (; (job = fl_refused_due(&r, now)) != 0; n++) {
		assert_in_range(job, 1, MANY);
		assert_false(seen[job]);
		seen[job] = true;
	}
	assert_int_equal(n, MANY);
	assert_false(fl_refused_any(&r));
	assert_int_equal(fl_refused_due(&r, now + REMEMBERED), 0);
	assert_int_equal(r.n, 0);
	fl_refused_done(&r);
}

UNIT_GROUP("refused")
