/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - the state of a policy as tables of an image, and back
 *
 * Saved is what events and steps changed since the model: which workloads hold what, which are
 * pending, and quotas, weights and priorities.  All else is set up from the model, or derived.
 * Each number that is loaded is checked before it is used.
 */
#include <string.h>

#include "decide/drf/state.h"

struct fl_saved_job {
	int32_t priority;
	uint32_t held_by, n_held;
	uint16_t reason;
	uint8_t state, parked;
};

static const struct fl_image_kind job_kind = { "drf.jobs", sizeof(struct fl_saved_job), 0 };
static const struct fl_image_kind row_kind = { "drf.rows", sizeof(struct fl_placement), 0 };
static const struct fl_image_kind quota_kind = { "drf.quota", sizeof(fl_amount), 0 };
static const struct fl_image_kind weight_kind = { "drf.weights", sizeof(uint64_t), 0 };

/* --- saving --- */

static struct fl_saved_job saved(const struct fl_policy *p, const struct fl_job *j)
{
	return (struct fl_saved_job){ .priority = j->priority,
				      .held_by = j->held_by.v,
				      .n_held = j->n_held,
				      .reason = (uint16_t)j->reason,
				      .state = (uint8_t)j->state,
				      .parked = fl_drf_is_parked(p, j) };
}

static int save(const struct fl_policy *p, struct fl_image_writer *w, struct fl_arena *a,
		fairlead_error *err)
{
	uint32_t jobs = p->model->n_workloads, nodes = p->model->n_nodes, n = 0, at = 0;
	struct fl_saved_job *rows;
	struct fl_placement *held;
	uint64_t *weights;
	int r;

	for (uint32_t i = 0; i < jobs; i++)
		n += p->jobs[i].n_held;
	if (!FL_NEW(a, rows, jobs, err) || !FL_NEW(a, held, n, err) ||
	    !FL_NEW(a, weights, nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < jobs; i++) {
		const struct fl_job *j = &p->jobs[i];

		rows[i] = saved(p, j);
		for (uint32_t k = 0; k < j->n_held; k++)
			held[at++] = fl_drf_rows(p, j)[k];
	}
	for (uint32_t i = 0; i < nodes; i++)
		weights[i] = p->users[i].weight;
	if ((r = fl_image_put(w, &job_kind, rows, jobs, err)) < 0 ||
	    (r = fl_image_put(w, &row_kind, held, n, err)) < 0 ||
	    (r = fl_image_put(w, &quota_kind, p->quota, p->model->n_quotas, err)) < 0)
		return r;
	return fl_image_put(w, &weight_kind, weights, nodes, err);
}

int fl_drf_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	struct fl_arena a;
	int r;

	if (p->undo.marks)
		return fl_fail(err, FAIRLEAD_ESTATE, "a policy is not saved inside a mark");
	fl_arena_init(&a, p->mem);
	r = save(p, w, &a, err);
	fl_arena_done(&a);
	return r;
}

/* --- loading --- */

static bool is_place(const struct fl_model *m, const struct fl_placement *row)
{
	bool none = row->resource.v == FL_NONE && row->flavor.v == FL_NONE && row->amount == 0;

	return row->amount >= 0 &&
	       (none || (row->resource.v < m->n_resources && row->flavor.v < m->n_flavors));
}

static bool is_job(const struct fl_policy *p, uint32_t w, const struct fl_saved_job *row)
{
	bool holds = row->state == FL_STATE_ADMITTED || row->state == FL_STATE_EVICTING;
	bool waits = row->state == FL_STATE_WAITING;

	return row->reason < FL_REASONS && row->parked <= waits &&
	       (holds ? row->held_by < p->model->n_nodes :
			row->held_by == FL_NONE && row->n_held == 0) &&
	       (!waits || p->jobs[w].queue.v != FL_NONE) &&
	       (holds || waits || row->state == FL_STATE_ABSENT || row->state == FL_STATE_EXCLUDED);
}

static int enter_job(struct fl_policy *p, uint32_t w, const struct fl_saved_job *row,
		     const struct fl_placement *held, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w];

	for (uint32_t i = 0; i < row->n_held; i++)
		if (!is_place(p->model, &held[i]))
			return fl_image_damaged(row_kind.name, err);
	if (fl_drf_overflows(p, held, row->n_held))
		return fl_image_damaged(row_kind.name, err);
	j->priority = row->priority;
	if (row->held_by != FL_NONE)
		fl_drf_hold(p, (struct fl_workload){ w }, (struct fl_node){ row->held_by }, held,
			    row->n_held);
	j->state = (enum fl_workload_state)row->state;
	j->reason = (enum fl_reason)row->reason;
	j->parked = row->parked ? p->changes + 1 : 0;
	return 0;
}

static int enter_jobs(struct fl_policy *p, const struct fl_saved_job *rows,
		      const struct fl_placement *held, uint32_t n_held, fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, *room = fl_arena_alloc(&p->arena, n, sizeof *room, err);
	uint64_t all = 0;
	int r;

	if (!room)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++) {
		if (!is_job(p, w, &rows[w]))
			return fl_image_damaged(job_kind.name, err);
		room[w] = rows[w].n_held;
		all += room[w];
	}
	if (all != n_held)
		return fl_image_damaged(row_kind.name, err);
	r = fl_drf_make_room(p, room, err);
	for (uint32_t w = 0; w < n && r == 0; held += rows[w++].n_held)
		r = enter_job(p, w, &rows[w], held, err);
	return r;
}

int fl_drf_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const void *jobs, *held, *weights;
	uint32_t n_held;
	int r;

	if ((r = fl_image_exactly(i, &job_kind, p->model->n_workloads, &jobs, err)) < 0 ||
	    (r = fl_image_rows(i, &row_kind, &held, &n_held, err)) < 0 ||
	    (r = fl_image_copy(i, &quota_kind, p->model->n_quotas, p->quota, err)) < 0 ||
	    (r = fl_image_exactly(i, &weight_kind, p->model->n_nodes, &weights, err)) < 0)
		return r;
	for (uint32_t q = 0; q < p->model->n_quotas; q++)
		if (p->quota[q] < 0)
			return fl_image_damaged(quota_kind.name, err);
	for (uint32_t n = 0; n < p->model->n_nodes; n++) {
		p->users[n].weight = ((const uint64_t *)weights)[n];
		if (p->users[n].weight > UINT64_C(1) << 62)
			return fl_image_damaged(weight_kind.name, err);
	}
	fl_drf_derive(p);
	r = enter_jobs(p, jobs, held, n_held, err);
	fl_drf_derive(p);
	return r;
}
