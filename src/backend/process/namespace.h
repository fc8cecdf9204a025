/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace - a run in a namespace of processes of its own, so that nothing outlives it
 *
 * Used where control groups cannot end a run at once.  Its runner is the first process in it: when
 * that one ends, however it does, the kernel kills all others, whatever sessions, parents, users and
 * environments they have, also stopped ones; and that it has ended is seen only when they have. /proc
 * is that of the namespace, so that process numbers there are those that the job sees elsewhere.
 *
 * Only root can make one without a namespace of users, in which groups of the user and owners of
 * files would differ; so jobs of a daemon that was not started by root have none.
 */
#ifndef FL_BACKEND_PROCESS_NAMESPACE_H
#define FL_BACKEND_PROCESS_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

/* Can they be made? Tried in a child of ours, which ends. */
bool fl_namespace_can(void);

/*
 * As fork; @alone: the child is the first process of a new namespace.  Also its pidfd, which the
 * caller closes.  For programs of one thread. -1: errno.
 */
pid_t fl_namespace_fork(bool alone, int *pidfd);
/*
 * The first call in that child: gives it its own /proc, in which it has the number 1; @ret: its
 * number outside. 0, or -1 with errno.
 */
int fl_namespace_see(pid_t *ret);

#endif
