/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/local/process.h"

/* Mounts made outside are seen in it; mounts made in it are not seen outside. */
static int mount_own(void)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/*
 * The first process: writes @why to @said, and waits until @hold is closed.  Orphans become its
 * children, and are reaped.
 */
static _Noreturn void be_first(int said, int hold)
{
	int keep[] = { said, hold };
	sigset_t all;
	char byte;
	int why = 0;

	/* Closes inherited descriptors, also the one by which the tasks are told to begin. */
	fl_process_keep_only(keep, 2);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGCHLD, SIG_IGN);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
	    mount_own() != 0)
		why = errno;
	if (write(said, &why, sizeof why) != sizeof why || why != 0)
		_exit(1);
	close(said);
	while (read(hold, &byte, 1) < 0 && errno == EINTR)
		continue;
	_exit(0);
}

/* 0 or errno. */
static int begin_first(struct fl_namespace *n)
{
	int said[2], hold[2], why = 0;

	if (pipe2(said, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(hold, O_CLOEXEC) != 0) {
		why = errno;
		close(said[0]);
		close(said[1]);
		return why;
	}
	n->first = fork();
	if (n->first == 0)
		be_first(said[1], hold[0]);
	if (n->first < 0)
		why = errno;
	close(said[1]);
	close(hold[0]);
	n->hold = hold[1];
	if (why == 0 && read(said[0], &why, sizeof why) != sizeof why)
		why = ECHILD;
	close(said[0]);
	return why;
}

/* 0 or errno. */
static int make(struct fl_namespace *n)
{
	char path[64];
	int why;

	n->own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (n->own < 0 || unshare(CLONE_NEWPID) != 0)
		return errno;
	why = begin_first(n);
	if (why != 0)
		return why;
	snprintf(path, sizeof path, "/proc/%ld/ns/mnt", (long)n->first);
	n->mounts = open(path, O_RDONLY | O_CLOEXEC);
	return n->mounts < 0 ? errno : 0;
}

int fl_namespace_make(struct fl_namespace *n, fairlead_error *err)
{
	int why = make(n);

	return why == 0 ? 0 :
			  fl_fail(err, FAIRLEAD_EIO,
				  "cannot have a namespace for its processes: %s", strerror(why));
}

int fl_namespace_leave(struct fl_namespace *n, fairlead_error *err)
{
	return setns(n->own, CLONE_NEWPID) == 0 ?
		       0 :
		       fl_fail(err, FAIRLEAD_EIO, "cannot leave the namespace of its processes: %s",
			       strerror(errno));
}

int fl_namespace_see(const struct fl_namespace *n) { return setns(n->mounts, CLONE_NEWNS); }

void fl_namespace_kill(const struct fl_namespace *n)
{
	if (n->first > 0)
		kill(n->first, SIGKILL);
}

/* Tried as a runner does it, with a child that checks what it sees. */
static _Noreturn void try_it(void)
{
	struct fl_namespace n = { .mounts = -1 };
	pid_t pid;
	int how = 1;

	if (make(&n) != 0)
		_exit(1);
	pid = fork();
	if (pid == 0)
		_exit(fl_namespace_see(&n) != 0 || getppid() != 0 ||
		      access("/proc/1/stat", R_OK) != 0);
	if (pid < 0 || waitpid(pid, &how, 0) != pid)
		how = 1;
	fl_namespace_kill(&n);
	waitpid(n.first, NULL, 0);
	_exit(how != 0 || fl_namespace_leave(&n, NULL) != 0);
}

bool fl_namespace_can(void)
{
	pid_t pid = geteuid() == 0 ? fork() : -1;
	int how = 1;

	if (pid == 0)
		try_it();
	while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
		continue;
	return pid > 0 && how == 0;
}
