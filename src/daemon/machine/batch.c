/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/batch.h"

#include <string.h>

void fl_gather_init(struct fl_gather *g)
{
	*g = (struct fl_gather){ 0 };
	fl_arena_init(&g->arena, &fl_mem_heap);
}

void fl_gather_done(struct fl_gather *g)
{
	fl_arena_done(&g->arena);
	fl_mem_free(&fl_mem_heap, g->journal);
	fl_mem_free(&fl_mem_heap, g->specs);
	fl_mem_free(&fl_mem_heap, g->new_jobs);
	fl_mem_free(&fl_mem_heap, g->jobs);
	fl_mem_free(&fl_mem_heap, g->events);
	fl_mem_free(&fl_mem_heap, g->admissions);
	fl_mem_free(&fl_mem_heap, g->conditions);
	fl_mem_free(&fl_mem_heap, g->audit);
	fl_mem_free(&fl_mem_heap, g->posts);
	*g = (struct fl_gather){ 0 };
}

void fl_gather_clear(struct fl_gather *g)
{
	fl_arena_reset(&g->arena);
	g->n_journal = g->n_new_jobs = g->n_jobs = g->n_events = 0;
	g->n_admissions = g->n_conditions = g->n_audit = g->n_posts = 0;
}

bool fl_gather_is_empty(const struct fl_gather *g)
{
	return g->n_journal + g->n_new_jobs + g->n_jobs + g->n_events + g->n_admissions +
		       g->n_conditions + g->n_audit ==
	       0;
}

static int copy(struct fl_gather *g, const void *bytes, size_t n, void *ret, fairlead_error *err)
{
	void *to = fl_arena_alloc(&g->arena, n, 1, err);

	if (!to)
		return FAIRLEAD_ENOMEM;
	memcpy(to, bytes, n);
	*(void **)ret = to;
	return 0;
}

int fl_gather_text(struct fl_gather *g, const char *text, const char **ret, fairlead_error *err)
{
	*ret = NULL;
	return text ? copy(g, text, strlen(text) + 1, ret, err) : 0;
}

#define GROW(g, field, err)                                                                        \
	fl_mem_grow(&fl_mem_heap, &(g)->field, &(g)->cap_##field, (g)->n_##field + 1,              \
		    sizeof *(g)->field, err)

int fl_gather_journal(struct fl_gather *g, const struct fl_journal_row *row, fairlead_error *err)
{
	struct fl_journal_row mine = *row;

	if (GROW(g, journal, err) < 0 ||
	    fl_mem_grow(&fl_mem_heap, &g->specs, &g->cap_specs, g->n_journal + 1, sizeof *g->specs,
			err) < 0 ||
	    fl_gather_text(g, row->text, &mine.text, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->specs[g->n_journal] = NULL;
	g->journal[g->n_journal++] = mine;
	return 0;
}

int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err)
{
	struct fl_job_spec *mine;
	int r = copy(g, spec, sizeof *spec, &mine, err);

	if (r < 0)
		return r;
	mine->command = mine->environment = NULL; /* the stored text has them */
	*ret = mine;
	return 0;
}

int fl_gather_submit(struct fl_gather *g, const struct fl_journal_row *row,
		     const struct fl_job_spec *spec, const char *json, fairlead_error *err)
{
	struct fl_job_row job = {
		.id = row->job,
		.state = spec->hold ? FL_JOB_HELD : FL_JOB_WAITS,
		.uid = spec->uid,
		.array = spec->array,
		.priority = spec->priority,
		.started = FL_TIME_NONE,
		.ended = FL_TIME_NONE,
		.held = spec->hold ? FL_HOLD_OWNER : FL_HOLD_NONE,
		.outcome = -1,
	};

	if (GROW(g, new_jobs, err) < 0 || fl_gather_text(g, json, &job.spec, err) < 0 ||
	    fl_gather_text(g, spec->name, &job.name, err) < 0 ||
	    fl_gather_text(g, spec->user, &job.user, err) < 0 ||
	    fl_gather_text(g, spec->queue, &job.queue, err) < 0 ||
	    fl_gather_journal(g, row, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->specs[g->n_journal - 1] = spec;
	g->new_jobs[g->n_new_jobs++] = job;
	return 0;
}

int fl_gather_job(struct fl_gather *g, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_row mine = *row;

	if (GROW(g, jobs, err) < 0 || fl_gather_text(g, row->user, &mine.user, err) < 0 ||
	    fl_gather_text(g, row->name, &mine.name, err) < 0 ||
	    fl_gather_text(g, row->queue, &mine.queue, err) < 0 ||
	    fl_gather_text(g, row->placement, &mine.placement, err) < 0 ||
	    fl_gather_text(g, row->reason, &mine.reason, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->jobs[g->n_jobs++] = mine;
	return 0;
}

int fl_gather_event(struct fl_gather *g, const struct fl_event_row *row, fairlead_error *err)
{
	struct fl_event_row mine = *row;

	if (GROW(g, events, err) < 0 || fl_gather_text(g, row->kind, &mine.kind, err) < 0 ||
	    fl_gather_text(g, row->queue, &mine.queue, err) < 0 ||
	    fl_gather_text(g, row->reason, &mine.reason, err) < 0 ||
	    fl_gather_text(g, row->text, &mine.text, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->events[g->n_events++] = mine;
	return 0;
}

int fl_gather_admission(struct fl_gather *g, const struct fl_admission_row *row,
			fairlead_error *err)
{
	struct fl_admission_row mine = *row;

	if (GROW(g, admissions, err) < 0 || fl_gather_text(g, row->queue, &mine.queue, err) < 0 ||
	    fl_gather_text(g, row->placement, &mine.placement, err) < 0 ||
	    fl_gather_text(g, row->ended, &mine.ended, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->admissions[g->n_admissions++] = mine;
	return 0;
}

int fl_gather_condition(struct fl_gather *g, const struct fl_condition_row *row,
			fairlead_error *err)
{
	struct fl_condition_row mine = *row;

	if (GROW(g, conditions, err) < 0 || fl_gather_text(g, row->kind, &mine.kind, err) < 0 ||
	    fl_gather_text(g, row->name, &mine.name, err) < 0 ||
	    fl_gather_text(g, row->type, &mine.type, err) < 0 ||
	    fl_gather_text(g, row->reason, &mine.reason, err) < 0 ||
	    fl_gather_text(g, row->text, &mine.text, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->conditions[g->n_conditions++] = mine;
	return 0;
}

int fl_gather_audit(struct fl_gather *g, const struct fl_audit_row *row, fairlead_error *err)
{
	struct fl_audit_row mine = *row;

	if (GROW(g, audit, err) < 0 || fl_gather_text(g, row->user, &mine.user, err) < 0 ||
	    fl_gather_text(g, row->action, &mine.action, err) < 0 ||
	    fl_gather_text(g, row->subject, &mine.subject, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->audit[g->n_audit++] = mine;
	return 0;
}

int fl_gather_post(struct fl_gather *g, const struct fl_post *post, fairlead_error *err)
{
	if (GROW(g, posts, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->posts[g->n_posts++] = *post;
	return 0;
}

static bool is_fact(enum fl_journal_kind kind)
{
	return kind == FL_JOURNAL_BEGAN || kind == FL_JOURNAL_ENDED ||
	       kind == FL_JOURNAL_DISOWNED || kind == FL_JOURNAL_RESTORED;
}

void fl_gather_keep_facts(struct fl_gather *g)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->n_journal; i++)
		if (is_fact(g->journal[i].kind))
			g->journal[kept++] = g->journal[i];
	for (uint32_t i = 0; i < kept; i++)
		g->specs[i] = NULL;
	g->n_journal = kept;
	g->n_new_jobs = 0;
	g->n_posts = 0;
}

const struct fl_batch *fl_gather_close(struct fl_gather *g)
{
	g->rows = (struct fl_batch){
		.journal = g->journal,
		.new_jobs = g->new_jobs,
		.jobs = g->jobs,
		.events = g->events,
		.admissions = g->admissions,
		.conditions = g->conditions,
		.audit = g->audit,
		.n_journal = g->n_journal,
		.n_new_jobs = g->n_new_jobs,
		.n_jobs = g->n_jobs,
		.n_events = g->n_events,
		.n_admissions = g->n_admissions,
		.n_conditions = g->n_conditions,
		.n_audit = g->n_audit,
	};
	return &g->rows;
}
