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
#include "daemon/config/config_queue.h"
#include "daemon/engine/placement.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/view.h"

enum {
	PAGE = 1000, /* unless asked for more or less */
	DEVICES = 256,
	/* Of specs that are read for one answer, of each kind: others wait meanwhile. */
	PAGE_BYTES = 16 << 20,
};

#define STATES_LIVE ((1U << FL_JOB_DONE) - 1)
#define STATES_ALL ((1U << FL_JOB_STATES) - 1)

/* --- one job --- */

struct view {
	struct fl_call *call;
	struct fl_api_text *text;   /* that it is written to */
	const struct fl_live *live; /* NULL: only the row */
	bool whole;                 /* its page, up to the attempts */
	struct fl_job_answer job;
};

/* The program of the command, without the folders that only its owner is to know. */
static const char *default_name(const json_t *command, char name[FL_JOB_NAME])
{
	const char *text = json_string_value(json_array_get(command, 0));
	const char *slash = text ? strrchr(text, '/') : NULL;
	size_t n = 0;

	text = slash ? slash + 1 : text;
	while (text && *text && n < FL_JOB_NAME - 4) {
		size_t odd = fl_plain_odd(text);

		name[n++] = odd ? '?' : *text;
		text += odd ? odd : 1;
		while (!odd &&
		       ((unsigned char)*text & 0xC0) == 0x80) /* the rest of one character */
			name[n++] = *text++;
	}
	name[n] = '\0';
	return name;
}

static const char *name_of(const struct fl_job_row *row, const json_t *spec, char name[FL_JOB_NAME])
{
	const char *own = json_string_value(json_object_get(spec, "name"));

	return !*row->name ? default_name(json_object_get(spec, "command"), name) :
	       own         ? own :
			     row->name;
}

static uint32_t devices_of(const struct fl_call *call, const struct fl_live *live,
			   uint32_t ret[DEVICES])
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(call->api->core, &ops);
	uint32_t n = 0;

	if (live->state == FL_JOB_RUNS || live->state == FL_JOB_STOPS)
		n = ops->devices(host, live->id, live->attempt, ret, DEVICES);
	return n < DEVICES ? n : DEVICES;
}

static uint32_t holds_of(const char *kept, struct fl_run_grant ret[FL_GRANTS])
{
	uint32_t n = 0;

	return kept && fl_placement_read(kept, ret, FL_GRANTS, &n, NULL) == 0 ? n : 0;
}

static bool holds(enum fl_job_state state)
{
	return state == FL_JOB_STARTS || state == FL_JOB_RUNS || state == FL_JOB_STOPS;
}

/* @damaged: all that is known of a job of which nothing in the store is to be believed. */
static void tell(struct view *v, const struct fl_job_row *row, bool damaged)
{
	const struct fl_api *a = v->call->api;
	const struct fl_job_exit ended = {
		.kind = row->outcome < 0 ? NULL :
					   fl_outcome_name((enum fl_outcome_kind)row->outcome),
		.status = row->status,
	};
	struct fl_run_grant grants[FL_GRANTS];
	uint32_t devices[DEVICES];
	json_t *spec = row->spec ? json_loads(row->spec, 0, NULL) : NULL;
	struct fl_job_answer *job = &v->job;
	char known[FL_LIVE_REASON], name[FL_JOB_NAME];
	fl_time ran = row->ran == FL_TIME_NONE ? 0 : row->ran;

	if (row->state == FL_JOB_RUNS || row->state == FL_JOB_STOPS)
		if (row->started != FL_TIME_NONE)
			ran += fl_clock_now(fl_core_clock(a->core)) - row->started;
	*job = (struct fl_job_answer){
		.row = *row,
		.state = damaged ? "damaged" : fl_job_state_name(row->state),
		.spec = spec,
		.ran = (double)ran / FL_SECOND,
		.exit = ended.kind ? &ended : NULL,
		.holds = grants,
		.n_holds = holds_of(holds(row->state) ? row->placement : NULL, grants),
		.devices = devices,
		.own = v->whole && fl_api_may_touch(v->call, row->uid),
		/* One that is over has none, whether it is still in memory or not. */
		.live = v->live && !fl_job_is_over(v->live->state),
	};
	job->row.name = name_of(row, spec, name);
	if (!damaged)
		job->row.reason = fl_api_reason(v->call, row->uid, row->reason, known);
	if (job->row.reason && !*job->row.reason)
		job->row.reason = NULL;
	job->row.submitted = fl_api_wall(a, row->submitted);
	job->row.started = fl_api_wall(a, row->started);
	job->row.ended = fl_api_wall(a, row->ended);
	job->may_have_devices = job->live && !damaged;
	if (job->may_have_devices)
		job->n_devices = devices_of(v->call, v->live, devices);
	fl_json_init(&v->text->json, v->text->report.out);
	if (v->whole) {
		fl_json_object(&v->text->json, NULL);
		fl_shape_begin(&v->text->at, &fl_job_page_shape, job);
	} else {
		fl_shape_json(&v->text->at, NULL, &fl_job_shape, job);
	}
	json_decref(spec);
}

static int make(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct view *v = user;
	struct fl_job_row now = *row;
	char buffer[600];

	(void)err;
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
		now.reason = fl_core_reason(v->call->api->core, l, buffer, sizeof buffer);
	}
	tell(v, &now, /* damaged= */ false);
	return 0;
}

/* Of which nothing in the store is to be believed: its number, and what is known without. */
static void make_damaged(struct view *v, uint64_t id, const char *why)
{
	const struct fl_core *core = v->call->api->core;
	const struct fl_live *l = v->live;
	char reason[FL_LIVE_REASON];
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
		.reason = reason,
	};

	(void)snprintf(reason, sizeof reason, "%s in the database does not match its checksum",
		       why);
	tell(v, &row, /* damaged= */ true);
}

static int find_damaged(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	make_damaged(user, row->id, row->damaged ? row->damaged : "its row");
	return 0;
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

static int add_attempt(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct view *v = user;
	const struct fl_api *api = v->call->api;
	struct fl_run_grant grants[FL_GRANTS];
	struct fl_attempt_answer one = { *row, grants, holds_of(row->placement, grants) };
	char known[FL_LIVE_REASON];

	(void)err;
	one.row.from = fl_api_wall(api, row->from);
	one.row.to = fl_api_wall(api, row->to);
	one.row.ended = fl_api_reason(v->call, v->job.row.uid, row->ended, known);
	fl_shape_json(&v->text->at, NULL, &fl_attempt_shape, &one);
	return 0;
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
	struct fl_core *core = call->api->core;
	struct fl_api_text text;
	struct view v = {
		.call = call, .text = &text, .live = fl_core_job(core, call->job), .whole = true
	};
	fairlead_error err = { 0 };
	int code = fl_api_text_begin(&text, &err);

	if (code == 0)
		code = make_any(&v, call->job, &err);
	if (code == 0)
		code = text.json.depth ? fl_store_admissions(fl_core_store(core), call->job,
							     add_attempt, &v, &err) :
					 fl_fail_nomem(&err);
	if (code < 0) {
		fl_api_text_done(&text);
		fl_api_error(call, &err);
		return;
	}
	v.job.contained = v.job.live && is_contained(call);
	v.job.output_lost = output_lost(call, v.job.row.attempt);
	v.job.now = fl_api_now(call->api);
	fl_shape_rest(&text.at, &fl_job_page_shape, &v.job);
	fl_json_end_object(&text.json);
	fl_api_text_end(call, 200, &text);
}

/* --- GET /v1/jobs --- */

struct list {
	struct fl_call *call;
	const char *queue, *user;
	uint64_t array, after, limit;
	bool last; /* when there are more than the limit: those with the highest numbers */
	uint32_t states;
	/* Numbers, rising; one more than the limit at most. Over: only in the store, not the core. */
	uint64_t *live, *over;
	size_t n_live, n_over;
	struct fl_api_text text;             /* jobs as JSON, as they were found */
	struct fl_json_piece *pieces, *told; /* of it: those that are over, and all that are told */
	uint32_t n_told;
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

/* One more job at the end of what is written. */
static int write_job(struct list *l, struct view *v, struct fl_json_piece *ret, uint64_t id,
		     const struct fl_job_row *over, fairlead_error *err)
{
	int code = 0;

	v->call = l->call;
	v->text = &l->text;
	ret->at = (size_t)ftello(l->text.report.out);
	if (!over)
		code = make_any(v, id, err);
	else if (over->damaged)
		make_damaged(v, id, over->damaged);
	else
		code = make(v, over, err);
	ret->len = (size_t)ftello(l->text.report.out) - ret->at;
	return code;
}

static int find_over(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct list *l = user;
	struct view v = { 0 };

	if (fl_core_job(l->call->api->core, row->id))
		return 0; /* its state was that a moment ago */
	l->cut = l->bytes_over > PAGE_BYTES;
	if (l->n_over > l->limit || l->cut)
		return FAIRLEAD_ESTATE; /* the page is full */
	l->bytes_over += row->spec ? strlen(row->spec) : 0;
	l->over[l->n_over] = row->id;
	return write_job(l, &v, &l->pieces[l->n_over++], row->id, row, err);
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

static int merge(struct list *l, fairlead_error *err)
{
	size_t i = 0, k = 0;

	while (l->n_told < l->limit && (i < l->n_live || k < l->n_over)) {
		if (l->cut && k == l->n_over)
			break; /* a job that was not read may be next */
		if (is_over_next(l, i, k)) {
			l->told[l->n_told++] = l->pieces[k++];
			continue;
		}
		if (l->bytes_live > PAGE_BYTES) {
			l->cut = true;
			break;
		}

		struct view v = { .live = fl_core_job(l->call->api->core, l->live[i]) };
		int code;

		l->bytes_live += v.live ? v.live->bytes : 0;
		code = write_job(l, &v, &l->told[l->n_told], l->live[i++], /* over= */ NULL, err);
		if (code < 0 && code != FAIRLEAD_ENOENT)
			return code;
		l->n_told += code == 0;
	}
	return 0;
}

static void turn_round(struct list *l)
{
	for (uint32_t i = 0, k = l->n_told; i + 1 < k; i++) {
		struct fl_json_piece first = l->told[i];

		l->told[i] = l->told[--k];
		l->told[k] = first;
	}
}

static int list(struct list *l, fairlead_error *err)
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
	int code = fl_api_text_begin(&l->text, err);

	if (code < 0)
		return code;
	l->live = calloc(l->limit + 1, sizeof *l->live);
	l->over = calloc(l->limit + 1, sizeof *l->over);
	l->pieces = calloc(l->limit + 1, sizeof *l->pieces);
	l->told = calloc(l->limit + 1, sizeof *l->told);
	if (!l->live || !l->over || !l->pieces || !l->told)
		return fl_fail_nomem(err);
	find_live(l);
	if (filter.states)
		code = fl_store_jobs(fl_core_store(l->call->api->core), &filter, find_over, l, err);
	if (code == FAIRLEAD_ESTATE && (l->n_over > l->limit || l->cut))
		code = 0;
	if (code == 0)
		code = merge(l, err);
	if (code == 0)
		code = fl_api_text_close(&l->text, err);
	if (l->last)
		turn_round(l);
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

	if (!states_of(call, &l.states) ||
	    !fl_api_number(call, "limit", PAGE, FL_API_PAGE, &l.limit) ||
	    !fl_api_number(call, "array", 0, INT64_MAX, &l.array) ||
	    !fl_api_number(call, "after", 0, INT64_MAX, &l.after))
		return;
	if (list(&l, &err) < 0 || is_lost(&l, &err)) {
		fl_api_error(call, &err);
	} else {
		const struct fl_jobs_answer answer = {
			.pieces = l.told,
			.text = l.text.text,
			.n = l.n_told,
			.more = l.cut || l.n_live + l.n_over > l.limit,
			.now = fl_api_now(call->api),
			.warning = fl_core_warning(call->api->core),
		};

		fl_api_answer(call, 200, &fl_jobs_shape, &answer);
	}
	fl_api_text_done(&l.text);
	free(l.live);
	free(l.over);
	free(l.pieces);
	free(l.told);
}
