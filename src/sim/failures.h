/* SPDX-License-Identifier: Apache-2.0 */
/* failures - what changes, fails and comes back in a simulation; private to it */
#ifndef FL_SIM_FAILURES_H
#define FL_SIM_FAILURES_H

#include "sim/simulation.h"

/* A row of model->changes; one of model->failures. */
int fl_sim_failures_begin(struct fl_sim *s, fairlead_error *err);
int fl_sim_change(struct fl_sim *s, uint32_t number, fairlead_error *err);
int fl_sim_fail(struct fl_sim *s, uint32_t number, fairlead_error *err);
int fl_sim_back(struct fl_sim *s, uint32_t number, fairlead_error *err);

#endif
