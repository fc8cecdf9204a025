/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - reports of the entitle policy in its own words (report/common/face.h)
 */
#ifndef FL_REPORT_ENTITLE_FACE_H
#define FL_REPORT_ENTITLE_FACE_H

#include "report/common/face.h"

extern const struct fl_report_face fl_entitle_reports;
extern const struct fl_document fl_entitle_what_if_document, fl_entitle_plan_document;

/* Without a Node in the input: that nothing can run. */
void fl_entitle_headline(const struct fl_report *r);

/* plan_json.c, plan_text.c, what_if_json.c, what_if_text.c */
extern const struct fl_json_shape fl_entitle_cycle_shape;
extern const struct fl_plan_table fl_entitle_plan_tables[3];
/* "2 on n1, 1 on n2" */
const char *fl_machines_text(const struct fl_model *m, const struct fl_placement *rows, uint32_t n,
			     char *buffer, size_t size);
int fl_entitle_what_if_text(const struct fl_what_if_report *w, fairlead_error *err);
extern const struct fl_json_shape fl_entitle_what_if_shape;

#endif
