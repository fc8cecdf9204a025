/* SPDX-License-Identifier: Apache-2.0 */
/* config_warn - what is odd about a configuration, or counts at the next start only */
#ifndef FL_DAEMON_CONFIG_CONFIG_WARN_H
#define FL_DAEMON_CONFIG_CONFIG_WARN_H

#include "daemon/config/config.h"

typedef void fl_config_say(void *user, const char *line);
/*
 * What is odd about it, but no error, a line each: what is not known, left out or has no effect,
 * and where @capacity has rows what is beyond the machine.
 */
int fl_config_warn(const struct fl_config *c, const struct fl_capacity *capacity,
		   fl_config_say *say, void *user, fairlead_error *err);
/* Where they differ in what counts at the start only: ".spec.socket, .spec.machine.flavors"; "". */
const char *fl_config_at_start(const struct fl_config *was, const struct fl_config *is,
			       char *buffer, size_t size);

#endif
