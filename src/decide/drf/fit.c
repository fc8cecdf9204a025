/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fit - does a workload fit into the free capacity, and in which flavors?
 *
 * Each resource group of a podset goes, all of it, to the first flavor of the queue that suits the
 * pods and has room.  A workload is admitted whole or not at all.
 */
#include "base/amount.h"
#include "decide/drf/state.h"
#include "decide/match.h"

/* One podset of a workload, fitted into what is free at present or into an empty cluster. */
struct fitting {
	struct fl_policy *p;
	struct fl_workload w;
	uint32_t podset;
	const struct fl_podset *pods;
	const struct fl_node_row *queue;
	const struct fl_sink *sink; /* NULL: no caller listens */
	bool empty;
	uint32_t first; /* the podset's first row in `found` */
};

static void tell(const struct fitting *f, struct fl_evidence row)
{
	row.workload = f->w;
	row.podset = f->podset;
	row.node = f->p->jobs[f->w.v].queue;
	row.victim.v = FL_NONE;
	if (f->sink)
		f->sink->row(f->sink->user, &row);
}

static void tell_amounts(const struct fitting *f, enum fl_check check, struct fl_flavor flavor,
			 struct fl_resource r, fl_amount asked, fl_amount had)
{
	tell(f, (struct fl_evidence){ .check = check,
				      .flavor = flavor,
				      .resource = r,
				      .lhs = { .amount = asked },
				      .rhs = { .amount = had },
				      .holds = asked <= had });
}

static uint32_t find_group(const struct fl_model *m, const struct fl_node_row *queue,
			   struct fl_sym resource)
{
	for (uint32_t g = 0; g < queue->groups.n; g++) {
		struct fl_span of = m->groups[queue->groups.first + g].resources;

		for (uint32_t i = 0; i < of.n; i++)
			if (m->syms[of.first + i].v == resource.v)
				return g;
	}
	return FL_NONE;
}

/* Does @row fit in @flavor, together with the rows of this workload that were found before? */
static bool fits(const struct fitting *f, struct fl_flavor flavor, const struct fl_placement *row)
{
	struct fl_policy *p = f->p;
	size_t cell = (size_t)flavor.v * p->model->n_resources + row->resource.v;
	fl_amount amount = row->amount, capacity = p->capacity[cell];
	fl_amount room = fl_quota_less(capacity, f->empty ? 0 : p->used[cell]);

	for (uint32_t i = 0; i < f->first; i++)
		if (p->found[i].resource.v == row->resource.v && p->found[i].flavor.v == flavor.v)
			amount = fl_sat_add(amount, p->found[i].amount);
	room = fl_amount_max(0, room);
	tell_amounts(f, FL_CHECK_POTENTIAL, flavor, row->resource, amount, capacity);
	if (amount <= capacity)
		tell_amounts(f, FL_CHECK_AVAILABLE, flavor, row->resource, amount, room);
	return amount <= room;
}

/* One flavor for all that the podset asks for of group @g; *@suits: some flavor suits the pods. */
static bool choose_flavor(const struct fitting *f, uint32_t g, const uint32_t *group, bool *suits)
{
	struct fl_policy *p = f->p;
	const struct fl_model *m = p->model;
	struct fl_span flavors = m->groups[f->queue->groups.first + g].flavors;

	for (uint32_t k = 0; k < flavors.n; k++) {
		struct fl_flavor flavor = m->group_flavors[flavors.first + k].id;
		bool suit = fl_match_flavor(m, f->pods, flavor), fit = suit;

		tell(f, (struct fl_evidence){ .check = FL_CHECK_FLAVOR,
					      .flavor = flavor,
					      .resource = { FL_NONE },
					      .holds = suit });
		*suits |= suit;
		for (uint32_t i = f->first; i < p->n_found && fit; i++)
			if (group[i - f->first] == g)
				fit = fits(f, flavor, &p->found[i]);
		if (!fit)
			continue;
		for (uint32_t i = f->first; i < p->n_found; i++)
			if (group[i - f->first] == g)
				p->found[i].flavor = flavor;
		return true;
	}
	return false;
}

/* One more row of the podset.  False: the queue has no quota for the resource. */
static bool want(const struct fitting *f, struct fl_resource r, fl_amount amount, uint32_t *group)
{
	struct fl_policy *p = f->p;
	uint32_t g = find_group(p->model, f->queue, p->model->resources[r.v]);

	if (g == FL_NONE)
		return amount == 0;
	group[p->n_found - f->first] = g;
	p->found[p->n_found++] = (struct fl_placement){ .podset = f->podset,
							.count = fl_podset_left(f->pods),
							.resource = r,
							.amount = amount };
	return true;
}

/*
 * The requests of the podset, as rows without flavor.  False: the queue has no quota for one of
 * them.
 */
static bool list_wants(const struct fitting *f, uint32_t *group)
{
	struct fl_policy *p = f->p;
	const struct fl_model *m = p->model;
	bool counts = p->pods.v != FL_NONE && find_group(m, f->queue, p->pods) != FL_NONE;
	int32_t left = fl_podset_left(f->pods);
	bool covered = true;

	for (uint32_t i = 0; i < f->pods->requests.n; i++) {
		const struct fl_request *r = &m->requests[f->pods->requests.first + i];

		if (!counts || m->resources[r->resource.v].v != p->pods.v)
			covered &= want(f, r->resource, fl_sat_mul(r->amount, left), group);
	}
	for (uint32_t r = 0; r < m->n_resources && counts; r++)
		if (m->resources[r].v == p->pods.v)
			covered &= want(f, (struct fl_resource){ r }, left, group);
	return covered;
}

/* FL_REASON_FITS, or the reason why the podset does not fit. */
static enum fl_reason fit_podset(const struct fitting *f, uint32_t *group)
{
	struct fl_policy *p = f->p;
	bool suits;

	if (!list_wants(f, group))
		return FL_REASON_RESOURCE_NOT_COVERED;
	for (uint32_t g = 0; g < f->queue->groups.n; g++) {
		bool wanted = false;

		for (uint32_t i = f->first; i < p->n_found; i++)
			wanted |= group[i - f->first] == g;
		suits = false;
		if (wanted && !choose_flavor(f, g, group, &suits))
			return suits ? FL_REASON_EXCEEDS_MAX_QUOTA : FL_REASON_NO_MATCHING_FLAVOR;
	}
	if (p->n_found == f->first)
		p->found[p->n_found++] = (struct fl_placement){ .podset = f->podset,
								.count = fl_podset_left(f->pods),
								.resource = { FL_NONE },
								.flavor = { FL_NONE } };
	return FL_REASON_FITS;
}

static enum fl_reason fit_all(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
			      bool empty)
{
	const struct fl_model *m = p->model;
	const struct fl_workload_row *row = &m->workloads[w.v];
	enum fl_reason why = FL_REASON_FITS;

	p->n_found = 0;
	for (uint32_t i = 0; i < row->podsets.n && why == FL_REASON_FITS; i++) {
		const struct fitting f = { .p = p,
					   .w = w,
					   .podset = i,
					   .pods = &m->podsets[row->podsets.first + i],
					   .queue = &m->nodes[p->jobs[w.v].queue.v],
					   .sink = sink,
					   .empty = empty,
					   .first = p->n_found };

		why = fit_podset(&f, p->groups);
	}
	return why;
}

enum fl_reason fl_drf_fit(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink)
{
	const struct fl_model *m = p->model;
	const struct fl_workload_row *row = &m->workloads[w.v];
	const struct fl_node_row *queue = &m->nodes[p->jobs[w.v].queue.v];
	enum fl_reason why;

	p->n_found = 0;
	if (!fl_match_namespace_exists(m, row->namespace))
		return FL_REASON_NAMESPACE_MISSING;
	if (!fl_match_namespace(m, &queue->namespaces, row->namespace))
		return FL_REASON_NAMESPACE_MISMATCH;
	if (fit_all(p, w, sink, /* empty= */ false) == FL_REASON_FITS)
		return fl_drf_overflows(p, p->found, p->n_found) ? FL_REASON_USAGE_LIMIT :
								   FL_REASON_FITS;
	why = fit_all(p, w, /* sink= */ NULL, /* empty= */ true);
	return why == FL_REASON_FITS ? FL_REASON_WAITING_FOR_QUOTA : why;
}
