/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain_needs.h"

#include <string.h>

#include "ask/borrow/explain_run.h"

static bool in_column(const struct fl_explain_run *r, const struct fl_explain_need *need,
		      struct fl_column *ret)
{
	struct fl_node q = r->x->cluster_queue;

	if (need->flavor.v == FL_NONE || need->resource.v == FL_NONE ||
	    r->tree->root[q.v] == FL_NONE)
		return false;
	*ret = fl_tree_column(r->tree, q, need->flavor, need->resource);
	return ret->v != FL_NONE;
}

static void judge(const struct fl_explain_run *r, struct fl_explain_need *need)
{
	struct fl_node q = r->x->cluster_queue;
	struct fl_column c;

	bool refused = need->verdict == FL_NEED_REFUSED;

	if (need->verdict == FL_NEED_NO_MATCH || need->verdict == FL_NEED_NOT_COVERED)
		return;
	if (!in_column(r, need, &c)) {
		if (!refused)
			need->verdict = need->requested > 0 ? FL_NEED_NEVER : FL_NEED_FITS;
		need->bind = (struct fl_bind){ .node = q };
		return;
	}
	struct fl_bind now = fl_path_bind(r->tree, r->usage, q, c);
	struct fl_bind ever = fl_path_bind_potential(r->tree, q, c);

	need->available = fl_amount_max(0, now.available);
	need->potential = fl_amount_max(0, ever.available);
	need->nominal = r->tree->nominal[fl_tree_cell(r->tree, q, c)];
	need->bind = now;
	if (refused)
		return;
	if (need->requested > need->potential) {
		need->verdict = FL_NEED_NEVER;
		need->bind = ever;
	} else if (need->requested > need->available) {
		need->verdict = FL_NEED_WAITS;
	}
}

static bool covered(const struct fl_model *m, const struct fl_node_row *queue,
		    struct fl_sym resource)
{
	for (uint32_t g = 0; g < queue->groups.n; g++) {
		const struct fl_group *group = &m->groups[queue->groups.first + g];

		for (uint32_t i = 0; i < group->resources.n; i++)
			if (m->syms[group->resources.first + i].v == resource.v)
				return true;
	}
	return false;
}

static bool gives(const struct fl_model *m, const struct fl_group *group, struct fl_flavor flavor,
		  struct fl_sym resource)
{
	bool has_flavor = false, has_resource = false;

	for (uint32_t i = 0; i < group->flavors.n; i++)
		has_flavor |= m->group_flavors[group->flavors.first + i].id.v == flavor.v;
	for (uint32_t i = 0; i < group->resources.n; i++)
		has_resource |= m->syms[group->resources.first + i].v == resource.v;
	return has_flavor && has_resource;
}

static bool same_group(const struct fl_explain_run *r, struct fl_flavor flavor,
		       struct fl_sym resource)
{
	const struct fl_node_row *queue = &r->model->nodes[r->x->cluster_queue.v];

	for (uint32_t g = 0; g < queue->groups.n; g++)
		if (gives(r->model, &r->model->groups[queue->groups.first + g], flavor, resource))
			return true;
	return false;
}

/* What podsets before @podset, if they went there too, take of it. */
static fl_amount earlier(const struct fl_explain_need *rows, uint32_t n, uint32_t podset,
			 struct fl_flavor flavor, struct fl_resource resource, bool *ret_known)
{
	fl_amount taken = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (rows[i].flavor.v != flavor.v || rows[i].resource.v != resource.v)
			continue;
		if (rows[i].podset == podset)
			*ret_known = true;
		else if (rows[i].podset < podset)
			taken = fl_amount_max(taken, rows[i].requested);
	}
	return taken;
}

/* Does a new podset or flavor begin at row @i? Rows of one group's flavor are neighbours. */
static bool begins(const struct fl_explain_need *rows, uint32_t i)
{
	return i == 0 || rows[i].podset != rows[i - 1].podset ||
	       rows[i].flavor.v != rows[i - 1].flavor.v;
}

/* The policy looks no further in a flavor once one resource cannot fit; a person wants them all. */
static uint32_t add_unlooked(const struct fl_explain_run *r, uint32_t n_logged,
			     struct fl_explain_need *rows, uint32_t n)
{
	const struct fl_model *m = r->model;
	const struct fl_workload_row *w = &m->workloads[r->x->workload.v];

	for (uint32_t i = 0; i < n_logged; i++) {
		if (rows[i].resource.v == FL_NONE || !begins(rows, i))
			continue;
		const struct fl_podset *ps = &m->podsets[w->podsets.first + rows[i].podset];

		for (uint32_t k = 0; k < ps->requests.n; k++) {
			const struct fl_request *q = &m->requests[ps->requests.first + k];
			bool known = false;
			fl_amount taken = earlier(rows, n, rows[i].podset, rows[i].flavor,
						  q->resource, &known);

			if (known || !same_group(r, rows[i].flavor, q->resource_name))
				continue;
			rows[n++] = (struct fl_explain_need){
				.podset = rows[i].podset,
				.flavor = rows[i].flavor,
				.resource = q->resource,
				.requested = fl_sat_add(taken,
							fl_sat_mul(q->amount, fl_podset_left(ps))),
			};
		}
	}
	return n;
}

static uint32_t add_not_covered(const struct fl_explain_run *r, struct fl_explain_need *rows,
				uint32_t n)
{
	const struct fl_model *m = r->model;
	const struct fl_workload_row *w = &m->workloads[r->x->workload.v];

	for (uint32_t k = 0; k < w->podsets.n; k++) {
		const struct fl_podset *ps = &m->podsets[w->podsets.first + k];

		for (uint32_t i = 0; i < ps->requests.n; i++) {
			const struct fl_request *q = &m->requests[ps->requests.first + i];

			if (q->amount <= 0 ||
			    covered(m, &m->nodes[r->x->cluster_queue.v], q->resource_name))
				continue;
			rows[n++] = (struct fl_explain_need){
				.podset = k,
				.flavor = { FL_NONE },
				.resource = q->resource,
				.verdict = FL_NEED_NOT_COVERED,
				.requested = fl_sat_mul(q->amount, fl_podset_left(ps)),
			};
		}
	}
	return n;
}

/* Another flavor has room for all that this podset asked of it in this resource's group. */
static bool fits_elsewhere(const struct fl_explain *x, const struct fl_explain_need *need)
{
	for (uint32_t i = 0; i < x->n_needs; i++) {
		const struct fl_explain_need *a = &x->needs[i];
		bool all = a->podset == need->podset && a->resource.v == need->resource.v &&
			   a->verdict == FL_NEED_FITS;

		for (uint32_t k = 0; all && k < x->n_needs; k++) {
			const struct fl_explain_need *b = &x->needs[k];

			all = b->podset != a->podset || b->flavor.v != a->flavor.v ||
			      b->verdict == FL_NEED_FITS;
		}
		if (all)
			return true;
	}
	return false;
}

/*
 * What is nearest to fitting decides: a lack of quota now, then of quota at all, then the
 * rest.  Of the first, those come first that the last search (@search) was about.
 */
static uint32_t failing_need(const struct fl_explain *x, uint32_t search)
{
	static const enum fl_explain_verdict order[] = {
		FL_NEED_NOT_COVERED, FL_NEED_REFUSED,  FL_NEED_WAITS,
		FL_NEED_NEVER,       FL_NEED_NO_MATCH,
	};

	for (uint32_t i = 0; search && i < x->n_needs; i++)
		if (x->needs[i].search == search && x->needs[i].verdict == FL_NEED_WAITS)
			return i;
	for (unsigned o = 0; o < sizeof(order) / sizeof(order[0]); o++)
		for (uint32_t i = 0; i < x->n_needs; i++) {
			const struct fl_explain_need *need = &x->needs[i];

			if (need->verdict != order[o])
				continue;
			if (need->resource.v != FL_NONE && fits_elsewhere(x, need))
				continue;
			/* In a flavor that can never hold it, a shortage of now is beside the point. */
			bool never = false;
			for (uint32_t k = 0; need->verdict == FL_NEED_WAITS && k < x->n_needs; k++)
				never |= x->needs[k].verdict == FL_NEED_NEVER &&
					 x->needs[k].podset == need->podset &&
					 x->needs[k].flavor.v == need->flavor.v;
			if (!never)
				return i;
		}
	return FL_NONE;
}

/* Room for what is logged, for every request in every flavor logged with its podset, and in none. */
static size_t most_needs(const struct fl_explain_run *r, const struct fl_evidence_log *log)
{
	const struct fl_workload_row *w = &r->model->workloads[r->x->workload.v];
	const struct fl_podset *podsets = r->model->podsets + w->podsets.first;
	size_t most = log->n_needs;

	for (uint32_t k = 0; k < w->podsets.n; k++)
		most += podsets[k].requests.n;
	for (uint32_t i = 0; i < log->n_needs; i++)
		if (begins(log->needs, i))
			most += podsets[log->needs[i].podset].requests.n;
	return most;
}

int fl_explain_needs(struct fl_explain_run *r, const struct fl_evidence_log *log,
		     fairlead_error *err)
{
	struct fl_explain *x = r->x;
	uint32_t n = log->n_needs;

	x->needs = fl_arena_alloc(r->arena, most_needs(r, log), sizeof(*x->needs), err);
	if (!x->needs)
		return FAIRLEAD_ENOMEM;
	if (n)
		memcpy(x->needs, log->needs, n * sizeof(*x->needs));
	n = add_unlooked(r, log->n_needs, x->needs, n);
	x->n_needs = add_not_covered(r, x->needs, n);
	for (uint32_t i = 0; i < x->n_needs; i++)
		judge(r, &x->needs[i]);
	/* Where flavors were chosen, the last search is for the workload as a whole. */
	bool whole = x->alone == FL_RESERVE || x->alone_reason == FL_REASON_NO_CANDIDATES ||
		     x->alone_reason == FL_REASON_PROTECTED;
	if (x->alone != FL_ADMIT)
		x->failing = failing_need(x, whole ? log->search : 0);
	return 0;
}
