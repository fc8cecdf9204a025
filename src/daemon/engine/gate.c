/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/gate.h"

static bool is_let_in(const struct fl_live *job)
{
	return job->state == FL_JOB_WAITS || fl_live_runs(job);
}

static bool is_alike(const struct fl_live *a, const struct fl_live *b)
{
	return a->named == b->named && a->user.v == b->user.v;
}

/* The first job of its user and name that has not ended; itself, unless there is one before it. */
static struct fl_live *first_alike(struct fl_jobs *j, const struct fl_live *job)
{
	uint64_t since = fl_alike_find(&j->alike, job->user, job->named).since;

	for (uint32_t i = fl_jobs_place_of(j, since); i < j->n; i++)
		if (is_alike(&j->rows[i], job) && !fl_job_is_over(j->rows[i].state)) {
			fl_alike_note(&j->alike, job->user, job->named, j->rows[i].id);
			return &j->rows[i];
		}
	return NULL;
}

static bool is_behind_its_name(struct fl_jobs *j, const struct fl_live *job)
{
	if (!job->singleton || fl_alike_find(&j->alike, job->user, job->named).n < 2)
		return false;
	return job == &j->rows[j->n - 1] || first_alike(j, job) != job;
}

/*
 * Of the array of @job: others that are let in, and the first that only its array may keep.  That is
 * no singleton: they have one name, so that not two of them are let in.
 */
static uint32_t look_at_array(const struct fl_jobs *j, const struct fl_live *job,
			      struct fl_live **ret_first)
{
	uint32_t n = 0;

	*ret_first = NULL;
	for (uint32_t i = fl_jobs_place_of(j, job->array);
	     i < j->n && j->rows[i].array == job->array && n < job->most; i++) {
		struct fl_live *other = &j->rows[i];

		n += other != job && is_let_in(other);
		if (!*ret_first && other->state == FL_JOB_DEPENDS && !other->singleton &&
		    !fl_jobs_waits_for(j, other->id))
			*ret_first = other;
	}
	return n;
}

bool fl_gate_is_open(struct fl_jobs *j, const struct fl_live *job)
{
	struct fl_live *first;

	return !fl_jobs_waits_for(j, job->id) && !is_behind_its_name(j, job) &&
	       (!job->most || look_at_array(j, job, &first) < job->most);
}

static bool may_go_on(struct fl_jobs *j, const struct fl_live *job)
{
	return job && job->state == FL_JOB_DEPENDS && fl_gate_is_open(j, job);
}

struct fl_live *fl_gate_next(struct fl_jobs *j, const struct fl_live *gone)
{
	struct fl_live *next = NULL;

	if (gone->most && look_at_array(j, gone, &next) < gone->most && next)
		return next;
	if (!gone->named || !fl_alike_find(&j->alike, gone->user, gone->named).singletons)
		return NULL;
	next = first_alike(j, gone);
	return may_go_on(j, next) ? next : NULL;
}
