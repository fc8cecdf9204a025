/* SPDX-License-Identifier: Apache-2.0 */
/* child - questions that take longer than a client of others should wait for */
#ifndef FL_DAEMON_API_CHILD_H
#define FL_DAEMON_API_CHILD_H

#include "daemon/api/call.h"

/*
 * Think about it aside: in a copy of this process as it is now, where @answer writes to @out
 * what is answered with 200 and @type, or fails and fills in @err.  So many at once, so long.
 */
void fl_api_aside(struct fl_call *call, const char *type,
		  int (*answer)(struct fl_call *call, FILE *out, fairlead_error *err));
/* Nobody waits for them any more. */
void fl_api_children_end(struct fl_api *a);
/* May one more thread read the store?  False: it was answered. */
bool fl_api_may_read(const struct fl_call *call);

#endif
