/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eta_report - the answer to "when will it start?"
 */
#ifndef FL_REPORT_COMMON_ETA_REPORT_H
#define FL_REPORT_COMMON_ETA_REPORT_H

#include "report/out/shape.h"
#include "sim/forecast.h"

struct fl_eta {
	struct fl_forecast forecast;
	struct fl_forecast_basis basis;
	struct fl_forecast_options options; /* that it was asked with */
};

/* "Later": as in JSON */
const char *fl_eta_state_name(enum fl_forecast_state state);
/* "expected start: ..." and what that stands on. */
void fl_eta_text(const struct fl_report *r, const struct fl_eta *eta);
/* The same as JSON, of a struct fl_eta. */
extern const struct fl_json_shape fl_eta_shape;

#endif
