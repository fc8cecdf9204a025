/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json - what every JSON document of the command has in common
 */
#ifndef FL_REPORT_OUT_REPORT_JSON_H
#define FL_REPORT_OUT_REPORT_JSON_H

#include "report/out/json.h"
#include "report/out/report.h"

/* The outer object, apiVersion and kind. */
void fl_json_head(struct fl_json *j, FILE *out, const char *kind);
/*
 * The outer object, apiVersion, kind, policy (NULL: none) and the assumptions; `leftOut` and
 * `uncertain` where objects of the input are wrong.
 */
void fl_json_start(struct fl_json *j, const struct fl_report *r, const char *kind,
		   const char *policy);
/* Close the outer object and the line. */
void fl_json_finish(struct fl_json *j);

#endif
