/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one policy knows, in one on another model: queues, machines and settings that are others
 * there.  That all else goes on as it would have is tested by tests/prop/incremental --generations.
 */
#include "lib/entitle_world.h"
#include "lib/unit.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

static const struct world_leaf queues[] = {
	{ LEAF("d", NULL, 4, -1, 1) },
	{ LEAF("a", "d", 2, -1, 1) },
	{ LEAF("b", "d", 2, -1, 1) },
};
static const struct world_machine machines[] = { { "m1", 2 }, { "m2", 2 } };
static const struct world_gang gangs[] = {
	{ WAITS("a1", "a", 50, 1, 1, 2) },
	{ WAITS("b1", "b", 50, 1, 1, 2) },
	{ WAITS("b2", "b", 40, 1, 1, 1) },
};

static struct world_of usual(void)
{
	struct world_of w = { .queues = queues,
			      .machines = machines,
			      .gangs = gangs,
			      .n_queues = COUNT(queues),
			      .n_machines = COUNT(machines),
			      .n_gangs = COUNT(gangs),
			      .settings = fl_entitle_settings_default };

	w.settings.usage_on = true;
	w.settings.window = 3600 * FL_SECOND;
	w.settings.k = 1;
	return w;
}

struct life {
	struct fl_model *m;
	struct fl_policy *p;
	int64_t later;
};

static struct life begin(const struct world_of *world)
{
	struct life l = { .m = entitle_world(&fl_mem_heap, world) };

	l.p = entitle_world_moving(&fl_mem_heap, l.m);
	return l;
}

static void end(struct life *l)
{
	l->p = ops->free(l->p);
	l->m = fl_model_free(l->m);
}

/* a1 and b1 run, each on a machine, for 10 s; b2 waits. */
static struct life running(void)
{
	const struct world_of w = usual();
	struct life l = begin(&w);

	(void)entitle_world_step(l.p, 0);
	l.later = 10;
	(void)entitle_world_step(l.p, l.later);
	return l;
}

static int try_adopt(struct life *from, const struct world_of *world, struct life *ret,
		     fairlead_error *err)
{
	struct fl_workload was[8];
	int r;

	*ret = begin(world);
	ret->later = from->later;
	for (uint32_t w = 0; w < ret->m->n_workloads; w++)
		was[w] = entitle_world_find(from->m,
					    fl_model_text(ret->m, ret->m->workloads[w].name));
	r = ops->adopt(ret->p, (WORLD_NOW + ret->later) * FL_SECOND, from->p, was, err);
	end(from);
	return r;
}

static struct life adopt(struct life *from, const struct world_of *world)
{
	fairlead_error err = { 0 };
	struct life ret;

	if (try_adopt(from, world, &ret, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	return ret;
}

static void check_state(const struct life *l, const char *gang, enum fl_workload_state state)
{
	CHECK(ops->state(l->p, entitle_world_find(l->m, gang)) == state, gang);
}

static struct fl_node queue_of(const struct life *l, const char *name)
{
	return fl_model_find_node(l->m, FL_QUEUE, name);
}

/* "m1" where @gang is; "" nowhere. */
static const char *place_of(const struct life *l, const char *gang)
{
	uint32_t n;
	const struct fl_placement *rows = ops->placement(l->p, entitle_world_find(l->m, gang), &n);

	return n == 0 || rows[0].machine.v == FL_NONE ?
		       "" :
		       fl_model_text(l->m, l->m->machines[rows[0].machine.v].name);
}

/* --- */

TEST(all_goes_on)
{
	static const struct world_machine other_machines[] = { { "m0", 1 },
							       { "m2", 2 },
							       { "m1", 2 } };
	static const struct world_leaf other_queues[] = {
		{ LEAF("new", NULL, 1, -1, 1) },
		{ LEAF("b", "d", 2, -1, 1) },
		{ LEAF("d", NULL, 4, -1, 1) },
		{ LEAF("a", "d", 2, -1, 1) },
	};
	static const struct world_gang other_gangs[] = {
		{ WAITS("b2", "b", 40, 1, 1, 1) },
		{ WAITS("n", "new", 50, 1, 1, 1) },
		{ WAITS("b1", "b", 50, 1, 1, 2) },
		{ WAITS("a1", "a", 50, 1, 1, 2) },
	};
	struct life l = running();
	struct world_of w = usual();
	char a1[8], b1[8];
	struct fl_bundle usage[2] = { fl_entitle_usage(l.p, queue_of(&l, "a")),
				      fl_entitle_usage(l.p, queue_of(&l, "b")) };

	snprintf(a1, sizeof a1, "%s", place_of(&l, "a1"));
	snprintf(b1, sizeof b1, "%s", place_of(&l, "b1"));
	assert_true(a1[0] && b1[0] && usage[0].of[FL_GPU] > 0);
	w.queues = other_queues;
	w.n_queues = COUNT(other_queues);
	w.machines = other_machines;
	w.n_machines = COUNT(other_machines);
	w.gangs = other_gangs;
	w.n_gangs = COUNT(other_gangs);
	l = adopt(&l, &w);
	check_state(&l, "a1", FL_STATE_ADMITTED);
	check_state(&l, "b1", FL_STATE_ADMITTED);
	check_state(&l, "b2", FL_STATE_WAITING);
	check_state(&l, "n", FL_STATE_ABSENT);
	assert_string_equal(place_of(&l, "a1"), a1);
	assert_string_equal(place_of(&l, "b1"), b1);
	assert_true(fl_entitle_standing(l.p, queue_of(&l, "d"))->allocated.of[FL_GPU] == 4);
	assert_true(fl_entitle_standing(l.p, queue_of(&l, "new"))->allocated.of[FL_GPU] == 0);
	assert_true(fl_entitle_usage(l.p, queue_of(&l, "a")).of[FL_GPU] == usage[0].of[FL_GPU]);
	assert_true(fl_entitle_usage(l.p, queue_of(&l, "b")).of[FL_GPU] == usage[1].of[FL_GPU]);
	/* m0 is new, and there is room on it. */
	(void)entitle_world_step(l.p, ++l.later);
	check_state(&l, "b2", FL_STATE_ADMITTED);
	assert_string_equal(place_of(&l, "b2"), "m0");
	end(&l);
}

TEST(who_is_left_out_has_let_go)
{
	struct life l = running();
	struct world_of w = usual();

	w.gangs = gangs + 1;
	w.n_gangs = 2;
	l = adopt(&l, &w);
	assert_true(fl_entitle_standing(l.p, queue_of(&l, "a"))->allocated.of[FL_GPU] == 0);
	(void)entitle_world_step(l.p, l.later); /* at once */
	check_state(&l, "b2", FL_STATE_ADMITTED);
	/* It has had it, all the same. */
	assert_true(fl_entitle_usage(l.p, queue_of(&l, "a")).of[FL_GPU] > 0);
	end(&l);
}

TEST(a_machine_goes)
{
	struct life l = running();
	struct world_of w = usual();
	bool first = strcmp(place_of(&l, "a1"), "m1") == 0;

	w.machines = machines + 1;
	w.n_machines = 1;
	l = adopt(&l, &w);
	check_state(&l, "a1", FL_STATE_ADMITTED);
	check_state(&l, "b1", FL_STATE_ADMITTED);
	assert_string_equal(place_of(&l, first ? "a1" : "b1"), "");
	assert_string_equal(place_of(&l, first ? "b1" : "a1"), "m2");
	assert_true(fl_entitle_standing(l.p, queue_of(&l, "d"))->allocated.of[FL_GPU] == 4);
	struct fl_event e = { .kind = FL_EV_KILLED,
			      .workload = entitle_world_find(l.m, first ? "a1" : "b1"),
			      .machine = { FL_NONE } };

	assert_int_equal(ops->apply(l.p, (WORLD_NOW + l.later) * FL_SECOND, &e, NULL), 0);
	assert_true(fl_entitle_standing(l.p, queue_of(&l, "d"))->allocated.of[FL_GPU] == 2);
	end(&l);
}

/* --- cells --- */

static void set(struct life *l, enum fl_cell_kind kind, const char *queue, double value)
{
	struct fl_event e = { .kind = FL_EV_CELL,
			      .cell = { .kind = kind,
					.node = queue_of(l, queue),
					.resource = l->m->axis[FL_GPU],
					.value = value } };

	assert_int_equal(ops->apply(l->p, (WORLD_NOW + l->later) * FL_SECOND, &e, NULL), 0);
}

TEST(changed_cells_count_where_rows_are_the_same)
{
	struct life l = running();
	struct world_of w = usual();
	struct world_leaf others[COUNT(queues)];
	struct world_machine larger[] = { { "m1", 2 }, { "m2", 3 } };
	struct fl_event e = {
		.kind = FL_EV_CELL,
		.cell = { .kind = FL_CELL_ALLOCATABLE, .resource = l.m->axis[FL_GPU], .value = 8 }
	};
	const struct fl_standing *a, *b;

	set(&l, FL_CELL_DESERVED, "a", 3);
	set(&l, FL_CELL_DESERVED, "b", 3);
	set(&l, FL_CELL_LIMIT, "b", 4);
	set(&l, FL_CELL_QUEUE_PRIORITY, "a", 7);
	for (e.cell.machine.v = 0; e.cell.machine.v < 2; e.cell.machine.v++)
		assert_int_equal(ops->apply(l.p, (WORLD_NOW + l.later) * FL_SECOND, &e, NULL), 0);
	memcpy(others, queues, sizeof queues);
	others[2].deserved = 1; /* b */
	w.queues = others;
	w.machines = larger;
	l = adopt(&l, &w);
	a = fl_entitle_standing(l.p, queue_of(&l, "a"));
	b = fl_entitle_standing(l.p, queue_of(&l, "b"));
	assert_true(a->deserved.of[FL_GPU] == 3 && a->priority == 7);
	assert_true(b->deserved.of[FL_GPU] == 1 && b->limit.of[FL_GPU] == 4);
	assert_true(fl_entitle_total(l.p).of[FL_GPU] == 8 + 3);
	end(&l);
}

/* --- what is refused --- */

TEST(tasks_must_be_as_many)
{
	static const struct world_gang wider[] = { { WAITS("a1", "a", 50, 2, 1, 2) } };
	struct life l = running(), next;
	struct world_of w = usual();
	fairlead_error err = { 0 };

	w.gangs = wider;
	w.n_gangs = 1;
	assert_int_equal(try_adopt(&l, &w, &next, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.subject, "ns/a1");
	assert_string_equal(err.text, "has 2 tasks, and 1 before");
	end(&next);
}

TEST(not_inside_a_mark)
{
	const struct fl_workload was[] = { { 0 }, { 1 }, { 2 } };
	const struct world_of world = usual();
	fairlead_error err = { 0 };

	for (int i = 0; i < 2; i++) {
		struct life l = running(), next = begin(&world);
		fl_mark mark;

		assert_int_equal(ops->mark(i ? l.p : next.p, &mark, NULL), 0);
		assert_int_equal(ops->adopt(next.p, WORLD_NOW * FL_SECOND, l.p, was, &err),
				 FAIRLEAD_ESTATE);
		assert_string_equal(err.text,
				    "the state of a policy is not carried over inside a mark");
		end(&next);
		end(&l);
	}
}

UNIT_GROUP("adopt-entitle")
