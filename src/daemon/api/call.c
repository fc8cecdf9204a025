/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "codec/text/quantity.h"
#include "daemon/api/version.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "store/store.h"

/* --- what a user may see --- */

enum fl_daemons fl_api_is_of(const struct fl_api *a)
{
	return a->core ? FL_DAEMONS_MACHINE : FL_DAEMONS_CLUSTER;
}

bool fl_api_is_admin(const struct fl_call *call)
{
	return fl_access_rank(call->api->access, &call->r->who) >= FL_RANK_ADMIN;
}

bool fl_api_may_touch(const struct fl_call *call, uid_t owner, const char *queue)
{
	const struct fl_principal user = fl_principal_user(owner, FL_NO_GROUP);
	const char *namespace = NULL, *name = NULL;
	struct fl_sym in, queue_name;
	struct fl_live_view view;

	/* Only a token is asked for which queue it is. */
	if (call->r->who.kind == FL_PRINCIPAL_TOKEN) {
		fl_daemon_view(call->api->daemon, &view);
		if (fl_config_queue(view.model, queue, &in, &queue_name, NULL) == 0) {
			namespace = fl_model_text(view.model, in);
			name = fl_model_text(view.model, queue_name);
		}
	}
	return fl_access_may_touch(call->api->access, &call->r->who, &user, namespace, name);
}

const char *fl_api_not_yours(const struct fl_call *call)
{
	return call->r->who.kind == FL_PRINCIPAL_TOKEN ?
		       "this job belongs to another user, or is in a queue that the token does not "
		       "name" :
		       "this job belongs to another user";
}

bool fl_api_may_use(const struct fl_call *call, const char *queue, fairlead_error *err)
{
	struct fl_sym namespace, name;
	struct fl_live_view view;

	fl_daemon_view(call->api->daemon, &view);
	return fl_config_queue(view.model, queue, &namespace, &name, err) == 0 &&
	       fl_access_may_submit(call->api->access, &call->r->who,
				    fl_model_text(view.model, namespace),
				    fl_model_text(view.model, name), err);
}

bool fl_api_may_have_priority(const struct fl_call *call, int32_t priority, fairlead_error *err)
{
	int32_t most = fl_daemon_settings_of(call->api->daemon)->max_priority;

	if (priority <= most || fl_api_is_admin(call))
		return true;
	fl_fail(err, FAIRLEAD_ESTATE,
		"priority %d is for admins; the highest for other users is %d", priority, most);
	fl_fail_hint(err, "an admin can raise .spec.jobs.maxPriority of the Daemon document");
	return false;
}

const char *fl_api_reason(const struct fl_call *call, uid_t owner, const char *queue,
			  const char *reason, char buffer[FL_LIVE_REASON])
{
	return !reason || fl_api_may_touch(call, owner, queue) ? reason :
								 fl_live_public(reason, buffer);
}

int fl_api_row(const struct fl_call *call,
	       int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err), void *user,
	       fairlead_error *err)
{
	int code = fl_store_job_row(call->api->daemon->store, call->job, fn, user, err);

	if (code != FAIRLEAD_EINPUT)
		return code;
	fl_fail(err, FAIRLEAD_EIO,
		"job %llu is damaged: its row in the database does not match its "
		"checksum",
		(unsigned long long)call->job);
	return fl_fail_hint(err, "a backup may have it, and the job can be submitted again");
}

/* --- answers --- */

unsigned fl_api_status(int code)
{
	switch (code) {
	case FAIRLEAD_EINPUT:
		return 400;
	case FAIRLEAD_ENOENT:
		return 404;
	case FAIRLEAD_ESTATE:
		return 409;
	case FAIRLEAD_ELIMIT:
		return 429;
	default:
		return 503;
	}
}

void fl_api_audit(const struct fl_call *call, const char *subject, unsigned status)
{
	char text[32];

	if (!call->action)
		return;
	if (!subject && call->job) {
		(void)snprintf(text, sizeof text, "job %llu", (unsigned long long)call->job);
		subject = text;
	}

	const struct fl_audit_row row = {
		.at = fl_clock_now(&call->api->daemon->clock),
		.uid = fl_principal_account(&call->r->who),
		.pid = call->r->pid,
		.user = call->api->access ? fl_access_name(call->api->access, &call->r->who) : "",
		.action = call->action,
		.subject = subject ? subject : "",
		.status = (int)status,
	};

	call->api->daemon->ops->audit(call->api->daemon, &row);
}

void fl_api_json(const struct fl_call *call, unsigned status, json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	if (text)
		fl_exchange_give(call->x, status, NULL, text, strlen(text));
	else
		fl_exchange_fail(call->x, 503, "out of memory", NULL);
}

/* Appends to the text, with a NUL behind it. 0: no memory. */
static ssize_t append(void *user, const char *bytes, size_t n)
{
	struct fl_api_text *t = user;

	if (n >= t->cap - t->len) {
		size_t cap = t->cap + (n > t->cap ? n : t->cap) + 256;
		char *text = realloc(t->text, cap);

		if (!text)
			return 0;
		t->text = text;
		t->cap = cap;
	}
	memcpy(t->text + t->len, bytes, n);
	t->len += n;
	t->text[t->len] = '\0';
	return (ssize_t)n;
}

static int begin(struct fl_api_text *t, FILE *out, fairlead_error *err)
{
	t->report.quantity = fl_quantity_format;
	t->report.out = out;
	if (!out)
		return fl_fail_nomem(err);
	fl_json_init(&t->json, out);
	t->at = (struct fl_shape_at){ .json = &t->json, .report = &t->report };
	return 0;
}

int fl_api_text_begin(struct fl_api_text *t, fairlead_error *err)
{
	*t = (struct fl_api_text){ 0 };
	return begin(t, open_memstream(&t->text, &t->len), err);
}

int fl_api_text_close(struct fl_api_text *t, fairlead_error *err)
{
	FILE *out = t->report.out;
	bool bad = t->json.failed || ferror(out);

	t->report.out = NULL;
	bad |= fclose(out) != 0 || !t->text;
	return bad ? fl_fail_nomem(err) : 0;
}

void fl_api_text_done(struct fl_api_text *t)
{
	if (t->report.out)
		(void)fclose(t->report.out);
	free(t->text);
	*t = (struct fl_api_text){ 0 };
}

void fl_api_text_end(const struct fl_call *call, unsigned status, struct fl_api_text *t)
{
	fairlead_error err = { 0 };

	if (fl_api_text_close(t, &err) == 0) {
		if (status == 200 && fl_api_is_known(call)) {
			fl_api_text_done(t);
			return;
		}
		if (status == 200)
			fl_api_tag_state(call);
		fl_exchange_give(call->x, status, NULL, t->text, t->len);
	} else {
		fl_api_text_done(t);
		fl_exchange_fail(call->x, 503, err.text, NULL);
	}
}

void fl_api_answer(const struct fl_call *call, unsigned status, const struct fl_json_shape *shape,
		   const void *row)
{
	struct fl_api_text t = { 0 };
	fairlead_error err = { 0 };

	/* Not open_memstream, which clears 8 KiB for an answer of some hundred bytes. */
	if (begin(&t, fopencookie(&t, "w", (cookie_io_functions_t){ .write = append }), &err) < 0) {
		fl_exchange_fail(call->x, 503, err.text, NULL);
		return;
	}
	fl_shape_json(&t.at, NULL, shape, row);
	fl_api_text_end(call, status, &t);
}

void fl_api_name_in_path(const struct fl_call *call, int i, char ret[FL_API_NAME])
{
	size_t len = call->place.parts[i].len;

	(void)snprintf(ret, FL_API_NAME, "%.*s", (int)(len < FL_API_NAME ? len : FL_API_NAME),
		       call->place.parts[i].text);
	for (char *c = ret; *c; c++)
		if (*c <= ' ' || *c > '~') /* of no queue: to be told in an error only */
			*c = '?';
}

static json_t *status_of(unsigned status, const char *message)
{
	static const struct {
		unsigned status;
		const char *reason;
	} reasons[] = {
		{ 400, "BadRequest" },      { 403, "Forbidden" },
		{ 404, "NotFound" },        { 405, "MethodNotAllowed" },
		{ 429, "TooManyRequests" }, { 503, "ServiceUnavailable" },
	};
	const char *reason = "";

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].status == status)
			reason = reasons[i].reason;
	return json_pack("{s:s, s:s, s:{}, s:s, s:s, s:s, s:i}", "kind", "Status", "apiVersion",
			 "v1", "metadata", "status", "Failure", "message", message, "reason",
			 reason, "code", (int)status);
}

static json_t *query_error_of(unsigned status, const char *message)
{
	return json_pack("{s:s, s:s, s:s}", "status", "error", "errorType",
			 status < 500 ? "bad_data" : "unavailable", "error", message);
}

/* What clients of others make an error of, by the beginning of the path where they ask. */
static const struct foreign {
	const char *path;
	json_t *(*make)(unsigned status, const char *message);
} foreigners[] = {
	{ "/apis/", status_of },        /* of Kubernetes */
	{ "/api/v1/", query_error_of }, /* of Prometheus */
};

/* NULL: they are told as a problem. */
static const struct foreign *foreign_of(const struct fl_call *call)
{
	for (size_t i = 0; i < sizeof foreigners / sizeof *foreigners; i++)
		if (strncmp(call->r->path, foreigners[i].path, strlen(foreigners[i].path)) == 0)
			return &foreigners[i];
	return NULL;
}

void fl_api_fail(const struct fl_call *call, unsigned status, const char *text, const char *hint)
{
	const struct foreign *foreign = foreign_of(call);
	char message[1024];

	fl_api_audit(call, NULL, status);
	if (!foreign) {
		fl_exchange_fail(call->x, status, text, hint);
		return;
	}
	(void)snprintf(message, sizeof message, "%s%s%s", text, hint ? "; " : "", hint ? hint : "");
	fl_api_json(call, status, foreign->make(status, message));
}

void fl_api_error(const struct fl_call *call, const fairlead_error *err)
{
	char text[sizeof err->subject + sizeof err->text + 8];
	const struct fl_problem problem = { .status = fl_api_status(err->code),
					    .text = text,
					    .hint = err->hint,
					    .file = err->file,
					    .line = err->line,
					    .column = err->column };

	(void)snprintf(text, sizeof text, "%s%s%s", err->subject, err->subject[0] ? ": " : "",
		       err->text);
	if (foreign_of(call)) {
		fl_api_fail(call, problem.status, text, err->hint[0] ? err->hint : NULL);
		return;
	}
	fl_api_audit(call, NULL, problem.status);
	fl_exchange_problem(call->x, &problem);
}

/* --- arguments --- */

static bool refuse_argument(const struct fl_call *call, const char *name, const char *what)
{
	char text[128];

	(void)snprintf(text, sizeof text, "'%s' %s", name, what);
	fl_api_fail(call, 400, text, NULL);
	return false;
}

bool fl_api_number(const struct fl_call *call, const char *name, uint64_t def, uint64_t max,
		   uint64_t *ret)
{
	const char *text = fl_request_argument(call->r, name);
	uint64_t n = 0;

	for (const char *c = text; c && *c; c++)
		if (*c < '0' || *c > '9' || __builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*c - '0'), &n))
			return refuse_argument(call, name, "is not a number");
	if (text && !*text)
		return refuse_argument(call, name, "is not a number");
	if (n > max) {
		char what[64];

		(void)snprintf(what, sizeof what, "is more than %llu", (unsigned long long)max);
		return refuse_argument(call, name, what);
	}
	*ret = text ? n : def;
	return true;
}

bool fl_api_flag(const struct fl_call *call, const char *name)
{
	const char *text = fl_request_argument(call->r, name);

	return text && strcmp(text, "0") != 0 && strcmp(text, "false") != 0;
}

bool fl_api_time(const struct fl_call *call, const char *name, fl_time def, fl_time *ret)
{
	const char *text = fl_request_argument(call->r, name);

	*ret = def;
	if (!text)
		return true;
	if (fl_time_parse(text, strlen(text), ret, NULL) < 0)
		return refuse_argument(call, name,
				       "is not a time in the form 2026-01-31T12:00:00Z");
	*ret = fl_clock_of_wall(&call->api->daemon->clock, *ret);
	return true;
}

fl_time fl_api_wall(const struct fl_api *a, fl_time at)
{
	if (at == FL_TIME_NONE || at == FL_NEVER)
		return FL_TIME_NONE;

	/*
	 * Rounded to milliseconds: two clocks cannot be read at once, so smaller digits would
	 * differ at each call.
	 */
	fl_time wall = fl_clock_wall(&a->daemon->clock, at) + FL_SECOND / 2000;

	return wall - wall % (FL_SECOND / 1000);
}

fl_time fl_api_now(const struct fl_api *a)
{
	return fl_api_wall(a, fl_clock_now(&a->daemon->clock));
}

json_t *fl_api_moment(const struct fl_api *a, fl_time at)
{
	fl_time wall = fl_api_wall(a, at);
	char text[40];

	return wall == FL_TIME_NONE ? json_null() : json_string(fl_time_format(text, wall));
}
