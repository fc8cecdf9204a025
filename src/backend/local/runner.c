/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - the program that runs beside one run, and outlives the daemon
 *
 *     fairlead-runner FOLDER
 *
 * Started by the daemon for each run, never by hand.  The folder of the run is its descriptor 3,
 * and only files that users have named are opened by a path; FOLDER is for people that list
 * processes.  It takes the lock of the run, starts its tasks, all or none, keeps their output,
 * enforces their time limit, stops them on an order, kills processes that they leave, and writes
 * how they ended before it ends itself.  The daemon gives orders by a slot of the run's file and
 * SIGUSR1.  SIGTERM, as at a shutdown of the machine, stops the run with its own grace.
 *
 * Exit status: 0: the run has ended, now or before; 1: that could not be written; 2: no such run.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/local/group.h"
#include "backend/local/local.h"
#include "backend/local/process.h"
#include "backend/local/runner.h"

enum {
	BY_SIGNAL = UINT32_MAX,
	BY_TIMER = UINT32_MAX - 1,
	BY_REPORT = UINT32_MAX - 2,
	BY_WRITER = UINT32_MAX - 3
};
/*
 * Milliseconds from one round of killing to the next: a process in the kernel may take long to die.
 */
enum { AGAIN_MS = 10, AGAIN_MOST_MS = 1000, GROUP_ROUNDS = 200 };

static const char too_early[] = "it was told to stop before it began";

struct runner {
	int folder, file, epoll, signals, timer;
	sigset_t heard; /* signals that it waits for */
	struct fl_attempt_spec spec;
	struct fl_attempt_status status;
	struct fl_outputs outputs;
	struct fl_writer writer;
	int unwritten; /* why the writer has ended: the code of an error, */
	fairlead_error why_unwritten;
	struct fl_tasks tasks;
	uint32_t left;    /* tasks that have not ended */
	bool failed;      /* one has ended with another status than 0, or by a signal */
	bool going;       /* they were told to stop */
	fl_time kill_at;  /* FL_NEVER */
	fl_time limit_at; /* FL_NEVER */
	int again_ms;
};

/* --- writing the status --- */

static bool write_status(struct runner *r, enum fl_attempt_state state)
{
	r->status.state = (int32_t)state;
	return fl_attempt_set_status(r->file, &r->status) == 0;
}

/* A full disk may have room later: an end is kept until it can be written. */
static bool write_end(struct runner *r)
{
	r->status.ended = fl_boot_clock();
	r->status.wall_ended = fl_wall_clock();
	while (!write_status(r, FL_ATTEMPT_ENDED) || fdatasync(r->file) != 0) {
		if (errno != ENOSPC && errno != EDQUOT && errno != EINTR)
			return false;
		nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
	}
	return true;
}

/* Texts may have paths of users: control characters, which a terminal would obey, are replaced. */
static void set_text(struct runner *r, const char *text)
{
	size_t n = 0;

	for (; *text && n < sizeof r->status.text - 1; text++)
		r->status.text[n++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
	/* Not cut in the middle of a character. */
	if (*text)
		while (n > 0 && ((unsigned char)*text & 0xc0) == 0x80)
			text--, n--;
	r->status.text[n] = 0;
}

/* --- ending --- */

static void set_timer(struct runner *r)
{
	fl_time at = fl_amount_min(r->kill_at, r->limit_at);
	struct itimerspec when = { 0 };

	if (at != FL_NEVER) {
		when.it_value.tv_sec = at / FL_SECOND;
		when.it_value.tv_nsec = at % FL_SECOND;
		if (at <= 0)
			when.it_value = (struct timespec){ .tv_nsec = 1 };
	}
	timerfd_settime(r->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void signal_tasks(const struct runner *r, int sig)
{
	for (uint32_t i = 0; i < r->spec.tasks; i++)
		if (r->tasks.pids[i] > 0) {
			kill(-r->tasks.pids[i], sig);
			kill(-r->tasks.pids[i], SIGCONT); /* stopped tasks get no signal */
		}
}

/*
 * Stops the tasks, which are killed at @kill_at; of several orders the first reason and the
 * earliest time count.
 */
static void tell_to_go(struct runner *r, enum fl_go_why why, fl_time kill_at)
{
	if (r->status.stopped == FL_GO_NOT)
		r->status.stopped = (int32_t)why;
	if (!r->going)
		signal_tasks(r, r->spec.signal);
	r->going = true;
	r->kill_at = fl_amount_min(r->kill_at, kill_at);
	set_timer(r);
}

static fl_time after_grace(const struct runner *r)
{
	return fl_sat_add(fl_boot_clock(), r->spec.grace);
}

static void limit_from_now(struct runner *r)
{
	if (r->spec.time_limit != FL_NEVER)
		r->limit_at = fl_sat_add(fl_boot_clock(), r->spec.time_limit);
	set_timer(r);
}

static void look_at_order(struct runner *r)
{
	struct fl_attempt_order order;

	if (fl_attempt_get_order(r->file, &order) == 0 && order.why != FL_GO_NOT)
		tell_to_go(r, (enum fl_go_why)order.why,
			   strcmp(order.boot, r->status.boot) == 0 ? order.by : 0);
}

static void task_ended(struct runner *r, uint32_t task, int how)
{
	bool signalled = WIFSIGNALED(how);
	int status = signalled ? WTERMSIG(how) : WEXITSTATUS(how);

	r->tasks.pids[task] = 0;
	r->left--;
	if (r->failed || (!signalled && status == 0))
		return;
	r->failed = true;
	r->status.kind = signalled ? FL_RUN_SIGNALLED : FL_RUN_EXITED;
	r->status.status = status;
	/* The job has failed: the other tasks are of no use, and they may wait for this one. */
	if (r->left > 0)
		tell_to_go(r, FL_GO_NOT, after_grace(r));
}

/* Reaps tasks, and processes that they left, which become our children. */
static void reap(struct runner *r)
{
	pid_t pid;
	int how;

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
		if (pid == r->tasks.namespace.first)
			r->tasks.namespace.first = 0;
		for (uint32_t i = 0; i < r->spec.tasks; i++)
			if (r->tasks.pids[i] == pid)
				task_ended(r, i, how);
	}
}

/* Returns the time until the next round, ns. */
static fl_time kill_round(struct runner *r)
{
	fl_group_kill(r->spec.group);
	if (r->tasks.namespace.first > 0)
		fl_namespace_kill(&r->tasks.namespace);
	else
		fl_process_kill_below(getpid(), r->writer.pid);
	reap(r);
	r->again_ms = r->again_ms == 0             ? AGAIN_MS :
		      r->again_ms >= AGAIN_MOST_MS ? AGAIN_MOST_MS :
						     2 * r->again_ms;
	return r->again_ms * INT64_C(1000000);
}

/* Kills all our descendants, until none is left. */
static void kill_all(struct runner *r)
{
	sigset_t child;
	siginfo_t info;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		reap(r);
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD)
			break;
		fl_time pause = kill_round(r);
		sigtimedwait(&child, NULL,
			     &(struct timespec){ pause / FL_SECOND, pause % FL_SECOND });
	}
	if (fl_group_out_of_memory(r->spec.group))
		set_text(r, "out of memory");
	for (int i = 0; i < GROUP_ROUNDS && !fl_group_remove(r->spec.group); i++) {
		fl_group_kill(r->spec.group); /* processes that entered the group from outside */
		nanosleep(&(struct timespec){ .tv_nsec = AGAIN_MS * 1000000L }, NULL);
	}
}

/* --- waiting --- */

static void on_signal(struct runner *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGUSR1)
			look_at_order(r);
		else if (info.ssi_signo == SIGTERM)
			tell_to_go(r, FL_GO_DRAIN, after_grace(r));
	reap(r);
}

static void on_timer(struct runner *r)
{
	uint64_t times;
	fl_time now = fl_boot_clock();

	if (read(r->timer, &times, sizeof times) < 0)
		return;
	if (now >= r->limit_at) {
		r->limit_at = FL_NEVER;
		tell_to_go(r, FL_GO_TIME_LIMIT, after_grace(r));
	}
	if (now >= r->kill_at) {
		r->status.killed = r->status.stopped != FL_GO_NOT;
		r->kill_at = now + kill_round(r);
		set_timer(r);
	}
}

static int watch(struct runner *r, int fd, uint32_t as)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = as };

	return epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &e);
}

static int watch_output(struct runner *r)
{
	for (uint32_t i = 0; i < r->outputs.n_ends; i++)
		if (watch(r, r->outputs.ends[i].fd, i) != 0)
			return -1;
	return 0;
}

/* When it has ended, no task waits for it: further output is lost, and counted. */
static void on_writer(struct runner *r)
{
	r->unwritten = fl_writer_hear(&r->writer, &r->why_unwritten);
	if (r->writer.gone) {
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->writer.said, NULL);
		watch_output(r);
	}
}

/* Handles the next events. true: a report can be read. */
static bool turn(struct runner *r)
{
	struct epoll_event events[64];
	int n = epoll_wait(r->epoll, events, 64, -1);
	bool report = false;

	for (int i = 0; i < n; i++) {
		if (events[i].data.u32 == BY_SIGNAL)
			on_signal(r);
		else if (events[i].data.u32 == BY_TIMER)
			on_timer(r);
		else if (events[i].data.u32 == BY_REPORT)
			report = true;
		else if (events[i].data.u32 == BY_WRITER)
			on_writer(r);
		else
			fl_outputs_take(&r->outputs, events[i].data.u32);
	}
	return report;
}

/* --- starting --- */

static int fail_start(fairlead_error *err, const char *what)
{
	return fl_fail(err, FAIRLEAD_EIO, "%s: %s", what, strerror(errno));
}

/* Before other processes know of us: signals wait, or are ignored. */
static void hold_signals(struct runner *r)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ, SIGUSR2 };

	sigemptyset(&r->heard);
	sigaddset(&r->heard, SIGCHLD);
	sigaddset(&r->heard, SIGUSR1);
	sigaddset(&r->heard, SIGTERM);
	sigprocmask(SIG_BLOCK, &r->heard, NULL);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
}

static int prepare(struct runner *r, fairlead_error *err)
{
	const char *given = getenv(FL_RUNNER_FILES);
	struct rlimit most;

	r->tasks.pids = calloc(r->spec.tasks, sizeof *r->tasks.pids);
	if (!r->tasks.pids)
		return fl_fail_nomem(err);
	getrlimit(RLIMIT_NOFILE, &r->tasks.files);
	most = r->tasks.files;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
	if (given && strtoull(given, NULL, 10) <= most.rlim_max)
		r->tasks.files.rlim_cur = strtoull(given, NULL, 10);

	r->signals = signalfd(-1, &r->heard, SFD_CLOEXEC | SFD_NONBLOCK);
	r->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->signals < 0 || r->timer < 0 || r->epoll < 0 ||
	    watch(r, r->signals, BY_SIGNAL) != 0 || watch(r, r->timer, BY_TIMER) != 0)
		return fail_start(err, "cannot wait for events");
	/* Orphans of its tasks become our children, not those of another process. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		return fail_start(err, "cannot adopt orphaned processes");
	return 0;
}

/* Waits until all have reported that they are ready; an order to stop meanwhile is a failure. */
static int wait_until_ready(struct runner *r, fairlead_error *err)
{
	for (uint32_t ready = 0; ready < r->spec.tasks;) {
		bool report = turn(r);
		int rc = report ? fl_tasks_hear(&r->tasks, err) : 0;

		if (rc < 0)
			return rc;
		if (r->going)
			return fl_fail(err, FAIRLEAD_ESTATE, "%s", too_early);
		if (r->left < r->spec.tasks || rc > 0)
			return fl_fail(err, FAIRLEAD_EIO, "a task was killed before it began");
		ready += report;
	}
	return 0;
}

/* Begins to read the output of tasks: we do, or a writer with the rights of the user. */
static int begin_output(struct runner *r, fairlead_error *err)
{
	int rc;

	if (!*r->spec.output)
		return watch_output(r) == 0 ? 0 : fail_start(err, "cannot wait for output");
	rc = fl_writer_begin(&r->writer, &r->outputs, &r->spec, err);
	if (rc == 0 && watch(r, r->writer.said, BY_WRITER) != 0)
		rc = fail_start(err, "cannot wait for output");
	/* The user's file system may block the writer for any time. */
	while (rc == 0 && !r->writer.open) {
		turn(r);
		if (r->writer.gone)
			*err = r->why_unwritten;
		rc = r->writer.gone ? r->unwritten :
		     r->going       ? fl_fail(err, FAIRLEAD_ESTATE, "%s", too_early) :
				      0;
	}
	return rc;
}

/* Waits until all have become the command of the user. */
static int wait_until_gone(struct runner *r, fairlead_error *err)
{
	int rc = 0;

	while (rc == 0)
		if (turn(r))
			rc = fl_tasks_hear(&r->tasks, err);
	epoll_ctl(r->epoll, EPOLL_CTL_DEL, r->tasks.report[0], NULL);
	close(r->tasks.report[0]);
	return rc > 0 ? 0 : rc;
}

static int start(struct runner *r, fairlead_error *err)
{
	const struct fl_attempt_spec *spec = &r->spec;
	int rc = fl_user_enter(spec, err);

	if (rc == 0)
		rc = fl_outputs_open(&r->outputs, r->folder, spec, err);
	if (rc == 0 && *spec->group) {
		char path[600];

		rc = fl_group_make(spec->group, &spec->limits, err);
		snprintf(path, sizeof path, "%s/cgroup.procs", spec->group);
		if (rc == 0 && (r->tasks.group = open(path, O_WRONLY | O_CLOEXEC)) < 0)
			rc = fail_start(err, "cannot use its control group");
	}
	r->left = spec->tasks;
	/* The time limit counts from here: the user's folders may block a task before it begins. */
	limit_from_now(r);
	if (rc == 0)
		rc = fl_tasks_fork(&r->tasks, err);
	if (rc == 0 && watch(r, r->tasks.report[0], BY_REPORT) != 0)
		rc = fail_start(err, "cannot wait for tasks");
	if (rc == 0)
		rc = wait_until_ready(r, err);
	if (rc == 0)
		rc = begin_output(r, err);
	if (rc != 0)
		return rc;
	r->status.began = fl_boot_clock();
	r->status.wall_began = fl_wall_clock();
	limit_from_now(r);
	fl_tasks_go(&r->tasks);
	return wait_until_gone(r, err);
}

static void run(struct runner *r)
{
	fairlead_error err = { 0 };
	int rc = prepare(r, &err);

	/* An order may have come before we could get its signal. */
	if (rc == 0)
		look_at_order(r);
	if (rc == 0 && r->going)
		rc = fl_fail(&err, FAIRLEAD_ESTATE, "%s", too_early);
	if (rc == 0)
		rc = start(r, &err);
	if (rc != 0) {
		kill_all(r);
		r->status.kind = rc == FAIRLEAD_EINPUT ? FL_RUN_IMPOSSIBLE : FL_RUN_NOT_STARTED;
		r->status.status = 0;
		r->status.began = r->status.wall_began = FL_TIME_NONE;
		set_text(r, err.text);
	} else {
		write_status(r, FL_ATTEMPT_RUNS);
		reap(r);
		while (r->left > 0)
			turn(r);
		kill_all(r);
	}
	r->status.output_lost = fl_writer_end(&r->writer);
	fl_outputs_close(&r->outputs);
	r->status.output_lost += r->outputs.own.lost;
}

/* --- the run --- */

/* Takes the lock of the run until we end. The runner that held it before us has ended then. */
static int take_run(struct runner *r)
{
	fairlead_error err = { 0 };
	struct fl_process self;

	r->folder = FL_ATTEMPT_FOLDER;
	r->file = fl_attempt_open(r->folder, O_RDWR);
	if (r->file < 0 || fcntl(r->folder, F_SETFD, FD_CLOEXEC) != 0)
		return 2;
	while (flock(r->file, LOCK_EX) != 0)
		if (errno != EINTR)
			return 2;
	if (fl_attempt_get_status(r->file, &r->status) != 0 ||
	    fl_attempt_read(r->file, &r->spec, &err) != 0)
		return 2;
	if (r->status.state != FL_ATTEMPT_NEW)
		return 0;
	if (!fl_process_look(getpid(), &self))
		return 2;
	r->status.runner = self.pid;
	r->status.runner_since = self.since;
	fl_boot_id(r->status.boot);
	r->status.began = r->status.ended = FL_TIME_NONE;
	r->status.wall_began = r->status.wall_ended = FL_TIME_NONE;
	return write_status(r, FL_ATTEMPT_STARTS) ? -1 : 2;
}

int main(int argc, char **argv)
{
	static struct runner r = {
		.tasks = { .group = -1,
			   .namespace.mounts = -1,
			   .report = { -1, -1 },
			   .go = { -1, -1 } },
		.kill_at = FL_NEVER,
		.limit_at = FL_NEVER,
	};

	(void)argv;
	if (argc != 2) {
		fputs("usage: fairlead-runner FOLDER\n"
		      "fairleadd starts it for each run; do not start it by hand\n",
		      stderr);
		return 2;
	}
	umask(077);
	hold_signals(&r);
	int rc = take_run(&r);
	if (rc >= 0)
		return rc;
	r.tasks.spec = &r.spec;
	r.tasks.outputs = &r.outputs;
	r.tasks.runner = getpid();
	run(&r);
	/*
	 * _exit: a search for leaks at exit (sanitizers) traces us, and would wait for ever with a
	 * signal.
	 */
	_exit(write_end(&r) ? 0 : 1);
}
