/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group - control groups (version 2), where the machine allows them
 *
 * Each run gets one of its own below one of ours, with its limits, and can be ended through it in
 * one step.  Where there are none, or they cannot enforce a limit, a remark says so, and there is
 * no replacement: a limit on address space would end programs that use little memory.
 */
#ifndef FL_BACKEND_PROCESS_GROUP_H
#define FL_BACKEND_PROCESS_GROUP_H

#include <stdbool.h>
#include <stdint.h>

/* Limits of a group; 0: none. */
struct fl_group_limits {
	int64_t cpu; /* milli */
	int64_t memory, processes;
};

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

/*
 * The path of the group of a run below @place; @token: of the run.  It has the user in it, so that one
 * asked for as of a user is never that of another.
 */
enum { FL_GROUP_PATH = 600 };
void fl_group_path(const struct fl_group_place *place, uint32_t uid, uint64_t job, uint32_t attempt,
		   const char *token, char ret[FL_GROUP_PATH]);

/*
 * Files of a group, for a runner: it may use them though its user could not open them.  -1: there is
 * no group.
 */
struct fl_group_files {
	int procs; /* a process that writes "0" to it enters the group */
	int kill;  /* -1: this kernel cannot end a group */
	int folder;
};
enum { FL_GROUP_FILES = 3 };

/* 0, or errno, and it does not exist then. A limit that cannot be enforced is left out. */
int fl_group_make(const char *path, const struct fl_group_limits *limits);
/* Sets the limits alone, in the folder @group. */
void fl_group_limit(int group, const struct fl_group_limits *limits);
/* 0, or errno. The caller closes them. */
int fl_group_open(const char *path, struct fl_group_files *ret);
void fl_group_close(struct fl_group_files *f);

/* Ends all processes in it at once. false: that is not possible. */
bool fl_group_kill(const char *path);
/*
 * Removes it, if it is empty.  @path "" and one that does not exist are fine. false: it is not
 * empty.
 */
bool fl_group_remove(const char *path);

#endif
