/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"
#include "net/rate.h"

/* How many of @n requests at @now may be made. */
static int take(struct fl_rates *r, uid_t uid, uint64_t now, int n)
{
	int taken = 0;

	for (int i = 0; i < n; i++)
		taken += fl_rate_take(r, uid, now);
	return taken;
}

TEST(burst_and_refill)
{
	struct fl_rates r = { .per_second = 10 };

	assert_int_equal(take(&r, 1, 0, 30), 10);
	assert_int_equal(take(&r, 2, 0, 30), 10);
	assert_int_equal(take(&r, 1, 99, 30), 0);
	assert_int_equal(take(&r, 1, 100, 30), 1);
	assert_int_equal(take(&r, 1, 600, 30), 5);
	/* No more than a second's worth is kept. */
	assert_int_equal(take(&r, 1, 60600, 30), 10);
}

TEST(no_limit)
{
	struct fl_rates r = { .per_second = 0 };

	assert_int_equal(take(&r, 1, 0, 1000), 1000);
	fl_rate_charge(&r, 1, 5);
	assert_int_equal(take(&r, 1, 0, 1000), 1000);
}

TEST(long_requests_cost_more)
{
	struct fl_rates r = { .per_second = 10 };

	assert_int_equal(take(&r, 1, 0, 1), 1);
	assert_int_equal(take(&r, 2, 0, 1), 1);
	/* Half a second takes the second's ten, and a token is owed for the request. */
	fl_rate_charge(&r, 1, 0.5);
	assert_int_equal(take(&r, 1, 199, 30), 0);
	assert_int_equal(take(&r, 1, 200, 30), 1);
	assert_int_equal(take(&r, 2, 200, 30), 10);
	/* A debt is ten seconds at most. */
	fl_rate_charge(&r, 1, 3600);
	assert_int_equal(take(&r, 1, 200 + 10090, 30), 0);
	assert_int_equal(take(&r, 1, 200 + 10110, 30), 1);
	/* Whoever has not asked has nothing to pay. */
	fl_rate_charge(&r, 3, 3600);
	assert_int_equal(take(&r, 3, 20000, 30), 10);
}

/* More users than places: a newcomer gets the tokens that are left in the oldest place. */
TEST(full_table)
{
	static struct fl_rates r = { .per_second = 2 };

	for (uid_t uid = 0; uid < FL_RATE_USERS; uid++)
		assert_int_equal(take(&r, uid, 1000 + uid, 3), 2);
	assert_int_equal(take(&r, 5000, 1000 + FL_RATE_USERS, 3), 0);
	assert_int_equal(take(&r, 5000, 1500 + FL_RATE_USERS, 3), 1);
	/* The place was that of user 0. */
	assert_int_equal(r.n, FL_RATE_USERS);
	assert_int_equal(r.users[0].uid, 5000);
	assert_int_equal(r.users[1].uid, 1);
}

UNIT_GROUP("rate")
