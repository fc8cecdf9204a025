/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divider - a tree of queues as a division sees it: groups of siblings, sorted
 *
 * Used by divide.c and redivide.c.  Private to this folder.
 */
#ifndef FL_DECIDE_SHARE_DIVIDER_H
#define FL_DECIDE_SHARE_DIVIDER_H

#include "decide/share/divide.h"
#include "decide/share/sharing.h"

struct fl_siblings {
	uint32_t parent;   /* queue; FL_NONE at the top */
	uint32_t first, n; /* positions */
};

/* Of one resource, by position. */
struct fl_divide_columns {
	double *deserved, *limit, *weight;
};

/*
 * A position is an index in the order (group, priority down, rank up), with groups of parents
 * first.
 */
struct fl_divider {
	struct fl_arena arena; /* all of its memory */
	uint32_t n, n_groups, widest;
	uint32_t *queue, *rank; /* by position */
	uint32_t *position;     /* by queue */
	int32_t *priority;      /* by position */
	struct fl_divide_columns of[FL_BUNDLE];
	struct fl_siblings *groups;
	/*
	 * Of one division: what each queue can use, and arrays for the columns of the widest
	 * group.
	 */
	struct fl_bundle *usable;
	double *cap, *share, *usage, *remainder, *owed, *portion;
	uint32_t *active;
	struct fl_divide_part *parts;
};

/* The group of a position. */
const struct fl_siblings *fl_divider_group(const struct fl_divider *d, uint32_t position);

/*
 * Bounded: what the queue at @position can use of @amount, which is its own request or what its
 * children can use.
 */
double fl_divider_usable(const struct fl_divider *d, uint32_t position, int r, double amount);

/* Sets what is the same for all groups and resources of one division. */
struct fl_sharing fl_divider_begin(struct fl_divider *d, double k, unsigned flags,
				   const struct fl_divide_listener *sink);
/*
 * Divides @total of one resource in one group: into d->share, by index in the group.  @request is
 * what can be used if bounded; @usage counts if k > 0.
 */
void fl_divider_share(struct fl_divider *d, const struct fl_siblings *g, int r, double total,
		      const struct fl_bundle *request, const struct fl_bundle *usage,
		      struct fl_sharing *s);

#endif
