/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/time.h"
#include "daemon/api/parts.h"
#include "daemon/machine/view.h"

/* --- routes --- */

enum who {
	ANYBODY,
	OWNER, /* of the job, and admins */
	ADMIN,
};

#define LOOKS "format width color all"

/* A '#' stands for the number of a job. */
static const struct route {
	const char *method, *path;
	void (*handler)(struct fl_call *call);
	enum who who;
	const char *action;    /* what the audit calls it; NULL: it changes nothing */
	const char *arguments; /* of the query */
} routes[] = {
	{ "GET", "/v1/health", fl_api_health, ANYBODY, NULL, "" },
	{ "GET", "/metrics", fl_api_metrics, ANYBODY, NULL, "" },
	{ "POST", "/v1/jobs", fl_api_submit, ANYBODY, "submit", "" },
	{ "GET", "/v1/jobs", fl_api_jobs, ANYBODY, NULL,
	  "state queue user array after limit last" },
	{ "GET", "/v1/jobs/#", fl_api_job, ANYBODY, NULL, "" },
	{ "POST", "/v1/jobs/#/cancel", fl_api_cancel, OWNER, "cancel", "" },
	{ "POST", "/v1/jobs/#/hold", fl_api_hold, OWNER, "hold", "" },
	{ "POST", "/v1/jobs/#/release", fl_api_release, OWNER, "release", "" },
	{ "POST", "/v1/jobs/#/priority", fl_api_priority, OWNER, "priority", "value" },
	{ "GET", "/v1/jobs/#/log", fl_api_log, OWNER, NULL,
	  "task stream attempt from tail follow" },
	{ "GET", "/v1/jobs/#/explain", fl_api_explain, ANYBODY, NULL, "eta " LOOKS },
	{ "GET", "/v1/queues", fl_api_queues, ANYBODY, NULL, "" },
	{ "GET", "/v1/tree", fl_api_tree, ANYBODY, NULL, "node " LOOKS },
	{ "GET", "/v1/shares", fl_api_shares, ANYBODY, NULL, "" },
	{ "GET", "/v1/plan", fl_api_plan, ANYBODY, NULL, "cycles " LOOKS },
	{ "POST", "/v1/what-if", fl_api_what_if, ANYBODY, NULL, "cycles delete " LOOKS },
	{ "GET", "/v1/events", fl_api_events, ANYBODY, NULL,
	  "follow after since job queue kind limit" },
	{ "GET", "/v1/history", fl_api_history, ANYBODY, NULL, "from to" },
	{ "GET", "/v1/snapshot", fl_api_snapshot, ADMIN, NULL, "" },
	{ "GET", "/v1/audit", fl_api_audits, ADMIN, NULL, "limit" },
	{ "POST", "/v1/acknowledge", fl_api_acknowledge, ADMIN, "acknowledge", "" },
	{ "POST", "/v1/reload", fl_api_reload, ADMIN, "reload", "" },
	{ "POST", "/v1/backup", fl_api_backup, ADMIN, "backup", "to" },
};

static bool matches(const char *pattern, const char *path, uint64_t *ret_job)
{
	for (; *pattern; pattern++) {
		if (*pattern != '#') {
			if (*path++ != *pattern)
				return false;
			continue;
		}

		uint64_t n = 0;
		const char *start = path;

		for (; *path >= '0' && *path <= '9'; path++)
			if (__builtin_mul_overflow(n, UINT64_C(10), &n) ||
			    __builtin_add_overflow(n, (uint64_t)(*path - '0'), &n))
				return false;
		if (path == start)
			return false;
		*ret_job = n;
	}
	return !*path;
}

/* *ret_known: the path is there, for another method. */
static const struct route *route_of(const struct fl_http_request *r, uint64_t *ret_job,
				    bool *ret_known)
{
	*ret_known = false;
	for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
		if (!matches(routes[i].path, r->path, ret_job))
			continue;
		if (strcmp(routes[i].method, r->method) == 0)
			return &routes[i];
		*ret_known = true;
	}
	return NULL;
}

/* --- who may --- */

/* After a reload it is another configuration that says so. */
static int refresh_access(struct fl_api *a, fairlead_error *err)
{
	const struct fl_config *config = fl_core_config(a->core);
	struct fl_access *access = NULL;

	if (a->access && a->access_of == config)
		return 0;

	int code = fl_access_new(config, &fl_accounts_system, geteuid(), &access, err);

	if (code < 0)
		return code;
	fl_access_free(a->access);
	a->access = access;
	a->access_of = config;
	return 0;
}

bool fl_api_is_admin(const struct fl_call *call)
{
	return fl_access_is_admin(call->api->access, call->r->peer.uid, call->r->peer.gid);
}

bool fl_api_may_touch(const struct fl_call *call, uid_t owner)
{
	return fl_access_may_touch(call->api->access, call->r->peer.uid, call->r->peer.gid, owner);
}

const char *fl_api_reason(const struct fl_call *call, uid_t owner, const char *reason,
			  char buffer[FL_LIVE_REASON])
{
	return !reason || fl_api_may_touch(call, owner) ? reason : fl_live_public(reason, buffer);
}

int fl_api_row(const struct fl_call *call,
	       int (*fn)(void *user, const struct fl_job_row *row, fairlead_error *err), void *user,
	       fairlead_error *err)
{
	int code = fl_core_row(call->api->core, call->job, fn, user, err);

	if (code != FAIRLEAD_EINPUT)
		return code;
	fl_fail(err, FAIRLEAD_EIO,
		"job %llu is damaged: its row in the database is not what was "
		"written",
		(unsigned long long)call->job);
	return fl_fail_hint(err, "a backup may have it, and it can be submitted again");
}

static int owner_of_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	*(uid_t *)user = row->uid;
	return 0;
}

static int owner_of(const struct fl_call *call, uid_t *ret, fairlead_error *err)
{
	const struct fl_live *live = fl_core_job(call->api->core, call->job);

	if (!live)
		return fl_api_row(call, owner_of_row, ret, err);
	*ret = live->uid;
	return 0;
}

/* False: it was answered. */
static bool may(const struct fl_call *call, enum who who)
{
	fairlead_error err = { 0 };
	uid_t owner = 0;

	if (who == ADMIN && !fl_api_is_admin(call)) {
		fl_api_fail(call, 403, "this is for admins",
			    "who is one is said by access.admins of the Daemon document");
		return false;
	}
	if (who != OWNER)
		return true;
	if (owner_of(call, &owner, &err) < 0) {
		fl_api_error(call, &err);
		return false;
	}
	if (!fl_api_may_touch(call, owner)) {
		fl_api_fail(call, 403, "this job is somebody else's",
			    "its owner and admins may do this");
		return false;
	}
	return true;
}

/* One that is misspelt would be as if it were not there. */
static bool check_arguments(const struct fl_call *call, const char *known)
{
	const char *odd = fl_request_stranger(call->r, known);
	struct fl_nearest near = { .wanted = odd };
	char text[128], hint[400], names[300];

	if (!odd)
		return true;
	for (const char *at = known; *at; at += strcspn(at, " "), at += *at == ' ') {
		char name[32];

		(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
		fl_nearest_offer(&near, name);
	}
	(void)snprintf(text, sizeof text, "'%.60s' is no argument of this path", odd);
	if (near.n)
		(void)snprintf(hint, sizeof hint, "did you mean %s?",
			       fl_nearest_text(&near, names, sizeof names));
	else
		(void)snprintf(hint, sizeof hint, *known ? "it takes: %s" : "it takes none", known);
	fl_api_fail(call, 400, text, hint);
	return false;
}

/* Before it has asked for anything. */
static void meet(void *user, const struct fl_peer *peer, struct fl_guest *ret)
{
	struct fl_api *a = user;

	if (refresh_access(a, /* err= */ NULL) == 0)
		fl_access_meet(a->access, peer->uid, peer->gid, ret);
}

static void request(void *user, struct fl_exchange *x, const struct fl_http_request *r)
{
	struct fl_call call = { .api = user, .x = x, .r = r };
	fairlead_error err = { 0 };
	bool known;
	const struct route *route = route_of(r, &call.job, &known);

	if (!route) {
		fl_api_fail(&call, known ? 405 : 404,
			    known ? "this path is not for this method" : "there is no such path",
			    "the paths are in doc/guide/api.md");
		return;
	}
	call.action = route->action;
	if (refresh_access(call.api, &err) < 0) {
		fl_api_error(&call, &err);
		return;
	}
	if (may(&call, route->who) && check_arguments(&call, route->arguments))
		route->handler(&call);
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
		.at = fl_clock_now(fl_core_clock(call->api->core)),
		.uid = call->r->peer.uid,
		.pid = call->r->peer.pid,
		.user = call->api->access ? fl_access_user(call->api->access, call->r->peer.uid) :
					    "",
		.action = call->action,
		.subject = subject ? subject : "",
		.status = (int)status,
	};

	fl_core_audit(call->api->core, &row);
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

void fl_api_fail(const struct fl_call *call, unsigned status, const char *text, const char *hint)
{
	fl_api_audit(call, NULL, status);
	fl_exchange_fail(call->x, status, text, hint);
}

void fl_api_error(const struct fl_call *call, const fairlead_error *err)
{
	char text[sizeof err->file + sizeof err->subject + sizeof err->text + 64];
	int n = 0;

	if (err->file[0] && err->line)
		n = snprintf(text, sizeof text, "%s:%u:%u: ", err->file, err->line, err->column);
	else if (err->line)
		n = snprintf(text, sizeof text, "line %u, column %u: ", err->line, err->column);
	(void)snprintf(text + n, sizeof text - (size_t)n, "%s%s%s", err->subject,
		       err->subject[0] ? ": " : "", err->text);
	fl_api_fail(call, fl_api_status(err->code), text, err->hint);
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
		return refuse_argument(call, name, "is not a time such as 2026-01-31T12:00:00Z");
	*ret = fl_clock_of_wall(fl_core_clock(call->api->core), *ret);
	return true;
}

json_t *fl_api_moment(const struct fl_api *a, fl_time at)
{
	char text[40];

	if (at == FL_TIME_NONE || at == FL_NEVER)
		return json_null();

	/* Two clocks cannot be read at once, so what is below a thousandth is another each time. */
	fl_time wall = fl_clock_wall(fl_core_clock(a->core), at) + FL_SECOND / 2000;

	return json_string(fl_time_format(text, wall - wall % (FL_SECOND / 1000)));
}

/* --- begin and end --- */

/* Those of the database, of checkpoints and questions, and of some runs. */
enum { OTHER_DESCRIPTORS = 128 };

/* Where they do not fit, clients would find the door shut. */
static int check_descriptors(const struct fl_server_limits *limits, fairlead_error *err)
{
	uint32_t needed = fl_server_descriptors(limits) + OTHER_DESCRIPTORS;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
	    needed <= files.rlim_cur)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT,
		"limits.connections is %u, which takes %u open files with all else, and this "
		"process may have %llu",
		limits->connections, needed, (unsigned long long)files.rlim_cur);
	if (files.rlim_cur > needed - limits->connections)
		fl_fail_hint(err,
			     "raise the limit (ulimit -Hn, LimitNOFILE= of the service), or lower "
			     "limits.connections to %llu",
			     (unsigned long long)files.rlim_cur - (needed - limits->connections));
	else
		fl_fail_hint(err, "raise the limit: ulimit -Hn, LimitNOFILE= of the service");
	return FAIRLEAD_EINPUT;
}

int fl_api_new(const struct fl_api_options *options, struct fl_api **ret, fairlead_error *err)
{
	const struct fl_daemon_settings *settings = fl_core_start_settings(options->core);
	struct fl_api *a = calloc(1, sizeof *a);

	if (!a)
		return fl_fail_nomem(err);
	a->options = *options;
	a->core = options->core;

	const struct fl_server_options server = {
		.loop = options->loop,
		.path = options->path,
		.mode = settings->socket_mode,
		.fd = options->fd,
		.limits = { .connections = settings->max_connections,
			    .body = (size_t)settings->max_body,
			    .requests_per_second = settings->max_requests,
			    .idle_seconds = 60 },
		.meet = meet,
		.always = "/v1/health",
		.request = request,
		.user = a,
	};
	int code = refresh_access(a, err);

	if (code == 0)
		code = check_descriptors(&server.limits, err);
	if (code == 0)
		code = fl_server_new(&server, &a->server, err);
	if (code < 0) {
		fl_access_free(a->access);
		free(a);
		return code;
	}
	*ret = a;
	return 0;
}

static void server_closed(void *user)
{
	struct fl_api *a = user;
	void (*closed)(void *user) = a->closed;
	void *closed_user = a->closed_user;

	fl_access_free(a->access);
	free(a->line.text);
	free(a);
	closed(closed_user);
}

void fl_api_close(struct fl_api *a, void (*closed)(void *user), void *user)
{
	a->closed = closed;
	a->closed_user = user;
	fl_api_children_end(a);
	fl_server_close(a->server, server_closed, a);
}
