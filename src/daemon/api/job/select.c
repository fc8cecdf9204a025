/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_word.h"
#include "daemon/api/job/list.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/submit.h"
#include "daemon/machine/view.h"

/* --- what is asked for --- */

/* A text of the body; NULL: it is not there. */
static int take_text(json_t *body, const char *key, const char **ret, fairlead_error *err)
{
	json_t *value = json_object_get(body, key);

	*ret = json_string_value(value);
	if (value && (!*ret || !**ret))
		return fl_fail(err, FAIRLEAD_EINPUT, "'%s' must be a text that is not empty", key);
	return 0;
}

static int check_jobs(const char *text, fairlead_error *err)
{
	struct fl_job_range range;
	uint64_t all = 0;
	uint32_t n = 0;
	int r;

	while ((r = fl_job_range_next(&text, &range, err)) > 0) {
		all += range.last - range.first + 1;
		if (++n > FL_JOB_RANGES || all > FL_API_SUBMIT)
			return fl_fail(
				err, FAIRLEAD_EINPUT,
				"more than %d jobs, or %d numbers and ranges, in one request",
				(int)FL_API_SUBMIT, (int)FL_JOB_RANGES);
	}
	return r;
}

int fl_selection_read(const struct fl_call *call, json_t *body, struct fl_selection *ret,
		      fairlead_error *err)
{
	json_t *after = json_object_get(body, "after");
	const char *states;
	int r;

	*ret = (struct fl_selection){ .after = (uint64_t)json_integer_value(after) };
	if (after && (!json_is_integer(after) || json_integer_value(after) < 0))
		return fl_fail(err, FAIRLEAD_EINPUT, "'after' must be the number of a job");
	if ((r = take_text(body, "jobs", &ret->jobs, err)) < 0 ||
	    (r = take_text(body, "queue", &ret->queue, err)) < 0 ||
	    (r = take_text(body, "user", &ret->user, err)) < 0 ||
	    (r = take_text(body, "name", &ret->name, err)) < 0 ||
	    (r = take_text(body, "state", &states, err)) < 0)
		return r;
	if (states && (r = fl_job_states_read(states, &ret->states, err)) < 0)
		return r;
	if (ret->jobs && (r = check_jobs(ret->jobs, err)) < 0)
		return r;
	if (!ret->jobs && !ret->queue && !ret->user && !ret->name && !states) {
		fl_fail(err, FAIRLEAD_EINPUT, "no job is named");
		return fl_fail_hint(err, "name jobs, or say which: by user, queue, name or state");
	}
	ret->own = !ret->jobs && !ret->user && !fl_api_is_admin(call);
	return 0;
}

/* --- finding --- */

static int add(struct fl_selection *s, uint64_t job, const char *refused, fairlead_error *err)
{
	char *text = refused ? strdup(refused) : NULL;

	if ((refused && !text) ||
	    fl_mem_grow(&fl_mem_heap, &s->rows, &s->cap, s->n + 1, sizeof *s->rows, err) < 0) {
		free(text);
		return fl_fail_nomem(err);
	}
	s->rows[s->n++] = (struct fl_selected){ job, text };
	s->n_refused += refused != NULL;
	return 0;
}

static bool has_filter(const struct fl_selection *s)
{
	return s->queue || s->user || s->name || s->states;
}

/* All but its name, which only the store has. */
static bool fits(const struct fl_call *call, const struct fl_selection *s,
		 const struct fl_live *job)
{
	const struct fl_daemon *daemon = call->api->daemon;

	return !fl_job_is_over(job->state) && (!s->states || s->states >> job->state & 1) &&
	       (!s->queue || strcmp(fl_daemon_word(daemon, job->queue), s->queue) == 0) &&
	       (!s->user || strcmp(fl_daemon_word(daemon, job->user), s->user) == 0) &&
	       (!s->own || fl_api_may_touch(call, job->uid, fl_daemon_word(daemon, job->queue)));
}

struct naming {
	const char *wanted;
	bool is, nameless;
};

static int see_name(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct naming *n = user;
	char name[FL_JOB_NAME];

	(void)err;
	n->nameless = !*row->name;
	n->is = strcmp(row->spec ? fl_api_name(row, name) : row->name, n->wanted) == 0;
	return 0;
}

static bool is_named(const struct fl_call *call, const struct fl_selection *s, uint64_t job)
{
	struct naming n = { .wanted = s->name };

	if (!s->name)
		return true;
	/* Most of those that are looked for by their name have one of their own. */
	if (fl_store_job_row(call->api->daemon->store, job, see_name, &n, NULL) < 0 || n.is)
		return n.is;
	return n.nameless && fl_store_job(call->api->daemon->store, job, see_name, &n, NULL) == 0 &&
	       n.is;
}

struct whose {
	uid_t owner;
	char queue[sizeof((struct fl_job_spec *)0)->queue];
};

static struct whose whose_is(const struct fl_call *call, const struct fl_live *job)
{
	struct whose w = { .owner = job->uid };

	(void)snprintf(w.queue, sizeof w.queue, "%s",
		       fl_daemon_word(call->api->daemon, job->queue));
	return w;
}

/* Is it to be done of this job? It is added with the answer. */
static int judge(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		 uint64_t job, const struct whose *whose, fairlead_error *err)
{
	fairlead_error why = { 0 };
	char text[sizeof why.text + sizeof why.hint + 16];
	int r;

	if (!fl_api_may_touch(call, whose->owner, whose->queue))
		return add(s, job, fl_api_not_yours(call), err);
	r = fl_core_check_wish(call->api->core, w, job, &why);
	if (r == FAIRLEAD_ENOMEM || r == FAIRLEAD_EIO) {
		*err = why;
		return r;
	}
	if (r == 0)
		s->bytes += fl_core_wish_bytes(call->api->core, w, job);
	(void)snprintf(text, sizeof text, "%s%s%s", why.text, *why.hint ? "; " : "", why.hint);
	return add(s, job, r < 0 ? text : NULL, err);
}

static int see_whose(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct whose *w = user;

	(void)err;
	w->owner = row->uid;
	(void)snprintf(w->queue, sizeof w->queue, "%s", row->queue);
	return 0;
}

/* One that was named by its number, which may have ended, or never have been. */
static int find_one(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		    uint64_t id, fairlead_error *err)
{
	const struct fl_live *job = fl_daemon_job(call->api->daemon, id);
	const bool over = !job || fl_job_is_over(job->state);
	struct whose whose = { 0 };
	fairlead_error why = { 0 };

	if (job)
		whose = whose_is(call, job);
	if (has_filter(s) && (!job || !fits(call, s, job) || !is_named(call, s, id)))
		return 0;
	if (over && !fl_core_is_coming(call->api->core, id) &&
	    fl_store_job_row(call->api->daemon->store, id, see_whose, &whose, &why) < 0)
		return add(s, id, why.text, err);
	if (over && w->wish == FL_WISH_REQUEUE &&
	    fl_api_may_touch(call, whose.owner, whose.queue) &&
	    !fl_api_may_use(call, whose.queue, &why))
		return add(s, id, why.text, err);
	return judge(call, s, w, id, &whose, err);
}

static int cmp_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Numbers that are asked for, of jobs and of arrays, some of them more than once. */
struct numbers {
	uint64_t *rows;
	uint32_t n, cap;
};

static int push(struct numbers *l, uint64_t number, fairlead_error *err)
{
	if (fl_mem_grow(&fl_mem_heap, &l->rows, &l->cap, l->n + 1, sizeof *l->rows, err) < 0)
		return FAIRLEAD_ENOMEM;
	l->rows[l->n++] = number;
	return 0;
}

/* By number, each once. */
static void sort(struct numbers *l)
{
	uint32_t n = 0;

	if (l->n)
		qsort(l->rows, l->n, sizeof *l->rows, cmp_numbers);
	for (uint32_t i = 0; i < l->n; i++)
		if (!n || l->rows[i] != l->rows[n - 1])
			l->rows[n++] = l->rows[i];
	l->n = n;
}

static int push_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	return push(user, row->id, err);
}

/* Also jobs that have ended: they run again. */
static int push_all(const struct fl_call *call, const struct numbers *arrays, struct numbers *l,
		    fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < arrays->n && r == 0; i++) {
		const struct fl_job_filter all = { .array = arrays->rows[i], .without_spec = true };

		r = fl_store_jobs(call->api->daemon->store, &all, push_row, l, err);
	}
	return r;
}

/* The number of an array of which no job is left is told of as it would be of a job. */
static int push_live(const struct fl_call *call, const struct numbers *arrays, struct numbers *l,
		     fairlead_error *err)
{
	struct fl_live_view view;
	bool *has = calloc(arrays->n, sizeof *has);
	int r = has ? 0 : fl_fail_nomem(err);

	fl_daemon_view(call->api->daemon, &view);
	for (uint32_t i = 0; i < view.n_jobs && r == 0; i++) {
		const struct fl_live *job = &view.jobs[i];
		const uint64_t *array = job->array && !fl_job_is_over(job->state) ?
						bsearch(&job->array, arrays->rows, arrays->n,
							sizeof *arrays->rows, cmp_numbers) :
						NULL;

		if (array) {
			has[array - arrays->rows] = true;
			r = push(l, job->id, err);
		}
	}
	for (uint32_t i = 0; i < arrays->n && r == 0; i++)
		r = has[i] ? 0 : push(l, arrays->rows[i], err);
	free(has);
	return r;
}

/* The jobs that are named, by number; each array is looked for once, however often it is named. */
static int find_numbers(const struct fl_call *call, const struct fl_selection *s,
			const struct fl_wishing *w, struct numbers *l, fairlead_error *err)
{
	struct numbers arrays = { 0 };
	struct fl_job_range range;
	const char *at = s->jobs;
	int r;

	while ((r = fl_job_range_next(&at, &range, err)) > 0) {
		if (range.array)
			r = push(&arrays, range.first, err);
		for (uint64_t job = range.first; job <= range.last && !range.array && r >= 0; job++)
			r = push(l, job, err);
		if (r < 0)
			break;
	}
	sort(&arrays);
	if (r == 0 && arrays.n)
		r = w->wish == FL_WISH_REQUEUE ? push_all(call, &arrays, l, err) :
						 push_live(call, &arrays, l, err);
	sort(l);
	fl_mem_free(&fl_mem_heap, arrays.rows);
	return r;
}

enum { BYTES = 32 << 20 }; /* of specs that are read for names, or change, in one request */

/* More than fit into one answer are left for the next request. */
static bool is_full(struct fl_selection *s)
{
	s->more = s->n >= FL_API_SUBMIT || s->bytes > BYTES;
	return s->more;
}

static int find_named(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		      fairlead_error *err)
{
	struct numbers l = { 0 };
	int r = find_numbers(call, s, w, &l, err);

	for (uint32_t i = 0; i < l.n && r == 0; i++)
		if (l.rows[i] > s->after) {
			if (is_full(s))
				break;
			s->last = l.rows[i];
			r = find_one(call, s, w, l.rows[i], err);
		}
	fl_mem_free(&fl_mem_heap, l.rows);
	return r;
}

static int find_live(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		     fairlead_error *err)
{
	struct fl_live_view view;
	struct whose whose;
	int r = 0;

	fl_daemon_view(call->api->daemon, &view);
	for (uint32_t i = 0; i < view.n_jobs && r == 0; i++) {
		const struct fl_live *job = &view.jobs[i];

		if (job->id <= s->after || !fits(call, s, job))
			continue;
		if (is_full(s))
			break;
		s->last = job->id;
		s->bytes += s->name ? job->bytes : 0;
		if (!is_named(call, s, job->id))
			continue;
		/* scancel's: pending jobs get no signal, and none is told so. */
		if (w->wish == FL_WISH_SIGNAL && job->state != FL_JOB_RUNS &&
		    job->state != FL_JOB_STOPS)
			continue;
		whose = whose_is(call, job);
		r = judge(call, s, w, job->id, &whose, err);
	}
	return r;
}

int fl_selection_find(const struct fl_call *call, struct fl_selection *s, struct fl_wishing *w,
		      fairlead_error *err)
{
	w->budget = FL_WISH_BUDGET;
	return s->jobs ? find_named(call, s, w, err) : find_live(call, s, w, err);
}

void fl_selection_done(struct fl_selection *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		free(s->rows[i].refused);
	fl_mem_free(&fl_mem_heap, s->rows);
	*s = (struct fl_selection){ 0 };
}

const char *fl_selection_text(const struct fl_selection *s, char *buffer, size_t size)
{
	enum { TOLD = 20 };
	uint32_t done = s->n - s->n_refused, told = 0;
	size_t n = (size_t)snprintf(buffer, size, done == 1 ? "job" : done ? "jobs" : "no job");

	for (uint32_t i = 0; i < s->n && told < TOLD && n < size; i++)
		if (!s->rows[i].refused)
			n += (size_t)snprintf(buffer + n, size - n, "%s %" PRIu64,
					      told++ ? "," : "", s->rows[i].job);
	if (done > told && n < size)
		n += (size_t)snprintf(buffer + n, size - n, " and %u more", done - told);
	if (s->n_refused && n < size)
		(void)snprintf(buffer + n, size - n, "; %u refused", s->n_refused);
	return buffer;
}
