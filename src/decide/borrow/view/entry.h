/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry - a head in a cycle: what it is nominated for, who must go for that, what it was told
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_VIEW_ENTRY_H
#define FL_DECIDE_BORROW_VIEW_ENTRY_H

#include "decide/borrow/view/view.h"

struct fl_target {
	struct fl_workload workload;
	enum fl_reason reason;
};

/* How well one resource, flavor or workload is served; see assign.c for the order. */
enum fl_mode {
	FL_MODE_NO_FIT,
	FL_MODE_NO_CANDIDATES,
	FL_MODE_PREEMPT,
	FL_MODE_RECLAIM,
	FL_MODE_FIT
};

struct fl_nomination {
	enum fl_mode mode;     /* NO_FIT, PREEMPT or FIT */
	enum fl_reason reason; /* with NO_FIT */
	uint32_t level;        /* height of the largest subtree borrowed in; 0: none */
	struct fl_use *uses;   /* by column, each once */
	bool *needs;           /* beside uses: needs preemption */
	uint32_t n_uses;
	struct fl_placement *placements;
	uint32_t n_placements;
	int16_t *scan;   /* podset-major, one a resource group: last flavor looked at */
	int16_t *flavor; /* the same: flavor taken; -1 when none */
	bool backs_off;  /* its queue may not borrow, for now */
};

enum fl_verdict {
	FL_PENDING_VERDICT,
	FL_SET_ASIDE,
	FL_ADMITTED,
	FL_PREEMPTING,
	FL_DEFERRED,
	FL_NO_FIT,
	FL_NO_TARGETS,
	FL_SKIPPED
};

struct fl_entry {
	struct fl_workload workload;
	struct fl_node queue;
	struct fl_nomination assignment, spare;
	struct fl_target *targets; /* cycle arena */
	uint32_t n_targets;
	enum fl_verdict verdict;
	enum fl_reason reason;
	struct fl_use *kept; /* cycle arena, by use: what it keeps from others; NULL: nothing */
	struct fl_rung_place
		*standing; /* cycle arena: where it will stand (rung.h); NULL: as before */
	bool protected;    /* a Policy spared somebody it might have preempted */
	bool processed;
	bool starts_late; /* it was promised what it gets */
};

/* What @e asks for in the flavors it is nominated in. */
static inline struct fl_ask fl_entry_ask(const struct fl_entry *e)
{
	const struct fl_nomination *a = &e->assignment;

	return (struct fl_ask){ e->workload, e->queue, a->uses, a->needs, a->n_uses };
}

#endif
