/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy - entitle behind decide/policy.h: events, marks, answers
 */
#include "base/amount.h"
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/cycle/wake.h"
#include "decide/entitle/doors/adopt.h"
#include "decide/entitle/doors/holds.h"
#include "decide/entitle/doors/image.h"
#include "decide/entitle/doors/setup.h"
#include "decide/entitle/entitle.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/shares.h"
#include "decide/entitle/rules/usage.h"

static struct fl_policy *entitle_free(struct fl_policy *p)
{
	if (!p)
		return NULL;
	fl_entitle_cycle_done(p);
	fl_usage_done(p);
	fl_shares_free(p->shares);
	return fl_common_free(p);
}

static int set_up(struct fl_policy *p, const struct fl_policy_options *options,
		  const struct fl_image *image, fairlead_error *err)
{
	int r;

	p->moving = options->moving_usage;
	r = fl_entitle_setup(p, err);
	if (r == 0 && image)
		r = fl_entitle_enter(p, image, err);
	fl_arena_done(&p->cycle_arena);
	return r;
}

static const struct fl_maker maker = {
	.size = sizeof(struct fl_policy),
	.setup = set_up,
	.saved_options = fl_entitle_saved_options,
	.free = entitle_free,
};

static int entitle_new(const struct fl_model *model, const struct fl_policy_options *options,
		       struct fl_policy **ret, fairlead_error *err)
{
	return fl_common_make(&maker, model, options, /* image= */ NULL, ret, err);
}

static int entitle_load(const struct fl_model *model, const struct fl_policy_options *options,
			const struct fl_image *image, struct fl_policy **ret, fairlead_error *err)
{
	return fl_common_make(&maker, model, options, image, ret, err);
}

/* --- events --- */

/* Sets all tasks of @w that are in state @from to state @to, off their machines. */
static int release(struct fl_policy *p, struct fl_workload w, enum fl_task_state from,
		   enum fl_task_state to, fairlead_error *err)
{
	struct fl_span tasks = p->jobs[w.v].tasks;
	int r = 0;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n && r >= 0; t++)
		if (p->tasks[t].state == from)
			r = fl_task_release(p, t, to, err);
	return r;
}

/* Sets whether the workload is present. */
static int set_present(struct fl_policy *p, struct fl_workload w, bool present, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	int r = fl_undo_reserve(
		&p->undo, FL_UNDO_OF(j->present) + FL_UNDO_OF(j->reason) + FL_JOB_THERE_UNDO, err);

	if (r < 0)
		return r;
	FL_SET(p, j->present, present);
	fl_job_note_there(p, w);
	FL_SET(p, j->reason, FL_REASON_NONE);
	return 0;
}

static int submit(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	int r;

	if (j->present || j->queue.v == FL_NONE)
		return fl_common_refuse(
			p, w, "cannot be submitted: it is there already, or has no queue", err);
	r = set_present(p, w, true, err);
	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n && r >= 0; t++)
		if (p->model->tasks[t].phase != FL_TASK_DONE)
			r = fl_task_arrive(p, t, err);
	return r;
}

/* Cancelled or finished: @w ends. */
static int leave(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	int r = set_present(p, w, false, err);

	for (enum fl_task_state from = FL_TASK_WAITS; from <= FL_TASK_LEAVES && r >= 0; from++)
		r = release(p, w, from, FL_TASK_GONE, err);
	return r;
}

/*
 * Evictions of @w are complete: its leaving tasks end, or if none is leaving, all its tasks.  They
 * are pending again.
 */
static int let_go(struct fl_policy *p, struct fl_workload w, bool all, fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	int r;

	all |= j->n_leaves == 0;
	r = set_present(p, w, true, err);
	if (r >= 0)
		r = release(p, w, FL_TASK_LEAVES, FL_TASK_WAITS, err);
	if (r >= 0 && all)
		r = release(p, w, FL_TASK_HOLDS, FL_TASK_WAITS, err);
	return r;
}

/* The tasks of @w on the machine, leaving or not, are pending again. */
static int kill_on(struct fl_policy *p, struct fl_workload w, struct fl_machine machine,
		   fairlead_error *err)
{
	struct fl_span tasks = p->jobs[w.v].tasks;
	int r = 0;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n && r >= 0; t++)
		if (p->tasks[t].machine.v == machine.v &&
		    (p->tasks[t].state == FL_TASK_HOLDS || p->tasks[t].state == FL_TASK_LEAVES))
			r = fl_task_release(p, t, FL_TASK_WAITS, err);
	return r;
}

static int apply_to(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	struct fl_workload w = event->workload;
	const struct fl_job *j = &p->jobs[w.v];
	bool holds = j->n_holds + j->n_leaves > 0;

	switch (event->kind) {
	case FL_EV_SUBMIT:
		return submit(p, w, err);
	case FL_EV_CANCEL:
		return leave(p, w, err);
	case FL_EV_STARTED:
		return holds ? 0 : fl_common_refuse(p, w, "runs nothing", err);
	case FL_EV_EVICTED:
	case FL_EV_REJECTED:
		return holds ? let_go(p, w, event->kind == FL_EV_REJECTED, err) :
			       fl_common_refuse(p, w, "runs nothing", err);
	case FL_EV_KILLED:
		if (!holds)
			return fl_common_refuse(p, w, "runs nothing", err);
		return event->machine.v == FL_NONE ? let_go(p, w, /* all= */ true, err) :
						     kill_on(p, w, event->machine, err);
	case FL_EV_FINISHED:
		return holds ? leave(p, w, err) : fl_common_refuse(p, w, "runs nothing", err);
	case FL_EV_HOLDS:
		return fl_entitle_holds(p, event, err);
	case FL_EV_GOES:
		return holds ? fl_entitle_goes(p, event, err) :
			       fl_common_refuse(p, w, "runs nothing", err);
	case FL_EV_CELL:
	case FL_EV_USAGE:
		break;
	}
	return 0;
}

static int change(struct fl_policy *p, const struct fl_event *event, fairlead_error *err)
{
	int r;

	if (event->kind == FL_EV_CELL)
		return fl_entitle_change(p, event->workload, &event->cell, err);
	if (event->workload.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	r = apply_to(p, event, err);
	return r < 0 ? r : fl_job_mind_stale(p, event->workload, err);
}

static void roll_back(struct fl_policy *p, fl_mark mark)
{
	uint32_t changes = p->changes;

	fl_undo_rollback(&p->undo, mark);
	if (p->changes != changes)
		fl_shares_tell_all(p);
}

static int entitle_apply(struct fl_policy *p, fl_time now, const struct fl_event *event,
			 fairlead_error *err)
{
	fl_mark mark;
	int r;

	p->now = now;
	if (event->kind == FL_EV_USAGE) {
		r = fl_usage_sample(p, &event->sample, err);
		return r < 0 ? r : fl_wake_up(p, err);
	}
	if ((r = fl_undo_mark(&p->undo, &mark, err)) < 0)
		return r;
	r = change(p, event, err);
	if (r >= 0 && event->kind != FL_EV_STARTED) /* a start changes nothing that is not known */
		r = fl_wake_up(p, err);
	if (r >= 0)
		r = fl_usage_enter(p, err);
	if (r < 0)
		roll_back(p, mark);
	else
		fl_undo_keep(&p->undo, mark);
	return r;
}

/* --- cycles and marks --- */

static int entitle_step(struct fl_policy *p, fl_time now, unsigned flags,
			const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	const struct fl_workload all = { FL_NONE };
	int r;

	p->now = now;
	if ((flags & FL_STEP_FULL) || sink || !fl_wake_is_idle(p, now))
		return fl_entitle_step(p, all, sink, ret, err);
	r = fl_usage_read(p, err); /* decides nothing, but answers are as of now */
	if (r < 0)
		return r;
	*ret = (struct fl_decisions){ .waiting = p->idle.waiting };
	return 0;
}

static int suits_a_cycle(const struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	if (w.v >= p->model->n_workloads)
		return fl_fail(err, FAIRLEAD_ENOENT, "no such workload");
	if (p->jobs[w.v].queue.v == FL_NONE)
		return fl_common_refuse(p, w, "has no queue that takes part", err);
	if (p->jobs[w.v].n_waits == 0 && p->jobs[w.v].tasks.n > 0)
		return fl_common_refuse(p, w, "asks for nothing more", err);
	return 0;
}

static int entitle_try(struct fl_policy *p, fl_time now, struct fl_workload w,
		       const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	int r = suits_a_cycle(p, w, err);

	p->now = now;
	return r < 0 ? r : fl_entitle_try(p, w, sink, ret, err);
}

static int entitle_serve(struct fl_policy *p, fl_time now, struct fl_workload w,
			 const struct fl_sink *sink, struct fl_decisions *ret, fairlead_error *err)
{
	int r = suits_a_cycle(p, w, err);

	p->now = now;
	return r < 0 ? r : fl_entitle_step(p, w, sink, ret, err);
}

/*
 * Of pending workloads nothing is kept from cycle to cycle, except that the next cycle may be
 * skipped.
 */
static int entitle_forget(struct fl_policy *p, fl_time now, fairlead_error *err)
{
	p->now = now;
	return fl_wake_up(p, err);
}

/* --- answers --- */

/* max over resources(held / fair share): the saturation. */
static void entitle_share(const struct fl_policy *p, struct fl_node n, struct fl_share *ret)
{
	const struct fl_standing *s = &p->queues[n.v];

	*ret = (struct fl_share){ .weight = s->weight.of[FL_GPU], .dominant = { FL_NONE } };
	for (int r = 0; r < FL_BUNDLE; r++) {
		double held = s->allocated.of[r];
		double part = fl_saturation(held, s->fair_share.of[r]);

		ret->borrowing |= s->deserved.of[r] != FL_UNBOUNDED && held > s->deserved.of[r];
		if (part <= ret->precise)
			continue;
		ret->precise = ret->ratio = part;
		ret->dominant = p->model->axis[r];
	}
}

static enum fl_workload_state entitle_state(const struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];

	if (j->n_leaves)
		return FL_STATE_EVICTING;
	if (j->n_holds)
		return FL_STATE_ADMITTED;
	if (!j->present)
		return FL_STATE_ABSENT;
	if (j->queue.v == FL_NONE)
		return FL_STATE_EXCLUDED;
	/* All its tasks are done; a workload without tasks yet is pending. */
	return j->n_waits == 0 && j->tasks.n > 0 ? FL_STATE_ABSENT : FL_STATE_WAITING;
}

static const struct fl_placement *entitle_placement(const struct fl_policy *p, struct fl_workload w,
						    uint32_t *ret_n)
{
	struct fl_span tasks = p->jobs[w.v].tasks;
	struct fl_placement *rows = p->placements + tasks.first;
	uint32_t n = 0;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++) {
		enum fl_task_state state = p->tasks[t].state;
		uint32_t at = 0;

		if (state != FL_TASK_HOLDS && state != FL_TASK_LEAVES)
			continue;
		while (at < n && rows[at].machine.v != p->tasks[t].machine.v)
			at++;
		if (at == n)
			rows[n++] = (struct fl_placement){ .resource = { FL_NONE },
							   .machine = p->tasks[t].machine };
		rows[at].count++;
	}
	*ret_n = n;
	return rows;
}

static double entitle_held(const struct fl_policy *p, struct fl_workload w, struct fl_resource r)
{
	struct fl_span tasks = p->jobs[w.v].tasks;
	double held = 0;
	int at = 0;

	while (at < FL_BUNDLE && p->model->axis[at].v != r.v)
		at++;
	for (uint32_t t = tasks.first; at < FL_BUNDLE && t < tasks.first + tasks.n; t++)
		if (p->tasks[t].state == FL_TASK_HOLDS || p->tasks[t].state == FL_TASK_LEAVES)
			held += p->tasks[t].request.of[at];
	return held;
}

static enum fl_reason entitle_reason(const struct fl_policy *p, struct fl_workload w)
{
	return p->jobs[w.v].reason;
}

const struct fl_standing *fl_entitle_standing(const struct fl_policy *p, struct fl_node n)
{
	return &p->queues[n.v];
}

struct fl_bundle fl_entitle_usage(const struct fl_policy *p, struct fl_node n)
{
	return p->usage ? p->usage[n.v] : (struct fl_bundle){ 0 };
}

struct fl_bundle fl_entitle_idle(const struct fl_policy *p, struct fl_machine machine)
{
	return p->rooms[machine.v].idle;
}

struct fl_bundle fl_entitle_total(const struct fl_policy *p) { return p->total; }

uint32_t fl_entitle_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids,
			  uint32_t cap)
{
	struct fl_jobs_order *waiting = &p->scratch->waiting;
	struct fl_ordered_job next;
	uint32_t n = 0;

	if (!fl_job_wants(&p->jobs[w.v]))
		return 0;
	waiting->policy->only.v = FL_NONE;
	fl_cycle_enqueue_heads(waiting->policy, FL_ACTION_ALLOCATE, /* preemptible_only= */ false);
	for (; fl_jobs_order_pop(waiting, &next) && next.workload.v != w.v; n++)
		if (n < cap)
			ids[n] = next.workload.v;
	return n;
}

const struct fl_policy_ops fl_entitle_policy = {
	.name = "entitle",
	.new = entitle_new,
	.free = entitle_free,
	.save = fl_entitle_save,
	.load = entitle_load,
	.adopt = fl_entitle_adopt,
	.apply = entitle_apply,
	.step = entitle_step,
	.try = entitle_try,
	.serve = entitle_serve,
	.forget = entitle_forget,
	.wake = fl_wake,
	.mark = fl_common_mark,
	.rollback = roll_back,
	.keep = fl_common_keep,
	.share = entitle_share,
	.state = entitle_state,
	.placement = entitle_placement,
	.held = entitle_held,
	.reason = entitle_reason,
	.digest = fl_entitle_digest,
	.spell = fl_entitle_spell,
	.gist = fl_entitle_gist,
};
