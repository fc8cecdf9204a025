/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/attach.h"

#include <inttypes.h>
#include <string.h>

#include "daemon/machine/inside.h"
#include "daemon/machine/runs.h"
#include "daemon/machine/wish.h"

enum { SWEEP_MS = 1000 };

/* --- the table: by number --- */

static uint32_t place_of(const struct fl_core *c, uint64_t job)
{
	uint32_t low = 0, high = c->n_attended;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (c->attended[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct fl_attended *find(const struct fl_core *c, uint64_t job)
{
	uint32_t i = place_of(c, job);

	return i < c->n_attended && c->attended[i].job == job ? &c->attended[i] : NULL;
}

static bool is_over(const struct fl_core *c, uint64_t job)
{
	const struct fl_live *live = fl_jobs_find(&c->jobs, job);

	return !live || fl_job_is_over(live->state);
}

static void sweep_soon(struct fl_core *c)
{
	if (!c->closing && !uv_is_active((uv_handle_t *)&c->sweep))
		(void)uv_timer_start(&c->sweep, c->sweep.timer_cb, SWEEP_MS, SWEEP_MS);
}

int fl_core_await_client(struct fl_core *c, uint64_t job, fairlead_error *err)
{
	uint32_t i = place_of(c, job);

	if (find(c, job))
		return 0;
	if (fl_mem_grow(&fl_mem_heap, &c->attended, &c->cap_attended, c->n_attended + 1,
			sizeof *c->attended, err) < 0)
		return FAIRLEAD_ENOMEM;
	memmove(c->attended + i + 1, c->attended + i, (c->n_attended - i) * sizeof *c->attended);
	c->attended[i] =
		(struct fl_attended){ .job = job, .socket = -1, .since = fl_core_loop_ns(c) };
	c->n_attended++;
	sweep_soon(c);
	return 0;
}

/* --- jobs without a client --- */

static void cancelled(void *user, const struct fl_reply *reply)
{
	(void)user;
	(void)reply;
}

/* While the disk fails no wish is taken: it is tried again. */
static void cancel(struct fl_core *c, const struct fl_attended *a)
{
	struct fl_wishing w = { .wish = FL_WISH_CANCEL,
				.who = { .name = "fairlead, as its client has left" } };
	const struct fl_live *live = fl_jobs_find(&c->jobs, a->job);
	fairlead_error err;

	if (live && !fl_job_is_over(live->state) && live->stopping != FL_GO_CANCELLED)
		(void)fl_core_wish(c, &w, &a->job, 1, cancelled, c, &err);
}

static void sweep(uv_timer_t *timer)
{
	struct fl_core *c = timer->data;
	uint64_t now = fl_core_loop_ns(c);
	uint32_t kept = 0, alone = 0;

	for (uint32_t i = 0; i < c->n_attended; i++) {
		struct fl_attended *a = &c->attended[i];

		if (is_over(c, a->job) && a->socket < 0)
			continue;
		if (a->socket < 0) {
			alone++;
			if (now - a->since >= FL_ATTACH_SECONDS * (uint64_t)FL_SECOND)
				cancel(c, a);
		}
		c->attended[kept++] = *a;
	}
	c->n_attended = kept;
	if (alone == 0 || c->closing)
		(void)uv_timer_stop(timer);
}

int fl_core_begin_attach(struct fl_core *c, fairlead_error *err)
{
	int r = 0;

	c->sweep.timer_cb = sweep;
	for (uint32_t i = 0; i < c->jobs.n && r == 0; i++)
		if (c->jobs.rows[i].interactive && !fl_job_is_over(c->jobs.rows[i].state))
			r = fl_core_await_client(c, c->jobs.rows[i].id, err);
	return r;
}

/* --- clients --- */

int fl_core_check_attach(const struct fl_core *c, uint64_t job, fairlead_error *err)
{
	const struct fl_attended *a = find(c, job);

	if (is_over(c, job))
		return fl_fail(err, FAIRLEAD_ESTATE, "job %" PRIu64 " has ended", job);
	if (!a) {
		fl_fail(err, FAIRLEAD_EINPUT, "job %" PRIu64 " is not interactive", job);
		return fl_fail_hint(err, "only jobs of 'fairlead run' have a client; fairlead logs "
					 "shows what others print");
	}
	if (a->socket >= 0)
		return fl_fail(err, FAIRLEAD_ESTATE,
			       "a client is attached to job %" PRIu64 " already", job);
	return 0;
}

int fl_core_attach(struct fl_core *c, uint64_t job, int socket, fairlead_error *err)
{
	struct fl_live *live = fl_jobs_find(&c->jobs, job);
	struct fl_attended *a = find(c, job);
	int rc = fl_core_check_attach(c, job, err);

	if (rc < 0)
		return rc;
	a->socket = socket;
	a->given = false;
	if (!a->due)
		return 0;
	a->due = false;
	return fl_core_start(c, live, a->before, err);
}

void fl_core_detach(struct fl_core *c, uint64_t job, bool leaves)
{
	struct fl_attended *a = find(c, job);

	if (!a)
		return;
	a->socket = -1;
	a->since = fl_core_loop_ns(c);
	/* Cancelled now, or by and by when the disk fails. */
	if (leaves) {
		a->since -= FL_ATTACH_SECONDS * (uint64_t)FL_SECOND;
		cancel(c, a);
	}
	sweep_soon(c);
}

bool fl_core_has_given(const struct fl_core *c, uint64_t job)
{
	const struct fl_attended *a = find(c, job);

	return a && a->given;
}

/* --- starts --- */

int fl_core_client_for_start(struct fl_core *c, uint64_t job, enum fl_before before)
{
	struct fl_attended *a = find(c, job);

	if (!a)
		return -1;
	a->due = a->socket < 0;
	a->given = a->socket >= 0;
	a->before = before;
	return a->socket;
}

bool fl_core_give_up_start(struct fl_core *c, uint64_t job)
{
	struct fl_attended *a = find(c, job);
	bool was = a && a->due;

	if (was)
		a->due = false;
	return was;
}
