/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - usage as a cycle sees it: the policy's, with what was decided so far
 *
 * What is added and taken out can be put back in any order, and all of it is exact.  Shares are
 * found when somebody asks for them, and hold until something changes around their node.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_VIEW_H
#define FL_DECIDE_BORROW_VIEW_VIEW_H

#include "decide/borrow/state/state.h"

struct fl_borrowers;

struct fl_view {
	struct fl_usage usage;
	struct fl_drs *drs;             /* by node; valid where usage.stale is not set */
	struct fl_drs_extra *gone;      /* room for what leaves a node, by column */
	struct fl_borrowers *borrowers; /* preempt/borrowers.h: who borrows, by share */
};

/* What is asked for: amounts by column, each column once. */
struct fl_ask {
	struct fl_workload workload; /* the preemptor */
	struct fl_node queue;
	const struct fl_use *uses;
	const bool *needs; /* which of them need preemption */
	uint32_t n;
};

/* Room for as long as the policy, but for borrowers. */
int fl_view_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err);

/* Share of @n in a view, computed when stale. */
static inline const struct fl_drs *fl_view_drs(const struct fl_policy *p, struct fl_view *v,
					       struct fl_node n)
{
	if (v->usage.stale[n.v]) {
		v->drs[n.v] = fl_drs_of(&p->tree, &v->usage, n);
		v->usage.stale[n.v] = false;
	}
	return &v->drs[n.v];
}
/* Share of @n, the queue whose quota @holder holds or a cohort above it, without @holder. */
struct fl_drs fl_view_drs_without(const struct fl_policy *p, struct fl_view *v, struct fl_node n,
				  struct fl_workload holder);
/* Without the least that anybody holds of queue @q's quota (state/least.h). */
struct fl_drs fl_view_drs_without_least(struct fl_policy *p, struct fl_view *v, struct fl_node n,
					struct fl_node q);
/* The usage of @holder out of @v, and back in. */
void fl_view_take(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder);
void fl_view_give(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder);
/* What @ask asks for into @v, and out again. */
void fl_view_add(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);
void fl_view_sub(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);

#endif
