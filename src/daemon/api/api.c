/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/api/ask/child.h"
#include "daemon/api/ask/simulations.h"
#include "daemon/api/call.h"
#include "daemon/api/doors.h"
#include "daemon/api/history/kai_usage.h"
#include "daemon/api/page.h"
#include "daemon/api/routes.h"
#include "daemon/api/sees.h"
#include "daemon/config/accounts.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/tokens.h"
#include "daemon/machine/view.h"
#include "daemon/page/files.h"

/* --- permissions --- */

/* One that has ended while its request was under way names none. */
static const char *queues_of(void *user, const struct fl_principal *who)
{
	const struct fl_api *a = user;
	const struct fl_token_row *token = a->core ? fl_core_token_of(a->core, who) : NULL;

	return token ? token->queues : "";
}

/* The rules of the present configuration: a reload may have changed them. */
static int refresh_access(struct fl_api *a, fairlead_error *err)
{
	const struct fl_config *config = fl_daemon_config(a->daemon);
	struct fl_access *access = NULL;

	if (a->access && a->access_of == config)
		return 0;

	int code = fl_access_new(config, &fl_accounts_system, &a->options.runs, &access, err);

	if (code < 0)
		return code;
	fl_access_ask_tokens(access, queues_of, a);
	fl_access_free(a->access);
	a->access = access;
	a->access_of = config;
	return 0;
}

/* May the caller do what is for the owner of the job? */
struct asking {
	const struct fl_call *call;
	bool may;
};

static int ask_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct asking *a = user;

	(void)err;
	a->may = fl_api_may_touch(a->call, row->uid, row->queue);
	return 0;
}

static int ask_job(struct asking *a, fairlead_error *err)
{
	const struct fl_daemon *daemon = a->call->api->daemon;
	const struct fl_live *live = fl_daemon_job(daemon, a->call->job);

	if (!live)
		return fl_api_row(a->call, ask_row, a, err);
	a->may = fl_api_may_touch(a->call, live->uid, fl_daemon_word(daemon, live->queue));
	return 0;
}

/* False: it was answered. */
static bool may(const struct fl_call *call, const struct fl_route *route)
{
	static const enum fl_rank reads[] = {
		[FL_WHO_PROBE] = FL_RANK_PROBE,
		[FL_WHO_ANYBODY] = FL_RANK_READER,
		[FL_WHO_OWNER] = FL_RANK_READER,
		[FL_WHO_ADMIN] = FL_RANK_ADMIN,
	};
	enum fl_rank least = reads[route->who];
	struct asking asking = { .call = call };
	fairlead_error err = { 0 };

	if (route->action && least < FL_RANK_USER)
		least = FL_RANK_USER;
	if (!fl_access_may(call->api->access, &call->r->who, least, &err)) {
		fl_api_fail(call, 403, err.text, err.hint);
		return false;
	}
	if (route->who != FL_WHO_OWNER)
		return true;
	if (ask_job(&asking, &err) < 0) {
		fl_api_error(call, &err);
		return false;
	}
	if (!asking.may) {
		fl_api_fail(call, 403, fl_api_not_yours(call), "its owner and admins can do this");
		return false;
	}
	return true;
}

/* For a new connection, before its first request. */
static void meet(void *user, const struct fl_principal *who, struct fl_guest *ret)
{
	struct fl_api *a = user;

	if (refresh_access(a, /* err= */ NULL) == 0)
		fl_access_meet(a->access, who, ret);
}

static enum fl_needs needs(void *user, uint32_t listener, const struct fl_http_request *r)
{
	return fl_doors_needs(((struct fl_api *)user)->doors, listener, r);
}

static bool is_new(void *user, const char *secret)
{
	struct fl_api *a = user;
	struct fl_people *people = a->options.people;

	return people && (fl_pages_find(a->pages, secret, fl_clock_now(&a->daemon->clock)) ?
				  fl_api_page_is_new(a, secret) :
				  people->is_new(people, secret));
}

/* Whose is this token, and is the account still there? */
static int bearer(void *user, const char *secret, struct fl_principal *ret)
{
	struct fl_api *a = user;
	const char *account;
	int code = refresh_access(a, /* err= */ NULL);

	if (code == 0 && (code = fl_api_page_bearer(a, secret, ret)) != FAIRLEAD_ENOENT)
		return code;
	if (!a->core)
		return a->options.people ?
			       a->options.people->bearer(a->options.people, secret, ret) :
			       FAIRLEAD_ESTATE;
	code = fl_core_token_check(a->core, secret, fl_clock_now(&a->daemon->clock), ret, &account);

	if (code == 0 && (code = refresh_access(a, /* err= */ NULL)) == 0 &&
	    !fl_access_find_account(a->access, ret, account))
		code = FAIRLEAD_ESTATE;
	return code;
}

/* Of a stream that is open. */
static bool is_still(void *user, const struct fl_principal *who)
{
	struct fl_api *a = user;
	const struct fl_token_row *token;
	struct fl_principal is = *who;

	if (!fl_api_page_is_still(a, who))
		return false;
	if (who->kind == FL_PRINCIPAL_KUBE)
		return a->options.people->is_known(a->options.people, who);
	if (who->kind != FL_PRINCIPAL_TOKEN)
		return true;
	token = fl_core_token_of(a->core, who);
	return token && refresh_access(a, /* err= */ NULL) == 0 &&
	       fl_access_find_account(a->access, &is, token->user);
}

/* Of a path with the namespace and name of a Workload: its number. */
static void find_workload(struct fl_call *call)
{
	char namespace[FL_API_NAME], name[FL_API_NAME];
	const struct fl_live *job;

	if (strncmp(call->route->path, "/v1/workloads/", 14) != 0)
		return;
	fl_api_name_in_path(call, 0, namespace);
	fl_api_name_in_path(call, 1, name);
	job = call->api->daemon->ops->find(call->api->daemon, namespace, name);
	call->job = job ? job->id : 0;
}

/* The caller is known, and what it may see. */
static void serve(struct fl_call *call)
{
	if (may(call, call->route) && fl_api_may_see(call) && fl_route_check(call))
		call->route->handler(call);
}

static void request(void *user, struct fl_exchange *x, const struct fl_http_request *r)
{
	struct fl_call call = { .api = user, .x = x, .r = r };
	fairlead_error err = { 0 };
	bool known;
	const struct fl_route *route = fl_route_of(r->method, r->path, &call.place, &known);
	const struct fl_page_file *file = fl_page_file(r->path);

	/* By the socket the kernel says which user it is, and a token would give other rights. */
	if (!r->is_far && fl_request_header(r, "Authorization")) {
		fl_api_fail(&call, 400, "a token is not asked for on this socket",
			    "leave out the Authorization header: the user that asks is known here");
		return;
	}
	if (file) {
		fl_page_answer(file, x, r);
		return;
	}
	if (!route) {
		fl_api_fail(&call, known ? 405 : 404,
			    known ? "this path does not have this method" : "there is no such path",
			    "doc/guide/api.md lists the paths");
		return;
	}
	if (!(route->daemons & fl_api_is_of(call.api))) {
		fl_api_fail(&call, 404,
			    call.api->core ?
				    "this daemon runs jobs on a machine, and watches no cluster" :
				    "this daemon watches a cluster, and runs no jobs",
			    "GET /v1/openapi.json lists the paths that it has");
		return;
	}
	call.route = route;
	call.action = route->action;
	call.job = call.place.job;
	if (refresh_access(call.api, &err) < 0) {
		fl_api_error(&call, &err);
		return;
	}
	if (route->who != FL_WHO_PROBE && fl_daemon_unready(call.api->daemon)) {
		fl_exchange_header(x, "Retry-After", "5");
		fl_api_fail(&call, 503, fl_daemon_unready(call.api->daemon),
			    "GET /v1/health says when it is ready");
		return;
	}
	if (r->who.kind == FL_PRINCIPAL_KUBE) {
		if (call.api->daemon->ops->find && !call.job)
			find_workload(&call);
		fl_api_see(&call, serve);
	} else {
		serve(&call);
	}
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
	const struct fl_daemon_settings *settings = &options->daemon->start_settings;
	struct fl_api *a = calloc(1, sizeof *a);

	if (!a)
		return fl_fail_nomem(err);
	a->options = *options;
	a->daemon = options->daemon;
	a->core = options->core;

	struct fl_server_options server = {
		.loop = options->loop,
		.path = options->path,
		.mode = settings->socket_mode,
		.fd = options->fd,
		.made = options->made,
		.limits = { .connections = settings->max_connections,
			    .body = (size_t)settings->max_body,
			    .requests_per_second = settings->max_requests,
			    .strange_per_second = settings->max_strange,
			    .handshakes_per_second = settings->max_handshakes,
			    .idle_seconds = 60 },
		.needs = needs,
		.is_new = is_new,
		.bearer = bearer,
		.is_still = is_still,
		.meet = meet,
		.always = "/v1/health",
		.request = request,
		.user = a,
	};
	int code = refresh_access(a, err);

	a->pages = fl_pages_new();
	if (code == 0 && !a->pages)
		code = fl_fail_nomem(err);
	if (code == 0)
		code = check_descriptors(&server.limits, err);
	if (code == 0)
		code = fl_listen_check_tokens(options->config, &options->listening->places,
					      a->core ? fl_core_tokens_in_use(a->core) : 1, err);
	if (code == 0)
		code = fl_doors_new(a->daemon, options->config, options->state, options->listening,
				    &a->doors, err);
	if (code == 0) {
		server.listeners = fl_doors_listeners(a->doors, &server.n_listeners);
		code = fl_server_new(&server, &a->server, err);
	}
	if (code < 0) {
		fl_doors_free(a->doors);
		fl_access_free(a->access);
		fl_pages_free(a->pages);
		free(a);
		return code;
	}
	fl_doors_tell(a->doors);
	*ret = a;
	return 0;
}

static void server_closed(void *user)
{
	struct fl_api *a = user;
	void (*closed)(void *user) = a->closed;
	void *closed_user = a->closed_user;

	fl_doors_free(a->doors);
	fl_access_free(a->access);
	fl_pages_free(a->pages);
	free(a->description);
	fl_api_kai_usage_free(a);
	fl_live_order_done(&a->order);
	for (int i = 0; i < FL_EVENT_FORMS; i++)
		free(a->lines[i].text);
	free(a);
	closed(closed_user);
}

void fl_api_close(struct fl_api *a, void (*closed)(void *user), void *user)
{
	a->closed = closed;
	a->closed_user = user;
	a->closing = true;
	fl_api_children_end(a);
	fl_api_simulations_end(a);
	fl_server_close(a->server, server_closed, a);
}
