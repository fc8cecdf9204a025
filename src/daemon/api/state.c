/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/api/ask/child.h"
#include "daemon/api/doors.h"
#include "daemon/api/filter.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/trust.h"
#include "daemon/machine/view.h"
#include "daemon/metrics/metrics.h"
#include "daemon/metrics/metrics_render.h"

enum { METRICS_AT_ONCE = 1000 /* queues and cohorts, at most */ };

/* The first ones of what the store found damaged, at most. */
static json_t *damaged(const struct fl_store_damage *d)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < d->n; i++)
		json_array_append_new(
			rows, json_pack("{s:o, s:s}", "job",
					d->rows[i].job ? json_integer((json_int_t)d->rows[i].job) :
							 json_null(),
					"text", d->rows[i].text));
	return rows;
}

/*
 * A machine that cannot write is not well.  A cluster's daemon is alive while it answers, and ready, where that is
 * asked, once its state is there and not old.
 */
static unsigned health_of(const struct fl_call *call, const char *problem)
{
	const struct fl_daemon *d = call->api->daemon;

	if (!d->ops->stale)
		return problem ? 503 : 200;
	return fl_api_flag(call, "ready") && (fl_daemon_unready(d) || d->ops->stale(d)) ? 503 : 200;
}

/* Why it is not well; NULL: it is. */
static const char *problem_of(const struct fl_daemon *d)
{
	const char *problem = fl_daemon_unready(d);

	if (!problem)
		problem = fl_daemon_problem(d);
	return !problem && d->ops->stale ? d->ops->stale(d) : problem;
}

void fl_api_health(struct fl_call *call)
{
	const struct fl_daemon *daemon = call->api->daemon;
	const char *problem = problem_of(daemon);
	struct fl_store_damage d;
	struct fl_live_view view;
	unsigned status;

	status = health_of(call, problem);
	/* Without a token it is not told what is wrong, or where. */
	if (call->r->who.kind == FL_PRINCIPAL_PROBE) {
		fl_api_json(call, status,
			    json_pack("{s:s}", "status", problem ? "degraded" : "ok"));
		return;
	}
	fl_daemon_view(daemon, &view);
	fl_store_damaged(daemon->store, &d);
	fl_api_json(call, status,
		    json_pack("{s:s, s:s, s:i, s:s, s:o, s:o, s:s?, s:o, s:s?, s:o}", "status",
			      problem || d.n ? "degraded" : "ok", "version", FAIRLEAD_VERSION,
			      "pid", (int)getpid(), "policy", view.ops->name, "now",
			      fl_api_moment(call->api, view.now), "startedAt",
			      fl_api_moment(call->api, daemon->started), "problem",
			      problem ? problem :
			      d.n     ? "the database is damaged" :
					NULL,
			      "damaged", damaged(&d), "warning", fl_filter_warning(call), "listens",
			      fl_doors_json(call->api->doors)));
}

/* In a cluster; NULL for a machine, which it decides for alone. */
static const char *role_of(const struct fl_api *a)
{
	const struct fl_daemon_ops *ops = a->daemon->ops;

	if (a->core)
		return NULL;
	return ops->agreement && ops->agreement(a->daemon) ? "observe" : "scheduler";
}

void fl_api_daemon(struct fl_call *call)
{
	const struct fl_api *a = call->api;
	struct fl_live_view view;
	char host[256] = "";

	fl_daemon_view(a->daemon, &view);
	(void)gethostname(host, sizeof host - 1);
	fl_api_json(call, 200,
		    json_pack("{s:s, s:s, s:s?, s:s, s:s, s:o, s:o, s:s?, s:s?}", "watches",
			      a->core ? "machine" : "cluster", "host", host, "role", role_of(a),
			      "version", FAIRLEAD_VERSION, "policy", view.ops->name, "now",
			      fl_api_moment(a, view.now), "startedAt",
			      fl_api_moment(a, a->daemon->started), "problem",
			      problem_of(a->daemon), "warning", fl_filter_warning(call)));
}

static int render(const struct fl_call *call, char **ret, size_t *ret_len, fairlead_error *err)
{
	const struct fl_daemon *daemon = call->api->daemon;
	struct fl_metrics_now now = { .vitals = call->api->vitals };
	struct fl_store_damage damage;

	fl_daemon_view(daemon, &now.view);
	fl_store_damaged(daemon->store, &damage);
	now.started = daemon->started;
	now.store_bytes = fl_store_bytes(daemon->store);
	now.store_damaged = damage.total;
	now.store_cut = damage.cut;
	now.store_fails = fl_daemon_store_problem(daemon) != NULL;
	now.restored = fl_daemon_warning(daemon) != NULL;
	now.stale = daemon->ops->stale ? daemon->ops->stale(daemon) != NULL : -1;
	now.writes = daemon->ops->writing && daemon->ops->writing(daemon, &now.writing);
	fl_server_figures(call->api->server, &now.server);
	return fl_metrics_render(daemon->metrics, &now, ret, ret_len, err);
}

static int metrics_aside(struct fl_call *call, FILE *out, fairlead_error *err)
{
	char *text;
	size_t len;
	int code = render(call, &text, &len, err);

	if (code < 0)
		return code;
	if (fwrite(text, 1, len, out) != len)
		code = fl_fail_nomem(err);
	free(text);
	return code;
}

/* Of thousands of queues it takes tenths of a second, for which other requests shall not wait. */
void fl_api_metrics(struct fl_call *call)
{
	struct fl_live_view view;
	fairlead_error err = { 0 };
	char *text;
	size_t len;

	fl_daemon_view(call->api->daemon, &view);
	fl_vitals_look(&call->api->vitals);
	if (view.model->n_nodes > METRICS_AT_ONCE &&
	    call->api->daemon->start_settings.metrics_queues > METRICS_AT_ONCE)
		fl_api_aside(call, fl_metrics_type, metrics_aside);
	else if (render(call, &text, &len, &err) < 0)
		fl_api_error(call, &err);
	else
		fl_exchange_give(call->x, 200, fl_metrics_type, text, len);
}

/* --- audit --- */

struct audits {
	const struct fl_api *api;
	json_t *rows;
};

static int audit_row(void *user, const struct fl_audit_row *row, fairlead_error *err)
{
	struct audits *a = user;
	json_t *one = json_pack("{s:o, s:s?, s:I, s:I, s:s?, s:s?, s:i}", "at",
				fl_api_moment(a->api, row->at), "user", row->user, "uid",
				(json_int_t)row->uid, "pid", (json_int_t)row->pid, "action",
				row->action, "subject", row->subject, "status", row->status);

	return json_array_append_new(a->rows, one) == 0 ? 0 : fl_fail_nomem(err);
}

void fl_api_audits(struct fl_call *call)
{
	struct audits a = { call->api, NULL };
	fairlead_error err = { 0 };
	uint64_t limit;

	if (!fl_api_number(call, "limit", 100, FL_API_PAGE, &limit))
		return;
	a.rows = json_array();
	if (fl_store_audit(call->api->daemon->store, (uint32_t)limit, audit_row, &a, &err) < 0) {
		json_decref(a.rows);
		fl_api_error(call, &err);
		return;
	}
	fl_api_json(call, 200, json_pack("{s:o}", "audit", a.rows));
}

/* --- backup: takes as long as the disk does, so on a thread --- */

struct backup {
	struct fl_call call;
	uv_work_t work;
	char *folder, *below; /* NULL: any folder is allowed */
	int code;
	bool misplaced; /* the place is not allowed: trying again would not help */
	fairlead_error err;
};

static void free_backup(struct backup *b)
{
	if (b) {
		free(b->folder);
		free(b->below);
	}
	free(b);
}

/* The folder is made only where no other user can replace it or a folder above it. */
static int place_backup(struct backup *b, char ret[FL_TRUST_PATH])
{
	char top[FL_TRUST_PATH];
	size_t n;

	b->code = fl_trust_path(b->folder, ret, &b->err);
	if (b->code < 0 || !b->below)
		return b->code;
	b->code = fl_trust_path(b->below, top, &b->err);
	if (b->code < 0)
		return b->code;
	n = strlen(top);
	if (strncmp(ret, top, n) == 0 && ret[n] == '/')
		return 0;
	b->code = fl_fail(&b->err, FAIRLEAD_EINPUT, "%s is not below %s", ret, top);
	return fl_fail_hint(&b->err,
			    "backups that admins ask for must be below .spec.backups of the Daemon "
			    "document");
}

static void backup_work(uv_work_t *work)
{
	struct backup *b = work->data;
	char path[FL_TRUST_PATH];

	b->misplaced = place_backup(b, path) < 0;
	if (!b->misplaced)
		b->code = fl_store_backup(b->call.api->daemon->store, path, &b->err);
}

static void backup_done(uv_work_t *work, int status)
{
	struct backup *b = work->data;

	b->call.api->n_threads--;
	if (b->misplaced) {
		fl_api_fail(&b->call, 403, b->err.text, b->err.hint);
	} else if (status < 0 || b->code < 0) {
		fl_api_error(&b->call, &b->err);
	} else {
		fl_api_audit(&b->call, b->folder, 200);
		fl_api_json(&b->call, 200, json_pack("{s:s}", "backup", b->folder));
	}
	free_backup(b);
}

void fl_api_backup(struct fl_call *call)
{
	const char *to = fl_request_argument(call->r, "to");
	const struct fl_config *config = fl_daemon_config(call->api->daemon);
	struct fl_sym below = fl_config_settings(config)->backups;
	/* Root and the daemon's own user could make the copy themselves: any folder. */
	bool anywhere = fl_access_rank(call->api->access, &call->r->who) == FL_RANK_ROOT;
	struct backup *b;

	if (!to || *to != '/') {
		fl_api_fail(call, 400,
			    "'to' must be the absolute path of a folder that does not exist yet",
			    "for example POST /v1/backup?to=/var/backups/fairlead/monday");
		return;
	}
	if (!anywhere && !below.v) {
		fl_api_fail(
			call, 403, "the configuration names no folder for backups",
			"set .spec.backups in the Daemon document; root and the user of the daemon "
			"can have a backup made anywhere");
		return;
	}
	if (!fl_api_may_read(call))
		return;
	b = calloc(1, sizeof *b);
	if (b)
		b->folder = strdup(to);
	if (b && !anywhere)
		b->below = strdup(fl_config_word(config, below));
	if (!b || !b->folder || (!anywhere && !b->below)) {
		free_backup(b);
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	b->call = *call;
	b->work.data = b;
	call->api->n_threads++;
	uv_queue_work(call->api->options.loop, &b->work, backup_work, backup_done);
}
