/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "decide/borrow/quota/drs.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
enum { NONE = -1 };

struct row {
	const char *name;
	fl_amount quota[2], usage[2],
		lent[2]; /* of the queue; what a sibling brings to the cohort */
	double weight, ratio, weighted;
	int dominant;
	bool borrowing;
};

static const struct row rows[] = {
	/* name                  quota     usage     sibling   weight ratio weighted dominant borrowing */
	{ "at quota", { 10, 10 }, { 10, 10 }, { 90, 90 }, 1, 0, 0, NONE, false },
	{ "one over", { 10, 10 }, { 15, 10 }, { 90, 90 }, 1, 50, 50, 0, true },
	{ "weight halves", { 10, 10 }, { 15, 10 }, { 90, 90 }, 2, 50, 25, 0, true },
	{ "weight below one", { 10, 10 }, { 15, 10 }, { 90, 90 }, 0.5, 50, 100, 0, true },
	{ "the other dominates", { 10, 10 }, { 15, 30 }, { 90, 90 }, 1, 200, 200, 1, true },
	{ "tie: first by name", { 10, 10 }, { 15, 15 }, { 90, 90 }, 1, 50, 50, 0, true },
	{ "weight 0 is inf", { 10, 10 }, { 15, 10 }, { 90, 90 }, 0, 50, HUGE_VAL, 0, true },
	{ "weight 0 within", { 10, 10 }, { 10, 10 }, { 90, 90 }, 0, 0, 0, NONE, false },
	{ "nothing lendable", { 0, 10 }, { 5, 10 }, { 0, 90 }, 1, 0, 0, NONE, true },
	{ "thirds stay exact",
	  { 0, 0 },
	  { 1, 0 },
	  { 3, 1 },
	  1,
	  1000.0 / 3.0,
	  1000.0 / 3.0,
	  FIELDS(0, true) },
};

static struct fl_model *two_queues(const struct row *row, struct fl_tree *t, struct fl_usage *u,
				   struct fl_arena *arena, struct fl_node *q)
{
	struct world_node nodes[] = {
		{ "co", NULL, FL_COHORT, 1, { { 0, NO, NO }, { 0, NO, NO } } },
		{ "q",
		  FIELDS("co", FL_CLUSTER_QUEUE, row->weight),
		  { { row->quota[0], NO, NO }, { row->quota[1], NO, NO } } },
		{ "lender",
		  FIELDS("co", FL_CLUSTER_QUEUE, 1),
		  { { row->lent[0], NO, NO }, { row->lent[1], NO, NO } } },
	};
	struct fl_model *m = world_new(&fl_mem_heap, nodes, 3, 2);

	fl_arena_init(arena, &fl_mem_heap);
	assert_int_equal(fl_tree_init(t, m, &fl_mem_heap, NULL), 0);
	assert_int_equal(fl_usage_init(u, t, arena, NULL), 0);
	*q = fl_model_find_node(m, FL_CLUSTER_QUEUE, "q");
	return m;
}

static void done(struct fl_model *m, struct fl_tree *t, struct fl_arena *arena)
{
	fl_tree_done(t);
	fl_arena_done(arena);
	fl_model_free(m);
}

TEST(share_of_a_queue)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		struct fl_drs_extra extra[2] = { { { 0 }, row->usage[0] },
						 { { 1 }, row->usage[1] } };
		struct fl_arena arena;
		struct fl_usage u;
		struct fl_tree t;
		struct fl_drs as_if, is;
		struct fl_node q;
		struct fl_model *m = two_queues(row, &t, &u, &arena, &q);

		print_message("# %s\n", row->name);
		as_if = fl_drs_with(&t, &u, q, extra, 2);
		for (uint32_t c = 0; c < 2; c++)
			fl_usage_add(&u, &t, q, (struct fl_column){ c }, row->usage[c]);
		is = fl_drs_of(&t, &u, q);
		assert_true(is.ratio == row->ratio);
		assert_true(is.weighted == row->weighted);
		assert_int_equal(is.borrowing, row->borrowing);
		assert_int_equal((int)fl_drs_dominant(&t, &u, q).v, row->dominant);
		/* With usage that is only imagined the share is the same to the last bit. */
		assert_true(as_if.ratio == is.ratio && as_if.weighted == is.weighted);
		assert_int_equal(as_if.borrowing, is.borrowing);
		done(m, &t, &arena);
	}
}

TEST(a_root_borrows_from_nobody)
{
	struct fl_arena arena;
	struct fl_usage u;
	struct fl_tree t;
	struct fl_node q;
	struct fl_model *m = two_queues(&rows[1], &t, &u, &arena, &q);
	struct fl_node root = { t.root[q.v] };

	fl_usage_add(&u, &t, q, (struct fl_column){ 0 }, 1000);
	assert_false(fl_drs_of(&t, &u, root).borrowing);
	assert_true(fl_drs_of(&t, &u, root).weighted == 0);
	assert_int_equal(fl_drs_dominant(&t, &u, root).v, FL_NONE);
	done(m, &t, &arena);
}

TEST(order_of_shares)
{
	static const struct {
		struct fl_drs a, b;
		int order;
	} pairs[] = {
		{ { 1, 1, true }, { 2, 2, true }, -1 },
		{ { 2, 2, true }, { 2, 2, true }, 0 },
		{ { 9, 3, true }, { 2, 2, true }, 1 },
		{ { 0, 0, false }, { 0, 0, true }, 0 },
		{ { 1, HUGE_VAL, true }, { 9, 9, true }, 1 },
		{ { 1, HUGE_VAL, true }, { 2, HUGE_VAL, true }, -1 },
		{ { 2, HUGE_VAL, true }, { 2, HUGE_VAL, true }, 0 },
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		assert_int_equal(fl_drs_cmp(&pairs[i].a, &pairs[i].b), pairs[i].order);
		assert_int_equal(fl_drs_cmp(&pairs[i].b, &pairs[i].a), -pairs[i].order);
	}
}

UNIT_GROUP("drs")
