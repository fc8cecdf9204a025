/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace - processes of a run in a namespace of their own, so that none outlives it
 *
 * Used where control groups cannot end a run at once.  The first process in a namespace of
 * processes only waits: when it ends, which it does with the runner, the kernel kills all others,
 * whatever sessions, parents and environments they have, also stopped ones. /proc is that of the
 * namespace, so that process numbers there are those that the job sees elsewhere.
 *
 * Only root can make one without a namespace of users, in which groups of the user and owners of
 * files would differ; so jobs of a daemon that does not run as root have none.
 */
#ifndef FL_BACKEND_LOCAL_NAMESPACE_H
#define FL_BACKEND_LOCAL_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct fl_namespace {
	pid_t first; /* its first process, our child; 0: none, or it was reaped */
	int hold;    /* when it is closed, also by our end, that process ends */
	int own;     /* the namespace of processes in which we are */
	int mounts;  /* its namespace of mounts; -1: it was not made */
};

/* Can namespaces be made? Tried in a child of ours, which ends. */
bool fl_namespace_can(void);

/* Makes it: children are made in it until fl_namespace_leave. FAIRLEAD_EIO: they are not. */
int fl_namespace_make(struct fl_namespace *n, fairlead_error *err);
int fl_namespace_leave(struct fl_namespace *n, fairlead_error *err);
/* Called in such a child, while it is root: 0, or -1 with errno. */
int fl_namespace_see(const struct fl_namespace *n);
/* Kills all processes in it. They have to be waited for then. */
void fl_namespace_kill(const struct fl_namespace *n);

#endif
