/* SPDX-License-Identifier: Apache-2.0 */
/*
 * left - the trees that are left to Kueue, though ClusterQueues of them are handed over to fairlead, and why
 *
 * A tree is handed over whole or not at all: half of it would give quota that the other scheduler gives, too.  Nor is
 * anything decided where a rule is not known to the engine (codec/object/undecided.h), or not known is how much is held.
 *
 * Tested in tests/unit/model/test_seal.c and tests/kube/test_faults.py.
 */
#ifndef FL_MODEL_LEFT_H
#define FL_MODEL_LEFT_H

#include "model/model.h"

enum fl_left {
	FL_LEFT_NOT,
	FL_LEFT_CONFIGURATION, /* Kueue's Configuration has such a rule: all trees are left */
	FL_LEFT_UNCERTAIN,     /* a workload holds what cannot be read: fl_model_uncertain */
	FL_LEFT_QUEUE,         /* a ClusterQueue is not handed over */
	FL_LEFT_CHECKS,        /* one that was has other admission checks since */
	FL_LEFT_RULE,          /* a ClusterQueue or Cohort has such a rule */
	FL_LEFT_FLAVOR,        /* a ResourceFlavor of a ClusterQueue has one */
};

/* By seal: says of each node whether its tree is left (`elsewhere`), and of each workload of m->uncertain where it is. */
void fl_left_find(struct fl_model *m);

/*
 * Of the tree of @n, before seal ends or after; @ret_by: with the last three, the first node by which it is; else FL_NONE.
 * Costs O(nodes).
 */
enum fl_left fl_model_left(const struct fl_model *m, struct fl_node n, struct fl_node *ret_by);

/* Of the last three, what the node does: "is not handed over"; NULL of the others. */
const char *fl_left_words(enum fl_left why);

/* The first workload by name for which nothing can be decided in @n's tree; NULL: none. */
const struct fl_uncertain_row *fl_model_uncertain(const struct fl_model *m, struct fl_node n);

/* By itself: annotation and stopPolicy: Hold. */
bool fl_left_is_handed_over(const struct fl_node_row *row);

#endif
