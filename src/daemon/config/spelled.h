/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spelled - a configuration and the capacity of the machine as JSON, and back:
 * {"texts": [{"name", "text"}], "capacity": [...]}, and of a change "how", "by" and "why"
 */
#ifndef FL_DAEMON_CONFIG_SPELLED_H
#define FL_DAEMON_CONFIG_SPELLED_H

#include "daemon/config/config.h"

/* How a configuration comes, which user wants it, and why; NULL: not known. */
struct fl_configuring {
	const char *how, *by, *why;
};

/* @capacity, @as NULL: without.  From malloc; NULL: no memory. */
char *fl_config_spell(const struct fl_config *config, const struct fl_capacity *capacity,
		      const struct fl_configuring *as);
/*
 * Back.  @ret_capacity NULL: it is not wanted; else its rows are from malloc.  FAIRLEAD_EINPUT: damaged,
 * or a configuration that this program does not take.
 */
int fl_config_unspell(const char *text, size_t len, struct fl_config **ret,
		      struct fl_capacity *ret_capacity, fairlead_error *err);

#endif
