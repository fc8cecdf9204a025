/* SPDX-License-Identifier: Apache-2.0 */
/* What nodes are entitled to, worked out by hand; rows are by name, parents first. */
#include "measure_world.h"

#include "sim/entitled.h"

enum { NODES = 6 };

#define COHORT(its_name, its_parent, its_weight, nominal)                                          \
	{                                                                                          \
		(its_name), (its_parent), FL_COHORT, (its_weight), { QUOTA(nominal) }              \
	}
#define QUEUE(its_name, its_parent, its_weight, nominal, borrow, lend)                             \
	{                                                                                          \
		(its_name), (its_parent), FL_CLUSTER_QUEUE, (its_weight),                          \
		{                                                                                  \
			{                                                                          \
				(nominal), (borrow), (lend)                                        \
			}                                                                          \
		}                                                                                  \
	}
#define NO FL_NO_LIMIT

static const struct {
	const char *name;
	struct world_node nodes[NODES];
	double wanted[NODES], entitled[NODES], capacity;
} rows[] = {
	{ "each its own",
	  { COHORT("r", NULL, 1, 0), QUEUE("ra", "r", 1, 4, NO, NO),
	    QUEUE("rb", "r", 1, 6, NO, NO) },
	  { 20, 10, 10 },
	  { 10, 4, 6 },
	  10 },
	{ "what nobody wants goes to who does",
	  { COHORT("r", NULL, 1, 0), QUEUE("ra", "r", 1, 4, NO, NO),
	    QUEUE("rb", "r", 1, 6, NO, NO) },
	  { 11, 10, 1 },
	  { 10, 9, 1 },
	  10 },
	{ "by weight",
	  { COHORT("r", NULL, 1, 9), QUEUE("ra", "r", 2, 1, NO, NO),
	    QUEUE("rb", "r", 1, 2, NO, NO) },
	  { 200, 100, 100 },
	  { 12, 7, 5 },
	  12 },
	{ "weight 0: its own, and no more",
	  { COHORT("r", NULL, 1, 9), QUEUE("ra", "r", 0, 1, NO, NO),
	    QUEUE("rb", "r", 1, 2, NO, NO) },
	  { 12, 10, 2 },
	  { 3, 1, 2 },
	  12 },
	{ "within its borrowing limit",
	  { COHORT("r", NULL, 1, 9), QUEUE("ra", "r", 1, 1, 2, NO),
	    QUEUE("rb", "r", 1, 2, NO, NO) },
	  { 120, 100, 20 },
	  { 12, 3, 9 },
	  12 },
	{ "what is not lent is nobody else's",
	  { COHORT("r", NULL, 1, 0), QUEUE("ra", "r", 1, 6, NO, 2),
	    QUEUE("rb", "r", 1, 4, NO, NO) },
	  { 101, 1, 100 },
	  { 7, 1, 6 },
	  10 },
	{ "and is its own when it is wanted",
	  { COHORT("r", NULL, 1, 0), QUEUE("ra", "r", 1, 6, NO, 2),
	    QUEUE("rb", "r", 1, 4, NO, NO) },
	  { 105, 5, 100 },
	  { 10, 5, 5 },
	  10 },
	{ "a cohort keeps nothing that its sister can have, and its own first",
	  { COHORT("r", NULL, 1, 0), COHORT("rx", "r", 1, 0), QUEUE("rxa", "rx", 1, 5, NO, 0),
	    QUEUE("rxb", "rx", 1, 2, NO, NO), COHORT("ry", "r", 1, 0),
	    QUEUE("rya", "ry", 1, 3, NO, NO) },
	  { 30, 10, 0, 10, 20, 20 },
	  { 5, 2, 0, 2, 3, 3 },
	  10 },
	{ "two trees have nothing in common",
	  { QUEUE("a", NULL, 1, 4, NO, NO), COHORT("r", NULL, 1, 3),
	    QUEUE("ra", "r", 1, 0, NO, NO) },
	  { 100, 100, 100 },
	  { 4, 3, 3 },
	  7 },
	{ "quota without bound",
	  { COHORT("r", NULL, 1, FL_UNLIMITED), QUEUE("ra", "r", 1, 1, NO, NO),
	    QUEUE("rb", "r", 1, 2, 3, NO) },
	  { 20, 10, 10 },
	  { 15, 10, 5 },
	  INFINITY },
};

TEST(worked_numbers)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t n = 0;
		uint32_t changed[NODES];
		struct fl_entitled e;
		fairlead_error err;

		while (n < NODES && rows[i].nodes[n].name)
			n++;
		struct fl_model *m = world_new(&fl_mem_heap, rows[i].nodes, n, 1);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

		ok(fl_entitled_init(&e, &fl_mem_heap, m, &fl_borrow_policy, p, &err), &err);
		CHECK(e.n == n && e.n_resources == 1, rows[i].name);
		CHECK(e.capacity[0] == rows[i].capacity, rows[i].name);
		for (uint32_t row = 0; row < n; row++)
			fl_entitled_want(&e, row, &rows[i].wanted[row]);
		(void)fl_entitled_find(&e, changed);
		for (uint32_t row = 0; row < n; row++)
			if (e.shares[row] != rows[i].entitled[row])
				fail_msg("row '%s': %s is entitled to %g", rows[i].name,
					 rows[i].nodes[row].name, e.shares[row]);
		CHECK(fl_entitled_find(&e, changed) == 0, rows[i].name);
		fl_entitled_done(&e);
		fl_borrow_policy.free(p);
		fl_model_free(m);
	}
}

/* After an event that changes a quota, a limit or a weight. */
TEST(changes_are_followed)
{
	static const struct world_node nodes[] = {
		COHORT("r", NULL, 1, 9),
		QUEUE("ra", "r", 2, 1, NO, NO),
		QUEUE("rb", "r", 1, 2, NO, NO),
	};
	static const struct {
		const char *name, *node;
		enum fl_cell_kind kind;
		fl_amount amount;
		double weight, ra;
	} steps[] = {
		{ "quota", "ra", FL_CELL_NOMINAL, 4, 0, 4 + 6 },
		{ "limit", "ra", FL_CELL_BORROWING_LIMIT, 2, 0, 4 + 2 },
		{ "no limit", "ra", FL_CELL_BORROWING_LIMIT, FL_NO_LIMIT, 0, 4 + 6 },
		{ "weight", "rb", FL_CELL_WEIGHT, 0, 7, 4 + 2 },
	};
	const double wanted[] = { 200, 100, 100 };
	struct fl_model *m = world_new(&fl_mem_heap, nodes, COUNT(nodes), 1);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
	struct fl_entitled e;
	fairlead_error err;
	uint32_t changed[COUNT(nodes)];

	ok(fl_entitled_init(&e, &fl_mem_heap, m, &fl_borrow_policy, p, &err), &err);
	for (size_t i = 0; i < COUNT(steps); i++) {
		bool weight = steps[i].kind == FL_CELL_WEIGHT;
		struct fl_event event = {
			.kind = FL_EV_CELL,
			.workload = { FL_NONE },
			.cell = { .kind = steps[i].kind,
				  .node = fl_model_find_node(m, FL_CLUSTER_QUEUE, steps[i].node),
				  .flavor = { weight ? FL_NONE : 0 },
				  .resource = { weight ? FL_NONE : 0 },
				  .amount = steps[i].amount,
				  .weight = steps[i].weight },
		};

		ok(fl_borrow_policy.apply(p, 0, &event, &err), &err);
		fl_entitled_changed(&e);
		for (uint32_t row = 0; row < COUNT(nodes); row++)
			fl_entitled_want(&e, row, &wanted[row]);
		(void)fl_entitled_find(&e, changed);
		if (e.shares[1] != steps[i].ra)
			fail_msg("row '%s': %g", steps[i].name, e.shares[1]);
	}
	fl_entitled_done(&e);
	fl_borrow_policy.free(p);
	fl_model_free(m);
}

/*
 * Wants that come and go one by one, under lending limits on three levels, are divided as by
 * somebody who knows only the last of them.
 */
TEST(one_after_the_other)
{
	static const struct world_node nodes[] = {
		COHORT("r", NULL, 1, 3),          COHORT("rx", "r", 2, 4),
		QUEUE("rxa", "rx", 1, 5, 3, 1),   QUEUE("rxb", "rx", 3, 2, NO, 0),
		COHORT("ry", "r", 1, 1),          QUEUE("rya", "ry", 1, 7, NO, 2),
		QUEUE("ryb", "ry", 1, 0, NO, NO), QUEUE("s", NULL, 1, 6, NO, NO),
	};
	static const uint32_t leaves[] = { 2, 3, 5, 6, 7 };
	enum { N = COUNT(nodes) };
	struct fl_model *m = world_new(&fl_mem_heap, nodes, N, 1);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);
	struct fl_entitled e, fresh;
	double wanted[N] = { 0 };
	uint32_t changed[N], n = 0, state = 1;
	fairlead_error err;

	ok(fl_entitled_init(&e, &fl_mem_heap, m, &fl_borrow_policy, p, &err), &err);
	for (int i = 0; i < 2000; i++) {
		state = state * 1664525 + 1013904223;
		uint32_t row = leaves[(state >> 16) % COUNT(leaves)];
		double now = (state >> 8) % 14, more = now - wanted[row];
		double before[N];

		memcpy(before, e.shares, sizeof before);
		for (uint32_t at = row; at != FL_NONE; at = e.parent[at]) {
			wanted[at] += more;
			fl_entitled_want(&e, at, &wanted[at]);
		}
		n = fl_entitled_find(&e, changed);
		ok(fl_entitled_init(&fresh, &fl_mem_heap, m, &fl_borrow_policy, p, &err), &err);
		for (uint32_t at = 0; at < N; at++)
			fl_entitled_want(&fresh, at, &wanted[at]);
		(void)fl_entitled_find(&fresh, (uint32_t[N]){ 0 });
		assert_memory_equal(e.shares, fresh.shares, sizeof before);
		fl_entitled_done(&fresh);
		for (uint32_t at = 0; at < N; at++) {
			bool told = false;

			for (uint32_t c = 0; c < n; c++)
				told |= changed[c] == at;
			assert_int_equal(told, before[at] != e.shares[at]);
		}
	}
	fl_entitled_done(&e);
	fl_borrow_policy.free(p);
	fl_model_free(m);
}

UNIT_GROUP("entitled")
