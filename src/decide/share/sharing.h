/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sharing - divides one resource in one group of siblings (README.md, 4)
 *
 * Guarantee: pure.  The result depends only on the columns, which are in the order (priority down,
 * rank up); divide.h divides a tree of such groups.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_SHARE_SHARING_H
#define FL_DECIDE_SHARE_SHARING_H

#include "decide/share/divide.h"

/*
 * What is divided, among which queues, and how much each has so far.  Columns are by index in the
 * group; portion and active have as much room as the others.
 */
struct fl_sharing {
	uint32_t n;
	const int32_t *priority;
	const double *weight; /* the weight that is used at present */
	double *cap;          /* the most that a queue can get */
	double *share;        /* what it has so far */
	double *remainder;    /* recorded for it; 0: none */
	double *portion;      /* by index of the active queues */
	uint32_t *active;
	const double *usage; /* NULL: history does not count */
	double k;
	bool bounded, free_within;
	/* For a sink only. */
	const struct fl_divide_listener *sink;
	const uint32_t *queue;
	struct fl_divide_step step;
	struct fl_divide_part *parts;
};

/*
 * Divides @total among the queues by what is @deserved, by priority and by weight: into s->share.
 * @s has caps, which it may change, and remainders of 0; @owed is room for a column.
 */
void fl_sharing_divide(struct fl_sharing *s, const double *deserved, double *owed, double total);

#endif
