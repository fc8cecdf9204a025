/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens to gangs of the entitle policy: elastic ones, machines that fail, circles.
 */
#include "lib/entitle_world.h"
#include "lib/fail_mem.h"
#include "lib/few.h"
#include "unit/sim/diary.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;

enum { GANGS = 5 };

struct life {
	int arrives, runs; /* seconds; arrives -1: from the beginning; runs 0: endless */
};

struct row {
	const char *name;
	struct world_leaf queues[3];
	struct world_gang gangs[GANGS];
	struct life lives[GANGS];
	int grace, until;
	int off, on; /* machine m1 has no GPUs from then, and has them again; 0: never */
	enum fl_sim_end ended;
	const char *text;
};

static const struct row rows[] = {
	{ "a gang runs on what there is, and is done the later",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 8, 4, 1) }, { WAITS("b", "q", 60, 2, 0, 1) } },
	  { { 0, 60 }, { 0, 30 } },
	  .ended = FL_SIM_ALL_DONE,
	  /* a has 6 of 8 for 30 s, which is 22.5 s of its work */
	  .text = "0 arrived a\n0 arrived b\n0 started b\n0 started a\n30 finished b\n30 started a\n"
		  "67.5 finished a\n" },
	{ "pods beyond the minimum are reclaimed one by one, and no work is lost",
	  { { LEAF("q", NULL, 4, FL_UNBOUNDED, 1) }, { LEAF("r", NULL, 4, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 8, 2, 1) }, { WAITS("b", "r", 50, 2, 0, 1) } },
	  { { 0, 60 }, { 10, 20 } },
	  .grace = 5,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n10 arrived b\n10 evicted a\n15 lets go a\n15 started b\n"
		  "35 finished b\n35 started a\n65 finished a\n" },
	{ "all of it is killed with its machine, and starts again on the other",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { RUNS("a", "q", 50, 4, 4, 1, "m1"), .ran = 7 } },
	  { { -1, 60 } },
	  .off = 10,
	  .on = 20,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "10 changed -\n10 killed a\n10 started a\n20 changed -\n70 finished a\n" },
	{ "some of it is killed, and it goes on with less",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 8, 2, 1) } },
	  { { 0, 60 } },
	  .off = 10,
	  .on = 20,
	  .ended = FL_SIM_ALL_DONE,
	  /* half of it for 10 s */
	  .text = "0 arrived a\n0 started a\n10 changed -\n10 killed a\n20 changed -\n20 started a\n"
		  "65 finished a\n" },
	{ "fewer than its minimum are left: it has stopped, and goes a minute later",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 8, 8, 1) } },
	  { { 0, 60 } },
	  .grace = 5,
	  .off = 10,
	  .on = 100,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n10 changed -\n10 killed a\n70 evicted a\n75 lets go a\n"
		  "100 changed -\n100 started a\n160 finished a\n" },
	{ "is whole again before: all it did is lost, and it begins anew",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 8, 8, 1) } },
	  { { 0, 60 } },
	  .off = 10,
	  .on = 30,
	  .ended = FL_SIM_ALL_DONE,
	  .text = "0 arrived a\n0 started a\n10 changed -\n10 killed a\n30 changed -\n30 started a\n"
		  "90 finished a\n" },
	{ "larger than the cluster",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 9, 9, 1) } },
	  { { 0, 60 } },
	  .ended = FL_SIM_NO_PROGRESS,
	  .text = "0 arrived a\n" },
	{ "with so few of its pods it takes longer than time goes",
	  { { LEAF("q", NULL, 8, FL_UNBOUNDED, 1) } },
	  { { WAITS("a", "q", 50, 80, 1, 1) } },
	  { { 0, 1000000000 } },
	  .until = 100,
	  .ended = FL_SIM_UNTIL,
	  .text = "0 arrived a\n0 started a\n" },
};

static void push_life(struct fl_model *m, const char *name, const struct life *l)
{
	struct fl_life_row life = { .workload = entitle_world_find(m, name),
				    .arrives = l->arrives < 0 ?
						       FL_TIME_NONE :
						       (WORLD_NOW + l->arrives) * FL_SECOND,
				    .runs = l->runs ? l->runs * FL_SECOND : FL_NEVER,
				    .asked = FL_TIME_NONE,
				    .leaves = FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = { FL_NONE },
				    .user = { FL_NONE } };

	assert_int_equal(fl_model_push_lives(m, &life, NULL, NULL), 0);
}

static struct fl_machine machine(const struct fl_model *m, const char *name)
{
	for (uint32_t i = 0; i < m->n_machines; i++)
		if (strcmp(fl_model_text(m, m->machines[i].name), name) == 0)
			return (struct fl_machine){ i };
	return (struct fl_machine){ FL_NONE };
}

static void push_room(struct fl_model *m, int at, double gpus)
{
	struct fl_change_row row = { .at = at * FL_SECOND,
				     .cell = FL_CELL_ALLOCATABLE,
				     .node = { FL_NONE },
				     .machine = machine(m, "m1"),
				     .flavor = { FL_NONE },
				     .resource = m->axis[FL_GPU],
				     .value = gpus,
				     .kills = true };

	if (at)
		assert_int_equal(fl_model_push_changes(m, &row, NULL, NULL), 0);
}

static const struct world_machine machines[] = { { "m1", 4 }, { "m2", 4 } };

TEST(what_happens)
{
	static struct diary d;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct world_of world = { .queues = row->queues,
					  .machines = machines,
					  .gangs = row->gangs,
					  .n_machines = COUNT(machines),
					  .settings = fl_entitle_settings_default };
		struct fl_simulation_settings s = fl_simulation_default;
		struct fl_policy *p;
		struct fl_model *m;

		while (world.n_queues < 3 && row->queues[world.n_queues].name)
			world.n_queues++;
		while (world.n_gangs < GANGS && row->gangs[world.n_gangs].name)
			world.n_gangs++;
		s.grace = row->grace * FL_SECOND;
		s.until = row->until ? row->until * FL_SECOND : FL_NEVER;
		m = entitle_world(&fl_mem_heap, &world);
		for (uint32_t g = 0; g < world.n_gangs; g++)
			push_life(m, row->gangs[g].name, &row->lives[g]);
		push_room(m, row->off, 0);
		push_room(m, row->on, 4);
		p = entitle_world_policy(&fl_mem_heap, m);
		memset(&d, 0, sizeof d);
		diary_run(&d, m, ops, p, &s, WORLD_NOW * FL_SECOND);
		if (strcmp(d.text, row->text) != 0 || d.ended != row->ended)
			fail_msg("%s:\n%sended %d", row->name, d.text, (int)d.ended);
		ops->free(p);
		fl_model_free(m);
	}
}

/* --- at random --- */

enum { MANY = 30 };

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % n;
}

static struct fl_model *random_world(uint32_t seed, struct fl_simulation_settings *s)
{
	static const struct world_leaf queues[] = { { LEAF("a", NULL, 3, FL_UNBOUNDED, 1) },
						    { LEAF("b", NULL, 2, 6, 2) },
						    { LEAF("c", NULL, 1, FL_UNBOUNDED, 0) } };
	static char names[MANY][8];
	struct world_gang gangs[MANY] = { 0 };
	struct world_of world = { .queues = queues,
				  .machines = machines,
				  .gangs = gangs,
				  .n_queues = COUNT(queues),
				  .n_machines = COUNT(machines),
				  .n_gangs = MANY,
				  .settings = fl_entitle_settings_default };
	struct fl_failure_row failure = { .every = 60 * FL_SECOND, .lasts = 20 * FL_SECOND };
	struct fl_model *m;

	state = seed;
	*s = fl_simulation_default;
	s->seed = seed;
	s->grace = pick(2) ? pick(20) * FL_SECOND : 0;
	s->checkpoint = pick(3) ? pick(30) * FL_SECOND : FL_NEVER;
	s->restart = pick(3) * FL_SECOND;
	s->back_off_base = pick(2) * 5 * FL_SECOND;
	s->back_off_max = 60 * FL_SECOND;
	for (uint32_t i = 0; i < MANY; i++) {
		int tasks = 1 + (int)pick(5);

		snprintf(names[i], sizeof names[i], "g%02u", (unsigned)i);
		gangs[i] = (struct world_gang){ WAITS(
			names[i], queues[pick(3)].name, 40 + (int32_t)pick(3) * 10, tasks,
			1 + (int)pick((uint32_t)tasks), pick(4) ? 1 : 0.5) };
	}
	m = entitle_world(&fl_mem_heap, &world);
	for (uint32_t i = 0; i < MANY; i++)
		push_life(m, names[i], &(struct life){ (int)pick(150), 1 + (int)pick(30) });
	for (uint32_t i = 0; i < 2; i++) {
		failure.machine_name = m->machines[i].name;
		failure.machine.v = i;
		failure.node_name.v = failure.flavor_name.v = failure.resource_name.v = FL_NONE;
		assert_int_equal(fl_model_push_failures(m, &failure, NULL, NULL), 0);
	}
	return m;
}

/* Nobody runs on what is not there. */
static void look_at_rooms(const struct fl_sim *s)
{
	for (uint32_t i = 0; i < s->model->n_machines; i++)
		assert_true(fl_entitle_idle(s->policy, (struct fl_machine){ i }).of[FL_GPU] >= 0);
}

TEST(all_are_done_at_last)
{
	static struct diary one, other;
	const uint32_t seeds = few(40);
	uint32_t counts[FL_SIM_EVENTS] = { 0 };

	one.look = look_at_rooms;
	for (uint32_t seed = 1; seed <= seeds; seed++) {
		struct diary *diaries[] = { &one, &other };
		struct fl_simulation_settings s;
		struct fl_model *m = random_world(seed, &s);

		for (int i = 0; i < 2; i++) {
			struct fl_policy *p = entitle_world_policy(&fl_mem_heap, m);

			memset(diaries[i], 0, offsetof(struct diary, look));
			diary_run(diaries[i], m, ops, p, &s, WORLD_NOW * FL_SECOND);
			ops->free(p);
		}
		assert_string_equal(one.text, other.text);
		if (one.ended != FL_SIM_ALL_DONE)
			fail_msg("seed %u: ended %d after\n%s", (unsigned)seed, (int)one.ended,
				 one.text);
		assert_int_equal(one.counts[FL_SIM_ENDED], MANY);
		for (int i = 0; i < FL_SIM_EVENTS; i++)
			counts[i] += one.counts[i];
		fl_model_free(m);
	}
	for (int i = 0; i < FL_SIM_EVENTS; i++) /* it was about everything that can be */
		assert_true(under_valgrind() || counts[i] > seeds / 2 || i == FL_SIM_GAVE_UP ||
			    i == FL_SIM_CHANGED || i == FL_SIM_LOOP);
}

TEST(memory_that_runs_out_leaves_nothing)
{
	struct fl_simulation_settings s;
	struct fl_model *m = random_world(3, &s);
	int r = FAIRLEAD_ENOMEM;

	for (unsigned long n = 1; r == FAIRLEAD_ENOMEM; n++) {
		struct fl_policy *p = entitle_world_policy(&fl_mem_heap, m);
		struct fl_sim_options options = { .start = WORLD_NOW * FL_SECOND };
		fairlead_error err;
		struct fail_mem f;
		struct fl_sim sim;

		fail_mem_init(&f);
		f.fail_at = n;
		options.mem = &f.mem;
		r = fl_sim_init(&sim, m, ops, p, &s, &options, &err);
		if (r >= 0) {
			r = fl_sim_run(&sim, &err);
			fl_sim_done(&sim);
		}
		assert_int_equal(f.live, 0);
		ops->free(p);
		assert_true(n < 1000);
	}
	assert_int_equal(r, 0);
	fl_model_free(m);
}

UNIT_GROUP("gangs")
