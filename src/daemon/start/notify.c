/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/notify.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	FIRST_FD = 3, /* the first descriptor that is handed over */
	EACH_SECONDS = 5,
};

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

static void say_so(void *user)
{
	struct fl_starting *s = user;

	uv_mutex_lock(&s->lock);
	for (int i = 0; !s->ended && i < FL_STARTING_SECONDS / EACH_SECONDS; i++) {
		fl_notify("EXTEND_TIMEOUT_USEC=30000000");
		(void)uv_cond_timedwait(&s->ends, &s->lock, EACH_SECONDS * UINT64_C(1000000000));
	}
	uv_mutex_unlock(&s->lock);
}

void fl_starting_begin(struct fl_starting *s)
{
	*s = (struct fl_starting){ .runs = false };
	if (!getenv("NOTIFY_SOCKET") || uv_mutex_init(&s->lock) != 0)
		return;
	if (uv_cond_init(&s->ends) == 0) {
		if (uv_thread_create(&s->thread, say_so, s) == 0) {
			s->runs = true;
			return;
		}
		uv_cond_destroy(&s->ends);
	}
	uv_mutex_destroy(&s->lock);
}

void fl_starting_end(struct fl_starting *s)
{
	if (!s->runs)
		return;
	uv_mutex_lock(&s->lock);
	s->ended = true;
	uv_cond_signal(&s->ends);
	uv_mutex_unlock(&s->lock);
	(void)uv_thread_join(&s->thread);
	uv_cond_destroy(&s->ends);
	uv_mutex_destroy(&s->lock);
	s->runs = false;
}

/* A number from the environment, if the variable is meant for this process. */
static unsigned long number_of(const char *name, const char *pid_name)
{
	const char *text = getenv(name), *pid = getenv(pid_name);

	if (!text || (pid && strtoul(pid, NULL, 10) != (unsigned long)getpid()))
		return 0;
	return strtoul(text, NULL, 10);
}

/* Twice as often as the service manager requires. */
uint64_t fl_notify_watchdog_ms(void) { return number_of("WATCHDOG_USEC", "WATCHDOG_PID") / 2000; }

int fl_notify_socket(void)
{
	if (number_of("LISTEN_FDS", "LISTEN_PID") < 1 || !getenv("LISTEN_PID"))
		return -1;
	(void)fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	return FIRST_FD;
}
