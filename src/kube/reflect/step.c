/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/reflect/step.h"

#include "kube/client_end.h"
#include "kube/reflect/list.h"
#include "kube/reflect/tell.h"
#include "kube/reflect/watch.h"

/* A kind that was there is looked for once more before it is said not to be: a server that starts may
 * not know all of its kinds yet. */
enum { SURE_PART = 12 };
/* Failures that count of those before an answer that is another one: the next wait is 2 s at most. */
enum { FAILURES_BEFORE = 2 };

static void on_timer(uv_timer_t *timer);

void fl_reflect_after(struct fl_kube_reflector *r, enum fl_reflect_step step, uint64_t ms)
{
	r->step = step;
	uv_update_time(r->client->loop);
	(void)uv_timer_start(r->timer, on_timer, ms, /* repeat= */ 0);
}

/* After one more failure: twice as long as after the one before. */
static uint64_t next_wait(struct fl_kube_reflector *r, uint64_t most)
{
	uint64_t ms = r->client->options.first;

	for (uint32_t i = 0; i < r->failures && ms < most; i++)
		ms *= 2;
	r->failures++;
	return fl_kube_jitter(r->client, ms < most ? ms : most);
}

void fl_reflect_again(struct fl_kube_reflector *r, enum fl_reflect_step step, uint32_t retry_after)
{
	uint64_t ms = next_wait(r, r->client->options.most);

	if (ms < UINT64_C(1000) * retry_after)
		ms += UINT64_C(1000) * retry_after;
	fl_reflect_after(r, step, ms);
}

void fl_reflect_failed(struct fl_kube_reflector *r, enum fl_reflect_step step, const char *verb,
		       const struct fl_kube_answer *answer)
{
	/* A server that starts is away, then not ready, then refuses: it is soon there. */
	if (r->in_trouble && r->trouble.status != answer->status && r->failures > FAILURES_BEFORE)
		r->failures = FAILURES_BEFORE;
	/* That its watch ended without a word was its own end, and not silence. */
	r->silent = 0;
	r->mute = false;
	fl_reflect_trouble(r, verb, answer->status, answer->problem);
	/* It refuses what is permitted until it has read all roles. */
	if (answer->status == 401 || answer->status == 403)
		fl_reflect_after(r, step, next_wait(r, r->client->options.again));
	else
		fl_reflect_again(r, step, answer->retry_after);
}

bool fl_reflect_is_wrong(unsigned status)
{
	return status >= 400 && status < 500 && status != 401 && status != 403 && status != 404 &&
	       status != 429;
}

/* --- which version is there --- */

static void be_absent(struct fl_kube_reflector *r)
{
	uint64_t again = r->client->options.again;

	if (r->standing.listed && !r->missed) {
		r->missed = true;
		r->standing.current = false;
		fl_reflect_after(r, FL_REFLECT_LOOK, again / SURE_PART);
		return;
	}
	if (!r->standing.absent) {
		if (r->listener->begun)
			r->listener->begun(r->user, /* version= */ NULL);
		if (r->listener->listed)
			r->listener->listed(r->user, "");
	}
	r->standing.absent = true;
	r->standing.listed = false;
	r->version = NULL;
	r->at[0] = r->token[0] = '\0';
	fl_reflect_fine(r);
	fl_reflect_after(r, FL_REFLECT_LOOK, fl_kube_jitter(r->client, again));
}

static void on_discovered(void *user, const char *version, const struct fl_kube_answer *refusal)
{
	struct fl_kube_reflector *r = user;

	r->discovery = NULL;
	if (refusal) {
		fl_reflect_failed(r, FL_REFLECT_LOOK, "get", refusal);
		return;
	}
	if (!version) {
		be_absent(r);
		return;
	}
	if (r->version != version)
		r->at[0] = r->token[0] = '\0';
	r->version = version;
	r->missed = r->standing.absent = false;
	fl_reflect_after(r, r->at[0] ? FL_REFLECT_WATCH : FL_REFLECT_LIST, 0);
}

static void on_timer(uv_timer_t *timer)
{
	struct fl_kube_reflector *r = timer->data;
	bool initial = r->source.initial_events && !r->no_initial;
	fairlead_error error;
	int rc;

	if (r->call) {
		fl_reflect_watch_steady(r);
		return;
	}
	if (r->step == FL_REFLECT_LOOK)
		rc = fl_kube_discover(r->client, &r->source, on_discovered, r, &r->discovery,
				      &error);
	else if (r->step == FL_REFLECT_LIST && !initial)
		rc = fl_reflect_list(r, &error);
	else
		rc = fl_reflect_watch(r, &error);
	if (rc < 0) {
		fl_reflect_trouble(r, "get", /* status= */ 0, &error);
		fl_reflect_again(r, r->step, /* retry_after= */ 0);
	}
}
