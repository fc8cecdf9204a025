/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim - a queue gets its share back from others (doc/semantics/entitle.md, E5 and E9.20)
 *
 *   Asks:     a leaf that with its request stays within its fair share, and, with what cannot be
 *             preempted, within what it deserves (fl_reclaim_may).
 *   Victims:  preemptible workloads of every other leaf that have run for their minimum run time.
 *   Outcome:  each victim's side was over its share, or the reclaimer's side is within what it
 *             deserves and the victim's was over; and no queue on the reclaimer's path becomes
 *             more saturated than the queue from which it takes (fl_reclaim_allows).
 *
 * Guarantee: judged by the queues as they were before the search, which includes earlier decisions
 * of the cycle.  With consolidatingReclaim on, a victim that is placed again does not count as a
 * victim.
 */
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/capacity.h"
#include "decide/entitle/search/search.h"

static struct fl_reclaimer reclaimer_of(const struct fl_policy *p, const struct fl_search *s,
					const struct fl_bundle *request)
{
	const struct fl_job *j = &p->jobs[s->asks.v];

	return (struct fl_reclaimer){ .queue = j->queue,
				      .preemptible = j->preemptible,
				      .request = *request };
}

static enum fl_reason may(struct fl_policy *p, struct fl_search *s)
{
	struct fl_reclaimer reclaimer = reclaimer_of(p, s, fl_job_start_amount(p, s->asks));
	const struct fl_witness *witness = fl_search_witness(s);

	if (!fl_reclaim_may(p->queues, &reclaimer, witness))
		return FL_REASON_OVER_FAIR_SHARE;
	/* Victims release nothing that cannot be preempted: so every outcome would be refused. */
	if (!reclaimer.preemptible && !fl_capacity_within_quota(p->queues, reclaimer.queue,
								&reclaimer.request, witness, NULL))
		return FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA;
	return FL_REASON_NONE;
}

static struct fl_min_run min_run(const struct fl_policy *p, const struct fl_search *s,
				 struct fl_node leaf)
{
	return fl_min_run_reclaim(p->queues, &p->settings, p->jobs[s->asks.v].queue, leaf);
}

static bool eligible(const struct fl_policy *p, const struct fl_search *s, uint32_t victim)
{
	return p->jobs[victim].queue.v != p->jobs[s->asks.v].queue.v &&
	       !fl_budgets_protect(p, p->jobs[s->asks.v].queue, p->jobs[victim].queue);
}

/* Does what the side of @its holds pass either way?  @victim: for the evidence. */
static bool passes(const struct fl_policy *p, const struct fl_search *s, struct fl_node its,
		   struct fl_node mine, struct fl_workload victim, const struct fl_witness *witness)
{
	return fl_reclaim_passes(s->before, mine, its, &p->jobs[s->asks.v].to_start,
				 &s->before[its.v].allocated, victim, witness);
}

/*
 * No workload of @leaf may lose anything: tells a sink that takes rows of single victims why, for
 * each.
 */
static void tell(const struct fl_policy *p, const struct fl_search *s, struct fl_node leaf,
		 struct fl_node its, struct fl_node mine)
{
	const struct fl_witness *witness = fl_search_witness(s);

	if (!witness || witness->sink->not_victims)
		return;
	for (uint32_t i = 0; i < s->leaf[leaf.v].n; i++) {
		uint32_t w = s->of_leaf[s->leaf[leaf.v].first + i];

		if (p->jobs[w].preemptible && fl_job_active(&p->jobs[w]) > 0)
			passes(p, s, its, mine, (struct fl_workload){ w }, witness);
	}
}

/*
 * What a victim's side holds only decreases with each eviction: a side that is not over its bound
 * at first never is.  A part of the request may pass where the whole does not, but in the end it
 * is the whole request that must be solved.
 */
static bool may_lose(const struct fl_policy *p, const struct fl_search *s, struct fl_node leaf)
{
	const struct fl_job *j = &p->jobs[s->asks.v];
	struct fl_node mine, its;

	if (leaf.v == j->queue.v)
		return false;
	fl_reclaim_sides(s->before, j->queue, leaf, &mine, &its);
	if (passes(p, s, its, mine, (struct fl_workload){ FL_NONE }, /* witness= */ NULL))
		return true;
	tell(p, s, leaf, its, mine);
	return false;
}

/* What one workload loses, while it is computed. */
struct loss {
	struct fl_policy *p;
	struct fl_search *s;
	uint32_t workload, n_tasks; /* tasks offered so far */
	struct fl_bundle core;      /* of as many tasks as its minimum, which are lost together */
	bool any_core;
	uint32_t *n; /* number of entries */
};

static void add_vector(struct loss *l, const struct fl_bundle *amount)
{
	l->s->vectors[(*l->n)++] = (struct fl_reclaim_victim){
		.queue = l->p->jobs[l->workload].queue,
		.amount = *amount,
		.workload = { l->workload },
	};
}

static void add_task(struct loss *l, const struct fl_task *t)
{
	bool core = l->n_tasks++ < l->p->jobs[l->workload].min_tasks;

	if (l->p->settings.consolidating_reclaim && fl_task_active(t))
		return;
	if (!core) {
		add_vector(l, &t->request);
		return;
	}
	fl_bundle_add(&l->core, &t->request);
	l->any_core = true;
}

/* Adds the tasks of a victim beyond its minimum one by one, and then the others together. */
static void add_workload(struct fl_policy *p, struct fl_search *s, uint32_t workload, uint32_t *n)
{
	struct loss l = { .p = p, .s = s, .workload = workload, .n = n };

	for (uint32_t i = s->first_offer[workload]; i < s->n_used; i = s->offers[i].next) {
		struct fl_span tasks = s->offers[i].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			add_task(&l, &p->tasks[s->victims[t]]);
	}
	if (l.any_core)
		add_vector(&l, &l.core);
}

static bool allows(struct fl_policy *p, struct fl_search *s)
{
	struct fl_reclaim_options options = {
		.multiplier = p->settings.multiplier,
		.keep_below_quota = p->settings.keep_below_quota,
		.protect_quota = p->settings.protect_quota,
		.multiplied_first = p->settings.by_documents,
	};
	struct fl_reclaimer reclaimer = reclaimer_of(p, s, &s->part.amount);
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_used; i++)
		if (s->first_offer[s->offers[i].workload.v] == i)
			add_workload(p, s, s->offers[i].workload.v, &n);
	return fl_reclaim_allows(s->before, &options, &reclaimer, s->vectors, n, s->reclaim,
				 fl_search_witness(s));
}

int fl_reclaim(struct fl_policy *p, fairlead_error *err)
{
	static const struct fl_search_rules rules = {
		.action = FL_ACTION_RECLAIM,
		.none_found = FL_REASON_NO_VICTIMS,
		.may = may,
		.min_run = min_run,
		.eligible = eligible,
		.may_lose = may_lose,
		.allows = allows,
	};

	return fl_search_all(p, &rules, err);
}
