/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fairness - what weights would have given queues over a time
 *
 * At each moment what there is goes, from the top of the tree down, first to whom it belongs, as
 * far as he wants it; the rest goes by weights, to nobody more than he wants.  Summed over time
 * that is `due`, to be held against what they had.  Whole jobs, minimum run times and all else that a
 * policy has to do with is left out: it is the measure, not the policy.
 */
#ifndef FL_DAEMON_ENGINE_FAIRNESS_H
#define FL_DAEMON_ENGINE_FAIRNESS_H

#include <stddef.h>

#include "base/error.h"
#include "base/time.h"

struct fl_fair_node {
	uint32_t parent; /* FL_NONE */
	double weight, own;
	double due; /* filled in: amounts times seconds, of leaves and all above them */
};

/* A job wanted so much of a leaf, and may have held it. */
struct fl_fair_span {
	uint32_t node;
	fl_time from, to;
	double amount;
};

/* @capacity: what all roots divide. FAIRLEAD_ENOMEM. */
int fl_fairness(struct fl_fair_node *nodes, uint32_t n, double capacity,
		const struct fl_fair_span *spans, size_t n_spans, fairlead_error *err);

#endif
