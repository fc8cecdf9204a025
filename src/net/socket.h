/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket - the Unix socket that a server listens on, as a file
 *
 * Guarantees: a socket on which a process listens is never replaced, not even when two daemons
 * start at the same moment (a lock on the folder, which is waited for one second); a file that is
 * not a socket is never deleted; the file has its mode from the beginning; at the end it is deleted
 * only if it is the one made here.
 */
#ifndef FL_NET_SOCKET_H
#define FL_NET_SOCKET_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/error.h"

struct fl_socket {
	int fd;       /* listening, close-on-exec, does not block */
	dev_t device; /* of the file */
	ino_t inode;  /* 0: not made here */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/* FAIRLEAD_ESTATE: a process listens there. FAIRLEAD_EINPUT: the path is not valid. */
int fl_socket_listen(const char *path, mode_t mode, struct fl_socket *ret, fairlead_error *err);
/*
 * Takes over a listening socket that another process made; @ours: for this one, which removes its file.
 * FAIRLEAD_EINPUT: it is not one.
 */
int fl_socket_adopt(int fd, bool ours, struct fl_socket *ret, fairlead_error *err);
/*
 * Deletes the file.  Called while the descriptor is open: until then no other file can have its
 * inode number.
 */
void fl_socket_remove(const struct fl_socket *s);

#endif
