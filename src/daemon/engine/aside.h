/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aside - a copy of this process, made by fork, that thinks or writes on its own
 *
 * It has everything as it was at that moment, and memory that it writes to is its own.  Of this
 * process it keeps nothing open, takes no signal for it, and does not outlive it.
 */
#ifndef FL_DAEMON_ENGINE_ASIDE_H
#define FL_DAEMON_ENGINE_ASIDE_H

#include <sys/types.h>

/* First thing in the copy, whose parent is @parent: @fd is 3 from now on; @seconds of processor. */
void fl_aside_begin(int fd, pid_t parent, unsigned seconds);

#endif
