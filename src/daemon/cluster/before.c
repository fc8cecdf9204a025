/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/before.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "daemon/cluster/heard.h"
#include "daemon/cluster/seen.h"

/* A job as its row in the store is. */
struct known {
	uint64_t number;
	enum fl_job_state state;
	int32_t priority;
	uint32_t attempt, evictions, losses;
	fl_time submitted, started, ran, waits; /* waits: of the attempt that is not over */
	bool met;
};

struct fl_before {
	struct known *rows; /* by number */
	uint32_t n, cap, cap_of;
	struct fl_names uids;
	uint32_t *of;       /* by uid: its row; FL_NONE */
	fl_time since, now; /* what is not known of is between them */
};

static bool held(const struct known *k)
{
	return k->state == FL_JOB_STARTS || k->state == FL_JOB_RUNS || k->state == FL_JOB_STOPS;
}

/* --- from the store --- */

static int take_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_before *k = user;

	if (fl_mem_grow(&fl_mem_heap, &k->rows, &k->cap, k->n + 1, sizeof *k->rows, err) < 0)
		return FAIRLEAD_ENOMEM;
	k->rows[k->n++] = (struct known){ .number = row->id,
					  .state = row->state,
					  .priority = row->priority,
					  .attempt = row->attempt,
					  .evictions = row->evictions,
					  .losses = row->losses,
					  .submitted = row->submitted,
					  .started = row->started,
					  .ran = row->ran,
					  .waits = row->submitted };
	return 0;
}

static struct known *find(const struct fl_before *k, uint64_t number)
{
	uint32_t at = 0, end = k->n;

	while (at < end) {
		const uint32_t mid = at + (end - at) / 2;

		if (k->rows[mid].number < number)
			at = mid + 1;
		else
			end = mid;
	}
	return at < k->n && k->rows[at].number == number ? &k->rows[at] : NULL;
}

static int take_object(void *user, const struct fl_object_row *row, fairlead_error *err)
{
	struct fl_before *k = user;
	struct known *job = find(k, row->number);
	struct fl_sym sym;
	int r = job ? fl_names_add(&k->uids, row->uid, strlen(row->uid), &sym, err) : 0;
	const uint32_t was = k->cap_of;

	if (r < 0 || !job)
		return r;
	r = fl_mem_grow(&fl_mem_heap, &k->of, &k->cap_of, sym.v + 1, sizeof *k->of, err);
	if (r < 0)
		return r;
	for (uint32_t i = was; i < k->cap_of; i++)
		k->of[i] = FL_NONE;
	k->of[sym.v] = (uint32_t)(job - k->rows);
	return 0;
}

static int take_open(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct known *job = find(user, row->job);

	(void)err;
	if (job && row->attempt == job->attempt)
		job->waits = row->waits;
	return 0;
}

void fl_before_free(struct fl_before *k)
{
	if (!k)
		return;
	fl_mem_free(&fl_mem_heap, k->rows);
	fl_mem_free(&fl_mem_heap, k->of);
	fl_names_done(&k->uids);
	free(k);
}

static int read_all(struct fl_cluster *c, fl_time since, fairlead_error *err)
{
	const struct fl_job_filter live = { .states = (1u << FL_JOB_DONE) - 1,
					    .without_spec = true };
	struct fl_store *s = c->daemon.store;
	struct fl_before *k = calloc(1, sizeof *k);
	int r = k ? fl_names_init(&k->uids, &fl_mem_heap, err) : fl_fail_nomem(err);

	if (r == 0)
		r = fl_store_jobs(s, &live, take_job, k, err);
	if (r == 0)
		r = fl_store_objects(s, take_object, k, err);
	if (r == 0)
		r = fl_store_admissions(s, /* job= */ 0, take_open, k, err);
	if (r < 0) {
		fl_before_free(k);
		return r;
	}
	k->now = fl_clock_now(&c->daemon.clock);
	k->since = since == FL_TIME_NONE ? k->now : fl_amount_min(since, k->now);
	c->before = k;
	return 0;
}

/* --- attempts that ended unseen --- */

struct closing {
	struct fl_cluster *cluster;
	uint32_t attempt;
	fl_time to;
	const char *how;
};

static int close_one(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	const struct closing *c = user;
	struct fl_admission_row closed = *row;

	if (row->attempt != c->attempt || row->to != FL_TIME_NONE)
		return 0;
	closed.to = fl_amount_max(row->from, c->to);
	closed.ended = c->how;
	return fl_kept_row(c->cluster, &closed, err);
}

static int close_attempt(struct fl_cluster *c, const struct known *k, fl_time to, const char *how,
			 fairlead_error *err)
{
	const struct closing closing = { c, k->attempt, to, how };

	return fl_store_admissions(c->daemon.store, k->number, close_one, (void *)&closing, err);
}

/* @job is as the API says now; *ret_same: it holds what it held. */
static int meet(struct fl_cluster *c, struct known *k, struct fl_live *job, bool *ret_same,
		fairlead_error *err)
{
	const bool holds = job->started != FL_TIME_NONE;
	const bool same = held(k) && holds && job->started == k->started;
	const bool lost = held(k) && !same;
	const fl_time to = fl_amount_max(k->started, c->before->since);
	const enum fl_go_why why = job->stopping == FL_GO_NOT ? FL_GO_REQUEUED : job->stopping;

	*ret_same = same;
	k->met = true;
	job->kept = true;
	job->attempt = k->attempt + (holds && !same);
	job->evictions = k->evictions + lost;
	job->losses = k->losses;
	job->ran = k->ran + (lost ? to - k->started : 0);
	if (same)
		job->waits = k->waits;
	return lost ? close_attempt(c, k, to, fl_go_why_name(why), err) : 0;
}

/* --- the ends of jobs --- */

int fl_before_finished(struct fl_cluster *c, struct fl_live *job, const struct fl_mirror_object *o,
		       fairlead_error *err)
{
	struct known *k = c->before ? find(c->before, job->id) : NULL;
	struct fl_seen_workload seen;
	bool same = false;
	int r = fl_cluster_see(o, &seen, err);

	if (r == 0 && k)
		r = meet(c, k, job, &same, err);
	else
		job->attempt = job->started != FL_TIME_NONE;
	if (r < 0)
		return r;
	job->state = FL_JOB_DONE;
	job->ended = seen.finished == FL_TIME_NONE ? fl_clock_now(&c->daemon.clock) : seen.finished;
	if (job->started != FL_TIME_NONE) {
		job->ran += fl_amount_max(job->ended - job->started, 0);
		r = fl_kept_over(c, job, o, fl_amount_max(job->ended, job->started),
				 fl_outcome_name(FL_RUN_EXITED), err);
	}
	return r < 0 ? r : fl_kept_write(c, job, o, err);
}

/* It is not there any more, and when it was deleted was not seen. */
static int end_unseen(struct fl_cluster *c, const struct fl_before *all, const struct known *k,
		      fairlead_error *err)
{
	char from[40], to[40], how[160];
	const fl_time ended = fl_amount_max(all->since, held(k) ? k->started : k->submitted);
	struct fl_job_row row = { .id = k->number,
				  .state = FL_JOB_CANCELLED,
				  .user = "",
				  .name = "",
				  .queue = "",
				  .priority = k->priority,
				  .started = k->started,
				  .ended = ended,
				  .attempt = k->attempt,
				  .evictions = k->evictions,
				  .losses = k->losses,
				  .ran = k->ran + (held(k) ? ended - k->started : 0),
				  .outcome = -1,
				  .reason = how };
	int r = held(k) ? close_attempt(c, k, ended, fl_go_why_name(FL_GO_CANCELLED), err) : 0;

	fl_time_format(from, ended);
	fl_time_format(to, all->now);
	(void)snprintf(how, sizeof how,
		       "deleted between %.19sZ and %.19sZ, when it was not watched", from, to);
	return r < 0 ? r : fl_kept_row(c, &row, err);
}

int fl_before_rest(struct fl_cluster *c, fairlead_error *err)
{
	struct fl_before *k = c->before;
	int r = 0;

	for (uint32_t i = 0; i < k->n && r == 0; i++)
		if (!k->rows[i].met)
			r = end_unseen(c, k, &k->rows[i], err);
	c->before = NULL;
	fl_before_free(k);
	return r;
}

/* --- met --- */

int fl_before_begin(struct fl_cluster *c, fairlead_error *err)
{
	int r = read_all(c, c->kept.watched, err);

	return r < 0 || c->before->now - c->before->since < FL_SECOND ?
		       r :
		       fl_kept_gap(c, c->before->since, c->before->now, "fairleadd did not run",
				   err);
}

fl_time fl_before_since(const struct fl_cluster *c)
{
	return c->before ? c->before->since : c->daemon.started;
}

int fl_before_number(struct fl_cluster *c, const struct fl_mirror_object *o, uint64_t *ret,
		     fairlead_error *err)
{
	const struct fl_before *k = c->before;
	const char *uid = fl_mirror_uid(o);
	struct fl_sym sym;

	if (!k)
		return fl_store_number_of(c->daemon.store, uid, ret, err);
	sym = fl_names_find(&k->uids, uid, strlen(uid));
	*ret = sym.v < k->cap_of && k->of[sym.v] != FL_NONE ? k->rows[k->of[sym.v]].number : 0;
	return 0;
}

static int recall_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_live *job = user;

	(void)err;
	*job = (struct fl_live){ .id = row->id,
				 .kept = true,
				 .attempt = row->attempt,
				 .evictions = row->evictions,
				 .losses = row->losses,
				 .started = row->started,
				 .ended = row->ended,
				 .ran = row->ran,
				 .waits = FL_TIME_NONE };
	return 0;
}

static int recall_attempt(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct fl_live *job = user;

	(void)err;
	if (row->job == job->id && row->attempt == job->attempt)
		job->waits = row->waits;
	return 0;
}

int fl_before_recall(struct fl_cluster *c, uint64_t number, struct fl_live *ret,
		     fairlead_error *err)
{
	const struct fl_job_row *newer = fl_kept_unwritten(c, number);
	int r = newer ? recall_row(ret, newer, err) :
			fl_store_job_row(c->daemon.store, number, recall_row, ret, err);

	if (r == FAIRLEAD_EINPUT) { /* damaged, but there: it is not inserted again */
		*ret = (struct fl_live){ .id = number,
					 .kept = true,
					 .started = FL_TIME_NONE,
					 .ended = FL_TIME_NONE,
					 .waits = FL_TIME_NONE };
		return 0;
	}
	if (r == 0)
		r = fl_store_admissions(c->daemon.store, number, recall_attempt, ret, err);
	if (r == 0)
		r = fl_kept_unwritten_attempts(c, recall_attempt, ret, err);
	return r == FAIRLEAD_ENOENT ? 1 : r;
}

int fl_before_meet(struct fl_cluster *c, struct fl_live *job, fairlead_error *err)
{
	struct known *k = c->before ? find(c->before, job->id) : NULL;
	bool same;
	int r;

	if (!k)
		return fl_kept_touch(c, job, err);
	r = meet(c, k, job, &same, err);
	if (r < 0 || (same && job->state == k->state && job->priority == k->priority))
		return r;
	if (!held(k) && job->started == FL_TIME_NONE && job->state == k->state &&
	    job->priority == k->priority)
		return 0;
	return fl_kept_touch(c, job, err);
}

static int is_there(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)user;
	(void)row;
	(void)err;
	return 0;
}

/* Damaged or not. */
static bool is_in_store(const struct fl_cluster *c, uint64_t number)
{
	const int r = fl_store_job_row(c->daemon.store, number, is_there, NULL, NULL);

	return r == 0 || r == FAIRLEAD_EINPUT;
}

/* The store may have it as it was before it finished. */
static int meet_finished(void *cluster, struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_cluster *c = cluster;
	const struct known *k = o->number ? find(c->before, o->number) : NULL;

	if (!k || k->met || o->fate != FL_FATE_OVER || !o->n_own)
		return 0;
	return fl_cluster_hear_finished(c, o, err);
}

int fl_before_compare(struct fl_cluster *c, fl_time from, fairlead_error *err)
{
	int r = read_all(c, from, err);

	for (uint32_t i = 0; r == 0 && i < c->jobs.n; i++) {
		struct fl_live *job = &c->jobs.rows[i];
		struct known *k = find(c->before, job->id);

		if (fl_job_is_over(job->state))
			continue;
		job->kept = k || is_in_store(c, job->id);
		if (k && held(k) && (job->started != k->started || job->attempt != k->attempt))
			r = close_attempt(c, k, fl_amount_max(k->started, from),
					  fl_go_why_name(FL_GO_REQUEUED), err);
		if (k)
			k->met = true;
		if (r == 0)
			r = fl_kept_touch(c, job, err);
	}
	if (r == 0)
		r = fl_mirror_each(c->mirror, FL_MIRROR_WORKLOAD, meet_finished, c, err);
	return r < 0 ? r : fl_before_rest(c, err);
}
