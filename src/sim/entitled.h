/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entitled - what every queue is fairly entitled to, whatever policy decides
 *
 * entitle: the policy's own fair shares, as of its last cycle.
 *
 * borrow: each tree divides what it has by the rules of decide/share/divide.h, bounded, each resource
 * for itself, all flavors of it together:
 *   a root may give out  the nominal quota of all in it, less what lending limits keep unused
 *   a node deserves      its nominal quota and that of all below it (less what is kept, again)
 *   its limit            that and its borrowing limits; none if it has none for some flavor
 *   its weight           that of fair sharing
 *   it asks for          what it holds and waits for
 * so quota that a queue does not ask for goes to queues that ask for more than theirs, by weight.
 * That is a yardstick, the same under every setting of preemption and order; the policy does
 * not know of it.  What it leaves out: which flavor a workload can use, priorities, and that jobs
 * come in whole pieces.
 *
 * Guarantee: depends on names and numbers alone, not on the order of the input; no queue is
 * entitled to more than it asks for.  Any number of resources: a division has three of them,
 * so there are as many divisions as it takes.
 *
 * Cost: a change costs the division of the groups of siblings that it concerns
 * (decide/share/redivide.h), at most of its tree; entitle: O(nodes).  No allocation after the
 * start.
 */
#ifndef FL_SIM_ENTITLED_H
#define FL_SIM_ENTITLED_H

#include "decide/policy.h"

struct fl_entitled_face; /* sim/face.h */

struct fl_entitled {
	const struct fl_model *model;
	const struct fl_policy *policy;
	struct fl_arena arena;
	const struct fl_entitled_face *face;

	/* Resources of which there is any, by name. */
	struct fl_resource *resources;
	uint32_t n_resources;
	uint32_t *index;  /* by resource: into these; FL_NONE */
	double *capacity; /* of the cluster, in the units of amounts; INFINITY: without bound */

	/* A row a node that takes part: parents before children, siblings by name. */
	uint32_t n;
	uint32_t *node;   /* the model's id */
	uint32_t *row_of; /* by node: its row; FL_NONE */
	uint32_t *parent; /* row; FL_NONE at the top */
	uint32_t *depth;  /* 0 at the top */
	uint32_t *root;   /* row of the top above it */
	uint32_t *top_of; /* the number of that top among them */

	/* By row and resource: what it wants, of an inner one of borrow what those below it want
	 * of it; and what it is entitled to, as found last. */
	double *wants, *shares;
	void *own; /* the face's */
};

int fl_entitled_init(struct fl_entitled *e, const struct fl_mem *mem, const struct fl_model *model,
		     const struct fl_policy_ops *ops, const struct fl_policy *policy,
		     fairlead_error *err);
void fl_entitled_done(struct fl_entitled *e);

/* A quota, a limit, a weight or a machine has changed: fl_entitled_want has to follow for all rows. */
void fl_entitled_changed(struct fl_entitled *e);

/* What @row wants of each resource from now on; to be called for inner rows as well. */
void fl_entitled_want(struct fl_entitled *e, uint32_t row, const double *wanted);

/*
 * What each row is entitled to now, in `shares`.  Rows whose entitlement has changed go to @changed,
 * which has room for all; returns how many.
 */
uint32_t fl_entitled_find(struct fl_entitled *e, uint32_t *changed);

/* By resource: what there is where @row is; of its tree, entitle: of the cluster. */
const double *fl_entitled_capacity(const struct fl_entitled *e, uint32_t row);

/* Does it change with each cycle of the policy, even if no row wants anything else? */
bool fl_entitled_by_cycle(const struct fl_entitled *e);

#endif
