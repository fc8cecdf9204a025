/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - processes of this machine: how they are identified, and how all of a run are ended
 *
 * A number alone does not identify a process, as it is used again; with the time of its start and
 * the boot of the machine it does.
 */
#ifndef FL_BACKEND_PROCESS_PROCESS_H
#define FL_BACKEND_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/ids.h"

/* Of /proc/PID/stat. */
struct fl_process {
	pid_t pid, parent, session;
	uint64_t since; /* clock ticks since the boot */
	char state;     /* 'R', 'S', 'T' stopped, 'Z' ended but not reaped, ... */
};

/* false: not a line of /proc/PID/stat. Names may have any characters. */
bool fl_process_parse(const char *line, struct fl_process *ret);
/* false: no process with that number, or errno. */
bool fl_process_look(pid_t pid, struct fl_process *ret);
/*
 * A pidfd of @pid if it started at @since; -1: errno, ESRCH when it has ended (also if it is not
 * reaped); but another one when that could not be checked, with too many open files.
 */
int fl_process_open(pid_t pid, uint64_t since);

/* The id of this boot, from /proc/sys/kernel/random/boot_id; 40 bytes. "" if it cannot be read. */
void fl_boot_id(char ret[40]);
fl_time fl_boot_clock(void); /* CLOCK_BOOTTIME */
fl_time fl_wall_clock(void); /* CLOCK_REALTIME */

/* The real user of @pid. false: it cannot be read. */
bool fl_process_user(pid_t pid, uid_t *ret);
/* The first process with that token for which @is returns true; 0: none. */
pid_t fl_process_find_marked(const char *token, bool (*is)(void *user, pid_t pid), void *user);
/*
 * One round of killing all descendants of @top, but not @top, and those in @spared (NULL: none) with theirs: those found are stopped
 * until no new ones turn up, so that they cannot escape by forking, and are killed then.  Returns
 * how many there were; repeated until 0 it has ended all of them.
 */
uint32_t fl_process_kill_below(pid_t top, const pid_t spared[2]);
/*
 * The same for processes of @uid, the user of the run, with FAIRLEAD_RUN=@token in the environment
 * they were started with, for their descendants, and for those in their sessions, but the caller's
 * own; of these, too, only for those of @uid.
 */
uint32_t fl_process_kill_marked(const char *token, uid_t uid);

#endif
