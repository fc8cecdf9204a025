/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/notify.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_FD = 3 }; /* of those that are handed over */

void fl_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@') /* of the abstract namespace */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	(void)close(fd);
}

/* A number of the environment that is meant for this process. */
static unsigned long number_of(const char *name, const char *pid_name)
{
	const char *text = getenv(name), *pid = getenv(pid_name);

	if (!text || (pid && strtoul(pid, NULL, 10) != (unsigned long)getpid()))
		return 0;
	return strtoul(text, NULL, 10);
}

/* Twice as often as it must. */
uint64_t fl_notify_watchdog_ms(void) { return number_of("WATCHDOG_USEC", "WATCHDOG_PID") / 2000; }

int fl_notify_socket(void)
{
	if (number_of("LISTEN_FDS", "LISTEN_PID") < 1 || !getenv("LISTEN_PID"))
		return -1;
	(void)fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	return FIRST_FD;
}
