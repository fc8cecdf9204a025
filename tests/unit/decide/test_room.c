/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room in the undo log: events and cycles that write as much as they ever can,
 * each as the first thing after a mark, so that nothing was reserved before.
 * Too little room is an assertion.
 */
#include "decide/borrow/cycle/cycle.h"
#include "lib/few.h"
#include "lib/world.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

static char text[1 << 23];
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

enum { GROUP = 60 };

static void say_groups(int resources, const char *quota)
{
	say("  resourceGroups:\n");
	for (int first = 0; first < resources; first += GROUP) {
		int last = first + GROUP < resources ? first + GROUP : resources;

		say("  - coveredResources: [");
		for (int r = first; r < last; r++)
			say("%sr%03d", r > first ? "," : "", r);
		say("]\n    flavors:\n    - name: f\n      resources:\n");
		for (int r = first; r < last; r++)
			say("      - {name: r%03d, nominalQuota: %s}\n", r, quota);
	}
}

enum afs { OFF, SAMPLED, EXACT };

static void say_head(enum afs afs)
{
	used = 0;
	if (afs == EXACT)
		say("apiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\n"
		    "spec: {admissionFairSharing: {usage: Exact}}\n---\n");
	say("apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n");
	if (afs)
		say("admissionFairSharing: {usageHalfLifeTime: 10s, usageSamplingInterval: 1s}\n");
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
	    "metadata: {name: f}\n");
}

static void say_queue(const char *name, const char *cohort, bool afs, int resources,
		      const char *quota)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
	    "metadata: {name: %s}\nspec:\n  namespaceSelector: {}\n",
	    name);
	if (cohort)
		say("  cohortName: %s\n", cohort);
	if (afs)
		say("  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n");
	say_groups(resources, quota);
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	    "metadata: {name: lq-%s, namespace: ns}\nspec: {clusterQueue: %s}\n",
	    name, name);
}

/* c0 is the root and has the quota; c<depth - 1> is the lowest. */
static void say_cohorts(int depth, int resources)
{
	for (int d = 0; d < depth; d++) {
		say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\n"
		    "metadata: {name: c%d}\nspec:\n",
		    d);
		if (d)
			say("  parentName: c%d\n", d - 1);
		say_groups(resources, d ? "0" : "1M");
	}
}

static void say_job(const char *queue, const char *name, int resources, int ask, bool admitted)
{
	say("---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
	    "metadata: {name: %s, namespace: ns}\nspec:\n  queueName: lq-%s\n  podSets:\n"
	    "  - name: main\n    count: 1\n    template:\n      spec:\n        containers:\n"
	    "        - resources:\n            requests:\n",
	    name, queue);
	for (int r = 0; r < resources; r++)
		say("              r%03d: %d\n", r, ask);
	if (!admitted)
		return;
	say("status:\n  conditions:\n  - {type: QuotaReserved, status: 'True'}\n"
	    "  admission:\n    clusterQueue: %s\n    podSetAssignments:\n"
	    "    - name: main\n      count: 1\n      flavors:\n",
	    queue);
	for (int r = 0; r < resources; r++)
		say("        r%03d: f\n", r);
	say("      resourceUsage:\n");
	for (int r = 0; r < resources; r++)
		say("        r%03d: %d\n", r, ask);
}

struct before {
	uint64_t digest[2];
	fl_mark mark;
};

static void open_mark(struct fl_policy *p, struct before *b)
{
	ops->digest(p, /* now= */ 0, b->digest);
	assert_int_equal(ops->mark(p, &b->mark, NULL), 0);
}

static void take_back(struct fl_policy *p, const struct before *b)
{
	uint64_t digest[2];

	ops->rollback(p, b->mark);
	ops->digest(p, /* now= */ 0, digest);
	assert_memory_equal(digest, b->digest, sizeof digest);
}

static void must_apply(struct fl_policy *p, const struct fl_event *e)
{
	fairlead_error err;

	if (ops->apply(p, 2 * FL_SECOND, e, &err) < 0)
		fail_msg("%s", err.text);
}

static void one_job(int depth, int resources, enum afs afs)
{
	static const enum fl_event_kind kinds[] = { FL_EV_FINISHED, FL_EV_EVICTED, FL_EV_CANCEL,
						    FL_EV_REJECTED };
	char cohort[16];
	struct before b;
	struct fl_decisions d;

	say_head(afs);
	say_cohorts(depth, resources);
	(void)snprintf(cohort, sizeof cohort, "c%d", depth - 1);
	say_queue("q", depth ? cohort : NULL, afs, resources, depth ? "0" : "1");
	say_job("q", "held", resources, 7, /* admitted= */ true);
	if (depth)
		say_job("q", "waits", resources, 3, /* admitted= */ false);
	struct fl_model *m = load(text);

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct fl_event e = { .kind = kinds[i],
				      .workload = fl_model_find_workload(m, "ns", "held") };
		struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);

		open_mark(p, &b);
		must_apply(p, &e);
		take_back(p, &b);
		ops->free(p);
	}
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);

	open_mark(p, &b);
	assert_int_equal(ops->step(p, 3 * FL_SECOND, 0, NULL, &d, NULL), 0);
	if (depth)
		assert_int_equal(d.rows[0].kind, FL_ADMIT);
	take_back(p, &b);
	ops->free(p);
	fl_model_free(m);
}

TEST(many_resources_and_levels)
{
	static const int resources[] = { 1, 9, 60, 240, 400 };

	for (size_t i = 0; i < COUNT(resources) - (under_valgrind() ? 2 : 0); i++)
		for (enum afs afs = OFF; afs <= EXACT; afs++) {
			one_job(0, resources[i], afs);
			one_job(1, resources[i], afs);
			one_job(3, resources[i], afs);
		}
	one_job(70, 60, SAMPLED);
	one_job(250, 2, EXACT);
	one_job(250, 20, OFF);
}

/* A local queue of a workload that asks for one resource of many counts usage of them all. */
TEST(one_resource_of_many)
{
	for (enum afs afs = OFF; afs <= EXACT; afs++) {
		struct before b;

		say_head(afs);
		say_queue("q", NULL, afs, 400, "1");
		say_job("q", "held", 1, 1, /* admitted= */ true);
		struct fl_model *m = load(text);
		struct fl_event e = { .kind = FL_EV_EVICTED,
				      .workload = fl_model_find_workload(m, "ns", "held") };
		struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);

		open_mark(p, &b);
		must_apply(p, &e);
		take_back(p, &b);
		ops->free(p);
		fl_model_free(m);
	}
}

/* Whoever takes no part is cancelled: it has no queue and no tree. */
TEST(cancelled_without_queue)
{
	struct before b;

	say_head(OFF);
	say_job("nowhere", "lost", 1, 1, /* admitted= */ false);
	struct fl_model *m = load(text);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_event e = { .kind = FL_EV_CANCEL, .workload = { 0 } };

	open_mark(p, &b);
	must_apply(p, &e);
	assert_int_equal(ops->state(p, e.workload), FL_STATE_ABSENT);
	take_back(p, &b);
	assert_int_equal(ops->state(p, e.workload), FL_STATE_EXCLUDED);
	ops->free(p);
	fl_model_free(m);
}

enum { QUEUES = 30 };
static int jobs_each(void) { return (int)few(60); }

/* Queues of one cohort, each with jobs that never fit; all of a queue alike, or none. */
static struct fl_model *crowd(bool alike)
{
	char name[32], queue[16];

	say_head(OFF);
	say_cohorts(1, 1);
	say_queue("q", "c0", false, 1, "0");
	say_job("q", "held", 1, 999990, /* admitted= */ true);
	for (int q = 0; q < QUEUES; q++) {
		(void)snprintf(queue, sizeof queue, "q%d", q);
		say_queue(queue, "c0", false, 1, "0");
		for (int w = 0; w < jobs_each(); w++) {
			(void)snprintf(name, sizeof name, "w%d-%d", q, w);
			say_job(queue, name, 1, alike ? 100 : 100 + w, /* admitted= */ false);
		}
	}
	return load(text);
}

static uint32_t parked(const struct fl_model *m, const struct fl_policy *p)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++)
		n += ops->state(p, (struct fl_workload){ w }) == FL_STATE_INADMISSIBLE;
	return n;
}

static void park_all(struct fl_policy *p, int steps)
{
	struct fl_decisions d;

	for (int i = 0; i < steps; i++)
		assert_int_equal(ops->step(p, (3 + i) * FL_SECOND, 0, NULL, &d, NULL), 0);
}

TEST(a_cycle_parks_thousands)
{
	struct before b;

	struct fl_model *m = crowd(/* alike= */ true);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);

	open_mark(p, &b);
	park_all(p, 1);
	assert_int_equal(parked(m, p), QUEUES * jobs_each());
	take_back(p, &b);
	assert_int_equal(parked(m, p), 0);
	ops->free(p);
	fl_model_free(m);
}

/* Quota freed, a quota and a weight changed, each under the mark of the one before. */
TEST(thousands_are_woken)
{
	struct fl_event events[] = {
		{ .kind = FL_EV_FINISHED },
		{ .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_NOMINAL, .amount = 5 } },
		{ .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_WEIGHT, .weight = 3 } },
		{ .kind = FL_EV_CELL, .cell = { .kind = FL_CELL_BORROWING_LIMIT, .amount = 1 } },
		{ .kind = FL_EV_CELL,
		  .cell = { .kind = FL_CELL_LENDING_LIMIT, .amount = FL_NO_LIMIT } },
	};
	struct before b, nested[COUNT(events)];

	struct fl_model *m = crowd(/* alike= */ false);

	events[0].workload = fl_model_find_workload(m, "ns", "held");
	for (size_t i = 0; i < COUNT(events); i++)
		events[i].cell.node = fl_model_find_node(m, FL_CLUSTER_QUEUE, "q");
	for (size_t i = 0; i < COUNT(events); i++) {
		struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);

		park_all(p, jobs_each());
		assert_int_equal(parked(m, p), QUEUES * jobs_each());
		open_mark(p, &b);
		must_apply(p, &events[i]);
		assert_int_equal(parked(m, p), 0);
		take_back(p, &b);
		assert_int_equal(parked(m, p), QUEUES * jobs_each());
		for (size_t k = 0; k < COUNT(events); k++) {
			open_mark(p, &nested[k]);
			must_apply(p, &events[k]);
		}
		for (size_t k = COUNT(events); k-- > 0;)
			take_back(p, &nested[k]);
		ops->free(p);
	}
	fl_model_free(m);
}

/* One of "z" has all; each of @n queues has quota for one, which it does not get until that is gone. */
static struct fl_model *lent_to_one(int n)
{
	char queue[16], name[16];

	say_head(OFF);
	say("---\napiVersion: fairlead.dev/v1alpha1\nkind: Policy\nmetadata: {name: p}\n"
	    "spec: {preemptionGuarantee: settles}\n");
	say_queue("z", "c", false, 1, "0");
	say_job("z", "held", 1, n, /* admitted= */ true);
	for (int i = 0; i < n; i++) {
		(void)snprintf(queue, sizeof queue, "q%d", i);
		(void)snprintf(name, sizeof name, "w%d", i);
		say_queue(queue, "c", false, 1, "1");
		say_job(queue, name, 1, 1, /* admitted= */ false);
	}
	struct fl_model *m = load(text);

	for (uint32_t i = 0; i < m->n_nodes; i++)
		m->nodes[i].reclaim = FL_PREEMPT_ANY;
	return m;
}

/* @n start in one cycle that were promised what they get.  How much room was that? */
static uint32_t start_late(int n)
{
	struct fl_model *m = lent_to_one(n);
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_event gone = { .kind = FL_EV_EVICTED,
				 .workload = fl_model_find_workload(m, "ns", "held") };
	struct fl_decisions d;
	struct before b;
	uint32_t room, started = 0;

	park_all(p, 2);
	must_apply(p, &gone);
	open_mark(p, &b);
	assert_int_equal(ops->step(p, 9 * FL_SECOND, 0, NULL, &d, NULL), 0);
	for (uint32_t i = 0; i < d.n; i++)
		started += d.rows[i].kind == FL_ADMIT;
	assert_int_equal(started, n);
	room = p->undo.cap;
	take_back(p, &b);
	ops->free(p);
	fl_model_free(m);
	return room;
}

/* Eight times as many take about eight times the room (which doubles as it grows), not 64 times. */
TEST(many_promises_start_at_once) { assert_true(start_late(128) <= 2 * 8 * start_late(16)); }

UNIT_GROUP("room")
