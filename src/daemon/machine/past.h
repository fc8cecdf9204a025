/* SPDX-License-Identifier: Apache-2.0 */
/* past - the data of forecasts (engine/past.h), read from the store, and forecasts of jobs */
#ifndef FL_DAEMON_MACHINE_PAST_H
#define FL_DAEMON_MACHINE_PAST_H

#include "daemon/engine/past.h"
#include "daemon/machine/core.h"

/* On any thread. */
int fl_past_read(struct fl_store *s, fl_time now, struct fl_past **ret, fairlead_error *err);
/* fl_past_foretell of the present state: in a copy of the process, once. */
int fl_past_eta(const struct fl_past *p, struct fl_core *c, uint64_t id, struct fl_eta *ret,
		fairlead_error *err);

#endif
