/* SPDX-License-Identifier: Apache-2.0 */
/* rules_flavor - tolerations, of flavors and of the updates of a check; private to codec/schema */
#ifndef FL_CODEC_SCHEMA_RULES_FLAVOR_H
#define FL_CODEC_SCHEMA_RULES_FLAVOR_H

#include "codec/schema/judge.h"

/* Told by the numbers that stand for RF3 to RF7 and RF11. */
void fl_schema_tolerations(struct fl_judge *j, uint32_t list, const char *const rules[6]);

#endif
