/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stale - evicts a gang that has been below its minimum for too long
 *
 * The rules: doc/semantics/entitle.md, E9.23.
 *
 * A gang is below its minimum while some of its tasks run, are about to run, or are leaving, and
 * these are fewer than the minimum.  When that has lasted for the grace period (fl_job_mind_stale
 * notes since when), the tasks that are left are evicted.
 *
 * Guarantee: a gang some of whose tasks are done is not evicted, since it may need no more than it
 * has; nor is one that becomes whole again in this cycle.
 */
#include "base/amount.h"
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/search/search.h"

static bool is_stale(const struct fl_job *j)
{
	uint32_t used = fl_job_active(j) + j->n_leaves;

	return used > 0 && used < j->min_tasks && used + j->n_waits == j->tasks.n;
}

static int evict_all(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_span tasks = p->jobs[w.v].tasks;

	for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++) {
		int r;

		if (!fl_task_active(&p->tasks[t]))
			continue;
		r = fl_task_evict(p, t, err);
		if (r >= 0)
			r = fl_cycle_note(p, FL_ACTION_STALE_GANG, FL_EVICT, t,
					  (struct fl_workload){ FL_NONE }, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool must_go(const struct fl_policy *p, const struct fl_job *j)
{
	return j->present && j->books.v != FL_NONE && is_stale(j) &&
	       j->stale_since != FL_TIME_NONE && p->settings.stale_grace != FL_NEVER &&
	       fl_sat_add(j->stale_since, p->settings.stale_grace) <= p->now;
}

int fl_stale_gangs(struct fl_policy *p, fairlead_error *err)
{
	int r = 0;

	if (!p->settings.actions[FL_ACTION_STALE_GANG])
		return 0;
	for (uint32_t i = fl_job_next(p, 0); r >= 0 && i != FL_NONE; i = fl_job_next(p, i + 1)) {
		struct fl_workload w = { p->job_order[i] };

		if (must_go(p, &p->jobs[w.v]))
			r = evict_all(p, w, err);
	}
	return r;
}
