/* SPDX-License-Identifier: Apache-2.0 */
/* past - the data of forecasts (engine/past.h), read from the store */
#ifndef FL_DAEMON_HISTORY_PAST_H
#define FL_DAEMON_HISTORY_PAST_H

#include "daemon/engine/past.h"
#include "store/store.h"

/* On any thread. */
int fl_past_read(struct fl_store *s, fl_time now, struct fl_past **ret, fairlead_error *err);

#endif
