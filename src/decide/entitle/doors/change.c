/* SPDX-License-Identifier: Apache-2.0 */
/* change - changes one cell of what the policy was built from */
#include <math.h>

#include "decide/entitle/doors/setup.h"
#include "decide/entitle/rules/shares.h"

/* An input of the division changed. */
enum { TELL_UNDO = FL_UNDO_OF(uint32_t) + FL_UNDO_OF(uint64_t) };
static void tell(struct fl_policy *p, uint32_t queue)
{
	FL_SET(p, p->changes, p->changes + 1);
	fl_state_touch(p, queue);
	fl_shares_tell(p, queue);
}

static int resource_of(const struct fl_policy *p, struct fl_resource resource)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (p->model->axis[r].v == resource.v)
			return r;
	return FL_BUNDLE;
}

static int change_queue(struct fl_policy *p, const struct fl_cell *cell, fairlead_error *err)
{
	bool may_be_unbounded = cell->kind != FL_CELL_OVER_QUOTA_WEIGHT;
	int resource = resource_of(p, cell->resource), r;
	struct fl_standing *s;
	struct fl_bundle *row;

	if (cell->node.v >= p->model->n_nodes)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such queue");
	if (resource == FL_BUNDLE)
		return fl_fail(err, FAIRLEAD_ENOENT, "queues are entitled to no such resource");
	if (!isfinite(cell->value) ||
	    (cell->value < 0 && !(may_be_unbounded && cell->value == FL_UNBOUNDED)))
		return fl_fail(err, FAIRLEAD_EINPUT, "a negative quota, limit or weight");
	s = &p->queues[cell->node.v];
	row = cell->kind == FL_CELL_DESERVED ? &s->deserved :
	      cell->kind == FL_CELL_LIMIT    ? &s->limit :
					       &s->weight;
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(cell->value) + TELL_UNDO, err);
	if (r < 0)
		return r;
	FL_SET(p, row->of[resource], cell->value);
	tell(p, cell->node.v);
	return 0;
}

static int change_queue_priority(struct fl_policy *p, const struct fl_cell *cell,
				 fairlead_error *err)
{
	int r;

	if (cell->node.v >= p->model->n_nodes)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such queue");
	if (!(cell->value >= INT32_MIN && cell->value <= INT32_MAX))
		return fl_fail(err, FAIRLEAD_EINPUT, "a priority beyond 32 bits");
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(int32_t) + TELL_UNDO, err);
	if (r < 0)
		return r;
	FL_SET(p, p->queues[cell->node.v].priority, (int32_t)cell->value);
	tell(p, cell->node.v);
	return 0;
}

/* Whether a workload may be preempted depends on its priority, unless it says so itself. */
static int change_priority(struct fl_policy *p, struct fl_workload w, fl_amount priority,
			   fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_job *j;
	int r;

	if (w.v >= m->n_workloads || m->workloads[w.v].gang == FL_NONE)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (priority < INT32_MIN || priority > INT32_MAX)
		return fl_fail(err, FAIRLEAD_EINPUT, "a priority beyond 32 bits");
	j = &p->jobs[w.v];
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(j->priority) + FL_UNDO_OF(j->preemptible), err);
	if (r < 0)
		return r;
	FL_SET(p, j->priority, (int32_t)priority);
	if (m->gangs[m->workloads[w.v].gang].stated != FL_PREEMPTIBLE_UNSET)
		return 0;
	FL_SET(p, j->preemptible, priority < FL_PREEMPTIBLE_BELOW);
	return fl_state_recount(p, err);
}

/* What tasks of other schedulers hold on the machine. */
static double foreign(const struct fl_model *m, struct fl_machine machine, int resource)
{
	double sum = 0;

	for (uint32_t t = 0; t < m->n_tasks; t++)
		if (m->tasks[t].foreign && m->tasks[t].phase == FL_TASK_ALLOCATED &&
		    m->tasks[t].machine.v == machine.v)
			sum += m->tasks[t].request.of[resource];
	return sum;
}

static int change_machine(struct fl_policy *p, const struct fl_cell *cell, fairlead_error *err)
{
	int resource = resource_of(p, cell->resource), r;

	if (cell->machine.v >= p->model->n_machines)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such machine");
	if (resource == FL_BUNDLE)
		return fl_fail(err, FAIRLEAD_ENOENT, "queues are entitled to no such resource");
	if (!isfinite(cell->value) || cell->value < 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "a negative capacity");
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(cell->value) + FL_UNDO_OF(p->total), err);
	if (r < 0)
		return r;
	FL_SET(p, p->rooms[cell->machine.v].allocatable.of[resource],
	       cell->value - foreign(p->model, cell->machine, resource));
	FL_SET(p, p->total, fl_state_total(p));
	return fl_state_recount(p, err);
}

int fl_entitle_change(struct fl_policy *p, struct fl_workload w, const struct fl_cell *cell,
		      fairlead_error *err)
{
	switch (cell->kind) {
	case FL_CELL_DESERVED:
	case FL_CELL_LIMIT:
	case FL_CELL_OVER_QUOTA_WEIGHT:
		return change_queue(p, cell, err);
	case FL_CELL_QUEUE_PRIORITY:
		return change_queue_priority(p, cell, err);
	case FL_CELL_PRIORITY:
		return change_priority(p, w, cell->amount, err);
	case FL_CELL_ALLOCATABLE:
		return change_machine(p, cell, err);
	case FL_CELL_NOMINAL:
	case FL_CELL_BORROWING_LIMIT:
	case FL_CELL_LENDING_LIMIT:
	case FL_CELL_WEIGHT:
		break;
	}
	return fl_fail(err, FAIRLEAD_ESTATE, "queues of this policy have no such quota");
}
