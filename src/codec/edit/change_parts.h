/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_parts - one object over another; private to change
 */
#ifndef FL_CODEC_EDIT_CHANGE_PARTS_H
#define FL_CODEC_EDIT_CHANGE_PARTS_H

#include "base/limits.h"
#include "codec/object/fields.h"

/* @fresh, with what it leaves out of metadata and status from @old (NULL: none). */
int fl_change_merge(const struct fl_doc *fresh, const struct fl_doc *old, const char *created,
		    struct fl_doc *ret, fairlead_error *err);

/* Do two objects differ in quotas, limits and weights at most? */
bool fl_change_is_of_cells(struct fl_doc *old, struct fl_doc *fresh, const struct fl_field *fields);

#endif
