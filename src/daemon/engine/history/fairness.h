/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness - what weights would have given queues over a time
 *
 * At each moment the capacity is divided, from the root of the tree down: first each node gets its
 * own quota, as far as it wants it and there is as much; the rest is divided by weights, to no node
 * more than it wants.
 * The integral over time is `due`, to be compared with what the queues held.  Whole jobs, minimum
 * run times and all else of a policy are left out: this is the measure, not the policy.
 */
#ifndef FL_DAEMON_ENGINE_FAIRNESS_H
#define FL_DAEMON_ENGINE_FAIRNESS_H

#include <stddef.h>

#include "base/error.h"
#include "base/time.h"

struct fl_fair_node {
	uint32_t parent; /* FL_NONE */
	double weight, own;
	double due; /* filled in: amounts times seconds, of leaves and all nodes above them */
};

/* A span in which a job wanted an amount in a leaf, and may have held it. */
struct fl_fair_span {
	uint32_t node;
	fl_time from, to;
	double amount;
};

/* @capacity: what all roots together divide. FAIRLEAD_ENOMEM. */
int fl_fairness(struct fl_fair_node *nodes, uint32_t n, double capacity,
		const struct fl_fair_span *spans, size_t n_spans, fairlead_error *err);

/* The same at one moment, for callers that know what is wanted then. */
struct fl_fair_divider;
/* @nodes are kept, and their `own` may change.  FAIRLEAD_ENOMEM. */
int fl_fair_divider_new(struct fl_fair_node *nodes, uint32_t n, struct fl_fair_divider **ret,
			fairlead_error *err);
struct fl_fair_divider *fl_fair_divider_free(struct fl_fair_divider *d); /* NULL is fine */
/* @wants: by leaf, 0 elsewhere; @ret: what each node gets. */
void fl_fair_divide(struct fl_fair_divider *d, double capacity, const double *wants, double *ret);
/* The @i-th of the nodes in an order in which those above come first. */
uint32_t fl_fair_ordered(const struct fl_fair_divider *d, uint32_t i);

#endif
