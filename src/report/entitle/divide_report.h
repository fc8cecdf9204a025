/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divide_report - a division as a person reads it, and as programs do
 */
#ifndef FL_REPORT_ENTITLE_DIVIDE_REPORT_H
#define FL_REPORT_ENTITLE_DIVIDE_REPORT_H

#include "ask/entitle/division.h"
#include "report/out/shape.h"

/* A table a group of siblings; its steps below it when they were kept. */
int fl_divide_text(const struct fl_report *r, const struct fl_division *d, fairlead_error *err);
extern const struct fl_document fl_divide_document;
int fl_divide_json(const struct fl_report *r, const struct fl_division *d, fairlead_error *err);
/* As KAI's fairshare simulator answers: an object by queue, in the order of their names. */
int fl_divide_simulator_json(const struct fl_report *r, const struct fl_division *d,
			     fairlead_error *err);

#endif
