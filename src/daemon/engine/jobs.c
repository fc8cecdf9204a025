/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix.h"

/* So many are not worth a search for unused ones. */
enum { ASKS_KEPT = 1024, NAMES_KEPT = 2048 };

int fl_jobs_init(struct fl_jobs *j, fairlead_error *err)
{
	*j = (struct fl_jobs){ .last_submitted = FL_TIME_NONE, .next_begin = FL_NEVER };
	fl_pairs_init(&j->asks_of, &fl_mem_heap);
	return fl_names_init(&j->names, &fl_mem_heap, err);
}

void fl_jobs_done(struct fl_jobs *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		free(j->rows[i].ending);
	fl_names_done(&j->names);
	fl_pairs_done(&j->asks_of);
	fl_alike_done(&j->alike);
	fl_mem_free(&fl_mem_heap, j->rows);
	fl_mem_free(&fl_mem_heap, j->asks);
	fl_mem_free(&fl_mem_heap, j->asks_before);
	fl_mem_free(&fl_mem_heap, j->awaits);
	fl_mem_free(&fl_mem_heap, j->of_user);
	fl_mem_free(&fl_mem_heap, j->of_queue);
	fl_mem_free(&fl_mem_heap, j->bytes_of_user);
	*j = (struct fl_jobs){ 0 };
}

uint32_t fl_jobs_place_of(const struct fl_jobs *j, uint64_t id)
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
	uint32_t at = fl_jobs_place_of(j, id);

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

	j->awaits_later = false;
	for (uint32_t i = 0; i < j->n_awaits; i++) {
		if (!j->awaits[i].on)
			continue;
		j->awaits_later |= j->awaits[i].on > j->awaits[i].job;
		j->awaits[kept++] = j->awaits[i];
	}
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

static void drop_job(struct fl_jobs *j, struct fl_live *job)
{
	free(job->ending);
	j->n_over--;
}

/* The row for a job, by its number, where there is room for one more. */
static struct fl_live *room_for(struct fl_jobs *j, uint64_t id)
{
	uint32_t at = j->n && j->rows[j->n - 1].id >= id ? fl_jobs_place_of(j, id) : j->n;

	if (at < j->n && j->rows[at].id == id) {
		drop_job(j, &j->rows[at]); /* it has ended */
		return &j->rows[at];
	}
	memmove(&j->rows[at + 1], &j->rows[at], (j->n - at) * sizeof *j->rows);
	j->n++;
	return &j->rows[at];
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
	    (r = fl_alike_reserve(&j->alike, err)) < 0 ||
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
		if (job.named)
			fl_alike_add(&j->alike, job.user, job.named, job.id, job.singleton);
		if (job.begin)
			j->next_begin = fl_amount_min(j->next_begin, job.begin);
	}
	for (uint32_t i = 0; i < n_after; i++) {
		struct fl_live *on = fl_jobs_find(j, after[i].job);

		if (on && !over)
			on->awaited++;
		j->awaits_later |= after[i].job > job.id;
	}
	if (job.submitted > j->last_submitted)
		j->last_submitted = job.submitted;
	*ret = room_for(j, job.id);
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
	job.named = fl_alike_name(spec->name);
	job.singleton = spec->singleton;
	job.once = spec->once;
	job.interactive = spec->interactive != FL_INTERACTIVE_NOT;
	job.most = spec->array_most;
	job.time_limit = spec->time_limit;
	job.why_held = *spec->hold_reason != '\0';
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
		.begin = spec->begin,
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
	if (job->named)
		fl_alike_drop(&j->alike, job->user, job->named, job->singleton);
	j->n_live--;
	j->n_over++;
	return 0;
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

/* --- names --- */

/* In the order that they have, so no symbol becomes a higher one. */
static int take_names(const struct fl_names *from, uint32_t *used, struct fl_names *to)
{
	fairlead_error none;
	int r = fl_names_init(to, &fl_mem_heap, &none);

	for (uint32_t s = 0; r == 0 && s < from->n; s++) {
		const char *text = fl_names_text(from, (struct fl_sym){ s });
		struct fl_sym now;

		if (used[s] == FL_NONE)
			continue;
		r = fl_names_add(to, text, strlen(text), &now, &none);
		used[s] = now.v;
	}
	return r;
}

static void rename_jobs(struct fl_jobs *j, const uint32_t *is)
{
	for (uint32_t i = 0; i < j->n; i++) {
		j->rows[i].queue.v = is[j->rows[i].queue.v];
		j->rows[i].user.v = is[j->rows[i].user.v];
	}
}

/* What was counted for a symbol is for what it is now. */
static void rename_counts(struct fl_jobs *j, const uint32_t *is, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++) {
		const uint32_t user = s < j->cap_user ? j->of_user[s] : 0;
		const uint32_t queue = s < j->cap_queue ? j->of_queue[s] : 0;
		const uint64_t bytes = s < j->cap_bytes ? j->bytes_of_user[s] : 0;

		if (s < j->cap_user)
			j->of_user[s] = 0;
		if (s < j->cap_queue)
			j->of_queue[s] = 0;
		if (s < j->cap_bytes)
			j->bytes_of_user[s] = 0;
		if (user)
			j->of_user[is[s]] = user;
		if (queue)
			j->of_queue[is[s]] = queue;
		if (bytes)
			j->bytes_of_user[is[s]] = bytes;
	}
}

void fl_jobs_forget_names(struct fl_jobs *j)
{
	const uint32_t n = j->names.n;
	struct fl_names names = { 0 };
	uint32_t kept = 0, *is;

	if (n < NAMES_KEPT)
		return;
	is = fl_mem_heap.resize(fl_mem_heap.user, NULL, n * sizeof *is);
	if (!is)
		return;
	memset(is, 0xff, n * sizeof *is); /* FL_NONE */
	for (uint32_t i = 0; i < j->n; i++)
		is[j->rows[i].queue.v] = is[j->rows[i].user.v] = 0;
	for (uint32_t s = 0; s < n; s++)
		kept += is[s] != FL_NONE;
	if (kept < n / 2 && take_names(&j->names, is, &names) == 0) {
		rename_jobs(j, is);
		rename_counts(j, is, n);
		fl_names_done(&j->names);
		j->names = names;
		j->names_number++;
		names = (struct fl_names){ 0 };
	}
	fl_names_done(&names);
	fl_mem_free(&fl_mem_heap, is);
}

bool fl_after_is(enum fl_after how, enum fl_job_state state)
{
	return how == FL_AFTER_ANY || how == FL_AFTER_BEGUN ||
	       (how == FL_AFTER_OK) == (state == FL_JOB_DONE);
}

uint32_t fl_jobs_awaited_by(const struct fl_jobs *j, uint64_t id, uint64_t *ret, uint32_t room)
{
	uint32_t n = 0;

	for (uint32_t i = first_await(j, id); i < j->n_awaits && j->awaits[i].job == id; i++) {
		if (!j->awaits[i].on)
			continue;
		if (n < room)
			ret[n] = j->awaits[i].on;
		n++;
	}
	return n;
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

/* Those that wait for it to begin, or all. */
static void tell(struct fl_jobs *j, uint64_t on, enum fl_job_state state, bool begun,
		 void (*fn)(void *user, uint64_t job, bool as_wanted), void *user)
{
	const struct fl_live *job = fl_jobs_find(j, on);

	/* Jobs that wait for it were submitted later, but for changed dependencies. */
	for (uint32_t i = j->awaits_later ? 0 : first_await(j, on);
	     job && job->awaited && i < j->n_awaits; i++) {
		struct fl_awaits row = j->awaits[i];

		if (row.on != on || (begun && row.how != FL_AFTER_BEGUN))
			continue;
		drop_await(j, &j->awaits[i]);
		fn(user, row.job, begun || fl_after_is(row.how, state));
	}
}

void fl_jobs_tell(struct fl_jobs *j, uint64_t on, enum fl_job_state state,
		  void (*fn)(void *user, uint64_t job, bool as_wanted), void *user)
{
	tell(j, on, state, /* begun= */ false, fn, user);
}

void fl_jobs_tell_begun(struct fl_jobs *j, uint64_t on,
			void (*fn)(void *user, uint64_t job, bool as_wanted), void *user)
{
	tell(j, on, FL_JOB_RUNS, /* begun= */ true, fn, user);
}

/* --- begin --- */

uint32_t fl_jobs_count_due(const struct fl_jobs *j, fl_time wall)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < j->n; i++)
		n += j->rows[i].begin && j->rows[i].begin <= wall &&
		     !fl_job_is_over(j->rows[i].state);
	return n;
}

int fl_jobs_due(struct fl_jobs *j, fl_time wall,
		int (*fn)(void *user, struct fl_live *job, fairlead_error *err), void *user,
		fairlead_error *err)
{
	int r = 0;

	j->next_begin = FL_NEVER;
	for (uint32_t i = 0; i < j->n && r == 0; i++) {
		struct fl_live *job = &j->rows[i];

		if (!job->begin || fl_job_is_over(job->state))
			continue;
		if (job->begin > wall) {
			j->next_begin = fl_amount_min(j->next_begin, job->begin);
			continue;
		}
		job->begin = 0;
		r = fn(user, job, err);
	}
	return r;
}
/* --- changes --- */

int fl_jobs_move(struct fl_jobs *j, struct fl_live *job, const char *queue, fairlead_error *err)
{
	struct fl_sym to;
	int r = intern(j, queue, &to, err);

	if (r == 0)
		r = reserve_count(&j->of_queue, &j->cap_queue, to.v, err);
	if (r < 0)
		return r;
	j->of_queue[job->queue.v]--;
	j->of_queue[to.v]++;
	job->queue = to;
	return 0;
}

int fl_jobs_rename(struct fl_jobs *j, struct fl_live *job, const char *name, fairlead_error *err)
{
	int r = fl_alike_reserve(&j->alike, err);

	if (r < 0)
		return r;
	if (job->named)
		fl_alike_drop(&j->alike, job->user, job->named, job->singleton);
	job->named = fl_alike_name(name);
	if (job->named)
		fl_alike_add(&j->alike, job->user, job->named, job->id, job->singleton);
	return 0;
}

int fl_jobs_set_after(struct fl_jobs *j, struct fl_live *job, const struct fl_job_after *after,
		      uint32_t n_after, fairlead_error *err)
{
	uint32_t at;

	if (fl_mem_grow(&fl_mem_heap, &j->awaits, &j->cap_awaits, j->n_awaits + n_after,
			sizeof *j->awaits, err) < 0)
		return FAIRLEAD_ENOMEM;
	forget_awaits(j, job->id);
	close_holes(j);
	at = first_await(j, job->id);
	if (n_after)
		memmove(&j->awaits[at + n_after], &j->awaits[at],
			(j->n_awaits - at) * sizeof *j->awaits);
	j->n_awaits += n_after;
	for (uint32_t i = 0; i < n_after; i++) {
		struct fl_live *on = fl_jobs_find(j, after[i].job);

		j->awaits[at + i] = (struct fl_awaits){ job->id, after[i].job, after[i].how };
		j->awaits_later |= after[i].job > job->id;
		if (on)
			on->awaited++;
	}
	return 0;
}

enum { SEARCHED = 16 }; /* jobs whose room in a search costs as much as a dependency */

/* Jobs to be looked at, and by row whether they were. */
struct search {
	const struct fl_jobs *j;
	uint64_t *stack;
	bool *seen;
	uint32_t n;
};

static void look_at(struct search *s, uint64_t id)
{
	const struct fl_live *job = fl_jobs_find(s->j, id);

	if (!job || s->seen[job - s->j->rows])
		return;
	s->seen[job - s->j->rows] = true;
	s->stack[s->n++] = id;
}

static int search(struct search *s, uint64_t job, uint32_t *budget)
{
	const struct fl_jobs *j = s->j;

	while (s->n) {
		uint64_t id = s->stack[--s->n];

		if (id == job)
			return 1;
		for (uint32_t i = first_await(j, id); i < j->n_awaits && j->awaits[i].job == id;
		     i++) {
			if (*budget == 0)
				return 1;
			--*budget;
			if (j->awaits[i].on)
				look_at(s, j->awaits[i].on);
		}
	}
	return 0;
}

int fl_jobs_would_loop(const struct fl_jobs *j, uint64_t job, const struct fl_job_after *after,
		       uint32_t n_after, uint32_t *budget, fairlead_error *err)
{
	const uint32_t cost = j->n / SEARCHED; /* of the memory below */
	bool any = false;

	for (uint32_t i = 0; i < n_after; i++)
		any |= after[i].job == job || fl_jobs_waits_for(j, after[i].job);
	if (!any)
		return 0;
	if (*budget < cost) {
		*budget = 0;
		return 1;
	}
	*budget -= cost;

	struct search s = { .j = j,
			    .stack = calloc((size_t)j->n + 1, sizeof *s.stack),
			    .seen = calloc((size_t)j->n + 1, sizeof *s.seen) };
	int r = s.stack && s.seen ? 0 : fl_fail_nomem(err);

	for (uint32_t i = 0; r == 0 && i < n_after; i++)
		look_at(&s, after[i].job);
	if (r == 0)
		r = search(&s, job, budget);
	free(s.stack);
	free(s.seen);
	return r;
}

void fl_jobs_settle_awaits(struct fl_jobs *j)
{
	for (uint32_t i = 0; i < j->n; i++)
		j->rows[i].awaited = 0;
	for (uint32_t i = 0; i < j->n_awaits; i++) {
		struct fl_live *on = fl_jobs_find(j, j->awaits[i].on);

		if (on && !fl_job_is_over(on->state))
			on->awaited++;
		else
			j->awaits[i].on = 0;
	}
	close_holes(j);
}
