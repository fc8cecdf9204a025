/* SPDX-License-Identifier: Apache-2.0 */
/* life_order - what a run is told: it is written into its file, then its runner is woken */
#ifndef FL_BACKEND_LOCAL_LIFE_ORDER_H
#define FL_BACKEND_LOCAL_LIFE_ORDER_H

#include "backend/local/host.h"

/* To stop. 0, or FAIRLEAD_EIO. */
int fl_life_order(struct fl_local_run *r, enum fl_go_why why, fl_time by, fairlead_error *err);
/* The same for a run that goes on: another limit (0: as it is), a signal (0: none). */
int fl_life_change(struct fl_local_run *r, fl_time time_limit, int signal, fairlead_error *err);

#endif
