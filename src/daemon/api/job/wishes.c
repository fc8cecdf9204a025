/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/wishes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/job/job_word.h"
#include "daemon/api/job/select.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/view.h"

/* What is asked for, and the answer that is owed. */
struct asking {
	struct fl_call call;
	json_t *body; /* has the texts of the selection */
	struct fl_selection found;
	struct fl_wishing wish;
	struct fl_job_update update;
	char who[256];
};

static struct asking *asking_free(struct asking *a)
{
	if (a) {
		fl_selection_done(&a->found);
		json_decref(a->body);
	}
	free(a);
	return NULL;
}

/* --- what each of them takes beside the selection --- */

static const char *const selecting[] = { "jobs", "queue", "user", "name", "state", "after" };

static int fail_key(const char *key, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "there is no field '%.60s' in this request", key);
	return fl_fail_hint(err, "doc/guide/api.md lists the fields");
}

/* @own: names of the fields of this request alone, with blanks around each. */
static int check_keys(json_t *body, const char *own, fairlead_error *err)
{
	const char *key;
	json_t *value;

	if (!json_is_object(body))
		return fl_fail(err, FAIRLEAD_EINPUT, "the request must be a JSON object");
	json_object_foreach(body, key, value)
	{
		char word[40];
		size_t i = 0;

		(void)snprintf(word, sizeof word, " %.36s ", key);
		while (i < sizeof selecting / sizeof *selecting && strcmp(selecting[i], key) != 0)
			i++;
		if (i == sizeof selecting / sizeof *selecting && !strstr(own, word))
			return fail_key(key, err);
	}
	return 0;
}

static int take_signal(struct asking *a, fairlead_error *err)
{
	json_t *signal = json_object_get(a->body, "signal");
	const char *text = json_string_value(signal);
	int number = 0, r;

	if (!signal)
		return 0;
	if (!text)
		return fl_fail(err, FAIRLEAD_EINPUT, "'signal' must be the name of a signal");
	r = fl_job_signal_read(text, &number, err);
	a->wish.wish = FL_WISH_SIGNAL;
	a->wish.value = number;
	return r;
}

static int take_hold(struct asking *a, fairlead_error *err)
{
	json_t *stop = json_object_get(a->body, "stop");
	json_t *reason = json_object_get(a->body, "reason"), *update;
	int r;

	if (stop && !json_is_boolean(stop))
		return fl_fail(err, FAIRLEAD_EINPUT, "'stop' must be true or false");
	if (json_is_true(stop))
		a->wish.wish = FL_WISH_STOP;
	if (!reason)
		return 0;
	update = json_pack("{s:O}", "holdReason", reason);
	r = update ? fl_job_update_from_json(update, FL_JOB_SUBMITTED, &a->update, err) :
		     fl_fail_nomem(err);
	a->wish.update = &a->update;
	json_decref(update);
	return r;
}

/* *ret: the status if not that of the code; 0. */
static int take_update(struct asking *a, unsigned *ret_status, fairlead_error *err)
{
	json_t *set = json_object_get(a->body, "set");
	int r = set ? fl_job_update_from_json(set, FL_JOB_SUBMITTED, &a->update, err) :
		      fl_fail(err, FAIRLEAD_EINPUT, "'set' is missing: what is to change");

	a->wish.update = &a->update;
	if (r < 0)
		return r;
	if (fl_job_updates(&a->update, FL_JOB_F_PRIORITY) &&
	    !fl_api_may_have_priority(&a->call, a->update.spec.priority, err))
		*ret_status = 403;
	else if (fl_job_updates(&a->update, FL_JOB_F_QUEUE) &&
		 !fl_api_may_use(&a->call, a->update.spec.queue, err))
		*ret_status = err->code == FAIRLEAD_ESTATE ? 403 : 404;
	return *ret_status ? err->code : 0;
}

/* --- the answer --- */

static void fill(const struct asking *a, const int *results, struct fl_job_change *changes,
		 struct fl_job_changes_answer *ret)
{
	const struct fl_daemon *daemon = a->call.api->daemon;
	uint32_t row = 0;

	for (uint32_t i = 0; i < a->found.n; i++) {
		const struct fl_selected *s = &a->found.rows[i];
		int result = s->refused ? FAIRLEAD_ESTATE : results ? results[row++] : 0;
		const struct fl_live *job = fl_daemon_job(daemon, s->job);

		changes[i] = (struct fl_job_change){ .job = s->job };
		if (result < 0)
			changes[i].error = s->refused ? s->refused : fl_core_refusal(result);
		else
			changes[i].state = fl_job_state_name(job ? job->state : FL_JOB_CANCELLED);
		ret->done += result == 0;
		ret->refused += result < 0;
	}
	*ret = (struct fl_job_changes_answer){ .changes = changes,
					       .n = a->found.n,
					       .done = ret->done,
					       .refused = ret->refused,
					       .only = a->found.own ? a->who : NULL,
					       .go_on = a->found.more ? a->found.last : 0 };
}

static void answer(const struct asking *a, const int *results)
{
	struct fl_job_change *changes = calloc((size_t)a->found.n + 1, sizeof *changes);
	struct fl_job_changes_answer all = { 0 };
	char subject[400];

	if (!changes) {
		fl_api_fail(&a->call, 503, "out of memory", NULL);
		return;
	}
	fill(a, results, changes, &all);
	fl_api_audit(&a->call, fl_selection_text(&a->found, subject, sizeof subject), 200);
	fl_api_answer(&a->call, 200, &fl_job_changes_shape, &all);
	free(changes);
}

static void done(void *user, const struct fl_reply *reply)
{
	struct asking *a = user;

	if (!reply->results)
		fl_api_error(&a->call, reply->err);
	else
		answer(a, reply->results);
	asking_free(a);
}

/* --- the request --- */

static int take(struct asking *a, unsigned *ret_status, fairlead_error *err)
{
	switch (a->wish.wish) {
	case FL_WISH_CANCEL:
		return take_signal(a, err);
	case FL_WISH_HOLD:
		return take_hold(a, err);
	case FL_WISH_UPDATE:
		return take_update(a, ret_status, err);
	default:
		return 0;
	}
}

/* 0: *a is answered later, or was answered. */
static int ask(struct asking *a, const char *keys, unsigned *ret_status, fairlead_error *err)
{
	uint64_t *jobs;
	uint32_t n = 0;
	int r;

	if ((r = check_keys(a->body, keys, err)) < 0 ||
	    (r = fl_selection_read(&a->call, a->body, &a->found, err)) < 0 ||
	    (r = take(a, ret_status, err)) < 0 ||
	    (r = fl_selection_find(&a->call, &a->found, &a->wish, err)) < 0)
		return r;
	if (a->found.n == a->found.n_refused) {
		answer(a, NULL);
		asking_free(a);
		return 0;
	}
	jobs = calloc(a->found.n, sizeof *jobs);
	if (!jobs)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < a->found.n; i++)
		if (!a->found.rows[i].refused)
			jobs[n++] = a->found.rows[i].job;
	r = fl_core_wish(a->call.api->core, &a->wish, jobs, n, done, a, err);
	free(jobs);
	return r;
}

static void many(struct fl_call *call, enum fl_wish wish, const char *keys)
{
	struct asking *a = calloc(1, sizeof *a);
	fairlead_error err = { 0 };
	unsigned status = 0;
	int r = a ? 0 : fl_fail_nomem(&err);

	if (r == 0) {
		a->call = *call;
		(void)snprintf(a->who, sizeof a->who, "%s",
			       fl_access_name(call->api->access, &call->r->who));
		a->wish.wish = wish;
		a->wish.who = (struct fl_wisher){ a->who, fl_api_is_admin(call) };
		r = fl_job_json_load(call->r->body, call->r->body_len, &a->body, &err);
	}
	if (r == 0)
		r = ask(a, keys, &status, &err);
	if (r == 0)
		return;
	if (r == FAIRLEAD_ELIMIT) /* of one request: it will be refused again */
		err.code = FAIRLEAD_EINPUT;
	asking_free(a);
	if (status)
		fl_api_fail(call, status, err.text, err.hint);
	else
		fl_api_error(call, &err);
}

void fl_api_cancel_many(struct fl_call *call) { many(call, FL_WISH_CANCEL, " signal "); }
void fl_api_hold_many(struct fl_call *call) { many(call, FL_WISH_HOLD, " stop reason "); }
void fl_api_release_many(struct fl_call *call) { many(call, FL_WISH_RELEASE, ""); }
void fl_api_requeue_many(struct fl_call *call) { many(call, FL_WISH_REQUEUE, ""); }
void fl_api_update_many(struct fl_call *call) { many(call, FL_WISH_UPDATE, " set "); }
