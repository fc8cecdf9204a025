/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aside - a copy of this process, made by fork, that computes or writes on its own
 *
 * It has all memory as it was at that moment, and writes change only its own copy.  It keeps no
 * file of this process open, handles no signal for it, and is killed when this process ends.
 */
#ifndef FL_DAEMON_ENGINE_ASIDE_H
#define FL_DAEMON_ENGINE_ASIDE_H

#include <sys/types.h>

/*
 * The first call in the copy, whose parent is @parent: @fd becomes descriptor 3; limits processor
 * time to @seconds.
 */
void fl_aside_begin(int fd, pid_t parent, unsigned seconds);

#endif
