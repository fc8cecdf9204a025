/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - what one policy knows, carried into one on another model
 *
 * A tree is *alike* when its nodes, their rules, quotas, limits, weights and flavors are those of
 * the old model's tree.  There all is carried as it stands.  Elsewhere whoever holds quota goes on
 * to hold it, and who waits is looked at anew: no shape is marked, no scan goes on where it
 * stopped, rungs are found again.  A promise, and to whom somebody yielded, is carried where the
 * queue is *in its place*: of the same flavors, below the same cohorts.
 *
 * What events changed counts where the rows of both models are the same (quota, limits, weights,
 * priorities); where they differ, the new row does.
 *
 * What else decides is not compared (flavors' labels and taints, selectors, a Policy's
 * protections, gates): who changes that calls `forget`.  A shape of which nobody is left in the
 * new model is forgotten: who comes with it later is looked at once more.
 *
 * FAIRLEAD_EINPUT: somebody holds quota that there is not any more: of a ClusterQueue that is gone,
 * or in a flavor and resource of which nobody in its tree has any.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_STATE_ADOPT_H
#define FL_DECIDE_BORROW_STATE_ADOPT_H

#include "decide/adopt.h"
#include "decide/borrow/state/state.h"

struct fl_view;

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

/* policy.h; @p is made */
int fl_borrow_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		    const struct fl_workload *was, fairlead_error *err);

/* What @column of @q's tree is where that queue or cohort is now; FL_NONE. */
struct fl_column fl_adopting_column(const struct fl_adopting *a, const struct fl_policy *p,
				    struct fl_node q, struct fl_column column);

/* protect.c, rung_state.c, afs.c: their part; after all who hold something are entered */
void fl_protect_adopt(struct fl_policy *p, const struct fl_adopting *a);
/* @room: a view that nobody uses */
void fl_rung_adopt(struct fl_policy *p, struct fl_view *room, const struct fl_adopting *a);
void fl_afs_adopt(struct fl_policy *p, const struct fl_adopting *a);

#endif
