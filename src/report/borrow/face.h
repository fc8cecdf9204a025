/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - reports of the borrow policy in its own words (report/common/face.h)
 */
#ifndef FL_REPORT_BORROW_FACE_H
#define FL_REPORT_BORROW_FACE_H

#include "report/common/face.h"

extern const struct fl_report_face fl_borrow_reports;
extern const struct fl_document fl_borrow_what_if_document, fl_borrow_plan_document;

/* plan_json.c, plan_text.c, what_if_json.c, what_if_text.c */
int fl_borrow_stand_new(const struct fl_report *r, struct fl_arena *a, void **ret,
			fairlead_error *err);
void fl_borrow_stand_look(void *stand, const struct fl_policy_ops *ops, const struct fl_policy *p);
extern const struct fl_json_shape fl_borrow_cycle_shape;
extern const struct fl_plan_table fl_borrow_plan_tables[2];
int fl_borrow_what_if_text(const struct fl_what_if_report *w, fairlead_error *err);
extern const struct fl_json_shape fl_borrow_what_if_shape;

#endif
