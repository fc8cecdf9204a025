/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classical_walk - the order in which a search without fair sharing looks at candidates
 *
 * Candidates come from three lists (classical.c), each in candidate order (holders.h): first the
 * candidates of each list that are being evicted already, then the others of each list.
 *
 * Only queues beyond their quota in a needed column can be in the lists of other queues.  So these
 * queues are found by descending from the cohorts around the asking queue to children that are
 * beyond theirs (fl_usage.over), and their candidates, which stay sorted per queue, are merged by
 * a heap of cursors: the first cursor has the first of all candidates.
 *
 * Cost: O(queues beyond their quota) per search, O(log queues) per candidate.  Where each
 * candidate must be looked at (a sink listens; a Policy notes which it protects; usage orders
 * them, which depends on the other candidates) all candidates of the tree are sorted and walked
 * through.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_CLASSICAL_WALK_H
#define FL_DECIDE_BORROW_PREEMPT_CLASSICAL_WALK_H

#include "decide/borrow/preempt/search.h"

enum fl_list { FL_LIST_HIERARCHY, FL_LIST_PRIORITY, FL_LIST_SAME_QUEUE, FL_LISTS };

enum fl_variant {
	FL_WITHIN_QUEUE,
	FL_HIERARCHICAL_RECLAIM,
	FL_RECLAIM_WITHOUT_BORROWING,
	FL_RECLAIM_WHILE_BORROWING
};

/* The cursors of one list: a heap of n, and behind it those that are at their end. */
struct fl_cursors {
	struct fl_cursor *first;
	uint32_t n, all;
};

struct fl_classical {
	struct fl_policy *p;
	struct fl_preempt *s;
	struct fl_view *v;
	const struct fl_ask *ask;
	const struct fl_node_row *row;        /* the asking queue */
	enum fl_preempt_policy borrow_within; /* its borrowWithinCohort, unless it overrules */
	bool any_advantage, all_advantage;

	/* position of the walk */
	bool begun; /* moved on from the first candidate */
	bool fresh; /* past the evicting ones */
	enum fl_list list;
	struct fl_cursors cursors[FL_LISTS];
	/* for a walk over all candidates of the tree, in order */
	uint32_t at;
	const uint32_t *others, *others_queues;
	uint32_t n_others;
};

/* Call it when advantages are known: they determine which workload is in which list. */
void fl_classical_walk_begin(struct fl_classical *k);
bool fl_classical_walk_any(struct fl_classical *k, enum fl_list list);
/* Returns to the first candidate. */
void fl_classical_walk_restart(struct fl_classical *k);
/* The next candidate; FL_NONE at the end. */
uint32_t fl_classical_walk_next(struct fl_classical *k, enum fl_list *ret_list);

/* classical.c: the rule by which @w, which is in @list, may be preempted. */
enum fl_variant fl_classical_variant(const struct fl_classical *k, enum fl_list list, uint32_t w);

#endif
