/* SPDX-License-Identifier: Apache-2.0 */
/* change_cells - changes of quotas, limits and weights alone; private to change */
#ifndef FL_CODEC_EDIT_CHANGE_CELLS_H
#define FL_CODEC_EDIT_CHANGE_CELLS_H

#include "codec/object/fields.h"

/* Do two objects differ in quotas, limits and weights at most? */
bool fl_change_is_of_cells(struct fl_doc *old, struct fl_doc *fresh, const struct fl_field *fields);

#endif
