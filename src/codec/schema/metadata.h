/* SPDX-License-Identifier: Apache-2.0 */
/* metadata - names, labels, annotations, of all kinds; private to codec/schema */
#ifndef FL_CODEC_SCHEMA_METADATA_H
#define FL_CODEC_SCHEMA_METADATA_H

#include "codec/schema/judge.h"

void fl_schema_metadata_rules(struct fl_judge *j);
/* All labels, or annotations, of a map, told with @rule. */
void fl_schema_labels(struct fl_judge *j, uint32_t map, const char *rule);
void fl_schema_annotations(struct fl_judge *j, uint32_t map, const char *rule);

#endif
