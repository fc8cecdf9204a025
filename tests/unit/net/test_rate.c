/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"
#include "net/rate.h"

/* How many of @n requests at @now may be made. */
static int take_of(struct fl_rates *r, const struct fl_principal *payer, uint64_t now, int n)
{
	int taken = 0;

	for (int i = 0; i < n; i++)
		taken += fl_rate_take(r, payer, now);
	return taken;
}

static int take(struct fl_rates *r, uid_t uid, uint64_t now, int n)
{
	const struct fl_principal payer = fl_principal_user(uid, 1);

	return take_of(r, &payer, now, n);
}

static void charge(struct fl_rates *r, uid_t uid, double seconds)
{
	const struct fl_principal payer = fl_principal_user(uid, 1);

	fl_rate_charge(r, &payer, seconds);
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
	charge(&r, 1, 5);
	assert_int_equal(take(&r, 1, 0, 1000), 1000);
}

TEST(long_requests_cost_more)
{
	struct fl_rates r = { .per_second = 10 };

	assert_int_equal(take(&r, 1, 0, 1), 1);
	assert_int_equal(take(&r, 2, 0, 1), 1);
	/* Half a second takes the second's ten, and a token is owed for the request. */
	charge(&r, 1, 0.5);
	assert_int_equal(take(&r, 1, 199, 30), 0);
	assert_int_equal(take(&r, 1, 200, 30), 1);
	assert_int_equal(take(&r, 2, 200, 30), 10);
	/* A debt is ten seconds at most. */
	charge(&r, 1, 3600);
	assert_int_equal(take(&r, 1, 200 + 10090, 30), 0);
	assert_int_equal(take(&r, 1, 200 + 10110, 30), 1);
	/* Whoever has not asked has nothing to pay. */
	charge(&r, 3, 3600);
	assert_int_equal(take(&r, 3, 20000, 30), 10);
}

/* More users than places: a newcomer gets the tokens that are left in the oldest place. */
TEST(full_table)
{
	static struct fl_rates r = { .per_second = 2 };

	for (uid_t uid = 0; uid < FL_RATE_PAYERS; uid++)
		assert_int_equal(take(&r, uid, 1000 + uid, 3), 2);
	assert_int_equal(take(&r, 5000, 1000 + FL_RATE_PAYERS, 3), 0);
	assert_int_equal(take(&r, 5000, 1500 + FL_RATE_PAYERS, 3), 1);
	/* The place was that of user 0. */
	assert_int_equal(r.n, FL_RATE_PAYERS);
	assert_int_equal(r.payers[0].payer.uid, 5000);
	assert_int_equal(r.payers[1].payer.uid, 1);
}

/* Each kind has a rate of its own, also where numbers or names are the same. */
TEST(kinds)
{
	static const struct fl_principal rows[] = {
		{ .kind = FL_PRINCIPAL_USER, .uid = 1 },
		{ .kind = FL_PRINCIPAL_KUBE, .uid = 1, .name = "system:serviceaccount:ns:a" },
		{ .kind = FL_PRINCIPAL_KUBE, .uid = 1, .name = "system:serviceaccount:ns:b" },
		{ .kind = FL_PRINCIPAL_PROBE, .uid = 1, .name = "192.0.2.1" },
		{ .kind = FL_PRINCIPAL_PROBE, .uid = 1, .name = "192.0.2.2" },
	};
	struct fl_rates r = { .per_second = 10 };
	struct fl_principal again;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(take_of(&r, &rows[i], 0, 30), 10);
		again = rows[i];
		again.gid = 7;
		again.role = FL_RANK_READER;
		assert_int_equal(take_of(&r, &again, 0, 30), 0);
	}
	fl_rate_charge(&r, &rows[1], 3600);
	assert_int_equal(take_of(&r, &rows[1], 1000, 30), 0);
	assert_int_equal(take_of(&r, &rows[2], 1000, 30), 10);
	assert_int_equal(r.n, sizeof rows / sizeof *rows);
}

UNIT_GROUP("rate")
