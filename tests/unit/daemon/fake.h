/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake - a backend whose runs are rows of a table: they outlive the core that asked for them
 *
 * Nothing runs: a test says when a run begins and how it ends.  What backend.h promises holds, and
 * what it forbids is counted: a run that is started twice.
 */
#ifndef FL_TEST_DAEMON_FAKE_H
#define FL_TEST_DAEMON_FAKE_H

#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

enum fake_state { FAKE_ASKED, FAKE_BEGAN, FAKE_ENDED, FAKE_FORGOTTEN };

struct fake_run {
	uint64_t job;
	uint32_t attempt;
	char token[FL_RUN_TOKEN];
	enum fake_state state;
	enum fl_go_why told;
	fl_time time_limit; /* that it was told of; 0: none */
	int signalled;
	const char *besides; /* text of an outcome that needs none; NULL: none */
	struct fl_run_outcome outcome;
};

struct fake {
	struct fake_run *runs;
	uint32_t n, cap;
	uint32_t disowned;
	uint32_t twice; /* started again though it was known */
	struct fl_host_callbacks callbacks;
	bool open;
	fl_amount more_cpu; /* milli, beside that of its capacity */
};

static struct fake fake;

static struct fake_run *fake_find(uint64_t job, uint32_t attempt)
{
	for (uint32_t i = fake.n; i-- > 0;)
		if (fake.runs[i].job == job && fake.runs[i].attempt == attempt)
			return &fake.runs[i];
	return NULL;
}

static int fake_open(const struct fl_host_options *options, struct fl_host **ret,
		     fairlead_error *err)
{
	(void)err;
	fake.callbacks = options->callbacks;
	fake.open = true;
	*ret = (struct fl_host *)&fake;
	return 0;
}

static struct fl_host *fake_close(struct fl_host *h)
{
	(void)h;
	fake.open = false;
	return NULL;
}

static int fake_capacity(struct fl_host *h, struct fl_capacity *ret, fairlead_error *err)
{
	static struct fl_capacity_row rows[] = {
		{ "default", "cpu", 8000 },
		{ "default", "memory", INT64_C(16) << 30 },
	};

	(void)h;
	(void)err;
	rows[0].amount = 8000 + fake.more_cpu;
	*ret = (struct fl_capacity){ .rows = rows, .n = 2 };
	return 0;
}

static void fake_tell(struct fake_run *r)
{
	struct fl_run_outcome o = r->outcome;

	if (fake.open)
		fake.callbacks.ended(fake.callbacks.user, &o);
}

/* It has ended; a core that is there hears of it, one that comes later as well. */
static void fake_end(struct fake_run *r, enum fl_outcome_kind kind, int status)
{
	if (r->state >= FAKE_ENDED)
		return;
	r->state = FAKE_ENDED;
	r->outcome = (struct fl_run_outcome){ .job = r->job,
					      .attempt = r->attempt,
					      .kind = kind,
					      .status = status,
					      .stopped = r->told,
					      .began = FL_TIME_NONE,
					      .ended = FL_TIME_NONE,
					      .wall_began = FL_TIME_NONE,
					      .wall_ended = FL_TIME_NONE };
	if (r->besides)
		strcpy(r->outcome.text, r->besides);
	fake_tell(r);
}

static int fake_start(struct fl_host *h, const struct fl_run *run, fairlead_error *err)
{
	(void)h;
	(void)err;
	if (fake_find(run->job, run->attempt)) {
		fake.twice++;
		return 0;
	}
	if (fake.n == fake.cap) {
		fake.cap = fake.cap ? 2 * fake.cap : 64;
		fake.runs = realloc(fake.runs, fake.cap * sizeof *fake.runs);
	}
	fake.runs[fake.n] = (struct fake_run){ .job = run->job, .attempt = run->attempt };
	memcpy(fake.runs[fake.n].token, run->token, FL_RUN_TOKEN);
	if (run->before == FL_BEFORE_TOLD)
		fake_end(&fake.runs[fake.n], FL_RUN_NOT_STARTED, 0);
	fake.n++;
	return 0;
}

static int fake_stop(struct fl_host *h, uint64_t job, uint32_t attempt, enum fl_go_why why,
		     fl_time grace, fairlead_error *err)
{
	struct fake_run *r = fake_find(job, attempt);

	(void)h;
	(void)grace;
	(void)err;
	if (r && r->told == FL_GO_NOT)
		r->told = why;
	return 0;
}

static int fake_limit(struct fl_host *h, uint64_t job, uint32_t attempt, fl_time time_limit,
		      fairlead_error *err)
{
	struct fake_run *r = fake_find(job, attempt);

	(void)h;
	(void)err;
	if (r)
		r->time_limit = time_limit;
	return 0;
}

static int fake_signal(struct fl_host *h, uint64_t job, uint32_t attempt, int number,
		       fairlead_error *err)
{
	struct fake_run *r = fake_find(job, attempt);

	(void)h;
	(void)err;
	if (r)
		r->signalled = number;
	return 0;
}

static int fake_found(struct fl_host *h, uint64_t job, uint32_t attempt, const char *token,
		      enum fl_found *ret, fairlead_error *err)
{
	const struct fake_run *r = fake_find(job, attempt);

	if (r && token && strcmp(r->token, token) != 0)
		abort();

	(void)h;
	(void)err;
	*ret = !r ? FL_FOUND_NEVER : r->state >= FAKE_ENDED ? FL_FOUND_ENDED : FL_FOUND_RUNS;
	return 0;
}

static int fake_each(struct fl_host *h,
		     int (*fn)(void *user, uint64_t job, uint32_t attempt, const char *token),
		     void *user, fairlead_error *err)
{
	(void)h;
	(void)err;
	for (uint32_t i = 0; i < fake.n; i++)
		if (fake.runs[i].state != FAKE_FORGOTTEN)
			(void)fn(user, fake.runs[i].job, fake.runs[i].attempt, fake.runs[i].token);
	return 0;
}

static void fake_disown(struct fl_host *h, struct fl_stray *strays, uint32_t n)
{
	(void)h;
	for (uint32_t i = 0; i < n; i++) {
		struct fake_run *r = fake_find(strays[i].job, strays[i].attempt);

		strays[i].ran = r->state < FAKE_ENDED;
		r->state = FAKE_FORGOTTEN;
		fake.disowned++;
	}
}

static void fake_forget(struct fl_host *h, uint64_t job, uint32_t attempt)
{
	struct fake_run *r = fake_find(job, attempt);

	(void)h;
	if (r)
		r->state = FAKE_FORGOTTEN;
}

static void fake_remove(struct fl_host *h, uint64_t job)
{
	(void)h;
	(void)job;
}

/* Its runs stand in no folder. */
static int fake_last(const char *state, struct fl_last_run *ret, fairlead_error *err)
{
	(void)state;
	(void)err;
	*ret = (struct fl_last_run){ 0 };
	return 0;
}

static const struct fl_backend_ops fake_backend = {
	.name = "fake",
	.last = fake_last,
	.open = fake_open,
	.close = fake_close,
	.capacity = fake_capacity,
	.start = fake_start,
	.stop = fake_stop,
	.limit = fake_limit,
	.signal = fake_signal,
	.find = fake_found,
	.each = fake_each,
	.disown = fake_disown,
	.forget = fake_forget,
	.remove = fake_remove,
};

/* It runs. */
static void fake_begin(struct fake_run *r)
{
	if (r->state != FAKE_ASKED)
		return;
	r->state = FAKE_BEGAN;
	if (fake.open)
		fake.callbacks.began(fake.callbacks.user, r->job, r->attempt, FL_TIME_NONE);
}

/* After a core has begun: what has ended and was not forgotten is told again. */
static void fake_again(void)
{
	for (uint32_t i = 0; i < fake.n; i++)
		if (fake.runs[i].state == FAKE_ENDED)
			fake_tell(&fake.runs[i]);
}

static void fake_reset(void)
{
	free(fake.runs);
	fake = (struct fake){ 0 };
}

#endif
