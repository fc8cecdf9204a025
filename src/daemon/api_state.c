/* SPDX-License-Identifier: Apache-2.0 */
/* api_state - how the daemon is, who did what; backup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/api_parts.h"
#include "daemon/metrics.h"

void fl_api_health(struct fl_call *call)
{
	const struct fl_core *core = call->api->core;
	const char *problem = fl_core_problem(core);
	struct fl_core_view view;

	fl_core_view(core, &view);
	fl_api_json(call, problem ? 503 : 200,
		    json_pack("{s:s, s:s, s:i, s:s, s:o, s:o, s:s?}", "status",
			      problem ? "degraded" : "ok", "version", FAIRLEAD_VERSION, "pid",
			      (int)getpid(), "policy", view.ops->name, "now",
			      fl_api_moment(call->api, view.now), "startedAt",
			      fl_api_moment(call->api, fl_core_started(core)), "problem", problem));
}

void fl_api_metrics(struct fl_call *call)
{
	const struct fl_core *core = call->api->core;
	struct fl_metrics_now now = { .started = fl_core_started(core),
				      .store_bytes = fl_store_bytes(fl_core_store(core)),
				      .store_fails = fl_core_problem(core) != NULL };
	struct fl_server_figures figures;
	fairlead_error err = { 0 };
	char *text;
	size_t len;

	fl_core_view(core, &now.view);
	fl_server_figures(call->api->server, &figures);
	now.requests = figures.requests;
	now.refused = figures.refused;
	now.connections = figures.connections;
	if (fl_metrics_render(fl_core_metrics(core), &now, &text, &len, &err) < 0)
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
	if (fl_store_audit(fl_core_store(call->api->core), (uint32_t)limit, audit_row, &a, &err) <
	    0) {
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
	char *folder;
	int code;
	fairlead_error err;
};

static void backup_work(uv_work_t *work)
{
	struct backup *b = work->data;

	b->code = fl_store_backup(fl_core_store(b->call.api->core), b->folder, &b->err);
}

static void backup_done(uv_work_t *work, int status)
{
	struct backup *b = work->data;

	if (status < 0 || b->code < 0) {
		fl_api_error(&b->call, &b->err);
	} else {
		fl_api_audit(&b->call, b->folder, 200);
		fl_api_json(&b->call, 200, json_pack("{s:s}", "backup", b->folder));
	}
	free(b->folder);
	free(b);
}

void fl_api_backup(struct fl_call *call)
{
	const char *to = fl_request_argument(call->r, "to");
	struct backup *b;

	if (!to || *to != '/') {
		fl_api_fail(call, 400, "'to' is a folder that is to be made, from the root",
			    "POST /v1/backup?to=/var/backups/fairlead-monday");
		return;
	}
	b = calloc(1, sizeof *b);
	if (b)
		b->folder = strdup(to);
	if (!b || !b->folder) {
		free(b);
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	b->call = *call;
	b->work.data = b;
	uv_queue_work(call->api->options.loop, &b->work, backup_work, backup_done);
}
