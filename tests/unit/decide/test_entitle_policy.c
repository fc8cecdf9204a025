/* SPDX-License-Identifier: Apache-2.0 */
/* The entitle policy's doors: events, trials, waking, digests, answers, and which machine. */
#include <math.h>

#include "lib/entitle_world.h"
#include "lib/unit.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

static const struct world_machine one[] = { { "m1", 8 } };
/* Two leaves that deserve half of 8 GPUs each; whoever runs in b may do so for 600 s. */
static const struct world_leaf halves[] = {
	{ LEAF("top", NULL, -1, -1, 1) },
	{ LEAF("a", "top", 4, -1, 1) },
	{ LEAF("b", "top", 4, -1, 1), .reclaim_min_run = 600 },
};

enum { A1, B1, B2 };
/* b1 has the machine and is still protected; a1 and b2 wait. */
static const struct world_gang gangs[] = {
	{ WAITS("a1", "a", 50, 1, 1, 4) },
	{ RUNS("b1", "b", 50, 1, 1, 8, "m1"), .ran = 100 },
	{ WAITS("b2", "b", 50, 1, 1, 9) },
};

struct world {
	struct fl_model *m;
	struct fl_policy *p;
};

static struct world of(const struct world_of *world)
{
	struct world w = { .m = entitle_world(&fl_mem_heap, world) };

	w.p = entitle_world_policy(&fl_mem_heap, w.m);
	return w;
}

static struct world make(void)
{
	const struct world_of world = {
		.queues = halves,
		.machines = one,
		.gangs = gangs,
		.n_queues = COUNT(halves),
		.n_machines = COUNT(one),
		.n_gangs = COUNT(gangs),
		.settings = fl_entitle_settings_default,
	};

	return of(&world);
}

static void done(struct world *w)
{
	ops->free(w->p);
	fl_model_free(w->m);
}

static int apply(struct world *w, enum fl_event_kind kind, uint32_t workload, fairlead_error *err)
{
	struct fl_event e = { .kind = kind, .workload = { workload } };

	return ops->apply(w->p, WORLD_NOW * FL_SECOND, &e, err);
}

static enum fl_workload_state state(const struct world *w, uint32_t workload)
{
	return ops->state(w->p, (struct fl_workload){ workload });
}

/* --- events --- */

TEST(events_that_do_not_suit_change_nothing)
{
	static const struct {
		const char *name;
		struct fl_event event;
		int code;
	} rows[] = {
		{ "no such workload",
		  { .kind = FL_EV_CANCEL, .workload = { 9 } },
		  FAIRLEAD_ENOENT },
		{ "there already", { .kind = FL_EV_SUBMIT, .workload = { A1 } }, FAIRLEAD_ESTATE },
		{ "started, but waits",
		  { .kind = FL_EV_STARTED, .workload = { A1 } },
		  FAIRLEAD_ESTATE },
		{ "evicted, but waits",
		  { .kind = FL_EV_EVICTED, .workload = { A1 } },
		  FAIRLEAD_ESTATE },
		{ "finished, but waits",
		  { .kind = FL_EV_FINISHED, .workload = { A1 } },
		  FAIRLEAD_ESTATE },
		{ "no usage over time", { .kind = FL_EV_USAGE }, FAIRLEAD_ESTATE },
		{ "no such queue",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_LIMIT, .node = { 9 } } },
		  FAIRLEAD_ENOENT },
		{ "no such queue to prefer",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_QUEUE_PRIORITY, .node = { 9 } } },
		  FAIRLEAD_ENOENT },
		{ "no such machine",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_ALLOCATABLE, .machine = { 9 } } },
		  FAIRLEAD_ENOENT },
		{ "no such workload to prefer",
		  { .kind = FL_EV_CELL, .workload = { 9 }, .cell = { .kind = FL_CELL_PRIORITY } },
		  FAIRLEAD_ENOENT },
		{ "an unknown resource",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_LIMIT, .resource = { 77 } } },
		  FAIRLEAD_ENOENT },
		{ "a negative weight",
		  { .kind = FL_EV_CELL,
		    .cell = { .kind = FL_CELL_OVER_QUOTA_WEIGHT, .value = -1 } },
		  FAIRLEAD_EINPUT },
		{ "a negative limit",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_LIMIT, .value = -2 } },
		  FAIRLEAD_EINPUT },
		{ "no number",
		  { .kind = FL_EV_CELL,
		    .cell = { .kind = FL_CELL_DESERVED, .value = (double)NAN } },
		  FAIRLEAD_EINPUT },
		{ "less than nothing on a machine",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_ALLOCATABLE, .value = -1 } },
		  FAIRLEAD_EINPUT },
		{ "a priority beyond 32 bits",
		  { .kind = FL_EV_CELL,
		    .cell = { .kind = FL_CELL_PRIORITY, .amount = INT64_C(1) << 40 } },
		  FAIRLEAD_EINPUT },
		{ "quota of the other policy",
		  { .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_NOMINAL } },
		  FAIRLEAD_ESTATE },
	};
	struct world w = make();
	uint64_t before[2], after[2];

	ops->digest(w.p, 0, before);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		CHECK(ops->apply(w.p, 0, &rows[i].event, &err) == rows[i].code, rows[i].name);
		CHECK(err.text[0], rows[i].name);
		ops->digest(w.p, 0, after);
		CHECK(memcmp(before, after, sizeof before) == 0, rows[i].name);
	}
	done(&w);
}

TEST(a_workload_comes_and_goes)
{
	struct world w = make();
	struct fl_decisions d;

	assert_int_equal(state(&w, B1), FL_STATE_ADMITTED);
	assert_int_equal(apply(&w, FL_EV_STARTED, B1, NULL), 0);
	assert_int_equal(apply(&w, FL_EV_FINISHED, B1, NULL), 0);
	assert_int_equal(state(&w, B1), FL_STATE_ABSENT);
	d = entitle_world_step(w.p, 0);
	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "a1"), 1);
	assert_int_equal(state(&w, A1), FL_STATE_ADMITTED);
	assert_int_equal(apply(&w, FL_EV_REJECTED, A1, NULL), 0);
	assert_int_equal(state(&w, A1), FL_STATE_WAITING);
	assert_int_equal(apply(&w, FL_EV_CANCEL, A1, NULL), 0);
	assert_int_equal(apply(&w, FL_EV_SUBMIT, B1, NULL), 0);
	d = entitle_world_step(w.p, 0);
	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "a1"), 0);
	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "b1"), 1);
	assert_int_equal(apply(&w, FL_EV_EVICTED, B1, NULL), 0);
	assert_int_equal(state(&w, B1), FL_STATE_WAITING);
	done(&w);
}

/* --- trials, waking, digests --- */

TEST(a_trial_leaves_no_trace)
{
	struct world w = make();
	struct fl_decisions d;
	uint64_t before[2], after[2];
	fl_time later = (WORLD_NOW + 500) * FL_SECOND;

	ops->digest(w.p, 0, before);
	assert_int_equal(ops->try(w.p, later, (struct fl_workload){ A1 }, NULL, &d, NULL), 0);
	assert_int_equal(d.n, 2);
	assert_int_equal(d.rows[0].kind, FL_EVICT);
	assert_int_equal(d.rows[0].reason, FL_REASON_RECLAIMED);
	assert_int_equal(d.rows[0].preemptor.v, A1);
	assert_int_equal(d.rows[1].kind, FL_RESERVE);
	assert_int_equal(d.rows[1].placement.n, 1);
	assert_int_equal(d.placements[d.rows[1].placement.first].machine.v, 0);
	ops->digest(w.p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(ops->try(w.p, later, (struct fl_workload){ B1 }, NULL, &d, NULL),
			 FAIRLEAD_ESTATE);
	assert_int_equal(ops->try(w.p, later, (struct fl_workload){ 9 }, NULL, &d, NULL),
			 FAIRLEAD_ENOENT);
	done(&w);
}

/* A trial, in force: the same decisions, and what they do can be taken back. */
TEST(serving_is_trying_in_force)
{
	struct world w = make();
	const struct fl_workload a1 = { A1 }, b2 = { B2 };
	struct fl_decisions d;
	char tried[64], served[64];
	uint64_t before[2], after[2];
	fl_time later = (WORLD_NOW + 500) * FL_SECOND;
	fl_mark mark;

	ops->digest(w.p, 0, before);
	assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
	assert_int_equal(ops->try(w.p, later, a1, NULL, &d, NULL), 0);
	entitle_world_text(w.m, &d, tried, sizeof tried);
	assert_string_equal(tried, "-b1*1 >a1*1");
	assert_int_equal(ops->serve(w.p, later, a1, NULL, &d, NULL), 0);
	entitle_world_text(w.m, &d, served, sizeof served);
	assert_string_equal(tried, served);
	assert_true(d.moved);
	assert_int_equal(d.n_heads, 1);
	assert_int_equal(state(&w, B1), FL_STATE_EVICTING);
	assert_int_equal(apply(&w, FL_EV_EVICTED, B1, NULL), 0);
	assert_int_equal(ops->serve(w.p, later, a1, NULL, &d, NULL), 0);
	assert_string_equal(entitle_world_text(w.m, &d, served, sizeof served), "+a1*1");
	assert_int_equal(state(&w, A1), FL_STATE_ADMITTED);
	assert_int_equal(state(&w, B1), FL_STATE_WAITING);
	ops->rollback(w.p, mark);
	ops->digest(w.p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(state(&w, B1), FL_STATE_ADMITTED);
	/* Nobody may be evicted for b2, and of a1 nothing is said. */
	assert_int_equal(ops->serve(w.p, later, b2, NULL, &d, NULL), 0);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.rows[0].workload.v, B2);
	assert_false(d.moved);
	assert_int_equal(ops->reason(w.p, a1), FL_REASON_NONE);
	done(&w);
}

TEST(who_cannot_be_served)
{
	struct world w = make();
	const struct {
		struct fl_workload w;
		int code;
	} rows[] = { { { B1 }, FAIRLEAD_ESTATE }, { { 9 }, FAIRLEAD_ENOENT } };
	uint64_t before[2], after[2];
	struct fl_decisions d;

	ops->digest(w.p, 0, before);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		assert_int_equal(ops->serve(w.p, 0, rows[i].w, NULL, &d, &err), rows[i].code);
		assert_true(err.text[0]);
	}
	ops->digest(w.p, 0, after);
	assert_memory_equal(before, after, sizeof before);
	done(&w);
}

static uint32_t rows_of_a_step(struct world *w)
{
	struct fl_decisions d;

	assert_int_equal(ops->step(w->p, WORLD_NOW * FL_SECOND, 0, NULL, &d, NULL), 0);
	assert_true(d.waiting);
	return d.n;
}

/* A cycle that would decide what the last one did is left out, until somebody forgets that one. */
TEST(what_is_forgotten_is_looked_at_again)
{
	struct world w = make();
	fl_time now = WORLD_NOW * FL_SECOND;
	uint64_t before[2], after[2];
	struct fl_decisions d;
	fl_mark mark;

	assert_int_equal(rows_of_a_step(&w), 2);
	assert_int_equal(rows_of_a_step(&w), 0);
	ops->digest(w.p, now, before);
	assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
	assert_int_equal(ops->forget(w.p, now, NULL), 0);
	ops->digest(w.p, now, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(ops->wake(w.p, now), (WORLD_NOW + 500) * FL_SECOND);
	assert_int_equal(rows_of_a_step(&w), 2);
	ops->rollback(w.p, mark);
	assert_int_equal(rows_of_a_step(&w), 0);
	/* Whoever is served alone says nothing of the others, either. */
	assert_int_equal(ops->serve(w.p, now, (struct fl_workload){ A1 }, NULL, &d, NULL), 0);
	assert_int_equal(rows_of_a_step(&w), 2);
	assert_int_equal(rows_of_a_step(&w), 0);
	done(&w);
}

/* Nobody takes a stale gang's rest: then no time is too long for it, and none tells states apart. */
TEST(patience_counts_only_where_it_ends)
{
	static const struct world_gang half[] = { { RUNS("a1", "a", 50, 2, 2, 4, "m1"),
						    .waiting = 1 } };
	static const struct {
		const char *name;
		bool action;
		fl_time grace;
		bool counts;
	} rows[] = {
		{ "a minute", true, 60 * FL_SECOND, true },
		{ "for ever", true, FL_NEVER, false },
		{ "not done", false, 60 * FL_SECOND, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct world_of world = {
			.queues = halves,
			.machines = one,
			.gangs = half,
			.n_queues = COUNT(halves),
			.n_machines = COUNT(one),
			.n_gangs = COUNT(half),
			.settings = fl_entitle_settings_default,
		};
		uint64_t first[2], second[2];

		world.settings.actions[FL_ACTION_STALE_GANG] = rows[i].action;
		world.settings.stale_grace = rows[i].grace;
		struct world w = of(&world);

		ops->digest(w.p, WORLD_NOW * FL_SECOND, first);
		ops->digest(w.p, WORLD_NOW * FL_SECOND + 1, second);
		CHECK((memcmp(first, second, sizeof first) != 0) == rows[i].counts, rows[i].name);
		done(&w);
	}
}

TEST(it_wakes_when_a_protection_ends)
{
	struct world w = make();
	struct fl_decisions d = entitle_world_step(w.p, 0);
	fl_time until = (WORLD_NOW + 500) * FL_SECOND;
	uint64_t first[2], second[2];

	assert_int_equal(d.n, 2); /* both wait */
	assert_int_equal(ops->wake(w.p, WORLD_NOW * FL_SECOND), until);
	assert_int_equal(ops->wake(w.p, until), FL_NEVER);
	/* What is left of the protection tells two moments apart; later nothing does. */
	ops->digest(w.p, until - 2, first);
	ops->digest(w.p, until - 1, second);
	assert_memory_not_equal(first, second, sizeof first);
	ops->digest(w.p, until, first);
	ops->digest(w.p, until + 1, second);
	assert_memory_equal(first, second, sizeof first);
	d = entitle_world_step(w.p, 499);
	assert_int_equal(entitle_world_count(w.m, &d, FL_EVICT, "b1"), 0);
	d = entitle_world_step(w.p, 500);
	assert_int_equal(entitle_world_count(w.m, &d, FL_EVICT, "b1"), 1);
	assert_int_equal(state(&w, B1), FL_STATE_EVICTING);
	done(&w);
}

/* --- answers --- */

TEST(answers)
{
	struct world w = make();
	struct fl_decisions d = entitle_world_step(w.p, 0);
	struct fl_share share;
	uint32_t n = 0, ids[4];
	const struct fl_placement *rows = ops->placement(w.p, (struct fl_workload){ B1 }, &n);

	assert_int_equal(d.n_heads, 2);
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].count, 1);
	assert_int_equal(rows[0].machine.v, 0);
	(void)ops->placement(w.p, (struct fl_workload){ A1 }, &n);
	assert_int_equal(n, 0);
	assert_int_equal(ops->reason(w.p, (struct fl_workload){ B2 }), FL_REASON_OVER_FAIR_SHARE);
	assert_int_equal(ops->reason(w.p, (struct fl_workload){ A1 }), FL_REASON_NO_VICTIMS);
	ops->share(w.p, fl_model_find_node(w.m, FL_QUEUE, "b"), &share);
	assert_true(share.precise == 2); /* 8 of a fair share of 4 */
	assert_true(share.borrowing);
	assert_int_equal(share.dominant.v, w.m->axis[FL_GPU].v);
	ops->share(w.p, fl_model_find_node(w.m, FL_QUEUE, "a"), &share);
	assert_true(share.precise == 0 && !share.borrowing);
	assert_true(fl_entitle_total(w.p).of[FL_GPU] == 8);
	assert_true(fl_entitle_usage(w.p, (struct fl_node){ 0 }).of[FL_GPU] == 0);
	assert_int_equal(fl_entitle_ahead(w.p, (struct fl_workload){ B2 }, ids, 4), 1);
	assert_int_equal(ids[0], A1);
	assert_int_equal(fl_entitle_ahead(w.p, (struct fl_workload){ A1 }, ids, 0), 0);
	done(&w);
}

TEST(cells)
{
	struct world w = make();
	struct fl_node b = fl_model_find_node(w.m, FL_QUEUE, "b");
	struct fl_event e = { .kind = FL_EV_CELL,
			      .cell = { .kind = FL_CELL_DESERVED, .resource = w.m->axis[FL_GPU] } };
	fl_mark mark;

	e.cell.node = b;
	e.cell.value = 6;
	assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
	assert_int_equal(ops->apply(w.p, 0, &e, NULL), 0);
	(void)entitle_world_step(w.p, 0);
	assert_true(fl_entitle_standing(w.p, b)->fair_share.of[FL_GPU] == 6);
	ops->rollback(w.p, mark);
	(void)entitle_world_step(w.p, 0);
	assert_true(fl_entitle_standing(w.p, b)->fair_share.of[FL_GPU] == 4);
	e.cell = (struct fl_cell){ .kind = FL_CELL_ALLOCATABLE,
				   .machine = { 0 },
				   .resource = w.m->axis[FL_GPU],
				   .value = 12 };
	assert_int_equal(ops->apply(w.p, 0, &e, NULL), 0);
	assert_true(fl_entitle_total(w.p).of[FL_GPU] == 12);
	struct fl_decisions d = entitle_world_step(w.p, 0);
	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "a1"), 1);
	done(&w);
}

TEST(priority_says_who_can_be_preempted_where_nothing_else_does)
{
	struct world w = make();
	struct fl_node b = fl_model_find_node(w.m, FL_QUEUE, "b");
	struct fl_event e = { .kind = FL_EV_CELL,
			      .workload = { B1 },
			      .cell = { .kind = FL_CELL_PRIORITY, .amount = 100 } };

	assert_int_equal(ops->apply(w.p, 0, &e, NULL), 0);
	assert_true(fl_entitle_standing(w.p, b)->non_preemptible.of[FL_GPU] == 0);
	w.m->gangs[w.m->workloads[B1].gang].stated = FL_PREEMPTIBLE_UNSET;
	assert_int_equal(ops->apply(w.p, 0, &e, NULL), 0);
	assert_true(fl_entitle_standing(w.p, b)->non_preemptible.of[FL_GPU] == 8);
	e.cell.amount = 99;
	assert_int_equal(ops->apply(w.p, 0, &e, NULL), 0);
	assert_true(fl_entitle_standing(w.p, b)->non_preemptible.of[FL_GPU] == 0);
	done(&w);
}

TEST(a_queue_is_looked_at_so_deep)
{
	static const struct world_gang two[] = {
		{ WAITS("a1", "a", 50, 1, 1, 1) },
		{ WAITS("a2", "a", 50, 1, 1, 1) },
	};
	struct world_of world = {
		.queues = halves,
		.machines = one,
		.gangs = two,
		.n_queues = COUNT(halves),
		.n_machines = COUNT(one),
		.n_gangs = COUNT(two),
		.settings = fl_entitle_settings_default,
	};

	world.settings.queue_depth[FL_ACTION_ALLOCATE] = 1;
	/* Which would let a2 have what a1 has just got, and find room for both. */
	world.settings.actions[FL_ACTION_CONSOLIDATION] = false;
	struct world w = of(&world);
	struct fl_decisions d = entitle_world_step(w.p, 0);

	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "a1"), 1);
	assert_int_equal(entitle_world_count(w.m, &d, FL_ADMIT, "a2"), 0);
	assert_int_equal(ops->reason(w.p, (struct fl_workload){ 1 }), FL_REASON_QUEUE_DEPTH);
	done(&w);
}

/* --- usage that moves --- */

TEST(what_is_held_becomes_usage)
{
	const struct world_of world = {
		.queues = halves,
		.machines = one,
		.gangs = gangs,
		.n_queues = COUNT(halves),
		.n_machines = COUNT(one),
		.n_gangs = COUNT(gangs),
		.settings = fl_entitle_settings_default,
	};
	struct world w = { .m = entitle_world(&fl_mem_heap, &world) };
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = WORLD_NOW * FL_SECOND,
						   .moving_usage = true };
	struct fl_node b = fl_model_find_node(w.m, FL_QUEUE, "b");
	struct fl_event sample = { .kind = FL_EV_USAGE };
	fl_mark mark;

	assert_int_equal(ops->new (w.m, &options, &w.p, NULL), 0);
	assert_true(fl_entitle_usage(w.p, b).of[FL_GPU] == 0);
	(void)entitle_world_step(w.p, 10);
	assert_true(fl_entitle_usage(w.p, b).of[FL_GPU] == 1);
	assert_int_equal(ops->mark(w.p, &mark, NULL), 0);
	assert_int_equal(ops->apply(w.p, 0, &sample, NULL), FAIRLEAD_ESTATE);
	assert_int_equal(apply(&w, FL_EV_FINISHED, B1, NULL), 0);
	(void)entitle_world_step(w.p, 20);
	double after = fl_entitle_usage(w.p, b).of[FL_GPU];
	assert_true(after < 1);
	ops->rollback(w.p, mark);
	assert_true(fl_entitle_usage(w.p, b).of[FL_GPU] == 1);
	(void)entitle_world_step(w.p, 20);
	assert_true(fl_entitle_usage(w.p, b).of[FL_GPU] == 1);
	done(&w);
}

/* --- which machine --- */

static struct fl_sym word(struct fl_model *m, const char *text)
{
	struct fl_sym ret = { 0 };

	assert_int_equal(fl_model_sym(m, text, strlen(text), &ret, NULL), 0);
	return ret;
}

enum with { PLAIN, SPREAD, CORDONED, TAINTED, TOLERATED, SELECTED, SELECTED_IN_VAIN };

/* What has happened to machine m1. */
static void arrange(struct fl_model *m, enum with with)
{
	struct fl_taint taint = { .key = word(m, "k"), .effect = FL_NO_SCHEDULE };
	struct fl_toleration toleration = { .key = word(m, "k"),
					    .exists = true,
					    .effect = FL_EFFECT_ANY };
	struct fl_label label = { word(m, "zone"), word(m, "x") };
	uint32_t id = 0;

	m->machines[0].unschedulable = with == CORDONED;
	if (with == TAINTED || with == TOLERATED) {
		assert_int_equal(fl_model_push_taints(m, &taint, &id, NULL), 0);
		m->machines[0].taints = (struct fl_span){ id, 1 };
	}
	if (with == TOLERATED) {
		assert_int_equal(fl_model_push_tolerations(m, &toleration, &id, NULL), 0);
		m->tasks[0].tolerations = (struct fl_span){ id, 1 };
	}
	if (with == SELECTED || with == SELECTED_IN_VAIN) {
		assert_int_equal(fl_model_push_labels(m, &label, &id, NULL), 0);
		m->tasks[0].node_selector = (struct fl_span){ id, 1 };
	}
	if (with == SELECTED)
		m->machines[1].labels = (struct fl_span){ id, 1 };
}

TEST(machines)
{
	static const struct {
		const char *name;
		double gpus[3], want; /* of machines; of the task */
		enum with with;
		uint32_t machine; /* FL_NONE: nowhere */
	} rows[] = {
		{ "the fullest", { 4, 3, 6 }, 2, PLAIN, 1 },
		{ "the fullest of those that have room", { 4, 3, 6 }, 4, PLAIN, 0 },
		{ "by name when they are alike", { 4, 4, 4 }, 2, PLAIN, 0 },
		{ "without GPUs for a task without", { 4, 0, 4 }, 0, PLAIN, 1 },
		{ "the emptiest when told so; by name, all are", { 4, 3, 6 }, 2, SPREAD, 0 },
		{ "not one that takes nobody", { 4, 5, 6 }, 2, CORDONED, 1 },
		{ "not one with a taint", { 4, 5, 6 }, 2, TAINTED, 1 },
		{ "unless it is tolerated", { 4, 5, 6 }, 2, TOLERATED, 0 },
		{ "only one with the label", { 4, 5, 6 }, 2, SELECTED, 1 },
		{ "no machine has the label", { 4, 5, 6 }, 2, SELECTED_IN_VAIN, FL_NONE },
		{ "no machine has room", { 4, 5, 6 }, 7, PLAIN, FL_NONE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct world_machine all[] = { { "m1", rows[i].gpus[0] },
						     { "m2", rows[i].gpus[1] },
						     { "m3", rows[i].gpus[2] } };
		const struct world_gang gang = { WAITS("a1", "a", 50, 1, 1, rows[i].want) };
		struct world_of world = {
			.queues = halves,
			.machines = all,
			.gangs = &gang,
			.n_queues = COUNT(halves),
			.n_machines = COUNT(all),
			.n_gangs = 1,
			.settings = fl_entitle_settings_default,
		};

		world.settings.spread_gpu = rows[i].with == SPREAD;
		struct world w = { .m = entitle_world(&fl_mem_heap, &world) };

		arrange(w.m, rows[i].with);
		w.p = entitle_world_policy(&fl_mem_heap, w.m);
		struct fl_decisions d = entitle_world_step(w.p, 0);

		CHECK(d.n == 1, rows[i].name);
		CHECK((d.rows[0].kind == FL_ADMIT) == (rows[i].machine != FL_NONE), rows[i].name);
		if (d.rows[0].kind == FL_ADMIT)
			CHECK(d.placements[0].machine.v == rows[i].machine, rows[i].name);
		done(&w);
	}
}

UNIT_GROUP("entitle-policy")
