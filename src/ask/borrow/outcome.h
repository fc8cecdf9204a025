/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome - where borrow's queues and cohorts stand when a state has settled, and how two
 * such ends differ (ask/common/outcome.h)
 */
#ifndef FL_ASK_BORROW_OUTCOME_H
#define FL_ASK_BORROW_OUTCOME_H

#include "ask/borrow/ledger.h"
#include "ask/common/difference.h"

extern const struct fl_ask_face fl_borrow_asks;

/* Copied; what outcome.stand is. */
struct fl_borrow_stand {
	struct fl_share *shares; /* by node */
	struct fl_span *of;      /* by node: into cells, by flavor, then resource name */
	struct fl_ledger_cell *cells;
};
static inline const struct fl_borrow_stand *fl_borrow_stand(const struct fl_outcome *o)
{
	return o->stand;
}

/* One cell of a node, NULL where a side does not have it. */
struct fl_cell_pair {
	const struct fl_ledger_cell *before, *after;
	bool differ;
};

/* The cells of a pair of nodes one after another: begin with zeroes; false behind the last. */
struct fl_cell_walk {
	uint32_t before, after;
};
bool fl_difference_cell(const struct fl_difference *d, const struct fl_pair *node,
			struct fl_cell_walk *walk, struct fl_cell_pair *ret);

#endif
