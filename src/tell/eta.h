/* SPDX-License-Identifier: Apache-2.0 */
/* eta - when will workloads start? */
#ifndef FL_TELL_ETA_H
#define FL_TELL_ETA_H

#include "tell/tell.h"

/* Arrivals while it waits: fl_forecast_options. */
struct fl_tell_coming {
	fl_time period;
	uint32_t *original;
};
/*
 * When will they start?  The same futures answer for all @rows, of which the workloads are filled
 * in.
 */
int fl_tell_etas(const struct fl_question *q, const struct fl_tell_coming *coming,
		 struct fl_forecast *rows, uint32_t n, struct fl_forecast_options *ret_options,
		 struct fl_forecast_basis *ret_basis, fairlead_error *err);
/* The same of @w alone. */
int fl_tell_eta(const struct fl_question *q, const struct fl_tell_coming *coming,
		struct fl_workload w, struct fl_eta *ret, fairlead_error *err);

#endif
