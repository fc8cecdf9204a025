/* SPDX-License-Identifier: Apache-2.0 */
/* The workloads of Kueue's scalability tests: the tree and the classes that they become. */
#include "codec/trace/classes.h"
#include "lib/unit.h"
#include "unit/codec/trace_load.h"

static fl_time ms(int64_t n) { return n * (FL_SECOND / 1000); }

TEST(a_tree_and_its_jobs)
{
	static const char text[] =
		"cohorts:\n"
		"- className: cohort\n"
		"  count: 2\n"
		"  queuesSets:\n"
		"  - className: cq\n"
		"    count: 3\n"
		"    nominalQuota: 20\n"
		"    borrowingLimit: 100\n"
		"    reclaimWithinCohort: Any\n"
		"    withinClusterQueue: LowerPriority\n"
		"    workloadsSets:\n"
		"    - count: 4\n"
		"      creationIntervalMs: 100\n"
		"      workloads:\n"
		"      - {className: small, runtimeMs: 200, priority: 50, request: 1}\n"
		"      - {className: large, runtimeMs: 1000, priority: 200, request: 500m, podCount: 2}\n"
		"    - count: 1\n"
		"      creationIntervalMs: 70\n"
		"      workloads: [{className: small, runtimeMs: 1, priority: 50, request: '2'}]\n";
	struct fl_model *m = trace_trees(text);
	struct fl_node queue;
	const struct fl_quota *q;
	struct fl_quota_walk walk = { 0 };
	fairlead_error err;

	assert_int_equal(m->n_classes, 18);
	assert_int_equal(fl_classes_expand(m, ms(5000), &err), 0);
	assert_int_equal(m->n_workloads, 2 * 3 * (4 * 2 + 1));
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->n_nodes, 8);
	queue = fl_model_find_node(m, FL_CLUSTER_QUEUE, "cohort-1-cq-2");
	assert_true(queue.v != FL_NONE);
	assert_string_equal(fl_model_text(m, m->nodes[m->nodes[queue.v].parent.v].name),
			    "cohort-1");
	assert_int_equal(m->nodes[queue.v].reclaim, FL_PREEMPT_ANY);
	assert_int_equal(m->nodes[queue.v].within_queue, FL_PREEMPT_LOWER_PRIORITY);
	q = fl_model_next_quota(m, queue, &walk);
	assert_int_equal(q->nominal, 20000);
	assert_int_equal(q->borrowing_limit, 100000);

	/* small, large, small, large, ..., one every 100 ms; and the other set beside them. */
	assert_string_equal(fl_model_text(m, m->workloads[0].name), "cohort-0-cq-0-small-1");
	assert_int_equal(m->lives[0].arrives, ms(5100));
	assert_int_equal(m->lives[1].arrives, ms(5300));
	assert_int_equal(m->lives[4].arrives, ms(5200));
	assert_int_equal(m->lives[4].runs, ms(1000));
	assert_string_equal(fl_model_text(m, m->lives[4].class_name), "large");
	assert_int_equal(m->podsets[m->workloads[4].podsets.first].count, 2);
	assert_int_equal(m->workloads[4].priority, 200);
	assert_string_equal(fl_model_text(m, m->workloads[8].name), "cohort-0-cq-0-small-2-1");
	assert_int_equal(m->lives[8].arrives, ms(5070));
	for (uint32_t w = 0; w < m->n_workloads; w++)
		assert_int_equal(m->workloads[w].excluded, FL_INCLUDED);
	fl_model_free(m);
}

TEST(what_is_refused)
{
	static const struct {
		const char *name, *text, *error;
	} rows[] = {
		{ "no class", "cohorts: [{count: 1}]", "in:1:11: no className" },
		{ "a list", "cohorts: {}", "in:1:10: expected a list, not a map" },
		{ "negative", "cohorts: [{className: c, count: -1}]", "in:1:33: a count of -1" },
		{ "no policy",
		  "cohorts: [{className: c, count: 1, queuesSets: [{className: q, "
		  "withinClusterQueue: Some}]}]",
		  "in:1:84: 'Some' is none of Never, LowerPriority, LowerOrNewerEqualPriority, Any" },
		{ "too many", "cohorts: [{className: c, count: 2000000000}]",
		  "in:1:11: more than 1048576 queues and cohorts" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;
		char line[1024];
		struct fl_model *m = load_open(&fl_mem_heap, rows[i].text, &err);

		CHECK(!m, rows[i].name);
		assert_string_equal(trace_error(&err, line), rows[i].error);
	}
}

/* As a source of a Simulation its times and lengths are stretched, too. */
TEST(as_a_source)
{
	struct fl_model *m =
		trace_trees(TRACE_SIMULATION("sources: [{generator: jobs, load: 2, runtime: 3}]"));
	fairlead_error err;

	assert_int_equal(
		trace_add(
			m,
			"cohorts: [{className: c, count: 1, queuesSets: [{className: q, count: 1, "
			"nominalQuota: 1, workloadsSets: [{count: 2, creationIntervalMs: 100, "
			"workloads: [{className: s, runtimeMs: 10, request: 1}]}]}]}]\n",
			9, &err),
		0);
	assert_int_equal(fl_classes_expand(m, 0, &err), 0);
	assert_int_equal(m->lives[0].arrives, ms(50));
	assert_int_equal(m->lives[1].arrives, ms(100));
	assert_int_equal(m->lives[1].runs, ms(30));
	fl_model_free(m);
}

/* Who would come after the end of all times comes at the end, or never. */
TEST(a_set_that_takes_for_ever)
{
	enum { JOBS = 5000 };
	static const char head[] =
		"cohorts: [{className: c, count: 1, queuesSets: [{className: q, count: 1, "
		"nominalQuota: 1, workloadsSets: [{count: 1, creationIntervalMs: 2147483647, "
		"workloads: [",
			  one[] = "{className: s, request: 1},\n", end[] = "]}]}]}]\n";
	char *text = malloc(sizeof head + JOBS * sizeof one + sizeof end), *at = text;
	struct fl_model *m;

	at = stpcpy(at, head);
	for (int i = 0; i < JOBS; i++)
		at = stpcpy(at, one);
	(void)stpcpy(at, end);
	m = trace_trees(text);
	free(text);
	assert_int_equal(m->n_classes, JOBS);
	assert_int_equal(m->classes[1].begins, ms(2) * INT32_MAX);
	for (uint32_t i = 1; i < m->n_classes; i++)
		assert_true(m->classes[i].begins >= m->classes[i - 1].begins);
	assert_int_equal(m->classes[JOBS - 1].begins, FL_NEVER);
	fl_model_free(m);
}

UNIT_GROUP("generator")
