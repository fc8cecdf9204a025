/* SPDX-License-Identifier: Apache-2.0 */
/* What a task that is moved twice in a cycle does to the machines, step by step. */
#include "decide/entitle/rules/machines.h"
#include "decide/entitle/state/state.h"
#include "lib/entitle_world.h"
#include "lib/unit.h"

static const struct world_leaf queues[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 8, -1, 1) },
};
static const struct world_machine machines[] = {
	{ "m1", 4 }, { "m2", 4 }, { "m3", 4 }, { "m4", 4 }
};
/* One task each. */
static const struct world_gang gangs[] = {
	{ WAITS("waits", "a", 50, 1, 1, 2) },
	{ RUNS("runs", "a", 50, 1, 1, 2, "m1") },
	{ WAITS("large", "a", 50, 1, 1, 4) },
};
enum { WAITING, RUNNING, LARGE };

struct run {
	struct fl_model *model;
	struct fl_policy *policy;
};

static struct run start(void)
{
	struct world_of world = {
		.queues = queues,
		.machines = machines,
		.gangs = gangs,
		.n_queues = COUNT(queues),
		.n_machines = COUNT(machines),
		.n_gangs = COUNT(gangs),
		.settings = fl_entitle_settings_default,
	};
	struct run run = { .model = entitle_world(&fl_mem_heap, &world) };

	run.policy = entitle_world_policy(&fl_mem_heap, run.model);
	return run;
}

static void done(struct run *run)
{
	fl_entitle_policy.free(run->policy);
	fl_model_free(run->model);
}

static const struct fl_machine m1 = { 0 }, m2 = { 1 }, m3 = { 2 }, m4 = { 3 };

/* The one task of a gang. */
static uint32_t task_of(const struct run *run, int gang)
{
	struct fl_workload w = entitle_world_find(run->model, gangs[gang].name);

	return run->policy->jobs[w.v].tasks.first;
}

static void check_room(const struct run *run, struct fl_machine m, double idle, double leaving)
{
	assert_true(run->policy->rooms[m.v].idle.of[FL_GPU] == idle);
	assert_true(run->policy->rooms[m.v].leaving.of[FL_GPU] == leaving);
}

/*
 * Whose place was only promised: the eviction is booked as if it stood there, so what fits is
 * the same, but there is room at once elsewhere only.
 */
TEST(a_promise_is_evicted)
{
	struct run run = start();
	struct fl_policy *p = run.policy;
	uint32_t t = task_of(&run, WAITING);
	struct fl_spot spot;

	/* m1 has 2 left, the others take nobody. */
	p->rooms[m3.v].usable = p->rooms[m4.v].usable = false;
	assert_int_equal(fl_task_promise(p, t, m2, NULL), 0);
	check_room(&run, m2, 4, -2);
	assert_int_equal(fl_machines_choose(p, task_of(&run, LARGE), NULL).machine.v, FL_NONE);
	assert_int_equal(fl_task_evict(p, t, NULL), 0);
	check_room(&run, m2, 2, 2);
	spot = fl_machines_choose(p, task_of(&run, LARGE), NULL);
	assert_int_equal(spot.machine.v, m2.v);
	assert_false(spot.now);
	assert_true(spot.only);

	/* Spared, it is promised its place again. */
	assert_int_equal(fl_task_spare(p, t, NULL), 0);
	assert_int_equal(p->tasks[t].state, FL_TASK_PROMISED);
	check_room(&run, m2, 4, -2);

	/* Promised another, it is still booked at the first, until the cycle ends. */
	assert_int_equal(fl_task_evict(p, t, NULL), 0);
	assert_int_equal(fl_task_promise(p, t, m1, NULL), 0);
	check_room(&run, m2, 2, 2);
	check_room(&run, m1, 2, -2);
	assert_int_equal(fl_task_unpromise(p, t, NULL), 0);
	assert_int_equal(fl_state_recount(p, NULL), 0);
	assert_int_equal(p->tasks[t].state, FL_TASK_WAITS);
	check_room(&run, m1, 2, 0);
	check_room(&run, m2, 4, 0);
	assert_int_equal(p->tasks[t].dropped.v, FL_NONE);
	done(&run);
}

static void check_leaves(const struct run *run, uint32_t t, const char *which)
{
	const struct fl_machine all[] = { m1, m2, m3, m4 };

	for (size_t i = 0; i < COUNT(all); i++)
		assert_int_equal(fl_task_leaves(&run->policy->tasks[t], all[i]), which[i] == 'x');
}

/* Where it was, where it was going and where it was to go before: each puts it back. */
TEST(who_moves_leaves_all_it_had)
{
	struct run run = start();
	struct fl_policy *p = run.policy;
	uint32_t t = task_of(&run, RUNNING);

	check_leaves(&run, t, "....");
	assert_int_equal(fl_task_evict(p, t, NULL), 0);
	check_leaves(&run, t, "x...");
	assert_int_equal(fl_task_promise(p, t, m2, NULL), 0);
	check_leaves(&run, t, "....");
	assert_int_equal(fl_task_evict(p, t, NULL), 0);
	check_leaves(&run, t, "xx..");
	assert_int_equal(fl_task_promise(p, t, m3, NULL), 0);
	assert_int_equal(fl_task_evict(p, t, NULL), 0);
	check_leaves(&run, t, "xxx.");
	assert_int_equal(fl_task_spare(p, t, NULL), 0);
	assert_int_equal(p->tasks[t].state, FL_TASK_PROMISED);
	assert_int_equal(p->tasks[t].promised.v, m3.v);
	check_leaves(&run, t, "....");
	check_room(&run, m1, 2, 2);
	check_room(&run, m2, 2, 2);
	check_room(&run, m3, 4, -2);
	done(&run);
}

/* How many tasks of a size there is room for, whatever else they want. */
TEST(machines_hold)
{
	struct run run = start();
	struct fl_policy *p = run.policy;

	/* Of two GPUs: one on m1, and two on each of the others. */
	assert_true(fl_machines_hold(p, task_of(&run, WAITING), 7));
	assert_false(fl_machines_hold(p, task_of(&run, WAITING), 8));
	assert_true(fl_machines_hold(p, task_of(&run, LARGE), 3));
	assert_false(fl_machines_hold(p, task_of(&run, LARGE), 4));
	p->rooms[m2.v].usable = false;
	assert_false(fl_machines_hold(p, task_of(&run, LARGE), 3));
	done(&run);
}

UNIT_GROUP("entitle-state")
