/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_shapes - what answers of both policies to "why is it pending?" share as JSON
 */
#ifndef FL_REPORT_COMMON_EXPLAIN_SHAPES_H
#define FL_REPORT_COMMON_EXPLAIN_SHAPES_H

#include "ask/common/explain.h"
#include "report/out/shape.h"

/* Of struct fl_explain_rule, without its victims. */
extern const struct fl_json_shape fl_explain_rule_shape;

/* For FL_IF: it waits, and there is more to say. */
#define FL_EXPLAIN_IS_WAITING                                                                      \
	(1u << FL_EXPLAIN_WAITS | 1u << FL_EXPLAIN_NEXT | 1u << FL_EXPLAIN_PREEMPTS)

#endif
