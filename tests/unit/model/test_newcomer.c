/* SPDX-License-Identifier: Apache-2.0 */
/* A workload that joins a sealed model is as one that was there when it was sealed. */
#include "lib/few.h"
#include "model/join_from.h"
#include "unit/codec/load.h"

#define K "apiVersion: kueue.x-k8s.io/v1beta2\n"
#define WL(name, spec)                                                                             \
	"---\n" K "kind: Workload\nmetadata: {name: " name ", namespace: ns, uid: u-" name         \
	", creationTimestamp: '2026-01-02T03:04:05Z'}\nspec: {" spec "}\n"
#define POD(count, resources)                                                                      \
	"podSets: [{name: main, count: " count ", template: {spec: {nodeSelector: {disk: fast}, "  \
	"tolerations: [{key: spot, operator: Exists}], containers: [{name: c, resources: "         \
	"{requests: {" resources "}}}]}}}]"

static const char cluster[] = K
	"kind: ResourceFlavor\nmetadata: {name: default}\n"
	"---\n" K "kind: ClusterQueue\nmetadata: {name: cq}\nspec: {namespaceSelector: {}, "
	"resourceGroups: [{coveredResources: [cpu, memory], flavors: [{name: default, resources: "
	"[{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]}]}]}\n"
	"---\n" K
	"kind: LocalQueue\nmetadata: {name: lq, namespace: ns}\nspec: {clusterQueue: cq}\n"
	"---\n" K "kind: WorkloadPriorityClass\nmetadata: {name: high}\nvalue: 7\n"
	"---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: r, namespace: ns}\nspec: {limits: "
	"[{type: Container, defaultRequest: {memory: 1Gi}, max: {cpu: 4}}]}\n";

#define FIRST WL("first", "queueName: lq, " POD("1", "cpu: 1"))
#define SECOND                                                                                     \
	WL("second", "queueName: lq, priorityClassRef: {group: kueue.x-k8s.io, kind: "             \
		     "WorkloadPriorityClass, name: high}, " POD("3", "cpu: 500m"))
#define LARGE WL("large", "queueName: lq, " POD("1", "cpu: 5"))
#define LOST WL("lost", "queueName: nowhere, " POD("1", "cpu: 1"))
#define ODD WL("odd", "queueName: lq, " POD("1", "example.com/fpga: 1"))

static char text[8192];

static struct fl_model *with(const char *more, uint32_t spare)
{
	struct fl_model *m;
	fairlead_error err = { 0 };

	(void)snprintf(text, sizeof text, "%s%s", cluster, more);
	m = load_open(&fl_mem_heap, text, &err);
	if (!m)
		fail_msg("%u:%u: %s: %s", err.line, err.column, err.subject, err.text);
	m->spare = spare;
	assert_int_equal(fl_model_seal(m, &err), 0);
	return m;
}

/* What is read from the objects alone, unsealed, joins. */
static int join(struct fl_model *m, const char *object, struct fl_workload *ret, const char **why)
{
	fairlead_error err = { 0 };
	struct fl_model *own = load_open(&fl_mem_heap, object, &err);
	int r;

	assert_non_null(own);
	r = fl_model_join_from(m, own, (struct fl_workload){ 0 }, ret, why, &err);
	fl_model_free(own);
	return r;
}

static void same_podsets(const struct fl_model *a, const struct fl_workload_row *x,
			 const struct fl_model *b, const struct fl_workload_row *y)
{
	assert_int_equal(x->podsets.n, y->podsets.n);
	for (uint32_t i = 0; i < x->podsets.n; i++) {
		const struct fl_podset *p = &a->podsets[x->podsets.first + i];
		const struct fl_podset *q = &b->podsets[y->podsets.first + i];

		assert_string_equal(fl_model_text(a, p->name), fl_model_text(b, q->name));
		assert_int_equal(p->count, q->count);
		assert_int_equal(p->spec_hash, q->spec_hash);
		assert_int_equal(p->node_selector.n, q->node_selector.n);
		assert_int_equal(p->tolerations.n, q->tolerations.n);
		assert_int_equal(p->requests.n, q->requests.n);
		for (uint32_t k = 0; k < p->requests.n; k++) {
			const struct fl_request *s = &a->requests[p->requests.first + k];
			const struct fl_request *t = &b->requests[q->requests.first + k];

			assert_int_equal(s->resource.v, t->resource.v);
			assert_int_equal(s->amount, t->amount);
		}
	}
}

static void same_workload(const struct fl_model *a, const struct fl_model *b, const char *name)
{
	const struct fl_workload_row *x = &a->workloads[fl_model_find_workload(a, "ns", name).v];
	const struct fl_workload_row *y = &b->workloads[fl_model_find_workload(b, "ns", name).v];

	assert_string_equal(fl_model_text(a, x->uid), fl_model_text(b, y->uid));
	assert_int_equal(x->created, y->created);
	assert_int_equal(x->priority, y->priority);
	assert_int_equal(x->excluded, y->excluded);
	assert_int_equal(x->requests, y->requests);
	assert_int_equal(x->queue.v, y->queue.v);
	assert_int_equal(x->cluster_queue.v, y->cluster_queue.v);
	same_podsets(a, x, b, y);
}

TEST(as_sealed)
{
	struct fl_model *whole = with(FIRST SECOND LARGE LOST, 0), *m = with(FIRST, 3);
	static const char *const objects[] = { SECOND, LARGE, LOST };
	static const char *const names[] = { "first", "second", "large", "lost" };
	struct fl_workload w;
	const char *why;

	for (size_t i = 0; i < COUNT(objects); i++) {
		assert_int_equal(fl_model_places_left(m), 3 - i);
		assert_int_equal(join(m, objects[i], &w, &why), 0);
		assert_int_equal(w.v, i + 1);
	}
	for (size_t i = 0; i < COUNT(names); i++)
		same_workload(whole, m, names[i]);
	assert_int_equal(m->newest, whole->newest);
	assert_int_equal(m->n_notices, whole->n_notices);
	assert_int_equal(fl_model_find_workload(m, "ns", "second").v, 1);
	fl_model_free(whole);
	fl_model_free(m);
}

TEST(places)
{
	struct fl_model *m = with(FIRST, 1), *none = with(FIRST, 0);
	struct fl_workload w;
	const char *why = NULL;
	fairlead_error err;

	assert_int_equal(join(none, SECOND, &w, &why), 1);
	assert_string_equal(why, "the model was sealed without places for more workloads");
	assert_int_equal(join(m, SECOND, &w, &why), 0);
	assert_int_equal(join(m, LARGE, &w, &why), 1);
	assert_string_equal(why, "all places of the model are taken");
	assert_int_equal(fl_model_leave(m, w, &err), 0);
	assert_int_equal(fl_model_find_workload(m, "ns", "second").v, FL_NONE);
	assert_int_equal(fl_model_find_workload(m, "ns", "first").v, 0);
	assert_int_equal(join(m, LARGE, &w, &why), 0);
	assert_int_equal(w.v, 1);
	assert_int_equal(fl_model_find_workload(m, "ns", "large").v, 1);
	fl_model_free(m);
	fl_model_free(none);
}

TEST(refused)
{
	struct fl_model *m = with(FIRST, 8);
	uint32_t podsets = 0, requests = 0;
	struct fl_workload w;
	const char *why = NULL;

	podsets = m->n_podsets;
	requests = m->n_requests;
	assert_int_equal(join(m, FIRST, &w, &why), FAIRLEAD_EINPUT);
	assert_int_equal(join(m, ODD, &w, &why), 1);
	assert_string_equal(why, "it needs a resource or a flavor that the model does not have");
	assert_int_equal(m->n_podsets, podsets);
	assert_int_equal(m->n_requests, requests);
	assert_int_equal(fl_model_places_left(m), 8);
	assert_int_equal(fl_model_find_workload(m, "ns", "odd").v, FL_NONE);
	fl_model_free(m);
}

/* An unknown RuntimeClass is told of once, as when a model is sealed. */
TEST(notices)
{
	static const char *const objects[] = {
		WL("x", "queueName: lq, podSets: [{name: main, count: 1, template: {spec: "
			"{runtimeClassName: gvisor, containers: [{name: c}]}}}]"),
		WL("y", "queueName: lq, podSets: [{name: main, count: 1, template: {spec: "
			"{runtimeClassName: gvisor, containers: [{name: c}]}}}]"),
	};
	struct fl_model *m = with(FIRST, 2);
	const uint32_t before = m->n_notices;
	struct fl_workload w;
	const char *why;

	for (size_t i = 0; i < COUNT(objects); i++) {
		assert_int_equal(join(m, objects[i], &w, &why), 0);
		assert_int_equal(m->n_notices, before + 1);
	}
	fl_model_free(m);
}

/* Names are found however many came and went, in whatever order. */
TEST(many)
{
	enum { MANY = 300, OBJECT = 1024 };
	struct fl_model *m = with("", MANY);
	struct fl_workload of[MANY];
	char name[16], object[OBJECT];
	const char *why;
	fairlead_error err;

	for (uint32_t i = 0; i < 5 * MANY; i++) {
		uint32_t at = i * 7 % MANY;

		if (i >= MANY)
			assert_int_equal(fl_model_leave(m, of[at], &err), 0);
		(void)snprintf(object, sizeof object,
			       K "kind: Workload\nmetadata: {name: w%u, namespace: ns}\nspec: "
				 "{queueName: lq, " POD("1", "cpu: 1") "}\n",
			       i);
		assert_int_equal(join(m, object, &of[at], &why), 0);
	}
	for (uint32_t i = 0; i < 5 * MANY; i++) {
		(void)snprintf(name, sizeof name, "w%u", i);
		assert_int_equal(fl_model_find_workload(m, "ns", name).v,
				 i < 4 * MANY ? FL_NONE : of[i * 7 % MANY].v);
	}
	fl_model_free(m);
}

/* Its eviction and its life come with it, and go with it. */
TEST(what_is_said_beside_its_row)
{
	static const char evicted[] = K
		"kind: Workload\nmetadata: {name: evicted, namespace: ns, annotations: "
		"{fairlead.dev/runs-for: 7s}}\nspec: {queueName: lq, " POD(
			"1",
			"cpu: 1") "}\nstatus: {conditions: [{type: Evicted, status: 'True', reason: Preempted, "
				  "lastTransitionTime: '2026-01-02T03:05:05Z'}, {type: Preempted, status: 'True', "
				  "reason: InCohortReclamation, lastTransitionTime: '2026-01-02T03:05:05Z'}]}\n";
	struct fl_model *m = with(FIRST, 1);
	const struct fl_eviction_row *row;
	struct fl_workload w;
	const char *why;
	fairlead_error err;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(join(m, evicted, &w, &why), 0);
		row = fl_model_eviction(m, w);
		assert_non_null(row);
		assert_string_equal(fl_model_text(m, row->reason), "Preempted");
		assert_string_equal(fl_model_text(m, row->rule), "InCohortReclamation");
		assert_int_equal(m->n_lives, 1);
		assert_int_equal(m->lives[0].workload.v, w.v);
		assert_int_equal(m->lives[0].runs, 7 * FL_SECOND);
		assert_int_equal(join(m, SECOND, &w, &why), 1);
		assert_int_equal(m->n_lives, 1);
		assert_int_equal(fl_model_leave(m, w, &err), 0);
		assert_int_equal(join(m, SECOND, &w, &why), 0);
		assert_null(fl_model_eviction(m, w));
		assert_int_equal(m->n_lives, 0);
		assert_int_equal(fl_model_leave(m, w, &err), 0);
	}
	fl_model_free(m);
}

/* What was pushed for one that left fills the model. */
TEST(worn)
{
	struct fl_model *m = with(FIRST, 8);
	struct fl_workload w;
	const char *why = NULL;

	m->worn.podsets = m->n_podsets + 1;
	assert_int_equal(join(m, SECOND, &w, &why), 0);
	assert_int_equal(join(m, LARGE, &w, &why), 1);
	assert_string_equal(why, "names and podsets of workloads that left fill the model");
	fl_model_free(m);
}

/* One that parts is found no more, and another of its name may come; its place is not free yet. */
TEST(in_two_parts)
{
	struct fl_model *m = with(FIRST, 2);
	const struct fl_workload first = { 0 };
	const enum fl_excluded was = m->workloads[0].excluded;
	struct fl_workload w;
	fairlead_error err;
	const char *why;

	fl_model_part(m, first);
	assert_int_equal(fl_model_find_workload(m, "ns", "first").v, FL_NONE);
	assert_int_equal(fl_model_places_left(m), 2);
	assert_int_equal(join(m, FIRST, &w, &why), 0);
	assert_int_equal(w.v, 1);
	assert_int_equal(fl_model_find_workload(m, "ns", "first").v, 1);
	fl_model_part(m, w);
	fl_model_unpart(m, first, was);
	assert_int_equal(fl_model_find_workload(m, "ns", "first").v, 0);
	assert_true(!m->workloads[0].finished && m->workloads[0].excluded == was);
	fl_model_part(m, first);
	assert_int_equal(fl_model_vacate(m, first, &err), 0);
	assert_int_equal(fl_model_places_left(m), 2);
	fl_model_free(m);
}

UNIT_GROUP("newcomer")
