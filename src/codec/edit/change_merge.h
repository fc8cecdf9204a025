/* SPDX-License-Identifier: Apache-2.0 */
/* change_merge - one object over another; private to change */
#ifndef FL_CODEC_EDIT_CHANGE_MERGE_H
#define FL_CODEC_EDIT_CHANGE_MERGE_H

#include "base/ids.h"
#include "base/limits.h"
#include "codec/text/doc.h"

/* @fresh, with the fields of metadata and status that it lacks from @old (NULL: none). */
int fl_change_merge(const struct fl_doc *fresh, const struct fl_doc *old, const char *created,
		    struct fl_doc *ret, fairlead_error *err);

#endif
