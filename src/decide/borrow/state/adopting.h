/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopting - which is which, while one policy takes over what another knows (doors/adopt.h)
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_STATE_ADOPTING_H
#define FL_DECIDE_BORROW_STATE_ADOPTING_H

#include "decide/adopt.h"
#include "decide/borrow/state/state.h"

struct fl_adopting {
	struct fl_adoption is; /* which is which */
	const struct fl_policy *from;
	bool *alike;       /* by root of the new policy */
	bool *in_place;    /* by its node */
	bool *reranked;    /* by its root: rungs are to be found anew */
	uint32_t *to_root; /* by root of `from`: where its node is now; FL_NONE */
	uint32_t *first;   /* by root of `from`: into `columns` */
	uint32_t *columns; /* by column of `from`: that of `to_root` */
};

/* What @column of @q's tree is by its names; fl_adopting_column knows from `columns` where it can. */
struct fl_column fl_adopting_find_column(const struct fl_adopting *a, const struct fl_policy *p,
					 struct fl_node q, struct fl_column column);
/* What @column of @q's tree is where that queue or cohort is now; FL_NONE. */
struct fl_column fl_adopting_column(const struct fl_adopting *a, const struct fl_policy *p,
				    struct fl_node q, struct fl_column column);

#endif
