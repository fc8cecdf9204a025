/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/process/namespace.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fl_namespace_fork(bool alone, int *pidfd)
{
	unsigned long own = alone ? CLONE_NEWPID | CLONE_NEWNS : 0;

	return (pid_t)syscall(SYS_clone, own | CLONE_PIDFD | SIGCHLD, NULL, pidfd, NULL, 0);
}

int fl_namespace_see(pid_t *ret)
{
	char number[24];
	/* The /proc of outside is still the one that is seen. */
	ssize_t n = readlink("/proc/self", number, sizeof number - 1);

	if (n <= 0)
		return -1;
	number[n] = 0;
	*ret = (pid_t)atol(number);
	/* Mounts made outside are seen in it; mounts made in it are not seen outside. */
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

bool fl_namespace_can(void)
{
	int how = 1, pidfd = -1;
	pid_t number, pid = geteuid() == 0 ? fl_namespace_fork(/* alone= */ true, &pidfd) : -1;

	if (pid == 0)
		_exit(fl_namespace_see(&number) != 0 || getpid() != 1 ||
		      access("/proc/1/stat", R_OK) != 0);
	while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
		continue;
	if (pid > 0)
		close(pidfd);
	return pid > 0 && how == 0;
}
