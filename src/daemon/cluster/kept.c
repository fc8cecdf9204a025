/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/before.h"
#include "daemon/cluster/capacity.h"
#include "daemon/cluster/inside.h"
#include "daemon/cluster/seen.h"

/*
 * A cluster has no journal, whose numbers would be those of events: they go on behind the last one that is
 * kept, and so far that no version of the state between is named again.
 */
enum { VERSIONS = 1 << 20 };

static const char watched_setting[] = FL_STORE_WATCHED;

/* --- rows --- */

static void soon(struct fl_cluster *c, uint64_t ms);

/* So many rows that they are of no use when they can be written: what is then is written instead. */
static void drop_rows(struct fl_keeping *k)
{
	fl_gathered_clear(k->gather);
	k->dropped = true;
}

int fl_kept_add(struct fl_cluster *c, enum fl_batch_part part, const void *row, fairlead_error *err)
{
	struct fl_keeping *k = &c->kept;

	if (k->failed != FL_TIME_NONE && fl_gathered_count(k->gather) >= k->most)
		drop_rows(k);
	if (k->dropped)
		return 0;
	soon(c, FL_KEPT_MS);
	return fl_gathered_add(k->gather, part, row, err);
}

static void fill_in(const struct fl_mirror_object *o, struct fl_seen_workload *seen,
		    struct fl_admission_row *row)
{
	if (seen->queue[0])
		row->queue = seen->queue;
	if (o && o->held)
		row->placement = seen->placement;
}

static int see(const struct fl_mirror_object *o, struct fl_seen_workload *ret, fairlead_error *err)
{
	*ret = (struct fl_seen_workload){ .finished = FL_TIME_NONE };
	return o ? fl_cluster_see(o, ret, err) : 0;
}

static int add_object(struct fl_cluster *c, const struct fl_live *job,
		      const struct fl_mirror_object *o, fairlead_error *err)
{
	const struct fl_object_row row = {
		.number = job->id,
		.uid = fl_mirror_uid(o),
		.kind = fl_mirror_kind((enum fl_mirror_kind)o->kind)->name,
		.namespace = fl_mirror_namespace(o),
		.name = fl_mirror_name(o),
	};

	return fl_kept_row(c, &row, err);
}

static int add_admission(struct fl_cluster *c, const struct fl_live *job,
			 const struct fl_mirror_object *o, fl_time to, const char *how,
			 struct fl_seen_workload *seen, fairlead_error *err)
{
	const struct fl_living living = c->daemon.ops->living(&c->daemon);
	struct fl_row_texts texts;
	struct fl_admission_row row;

	fl_row_of_admission(&living, job, to, how, &texts, &row);
	fill_in(o, seen, &row);
	return fl_kept_row(c, &row, err);
}

int fl_kept_write(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		  fairlead_error *err)
{
	const struct fl_living living = c->daemon.ops->living(&c->daemon);
	const bool is_new = !job->kept, holds = fl_live_runs(job);
	struct fl_row_texts texts;
	struct fl_job_row row;
	struct fl_seen_workload seen;
	int r = see(o, &seen, err);

	if (r < 0)
		return r;
	fl_row_of_job(&living, job, &texts, &row);
	row.name = o ? fl_mirror_name(o) : "";
	if (o && o->held)
		row.placement = holds ? seen.placement : NULL;
	if (is_new && o)
		r = add_object(c, job, o, err);
	if (r == 0)
		r = fl_kept_add(c, is_new ? FL_BATCH_NEW_JOBS : FL_BATCH_JOBS, &row, err);
	if (r == 0 && holds)
		r = add_admission(c, job, o, FL_TIME_NONE, NULL, &seen, err);
	job->kept |= r == 0;
	return r;
}

int fl_kept_over(struct fl_cluster *c, const struct fl_live *job, const struct fl_mirror_object *o,
		 fl_time to, const char *how, fairlead_error *err)
{
	struct fl_seen_workload seen;
	int r = see(o, &seen, err);

	return r < 0 ? r : add_admission(c, job, o, to, how, &seen, err);
}

/* Those of jobs that are not in the table any more: while nothing is written, they would be ever more. */
static void forget_dirty(struct fl_cluster *c)
{
	struct fl_keeping *k = &c->kept;
	uint32_t n = 0;

	if (k->n_dirty < k->most || k->n_dirty / 2 < c->jobs.n)
		return;
	for (uint32_t i = 0; i < k->n_dirty; i++) {
		const struct fl_live *job = fl_jobs_find(&c->jobs, k->dirty[i]);

		if (job && job->touched)
			k->dirty[n++] = k->dirty[i];
	}
	k->n_dirty = n;
}

int fl_kept_touch(struct fl_cluster *c, struct fl_live *job, fairlead_error *err)
{
	struct fl_keeping *k = &c->kept;

	if (job->touched)
		return 0;
	forget_dirty(c);
	if (fl_mem_grow(&fl_mem_heap, &k->dirty, &k->cap_dirty, k->n_dirty + 1, sizeof *k->dirty,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	k->dirty[k->n_dirty++] = job->id;
	job->touched = true;
	soon(c, FL_KEPT_MS);
	return 0;
}

void fl_kept_event(struct fl_cluster *c, const struct fl_tell *tell, uint64_t seq, uint32_t n)
{
	struct fl_keeping *k = &c->kept;
	struct fl_event_row row;
	fairlead_error err = { 0 };

	fl_row_of_event(&c->jobs, tell, seq, n, &row);
	row.at = k->told = fl_amount_max(row.at, k->told); /* they never decrease along the table */
	if (fl_kept_row(c, &row, &err) < 0)
		fl_cluster_break(c, &err);
	fl_followers_tell(&c->daemon.followers, &row);
}

int fl_kept_gap(struct fl_cluster *c, fl_time from, fl_time to, const char *why,
		fairlead_error *err)
{
	char name[64], value[160];
	const struct fl_setting row = { name, value };

	(void)snprintf(name, sizeof name, FL_STORE_GAP "%0*lld", FL_VERSION_DIGITS,
		       (long long)from);
	(void)snprintf(value, sizeof value, "%lld %s", (long long)to, why);
	return fl_kept_row(c, &row, err);
}

/* --- on its way --- */

static const struct fl_job_row *last_of(const struct fl_job_row *rows, uint32_t n, uint64_t job)
{
	while (n > 0 && rows[n - 1].id != job)
		n--;
	return n ? &rows[n - 1] : NULL;
}

const struct fl_job_row *fl_kept_unwritten(const struct fl_cluster *c, uint64_t job)
{
	const struct fl_gathered *const both[] = { c->kept.gather, c->kept.writing };
	const struct fl_job_row *ret = NULL;

	for (int i = 0; i < 2 && !ret; i++) {
		const struct fl_batch *rows = both[i] ? &both[i]->rows : NULL;

		ret = rows ? last_of(rows->jobs, rows->n_jobs, job) : NULL;
		if (rows && !ret)
			ret = last_of(rows->new_jobs, rows->n_new_jobs, job);
	}
	return ret;
}

int fl_kept_unwritten_attempts(const struct fl_cluster *c, fl_admission_fn *fn, void *user,
			       fairlead_error *err)
{
	const struct fl_gathered *const both[] = { c->kept.writing, c->kept.gather };
	int r = 0;

	for (int i = 0; i < 2; i++)
		for (uint32_t k = 0; r == 0 && both[i] && k < both[i]->rows.n_admissions; k++)
			r = fn(user, &both[i]->rows.admissions[k], err);
	return r;
}

/* --- committing --- */

static int gather_dirty(struct fl_cluster *c, uint32_t most, fairlead_error *err)
{
	struct fl_keeping *k = &c->kept;
	const uint32_t n = k->n_dirty < most ? k->n_dirty : most;
	int r = 0;

	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_live *job = fl_jobs_find(&c->jobs, k->dirty[i]);

		if (!job || !job->touched)
			continue;
		job->touched = false;
		if (!fl_job_is_over(job->state))
			r = fl_kept_write(c, job, job->made_of, err);
	}
	k->n_dirty -= n;
	if (k->n_dirty)
		memmove(k->dirty, k->dirty + n, k->n_dirty * sizeof *k->dirty);
	return r;
}

/* Up to now what the store has is what the API server says. */
static int note_watched(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_keeping *k = &c->kept;
	char value[32];
	const struct fl_setting row = { watched_setting, value };

	if (k->n_dirty || (c->daemon.ops->stale && c->daemon.ops->stale(&c->daemon)))
		return 0;
	k->watched = fl_clock_now(&c->daemon.clock);
	(void)snprintf(value, sizeof value, "%lld", (long long)k->watched);
	return fl_gathered_add(k->gather, FL_BATCH_SETTINGS, &row, err);
}

static int fill_batch(struct fl_cluster *c, uint32_t most, fairlead_error *err)
{
	int r = gather_dirty(c, most, err);

	return r < 0 ? r : note_watched(c, err);
}

/* On the thread. */
static int commit(struct fl_keeping *k, struct fl_store *s, fairlead_error *err)
{
	int r = k->begins == FL_TIME_NONE ? 0 : fl_store_whole_since(s, k->begins, err);

	if (r < 0)
		return r;
	k->begins = FL_TIME_NONE;
	return fl_store_commit(s, &k->writing->rows, err);
}

static void commit_on_thread(uv_work_t *work)
{
	struct fl_cluster *c = work->data;

	c->kept.result = commit(&c->kept, c->daemon.store, &c->kept.error);
}

static void take_turns(struct fl_keeping *k)
{
	k->writing = k->gather;
	k->gather = &k->both[k->gather == &k->both[0]];
}

/* Rows were dropped: what the store has is set right, and it says so. */
static int recover(struct fl_cluster *c, fl_time from, fairlead_error *err)
{
	const fl_time now = fl_clock_now(&c->daemon.clock);
	int r;

	c->kept.dropped = false;
	c->capacity.since = 0; /* a change of it may be among them */
	r = fl_kept_gap(c, from, now, "the database could not be written", err);
	if (r == 0 && c->viewed)
		r = fl_cluster_note_capacity(c, err);
	return r < 0 || c->dialect == FL_DIALECT_KAI ? r : fl_before_compare(c, from, err);
}

static void written(struct fl_cluster *c)
{
	struct fl_keeping *k = &c->kept;
	const fl_time from = k->failed;
	fairlead_error err = { 0 };
	int r = 0;

	fl_gathered_clear(k->writing);
	k->writing = NULL;
	k->failed = FL_TIME_NONE; /* none of what sets it right is dropped */
	if (from != FL_TIME_NONE)
		fl_cluster_log(c, "the database can be written again");
	if (k->dropped && !k->closing)
		r = recover(c, from, &err);
	k->problem[0] = '\0';
	if (r < 0)
		fl_cluster_break(c, &err);
	if (k->n_dirty || fl_gathered_count(k->gather))
		soon(c, k->n_dirty ? 0 : FL_KEPT_MS);
	else
		soon(c, FL_KEPT_IDLE_MS);
}

/* From now on rows may be dropped. */
static void tell_failed(struct fl_cluster *c, const char *why)
{
	struct fl_keeping *k = &c->kept;

	if (k->failed == FL_TIME_NONE) {
		k->failed = k->watched == FL_TIME_NONE ? fl_clock_now(&c->daemon.clock) :
							 k->watched;
		fl_cluster_log(c, "history is not written: %s", why);
	}
	(void)snprintf(k->problem, sizeof k->problem, "history is not written: %s", why);
	fl_metrics_store_failed(c->daemon.metrics);
}

static void not_written(struct fl_cluster *c)
{
	struct fl_keeping *k = &c->kept;

	tell_failed(c, k->error.text);
	if (k->result != FAIRLEAD_EIO && k->result != FAIRLEAD_ENOMEM) { /* nor will it ever be */
		fl_gathered_clear(k->writing);
		k->writing = NULL;
		drop_rows(k);
	}
	soon(c, FL_KEPT_AGAIN_MS);
}

/* What is left at the end, at once. */
static void finish(struct fl_cluster *c)
{
	struct fl_keeping *k = &c->kept;
	fairlead_error err = { 0 };
	int r = 0;

	if (k->writing && (r = commit(k, c->daemon.store, &err)) == 0)
		fl_gathered_clear(k->writing);
	for (bool more = !k->dropped && c->ready; r == 0 && more; more = k->n_dirty) {
		r = fill_batch(c, FL_KEPT_BATCH, &err);
		take_turns(k);
		if (r == 0)
			r = commit(k, c->daemon.store, &err);
		fl_gathered_clear(k->writing);
	}
	if (r < 0 && k->failed == FL_TIME_NONE)
		fl_cluster_log(c, "history is not written: %s", err.text);
	k->writing = NULL;
	uv_close((uv_handle_t *)&k->timer, k->closed);
}

static void after_commit(uv_work_t *work, int status)
{
	struct fl_cluster *c = work->data;
	struct fl_keeping *k = &c->kept;

	(void)status;
	k->in_flight = false;
	(void)uv_timer_stop(&k->timer);
	if (k->result < 0)
		not_written(c);
	else
		written(c);
	if (k->closing)
		finish(c);
}

/* The commit has not ended. */
static void on_hang(uv_timer_t *timer)
{
	tell_failed(timer->data, "the disk has taken nothing for a while, and does not say why");
}

static void on_timer(uv_timer_t *timer)
{
	struct fl_cluster *c = timer->data;
	struct fl_keeping *k = &c->kept;
	fairlead_error err = { 0 };

	if (k->in_flight || k->closing || c->broken)
		return;
	if (!k->writing) {
		if (fill_batch(c, FL_KEPT_BATCH, &err) < 0) {
			fl_cluster_break(c, &err);
			return;
		}
		take_turns(k);
	}
	k->work.data = c;
	k->in_flight = uv_queue_work(timer->loop, &k->work, commit_on_thread, after_commit) == 0;
	if (!k->in_flight)
		soon(c, FL_KEPT_AGAIN_MS);
	else
		(void)uv_timer_start(timer, on_hang, k->hangs, /* repeat= */ 0);
}

/* Not earlier than what failed is tried again. */
static void soon(struct fl_cluster *c, uint64_t ms)
{
	struct fl_keeping *k = &c->kept;
	uv_timer_t *timer = &k->timer;

	if (k->in_flight || k->closing || !c->ready)
		return;
	if (uv_is_active((uv_handle_t *)timer) && (k->writing || uv_timer_get_due_in(timer) <= ms))
		return;
	(void)uv_timer_start(timer, on_timer, ms, /* repeat= */ 0);
}

/* --- beginning and end --- */

static int note_last(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct fl_cluster *c = user;

	(void)err;
	c->version = row->seq + VERSIONS;
	c->kept.told = row->at;
	return 0;
}

int fl_kept_begin(struct fl_cluster *c, fairlead_error *err)
{
	const struct fl_event_filter last = { .limit = 1, .newest_first = true };
	struct fl_keeping *k = &c->kept;
	struct fl_store_end end = { 0 };
	char text[32];
	int r;

	fl_gathered_init(&k->both[0]);
	fl_gathered_init(&k->both[1]);
	k->gather = &k->both[0];
	k->most = FL_KEPT_ROWS;
	k->hangs = FL_KEPT_HANGS_MS;
	k->told = 0;
	k->watched = k->begins = k->failed = FL_TIME_NONE;
	c->version = 1;
	r = fl_store_end(c->daemon.store, &end, err);
	if (r == 0 && end.seq > 0) { /* it has a journal */
		(void)fl_fail(err, FAIRLEAD_ESTATE,
			      "the state is that of a daemon that runs jobs on this machine");
		(void)fl_fail_hint(
			err, "a daemon that watches a cluster needs a folder of its own: --state");
		return FAIRLEAD_ESTATE;
	}
	if (r == 0)
		r = fl_store_events(c->daemon.store, &last, note_last, c, err);
	if (r < 0)
		return r;
	c->numbers = end.job;
	r = fl_store_get(c->daemon.store, watched_setting, text, sizeof text, err);
	if (r == 0)
		k->watched = strtoll(text, NULL, 10);
	return r == FAIRLEAD_ENOENT ? 0 : r;
}

void fl_kept_watches(struct fl_cluster *c)
{
	struct fl_keeping *k = &c->kept;

	if (k->watched == FL_TIME_NONE)
		k->begins = fl_clock_now(&c->daemon.clock);
	soon(c, 0);
}

void fl_kept_close(struct fl_cluster *c, uv_close_cb on_closed)
{
	struct fl_keeping *k = &c->kept;

	k->closing = true;
	k->closed = on_closed;
	(void)uv_timer_stop(&k->timer);
	if (!k->in_flight)
		finish(c);
}

void fl_kept_done(struct fl_keeping *k)
{
	fl_gathered_done(&k->both[0]);
	fl_gathered_done(&k->both[1]);
	fl_mem_free(&fl_mem_heap, k->dirty);
}
