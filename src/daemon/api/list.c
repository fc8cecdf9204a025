/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list - jobs as JSON: some of them, or one whole
 *
 * The store has a row of each job, written a moment after each change; for jobs that have not ended
 * the core is newer, and its state counts.
 */
#include "daemon/api/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "codec/text/quantity.h"
#include "daemon/config/config_queue.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/view.h"

enum {
	PAGE = 1000, /* if `limit` is not given */
	/* Bytes of specs read for one answer, of each kind: other clients wait meanwhile. */
	PAGE_BYTES = 16 << 20,
};

#define STATES_LIVE ((1U << FL_JOB_DONE) - 1)
#define STATES_ALL ((1U << FL_JOB_STATES) - 1)

/* --- one job --- */

struct view {
	struct fl_call *call;
	const struct fl_live *live; /* NULL: there is only the row */
	bool whole;
	uid_t owner;
	json_t *job; /* the answer; `owner` is set with it */
};

static void put(json_t *to, const char *key, json_t *value) { json_object_set_new(to, key, value); }

static void put_number(json_t *to, const char *key, uint64_t value)
{
	put(to, key, json_integer((json_int_t)value));
}

/* The program of the command, without its folder, which only the owner and admins may see. */
static json_t *default_name(const json_t *command)
{
	const char *text = json_string_value(json_array_get(command, 0));
	const char *slash = text ? strrchr(text, '/') : NULL;
	char name[FL_JOB_NAME];
	size_t n = 0;

	text = slash ? slash + 1 : text;
	while (text && *text && n < sizeof name - 4) {
		size_t odd = fl_plain_odd(text);

		name[n++] = odd ? '?' : *text;
		text += odd ? odd : 1;
		while (!odd &&
		       ((unsigned char)*text & 0xC0) == 0x80) /* the rest of one character */
			name[n++] = *text++;
	}
	return json_stringn(name, n);
}

/* The part of the spec for all users, and the part for its owner and admins. */
static void put_spec(struct view *v, const struct fl_job_row *row)
{
	static const char *const all[] = { "name", "tasks", "requests", "labels", "arrayIndex" };
	static const char *const whole[] = { "after", "timeLimit", "grace", "hold" };
	static const char *const own[] = { "command", "environment", "directory", "output",
					   "signal" };
	json_t *spec = row->spec ? json_loads(row->spec, 0, NULL) : NULL;

	put(v->job, "name", json_string(row->name));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		json_object_set(v->job, all[i], json_object_get(spec, all[i]));
	for (size_t i = 0; v->whole && i < sizeof whole / sizeof *whole; i++)
		json_object_set(v->job, whole[i], json_object_get(spec, whole[i]));
	if (v->whole && fl_api_may_touch(v->call, row->uid))
		for (size_t i = 0; i < sizeof own / sizeof *own; i++)
			json_object_set(v->job, own[i], json_object_get(spec, own[i]));
	if (!*row->name && json_array_size(json_object_get(spec, "command")) > 0)
		put(v->job, "name", default_name(json_object_get(spec, "command")));
	json_decref(spec);
}

static void put_devices(struct view *v, const struct fl_live *live)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(v->call->api->core, &ops);
	uint32_t numbers[256], n = 0;
	json_t *devices = json_array();

	if (live->state == FL_JOB_RUNS || live->state == FL_JOB_STOPS)
		n = ops->devices(host, live->id, live->attempt, numbers, 256);
	for (uint32_t i = 0; i < n && i < 256; i++)
		json_array_append_new(devices, json_integer(numbers[i]));
	put(v->job, "devices", devices);
}

/*
 * Amounts as people write them, from the integers that are kept: [{"resource", "flavor", "amount":
 * "500m"}]
 */
static json_t *placement_of(const char *kept)
{
	json_t *all = kept ? json_loads(kept, 0, NULL) : NULL, *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "resource"));
		char text[32];

		fl_quantity_format(text, json_integer_value(json_object_get(one, "amount")),
				   name && strcmp(name, "cpu") == 0,
				   name && strcmp(name, "memory") == 0);
		put(one, "amount", json_string(text));
	}
	return all ? all : json_array();
}

static bool holds(enum fl_job_state state)
{
	return state == FL_JOB_STARTS || state == FL_JOB_RUNS || state == FL_JOB_STOPS;
}

static void put_row(struct view *v, const struct fl_job_row *row, const char *reason)
{
	const struct fl_api *a = v->call->api;
	char known[FL_LIVE_REASON];
	fl_time ran = row->ran == FL_TIME_NONE ? 0 : row->ran;

	if (row->state == FL_JOB_RUNS || row->state == FL_JOB_STOPS)
		if (row->started != FL_TIME_NONE)
			ran += fl_clock_now(fl_core_clock(a->core)) - row->started;
	put_number(v->job, "id", row->id);
	put_spec(v, row);
	put(v->job, "queue", json_string(row->queue));
	put(v->job, "user", json_string(row->user));
	put(v->job, "state", json_string(fl_job_state_name(row->state)));
	reason = fl_api_reason(v->call, row->uid, reason, known);
	put(v->job, "reason", reason && *reason ? json_string(reason) : json_null());
	put(v->job, "priority", json_integer(row->priority));
	put(v->job, "submittedAt", fl_api_moment(a, row->submitted));
	put(v->job, "startedAt", fl_api_moment(a, row->started));
	put(v->job, "endedAt", fl_api_moment(a, row->ended));
	put_number(v->job, "attempt", row->attempt);
	put_number(v->job, "evictions", row->evictions);
	put_number(v->job, "losses", row->losses);
	put(v->job, "ranSeconds", json_real((double)ran / FL_SECOND));
	put(v->job, "exit",
	    row->outcome < 0 ? json_null() :
			       json_pack("{s:s, s:i}", "kind",
					 fl_outcome_name((enum fl_outcome_kind)row->outcome),
					 "status", row->status));
	put(v->job, "placement", placement_of(holds(row->state) ? row->placement : NULL));
	put(v->job, "array", row->array ? json_integer((json_int_t)row->array) : json_null());
}

static int make(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct view *v = user;
	struct fl_job_row now = *row;
	char buffer[600];
	const char *reason = row->reason;

	v->owner = row->uid;
	v->job = json_object();
	if (!v->job)
		return fl_fail_nomem(err);
	if (v->live) {
		const struct fl_live *l = v->live;

		now.state = l->state;
		now.priority = l->priority;
		now.started = l->started;
		now.ended = l->ended;
		now.ran = l->ran;
		now.attempt = l->attempt;
		now.evictions = l->evictions;
		now.losses = l->losses;
		now.outcome = l->outcome;
		now.status = l->status;
		reason = fl_core_reason(v->call->api->core, l, buffer, sizeof buffer);
	}
	put_row(v, &now, reason);
	/* A job that has ended has none, whether it is still in memory or not. */
	if (v->live && !fl_job_is_over(v->live->state))
		put_devices(v, v->live);
	return 0;
}

/* A job whose row and spec are damaged: its number, and what is known without them. */
static int make_damaged(struct view *v, uint64_t id, const char *why, fairlead_error *err)
{
	const struct fl_core *core = v->call->api->core;
	const struct fl_live *l = v->live;
	const struct fl_job_row row = {
		.id = id,
		.state = l ? l->state : FL_JOB_FAILED,
		.uid = l ? l->uid : 0,
		.user = l ? fl_core_word(core, l->user) : "",
		.name = "",
		.queue = l ? fl_core_word(core, l->queue) : "",
		.priority = l ? l->priority : 0,
		.submitted = l ? l->submitted : FL_TIME_NONE,
		.started = l ? l->started : FL_TIME_NONE,
		.ended = l ? l->ended : FL_TIME_NONE,
		.attempt = l ? l->attempt : 0,
		.evictions = l ? l->evictions : 0,
		.losses = l ? l->losses : 0,
		.outcome = -1,
	};

	v->owner = row.uid;
	v->job = json_object();
	if (!v->job)
		return fl_fail_nomem(err);
	put_row(v, &row, /* reason= */ NULL);
	put(v->job, "state", json_string("damaged"));
	put(v->job, "reason", json_sprintf("%s in the database does not match its checksum", why));
	return 0;
}

static int find_damaged(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	return make_damaged(user, row->id, row->damaged ? row->damaged : "its row", err);
}

/* The job as it is, or only that it is damaged. */
static int make_any(struct view *v, uint64_t id, fairlead_error *err)
{
	struct fl_store *store = fl_core_store(v->call->api->core);
	const struct fl_job_filter one = { .after = id - 1, .limit = 1, .damaged = true };
	int code = fl_store_job(store, id, make, v, err);

	return code == FAIRLEAD_EINPUT ? fl_store_jobs(store, &one, find_damaged, v, err) : code;
}

/* --- GET /v1/jobs/17 --- */

struct attempts {
	const struct fl_call *call;
	uid_t owner;
	json_t *list;
};

static int add_attempt(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct attempts *a = user;
	const struct fl_api *api = a->call->api;
	char known[FL_LIVE_REASON];
	json_t *one =
		json_pack("{s:I, s:o, s:o, s:s?, s:o, s:o}", "attempt", (json_int_t)row->attempt,
			  "from", fl_api_moment(api, row->from), "to", fl_api_moment(api, row->to),
			  "ended", fl_api_reason(a->call, a->owner, row->ended, known), "preemptor",
			  row->preemptor ? json_integer((json_int_t)row->preemptor) : json_null(),
			  "placement", placement_of(row->placement));

	return json_array_append_new(a->list, one) == 0 ? 0 : fl_fail_nomem(err);
}

/* Bytes that its last attempt wrote beyond the limit, which were not kept. */
static uint64_t output_lost(const struct fl_call *call, uint32_t attempt)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(call->api->core, &ops);
	struct fl_run_log log = { .fd = -1 };

	if (attempt)
		(void)ops->log(host, call->job, attempt, /* task= */ 0, FL_STREAM_OUT, &log, NULL);
	if (log.fd >= 0)
		close(log.fd);
	return log.lost;
}

/* True: no process of the job can outlive it, even when its runner is killed. */
static bool is_contained(const struct fl_call *call)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(call->api->core, &ops);
	struct fl_capacity capacity;
	fairlead_error err;

	return ops->capacity(host, &capacity, &err) == 0 && capacity.contains;
}

void fl_api_job(struct fl_call *call)
{
	struct view v = { .call = call,
			  .live = fl_core_job(call->api->core, call->job),
			  .whole = true };
	struct attempts attempts = { .call = call, .list = json_array() };
	fairlead_error err = { 0 };
	int code = make_any(&v, call->job, &err);

	attempts.owner = v.owner;
	if (code == 0)
		code = fl_store_admissions(fl_core_store(call->api->core), call->job, add_attempt,
					   &attempts, &err);
	if (code < 0) {
		json_decref(attempts.list);
		json_decref(v.job);
		fl_api_error(call, &err);
		return;
	}
	put(v.job, "attempts", attempts.list);
	if (v.live && !fl_job_is_over(v.live->state))
		put(v.job, "contained", json_boolean(is_contained(call)));
	put_number(v.job, "outputLost",
		   output_lost(call,
			       (uint32_t)json_integer_value(json_object_get(v.job, "attempt"))));
	put(v.job, "now", fl_api_moment(call->api, fl_clock_now(fl_core_clock(call->api->core))));
	fl_api_json(call, 200, v.job);
}

/* --- GET /v1/jobs --- */

struct list {
	struct fl_call *call;
	const char *queue, *user;
	uint64_t array, after, limit;
	bool last; /* when there are more than the limit: those with the highest numbers */
	uint32_t states;
	json_t *jobs; /* from the store: jobs that have ended and are not in the core any more */
	uint64_t *live, *over; /* numbers, rising; one more than the limit at most */
	size_t n_live, n_over;
	uint64_t bytes_live, bytes_over;
	bool cut; /* the page ends before the limit, as PAGE_BYTES were read */
};

/* "runs,waits" */
static bool states_of(const struct fl_call *call, uint32_t *ret)
{
	const char *text = fl_request_argument(call->r, "state");
	char message[128];

	*ret = text ? 0 : STATES_LIVE;
	while (text && *text) {
		size_t len = strcspn(text, ",");
		unsigned s = 0;

		while (s < FL_JOB_STATES &&
		       (strlen(fl_job_state_name((enum fl_job_state)s)) != len ||
			strncmp(fl_job_state_name((enum fl_job_state)s), text, len) != 0))
			s++;
		if (s == FL_JOB_STATES && len > 0) {
			(void)snprintf(message, sizeof message, "there is no state '%.*s'",
				       len > 40 ? 40 : (int)len, text);
			fl_api_fail(
				call, 400, message,
				"the states are held, depends, waits, starts, runs, stops, done, "
				"failed, cancelled");
			return false;
		}
		*ret |= len ? 1U << s : 0;
		text += len + (text[len] == ',');
	}
	if (!*ret)
		*ret = STATES_ALL;
	return true;
}

static bool is_wanted(const struct list *l, const struct fl_live *job)
{
	const struct fl_core *core = l->call->api->core;

	return l->states & 1U << job->state && (!l->array || job->array == l->array) &&
	       (!l->queue || strcmp(fl_core_word(core, job->queue), l->queue) == 0) &&
	       (!l->user || strcmp(fl_core_word(core, job->user), l->user) == 0);
}

static void find_live(struct list *l)
{
	struct fl_live_view view;
	uint32_t at = 0, end;

	fl_core_view(l->call->api->core, &view);
	for (end = view.n_jobs; at < end;) {
		uint32_t mid = at + (end - at) / 2;

		if (view.jobs[mid].id <= l->after)
			at = mid + 1;
		else
			end = mid;
	}
	for (uint32_t i = 0, n = view.n_jobs - at; i < n && l->n_live <= l->limit; i++) {
		const struct fl_live *job = &view.jobs[l->last ? view.n_jobs - 1 - i : at + i];

		if (is_wanted(l, job))
			l->live[l->n_live++] = job->id;
	}
}

static int find_over(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct list *l = user;
	struct view v = { .call = l->call };

	if (fl_core_job(l->call->api->core, row->id))
		return 0; /* it had that state a moment ago */
	l->cut = l->bytes_over > PAGE_BYTES;
	if (l->n_over > l->limit || l->cut)
		return FAIRLEAD_ESTATE; /* the page is full */
	l->bytes_over += row->spec ? strlen(row->spec) : 0;
	if ((row->damaged ? make_damaged(&v, row->id, row->damaged, err) : make(&v, row, err)) <
		    0 ||
	    json_array_append_new(l->jobs, v.job) != 0)
		return fl_fail_nomem(err);
	l->over[l->n_over++] = row->id;
	return 0;
}

/*
 * Is the next job one that has ended?  The numbers rise, or fall when the last ones are asked for.
 */
static bool is_over_next(const struct list *l, size_t live, size_t over)
{
	if (live == l->n_live || over == l->n_over)
		return live == l->n_live;
	return l->last ? l->over[over] > l->live[live] : l->over[over] < l->live[live];
}

static int merge(struct list *l, json_t *ret, fairlead_error *err)
{
	size_t i = 0, k = 0;

	while (json_array_size(ret) < l->limit && (i < l->n_live || k < l->n_over)) {
		if (l->cut && k == l->n_over)
			break; /* a job that was not read may be next */
		if (is_over_next(l, i, k)) {
			json_array_append(ret, json_array_get(l->jobs, k++));
			continue;
		}
		if (l->bytes_live > PAGE_BYTES) {
			l->cut = true;
			break;
		}

		struct view v = { .call = l->call,
				  .live = fl_core_job(l->call->api->core, l->live[i]) };
		int code;

		l->bytes_live += v.live ? v.live->bytes : 0;
		code = make_any(&v, l->live[i++], err);

		if (code < 0 && code != FAIRLEAD_ENOENT)
			return code;
		if (code == 0)
			json_array_append_new(ret, v.job);
	}
	return 0;
}

static void turn_round(json_t *list)
{
	for (size_t i = 0, k = json_array_size(list); i + 1 < k; i++) {
		json_t *first = json_incref(json_array_get(list, i));

		json_array_set(list, i, json_array_get(list, --k));
		json_array_set_new(list, k, first);
	}
}

static int list(struct list *l, json_t *ret, fairlead_error *err)
{
	const struct fl_job_filter filter = {
		.queue = l->queue,
		.user = l->user,
		.states = l->states & ~STATES_LIVE,
		.after = l->after,
		.array = l->array,
		.newest_first = l->last,
		.damaged = true,
	};
	int code = 0;

	l->live = calloc(l->limit + 1, sizeof *l->live);
	l->over = calloc(l->limit + 1, sizeof *l->over);
	l->jobs = json_array();
	if (!l->live || !l->over || !l->jobs)
		return fl_fail_nomem(err);
	find_live(l);
	if (filter.states)
		code = fl_store_jobs(fl_core_store(l->call->api->core), &filter, find_over, l, err);
	if (code == FAIRLEAD_ESTATE && (l->n_over > l->limit || l->cut))
		code = 0;
	if (code == 0)
		code = merge(l, ret, err);
	if (l->last)
		turn_round(ret);
	return code;
}

/* Jobs of a deleted queue may still exist, but a queue that never existed is a typing error. */
static bool is_lost(const struct list *l, fairlead_error *err)
{
	struct fl_live_view view;
	struct fl_sym namespace, queue;

	fl_core_view(l->call->api->core, &view);
	return l->queue && l->n_live + l->n_over == 0 &&
	       fl_config_queue(view.model, l->queue, &namespace, &queue, err) == FAIRLEAD_ENOENT;
}

void fl_api_jobs(struct fl_call *call)
{
	struct list l = { .call = call,
			  .queue = fl_request_argument(call->r, "queue"),
			  .user = fl_request_argument(call->r, "user"),
			  .last = fl_api_flag(call, "last") };
	fairlead_error err = { 0 };
	json_t *jobs;

	if (!states_of(call, &l.states) ||
	    !fl_api_number(call, "limit", PAGE, FL_API_PAGE, &l.limit) ||
	    !fl_api_number(call, "array", 0, INT64_MAX, &l.array) ||
	    !fl_api_number(call, "after", 0, INT64_MAX, &l.after))
		return;
	jobs = json_array();
	if (list(&l, jobs, &err) < 0 || is_lost(&l, &err)) {
		json_decref(jobs);
		fl_api_error(call, &err);
	} else {
		json_t *now = fl_api_moment(call->api,
					    fl_clock_now(fl_core_clock(call->api->core)));
		bool more = l.cut || l.n_live + l.n_over > l.limit;

		fl_api_json(call, 200,
			    json_pack("{s:o, s:b, s:o, s:s*}", "jobs", jobs, "more", (int)more,
				      "now", now, "warning", fl_core_warning(call->api->core)));
	}
	free(l.live);
	free(l.over);
	json_decref(l.jobs);
}
