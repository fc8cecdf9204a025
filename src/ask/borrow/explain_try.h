/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_try - would it be admitted, were these cells different?  The policy says
 *
 * Nothing here knows a rule: cells are changed inside a mark, the policy is asked, and
 * all is taken back.  Private to ask.
 *
 * The least change of a cell is found by bisection between a value that is not enough
 * and one that is, so that the value found is enough and the one before it is not, both
 * of them tried.  Where the answer is not monotone in the cell (a weight may change
 * which is looked at first), there may be other values further away.
 */
#ifndef FL_ASK_BORROW_EXPLAIN_TRY_H
#define FL_ASK_BORROW_EXPLAIN_TRY_H

#include "ask/borrow/explain_run.h"

enum {
	FL_TRY_CELLS = 64,  /* of one change */
	FL_TRY_MOST = 1000, /* of one explanation; what is not done by then is not proposed */
	FL_TRY_PRIORITY = 1000000000, /* the highest that is proposed, as Kubernetes has it */
	FL_TRY_WEIGHTS = 90 * 12,     /* weights of two digits, from 0.001 up to 10^9 */
};

struct fl_try {
	struct fl_explain_run *run;
	bool cycle; /* ask for the coming cycle, not for the workload alone in its queue */
	struct fl_explain_change cells[FL_TRY_CELLS];
	uint32_t n;
};

struct fl_try_answer {
	enum fl_decision_kind kind; /* ADMIT, RESERVE or WAIT */
	uint32_t n_victims;
};

static inline bool fl_try_does(struct fl_try_answer a)
{
	return a.kind == FL_ADMIT || a.kind == FL_RESERVE;
}

/* What the machine has of a cell's flavor and resource that no queue owns; without one unlimited. */
fl_amount fl_try_spare(const struct fl_explain_run *r, struct fl_flavor f, struct fl_resource k);

/* Change one cell to `to`, in the mark that is open. */
int fl_try_apply(const struct fl_try *t, const struct fl_explain_change *cell, fairlead_error *err);

/*
 * The decision with the cells at `to`; a value that the policy refuses to have or the machine does
 * not have, and every question beyond the last, is answered by WAIT.
 */
int fl_try_ask(const struct fl_try *t, struct fl_try_answer *ret, fairlead_error *err);

/* A cell's value as a position that can be bisected: the amount, or the number of a weight. */
void fl_try_set(struct fl_explain_change *cell, fl_amount position);
fl_amount fl_try_weight_position(double weight); /* of the largest not above it; -1: below all */

/*
 * Cell @i of @t at the least position above @fails that is enough; @does is tried first.
 * *ret: whether there is one, and the decision with it.
 */
int fl_try_least(struct fl_try *t, uint32_t i, fl_amount fails, fl_amount does,
		 struct fl_try_answer *ret, fairlead_error *err);

#endif
