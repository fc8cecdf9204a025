/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/search/offers.h"

/* --- are there enough GPUs? --- */

/* The machine at index @at has more than when it was ranked: moves it forward to its place. */
static void move_forward(struct fl_search *s, uint32_t at)
{
	uint32_t m = s->roomy[at];

	for (; at > 0 && s->gpus[s->roomy[at - 1]] < s->gpus[m]; at--)
		s->roomy[at] = s->roomy[at - 1];
	s->roomy[at] = m;
}

/* There are never more machines ranked than tasks. */
static void rank_new(const struct fl_policy *p, struct fl_search *s, uint32_t machine)
{
	uint32_t most = s->part.n < p->model->n_machines ? s->part.n : p->model->n_machines;

	if (s->n_roomy < most)
		s->n_roomy++;
	else if (s->gpus[machine] <= s->gpus[s->roomy[s->n_roomy - 1]])
		return;
	s->roomy[s->n_roomy - 1] = machine;
	move_forward(s, s->n_roomy - 1);
}

static void rank_again(const struct fl_policy *p, struct fl_search *s, uint32_t machine)
{
	for (uint32_t i = 0; i < s->n_roomy; i++)
		if (s->roomy[i] == machine) {
			move_forward(s, i);
			return;
		}
	rank_new(p, s, machine);
}

static void count_task(const struct fl_policy *p, struct fl_search *s, const struct fl_task *t)
{
	uint32_t machine = fl_task_place(t).v;

	if (t->request.of[FL_GPU] == 0 || machine == FL_NONE || !p->rooms[machine].usable)
		return;
	s->gpus[machine] += t->request.of[FL_GPU];
	rank_again(p, s, machine);
}

static void count_offer(const struct fl_policy *p, struct fl_search *s, const struct fl_offer *o)
{
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++)
		count_task(p, s, &p->tasks[s->victims[i]]);
}

/* Counts with the offers that are used. */
static void count_gpus(const struct fl_policy *p, struct fl_search *s)
{
	s->n_roomy = 0;
	for (uint32_t m = 0; m < p->model->n_machines; m++) {
		const struct fl_room *room = &p->rooms[m];

		if (!room->usable)
			continue;
		s->gpus[m] = room->idle.of[FL_GPU] + room->leaving.of[FL_GPU];
		rank_new(p, s, m);
	}
	for (uint32_t i = 0; i < s->n_used; i++)
		count_offer(p, s, &s->offers[i]);
}

/* Needs are kept sorted: each part has one task more than the part before. */
static void add_need(const struct fl_policy *p, struct fl_search *s)
{
	uint32_t at = s->part.n - 1;
	double need = p->tasks[s->part.tasks[at]].request.of[FL_GPU];

	for (; at > 0 && s->needs[at - 1] < need; at--)
		s->needs[at] = s->needs[at - 1];
	s->needs[at] = need;
}

bool fl_offers_suffice(struct fl_search *s)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < s->n_roomy; i++)
		s->spent[i] = 0;
	for (uint32_t i = 0; i < s->part.n && s->needs[i] > 0; i++) {
		/* A machine without room for an equal need has none for this one. */
		if (i > 0 && s->needs[i] != s->needs[i - 1])
			at = 0;
		while (at < s->n_roomy && s->gpus[s->roomy[at]] - s->spent[at] < s->needs[i])
			at++;
		if (at == s->n_roomy)
			return false;
		s->spent[at] += s->needs[i];
	}
	return true;
}

/* --- offers --- */

static void append(struct fl_search *s, uint32_t offer)
{
	uint32_t w = s->offers[offer].workload.v;

	if (s->first_offer[w] == FL_NONE)
		s->first_offer[w] = offer;
	else
		s->offers[s->last_offer[w]].next = offer;
	s->last_offer[w] = offer;
	s->offers[offer].next = FL_NONE;
	s->offers[offer].run = 0;
}

void fl_offers_begin(struct fl_policy *p, struct fl_search *s)
{
	s->n_used = s->n_offers = s->n_recorded;
	s->ordered = s->hopeful = false;
	s->piles++;
	add_need(p, s);
	count_gpus(p, s);
}

static void line_up(struct fl_policy *p, struct fl_search *s)
{
	struct fl_jobs_order *victims = &p->scratch->victims;

	s->ordered = true;
	fl_jobs_order_begin(victims, FL_JOBS_ORDER_VICTIMS, /* part= */ NULL, /* depth= */ 0);
	for (uint32_t i = 0; i < s->n_eligible; i++) {
		struct fl_workload w = { s->eligible[i] };
		struct fl_span tasks = p->jobs[w.v].tasks;
		struct fl_ordered_job ordered;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			s->out[t] = false;
		ordered = fl_ordered_victim(p, w, s->out);
		fl_jobs_order_add(victims, &ordered);
	}
	fl_jobs_order_ready(victims);
}

/* Returns to its line what is left of the workload. */
static void push_rest(struct fl_policy *p, struct fl_search *s, struct fl_workload w)
{
	struct fl_ordered_job rest = fl_ordered_victim(p, w, s->out);

	fl_jobs_order_push(&p->scratch->victims, &rest);
}

/*
 * Some of its tasks are victims already: these leave the line, and the rest of it, if there is
 * any, active or not, is pushed again.
 */
static void skip_recorded(struct fl_policy *p, struct fl_search *s, struct fl_workload w)
{
	struct fl_span tasks = p->jobs[w.v].tasks;
	bool rest = false;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++) {
		s->out[t] |= s->recorded[t];
		rest |= !s->out[t];
	}
	if (rest)
		push_rest(p, s, w);
}

/* Its last active task if more than its minimum is in line, else all; returns how many. */
static uint32_t choose_tasks(const struct fl_policy *p, const struct fl_search *s,
			     const struct fl_ordered_job *ordered, uint32_t *ret)
{
	const struct fl_job *j = &p->jobs[ordered->workload.v];
	bool one = ordered->active > j->min_tasks;
	uint32_t n = 0;

	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++)
		if (!s->out[t] && fl_task_active(&p->tasks[t]))
			ret[one ? 0 : n++] = t;
	return one ? 1 : n;
}

static void take(struct fl_policy *p, struct fl_search *s, const struct fl_ordered_job *ordered)
{
	uint32_t *tasks = s->victims + s->n_victims;
	uint32_t n = choose_tasks(p, s, ordered, tasks);

	for (uint32_t i = 0; i < n; i++)
		if (s->recorded[tasks[i]]) {
			skip_recorded(p, s, ordered->workload);
			return;
		}
	if (n == 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		s->out[tasks[i]] = true;
	s->offers[s->n_offers] = (struct fl_offer){
		.workload = ordered->workload,
		.tasks = { s->n_victims, n },
	};
	s->n_victims += n;
	append(s, s->n_offers++);
	if (ordered->active > p->jobs[ordered->workload.v].min_tasks)
		push_rest(p, s, ordered->workload);
}

/* Would GPUs be enough if all eligible workloads offered all their tasks? */
static bool all_would_suffice(struct fl_policy *p, struct fl_search *s)
{
	bool suffice;

	for (uint32_t i = 0; i < s->n_eligible; i++) {
		struct fl_span tasks = p->jobs[s->eligible[i]].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			if (fl_task_active(&p->tasks[t]) && !s->recorded[t] && !s->out[t])
				count_task(p, s, &p->tasks[t]);
	}
	suffice = fl_offers_suffice(s);
	count_gpus(p, s);
	return suffice;
}

bool fl_offers_more(struct fl_policy *p, struct fl_search *s)
{
	uint32_t before = s->n_offers;
	uint32_t enough = before == s->n_recorded ? before + 1 : 2 * before - s->n_recorded;
	struct fl_ordered_job next;

	if (!s->ordered)
		line_up(p, s);
	else if (!s->hopeful && !(s->hopeful = all_would_suffice(p, s)))
		return false;
	while (s->n_offers < enough && fl_jobs_order_pop(&p->scratch->victims, &next))
		take(p, s, &next);
	return s->n_offers > before;
}

static void pile_up(const struct fl_policy *p, struct fl_search *s, uint32_t victim)
{
	uint32_t machine = fl_task_place(&p->tasks[s->victims[victim]]).v;
	struct fl_pile *pile;

	if (machine == FL_NONE)
		return;
	pile = &s->on[machine];
	s->next_on[victim] = FL_NONE;
	if (pile->number != s->piles)
		*pile = (struct fl_pile){ .first = victim, .number = s->piles };
	else
		s->next_on[pile->last] = victim;
	pile->last = victim;
}

void fl_offers_use(struct fl_policy *p, struct fl_search *s)
{
	const struct fl_offer *o = &s->offers[s->n_used++];

	count_offer(p, s, o);
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++)
		pile_up(p, s, i);
}

/*
 * For a task of an offer that the outcome evicted: does it leave, or was it promised a place?  A
 * place that was promised before, and to which the task was put back, counts as a promise too; a
 * task that runs where it ran does not count.  A task that was evicted twice and put back once
 * still leaves, as in KAI.
 */
static bool is_victim(const struct fl_policy *p, const struct fl_search *s, uint32_t offer,
		      uint32_t task)
{
	if (offer < s->n_recorded && s->offers[offer].run == s->run)
		return true;
	return p->tasks[task].state != FL_TASK_HOLDS;
}

/* Does the outcome make it a victim?  One task is enough; an offer that was not tried is none. */
static bool is_kept(const struct fl_policy *p, const struct fl_search *s, uint32_t offer)
{
	const struct fl_offer *o = &s->offers[offer];

	if (offer >= s->n_recorded && o->run != s->run)
		return false;
	for (uint32_t i = o->tasks.first; i < o->tasks.first + o->tasks.n; i++)
		if (is_victim(p, s, offer, s->victims[i]))
			return true;
	return false;
}

static void unlink_all(struct fl_search *s)
{
	for (uint32_t i = 0; i < s->n_offers; i++) {
		uint32_t w = s->offers[i].workload.v;

		s->first_offer[w] = s->last_offer[w] = FL_NONE;
	}
	for (uint32_t i = 0; i < s->n_victims; i++)
		s->recorded[s->victims[i]] = false;
}

void fl_offers_record(struct fl_policy *p, struct fl_search *s)
{
	uint32_t n_offers = 0, n_victims = 0;

	unlink_all(s);
	for (uint32_t i = 0; i < s->n_used; i++) {
		struct fl_offer o = s->offers[i];

		if (!is_kept(p, s, i))
			continue;
		for (uint32_t k = 0; k < o.tasks.n; k++) {
			uint32_t task = s->victims[o.tasks.first + k];

			s->found[n_victims + k] = is_victim(p, s, i, task);
			s->recorded[task] = true;
			s->victims[n_victims + k] = task;
		}
		o.tasks.first = n_victims;
		n_victims += o.tasks.n;
		s->offers[n_offers] = o;
		append(s, n_offers++);
	}
	s->n_recorded = s->n_offers = s->n_used = n_offers;
	s->n_victims = n_victims;
}

void fl_offers_forget(struct fl_search *s)
{
	unlink_all(s);
	s->n_recorded = s->n_offers = s->n_used = s->n_victims = 0;
}
