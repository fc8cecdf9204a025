/* SPDX-License-Identifier: Apache-2.0 */
/* walk - an object against the table of its kind: types, bounds, patterns, what is needed; private to codec/schema */
#ifndef FL_CODEC_SCHEMA_WALK_H
#define FL_CODEC_SCHEMA_WALK_H

#include "codec/schema/judge.h"

/* Tells what is wrong, and cuts what a server drops. */
void fl_schema_walk(struct fl_judge *j);

#endif
