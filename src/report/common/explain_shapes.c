/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/explain_shapes.h"

#include "report/common/explain_words.h"

static const char *meaning(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_check_meaning(((const struct fl_explain_rule *)row)->check);
}

static const char *refused(const struct fl_shape_at *at, const void *row,
			   char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_explain_refused(((const struct fl_explain_rule *)row)->check);
}

#define ROW struct fl_explain_rule
static const struct fl_json_field rule_fields[] = {
	FL_FIELD(CHECK, "rule", check, "the check that failed; more may be added"),
	FL_FIELD_TEXT("meaning", meaning, "how both numbers must compare"),
	FL_FIELD_TEXT("message", refused, NULL),
	FL_FIELD(NTH, "count", workloads, "workloads"),
};
const struct fl_json_shape fl_explain_rule_shape = FL_SHAPE(rule_fields, "rule");
#undef ROW
