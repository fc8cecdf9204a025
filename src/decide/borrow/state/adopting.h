/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopting - which row is which, while a policy takes over the state of another (doors/adopt.h)
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_ADOPTING_H
#define FL_DECIDE_BORROW_STATE_ADOPTING_H

#include "decide/adopt.h"
#include "decide/borrow/state/state.h"

struct fl_adopting {
	struct fl_adoption is; /* rows of the models */
	const struct fl_policy *from;
	bool *alike;       /* by root of the new policy: nothing that counts changed */
	bool *in_place;    /* by node of the new policy: as it was */
	bool *reranked;    /* by root of the new policy: its rungs must be found anew */
	uint32_t *to_root; /* by root of `from`: the root of its node now; FL_NONE */
	uint32_t *first;   /* by root of `from`: begin of its part of `columns` */
	uint32_t *columns; /* by column of `from`: the column in `to_root` */
};

/*
 * The column of the new policy with the names of @column in the tree of @q; fl_adopting_column
 * takes it from `columns` where it is there.
 */
struct fl_column fl_adopting_find_column(const struct fl_adopting *a, const struct fl_policy *p,
					 struct fl_node q, struct fl_column column);
/* The column in the tree around @q, now, that has the names of old @column; FL_NONE. */
struct fl_column fl_adopting_column(const struct fl_adopting *a, const struct fl_policy *p,
				    struct fl_node q, struct fl_column column);

#endif
