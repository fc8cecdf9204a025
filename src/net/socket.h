/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket - the Unix socket that a server listens on, as a file
 *
 * Guarantees: a socket on which somebody listens is never taken away, not even when two begin at
 * the same moment (a lock on the folder, which is waited for a second); what is no socket is
 * never deleted; the file is there
 * with its mode from the beginning; at the end it is deleted only while it is the one made here.
 */
#ifndef FL_NET_SOCKET_H
#define FL_NET_SOCKET_H

#include <sys/stat.h>
#include <sys/un.h>

#include "base/error.h"

struct fl_socket {
	int fd;       /* listening, close-on-exec, does not block */
	dev_t device; /* of the file */
	ino_t inode;  /* 0: not made here */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/* FAIRLEAD_ESTATE: somebody listens there.  FAIRLEAD_EINPUT: a path that cannot be one. */
int fl_socket_listen(const char *path, mode_t mode, struct fl_socket *ret, fairlead_error *err);
/* One that the service manager made and listens on. FAIRLEAD_EINPUT: it is none. */
int fl_socket_adopt(int fd, struct fl_socket *ret, fairlead_error *err);
/* Deletes the file. The descriptor is still open: nobody else's file can have its number so long. */
void fl_socket_remove(const struct fl_socket *s);

#endif
