/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads - those that work beside the loop, had before anything depends on them
 *
 * libuv makes them with the first piece of work and aborts without a word when it cannot.
 */
#ifndef FL_DAEMON_START_THREADS_H
#define FL_DAEMON_START_THREADS_H

#include <uv.h>

#include "base/error.h"

/* They are there when this returns 0; the loop has to turn. FAIRLEAD_ENOMEM: they cannot be had. */
int fl_threads_begin(uv_loop_t *loop, fairlead_error *err);

#endif
