/* SPDX-License-Identifier: Apache-2.0 */
/* measure_fairness - which queues have what they are entitled to; private to measure */
#ifndef FL_SIM_MEASURE_FAIRNESS_H
#define FL_SIM_MEASURE_FAIRNESS_H

#include "sim/measure_state.h"

int fl_measure_looks_init(struct fl_measure *m, fairlead_error *err);
/* The row is to be looked at again. */
void fl_measure_touched(struct fl_measure *m, uint32_t row);
/*
 * How much of its entitlement each one has, and since when it is behind: at @at, when a stretch
 * begins in which all is as it is now.
 */
int fl_measure_look(struct fl_measure *m, fl_time at, fairlead_error *err);
/* The stretch takes so long, or goes on for so long. */
void fl_measure_pass(struct fl_measure *m, fl_time time);
/* What the row has of the time that has passed is in its sums. */
void fl_measure_enter_passed(struct fl_measure *m, uint32_t row);

#endif
