/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life - annotations of a simulation on the objects that are workloads; private to src/codec
 *
 * Rows of a table of annotations; their values are kept in k->life until the row of the object is
 * added.
 */
#ifndef FL_CODEC_OWN_LIFE_H
#define FL_CODEC_OWN_LIFE_H

#include "codec/object/fields.h"

fl_field_read fl_life_read_arrives, fl_life_read_runs, fl_life_read_gives_up;
fl_field_read fl_life_read_class, fl_life_read_user;

#define FL_LIFE_ANNOTATIONS                                                                        \
	{ .name = "fairlead.dev/arrives-at", .read = fl_life_read_arrives },                       \
		{ .name = "fairlead.dev/runs-for", .read = fl_life_read_runs },                    \
		{ .name = "fairlead.dev/gives-up-after", .read = fl_life_read_gives_up },          \
		{ .name = "fairlead.dev/class",                                                    \
		  .read = fl_life_read_class,                                                      \
		  .text = FL_TEXT_NAME },                                                          \
	{                                                                                          \
		.name = "fairlead.dev/user", .read = fl_life_read_user, .text = FL_TEXT_NAME       \
	}

/*
 * Adds the life of the object, if it has one; else *ret_id is FL_NONE. @workload FL_NONE: set by
 * seal.
 */
int fl_life_push(struct fl_kube *k, uint32_t workload, uint32_t *ret_id);

#endif
