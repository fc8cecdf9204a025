/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group - control groups (version 2), where the machine lets us have them
 *
 * Each run gets one of its own below one of ours, with what it may use, and can be ended through it
 * in one step.  Where there are none, or they cannot hold to a limit, a remark says so, and
 * nothing else stands in: a limit on address space would end programs that use little memory.
 */
#ifndef FL_BACKEND_LOCAL_GROUP_H
#define FL_BACKEND_LOCAL_GROUP_H

#include "backend/local/attempt.h"

/* Where groups of runs are made. */
struct fl_group_place {
	char path[512];              /* "": nowhere */
	bool cpu, memory, processes; /* can be held to a limit */
	bool ends;                   /* all in a group can be ended at once */
};

/*
 * The folder of version 2 and our own place in it, by texts as of /proc/self/mounts and
 * /proc/self/cgroup.  false: there is none.
 */
bool fl_group_parse(const char *mounts, const char *self, char mount[512], char own[512]);

/* Find or make our place. With `path` "" when there is none; never an error. */
void fl_group_find(struct fl_group_place *ret);

/* 0; or FAIRLEAD_EIO, and it is not there then. A limit that cannot be held to is left out. */
int fl_group_make(const char *path, const struct fl_attempt_limits *limits, fairlead_error *err);
/* The limits alone, in the folder @group. */
void fl_group_limit(int group, const struct fl_attempt_limits *limits);
/* Ends all in it at once. false: it cannot be done so. */
bool fl_group_kill(const char *path);
/* Something in it, or all of it, was killed by the kernel for using more memory than it may. */
bool fl_group_out_of_memory(const char *path);
/* Once nothing is in it. @path "" and one that is gone are fine. false: something is. */
bool fl_group_remove(const char *path);

#endif
