/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "kube/call.h"
#include "kube/client_end.h"
#include "kube/client_turn.h"

static const struct fl_kube_options usual = {
	.qps = 50,
	.burst = 100,
	.timeout = 30000,
	.silence = 90000,
	.first = 500,
	.most = 30000,
	.again = 60000,
	.page = 500,
	.objects = FL_MAX_KUBE_LIST,
	.agent = "fairlead",
};

const char *fl_kube_server(const struct fl_kube_client *k) { return k->config->server; }
const struct fl_kube_counts *fl_kube_counts(const struct fl_kube_client *k) { return &k->counts; }

void fl_kube_hear_dates(struct fl_kube_client *k,
			void (*dated)(void *user, int64_t date, uint64_t ago), void *user)
{
	k->dated = dated;
	k->dated_user = user;
}

int fl_kube_ask(struct fl_kube_client *k, const struct fl_kube_request *request,
		struct fl_kube_call **ret, fairlead_error *err)
{
	struct fl_kube_call *call;

	if (k->calls >= FL_MAX_KUBE_CALLS)
		return fl_fail(err, FAIRLEAD_ELIMIT, "%d requests to the API server have not ended",
			       FL_MAX_KUBE_CALLS);
	int rc = fl_kube_call_new(k, request, &call, err);
	if (rc < 0)
		return rc;
	uv_update_time(k->loop);
	call->order = ++k->orders;
	call->due = uv_now(k->loop);
	call->deadline = call->due + call->request.timeout;
	TAILQ_INSERT_TAIL(&k->waiting, call, link);
	fl_kube_hurry(k);
	*ret = call;
	return 0;
}

struct fl_kube_call *fl_kube_cancel(struct fl_kube_call *call)
{
	struct fl_kube_client *k = call ? call->client : NULL;
	struct fl_lane *lane = call ? k->lanes[call->request.lane] : NULL;

	if (!call)
		return NULL;
	if (call->sent && fl_lane_inside(lane)) {
		call->cancelled = true;
		fl_kube_hurry(k);
		return NULL;
	}
	if (call->sent && call->easy)
		fl_lane_remove(lane, call->easy);
	fl_kube_call_free(fl_kube_leave(call));
	return NULL;
}

struct fl_kube_call *fl_kube_ignore(struct fl_kube_call *call)
{
	if (!call || !call->sent)
		return fl_kube_cancel(call);
	call->ignored = true;
	return NULL;
}

/* --- clients --- */

static void fill_options(struct fl_kube_options *o)
{
	o->qps = o->qps ? o->qps : usual.qps;
	o->burst = o->burst ? o->burst : usual.burst;
	o->timeout = o->timeout ? o->timeout : usual.timeout;
	o->silence = o->silence ? o->silence : usual.silence;
	o->first = o->first ? o->first : usual.first;
	o->most = o->most ? o->most : usual.most;
	o->again = o->again ? o->again : usual.again;
	o->page = o->page ? o->page : usual.page;
	o->objects = o->objects ? o->objects : usual.objects;
	o->agent = o->agent ? o->agent : usual.agent;
}

static uv_timer_t *new_timer(struct fl_kube_client *k)
{
	uv_timer_t *timer = malloc(sizeof *timer);

	if (timer) {
		(void)uv_timer_init(k->loop, timer);
		timer->data = k;
	}
	return timer;
}

static void free_handle(uv_handle_t *handle) { free(handle); }

static int start(struct fl_kube_client *k, fairlead_error *err)
{
	int rc = fl_curl_load(&k->curl, err);

	if (rc == 0)
		rc = fl_pem_file_set(&k->ca, &k->config->ca, err);
	for (int lane = 0; rc == 0 && lane < FL_KUBE_LANES; lane++)
		rc = fl_lane_new(k->loop, &k->curl, fl_kube_ended, k, &k->lanes[lane], err);
	k->turn = new_timer(k);
	k->guard = new_timer(k);
	k->agent = strdup(k->options.agent);
	if (rc == 0 && (!k->turn || !k->guard || !k->agent))
		rc = fl_fail_nomem(err);
	if (rc == 0) {
		uint64_t each = k->options.silence / 16 + 1;

		(void)uv_timer_start(k->guard, fl_kube_guard, each, each);
		uv_unref((uv_handle_t *)k->guard); /* keeps no loop turning by itself */
	}
	return rc;
}

int fl_kube_new(uv_loop_t *loop, struct fl_kube_config *config,
		const struct fl_kube_options *options, struct fl_kube_client **ret,
		fairlead_error *err)
{
	struct fl_kube_client *k = calloc(1, sizeof *k);

	if (!k)
		return fl_fail_nomem(err);
	k->loop = loop;
	k->config = config;
	if (options)
		k->options = *options;
	fill_options(&k->options);
	k->ca = k->certificate = k->key = (struct fl_pem_file)FL_PEM_FILE_NONE;
	TAILQ_INIT(&k->waiting);
	for (int lane = 0; lane < FL_KUBE_LANES; lane++)
		TAILQ_INIT(&k->sent[lane]);
	fl_random_init(&k->random, k->options.seed, fl_random_stream("kube"));
	k->tokens = k->options.burst;
	k->filled = uv_now(loop);
	int rc = start(k, err);
	if (rc < 0)
		fl_kube_free(k);
	else
		*ret = k;
	return rc;
}

struct fl_kube_client *fl_kube_free(struct fl_kube_client *k)
{
	struct fl_kube_call *call;

	if (!k)
		return NULL;
	if (k->plugin)
		fl_kube_plugin_stop(k->plugin);
	while ((call = TAILQ_FIRST(&k->waiting)))
		fl_kube_cancel(call);
	for (int lane = 0; lane < FL_KUBE_LANES; lane++) {
		while ((call = TAILQ_FIRST(&k->sent[lane])))
			fl_kube_cancel(call);
		fl_lane_free(k->lanes[lane]);
	}
	if (k->turn)
		uv_close((uv_handle_t *)k->turn, free_handle);
	if (k->guard)
		uv_close((uv_handle_t *)k->guard, free_handle);
	fl_pem_file_done(&k->ca);
	fl_pem_file_done(&k->certificate);
	fl_pem_file_done(&k->key);
	free(k->agent);
	free(k);
	return NULL;
}
