/* SPDX-License-Identifier: Apache-2.0 */
#include "net/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

enum { BACKLOG = 512 };

static struct sockaddr_un address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	/* Its length was checked. */
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	return address;
}

/*
 * The folder of @path, locked while it is open: daemons hold the lock for moments only, so it is
 * waited for.  Any user that may read the folder can hold its lock for ever: then we go on without
 * it, as it only orders two daemons that start at the same moment.
 */
static int folder_lock(const char *path, int *ret, fairlead_error *err)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)] = ".";
	const char *slash = strrchr(path, '/');

	if (slash)
		snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);

	FL_FD fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		fl_fail(err, FAIRLEAD_EIO, "the folder of the socket: %s", strerror(errno));
		fl_fail_hint(err, "make the folder: mkdir -p %s", folder);
		return fl_fail_in(err, "%s", folder);
	}
	for (int i = 0; i < 50 && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			fl_fail(err, FAIRLEAD_EIO, "cannot lock the folder of the socket: %s",
				strerror(errno));
			return fl_fail_in(err, "%s", folder);
		}
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	*ret = fd;
	fd = -1;
	return 0;
}

/* Does a process listen there? If that cannot be found out, the answer is yes. */
static bool is_alive(const char *path)
{
	FL_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = address_of(path);

	return fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ||
	       (errno != ECONNREFUSED && errno != ENOENT);
}

/* Is the path free, or used by a socket on which no process listens any more? */
static int look(const char *path, fairlead_error *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : fl_fail(err, FAIRLEAD_EIO, "%s", strerror(errno));
	if (!S_ISSOCK(st.st_mode)) {
		fl_fail(err, FAIRLEAD_EINPUT, "a file that is not a socket has this name");
		return fl_fail_hint(err, "choose another path, or move the file away");
	}
	if (is_alive(path)) {
		fl_fail(err, FAIRLEAD_ESTATE, "another process listens on this socket");
		return fl_fail_hint(err, "a daemon runs here already: stop it first, or choose "
					 "another socket");
	}
	return 0;
}

static int make(const char *path, mode_t mode, struct fl_socket *s, fairlead_error *err)
{
	struct sockaddr_un address = address_of(path);
	FL_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	unlink(path);
	/*
	 * Sets its mode by umask, so from the first moment; no other thread runs while a daemon
	 * starts.
	 */
	mode_t mask = umask(~mode & 0777);
	int bound = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof address);
	int why = errno;

	umask(mask);
	if (bound != 0)
		return fl_fail(err, FAIRLEAD_EIO, "cannot make the socket: %s", strerror(why));
	if (listen(fd, BACKLOG) != 0 || lstat(path, &st) != 0) {
		fl_fail(err, FAIRLEAD_EIO, "cannot make the socket: %s", strerror(errno));
		unlink(path);
		return FAIRLEAD_EIO;
	}
	*s = (struct fl_socket){ .fd = fd, .device = st.st_dev, .inode = st.st_ino };
	snprintf(s->path, sizeof s->path, "%s", path);
	fd = -1;
	return 0;
}

int fl_socket_listen(const char *path, mode_t mode, struct fl_socket *ret, fairlead_error *err)
{
	FL_FD folder = -1;
	struct fl_socket s;

	if (!*path || strlen(path) >= sizeof s.path) {
		fl_fail(err, FAIRLEAD_EINPUT,
			*path ? "the path of the socket is too long for the system" :
				"the path of the socket is empty");
		fl_fail_hint(err, "at most %zu bytes", sizeof s.path - 1);
		return fl_fail_in(err, "%s", path);
	}

	int code = folder_lock(path, &folder, err);

	if (code == 0 && ((code = look(path, err)) != 0 || (code = make(path, mode, &s, err)) != 0))
		fl_fail_in(err, "%s", path);
	if (code == 0)
		*ret = s;
	return code;
}

int fl_socket_adopt(int fd, bool ours, struct fl_socket *ret, fairlead_error *err)
{
	int domain = 0, listens = 0, type = 0;
	socklen_t size = sizeof domain;
	struct sockaddr_un address = { 0 };
	socklen_t address_size = sizeof address - 1;
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || domain != AF_UNIX ||
	    type != SOCK_STREAM || !listens)
		return fl_fail(err, FAIRLEAD_EINPUT, "descriptor %d is not a listening Unix socket",
			       fd);

	int flags = fcntl(fd, F_GETFL);

	if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || flags < 0 ||
	    fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
	    getsockname(fd, (struct sockaddr *)&address, &address_size) != 0)
		return fl_fail(err, FAIRLEAD_EIO, "descriptor %d: %s", fd, strerror(errno));
	*ret = (struct fl_socket){ .fd = fd };
	snprintf(ret->path, sizeof ret->path, "%s", address.sun_path);
	if (ours && lstat(ret->path, &st) == 0 && S_ISSOCK(st.st_mode)) {
		ret->device = st.st_dev;
		ret->inode = st.st_ino;
	}
	return 0;
}

void fl_socket_remove(const struct fl_socket *s)
{
	FL_FD folder = -1;
	struct stat st;

	if (s->inode == 0 || folder_lock(s->path, &folder, NULL) != 0)
		return;
	if (lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
		unlink(s->path);
}
