/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search - the workspace of searches for victims
 *
 * Rows and marks, for as long as the policy.  Marks are numbers of searches and passes, so that
 * nothing need be wiped between them (marks.h).  What a search finds is returned
 * (fl_preempt_search); nothing here is for anybody outside of this folder.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_PREEMPT_SEARCH_H
#define FL_DECIDE_BORROW_PREEMPT_SEARCH_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

struct fl_search_node {
	uint32_t on_path;     /* == search: an ancestor of the preemptor's queue, or it */
	uint32_t below;       /* then: its child on that path */
	uint32_t pruned;      /* == pass */
	uint32_t started;     /* == pass: `at` is valid */
	uint32_t at;          /* next in the queue's candidates */
	uint32_t left;        /* fair, second pass: where the first one stopped */
	uint32_t reach_known; /* == search: `reach` and `list` are valid */
	uint32_t reach; /* classical: depth of the ancestor its workloads are reclaimed through */
	uint32_t list;  /* classical: which list they are in */
	uint32_t over_known; /* == search: `over` is valid */
	bool over;           /* above nominal in a needed column when the search began */
};

/* The next candidate of one queue. */
struct fl_cursor {
	uint32_t queue, at;
	uint32_t next; /* it, a workload */
};

struct fl_preempt {
	/* the cycle's: who listens; its victims, and whom a first pass refused */
	struct fl_teller *tell;
	struct fl_marks *marks;

	uint32_t search, pass;
	struct fl_search_node *nodes;
	uint32_t *needed; /* by column: == search */
	uint64_t looked;  /* children and candidates, so far: what searches cost */

	/* of the search at hand */
	struct fl_target *targets; /* room for all that hold quota */
	uint32_t n_targets, cap_targets;
	uint32_t n_going; /* the first so many targets: who was going before this search (rung.h) */
	bool spared;      /* a Policy spared somebody, for now */

	/* classical */
	fl_amount *remaining;             /* by ask row */
	bool *advantage;                  /* by depth */
	struct fl_cursor *cursors;        /* room for as many as there are nodes, and one more */
	uint32_t *sorted, *sorted_queues; /* candidates of one search, when they are sorted anew */
};

#endif
