/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - carries the state of a policy on one model into a policy on another model
 *
 * Carried are which workloads hold what, and which are pending; and quotas, weights and priorities
 * that events changed, where both models state the same value.  A workload that was found never to
 * fit is tried again if any capacity is now more or less than it was.  Not compared: which flavors
 * a queue may use, and which workloads it takes.
 */
#include "decide/adopt.h"

#include <string.h>

#include "decide/drf/state.h"

struct adopting {
	struct fl_adoption is; /* which row is which */
	struct fl_policy *p;
	const struct fl_policy *from;
	bool alike; /* all capacities are what they were */
};

static const struct fl_quota *find_quota(const struct adopting *a, uint32_t node,
					 const struct fl_quota *of)
{
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q;

	while ((q = fl_model_next_quota(a->p->model, (struct fl_node){ node }, &walk)))
		if (q->flavor.v == fl_adopted(a->is.flavors, of->flavor.v) &&
		    q->resource.v == fl_adopted(a->is.resources, of->resource.v))
			return q;
	return NULL;
}

static void carry_node(const struct adopting *a, uint32_t was, uint32_t is)
{
	const struct fl_model *from = a->from->model, *to = a->p->model;
	struct fl_quota_walk walk = { 0 };
	const struct fl_quota *q, *other;

	if (from->nodes[was].weight == to->nodes[is].weight)
		a->p->users[is].weight = a->from->users[was].weight;
	while ((q = fl_model_next_quota(from, (struct fl_node){ was }, &walk))) {
		other = find_quota(a, is, q);
		if (other && other->nominal == q->nominal)
			a->p->quota[other - to->quotas] = a->from->quota[q - from->quotas];
	}
}

/* A flavor or resource that only one of the models has must have no capacity there. */
static bool same_capacity(const struct adopting *a)
{
	const struct fl_model *from = a->from->model, *to = a->p->model;

	for (uint32_t r = 0; r < from->n_resources; r++) {
		uint32_t is = a->is.resources[r];

		if (a->from->total[r] != (is == FL_NONE ? 0 : a->p->total[is]))
			return false;
		for (uint32_t f = 0; f < from->n_flavors; f++) {
			uint32_t flavor = a->is.flavors[f];
			fl_amount now =
				is == FL_NONE || flavor == FL_NONE ?
					0 :
					a->p->capacity[(size_t)flavor * to->n_resources + is];

			if (a->from->capacity[(size_t)f * from->n_resources + r] != now)
				return false;
		}
	}
	return true;
}

static int fail_gone(const struct adopting *a, uint32_t w, fairlead_error *err)
{
	const struct fl_model *m = a->p->model;

	(void)fl_fail(err, FAIRLEAD_EINPUT,
		      "holds quota of a queue, flavor or resource that does not exist any more");
	return fl_fail_in(err, "%s/%s", fl_model_text(m, m->workloads[w].namespace),
			  fl_model_text(m, m->workloads[w].name));
}

/* What @x holds, with the ids of the new model, into `found`. */
static bool translate(const struct adopting *a, const struct fl_job *x)
{
	struct fl_policy *p = a->p;

	p->n_found = 0;
	for (uint32_t i = 0; i < x->n_held; i++) {
		struct fl_placement row = fl_drf_rows(a->from, x)[i];
		bool none = row.resource.v == FL_NONE;

		row.flavor.v = fl_adopted(a->is.flavors, row.flavor.v);
		row.resource.v = fl_adopted(a->is.resources, row.resource.v);
		if (!none && (row.flavor.v == FL_NONE || row.resource.v == FL_NONE))
			return false;
		p->found[p->n_found++] = row;
	}
	return true;
}

static int carry_job(const struct adopting *a, uint32_t w, fairlead_error *err)
{
	struct fl_policy *p = a->p;
	struct fl_job *j = &p->jobs[w];
	uint32_t was = a->is.was[w].v;
	const struct fl_job *x = was == FL_NONE ? NULL : &a->from->jobs[was];
	struct fl_node q;

	if (x && p->model->workloads[w].priority == a->from->model->workloads[was].priority)
		j->priority = x->priority;
	if (!x || x->state == FL_STATE_ABSENT) {
		j->state = FL_STATE_ABSENT;
		return 0;
	}
	if (!fl_drf_holds(x)) {
		j->state = j->queue.v == FL_NONE ? FL_STATE_EXCLUDED : FL_STATE_WAITING;
		j->reason = j->queue.v == FL_NONE ? FL_REASON_NONE : x->reason;
		if (a->alike && j->queue.v != FL_NONE && fl_drf_is_parked(a->from, x))
			j->parked = p->changes + 1;
		return 0;
	}
	q.v = fl_adopted(a->is.nodes, x->held_by.v);
	if (q.v == FL_NONE || !translate(a, x))
		return fail_gone(a, w, err);
	fl_drf_hold(p, (struct fl_workload){ w }, q, p->found, p->n_found);
	j->state = x->state;
	j->reason = x->reason;
	return 0;
}

/* No workload is pending, and no workload holds anything. */
static void clear(struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	size_t resources = m->n_resources;

	memset(p->used, 0, m->n_flavors * resources * sizeof *p->used);
	memset(p->taken, 0, resources * sizeof *p->taken);
	memset(p->held, 0, m->n_nodes * resources * sizeof *p->held);
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		struct fl_job *j = &p->jobs[w];

		j->held_by.v = FL_NONE;
		j->n_held = j->parked = 0;
		j->state = FL_STATE_ABSENT;
		j->reason = FL_REASON_NONE;
	}
}

static int adopt(struct adopting *a, fairlead_error *err)
{
	struct fl_policy *p = a->p;
	uint32_t n = p->model->n_workloads;
	uint32_t *room = fl_arena_alloc(&a->is.arena, n, sizeof *room, err);
	int r;

	if (!room)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++)
		room[w] = a->is.was[w].v == FL_NONE ? 0 : a->from->jobs[a->is.was[w].v].n_held;
	r = fl_drf_make_room(p, room, err);
	if (r < 0)
		return r;
	clear(p);
	for (uint32_t q = 0; q < a->from->model->n_nodes; q++)
		if (a->is.nodes[q] != FL_NONE)
			carry_node(a, q, a->is.nodes[q]);
	fl_drf_derive(p);
	a->alike = same_capacity(a);
	for (uint32_t w = 0; w < n && r == 0; w++)
		r = carry_job(a, w, err);
	fl_drf_derive(p);
	return r;
}

int fl_drf_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		 const struct fl_workload *was, fairlead_error *err)
{
	struct adopting a = { .p = p, .from = from };
	int r;

	(void)now;
	if (p->undo.marks || from->undo.marks)
		return fl_fail(err, FAIRLEAD_ESTATE,
			       "the state of a policy is not carried over inside a mark");
	r = fl_adoption_begin(&a.is, from->model, p->model, was, p->mem, err);
	if (r < 0)
		return r;
	r = adopt(&a, err);
	fl_adoption_done(&a.is);
	return r;
}
