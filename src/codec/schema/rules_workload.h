/* SPDX-License-Identifier: Apache-2.0 */
/* rules_workload - what its rules and those of its status ask of a Workload; private to codec/schema */
#ifndef FL_CODEC_SCHEMA_RULES_WORKLOAD_H
#define FL_CODEC_SCHEMA_RULES_WORKLOAD_H

#include "codec/schema/judge.h"

/* Of that type, and True. */
bool fl_has_condition(const struct fl_doc *doc, const char *type);
/* The pod set with that name; FL_NONE. */
uint32_t fl_pod_set_at(const struct fl_doc *doc, const char *name);

#endif
