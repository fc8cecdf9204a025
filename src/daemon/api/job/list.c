/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list - jobs as JSON: some of them, or one whole
 *
 * The store has a row of each job, written a moment after each change; for jobs that have not ended
 * the core is newer, and its state counts.
 */
#include "daemon/api/job/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/plain.h"
#include "codec/job/job_field.h"
#include "codec/job/job_word.h"
#include "daemon/api/filter.h"
#include "daemon/api/job/come.h"
#include "daemon/api/job/others.h"
#include "daemon/api/job/text.h"
#include "daemon/api/job/used.h"
#include "daemon/api/version.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/placement.h"
#include "daemon/engine/rows.h"
#include "daemon/engine/why.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/view.h"

enum {
	PAGE = 1000, /* unless asked for more or less */
	DEVICES = 256,
	/* Of specs that are read for one answer, of each kind: others wait meanwhile. */
	PAGE_BYTES = 16 << 20,
	/* Of jobs that are looked at for a text in one answer: those in memory, and those that are over. */
	LOOKED_LIVE = 2000,
	LOOKED_OVER = 5000,
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
	struct fl_used used;
	struct fl_live_why *why; /* of all that are told */
	char why_text[FL_LIVE_REASON];
};

/* As much of a sentence about it as the caller may see. */
struct sentence {
	char part[FL_LIVE_REASON], text[FL_PEOPLE_TEXT];
};

static const char *say(const struct view *v, const struct fl_job_row *row, const char *sentence,
		       struct sentence *to)
{
	sentence = fl_api_reason(v->call, row->uid, row->queue, sentence, to->part);
	return fl_sees_text(v->call->sees, sentence, to->text);
}

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

const char *fl_api_name(const struct fl_job_row *row, char name[FL_JOB_NAME])
{
	json_t *spec = row->spec ? json_loads(row->spec, 0, NULL) : NULL;
	const char *is = name_of(row, spec, name);

	if (is != name)
		(void)snprintf(name, FL_JOB_NAME, "%s", is);
	json_decref(spec);
	return name;
}

static uint32_t devices_of(const struct fl_call *call, const struct fl_live *live,
			   uint32_t ret[DEVICES])
{
	const struct fl_backend_ops *ops;
	struct fl_host *host;
	uint32_t n = 0;

	if (!call->api->core)
		return 0;
	host = fl_core_host(call->api->core, &ops);

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
	struct sentence reason, why;
	char name[FL_JOB_NAME];
	fl_time ran = row->ran == FL_TIME_NONE ? 0 : row->ran;

	if (row->state == FL_JOB_RUNS || row->state == FL_JOB_STOPS)
		if (row->started != FL_TIME_NONE)
			ran += fl_clock_now(&a->daemon->clock) - row->started;
	*job = (struct fl_job_answer){
		.row = *row,
		.state = damaged ? "damaged" : fl_job_state_name(row->state),
		.spec = spec,
		.ran = (double)ran / FL_SECOND,
		.exit = ended.kind ? &ended : NULL,
		.holds = grants,
		.n_holds = holds_of(holds(row->state) ? row->placement : NULL, grants),
		.devices = devices,
		.own = v->whole && fl_api_may_touch(v->call, row->uid, row->queue),
		/* One that is over has none, whether it is still in memory or not. */
		.live = v->live && !fl_job_is_over(v->live->state),
	};
	job->row.name = name_of(row, spec, name);
	if (!damaged)
		job->row.reason = say(v, row, row->reason, &reason);
	if (job->row.reason && !*job->row.reason)
		job->row.reason = NULL;
	job->why = job->live && !damaged ? say(v, row, v->why_text, &why) : job->row.reason;
	if (job->why && !*job->why)
		job->why = NULL;
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

/* "waits to be released: TEXT": what was said when it was held. */
static void add_why(const struct fl_job_row *row, char *buffer, size_t size)
{
	json_t *spec = row->spec ? json_loads(row->spec, 0, NULL) : NULL;
	const char *why =
		json_string_value(json_object_get(spec, fl_job_fields[FL_JOB_F_HOLD_REASON]));
	size_t n = strlen(buffer);

	if (why && *why)
		(void)snprintf(buffer + n, size - n, ": %s", why);
	json_decref(spec);
}

static int make(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct view *v = user;
	const struct fl_job_row *newer = v->call->api->daemon->ops->newer(v->call->api->daemon,
									  row->id);
	struct fl_job_row now = *row;
	char buffer[600];
	int code = v->live ? fl_why_of(v->why, v->live, v->why_text, err) : 0;

	if (code < 0)
		return code;
	if (newer) {
		now.spec = newer->spec;
		now.name = newer->name;
		now.queue = newer->queue;
	}
	if (v->live) {
		const struct fl_live *l = v->live;

		now.state = l->state;
		now.priority = l->priority;
		now.held = l->held;
		now.started = l->started;
		now.ended = l->ended;
		now.ran = l->ran;
		now.attempt = l->attempt;
		now.evictions = l->evictions;
		now.losses = l->losses;
		now.outcome = l->outcome;
		now.status = l->status;
		now.reason = fl_daemon_reason(v->call->api->daemon, l, buffer, sizeof buffer);
		if (l->why_held && l->held && l->state != FL_JOB_STOPS)
			add_why(&now, buffer, sizeof buffer);
		if (l->why_held && l->state == FL_JOB_HELD)
			add_why(&now, v->why_text, sizeof v->why_text);
	}
	tell(v, &now, /* damaged= */ false);
	return 0;
}

/* Of which nothing in the store is to be believed: its number, and what is known without. */
static void make_damaged(struct view *v, uint64_t id, const char *why)
{
	const struct fl_daemon *daemon = v->call->api->daemon;
	const struct fl_live *l = v->live;
	char reason[FL_LIVE_REASON];
	const struct fl_job_row row = {
		.id = id,
		.state = l ? l->state : FL_JOB_FAILED,
		.uid = l ? l->uid : 0,
		.user = l ? fl_daemon_word(daemon, l->user) : "",
		.name = "",
		.queue = l ? fl_daemon_word(daemon, l->queue) : "",
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

/* A Workload of which the store has no row: what the cluster says of it. */
static int make_workload(struct view *v, fairlead_error *err)
{
	const struct fl_daemon *daemon = v->call->api->daemon;
	const struct fl_living living = daemon->ops->living(daemon);
	struct fl_row_texts texts;
	struct fl_job_row row;
	const char *namespace;

	fl_row_of_job(&living, v->live, &texts, &row);
	if (!daemon->ops->named(daemon, v->live, &namespace, &row.name))
		row.name = "";
	return make(v, &row, err);
}

/* The job as it is, or only that it is damaged. */
static int make_any(struct view *v, uint64_t id, fairlead_error *err)
{
	const struct fl_daemon *daemon = v->call->api->daemon;
	const struct fl_job_filter one = { .after = id - 1, .limit = 1, .damaged = true };
	int code = fl_store_job(daemon->store, id, make, v, err);

	if (code == FAIRLEAD_ENOENT && v->live && daemon->ops->named)
		return make_workload(v, err);
	return code == FAIRLEAD_EINPUT ? fl_store_jobs(daemon->store, &one, find_damaged, v, err) :
					 code;
}

/* --- GET /v1/jobs/17 --- */

static int add_attempt(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct view *v = user;
	const struct fl_api *api = v->call->api;
	struct fl_run_grant grants[FL_GRANTS];
	struct fl_attempt_answer one = {
		.row = *row,
		.holds = grants,
		.n_holds = holds_of(row->placement, grants),
	};
	char known[FL_LIVE_REASON];

	(void)err;
	fl_used_add(&v->used, &one);
	one.row.from = fl_api_wall(api, row->from);
	one.row.to = fl_api_wall(api, row->to);
	if (v->call->sees)
		one.row.preemptor = 0;
	/* The row of the job, with its queue, is not there any more. */
	if (row->ended && !v->job.own)
		one.row.ended = fl_live_public(row->ended, known);
	fl_shape_json(&v->text->at, NULL, &fl_attempt_shape, &one);
	return 0;
}

/* Bytes that its last attempt wrote beyond the limit, which were not kept. */
static uint64_t output_lost(const struct fl_call *call, uint32_t attempt)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host;
	struct fl_run_log log = { .fd = -1 };

	if (!call->api->core)
		return 0;
	host = fl_core_host(call->api->core, &ops);
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
	struct fl_host *host;
	struct fl_capacity capacity;
	fairlead_error err;

	if (!call->api->core)
		return true;
	host = fl_core_host(call->api->core, &ops);
	return ops->capacity(host, &capacity, &err) == 0 && capacity.contains;
}

void fl_api_job(struct fl_call *call)
{
	struct fl_daemon *daemon = call->api->daemon;
	struct fl_live_view now;
	struct fl_live_why why;
	struct fl_api_text text;
	struct view v = { .call = call,
			  .text = &text,
			  .live = fl_daemon_job(daemon, call->job),
			  .whole = true,
			  .why = &why };
	fairlead_error err = { 0 };
	int code;

	if (v.live && fl_api_is_known(call))
		return;
	code = fl_api_text_begin(&text, &err);
	fl_daemon_view(daemon, &now);
	fl_why_begin(&why, &now, &call->api->order, fl_daemon_version(daemon));
	if (code == 0)
		code = make_any(&v, call->job, &err);
	fl_why_end(&why);
	fl_used_begin(&v.used, v.live, fl_clock_now(&daemon->clock));
	if (code == 0)
		code = text.json.depth ? fl_store_admissions(daemon->store, call->job, add_attempt,
							     &v, &err) :
					 fl_fail_nomem(&err);
	if (code < 0) {
		fl_api_text_done(&text);
		fl_api_error(call, &err);
		return;
	}
	v.job.used = v.used.job;
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
	uint64_t array, after, before, limit; /* before: 0: any */
	bool last; /* when there are more than the limit: those with the highest numbers */
	uint32_t states;
	/* Numbers, rising; one more than the limit at most. Over: only in the store, not the core. */
	uint64_t *live, *over;
	size_t n_live, n_over;
	struct fl_api_text text;             /* jobs as JSON, as they were found */
	struct fl_json_piece *pieces, *told; /* of it: those that are over, and all that are told */
	uint32_t n_told;
	uint64_t bytes_live, bytes_over;
	uint64_t last_told; /* its number */
	bool cut;           /* the page ends before the limit, as PAGE_BYTES were read */
	struct fl_job_text has;
	fl_time at; /* only those that there were then; FL_TIME_NONE: any */
	uint32_t looked_over;
	uint64_t edge; /* jobs behind this number were not looked at for the text; 0: all were */
	struct fl_live_view now;
	struct fl_live_why why;
	struct fl_others others;
};

/* Where the next page begins, as a text that only this daemon reads. */
static const char *place_of(const struct list *l, char ret[32])
{
	const uint64_t from = l->last ? l->before : l->after;

	(void)snprintf(ret, 32, "%c%" PRIu64, l->last ? 'l' : 'j',
		       l->last_told ? l->last_told : from);
	return ret;
}

/* False: an error was answered. */
static bool take_up(const struct fl_call *call, struct list *l)
{
	const char *place = fl_request_argument(call->r, "continue");
	uint64_t *from = l->last ? &l->before : &l->after;
	int end = 0;

	if (!place)
		return true;
	if (*from) {
		fl_api_fail(call, 400,
			    l->last ? "'continue' does not go with 'before'" :
				      "'continue' does not go with 'after'",
			    NULL);
		return false;
	}
	if (place[0] == (l->last ? 'l' : 'j') && place[1] >= '0' &&
	    sscanf(place + 1, "%19" SCNu64 "%n", from, &end) == 1 && !place[1 + end] &&
	    *from <= INT64_MAX)
		return true;
	fl_api_fail(call, 400, "'continue' is not from an answer of this path",
		    "begin again without it");
	return false;
}

/* "runs,waits"; "" is all states. */
static bool states_of(const struct fl_call *call, uint32_t *ret)
{
	const char *text = fl_request_argument(call->r, "state");
	fairlead_error err = { 0 };

	*ret = !text ? STATES_LIVE : STATES_ALL;
	if (!text || !*text || fl_job_states_read(text, ret, &err) == 0)
		return true;
	fl_api_error(call, &err);
	return false;
}

/* @queue and @user: those of the list, FL_NONE where no job of the core has such a one. */
static bool was_there(const struct list *l, fl_time submitted, fl_time ended)
{
	return l->at == FL_TIME_NONE ||
	       (submitted <= l->at && (ended == FL_TIME_NONE || ended > l->at));
}

static bool is_wanted(const struct list *l, struct fl_sym queue, struct fl_sym user,
		      const struct fl_live *job)
{
	return was_there(l, job->submitted, job->ended) && l->states & 1U << job->state &&
	       (!l->array || job->array == l->array) && (!l->queue || job->queue.v == queue.v) &&
	       (!l->user || job->user.v == user.v);
}

/* The place of the first job with this number or a higher one. */
static uint32_t first_from(const struct fl_live_view *view, uint64_t id)
{
	uint32_t at = 0;

	for (uint32_t end = view->n_jobs; at < end;) {
		uint32_t mid = at + (end - at) / 2;

		if (view->jobs[mid].id < id)
			at = mid + 1;
		else
			end = mid;
	}
	return at;
}

/* The nearest one counts. */
static void end_at(struct list *l, uint64_t id)
{
	if (!l->edge || (l->last ? id > l->edge : id < l->edge))
		l->edge = id;
}

static bool is_behind_edge(const struct list *l, uint64_t id)
{
	return l->edge && (l->last ? id < l->edge : id > l->edge);
}

static int find_live(struct list *l, fairlead_error *err)
{
	const struct fl_live_view *view = &l->now;
	struct fl_sym queue = fl_daemon_find_word(l->call->api->daemon, l->queue);
	struct fl_sym user = fl_daemon_find_word(l->call->api->daemon, l->user);
	uint32_t from = first_from(view, l->after + 1);
	uint32_t to = l->before ? first_from(view, l->before) : view->n_jobs, looked = 0;
	bool has = true;
	int code = 0;

	for (uint32_t i = 0; from + i < to && l->n_live <= l->limit && code == 0; i++) {
		const struct fl_live *job = &view->jobs[l->last ? to - 1 - i : from + i];

		if (!is_wanted(l, queue, user, job) || !fl_others_may(&l->others, job))
			continue;
		code = fl_job_text_in(&l->has, job, &has, err);
		if (has)
			l->live[l->n_live++] = job->id;
		if (l->has.wanted && ++looked == LOOKED_LIVE) {
			end_at(l, job->id);
			break;
		}
	}
	return code;
}

/* One more job at the end of what is written. */
static int write_job(struct list *l, struct view *v, struct fl_json_piece *ret, uint64_t id,
		     const struct fl_job_row *over, fairlead_error *err)
{
	int code = 0;

	v->call = l->call;
	v->text = &l->text;
	v->why = &l->why;
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

	if (fl_daemon_job(l->call->api->daemon, row->id))
		return 0; /* its state was that a moment ago */
	if (!fl_sees_inside(l->call->sees, row->queue) || !was_there(l, row->submitted, row->ended))
		return 0;
	l->cut = l->bytes_over > PAGE_BYTES;
	if (l->n_over > l->limit || l->cut)
		return FAIRLEAD_ESTATE; /* the page is full */
	if (l->has.wanted) {
		if (fl_job_text_over(&l->has, row))
			l->over[l->n_over++] = row->id;
		if (++l->looked_over < LOOKED_OVER)
			return 0;
		end_at(l, row->id);
		return FAIRLEAD_ESTATE;
	}
	l->bytes_over += row->spec ? strlen(row->spec) : 0;
	l->over[l->n_over] = row->id;
	return write_job(l, &v, &l->pieces[l->n_over++], row->id, row, err);
}

/* Those with the text, of which the number alone is known; one may have expired meanwhile. */
static int write_found(struct list *l, fairlead_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_over; i++) {
		struct view v = { 0 };
		int code = write_job(l, &v, &l->pieces[n], l->over[i], /* over= */ NULL, err);

		if (code < 0 && code != FAIRLEAD_ENOENT)
			return code;
		if (code == 0)
			l->over[n++] = l->over[i];
	}
	l->n_over = n;
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

static int merge(struct list *l, fairlead_error *err)
{
	size_t i = 0, k = 0;

	while (l->n_told < l->limit && (i < l->n_live || k < l->n_over)) {
		if (l->cut && k == l->n_over)
			break; /* a job that was not read may be next */
		const bool over = is_over_next(l, i, k);

		if (is_behind_edge(l, over ? l->over[k] : l->live[i]))
			break;
		if (over) {
			l->last_told = l->over[k];
			l->told[l->n_told++] = l->pieces[k++];
			continue;
		}
		if (l->bytes_live > PAGE_BYTES) {
			l->cut = true;
			break;
		}

		struct view v = { .live = fl_daemon_job(l->call->api->daemon, l->live[i]) };
		int code;

		l->bytes_live += v.live ? v.live->bytes : 0;
		code = write_job(l, &v, &l->told[l->n_told], l->live[i++], /* over= */ NULL, err);
		if (code < 0 && code != FAIRLEAD_ENOENT)
			return code;
		if (code == 0) {
			l->last_told = l->live[i - 1];
			l->n_told++;
		}
	}
	if (l->edge && l->n_told < l->limit && !l->cut)
		l->last_told = l->edge;
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
		.before = l->before,
		.array = l->array,
		.newest_first = l->last,
		.damaged = true,
		.without_spec = l->has.wanted,
		.ended_after = l->at == FL_TIME_NONE ? 0 : l->at,
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
	code = find_live(l, err);
	if (code == 0 && filter.states)
		code = fl_store_jobs(l->call->api->daemon->store, &filter, find_over, l, err);
	if (code == FAIRLEAD_ESTATE && (l->n_over > l->limit || l->cut || l->edge))
		code = 0;
	if (code == 0 && l->has.wanted)
		code = write_found(l, err);
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
	struct fl_sym namespace, queue;

	return l->queue && l->n_live + l->n_over == 0 && !l->has.wanted && !l->call->sees &&
	       fl_config_queue(l->now.model, l->queue, &namespace, &queue, err) == FAIRLEAD_ENOENT;
}

/*
 * Those that are over are looked for in one namespace, so that the store is not read whole for one page.  False: an
 * error was answered.
 */
static bool narrow(const struct fl_call *call, struct list *l)
{
	const struct fl_sees *s = call->sees;

	if (!s || !(l->states & ~STATES_LIVE))
		return true;
	if (!l->user && !l->queue && s->n == 1)
		l->user = s->namespaces[0];
	if ((l->user && !fl_sees_namespace(s, l->user)) ||
	    (l->queue && !fl_sees_inside(s, l->queue)) || s->n == 0)
		l->states &= STATES_LIVE;
	if (l->user || l->queue || s->n == 0)
		return true;
	fl_api_fail(call, 400, "jobs that are over are told of one namespace at a time",
		    "say which: user=NAMESPACE");
	return false;
}

/* How many others there are is told once, and not of one queue or user, which may not be there. */
static int count_others(struct list *l, fairlead_error *err)
{
	return l->queue || l->user || l->array || l->after || l->before ?
		       0 :
		       fl_others_count(&l->others, l->states, err);
}

void fl_api_jobs(struct fl_call *call)
{
	struct list l = { .call = call,
			  .queue = fl_request_argument(call->r, "queue"),
			  .user = fl_request_argument(call->r, "user"),
			  .last = fl_api_flag(call, "last"),
			  .has = { .call = call, .wanted = fl_request_argument(call->r, "text") } };
	fairlead_error err = { 0 };

	if (l.has.wanted && !*l.has.wanted)
		l.has.wanted = NULL;
	if (!states_of(call, &l.states) ||
	    !fl_api_number(call, "limit", PAGE, FL_API_PAGE, &l.limit) ||
	    !fl_api_number(call, "array", 0, INT64_MAX, &l.array) ||
	    !fl_api_number(call, "after", 0, INT64_MAX, &l.after) ||
	    !fl_api_number(call, "before", 0, INT64_MAX, &l.before) ||
	    !fl_api_time(call, "at", FL_TIME_NONE, &l.at) || !take_up(call, &l) ||
	    !narrow(call, &l))
		return;
	/* A queue may not be there. */
	if (!l.queue && fl_api_is_known(call))
		return;
	fl_daemon_view(call->api->daemon, &l.now);
	fl_why_begin(&l.why, &l.now, &call->api->order, fl_daemon_version(call->api->daemon));
	l.has.why = &l.why;
	if (fl_others_begin(&l.others, call, &l.now, &err) < 0 || count_others(&l, &err) < 0 ||
	    (l.at != FL_TIME_NONE && call->api->core &&
	     fl_jobs_come_by(call->api->daemon->store, l.at, &l.before, &err) < 0) ||
	    list(&l, &err) < 0 || is_lost(&l, &err)) {
		fl_api_error(call, &err);
	} else {
		bool more = l.cut || l.edge || l.n_live + l.n_over > l.limit;
		char go_on[32];
		const struct fl_jobs_answer answer = {
			.pieces = l.told,
			.text = l.text.text,
			.n = l.n_told,
			.more = more,
			.go_on = more ? place_of(&l, go_on) : NULL,
			.others = l.others.rows,
			.n_others = l.others.n,
			.limited = call->sees,
			.now = fl_api_now(call->api),
			.warning = fl_filter_warning(call),
		};

		fl_api_answer(call, 200, &fl_jobs_shape, &answer);
	}
	fl_why_end(&l.why);
	fl_others_end(&l.others);
	fl_api_text_done(&l.text);
	free(l.live);
	free(l.over);
	free(l.pieces);
	free(l.told);
}
