/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group - control groups (version 2), where the machine allows them
 *
 * Each run gets one of its own below one of ours, with its limits, and can be ended through it in
 * one step.  Where there are none, or they cannot enforce a limit, a remark says so, and there is
 * no replacement: a limit on address space would end programs that use little memory.
 */
#ifndef FL_BACKEND_LOCAL_GROUP_H
#define FL_BACKEND_LOCAL_GROUP_H

#include "backend/local/attempt.h"

/* Where groups of runs are made. */
struct fl_group_place {
	char path[512];              /* "": there is none */
	bool cpu, memory, processes; /* can be limited */
	bool ends;                   /* all processes in a group can be ended at once */
};

/*
 * Finds the folder of version 2 and our own place in it, from texts as of /proc/self/mounts and
 * /proc/self/cgroup.  false: there is none.
 */
bool fl_group_parse(const char *mounts, const char *self, char mount[512], char own[512]);

/* Finds or makes our place. `path` is "" when there is none; never an error. */
void fl_group_find(struct fl_group_place *ret);

/* 0; or FAIRLEAD_EIO, and it does not exist then. A limit that cannot be enforced is left out. */
int fl_group_make(const char *path, const struct fl_attempt_limits *limits, fairlead_error *err);
/* Sets the limits alone, in the folder @group. */
void fl_group_limit(int group, const struct fl_attempt_limits *limits);
/* Ends all processes in it at once. false: that is not possible. */
bool fl_group_kill(const char *path);
/* Did the kernel kill processes in it for using more memory than the limit? */
bool fl_group_out_of_memory(const char *path);
/*
 * Removes it, if it is empty.  @path "" and one that does not exist are fine. false: it is not
 * empty.
 */
bool fl_group_remove(const char *path);

#endif
