/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the recorded cases (tests/conformance, suite jobs) do not show: values of a wrong type, bounds,
 * memory that runs out, sets whose Workloads are there already, objects that come twice.
 */
#include "lib/unit.h"

#include "base/limits.h"
#include "codec/jobs/jobs.h"
#include "lib/fail_mem.h"

/* Answers as text: "job: reason (detail)" or "job: Workload queue priority set=count(resource n ...)". */
struct text {
	char bytes[1 << 13];
	size_t len;
	int code; /* that the callback returns */
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->bytes + t->len, sizeof t->bytes - t->len, format, args);
	va_end(args);
	t->len += n > 0 && (size_t)n < sizeof t->bytes - t->len ? (size_t)n : 0;
}

static int take(void *user, const struct fl_kjob_answer *a, fairlead_error *err)
{
	struct text *t = user;

	say(t, "%s%s:", t->len ? "; " : "", a->objects[0].name);
	if (a->reason != FL_KJOB_MADE)
		say(t, " %s", fl_kjob_reason_name(a->reason));
	if (a->detail)
		say(t, " (%s)", a->detail);
	for (uint32_t i = 0; i < a->n_workloads; i++) {
		const struct fl_kjob_workload *w = &a->workloads[i];

		say(t, " %s %s %d", w->name, w->queue, (int)w->priority);
		for (uint32_t k = 0; k < w->n_pod_sets; k++) {
			const struct fl_kjob_pod_set *set = &w->pod_sets[k];

			say(t, " %s=%d(", set->name, (int)set->count);
			for (uint32_t n = 0; n < set->counted.n; n++)
				say(t, "%s%s %d", n ? " " : "", set->counted.items[n].resource,
				    (int)(set->counted.items[n].amount / 1000000));
			say(t, ")");
		}
	}
	return t->code ? fl_fail(err, t->code, "enough") : 0;
}

/* All documents of @text, as objects that are there already. */
static int make(const struct fl_mem *mem, const char *text, uint32_t frameworks, struct text *t,
		fairlead_error *err)
{
	const struct fl_kjobs_config config = {
		.frameworks = frameworks,
		.gates = FL_KJOBS_DEFAULT_GATES,
	};
	struct fl_reader *reader;
	struct fl_token token;
	struct fl_kjobs *j;
	struct fl_doc doc;
	int r = fl_kjobs_new(mem, &j, err);

	if (r < 0)
		return r;
	assert_int_equal(fl_reader_new(&fl_mem_heap, text, strlen(text), &reader, NULL), 0);
	fl_doc_init(&doc, &fl_mem_heap);
	assert_int_equal(fl_reader_next(reader, &token, NULL), 0);
	while (r == 0 && token.kind == FL_TOKEN_DOCUMENT) {
		fairlead_error problem;

		assert_int_equal(fl_reader_next(reader, &token, NULL), 0);
		fl_doc_clear(&doc);
		if (fl_doc_read(&doc, reader, &token, &problem) < 0)
			fail_msg("%s: %s", text, problem.text);
		/* Copies have the allocator that fails. */
		doc.mem = mem;
		r = fl_kjobs_add(j, &doc, &(struct fl_kjobs_origin){ 0 }, err);
		doc.mem = &fl_mem_heap;
		assert_int_equal(fl_reader_next(reader, &token, NULL), 0);
	}
	fl_doc_done(&doc);
	fl_reader_free(reader);
	if (r == 0)
		r = fl_kjobs_make(j, &config, take, t, err);
	assert_null(fl_kjobs_free(j));
	return r;
}

enum { ALL = (1 << FL_FRAMEWORKS) - 1 };

#define HEAD(version, kind, name)                                                                  \
	"apiVersion: " version "\nkind: " kind "\nmetadata: {name: " name                          \
	", namespace: ns, uid: u-" name ", labels: {kueue.x-k8s.io/queue-name: q}}\n"
#define JOB(name) HEAD("batch/v1", "Job", name)
#define POD(cpu) "{spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}"

static const struct {
	const char *objects, *answers;
} rows[] = {
	{ "kind: List\napiVersion: v1\n", "" },
	{ "[]", "" },
	{ JOB("a") "spec: {parallelism: 3, completions: 2, template: " POD("100m") "}\n",
	  "a: job-a-b0b74 q 0 main=2(cpu 100)" },
	/* The second one of the same place counts. */
	{ JOB("a") "spec: {parallelism: 3, template: " POD("1") "}\n---\n" JOB(
		  "a") "spec: {parallelism: 1, template: " POD("2") "}\n",
	  "a: job-a-b0b74 q 0 main=1(cpu 2000)" },
	/* Kinds in the order of their table, then names. */
	{ HEAD("v1", "Pod", "z") "---\n" JOB("b") "---\n" JOB("a"),
	  "a: job-a-b0b74 q 0 main=1(); b: job-b-acd3a q 0 main=1(); z: podNotManaged" },
	{ JOB("a") "spec: {template: " POD("lots") "}\n",
	  "a: unreadable (pod set 'main' container 'c' cpu: 'lots' is not a quantity)" },
	{ JOB("a") "spec: {template: " POD("-1") "}\n",
	  "a: unreadable (pod set 'main' container 'c' cpu: the quantity '-1' is negative)" },
	/* Fields of another type are absent. */
	{ JOB("a") "spec: [1, 2]\n", "a: job-a-b0b74 q 0 main=1()" },
	{ JOB("a") "spec: {parallelism: many, template: {spec: {containers: {a: b}, initContainers: "
		   "3, nodeSelector: [1], tolerations: {x: y}, overhead: 7}}}\n",
	  "a: job-a-b0b74 q 0 main=1()" },
	{ "apiVersion: batch/v1\nkind: Job\nmetadata: {name: [a], labels: 3, ownerReferences: x}\n",
	  ": noQueueName" },
	{ JOB("a") "spec: {parallelism: 99999999999, template: " POD("1") "}\n",
	  "a: invalidWorkload (the number of pods of a pod set is below 0, or too large)" },
	{ JOB("a") "spec: {parallelism: -1, template: " POD("1") "}\n",
	  "a: invalidWorkload (the number of pods of a pod set is below 0, or too large)" },
	/* Two owners of each other. */
	{ "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ns, uid: a, "
	  "ownerReferences: [{apiVersion: batch/v1, kind: Job, name: a, uid: a, controller: true}]}\n",
	  "a: ownerNotFound" },
	/* Steps of a path that lead somewhere, and nowhere. */
	{ HEAD("workload.codeflare.dev/v1beta2", "AppWrapper", "w") "spec: {components: [{template: {list: [0, " POD(
		  "1") "]}, podSets: [{path: 'template.list[1]'}, {path: 'template.list[2]'}, "
		       "{path: 'template.list[-1]'}, {path: 'template.list[1'}, {path: "
		       "'template..list'}, {path: 'template.list[0]'}, {replicas: 2, path: "
		       "'template.list[1]'}]}]}\n",
	  "w: appwrapper-w-ae5cd q 0 w-0=1(cpu 1000) w-1=2(cpu 1000)" },
	{ HEAD("workload.codeflare.dev/v1beta2", "AppWrapper", "w") "spec: {components: []}\n",
	  "w: invalidWorkload (it has no pod set)" },
	{ HEAD("trainer.kubeflow.org/v1alpha1", "TrainJob", "t"), "t: runtimeNotFound" },
	{ HEAD("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "l") "spec: {replicas: 65537}\n",
	  "l: unreadable (more than 65536 replicas)" },
	{ HEAD("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "l") "spec: {replicas: 0}\n",
	  "l: noReplicas" },
};

TEST(answers)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct text t = { .len = 0 };
		fairlead_error err;

		if (make(&fl_mem_heap, rows[i].objects, ALL, &t, &err) < 0)
			fail_msg("%s: %s", rows[i].objects, err.text);
		if (strcmp(t.bytes, rows[i].answers) != 0)
			fail_msg("%s\nis: %s\nnot: %s", rows[i].objects, t.bytes, rows[i].answers);
	}
}

/* --- sets whose Workloads are there ------------------------------------------------------------ */

#define WORKLOAD(name, kind, version, owner)                                                       \
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: " name          \
	", namespace: ns, ownerReferences: [{apiVersion: " version ", kind: " kind                 \
	", name: " owner ", uid: u-" owner                                                         \
	"}]}\nspec: {queueName: old, priority: 7, podSets: [{name: main, count: 5, "               \
	"template: " POD("9") "}]}\n"

TEST(sets_with_workloads)
{
	struct text t = { .len = 0 };
	fairlead_error err;
	char first[64], *space;
	static const char set[] = HEAD(
		"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
		"l") "spec: {replicas: 2, leaderWorkerTemplate: {size: 3, workerTemplate: " POD("1") "}}\n";
	char all[2048];

	/* The name of the first, to have it there. */
	assert_int_equal(make(&fl_mem_heap, set, ALL, &t, &err), 0);
	snprintf(first, sizeof first, "%.60s", t.bytes + strlen("l: "));
	space = strchr(first, ' ');
	assert_non_null(space);
	*space = '\0';
	snprintf(
		all, sizeof all,
		"%s---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: %s, "
		"namespace: ns}\nspec: {queueName: old, priority: 7, podSets: [{name: main, count: 5, "
		"template: " POD("9") "}]}\n",
		set, first);
	t = (struct text){ .len = 0 };
	assert_int_equal(make(&fl_mem_heap, all, ALL, &t, &err), 0);
	/* The first keeps its pods and follows in its queue, the second is new. */
	assert_non_null(strstr(t.bytes, " q 7 main=5(cpu 9000) leaderworkerset-l-1-"));
	assert_non_null(strstr(t.bytes, " q 0 main=3(cpu 1000)"));

	t = (struct text){ .len = 0 };
	assert_int_equal(
		make(&fl_mem_heap,
		     HEAD("apps/v1", "StatefulSet", "s") "spec: {replicas: 2, template: " POD(
			     "1") "}\n" WORKLOAD("w", "StatefulSet", "apps/v1", "s"),
		     ALL, &t, &err),
		0);
	assert_string_equal(t.bytes, "s: w q 7 main=5(cpu 9000)");
}

/* --- bounds and failures -------------------------------------------------------------------------- */

TEST(too_many_resources)
{
	char *text = malloc(1 << 14), *at = text;
	struct text t = { .len = 0 };
	fairlead_error err;

	at += sprintf(at, "%s",
		      JOB("a") "spec: {template: {spec: {containers: [{name: c, resources: "
			       "{requests: {");
	for (int i = 0; i <= FL_MAX_RESOURCES; i++)
		at += sprintf(at, "%sr%d: 1", i ? ", " : "", i);
	sprintf(at, "}}}]}}}\n");
	assert_int_equal(make(&fl_mem_heap, text, ALL, &t, &err), 0);
	assert_string_equal(t.bytes,
			    "a: unreadable (pod set 'main' container 'c': more than 64 resources)");
	free(text);
}

TEST(disabled)
{
	struct text t = { .len = 0 };
	fairlead_error err;

	assert_int_equal(make(&fl_mem_heap, JOB("a"), 0, &t, &err), 0);
	assert_string_equal(t.bytes, "a: integrationDisabled");
}

TEST(reasons_have_words)
{
	for (int i = FL_KJOB_MADE + 1; i < FL_KJOB_REASONS; i++) {
		assert_true(*fl_kjob_reason_name((enum fl_kjob_reason)i));
		assert_true(strlen(fl_kjob_reason_sentence((enum fl_kjob_reason)i)) > 10);
	}
}

TEST(ends_with_the_callback)
{
	struct text t = { .code = FAIRLEAD_EIO };
	fairlead_error err;

	assert_int_equal(make(&fl_mem_heap, JOB("a") "---\n" JOB("b"), ALL, &t, &err),
			 FAIRLEAD_EIO);
	assert_string_equal(err.text, "enough");
	assert_null(strstr(t.bytes, "b:"));
}

/* All kinds of steps, with each allocation failing. */
TEST(memory_runs_out)
{
	static const char objects[] = JOB("a") "spec: {template: " POD(
		"1") "}\n---\n"
		     "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, labels: "
		     "{kueue.x-k8s.io/managed: 'true', kueue.x-k8s.io/queue-name: q, "
		     "kueue.x-k8s.io/pod-group-name: g}, annotations: "
		     "{kueue.x-k8s.io/pod-group-total-count: '1'}}\nspec: {containers: [{name: c}]}\n---\n" HEAD(
			     "ray.io/v1", "RayJob",
			     "r") "spec: {rayClusterSpec: {enableInTreeAutoscaling: "
				  "true, headGroupSpec: {template: " POD(
					  "1") "}, workerGroupSpecs: [{groupName: w, "
					       "replicas: 2, template: " POD("2") "}]}}\n---\n" HEAD(
						       "leaderworkerset.x-k8s.io/v1",
						       "LeaderWorkerSet",
						       "l") "spec: {replicas: 2, "
							    "leaderWorkerTemplate: {size: 2, leaderTemplate: " POD("1") ", workerTemplate: " POD("2") "}}\n---\n" HEAD(
								    "apps/v1", "StatefulSet",
								    "s") "spec: {template: " POD("1") "}\n" WORKLOAD("w",
														     "StatefulSet",
														     "apps/v1",
														     "s");
	struct text wanted = { .len = 0 }, t;
	unsigned long n = 0;
	fairlead_error err;
	int r;

	assert_int_equal(make(&fl_mem_heap, objects, ALL, &wanted, &err), 0);
	do {
		struct fail_mem mem;

		fail_mem_init(&mem);
		mem.fail_at = ++n;
		t = (struct text){ .len = 0 };
		r = make(&mem.mem, objects, ALL, &t, &err);
		assert_int_equal(mem.live, 0);
		assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
	} while (r < 0);
	assert_true(n > 10);
	assert_string_equal(t.bytes, wanted.bytes);
}

UNIT_GROUP("jobs")
