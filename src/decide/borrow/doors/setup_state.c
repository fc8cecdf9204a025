/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/setup_state.h"

#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/cycle/cycle.h"

static int overflow(const struct fl_policy *p, const struct fl_workload_row *row,
		    fairlead_error *err)
{
	const struct fl_model *m = p->model;

	(void)fl_fail(err, FAIRLEAD_ELIMIT,
		      "what is admitted is more than 2^63 units of a resource");
	(void)fl_fail_in(err, "Workload/%s/%s .status.admission", fl_model_text(m, row->namespace),
			 fl_model_text(m, row->name));
	return FAIRLEAD_ELIMIT;
}

/* The index of the podset in the workload's spec; FL_NONE: the spec has none of that name. */
static uint32_t find_podset(const struct fl_model *m, const struct fl_workload_row *row,
			    struct fl_sym name)
{
	for (uint32_t i = 0; i < row->podsets.n; i++)
		if (m->podsets[row->podsets.first + i].name.v == name.v)
			return i;
	return FL_NONE;
}

static enum fl_reason reason_of(enum fl_evicting evicting)
{
	switch (evicting) {
	case FL_EVICTING_NOT:
	case FL_EVICTING_UNDER_WAY:
		break;
	case FL_EVICTING_CLUSTER_QUEUE_STOPPED:
		return FL_REASON_CLUSTER_QUEUE_STOPPED;
	case FL_EVICTING_LOCAL_QUEUE_STOPPED:
		return FL_REASON_LOCAL_QUEUE_STOPPED;
	case FL_EVICTING_QUEUE_MISSING:
		return FL_REASON_LOCAL_QUEUE_MISSING;
	case FL_EVICTING_ADMISSION_CHECK:
		return FL_REASON_ADMISSION_CHECK;
	}
	return FL_REASON_NONE;
}

/* Enters what @w holds by its status. */
static int hold(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	const struct fl_workload_row *row = fl_row(p, w);
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = row->admitted_queue;
	bool in_tree = p->tree.root_index[q.v] != FL_NONE;
	struct fl_use *uses;
	int r = fl_cycle_room(p, w, err);

	if (r < 0)
		return r;
	uses = fl_uses(p, j);

	for (uint32_t s = 0; s < row->admission.n; s++) {
		const struct fl_podset_assignment *a =
			&m->podset_assignments[row->admission.first + s];
		uint32_t podset = find_podset(m, row, a->podset);

		for (uint32_t i = 0; i < a->assignments.n; i++) {
			const struct fl_assignment *got = &m->assignments[a->assignments.first + i];
			struct fl_column column = fl_tree_column(&p->tree, q, got->flavor,
								 got->resource);
			uint32_t at = 0;

			fl_placements(p, j)[j->n_placement++] =
				(struct fl_placement){ .podset = podset,
						       .count = a->count,
						       .resource = got->resource,
						       .flavor = got->flavor,
						       .amount = got->amount };
			while (at < j->n_use && uses[at].column.v != column.v)
				at++;
			if (!in_tree)
				continue;
			if (at == j->n_use)
				uses[j->n_use++] = (struct fl_use){ column, 0 };
			uses[at].amount = fl_sat_add(uses[at].amount, got->amount);
		}
	}
	for (uint32_t i = 0; i < j->n_use; i++)
		if (fl_usage_overflows(&p->usage, &p->tree, q, uses[i].column, uses[i].amount))
			return overflow(p, row, err);
	j->state = row->evicting ? FL_STATE_EVICTING : FL_STATE_ADMITTED;
	j->reason = reason_of(row->evicting);
	j->reserved_at = row->reserved_at == FL_TIME_NONE ? p->now : row->reserved_at;
	fl_holders_hold(p, w, q);
	return 0;
}

static int enter_workload(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_workload_row *row = fl_row(p, w);

	if (row->finished)
		p->jobs[w.v].state = FL_STATE_ABSENT;
	else if (row->admitted_queue.v != FL_NONE)
		return hold(p, w, err);
	else if (p->jobs[w.v].queue.v != FL_NONE && !fl_requeue_hold(p, w))
		fl_backlog_enter(p, w);
	return 0;
}

/* Queue by queue: uses caches well. */
int fl_setup_state(struct fl_policy *p, fairlead_error *err)
{
	int r = 0;

	for (uint32_t q = 0; q <= p->model->n_nodes; q++) {
		struct fl_span members = p->backlogs[q].members;

		for (uint32_t i = members.first; r == 0 && i < members.first + members.n; i++)
			r = enter_workload(p, (struct fl_workload){ p->members[i] }, err);
	}
	return r;
}
