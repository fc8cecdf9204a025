/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

/* Of our environment it gets what tells sanitizers of a build for tests what to do. */
static const char *const kept[] = { "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS" };
enum { KEPT = sizeof kept / sizeof *kept };

static _Noreturn void become(const char *program, const struct fl_spawn_table *t, int socket)
{
	char numbers[5][16];
	char *argv[] = { (char *)(uintptr_t)program,
			 numbers[0],
			 numbers[1],
			 numbers[2],
			 numbers[3],
			 numbers[4],
			 (char *)(uintptr_t)t->state,
			 (char *)(uintptr_t)t->runner,
			 (char *)(uintptr_t)t->socket,
			 NULL };
	char *environment[KEPT + 1] = { NULL };
	int n = 0;

	snprintf(numbers[0], sizeof numbers[0], "%u", t->account);
	snprintf(numbers[1], sizeof numbers[1], "%u", t->group);
	snprintf(numbers[2], sizeof numbers[2], "%u", t->first);
	snprintf(numbers[3], sizeof numbers[3], "%u", t->last);
	snprintf(numbers[4], sizeof numbers[4], "%d", t->root);
	for (int i = 0; i < KEPT; i++)
		if (getenv(kept[i]))
			environment[n++] = getenv(kept[i]) - strlen(kept[i]) - 1;
	/* In a session of its own: a Ctrl-C at the daemon's terminal is the daemon's. */
	if (setsid() >= 0 && chdir("/") == 0 &&
	    (socket != FL_SPAWN_SOCKET ? dup2(socket, FL_SPAWN_SOCKET) :
					 fcntl(socket, F_SETFD, 0)) >= 0) {
		closefrom(FL_SPAWN_SOCKET + 1);
		execve(program, argv, environment);
	}
	_exit(127);
}

int fl_launch_spawner(const char *program, const struct fl_spawn_table *table, int *ret,
		      pid_t *ret_pid, fairlead_error *err)
{
	int ends[2];

	if (access(program, X_OK) != 0)
		return fl_fail(err, FAIRLEAD_EIO,
			       "cannot run %s, which starts the jobs of all users: %s", program,
			       strerror(errno));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make a socket pair: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0)
		become(program, table, ends[1]);
	int why = errno;
	(void)close(ends[1]);
	if (pid > 0) {
		*ret = ends[0];
		*ret_pid = pid;
		return 0;
	}
	(void)close(ends[0]);
	return fl_fail(err, FAIRLEAD_EIO, "cannot make a process: %s", strerror(why));
}
