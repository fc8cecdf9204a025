/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner - the program that runs beside one run, and outlives the daemon
 *
 *     fairlead-runner FOLDER NUMBER HOW
 *
 * Started for each run, as the user of the run, never by hand.  What it needs of the run are its
 * descriptors (attempt.h); only files that users have named are opened by a path; FOLDER is for people
 * that list processes.  NUMBER is its own outside of the namespace of the run, or 0: as it is; HOW has
 * "g" if there is a control group, "c" if all that the run starts is held together whatever user it
 * becomes, and "i" if it is interactive.
 *
 * It takes the lock of the run, starts its tasks, all or none, keeps their output, enforces their time
 * limit, stops them on an order, kills processes that they leave, and writes how they ended before it
 * ends itself.  The daemon gives orders by a slot of the run's file and SIGUSR1.  SIGTERM, as at a
 * shutdown of the machine, stops the run with its own grace.
 *
 * Its user may kill or stop it; then the daemon has the rest ended.  No user can trace it, so its
 * descriptors are out of reach: not from its first moment, as it is started with a real group
 * that is not the effective one, nor later.
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

#include "backend/local/local.h"
#include "backend/process/inside.h"
#include "backend/process/process.h"
#include "backend/runner/hooks.h"
#include "backend/runner/runner.h"

enum {
	BY_SIGNAL = UINT32_MAX,
	BY_TIMER = UINT32_MAX - 1,
	BY_REPORT = UINT32_MAX - 2,
	BY_WRITER = UINT32_MAX - 3,
	BY_RELAY = UINT32_MAX - 4
};
/*
 * Milliseconds from one round of killing to the next: a process in the kernel may take long to die.
 */
enum { AGAIN_MS = 10, AGAIN_MOST_MS = 1000, GROUP_ROUNDS = 200, NAMESPACE_ROUNDS = 12 };

/* For a client that takes nothing of what its job has printed. */
#define CLIENT_PATIENCE (60 * FL_SECOND)

static const char too_early[] = "it was told to stop before it began";

struct runner {
	pid_t number; /* as others see it */
	const char *how;
	int file, epoll, signals, timer;
	sigset_t heard; /* signals that it waits for */
	struct fl_attempt_spec spec;
	struct fl_attempt_status status;
	struct fl_outputs outputs;
	struct fl_writer writer;
	int unwritten; /* why the writer has ended: the code of an error, */
	fairlead_error why_unwritten;
	struct fl_tasks tasks;
	struct fl_hooks hooks;
	uint32_t left;      /* tasks that have not ended */
	bool failed;        /* one has ended with another status than 0, or by a signal */
	bool going;         /* they were told to stop */
	bool outlived;      /* some of its processes could not be ended: they end with us */
	fl_time kill_at;    /* FL_NEVER */
	fl_time limit_at;   /* FL_NEVER */
	fl_time limit_from; /* when the tasks began; 0: not yet */
	uint8_t sent
		[FL_ATTEMPT_SIGNALS]; /* signals by number, as in the order that was read last */
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

static void set_limit(struct runner *r)
{
	r->limit_at = r->spec.time_limit == FL_NEVER ?
			      FL_NEVER :
			      fl_sat_add(r->limit_from, r->spec.time_limit);
	set_timer(r);
}

static void limit_from_now(struct runner *r)
{
	r->limit_from = fl_boot_clock();
	set_limit(r);
}

/* A limit that is passed already ends it at once. */
static void take_limit(struct runner *r, fl_time time_limit)
{
	if (time_limit == 0 || time_limit == r->spec.time_limit)
		return;
	r->spec.time_limit = time_limit;
	if (r->limit_from && !r->going)
		set_limit(r);
}

static void send_signals(struct runner *r, const struct fl_attempt_order *order)
{
	for (int sig = 1; sig < FL_ATTEMPT_SIGNALS; sig++) {
		if (order->signals[sig] == r->sent[sig])
			continue;
		r->sent[sig] = order->signals[sig];
		for (uint32_t i = 0; i < r->spec.tasks; i++)
			if (r->tasks.pids[i] > 0)
				kill(-r->tasks.pids[i], sig);
	}
}

/* It is cancelled, and the client is not there: it has left, or has not come to the next daemon. */
static void look_for_client(struct runner *r)
{
	struct fl_relay *relay = &r->tasks.relay;

	fl_relay_turn(relay);
	if (!fl_relay_is_attended(relay))
		fl_relay_hang_up(relay);
}

static void look_at_order(struct runner *r)
{
	struct fl_attempt_order order;

	if (fl_attempt_get_order(r->file, &order) != 0)
		return;
	take_limit(r, order.time_limit);
	if (r->limit_from)
		send_signals(r, &order);
	if (order.why == FL_GO_CANCELLED)
		look_for_client(r);
	if (order.why != FL_GO_NOT)
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

	while ((pid = waitpid(-1, &how, WNOHANG)) > 0)
		for (uint32_t i = 0; i < r->spec.tasks; i++)
			if (r->tasks.pids[i] == pid)
				task_ended(r, i, how);
}

/* Returns the time until the next round, ns. */
static fl_time kill_round(struct runner *r)
{
	fl_group_end(&r->tasks.group);
	fl_process_kill_below(getpid(), (const pid_t[2]){ r->writer.pid, r->hooks.pid });
	reap(r);
	r->again_ms = r->again_ms == 0             ? AGAIN_MS :
		      r->again_ms >= AGAIN_MOST_MS ? AGAIN_MOST_MS :
						     2 * r->again_ms;
	return r->again_ms * INT64_C(1000000);
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * (uint64_t)FL_SECOND + (uint64_t)t.tv_usec * 1000;
}

/* What the run used, when all of it has ended and its group is still there. */
static void measure(struct runner *r)
{
	struct rusage all;

	if (getrusage(RUSAGE_CHILDREN, &all) == 0) {
		r->status.cpu = ns_of(all.ru_utime) + ns_of(all.ru_stime);
		r->status.memory = (uint64_t)all.ru_maxrss * 1024;
	}
	fl_group_used(&r->tasks.group, &r->status.cpu, &r->status.memory);
}

/*
 * Kills all our descendants, until none is left.  In a namespace one that has become another user
 * may be left: it ends with us.
 */
static void kill_all(struct runner *r)
{
	bool first = getpid() == 1;
	sigset_t child;
	siginfo_t info;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (int i = 0; !first || i < NAMESPACE_ROUNDS; i++) {
		reap(r);
		r->outlived = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ||
			      errno != ECHILD;
		if (!r->outlived)
			break;
		fl_time pause = kill_round(r);
		sigtimedwait(&child, NULL,
			     &(struct timespec){ pause / FL_SECOND, pause % FL_SECOND });
	}
	measure(r);
	if (fl_group_out_of_memory(&r->tasks.group))
		set_text(r, "out of memory");
	for (int i = 0; i < GROUP_ROUNDS && !fl_group_is_empty(&r->tasks.group); i++) {
		fl_group_end(&r->tasks.group); /* processes that entered the group from outside */
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
		else if (events[i].data.u32 == BY_RELAY)
			fl_relay_turn(&r->tasks.relay);
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
	int rc = fl_outputs_open(&r->outputs, FL_ATTEMPT_OUTPUT, spec, err);

	r->left = spec->tasks;
	if (rc == 0)
		rc = fl_hooks_begin(&r->hooks, &r->tasks, err);
	/* The time limit counts from here: the user's folders may block a task before it begins. */
	limit_from_now(r);
	if (rc == 0 && spec->interactive)
		rc = fl_tasks_receive(&r->tasks, err);
	if (rc == 0)
		rc = fl_tasks_fork(&r->tasks, err);
	if (rc == 0 && watch(r, r->tasks.report[0], BY_REPORT) != 0)
		rc = fail_start(err, "cannot wait for tasks");
	if (rc == 0)
		rc = wait_until_ready(r, err);
	if (rc == 0)
		rc = begin_output(r, err);
	if (rc == 0 && r->tasks.relay.epoll >= 0 && watch(r, r->tasks.relay.epoll, BY_RELAY) != 0)
		rc = fail_start(err, "cannot wait for its client");
	if (rc != 0)
		return rc;
	fl_relay_begin(&r->tasks.relay);
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
		r->status.cpu = r->status.memory = 0;
		set_text(r, err.text);
	} else {
		write_status(r, FL_ATTEMPT_RUNS);
		fl_hooks_tell(&r->hooks, FL_HOOK_BEGIN, &r->status);
		look_at_order(r); /* for signals that came too early */
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

/* No user can trace it, and no task gets its descriptors. */
static bool be_private(void)
{
	gid_t group = getegid();

	return (getgid() == group || setresgid(group, group, group) == 0) &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	       close_range(FL_ATTEMPT_RUN, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/* The descriptors behind those of the output. */
static void take_files(struct runner *r)
{
	bool none = *r->spec.output || r->spec.interactive;
	int next = FL_ATTEMPT_OUTPUT + (none ? 0 : FL_ATTEMPT_STREAMS * (int)r->spec.tasks);

	if (strchr(r->how, 'i'))
		r->tasks.client = next++;
	if (strchr(r->how, 'g'))
		r->tasks.group = (struct fl_group_files){ .procs = next,
							  .kill = next + 1,
							  .folder = next + 2 };
	r->tasks.contained = strchr(r->how, 'c') != NULL;
}

/* Takes the lock of the run until we end. The runner that held it before us has ended then. */
static int take_run(struct runner *r)
{
	fairlead_error err = { 0 };
	struct fl_process self;

	r->file = FL_ATTEMPT_RUN;
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
	take_files(r);
	r->status.runner = r->number > 0 ? r->number : self.pid;
	r->status.runner_since = self.since;
	fl_boot_id(r->status.boot);
	r->status.began = r->status.ended = FL_TIME_NONE;
	r->status.wall_began = r->status.wall_ended = FL_TIME_NONE;
	return write_status(r, FL_ATTEMPT_STARTS) ? -1 : 2;
}

int main(int argc, char **argv)
{
	static struct runner r = {
		.tasks = { .group = { -1, -1, -1 },
			   .client = -1,
			   .standard = { -1, -1, -1 },
			   .relay = { .epoll = -1, .fds = { -1, -1, -1, -1, -1 } },
			   .report = { -1, -1 },
			   .go = { -1, -1 } },
		.kill_at = FL_NEVER,
		.limit_at = FL_NEVER,
	};

	if (argc != 4) {
		fputs("usage: fairlead-runner FOLDER NUMBER HOW\n"
		      "fairleadd starts it for each run; do not start it by hand\n",
		      stderr);
		return 2;
	}
	if (!be_private())
		return 2;
	r.number = (pid_t)atol(argv[2]);
	r.how = argv[3];
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
	bool written = write_end(&r);
	if (r.outlived) {
		fl_relay_finish(&r.tasks.relay, /* patience= */ 0);
		_exit(written ? 0 : 1);
	}
	/* The run is over for others: its file is free. */
	close(r.file);
	fl_hooks_tell(&r.hooks, fl_hooks_event(&r.spec, &r.status), &r.status);
	fl_relay_finish(&r.tasks.relay, CLIENT_PATIENCE);
	fl_hooks_end(&r.hooks);
	_exit(written ? 0 : 1);
}
