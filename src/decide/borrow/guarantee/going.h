/* SPDX-License-Identifier: Apache-2.0 */
/*
 * going - who is going, and what there is once they are gone
 *
 * Whoever is told to go may take long.  With the guarantee (rung.h) the rules count on those who
 * are going: but for those chosen in the cycle at hand, whom it has taken out of its view, and
 * those who are stuck (protect.h).
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_GOING_H
#define FL_DECIDE_BORROW_GUARANTEE_GOING_H

#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/view.h"

/* Those in the tree of @q one after another: begin with a zeroed walk; FL_NONE: all. */
struct fl_going {
	uint32_t queue, at;
};
uint32_t fl_going_next(struct fl_policy *p, const struct fl_marks *marks, struct fl_node q,
		       struct fl_going *walk);
/* All of them out of @v, or back in. */
void fl_going_move(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		   struct fl_node q, bool out);
/* Those alone who hold quota of @q itself. */
void fl_going_move_own(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		       struct fl_node q, bool out);
/* Does @ask fit in @v once all are gone? */
bool fl_going_fits_later(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			 const struct fl_ask *ask);

#endif
