/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs and events at the edge: nothing there at all, counts and amounts as large
 * as they get, admissions that do not match their spec, events that do not suit.
 */
#include <math.h>

#include "decide/borrow/borrow.h"
#include "decide/borrow/quota/drs.h"
#include "lib/world.h"
#include "unit/codec/load.h"

static const struct fl_policy_ops *const ops = &fl_borrow_policy;

#define QUEUE(name, cohort, quota)                                                                 \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: " name      \
	"}\nspec:\n  cohortName: " cohort "\n  namespaceSelector: {}\n  resourceGroups:\n"         \
	"  - coveredResources: [a]\n    flavors:\n"                                                \
	"    - {name: f, resources: [{name: a, nominalQuota: " quota "}]}\n"                       \
	"    - {name: g, resources: [{name: a, nominalQuota: " quota "}]}\n"                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name        \
	", namespace: ns}\nspec: {clusterQueue: " name "}\n"
#define COHORT(name, quota)                                                                        \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: " name            \
	"}\nspec:\n  resourceGroups:\n  - coveredResources: [a]\n    flavors:\n"                   \
	"    - {name: f, resources: [{name: a, nominalQuota: " quota "}]}\n"                       \
	"    - {name: g, resources: [{name: a, nominalQuota: " quota "}]}\n"
#define FLAVORS                                                                                    \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"     \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: g}\n"
#define FAIR                                                                                       \
	"---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n"
#define JOB(name, queue)                                                                           \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name          \
	", namespace: ns}\nspec:\n  queueName: " queue "\n  podSets:\n"
#define PODS(name, count, rest, ask)                                                               \
	"  - {name: " name ", count: " count rest                                                  \
	", template: {spec: {containers: [{resources: {requests: {a: " ask "}}}]}}}\n"
#define ADMITTED(queue)                                                                            \
	"status:\n  conditions: [{type: QuotaReserved, status: 'True'}]\n"                         \
	"  admission:\n    clusterQueue: " queue "\n    podSetAssignments:\n"
#define HOLDS(podset, flavor, amount)                                                              \
	"    - {name: " podset ", flavors: {a: " flavor "}, resourceUsage: {a: " amount "}}\n"

static struct fl_workload job(const struct fl_model *m, const char *name)
{
	return fl_model_find_workload(m, "ns", name);
}

TEST(nothing_there)
{
	static const char *const worlds[] = {
		FLAVORS,
		FAIR,
		JOB("w", "nowhere") PODS("main", "1", "", "1"),
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n",
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: c}\n",
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec: {namespaceSelector: {}}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		"metadata: {name: q, namespace: ns}\nspec: {clusterQueue: q}\n"
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
		"metadata: {name: empty, namespace: ns}\nspec: {queueName: q}\n" JOB("none", "q")
			PODS("main", "0", "", "1") JOB("much", "q") PODS("main", "1", "", "1"),
	};

	for (size_t i = 0; i < COUNT(worlds); i++) {
		struct fl_model *m = load(worlds[i]);
		struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
		struct fl_decisions d;
		uint64_t digest[2];
		fl_mark mark;

		assert_int_equal(ops->mark(p, &mark, NULL), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(ops->step(p, k * FL_SECOND, 0, NULL, &d, NULL), 0);
		ops->digest(p, /* now= */ 0, digest);
		if (i == COUNT(worlds) - 1) {
			/* What asks for nothing needs no quota. */
			assert_int_equal(ops->state(p, job(m, "empty")), FL_STATE_ADMITTED);
			assert_int_equal(ops->state(p, job(m, "none")), FL_STATE_ADMITTED);
			assert_int_equal(ops->reason(p, job(m, "much")),
					 FL_REASON_RESOURCE_NOT_COVERED);
		}
		ops->rollback(p, mark);
		ops->free(p);
		fl_model_free(m);
	}
}

/* What is held is told by the podset's name, whatever the order; of unknown ones, too. */
TEST(admission_in_another_order)
{
	struct fl_model *m = load(
		FLAVORS QUEUE("q", "c", "9") JOB("w", "q") PODS("one", "1", "", "1")
			PODS("two", "1", "", "2") ADMITTED("q") HOLDS("two", "g", "2")
				HOLDS("gone", "f", "4") HOLDS("one", "f", "1"));
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	const struct fl_placement *rows;
	struct fl_share share;
	uint32_t n;

	rows = ops->placement(p, job(m, "w"), &n);
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].podset, 1);
	assert_int_equal(rows[0].amount, 2);
	assert_int_equal(rows[1].podset, FL_NONE);
	assert_int_equal(rows[2].podset, 0);
	ops->share(p, fl_model_find_node(m, FL_CLUSTER_QUEUE, "q"), &share);
	assert_false(share.borrowing);
	ops->free(p);
	fl_model_free(m);
}

/* Eight podsets of as many pods as there can be, reduced to what fits. */
TEST(the_largest_reduction)
{
#define MOST(name) PODS(name, "2147483647", ", minCount: 0", "1")
	struct fl_model *m = load(FLAVORS QUEUE("q", "c", "9") JOB("w", "q") MOST("a") MOST(
		"b") MOST("c") MOST("d") MOST("e") MOST("f") MOST("g") MOST("h"));
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	const struct fl_placement *rows;
	struct fl_decisions d;
	uint32_t n;

	assert_int_equal(ops->step(p, 0, 0, NULL, &d, NULL), 0);
	assert_int_equal(d.rows[0].kind, FL_ADMIT);
	rows = ops->placement(p, job(m, "w"), &n);
	assert_int_equal(n, 8);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(rows[i].count, 2); /* 9 of f, 9 of g: 4 podsets each */
	ops->free(p);
	fl_model_free(m);
}

/* Borrowed of one resource in two flavors adds up beyond 64 bits. */
TEST(borrowing_beyond_64_bits)
{
	struct fl_model *m = load(FAIR FLAVORS COHORT("c", "9223372036854775807")
					  QUEUE("q", "c", "0") QUEUE("r", "c", "0") JOB("w", "q")
						  PODS("one", "1", "", "7Ei") JOB("x", "q")
							  PODS("one", "1", "", "7Ei") JOB("y", "r")
								  PODS("one", "1", "", "1"));
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_decisions d;
	struct fl_share share;

	for (int i = 0; i < 4; i++)
		assert_int_equal(ops->step(p, i, 0, NULL, &d, NULL), 0);
	assert_int_equal(ops->state(p, job(m, "w")), FL_STATE_ADMITTED);
	assert_int_equal(ops->state(p, job(m, "y")), FL_STATE_ADMITTED);
	ops->share(p, fl_model_find_node(m, FL_CLUSTER_QUEUE, "q"), &share);
	assert_true(share.borrowing && share.precise > 800 && share.precise <= 1000);
	ops->free(p);
	fl_model_free(m);
}

TEST(events_that_do_not_suit)
{
	static const struct {
		enum fl_event_kind kind;
		const char *job, *text;
	} rows[] = {
		{ FL_EV_FINISHED, "waits", "workload 'ns/waits' holds no quota" },
		{ FL_EV_EVICTED, "waits", "workload 'ns/waits' holds no quota" },
		{ FL_EV_REJECTED, "waits", "workload 'ns/waits' holds no quota" },
		{ FL_EV_STARTED, "waits", "workload 'ns/waits' holds no quota" },
		{ FL_EV_SUBMIT, "waits",
		  "workload 'ns/waits' cannot be submitted: it is there already, or has no queue" },
		{ FL_EV_SUBMIT, "goes",
		  "workload 'ns/goes' cannot be submitted: it is there already, or has no queue" },
		{ FL_EV_FINISHED, "lost", "workload 'ns/lost' holds no quota" },
		{ FL_EV_SUBMIT, "lost",
		  "workload 'ns/lost' cannot be submitted: it is there already, or has no queue" },
	};
	struct fl_model *m = load(
		FLAVORS QUEUE("q", "c", "5") JOB("waits", "q") PODS("main", "1", "", "11") JOB(
			"lost", "no") PODS("main", "1", "", "1") JOB("goes", "q")
			PODS("main", "1", "",
			     "1") "status:\n  conditions: [{type: QuotaReserved, status: 'True'}, {type: Evicted, "
				  "status: 'True'}]\n  admission: {clusterQueue: q, podSetAssignments: [{name: main, "
				  "flavors: {a: f}, resourceUsage: {a: 1}}]}\n");
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_event finished = { .kind = FL_EV_FINISHED, .workload = job(m, "goes") };
	struct fl_event beyond = { .kind = FL_EV_CANCEL, .workload = { m->n_workloads } };
	uint64_t before[2], after[2];
	fairlead_error err;

	ops->digest(p, /* now= */ 0, before);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_event e = { .kind = rows[i].kind, .workload = job(m, rows[i].job) };

		CHECK(ops->apply(p, 0, &e, &err) == FAIRLEAD_ESTATE, rows[i].text);
		assert_string_equal(err.text, rows[i].text);
	}
	assert_int_equal(ops->apply(p, 0, &beyond, &err), FAIRLEAD_ENOENT);
	ops->digest(p, /* now= */ 0, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(ops->apply(p, 0, &finished, &err), 0);
	assert_int_equal(ops->apply(p, 0, &finished, &err), FAIRLEAD_ESTATE);
	ops->free(p);
	fl_model_free(m);
}

TEST(cells_that_do_not_suit)
{
	static const struct {
		struct fl_cell cell;
		const char *text;
		int r;
	} rows[] = {
		{ { FL_CELL_NOMINAL, { { 999 } }, { 0 }, { 0 }, 1, { 0 } },
		  FIELDS("no such queue or cohort", FAIRLEAD_ENOENT) },
		{ { FL_CELL_NOMINAL, { { 0 } }, { 99 }, { 0 }, 1, { 0 } },
		  "no queue or cohort of this tree has quota for that flavor and resource",
		  FAIRLEAD_ENOENT },
		{ { FL_CELL_NOMINAL, { { 0 } }, { 0 }, { 0 }, -1, { 0 } },
		  FIELDS("a negative quota or limit", FAIRLEAD_EINPUT) },
		{ { FL_CELL_LENDING_LIMIT, { { 0 } }, { 0 }, { 0 }, -2, { 0 } },
		  FIELDS("a negative quota or limit", FAIRLEAD_EINPUT) },
		{ { FL_CELL_WEIGHT, { { 0 } }, { 0 }, { 0 }, 0, { -0.5 } },
		  FIELDS("a negative weight", FAIRLEAD_EINPUT) },
		{ { FL_CELL_WEIGHT, { { 0 } }, { 0 }, { 0 }, 0, { NAN } },
		  FIELDS("a negative weight", FAIRLEAD_EINPUT) },
		{ { FL_CELL_PRIORITY, { { 0 } }, { 0 }, { 0 }, INT64_C(1) << 31, { 0 } },
		  FIELDS("a priority beyond 32 bits", FAIRLEAD_EINPUT) },
		/* What the two queues keep for themselves would meet in their cohort. */
		{ { FL_CELL_LENDING_LIMIT, { { 0 } }, { 0 }, { 0 }, FL_NO_LIMIT, { 0 } },
		  FIELDS("what is admitted would be more than 2^63 units of a resource",
			 FAIRLEAD_ELIMIT) },
	};
	struct fl_model *m = load(
		FLAVORS QUEUE("q", "c", "7Ei, lendingLimit: 0") QUEUE("r", "c", "0") JOB("w", "q")
			PODS("main", "1", "", "7Ei") ADMITTED("q") HOLDS("main", "f", "7Ei")
				JOB("x", "r") PODS("main", "1", "", "7Ei") ADMITTED("r")
					HOLDS("main", "f", "7Ei"));
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	const struct fl_tree *t = fl_borrow_tree(p);
	fl_amount usage = fl_borrow_usage(p)->cell[t->row[t->root[0]]];
	fairlead_error err;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_event e = { .kind = FL_EV_CELL, .cell = rows[i].cell };

		CHECK(ops->apply(p, 0, &e, &err) == rows[i].r, rows[i].text);
		assert_string_equal(err.text, rows[i].text);
		assert_true(fl_borrow_usage(p)->cell[t->row[t->root[0]]] == usage);
		assert_true(t->lending_limit[t->row[0]] == 0);
	}
	ops->free(p);
	fl_model_free(m);
}

/* Quota given where there was none is as if it had been there from the start. */
TEST(quota_in_a_new_column)
{
	struct fl_model *m = load(FLAVORS QUEUE("q", "c", "1") QUEUE(
		"r", "d",
		"1") "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: d}\n"
		     "spec: {parentName: c}\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
		     "metadata: {name: s}\nspec:\n  cohortName: e\n"
		     "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Cohort\nmetadata: {name: e}\n"
		     "spec: {parentName: c}\n");
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	const struct fl_tree *t = fl_borrow_tree(p);
	struct fl_node s = fl_model_find_node(m, FL_CLUSTER_QUEUE, "s"),
		       e = fl_model_find_node(m, FL_COHORT, "e");
	struct fl_event event = { .kind = FL_EV_CELL,
				  .cell = { .kind = FL_CELL_NOMINAL, .node = s, .amount = 3 } };
	struct fl_column c = fl_tree_column(t, s, (struct fl_flavor){ 0 },
					    (struct fl_resource){ 0 });
	fl_mark mark;

	assert_int_equal(ops->mark(p, &mark, NULL), 0);
	assert_false(t->known[fl_tree_cell(t, s, c)]);
	assert_int_equal(ops->apply(p, 0, &event, NULL), 0);
	assert_true(t->known[fl_tree_cell(t, s, c)] && t->known[fl_tree_cell(t, e, c)]);
	assert_int_equal(t->subtree[t->row[t->root[s.v]] + c.v], 5);
	ops->rollback(p, mark);
	assert_false(t->known[fl_tree_cell(t, s, c)] || t->known[fl_tree_cell(t, e, c)]);
	assert_int_equal(t->subtree[t->row[t->root[s.v]] + c.v], 2);
	ops->free(p);
	fl_model_free(m);
}

/* By usage of the local queue comes before age; and a clock that goes back forgets nothing. */
TEST(ahead_by_usage)
{
#define USAGE(name, used)                                                                          \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: " name        \
	", namespace: ns}\nspec: {clusterQueue: q}\nstatus: {fairSharing: {weightedShare: 0, "     \
	"admissionFairSharingStatus: {lastUpdate: \"2026-01-01T00:00:00Z\", "                      \
	"consumedResources: {a: " used "}}}}\n"
	struct fl_model *m = load(
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
		"admissionFairSharing: {usageHalfLifeTime: 10s, usageSamplingInterval: 1s}\n" FLAVORS
		"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
		"spec:\n  namespaceSelector: {}\n"
		"  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}\n"
		"  resourceGroups: [{coveredResources: [a], flavors: [{name: f, resources: [{name: a, "
		"nominalQuota: 1}]}]}]\n" USAGE("much", "9") USAGE("some", "5") USAGE("none", "0")
			JOB("w0", "much") PODS("main", "1", "", "1") JOB("w1", "some")
				PODS("main", "1", "", "1") JOB("w2", "none")
					PODS("main", "1", "", "1") JOB("w3", "none")
						PODS("main", "1", "", "1"));
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_decisions d;
	uint32_t ids[3] = { 0 };

	assert_int_equal(fl_borrow_ahead(p, job(m, "w0"), ids, 2), 3);
	assert_int_equal(ids[0], job(m, "w2").v);
	assert_int_equal(ids[1], job(m, "w3").v);
	assert_int_equal(fl_borrow_ahead(p, job(m, "w0"), ids, 3), 3);
	assert_int_equal(ids[2], job(m, "w1").v);
	assert_int_equal(fl_borrow_ahead(p, job(m, "w3"), ids, 3), 1);
	assert_int_equal(fl_borrow_ahead(p, job(m, "w2"), ids, 3), 0);
	assert_int_equal(ops->step(p, INT64_MIN, 0, NULL, &d, NULL), 0);
	assert_int_equal(ops->state(p, job(m, "w2")), FL_STATE_ADMITTED);
	assert_int_equal(ops->step(p, INT64_MAX, 0, NULL, &d, NULL), 0);
	ops->free(p);
	fl_model_free(m);
}

/*
 * Where the last cycle but one stopped counts no more once a workload left the
 * queue, or a quota of the tree is another: @w looks at "f" again, in a trial as
 * in the cycle.  @small: the other one of its queue is admitted between.
 */
static void scan_starts_anew(bool small)
{
	struct fl_model *m = load(
		FLAVORS COHORT("c", "6") QUEUE("q", "c", "0") QUEUE("r", "c", "0") JOB("w", "q")
			PODS("main", "1", "", "5") JOB("a", "r") PODS("main", "1", "", "5")
				JOB("fits", "q") PODS("main", "1", "",
						      "1") "  priority: 9\n" JOB("large", "q")
					PODS("main", "1", "", "99") "  priority: 9\n");
	struct fl_policy *p = world_policy(&fl_mem_heap, m, FL_SECOND);
	struct fl_event fits = { .kind = FL_EV_CANCEL, .workload = job(m, "fits") };
	struct fl_event large = { .kind = FL_EV_CANCEL, .workload = job(m, "large") };
	struct fl_event finished = { .kind = FL_EV_FINISHED, .workload = job(m, "a") };
	struct fl_event cell = {
		.kind = FL_EV_CELL,
		.cell = { .kind = FL_CELL_NOMINAL, .node = m->queues[1].cluster_queue, .amount = 1 }
	};
	struct fl_event *other = small ? &fits : &large;
	struct fl_decisions d;

	assert_int_equal(ops->apply(p, 0, &fits, NULL), 0);
	assert_int_equal(ops->apply(p, 0, &large, NULL), 0);
	assert_int_equal(ops->step(p, 1, 0, NULL, &d, NULL), 0);
	assert_int_equal(ops->state(p, finished.workload), FL_STATE_ADMITTED);
	assert_int_equal(ops->reason(p, job(m, "w")), FL_REASON_NO_LONGER_FITS);
	other->kind = FL_EV_SUBMIT;
	assert_int_equal(ops->apply(p, 1, other, NULL), 0);
	assert_int_equal(ops->step(p, 2, 0, NULL, &d, NULL), 0);
	assert_int_equal(ops->state(p, other->workload),
			 small ? FL_STATE_ADMITTED : FL_STATE_INADMISSIBLE);
	assert_int_equal(ops->apply(p, 2, other, NULL), FAIRLEAD_ESTATE);
	other->kind = FL_EV_CANCEL;
	if (!small)
		assert_int_equal(ops->apply(p, 2, other, NULL), 0);
	assert_int_equal(ops->apply(p, 2, &finished, NULL), 0);
	if (!small)
		assert_int_equal(ops->apply(p, 2, &cell, NULL), 0);
	assert_int_equal(ops->try(p, 3, job(m, "w"), NULL, &d, NULL), 0);
	assert_int_equal(d.n_placements, 1);
	assert_string_equal(fl_model_text(m, m->flavors[d.placements[0].flavor.v].name), "f");
	assert_int_equal(ops->step(p, 3, 0, NULL, &d, NULL), 0);
	assert_int_equal(d.n_placements, 1);
	assert_string_equal(fl_model_text(m, m->flavors[d.placements[0].flavor.v].name), "f");
	ops->free(p);
	fl_model_free(m);
}

TEST(outdated_scans_start_anew)
{
	scan_starts_anew(/* small= */ true);
	scan_starts_anew(/* small= */ false);
}

UNIT_GROUP("edges")
