/* SPDX-License-Identifier: Apache-2.0 */
/* What references of KAI's objects become, and what is wrong with them, as small manifests. */
#include "ask/lint/entitle.h"
#include "ask/lint/lint.h"
#include "model/table.h"
#include "unit/codec/load.h"

#define ALL(gpu)                                                                                   \
	"resources: {cpu: {quota: -1, limit: -1}, memory: {quota: -1, limit: -1}, gpu: {" gpu "}}"
#define Q(name, parent, gpu)                                                                       \
	"---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " name               \
	"}\nspec: {parentQueue: '" parent "', " ALL(gpu) "}\n"
#define PG(name, spec)                                                                             \
	"---\napiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: " name      \
	"}\nspec: {" spec "}\n"
#define POD(name, more, gpus)                                                                      \
	"---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name more                              \
	"}\nspec: {containers: [{resources: {limits: {nvidia.com/gpu: " gpus "}}}]}\n"
#define OF(group) ", annotations: {pod-group-name: " group "}"
#define LABELS(more) ", labels: {" more "}"
#define NODE(name, gpus)                                                                           \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name                                  \
	"}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, nvidia.com/gpu: " gpus "}}\n"
#define HISTORY(samples)                                                                           \
	"---\napiVersion: fairlead.dev/v1alpha1\nkind: UsageHistory\nmetadata: {name: "            \
	"h}\nspec: {samples: [" samples "]}\n"
#define SAMPLE(from, to)                                                                           \
	"{from: '1970-01-01T00:" from "Z', to: '1970-01-01T00:" to "Z', capacity: {gpu: 1}}"

static struct fl_node node(const struct fl_model *m, const char *name)
{
	return fl_model_find_node(m, FL_QUEUE, name);
}

static const struct fl_workload_row *workload(const struct fl_model *m, const char *name)
{
	struct fl_workload w = fl_model_find_workload(m, "default", name);

	assert_int_not_equal(w.v, FL_NONE);
	return &m->workloads[w.v];
}

/* The error of sealing the text. */
static void seal_fails(const char *text, fairlead_error *err)
{
	struct fl_model *m = load_open(&fl_mem_heap, text, err);

	assert_non_null(m);
	assert_int_equal(fl_model_seal(m, err), FAIRLEAD_EINPUT);
	fl_model_free(m);
}

TEST(parents)
{
	struct fl_model *m = load(
		Q("leaf", "inner", "quota: 1") Q("ok", "", "quota: 1")
			Q("inner", "orphan", "quota: 1") Q("orphan", "gone", "quota: 1")
				PG("g", "queue: leaf") PG("h", "queue: ok"));
	char line[512];

	assert_int_equal(m->nodes[node(m, "ok").v].inactive, FL_ACTIVE);
	assert_int_equal(m->nodes[node(m, "orphan").v].inactive, FL_INACTIVE_PARENT_NOT_FOUND);
	assert_int_equal(m->nodes[node(m, "inner").v].inactive, FL_INACTIVE_PARENT_NOT_FOUND);
	assert_int_equal(m->nodes[node(m, "leaf").v].inactive, FL_INACTIVE_PARENT_NOT_FOUND);
	assert_string_equal(load_notice_line(m, FL_NOTICE_MISSING_PARENT, line),
			    "17:1 Queue/orphan: parent 'gone' does not exist; the queue and all "
			    "below it are left out");
	assert_int_equal(workload(m, "g")->excluded, FL_EXCLUDED_PARENT_NOT_FOUND);
	assert_int_equal(workload(m, "g")->cluster_queue.v, node(m, "leaf").v);
	assert_int_equal(workload(m, "h")->excluded, FL_INCLUDED);
	assert_string_equal(fl_excluded_name(FL_EXCLUDED_PARENT_NOT_FOUND), "ParentDoesNotExist");
	/* each of the three queues, and the workload, says so */
	uint32_t said = 0;
	for (uint32_t i = 0; i < m->n_notices; i++)
		said += m->notices[i].kind == FL_NOTICE_MISSING_PARENT;
	assert_int_equal(said, 4);
	fl_model_free(m);
}

TEST(loops)
{
	static const struct {
		const char *text, *subject, *error;
		unsigned line;
	} rows[] = {
		{ Q("b", "c", "") Q("a", "b", "") Q("c", "a", "") Q("below", "c", ""), "Queue/a",
		  "the parents of queues form a loop: 'a -> b -> c -> a'", 7 },
		{ Q("s", "s", ""), "Queue/s", "the parents of queues form a loop: 's -> s'", 2 },
		/* of two loops that of the least name, wherever it stands */
		{ Q("z", "y", "") Q("y", "z", "") Q("d", "c", "") Q("c", "d", ""), "Queue/c",
		  "the parents of queues form a loop: 'c -> d -> c'", 17 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;

		seal_fails(rows[i].text, &err);
		assert_string_equal(err.text, rows[i].error);
		assert_string_equal(err.subject, rows[i].subject);
		assert_int_equal(err.line, rows[i].line);
		assert_int_equal(err.column, 1);
		assert_string_equal(err.file, "in");
	}
}

/* A chain of 30,000 queues below one that is left out: no recursion, no square. */
TEST(long_chain)
{
	const uint32_t n = 30000;
	struct fl_model *m = NULL;
	fairlead_error err;

	assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
	for (uint32_t i = 0; i < n; i++) {
		struct fl_node_row row = fl_entitled_default;
		char name[16];

		snprintf(name, sizeof name, "q%u", i);
		assert_int_equal(fl_model_sym(m, name, strlen(name), &row.name, &err), 0);
		snprintf(name, sizeof name, "q%u", i + 1);
		assert_int_equal(fl_model_sym(m, name, strlen(name), &row.parent_name, &err), 0);
		assert_int_equal(fl_model_push_entitlements(m, &fl_entitlement_default,
							    &row.entitlement, &err),
				 0);
		assert_int_equal(fl_model_add_node(m, &row, &err), 0);
	}
	assert_int_equal(fl_model_seal(m, &err), 0);
	assert_int_equal(m->nodes[0].inactive, FL_INACTIVE_PARENT_NOT_FOUND);
	assert_int_equal(m->n_notices + m->notices_dropped, n);
	fl_model_free(m);
}

TEST(gangs)
{
	struct fl_model *m = load(
		Q("top", "", "quota: 8") Q("a", "top", "quota: 8") NODE("n", "8") POD(
			"foreign", "", "1") POD("z", OF("g"), "1") POD("lost", OF("nowhere"), "1")
			POD("b", OF("g"), "2") POD("lone",
						   LABELS("kai.scheduler/queue: a, "
							  "priorityClassName: build"),
						   "3") POD("m", OF("g"), "3")
				PG("g", "queue: a, minMember: 2") PG("up", "queue: top")
					PG("homeless", "minMember: 1")
						PG("wrong", "queue: elsewhere"));
	const struct fl_workload_row *g = workload(m, "g"), *lone = workload(m, "lone");
	const struct fl_gang *gang = &m->gangs[g->gang];
	char line[512];

	assert_int_equal(gang->tasks.n, 3);
	assert_string_equal(fl_model_text(m, m->tasks[gang->tasks.first].name), "b");
	assert_string_equal(fl_model_text(m, m->tasks[gang->tasks.first + 1].name), "m");
	assert_string_equal(fl_model_text(m, m->tasks[gang->tasks.first + 2].name), "z");
	for (uint32_t t = 0; t < 3; t++)
		assert_int_equal(m->tasks[gang->tasks.first + t].workload.v, g - m->workloads);
	assert_int_equal(gang->queue.v, node(m, "a").v);
	assert_int_equal(g->cluster_queue.v, node(m, "a").v);
	assert_false(gang->lone);

	assert_true(m->gangs[lone->gang].lone);
	assert_int_equal(m->gangs[lone->gang].tasks.n, 1);
	assert_int_equal(lone->priority, 100);
	assert_false(m->gangs[lone->gang].preemptible);
	assert_int_equal(lone->excluded, FL_INCLUDED);
	/* one that is alone is found without a look at other pods; one of a group is not, by that table */
	assert_int_equal(fl_named_find(m, FL_TABLE_POD, lone->namespace, lone->name),
			 lone - m->workloads);
	assert_int_equal(fl_named_find(m, FL_TABLE_POD, lone->namespace,
				       m->tasks[gang->tasks.first].name),
			 FL_NONE);
	/* by a pod's name its workload is found */
	assert_int_equal(fl_model_find_workload(m, "default", "m").v, g - m->workloads);

	assert_int_equal(m->n_tasks, 6); /* those of no workload stand last */
	assert_int_equal(m->tasks[4].workload.v, FL_NONE);
	assert_int_equal(m->tasks[5].workload.v, FL_NONE);
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_MISSING_POD_GROUP, line),
		"27:1 Pod/default/lost: pod group 'nowhere' does not exist; the pod only "
		"uses resources of its node");
	assert_int_equal(workload(m, "up")->excluded, FL_EXCLUDED_NOT_A_LEAF);
	assert_int_equal(workload(m, "up")->cluster_queue.v, node(m, "top").v);
	assert_string_equal(
		load_notice_line(m, FL_NOTICE_NOT_A_LEAF, line),
		"52:1 PodGroup/default/up: queue 'top' has queues below it: the workload "
		"is never scheduled, but its request counts");
	assert_int_equal(workload(m, "homeless")->excluded, FL_EXCLUDED_NO_QUEUE);
	assert_string_equal(load_notice_line(m, FL_NOTICE_NO_QUEUE, line),
			    "57:1 PodGroup/default/homeless: no queue: it is never scheduled");
	assert_int_equal(workload(m, "wrong")->excluded, FL_EXCLUDED_NO_QUEUE);
	assert_string_equal(load_notice_line(m, FL_NOTICE_MISSING_QUEUE, line),
			    "62:1 PodGroup/default/wrong: queue 'elsewhere' does not exist");
	assert_string_equal(fl_model_text(m, m->resources[m->axis[FL_CPU].v]), "cpu");
	assert_string_equal(fl_model_text(m, m->resources[m->axis[FL_MEMORY].v]), "memory");
	assert_string_equal(fl_model_text(m, m->resources[m->axis[FL_GPU].v]), "nvidia.com/gpu");
	fl_model_free(m);
}

TEST(priorities)
{
	static const struct {
		const char *spec;
		int32_t priority;
		bool preemptible;
	} rows[] = {
		{ "queue: a", 50, true },
		{ "queue: a, priorityClassName: train", 50, true },
		{ "queue: a, priorityClassName: build", 100, false },
		{ "queue: a, priorityClassName: inference", 125, false },
		{ "queue: a, priorityClassName: interactive-preemptible", 75, true },
		{ "queue: a, priorityClassName: mine", 99, true },
		{ "queue: a, priorityClassName: gone", 50, true },
		{ "queue: a, priorityClassName: mine, preemptibility: non-preemptible", 99, false },
		{ "queue: a, priorityClassName: build, preemptibility: preemptible", 100, true },
	};
	char text[2048];

	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof text,
			 "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
			 "mine}\nvalue: 99\n" Q("a", "", "quota: 1") PG("g", "%s"),
			 rows[i].spec);
		struct fl_model *m = load(text);

		assert_int_equal(workload(m, "g")->priority, rows[i].priority);
		assert_true(m->gangs[workload(m, "g")->gang].preemptible == rows[i].preemptible);
		assert_true((load_notice(m, FL_NOTICE_MISSING_PRIORITY_CLASS) != NULL) ==
			    (strstr(rows[i].spec, "gone") != NULL));
		fl_model_free(m);
	}
}

TEST(machines)
{
	struct fl_model *m = load(NODE("n", "8") Q(
		"a", "",
		"quota: 1") "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {runai/queue: a}}\n"
			    "spec: {nodeName: n}\n"
			    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q, labels: {runai/queue: a}}\n"
			    "spec: {nodeName: gone}\n");
	char line[512];

	assert_int_equal(m->tasks[0].machine.v, 0);
	assert_int_equal(m->tasks[1].machine.v, FL_NONE);
	assert_string_equal(load_notice_line(m, FL_NOTICE_MISSING_MACHINE, line),
			    "17:1 Pod/default/q: node 'gone' does not exist; what the pod holds "
			    "counts for its queue only");
	fl_model_free(m);
}

/* Without anything of KAI's, nodes and pods are passed over as any other object. */
TEST(borrow)
{
	struct fl_model *m = load(NODE("n", "8") POD("p", "", "1"));
	char line[512];

	assert_int_equal(fl_model_dialect(m), FL_DIALECT_KUEUE);
	assert_int_equal(m->n_tasks + m->n_machines, 0);
	assert_int_equal(m->n_notices, 2);
	assert_int_equal(m->axis[FL_CPU].v, FL_NONE);
	assert_string_equal(load_notice_line(m, FL_NOTICE_IGNORED_OBJECT, line),
			    "7:1 Pod/default/p: kind 'Pod' of 'v1' is not read");
	fl_model_free(m);
}

TEST(refused)
{
	static const struct {
		const char *text, *subject, *error;
		unsigned line, column;
	} rows[] = {
		{ POD("p", OF("g"), "1") POD("o", OF("g"), "1") POD("p", OF("h"), "1"),
		  "Pod/default/p", "defined twice", 12, 1 },
		{ HISTORY(SAMPLE("05:00", "06:00")) HISTORY(SAMPLE("04:00", "05:01")) PG("g", ""),
		  "UsageHistory capacity", "a sample that overlaps another", 5, 87 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;

		seal_fails(rows[i].text, &err);
		assert_string_equal(err.text, rows[i].error);
		assert_string_equal(err.subject, rows[i].subject);
		assert_int_equal(err.line, rows[i].line);
		assert_int_equal(err.column, rows[i].column);
	}
}

TEST(future)
{
	struct fl_model *m = load(PG("g", "") HISTORY(SAMPLE("00:00", "01:00")));
	fairlead_error err;

	assert_int_equal(m->newest, 60 * FL_SECOND);
	assert_int_equal(fl_model_check_samples(m, 60 * FL_SECOND, &err), 0);
	assert_int_equal(fl_model_check_samples(m, 59 * FL_SECOND, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "a sample from the future: it ends after now");
	assert_string_equal(err.subject, "UsageHistory capacity");
	assert_int_equal(err.line, 10);
	fl_model_free(m);
}

/* --- what check says of the tree --- */

TEST(lints)
{
	static const struct {
		const char *text;
		enum fl_notice_kind kind;
		const char *line; /* "": no such finding */
	} rows[] = {
		{ Q("p", "", "quota: 3") Q("a", "p", "quota: 2") Q("b", "p", "quota: 2"),
		  FL_NOTICE_CHILD_QUOTA,
		  "2:1 Queue/p: the queues below it deserve 4 gpu together, and it deserves 3" },
		{ Q("p", "", "quota: 4") Q("a", "p", "quota: 2") Q("b", "p", "quota: 2"),
		  FL_NOTICE_CHILD_QUOTA, "" },
		{ Q("p", "", "quota: 4") Q("a", "p", "quota: -1, limit: -1"), FL_NOTICE_CHILD_QUOTA,
		  "2:1 Queue/p: the queues below it deserve any amount of gpu together, and it "
		  "deserves 4" },
		{ Q("p", "", "limit: 4") Q("a", "p", "limit: 5"), FL_NOTICE_CHILD_LIMIT,
		  "7:1 Queue/a: its limit of gpu is 5, and that of its parent 'p' is 4" },
		{ Q("p", "", "limit: 4") Q("a", "p", "limit: -1"), FL_NOTICE_CHILD_LIMIT, "" },
		{ Q("p", "", "limit: 4") Q("a", "p", "limit: 4"), FL_NOTICE_CHILD_LIMIT, "" },
		{ Q("p", "", "quota: 1, limit: 4") Q("a", "p", "quota: 1, limit: -1")
			  PG("g", "queue: a, minMember: 2") POD("x", OF("g"), "2")
				  POD("y", OF("g"), "3"),
		  FL_NOTICE_NEVER_FITS,
		  "12:1 PodGroup/default/g: asks for 5 gpu to start; the limit of queue 'p' is 4" },
		{ Q("a", "", "quota: 1, limit: 4") PG("g", "queue: a, minMember: 1")
			  POD("x", OF("g"), "2") POD("y", OF("g"), "3"),
		  FL_NOTICE_NEVER_FITS, "" },
		{ Q("a", "", "quota: 1, limit: 4") PG(
			  "g", "queue: a, preemptibility: non-preemptible") POD("x", OF("g"), "2"),
		  FL_NOTICE_NEVER_FITS,
		  "7:1 PodGroup/default/g: may not be preempted and asks for 2 gpu; queue "
		  "'a' deserves 1" },
		{ Q("a", "", "quota: 1, limit: -1") PG("g", "queue: a, minMember: 2")
			  POD("x", OF("g"), "2") POD("y", OF("g"), "9") NODE("n", "8"),
		  FL_NOTICE_NEVER_FITS,
		  "7:1 PodGroup/default/g: 1 of its pods fit on any machine, and it needs 2 to "
		  "start" },
		{ Q("a", "", "quota: 1, limit: -1") PG("g", "queue: a, minMember: 2")
			  POD("x", OF("g"), "2") POD("y", OF("g"), "8") NODE("n", "8"),
		  FL_NOTICE_NEVER_FITS, "" },
		{ Q("a", "", "quota: 1, limit: -1") PG("g", "queue: a, minMember: 3")
			  POD("x", OF("g"), "2"),
		  FL_NOTICE_GANG_TOO_SMALL,
		  "7:1 PodGroup/default/g: 1 of the 3 pods that it needs to start are there" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_model *m = load(rows[i].text);
		fairlead_error err;
		char line[512];

		assert_int_equal(fl_lint_entitle(m, &err), 0);
		assert_string_equal(load_notice_line(m, rows[i].kind, line), rows[i].line);
		fl_model_free(m);
	}
}

UNIT_GROUP("seal-entitle")
