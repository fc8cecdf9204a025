/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/life_make.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "backend/local/life.h"
#include "backend/local/life_end.h"
#include "backend/local/life_order.h"
#include "backend/local/life_report.h"
#include "backend/local/life_watch.h"
#include "base/fd.h"

/* --- its runner --- */

/* The answer of the spawner, on any thread. */
static void on_started(void *user, int rc, int pidfd, pid_t child, const fairlead_error *err)
{
	struct fl_local_run *r = user;
	struct fl_host *h = r->h;

	uv_mutex_lock(&h->answers_lock);
	r->rc = rc;
	r->err = *err;
	r->fresh = pidfd;
	r->child = child;
	r->next_answer = h->answered;
	h->answered = r;
	if (!h->deaf)
		uv_async_send(&h->answers);
	uv_mutex_unlock(&h->answers_lock);
}

/*
 * Asks for its runner, with its files; the answer comes to fl_life_hear.  On any thread. 0 or errno:
 * it was not asked for.
 */
int fl_life_ask(struct fl_local_run *r)
{
	char place[4200];
	bool ended;
	FL_FD folder = fl_folder_of(&r->h->folder, r->job, r->attempt, &ended);
	uint32_t n = 1 + r->n_outputs;
	int *files = calloc(n + 1, sizeof *files), why = 0;

	if (!files)
		return ENOMEM;
	files[0] = folder < 0 ? -1 : fl_attempt_open(folder, O_RDWR);
	if (files[0] < 0 || fl_folder_outputs(folder, r->n_outputs, files + 1) != 0)
		why = errno;
	if (why == 0) {
		fl_folder_path(&r->h->folder, r->job, r->attempt, place, sizeof place);
		r->asked = true;
		if (r->client >= 0)
			files[n++] = r->client;
		fl_spawner_start(r->h->spawner,
				 &(struct fl_spawner_start){ .run = fl_life_spawned(r),
							     .limits = r->limits,
							     .group = *r->h->place.group.path != 0,
							     .alone = r->h->alone,
							     .files = files,
							     .n_files = n,
							     .client = r->client >= 0,
							     .place = place },
				 on_started, r);
	}
	for (uint32_t i = 0; i <= r->n_outputs && (i == 0 || why == 0); i++)
		fl_fd_close(&files[i]);
	fl_fd_close(&r->client);
	r->client = -1;
	free(files);
	return why;
}

/* --- making --- */

/* Does the folder with its number belong to another run, or can it not be read? */
static bool is_anothers(const struct fl_local_run *r)
{
	struct fl_attempt_spec spec = { 0 };
	FL_FD fd = fl_life_open(r, O_RDONLY);
	bool ours = fd >= 0 && fl_attempt_read(fd, &spec, NULL) == 0 &&
		    strcmp(spec.token, r->token) == 0;

	fl_attempt_done(&spec);
	return !ours;
}

/* Removes what earlier runs left. false: that cannot be set aside; or the run is lost. */
static bool clear_way(struct fl_local_run *r)
{
	char kept[FL_RUN_PLACE];
	bool found = false;

	if (r->before != FL_BEFORE_NOT) {
		r->remains = !fl_life_end_all(r, &found);
		r->lost = found || r->before == FL_BEFORE_SURELY;
		if (r->refused)
			r->rc = fl_fail(&r->err, FAIRLEAD_ESTATE, "%s", r->refused);
	}
	if (is_anothers(r) && fl_folder_set_aside(&r->h->folder, r->job, r->attempt, kept) != 0) {
		r->rc = fl_fail(&r->err, FAIRLEAD_EIO,
				"the folder that has its number cannot be moved "
				"aside: %s",
				strerror(errno));
		return false;
	}
	return !r->lost && r->rc == 0;
}

static void make(uv_work_t *work)
{
	struct fl_local_run *r = work->data;

	if (!clear_way(r))
		return;
	r->rc = fl_folder_make(&r->h->folder, r->job, r->attempt, r->bytes, r->n_bytes, &r->err);
	if (r->rc != 0)
		return; /* 1: made by another daemon: its file is read */
	int why = fl_life_ask(r);
	if (why != 0) {
		fl_folder_drop(&r->h->folder, r->job, r->attempt);
		r->rc = fl_fail(&r->err, FAIRLEAD_EIO, "cannot start its runner: %s",
				strerror(why));
	}
}

/* Its runner has begun: @pidfd is taken over. */
static void hold(struct fl_local_run *r, int pidfd)
{
	r->life = FL_LIFE_HELD;
	r->ours = true;
	fl_life_poll(r, pidfd);
	fl_life_watch(r);
}

/* Lost without a file: found again at each start until it is forgotten. */
static void lost_before(struct fl_local_run *r)
{
	struct fl_attempt_status s = fl_life_not_started(r->h, fl_life_gone);

	s.kind = FL_RUN_LOST;
	s.stopped = (int32_t)r->why;
	if (r->remains)
		fl_life_notice(r, "some of its processes could not be ended");
	fl_life_over(r, &s);
}

/* An idle handle does not keep the loop running (local_open), one with answers to come does. */
void fl_life_expect(struct fl_host *h, int more)
{
	h->n_asked += (uint32_t)more;
	if (h->n_asked > 0)
		uv_ref((uv_handle_t *)&h->answers);
	else
		uv_unref((uv_handle_t *)&h->answers);
}

static void obey_early(struct fl_local_run *r)
{
	fairlead_error err;

	if (r->why != FL_GO_NOT && r->life == FL_LIFE_HELD &&
	    fl_life_order(r, r->why, r->by, &err) != 0)
		fl_life_notice(r, err.text);
	if (r->new_limit && r->life == FL_LIFE_HELD &&
	    fl_life_change(r, r->new_limit, /* signal= */ 0, &err) != 0)
		fl_life_notice(r, err.text);
}

static void refuse(struct fl_local_run *r)
{
	struct fl_attempt_status s = fl_life_not_started(r->h, r->err.text);

	if (r->rc == FAIRLEAD_EINPUT)
		s.kind = FL_RUN_IMPOSSIBLE;
	fl_life_over(r, &s);
}

static void made(uv_work_t *work, int status)
{
	struct fl_local_run *r = work->data;

	(void)status;
	free(r->bytes);
	r->bytes = NULL;
	if (r->asked) {
		/* The answer ends it: fl_life_hear. */
		r->waited = true;
		fl_life_hear(&r->h->answers);
		return;
	}
	fl_life_expect(r->h, -1);
	if (!r->h->closed) {
		if (r->lost) {
			lost_before(r);
		} else if (r->rc < 0) {
			refuse(r);
		} else {
			fl_local_reread(r);
			fl_life_look(r);
		}
		obey_early(r);
	}
	fl_local_unref(r);
}

/* --- the answer of the spawner --- */

static void not_begun(struct fl_local_run *r)
{
	FL_FD fd = -1;

	r->spent = true;
	if (!r->again) {
		fl_folder_drop(&r->h->folder, r->job, r->attempt);
		refuse(r);
		return;
	}
	fd = fl_life_open(r, O_RDWR);
	if (fd < 0 || !fl_life_close_unbegun(r, fd))
		fl_life_look_later(r);
}

void fl_life_answer(struct fl_local_run *r)
{
	int pidfd = r->fresh;

	r->asked = false;
	r->fresh = -1;
	/* It may have begun, so its folder stays. */
	if (r->h->closed || (r->rc != 0 && fl_spawner_is_gone(r->h->spawner))) {
		fl_fd_close(&pidfd);
	} else if (r->rc != 0) {
		not_begun(r);
	} else {
		hold(r, pidfd);
		obey_early(r);
	}
	fl_local_unref(r);
}

void fl_life_hear(uv_async_t *handle)
{
	struct fl_host *h = handle->data;
	struct fl_local_run *later = NULL, *next;

	uv_mutex_lock(&h->answers_lock);
	struct fl_local_run *all = h->answered;
	h->answered = NULL;
	bool gone_now = h->spawner_gone && !h->closed;
	h->spawner_gone = false;
	uv_mutex_unlock(&h->answers_lock);
	h->refs++;
	for (struct fl_local_run *r = all; r; r = next) {
		next = r->next_answer;
		if (r->waited) {
			fl_life_expect(h, -1);
			fl_life_answer(r);
		} else {
			/* Its thread has not ended: made comes back to it. */
			r->next_answer = later;
			later = r;
		}
	}
	uv_mutex_lock(&h->answers_lock);
	while (later) {
		next = later->next_answer;
		later->next_answer = h->answered;
		h->answered = later;
		later = next;
	}
	uv_mutex_unlock(&h->answers_lock);
	if (gone_now)
		h->callbacks.broken(h->callbacks.user, "fairlead-spawn, which starts the runs, has "
						       "ended");
	fl_host_unref(h);
}

void fl_life_spawner_gone(void *host)
{
	struct fl_host *h = host;

	uv_mutex_lock(&h->answers_lock);
	h->spawner_gone = true;
	if (!h->deaf)
		uv_async_send(&h->answers);
	uv_mutex_unlock(&h->answers_lock);
}

void fl_life_make(struct fl_local_run *r)
{
	r->life = FL_LIFE_MADE;
	r->work.data = r;
	r->refs++;
	fl_life_expect(r->h, 1);
	uv_queue_work(r->h->loop, &r->work, make, made);
}
