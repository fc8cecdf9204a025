/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/life_report.h"

#include <stdio.h>
#include <string.h>

#include "backend/local/life.h"
#include "backend/process/process.h"

/* An idle handle does not keep the loop running (local_open), one with reports does. */
static void wake_teller(struct fl_host *h)
{
	uv_ref((uv_handle_t *)&h->tell);
	uv_async_send(&h->tell);
}

void fl_life_tell(struct fl_local_run *r)
{
	struct fl_host *h = r->h;

	if (r->due || h->closed)
		return;
	r->due = true;
	r->refs++;
	r->next_due = NULL;
	if (h->last_due)
		h->last_due->next_due = r;
	else
		h->first_due = r;
	h->last_due = r;
	wake_teller(h);
}

static void tell(struct fl_local_run *r)
{
	struct fl_host *h = r->h;

	if (r->knows_began && !r->told_began) {
		r->told_began = true;
		h->callbacks.began(h->callbacks.user, r->job, r->attempt, r->began);
	}
	if (r->life == FL_LIFE_OVER && !r->told_ended && !h->closed &&
	    !fl_spawner_is_gone(h->spawner)) {
		r->told_ended = true;
		h->callbacks.ended(h->callbacks.user, &r->outcome);
	}
}

void fl_life_tell_all(uv_async_t *handle)
{
	struct fl_host *h = handle->data;
	uint32_t notices = h->n_notices;

	uv_unref((uv_handle_t *)handle);
	h->n_notices = 0;
	for (uint32_t i = 0; i < notices && !h->closed; i++)
		h->callbacks.notice(h->callbacks.user, h->notices[i]);
	while (h->first_due) {
		struct fl_local_run *r = h->first_due;

		h->first_due = r->next_due;
		if (!h->first_due)
			h->last_due = NULL;
		r->due = false;
		if (!h->closed)
			tell(r);
		fl_local_unref(r);
	}
}

void fl_life_notice(const struct fl_local_run *r, const char *text)
{
	struct fl_host *h = r->h;

	if (h->closed || h->n_notices == FL_HOST_NOTICES)
		return;
	snprintf(h->notices[h->n_notices++], sizeof h->notices[0], "run %llu.%u: %s",
		 (unsigned long long)r->job, r->attempt, text);
	wake_teller(h);
}

/* --- the end --- */

void fl_life_over(struct fl_local_run *r, const struct fl_attempt_status *s)
{
	bool here = strcmp(s->boot, r->h->boot) == 0;

	r->outcome = (struct fl_run_outcome){
		.job = r->job,
		.attempt = r->attempt,
		.kind = (enum fl_outcome_kind)s->kind,
		.stopped = (enum fl_go_why)s->stopped,
		.killed = s->killed != 0,
		.status = s->status,
		.began = here ? s->began : FL_TIME_NONE,
		.ended = here ? s->ended : FL_TIME_NONE,
		.wall_began = s->wall_began,
		.wall_ended = s->wall_ended,
		.output_lost = s->output_lost,
		.cpu = s->cpu <= INT64_MAX ? s->cpu : 0,
		.memory = s->memory <= INT64_MAX ? s->memory : 0,
	};
	memcpy(r->outcome.text, s->text, sizeof r->outcome.text);
	if (s->wall_began != FL_TIME_NONE) {
		r->knows_began = true;
		r->began = r->outcome.began;
	}
	r->life = FL_LIFE_OVER;
	fl_machine_release(&r->h->machine, r->job, r->attempt);
	if (*r->h->place.group.path && *r->token) {
		struct fl_spawned run = fl_life_spawned(r);

		fl_spawner_clear(r->h->spawner, &run);
	}
	fl_life_tell(r);
}

struct fl_attempt_status fl_life_not_started(const struct fl_host *h, const char *text)
{
	struct fl_attempt_status s = {
		.state = FL_ATTEMPT_ENDED,
		.kind = FL_RUN_NOT_STARTED,
		.began = FL_TIME_NONE,
		.ended = fl_boot_clock(),
		.wall_began = FL_TIME_NONE,
		.wall_ended = fl_wall_clock(),
	};

	memcpy(s.boot, h->boot, sizeof s.boot);
	snprintf(s.text, sizeof s.text, "%s", text);
	return s;
}

void fl_life_refuse(struct fl_local_run *r, const char *text)
{
	struct fl_attempt_status s = fl_life_not_started(r->h, text);

	fl_life_over(r, &s);
}
