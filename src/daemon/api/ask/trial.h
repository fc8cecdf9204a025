/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial - changes of the configuration that a request names, to be tried in a copy of the process
 *
 * Its body has objects, unless it is a trace, `delete` names of objects, `set` fields; doc/guide/api.md,
 * what-if.
 */
#ifndef FL_DAEMON_API_TRIAL_H
#define FL_DAEMON_API_TRIAL_H

#include "codec/edit/change.h"
#include "daemon/api/call.h"
#include "daemon/config/config.h"

struct fl_api_trial {
	struct fl_changes changes;
	struct fl_model *edit;
	struct fl_config *config; /* with the changes; NULL: not made */
};

static inline bool fl_api_has_changes(const struct fl_call *call)
{
	return (call->r->body_len > 0 && !fl_request_argument(call->r, "trace")) ||
	       fl_request_argument(call->r, "delete") || fl_request_argument(call->r, "set");
}

/* FAIRLEAD_EINPUT: they cannot be read, are none, or are of kinds that a daemon has not. */
int fl_api_trial_read(struct fl_api_trial *t, const struct fl_call *call, fairlead_error *err);
/* Makes the configuration with them.  FAIRLEAD_EINPUT: it would be refused. */
int fl_api_trial_config(struct fl_api_trial *t, const struct fl_daemon *daemon,
			fairlead_error *err);
void fl_api_trial_done(struct fl_api_trial *t);

#endif
