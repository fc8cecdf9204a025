/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of --fail-if: any text is parsed, or refused with a column; what
 * is parsed is a whole expression whose parts lie in the text, and has a value, which
 * is what its parts come to.
 */
#include <string.h>

#include "ask/borrow/outcome.h"
#include "cli/options/condition.h"
#include "cli/options/condition_words.h"
#include "codec/object/kube.h"
#include "fuzz/fuzz.h"

/* A queue that borrows, and what becomes of it with twice the quota. */
static const char before_text[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
	"---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: q}\n"
	"spec: {cohortName: c, namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], "
	"flavors: [{name: f, resources: [{name: cpu, nominalQuota: 2}]}]}]}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: r}\n"
	"spec: {cohortName: c, namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], "
	"flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1}]}]}]}\n"
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: lq, namespace: ns}\nspec: {clusterQueue: q}\n";
static const char job_text[] =
	"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
	"metadata: {name: w%d, namespace: ns}\nspec: {queueName: lq, podSets: [{name: main, "
	"count: 1, template: {spec: {containers: [{resources: {requests: {cpu: %d}}}]}}}]}\n";

struct side {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_outcome outcome;
};

static struct fl_arena arena;

static void prepare(struct side *s, int jobs)
{
	char text[sizeof before_text + 8 * sizeof job_text];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", before_text);
	struct fl_policy_options options = { .mem = &fl_mem_heap };
	struct fl_outcome_options run = { .face = &fl_borrow_asks,
					  .mem = &fl_mem_heap,
					  .arena = &arena,
					  .interval = FL_SECOND,
					  .cycles = 20 };

	for (int w = 0; w < jobs; w++)
		n += (size_t)snprintf(text + n, sizeof text - n, job_text, w, 1 + w);
	ENSURE(fl_model_new(&fl_mem_heap, &s->m, NULL) == 0);
	ENSURE(fl_kube_read(s->m, "in", text, n, NULL) == 0 && fl_model_seal(s->m, NULL) == 0);
	ENSURE(fl_borrow_policy.new(s->m, &options, &s->p, NULL) == 0);
	ENSURE(fl_outcome_run(&fl_borrow_policy, s->p, s->m, &run, &s->outcome, NULL) == 0);
}

/* Made once; reachable to the end. */
static const struct fl_difference *world(void)
{
	static struct side before, after;
	static struct fl_difference d;

	if (!before.m) {
		fl_arena_init(&arena, &fl_mem_heap);
		prepare(&before, 2);
		prepare(&after, 4);
		ENSURE(fl_difference(&before.outcome, &after.outcome, &arena, &d, NULL) == 0);
	}
	return &d;
}

static bool compare(unsigned op, fl_nanos a, fl_nanos b)
{
	switch (op) {
	case FL_OP_LESS:
		return a < b;
	case FL_OP_LESS_EQUAL:
		return a <= b;
	case FL_OP_MORE:
		return a > b;
	case FL_OP_MORE_EQUAL:
		return a >= b;
	case FL_OP_EQUAL:
		return a == b;
	default:
		ENSURE(op == FL_OP_UNEQUAL);
		return a != b;
	}
}

/* The steps, one after another, on a stack; what is left is the value. */
static bool value_of(const struct fl_condition *c, const bool *part)
{
	bool stack[sizeof c->steps / sizeof *c->steps];
	unsigned n = 0;

	for (unsigned i = 0; i < c->n_steps; i++) {
		int step = c->steps[i];

		if (step >= 0) {
			ENSURE((unsigned)step < c->n_parts);
			stack[n++] = part[step];
		} else if (step == FL_STEP_NOT) {
			ENSURE(n >= 1);
			stack[n - 1] = !stack[n - 1];
		} else {
			ENSURE(n >= 2 && (step == FL_STEP_AND || step == FL_STEP_OR));
			n--;
			stack[n - 1] = step == FL_STEP_AND ? stack[n - 1] && stack[n] :
							     stack[n - 1] || stack[n];
		}
	}
	ENSURE(n == 1);
	return stack[0];
}

static void check_parts(const struct fl_condition *c, size_t len)
{
	ENSURE(c->n_parts >= 1 && c->n_parts <= FL_CONDITION_PARTS);
	for (unsigned i = 0; i < c->n_parts; i++) {
		const struct fl_condition_part *p = &c->parts[i];

		ENSURE(p->len > 0 && p->start + p->len <= len);
		ENSURE(p->left.column == p->start + 1 && p->right.column <= len);
	}
}

static void evaluate(const struct fl_condition *c, size_t len)
{
	static struct fl_condition_result r;
	char buffer[64];
	fairlead_error err = { 0 };
	int code = fl_condition_evaluate(c, world(), &r, &err);

	if (code < 0) {
		ENSURE(code == FAIRLEAD_ENOENT && err.code == code && err.text[0]);
		ENSURE(err.column >= 1 && err.column <= len);
		return;
	}
	for (unsigned i = 0; i < c->n_parts; i++) {
		ENSURE(r.part[i] == compare(c->parts[i].op, r.left[i], r.right[i]));
		ENSURE(strlen(fl_condition_number(r.left[i], buffer)) < sizeof buffer);
		ENSURE(strlen(fl_condition_number(r.right[i], buffer)) < sizeof buffer);
	}
	ENSURE(r.holds == value_of(c, r.part));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fl_condition c;
	fairlead_error err = { 0 };
	char *text = malloc(size + 1);

	ENSURE(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	size_t len = strlen(text);
	int r = fl_condition_parse(text, &c, &err);

	if (r < 0) {
		ENSURE(r == FAIRLEAD_EINPUT && err.code == r && err.text[0]);
		ENSURE(err.column >= 1 && err.column <= len + 1);
	} else {
		ENSURE(strcmp(c.text, text) == 0);
		check_parts(&c, len);
		evaluate(&c, len);
	}
	free(text);
	return 0;
}
