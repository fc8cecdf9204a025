/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/search/search.h"

#include <string.h>

#include "base/sort.h"
#include "decide/entitle/search/offers.h"

static uint32_t leaf_of(const void *policy, uint32_t w)
{
	const struct fl_policy *p = policy;

	return p->jobs[w].queue.v;
}

int fl_search_new(struct fl_policy *p, struct fl_search **ret, fairlead_error *err)
{
	uint32_t n_jobs = p->model->n_workloads, n_tasks = p->model->n_tasks;
	uint32_t n_machines = p->model->n_machines;
	struct fl_search *s = fl_arena_alloc(&p->arena, 1, sizeof *s, err);
	int r;

	if (!s || !FL_NEW(&p->arena, s->to_start, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->before, p->model->n_nodes, err) ||
	    !FL_NEW(&p->arena, s->waiting, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->active, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->of_leaf, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->leaf, p->model->n_nodes, err) ||
	    !FL_NEW(&p->arena, s->eligible, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->offers, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->victims, 2 * (size_t)n_tasks, err) ||
	    !FL_NEW(&p->arena, s->first_offer, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->last_offer, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->recorded, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->out, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->gpus, n_machines, err) ||
	    !FL_NEW(&p->arena, s->needs, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->roomy, n_machines, err) ||
	    !FL_NEW(&p->arena, s->in_run, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->members, n_jobs, err) ||
	    !FL_NEW(&p->arena, s->placed, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->placing, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->vectors, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->spent, n_machines, err) ||
	    !FL_NEW(&p->arena, s->seen, n_machines, err) ||
	    !FL_NEW(&p->arena, s->machines, n_machines, err) ||
	    !FL_NEW(&p->arena, s->sort_scratch, n_machines, err) ||
	    !FL_NEW(&p->arena, s->on, n_machines, err) ||
	    !FL_NEW(&p->arena, s->next_on, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->changing, n_jobs, err))
		return FAIRLEAD_ENOMEM;
	if (!FL_NEW(&p->arena, s->found, n_tasks, err) ||
	    !FL_NEW(&p->arena, s->missed, n_jobs, err))
		return FAIRLEAD_ENOMEM;
	if ((r = fl_feasible_new(p, &s->feasible, err)) < 0)
		return r;
	r = fl_reclaim_scratch_new(&p->arena, p->model->n_nodes, n_tasks, &s->reclaim, err);
	if (r < 0)
		return r;
	/* All workloads, leaf by leaf: what each takes part in never changes. */
	fl_sort_buckets(p->job_order, n_jobs, leaf_of, p, s->leaf, p->model->n_nodes, s->of_leaf);
	for (uint32_t w = 0; w < n_jobs; w++)
		s->first_offer[w] = s->last_offer[w] = FL_NONE;
	*ret = s;
	return 0;
}

void fl_search_begin(struct fl_policy *p)
{
	struct fl_search *s = p->scratch->search;

	s->twice = s->remembered = s->moved = false;
}

/*
 * What a machine lacks (below 0) is not subtracted from the room of others: as much may be given
 * away.  KAI's sum of GPUs, which decides whether a consolidation is tried, is the plain sum.
 */
static void measure_room(const struct fl_policy *p, struct fl_search *s)
{
	s->free = (struct fl_bundle){ 0 };
	s->sum_gpus = 0;
	for (uint32_t i = 0; i < p->model->n_machines; i++) {
		const struct fl_room *m = &p->rooms[p->machine_order[i]];

		for (int r = 0; m->usable && r < FL_BUNDLE; r++) {
			double room = m->idle.of[r] + m->leaving.of[r];

			s->free.of[r] += room > 0 ? room : 0;
			s->sum_gpus += r == FL_GPU ? room : 0;
		}
	}
}

/*
 * Updates the pending workloads, the possible victims, and the queues, to the state after the last
 * decision.
 */
static void bring_up_to_date(struct fl_policy *p, struct fl_search *s)
{
	if (s->current)
		return;
	s->current = true;
	s->n_waiting = s->n_active = 0;
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		uint32_t w = p->job_order[i];
		const struct fl_job *j = &p->jobs[w];

		if (!j->present || j->queue.v == FL_NONE)
			continue;
		if (j->n_waits > 0)
			s->waiting[s->n_waiting++] = w;
		if (fl_job_active(j) > 0)
			s->active[s->n_active++] = w;
	}
	measure_room(p, s);
	fl_feasible_measure(p, &s->feasible);
	memcpy(s->before, p->queues, p->model->n_nodes * sizeof *s->before);
}

void fl_search_emit(const struct fl_search *s, struct fl_evidence row)
{
	if (!s->witness.sink || s->witness.sink->not_victims)
		return;
	row.workload = s->asks;
	row.podset = row.flavor.v = row.resource.v = FL_NONE;
	row.search = s->witness.search;
	s->witness.sink->row(s->witness.sink->user, &row);
}

static bool could_be_victim(struct fl_policy *p, struct fl_search *s, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];

	if (!j->present || fl_job_active(j) == 0 || w == s->asks.v || !s->rules->eligible(p, s, w))
		return false;
	if (!j->preemptible)
		fl_search_emit(s, (struct fl_evidence){ .check = FL_CHECK_VICTIM_PREEMPTIBLE,
							.node = j->queue,
							.victim = { w } });
	return j->preemptible && !fl_search_protects(p, s, w);
}

static void find_eligible(struct fl_policy *p, struct fl_search *s)
{
	struct fl_span leaf = s->leaf[p->jobs[s->asks.v].queue.v];
	const uint32_t *from = s->rules->own_leaf ? s->of_leaf + leaf.first : s->active;
	uint32_t n = s->rules->own_leaf ? leaf.n : s->n_active;

	s->n_eligible = 0;
	for (uint32_t i = 0; i < n; i++)
		if (could_be_victim(p, s, from[i]))
			s->eligible[s->n_eligible++] = from[i];
}

/*
 * A workload that may lose nothing in any outcome that is allowed keeps a place in all of them.
 * So free room, plus what is held by workloads that may lose something, must be enough; otherwise
 * no outcome is allowed, and no simulation is needed. (Not used in three cases.  An eviction that
 * counted twice may make an amount -1, which is unlimited: then it is not known which may lose.  A
 * memory of tasks to start ends with a try, even a failed one.  And a workload that has moved may
 * take room twice.)
 */
static bool may_be_solved(struct fl_policy *p, const struct fl_search *s)
{
	const struct fl_bundle *request = fl_job_start_amount(p, s->asks);
	struct fl_bundle room = s->free;

	if (s->twice || s->remembered || s->moved || !s->rules->may_lose)
		return true;
	for (uint32_t i = 0; i < p->n_order; i++) {
		struct fl_node q = p->order[i];

		if (!p->is_leaf[q.v] || s->leaf[q.v].n == 0 || !s->rules->may_lose(p, s, q))
			continue;
		fl_bundle_add(&room, &s->before[q.v].allocated);
		if (fl_bundle_within(request, &room))
			return true;
	}
	return fl_bundle_within(request, &room);
}

/* --- one part --- */

static int cmp_ranks(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_room *rooms = ((const struct fl_policy *)policy)->rooms;

	return (rooms[a].rank > rooms[b].rank) - (rooms[a].rank < rooms[b].rank);
}

/* Lists the machines, by name, on which the workload of the newest victim has tasks. */
static uint32_t list_machines(const struct fl_policy *p, struct fl_search *s)
{
	struct fl_span tasks = p->jobs[s->offers[s->n_used - 1].workload.v].tasks;
	uint32_t n = 0;

	s->seen_in++;
	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++) {
		uint32_t machine = fl_task_place(&p->tasks[t]).v;

		if (machine == FL_NONE || s->seen[machine] == s->seen_in)
			continue;
		s->seen[machine] = s->seen_in;
		s->machines[n++] = machine;
	}
	fl_sort(s->machines, n, s->sort_scratch, cmp_ranks, p);
	return n;
}

/*
 * If the workload that asks was placed and the outcome refused, the candidate is not tried with
 * more machines.
 */
static int try_candidate(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	uint32_t n = list_machines(p, s);
	int r = FL_SIMULATED_NO_ROOM;

	for (uint32_t i = 0; r == FL_SIMULATED_NO_ROOM && i < n; i++) {
		s->last_try = i + 1 == n && !s->feasible.matters;
		r = fl_simulate(p, s, (struct fl_machine){ s->machines[i] }, err);
	}
	return r;
}

/* 1: solved, and the outcome takes effect; 0: it cannot be solved. */
static int solve_part(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	int r = 0;

	fl_offers_begin(p, s);
	fl_feasible_begin(p, s);
	if (s->n_recorded > 0) {
		s->last_try = true;
		r = fl_simulate_begin(p, s, err);
		if (r >= 0 && fl_offers_suffice(s))
			r = fl_simulate(p, s, (struct fl_machine){ FL_NONE }, err);
	}
	while (r >= 0 && r != FL_SIMULATED_WELL) {
		if (s->n_used == s->n_offers) {
			/* Lines are in order only while nothing is evicted. */
			fl_simulate_end(p, s);
			if (!fl_offers_more(p, s))
				return 0;
			r = fl_simulate_begin(p, s, err);
			if (r < 0)
				return r;
		}
		fl_offers_use(p, s);
		if (fl_offers_suffice(s))
			r = try_candidate(p, s, err);
	}
	return r < 0 ? r : 1;
}

/* Takes one task more, as if the workload consisted of the part only. */
static void take_part(const struct fl_policy *p, struct fl_search *s)
{
	fl_bundle_add(&s->part.amount, &p->tasks[s->to_start[s->part.n++]].request);
	s->prepared = false;
}

/* --- an outcome was found --- */

static int note(struct fl_policy *p, const struct fl_search *s, enum fl_decision_kind kind,
		uint32_t task, fairlead_error *err)
{
	return fl_cycle_note(p, s->rules->action, kind, task, s->asks, err);
}

/* A workload that found no place in the outcome keeps the tasks to start of that outcome. */
static void remember(struct fl_policy *p, struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_members; i++) {
		uint32_t w = s->members[i];

		if (s->missed[w].walk != s->walks || p->jobs[w].n_waits == 0)
			continue;
		fl_job_remember(p, (struct fl_workload){ w }, /* amount= */ !s->missed[w].moved);
		s->remembered |= fl_job_active(&p->jobs[w]) > 0;
	}
}

/* The outcome takes effect, and its steps are noted. */
static int commit(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < s->n_victims; i++) {
		const struct fl_task *t = &p->tasks[s->victims[i]];

		if (t->state == FL_TASK_LEAVES && fl_task_displaced(p, t))
			r = note(p, s, FL_EVICT, s->victims[i], err);
	}
	for (uint32_t i = 0; r >= 0 && i < s->n_placed; i++) {
		s->moved |= fl_task_moved(&p->tasks[s->placed[i]]);
		r = note(p, s, FL_RESERVE, s->placed[i], err);
	}
	for (uint32_t i = 0; i < s->n_recorded; i++)
		s->twice |= s->offers[i].run == s->run;
	fl_undo_keep(&p->undo, s->probe_mark);
	remember(p, s);
	p->trial = 0;
	s->current = false;
	return r < 0 ? r : 1;
}

/*
 * Is one of the tasks to start leaving and not coming back?  Then they are remembered, and nothing
 * is found: KAI copies such a task, finds that there is nothing to start, and crashes.
 */
static bool wants_back(const struct fl_policy *p, const struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_to_start; i++)
		if (p->tasks[s->to_start[i]].state == FL_TASK_LEAVES)
			return true;
	return false;
}

/* 1: found, and it takes effect; 0: nothing changed. */
static int solve(struct fl_policy *p, struct fl_search *s, fairlead_error *err)
{
	int r = 1;

	if (!may_be_solved(p, s))
		return 0;
	find_eligible(p, s);
	s->n_to_start = fl_job_to_start(p, s->asks, s->to_start);
	/* As a victim of another search of this action it may have been placed as a whole. */
	if (!s->n_to_start || wants_back(p, s))
		return 0;
	s->n_recorded = s->n_offers = s->n_used = s->n_victims = 0;
	s->part = (struct fl_part){ .workload = s->asks, .tasks = s->to_start };
	while (r > 0 && s->part.n < s->n_to_start) {
		take_part(p, s);
		r = solve_part(p, s, err);
		if (r > 0 && s->part.n < s->n_to_start) {
			fl_offers_record(p, s);
			fl_simulate_end(p, s);
		}
	}
	if (r > 0)
		r = commit(p, s, err);
	fl_offers_forget(s);
	return r;
}

/* --- all pending workloads --- */

/* The reason from allocate is only that there is no room: this one says why none is made. */
static int say_why(struct fl_policy *p, struct fl_workload w, enum fl_reason reason,
		   fairlead_error *err)
{
	if (p->jobs[w.v].reason != FL_REASON_NO_ROOM || reason == FL_REASON_NONE)
		return 0;
	return fl_job_say(p, w, reason, err);
}

/* Serves one workload. */
static int serve(struct fl_policy *p, struct fl_search *s, struct fl_workload w,
		 fairlead_error *err)
{
	enum fl_reason why_not;
	int r;

	s->asks = w;
	s->witness.workload = w;
	s->witness.search++;
	bring_up_to_date(p, s);
	why_not = s->rules->may(p, s);
	if (why_not != FL_REASON_NONE)
		return say_why(p, w, why_not, err);
	r = solve(p, s, err);
	if (r < 0)
		return r;
	return r > 0 ? fl_job_say(p, w, FL_REASON_RESERVED, err) :
		       say_why(p, w, s->rules->none_found, err);
}

int fl_search_all(struct fl_policy *p, const struct fl_search_rules *rules, fairlead_error *err)
{
	struct fl_search *s = p->scratch->search;
	struct fl_ordered_job next;
	int r = 0;

	if (!p->settings.actions[rules->action])
		return 0;
	s->rules = rules;
	s->current = false;
	s->witness.sink = p->sink;
	s->witness.axis = p->model->axis;
	fl_cycle_enqueue_heads(p, rules->action, rules->asks_preemptible);
	while (r >= 0 && fl_jobs_order_pop(&p->scratch->waiting, &next))
		r = serve(p, s, next.workload, err);
	p->trial = 0;
	return r < 0 ? r : 0;
}
