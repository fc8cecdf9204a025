/* SPDX-License-Identifier: Apache-2.0 */
/* change_node - a ClusterQueue or Cohort of a sealed model as an object; private to change */
#ifndef FL_CODEC_EDIT_CHANGE_NODE_H
#define FL_CODEC_EDIT_CHANGE_NODE_H

#include "codec/edit/change.h"

/* All that decisions depend on; into @ret, which is empty.  Nothing has a place. */
int fl_change_node_doc(const struct fl_model *m, struct fl_node n, struct fl_doc *ret,
		       fairlead_error *err);

#endif
