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
	for (int part = 0; part < FL_BATCH_PARTS; part++) {
		const void *rows;

		(void)fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
		fl_mem_free(&fl_mem_heap, (void *)rows);
	}
	fl_arena_done(&g->arena);
	fl_mem_free(&fl_mem_heap, g->specs);
	fl_mem_free(&fl_mem_heap, g->posts);
	*g = (struct fl_gather){ 0 };
}

void fl_gather_clear(struct fl_gather *g)
{
	fl_arena_reset(&g->arena);
	for (int part = 0; part < FL_BATCH_PARTS; part++) {
		const void *rows;

		(void)fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
		fl_batch_set(&g->rows, (enum fl_batch_part)part, rows, 0);
	}
	g->n_posts = 0;
}

bool fl_gather_is_empty(const struct fl_gather *g)
{
	const void *rows;
	uint32_t n = 0;

	for (int part = 0; part < FL_BATCH_PARTS; part++)
		n += fl_batch_rows(&g->rows, (enum fl_batch_part)part, &rows);
	return n == 0;
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

/* The text in the batch's memory; NULL stays NULL. */
static int copy_text(void *gather, const char **text, fairlead_error *err)
{
	return *text ? copy(gather, *text, strlen(*text) + 1, text, err) : 0;
}

int fl_gather_to(struct fl_gather *g, enum fl_batch_part part, const void *row, fairlead_error *err)
{
	const size_t size = fl_batch_row_size(part);
	const void *rows;
	uint32_t n = fl_batch_rows(&g->rows, part, &rows);
	void *mine;
	int r = fl_mem_grow(&fl_mem_heap, &rows, &g->caps[part], n + 1, size, err);

	if (r < 0)
		return r;
	fl_batch_set(&g->rows, part, rows, n);
	if (part == FL_BATCH_JOURNAL && (r = fl_mem_grow(&fl_mem_heap, &g->specs, &g->cap_specs,
							 n + 1, sizeof *g->specs, err)) < 0)
		return r;
	mine = (char *)rows + n * size;
	memcpy(mine, row, size);
	r = fl_batch_texts(part, mine, copy_text, g, err);
	if (r < 0)
		return r;
	if (part == FL_BATCH_JOURNAL)
		g->specs[n] = NULL;
	fl_batch_set(&g->rows, part, rows, n + 1);
	return 0;
}

int fl_gather_spec(struct fl_gather *g, const struct fl_job_spec *spec,
		   const struct fl_job_spec **ret, fairlead_error *err)
{
	struct fl_job_spec *mine;
	int r = copy(g, spec, sizeof *spec, &mine, err);

	if (r < 0)
		return r;
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

	if (copy_text(g, &job.spec, err) < 0 || fl_gather_to(g, FL_BATCH_NEW_JOBS, &job, err) < 0)
		return FAIRLEAD_ENOMEM;
	if (fl_gather_row(g, row, err) < 0) {
		g->rows.n_new_jobs--;
		return FAIRLEAD_ENOMEM;
	}
	g->specs[g->rows.n_journal - 1] = spec;
	return 0;
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
	struct fl_journal_row *journal = (struct fl_journal_row *)g->rows.journal;
	struct fl_job_row *new_jobs = (struct fl_job_row *)g->rows.new_jobs;

	for (uint32_t i = 0; i < g->rows.n_journal; i++) {
		journal[i].seq = seq + i + 1;
		journal[i].at = at;
	}
	for (uint32_t i = 0; i < g->rows.n_new_jobs; i++)
		new_jobs[i].submitted = at;
}

static bool is_fact(enum fl_journal_kind kind)
{
	return kind == FL_JOURNAL_BEGAN || kind == FL_JOURNAL_ENDED ||
	       kind == FL_JOURNAL_DISOWNED || kind == FL_JOURNAL_RESTORED;
}

void fl_gather_keep_facts(struct fl_gather *g)
{
	struct fl_journal_row *journal = (struct fl_journal_row *)g->rows.journal;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < g->rows.n_journal; i++)
		if (is_fact(journal[i].kind))
			journal[kept++] = journal[i];
	for (uint32_t i = 0; i < kept; i++)
		g->specs[i] = NULL;
	g->rows.n_journal = kept;
	g->rows.n_new_jobs = 0;
	g->n_posts = 0;
}
