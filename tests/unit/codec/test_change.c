/* SPDX-License-Identifier: Apache-2.0 */
/* Objects laid over a state: what is replaced keeps, which changes are of cells, and memory that runs out. */
#include "codec/edit/change.h"

#include "codec/edit/change_cells.h"
#include "codec/edit/tape.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

#define HEAD "apiVersion: kueue.x-k8s.io/v1beta2\nkind: "

static const char state[] = HEAD
	"ResourceFlavor\nmetadata: {name: f}\n---\n" HEAD
	"ClusterQueue\nmetadata: {name: q, creationTimestamp: \"2026-01-01T00:00:00Z\"}\n"
	"spec:\n  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n"
	"    - {name: f, resources: [{name: cpu, nominalQuota: 4}]}\n---\n" HEAD
	"LocalQueue\nmetadata: {name: l, namespace: ns}\nspec: {clusterQueue: q}\n---\n" HEAD
	"Workload\nmetadata: {name: w, namespace: ns, uid: u1, creationTimestamp: \"2026-01-02T00:00:00Z\",\n"
	"  labels: {a: b}, ownerReferences: [{kind: Job, name: j}]}\nspec: {queueName: l, priority: 3}\n"
	"status:\n  conditions: [{type: QuotaReserved, status: \"True\", lastTransitionTime: \"2026-01-02T00:00:00Z\"}]\n"
	"  admission: {clusterQueue: q, podSetAssignments: [{name: main}]}\n---\n" HEAD
	"Workload\nmetadata: {name: gone, namespace: ns}\n";

static const char changes[] = HEAD
	"Workload\nmetadata: {name: w, namespace: ns}\nspec: {queueName: l, priority: 5}\n"
	"status: {conditions: [{type: Evicted, status: \"True\", reason: Preempted}]}\n---\n" HEAD
	"Workload\nmetadata: {name: new, namespace: ns}\nspec: {queueName: l}\n---\n" HEAD
	"ClusterQueue\nmetadata: {name: q}\nspec: {stopPolicy: Hold}\n";

struct text {
	const char *at;
};

static int read_text(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct text *t = user;
	size_t n = strlen(t->at);

	(void)err;
	n = n < size ? n : size;
	memcpy(buffer, t->at, n);
	t->at += n;
	*ret = n;
	return 0;
}

static int read(struct fl_model *m, const char *name, const char *text,
		const struct fl_kube_tap *tap, fairlead_error *err)
{
	struct text t = { text };
	const struct fl_source source = { read_text, &t };

	return fl_kube_read_from(m, name, &source, tap, err);
}

/* The state with the changes over it in *ret, whatever happens to be freed by the caller. */
static int overlay(const struct fl_mem *mem, struct fl_changes *c, struct fl_model **edit,
		   struct fl_model **before, struct fl_model **after, fairlead_error *err)
{
	int r = fl_changes_init(c, mem, err);

	if (r == 0)
		r = fl_changes_delete(c, "Workload/ns/gone", err);
	if (r == 0)
		r = fl_model_new(mem, edit, err);
	if (r == 0)
		r = read(*edit, "changes", changes, &c->collect, err);
	if (r == 0)
		r = fl_model_new(mem, before, err);
	if (r == 0)
		r = read(*before, "state", state, &c->compare, err);
	if (r < 0)
		return r;
	fl_changes_compared(c);
	c->now = (*before)->newest;
	r = fl_model_new(mem, after, err);
	if (r == 0)
		r = fl_changes_begin(c, *edit, *after, err);
	if (r == 0)
		r = read(*after, "state", state, &c->lay, err);
	if (r == 0)
		r = fl_changes_add(c, *after, err);
	return r < 0 ? r : fl_model_seal(*after, err);
}

/* A name that is generated in a change is that of no object in the state. */
TEST(generated_names)
{
	static const char *const names[] = { "w-0", "w-1", "w-new-0" };
	static const char base[] = HEAD
		"Workload\nmetadata: {generateName: w-, namespace: ns}\n---\n" HEAD
		"Workload\nmetadata: {generateName: w-, namespace: ns}\n";
	static const char more[] = HEAD "Workload\nmetadata: {generateName: w-, namespace: ns}\n";
	struct fl_model *edit, *before, *after;
	struct fl_changes c;

	assert_int_equal(fl_changes_init(&c, &fl_mem_heap, NULL), 0);
	/* Without the second one the first keeps its name. */
	assert_int_equal(fl_changes_delete(&c, "workload/ns/w-0", NULL), 0);
	assert_int_equal(fl_model_new(&fl_mem_heap, &edit, NULL), 0);
	assert_int_equal(fl_model_new(&fl_mem_heap, &before, NULL), 0);
	assert_int_equal(fl_model_new(&fl_mem_heap, &after, NULL), 0);
	assert_int_equal(read(edit, "changes", more, &c.collect, NULL), 0);
	assert_int_equal(read(before, "state", base, &c.compare, NULL), 0);
	fl_changes_compared(&c);
	assert_int_equal(fl_changes_begin(&c, edit, after, NULL), 0);
	assert_int_equal(read(after, "state", base, &c.lay, NULL), 0);
	assert_int_equal(fl_changes_add(&c, after, NULL), 0);
	assert_int_equal(before->n_workloads, 2);
	assert_int_equal(after->n_workloads, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_string_equal(fl_model_text(before, before->workloads[i].name), names[i]);
		assert_string_equal(fl_model_text(after, after->workloads[i].name), names[i + 1]);
	}
	fl_model_free(edit);
	fl_model_free(before);
	fl_model_free(after);
	fl_changes_done(&c);
}

TEST(laid_over)
{
	struct fl_model *edit = NULL, *before = NULL, *m = NULL;
	struct fl_changes c;
	fairlead_error err;

	if (overlay(&fl_mem_heap, &c, &edit, &before, &m, &err) < 0)
		fail_msg("%s: %s", err.subject, err.text);
	assert_true(c.general);
	assert_int_equal(m->n_workloads, 2);
	const struct fl_workload_row *w = &m->workloads[0], *fresh = &m->workloads[1];
	assert_string_equal(fl_model_text(m, w->uid), "u1");
	assert_string_equal(fl_model_text(m, w->owner_job), "j");
	assert_true(w->created == before->workloads[0].created);
	assert_int_equal(w->priority, 5);
	/* `admission` was left out and stays; `conditions` was not. */
	assert_int_equal(w->admission.n, 1);
	assert_false(w->reserved);
	assert_true(w->evicted);
	assert_string_equal(fl_model_text(m, fresh->name), "new");
	assert_true(fresh->created == c.now + FL_SECOND);
	assert_int_equal(m->nodes[0].stop, FL_STOP_HOLD);
	assert_int_equal(m->nodes[0].groups.n, 0);
	/* Places are in the file of the change. */
	assert_string_equal(fl_model_text(m, m->inputs[w->place.file]), "changes");
	assert_string_equal(fl_model_text(m, m->inputs[m->queues[0].place.file]), "state");
	assert_int_equal(fresh->place.line, 7);
	for (uint32_t i = 0; i < c.n; i++)
		assert_true(c.rows[i].met ==
			    (strcmp(fl_change_name(&c, i), "Workload/ns/new") != 0));
	fl_model_free(edit);
	fl_model_free(before);
	fl_model_free(m);
	fl_changes_done(&c);
}

/* Reads one object into @doc. */
static int keep(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	(void)kind;
	return fl_doc_copy(&k->doc, user, k->err);
}

TEST(cells_or_more)
{
#define QUEUE(spec) HEAD "ClusterQueue\nmetadata: {name: q}\nspec: {" spec "}\n"
#define GROUP(quota)                                                                               \
	"resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, "  \
	"nominalQuota: 4" quota "}]}]}]"
	static const struct {
		const char *before, *after;
		bool cells;
	} rows[] = {
		{ QUEUE(GROUP("")), QUEUE(GROUP("")), true },
		{ QUEUE(GROUP("")), QUEUE(GROUP(", borrowingLimit: 3")), true },
		{ QUEUE(GROUP(", lendingLimit: 1")), QUEUE(GROUP("")), true },
		{ QUEUE(""), QUEUE("fairSharing: {weight: 2}"), true },
		{ QUEUE("fairSharing: {weight: 3}"), QUEUE("fairSharing: null"), true },
		{ QUEUE(""), QUEUE("preemption: {}"), true },
		{ QUEUE(""), QUEUE("preemption: {reclaimWithinCohort: Any}"), false },
		{ QUEUE(""), QUEUE("namespaceSelector: {}"), false },
		{ QUEUE("namespaceSelector: {}"), QUEUE("namespaceSelector: {matchLabels: {a: b}}"),
		  false },
		{ QUEUE("cohortName: a"), QUEUE("cohortName: b"), false },
		{ QUEUE("cohortName: a"), QUEUE("cohort: a"), false }, /* the same, but who knows */
		{ QUEUE(GROUP("")), QUEUE(""), false },
		{ QUEUE("resourceGroups: []"), QUEUE(""), false },
		{ QUEUE(GROUP("")),
		  QUEUE("resourceGroups: [{coveredResources: [cpu], flavors: [{name: g, resources: "
			"[{name: cpu, nominalQuota: 4}]}]}]"),
		  false },
		{ QUEUE(GROUP("")),
		  QUEUE(GROUP("}]}, {name: g, resources: [{name: cpu, nominalQuota: 1")), false },
		{ QUEUE(""), QUEUE("") "status: {pendingWorkloads: 3}\n", true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_doc docs[2];
		const char *texts[] = { rows[i].before, rows[i].after };
		fairlead_error err;

		for (int k = 0; k < 2; k++) {
			struct fl_kube_tap tap = { .object = keep, .user = &docs[k] };
			struct fl_model *m = NULL;

			assert_int_equal(fl_model_new(&fl_mem_heap, &m, &err), 0);
			if (read(m, "in", texts[k], &tap, &err) < 0)
				fail_msg("row %zu: %s: %s", i, err.subject, err.text);
			fl_model_free(m);
		}
		if (fl_change_is_of_cells(&docs[0], &docs[1], fl_kind_cluster_queue.fields) !=
		    rows[i].cells)
			fail_msg("row %zu", i);
		fl_doc_done(&docs[0]);
		fl_doc_done(&docs[1]);
	}
}

/* The n-th allocation fails, for every n: an error, and all is freed. */
TEST(memory)
{
	unsigned long n = 1;
	int r = -1;

	for (; r < 0; n++) {
		struct fl_model *models[3] = { NULL, NULL, NULL };
		struct fl_changes c;
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		r = overlay(&f.mem, &c, &models[0], &models[1], &models[2], &err);
		assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
		for (int i = 0; i < 3; i++)
			fl_model_free(models[i]);
		fl_changes_done(&c);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 50);
}

TEST(memory_of_a_tape)
{
	static const uint64_t key[2] = { 1, 2 };
	unsigned long n = 1;
	int r = -1;

	for (; r < 0; n++) {
		struct fl_model *m = NULL;
		struct fl_tape t;
		struct fail_mem f;
		fairlead_error err;

		fail_mem_init(&f);
		f.fail_at = n;
		r = fl_tape_init(&t, &f.mem, &err);
		if (r == 0)
			r = fl_model_new(&f.mem, &m, &err);
		if (r == 0)
			r = read(m, "in", state, &t.tap, &err);
		if (r == 0)
			r = fl_tape_hide(&t, key, &err);
		assert_true(r == 0 || r == FAIRLEAD_ENOMEM);
		fl_model_free(m);
		fl_tape_done(&t);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 30);
}

UNIT_GROUP("change")
