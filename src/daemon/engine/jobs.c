/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"

enum { ASKS_KEPT = 1024 }; /* so many are not worth a search for unused ones */

int fl_jobs_init(struct fl_jobs *j, fairlead_error *err)
{
	*j = (struct fl_jobs){ .last_submitted = FL_TIME_NONE };
	fl_pairs_init(&j->asks_of, &fl_mem_heap);
	return fl_names_init(&j->names, &fl_mem_heap, err);
}

void fl_jobs_done(struct fl_jobs *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		free(j->rows[i].ending);
	fl_names_done(&j->names);
	fl_pairs_done(&j->asks_of);
	fl_mem_free(&fl_mem_heap, j->rows);
	fl_mem_free(&fl_mem_heap, j->asks);
	fl_mem_free(&fl_mem_heap, j->asks_before);
	fl_mem_free(&fl_mem_heap, j->awaits);
	fl_mem_free(&fl_mem_heap, j->of_user);
	fl_mem_free(&fl_mem_heap, j->of_queue);
	fl_mem_free(&fl_mem_heap, j->bytes_of_user);
	*j = (struct fl_jobs){ 0 };
}

static uint32_t place_of(const struct fl_jobs *j, uint64_t id)
{
	uint32_t low = 0, high = j->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (j->rows[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct fl_live *fl_jobs_find(const struct fl_jobs *j, uint64_t id)
{
	uint32_t at = place_of(j, id);

	return at < j->n && j->rows[at].id == id ? &j->rows[at] : NULL;
}

/* --- what they ask for --- */

static int intern(struct fl_jobs *j, const char *text, struct fl_sym *ret, fairlead_error *err)
{
	return fl_names_add(&j->names, text, strlen(text), ret, err);
}

static int spell_asks(struct fl_jobs *j, const struct fl_job_spec *spec, struct fl_asks *ret,
		      fairlead_error *err)
{
	int r = 0;

	memset(ret, 0, sizeof *ret);
	ret->tasks = spec->tasks;
	ret->n_requests = spec->n_requests;
	ret->n_labels = spec->n_labels;
	for (uint32_t i = 0; i < spec->n_requests && r == 0; i++) {
		r = intern(j, spec->requests[i].resource, &ret->requests[i].resource, err);
		ret->requests[i].amount = spec->requests[i].amount;
	}
	for (uint32_t i = 0; i < spec->n_labels && r == 0; i++) {
		r = intern(j, spec->labels[i].key, &ret->labels[i].key, err);
		if (r == 0)
			r = intern(j, spec->labels[i].value, &ret->labels[i].value, err);
	}
	return r;
}

static uint64_t hash_of(const struct fl_asks *a)
{
	uint64_t hash[2] = { 0, 0 }, word;

	for (size_t i = 0; i + sizeof word <= sizeof *a; i += sizeof word) {
		memcpy(&word, (const char *)a + i, sizeof word);
		fl_mix(hash, word);
	}
	return hash[0];
}

int fl_jobs_find_asks(struct fl_jobs *j, const struct fl_asks *a, uint32_t *ret,
		      fairlead_error *err)
{
	uint64_t hash = hash_of(a);
	uint32_t high = (uint32_t)(hash >> 32), low = (uint32_t)hash, last = FL_NONE, i;
	int r;

	if (fl_mem_grow(&fl_mem_heap, &j->asks, &j->cap_asks, j->n_asks + 1, sizeof *a, err) < 0 ||
	    fl_mem_grow(&fl_mem_heap, &j->asks_before, &j->cap_before, j->n_asks + 1,
			sizeof *j->asks_before, err) < 0)
		return FAIRLEAD_ENOMEM;
	r = fl_pairs_add(&j->asks_of, high, low, j->n_asks, &last, err);
	if (r < 0)
		return r;
	/*
	 * Rows of different asks with one hash form a chain, in the order in which they were added.
	 */
	for (i = r == 0 ? FL_NONE : last; i != FL_NONE; i = j->asks_before[i]) {
		/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): gaps are 0 (spell_asks) */
		if (memcmp(&j->asks[i], a, sizeof *a) == 0) {
			*ret = i;
			return 0;
		}
		last = i;
	}
	j->asks[j->n_asks] = *a;
	j->asks_before[j->n_asks] = FL_NONE;
	if (r == 1)
		j->asks_before[last] = j->n_asks;
	*ret = j->n_asks++;
	return 0;
}

/*
 * Drops rows that no job uses any more, as jobs may ask for something new each time, for years.
 * The other rows get new numbers.  Without memory for the index equal asks are not found again, and
 * get a second row.
 */
static void forget_asks(struct fl_jobs *j)
{
	uint32_t *is = fl_mem_heap.resize(fl_mem_heap.user, NULL, j->n_asks * sizeof *is);
	uint32_t n = j->n_asks, same;
	fairlead_error none;

	if (!is)
		return;
	memset(is, 0xff, n * sizeof *is); /* FL_NONE */
	for (uint32_t i = 0; i < j->n; i++)
		is[j->rows[i].asks] = 0;
	fl_pairs_clear(&j->asks_of);
	j->n_asks = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_asks a = j->asks[i]; /* a row that stays moves forward, or not at all */

		if (is[i] == FL_NONE)
			continue;
		if (fl_jobs_find_asks(j, &a, &same, &none) < 0) {
			same = j->n_asks++;
			j->asks[same] = a;
			j->asks_before[same] = FL_NONE;
		}
		is[i] = same;
	}
	for (uint32_t i = 0; i < j->n; i++)
		j->rows[i].asks = is[j->rows[i].asks];
	fl_mem_free(&fl_mem_heap, is);
}

/* --- how many there are --- */

static int reserve_count(uint32_t **counts, uint32_t *cap, uint32_t sym, fairlead_error *err)
{
	uint32_t had = *cap;
	int r = fl_mem_grow(&fl_mem_heap, counts, cap, sym + 1, sizeof **counts, err);

	if (r == 0 && *cap > had)
		memset(*counts + had, 0, (*cap - had) * sizeof **counts);
	return r;
}

static int reserve_bytes(struct fl_jobs *j, uint32_t sym, fairlead_error *err)
{
	uint32_t had = j->cap_bytes;
	int r = fl_mem_grow(&fl_mem_heap, &j->bytes_of_user, &j->cap_bytes, sym + 1,
			    sizeof *j->bytes_of_user, err);

	if (r == 0 && j->cap_bytes > had)
		memset(j->bytes_of_user + had, 0, (j->cap_bytes - had) * sizeof *j->bytes_of_user);
	return r;
}

static uint32_t count_of(const struct fl_jobs *j, const uint32_t *counts, uint32_t cap,
			 const char *text)
{
	struct fl_sym sym = fl_names_find(&j->names, text, strlen(text));

	return sym.v != FL_NONE && sym.v < cap ? counts[sym.v] : 0;
}

uint32_t fl_jobs_of_user(const struct fl_jobs *j, const char *user)
{
	return count_of(j, j->of_user, j->cap_user, user);
}

uint64_t fl_jobs_bytes_of_user(const struct fl_jobs *j, const char *user)
{
	struct fl_sym sym = fl_names_find(&j->names, user, strlen(user));

	return sym.v != FL_NONE && sym.v < j->cap_bytes ? j->bytes_of_user[sym.v] : 0;
}

uint32_t fl_jobs_of_queue(const struct fl_jobs *j, const char *queue)
{
	return count_of(j, j->of_queue, j->cap_queue, queue);
}

/* --- coming and going --- */

static void close_holes(struct fl_jobs *j)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < j->n_awaits; i++)
		if (j->awaits[i].on)
			j->awaits[kept++] = j->awaits[i];
	j->n_awaits = kept;
	j->n_awaits_gone = 0;
}

static int add_awaits(struct fl_jobs *j, uint64_t id, const struct fl_job_after *after, uint32_t n,
		      fairlead_error *err)
{
	if (j->n_awaits_gone > j->n_awaits / 2)
		close_holes(j);
	if (fl_mem_grow(&fl_mem_heap, &j->awaits, &j->cap_awaits, j->n_awaits + n,
			sizeof *j->awaits, err) < 0)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		j->awaits[j->n_awaits + i] = (struct fl_awaits){ id, after[i].job, after[i].how };
	return 0;
}

/* All steps that may fail come before the first change that matters. */
int fl_jobs_place(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_after *after,
		  uint32_t n_after, struct fl_live **ret, fairlead_error *err)
{
	const struct fl_live job = *row;
	const bool over = fl_job_is_over(job.state);
	int r;

	if ((r = reserve_count(&j->of_user, &j->cap_user, job.user.v, err)) < 0 ||
	    (r = reserve_count(&j->of_queue, &j->cap_queue, job.queue.v, err)) < 0 ||
	    (r = reserve_bytes(j, job.user.v, err)) < 0 ||
	    (r = fl_mem_grow(&fl_mem_heap, &j->rows, &j->cap, j->n + 1, sizeof *j->rows, err)) < 0)
		return r;
	if (!over && (r = add_awaits(j, job.id, after, n_after, err)) < 0)
		return r;
	if (over) {
		j->n_over++;
	} else {
		j->n_awaits += n_after;
		j->of_user[job.user.v]++;
		j->of_queue[job.queue.v]++;
		j->bytes_of_user[job.user.v] += job.bytes;
		j->n_live++;
	}
	for (uint32_t i = 0; i < n_after; i++) {
		struct fl_live *on = fl_jobs_find(j, after[i].job);

		if (on && !over)
			on->awaited++;
	}
	if (job.submitted > j->last_submitted)
		j->last_submitted = job.submitted;
	*ret = &j->rows[j->n++];
	**ret = job;
	return 0;
}

int fl_jobs_restore(struct fl_jobs *j, const struct fl_live *row, const struct fl_job_spec *spec,
		    struct fl_live **ret, fairlead_error *err)
{
	struct fl_live job = *row;
	struct fl_asks asks;
	int r;

	job.bytes = spec->bytes;
	if ((r = intern(j, spec->queue, &job.queue, err)) < 0 ||
	    (r = intern(j, spec->user, &job.user, err)) < 0 ||
	    (r = spell_asks(j, spec, &asks, err)) < 0 ||
	    (r = fl_jobs_find_asks(j, &asks, &job.asks, err)) < 0)
		return r;
	return fl_jobs_place(j, &job, spec->after, spec->n_after, ret, err);
}

int fl_jobs_add(struct fl_jobs *j, uint64_t id, const struct fl_job_spec *spec, fl_time at,
		struct fl_live **ret, fairlead_error *err)
{
	struct fl_live row = {
		.id = id,
		.array = spec->array,
		.uid = spec->uid,
		.state = FL_JOB_WAITS,
		.held = spec->hold ? FL_HOLD_OWNER : FL_HOLD_NONE,
		.priority = spec->priority,
		.tasks = spec->tasks,
		.workload = { FL_NONE },
		.submitted = at > j->last_submitted ? at : j->last_submitted + 1,
		.started = FL_TIME_NONE,
		.ended = FL_TIME_NONE,
		.retry = FL_TIME_NONE,
		.outcome = -1,
	};

	row.waits = row.submitted;
	return fl_jobs_restore(j, &row, spec, ret, err);
}

/*
 * --- dependencies: rows in the order of jobs, as numbers only grow; a removed one leaves a hole
 * ---
 */

static uint32_t first_await(const struct fl_jobs *j, uint64_t id)
{
	uint32_t low = 0, high = j->n_awaits;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (j->awaits[middle].job < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop_await(struct fl_jobs *j, struct fl_awaits *row)
{
	struct fl_live *on = fl_jobs_find(j, row->on);

	if (on)
		on->awaited--;
	row->on = 0;
	j->n_awaits_gone++;
}

static void forget_awaits(struct fl_jobs *j, uint64_t id)
{
	for (uint32_t i = first_await(j, id); i < j->n_awaits && j->awaits[i].job == id; i++)
		if (j->awaits[i].on)
			drop_await(j, &j->awaits[i]);
}

int fl_jobs_end(struct fl_jobs *j, struct fl_live *job, enum fl_job_state state, const char *how,
		fairlead_error *err)
{
	if (how && *how && !(job->ending = strdup(how)))
		return fl_fail_nomem(err);
	if (job->state == FL_JOB_DEPENDS || job->state == FL_JOB_HELD)
		forget_awaits(j, job->id);
	job->state = state;
	job->held = FL_HOLD_NONE;
	j->of_user[job->user.v]--;
	j->of_queue[job->queue.v]--;
	j->bytes_of_user[job->user.v] -= job->bytes;
	j->n_live--;
	j->n_over++;
	return 0;
}

static void drop_job(struct fl_jobs *j, struct fl_live *job)
{
	free(job->ending);
	j->n_over--;
}

void fl_jobs_drop(struct fl_jobs *j, bool (*may)(void *user, const struct fl_live *job), void *user)
{
	uint32_t kept = 0;

	if (!j->n_over)
		return;
	for (uint32_t i = 0; i < j->n; i++)
		if (!fl_job_is_over(j->rows[i].state) || (may && !may(user, &j->rows[i])))
			j->rows[kept++] = j->rows[i];
		else
			drop_job(j, &j->rows[i]);
	j->n = kept;
	if (j->n_asks > ASKS_KEPT && j->n_asks / 2 > j->n)
		forget_asks(j);
}

bool fl_after_is(enum fl_after how, enum fl_job_state state)
{
	return how == FL_AFTER_ANY || (how == FL_AFTER_OK) == (state == FL_JOB_DONE);
}

bool fl_jobs_waits_for(const struct fl_jobs *j, uint64_t id)
{
	for (uint32_t i = first_await(j, id); i < j->n_awaits && j->awaits[i].job == id; i++)
		if (j->awaits[i].on)
			return true;
	return false;
}

void fl_jobs_waited(struct fl_jobs *j, uint64_t id, uint64_t on)
{
	for (uint32_t i = first_await(j, id); i < j->n_awaits && j->awaits[i].job == id; i++)
		if (j->awaits[i].on == on)
			drop_await(j, &j->awaits[i]);
}

void fl_jobs_tell(struct fl_jobs *j, uint64_t on, enum fl_job_state state,
		  void (*fn)(void *user, uint64_t job, bool as_wanted), void *user)
{
	const struct fl_live *job = fl_jobs_find(j, on);

	/* Jobs that wait for it were submitted later. */
	for (uint32_t i = first_await(j, on); job && job->awaited && i < j->n_awaits; i++) {
		struct fl_awaits row = j->awaits[i];

		if (row.on != on)
			continue;
		drop_await(j, &j->awaits[i]);
		fn(user, row.job, fl_after_is(row.how, state));
	}
}
