/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process - processes of this machine: which is which, and how all of a run are ended
 *
 * A number alone says nothing: it is given again.  With the time at which its process started
 * and the boot of the machine it does.
 */
#ifndef FL_BACKEND_LOCAL_PROCESS_H
#define FL_BACKEND_LOCAL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/ids.h"

/* Of /proc/PID/stat. */
struct fl_process {
	pid_t pid, parent, session;
	uint64_t since; /* ticks from the boot */
	char state;     /* 'R', 'S', 'T' stopped, 'Z' only its status is left, ... */
};

/* false: that is no line of /proc/PID/stat. Names may have anything in them. */
bool fl_process_parse(const char *line, struct fl_process *ret);
/* false: there is none with that number, or errno. */
bool fl_process_look(pid_t pid, struct fl_process *ret);
/*
 * A pidfd of @pid if it started at @since; -1: errno, ESRCH when it is gone or
 * only its status is left, and never when that could not be looked at for want of files.
 */
int fl_process_open(pid_t pid, uint64_t since);

/* Of this boot, as /proc/sys/kernel/random/boot_id; 40 bytes. "" when it cannot be told. */
void fl_boot_id(char ret[40]);
fl_time fl_boot_clock(void); /* CLOCK_BOOTTIME */
fl_time fl_wall_clock(void); /* CLOCK_REALTIME */

/* All that is open but standard files and these, which are put in order, is closed. */
void fl_process_keep_only(int *keep, size_t n);

/* The first process of our own user with that token that @is says yes to; 0: none. */
pid_t fl_process_find_marked(const char *token, bool (*is)(void *user, pid_t pid), void *user);
/*
 * One round of ending all that descends from @top, which is left alone, but for @spared: what is found is stopped
 * until nothing new turns up, so that it cannot outrun us by forking, and killed then.  Returns
 * how many there were; those who do it again until 0 have ended all of them.
 */
uint32_t fl_process_kill_below(pid_t top, pid_t spared);
/*
 * The same for processes of @uid, whom the run is of, or @own, whom its runner is of, with
 * FAIRLEAD_RUN=@token in the environment they were started with, those that descend from them, and
 * those of their sessions.
 */
uint32_t fl_process_kill_marked(const char *token, uid_t uid, uid_t own);

#endif
