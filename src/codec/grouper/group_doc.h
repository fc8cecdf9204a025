/* SPDX-License-Identifier: Apache-2.0 */
/* group_doc - a PodGroup that was made, as the object that KAI's pod grouper would create */
#ifndef FL_CODEC_GROUPER_GROUP_DOC_H
#define FL_CODEC_GROUPER_GROUP_DOC_H

#include "codec/grouper/group.h"

/* In the form of the API into @ret, which is empty.  Sub-groups are left out: nothing reads them. */
int fl_grouper_group_doc(const struct fl_made_group *group, struct fl_doc *ret,
			 fairlead_error *err);

/* The pod @pod as it is, with the annotation that names its group. */
int fl_grouper_annotated(struct fl_kjob_value pod, const char *group, struct fl_doc *ret,
			 fairlead_error *err);

#endif
