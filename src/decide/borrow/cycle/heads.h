/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heads - the heads of a cycle, and which of them need no more than a quick check
 *
 * Each active queue of a tree that is looked at has one head.  A head becomes an entry, which is
 * nominated and served.  It does not if three things are certain by a quick check: it will be
 * refused, since nothing is free for it and no workload may be preempted for it; it reserves
 * nothing; and no other decision in the tree depends on it.  Then only the refusal takes effect.
 *
 * A refused head can matter to others in two ways: by what it reserves (doc/semantics/borrow.md,
 * B7.5), and, where it is the best below its cohort, by standing for it in the tournament until it
 * is refused.  Heads that may matter become entries after all.
 *
 * Invariant, asserted in checked builds: with an entry, a head without one would be refused with
 * the same reason, and the order in which entries are served would be the same.
 *
 * Cost: a quick check O(requests * flavors * depth log children), and sorting the queue's
 * candidates if they are not sorted.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_HEADS_H
#define FL_DECIDE_BORROW_CYCLE_HEADS_H

#include "decide/borrow/cycle/cycle.h"

struct fl_head {
	struct fl_workload workload;
	struct fl_node queue;
	uint32_t entry; /* FL_NONE: a quick check was enough */
	/* of such a head */
	enum fl_verdict verdict;
	enum fl_reason reason;
	bool reserves; /* others may depend on it */
	int16_t *scan; /* cycle arena */
};

/* Lives as long as the policy. */
struct fl_heads {
	struct fl_head *rows; /* of this cycle, by place in the tree's order */
	uint32_t n;
	uint32_t *
		observed; /* by node: == the cycle's serial: an entry comes up through it (heads.c) */
};
int fl_heads_new(struct fl_policy *p, struct fl_heads **ret, fairlead_error *err);
/* Lets the numbers that mark things begin again (marks.h). */
void fl_heads_renew(const struct fl_policy *p, struct fl_heads *k);
/*
 * Gathers the heads of all trees in which something changed; with @full those of all trees, all as
 * entries.  With scratch->ours: of those that no other scheduler decides.
 */
int fl_heads_gather(struct fl_policy *p, bool full, fairlead_error *err);
/* The first tree from @root on in which something changed, of those that are gathered; FL_NONE. */
uint32_t fl_heads_changed(const struct fl_policy *p, uint32_t root);
/* Makes an entry of @w only. */
struct fl_entry *fl_heads_only(struct fl_policy *p, struct fl_workload w);
/* Makes entries of @w, and of the workloads in its tree that are promised something. */
void fl_heads_with_promised(struct fl_policy *p, struct fl_workload w);
/* Keeps only @w in the answer: the other heads were there for its sake. */
void fl_heads_tell_only(struct fl_heads *k, struct fl_workload w);
/*
 * If @e cannot be nominated at all (its namespace or requests are invalid for its queue) it is
 * parked, and matters to no other entry.  True: so it is.
 */
bool fl_heads_set_aside(const struct fl_policy *p, struct fl_entry *e);

/* The entry of a head; if a quick check was enough, what its entry would be at the end: in *@room. */
static inline const struct fl_entry *fl_heads_told(const struct fl_cycle *c,
						   const struct fl_head *h, struct fl_entry *room)
{
	if (h->entry != FL_NONE)
		return &c->entries[h->entry];
	*room = (struct fl_entry){ .workload = h->workload,
				   .queue = h->queue,
				   .verdict = h->verdict,
				   .reason = h->reason,
				   .assignment = { .scan = h->scan } };
	return room;
}

#endif
