/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/used.h"

#include <math.h>
#include <string.h>

/* Of a resource in what an attempt held; 0: nothing. */
static double held(const struct fl_attempt_answer *one, const char *resource)
{
	double sum = 0;

	for (uint32_t i = 0; i < one->n_holds; i++)
		if (strcmp(one->holds[i].resource, resource) == 0)
			sum += (double)one->holds[i].amount;
	return sum;
}

static double seconds(fl_time from, fl_time to)
{
	return from == FL_TIME_NONE || to == FL_TIME_NONE || to < from ?
		       0 :
		       (double)(to - from) / FL_SECOND;
}

/* Its work has to be done again. */
static bool is_lost(const char *ended)
{
	const char *const words[] = {
		fl_go_why_name(FL_GO_PREEMPTED),
		fl_go_why_name(FL_GO_HELD),
		fl_go_why_name(FL_GO_DRAIN),
		fl_outcome_name(FL_RUN_LOST),
	};

	for (size_t i = 0; ended && i < sizeof words / sizeof *words; i++)
		if (strcmp(ended, words[i]) == 0)
			return true;
	return false;
}

void fl_used_begin(struct fl_used *u, const struct fl_live *live, fl_time now)
{
	*u = (struct fl_used){
		.job = { .cpu = (double)NAN, .of_cores = (double)NAN, .of_memory = (double)NAN }
	};
	if (live && live->state < FL_JOB_STARTS)
		u->job.waited = seconds(live->waits, now);
}

void fl_used_add(struct fl_used *u, struct fl_attempt_answer *one)
{
	const struct fl_admission_row *row = &one->row;
	double ran = seconds(row->from, row->to), cores = held(one, "cpu") / 1000;
	double memory = held(one, "memory");
	struct fl_job_used *all = &u->job;

	one->waited = seconds(row->waits, row->from);
	one->cpu = row->cpu || row->memory ? (double)row->cpu / FL_SECOND : (double)NAN;
	all->waited += one->waited;
	if (is_lost(row->ended))
		all->lost += ran;
	if (isnan(one->cpu))
		return;
	all->cpu = (isnan(all->cpu) ? 0 : all->cpu) + one->cpu;
	all->memory = row->memory > all->memory ? row->memory : all->memory;
	u->core_seconds += cores * ran;
	u->core_seconds_used += cores > 0 ? one->cpu : 0;
	if (u->core_seconds > 0)
		all->of_cores = u->core_seconds_used / u->core_seconds;
	if (memory > 0 && row->memory > 0)
		all->of_memory = fmax(isnan(all->of_memory) ? 0 : all->of_memory,
				      (double)row->memory / memory);
}
