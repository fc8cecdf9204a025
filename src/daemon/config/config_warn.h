/* SPDX-License-Identifier: Apache-2.0 */
/* config_warn - warnings of a configuration, and settings that count at the next start only */
#ifndef FL_DAEMON_CONFIG_CONFIG_WARN_H
#define FL_DAEMON_CONFIG_CONFIG_WARN_H

#include "daemon/config/config.h"

typedef void fl_config_say(void *user, const char *line);
/*
 * Warnings, a line each: what is unknown, left out or without effect, and, where @capacity has
 * rows, quotas beyond the capacity of the machine.
 */
int fl_config_warn(const struct fl_config *c, const struct fl_capacity *capacity,
		   fl_config_say *say, void *user, fairlead_error *err);
/*
 * Differences in settings that count at the start only: ".spec.socket, .spec.machine.flavors"; "".
 */
const char *fl_config_at_start(const struct fl_config *was, const struct fl_config *is,
			       char *buffer, size_t size);
/*
 * The same of a configuration that is kept in the database: settings that only the file decides; and
 * `tree`, which is not read.
 */
const char *fl_config_of_file(const struct fl_config *was, const struct fl_config *is, char *buffer,
			      size_t size);

#endif
