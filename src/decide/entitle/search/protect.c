/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protect - victims that have not run for their minimum run time (search.h, minruntime.h)
 *
 * Guarantee: a protected workload that needs all its tasks is not offered; of one with more tasks
 * than its minimum only those beyond it can be evicted.  NOT guaranteed: that tasks beyond the
 * minimum count one by one; all that are offered count, whether they find a place again or not.
 */
#include "decide/entitle/search/search.h"

#include "base/time.h"

static bool is_elastic(const struct fl_job *j) { return j->tasks.n > j->min_tasks; }

static bool is_protected(const struct fl_policy *p, const struct fl_search *s, uint32_t victim,
			 struct fl_min_run *ret)
{
	const struct fl_job *j = &p->jobs[victim];

	if (!s->rules->min_run)
		return false;
	*ret = s->rules->min_run(p, s, j->queue);
	return fl_min_run_protects(p->now, j->started, ret->length);
}

bool fl_search_protects(const struct fl_policy *p, const struct fl_search *s, uint32_t victim)
{
	const struct fl_job *j = &p->jobs[victim];
	struct fl_min_run run;

	if (!is_protected(p, s, victim, &run))
		return false;
	if (is_elastic(j))
		return false;
	fl_search_emit(s, (struct fl_evidence){
				  .check = FL_CHECK_VICTIM_RUN_TIME,
				  .node = run.set_by.v == FL_NONE ? j->queue : run.set_by,
				  .victim = { victim },
				  .lhs = { .kind = FL_NUMBER_DURATION,
					   .amount = fl_time_minus(p->now, j->started) },
				  .rhs = { .kind = FL_NUMBER_DURATION, .amount = run.length },
			  });
	return true;
}

/* How many tasks @workload has offered so far. */
static uint32_t n_offered(const struct fl_search *s, uint32_t workload)
{
	uint32_t n = 0;

	for (uint32_t i = s->first_offer[workload]; i < s->n_used; i = s->offers[i].next)
		n += s->offers[i].tasks.n;
	return n;
}

bool fl_search_spares_gangs(const struct fl_policy *p, const struct fl_search *s)
{
	struct fl_min_run run;

	for (uint32_t i = 0; s->rules->min_run && i < s->n_used; i++) {
		uint32_t w = s->offers[i].workload.v;
		const struct fl_job *j = &p->jobs[w];

		if (s->first_offer[w] != i || !is_elastic(j) || !is_protected(p, s, w, &run))
			continue;
		if (!fl_min_run_spares(fl_job_active(j) + j->n_leaves, (int32_t)j->min_tasks,
				       n_offered(s, w)))
			return false;
	}
	return true;
}
