/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies that never come to rest: the clock goes on, and a simulation comes to its end.
 */
#include "decide/borrow/borrow.h"
#include "unit/codec/load.h"
#include "unit/sim/diary.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

static char text[1 << 16];
static size_t used;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t)vsnprintf(text + used, sizeof text - used, format, args);
	va_end(args);
	assert_true(used < sizeof text);
}

static void say_job(int w, const char *queue, int priority, int gpus)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
	    "metadata: {namespace: ns, name: w%d, uid: w%d, creationTimestamp: "
	    "'2026-01-01T00:00:0%dZ'}\n"
	    "spec: {queueName: %s, priority: %d, podSets: [{name: main, count: 1, template: {spec: "
	    "{containers: [{name: c, resources: {requests: {gpu: '%d'}}}]}}}]}\n",
	    w, w, w, queue, priority, gpus);
}

static void say_local_queue(const char *queue)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	    "metadata: {namespace: ns, name: %s}\nspec: {clusterQueue: %s}\n",
	    queue, queue);
}

/* Three of one cohort that take from each other for ever (doc/guide/properties.md). */
static void say_circle(void)
{
	static const struct {
		const char *queue;
		int gpus;
	} jobs[] = { { "q1", 3 }, { "q2", 4 }, { "q0", 3 }, { "q1", 1 }, { "q0", 1 } };

	used = 0;
	say("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
	    "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n");
	for (int q = 0; q < 3; q++) {
		char name[4] = { 'q', (char)('0' + q) };

		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
		    "metadata: {name: q%d}\nspec: {cohortName: c, namespaceSelector: {}, "
		    "resourceGroups: [{coveredResources: [gpu], flavors: [{name: f, resources: "
		    "[{name: gpu, nominalQuota: %d}]}]}], preemption: {reclaimWithinCohort: "
		    "Any}}\n",
		    q, q == 2 ? 3 : 1);
		say_local_queue(name);
	}
	for (int w = 0; w < (int)COUNT(jobs); w++)
		say_job(w, jobs[w].queue, 0, jobs[w].gpus);
}

/* A head that fits nowhere and looks at one of two flavors each time. */
static void say_strict(void)
{
	used = 0;
	for (int f = 0; f < 2; f++)
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
		    "metadata: {name: f%d}\n",
		    f);
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
	    "spec: {namespaceSelector: {}, queueingStrategy: StrictFIFO, resourceGroups: "
	    "[{coveredResources: [gpu], flavors: [{name: f0, resources: [{name: gpu, "
	    "nominalQuota: 4}]}, {name: f1, resources: [{name: gpu, nominalQuota: 4}]}]}], "
	    "preemption: {withinClusterQueue: LowerPriority}}\n");
	say_local_queue("q");
	say_job(0, "q", 2, 4);
	say_job(1, "q", 2, 4);
	say_job(2, "q", 0, 4);
	say_job(3, "q", 0, 1);
}

static void push_lives(struct fl_model *m, int seconds)
{
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		struct fl_life_row life = { .workload = { w },
					    .arrives = FL_TIME_NONE,
					    .runs = seconds * FL_SECOND,
					    .asked = FL_TIME_NONE,
					    .leaves = FL_NEVER,
					    .waited = FL_TIME_NONE,
					    .class_name = { FL_NONE },
					    .user = { FL_NONE } };

		assert_int_equal(fl_model_push_lives(m, &life, NULL, NULL), 0);
	}
}

static void run(struct diary *d, int seconds, const struct fl_simulation_settings *s)
{
	struct fl_model *m = load(text);
	const struct fl_policy_options options = { .mem = &fl_mem_heap, .now = m->newest };
	struct fl_policy *p = NULL;

	push_lives(m, seconds);
	assert_int_equal(ops->new (m, &options, &p, NULL), 0);
	memset(d, 0, sizeof *d);
	diary_run(d, m, ops, p, s, m->newest);
	ops->free(p);
	fl_model_free(m);
}

TEST(a_circle_of_preemptions_ends)
{
	struct fl_simulation_settings s = fl_simulation_default;
	static struct diary d;

	say_circle();
	/* Long jobs whose work is lost each time: nobody is ever done. */
	run(&d, 100000, &s);
	assert_int_equal(d.ended, FL_SIM_NO_PROGRESS);
	assert_int_equal(d.counts[FL_SIM_ENDED], 0);
	assert_true(d.counts[FL_SIM_EVICTED] > 1000);
	/* It needs nothing from outside, and is told once. */
	assert_int_equal(d.counts[FL_SIM_LOOP], 1);
	assert_non_null(strstr(d.text, ", sure\n"));
	s.until = 24 * 3600 * FL_SECOND;
	run(&d, 100000, &s);
	assert_int_equal(d.ended, FL_SIM_UNTIL);
	assert_true(d.took == s.until && d.counts[FL_SIM_EVICTED] > 1000);
	/* Without grace, no more than a cycle each interval. */
	s.grace = 0;
	s.until = 60 * FL_SECOND;
	run(&d, 100000, &s);
	assert_int_equal(d.ended, FL_SIM_UNTIL);
	assert_true(d.cycles <= 601 && d.counts[FL_SIM_EVICTED] > 50);
	/* What is saved adds up: all are done at last. */
	s = fl_simulation_default;
	s.checkpoint = 10 * FL_SECOND;
	run(&d, 20000, &s);
	assert_int_equal(d.ended, FL_SIM_ALL_DONE);
	assert_int_equal(d.counts[FL_SIM_ENDED], 5);
	assert_true(d.counts[FL_SIM_EVICTED] > 50);
}

/* It need not be asked ten times a second for days whether it fits by now. */
TEST(who_looks_at_flavors_in_turn_is_not_asked_for_ever)
{
	struct fl_simulation_settings s = fl_simulation_default;
	static struct diary d;

	say_strict();
	run(&d, 10 * 86400, &s);
	assert_int_equal(d.ended, FL_SIM_ALL_DONE);
	assert_int_equal(d.counts[FL_SIM_ENDED], 4);
	assert_true(d.took < 21 * 86400 * FL_SECOND);
	assert_true(d.cycles < 200);
	assert_int_equal(d.counts[FL_SIM_LOOP], 0);
}

UNIT_GROUP("circles")
