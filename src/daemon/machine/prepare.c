/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prepare - the next generation: made at once, or begun, made on a thread, and taken
 *
 * When a row JOIN is applied newcomers join the generation there is.  Where that cannot be, the next one
 * is made there and then.  With many jobs that would block the loop too long, so when places are used up
 * a row PREPARE says which jobs it has, a thread makes it, and a row JOIN takes it; a
 * replay does the same without the thread.
 */
#include "daemon/machine/prepare.h"

#include <stdlib.h>

#include "daemon/engine/making/join.h"
#include "daemon/machine/inside.h"

enum {
	JOIN_SHARE = 4
}; /* after a generation the next one waits for so many times as long as it took */

static struct fl_generation_options options_of(const struct fl_core *c, fl_time now, uint64_t up_to)
{
	return (struct fl_generation_options){
		.config = c->config,
		.capacity = &c->capacity,
		.now = now,
		.up_to = up_to,
		.backend = &c->driven,
		.from = c->generation.policy ? &c->generation : NULL,
	};
}

static void go_on_with(struct fl_core *c, const struct fl_generation *next)
{
	fl_generation_done(&c->generation);
	c->generation = *next;
}

int fl_core_regenerate(struct fl_core *c, fl_time now, uint64_t up_to, fairlead_error *err)
{
	struct fl_generation_options o = options_of(c, now, up_to);
	struct fl_generation next;
	int r = fl_generation_new(&o, &c->jobs, &next, err);

	if (r == 0)
		go_on_with(c, &next);
	return r;
}

static int cmp_jobs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Newcomers join the generation there is, or, where they cannot, the next one. */
static int let_in(struct fl_core *c, fl_time now, uint64_t up_to, fairlead_error *err)
{
	struct fl_generation_options o = options_of(c, now, up_to);
	fl_time retry;
	int r;

	/* After a start they are listed by number. */
	if (c->n_newcomers > 1)
		qsort(c->newcomers, c->n_newcomers, sizeof *c->newcomers, cmp_jobs);
	r = fl_generation_join(&c->generation, &o, &c->jobs, c->newcomers, c->n_newcomers, err);
	if (r == 1)
		r = fl_core_regenerate(c, now, up_to, err);
	(void)fl_generation_wants_any(&c->jobs, c->newcomers, &c->n_newcomers, now, &retry);
	return r;
}

/* --- on a thread --- */

void fl_core_drop_draft(struct fl_core *c) { fl_drafter_drop(&c->drafter); }

void fl_core_tell_drafted(void *core)
{
	struct fl_core *c = core;

	(void)uv_async_send(&c->drafted);
}

void fl_core_on_drafted(uv_async_t *async)
{
	struct fl_core *c = async->data;

	if (fl_drafter_finish(&c->drafter))
		fl_core_soon(c);
}

/* --- rows --- */

uint32_t fl_core_n_coming(const struct fl_core *c, const struct fl_gather *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->all.rows.n_journal; i++) {
		const struct fl_journal_row *row = &g->all.rows.journal[i];

		if (row->kind == FL_JOURNAL_DUE)
			n += fl_jobs_count_due(&c->jobs, row->due.wall);
		else
			n += row->kind == FL_JOURNAL_SUBMIT || row->kind == FL_JOURNAL_RELEASE;
	}
	return n;
}

bool fl_core_next_join(const struct fl_core *c, const struct fl_gather *g,
		       struct fl_journal_row *ret)
{
	*ret = (struct fl_journal_row){ .kind = FL_JOURNAL_JOIN, .job = c->submitted };
	if (c->drafter.draft)
		ret->join.drafted = true;
	else if (c->jobs.n_live >= c->draft_from &&
		 !fl_generation_has_places(&c->generation, c->n_newcomers + fl_core_n_coming(c, g)))
		ret->kind = FL_JOURNAL_PREPARE;
	return !c->drafter.making;
}

int fl_core_prepare(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	struct fl_generation_options o = options_of(c, row->at, row->job);
	int r = fl_drafter_begin(&c->drafter, &o, &c->jobs, /* aside= */ !c->replaying, err);

	/* Without a thread it is made when it is taken. */
	if (r == 0 && !c->replaying && !c->drafter.making)
		fl_core_soon(c);
	return r;
}

static int take(struct fl_core *c, fl_time now, fairlead_error *err)
{
	struct fl_generation_options o = options_of(c, now, /* up_to= */ 0);
	struct fl_generation next;
	int r = fl_drafter_take(&c->drafter, &o, &c->jobs, &next, err);

	if (r == 0)
		go_on_with(c, &next);
	return r;
}

/*
 * The longer a generation took, the later the next one may be made: they use a limited part of the
 * time.
 */
int fl_core_join(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	uint64_t began = uv_hrtime(), took = c->drafter.draft ? c->drafter.took : 0;
	const uint64_t number = c->generation.number;
	int r;

	if (row->join.drafted && c->drafter.draft) {
		r = take(c, row->at, err);
	} else {
		fl_core_drop_draft(c);
		r = let_in(c, row->at, row->job, err);
	}
	took += uv_hrtime() - began;
	c->replay_ns += took;
	if (c->replaying)
		return r;
	if (c->generation.number != number)
		fl_metrics_generation(c->daemon.metrics, (fl_time)took);
	c->join_at = fl_core_loop_ns(c) + took * JOIN_SHARE;
	return r;
}
