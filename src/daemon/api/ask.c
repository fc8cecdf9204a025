/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask - explain, tree, plan, what-if: questions about the state, answered as the command does
 *
 * Short questions are answered in this process; long ones in a copy of it (child.c).
 */
#include "daemon/api/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/source.h"
#include "codec/text/quantity.h"
#include "daemon/api/child.h"
#include "daemon/engine/events.h"
#include "daemon/machine/past.h"
#include "daemon/machine/rows.h"
#include "daemon/machine/view.h"
#include "decide/image.h"
#include "tell/side.h"

enum { PLAN_CYCLES = 1, PLAN_MOST = 100000 };

static const char maker[] = "fairlead " FAIRLEAD_VERSION;

/* --- a question, and the format of the answer --- */

struct asking {
	struct fl_live_view view;
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

/* False: an error was answered. */
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
		.jobs = true,
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

/* Answered in this process, at once. */
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

/* The last preemption of a job, of which its events tell. */
struct preemption {
	const struct fl_call *call;
	struct fl_evicted evicted;
	char rule[64];
	bool found;
};

static int take_preemption(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct preemption *p = user;
	const struct fl_live *by = fl_core_job(p->call->api->core, row->by);

	(void)err;
	(void)snprintf(p->rule, sizeof p->rule, "%s", row->reason ? row->reason : "");
	p->found = true;
	p->evicted = (struct fl_evicted){
		.at = fl_api_wall(p->call->api, row->at),
		.reason = "Preempted",
		.preempted = true,
		.rule = p->rule,
		.uid = "",
		.job_uid = "",
		.job = row->by,
		.by = by && !fl_job_is_over(by->state) ? by->workload :
							 (struct fl_workload){ FL_NONE },
		.queue = by ? fl_core_queue(p->call->api->core, by) : "",
		.now = row->by ? FL_PREEMPTOR_GONE : FL_PREEMPTOR_UNKNOWN,
	};
	return 0;
}

/* @answer, which explains the job of @call, with what is known of its last preemption. */
static void with_preemption(struct fl_call *call, void (*answer)(struct fl_call *call))
{
	const struct fl_live *job = fl_core_job(call->api->core, call->job);

	const struct fl_event_filter filter = { .job = job->id,
						.kind = fl_happened_name(FL_HAPPENED_PREEMPTED),
						.limit = 1,
						.newest_first = true };
	struct preemption p = { .call = call };
	fairlead_error err = { 0 };

	if (job->evictions > 0 && fl_store_events(fl_core_store(call->api->core), &filter,
						  take_preemption, &p, &err) < 0) {
		fl_api_error(call, &err);
		return;
	}
	p.evicted.over = job->state == FL_JOB_STARTS || job->state == FL_JOB_RUNS;
	call->evicted = p.found ? &p.evicted : NULL;
	answer(call);
	call->evicted = NULL;
}

/* Whose jobs they are: a workload has the number of its job for a name. */
static int tell_owners(const struct fl_call *call, struct asking *a, const struct fl_live *job,
		       struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_core *core = call->api->core;
	const struct fl_model *m = a->view.model;
	uint32_t *owners = fl_arena_alloc(&a->arena, (size_t)m->n_workloads + 1, sizeof *owners,
					  err);

	if (!owners)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++) {
		const char *name = fl_model_text(m, m->workloads[w].name);
		const struct fl_live *other = fl_core_job(core, strtoull(name, NULL, 10));

		owners[w] = other ? other->uid : UINT32_MAX;
	}
	ret->owners = owners;
	ret->owner = fl_core_word(core, job->user);
	return 0;
}

static int explain(struct fl_call *call, FILE *out, fairlead_error *err)
{
	static const char *const words[] = { "fairlead", "what-if" };
	static const struct fl_report_trial trial = { .words = words, .n = 2, .of_queues = true };
	const struct fl_live *job = fl_core_job(call->api->core, call->job);
	struct fl_workload w = job->workload;
	struct fl_explain_machine machine;
	struct asking a;
	struct fl_eta eta;
	int code;

	asking_begin(&a, call, out);
	a.report.trial = &trial;
	a.q.machine = &machine;
	a.q.evicted = call->evicted;
	code = fl_live_view_machine(&a.view, &a.arena, &machine, err);
	if (code == 0)
		code = tell_owners(call, &a, job, &machine, err);
	if (code == 0 && call->past)
		code = fl_past_eta(call->past, call->api->core, call->job, &eta, err);
	if (code == 0)
		code = fl_tell_explain(&a.q, w, call->past ? &eta : NULL, err);
	asking_end(&a);
	return code;
}

static void explain_at_once(struct fl_call *call) { at_once(call, explain); }

static void explain_aside(struct fl_call *call) { fl_api_aside(call, type_of(call), explain); }

/* --- with a forecast: the past is read on a thread, then a copy of the process computes --- */

struct foretelling {
	struct fl_call call;
	uv_work_t work;
	struct fl_store *store;
	fl_time now;
	struct fl_past *past;
	int code;
	fairlead_error err;
};

static void read_past(uv_work_t *work)
{
	struct foretelling *f = work->data;

	f->code = fl_past_read(f->store, f->now, &f->past, &f->err);
}

static void has_read_past(uv_work_t *work, int status)
{
	struct foretelling *f = work->data;
	struct fl_call *call = &f->call;
	const struct fl_live *job = fl_core_job(call->api->core, call->job);

	(void)status;
	call->api->n_threads--;
	call->past = f->past;
	if (call->api->closed)
		fl_api_fail(call, 503, "the daemon is stopping", NULL);
	else if (f->code < 0)
		fl_api_error(call, &f->err);
	else if (!job || job->workload.v == FL_NONE || fl_job_is_over(job->state))
		fl_api_explain(call);
	else
		with_preemption(call, explain_aside);
	fl_past_free(f->past);
	free(f);
}

static void foretell(struct fl_call *call)
{
	struct foretelling *f;

	if (!fl_api_may_read(call))
		return;
	f = calloc(1, sizeof *f);
	if (!f) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	f->call = *call;
	f->work.data = f;
	f->store = fl_core_store(call->api->core);
	f->now = fl_clock_now(fl_core_clock(call->api->core));
	call->api->n_threads++;
	(void)uv_queue_work(call->api->options.loop, &f->work, read_past, has_read_past);
}

/* The job is in no policy: its reason, in one sentence, is all there is. */
static void explain_in_words(struct fl_call *call, enum fl_job_state state, uid_t owner,
			     const char *reason)
{
	char text[800], known[FL_LIVE_REASON];
	const char *why = fl_api_reason(call, owner, reason, known);

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
	explain_in_words(user, row->state, row->uid, row->reason ? row->reason : "");
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
		if (fl_api_row(call, explain_row, call, &err) < 0)
			fl_api_error(call, &err);
	} else if (job->workload.v == FL_NONE || fl_job_is_over(job->state)) {
		explain_in_words(call, job->state, job->uid,
				 fl_core_reason(core, job, reason, sizeof reason));
	} else if (fl_api_flag(call, "eta")) {
		foretell(call);
	} else {
		with_preemption(call, explain_at_once);
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

/* Checked before. */
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
	fl_api_fail(call, 400, "'cycles' must be at least 1", NULL);
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

/*
 * --- what if ---
 *
 * Changes of quotas, limits and weights are tried on the present policy; all others are laid over
 * the objects of the configuration, and tried on a generation of its own.
 */

struct trial {
	struct fl_changes changes;
	struct fl_model *edit;
	struct fl_config *config;
	struct fl_live_view view;
};

/* One on each line. */
static int name_sets(struct trial *t, const char *texts, fairlead_error *err)
{
	int code = 0;

	for (const char *end; *texts && code == 0; texts = end + (*end == '\n')) {
		char *text;

		end = strchrnul(texts, '\n');
		text = strndup(texts, (size_t)(end - texts));
		if (!text)
			return fl_fail_nomem(err);
		code = fl_changes_set(&t->changes, text, err);
		free(text);
	}
	return code == FAIRLEAD_ENOENT ? (err->code = FAIRLEAD_EINPUT) : code;
}

static int name_deletions(struct trial *t, const char *names, fairlead_error *err)
{
	int code = 0;

	for (const char *end; *names && code == 0; names = end + (*end == ',')) {
		char name[640];

		end = strchrnul(names, ',');
		(void)snprintf(name, sizeof name, "%.*s", (int)(end - names), names);
		code = fl_changes_delete(&t->changes, name, err);
	}
	return code == FAIRLEAD_ENOENT ? (err->code = FAIRLEAD_EINPUT) : code;
}

static int check_kinds(const struct trial *t, fairlead_error *err)
{
	for (uint32_t i = 0; i < t->changes.n; i++) {
		const char *kind = t->changes.rows[i].kind;

		if (!fl_config_leaves_out(kind) && strcmp(kind, "Daemon") != 0)
			continue;
		fl_fail(err, FAIRLEAD_EINPUT,
			"%s: what-if of a running daemon changes objects of its trees only",
			fl_change_name(&t->changes, i));
		fl_fail_hint(err, "for other kinds use manifests: fairlead what-if -f FILE");
		return FAIRLEAD_EINPUT;
	}
	return t->changes.n ? 0 : fl_fail(err, FAIRLEAD_EINPUT, "there are no changes in it");
}

static int read_changes(struct trial *t, const struct fl_call *call, fairlead_error *err)
{
	const char *deletions = fl_request_argument(call->r, "delete");
	const char *sets = fl_request_argument(call->r, "set");
	struct fl_text_source text = { call->r->body, call->r->body_len };
	int code = fl_changes_init(&t->changes, &fl_mem_heap, err);

	if (code == 0)
		code = fl_model_new(&fl_mem_heap, &t->edit, err);
	t->changes.merges = true;
	if (code == 0 && deletions)
		code = name_deletions(t, deletions, err);
	if (code == 0 && sets)
		code = name_sets(t, sets, err);
	if (code == 0 && call->r->body_len)
		code = fl_kube_read_from(t->edit, "change",
					 &(struct fl_source){ fl_text_read, &text },
					 &t->changes.collect, err);
	if (code == 0)
		code = fl_changes_collected(&t->changes, t->edit, err);
	return code < 0 ? code : check_kinds(t, err);
}

static void end_trial(struct trial *t)
{
	fl_changes_done(&t->changes);
	fl_model_free(t->edit);
	fl_config_free(t->config);
}

/* 1 when the changes take more than events. */
static int try_events(struct trial *t, const struct asking *a, const struct fl_tell_side *options,
		      fairlead_error *err)
{
	fairlead_error why = { 0 };
	int code = fl_changes_compare_sealed(&t->changes, a->q.model, t->edit, &why);

	if (code == 0)
		code = fl_tell_check_named(&t->changes, a->q.model, /* options= */ false, &why);
	if (code == 0)
		code = fl_tell_what_if(&a->q, /* after= */ NULL, options, &t->changes, t->edit,
				       err);
	else if (code == FAIRLEAD_ENOMEM)
		*err = why;
	else
		code = 1;
	return code;
}

static int try_generation(struct trial *t, struct fl_core *core, const struct asking *a,
			  const struct fl_tell_side *options, fairlead_error *err)
{
	const struct fl_config *config = fl_core_config(core);
	struct fl_report report = a->report;
	struct fl_question after = a->q;
	int code;

	fl_changes_forget(&t->changes);
	code = fl_config_changed(config, &t->changes, t->edit, &t->config, err);
	if (code == 0)
		code = fl_tell_check_named(&t->changes, fl_config_objects(config),
					   /* options= */ false, err);
	if (code == 0)
		code = fl_core_try(core, t->config, &t->view, err);
	if (code < 0)
		return code;
	report.model = after.model = t->view.model;
	report.fair = t->view.model->settings.fair_sharing;
	after.ops = t->view.ops;
	after.policy = t->view.policy;
	after.report = &report;
	return fl_tell_what_if(&a->q, &after, options, &t->changes, t->edit, err);
}

static int what_if(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_side options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, FL_MAX_CYCLES) };
	struct trial t = { 0 };
	struct asking a;
	int code = read_changes(&t, call, err);

	asking_begin(&a, call, out);
	if (code == 0)
		code = try_events(&t, &a, &options, err);
	if (code == 1)
		code = try_generation(&t, call->api->core, &a, &options, err);
	asking_end(&a);
	end_trial(&t);
	return code;
}

void fl_api_what_if(struct fl_call *call)
{
	if (call->r->body_len == 0 && !fl_request_argument(call->r, "delete") &&
	    !fl_request_argument(call->r, "set"))
		fl_api_fail(call, 400, "there are no changes in it",
			    "the body has objects, as YAML or JSON; 'delete' names objects to "
			    "delete, 'set' fields to set");
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
	struct fl_live_view view;

	fl_core_view(call->api->core, &view);

	const struct fl_state state = {
		.model = (struct fl_model *)(uintptr_t)view.model,
		.ops = view.ops,
		.policy = view.policy,
		.now = view.now,
	};

	return fl_state_save(&state, &(struct fl_image_output){ write_image, out }, maker, err);
}

void fl_api_snapshot(struct fl_call *call)
{
	fl_api_aside(call, "application/octet-stream", snapshot);
}
