/* SPDX-License-Identifier: Apache-2.0 */
/* measure_waits - quantiles of jobs */
#ifndef FL_SIM_MEASURE_WAITS_H
#define FL_SIM_MEASURE_WAITS_H

#include "sim/measure_state.h"

struct fl_spread fl_measure_spread(const double *sorted, uint32_t n);
bool fl_measure_is_gpu(const char *resource);
/* Spreads of all counts, classes and histograms of the results. */
int fl_measure_waits(struct fl_measure *m, fairlead_error *err);

/* 0.001 of cpu and of what is counted in thousandths ("gpu-milli"), else 1. */
double fl_measure_scale(const char *resource);

#endif
