/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life - a run from the daemon's side: it is made, watched, and ends
 *
 * A runner is watched by its pidfd, whether it is our child or was started by a daemon before us; a
 * change of its file shows that a run has begun.  When the runner has ended, the file says how the
 * run ended.  If it does not, all processes of the run are killed, and the run is lost.
 *
 * The user of a run may stop or kill its runner.  So nothing depends on what a runner does in time: a
 * run whose end is overdue is ended without it.
 */
#include "backend/local/life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/life_end.h"
#include "backend/local/life_make.h"
#include "backend/local/life_report.h"
#include "backend/local/life_watch.h"
#include "backend/process/process.h"
#include "base/fd.h"

struct fl_spawned fl_life_spawned(const struct fl_local_run *r)
{
	return (struct fl_spawned){ .job = r->job,
				    .attempt = r->attempt,
				    .uid = r->uid,
				    .gid = r->gid,
				    .token = r->token };
}

int fl_life_open(const struct fl_local_run *r, int flags)
{
	bool ended;
	FL_FD folder = fl_folder_of(&r->h->folder, r->job, r->attempt, &ended);

	return folder < 0 ? -1 : fl_attempt_open(folder, flags);
}

/* --- finding --- */

/*
 * No runner has begun it, and ours has ended: records an end, so that none begins it later. false:
 * one has begun it.
 */
bool fl_life_close_unbegun(struct fl_local_run *r, int fd)
{
	struct fl_attempt_status s;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fl_attempt_get_status(fd, &s) != 0 ||
	    s.state != FL_ATTEMPT_NEW)
		return false;
	s = fl_life_not_started(r->h, "its runner ended before it began");
	if (fl_attempt_set_status(fd, &s) != 0)
		fl_life_notice(r, "its end cannot be recorded");
	fl_life_over(r, &s);
	return true;
}

/* No runner has begun it: one of a daemon before us may be just about to, and has the lock. */
static void start_again(struct fl_local_run *r, int fd)
{
	if (r->asked || (r->spent && fl_life_close_unbegun(r, fd)))
		return;
	/* The client of an earlier daemon has lost it: that one may attach again for the next run. */
	if (r->interactive && r->client < 0) {
		if (!fl_life_close_unbegun(r, fd))
			fl_life_look_later(r);
		return;
	}
	r->again = r->waited = true;
	r->refs++;
	fl_life_expect(r->h, 1);
	int why = fl_life_ask(r);
	if (why == 0)
		return;
	r->rc = FAIRLEAD_EIO;
	r->fresh = -1;
	fl_life_expect(r->h, -1);
	fl_life_answer(r);
}

void fl_life_wake(struct fl_local_run *r, const struct fl_attempt_status *s)
{
	struct fl_spawned run = fl_life_spawned(r);

	r->unwoken = strcmp(s->boot, r->h->boot) == 0 &&
		     !fl_spawner_wake(r->h->spawner, &run, s->runner, s->runner_since);
	if (r->unwoken)
		fl_life_look_soon(r->h);
}

static void watch_recorded(struct fl_local_run *r, int fd, const struct fl_attempt_status *s)
{
	struct fl_attempt_order order = { 0 };
	bool here = strcmp(s->boot, r->h->boot) == 0;
	int pidfd = here ? fl_spawner_open(r->h->spawner, s->runner, s->runner_since) : -1;

	if (pidfd < 0 && !(here && fl_life_is_short(errno))) {
		fl_life_lose(r);
		return;
	}
	fl_life_poll(r, pidfd);
	fl_life_watch(r);
	/* The daemon may have been killed between writing the order and the signal. */
	if (fl_attempt_get_order(fd, &order) == 0 && (order.why != FL_GO_NOT || order.time_limit)) {
		if (order.time_limit)
			r->time_limit = order.time_limit;
		if (order.why != FL_GO_NOT) {
			r->why = (enum fl_go_why)order.why;
			r->by = strcmp(order.boot, r->h->boot) == 0 ? order.by : 0;
		}
		fl_life_await_end(r);
		fl_life_wake(r, s);
	}
}

/* The process of its runner cannot be read: it exists as long as it has the lock. */
static void look_at_lock(struct fl_local_run *r, int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		fl_life_look_later(r);
	else
		fl_life_lose(r);
}

/* Continues by the state in its file. */
void fl_life_look(struct fl_local_run *r)
{
	struct fl_attempt_status s = { 0 };
	FL_FD fd = fl_life_open(r, O_RDWR);

	r->life = FL_LIFE_HELD;
	fl_life_reap(r);
	if (fd < 0 && fl_life_is_short(errno))
		fl_life_look_later(r);
	else if (fd < 0 || fl_attempt_get_status(fd, &s) != 0)
		fl_life_lose(r);
	else if (s.state == FL_ATTEMPT_ENDED)
		fl_life_over(r, &s);
	else if (s.state == FL_ATTEMPT_NEW)
		start_again(r, fd);
	else if (s.state == FL_ATTEMPT_DAMAGED)
		look_at_lock(r, fd);
	else
		watch_recorded(r, fd, &s);
}

/* The signal of an order may have been lost, or its runner was stopped: it is repeated. */
static void remind(struct fl_local_run *r)
{
	struct fl_attempt_status s;
	FL_FD fd = fl_life_open(r, O_RDONLY);

	if (fd >= 0 && fl_attempt_get_status(fd, &s) == 0 && s.state != FL_ATTEMPT_DAMAGED)
		fl_life_wake(r, &s);
}

static void reap_late(struct fl_host *h)
{
	for (uint32_t i = 0; i < h->n_unreaped;)
		if (waitpid(h->unreaped[i], NULL, WNOHANG) == 0)
			i++;
		else
			h->unreaped[i] = h->unreaped[--h->n_unreaped];
	if (h->n_unreaped > 0)
		fl_life_look_soon(h);
}

void fl_life_look_again(uv_timer_t *again)
{
	struct fl_host *h = again->data;
	fl_time now = fl_boot_clock();

	reap_late(h);
	for (uint32_t i = 0; i < h->n_runs; i++) {
		struct fl_local_run *r = h->runs[i];

		if (r->buries || r->life != FL_LIFE_HELD)
			continue;
		r->late |= r->overdue <= now;
		/* Its environment, by which the rest is found, is closed to a daemon of its user. */
		if (r->late && r->pidfd >= 0)
			pidfd_send_signal(r->pidfd, SIGKILL, NULL, 0);
		/*
		 * The end that was put off: when an order caused it, nothing else would repeat it.
		 */
		if (r->retry || r->late)
			fl_life_lose(r);
		else if (r->blind && !r->polls)
			fl_life_look(r);
		else if (r->why != FL_GO_NOT || r->unwoken)
			remind(r);
		if (r->overdue != FL_NEVER)
			fl_life_look_soon(h);
	}
}

void fl_life_hold(struct fl_local_run *r) { fl_life_look(r); }
