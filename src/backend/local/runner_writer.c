/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_writer - the process that writes to files which a user has named, as that user
 *
 * The kernel asks who writes, and not only who has opened: a file of /proc may do what only root
 * may ask for, blocks that are reserved are given to root, and quotas do not bind it.  So such
 * files are opened and written to by a child of the runner that has become the user for good, with
 * no privileges left and nothing of the runner's open, and that the user cannot trace.  It may be
 * killed or stopped by its user, or hang in a file system of theirs.  Killed, nobody waits for it:
 * what comes then is lost and counted.  While it is stopped or hangs, a task that writes waits for it
 * once its pipe is full, for as long as the job may go on; the runner does not, and once the tasks are
 * gone it gives it some seconds to get on: what it has not taken by then is lost and counted.
 *
 * It gives no signal at its end and is not waited for with the tasks: the end of a pipe tells it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/process.h"
#include "backend/local/runner.h"

/* So long it may keep none of what is left, once it was told that nothing more comes. */
enum { PATIENCE_MS = 10000, STEP_MS = 20 };

/* Shared with the runner, which believes numbers and a text of it, and nothing else. */
struct fl_writer_page {
	struct fl_output_count count;
	volatile int code; /* of an error, and it: */
	char text[sizeof((fairlead_error *)0)->text];
};

/* --- the child --- */

static void keep_own(const struct fl_outputs *o, int said, int finish)
{
	int *keep = calloc(o->n_ends + 2, sizeof *keep);
	size_t n = 0;

	if (!keep)
		_exit(1);
	for (uint32_t i = 0; i < o->n_ends; i++)
		if (o->ends[i].fd >= 0)
			keep[n++] = o->ends[i].fd;
	keep[n++] = said;
	keep[n++] = finish;
	fl_process_keep_only(keep, n);
	free(keep);
}

static int become(const struct fl_attempt_spec *spec, pid_t runner, fairlead_error *err)
{
	if (fl_user_become(spec) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot write output as user %u: %s", spec->uid,
			       strerror(errno));
	if (getppid() != runner)
		_exit(1);
	return 0;
}

/* Until @finish is closed, and then what is left. */
static int serve(struct fl_outputs *o, int finish)
{
	struct epoll_event events[64], e = { .events = EPOLLIN, .data.u32 = UINT32_MAX };
	int epoll = epoll_create1(EPOLL_CLOEXEC), n;
	bool more = epoll_ctl(epoll, EPOLL_CTL_ADD, finish, &e) == 0;

	for (uint32_t i = 0; more && i < o->n_ends; i++) {
		e.data.u32 = i;
		more = epoll_ctl(epoll, EPOLL_CTL_ADD, o->ends[i].fd, &e) == 0;
	}
	if (!more)
		return 1;
	while (more && ((n = epoll_wait(epoll, events, 64, -1)) >= 0 || errno == EINTR))
		for (int i = 0; i < n; i++)
			if (events[i].data.u32 == UINT32_MAX)
				more = false;
			else
				fl_outputs_take(o, events[i].data.u32);
	fl_outputs_close(o);
	return 0;
}

static _Noreturn void be_writer(struct fl_writer *w, struct fl_outputs *o,
				const struct fl_attempt_spec *spec, pid_t runner, int said,
				int finish)
{
	fairlead_error err = { 0 };
	int rc;

	keep_own(o, said, finish);
	rc = become(spec, runner, &err);
	if (rc == 0)
		rc = fl_outputs_name(o, spec, &w->page->count, &err);
	if (rc != 0) {
		snprintf(w->page->text, sizeof w->page->text, "%s", err.text);
		w->page->code = rc;
		_exit(1);
	}
	_exit(write(said, "", 1) == 1 ? serve(o, finish) : 1);
}

/* --- the runner --- */

int fl_writer_begin(struct fl_writer *w, struct fl_outputs *o, const struct fl_attempt_spec *spec,
		    fairlead_error *err)
{
	int said[2] = { -1, -1 }, finish[2] = { -1, -1 };
	pid_t runner = getpid();

	w->page = mmap(NULL, sizeof *w->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (w->page == MAP_FAILED)
		w->page = NULL;
	if (!w->page || pipe2(said, O_CLOEXEC) != 0 || pipe2(finish, O_CLOEXEC) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot prepare its output: %s", strerror(errno));
	/* As fork does, but for the signal at its end. */
	w->pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (w->pid == 0)
		be_writer(w, o, spec, runner, said[1], finish[0]);
	int why = errno;
	close(said[1]);
	close(finish[0]);
	w->said = said[0];
	w->finish = finish[1];
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	return fl_fail(err, FAIRLEAD_EIO, "cannot make a process for its output: %s",
		       strerror(why));
}

int fl_writer_hear(struct fl_writer *w, fairlead_error *err)
{
	char byte, text[sizeof w->page->text];
	ssize_t n;

	while ((n = read(w->said, &byte, 1)) < 0 && errno == EINTR)
		continue;
	if (n == 1) {
		w->open = true;
		return 0;
	}
	w->gone = true;
	if (w->page->code == 0)
		return fl_fail(err, FAIRLEAD_EIO, "the process for its output was killed");
	memcpy(text, w->page->text, sizeof text);
	text[sizeof text - 1] = 0;
	return fl_fail(err, w->page->code == FAIRLEAD_EINPUT ? FAIRLEAD_EINPUT : FAIRLEAD_EIO, "%s",
		       text);
}

/* As long as it gets on. */
static void wait_for(struct fl_writer *w)
{
	uint64_t taken = w->page->count.taken;
	struct pollfd end = { .fd = w->said, .events = POLLIN };

	kill(w->pid, SIGCONT);
	for (int waited = 0; waited < PATIENCE_MS && !w->gone; waited += STEP_MS) {
		if (poll(&end, 1, STEP_MS) > 0)
			w->gone = fl_writer_hear(w, NULL) != 0;
		if (w->page->count.taken != taken)
			waited = 0;
		taken = w->page->count.taken;
	}
}

uint64_t fl_writer_end(struct fl_writer *w)
{
	uint64_t lost = 0;

	if (w->pid > 0) {
		close(w->finish);
		/* Without its files it has taken nothing: no task was let go before. */
		if (w->open)
			wait_for(w);
		kill(w->pid, SIGKILL);
		/* One that hangs in the kernel is not waited for: it is nobody's then. */
		for (int i = 0; i < 50 && waitpid(w->pid, NULL, __WALL | WNOHANG) == 0; i++)
			poll(NULL, 0, STEP_MS);
		close(w->said);
		lost = w->page->count.lost;
	}
	if (w->page)
		munmap(w->page, sizeof *w->page);
	*w = (struct fl_writer){ 0 };
	return lost;
}
