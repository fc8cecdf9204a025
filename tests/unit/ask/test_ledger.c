/* SPDX-License-Identifier: Apache-2.0 */
/* What is borrowed is lent by somebody, to the last unit, however large the amounts. */
#include "ask/borrow/ledger.h"
#include "decide/borrow/borrow.h"
#include "lib/unit.h"
#include "lib/world.h"

#define NO FL_NO_LIMIT
enum { LENDERS = 12 };

TEST(parts_add_up)
{
	static const struct {
		const char *name;
		fl_amount quota, held;
	} rows[] = {
		{ "small", 5, 7 },
		{ "thousands", 8000, 3000 },
		{ "half of all", FL_UNLIMITED / LENDERS, FL_UNLIMITED / 2 },
		{ "no limit", FL_UNLIMITED, INT64_C(1) << 62 },
	};
	static const char *const names[LENDERS] = { "a", "b", "c", "d", "e", "f",
						    "g", "h", "i", "j", "k", "l" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct world_node nodes[LENDERS + 2] = {
			{ "root", NULL, FL_COHORT, 1, { { 0, NO, NO } } },
			{ "borrower", "root", FL_CLUSTER_QUEUE, 1, { { 0, NO, NO } } },
		};
		struct world_job job = { "w", "borrower", 0, 1, { rows[i].held }, true };
		struct fl_policy_options options = { .mem = &fl_mem_heap };
		struct fl_policy *p = NULL;
		struct fl_ledger ledger;
		struct fl_arena arena;
		fl_amount sum = 0;
		fairlead_error err;

		for (int k = 0; k < LENDERS; k++)
			nodes[k + 2] = (struct world_node){
				names[k], "root", FL_CLUSTER_QUEUE, 1, { { rows[i].quota, NO, NO } }
			};
		struct fl_model *m = world_open(&fl_mem_heap, nodes, LENDERS + 2, 1);

		world_add_job(m, &job, 1);
		assert_int_equal(fl_model_seal(m, &err), 0);
		assert_int_equal(fl_borrow_policy.new(m, &options, &p, &err), 0);
		fl_arena_init(&arena, &fl_mem_heap);
		assert_int_equal(fl_ledger_init(&ledger, fl_borrow_tree(p), fl_borrow_usage(p),
						&arena, &err),
				 0);
		for (uint32_t n = 2; n < LENDERS + 2; n++) {
			fl_amount lent = ledger.lent[ledger.tree->row[n]];

			CHECK(lent >= 0 && lent <= rows[i].quota, rows[i].name);
			sum += lent;
		}
		CHECK(sum == rows[i].held, rows[i].name);
		fl_arena_done(&arena);
		fl_borrow_policy.free(p);
		fl_model_free(m);
	}
}

UNIT_GROUP("ledger")
