/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placing - an order of podsets by what says where their pods may go: node selector, node affinity, tolerations
 *
 * 0: they are written alike, but for the order of up to 16 labels of a node selector; so the same flavors match both.  The
 * hash of the whole pod template (fl_podset.spec_hash) tells more apart, but two that differ may be made to have the
 * same one.
 * Cost: O(rows), and nothing where there are none.  Tested in tests/unit/model/test_placing.c.
 */
#ifndef FL_MODEL_PLACING_H
#define FL_MODEL_PLACING_H

#include "model/model.h"

int fl_podset_cmp_placing(const struct fl_model *m, const struct fl_podset *a,
			  const struct fl_podset *b);

#endif
