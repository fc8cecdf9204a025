/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_writer - the process that writes to files named by a user, with the rights of that user
 *
 * Such files may be on a file system that does not answer, for which the runner must not wait.  So they
 * are opened and written by a child of the runner, without privileges and without descriptors of the
 * runner, and that the user cannot trace.  The user may
 * kill or stop it, or its file system may block it.  When it was killed, no process waits for it:
 * further output is lost and counted.  While it is stopped or blocked, a task that writes waits
 * once its pipe is full, as long as the job may run; the runner does not wait, and when the tasks
 * have ended it gives the writer some seconds to continue: the output that is left then is lost and
 * counted.
 *
 * It sends no signal at its end and is not reaped with the tasks: the end of a pipe reports it.
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

#include "backend/runner/runner.h"

/* How long it may make no progress with the rest, once no more output comes. */
enum { PATIENCE_MS = 10000, STEP_MS = 20 };

/* Shared with the runner, which uses only numbers and a text of it. */
struct fl_writer_page {
	struct fl_output_count count;
	volatile int code; /* of an error, and its text: */
	char text[sizeof((fairlead_error *)0)->text];
};

/* --- the child --- */

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Closes all descriptors but standard files and @keep, which is sorted. */
static void keep_only(int *keep, size_t n)
{
	int from = 3;

	qsort(keep, n, sizeof *keep, by_number);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < from)
			continue;
		if (keep[i] > from && close_range((unsigned)from, (unsigned)keep[i] - 1, 0) != 0)
			for (; from < keep[i]; from++)
				close(from);
		from = keep[i] + 1;
	}
	closefrom(from);
}

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
	keep_only(keep, n);
	free(keep);
}

static int become(const struct fl_attempt_spec *spec, pid_t runner, fairlead_error *err)
{
	if (fl_task_confine(/* contained= */ false) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot write output as user %u: %s", spec->uid,
			       strerror(errno));
	if (getppid() != runner)
		_exit(1);
	return 0;
}

/* Writes until @finish is closed, and then the rest. */
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
	/* Like fork, but without the signal at its end. */
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

/* Waits as long as it makes progress. */
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
		/* Without its files it has read nothing: no task has begun. */
		if (w->open)
			wait_for(w);
		kill(w->pid, SIGKILL);
		/* One that is blocked in the kernel is not waited for: init will reap it. */
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
