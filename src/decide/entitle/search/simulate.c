/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate - finds the outcome of evicting some victims (search.h)
 *
 * The victims leave, and then all pending workloads are walked in their order, with the victims
 * and the workload that asks among them; these are placed, the others are only passed, since they
 * influence the order.  Nothing is bound: a place is a promise.  A victim whose place is its own
 * machine is spared, as if it were not evicted; one with a place elsewhere moves; one without a
 * place is lost.
 *
 * No task is placed on a machine that the search does not look at (feasible.h).
 *
 * Guarantee: no workload is placed above a limit, or above what is deserved if it cannot be
 * preempted; a workload is placed whole or not at all.  A victim may be placed before the workload
 * that asks, if its queue comes first; then the one that asks may find no room.
 *
 * Marks, from the outside in: the probe (recorded victims), the run (what is evicted together with
 * one machine), the walk.  A run continues from candidate to candidate as long as the machine is
 * the same, so that each victim is evicted once, and not once per candidate.
 */
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/rules/machines.h"
#include "decide/entitle/search/search.h"

/* --- evicting --- */

static int evict_offer(struct fl_policy *p, struct fl_search *s, const struct fl_offer *o,
		       fairlead_error *err)
{
	if (s->in_run[o->workload.v] != s->run) {
		s->in_run[o->workload.v] = s->run;
		s->members[s->n_members++] = o->workload.v;
	}
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++) {
		int r = fl_task_evict(p, s->victims[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

int fl_simulate_begin(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	int r = fl_undo_mark(&p->undo, &s->probe_mark, err);

	if (r < 0)
		return r;
	p->trial = ++p->trials;
	s->run = ++s->runs;
	s->machine.v = FL_NONE;
	s->n_members = s->n_placed = 0;
	for (uint32_t i = 0; i < s->n_recorded; i++) {
		r = evict_offer(p, s, &s->offers[i], err);
		if (r < 0)
			return r;
	}
	s->n_members_recorded = s->n_members;
	return fl_undo_mark(&p->undo, &s->run_mark, err);
}

void fl_simulate_end(struct fl_policy *p, struct fl_search *s)
{
	if (p->trial)
		fl_undo_rollback(&p->undo, s->probe_mark);
	p->trial = 0;
}

/* Begins a run, in which only the recorded victims are evicted. */
static int begin_run(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		     fairlead_error *err)
{
	fl_undo_rollback(&p->undo, s->run_mark);
	s->run = ++s->runs;
	s->machine = machine;
	s->n_members = s->n_members_recorded;
	for (uint32_t i = 0; i < s->n_members; i++)
		s->in_run[s->members[i]] = s->run;
	fl_feasible_end(&s->feasible, /* stay= */ false);
	return fl_undo_mark(&p->undo, &s->run_mark, err);
}

static bool is_on(const struct fl_policy *p, const struct fl_search *s, const struct fl_offer *o,
		  struct fl_machine machine)
{
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++)
		if (fl_task_place(&p->tasks[s->victims[i]]).v == machine.v)
			return true;
	return false;
}

/* From now on the walk looks at the machines of its tasks. */
static void look_at(const struct fl_policy *p, struct fl_search *s, const struct fl_offer *o)
{
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++)
		fl_feasible_add(&s->feasible, fl_task_place(&p->tasks[s->victims[i]]));
}

/*
 * Evicts all that @workload has offered, on any machine, and what was recorded of it, too: that is
 * evicted a second time, which subtracts it from its queues twice.  So does KAI, until its next
 * cycle.
 */
static int evict_workload(struct fl_policy *p, struct fl_search *s, uint32_t workload,
			  fairlead_error *err)
{
	for (uint32_t i = s->first_offer[workload]; i < s->n_used; i = s->offers[i].next) {
		int r;

		if (s->offers[i].run == s->run)
			continue;
		s->offers[i].run = s->run;
		look_at(p, s, &s->offers[i]);
		r = evict_offer(p, s, &s->offers[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_taken(const struct fl_search *s, uint32_t workload)
{
	return s->offers[s->first_offer[workload]].run == s->run;
}

/* A new run: evicts each workload that has offered something on @machine. */
static int evict_pile(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		      fairlead_error *err)
{
	const struct fl_pile *pile = &s->on[machine.v];
	uint32_t i = pile->number == s->piles ? pile->first : FL_NONE;
	int r = begin_run(p, s, machine, err);

	for (; r >= 0 && i != FL_NONE; i = s->next_on[i]) {
		uint32_t workload = p->tasks[s->victims[i]].workload.v;

		if (!is_taken(s, workload))
			r = evict_workload(p, s, workload, err);
	}
	s->evicted = s->n_used;
	return r;
}

/* Evicts the used offers of all workloads that have offered something on @machine. */
static int evict_with(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		      fairlead_error *err)
{
	int r = 0;

	if (s->machine.v != machine.v)
		return evict_pile(p, s, machine, err);
	for (; r >= 0 && s->evicted < s->n_used; s->evicted++) {
		const struct fl_offer *o = &s->offers[s->evicted];

		if (is_taken(s, o->workload.v) || is_on(p, s, o, machine))
			r = evict_workload(p, s, o->workload.v, err);
	}
	return r;
}

/* --- placing --- */

/* 1: all tasks are placed; 0: nothing changed. */
static int place(struct fl_policy *p, struct fl_search *s, struct fl_workload w,
		 const uint32_t *tasks, uint32_t n, const struct fl_bundle *amount,
		 fairlead_error *err)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t n_placed = s->n_placed;
	fl_mark mark;
	int r;

	if (!fl_capacity_fits(p->queues, j->queue, j->preemptible, amount, NULL, NULL))
		return 0;
	r = fl_undo_mark(&p->undo, &mark, err);
	for (uint32_t i = 0; r >= 0 && i < n; i++) {
		struct fl_task *t = &p->tasks[tasks[i]];
		struct fl_spot spot = fl_machines_choose(p, tasks[i],
							 fl_feasible_now(&s->feasible));

		if (spot.machine.v == FL_NONE) {
			fl_undo_rollback(&p->undo, mark);
			s->n_placed = n_placed;
			return 0;
		}
		/* A place on either machine that it leaves puts it back to where it was going. */
		if (fl_task_leaves(t, spot.machine)) {
			r = fl_task_spare(p, tasks[i], err);
		} else {
			s->placed[s->n_placed++] = tasks[i];
			r = fl_task_promise(p, tasks[i], spot.machine, err);
		}
	}
	if (r < 0)
		return r;
	fl_undo_keep(&p->undo, mark);
	return 1;
}

static int place_victim(struct fl_policy *p, struct fl_search *s, struct fl_workload w,
			fairlead_error *err)
{
	uint32_t n = fl_job_to_start(p, w, s->placing);
	struct fl_bundle amount = *fl_job_start_amount(p, w);
	uint64_t before = p->epochs;
	int r = place(p, s, w, s->placing, n, &amount, err);

	if (r == 0)
		s->missed[w.v] = (struct fl_missed){ s->walks, p->epochs != before };
	return r;
}

/*
 * Can the workload that asks be placed, and where would its first task be?  A workload that is
 * placed before it only takes room away, from machines and from what its queues may hold.
 */
static bool has_hope(const struct fl_policy *p, const struct fl_search *s, struct fl_spot *ret)
{
	const struct fl_job *j = &p->jobs[s->asks.v];

	if (!fl_capacity_fits(p->queues, j->queue, j->preemptible, &s->part.amount, NULL, NULL))
		return false;
	*ret = fl_machines_choose(p, s->part.tasks[0], fl_feasible_now(&s->feasible));
	return ret->machine.v != FL_NONE;
}

/* Was it evicted by the trial that runs, and not placed again? */
static bool is_evicted(const struct fl_policy *p, uint32_t task)
{
	return p->tasks[task].state == FL_TASK_LEAVES && fl_task_displaced(p, &p->tasks[task]);
}

/*
 * How many of the evicted tasks request at least so much of @resource; tasks that moved may need
 * no room, and are left out.
 */
static uint32_t count_evicted(const struct fl_policy *p, const struct fl_search *s, int resource,
			      double least)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_members; i++) {
		struct fl_span tasks = p->jobs[s->members[i]].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			n += is_evicted(p, t) && !fl_task_moved(&p->tasks[t]) &&
			     p->tasks[t].request.of[resource] >= least;
	}
	return n;
}

/*
 * Can all evicted tasks have a place?  Necessary: each alone fits; and all that request as much or
 * more of the resource by which they are packed fit together.  Equal tasks are next to each other.
 */
static bool may_all_stay(const struct fl_policy *p, const struct fl_search *s)
{
	const bool *among = fl_feasible_now(&s->feasible);
	double asked = -1;

	for (uint32_t i = 0; i < s->n_members; i++) {
		struct fl_span tasks = p->jobs[s->members[i]].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++) {
			int by = fl_machines_packed_by(&p->tasks[t]);
			double wants = p->tasks[t].request.of[by];

			if (!is_evicted(p, t))
				continue;
			if (fl_machines_choose(p, t, among).machine.v == FL_NONE)
				return false;
			if (wants != asked &&
			    !fl_machines_hold(p, t, count_evicted(p, s, by, wants)))
				return false;
			asked = wants;
		}
	}
	return true;
}

/*
 * If victims may lose nothing, and the first task of the workload that asks fits on one machine
 * only, then in every outcome that is allowed it is there, and all evicted tasks have a place
 * besides.  So if with that task there, and nothing else placed, not all of them can have one, no
 * outcome is allowed, whatever the order of placing. 1: that is so; 0: not known.
 */
static int is_doomed(struct fl_policy *p, struct fl_search *s, const struct fl_spot *spot,
		     fairlead_error *err)
{
	bool doomed;
	fl_mark mark;
	int r;

	if (!s->rules->all_stay || !s->last_try || !spot->only)
		return 0;
	r = fl_undo_mark(&p->undo, &mark, err);
	if (r >= 0)
		r = fl_task_promise(p, s->part.tasks[0], spot->machine, err);
	if (r < 0)
		return r;
	doomed = !may_all_stay(p, s);
	fl_undo_rollback(&p->undo, mark);
	return doomed;
}

static void add(struct fl_jobs_order *walk, uint32_t workload)
{
	fl_jobs_order_add(walk, &(struct fl_ordered_job){ .workload = { workload } });
}

/*
 * A pending workload without any active task has the same place in its leaf in all walks of the
 * part; the others are in s->changing.
 */
static void prepare_walk(struct fl_policy *p, struct fl_search *s)
{
	struct fl_jobs_order *walk = &p->scratch->walk;

	s->prepared = true;
	s->n_changing = 0;
	fl_jobs_order_begin(walk, FL_JOBS_ORDER_WAITING, &s->part, /* depth= */ 0);
	for (uint32_t i = 0; i < s->n_waiting; i++) {
		const struct fl_job *j = &p->jobs[s->waiting[i]];

		if (s->waiting[i] == s->asks.v || fl_job_active(j) + j->n_leaves > 0)
			s->changing[s->n_changing++] = s->waiting[i];
		else
			add(walk, s->waiting[i]);
	}
	fl_jobs_order_keep(walk);
}

/* Lines up all pending workloads, the victims, and the workload that asks with its part. */
static void line_up(struct fl_policy *p, struct fl_search *s)
{
	struct fl_jobs_order *walk = &p->scratch->walk;

	if (!s->prepared)
		prepare_walk(p, s);
	fl_jobs_order_again(walk);
	for (uint32_t i = 0; i < s->n_changing; i++)
		add(walk, s->changing[i]);
	for (uint32_t i = 0; i < s->n_members; i++)
		if (p->jobs[s->members[i]].n_waits == 0)
			add(walk, s->members[i]);
	fl_jobs_order_ready(walk);
}

/*
 * 1: the workload that asks is placed, and so are the victims for which there is room; 0: it is
 * not placed, or the walk cannot succeed.
 */
static int walk(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	uint32_t left = s->n_members;
	bool placed = false;
	struct fl_ordered_job next;
	struct fl_spot spot;

	s->walks++;
	line_up(p, s);
	while ((left > 0 || !placed) && fl_jobs_order_pop(&p->scratch->walk, &next)) {
		int r;

		if (next.workload.v == s->asks.v) {
			r = place(p, s, s->asks, s->part.tasks, s->part.n, &s->part.amount, err);
			if (r <= 0)
				return r;
			placed = true;
		} else if (s->in_run[next.workload.v] == s->run) {
			r = place_victim(p, s, next.workload, err);
			if (r < 0)
				return r;
			if (r == 0 && s->rules->all_stay && s->last_try)
				return 0;
			if (!placed && !has_hope(p, s, &spot))
				return 0;
			left--;
		}
	}
	return placed;
}

int fl_simulate(struct fl_policy *p, struct fl_search *s, struct fl_machine machine,
		fairlead_error *err)
{
	struct fl_spot spot;
	fl_mark mark;
	int r = machine.v == FL_NONE ? 0 : evict_with(p, s, machine, err);

	if (r < 0)
		return r;
	if (!has_hope(p, s, &spot))
		return FL_SIMULATED_NO_ROOM;
	r = is_doomed(p, s, &spot, err);
	if (r > 0)
		return FL_SIMULATED_NO_ROOM;
	if (r == 0)
		r = fl_undo_mark(&p->undo, &mark, err);
	if (r >= 0)
		r = walk(p, s, err);
	if (r < 0)
		return r;
	if (r > 0 && s->rules->allows(p, s) && fl_search_spares_gangs(p, s)) {
		fl_undo_keep(&p->undo, mark);
		return FL_SIMULATED_WELL;
	}
	fl_undo_rollback(&p->undo, mark);
	s->n_placed = 0;
	if (r > 0)
		fl_feasible_end(&s->feasible, /* stay= */ true);
	return r > 0 ? FL_SIMULATED_REFUSED : FL_SIMULATED_NO_ROOM;
}
