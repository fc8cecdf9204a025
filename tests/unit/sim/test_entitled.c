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

static void worked_numbers(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t n = 0;
		double got[NODES];
		struct fl_entitled e;
		fairlead_error err;

		while (n < NODES && rows[i].nodes[n].name)
			n++;
		struct fl_model *m = world_new(&fl_mem_heap, rows[i].nodes, n, 1);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, 0);

		ok(fl_entitled_init(&e, &fl_mem_heap, m, &fl_borrow_policy, p, &err), &err);
		CHECK(e.n == n && e.n_resources == 1, rows[i].name);
		CHECK(e.capacity[0] == rows[i].capacity, rows[i].name);
		for (int again = 0; again < 2; again++) { /* nothing is left of the first time */
			fl_entitled_find(&e, rows[i].wanted, got);
			for (uint32_t row = 0; row < n; row++)
				if (got[row] != rows[i].entitled[row])
					fail_msg("row '%s': %s is entitled to %g", rows[i].name,
						 rows[i].nodes[row].name, got[row]);
		}
		fl_entitled_done(&e);
		fl_borrow_policy.free(p);
		fl_model_free(m);
	}
}

/* After an event that changes a quota, a limit or a weight. */
static void changes_are_followed(void **unused)
{
	(void)unused;
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
	double got[3];

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
		fl_entitled_find(&e, wanted, got);
		if (got[1] != steps[i].ra)
			fail_msg("row '%s': %g", steps[i].name, got[1]);
	}
	fl_entitled_done(&e);
	fl_borrow_policy.free(p);
	fl_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_numbers),
		cmocka_unit_test(changes_are_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
