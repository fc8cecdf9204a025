/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heads - whose turn it is in a cycle, and for whom a glance is enough
 *
 * Each active queue of a tree that is looked at has one head.  A head becomes an entry, which is
 * nominated and served; unless it is seen at once that it will be refused, nothing is free for it
 * and nobody may be preempted for it, and that nobody else in the tree can tell whether it was
 * there.  Then only the refusal is entered.
 *
 * Who is refused is felt by others in two ways: by what it reserves (doc/semantics/borrow.md,
 * B7.5), and where it is the best below its cohort and so stands for it in the tournament before it
 * is refused.  Who may be felt becomes an entry after all.
 *
 * What always holds, checked in checked builds: a head without an entry, had it one, would be
 * refused with the same words, and the entries would be served as they are.
 *
 * Cost: a glance O(requests * flavors * depth log children), and the queue's candidates are put in
 * order when they are not.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_HEADS_H
#define FL_DECIDE_BORROW_CYCLE_HEADS_H

#include "decide/borrow/cycle/cycle.h"

struct fl_head {
	struct fl_workload workload;
	struct fl_node queue;
	uint32_t entry; /* FL_NONE: a glance was enough */
	/* then */
	enum fl_verdict verdict;
	enum fl_reason reason;
	bool reserves; /* others might feel it */
	int16_t *scan; /* cycle arena */
};

/* For as long as the policy. */
struct fl_heads {
	struct fl_head *rows; /* of this cycle, by place in the tree's order */
	uint32_t n;
	uint32_t *felt; /* by node: == the cycle's serial: an entry comes through it (heads.c) */
};
int fl_heads_new(struct fl_policy *p, struct fl_heads **ret, fairlead_error *err);
/* Marks begin anew (marks.h). */
void fl_heads_renew(const struct fl_policy *p, struct fl_heads *k);
/* The heads of all trees to which something happened, with @full of all and all as entries. */
int fl_heads_gather(struct fl_policy *p, bool full, fairlead_error *err);
/* @w alone. */
struct fl_entry *fl_heads_only(struct fl_policy *p, struct fl_workload w);
/* @w, and of its tree those who are promised something. */
void fl_heads_with_promised(struct fl_policy *p, struct fl_workload w);
/* Of the others, of whom all is known by now, nothing is told. */
void fl_heads_tell_only(struct fl_heads *k, struct fl_workload w);
/* @e cannot be looked at: it is parked and touches nobody else. */
bool fl_heads_set_aside(const struct fl_policy *p, struct fl_entry *e);

/* The entry of a head; where a glance was enough, what it would be by the end: in *@room. */
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
