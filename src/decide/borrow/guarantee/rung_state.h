/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung_state - standings of workloads, as rows
 *
 * A workload that holds quota, or is promised quota, has a standing: the depth down to which it is
 * within what is guaranteed, and for each node below that depth its base, which is what the
 * workloads that borrow there, itself included, used when it was admitted.  Its rung at a node is
 * the share of that node if usage there were its base plus what is guaranteed and used.  So its
 * rung rises when others use what is guaranteed to them, and never because others borrow more.
 *
 * In rows by depth, index d - 1 is for the node at depth d; roots have no cell.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_RUNG_STATE_H
#define FL_DECIDE_BORROW_GUARANTEE_RUNG_STATE_H

#include "decide/borrow/guarantee/rung.h"
#include "decide/kept.h"

/*
 * FL_WITHIN: within what is guaranteed, however much others below that node come to use; FL_LENT:
 * within the node's quota as long as others leave it; FL_OVERRULES, FL_BORROWS: beyond it.
 */
enum { FL_WITHIN, FL_LENT, FL_OVERRULES, FL_BORROWS };

/* The lower rung goes first: by kind, then by share; infinite shares by ratio. */
struct fl_rung {
	double weighted, ratio; /* of the share; where priority decides: weighted = -priority */
	uint64_t kind;
};

struct fl_rung_place {
	uint32_t within;       /* it is within at nodes of this depth and less; 0: nowhere */
	bool forgiven;         /* it yielded, which does not count this once */
	fl_amount *base;       /* by depth, then column; for nodes deeper than `within` */
	struct fl_rung *rungs; /* by depth: at the time of the search */
};

/* The workload to which it yielded, and which of its lives. */
struct fl_yielded {
	uint32_t to, life;
};

struct fl_rungs {
	struct fl_kept_list kept; /* all arrays of this struct */
	uint32_t depth, columns;  /* of the deepest queue; of the tree that has most columns */

	/* by workload: the standing of what it holds or is promised */
	uint32_t *within;
	fl_amount *base;

	struct fl_rung *least;      /* by workload and depth: its floors... */
	struct fl_yielded *yielded; /* ...which count while that life lasts; to FL_NONE: none */
	uint32_t *lives;            /* by workload: how often it ended */
	uint8_t *forgiven;          /* by workload: it joined the plan forgiven, once */

	/*
	 * By cell: `guaranteed` is what is held by workloads that are within at that node and not
	 * evicting; `joined` is what the cycle at hand adds to that, less what its victims
	 * release.
	 */
	fl_amount *guaranteed, *joined;

	fl_amount *row;             /* working memory for a row */
	struct fl_rung_place found; /* for a standing */
	uint32_t *order;            /* for all workloads that hold quota */
#ifdef FL_CHECKED
	struct fl_rung_plans *plans; /* rung_check.c */
	bool changed;                /* a quota, weight or priority did, during a promise */
#endif
};

static inline size_t fl_rung_place(const struct fl_policy *p, uint32_t w, uint32_t depth)
{
	return (size_t)w * p->rungs->depth + depth - 1;
}
/* The base of @w at its node of @depth. */
static inline fl_amount *fl_rung_base(const struct fl_policy *p, uint32_t w, uint32_t depth)
{
	return p->rungs->base + fl_rung_place(p, w, depth) * p->rungs->columns;
}

/* <0, 0, >0 */
int fl_rung_cmp(const struct fl_rung *a, const struct fl_rung *b);
/* Did @w yield to a workload that has not ended since? */
bool fl_rung_has_yielded(const struct fl_policy *p, uint32_t w);
/*
 * The rung of @w, which holds or is promised quota, at @n, which is its queue or a cohort above
 * it.
 */
struct fl_rung fl_rung_of(struct fl_policy *p, uint32_t w, struct fl_node n);
/*
 * The same for a workload with these uses and @base at @n (NULL: it is within), if workloads that
 * are within use @within, by cell; floors are left aside.
 */
struct fl_rung fl_rung_with(struct fl_policy *p, uint32_t w, const struct fl_use *uses,
			    uint32_t n_uses, struct fl_node n, const fl_amount *base,
			    const fl_amount *within);
/* @found, or the floor of @w at this depth if that is higher. */
struct fl_rung fl_rung_raised(const struct fl_policy *p, uint32_t w, uint32_t depth,
			      struct fl_rung found);
/*
 * From here on in this cycle the victims of @e do not count as within (sign -1), or do again (+1).
 */
void fl_rung_count_victims(struct fl_policy *p, const struct fl_entry *e, int sign);
/* The standing that @ask, which is not in @v yet, would have. */
void fl_rung_find(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
		  struct fl_rung_place *ret);

#endif
