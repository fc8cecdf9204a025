/* SPDX-License-Identifier: Apache-2.0 */
/* begin - a simulation at its beginning */
#ifndef FL_SIM_BEGIN_H
#define FL_SIM_BEGIN_H

#include "sim/simulation.h"

/* Private to the simulation. */
int fl_sim_begin(struct fl_sim *s, fairlead_error *err);

/* When it starts by itself: settings.start, else the first arrival, else the newest time, else 0. */
fl_time fl_sim_start(const struct fl_model *model);

/* What @w asks for in all, in the units of amounts. */
double fl_sim_request(const struct fl_model *model, struct fl_workload w, struct fl_resource r);

#endif
