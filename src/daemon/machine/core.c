/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core - rows are gathered, committed on a thread, and applied; the next ones are gathered
 * meanwhile
 *
 * Once in each turn of the loop, after its input was handled: when no commit is under way and there
 * are rows to write, or a generation or cycle is due, the batch is closed and handed to the thread.
 * So requests of the same moment are decided together, and a slow disk makes batches larger, not
 * queues longer.
 */
#include "daemon/machine/core.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/apply.h"
#include "daemon/machine/batch.h"
#include "daemon/machine/checkpoint.h"
#include "daemon/machine/inside.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/prepare.h"
#include "daemon/machine/replay.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/view.h"
#include "daemon/machine/wish.h"

enum {
	AGAIN_MS = 1000, /* ms until a failed commit is tried again */
	STALLED_MS = 60000,
	DRAFT_FROM = 1000, /* jobs; a generation of so many takes some milliseconds */
	BEGIN_S = 10, /* seconds until a step of the wall clock is seen, where jobs begin later */
};

/* --- messages --- */

void fl_core_log(const struct fl_core *c, const char *format, ...)
{
	char line[1024];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (c->options.log)
		c->options.log(c->options.user, line);
}

int fl_core_break(struct fl_core *c, const fairlead_error *err)
{
	c->closing = true;
	if (c->options.broken)
		c->options.broken(c->options.user, err);
	return err->code;
}

const char *fl_core_problem(const struct fl_core *c) { return c->problem[0] ? c->problem : NULL; }

void fl_core_tell_damage(struct fl_core *c)
{
	struct fl_store_damage d;

	fl_store_damaged(c->daemon.store, &d);
	for (uint64_t i = c->damage_told; i < d.n; i++) {
		if (d.rows[i].job)
			fl_core_log(c, "job %" PRIu64 " is damaged: %s", d.rows[i].job,
				    d.rows[i].text);
		else
			fl_core_log(c, "the database is damaged: %s", d.rows[i].text);
	}
	if (d.total > d.n && d.total > c->damage_told)
		fl_core_log(c, "the database is damaged in %" PRIu64 " places", d.total);
	c->damage_told = d.total;
}

static void tell_cut(const struct fl_core *c)
{
	struct fl_store_damage d;

	fl_store_damaged(c->daemon.store, &d);
	if (d.cut)
		fl_core_log(c,
			    "the last transaction in the database's log was not finished, as a "
			    "power cut or a kill can leave it: %" PRIu64 " pages were cut off",
			    d.cut);
}

/* --- answers --- */

static void answer(const struct fl_post *post, const struct fl_reply *reply)
{
	if (post->done)
		post->done(post->user, reply);
}

/* No request of the batch was written: answers all of them with the error. */
static void refuse_all(struct fl_gather *g, const fairlead_error *err)
{
	struct fl_reply reply = { .code = err->code, .err = err };

	for (uint32_t i = 0; i < g->n_posts; i++)
		answer(&g->posts[i], &reply);
}

static void answer_post(struct fl_core *c, const struct fl_gather *g, const struct fl_post *post,
			const int *results)
{
	struct fl_reply reply = { .results = &results[post->first] };
	const struct fl_journal_row *first = &g->all.rows.journal[post->first];
	const struct fl_live *job = fl_jobs_find(&c->jobs, first->job);
	uint64_t *numbers = NULL;
	fairlead_error err = { 0 };

	reply.code = results[post->first];
	if (reply.code < 0 && first->kind == FL_JOURNAL_CONFIGURED) {
		reply.err = &c->refused;
	} else if (reply.code < 0) {
		(void)fl_fail(&err, reply.code, "%s", fl_core_refusal(reply.code));
		reply.err = &err;
	} else if (first->kind == FL_JOURNAL_SUBMIT) {
		numbers = malloc(post->n * sizeof *numbers);
		for (uint32_t i = 0; i < post->n && numbers; i++)
			numbers[i] = g->all.rows.journal[post->first + i].job;
		reply.jobs = numbers;
		reply.n_jobs = numbers ? post->n : 0;
	}
	if (job)
		reply.state = job->state;
	answer(post, &reply);
	free(numbers);
}

/* --- applying durable rows --- */

static int apply_all(struct fl_core *c, struct fl_gather *g, int *results, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < g->all.rows.n_journal && r == 0; i++) {
		r = fl_core_apply(c, &g->all.rows.journal[i], g->specs[i], &results[i], err);
		c->seq = g->all.rows.journal[i].seq;
		c->at = g->all.rows.journal[i].at;
	}
	return r;
}

/* Drops jobs that have ended and whose rows are written. */
static bool is_written(void *core, const struct fl_live *job)
{
	const struct fl_core *c = core;

	for (uint32_t i = 0; i < c->n_dirty; i++)
		if (c->dirty[i] == job->id)
			return false;
	return true;
}

static void drop_jobs(struct fl_core *c)
{
	if (c->jobs.n_over > 64 && c->jobs.n_over > c->jobs.n / 2 && c->n_dirty < 1024)
		fl_jobs_drop(&c->jobs, is_written, c);
}

static void schedule(struct fl_core *c);
static void finish(struct fl_core *c);

uint64_t fl_core_loop_ns(const struct fl_core *c) { return uv_now(c->loop) * 1000000; }

static void committed(struct fl_core *c)
{
	struct fl_gather *g = c->writing;
	int *results = calloc(g->all.rows.n_journal + 1, sizeof *results);
	fairlead_error err = { 0 };
	int r = results ? 0 : fl_fail_nomem(&err);

	if (c->problem[0])
		fl_core_log(c, "the database can be written again");
	c->problem[0] = '\0';
	if (c->audit_lost)
		fl_core_log(c,
			    "%" PRIu64
			    " rows of the audit log are lost, as it could not be written",
			    c->audit_lost);
	c->audit_lost = 0;
	/*
	 * All rows that follow from the applied ones are durable now: a good moment for a
	 * checkpoint.
	 */
	if (r == 0 && fl_core_checkpoint_due(c))
		fl_core_checkpoint_aside(c);
	drop_jobs(c);
	fl_core_tell_damage(c);
	if (r == 0)
		r = apply_all(c, g, results, &err);
	for (uint32_t i = 0; i < g->n_posts && r == 0; i++)
		answer_post(c, g, &g->posts[i], results);
	free(results);
	if (r < 0) {
		refuse_all(g, &err);
		fl_core_break(c, &err);
	}
	fl_gather_clear(g);
	c->writing = NULL;
}

/*
 * Rows that cannot be written at the end are made again at the next start, from the runs and the
 * journal.
 */
static void give_up(struct fl_core *c)
{
	fl_gather_clear(c->writing);
	c->writing = NULL;
	c->has_given_up = true;
	fl_core_soon(c);
}

static void not_committed(struct fl_core *c)
{
	if (!c->problem[0])
		fl_core_log(c, "the database cannot be written: %s", c->error.text);
	(void)snprintf(c->problem, sizeof c->problem, "%s", c->error.text);
	fl_metrics_store_failed(c->daemon.metrics);
	c->configuring = false;
	/*
	 * Requests that came meanwhile are refused as well: no client waits for an answer until
	 * there is room.
	 */
	for (int i = 0; i < 2; i++) {
		refuse_all(&c->gathers[i], &c->error);
		c->configuring |= fl_gather_keep_facts(&c->gathers[i]);
	}
	if (c->closing)
		give_up(c);
	else
		(void)uv_timer_start(&c->again, c->again.timer_cb, AGAIN_MS, /* repeat= */ 0);
}

/* --- committing --- */

static void commit_on_thread(uv_work_t *work)
{
	struct fl_core *c = work->data;

	c->committed = fl_store_commit(c->daemon.store, &c->writing->all.rows, &c->error);
}

static void after_commit(uv_work_t *work, int status)
{
	struct fl_core *c = work->data;

	(void)status;
	c->in_flight = false;
	fl_metrics_committed(c->daemon.metrics, (fl_time)(uv_hrtime() - c->write_began),
			     c->writing->all.rows.n_journal);
	if (c->committed < 0)
		not_committed(c);
	else
		committed(c);
	schedule(c);
}

static void number_rows(struct fl_core *c, struct fl_gather *g)
{
	fl_time now, wall, boot;

	fl_clock_read(&c->daemon.clock, &now, &wall, &boot);
	fl_gather_number(g, c->seq, now < c->at ? c->at : now);
	g->all.rows.wall = wall;
	g->all.rows.boot = boot;
	g->all.rows.boot_id = c->daemon.clock.boot_id;
}

static void write_batch(struct fl_core *c, struct fl_gather *g)
{
	number_rows(c, g);
	c->writing = g;
	c->in_flight = true;
	c->write_began = uv_hrtime();
	c->work.data = c;
	if (uv_queue_work(c->loop, &c->work, commit_on_thread, after_commit) == 0)
		return;
	c->in_flight = false;
	c->committed = fl_fail(&c->error, FAIRLEAD_EIO, "no thread could be started for writing");
	not_committed(c);
}

/* --- generations and cycles --- */

int fl_core_newcomer(struct fl_core *c, const struct fl_live *job, fairlead_error *err)
{
	if (fl_mem_grow(&fl_mem_heap, &c->newcomers, &c->cap_newcomers, c->n_newcomers + 1,
			sizeof *c->newcomers, err) < 0)
		return FAIRLEAD_ENOMEM;
	c->newcomers[c->n_newcomers++] = job->id;
	return 0;
}

/* Is it time for a generation, or to take the one that was begun? *ret_again: when to ask again. */
static bool is_join_due(struct fl_core *c, const struct fl_gather *g, fl_time now,
			fl_time *ret_again)
{
	uint64_t clock = fl_core_loop_ns(c);
	bool comes = fl_core_n_coming(c, g) > 0;

	*ret_again = FL_NEVER;
	if (c->drafter.draft)
		return true;
	if (clock >= c->join_at)
		return fl_generation_wants_any(&c->jobs, c->newcomers, &c->n_newcomers, now,
					       ret_again) ||
		       comes;
	if (comes || c->n_newcomers)
		*ret_again = now + (fl_time)(c->join_at - clock);
	return false;
}

/*
 * Is the begin of a job over by the wall clock?  *ret_again: when to ask again; a timer does not
 * run down earlier when the clock is set.
 */
static int add_begins(struct fl_core *c, struct fl_gather *g, fl_time now, fl_time *ret_again,
		      fairlead_error *err)
{
	struct fl_journal_row row = { .kind = FL_JOURNAL_DUE };
	fl_time same, boot;

	*ret_again = FL_NEVER;
	if (c->jobs.next_begin == FL_NEVER)
		return 0;
	fl_clock_read(&c->daemon.clock, &same, &row.due.wall, &boot);
	if (row.due.wall >= c->jobs.next_begin)
		return fl_gather_row(g, &row, err);
	*ret_again = fl_sat_add(now, fl_amount_min(c->jobs.next_begin - row.due.wall,
						   BEGIN_S * FL_SECOND));
	return 0;
}

static int add_due(struct fl_core *c, struct fl_gather *g, fl_time now, fl_time *ret_next,
		   fairlead_error *err)
{
	struct fl_driver *d = &c->generation.driver;
	struct fl_journal_row join, cycle = { .kind = FL_JOURNAL_CYCLE };
	fl_time soonest = d->last == FL_TIME_NONE ? now : fl_sat_add(d->last, d->interval), retry,
		begins;
	int r = add_begins(c, g, now, &begins, err);
	bool moves = g->all.rows.n_journal > 0, joins = is_join_due(c, g, now, &retry);

	*ret_next = fl_amount_min(fl_amount_min(retry, begins), fl_driver_next(d, now));
	joins = fl_core_next_join(c, g, &join) && joins;
	if (r == 0 && joins)
		r = fl_gather_row(g, &join, err);
	joins &= join.kind == FL_JOURNAL_JOIN;
	if (r == 0 && soonest <= now && (moves || joins || fl_driver_next(d, now) <= now))
		r = fl_gather_row(g, &cycle, err);
	else if (moves || joins)
		*ret_next = fl_amount_min(*ret_next, soonest);
	return r;
}

static void wake_at(struct fl_core *c, fl_time now, fl_time next)
{
	uint64_t ms;

	if (next == FL_NEVER) {
		(void)uv_timer_stop(&c->due);
		return;
	}
	ms = next <= now ? 1 : (uint64_t)(next - now) / 1000000 + 1;
	(void)uv_timer_start(&c->due, c->due.timer_cb, ms, /* repeat= */ 0);
}

static void schedule(struct fl_core *c)
{
	struct fl_gather *g = c->gather;
	fl_time now = fl_clock_now(&c->daemon.clock), next = FL_NEVER;
	fairlead_error err;
	int r = 0;

	if (c->writing || !c->generation.policy)
		return; /* it comes back here */
	if (!c->closing)
		r = add_due(c, g, now < c->at ? c->at : now, &next, &err);
	if (r == 0)
		r = fl_core_write_jobs(c, &err);
	if (r < 0) {
		fl_core_break(c, &err);
		return;
	}
	if (fl_gather_is_empty(g) && c->closing) {
		finish(c);
		return;
	}
	if (fl_gather_is_empty(g)) {
		uint64_t clock = fl_core_loop_ns(c);

		if (c->must_checkpoint && fl_core_checkpoint_due(c))
			fl_core_checkpoint_aside(c);
		else if (c->must_checkpoint &&
			 c->checkpoint_at > clock) /* the last commit failed */
			next = fl_amount_min(next, now + (fl_time)(c->checkpoint_at - clock));
		wake_at(c, now, next);
		return;
	}
	c->gather = g == &c->gathers[0] ? &c->gathers[1] : &c->gathers[0];
	write_batch(c, g);
}

/* --- the end --- */

static void handle_closed(uv_handle_t *handle)
{
	struct fl_core *c = handle->data;

	if (--c->open_handles == 0 && c->closed)
		c->closed(c->closed_user);
}

static void finish(struct fl_core *c)
{
	fairlead_error err;

	if (!c->closed || c->checkpointing || uv_is_closing((uv_handle_t *)&c->check))
		return; /* it comes back here */
	fl_core_drop_draft(c);
	if (!c->problem[0] && !c->has_given_up && c->checkpointed != c->seq)
		(void)fl_core_checkpoint(c, &err);
	uv_close((uv_handle_t *)&c->check, handle_closed);
	uv_close((uv_handle_t *)&c->due, handle_closed);
	uv_close((uv_handle_t *)&c->again, handle_closed);
	uv_close((uv_handle_t *)&c->drafted, handle_closed);
	uv_close((uv_handle_t *)&c->sweep, handle_closed);
}

static void on_check(uv_check_t *check)
{
	struct fl_core *c = check->data;

	if (!c->writing && !fl_gather_is_empty(c->gather))
		schedule(c);
}

static void on_due(uv_timer_t *timer) { schedule(timer->data); }

static void on_again(uv_timer_t *timer)
{
	struct fl_core *c = timer->data;

	if (c->writing && !c->in_flight)
		write_batch(c, c->writing);
}

/* --- requests of users, reports of backends --- */

int fl_core_check_open(const struct fl_core *c, fairlead_error *err)
{
	if (c->closing)
		return fl_fail(err, FAIRLEAD_EIO, "the daemon is stopping");
	if (c->problem[0])
		return fl_fail(err, FAIRLEAD_EIO, "the daemon takes no requests now: %s",
			       c->problem);
	return 0;
}

void fl_core_soon(struct fl_core *c) { (void)uv_timer_start(&c->due, on_due, 0, /* repeat= */ 0); }

int fl_core_note(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	int r = fl_gather_row(c->gather, row, err);

	if (r == 0)
		fl_core_soon(c);
	return r;
}

void fl_core_audit(struct fl_core *c, const struct fl_audit_row *row)
{
	fairlead_error err;

	if (c->problem[0] && c->gather->all.rows.n_audit >= FL_CORE_AUDIT) {
		c->audit_lost++;
		return;
	}
	if (fl_gather_row(c->gather, row, &err) < 0)
		fl_core_log(c, "a row of the audit log is lost: %s", err.text);
	fl_core_soon(c);
}

/* --- life --- */

static int begin_loop(struct fl_core *c, fairlead_error *err)
{
	uv_handle_t *handles[] = { (uv_handle_t *)&c->check, (uv_handle_t *)&c->due,
				   (uv_handle_t *)&c->again, (uv_handle_t *)&c->drafted,
				   (uv_handle_t *)&c->sweep };

	if (uv_async_init(c->loop, &c->drafted, fl_core_on_drafted) ||
	    uv_check_init(c->loop, &c->check) || uv_timer_init(c->loop, &c->due) ||
	    uv_timer_init(c->loop, &c->again) || uv_timer_init(c->loop, &c->sweep) ||
	    uv_check_start(&c->check, on_check))
		return fl_fail(err, FAIRLEAD_EIO, "the event loop failed");
	for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
		handles[i]->data = c;
		c->open_handles++;
	}
	c->due.timer_cb = on_due;
	c->again.timer_cb = on_again;
	return 0;
}

static int read_config(struct fl_core *c, fairlead_error *err)
{
	int r = fl_config_read(c->options.config, &c->config, err);

	if (r == 0)
		c->daemon.start_settings = *fl_config_settings(c->config);
	return r;
}

static int take_kept(struct fl_core *c, fairlead_error *err)
{
	const uint32_t socket_mode = c->daemon.start_settings.socket_mode; /* the file's counts */
	int r = fl_core_take_kept(c, err);

	c->daemon.start_settings = *fl_config_settings(c->config);
	c->daemon.start_settings.socket_mode = socket_mode;
	return r;
}

int fl_core_new(const struct fl_core_options *options, struct fl_core **ret, fairlead_error *err)
{
	struct fl_core *c = calloc(1, sizeof *c);
	struct fl_capacity capacity = { 0 };
	int r;

	if (!c)
		return fl_fail_nomem(err);
	fl_core_begin_daemon(c);
	c->options = *options;
	c->loop = options->loop;
	fl_core_decide(c);
	c->draft_from = DRAFT_FROM;
	c->stalled_ms = STALLED_MS;
	c->drafter.told = fl_core_tell_drafted;
	c->drafter.user = c;
	fl_gather_init(&c->gathers[0]);
	fl_gather_init(&c->gathers[1]);
	c->gather = &c->gathers[0];
	if ((r = fl_jobs_init(&c->jobs, err)) < 0 || (r = read_config(c, err)) < 0 ||
	    (r = fl_core_open_store(c, err)) < 0 || (r = take_kept(c, err)) < 0 ||
	    (r = fl_metrics_new(c->daemon.start_settings.metrics_queues, &c->daemon.metrics, err)) <
		    0 ||
	    (r = fl_core_open_host(c, &capacity, err)) < 0 || (r = begin_loop(c, err)) < 0 ||
	    (r = fl_core_recover(c, &capacity, err)) < 0 ||
	    (r = fl_core_first_version(c, err)) < 0 || (r = fl_core_begin_attach(c, err)) < 0 ||
	    (r = fl_core_find_runs(c, err)) < 0) {
		fl_core_free(c);
		return r;
	}
	tell_cut(c);
	fl_core_tell_damage(c);
	c->daemon.started = fl_clock_now(&c->daemon.clock);
	wake_at(c, c->daemon.started, c->daemon.started);
	*ret = c;
	return 0;
}

void fl_core_close(struct fl_core *c, void (*closed)(void *user), void *user)
{
	c->closing = true;
	c->closed = closed;
	c->closed_user = user;
	if (c->writing && !c->in_flight)
		give_up(c);
	fl_core_soon(c);
}

struct fl_core *fl_core_free(struct fl_core *c)
{
	if (!c)
		return NULL;
	if (c->backend)
		c->backend->close(c->host);
	fl_core_drop_draft(c);
	fl_generation_done(&c->generation);
	fl_jobs_done(&c->jobs);
	fl_metrics_free(c->daemon.metrics);
	fl_store_close(c->daemon.store);
	fl_config_free(c->config);
	fl_gather_done(&c->gathers[0]);
	fl_gather_done(&c->gathers[1]);
	fl_core_drop_specs(c);
	fl_tokens_done(&c->tokens);
	fl_mem_free(&fl_mem_heap, c->spec_changes);
	free(c->dirty);
	free(c->newcomers);
	free(c->ended);
	free(c->attended);
	free((void *)c->capacity.rows);
	free(c);
	return NULL;
}
