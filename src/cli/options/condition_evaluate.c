/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "cli/options/condition_parts.h"

static const fl_nanos unit = 1000000000;

/* What an argument names: a pair of nodes or of workloads, or everybody. */
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

/* The largest saturation, in thousandths as the share of borrowing is. */
static double saturation(const struct fl_outcome *o, uint32_t node)
{
	double most = 0;

	for (int r = 0; r < FL_BUNDLE; r++)
		most = fmax(most, 1000 * fl_standings_saturation(&o->standings,
								 (struct fl_node){ node }, r));
	return most;
}

static fl_nanos share(const struct fl_outcome *o, uint32_t node)
{
	double precise = node == FL_NONE || !o->nodes[node].active ? 0 :
			 o->entitle                                ? saturation(o, node) :
								     o->nodes[node].share.precise;

	return precise < 9e18 ? (fl_nanos)ceil(precise) * unit : FL_NANOS_INFINITE;
}

static fl_nanos amount_of(int name, const struct fl_ledger_cell *cell)
{
	fl_amount amount = name == FL_NAME_USAGE    ? cell->usage :
			   name == FL_NAME_BORROWED ? cell->borrowed :
						      cell->subtree;

	return amount == FL_UNLIMITED ? FL_NANOS_INFINITE : amount;
}

static int resource_named(const char *name)
{
	return strcmp(name, "cpu") == 0                                        ? FL_CPU :
	       strcmp(name, "memory") == 0                                     ? FL_MEMORY :
	       strcmp(name, "gpu") == 0 || strcmp(name, "nvidia.com/gpu") == 0 ? FL_GPU :
										 FL_BUNDLE;
}

/* Of a queue of the entitle policy: in cores, bytes and GPUs. */
static fl_nanos standing_of(int name, const struct fl_outcome *o, uint32_t node, int res)
{
	if (res == FL_BUNDLE)
		return 0;
	const struct fl_standing *q = &o->standings.rows[node];
	double over = q->allocated.of[res] - q->deserved.of[res];
	bool unbounded = q->deserved.of[res] == FL_UNBOUNDED;
	double amount = name == FL_NAME_USAGE      ? q->allocated.of[res] :
			name == FL_NAME_FAIR_SHARE ? q->fair_share.of[res] :
			name == FL_NAME_QUOTA      ? q->deserved.of[res] :
			unbounded || over < 0      ? 0 :
						     over;

	if (amount == FL_UNBOUNDED || amount > 1e20)
		return FL_NANOS_INFINITE;
	return (fl_nanos)round(amount * (double)(res == FL_CPU ? unit / 1000 : unit));
}

/* Over all flavors, in whole units. */
static fl_nanos amount(const struct fl_condition_value *v, const struct fl_outcome *o,
		       uint32_t node)
{
	const char *resource = v->arguments[1].text;
	fl_nanos scale = strcmp(resource, "cpu") == 0 ? unit / 1000 : unit, sum = 0;

	if (node == FL_NONE)
		return 0;
	if (o->entitle)
		return standing_of(v->name, o, node, resource_named(resource));
	for (uint32_t i = 0; i < o->nodes[node].cells.n; i++) {
		const struct fl_ledger_cell *cell = &o->cells[o->nodes[node].cells.first + i];

		if (strcmp(fl_model_text(o->model, o->model->resources[cell->resource.v]),
			   resource) != 0)
			continue;
		fl_nanos more = amount_of(v->name, cell);
		if (more == FL_NANOS_INFINITE)
			return more;
		sum += more * scale;
	}
	return sum;
}

static int check_resource(const struct fl_condition_value *v, const struct fl_difference *d,
			  fairlead_error *err)
{
	const struct fl_model *models[] = { d->before->model, d->after->model };
	struct fl_nearest near = { .wanted = v->arguments[1].text };
	char text[1600];

	if (d->before->entitle && resource_named(v->arguments[1].text) != FL_BUNDLE)
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
	if (v->name == FL_NAME_FAIR_SHARE && !d->before->entitle) {
		fl_fail(err, FAIRLEAD_ENOENT,
			"fairshare is of the entitle policy, and this is borrow");
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
