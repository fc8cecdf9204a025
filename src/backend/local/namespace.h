/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namespace - processes of a run in a namespace of their own, so that none outlives it
 *
 * Where control groups cannot end a run at once.  The first process in a namespace of processes
 * does nothing but wait: when it goes, which it does with the runner, the kernel kills all others,
 * whatever sessions, parents and environments they have, and also those that are stopped.  /proc is
 * that of the namespace, so that the numbers a job sees there are those it knows.
 *
 * Only root can have one without a namespace of users, in which groups of the user and owners of
 * files would be others; so jobs of a daemon that is not root's have none.
 */
#ifndef FL_BACKEND_LOCAL_NAMESPACE_H
#define FL_BACKEND_LOCAL_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct fl_namespace {
	pid_t first; /* its first process, our child; 0: none, or it was reaped */
	int hold;    /* closed, also by our end: that process goes */
	int own;     /* that of processes which we are in */
	int mounts;  /* what is mounted in it; -1: it was not made */
};

/* Tried in a child of ours, of which nothing is left. */
bool fl_namespace_can(void);

/* Children are made in it until fl_namespace_leave. FAIRLEAD_EIO: they are not. */
int fl_namespace_make(struct fl_namespace *n, fairlead_error *err);
int fl_namespace_leave(struct fl_namespace *n, fairlead_error *err);
/* In such a child, while it is root: 0, or -1 with errno. */
int fl_namespace_see(const struct fl_namespace *n);
/* All of it. They are to be waited for then. */
void fl_namespace_kill(const struct fl_namespace *n);

#endif
