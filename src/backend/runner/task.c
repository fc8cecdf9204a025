/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_task - a task: from a child of the runner to the command of the user
 *
 * First all processes are made and set up (session, user, folder, files); each reports that it is
 * ready and waits.  When all are ready they begin together.  A task ends with its runner.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/process/signals.h"
#include "backend/runner/environment.h"
#include "backend/runner/runner.h"
#include "base/fd.h"

enum { CLIENT_MS = 5000 /* that a client may take to send its files */ };

/* --- privileges --- */

int fl_task_confine(bool contained)
{
	/*
	 * Until it becomes the command it has our descriptors, so it must not be traced; the
	 * command may be.
	 */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return -1;
	/* Setuid programs get no other rights where we could not kill them. */
	return contained ? 0 : prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* --- the standard files of a client --- */

static void close_standard_files(struct fl_tasks *t)
{
	for (int i = 0; i < 3; i++) {
		fl_fd_close(&t->standard[i]);
		t->standard[i] = -1;
	}
}

static int fail_receive(fairlead_error *err, const char *why)
{
	return fl_fail(err, FAIRLEAD_EIO, "its client has not sent its standard files: %s", why);
}

static int make_standard_files(struct fl_tasks *t, fairlead_error *err)
{
	int client = t->client;

	t->client = -1;
	return fl_relay_open(&t->relay, t->spec, client, t->standard, err);
}

int fl_tasks_receive(struct fl_tasks *t, fairlead_error *err)
{
	char byte;
	struct iovec bytes = { &byte, 1 };
	union {
		char room[CMSG_SPACE(sizeof t->standard)];
		struct cmsghdr head;
	} control;
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control.room };
	struct pollfd client = { .fd = t->client, .events = POLLIN };
	ssize_t n = -1;

	if (t->client < 0)
		return fail_receive(err, "it has left");
	if (poll(&client, 1, CLIENT_MS) == 1) {
		/* Frames stay where they are, for the next runner if this one cannot begin. */
		n = recv(t->client, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
		if (n == 1 && byte == FL_FRAME_BEGIN)
			return make_standard_files(t, err);
		n = recvmsg(t->client, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	}
	fl_fd_close(&t->client);
	t->client = -1;
	const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return fail_receive(err, n == 0 ? "it has left" : "there is no message with them");
	/* More than three end with us: it is not started. */
	if (c->cmsg_len != CMSG_LEN(sizeof t->standard) || m.msg_flags & MSG_CTRUNC)
		return fail_receive(err, "its message has not three of them");
	memcpy(t->standard, CMSG_DATA(c), sizeof t->standard);
	return 0;
}

/* --- from child to command --- */

enum stage { READY, SESSION, GROUP, FILES, TERMINAL, DIRECTORY, ENVIRONMENT, COMMAND };

struct report {
	uint32_t task;
	int32_t stage, why; /* errno */
};

static void say(const struct fl_tasks *t, uint32_t task, enum stage stage)
{
	struct report r = { .task = task, .stage = stage, .why = stage == READY ? 0 : errno };

	/*
	 * Short enough for one write to a pipe; an error is ignored: without the runner we end
	 * anyway.
	 */
	if (write(t->report[1], &r, sizeof r) != sizeof r)
		_exit(126);
}

static _Noreturn void fail(const struct fl_tasks *t, uint32_t task, enum stage stage)
{
	say(t, task, stage);
	_exit(127);
}

/* Nothing, and the pipes of the runner; or those of its client. */
static void take_standard_files(const struct fl_tasks *t, uint32_t task, int out, int err)
{
	int in = t->standard[0];

	if (!t->spec->interactive)
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		fail(t, task, FILES);
	if (t->spec->interactive == FL_INTERACTIVE_TERMINAL && ioctl(0, TIOCSCTTY, 0) != 0)
		fail(t, task, TERMINAL);
}

static _Noreturn void be_task(struct fl_tasks *t, uint32_t task, int out, int err)
{
	const struct fl_attempt_spec *spec = t->spec;
	uint32_t n;
	char byte;

	close(t->go[1]);
	if (setsid() < 0)
		fail(t, task, SESSION);
	if (t->group.procs >= 0 && write(t->group.procs, "0", 1) != 1)
		fail(t, task, GROUP);
	if (fl_task_confine(t->contained) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		fail(t, task, SESSION);
	if (getppid() != t->runner)
		_exit(126);
	take_standard_files(t, task, out, err);
	umask(022);
	if (chdir(spec->directory) != 0)
		fail(t, task, DIRECTORY);
	char **command = fl_task_texts(spec->command, spec->command_len, 0, &n);
	char **environment = fl_task_environment(spec, task, 0);
	errno = ENOMEM;
	if (!command || !environment)
		fail(t, task, ENVIRONMENT);
	setrlimit(RLIMIT_NOFILE, &t->files);
	say(t, task, READY);
	while (read(t->go[0], &byte, 1) < 0 && errno == EINTR)
		continue;
	fl_signals_plain();
	environ = environment; /* its PATH is searched */
	execvp(command[0], command);
	fail(t, task, COMMAND);
}

static int fail_fork(const struct fl_tasks *t, uint32_t task, const char *what, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EIO, "cannot make %s for task %u of %u: %s", what, task + 1,
		       t->spec->tasks, strerror(errno));
}

/* Without pipes to us. */
static int fork_interactive(struct fl_tasks *t, fairlead_error *err)
{
	pid_t pid = fork();

	if (pid == 0)
		be_task(t, 0, t->standard[1], t->standard[2]);
	int rc = pid < 0 ? fail_fork(t, 0, "a process", err) : 0;
	close_standard_files(t);
	if (rc == 0)
		t->pids[0] = pid;
	return rc;
}

static int fork_task(struct fl_tasks *t, uint32_t task, fairlead_error *err)
{
	int out[2], errs[2];

	if (t->spec->interactive)
		return fork_interactive(t, err);

	if (pipe2(out, O_CLOEXEC) != 0)
		return fail_fork(t, task, "a pipe", err);
	if (pipe2(errs, O_CLOEXEC) != 0) {
		close(out[0]);
		close(out[1]);
		return fail_fork(t, task, "a pipe", err);
	}
	pid_t pid = fork();
	if (pid == 0)
		be_task(t, task, out[1], errs[1]);
	int rc = pid < 0 ? fail_fork(t, task, "a process", err) : 0;
	close(out[1]);
	close(errs[1]);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(errs[0], F_SETFL, O_NONBLOCK);
	t->outputs->ends[2 * task].fd = out[0];
	t->outputs->ends[2 * task + 1].fd = errs[0];
	if (rc == 0)
		t->pids[task] = pid;
	return rc;
}

int fl_tasks_fork(struct fl_tasks *t, fairlead_error *err)
{
	if (pipe2(t->report, O_CLOEXEC) != 0 || pipe2(t->go, O_CLOEXEC) != 0)
		return fail_fork(t, 0, "a pipe", err);
	int rc = 0;
	for (uint32_t task = 0; task < t->spec->tasks && rc == 0; task++)
		rc = fork_task(t, task, err);
	if (rc != 0)
		return rc;
	close(t->report[1]);
	close(t->go[0]);
	t->report[1] = t->go[0] = -1;
	return 0;
}

int fl_start_code(int why)
{
	switch (why) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case EACCES:
	case EPERM:
	case EROFS:
	case ELOOP:
	case ENAMETOOLONG:
	case ENOEXEC:
	case E2BIG:
		return FAIRLEAD_EINPUT;
	default:
		return FAIRLEAD_EIO;
	}
}

int fl_tasks_hear(struct fl_tasks *t, fairlead_error *err)
{
	const struct fl_attempt_spec *spec = t->spec;
	struct report r;
	ssize_t n;

	while ((n = read(t->report[0], &r, sizeof r)) < 0 && errno == EINTR)
		continue;
	if (n != sizeof r)
		return 1;
	const char *why = strerror(r.why);
	switch ((enum stage)r.stage) {
	case READY:
		return 0;
	case SESSION:
		return fl_fail(err, FAIRLEAD_EIO, "cannot have a session of its own: %s", why);
	case GROUP:
		return fl_fail(err, FAIRLEAD_EIO, "cannot enter the control group %s: %s",
			       spec->group, why);
	case FILES:
		return fl_fail(err, FAIRLEAD_EIO, "cannot open its standard files: %s", why);
	case TERMINAL:
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "its standard input is not a terminal that it can have as its own: "
			       "%s",
			       why);
	case DIRECTORY:
		return fl_fail(err, fl_start_code(r.why), "cannot go to the directory '%s': %s",
			       spec->directory, why);
	case ENVIRONMENT:
		return fl_fail(err, FAIRLEAD_EIO, "no memory for its environment");
	case COMMAND:
		break;
	}
	return fl_fail(err, fl_start_code(r.why), "cannot run '%s': %s", spec->command, why);
}

void fl_tasks_go(struct fl_tasks *t)
{
	close(t->go[1]);
	t->go[1] = -1;
}
