/* SPDX-License-Identifier: Apache-2.0 */
/* compare_json - a comparison as JSON, run by run (doc/schema/comparison-report.schema.json) */
#ifndef FL_REPORT_SIM_COMPARE_JSON_H
#define FL_REPORT_SIM_COMPARE_JSON_H

#include "report/sim/compare_report.h"

extern const struct fl_document fl_comparison_document;
/* As JSON, run by run, while each is there; @series: with what was over time. */
void fl_comparison_json_begin(struct fl_json *j, FILE *out, const struct fl_comparison *c);
void fl_comparison_json_run(struct fl_json *j, const char *name, const struct fl_report *r,
			    const struct fl_sim_report *s, bool series);
/* When all of @c is known: what follows the runs, and the line's end. */
void fl_comparison_json_end(struct fl_json *j, const struct fl_comparison *c);

#endif
