/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharing - one resource of one group of siblings is divided (README.md, 4)
 *
 * Guarantee: pure.  What comes out depends on the columns alone, which stand in the order
 * (priority down, rank up); a tree of such groups is divide.h.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_SHARE_SHARING_H
#define FL_DECIDE_SHARE_SHARING_H

#include "decide/share/divide.h"

/*
 * What is divided, among whom, and who has how much of it.  Columns are by place in the group;
 * portion and active have as much room as the others.
 */
struct fl_sharing {
	uint32_t n;
	const int32_t *priority;
	const double *weight; /* that decides now */
	double *cap;          /* the most a queue can get */
	double *share;        /* what it has */
	double *remainder;    /* recorded; 0: none */
	double *portion;      /* by place among the active */
	uint32_t *active;
	const double *usage; /* NULL: history does not count */
	double k;
	bool bounded;
	/* What only a listener wants to know. */
	const struct fl_divide_sink *sink;
	const uint32_t *queue;
	struct fl_divide_step step;
	struct fl_divide_part *parts;
};

/*
 * @total among them by what is @deserved, priority and weight: into s->share.  @s has caps and
 * remainders of 0, which it may change; @owed is room for a column.
 */
void fl_sharing_divide(struct fl_sharing *s, const double *deserved, double *owed, double total);

#endif
