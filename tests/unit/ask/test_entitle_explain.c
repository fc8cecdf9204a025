/* SPDX-License-Identifier: Apache-2.0 */
/* What is proposed where the machine is the daemon's own, and does not become larger. */
#include "ask/entitle/explain.h"

#include "lib/entitle_world.h"
#include "lib/unit.h"

enum { GPUS = 8 };

/* Of 8 GPUs b deserves half; c deserves as much as there is, and so no number of them. */
static const struct world_leaf queues[] = {
	{ LEAF("a", NULL, 2, -1, 1) },
	{ LEAF("b", NULL, 4, -1, 1) },
	{ LEAF("c", NULL, -1, -1, 1) },
};
static const struct world_machine machines[] = { { "m1", GPUS } };

/* What is proposed that a deserves, so that a firm gang of it with so many GPUs starts; 0: nothing. */
static double proposed(int gpus)
{
	const struct world_gang gangs[] = { { WAITS("w", "a", 50, gpus, gpus, 1), .firm = true } };
	const struct world_of world = {
		.queues = queues,
		.machines = machines,
		.gangs = gangs,
		.n_queues = COUNT(queues),
		.n_machines = COUNT(machines),
		.n_gangs = COUNT(gangs),
		.settings = fl_entitle_settings_default,
	};
	const struct fl_explain_machine own = { .rest = { FL_NONE } };
	struct fl_model *m = entitle_world(&fl_mem_heap, &world);
	struct fl_policy *p = entitle_world_policy(&fl_mem_heap, m);
	struct fl_entitle_explain x;
	struct fl_arena arena;
	double to = 0;
	fairlead_error err;

	fl_arena_init(&arena, &fl_mem_heap);
	assert_int_equal(fl_entitle_explain(&fl_entitle_policy, p, m, WORLD_NOW * FL_SECOND,
					    entitle_world_find(m, "w"), &own, &arena, &x, &err),
			 0);
	for (uint32_t i = 0; i < x.n_changes; i++)
		if (x.changes[i].kind == FL_CELL_DESERVED)
			to = x.changes[i].to;
	fl_arena_done(&arena);
	fl_entitle_policy.free(p);
	fl_model_free(m);
	return to;
}

TEST(queues_deserve_no_more_than_there_is)
{
	assert_true(proposed(3) == 3);
	assert_true(proposed(4) == 4);
	assert_true(proposed(5) == 0);
}

UNIT_GROUP("entitle-explain")
