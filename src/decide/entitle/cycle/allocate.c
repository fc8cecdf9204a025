/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate - starts what fits, workload by workload (doc/semantics/entitle.md, E9.5)
 *
 * The tasks to start of a workload are placed all together or not at all.  Where room is only
 * about to be free they are reserved; and so are tasks that could start at once, as long as others
 * that the minimum needs are only reserved.  A workload that was served returns to its line for
 * its next task.
 */
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/rules/machines.h"

static void emit_room(const struct fl_policy *p, struct fl_workload w, uint32_t task, bool fits)
{
	const struct fl_sink *sink = p->sink;
	const struct fl_bundle *request = &p->tasks[task].request;
	struct fl_bundle most = { 0 };

	if (!sink)
		return;
	for (uint32_t m = 0; m < p->model->n_machines; m++)
		for (int r = 0; r < FL_BUNDLE; r++) {
			double room = p->rooms[m].idle.of[r] + p->rooms[m].leaving.of[r];

			if (p->rooms[m].usable && room > most.of[r])
				most.of[r] = room;
		}
	for (int r = 0; r < FL_BUNDLE; r++) {
		const struct fl_evidence row = {
			.check = FL_CHECK_ROOM,
			.workload = w,
			.podset = FL_NONE,
			.node = p->jobs[w.v].queue,
			.flavor = { FL_NONE },
			.resource = p->model->axis[r],
			.victim = { FL_NONE },
			.lhs = { .kind = FL_NUMBER_BUNDLE, .share = request->of[r] },
			.rhs = { .kind = FL_NUMBER_BUNDLE, .share = most.of[r] },
			.holds = fits || request->of[r] <= most.of[r],
		};

		if (request->of[r] > 0)
			sink->row(sink->user, &row);
	}
}

/* Chooses a machine for each, one after the other. 1: all are placed; 0: one is not. */
static int place_each(struct fl_policy *p, struct fl_workload w, uint32_t n, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	int r = 1;

	for (uint32_t i = 0; i < n && r > 0; i++) {
		struct fl_spot spot = fl_machines_choose(p, p->to_start[i], /* among= */ NULL);

		emit_room(p, w, p->to_start[i], spot.machine.v != FL_NONE);
		if (spot.machine.v == FL_NONE)
			return 0;
		c->places[i] = spot.machine;
		r = spot.now ? fl_task_bind(p, p->to_start[i], spot.machine, err) :
			       fl_task_promise(p, p->to_start[i], spot.machine, err);
		r = r < 0 ? r : 1;
	}
	return r;
}

/* 1: all @n tasks of p->to_start are bound or reserved; 0: nothing changed. */
static int place(struct fl_policy *p, struct fl_workload w, uint32_t n, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	const struct fl_job *j = &p->jobs[w.v];
	fl_mark mark;
	int r = fl_undo_mark(&p->undo, &mark, err);

	if (r < 0)
		return r;
	r = place_each(p, w, n, err);
	if (r > 0 && j->n_promised > 0 && j->n_holds < j->min_tasks) {
		fl_undo_rollback(&p->undo, mark);
		if ((r = fl_undo_mark(&p->undo, &mark, err)) < 0)
			return r;
		for (uint32_t i = 0; i < n && r >= 0; i++)
			r = fl_task_promise(p, p->to_start[i], c->places[i], err);
		r = r < 0 ? r : 1;
	}
	if (r > 0)
		fl_undo_keep(&p->undo, mark);
	else
		fl_undo_rollback(&p->undo, mark);
	return r;
}

static int tell(struct fl_policy *p, uint32_t n, fairlead_error *err)
{
	const struct fl_workload nobody = { FL_NONE };
	int r = 0;

	for (uint32_t i = 0; i < n && r >= 0; i++)
		r = fl_cycle_note(p, FL_ACTION_ALLOCATE,
				  p->tasks[p->to_start[i]].state == FL_TASK_HOLDS ? FL_ADMIT :
										    FL_RESERVE,
				  p->to_start[i], nobody, err);
	return r;
}

/* 1: it was served; 0: it was not, and its reason says why. */
static int serve(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	const struct fl_witness witness = { .sink = p->sink,
					    .axis = p->model->axis,
					    .workload = w };
	struct fl_refusal refusal = { 0 };
	uint32_t n;
	int r;

	if (!fl_capacity_fits(p->queues, j->queue, j->preemptible, fl_job_start_amount(p, w),
			      p->sink ? &witness : NULL, &refusal))
		return fl_job_say(p, w, refusal.reason, err);
	n = fl_job_to_start(p, w, p->to_start);
	r = place(p, w, n, err);
	if (r < 0)
		return r;
	if (r == 0)
		return fl_job_say(p, w,
				  n == 0 || fl_machines_suit(p, p->to_start[0]) ?
					  FL_REASON_NO_ROOM :
					  FL_REASON_NO_MATCHING_MACHINE,
				  err);
	if ((r = tell(p, n, err)) < 0)
		return r;
	r = fl_job_say(p, w, j->n_promised ? FL_REASON_RESERVED : FL_REASON_FITS, err);
	return r < 0 ? r : 1;
}

int fl_allocate(struct fl_policy *p, fairlead_error *err)
{
	struct fl_cycle *c = p->scratch;
	struct fl_ordered_job next;
	int r = 0;

	if (!p->settings.actions[FL_ACTION_ALLOCATE])
		return 0;
	fl_cycle_enqueue_heads(p, FL_ACTION_ALLOCATE, /* preemptible_only= */ false);
	while (fl_jobs_order_pop(&c->waiting, &next)) {
		r = serve(p, next.workload, err);
		if (r < 0)
			return r;
		if (r > 0 && p->jobs[next.workload.v].n_waits > 0)
			fl_jobs_order_push(&c->waiting, &next);
	}
	return 0;
}
