/* SPDX-License-Identifier: Apache-2.0 */
/* child - questions that take too long to be answered in the loop */
#ifndef FL_DAEMON_API_CHILD_H
#define FL_DAEMON_API_CHILD_H

#include "daemon/api/call.h"

/*
 * Answer in a copy of this process as it is now: there @answer writes to @out what is answered with
 * 200 and @type, or fails and fills in @err.  The number of copies and their time are limited.
 */
void fl_api_aside(struct fl_call *call, const char *type,
		  int (*answer)(struct fl_call *call, FILE *out, fairlead_error *err));
/* Is there memory for a copy of this process? False: an error was answered. */
bool fl_api_may_copy(const struct fl_call *call);
/* The clients of these questions have left: end the copies. */
void fl_api_children_end(struct fl_api *a);
/* May one more thread read the store? False: an error was answered. */
bool fl_api_may_read(const struct fl_call *call);

#endif
