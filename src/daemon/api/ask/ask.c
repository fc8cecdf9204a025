/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask - explain, tree, plan, what-if: questions about the state, answered as the command does
 *
 * Short questions are answered in this process; long ones in a copy of it (child.c).
 */
#include "daemon/api/ask/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/source.h"
#include "codec/text/quantity.h"
#include "daemon/api/ask/child.h"
#include "daemon/api/ask/foretell.h"
#include "daemon/api/ask/trial.h"
#include "daemon/api/configuration.h"
#include "daemon/api/sees.h"
#include "daemon/api/version.h"
#include "daemon/config/difference.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/events.h"
#include "daemon/history/past.h"
#include "daemon/machine/rows.h"
#include "decide/image.h"
#include "store/store.h"
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
	fl_daemon_view(call->api->daemon, &a->view);
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
		.jobs = call->api->core != NULL,
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
	if (fl_api_is_known(call)) {
		free(text);
		return;
	}
	fl_api_tag_state(call);
	fl_exchange_give(call->x, 200, type_of(call), text, len);
}

/* --- explain --- */

/* The last preemption of a job, of which its events tell; of a cluster the last eviction, of which its object does. */
struct preemption {
	const struct fl_call *call;
	struct fl_evicted evicted;
	char reason[64], rule[64];
	bool found;
};

static int take_last(struct preemption *p, const struct fl_live *job, fairlead_error *err)
{
	const struct fl_daemon *d = p->call->api->daemon;
	struct fl_last_eviction last;
	int r = d->ops->last_eviction ? d->ops->last_eviction(d, job, &last, err) : 0;

	if (r <= 0)
		return r;
	memcpy(p->reason, last.reason, sizeof p->reason);
	memcpy(p->rule, last.rule, sizeof p->rule);
	p->found = true;
	/* The name of the preemptor is that of the view, which hides what the caller may not see. */
	p->evicted = (struct fl_evicted){
		.at = last.at,
		.reason = p->reason,
		.preempted = last.preempted,
		.rule = p->rule,
		.uid = "",
		.job_uid = "",
		.by = last.by,
		.queue = "",
		.now = last.for_one ? FL_PREEMPTOR_GONE : FL_PREEMPTOR_UNKNOWN,
	};
	return 1;
}

static int take_preemption(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	struct preemption *p = user;
	const struct fl_live *by = fl_daemon_job(p->call->api->daemon, row->by);

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
		.queue = by ? fl_daemon_queue(p->call->api->daemon, by) : "",
		.now = row->by ? FL_PREEMPTOR_GONE : FL_PREEMPTOR_UNKNOWN,
	};
	return 0;
}

/* @answer, which explains the job of @call, with what is known of its last preemption. */
static void with_preemption(struct fl_call *call, void (*answer)(struct fl_call *call))
{
	const struct fl_live *job = fl_daemon_job(call->api->daemon, call->job);

	const struct fl_event_filter filter = { .job = job->id,
						.kind = fl_happened_name(FL_HAPPENED_PREEMPTED),
						.limit = 1,
						.newest_first = true };
	struct preemption p = { .call = call };
	fairlead_error err = { 0 };
	int r = take_last(&p, job, &err);

	if (r == 0 && job->evictions > 0)
		r = fl_store_events(call->api->daemon->store, &filter, take_preemption, &p, &err);
	if (r < 0) {
		fl_api_error(call, &err);
		return;
	}
	p.evicted.over = job->state == FL_JOB_STARTS || job->state == FL_JOB_RUNS;
	call->evicted = p.found ? &p.evicted : NULL;
	answer(call);
	call->evicted = NULL;
}

/* Whose jobs they are, of those that may hold quota and of the one that is explained. */
static int tell_owners(const struct fl_call *call, struct asking *a, const struct fl_live *job,
		       struct fl_explain_machine *ret, fairlead_error *err)
{
	const struct fl_daemon *daemon = call->api->daemon;
	const struct fl_model *m = a->view.model;
	uint32_t *owners = fl_arena_alloc(&a->arena, (size_t)m->n_workloads + 1, sizeof *owners,
					  err);

	if (!owners)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		owners[w] = UINT32_MAX;
	for (uint32_t i = 0; i < a->view.n_jobs; i++) {
		const struct fl_live *other = &a->view.jobs[i];

		if (other->workload.v != FL_NONE && (other == job || !fl_live_is_pending(other)))
			owners[other->workload.v] = other->uid;
	}
	ret->owners = owners;
	ret->owner = fl_daemon_word(daemon, job->user);
	return 0;
}

static int explain(struct fl_call *call, FILE *out, fairlead_error *err)
{
	static const char *const words[] = { "fairlead", "what-if" };
	static const struct fl_report_trial trial = { .words = words, .n = 2, .of_queues = true };
	const struct fl_live *job = fl_daemon_job(call->api->daemon, call->job);
	struct fl_workload w = job->workload;
	struct fl_explain_machine machine;
	struct asking a;
	struct fl_eta eta;
	int code;

	asking_begin(&a, call, out);
	a.report.trial = &trial;
	a.q.machine = &machine;
	a.q.evicted = call->evicted;
	code = fl_api_hide(call, &a.view, err);
	if (code == 0)
		code = fl_live_view_machine(&a.view, &a.arena, &machine, err);
	if (code == 0 && call->api->core)
		code = tell_owners(call, &a, job, &machine, err);
	if (code == 0 && call->past)
		code = fl_past_foretell(call->past, &a.view,
					call->api->daemon->ops->jobs(call->api->daemon), call->job,
					&eta, err);
	if (code == 0)
		code = fl_tell_explain(&a.q, w, call->past ? &eta : NULL, err);
	asking_end(&a);
	return code;
}

static void explain_at_once(struct fl_call *call) { at_once(call, explain); }

static void explain_aside(struct fl_call *call) { fl_api_aside(call, type_of(call), explain); }

static void explain_with_past(struct fl_call *call)
{
	const struct fl_live *job = fl_daemon_job(call->api->daemon, call->job);

	if (!job || job->workload.v == FL_NONE || fl_job_is_over(job->state))
		fl_api_explain(call);
	else
		with_preemption(call, explain_aside);
}

/* The job is in no policy: its reason, in one sentence, is all there is. */
static void explain_in_words(struct fl_call *call, enum fl_job_state state, uint32_t uid,
			     const char *queue, const char *reason)
{
	char text[800], known[FL_LIVE_REASON];
	const char *why = fl_api_reason(call, uid, queue, reason, known);

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
	explain_in_words(user, row->state, row->uid, row->queue, row->reason ? row->reason : "");
	return 0;
}

void fl_api_explain(struct fl_call *call)
{
	const struct fl_daemon *daemon = call->api->daemon;
	const struct fl_live *job = fl_daemon_job(daemon, call->job);
	fairlead_error err = { 0 };
	char reason[600];

	if (!check_format(call))
		return;
	if (job && call->sees && job->workload.v != FL_NONE && !fl_job_is_over(job->state)) {
		explain_aside(call);
		return;
	}
	if (!job) {
		if (fl_api_row(call, explain_row, call, &err) < 0)
			fl_api_error(call, &err);
	} else if (job->workload.v == FL_NONE || fl_job_is_over(job->state)) {
		explain_in_words(call, job->state, job->uid, fl_daemon_word(daemon, job->queue),
				 fl_daemon_reason(daemon, job, reason, sizeof reason));
	} else if (fl_api_flag(call, "eta")) {
		fl_api_foretell(call, explain_with_past);
	} else {
		with_preemption(call, explain_at_once);
	}
}

/* As policies name the jobs of a machine: "default/17". 0: it is no number. */
static uint64_t number_of(const char *name)
{
	return strspn(name, "0123456789") == strlen(name) && strlen(name) < 20 ?
		       strtoull(name, NULL, 10) :
		       0;
}

/* Of the Workloads of a Job the newest; NULL: there is none. */
static const struct fl_live *workload_of_job(const struct fl_daemon *d, const char *namespace,
					     const char *job)
{
	const struct fl_live *ret = NULL;
	struct fl_live_view view;

	fl_daemon_view(d, &view);
	for (uint32_t i = 0; i < view.n_jobs; i++) {
		const struct fl_live *of = &view.jobs[i];
		const struct fl_workload_row *row;

		if (of->workload.v == FL_NONE || fl_job_is_over(of->state))
			continue;
		row = &view.model->workloads[of->workload.v];
		if (row->owner_job.v != FL_NONE &&
		    strcmp(fl_model_text(view.model, row->owner_job), job) == 0 &&
		    strcmp(fl_model_text(view.model, row->namespace), namespace) == 0)
			ret = of;
	}
	return ret;
}

void fl_api_explain_workload(struct fl_call *call)
{
	const struct fl_daemon *d = call->api->daemon;
	char namespace[FL_API_NAME], name[FL_API_NAME];
	const struct fl_live *job;

	fl_api_name_in_path(call, 0, namespace);
	fl_api_name_in_path(call, 1, name);
	if (d->ops->find) {
		job = fl_api_flag(call, "job") ? workload_of_job(d, namespace, name) :
						 d->ops->find(d, namespace, name);
		call->job = job ? job->id : 0;
	} else {
		call->job = number_of(name);
	}
	if (call->job)
		fl_api_explain(call);
	else if (d->ops->find)
		fl_api_fail(call, 404, "there is no such Workload, or it has finished", NULL);
	else
		fl_api_fail(call, 404, "this daemon runs jobs, and knows them by their numbers",
			    NULL);
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
	/* A node may not be there. */
	if (check_format(call) && (fl_request_argument(call->r, "node") || !fl_api_is_known(call)))
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
	fl_time interval = fl_daemon_settings_of(call->api->daemon)->cycle_interval;

	return interval > 0 ? interval : FL_SECOND;
}

static int plan(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_plan options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, PLAN_CYCLES) };
	struct asking a;
	bool ok;

	asking_begin(&a, call, out);

	int code = fl_api_hide(call, &a.view, err);

	if (code == 0)
		code = fl_tell_plan(&a.q, &options, &ok, err);

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
 * Changes of quotas, limits and weights are tried on the present policy, and what queues are given is
 * taken from the machine's cohort; all others are laid over the objects of the configuration, and
 * tried on a generation of its own.
 */

/* 1 when the changes take more than events. */
static int try_events(struct fl_api_trial *t, const struct asking *a,
		      const struct fl_tell_side *options, fairlead_error *err)
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

static int try_generation(struct fl_api_trial *t, struct fl_daemon *daemon, const struct asking *a,
			  const struct fl_tell_side *options, fairlead_error *err)
{
	struct fl_report report = a->report;
	struct fl_question after = a->q;
	struct fl_live_view view;
	int code = fl_api_trial_config(t, daemon, err);

	if (code == 0)
		code = fl_daemon_try(daemon, t->config, &view, err);
	if (code < 0)
		return code;
	report.model = after.model = view.model;
	report.fair = view.model->settings.fair_sharing;
	after.ops = view.ops;
	after.policy = view.policy;
	after.report = &report;
	return fl_tell_what_if(&a->q, &after, options, &t->changes, t->edit, err);
}

static int what_if(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_side options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, FL_MAX_CYCLES) };
	struct fl_explain_machine machine;
	struct fl_api_trial t = { 0 };
	struct asking a;
	int code = fl_api_trial_read(&t, call, err);

	asking_begin(&a, call, out);
	a.q.machine = &machine;
	if (code == 0)
		code = fl_live_view_machine(&a.view, &a.arena, &machine, err);
	if (code == 0)
		code = try_events(&t, &a, &options, err);
	if (code == 1)
		code = try_generation(&t, call->api->daemon, &a, &options, err);
	asking_end(&a);
	fl_api_trial_done(&t);
	return code;
}

void fl_api_what_if(struct fl_call *call)
{
	if (!fl_api_has_changes(call))
		fl_api_fail(call, 400, "there are no changes in it",
			    "the body has objects, as YAML or JSON; 'delete' names objects to "
			    "delete, 'set' fields to set");
	else if (check_format(call) && check_cycles(call))
		fl_api_aside(call, type_of(call), what_if);
}

/* --- the same of a whole configuration --- */

static int list_differing(const struct fl_differing *d, struct fl_arena *arena,
			  struct fl_what_if_change **ret, fairlead_error *err)
{
	struct fl_what_if_change *list = fl_arena_alloc(arena, (size_t)d->n + 1, sizeof *list, err);

	if (!list)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < d->n; i++)
		list[i] = (struct fl_what_if_change){ .what = d->rows[i].what,
						      .object = d->rows[i].object,
						      .file = d->rows[i].file,
						      .line = d->rows[i].line };
	*ret = list;
	return 0;
}

static int difference(struct fl_call *call, FILE *out, fairlead_error *err)
{
	const struct fl_tell_side options = { .interval = interval_of(call),
					      .cycles = cycles_of(call, FL_MAX_CYCLES) };
	struct fl_daemon *daemon = call->api->daemon;
	struct fl_differing differing = { 0 };
	struct fl_what_if_change *list = NULL;
	struct fl_config *wanted = NULL;
	struct fl_live_view view;
	struct asking a;
	int code = fl_api_configuration_read(call, &wanted, err);

	asking_begin(&a, call, out);
	if (code == 0)
		code = fl_differing_read(fl_daemon_config(daemon), wanted, &differing, err);
	if (code == 0)
		code = list_differing(&differing, &a.arena, &list, err);
	if (code == 0)
		code = fl_daemon_try(daemon, wanted, &view, err);
	if (code == 0) {
		struct fl_report report = a.report;
		struct fl_question after = a.q;

		report.model = after.model = view.model;
		report.fair = view.model->settings.fair_sharing;
		after.ops = view.ops;
		after.policy = view.policy;
		after.report = &report;
		code = fl_tell_difference(&a.q, &after, &options, list, differing.n, err);
	}
	asking_end(&a);
	fl_differing_done(&differing);
	fl_config_free(wanted);
	return code;
}

void fl_api_configuration_difference(struct fl_call *call)
{
	if (check_format(call) && check_cycles(call))
		fl_api_aside(call, type_of(call), difference);
}

/* --- snapshot --- */

static int write_image(void *user, const void *bytes, size_t n, fairlead_error *err)
{
	return fwrite(bytes, 1, n, user) == n ? 0 : fl_fail_nomem(err);
}

static int snapshot(struct fl_call *call, FILE *out, fairlead_error *err)
{
	struct fl_live_view view;

	fl_daemon_view(call->api->daemon, &view);

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
