/* SPDX-License-Identifier: Apache-2.0 */
/* keep - what a policy was made of, as text: the configuration and the capacity; and another one */
#ifndef FL_DAEMON_MACHINE_KEEP_H
#define FL_DAEMON_MACHINE_KEEP_H

#include "daemon/config/config.h"
#include "daemon/machine/core.h"

/* From malloc; NULL: no memory. */
char *fl_core_spell_config(const struct fl_config *config, const struct fl_capacity *capacity);
/* In place of those there are, which are freed; FAIRLEAD_EINPUT when it is damaged. */
int fl_core_take_config(struct fl_core *c, const char *text, size_t len, fairlead_error *err);
/* A copy of its own. */
int fl_core_copy_capacity(struct fl_core *c, const struct fl_capacity *from, fairlead_error *err);
/*
 * @wanted and @capacity from now on, which become the core's: when they are others than there
 * are, a row says so.  *ret: whether they are.
 */
int fl_core_want_config(struct fl_core *c, struct fl_config *wanted,
			const struct fl_capacity *capacity, bool *ret, fairlead_error *err);

/*
 * Read the configuration again, whole or not at all: the next generation is made by it.  @warn (or
 * NULL) is told what is odd about it, a line each, before this returns; so is the log.
 */
int fl_core_reload(struct fl_core *c, void (*warn)(void *user, const char *line), fl_reply_fn *done,
		   void *user, fairlead_error *err);

#endif
