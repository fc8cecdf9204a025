/* SPDX-License-Identifier: Apache-2.0 */
/* measure_series - buckets of a measure; private to it */
#ifndef FL_SIM_MEASURE_SERIES_H
#define FL_SIM_MEASURE_SERIES_H

#include "sim/measure_state.h"

int fl_measure_series_init(struct fl_measure *m, fairlead_error *err);
/* How wide buckets are at first: as many as there is room for, if the run is as long as expected. */
fl_time fl_measure_step(const struct fl_measure *m);
/* Nothing has passed in it. */
void fl_measure_new_bucket(struct fl_measure *m);
/* The bucket ends; it is `step` long but for the last one. */
void fl_measure_close(struct fl_measure *m, fl_time at, bool last);
double *fl_measure_column(const struct fl_measure *m, uint32_t row, enum fl_measure_column c,
			  uint32_t k);
/* Lines of the results. */
int fl_measure_lines(struct fl_measure *m, uint32_t top, fairlead_error *err);

#endif
