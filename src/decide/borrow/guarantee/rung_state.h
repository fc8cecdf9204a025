/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rung_state - where everybody stands, as rows
 *
 * A workload that holds quota, or is promised some, has a standing: down to which depth it is
 * within what is guaranteed, and for each node below that its base, which is what others that
 * borrow there, and it, used when it was admitted.  Its rung at a node is the share of that node if
 * just its base were used there beside what is guaranteed; so it is on a higher rung once others
 * come to use what is theirs, and never because others borrow more.
 *
 * Rows by depth have those of a node at depth d in place d - 1; roots have none.
 */
#ifndef FL_DECIDE_BORROW_GUARANTEE_RUNG_STATE_H
#define FL_DECIDE_BORROW_GUARANTEE_RUNG_STATE_H

#include "decide/borrow/guarantee/rung.h"
#include "decide/kept.h"

/*
 * Within what is guaranteed whatever the others below that node come to use; within the node's
 * quota as long as they leave it; beyond it.
 */
enum { FL_WITHIN, FL_LENT, FL_OVERRULES, FL_BORROWS };

/* Lower ones go before: by kind, then share; infinite shares by ratio. */
struct fl_rung {
	double weighted, ratio; /* those of the share; or less the priority, where that decides */
	uint64_t kind;
};

struct fl_rung_place {
	uint32_t within;       /* at nodes of this depth and above it is within; 0: nowhere */
	bool forgiven;         /* that it yielded does not count, this once */
	fl_amount *base;       /* by depth, then column; of nodes deeper than that */
	struct fl_rung *rungs; /* by depth: as it was when it was found */
};

/* To whom somebody yielded, and in which of its lives. */
struct fl_yielded {
	uint32_t to, life;
};

struct fl_rungs {
	struct fl_kept_list kept; /* all arrays of this */
	uint32_t depth, columns;  /* of the deepest queue; of the tree that has most */

	/* by workload: of what it holds or is promised */
	uint32_t *within;
	fl_amount *base;

	struct fl_rung *least;      /* by workload and depth: where it asks at least... */
	struct fl_yielded *yielded; /* ...while this counts; to FL_NONE: it did not yield */
	uint32_t *lives;            /* by workload: how often it was gone for good */
	uint8_t *forgiven;          /* by workload: it joined once as if it had not yielded */

	/*
	 * By cell: what is held by workloads that are within at that node and are not going;
	 * and what the cycle at hand has decided to add to that, less what its victims leave.
	 */
	fl_amount *guaranteed, *joined;

	fl_amount *row;             /* room for a row */
	struct fl_rung_place found; /* and for a standing */
	uint32_t *order;            /* and for all who hold */
#ifdef FL_CHECKED
	struct fl_rung_plans *plans; /* rung_check.c */
	bool changed;                /* something did while something was promised */
#endif
};

static inline size_t fl_rung_place(const struct fl_policy *p, uint32_t w, uint32_t depth)
{
	return (size_t)w * p->rungs->depth + depth - 1;
}
/* Its base at nodes of a depth. */
static inline fl_amount *fl_rung_base(const struct fl_policy *p, uint32_t w, uint32_t depth)
{
	return p->rungs->base + fl_rung_place(p, w, depth) * p->rungs->columns;
}

/* <0, 0, >0 */
int fl_rung_cmp(const struct fl_rung *a, const struct fl_rung *b);
/* Did @w yield to somebody who is still there? */
bool fl_rung_has_yielded(const struct fl_policy *p, uint32_t w);
/* Of @w, which holds or is promised, at @n, which is above its queue or that itself. */
struct fl_rung fl_rung_of(struct fl_policy *p, uint32_t w, struct fl_node n);
/*
 * The same of one with these uses and @base there (NULL: it is within), where those within use
 * @within, by cell; but for what it yielded.
 */
struct fl_rung fl_rung_with(struct fl_policy *p, uint32_t w, const struct fl_use *uses,
			    uint32_t n_uses, struct fl_node n, const fl_amount *base,
			    const fl_amount *within);
/* @found, but no lower than that to which @w yielded at this depth. */
struct fl_rung fl_rung_raised(const struct fl_policy *p, uint32_t w, uint32_t depth,
			      struct fl_rung found);
/* From here on in this cycle @e's victims do not count as within (-1), or do again (+1). */
void fl_rung_count_victims(struct fl_policy *p, const struct fl_entry *e, int sign);
/* Where @ask, which is not in @v yet, would stand. */
void fl_rung_find(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
		  struct fl_rung_place *ret);

#endif
