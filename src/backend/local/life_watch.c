/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/life_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/life.h"
#include "backend/local/life_report.h"
#include "backend/process/process.h"
#include "base/fd.h"

enum { AGAIN_MS = 1000 };

void fl_life_look_soon(struct fl_host *h)
{
	if (!h->closed && !uv_is_active((uv_handle_t *)&h->again))
		uv_timer_start(&h->again, fl_life_look_again, AGAIN_MS, 0);
}

static void closed_handle(uv_handle_t *handle)
{
	struct fl_local_run *r = handle->data;

	if (handle == (uv_handle_t *)&r->gone && r->pidfd >= 0) {
		close(r->pidfd);
		r->pidfd = -1;
		r->spent |= r->ours;
		/* The runner has ended: the file says what became of the run. */
		if (r->life == FL_LIFE_HELD && !r->h->closed && !r->buries)
			fl_life_look(r);
	}
	fl_local_unref(r);
}

static void stop_watching(struct fl_local_run *r)
{
	if (r->watches)
		uv_close((uv_handle_t *)&r->changed, closed_handle);
	r->watches = false;
}

static void stop_polling(struct fl_local_run *r)
{
	if (r->polls)
		uv_close((uv_handle_t *)&r->gone, closed_handle);
	r->polls = false;
}

void fl_life_reap(struct fl_local_run *r)
{
	if (r->child > 0 && waitpid(r->child, NULL, WNOHANG) != 0) {
		r->child = 0;
		r->spent = true;
	}
}

static void on_gone(uv_poll_t *poll, int status, int events)
{
	struct fl_local_run *r = poll->data;

	(void)status;
	(void)events;
	stop_watching(r);
	stop_polling(r);
}

/* With too many open files, ours or the machine's: it can be checked later. */
void fl_life_look_later(struct fl_local_run *r)
{
	if (!r->blind)
		fl_life_notice(
			r, "its runner cannot be watched, as too many files are open or its own is "
			   "damaged; it is looked at each second");
	r->blind = true;
	fl_life_look_soon(r->h);
}

/* Takes over @pidfd; -1: none could be opened. */
void fl_life_poll(struct fl_local_run *r, int pidfd)
{
	r->gone.data = r;
	if (pidfd < 0 || uv_poll_init(r->h->loop, &r->gone, pidfd) != 0) {
		if (pidfd >= 0)
			close(pidfd);
		fl_life_look_later(r);
		return;
	}
	r->blind = false;
	r->pidfd = pidfd;
	r->refs++;
	r->polls = true;
	uv_poll_start(&r->gone, UV_READABLE, on_gone);
}

/* Its time limit and its grace are over, or those of its order, and then some. */
void fl_life_await_end(struct fl_local_run *r)
{
	/* A runner gives it the limit to begin, and again from then on. */
	fl_time from = r->knows_began ? r->began : r->awaited;

	r->overdue = FL_NEVER;
	if (from != FL_TIME_NONE && r->time_limit != FL_NEVER)
		r->overdue = fl_sat_add(fl_sat_add(from, r->time_limit),
					fl_sat_add(r->grace, r->h->patience));
	if (r->why != FL_GO_NOT)
		r->overdue = fl_amount_min(r->overdue, fl_sat_add(r->by, r->h->patience));
	if (r->overdue != FL_NEVER)
		fl_life_look_soon(r->h);
}

static void look_for_begin(struct fl_local_run *r)
{
	struct fl_attempt_status s = { 0 };
	FL_FD fd = fl_life_open(r, O_RDONLY);

	if (fd < 0)
		return;
	if (fl_attempt_get_status(fd, &s) == 0 && s.state == FL_ATTEMPT_RUNS &&
	    strcmp(s.boot, r->h->boot) == 0) {
		r->knows_began = true;
		r->began = s.began;
		fl_life_await_end(r);
		fl_life_tell(r);
	}
	if (s.state == FL_ATTEMPT_ENDED && r->hooks && r->life == FL_LIFE_HELD)
		fl_life_over(r, &s);
	if (s.state >= FL_ATTEMPT_RUNS && (!r->hooks || s.state != FL_ATTEMPT_RUNS))
		stop_watching(r);
}

static void on_changed(uv_fs_event_t *event, const char *name, int events, int status)
{
	(void)name;
	(void)events;
	(void)status;
	look_for_begin(event->data);
}

/* Watched until the run has begun; with hooks until its end, which its runner outlives. */
void fl_life_watch(struct fl_local_run *r)
{
	char path[4200];
	size_t n;

	if ((r->knows_began && !r->hooks) || r->watches)
		return;
	fl_folder_path(&r->h->folder, r->job, r->attempt, path, sizeof path);
	n = strlen(path);
	snprintf(path + n, sizeof path - n, "/" FL_ATTEMPT_FILE);
	r->changed.data = r;
	uv_fs_event_init(r->h->loop, &r->changed);
	r->refs++;
	r->watches = true;
	if (uv_fs_event_start(&r->changed, on_changed, path, 0) != 0) {
		fl_life_notice(
			r, "its file cannot be watched: its start will be seen only when it ends");
		stop_watching(r);
	}
	r->awaited = fl_boot_clock();
	fl_life_await_end(r);
	look_for_begin(r);
}

void fl_life_let_go(struct fl_local_run *r)
{
	struct fl_host *h = r->h;

	fl_life_reap(r);
	if (r->child > 0 && !h->closed &&
	    fl_mem_grow(&fl_mem_heap, &h->unreaped, &h->cap_unreaped, h->n_unreaped + 1,
			sizeof *h->unreaped, NULL) == 0) {
		h->unreaped[h->n_unreaped++] = r->child;
		fl_life_look_soon(h);
	}
	stop_watching(r);
	stop_polling(r);
}
