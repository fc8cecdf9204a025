/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/doors/holds.h"

static int wrong_row(const struct fl_policy *p, struct fl_workload w, uint32_t i, int code,
		     const char *what, fairlead_error *err)
{
	const struct fl_workload_row *row = fl_row(p, w);

	(void)fl_fail(err, code, "row %u has %s", i + 1, what);
	return fl_fail_in(err, "%s/%s", fl_model_text(p->model, row->namespace),
			  fl_model_text(p->model, row->name));
}

/* Sets when @w began to hold something. */
static int set_started(struct fl_policy *p, struct fl_workload w, fl_time since,
		       fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	int r = fl_undo_reserve(&p->undo, FL_UNDO_OF(j->started), err);

	if (r == 0 && since != FL_TIME_NONE)
		FL_SET(p, j->started, since);
	return r;
}

int fl_entitle_holds(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_workload w = event->workload;
	const struct fl_job *j = &p->jobs[w.v];
	bool begins = j->n_holds == 0;
	int r = 0;

	if (!j->present)
		return fl_common_refuse(p, w, "cannot run: it is not there", err);
	for (uint32_t i = 0; i < event->holding.n && r == 0; i++) {
		const struct fl_placement *row = &event->holding.rows[i];

		if (row->podset >= j->tasks.n)
			return wrong_row(p, w, i, FAIRLEAD_EINPUT,
					 "a pod that the workload does not have", err);
		if (row->machine.v >= p->model->n_machines)
			return wrong_row(p, w, i, FAIRLEAD_EINPUT, "a Node that does not exist",
					 err);
		if (p->tasks[j->tasks.first + row->podset].state != FL_TASK_WAITS)
			return wrong_row(p, w, i, FAIRLEAD_ESTATE, "a pod that is not pending",
					 err);
		r = fl_task_bind(p, j->tasks.first + row->podset, row->machine, err);
	}
	if (r == 0 && begins && event->holding.n)
		r = set_started(p, w, event->since, err);
	return r < 0 ? r : fl_job_say(p, w, FL_REASON_NONE, err);
}

int fl_entitle_goes(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[event->workload.v];
	int r = 0;

	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n && r == 0; t++)
		if (p->tasks[t].state == FL_TASK_HOLDS &&
		    (event->machine.v == FL_NONE || event->machine.v == p->tasks[t].machine.v))
			r = fl_task_evict(p, t, err);
	return r < 0 ? r : fl_job_say(p, event->workload, event->reason, err);
}
