/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jobs_image - jobs that have not ended as tables of an image, and back
 *
 * The image has all that decisions need, so that a start of the daemon reads rows of some hundred
 * bytes and no specs: the spec of a job is read when the job starts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "daemon/engine/jobs.h"

struct saved_live {
	uint64_t id, array, preemptor, named;
	int64_t submitted, started, ended, ran, retry, waits, begin, time_limit;
	uint32_t queue, user, uid, bytes, tasks, asks;
	uint32_t state, stopping, held, attempt, evictions, losses, workload, priority;
	uint32_t most, singleton, once, interactive;
	int32_t outcome, status;
	uint32_t relimited, why_held;
};
static const struct fl_image_kind live_kind = { "daemon.jobs", sizeof(struct saved_live), 2 };

static const struct fl_image_kind asks_kind = { "daemon.asks", sizeof(struct fl_asks), 0 };

struct saved_await {
	uint64_t job, on;
	uint64_t how;
};
static const struct fl_image_kind await_kind = { "daemon.awaits", sizeof(struct saved_await), 0 };

/* --- saving --- */

static struct saved_live spell(const struct fl_live *job)
{
	struct saved_live row;

	memset(&row, 0, sizeof row);
	row.id = job->id;
	row.array = job->array;
	row.preemptor = job->preemptor;
	row.named = job->named;
	row.submitted = job->submitted;
	row.started = job->started;
	row.ended = job->ended;
	row.ran = job->ran;
	row.retry = job->retry;
	row.waits = job->waits;
	row.begin = job->begin;
	row.time_limit = job->time_limit;
	row.relimited = job->relimited;
	row.why_held = job->why_held;
	row.queue = job->queue.v;
	row.user = job->user.v;
	row.uid = job->uid;
	row.bytes = job->bytes;
	row.tasks = job->tasks;
	row.asks = job->asks;
	row.state = job->state;
	row.stopping = job->stopping;
	row.held = job->held;
	row.attempt = job->attempt;
	row.evictions = job->evictions;
	row.losses = job->losses;
	row.workload = job->workload.v;
	row.priority = (uint32_t)job->priority;
	row.most = job->most;
	row.singleton = job->singleton;
	row.once = job->once;
	row.interactive = job->interactive;
	row.outcome = job->outcome;
	row.status = job->status;
	return row;
}

static int save_awaits(const struct fl_jobs *j, struct fl_image_writer *w, fairlead_error *err)
{
	struct saved_await *rows = calloc((size_t)j->n_awaits + 1, sizeof *rows);
	uint32_t n = 0;
	int r;

	if (!rows)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < j->n_awaits; i++)
		if (j->awaits[i].on)
			rows[n++] = (struct saved_await){ j->awaits[i].job, j->awaits[i].on,
							  j->awaits[i].how };
	r = fl_image_put(w, &await_kind, rows, n, err);
	free(rows);
	return r;
}

int fl_jobs_save(const struct fl_jobs *j, struct fl_image_writer *w, fairlead_error *err)
{
	struct saved_live *rows = malloc(((size_t)j->n + 1) * sizeof *rows);
	uint32_t n = 0;
	int r;

	if (!rows)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < j->n; i++)
		if (!fl_job_is_over(j->rows[i].state))
			rows[n++] = spell(&j->rows[i]);
	if ((r = fl_names_save(&j->names, w, err)) == 0 &&
	    (r = fl_image_put(w, &asks_kind, j->asks, j->n_asks, err)) == 0 &&
	    (r = save_awaits(j, w, err)) == 0)
		r = fl_image_put(w, &live_kind, rows, n, err);
	free(rows);
	return r;
}

/* --- loading: each index and each state is checked --- */

static bool is_sound_asks(const struct fl_jobs *j, const struct fl_asks *a)
{
	bool sound = a->n_requests <= FL_JOB_RESOURCES && a->n_labels <= FL_JOB_LABELS;

	for (uint32_t i = 0; sound && i < a->n_requests; i++)
		sound = a->requests[i].resource.v < j->names.n;
	for (uint32_t i = 0; sound && i < a->n_labels; i++)
		sound = a->labels[i].key.v < j->names.n && a->labels[i].value.v < j->names.n;
	return sound;
}

/* *ret: the new index of each row, to be freed; equal asks may have two rows (jobs.c). */
static int load_asks(struct fl_jobs *j, const struct fl_image *image, uint32_t **ret,
		     uint32_t *ret_n, fairlead_error *err)
{
	const void *bytes;
	int r = fl_image_rows(image, &asks_kind, &bytes, ret_n, err);

	if (r == 0 && !(*ret = calloc((size_t)*ret_n + 1, sizeof **ret)))
		r = fl_fail_nomem(err);
	for (uint32_t i = 0; r == 0 && i < *ret_n; i++) {
		const struct fl_asks *a = (const struct fl_asks *)bytes + i;

		r = is_sound_asks(j, a) ? fl_jobs_find_asks(j, a, &(*ret)[i], err) :
					  fl_image_damaged(asks_kind.name, err);
	}
	return r;
}

static bool is_sound(const struct fl_jobs *j, const struct saved_live *row, uint32_t n_asks,
		     uint64_t before)
{
	return row->id > before && row->queue < j->names.n && row->user < j->names.n &&
	       row->asks < n_asks && row->state < FL_JOB_DONE && row->stopping < FL_GO_WHYS &&
	       row->held < FL_HOLDS && row->singleton <= 1 && row->once <= 1 &&
	       row->interactive <= 1;
}

static struct fl_live live_of(const struct saved_live *row)
{
	return (struct fl_live){ .id = row->id,
				 .array = row->array,
				 .preemptor = row->preemptor,
				 .named = row->named,
				 .most = row->most,
				 .singleton = row->singleton != 0,
				 .once = row->once != 0,
				 .interactive = row->interactive != 0,
				 .submitted = row->submitted,
				 .started = row->started,
				 .ended = row->ended,
				 .ran = row->ran,
				 .retry = row->retry,
				 .waits = row->waits,
				 .begin = row->begin,
				 .time_limit = row->time_limit,
				 .relimited = row->relimited != 0,
				 .why_held = row->why_held != 0,
				 .queue = { row->queue },
				 .user = { row->user },
				 .uid = row->uid,
				 .bytes = row->bytes,
				 .tasks = row->tasks,
				 .state = (enum fl_job_state)row->state,
				 .stopping = (enum fl_go_why)row->stopping,
				 .held = (enum fl_hold)row->held,
				 .attempt = row->attempt,
				 .evictions = row->evictions,
				 .losses = row->losses,
				 .workload = { row->workload },
				 .priority = (int32_t)row->priority,
				 .outcome = row->outcome,
				 .status = row->status };
}

/* The dependencies of @job, from *at on. @all: in the order of jobs. */
static int take_awaits(const struct saved_await *all, uint32_t n, uint32_t *at, uint64_t job,
		       struct fl_job_after *ret, uint32_t *ret_n, fairlead_error *err)
{
	*ret_n = 0;
	for (; *at < n && all[*at].job == job; ++*at) {
		if (*ret_n == FL_JOB_AFTER || all[*at].on == 0 || all[*at].on == job ||
		    all[*at].how >= FL_AFTERS)
			return fl_image_damaged(await_kind.name, err);
		ret[(*ret_n)++] = (struct fl_job_after){ .job = all[*at].on,
							 .how = (enum fl_after)all[*at].how };
	}
	return 0;
}

static int load_live(struct fl_jobs *j, const struct fl_image *image, const uint32_t *asks,
		     uint32_t n_asks, fairlead_error *err)
{
	struct fl_job_after after[FL_JOB_AFTER];
	const void *live, *awaits;
	uint32_t n, n_awaits, n_after, at = 0;
	uint64_t before = 0;
	int r;

	if ((r = fl_image_rows(image, &await_kind, &awaits, &n_awaits, err)) < 0 ||
	    (r = fl_image_rows(image, &live_kind, &live, &n, err)) < 0)
		return r;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const struct saved_live *row = (const struct saved_live *)live + i;
		struct fl_live job = live_of(row), *placed;

		if (!is_sound(j, row, n_asks, before))
			return fl_image_damaged(live_kind.name, err);
		before = row->id;
		job.asks = asks[row->asks];
		r = take_awaits(awaits, n_awaits, &at, row->id, after, &n_after, err);
		if (r == 0)
			r = fl_jobs_place(j, &job, after, n_after, &placed, err);
	}
	if (r == 0)
		fl_jobs_settle_awaits(j);
	return r == 0 && at < n_awaits ? fl_image_damaged(await_kind.name, err) : r;
}

int fl_jobs_load(struct fl_jobs *j, struct fl_image *image, fairlead_error *err)
{
	uint32_t *asks = NULL, n_asks = 0;
	int r = fl_names_load(&j->names, image, err);

	if (r == 0)
		r = load_asks(j, image, &asks, &n_asks, err);
	if (r == 0)
		r = load_live(j, image, asks, n_asks, err);
	free(asks);
	return r;
}
