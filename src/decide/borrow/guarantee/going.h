/* SPDX-License-Identifier: Apache-2.0 */
/*
 * going - workloads that are being evicted, and what fits when their evictions are complete
 *
 * An eviction may take long.  With the guarantee (rung.h) the rules count on workloads that are
 * being evicted, except victims of the cycle at hand, which it has taken out of its view already,
 * and evictions that are stuck (protect.h).
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_GOING_H
#define FL_DECIDE_BORROW_GUARANTEE_GOING_H

#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/view.h"

/*
 * Walks over the evicting workloads in the tree of @q: begin with a zeroed walk; FL_NONE ends it.
 */
struct fl_going {
	uint32_t queue, at;
};
uint32_t fl_going_next(struct fl_policy *p, const struct fl_marks *marks, struct fl_node q,
		       struct fl_going *walk);
/* Takes all of them out of @v, or puts them back. */
void fl_going_move(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		   struct fl_node q, bool out);
/* The same for those only that hold quota of @q itself. */
void fl_going_move_own(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		       struct fl_node q, bool out);
/* Does @ask fit into @v when all these evictions are complete? */
bool fl_going_fits_later(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			 const struct fl_ask *ask);

#endif
