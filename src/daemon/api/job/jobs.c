/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_json.h"
#include "codec/text/quantity.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/submit.h"
#include "daemon/machine/view.h"
#include "daemon/machine/wish.h"

enum { NOTES = 8 };

/* An answer that is sent when the change is durable. */
struct owed {
	struct fl_call call;
	json_t *notes; /* a warning to send with it; NULL: none */
};

static struct owed *owe(const struct fl_call *call, fairlead_error *err)
{
	struct owed *o = malloc(sizeof *o);

	if (!o)
		fl_fail_nomem(err);
	else
		*o = (struct owed){ .call = *call };
	return o;
}

static void owed_free(struct owed *o)
{
	if (o)
		json_decref(o->notes);
	free(o);
}

/* --- submit --- */

struct submission {
	struct fl_job_spec *specs;
	struct fl_job_document *documents;
	uint32_t n;
	struct fl_submitted_array array;
};

static void submission_done(struct submission *s)
{
	for (uint32_t i = 0; s->documents && i < s->n; i++)
		fl_job_document_done(&s->documents[i]);
	free(s->documents);
	free(s->specs);
}

static int submission_room(struct submission *s, size_t n, fairlead_error *err)
{
	if (n == 0)
		return fl_fail(err, FAIRLEAD_EINPUT, "there are no jobs in it");
	if (n > FL_API_SUBMIT)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d jobs in one request",
			       (int)FL_API_SUBMIT);
	s->specs = calloc(n, sizeof *s->specs);
	s->documents = calloc(n, sizeof *s->documents);
	return s->specs && s->documents ? 0 : fl_fail_nomem(err);
}

/* {"jobs": [...]}, or one spec. */
static int submission_read(struct submission *s, json_t *body, fairlead_error *err)
{
	json_t *jobs = json_object_get(body, "jobs");
	size_t n = jobs ? json_array_size(jobs) : 1;
	int code;

	if (jobs && (!json_is_array(jobs) || json_object_size(body) != 1))
		return fl_fail(err, FAIRLEAD_EINPUT, "'jobs' is a list, and stands alone");
	code = submission_room(s, n, err);
	for (size_t i = 0; i < n && code == 0; i++) {
		struct fl_job_document *d = &s->documents[i];

		code = fl_job_from_json(jobs ? json_array_get(jobs, i) : body, FL_JOB_SUBMITTED, d,
					err);
		if (code < 0) {
			if (jobs)
				fl_fail_in(err, "jobs[%zu]", i);
			return code;
		}
		s->n++;
		if (d->is_array && jobs)
			return fl_fail(err, FAIRLEAD_EINPUT,
				       "jobs[%zu]: an array is submitted alone", i);
		if (d->is_array)
			s->array = (struct fl_submitted_array){ d->copies, d->indexes };
		s->specs[i] = d->spec;
	}
	return code;
}

/* Jobs that ask for nothing would all run at once: a job without requests asks for one cpu. */
static int check_requests(struct fl_job_spec *spec, fairlead_error *err)
{
	fl_amount all = 0;

	if (spec->n_requests == 0)
		spec->requests[spec->n_requests++] = (struct fl_job_request){ .resource = "cpu",
									      .amount = 1000 };
	for (uint32_t i = 0; i < spec->n_requests; i++)
		all |= spec->requests[i].amount;
	if (all != 0)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the job asks for nothing");
	return fl_fail_hint(err, "say what one task needs, for example cpu=500m");
}

/* Sets the user, and checks that they may use the queue; many jobs are for the same queue. */
static int submission_check(const struct fl_call *call, struct submission *s, bool *ret_forbidden,
			    fairlead_error *err)
{
	const struct fl_principal *who = &call->r->who, behind = fl_principal_behind(who);
	struct fl_access *access = call->api->access;
	const char *last = NULL;

	for (uint32_t i = 0; i < s->n; i++) {
		struct fl_job_spec *spec = &s->specs[i];

		spec->uid = fl_principal_account(&behind);
		spec->gid = behind.gid;
		(void)snprintf(spec->user, sizeof spec->user, "%s",
			       fl_access_name(access, &behind));
		int code = check_requests(spec, err);

		if (code < 0)
			return code;
		if (!fl_api_may_have_priority(call, spec->priority, err)) {
			*ret_forbidden = true;
			return err->code;
		}
		if (last && strcmp(last, spec->queue) == 0)
			continue;
		last = spec->queue;
		if (!fl_api_may_use(call, spec->queue, err)) {
			*ret_forbidden = err->code == FAIRLEAD_ESTATE;
			return err->code;
		}
	}
	return 0;
}

/*
 * Taken all the same, as the machine may get more; but mostly it is a mistake, so it is a warning.
 */
static void note_request(struct owed *o, const struct fl_job_spec *spec,
			 const struct fl_job_request *request, const struct fl_capacity *there)
{
	bool cpu = strcmp(request->resource, "cpu") == 0;
	bool bytes = strcmp(request->resource, "memory") == 0;
	fl_amount asked = fl_sat_mul(request->amount, spec->tasks), most = 0;
	char text[400], a[32], b[32];
	bool known = false;

	for (uint32_t i = 0; i < there->n; i++)
		if (strcmp(there->rows[i].resource, request->resource) == 0) {
			most = fl_sat_add(most, there->rows[i].amount);
			known = true;
		}
	if (asked <= most || (!known && !fl_job_is_gpu(request->resource)))
		return;
	if (!known)
		(void)snprintf(text, sizeof text, "it asks for %s of %s, and this machine has none",
			       fl_quantity_format(a, asked, cpu, bytes), request->resource);
	else
		(void)snprintf(
			text, sizeof text,
			"it asks for %s of %s, and this machine has %s: it stays pending until "
			"the machine has more",
			fl_quantity_format(a, asked, cpu, bytes), request->resource,
			fl_quantity_format(b, most, cpu, bytes));
	if (!o->notes)
		o->notes = json_array();
	for (size_t i = 0; i < json_array_size(o->notes); i++)
		if (strcmp(json_string_value(json_array_get(o->notes, i)), text) == 0)
			return;
	json_array_append_new(o->notes, json_string(text));
}

static void take_notes(struct owed *o, const struct submission *s)
{
	const struct fl_backend_ops *ops;
	struct fl_host *host = fl_core_host(o->call.api->core, &ops);
	struct fl_capacity there;
	fairlead_error err;

	if (ops->capacity(host, &there, &err) < 0)
		return;
	for (uint32_t i = 0; i < s->n && json_array_size(o->notes) < NOTES; i++)
		for (uint32_t k = 0; k < s->specs[i].n_requests; k++)
			note_request(o, &s->specs[i], &s->specs[i].requests[k], &there);
}

static void submitted(void *user, const struct fl_reply *reply)
{
	struct owed *o = user;
	char subject[64];

	if (reply->code < 0) {
		fl_api_error(&o->call, reply->err);
	} else {
		const struct fl_submitted_answer answer = { reply->jobs, reply->n_jobs, o->notes };

		(void)snprintf(subject, sizeof subject,
			       reply->n_jobs == 1 ? "job %llu" : "jobs %llu to %llu",
			       (unsigned long long)reply->jobs[0],
			       (unsigned long long)reply->jobs[reply->n_jobs - 1]);
		fl_api_audit(&o->call, subject, 201);
		fl_api_answer(&o->call, 201, &fl_submitted_shape, &answer);
	}
	owed_free(o);
}

void fl_api_submit(struct fl_call *call)
{
	struct submission s = { 0 };
	fairlead_error err = { 0 };
	json_t *body = NULL;
	bool forbidden = false;
	struct owed *o = owe(call, &err);
	int code = o ? fl_job_json_load(call->r->body, call->r->body_len, &body, &err) :
		       FAIRLEAD_ENOMEM;

	if (code == 0)
		code = submission_read(&s, body, &err);
	if (code == FAIRLEAD_ELIMIT) /* a limit of one request: it will be refused again */
		err.code = FAIRLEAD_EINPUT;
	if (code == 0)
		code = submission_check(call, &s, &forbidden, &err);
	if (code == 0)
		take_notes(o, &s);
	if (code == 0)
		code = fl_core_submit(call->api->core, s.specs, s.n, s.array.n ? &s.array : NULL,
				      submitted, o, &err);
	json_decref(body);
	submission_done(&s);
	if (code == 0)
		return;
	owed_free(o);
	if (forbidden)
		fl_api_fail(call, 403, err.text, err.hint);
	else
		fl_api_error(call, &err);
}

/* --- cancel, hold, release, priority --- */

/* The job is in the store only, as it ended long ago. */
static void refuse_old(const struct fl_call *call)
{
	char text[64];

	(void)snprintf(text, sizeof text, "job %llu has ended", (unsigned long long)call->job);
	fl_api_fail(call, 409, text, NULL);
}

static void wished(void *user, const struct fl_reply *reply)
{
	struct owed *o = user;

	if (reply->code == FAIRLEAD_ENOENT) {
		refuse_old(&o->call);
	} else if (reply->code < 0) {
		fl_api_error(&o->call, reply->err);
	} else {
		const struct fl_job_change change = { o->call.job, fl_job_state_name(reply->state),
						      NULL };

		fl_api_audit(&o->call, NULL, 200);
		fl_api_answer(&o->call, 200, &fl_job_change_shape, &change);
	}
	owed_free(o);
}

static void wish(const struct fl_call *call, enum fl_wish wish, int32_t value)
{
	fairlead_error err = { 0 };
	struct fl_core *core = call->api->core;
	struct owed *o = owe(call, &err);
	struct fl_wishing w = {
		.wish = wish,
		.who = { fl_access_name(call->api->access, &call->r->who), fl_api_is_admin(call) },
		.value = value,
		.budget = FL_WISH_BUDGET,
	};
	int code = o ? fl_core_check_wish(core, &w, call->job, &err) : FAIRLEAD_ENOMEM;

	if (code == 0)
		code = fl_core_wish(core, &w, &call->job, 1, wished, o, &err);
	if (code == 0)
		return;
	owed_free(o);
	fl_api_error(call, &err);
}

void fl_api_cancel(struct fl_call *call) { wish(call, FL_WISH_CANCEL, 0); }
void fl_api_hold(struct fl_call *call)
{
	wish(call, fl_api_flag(call, "stop") ? FL_WISH_STOP : FL_WISH_HOLD, 0);
}
void fl_api_release(struct fl_call *call) { wish(call, FL_WISH_RELEASE, 0); }

void fl_api_priority(struct fl_call *call)
{
	const char *text = fl_request_argument(call->r, "value");
	fairlead_error err = { 0 };
	char *end = NULL;
	long value = text ? strtol(text, &end, 10) : 0;

	if (!text || !*text || *end || strchr(" \t\n+", *text) || value < INT32_MIN ||
	    value > INT32_MAX)
		fl_api_fail(call, 400,
			    "'value' must be a whole number from -2147483648 to 2147483647", NULL);
	else if (!fl_api_may_have_priority(call, (int32_t)value, &err))
		fl_api_fail(call, 403, err.text, err.hint);
	else
		wish(call, FL_WISH_PRIORITY, (int32_t)value);
}

/* --- acknowledge, reload --- */

static void acknowledged(void *user, const struct fl_reply *reply)
{
	struct owed *o = user;

	if (reply->code < 0) {
		fl_api_error(&o->call, reply->err);
	} else {
		fl_api_audit(&o->call, "warning", 200);
		fl_api_json(&o->call, 200, json_pack("{s:s}", "status", "acknowledged"));
	}
	owed_free(o);
}

void fl_api_acknowledge(struct fl_call *call)
{
	const char *who = fl_access_name(call->api->access, &call->r->who);
	fairlead_error err = { 0 };
	struct owed *o = owe(call, &err);
	int code = o ? fl_core_acknowledge(call->api->core, who, acknowledged, o, &err) :
		       FAIRLEAD_ENOMEM;

	if (code == 0)
		return;
	owed_free(o);
	fl_api_error(call, &err);
}

/* The first few warnings; the log has all. */
static void warned(void *user, const char *line)
{
	enum { MOST = 1000 };
	struct owed *o = user;

	if (!o->notes)
		o->notes = json_array();
	if (json_array_size(o->notes) < MOST)
		(void)json_array_append_new(o->notes, json_string(line));
}

static void reloaded(void *user, const struct fl_reply *reply)
{
	struct owed *o = user;

	if (reply->code < 0) {
		fl_api_error(&o->call, reply->err);
	} else {
		fl_api_audit(&o->call, "configuration", 200);
		fl_api_json(&o->call, 200,
			    json_pack("{s:s, s:o}", "status", "reloaded", "warnings",
				      o->notes ? json_incref(o->notes) : json_array()));
	}
	owed_free(o);
}

void fl_api_reload(struct fl_call *call)
{
	fairlead_error err = { 0 };
	struct owed *o = owe(call, &err);
	const char *who = fl_access_name(call->api->access, &call->r->who);
	int code = o ? fl_core_reload(call->api->core, who, warned, reloaded, o, &err) :
		       FAIRLEAD_ENOMEM;

	if (code == 0)
		return;
	owed_free(o);
	fl_api_error(call, &err);
}
