/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/nearest.h"
#include "daemon/api/ask.h"
#include "daemon/api/call.h"
#include "daemon/api/child.h"
#include "daemon/api/events.h"
#include "daemon/api/history.h"
#include "daemon/api/jobs.h"
#include "daemon/api/list.h"
#include "daemon/api/log.h"
#include "daemon/api/queues.h"
#include "daemon/api/state.h"
#include "daemon/api/usage.h"
#include "daemon/config/accounts.h"
#include "daemon/machine/view.h"

/* --- routes --- */

enum who {
	ANYBODY,
	OWNER, /* the owner of the job, and admins */
	ADMIN,
};

#define LOOKS "format width color all"

/* A '#' stands for the number of a job. */
static const struct route {
	const char *method, *path;
	void (*handler)(struct fl_call *call);
	enum who who;
	const char *action;    /* its name in the audit log; NULL: the route changes nothing */
	const char *arguments; /* arguments of the query */
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
	{ "POST", "/v1/what-if", fl_api_what_if, ANYBODY, NULL, "cycles delete set " LOOKS },
	{ "GET", "/v1/events", fl_api_events, ANYBODY, NULL,
	  "follow after since job queue kind limit" },
	{ "GET", "/v1/history", fl_api_history, ANYBODY, NULL, "from to" },
	{ "GET", "/v1/usage", fl_api_usage, ANYBODY, NULL, "from to" },
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

/* *ret_known: the path exists, but for another method. */
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

/* --- permissions --- */

/* The rules of the present configuration: a reload may have changed them. */
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
			    "admins are listed in .spec.access.admins of the Daemon document");
		return false;
	}
	if (who != OWNER)
		return true;
	if (owner_of(call, &owner, &err) < 0) {
		fl_api_error(call, &err);
		return false;
	}
	if (!fl_api_may_touch(call, owner)) {
		fl_api_fail(call, 403, "this job belongs to another user",
			    "its owner and admins can do this");
		return false;
	}
	return true;
}

/* A misspelt argument is refused: the answer would be that without it. */
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
	(void)snprintf(text, sizeof text, "'%.60s' is not an argument of this path", odd);
	if (near.n)
		(void)snprintf(hint, sizeof hint, "did you mean %s?",
			       fl_nearest_text(&near, names, sizeof names));
	else
		(void)snprintf(hint, sizeof hint,
			       *known ? "its arguments: %s" : "it has no arguments", known);
	fl_api_fail(call, 400, text, hint);
	return false;
}

/* For a new connection, before its first request. */
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
			    known ? "this path does not have this method" : "there is no such path",
			    "doc/guide/api.md lists the paths");
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

/* --- begin and end --- */

/* Descriptors of the database, of checkpoints, of questions, and of some runs. */
enum { OTHER_DESCRIPTORS = 128 };

/* If the limit of open files is too low, clients could not connect. */
static int check_descriptors(const struct fl_server_limits *limits, fairlead_error *err)
{
	uint32_t needed = fl_server_descriptors(limits) + OTHER_DESCRIPTORS;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY ||
	    needed <= files.rlim_cur)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT,
		"limits.connections is %u: with all else that needs %u open files, and this "
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
