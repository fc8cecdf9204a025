/* SPDX-License-Identifier: Apache-2.0 */
/* keep - configuration and capacity, from which a policy is made, as text; and their change */
#ifndef FL_DAEMON_MACHINE_KEEP_H
#define FL_DAEMON_MACHINE_KEEP_H

#include "daemon/config/config.h"
#include "daemon/machine/core.h"

/* From malloc; NULL: no memory. */
char *fl_core_spell_config(const struct fl_config *config, const struct fl_capacity *capacity);
/* Replaces the present ones, which are freed; FAIRLEAD_EINPUT when the text is damaged. */
int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err);
/* A copy of its own. */
int fl_core_copy_capacity(struct fl_core *c, const struct fl_capacity *from, fairlead_error *err);
/*
 * Uses @wanted and @capacity from now on, which become the core's: when they differ from the
 * present ones, adds a row CONFIGURED. *ret: whether they differ.
 */
int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, bool *ret, fairlead_error *err);

/*
 * Reads the configuration again, whole or not at all: the next generation is made from it.  @warn
 * (or NULL) gets its warnings, a line each, before this returns; so does the log.
 */
int fl_core_reload(struct fl_core *c, void (*warn)(void *user, const char *line), fl_reply_fn *done,
		   void *user, fairlead_error *err);

#endif
