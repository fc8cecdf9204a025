/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/client_end.h"

#include "kube/call.h"
#include "kube/client_turn.h"
#include "kube/failure.h"

uint64_t fl_kube_jitter(struct fl_kube_client *k, uint64_t ms)
{
	return ms / 2 + (uint64_t)((double)(ms - ms / 2) * fl_random_unit(&k->random));
}

void fl_kube_finish(struct fl_kube_call *call, const struct fl_kube_answer *answer)
{
	if (answer->problem)
		call->client->counts.failures++;
	if (!call->cancelled && !call->ignored)
		call->request.done(call->request.user, answer);
	fl_kube_call_free(call);
}

/* Takes it out of its list. */
struct fl_kube_call *fl_kube_leave(struct fl_kube_call *call)
{
	struct fl_kube_client *k = call->client;

	if (call->sent)
		TAILQ_REMOVE(&k->sent[call->request.lane], call, link);
	else
		TAILQ_REMOVE(&k->waiting, call, link);
	call->sent = false;
	return call;
}

void fl_kube_finish_failed(struct fl_kube_call *call, const fairlead_error *problem)
{
	fl_kube_finish(call, &(struct fl_kube_answer){ .bytes = "", .problem = problem });
}

/* Puts it back among those that wait, as old as it is. */
void fl_kube_call_wait(struct fl_kube_call *call, uint64_t due)
{
	struct fl_kube_call *after;

	call->due = due;
	TAILQ_FOREACH_REVERSE(after, &call->client->waiting, fl_kube_calls, link)
	if (after->order < call->order)
		break;
	if (after)
		TAILQ_INSERT_AFTER(&call->client->waiting, after, call, link);
	else
		TAILQ_INSERT_HEAD(&call->client->waiting, call, link);
	fl_kube_hurry(call->client);
}

/* A server that asks for fewer requests gets fewer, whatever it says. */
static uint64_t wait_ms(struct fl_kube_call *call)
{
	const struct fl_kube_options *o = &call->client->options;
	uint64_t ms = o->first;

	for (uint32_t i = 0; i < call->put_off && ms < o->most; i++)
		ms *= 2;
	call->put_off++;
	return ms < o->most ? ms : o->most;
}

/* The server did not act on the request, and says when, or how, to ask again. */
static bool ask_again(struct fl_kube_call *call, uint32_t retry_after)
{
	struct fl_kube_client *k = call->client;
	uint64_t now = uv_now(k->loop), due = now;

	if (call->status == 401) {
		if (call->refused)
			return false;
		call->refused = call->generation;
	} else if (call->request.lane != FL_KUBE_WATCH &&
		   (call->status == 429 || (call->status == 503 && retry_after > 0))) {
		uint64_t ms = wait_ms(call), least = UINT64_C(1000) * retry_after;

		ms = ms > least ? ms : least;
		due = now + ms + fl_kube_jitter(k, ms / 4);
		if (due >= call->deadline)
			return false;
	} else {
		return false;
	}
	k->counts.retries++;
	fl_kube_call_wait(call, due);
	return true;
}

/* The transfer has ended, and is in no list. */
static void end_transfer(struct fl_kube_call *call, CURLcode code)
{
	struct fl_kube_client *k = call->client;
	curl_off_t later = 0;
	fairlead_error problem = { 0 };
	struct fl_kube_answer answer = { 0 };

	if (call->cancelled || call->ignored) {
		fl_kube_call_free(call);
		return;
	}
	k->curl.easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &later);
	answer.retry_after = later < 0 ? 0 : later > 3600 ? 3600 : (uint32_t)later;
	if (code == CURLE_OK && ask_again(call, answer.retry_after)) {
		fl_kube_call_close(call);
		return;
	}
	if (code != CURLE_OK)
		(void)fl_kube_failed(call, code, &problem);
	else if (call->status >= 300 || (call->request.piece && call->status != 200))
		(void)fl_kube_refused(call, &problem);
	fl_kube_call_close(call);
	answer.status = code == CURLE_OK ? call->status : 0;
	answer.bytes = call->bytes ? call->bytes : "";
	answer.len = call->len;
	answer.problem = problem.code ? &problem : NULL;
	fl_kube_finish(call, &answer);
}

/* --- lanes --- */

void fl_kube_renew(struct fl_kube_client *k, enum fl_kube_lane lane, uint64_t since,
		   const char *why)
{
	struct fl_kube_call *call;
	fairlead_error problem;

	if (k->heard[lane] > since)
		return;
	k->heard[lane] = uv_now(k->loop);
	TAILQ_FOREACH(call, &k->sent[lane], link)
	{
		fl_lane_remove(k->lanes[lane], call->easy);
		fl_kube_call_close(call);
	}
	(void)fl_lane_renew(k->lanes[lane], NULL); /* without memory transfers fail one by one */
	(void)fl_fail(&problem, FAIRLEAD_EIO,
		      "the connection to the API server was closed, since %s", why);
	(void)fl_fail_in(&problem, "%s", fl_kube_server(k));
	/* What a callback asks waits for the next turn, so none is added here. */
	while ((call = TAILQ_FIRST(&k->sent[lane])))
		fl_kube_finish_failed(fl_kube_leave(call), &problem);
}

void fl_kube_ended(void *user, CURL *easy, CURLcode code)
{
	struct fl_kube_client *k = user;
	struct fl_kube_call *call = NULL;

	k->curl.easy_getinfo(easy, CURLINFO_PRIVATE, &call);
	enum fl_kube_lane lane = call->request.lane;
	uint64_t started = call->started;

	end_transfer(fl_kube_leave(call), code);
	if (code == CURLE_OPERATION_TIMEDOUT)
		fl_kube_renew(k, lane, started, "it does not answer");
	else if (code == CURLE_ABORTED_BY_CALLBACK) /* libcurl gives up all of its transfers */
		fl_kube_renew(k, lane, UINT64_MAX, "this process has no room for it");
}

static struct fl_kube_call *first_silent(const struct fl_kube_client *k)
{
	const uint64_t now = uv_now(k->loop), silence = k->options.silence;
	struct fl_kube_call *call;

	TAILQ_FOREACH(call, &k->sent[FL_KUBE_WATCH], link)
	if (call->heard + silence <= now)
		break;
	return call;
}

/* Watches from which nothing has come for too long: bookmarks would have. */
void fl_kube_guard(uv_timer_t *timer)
{
	struct fl_kube_client *k = timer->data;
	uint64_t now = uv_now(k->loop), silence = k->options.silence;
	struct fl_kube_call *call;
	fairlead_error problem;

	if (!first_silent(k))
		return;
	if (k->heard[FL_KUBE_WATCH] + silence <= now) {
		fl_kube_renew(k, FL_KUBE_WATCH, now - silence, "nothing came from it");
		return;
	}
	(void)fl_fail(&problem, FAIRLEAD_EIO, "the watch was silent for %u s",
		      k->options.silence / 1000);
	(void)fl_fail_in(&problem, "%s", fl_kube_server(k));
	/* What a callback asks waits for the next turn, so none is added here. */
	while ((call = first_silent(k))) {
		fl_lane_remove(k->lanes[FL_KUBE_WATCH], call->easy);
		fl_kube_finish_failed(fl_kube_leave(call), &problem);
	}
}
