/* SPDX-License-Identifier: Apache-2.0 */
/* configuration - routes of the configuration: read, checked, replaced, and its versions */
#ifndef FL_DAEMON_API_CONFIGURATION_H
#define FL_DAEMON_API_CONFIGURATION_H

#include "daemon/api/call.h"
#include "daemon/config/config.h"

void fl_api_configuration(struct fl_call *call);
void fl_api_configuration_check(struct fl_call *call);
void fl_api_configuration_put(struct fl_call *call);
void fl_api_configuration_versions(struct fl_call *call);
void fl_api_configuration_version(struct fl_call *call);
void fl_api_configuration_restore(struct fl_call *call);

/* The body as a configuration.  FAIRLEAD_EINPUT. */
int fl_api_configuration_read(const struct fl_call *call, struct fl_config **ret,
			      fairlead_error *err);

#endif
