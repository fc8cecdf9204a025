/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_ask - explain, tree, plan, what-if: questions about the state, answered as the command does
 *
 * What is found out at once is found out here; the rest aside (api_child.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/quantity.h"
#include "daemon/api_parts.h"
#include "decide/image.h"
#include "tell/tell.h"

enum { PLAN_CYCLES = 1, PLAN_MOST = 100000 };

static const char maker[] = "fairlead " FAIRLEAD_VERSION;

/* --- a question, and how the answer is to look --- */

struct asking {
	struct fl_core_view view;
	struct fl_report report;
	struct fl_arena arena;
	struct fl_question q;
};

static bool is_json(const struct fl_call *call)
{
	const char *format = fl_request_argument(call->r, "format");

	return format && strcmp(format, "json") == 0;
}

static const char *type_of(const struct fl_call *call)
{
	return is_json(call) ? NULL : "text/plain; charset=utf-8";
}

/* False: it was answered. */
static bool check_format(const struct fl_call *call)
{
	const char *format = fl_request_argument(call->r, "format");
	uint64_t width;

	if (!fl_api_number(call, "width", 0, 10000, &width))
		return false;
	if (!format || strcmp(format, "text") == 0 || strcmp(format, "json") == 0)
		return true;
	fl_api_fail(call, 400, "'format' is text or json", NULL);
	return false;
}

static void asking_begin(struct asking *a, const struct fl_call *call, FILE *out)
{
	const char *width = fl_request_argument(call->r, "width");

	*a = (struct asking){ 0 };
	fl_core_view(call->api->core, &a->view);
	fl_arena_init(&a->arena, &fl_mem_heap);
	a->report = (struct fl_report){
		.out = out,
		.model = a->view.model,
		.mem = &fl_mem_heap,
		.quantity = fl_quantity_format,
		.width = width ? (unsigned)strtoul(width, NULL, 10) : 0,
		.color = fl_api_flag(call, "color") && !is_json(call),
		.fair = a->view.model->settings.fair_sharing,
		.all = fl_api_flag(call, "all"),
	};
	a->q = (struct fl_question){
		.model = a->view.model,
		.ops = a->view.ops,
		.policy = a->view.policy,
		.now = a->view.now,
		.report = &a->report,
		.json = is_json(call),
		.arena = &a->arena,
	};
}

static void asking_end(struct asking *a) { fl_arena_done(&a->arena); }

/* Found out here and now. */
static void at_once(struct fl_call *call,
		    int (*make)(struct fl_call *call, FILE *out, fairlead_error *err))
{
	fairlead_error err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int code = out ? make(call, out, &err) : fl_fail_nomem(&err);

	if (out && fclose(out) != 0 && code == 0)
		code = fl_fail_nomem(&err);
	if (code < 0) {
		free(text);
		fl_api_error(call, &err);
		return;
	}
	fl_exchange_give(call->x, 200, type_of(call), text, len);
}

/* --- explain --- */

static int explain(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_live *job = fl_core_job(call->api->core, call->job);
	bool with_eta = fl_api_flag(call, "eta");
	struct asking a;
	struct fl_eta eta;
	int code = 0;

	asking_begin(&a, call, out);
	if (with_eta)
		code = fl_tell_eta(&a.q, /* again= */ NULL, job->workload, &eta, err);
	if (code == 0)
		code = fl_tell_explain(&a.q, job->workload, with_eta ? &eta : NULL, err);
	asking_end(&a);
	return code;
}

/* It is in no policy: what there is to say stands in one sentence. */
static void explain_in_words(struct fl_call *call, enum fl_job_state state, const char *why)
{
	char text[800];

	if (is_json(call)) {
		fl_api_json(call, 200,
			    json_pack("{s:I, s:s, s:s}", "job", (json_int_t)call->job, "state",
				      fl_job_state_name(state), "message", why));
		return;
	}
	(void)snprintf(text, sizeof text, "job %llu: %s%s%s\n", (unsigned long long)call->job,
		       fl_job_state_name(state), *why ? ", " : "", why);
	fl_exchange_answer(call->x, 200, type_of(call), text, strlen(text));
}

static int explain_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	explain_in_words(user, row->state, row->reason ? row->reason : "");
	return 0;
}

void fl_api_explain(struct fl_call *call)
{
	const struct fl_core *core = call->api->core;
	const struct fl_live *job = fl_core_job(core, call->job);
	fairlead_error err = { 0 };
	char reason[600];

	if (!check_format(call))
		return;
	if (!job) {
		if (fl_store_job(fl_core_store(core), call->job, explain_row, call, &err) < 0)
			fl_api_error(call, &err);
	} else if (job->workload.v == FL_NONE || fl_job_is_over(job->state)) {
		explain_in_words(call, job->state,
				 fl_core_reason(core, job, reason, sizeof reason));
	} else if (fl_api_flag(call, "eta")) {
		fl_api_aside(call, type_of(call), explain);
	} else {
		at_once(call, explain);
	}
}

/* --- tree --- */

static int tree(struct fl_call *call, FILE *out, fairlead_error *err)
{
	struct asking a;

	asking_begin(&a, call, out);

	int code = fl_tell_tree(&a.q, fl_request_argument(call->r, "node"), err);

	asking_end(&a);
	return code;
}

void fl_api_tree(struct fl_call *call)
{
	if (check_format(call))
		at_once(call, tree);
}

/* --- plan --- */

/* Looked at before. */
static uint32_t cycles_of(const struct fl_call *call, uint32_t def)
{
	const char *text = fl_request_argument(call->r, "cycles");

	return text ? (uint32_t)strtoul(text, NULL, 10) : def;
}

static bool check_cycles(const struct fl_call *call)
{
	uint64_t cycles;

	if (!fl_api_number(call, "cycles", 1, PLAN_MOST, &cycles))
		return false;
	if (cycles > 0)
		return true;
	fl_api_fail(call, 400, "'cycles' is at least 1", NULL);
	return false;
}

static fl_time interval_of(const struct fl_call *call)
{
	fl_time interval = fl_core_settings(call->api->core)->cycle_interval;

	return interval > 0 ? interval : FL_SECOND;
}

static int plan(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_plan options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, PLAN_CYCLES) };
	struct asking a;
	bool ok;

	asking_begin(&a, call, out);

	int code = fl_tell_plan(&a.q, &options, &ok, err);

	asking_end(&a);
	return code;
}

void fl_api_plan(struct fl_call *call)
{
	if (check_format(call) && check_cycles(call))
		fl_api_aside(call, type_of(call), plan);
}

/* --- what if --- */

static int what_if(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_side options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, FL_MAX_CYCLES) };
	struct asking a;

	asking_begin(&a, call, out);

	int code = fl_tell_what_if(&a.q, &options, call->r->body, call->r->body_len, err);

	asking_end(&a);
	return code;
}

void fl_api_what_if(struct fl_call *call)
{
	if (fl_request_argument(call->r, "delete"))
		fl_api_fail(call, 400,
			    "a running daemon can be asked about quotas, limits and weights only",
			    "ask of manifests instead: fairlead what-if -f");
	else if (call->r->body_len == 0)
		fl_api_fail(call, 400, "there are no changes in it",
			    "the body is objects, as YAML or JSON");
	else if (check_format(call) && check_cycles(call))
		fl_api_aside(call, type_of(call), what_if);
}

/* --- snapshot --- */

static int write_image(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	return fwrite(bytes, 1, n, user) == n ? 0 : fl_fail_nomem(err);
}

static int snapshot(struct fl_call *call, FILE *out, fairlead_error *err)
{
	struct fl_core_view view;

	fl_core_view(call->api->core, &view);

	const struct fl_state state = {
		.model = (struct fl_model *)(uintptr_t)view.model,
		.ops = view.ops,
		.policy = view.policy,
		.now = view.now,
	};

	return fl_state_save(&state, &(struct fl_image_sink){ write_image, out }, maker, err);
}

void fl_api_snapshot(struct fl_call *call)
{
	fl_api_aside(call, "application/octet-stream", snapshot);
}
