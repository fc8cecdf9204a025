/* SPDX-License-Identifier: Apache-2.0 */
/* Small worlds whose numbers can be found by hand. */
#include "measure_world.h"

#include "lib/entitle_world.h"
#include "lib/fail_mem.h"

/* A root of two queues, each with 4 of one resource. */
static const struct world_node two[] = {
	{ "root", NULL, FL_COHORT, 1, { QUOTA(0) } },
	{ "a", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
	{ "b", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
};

/* a takes all of it, and b comes for its own in the middle. */
static const struct timed_job lends[] = {
	{ .name = "a1", .queue = "a", .arrives = 0, .runs = 100, .ask = { 4 } },
	{ .name = "a2", .queue = "a", .arrives = 0, .runs = 100, .ask = { 4 } },
	{ .name = "b1",
	  .queue = "b",
	  .arrives = 50,
	  .runs = 50,
	  .ask = { 4 },
	  .class_name = "late" },
};

static struct timed_world world_of_lends(bool reclaims)
{
	struct timed_world w = { .nodes = two,
				 .n_nodes = COUNT(two),
				 .jobs = lends,
				 .n_jobs = COUNT(lends),
				 .resources = 1,
				 .reclaims = reclaims,
				 .settings = fl_simulation_default };

	w.settings.cycle_interval = 1; /* one of a queue starts in a cycle */
	w.settings.grace = 10 * FL_SECOND;
	w.settings.restart = 5 * FL_SECOND;
	return w;
}

static const struct fl_measured *run(struct timed *t, const struct timed_world *of,
				     struct fl_measure **m)
{
	const struct fl_measured *ret;
	fairlead_error err;

	timed_begin(t, &fl_mem_heap, of);
	ok(fl_measure_new(&fl_mem_heap, &t->sim, m, &err), &err);
	ok(fl_sim_run(&t->sim, &err), &err);
	ok(fl_measure_end(*m, of->settings.top, &ret, &err), &err);
	return ret;
}

#define IS(value, wanted) CHECK(about((value), (wanted)), #value)

/* Nobody is preempted: b waits for 50 s. */
TEST(first_come)
{
	struct timed_world of = world_of_lends(false);
	struct fl_measure *m;
	struct timed t;
	const struct fl_measured *r = run(&t, &of, &m);
	const struct fl_measured_node *a = node_named(&t, r, "a"), *b = node_named(&t, r, "b");

	IS(r->seconds, 150);
	IS(r->utilisation[0], 1000.0 / 1200);
	IS(r->arrival_utilisation[0], 1); /* of the 50 s until b1 comes */
	IS(r->totals.hours[0], 1000.0 / 3600);
	IS(r->totals.useful[0], 1000.0 / 3600);
	IS(r->totals.lost[0], 0);
	assert_int_equal(r->totals.jobs, 3);
	assert_int_equal(r->totals.finished, 3);
	assert_int_equal(r->totals.starts, 3);
	assert_int_equal(r->totals.wait.n, 3);
	IS(r->totals.wait.mean, 50.0 / 3);
	IS(r->totals.wait.p50, 0);
	IS(r->totals.wait.p90, 50);
	IS(r->totals.wait.max, 50);
	IS(b->counts.slowdown.max, 2);
	IS(a->counts.slowdown.max, 1);
	IS(a->held[0], 800.0 / 150);
	IS(b->wanted[0], (50 + 50) * 4.0 / 150);
	IS(b->blocked_seconds, 50);
	IS(a->blocked_seconds, 0);
	/* from 50 to 100 a has 8 and b nothing of 4 */
	IS(r->fairness.jain, 0.5);
	IS(r->fairness.largest_envy, 2);
	IS(r->fairness.blocked_mean, 0);
	/* b's, and a nanosecond in which a2 waits for the cycle after that of a1 */
	assert_int_equal(r->fairness.corrections.n, 2);
	IS(r->fairness.corrections.max, 50);
	assert_int_equal(r->fairness.open, 0);
	IS(a->entitled[0], (50 * 8 + 50 * 4) / 150.0);
	IS(b->ratio_least, 0);
	IS(a->ratio_mean, 0.5); /* of that nanosecond */
	assert_int_equal(r->n_flows, 0);
	fl_measure_free(m);
	timed_end(&t);
}

/* b takes its own back at 60; a2 has lost a minute, comes back at 100 and takes 5 s to begin. */
TEST(taken_back)
{
	struct timed_world of = world_of_lends(true);
	struct fl_measure *m;
	struct timed t;
	const struct fl_measured *r = run(&t, &of, &m);
	const struct fl_measured_node *a = node_named(&t, r, "a"), *b = node_named(&t, r, "b");

	IS(r->seconds, 205);
	IS(r->totals.hours[0], (400 + 4 * 60 + 4 * 105 + 200) / 3600.0);
	IS(a->counts.lost[0], 240.0 / 3600);
	IS(a->counts.restarted[0], 20.0 / 3600);
	IS(a->counts.useful[0], 800.0 / 3600);
	IS(r->totals.useful[0], 1000.0 / 3600);
	assert_int_equal(a->counts.evictions, 1);
	assert_int_equal(b->counts.preemptions, 1);
	assert_int_equal(r->totals.starts, 4);
	IS(a->counts.wait.max, 40);
	IS(a->counts.slowdown.max, 2.05);
	IS(b->counts.wait.max, 10);
	assert_int_equal(r->n_flows, 1);
	assert_int_equal(r->flows[0].reason, FL_REASON_IN_COHORT_RECLAMATION);
	assert_ptr_equal(&r->nodes[r->flows[0].from], b);
	assert_ptr_equal(&r->nodes[r->flows[0].to], a);
	assert_int_equal(r->flows[0].count, 1);
	IS(r->flows[0].lost[0], 240.0 / 3600);
	/* classes: no cores, so all others are of the smallest size */
	assert_int_equal(r->n_classes, 2);
	assert_string_equal(r->classes[0].name, "1 core");
	assert_int_equal(r->classes[0].jobs, 2);
	IS(r->classes[0].longest_seconds, 40);
	assert_string_equal(r->classes[1].name, "late");
	assert_int_equal(r->classes[1].wait.n, 1);
	assert_int_equal(r->n_waits, 2);
	assert_int_equal(r->waits[0].counts[0], 1);
	assert_int_equal(r->waits[0].counts[2], 1); /* 10 to 60 s */
	fl_measure_free(m);
	timed_end(&t);
}

/* Who gives up, who never starts, who runs on: none of them is in a spread of waits. */
TEST(left_over)
{
	static const struct timed_job jobs[] = {
		{ .name = "for-ever", .queue = "a", .ask = { 8 } },
		{ .name = "gives-up",
		  .queue = "b",
		  .arrives = 10,
		  .runs = 1,
		  .ask = { 1 },
		  .leaves = 30 },
		{ .name = "waits", .queue = "b", .arrives = 20, .runs = 1, .ask = { 1 } },
	};
	struct timed_world of = { .nodes = two,
				  .n_nodes = COUNT(two),
				  .jobs = jobs,
				  .n_jobs = COUNT(jobs),
				  .resources = 1,
				  .settings = fl_simulation_default };
	struct fl_measure *m;
	struct timed t;

	of.settings.until = 100 * FL_SECOND;
	const struct fl_measured *r = run(&t, &of, &m);
	const struct fl_measured_node *b = node_named(&t, r, "b");

	assert_int_equal(r->ended, FL_SIM_UNTIL);
	assert_int_equal(r->totals.wait.n, 1);
	assert_int_equal(b->counts.wait.n, 0);
	assert_true(isnan(b->counts.wait.p50));
	assert_int_equal(b->counts.gave_up, 1);
	assert_int_equal(b->counts.waiting, 1);
	IS(b->counts.longest_waiting, 80);
	IS(r->utilisation[0], 1);
	assert_int_equal(r->totals.running, 1);
	assert_int_equal(r->fairness.open, 1);
	IS(r->fairness.longest_open, 100 - 10);
	fl_measure_free(m);
	timed_end(&t);
}

/* Of three queues one has a line, the others are its rest, with their sums. */
TEST(lines)
{
	static const struct world_node nodes[] = {
		{ "root", NULL, FL_COHORT, 1, { QUOTA(0) } },
		{ "a", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
		{ "b", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
		{ "c", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
	};
	static const struct timed_job jobs[] = {
		{ .name = "1", .queue = "a", .runs = 10, .ask = { 1 } },
		{ .name = "2", .queue = "b", .runs = 20, .ask = { 3 } },
		{ .name = "3", .queue = "c", .runs = 20, .ask = { 1 } },
	};
	struct timed_world of = { .nodes = nodes,
				  .n_nodes = COUNT(nodes),
				  .jobs = jobs,
				  .n_jobs = COUNT(jobs),
				  .resources = 1,
				  .settings = fl_simulation_default };
	struct fl_measure *m;
	struct timed t;

	of.settings.top = 1;
	const struct fl_measured *r = run(&t, &of, &m);
	const struct fl_measured_series *s = &r->series;

	assert_int_equal(s->step, FL_SECOND / 10);
	assert_int_equal(s->n, 200);
	assert_int_equal(s->n_lines, 3);
	assert_ptr_equal(&r->nodes[s->lines[0].node], node_named(&t, r, "root"));
	assert_ptr_equal(&r->nodes[s->lines[1].node], node_named(&t, r, "b"));
	assert_int_equal(s->lines[2].members, 2);
	assert_int_equal(s->lines[2].node, s->lines[0].node);
	IS(s->lines[0].held[0][0], 5);
	IS(s->lines[1].held[0][0], 3);
	IS(s->lines[2].held[0][99], 2);
	IS(s->lines[2].held[0][100], 1);
	IS(s->lines[2].entitled[0][99], 2);
	IS(s->held[0][199], 4);
	IS(s->capacity[0][0], 12);
	IS(s->running[99], 3);
	assert_null(s->lines[2].share);
	fl_measure_free(m);
	timed_end(&t);
}

/* Of three lines two are for those that held most, and one for who missed most. */
TEST(line_of_who_missed_most)
{
	static const struct world_node nodes[] = {
		{ "root", NULL, FL_COHORT, 1, { QUOTA(0) } },
		{ "a", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
		{ "b", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
		{ "c", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
		{ "d", "root", FL_CLUSTER_QUEUE, 1, { QUOTA(4) } },
	};
	static const struct timed_job jobs[] = {
		{ .name = "1", .queue = "a", .runs = 100, .ask = { 8 } },
		{ .name = "2", .queue = "b", .runs = 100, .ask = { 4 } },
		{ .name = "3", .queue = "c", .runs = 100, .ask = { 4 } },
		{ .name = "4", .queue = "d", .arrives = 50, .runs = 1, .ask = { 1 } },
	};
	struct timed_world of = { .nodes = nodes,
				  .n_nodes = COUNT(nodes),
				  .jobs = jobs,
				  .n_jobs = COUNT(jobs),
				  .resources = 1,
				  .settings = fl_simulation_default };
	struct fl_measure *m;
	struct timed t;

	of.settings.top = 3;
	const struct fl_measured *r = run(&t, &of, &m);
	const struct fl_measured_series *s = &r->series;
	const char *const shown[] = { "root", "a", "b", "d" };

	assert_int_equal(s->n_lines, 5);
	for (uint32_t i = 0; i < COUNT(shown); i++)
		assert_ptr_equal(&r->nodes[s->lines[i].node], node_named(&t, r, shown[i]));
	assert_int_equal(s->lines[4].members, 1);
	/* of a bucket the mean and the least, and the largest: from 50 on d has nothing and a 2 of 1 */
	assert_int_equal(s->step, FL_SECOND / 10);
	IS(s->envy[499], 0);
	IS(s->envy[500], 8 / 7.0);
	IS(s->jain_least[499], s->jain[499]);
	fl_measure_free(m);
	timed_end(&t);
}

/*
 * entitle: a gang of a that can do with 4 GPUs has all 8, until b comes at 50 and has its 4 at 60.
 * From then on a wants more, and has all that it is entitled to.
 */
TEST(gang_shrinks)
{
	static const struct world_leaf queues[] = { { LEAF("a", NULL, 4, -1, 1) },
						    { LEAF("b", NULL, 4, -1, 1) } };
	static const struct world_machine machines[] = { { "m", 8 } };
	static const struct world_gang gangs[] = { { WAITS("ga", "a", 50, 8, 4, 1) },
						   { WAITS("gb", "b", 50, 4, 4, 1) } };
	const struct world_of world = { .queues = queues,
					.machines = machines,
					.gangs = gangs,
					.n_queues = 2,
					.n_machines = 1,
					.n_gangs = 2,
					.settings = fl_entitle_settings_default };
	const fl_time start = WORLD_NOW * FL_SECOND;
	struct timed t = { .m = entitle_world(&fl_mem_heap, &world) };
	struct fl_simulation_settings settings = fl_simulation_default;
	struct fl_life_row lives[2];
	struct fl_sim_options options = { .mem = &fl_mem_heap, .start = start, .lives = lives };
	const struct fl_measured *r;
	struct fl_measure *m;
	fairlead_error err;

	for (uint32_t w = 0; w < 2; w++)
		lives[w] = (struct fl_life_row){ .workload = { w },
						 .arrives = FL_TIME_NONE,
						 .runs = FL_NEVER,
						 .asked = FL_TIME_NONE,
						 .leaves = FL_NEVER,
						 .waited = FL_TIME_NONE,
						 .class_name = { FL_NONE },
						 .user = { FL_NONE } };
	lives[entitle_world_find(t.m, "gb").v].arrives = start + 50 * FL_SECOND;
	settings.cycle_interval = 1;
	settings.grace = 10 * FL_SECOND;
	settings.until = 100 * FL_SECOND;
	t.p = entitle_world_policy(&fl_mem_heap, t.m);
	ok(fl_sim_init(&t.sim, t.m, &fl_entitle_policy, t.p, &settings, &options, &err), &err);
	ok(fl_measure_new(&fl_mem_heap, &t.sim, &m, &err), &err);
	ok(fl_sim_run(&t.sim, &err), &err);
	ok(fl_measure_end(m, 12, &r, &err), &err);

	const struct fl_measured_node *a = node_named(&t, r, "a"), *b = node_named(&t, r, "b");

	assert_int_equal(r->n_resources, 3); /* in the order of names: the last one is GPUs */
	assert_string_equal(r->resources[2].unit, "GPUs");
	IS(r->resources[2].capacity, 8);
	IS(a->counts.hours[2], (8 * 60 + 4 * 40) / 3600.0);
	IS(b->counts.hours[2], 4 * 40 / 3600.0);
	IS(a->wanted[2], 8);
	IS(b->wanted[2], 4 * 50 / 100.0);
	IS(r->utilisation[2], 1);
	IS(b->blocked_seconds, 10);
	IS(a->blocked_seconds, 40);
	IS(a->ratio_least, 1);
	IS(b->counts.wait.max, 10);
	assert_int_equal(r->totals.starts, 2);
	assert_int_equal(a->counts.evictions, 1);
	assert_int_equal(b->counts.preemptions, 1);
	assert_int_equal(r->fairness.corrections.n, 1);
	IS(r->fairness.corrections.max, 10);
	IS(r->fairness.largest_envy, 2);
	assert_string_equal(r->classes[0].name, "2-8 GPUs");
	fl_measure_free(m);
	fl_sim_done(&t.sim);
	fl_entitle_policy.free(t.p);
	fl_model_free(t.m);
}

/* Every allocation fails once: nothing is left, and the simulation is as it was. */
TEST(out_of_memory)
{
	struct timed_world of = world_of_lends(true);
	bool failed = true;

	for (unsigned long n = 1; failed; n++) {
		struct fail_mem mem;
		struct fl_measure *m = NULL;
		const struct fl_measured *r;
		struct timed t;

		fail_mem_init(&mem);
		timed_begin(&t, &fl_mem_heap, &of);
		mem.fail_at = n;
		failed = fl_measure_new(&mem.mem, &t.sim, &m, NULL) < 0;
		if (failed) {
			assert_int_equal(t.sim.options.n_listeners, 0);
			assert_int_equal(mem.live, 0);
		} else if (fl_sim_run(&t.sim, NULL) < 0 || fl_measure_end(m, 12, &r, NULL) < 0) {
			failed = true;
		}
		fl_measure_free(m);
		assert_int_equal(mem.live, 0);
		timed_end(&t);
	}
}

UNIT_GROUP("measure")
