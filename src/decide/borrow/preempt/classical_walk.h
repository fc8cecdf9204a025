/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classical_walk - whom a search without fair sharing looks at, one after another
 *
 * Candidates come in three lists (classical.c), each in candidate order (holders.h): of each list
 * those that are being evicted already, then of each list the others.
 *
 * Only queues beyond their quota in a needed column can be in the lists of other queues, so these
 * are found by descending from the cohorts around the asking queue to children that are
 * (fl_usage.over), and their candidates, which stay sorted queue by queue, are merged by a heap of
 * cursors: its first cursor has the first candidate of all.
 *
 * Cost: O(queues beyond their quota) a search, O(log queues) a candidate.  Where every candidate
 * counts (somebody listens; a Policy notes whom it spares; usage orders them, which hangs on who
 * else is one) the whole tree's candidates are sorted and looked through.
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

/* Cursors of one list: a heap of n, and behind it those that came to their end. */
struct fl_cursors {
	struct fl_cursor *first;
	uint32_t n, all;
};

struct fl_classical {
	struct fl_policy *p;
	struct fl_preempt *s;
	struct fl_view *v;
	const struct fl_ask *ask;
	const struct fl_node_row *row;        /* of the asking queue */
	enum fl_preempt_policy borrow_within; /* its borrowWithinCohort, or that of who overrules */
	bool any_advantage, all_advantage;

	/* where the walk is */
	bool begun; /* not at the first candidate any more */
	bool fresh; /* past those being evicted */
	enum fl_list list;
	struct fl_cursors cursors[FL_LISTS];
	/* of a walk through all candidates of the tree, in order */
	uint32_t at;
	const uint32_t *others, *others_queues;
	uint32_t n_others;
};

/* After advantages are known: who is in which list. */
void fl_classical_walk_begin(struct fl_classical *k);
bool fl_classical_walk_any(struct fl_classical *k, enum fl_list list);
/* To the first candidate again. */
void fl_classical_walk_restart(struct fl_classical *k);
/* The next one; FL_NONE at the end. */
uint32_t fl_classical_walk_next(struct fl_classical *k, enum fl_list *ret_list);

/* classical.c: by which rule @w, who is in @list, may be preempted. */
enum fl_variant fl_classical_variant(const struct fl_classical *k, enum fl_list list, uint32_t w);

#endif
