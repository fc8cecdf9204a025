/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/cycle/wake.h"

#include "base/amount.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/turns.h"

/* --- when is the next cycle? --- */

static fl_time later(fl_time a, fl_time b) { return a > b ? a : b; }

/* The longest time for which reclaim or preemption, of any queue, leaves @j alone. */
static fl_time longest_run(const struct fl_policy *p, const struct fl_job *j)
{
	fl_time longest = later(p->settings.default_preempt_min_run,
				p->settings.default_reclaim_min_run);

	for (uint32_t q = j->queue.v; q != FL_NONE; q = p->queues[q].parent.v)
		longest = later(longest,
				later(p->queues[q].preempt_min_run, p->queues[q].reclaim_min_run));
	return longest;
}

fl_time fl_wake_protected_until(const struct fl_policy *p, const struct fl_job *j)
{
	if (!j->preemptible || j->n_holds == 0 || j->started == FL_TIME_NONE)
		return FL_TIME_NONE;
	return fl_sat_add(j->started, longest_run(p, j));
}

/* The first time after @now at which a minimum run time ends that may protect @j. */
static fl_time unprotected(const struct fl_policy *p, const struct fl_job *j, fl_time now)
{
	fl_time lengths[] = { p->settings.default_preempt_min_run,
			      p->settings.default_reclaim_min_run };
	fl_time first = FL_NEVER;
	uint32_t q = j->queue.v;

	if (fl_wake_protected_until(p, j) <= now)
		return FL_NEVER;
	for (bool more = true; more; q = p->queues[q].parent.v) {
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			fl_time end = fl_sat_add(j->started, lengths[i]);

			if (lengths[i] != FL_TIME_NONE && end > now && end < first)
				first = end;
		}
		more = q != FL_NONE;
		if (!more)
			break;
		lengths[0] = p->queues[q].preempt_min_run;
		lengths[1] = p->queues[q].reclaim_min_run;
	}
	return first;
}

/* The same over all workloads. */
static fl_time find_wake(const struct fl_policy *p, fl_time now)
{
	fl_time first = FL_NEVER;
	bool waits = false;

	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		const struct fl_job *j = &p->jobs[p->job_order[i]];

		waits |= fl_job_wants(j);
		first = fl_amount_min(first, unprotected(p, j, now));
	}
	if (!waits)
		first = FL_NEVER;
	else if (p->moving && (p->settings.k > 0 || p->budgets))
		first = fl_amount_min(first, fl_sat_add(now, p->settings.fetch_interval));
	if (waits && p->budgets)
		first = fl_amount_min(first, fl_budgets_wake(p, now));
	for (uint32_t i = fl_job_next(p, 0); i != FL_NONE; i = fl_job_next(p, i + 1)) {
		fl_time since = p->jobs[p->job_order[i]].stale_since;
		fl_time end = since == FL_TIME_NONE ? FL_NEVER :
						      fl_sat_add(since, p->settings.stale_grace);

		if (end > now && p->settings.actions[FL_ACTION_STALE_GANG])
			first = fl_amount_min(first, end);
	}
	return first;
}

fl_time fl_wake(const struct fl_policy *p, fl_time now)
{
	return fl_wake_is_idle(p, now) ? p->idle.wake : find_wake(p, now);
}

/* --- is a cycle needed? --- */

/* Do shares follow usage, which changes all the time? */
static bool shares_move(const struct fl_policy *p)
{
	return p->moving && (p->settings.k > 0 || p->budgets);
}

bool fl_wake_is_idle(const struct fl_policy *p, fl_time now)
{
	const struct fl_idle *idle = &p->idle;

	return idle->is &&
	       (now == idle->since || (now > idle->since && now < idle->wake && !shares_move(p)));
}

/*
 * Is there nothing left to decide?  With turns, a workload that was reserved room has its turn
 * again in the next cycle.
 */
static bool is_over(const struct fl_policy *p, const struct fl_decisions *d)
{
	bool over = !d->moved;

	for (uint32_t i = 0; i < d->n && over; i++)
		over = d->rows[i].kind == FL_WAIT ||
		       (d->rows[i].kind == FL_RESERVE && !fl_turns_count(p));
	return over;
}

int fl_wake_rest(struct fl_policy *p, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_idle idle = { .is = is_over(p, d), .since = p->now, .waiting = d->waiting };
	int r = fl_undo_reserve(&p->undo, FL_UNDO_OF(idle), err);

	if (r < 0)
		return r;
	if (idle.is)
		idle.wake = find_wake(p, p->now);
	FL_SET(p, p->idle, idle);
	return 0;
}

int fl_wake_up(struct fl_policy *p, fairlead_error *err)
{
	int r = fl_undo_reserve(&p->undo, FL_UNDO_OF(p->idle.is), err);

	if (r == 0)
		FL_SET(p, p->idle.is, false);
	return r;
}
