/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/client_turn.h"

#include "kube/call.h"
#include "kube/client_end.h"
#include "kube/credentials_kept.h"
#include "kube/failure.h"

/* --- credentials --- */

/* The time that the plugin took, or the person that it asked, is not of the requests that waited for it. */
static void give_time_back(struct fl_kube_client *k)
{
	struct fl_kube_call *call;
	uint64_t now;

	uv_update_time(k->loop);
	now = uv_now(k->loop);
	TAILQ_FOREACH(call, &k->waiting, link)
	{
		uint64_t asked = call->deadline - call->request.timeout;

		call->deadline += now - (asked > k->plugged ? asked : k->plugged);
	}
}

/* The first call that has no credentials now: all without those that last, else those that were refused with them. */
static struct fl_kube_call *first_without(struct fl_kube_client *k, bool lasts, uint64_t orders)
{
	struct fl_kube_call *call;

	TAILQ_FOREACH(call, &k->waiting, link)
	if (call->order <= orders && (!lasts || call->refused == k->config->kept->generation))
		return call;
	return NULL;
}

static void on_plugin(void *user, int rc, const fairlead_error *err)
{
	struct fl_kube_client *k = user;
	bool lasts = rc < 0 && fl_kube_kept_lasts(k->config->kept);
	uint64_t orders = k->orders;
	struct fl_kube_call *call;

	k->plugin = NULL;
	give_time_back(k);
	/* What they ask again runs it again. */
	while (rc < 0 && (call = first_without(k, lasts, orders)))
		fl_kube_finish_failed(fl_kube_leave(call), err);
	fl_kube_hurry(k);
}

/* A connection belongs to the certificate that it was made with. */
static int use_certificate(struct fl_kube_client *k, const struct fl_kube_credentials *as,
			   fairlead_error *err)
{
	bool first = k->generation == 0;
	int rc = 0;

	if (as->generation == k->generation)
		return 0;
	if (as->certificate.bytes || as->certificate.file || k->certificate.path) {
		rc = fl_pem_file_set(&k->certificate, &as->certificate, err);
		if (rc == 0)
			rc = fl_pem_file_set(&k->key, &as->key, err);
		for (int lane = 0; !first && rc == 0 && lane < FL_KUBE_LANES; lane++)
			fl_kube_renew(k, (enum fl_kube_lane)lane, k->heard[lane],
				      "there is a new client certificate");
	}
	if (rc == 0)
		k->generation = as->generation;
	return rc;
}

/* 0; 1: it waits for the plugin; negative: it has failed. */
static int get_credentials(struct fl_kube_call *call, struct fl_kube_credentials *ret,
			   fairlead_error *err)
{
	struct fl_kube_client *k = call->client;
	int rc = fl_kube_credentials(k->config, call->refused, ret, err);

	if (rc == FL_KUBE_RUN_PLUGIN && !k->plugin) {
		uv_update_time(k->loop);
		k->plugged = uv_now(k->loop);
		rc = fl_kube_plugin_run(k->config, k->loop, on_plugin, k, &k->plugin, err);
		if (rc == 0)
			return 1;
		if (call->refused == k->config->kept->generation ||
		    !fl_kube_kept_lasts(k->config->kept))
			return rc;
		rc = fl_kube_credentials(k->config, call->refused, ret, err);
	}
	if (rc == FL_KUBE_RUN_PLUGIN)
		return 1;
	if (rc == 0 && call->refused && ret->generation == call->refused) {
		call->status = 401; /* there are no others */
		return fl_kube_refused(call, err);
	}
	return rc < 0 ? rc : use_certificate(k, ret, err);
}

/* --- turns --- */

static void fill_bucket(struct fl_kube_client *k, uint64_t now)
{
	k->tokens += (double)(now - k->filled) * k->options.qps / 1000;
	if (k->tokens > k->options.burst)
		k->tokens = k->options.burst;
	k->filled = now;
}

/* Of those that wait, one that has to be looked at now; else NULL, and when there is one. */
static struct fl_kube_call *next_due(struct fl_kube_client *k, uint64_t now, uint64_t *next)
{
	struct fl_kube_call *call;

	*next = UINT64_MAX;
	if (k->plugin)
		return NULL;
	TAILQ_FOREACH(call, &k->waiting, link)
	{
		bool free = call->request.lane == FL_KUBE_LEASE || k->tokens >= 1;
		uint64_t due = call->due;

		if (!free) {
			uint64_t ms = (uint64_t)((1 - k->tokens) * 1000 / k->options.qps) + 1;

			due = due > now + ms ? due : now + ms;
		}
		if (due > call->deadline)
			due = call->deadline;
		if (due <= now)
			return call;
		*next = due < *next ? due : *next;
	}
	return NULL;
}

/* @call is in no list. */
static void send_call(struct fl_kube_call *call, uint64_t now)
{
	struct fl_kube_client *k = call->client;
	struct fl_kube_credentials as;
	fairlead_error problem = { 0 };
	enum fl_kube_lane lane = call->request.lane;

	if (now >= call->deadline) {
		(void)fl_fail(&problem, FAIRLEAD_EIO, "the request could not be sent in time");
		(void)fl_fail_in(&problem, "%s", fl_kube_server(k));
		fl_kube_finish_failed(call, &problem);
		return;
	}
	int rc = get_credentials(call, &as, &problem);
	if (rc > 0) {
		fl_kube_call_wait(call, call->due);
		return;
	}
	if (rc == 0)
		rc = fl_kube_call_open(call, &as, &problem);
	if (rc == 0)
		rc = fl_lane_add(k->lanes[lane], call->easy, &problem);
	if (rc < 0) {
		fl_kube_finish(call, &(struct fl_kube_answer){ .status = call->status,
							       .bytes = "",
							       .problem = &problem });
		return;
	}
	k->counts.requests++;
	if (lane != FL_KUBE_LEASE)
		k->tokens--;
	call->sent = true;
	TAILQ_INSERT_TAIL(&k->sent[lane], call, link);
}

/* Those that were cancelled while libcurl could not remove them. */
static void sweep(struct fl_kube_client *k, enum fl_kube_lane lane)
{
	struct fl_kube_call *call, *next;

	for (call = TAILQ_FIRST(&k->sent[lane]); call; call = next) {
		next = TAILQ_NEXT(call, link);
		if (!call->cancelled)
			continue;
		fl_lane_remove(k->lanes[lane], call->easy);
		fl_kube_call_free(fl_kube_leave(call));
	}
}

static void on_turn(uv_timer_t *timer)
{
	struct fl_kube_client *k = timer->data;
	uint64_t now = uv_now(k->loop), next;
	struct fl_kube_call *call;

	for (int lane = 0; lane < FL_KUBE_LANES; lane++)
		sweep(k, (enum fl_kube_lane)lane);
	fill_bucket(k, now);
	while ((call = next_due(k, now, &next)))
		send_call(fl_kube_leave(call), now);
	if (next != UINT64_MAX && !uv_is_active((uv_handle_t *)timer))
		(void)uv_timer_start(timer, on_turn, next - now, /* repeat= */ 0);
}

void fl_kube_hurry(struct fl_kube_client *k)
{
	(void)uv_timer_start(k->turn, on_turn, /* timeout= */ 0, /* repeat= */ 0);
}
