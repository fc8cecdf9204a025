/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of jobs by user and name are those of a list that is searched, whatever comes and goes. */
#include "daemon/engine/alike.h"

#include "base/random.h"
#include "lib/unit.h"

enum { USERS = 3, NAMES = 70, STEPS = 200000 };

static struct fl_alike_row is[USERS][NAMES];

/* Few slots for many names, so that rows stand behind each other and gaps are closed. */
static uint64_t name_of(uint32_t n) { return n % 2 ? n + 1 : (uint64_t)(n + 1) << 32; }

static uint32_t below(struct fl_random *r, uint32_t n) { return (uint32_t)(fl_random_bits(r) % n); }

TEST(counts)
{
	struct fl_random random;
	struct fl_alike a = { 0 };
	fairlead_error err;

	fl_random_init(&random, 7, 0);
	assert_int_equal(fl_alike_find(&a, (struct fl_sym){ 1 }, 1).n, 0);
	for (int step = 0; step < STEPS; step++) {
		uint32_t u = below(&random, USERS), n = below(&random, NAMES);
		struct fl_alike_row *row = &is[u][n], found;
		bool singleton = row->singletons && below(&random, 2);

		/* Most names are empty most of the time. */
		if (row->n > 2 || (row->n && below(&random, 4))) {
			singleton |= row->n == row->singletons;
			row->n--;
			row->singletons -= singleton;
			fl_alike_drop(&a, (struct fl_sym){ u }, name_of(n), singleton);
		} else {
			singleton = below(&random, 2);
			row->n++;
			row->singletons += singleton;
			assert_int_equal(fl_alike_reserve(&a, &err), 0);
			fl_alike_add(&a, (struct fl_sym){ u }, name_of(n), (uint64_t)step,
				     singleton);
			row->since = row->n == 1 ? (uint64_t)step : row->since;
		}
		u = below(&random, USERS);
		n = below(&random, NAMES);
		found = fl_alike_find(&a, (struct fl_sym){ u }, name_of(n));
		assert_int_equal(found.n, is[u][n].n);
		assert_int_equal(found.singletons, is[u][n].singletons);
		assert_true(found.n == 0 || found.since == is[u][n].since);
	}
	fl_alike_done(&a);
}

TEST(names)
{
	assert_int_equal(fl_alike_name(""), 0);
	assert_true(fl_alike_name("a") != 0 && fl_alike_name("a") == fl_alike_name("a"));
	assert_true(fl_alike_name("a") != fl_alike_name("b"));
	assert_true(fl_alike_name("ab") != fl_alike_name("ba"));
}

UNIT_GROUP("alike")
