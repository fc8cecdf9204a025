/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic classes: how many come when, and that one does not disturb another. */
#include <math.h>

#include "base/time.h"
#include "codec/trace/classes.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "unit/codec/trace_load.h"

#define TREE TRACE_FLAVOR TRACE_QUEUE("a") TRACE_QUEUE("b")
#define CLASS(name, to, more) "{name: " name ", to: " to ", runs: 1h, requests: {cpu: 1}, " more "}"
#define CLASSES(classes) TREE TRACE_SIMULATION("classes: [" classes "]")

static fl_time s(double seconds) { return (fl_time)(seconds * 1e9); }

static struct fl_model *expanded(const char *objects, const char *start)
{
	struct fl_model *m = trace_trees(objects);
	fl_time t = 0;
	fairlead_error err = { 0 };

	if (start)
		assert_int_equal(fl_time_parse(start, strlen(start), &t, &err), 0);
	if (fl_classes_expand(m, t, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	return m;
}

TEST(a_class_becomes_rows)
{
	struct fl_model *m = expanded(
		CLASSES(CLASS("small", "a",
			      "count: 3, every: 100ms, begins: 2s, pods: 2, priority: 50")),
		NULL);
	const struct fl_podset *p = &m->podsets[m->workloads[0].podsets.first];
	fairlead_error err;

	assert_int_equal(m->n_workloads, 3);
	assert_int_equal(m->n_lives, 3);
	assert_int_equal(m->n_podsets, 1);
	assert_string_equal(fl_model_text(m, m->workloads[2].name), "a-small-3");
	assert_int_equal(m->lives[0].arrives, s(2)); /* of a constant time the first at once */
	assert_int_equal(m->lives[2].arrives, s(2.2));
	assert_int_equal(m->lives[2].runs, s(3600));
	assert_string_equal(fl_model_text(m, m->lives[2].class_name), "small");
	assert_int_equal(m->workloads[2].priority, 50);
	assert_int_equal(m->workloads[2].created, s(2.2));
	assert_int_equal(p->count, 2);
	assert_int_equal(m->requests[p->requests.first].amount, 1000);
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->workloads[1].excluded, FL_INCLUDED);
	fl_model_free(m);
}

/* 2026-01-02 is a Friday. */
TEST(hours)
{
	static const struct {
		const char *name, *start, *more, *came[6];
	} rows[] = {
		{ "always",
		  "2026-01-02T22:00:00Z",
		  "every: 1h, count: 3",
		  { "2026-01-02T22:00:00Z", "2026-01-02T23:00:00Z", "2026-01-03T00:00:00Z" } },
		{ "office",
		  "2026-01-02T15:30:00Z",
		  "every: 1h, count: 4, hours: {from: '09:00', to: '17:00'}",
		  { "2026-01-02T15:30:00Z", "2026-01-02T16:30:00Z", "2026-01-05T09:30:00Z",
		    "2026-01-05T10:30:00Z" } },
		{ "weekends, too",
		  "2026-01-02T15:30:00Z",
		  "every: 1h, count: 3, hours: {from: '09:00', to: '17:00', weekends: true}",
		  { "2026-01-02T15:30:00Z", "2026-01-02T16:30:00Z", "2026-01-03T09:30:00Z" } },
		{ "before the hours",
		  "2026-01-02T03:00:00Z",
		  "every: 1h, count: 2, hours: {from: '09:00', to: '17:00'}",
		  { "2026-01-02T09:00:00Z", "2026-01-02T10:00:00Z" } },
		{ "a zone east",
		  "2026-01-02T00:00:00Z",
		  "every: 4h, count: 4, hours: {from: '09:00', to: '17:00', zone: '+09:00'}",
		  { "2026-01-02T00:00:00Z", "2026-01-02T04:00:00Z", "2026-01-05T00:00:00Z",
		    "2026-01-05T04:00:00Z" } },
		{ "a zone west",
		  "2026-01-02T00:00:00Z",
		  "every: 4h, count: 3, hours: {from: '09:00', to: '17:00', zone: '-08:00'}",
		  { "2026-01-02T00:00:00Z", "2026-01-02T20:00:00Z", "2026-01-03T00:00:00Z" } },
		{ "weeks in between",
		  "2026-01-02T09:00:00Z",
		  "every: 81h, count: 2, hours: {from: '09:00', to: '17:00'}",
		  { "2026-01-02T09:00:00Z", "2026-01-16T10:00:00Z" } },
		{ "until it ends",
		  "2026-01-02T00:00:00Z",
		  "every: 9h, ends: 20h",
		  { "2026-01-02T00:00:00Z", "2026-01-02T09:00:00Z", "2026-01-02T18:00:00Z" } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char objects[2000], came[40];
		struct fl_model *m;
		uint32_t n = 0;

		(void)snprintf(objects, sizeof objects, CLASSES(CLASS("c", "a", "%s")),
			       rows[i].more);
		m = expanded(objects, rows[i].start);
		for (; rows[i].came[n]; n++) {
			CHECK(n < m->n_lives, rows[i].name);
			if (strcmp(fl_time_format(came, m->lives[n].arrives), rows[i].came[n]) != 0)
				fail_msg("row '%s': job %u came %s", rows[i].name, n + 1, came);
		}
		CHECK(m->n_lives == n, rows[i].name);
		fl_model_free(m);
	}
}

#define RANDOM(name, to)                                                                           \
	CLASS(name, to, "count: 200, every: {exponential: 10m}, pods: {uniform: [1, 4]}")

static bool same_lives(const struct fl_model *m, uint32_t a, const struct fl_model *o, uint32_t b,
		       uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (m->lives[a + i].arrives != o->lives[b + i].arrives ||
		    m->podsets[m->workloads[a + i].podsets.first].count !=
			    o->podsets[o->workloads[b + i].podsets.first].count)
			return false;
	return true;
}

TEST(a_class_does_not_disturb_another)
{
	struct fl_model *one = expanded(CLASSES(RANDOM("x", "a")), NULL);
	struct fl_model *again = expanded(CLASSES(RANDOM("x", "a")), NULL);
	struct fl_model *two = expanded(CLASSES(RANDOM("y", "a") ", " RANDOM("x", "a")), NULL);
	struct fl_model *queue = expanded(CLASSES(RANDOM("x", "b")), NULL);
	struct fl_model *seed =
		expanded(TREE TRACE_SIMULATION("seed: 2, classes: [" RANDOM("x", "a") "]"), NULL);
	double mean = (double)one->lives[199].arrives / 200 / 1e9;

	assert_true(same_lives(one, 0, again, 0, 200));
	assert_true(same_lives(one, 0, two, 200, 200));
	assert_false(same_lives(one, 0, two, 0, 200));
	assert_false(same_lives(one, 0, queue, 0, 200));
	assert_false(same_lives(one, 0, seed, 0, 200));
	assert_true(fabs(mean - 600) < 120);
	assert_true(one->lives[0].arrives > 0); /* the first time is drawn, too */
	assert_int_equal(one->n_podsets, 4);
	fl_model_free(one);
	fl_model_free(again);
	fl_model_free(two);
	fl_model_free(queue);
	fl_model_free(seed);
}

TEST(gangs_for_the_other_policy)
{
	struct fl_model *m = expanded(
		"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: a}\nspec: {resources: "
		"{gpu: {quota: -1, limit: -1}}}\n" TRACE_SIMULATION(
			"classes: [{name: g, to: a, runs: 1h, every: 1h, count: 2, pods: 4, minPods: 3, "
			"requests: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 2}}]"),
		NULL);
	fairlead_error err;

	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->n_workloads, 2);
	assert_int_equal(m->n_tasks, 8);
	assert_int_equal(m->gangs[m->workloads[1].gang].min_tasks, 3);
	assert_true(m->tasks[5].request.of[FL_CPU] == 500);
	assert_true(m->tasks[5].request.of[FL_MEMORY] == 1 << 30);
	assert_true(m->tasks[5].request.of[FL_GPU] == 2);
	assert_int_equal(m->workloads[1].excluded, FL_INCLUDED);
	fl_model_free(m);
}

TEST(without_an_end)
{
	struct fl_model *m = trace_trees(CLASSES(CLASS("c", "a", "every: 1h")));
	fairlead_error err;

	m->classes[0].ends = FL_NEVER;
	assert_int_equal(fl_classes_expand(m, 0, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "has no count and no end, and the simulation has no end");
	assert_string_equal(err.subject, "class 'c'");
	fl_model_free(m);

	m = trace_trees(CLASSES(CLASS("c", "a", "every: 1h")));
	m->classes[0].ends = FL_NEVER;
	m->simulation.until = s(5 * 3600); /* nobody who comes later is seen */
	assert_int_equal(fl_classes_expand(m, 0, &err), 0);
	assert_int_equal(m->n_lives, 5);
	fl_model_free(m);
	if (under_valgrind()) /* millions of jobs */
		return;

	m = trace_trees(CLASSES(CLASS("c", "a", "every: 1ms, count: 5000000")));
	assert_int_equal(fl_classes_expand(m, 0, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "makes more than 4194304 jobs");
	fl_model_free(m);
}

UNIT_GROUP("classes")
