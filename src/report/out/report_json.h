/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json - what every JSON document of the command has in common
 */
#ifndef FL_REPORT_OUT_REPORT_JSON_H
#define FL_REPORT_OUT_REPORT_JSON_H

#include "report/out/json.h"
#include "report/out/report.h"

/* The outer object, apiVersion, kind, policy (NULL: none) and the assumptions. */
void fl_json_start(struct fl_json *j, const struct fl_report *r, const char *kind,
		   const char *policy);
/* Close the outer object and the line. */
void fl_json_finish(struct fl_json *j);

/* "podSets": what each podset of @w holds. */
void fl_json_placement(struct fl_json *j, const struct fl_model *m, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n);
/* "tasks" and "machines": how many, and where; of a machine that is not there only the former. */
void fl_json_machines(struct fl_json *j, const struct fl_model *m, const struct fl_placement *rows,
		      uint32_t n);

#endif
