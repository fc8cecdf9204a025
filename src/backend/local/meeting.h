/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meeting - where a daemon finds the runner of an interactive job whose client is elsewhere, when the
 * daemon before it has ended
 *
 * A socket of the runner, in the abstract namespace.  Its name follows from the token of the run, which
 * no one else knows before the run begins; and either side asks the kernel for the user of the other one.
 */
#ifndef FL_BACKEND_LOCAL_MEETING_H
#define FL_BACKEND_LOCAL_MEETING_H

#include <sys/types.h>

/* Listens, close-on-exec and without blocking. -1: errno. */
int fl_meeting_open(const char *token);
/* The next connection of @uid; those of others are closed. -1: none. */
int fl_meeting_take(int listener, uid_t uid);
/* Connects to the runner, which is @uid.  -1: there is none. */
int fl_meeting_go(const char *token, uid_t uid);
/* The user of the other end; -1: not known. */
uid_t fl_meeting_peer(int socket);

#endif
