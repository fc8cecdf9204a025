/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/batch.h"

#include <string.h>

void fl_gather_init(struct fl_gather *g)
{
	*g = (struct fl_gather){ 0 };
	fl_gathered_init(&g->all);
}

void fl_gather_done(struct fl_gather *g)
{
	fl_gathered_done(&g->all);
	fl_mem_free(&fl_mem_heap, g->specs);
	fl_mem_free(&fl_mem_heap, g->posts);
	*g = (struct fl_gather){ 0 };
}

void fl_gather_clear(struct fl_gather *g)
{
	fl_gathered_clear(&g->all);
	g->n_posts = 0;
	g->changed = 0;
}

bool fl_gather_is_empty(const struct fl_gather *g) { return fl_gathered_count(&g->all) == 0; }

int fl_gather_to(struct fl_gather *g, enum fl_batch_part part, const void *row, fairlead_error *err)
{
	const uint32_t n = g->all.rows.n_journal;

	if (part != FL_BATCH_JOURNAL)
		return fl_gathered_add(&g->all, part, row, err);
	if (fl_mem_grow(&fl_mem_heap, &g->specs, &g->cap_specs, n + 1, sizeof *g->specs, err) < 0)
		return FAIRLEAD_ENOMEM;
	g->specs[n] = NULL;
	return fl_gathered_add(&g->all, part, row, err);
}

int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err)
{
	struct fl_job_spec *mine = fl_arena_alloc(&g->all.arena, sizeof *mine, 1, err);

	if (!mine)
		return FAIRLEAD_ENOMEM;
	*mine = *spec;
	mine->command = mine->environment =
		NULL; /* the stored text has the command and environment */
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
		.user = spec->user,
		.name = spec->name,
		.queue = spec->queue,
		.spec = json,
		.array = spec->array,
		.priority = spec->priority,
		.started = FL_TIME_NONE,
		.ended = FL_TIME_NONE,
		.held = spec->hold ? FL_HOLD_OWNER : FL_HOLD_NONE,
		.outcome = -1,
	};

	if (fl_gathered_text(&g->all, &job.spec, err) < 0 ||
	    fl_gather_to(g, FL_BATCH_NEW_JOBS, &job, err) < 0)
		return FAIRLEAD_ENOMEM;
	if (fl_gather_row(g, row, err) < 0) {
		g->all.rows.n_new_jobs--;
		return FAIRLEAD_ENOMEM;
	}
	g->specs[g->all.rows.n_journal - 1] = spec;
	return 0;
}

int fl_gather_new_spec(struct fl_gather *g, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_job_row mine = *row;

	if (fl_gathered_text(&g->all, &mine.spec, err) < 0)
		return FAIRLEAD_ENOMEM;
	return fl_gather_to(g, FL_BATCH_SPECS, &mine, err);
}

int fl_gather_post(struct fl_gather *g, const struct fl_post *post, fairlead_error *err)
{
	if (fl_mem_grow(&fl_mem_heap, &g->posts, &g->cap_posts, g->n_posts + 1, sizeof *g->posts,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	g->posts[g->n_posts++] = *post;
	return 0;
}

void fl_gather_number(struct fl_gather *g, uint64_t seq, fl_time at)
{
	struct fl_journal_row *journal = (struct fl_journal_row *)g->all.rows.journal;
	struct fl_job_row *new_jobs = (struct fl_job_row *)g->all.rows.new_jobs;

	for (uint32_t i = 0; i < g->all.rows.n_journal; i++) {
		journal[i].seq = seq + i + 1;
		journal[i].at = at;
	}
	for (uint32_t i = 0; i < g->all.rows.n_new_jobs; i++)
		new_jobs[i].submitted = at;
}

static bool is_asked_for(const struct fl_gather *g, uint32_t row)
{
	for (uint32_t i = 0; i < g->n_posts; i++)
		if (row - g->posts[i].first < g->posts[i].n)
			return true;
	return false;
}

/* A configuration without a request is that of the files, at the start. */
static bool is_fact(const struct fl_gather *g, uint32_t row)
{
	const enum fl_journal_kind kind = g->all.rows.journal[row].kind;

	return kind == FL_JOURNAL_BEGAN || kind == FL_JOURNAL_MEASURED ||
	       kind == FL_JOURNAL_ENDED || kind == FL_JOURNAL_DISOWNED ||
	       kind == FL_JOURNAL_RESTORED ||
	       (kind == FL_JOURNAL_CONFIGURED && !is_asked_for(g, row));
}

bool fl_gather_keep_facts(struct fl_gather *g)
{
	struct fl_journal_row *journal = (struct fl_journal_row *)g->all.rows.journal;
	uint32_t kept = 0;
	bool configures = false;

	for (uint32_t i = 0; i < g->all.rows.n_journal; i++)
		if (is_fact(g, i)) {
			configures |= journal[i].kind == FL_JOURNAL_CONFIGURED;
			journal[kept++] = journal[i];
		}
	for (uint32_t i = 0; i < kept; i++)
		g->specs[i] = NULL;
	g->all.rows.n_journal = kept;
	g->all.rows.n_new_jobs = 0;
	g->n_posts = 0;
	return configures;
}
