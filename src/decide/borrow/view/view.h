/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - usage as a cycle sees it: the policy's, with what the cycle decided so far
 *
 * What is added or taken out can be put back in any order, exactly.  Shares are computed on
 * demand, and stay valid until something changes around their node.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_VIEW_H
#define FL_DECIDE_BORROW_VIEW_VIEW_H

#include "decide/borrow/state/state.h"

struct fl_borrowers;

struct fl_view {
	struct fl_usage usage;
	struct fl_drs *drs;             /* by node; valid unless usage.stale is set */
	struct fl_drs_extra *gone;      /* working memory for what leaves a node, by column */
	struct fl_borrowers *borrowers; /* preempt/borrowers.h: nodes that borrow, by share */
};

/* A request: amounts by column, each column once. */
struct fl_ask {
	struct fl_workload workload; /* the preemptor */
	struct fl_node queue;
	const struct fl_use *uses;
	const bool *needs; /* for which of them preemption is needed */
	uint32_t n;
};

/* Allocates what lives as long as the policy, without the borrowers. */
int fl_view_new(struct fl_policy *p, struct fl_view *v, fairlead_error *err);

/* The share of @n in a view, computed if it is stale. */
static inline const struct fl_drs *fl_view_drs(const struct fl_policy *p, struct fl_view *v,
					       struct fl_node n)
{
	if (v->usage.stale[n.v]) {
		v->drs[n.v] = fl_drs_of(&p->tree, &v->usage, n);
		v->usage.stale[n.v] = false;
	}
	return &v->drs[n.v];
}
/*
 * The share of @n without @holder, where @n is the queue whose quota @holder holds, or a cohort
 * above it.
 */
struct fl_drs fl_view_drs_without(const struct fl_policy *p, struct fl_view *v, struct fl_node n,
				  struct fl_workload holder);
/* The same without the least that any holder of queue @q's quota holds (state/least.h). */
struct fl_drs fl_view_drs_without_least(struct fl_policy *p, struct fl_view *v, struct fl_node n,
					struct fl_node q);
/* Takes the usage of @holder out of @v, and gives it back. */
void fl_view_take(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder);
void fl_view_give(const struct fl_policy *p, struct fl_view *v, struct fl_workload holder);
/* Adds the request of @ask to @v, and subtracts it. */
void fl_view_add(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);
void fl_view_sub(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);

#endif
