/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_hooks - commands that the user wants to be run when something happens to the job
 *
 * A process beside the tasks, the keeper, runs them one by one, as the user of the job.  What it
 * promises: a hook that hangs or fails changes nothing of the job: it has a minute, then it is killed
 * with all that it started; the begin of the run does not wait for it, and the end of the run is
 * reported, and its devices and control group are free, before a hook is told of it.  Each event is
 * told once in an attempt; not when the runner itself was killed, nor its end when processes of the job
 * can only be ended with the runner (runner.c, kill_all).
 *
 * Tested in tests/daemon/test_hooks.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/process/process.h"
#include "backend/process/signals.h"
#include "backend/runner/environment.h"
#include "backend/runner/hooks.h"

enum { PATIENCE_S = 60, EVENT_BITS = 4 };

struct message {
	unsigned event; /* enum fl_hook_event */
	int32_t status, stopped;
};

static const char *name_of(unsigned event)
{
	return event == FL_HOOK_BEGIN ? "begin" :
	       event == FL_HOOK_END   ? "end" :
	       event == FL_HOOK_FAIL  ? "fail" :
					"preempted";
}

/* --- in the keeper --- */

static _Noreturn void be_hook(const struct fl_tasks *t, const char *command,
			      const struct message *m)
{
	char *argv[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
	char event[64], status[64], reason[96];
	int null = open("/dev/null", O_RDWR);
	char **environment = fl_task_environment(t->spec, 0, 3);
	size_t n = 0;

	if (!environment || null < 0)
		_exit(127);
	/* It is not one of the processes of the run, and so not ended with them. */
	while (environment[n])
		n++;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environment[i], "FAIRLEAD_RUN=", 13) == 0)
			environment[i] = environment[--n];
	(void)snprintf(event, sizeof event, "FAIRLEAD_EVENT=%s", name_of(m->event));
	(void)snprintf(status, sizeof status, "FAIRLEAD_STATUS=%d", m->status);
	(void)snprintf(reason, sizeof reason, "FAIRLEAD_REASON=%s",
		       m->stopped ? fl_go_why_name((enum fl_go_why)m->stopped) : "");
	environment[n++] = event;
	environment[n++] = status;
	environment[n++] = reason;
	environment[n] = NULL;
	for (int i = 0; i < 3; i++)
		(void)dup2(null, i);
	closefrom(3);
	fl_signals_plain();
	setrlimit(RLIMIT_NOFILE, &t->files);
	umask(022);
	if (chdir(t->spec->directory) != 0 && chdir("/") != 0)
		_exit(127);
	execve("/bin/sh", argv, environment);
	_exit(127);
}

/* Reaps what has ended, also orphans that were adopted. Is @pid among them? */
static bool has_ended(pid_t pid)
{
	bool ended = false;
	pid_t one;

	while ((one = waitpid(-1, NULL, WNOHANG)) > 0)
		ended |= one == pid;
	return ended;
}

/* Kills all descendants, until none is left. */
static void end_below(void)
{
	while (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) {
		fl_process_kill_below(getpid(), NULL);
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

/* All that it started is a descendant of the keeper, which adopts orphans: their ends change no time. */
static void run_hook(const struct fl_tasks *t, const char *command, const struct message *m)
{
	fl_time by = fl_sat_add(fl_boot_clock(), PATIENCE_S * FL_SECOND), left;
	pid_t pid = fork();
	sigset_t child;

	if (pid == 0)
		be_hook(t, command, m);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (pid > 0 && !has_ended(pid) && (left = by - fl_boot_clock()) > 0)
		sigtimedwait(&child, NULL,
			     &(struct timespec){ left / FL_SECOND, left % FL_SECOND });
	end_below();
}

static _Noreturn void be_keeper(const struct fl_tasks *t, int heard)
{
	enum { HEARD = 3 };
	struct message m;
	sigset_t child;

	if (heard != HEARD && dup2(heard, HEARD) < 0)
		_exit(1);
	closefrom(HEARD + 1);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	if (setsid() < 0 || fl_task_confine(/* contained= */ false) != 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
		_exit(1);
	while (read(HEARD, &m, sizeof m) == sizeof m) {
		const char *hook = t->spec->hooks;
		const char *end = hook + t->spec->hooks_len;

		for (unsigned i = 0; hook < end; hook += strlen(hook) + 1, i++)
			if (t->spec->hook_events >> (EVENT_BITS * i) & m.event)
				run_hook(t, hook, &m);
	}
	_exit(0);
}

/* --- in the runner --- */

int fl_hooks_begin(struct fl_hooks *h, const struct fl_tasks *t, fairlead_error *err)
{
	int ends[2];

	if (t->spec->hooks_len == 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make a pipe for its hooks: %s",
			       strerror(errno));
	/* Like fork, but without the signal at its end: it is no task. */
	h->pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (h->pid == 0)
		be_keeper(t, ends[0]);
	int why = errno;
	close(ends[0]);
	h->say = ends[1];
	if (h->pid > 0)
		return 0;
	close(ends[1]);
	h->pid = 0;
	return fl_fail(err, FAIRLEAD_EIO, "cannot make a process for its hooks: %s", strerror(why));
}

void fl_hooks_tell(const struct fl_hooks *h, unsigned event, const struct fl_attempt_status *s)
{
	struct message m = { .event = event };

	/* A short task may have ended before its begin is told. */
	if (event != FL_HOOK_BEGIN) {
		m.stopped = s->stopped;
		m.status = s->status + (s->kind == FL_RUN_SIGNALLED ? 128 : 0);
	}
	if (h->pid > 0 && event)
		(void)!write(h->say, &m, sizeof m);
}

unsigned fl_hooks_event(const struct fl_attempt_spec *spec, const struct fl_attempt_status *s)
{
	switch ((enum fl_go_why)s->stopped) {
	case FL_GO_PREEMPTED:
	case FL_GO_DRAIN:
		return spec->once ? FL_HOOK_FAIL : FL_HOOK_PREEMPTED;
	case FL_GO_HELD: /* an interactive job is not queued again */
		return spec->interactive ? FL_HOOK_FAIL : FL_HOOK_PREEMPTED;
	case FL_GO_REQUEUED:
		return FL_HOOK_PREEMPTED;
	case FL_GO_CANCELLED:
	case FL_GO_TIME_LIMIT:
		return FL_HOOK_FAIL;
	case FL_GO_NOT:
	case FL_GO_WHYS:
		break;
	}
	if (s->kind == FL_RUN_NOT_STARTED) /* it is tried again */
		return 0;
	return s->kind == FL_RUN_EXITED && s->status == 0 ? FL_HOOK_END : FL_HOOK_FAIL;
}

void fl_hooks_end(struct fl_hooks *h)
{
	if (h->pid <= 0)
		return;
	close(h->say);
	while (waitpid(h->pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
	h->pid = 0;
	/* A hook may have killed the keeper: what it started is ours then. */
	end_below();
}
