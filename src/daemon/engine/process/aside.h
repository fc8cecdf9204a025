/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aside - a copy of this process, made by fork, that computes or writes on its own
 *
 * It has all memory as it was at that moment, and writes change only its own copy.  It keeps no
 * file of this process open, can open none, handles no signal for it, and is killed when this process
 * ends.
 */
#ifndef FL_DAEMON_ENGINE_PROCESS_ASIDE_H
#define FL_DAEMON_ENGINE_PROCESS_ASIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct fl_aside {
	unsigned seconds; /* of processor time, at most */
	uint64_t bytes;   /* of memory, beside what it was made with, at most; 0: no limit */
	int nice;         /* 0: as this process */
};

/* The pipe of a copy to its parent. */
enum { FL_ASIDE_PIPE = 3 };

/*
 * 0: *ret_pid is a copy, and *ret_fd the end of its pipe from which it is read, which does not block.  Negative: there is none,
 * and errno says why.  1: this is the copy, within its limits.
 */
int fl_aside_new(const struct fl_aside *limits, pid_t *ret_pid, int *ret_fd);
/* Ends it where it has not ended, and waits for that, which takes a moment.  Its status, as of waitpid. */
int fl_aside_end(pid_t pid);

/*
 * Is there room for a copy?  False: this process has more than half of the machine's memory, and a
 * copy that writes to all of it would take the rest.
 */
bool fl_aside_fits(void);

#endif
