/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "cli/options/condition.h"
#include "cli/options/condition_words.h"

static const fl_nanos unit = 1000000000;

/* What an argument names: a pair of nodes or of workloads, or all workloads. */
struct scope {
	const struct fl_pair *node, *workload;
};

static const char *node_name(const struct fl_difference *d, const struct fl_pair *pair)
{
	const struct fl_model *m = pair->after == FL_NONE ? d->before->model : d->after->model;
	uint32_t n = pair->after == FL_NONE ? pair->before : pair->after;

	return fl_model_text(m, m->nodes[n].name);
}

static bool is_workload(const struct fl_difference *d, const struct fl_pair *pair, const char *name)
{
	const struct fl_model *m = pair->after == FL_NONE ? d->before->model : d->after->model;
	const struct fl_workload_row *w =
		&m->workloads[pair->after == FL_NONE ? pair->before : pair->after];
	const char *namespace = fl_model_text(m, w->namespace);
	size_t len = strlen(namespace);

	return strncmp(namespace, name, len) == 0 && name[len] == '/' &&
	       strcmp(fl_model_text(m, w->name), name + len + 1) == 0;
}

/* "job/name", "namespace/job/name" */
static struct fl_workload find_job(const struct fl_model *m, const char *name)
{
	const char *job = strstr(name, "job/");
	char namespace[FL_MAX_NAME + 1] = "";

	if (!job || (job != name && job[-1] != '/') || strchr(job + 4, '/'))
		return (struct fl_workload){ FL_NONE };
	if (job != name && job - name - 1 < (int)sizeof(namespace))
		memcpy(namespace, name, (size_t)(job - name - 1));
	return fl_model_find_job(m, *namespace ? namespace : NULL, job + 4);
}

static const struct fl_pair *find_workload(const struct fl_difference *d, const char *name)
{
	struct fl_workload after = find_job(d->after->model, name);
	struct fl_workload before = find_job(d->before->model, name);

	for (uint32_t i = 0; i < d->n_workloads; i++) {
		const struct fl_pair *pair = &d->workloads[i];

		if (is_workload(d, pair, name) || (after.v != FL_NONE && pair->after == after.v) ||
		    (after.v == FL_NONE && before.v != FL_NONE && pair->before == before.v))
			return pair;
	}
	return NULL;
}

static const struct fl_pair *find_node(const struct fl_difference *d, const char *name)
{
	for (uint32_t i = 0; i < d->n_nodes; i++) /* queues stand before cohorts */
		if (strcmp(node_name(d, &d->nodes[i]), name) == 0)
			return &d->nodes[i];
	return NULL;
}

static void offer_workloads(const struct fl_difference *d, struct fl_nearest *near)
{
	char name[2 * FL_MAX_NAME + 2];

	for (uint32_t i = 0; i < d->n_workloads; i++) {
		const struct fl_pair *pair = &d->workloads[i];
		const struct fl_model *m = pair->after == FL_NONE ? d->before->model :
								    d->after->model;
		const struct fl_workload_row *w =
			&m->workloads[pair->after == FL_NONE ? pair->before : pair->after];

		snprintf(name, sizeof(name), "%s/%s", fl_model_text(m, w->namespace),
			 fl_model_text(m, w->name));
		fl_nearest_offer(near, name);
	}
}

static int fail_unknown(const struct fl_difference *d, const struct fl_condition_argument *a,
			const char *what, fairlead_error *err)
{
	struct fl_nearest near = { .wanted = a->text };
	char text[1600];

	if (strchr(a->text, '/'))
		offer_workloads(d, &near);
	else
		for (uint32_t i = 0; i < d->n_nodes; i++)
			fl_nearest_offer(&near, node_name(d, &d->nodes[i]));
	if (near.n)
		fl_fail(err, FAIRLEAD_ENOENT, "there is no %s '%s'; did you mean %s?", what,
			a->text, fl_nearest_text(&near, text, sizeof(text)));
	else
		fl_fail(err, FAIRLEAD_ENOENT, "there is no %s '%s'", what, a->text);
	err->column = a->column;
	return FAIRLEAD_ENOENT;
}

static int resolve(const struct fl_condition_value *v, const struct fl_difference *d,
		   struct scope *ret, fairlead_error *err)
{
	const struct fl_condition_argument *a = &v->arguments[0];

	*ret = (struct scope){ 0 };
	if (v->n_arguments == 0)
		return 0;
	if (v->name <= FL_NAME_EVICTED && strchr(a->text, '/')) {
		ret->workload = find_workload(d, a->text);
		return ret->workload ? 0 : fail_unknown(d, a, "workload", err);
	}
	ret->node = find_node(d, a->text);
	return ret->node ? 0 : fail_unknown(d, a, "queue or cohort", err);
}

/* --- counts --- */

static bool is_below(const struct fl_model *m, struct fl_node n, uint32_t top)
{
	/* Cohorts may go in circles. */
	for (unsigned i = 0; n.v != FL_NONE && i <= FL_MAX_TREE_DEPTH + 1; i++) {
		if (n.v == top)
			return true;
		n = m->nodes[n.v].parent;
	}
	return false;
}

/* Is one side of a pair within the scope? */
static bool within(const struct scope *s, const struct fl_pair *pair, const struct fl_outcome *o,
		   bool after)
{
	uint32_t w = after ? pair->after : pair->before;

	if (s->workload)
		return pair == s->workload;
	return !s->node ||
	       is_below(o->model, o->workloads[w].queue, after ? s->node->after : s->node->before);
}

static bool counts(int name, const struct fl_outcome_workload *w)
{
	return name == FL_NAME_ADMITTED ? w->holds :
	       name == FL_NAME_WAITING  ? w->waits :
					  w->evicted;
}

static fl_nanos count(const struct fl_condition_value *v, const struct scope *s,
		      const struct fl_difference *d)
{
	fl_nanos n = 0;

	for (uint32_t i = 0; i < d->n_workloads; i++) {
		const struct fl_pair *pair = &d->workloads[i];
		bool before = pair->before != FL_NONE &&
			      counts(v->name, &d->before->workloads[pair->before]);
		bool after = pair->after != FL_NONE &&
			     counts(v->name, &d->after->workloads[pair->after]);
		bool look_after = v->side == FL_SIDE_AFTER || v->side == FL_SIDE_NEW;
		bool yes = v->side == FL_SIDE_AFTER  ? after :
			   v->side == FL_SIDE_BEFORE ? before :
			   v->side == FL_SIDE_NEW    ? after && !before :
						       before && !after;

		n += yes && within(s, pair, look_after ? d->after : d->before, look_after);
	}
	return n * unit;
}

static fl_nanos loops(const struct fl_condition_value *v, const struct fl_difference *d)
{
	bool before = d->before->result.loop_first, after = d->after->result.loop_first;
	bool yes = v->side == FL_SIDE_AFTER  ? after :
		   v->side == FL_SIDE_BEFORE ? before :
		   v->side == FL_SIDE_NEW    ? after && !before :
					       before && !after;

	return yes ? unit : 0;
}

/* --- nodes --- */

static fl_nanos share(const struct fl_outcome *o, uint32_t node)
{
	double precise = node == FL_NONE || !o->nodes[node].active ?
				 0 :
				 o->face->share(o, (struct fl_node){ node });

	return precise < 9e18 ? (fl_nanos)ceil(precise) * unit : FL_NANOS_INFINITE;
}

static fl_nanos amount(const struct fl_condition_value *v, const struct fl_outcome *o,
		       uint32_t node)
{
	enum fl_node_amount what = v->name == FL_NAME_USAGE      ? FL_NODE_USAGE :
				   v->name == FL_NAME_BORROWED   ? FL_NODE_BORROWED :
				   v->name == FL_NAME_FAIR_SHARE ? FL_NODE_FAIR_SHARE :
								   FL_NODE_QUOTA;

	return node == FL_NONE ?
		       0 :
		       o->face->amount(o, (struct fl_node){ node }, what, v->arguments[1].text);
}

static int check_resource(const struct fl_condition_value *v, const struct fl_difference *d,
			  fairlead_error *err)
{
	const struct fl_model *models[] = { d->before->model, d->after->model };
	struct fl_nearest near = { .wanted = v->arguments[1].text };
	char text[1600];

	if (d->before->face->has_resource && d->before->face->has_resource(v->arguments[1].text))
		return 0;
	for (int i = 0; i < 2; i++)
		for (uint32_t r = 0; r < models[i]->n_resources; r++) {
			const char *name = fl_model_text(models[i], models[i]->resources[r]);

			if (strcmp(name, v->arguments[1].text) == 0)
				return 0;
			if (i == 0)
				fl_nearest_offer(&near, name);
		}
	fl_fail(err, FAIRLEAD_ENOENT,
		near.n ? "there is no resource '%s'; did you mean %s?" :
			 "there is no resource '%s'",
		v->arguments[1].text, fl_nearest_text(&near, text, sizeof(text)));
	err->column = v->arguments[1].column;
	return FAIRLEAD_ENOENT;
}

static int evaluate(const struct fl_condition_value *v, const struct fl_difference *d,
		    fl_nanos *ret, fairlead_error *err)
{
	const struct fl_outcome *o = v->side == FL_SIDE_BEFORE ? d->before : d->after;
	struct scope s;

	if (v->name < 0) {
		*ret = v->number;
		return 0;
	}
	if (v->name == FL_NAME_FAIR_SHARE && !d->before->face->divides) {
		fl_fail(err, FAIRLEAD_ENOENT,
			"fairshare belongs to the entitle policy, and this is borrow");
		err->column = v->column;
		return FAIRLEAD_ENOENT;
	}
	int rc = resolve(v, d, &s, err);
	if (rc == 0 && v->n_arguments == 2)
		rc = check_resource(v, d, err);
	if (rc < 0)
		return rc;
	uint32_t node = !s.node ? FL_NONE : o == d->before ? s.node->before : s.node->after;
	if (v->name <= FL_NAME_EVICTED)
		*ret = count(v, &s, d);
	else if (v->name == FL_NAME_LOOPS)
		*ret = loops(v, d);
	else
		*ret = v->name == FL_NAME_SHARE ? share(o, node) : amount(v, o, node);
	return 0;
}

static bool compare(unsigned op, fl_nanos x, fl_nanos y)
{
	switch (op) {
	case FL_OP_LESS:
		return x < y;
	case FL_OP_LESS_EQUAL:
		return x <= y;
	case FL_OP_MORE:
		return x > y;
	case FL_OP_MORE_EQUAL:
		return x >= y;
	case FL_OP_EQUAL:
		return x == y;
	default:
		return x != y;
	}
}

int fl_condition_evaluate(const struct fl_condition *c, const struct fl_difference *d,
			  struct fl_condition_result *ret, fairlead_error *err)
{
	bool stack[FL_CONDITION_PARTS + 1];
	unsigned n = 0;

	*ret = (struct fl_condition_result){ 0 };
	for (unsigned i = 0; i < c->n_parts; i++) {
		const struct fl_condition_part *part = &c->parts[i];
		int rc = evaluate(&part->left, d, &ret->left[i], err);

		if (rc == 0)
			rc = evaluate(&part->right, d, &ret->right[i], err);
		if (rc < 0)
			return rc;
		ret->part[i] = compare(part->op, ret->left[i], ret->right[i]);
	}
	for (unsigned i = 0; i < c->n_steps; i++) {
		int step = c->steps[i];

		if (step >= 0) {
			stack[n++] = ret->part[step];
		} else if (step == FL_STEP_NOT) {
			stack[n - 1] = !stack[n - 1];
		} else {
			n--;
			stack[n - 1] = step == FL_STEP_AND ? stack[n - 1] && stack[n] :
							     stack[n - 1] || stack[n];
		}
	}
	ret->holds = stack[0];
	return 0;
}
