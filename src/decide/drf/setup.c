/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setup - from a sealed model to the policy's tables
 *
 * All that events and steps will ever need is allocated here.
 */
#include <string.h>

#include "base/sort.h"
#include "decide/drf/state.h"

/* --- order --- */

static int cmp_age(const void *model, uint32_t a, uint32_t b)
{
	const struct fl_model *m = model;
	const struct fl_workload_row *x = &m->workloads[a], *y = &m->workloads[b];
	int order = (x->created > y->created) - (x->created < y->created);

	if (order == 0)
		order = fl_names_cmp(&m->names, x->uid, y->uid);
	if (order == 0)
		order = fl_names_cmp(&m->names, x->namespace, y->namespace);
	return order ? order : fl_names_cmp(&m->names, x->name, y->name);
}

static int rank_jobs(struct fl_policy *p, fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, *ids;
	struct fl_arena scratch;
	int r = 0;

	fl_arena_init(&scratch, p->mem);
	if (FL_NEW(&scratch, ids, 2 * (size_t)n, err)) {
		for (uint32_t i = 0; i < n; i++)
			ids[i] = i;
		fl_sort(ids, n, ids + n, cmp_age, p->model);
		for (uint32_t i = 0; i < n; i++)
			p->jobs[ids[i]].rank = i;
	} else {
		r = FAIRLEAD_ENOMEM;
	}
	fl_arena_done(&scratch);
	return r;
}

/* --- memory --- */

/* Rows that a workload can hold at once: those of its requests, or those of its admission. */
static uint32_t room_of(const struct fl_model *m, const struct fl_workload_row *row)
{
	uint32_t asked = 0, held = 0;

	for (uint32_t i = 0; i < row->podsets.n; i++)
		asked += m->podsets[row->podsets.first + i].requests.n + 1;
	for (uint32_t i = 0; i < row->admission.n; i++)
		held += m->podset_assignments[row->admission.first + i].assignments.n;
	return asked > held ? asked : held;
}

int fl_drf_make_room(struct fl_policy *p, const uint32_t *rows, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	uint64_t all = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		struct fl_span *places = &p->jobs[w].places;

		places->first = (uint32_t)all;
		places->n = room_of(m, &m->workloads[w]);
		if (rows && rows[w] > places->n)
			places->n = rows[w];
		all += places->n;
		if (all > FL_NONE)
			return fl_fail(err, FAIRLEAD_ELIMIT, "workloads have too many requests");
	}
	return FL_NEW(&p->arena, p->placements, all, err) &&
			       FL_NEW(&p->arena, p->found, all, err) &&
			       FL_NEW(&p->arena, p->groups, all, err) &&
			       FL_NEW(&p->arena, p->given, all, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

uint64_t fl_drf_weight(double weight)
{
	double nanos = weight * 1e9;

	return nanos >= 0x1p62        ? UINT64_C(1) << 62 :
	       nanos > 0 && nanos < 1 ? 1 :
					(uint64_t)(nanos + 0.5);
}

static int make_tables(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	size_t cells = (size_t)m->n_flavors * m->n_resources;

	return FL_NEW(&p->arena, p->jobs, m->n_workloads, err) &&
			       FL_NEW(&p->arena, p->users, m->n_nodes, err) &&
			       FL_NEW(&p->arena, p->quota, m->n_quotas, err) &&
			       FL_NEW(&p->arena, p->used, cells, err) &&
			       FL_NEW(&p->arena, p->capacity, cells, err) &&
			       FL_NEW(&p->arena, p->taken, m->n_resources, err) &&
			       FL_NEW(&p->arena, p->total, m->n_resources, err) &&
			       FL_NEW(&p->arena, p->held, (size_t)m->n_nodes * m->n_resources,
				      err) &&
			       FL_NEW(&p->arena, p->line, 2 * (size_t)m->n_workloads, err) &&
			       FL_NEW(&p->arena, p->turn, 2 * (size_t)m->n_nodes, err) &&
			       FL_NEW(&p->arena, p->rows, m->n_workloads, err) &&
			       FL_NEW(&p->arena, p->heads, m->n_workloads, err) ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

/* Places the lines of all queues one behind the other in `line`. */
static void lay_out_lines(struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	uint32_t first = 0;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const struct fl_workload_row *row = &m->workloads[w];
		struct fl_job *j = &p->jobs[w];

		j->queue.v = row->excluded == FL_INCLUDED ? row->cluster_queue.v : FL_NONE;
		if (j->queue.v != FL_NONE && !p->users[j->queue.v].active)
			j->queue.v = FL_NONE;
		if (j->queue.v != FL_NONE)
			j->leaf = p->users[j->queue.v].n++;
		j->priority = row->priority;
		j->held_by.v = FL_NONE;
		j->state = row->finished ? FL_STATE_ABSENT : FL_STATE_EXCLUDED;
	}
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		p->users[n].first = first;
		first += p->users[n].n;
	}
}

int fl_drf_setup(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	int r = make_tables(p, err);

	if (r < 0)
		return r;
	p->pods = fl_names_find(&m->names, "pods", 4);
	for (uint32_t i = 0; i < m->n_quotas; i++)
		p->quota[i] = m->quotas[i].nominal;
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		p->users[n].active = m->nodes[n].kind == FL_CLUSTER_QUEUE &&
				     m->nodes[n].inactive == FL_ACTIVE;
		p->users[n].weight = fl_drf_weight(m->nodes[n].weight);
	}
	lay_out_lines(p);
	r = rank_jobs(p, err);
	return r < 0 ? r : fl_drf_make_room(p, /* rows= */ NULL, err);
}

/* --- the state as given --- */

static enum fl_reason reason_of(enum fl_evicting evicting)
{
	static const enum fl_reason reasons[] = {
		[FL_EVICTING_NOT] = FL_REASON_NONE,
		[FL_EVICTING_UNDER_WAY] = FL_REASON_NONE,
		[FL_EVICTING_CLUSTER_QUEUE_STOPPED] = FL_REASON_CLUSTER_QUEUE_STOPPED,
		[FL_EVICTING_LOCAL_QUEUE_STOPPED] = FL_REASON_LOCAL_QUEUE_STOPPED,
		[FL_EVICTING_QUEUE_MISSING] = FL_REASON_LOCAL_QUEUE_MISSING,
		[FL_EVICTING_ADMISSION_CHECK] = FL_REASON_ADMISSION_CHECK,
	};

	return reasons[evicting];
}

static uint32_t find_podset(const struct fl_model *m, const struct fl_workload_row *row,
			    struct fl_sym name)
{
	for (uint32_t i = 0; i < row->podsets.n; i++)
		if (m->podsets[row->podsets.first + i].name.v == name.v)
			return i;
	return FL_NONE;
}

/* What the status of @row says that it holds, into `found`. */
static void list_held(struct fl_policy *p, const struct fl_workload_row *row)
{
	const struct fl_model *m = p->model;

	p->n_found = 0;
	for (uint32_t s = 0; s < row->admission.n; s++) {
		const struct fl_podset_assignment *a =
			&m->podset_assignments[row->admission.first + s];

		for (uint32_t i = 0; i < a->assignments.n; i++) {
			const struct fl_assignment *got = &m->assignments[a->assignments.first + i];

			p->found[p->n_found++] =
				(struct fl_placement){ .podset = find_podset(m, row, a->podset),
						       .count = a->count,
						       .resource = got->resource,
						       .flavor = got->flavor,
						       .amount = got->amount };
		}
	}
}

static int hold(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	const struct fl_workload_row *row = &m->workloads[w.v];

	list_held(p, row);
	if (fl_drf_overflows(p, p->found, p->n_found)) {
		(void)fl_fail(err, FAIRLEAD_ELIMIT,
			      "what is admitted is more than 2^63 units of a resource");
		(void)fl_fail_in(err, "Workload/%s/%s .status.admission",
				 fl_model_text(m, row->namespace), fl_model_text(m, row->name));
		return FAIRLEAD_ELIMIT;
	}
	fl_drf_hold(p, w, row->admitted_queue, p->found, p->n_found);
	if (row->evicting) {
		p->jobs[w.v].state = FL_STATE_EVICTING;
		p->jobs[w.v].reason = reason_of(row->evicting);
	}
	return 0;
}

int fl_drf_begin(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	int r = 0;

	fl_drf_derive(p);
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		if (m->workloads[w].finished)
			continue;
		if (m->workloads[w].admitted_queue.v != FL_NONE)
			r = hold(p, (struct fl_workload){ w }, err);
		else if (p->jobs[w].queue.v != FL_NONE)
			p->jobs[w].state = FL_STATE_WAITING;
	}
	fl_drf_derive(p);
	return r;
}
