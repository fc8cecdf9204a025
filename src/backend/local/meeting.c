/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/local/meeting.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mix.h"

enum { WAITING = 4 };

static socklen_t name(const char *token, struct sockaddr_un *ret)
{
	uint64_t h[2] = { 0 };
	int n;

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	for (; *token; token++)
		fl_mix(h, (unsigned char)*token);
	n = snprintf(ret->sun_path + 1, sizeof ret->sun_path - 1,
		     "fairlead-run-%016" PRIx64 "%016" PRIx64, h[0], h[1]);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int fail(int fd)
{
	int why = errno;

	if (fd >= 0)
		(void)close(fd);
	errno = why;
	return -1;
}

static int make(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int fl_meeting_open(const char *token)
{
	struct sockaddr_un at;
	socklen_t len = name(token, &at);
	int fd = make();

	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, len) != 0 || listen(fd, WAITING) != 0)
		return fail(fd);
	return fd;
}

uid_t fl_meeting_peer(int socket)
{
	struct ucred who;
	socklen_t size = sizeof who;

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.uid : (uid_t)-1;
}

int fl_meeting_take(int listener, uid_t uid)
{
	int fd;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (fl_meeting_peer(fd) == uid)
			return fd;
		(void)close(fd);
	}
	return -1;
}

int fl_meeting_go(const char *token, uid_t uid)
{
	struct sockaddr_un at;
	socklen_t len = name(token, &at);
	int fd = make();

	if (fd < 0 || connect(fd, (const struct sockaddr *)&at, len) != 0)
		return fail(fd);
	if (fl_meeting_peer(fd) == uid)
		return fd;
	errno = EPERM;
	return fail(fd);
}
