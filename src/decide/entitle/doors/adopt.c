/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/doors/adopt.h"

#include "decide/adopt.h"
#include "decide/entitle/doors/image.h"
#include "decide/entitle/doors/setup.h"
#include "decide/entitle/rules/shares.h"
#include "decide/entitle/rules/usage.h"

struct adopting {
	struct fl_adoption is; /* which row is which */
	struct fl_policy *p;
	const struct fl_policy *from;
	bool alike; /* so far: queues and machines are as they were, and no workload was removed */
};

/* --- queues --- */

/* Carries one bundle that events changed, if both models state the same. */
static void carry_bundle(struct fl_bundle *to, const struct fl_bundle *given,
			 const struct fl_bundle *changed)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (to->of[r] == given->of[r])
			to->of[r] = changed->of[r];
}

static bool same_bundle(const struct fl_bundle *a, const struct fl_bundle *b)
{
	return a->of[0] == b->of[0] && a->of[1] == b->of[1] && a->of[2] == b->of[2];
}

static bool same_queue(const struct adopting *a, const struct fl_standing *x,
		       const struct fl_standing *y)
{
	return fl_adopted(a->is.nodes, x->parent.v) == y->parent.v && x->created == y->created &&
	       x->priority == y->priority && same_bundle(&x->deserved, &y->deserved) &&
	       same_bundle(&x->limit, &y->limit) && same_bundle(&x->weight, &y->weight) &&
	       x->preempt_min_run == y->preempt_min_run && x->reclaim_min_run == y->reclaim_min_run;
}

static void carry_queue(struct adopting *a, uint32_t was, uint32_t is)
{
	const struct fl_model *m = a->from->model;
	const struct fl_standing *x = &a->from->queues[was];
	struct fl_standing *q = &a->p->queues[is];

	if (m->nodes[was].entitlement != FL_NONE) {
		const struct fl_entitlement *given = &m->entitlements[m->nodes[was].entitlement];

		carry_bundle(&q->deserved, &given->deserved, &x->deserved);
		carry_bundle(&q->limit, &given->limit, &x->limit);
		carry_bundle(&q->weight, &given->weight, &x->weight);
		if (q->priority == given->priority)
			q->priority = x->priority;
	}
	q->fair_share = x->fair_share;
	q->request = x->request;
	q->late = x->late;
	a->alike &= same_queue(a, x, q);
}

static void carry_queues(struct adopting *a)
{
	uint32_t n = 0;

	for (uint32_t q = 0; q < a->from->model->n_nodes; q++)
		if (a->is.nodes[q] != FL_NONE) {
			carry_queue(a, q, a->is.nodes[q]);
			n++;
		}
	a->alike &= n == a->from->model->n_nodes && n == a->p->model->n_nodes;
	fl_shares_tell_all(a->p);
}

/* --- machines --- */

static int carry_rooms(struct adopting *a, fairlead_error *err)
{
	uint32_t machines = a->from->model->n_machines, n = 0;
	struct fl_bundle *given = fl_arena_alloc(&a->is.arena, machines, sizeof *given, err);

	if (!given)
		return FAIRLEAD_ENOMEM;
	fl_entitle_allocatable(a->from->model, given);
	for (uint32_t i = 0; i < machines; i++) {
		const struct fl_room *x = &a->from->rooms[i];
		struct fl_room *room;

		if (a->is.machines[i] == FL_NONE)
			continue;
		room = &a->p->rooms[a->is.machines[i]];
		carry_bundle(&room->allocatable, &given[i], &x->allocatable);
		a->alike &= room->usable == x->usable &&
			    same_bundle(&room->allocatable, &x->allocatable);
		n++;
	}
	a->alike &= n == machines && n == a->p->model->n_machines;
	a->p->total = fl_state_total(a->p);
	return 0;
}

/* --- workloads --- */

/* A new workload, which is not submitted yet: it has no tasks yet. */
static struct fl_saved_job new_job(const struct fl_job *j)
{
	return (struct fl_saved_job){ .started = FL_TIME_NONE,
				      .stale_since = FL_TIME_NONE,
				      .priority = j->priority,
				      .reason = FL_REASON_NONE,
				      .present = false,
				      .preemptible = j->preemptible };
}

static struct fl_saved_job carried_job(struct adopting *a, uint32_t w)
{
	const struct fl_model *m = a->p->model, *from = a->from->model;
	uint32_t was = a->is.was[w].v;
	const struct fl_workload_row *row = &m->workloads[w], *given = &from->workloads[was];
	const struct fl_job *j = &a->p->jobs[w], *x = &a->from->jobs[was];
	struct fl_saved_job ret = { .started = x->started,
				    .stale_since = x->stale_since,
				    .priority = row->priority,
				    .reason = (uint16_t)x->reason,
				    .present = x->present,
				    .preemptible = j->preemptible };

	if (row->gang != FL_NONE && given->gang != FL_NONE && row->priority == given->priority &&
	    m->gangs[row->gang].stated == from->gangs[given->gang].stated) {
		ret.priority = x->priority;
		ret.preemptible = x->preemptible;
	}
	a->alike &= ret.priority == x->priority && ret.preemptible == x->preemptible &&
		    j->queue.v == fl_adopted(a->is.nodes, x->queue.v) &&
		    j->min_tasks == x->min_tasks;
	return ret;
}

/* The tasks of a workload are sorted by name in both models. */
static int carry_tasks(const struct adopting *a, uint32_t w, struct fl_saved_task *rows,
		       fairlead_error *err)
{
	const struct fl_model *m = a->p->model;
	struct fl_span to = a->p->jobs[w].tasks, from;

	if (a->is.was[w].v == FL_NONE)
		return 0;
	from = a->from->jobs[a->is.was[w].v].tasks;
	if (from.n != to.n) {
		(void)fl_fail(err, FAIRLEAD_EINPUT, "has %u tasks, and %u before", to.n, from.n);
		return fl_fail_in(err, "%s/%s", fl_model_text(m, m->workloads[w].namespace),
				  fl_model_text(m, m->workloads[w].name));
	}
	for (uint32_t i = 0; i < to.n; i++) {
		const struct fl_task *t = &a->from->tasks[from.first + i];

		rows[to.first + i] = (struct fl_saved_task){
			.state = (uint32_t)t->state,
			.machine = fl_adopted(a->is.machines, t->machine.v),
			.promised = fl_adopted(a->is.machines, t->promised.v),
			.dropped = fl_adopted(a->is.machines, t->dropped.v),
		};
	}
	return 0;
}

static int carry_jobs(struct adopting *a, fairlead_error *err)
{
	uint32_t n = a->p->model->n_workloads, tasks = a->p->model->n_tasks;
	struct fl_saved_job *rows = fl_arena_alloc(&a->is.arena, n, sizeof *rows, err);
	struct fl_saved_task *task_rows = fl_arena_alloc(&a->is.arena, tasks, sizeof *task_rows,
							 err);
	int r = 0;

	if (!rows || !task_rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t t = 0; t < tasks; t++)
		task_rows[t] = (struct fl_saved_task){ FL_TASK_GONE, FL_NONE, FL_NONE, FL_NONE };
	for (uint32_t w = 0; w < n && r == 0; w++) {
		rows[w] = a->is.was[w].v == FL_NONE ? new_job(&a->p->jobs[w]) : carried_job(a, w);
		r = carry_tasks(a, w, task_rows, err);
	}
	for (uint32_t i = fl_job_next(a->from, 0); i != FL_NONE; i = fl_job_next(a->from, i + 1))
		a->alike &= a->is.workloads[a->from->job_order[i]] != FL_NONE;
	return r < 0 ? r : fl_entitle_enter_jobs(a->p, rows, task_rows, err);
}

/* --- all steps --- */

static int adopt(struct adopting *a, fairlead_error *err)
{
	struct fl_policy *p = a->p;
	int r;

	carry_queues(a);
	if ((r = carry_rooms(a, err)) < 0 || (r = carry_jobs(a, err)) < 0 ||
	    (r = fl_state_recount(p, err)) < 0 ||
	    (r = fl_usage_adopt(p, a->from, a->is.nodes, err)) < 0)
		return r;
	for (uint32_t w = 0; w < p->model->n_workloads && r == 0; w++)
		r = fl_job_mind_stale(p, (struct fl_workload){ w }, err);
	if (r == 0 && !a->alike)
		r = fl_usage_enter(p, err);
	p->idle = a->alike ? a->from->idle : (struct fl_idle){ .is = false };
	return r;
}

int fl_entitle_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		     const struct fl_workload *was, fairlead_error *err)
{
	struct adopting a = { .p = p, .from = from, .alike = true };
	int r = fl_common_adopt(p, now, from, was, &a.is, err);

	if (r < 0)
		return r;
	r = adopt(&a, err);
	fl_adoption_done(&a.is);
	return r;
}
