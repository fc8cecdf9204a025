/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads - starts the threads that work beside the loop, before anything depends on them
 *
 * libuv makes them with the first piece of work and aborts without a word when it cannot.
 */
#ifndef FL_DAEMON_START_THREADS_H
#define FL_DAEMON_START_THREADS_H

#include <uv.h>

#include "base/error.h"

/*
 * The threads exist when this returns 0; the loop has to turn.  FAIRLEAD_ENOMEM: they cannot be
 * started.
 */
int fl_threads_begin(uv_loop_t *loop, fairlead_error *err);

#endif
