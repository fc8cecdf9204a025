/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharing - in which trees could fair sharing make a difference?
 *
 * Where two queues of one tree compete for quota: at least one of them could hold more than its own
 * nominal quota of something, were nothing in use.  Elsewhere all shares are 0 for ever.
 */
#ifndef FL_DECIDE_BORROW_QUOTA_SHARING_H
#define FL_DECIDE_BORROW_QUOTA_SHARING_H

#include "decide/borrow/quota/tree.h"

/* @root_index as of fl_tree.roots. */
static inline bool fl_sharing_in(const struct fl_tree *t, uint32_t root_index)
{
	struct fl_span queues = t->queues[root_index];

	for (uint32_t i = 0; queues.n >= 2 && i < queues.n; i++) {
		struct fl_node q = { t->queue_ids[queues.first + i] };

		for (uint32_t c = 0; c < t->roots[root_index].n_columns; c++) {
			size_t cell = fl_tree_cell(t, q, (struct fl_column){ c });

			if (t->known[cell] && t->potential[cell] > t->nominal[cell])
				return true;
		}
	}
	return false;
}

#endif
