/* SPDX-License-Identifier: Apache-2.0 */
/* launch - fairlead-spawn is started, while this process is root */
#ifndef FL_BACKEND_LOCAL_LAUNCH_H
#define FL_BACKEND_LOCAL_LAUNCH_H

#include "backend/spawn/table.h"
#include "base/error.h"

/*
 * Starts @program, which does what @table says and no more; it ends when the socket is closed.
 * @ret: the socket for fl_host_options; @ret_pid: its number, a child of ours.  No other thread may run.
 */
int fl_launch_spawner(const char *program, const struct fl_spawn_table *table, int *ret,
		      pid_t *ret_pid, fairlead_error *err);

#endif
