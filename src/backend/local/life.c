/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life - a run from the daemon's side: it is made, watched, and ends
 *
 * A runner is watched by its pidfd, whether it is our child or was started by a daemon before us; a
 * change of its file shows that a run has begun.  When the runner has ended, the file says how the
 * run ended.  If it does not, all processes of the run are killed, and the run is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/local/host.h"
#include "backend/local/process.h"
#include "base/fd.h"

enum { BURY_ROUNDS = 250, BURY_MS = 20, AGAIN_MS = 1000 };

static const char gone[] =
	"its file was damaged or missing, and its remaining processes have been ended";

static void look(struct fl_local_run *r);
static void look_later(struct fl_local_run *r);

/* --- reporting --- */

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
	if (r->life == FL_LIFE_OVER && !r->told_ended && !h->closed) {
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

static void notice(const struct fl_local_run *r, const char *text)
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
	};
	memcpy(r->outcome.text, s->text, sizeof r->outcome.text);
	if (s->wall_began != FL_TIME_NONE) {
		r->knows_began = true;
		r->began = r->outcome.began;
	}
	r->life = FL_LIFE_OVER;
	fl_machine_release(&r->h->machine, r->job, r->attempt);
	fl_life_tell(r);
}

static struct fl_attempt_status not_started(const struct fl_host *h, const char *text)
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
	struct fl_attempt_status s = not_started(r->h, text);

	fl_life_over(r, &s);
}

/* --- remaining processes --- */

bool fl_life_end_all(const struct fl_local_run *r, bool *ret_found)
{
	int clear = 0;

	*ret_found = false;
	/* None must be found twice: a process that was just being made is seen the second time. */
	for (int i = 0; i < BURY_ROUNDS && clear < 2; i++) {
		bool alone = fl_group_remove(r->group);

		if (!alone)
			fl_group_kill(r->group);
		if (fl_process_kill_marked(r->token, r->uid, geteuid()) == 0 && alone) {
			clear++;
		} else {
			clear = 0;
			*ret_found = true;
		}
		if (clear < 2)
			nanosleep(&(struct timespec){ .tv_nsec = BURY_MS * 1000000L }, NULL);
	}
	return clear == 2;
}

/* Is it the limit of open files, of us or of the machine? That says nothing about the file. */
static bool is_short(int why) { return why == EMFILE || why == ENFILE; }

/* On another thread, as it waits for the lock of the run. */
static void bury(uv_work_t *work)
{
	struct fl_local_run *r = work->data;
	struct fl_attempt_status s = { 0 };
	struct fl_attempt_order order = { 0 };
	FL_FD fd = fl_life_open(r, O_RDWR);
	bool found;

	r->retry = fd < 0 && is_short(errno);
	if (r->retry)
		return;
	/* Its runner may still run, but cannot read orders. */
	if (fd >= 0 && fl_attempt_get_status(fd, &s) == 0 && s.state == FL_ATTEMPT_DAMAGED)
		r->remains = !fl_life_end_all(r, &found);
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		continue;
	if (fd >= 0 && fl_attempt_get_status(fd, &s) == 0 && s.state == FL_ATTEMPT_ENDED)
		return;
	bool here = strcmp(s.boot, r->h->boot) == 0;
	bool damaged = fd < 0 || s.state == FL_ATTEMPT_DAMAGED;
	r->remains = (here || damaged) && !fl_life_end_all(r, &found);
	s.state = FL_ATTEMPT_ENDED;
	s.kind = FL_RUN_LOST;
	if (fd >= 0 && fl_attempt_get_order(fd, &order) == 0)
		s.stopped = order.why;
	s.ended = here ? fl_boot_clock() : FL_TIME_NONE;
	s.wall_ended = here ? fl_wall_clock() : FL_TIME_NONE;
	snprintf(s.text, sizeof s.text, "%s",
		 damaged ? gone :
		 here    ? "its runner was killed, and its remaining processes have been ended" :
			   "the machine was restarted while it ran");
	r->rc = fd >= 0 && fl_attempt_set_status(fd, &s) == 0 && fdatasync(fd) == 0 ? 0 : -1;
	if (r->rc != 0) {
		/* Not written: reported all the same, and again after a restart. */
		r->bytes = malloc(sizeof s);
		if (r->bytes)
			memcpy(r->bytes, &s, sizeof s);
	}
}

static void buried(uv_work_t *work, int status)
{
	struct fl_local_run *r = work->data;

	(void)status;
	r->buries = false;
	if (r->remains)
		notice(r, "its runner was killed, and some of its processes could not be ended");
	if (r->bytes) {
		fl_life_over(r, r->bytes);
		free(r->bytes);
		r->bytes = NULL;
	} else if (r->retry) {
		look_later(r);
	} else if (r->life != FL_LIFE_OVER) {
		look(r);
	}
	fl_local_unref(r);
}

/* May be called again while it is under way: by another order, by the end of its runner. */
static void lose(struct fl_local_run *r)
{
	if (r->buries)
		return;
	r->buries = true;
	r->work.data = r;
	r->refs++;
	uv_queue_work(r->h->loop, &r->work, bury, buried);
}

/* --- the runner --- */

int fl_life_open(const struct fl_local_run *r, int flags)
{
	bool ended;
	FL_FD folder = fl_folder_of(&r->h->folder, r->job, r->attempt, &ended);

	return folder < 0 ? -1 : fl_attempt_open(folder, flags);
}

/* The runner has the token as well, so that it and all its descendants are found by it. */
static char **with_token(const char *token, char mark[FL_RUN_TOKEN + 16])
{
	size_t n = 0;

	while (environ[n])
		n++;
	char **all = calloc(n + 2, sizeof *all);
	if (!all)
		return NULL;
	snprintf(mark, FL_RUN_TOKEN + 16, "FAIRLEAD_RUN=%s", token);
	all[0] = mark;
	memcpy(all + 1, environ, n * sizeof *all);
	return all;
}

/*
 * In a session of its own; it inherits only our environment and the folder of the run, whose path
 * as argument is for people only.  On any thread. 0 or errno.
 */
static int spawn_runner(const struct fl_local_run *r, pid_t *ret)
{
	char folder[4200], mark[FL_RUN_TOKEN + 16];
	bool ended;
	FL_FD fd = fl_folder_of(&r->h->folder, r->job, r->attempt, &ended);
	char *argv[] = { r->h->runner, folder, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t all, none;

	if (fd < 0)
		return errno;
	fl_folder_path(&r->h->folder, r->job, r->attempt, folder, sizeof folder);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_adddup2(&files, fd, FL_ATTEMPT_FOLDER);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addclosefrom_np(&files, FL_ATTEMPT_FOLDER + 1);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	char **with = with_token(r->token, mark);
	int rc = with ? posix_spawn(ret, r->h->runner, &files, &attributes, argv, with) : ENOMEM;
	free(with);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

static void closed_handle(uv_handle_t *handle)
{
	struct fl_local_run *r = handle->data;

	if (handle == (uv_handle_t *)&r->gone && r->pidfd >= 0) {
		close(r->pidfd);
		r->pidfd = -1;
		/* The runner has ended: the file says what became of the run. */
		if (r->life == FL_LIFE_HELD && !r->h->closed)
			look(r);
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

static void reap_child(struct fl_local_run *r)
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
static void look_later(struct fl_local_run *r)
{
	if (!r->blind)
		notice(r, "its runner cannot be watched, as too many files are open or its own is "
			  "damaged; it is looked at each second");
	r->blind = true;
	uv_timer_start(&r->h->again, fl_life_look_again, AGAIN_MS, 0);
}

/* Takes over @pidfd; -1: none could be opened. */
static void poll_runner(struct fl_local_run *r, int pidfd)
{
	r->gone.data = r;
	if (pidfd < 0 || uv_poll_init(r->h->loop, &r->gone, pidfd) != 0) {
		if (pidfd >= 0)
			close(pidfd);
		look_later(r);
		return;
	}
	r->blind = false;
	r->pidfd = pidfd;
	r->refs++;
	r->polls = true;
	uv_poll_start(&r->gone, UV_READABLE, on_gone);
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
		fl_life_tell(r);
	}
	if (s.state >= FL_ATTEMPT_RUNS)
		stop_watching(r);
}

static void on_changed(uv_fs_event_t *event, const char *name, int events, int status)
{
	(void)name;
	(void)events;
	(void)status;
	look_for_begin(event->data);
}

/* Watched until the run has begun; then only its end matters. */
static void watch_file(struct fl_local_run *r)
{
	char path[4200];
	size_t n;

	if (r->knows_began || r->watches)
		return;
	fl_folder_path(&r->h->folder, r->job, r->attempt, path, sizeof path);
	n = strlen(path);
	snprintf(path + n, sizeof path - n, "/" FL_ATTEMPT_FILE);
	r->changed.data = r;
	uv_fs_event_init(r->h->loop, &r->changed);
	r->refs++;
	r->watches = true;
	if (uv_fs_event_start(&r->changed, on_changed, path, 0) != 0) {
		notice(r, "its file cannot be watched: its start will be seen only when it ends");
		stop_watching(r);
	}
	look_for_begin(r);
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
	int why = spawn_runner(r, &r->child);
	if (why != 0) {
		r->child = 0;
		fl_folder_drop(&r->h->folder, r->job, r->attempt);
		r->rc = fl_fail(&r->err, FAIRLEAD_EIO, "cannot start its runner %s: %s",
				r->h->runner, strerror(why));
	}
}

static void hold_child(struct fl_local_run *r)
{
	r->life = FL_LIFE_HELD;
	poll_runner(r, pidfd_open(r->child,
				  0)); /* our child, not reaped: the number is still its own */
	watch_file(r);
}

/* Lost without a file: found again at each start until it is forgotten. */
static void lost_before(struct fl_local_run *r)
{
	struct fl_attempt_status s = not_started(r->h, gone);

	s.kind = FL_RUN_LOST;
	s.stopped = (int32_t)r->why;
	if (r->remains)
		notice(r, "some of its processes could not be ended");
	fl_life_over(r, &s);
}

static void made(uv_work_t *work, int status)
{
	struct fl_local_run *r = work->data;
	fairlead_error err;

	(void)status;
	free(r->bytes);
	r->bytes = NULL;
	if (r->h->closed) {
		fl_local_unref(r);
		return;
	}
	if (r->lost) {
		lost_before(r);
	} else if (r->rc < 0) {
		fl_life_refuse(r, r->err.text);
	} else if (r->rc == 0) {
		hold_child(r);
	} else {
		fl_local_reread(r);
		look(r);
	}
	if (r->why != FL_GO_NOT && r->life == FL_LIFE_HELD &&
	    fl_life_order(r, r->why, r->by, &err) != 0)
		notice(r, err.text);
	fl_local_unref(r);
}

void fl_life_make(struct fl_local_run *r)
{
	r->life = FL_LIFE_MADE;
	r->work.data = r;
	r->refs++;
	uv_queue_work(r->h->loop, &r->work, make, made);
}

/* --- finding --- */

/*
 * No runner has begun it, and ours has ended: records an end, so that none begins it later. false:
 * one has begun it.
 */
static bool close_unbegun(struct fl_local_run *r, int fd)
{
	struct fl_attempt_status s;

	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fl_attempt_get_status(fd, &s) != 0 ||
	    s.state != FL_ATTEMPT_NEW)
		return false;
	s = not_started(r->h, "its runner ended before it began");
	if (fl_attempt_set_status(fd, &s) != 0)
		notice(r, "its end cannot be recorded");
	fl_life_over(r, &s);
	return true;
}

/* No runner has begun it: one of a daemon before us may be just about to, and has the lock. */
static void start_again(struct fl_local_run *r, int fd)
{
	if (r->child > 0) {
		hold_child(r);
		return;
	}
	if (r->spent && close_unbegun(r, fd))
		return;
	int why = spawn_runner(r, &r->child);
	if (why == 0) {
		hold_child(r);
		return;
	}
	r->child = 0;
	r->spent = true;
	if (!close_unbegun(r, fd))
		look_later(r);
}

static void wake(const struct fl_local_run *r, const struct fl_attempt_status *s)
{
	bool here = strcmp(s->boot, r->h->boot) == 0;
	FL_FD pidfd = here ? fl_process_open(s->runner, s->runner_since) : -1;

	if (pidfd < 0)
		return;
	pidfd_send_signal(pidfd, SIGUSR1, NULL, 0);
	pidfd_send_signal(pidfd, SIGCONT, NULL, 0); /* it may have been stopped (SIGSTOP) */
}

static void watch_recorded(struct fl_local_run *r, int fd, const struct fl_attempt_status *s)
{
	struct fl_attempt_order order = { 0 };
	bool here = strcmp(s->boot, r->h->boot) == 0;
	int pidfd = here ? fl_process_open(s->runner, s->runner_since) : -1;

	if (pidfd < 0 && !(here && is_short(errno))) {
		lose(r);
		return;
	}
	poll_runner(r, pidfd);
	watch_file(r);
	/* The daemon may have been killed between writing the order and the signal. */
	if (fl_attempt_get_order(fd, &order) == 0 && order.why != FL_GO_NOT)
		wake(r, s);
}

/* The process of its runner cannot be read: it exists as long as it has the lock. */
static void look_at_lock(struct fl_local_run *r, int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		look_later(r);
	else
		lose(r);
}

/* Continues by the state in its file. */
static void look(struct fl_local_run *r)
{
	struct fl_attempt_status s = { 0 };
	FL_FD fd = fl_life_open(r, O_RDWR);

	r->life = FL_LIFE_HELD;
	reap_child(r);
	if (fd < 0 && is_short(errno))
		look_later(r);
	else if (fd < 0 || fl_attempt_get_status(fd, &s) != 0)
		lose(r);
	else if (s.state == FL_ATTEMPT_ENDED)
		fl_life_over(r, &s);
	else if (s.state == FL_ATTEMPT_NEW)
		start_again(r, fd);
	else if (s.state == FL_ATTEMPT_DAMAGED)
		look_at_lock(r, fd);
	else
		watch_recorded(r, fd, &s);
}

void fl_life_look_again(uv_timer_t *again)
{
	struct fl_host *h = again->data;

	for (uint32_t i = 0; i < h->n_runs; i++) {
		struct fl_local_run *r = h->runs[i];

		if (r->buries || r->life != FL_LIFE_HELD)
			continue;
		/*
		 * The end that was put off: when an order caused it, nothing else would repeat it.
		 */
		if (r->retry)
			lose(r);
		else if (r->blind && !r->polls)
			look(r);
	}
}

void fl_life_hold(struct fl_local_run *r) { look(r); }

int fl_life_order(struct fl_local_run *r, enum fl_go_why why, fl_time by, fairlead_error *err)
{
	struct fl_attempt_order order;
	struct fl_attempt_status s;
	FL_FD fd = fl_life_open(r, O_RDWR);
	int rc = -1;

	if (fd >= 0 && fl_attempt_get_order(fd, &order) == 0) {
		if (order.why == FL_GO_NOT || strcmp(order.boot, r->h->boot) != 0)
			order.by = FL_NEVER;
		if (order.why == FL_GO_NOT)
			order.why = (int32_t)why;
		order.by = fl_amount_min(order.by, by);
		memcpy(order.boot, r->h->boot, sizeof order.boot);
		rc = fl_attempt_set_order(fd, &order);
		/*
		 * Read after the order was written: a runner that begins later will read the order.
		 */
		if (rc == 0 && fl_attempt_get_status(fd, &s) == 0) {
			if (s.state == FL_ATTEMPT_DAMAGED)
				lose(r); /* no runner that could read the order */
			else
				wake(r, &s);
		}
	}
	return rc == 0 ? 0 :
			 fl_fail(err, FAIRLEAD_EIO, "run %llu.%u cannot be told to stop: %s",
				 (unsigned long long)r->job, r->attempt, strerror(errno));
}

void fl_life_let_go(struct fl_local_run *r)
{
	stop_watching(r);
	stop_polling(r);
}
