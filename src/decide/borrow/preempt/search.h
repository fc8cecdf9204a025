/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search - the workspace of searches for victims
 *
 * Memory and marks that live as long as the policy.  Marks are numbers of searches and passes, so
 * nothing need be cleared between them (marks.h).  What a search finds is returned
 * (fl_preempt_search); nothing in this file is for use outside of this folder.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_SEARCH_H
#define FL_DECIDE_BORROW_PREEMPT_SEARCH_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

struct fl_search_node {
	uint32_t on_path;     /* == search: the preemptor's queue or an ancestor of it */
	uint32_t below;       /* then: its child on that path */
	uint32_t pruned;      /* == pass: left out */
	uint32_t started;     /* == pass: `at` is valid */
	uint32_t at;          /* index of the next one in the queue's candidates */
	uint32_t left;        /* fair, second pass: index at which the first one stopped */
	uint32_t reach_known; /* == search: `reach` and `list` are valid */
	uint32_t reach;       /* classical: depth of the ancestor to reclaim through */
	uint32_t list;        /* classical: the list of its workloads */
	uint32_t over_known;  /* == search: `over` is valid */
	bool over;            /* above nominal in a needed column when the search began */
};

/* The next candidate of one queue. */
struct fl_cursor {
	uint32_t queue, at;
	uint32_t next; /* the workload at that index */
};

struct fl_preempt {
	/* of the cycle: its sink; its victims, and candidates that a first pass refused */
	struct fl_teller *tell;
	struct fl_marks *marks;

	uint32_t search, pass;
	struct fl_search_node *nodes;
	uint32_t *needed; /* by column: == search where it is needed */
	uint64_t looked;  /* a cost: children and candidates looked at so far */

	/* of the search at hand */
	struct fl_target *targets; /* room for all workloads that hold quota */
	uint32_t n_targets, cap_targets;
	uint32_t n_going; /* how many targets, from the first on, were evicting before (rung.h) */
	bool spared;      /* a Policy protected a workload, for a time */

	/* classical */
	fl_amount *remaining;             /* by row of the request */
	bool *advantage;                  /* by depth */
	struct fl_cursor *cursors;        /* room for one more than there are nodes */
	uint32_t *sorted, *sorted_queues; /* candidates of one search, where they must be sorted */
};

#endif
