/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry - a head in a cycle: what it is nominated for, its victims, what is decided
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

/* How well a resource, a flavor or a workload fits; assign.c has the order. */
enum fl_mode {
	FL_MODE_NO_FIT,
	FL_MODE_NO_CANDIDATES,
	FL_MODE_PREEMPT,
	FL_MODE_RECLAIM,
	FL_MODE_FIT
};

struct fl_nomination {
	enum fl_mode mode;     /* NO_FIT, PREEMPT or FIT */
	enum fl_reason reason; /* of NO_FIT */
	uint32_t level;        /* height of the largest subtree in which it borrows; 0: none */
	struct fl_use *uses;   /* by column, each once */
	bool *needs;           /* for each use: preemption is needed for it */
	uint32_t n_uses;
	struct fl_placement *placements;
	uint32_t n_placements;
	int16_t *scan;   /* podset-major, one per resource group: the last flavor tried */
	int16_t *flavor; /* by the same index: the flavor assigned; -1: none */
	bool backs_off;  /* its queue may not borrow, until its back-off ends */
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
	struct fl_use *kept; /* cycle arena, by use: kept from others; NULL: nothing */
	struct fl_rung_place
		*standing; /* cycle arena: its standing after admission (rung.h); NULL: as before */
	bool protected;    /* a Policy protected a workload that could be preempted otherwise */
	bool processed;
	bool starts_late; /* it was promised what it gets */
};

/* The request of @e in the flavors for which it is nominated. */
static inline struct fl_ask fl_entry_ask(const struct fl_entry *e)
{
	const struct fl_nomination *a = &e->assignment;

	return (struct fl_ask){ e->workload, e->queue, a->uses, a->needs, a->n_uses };
}

#endif
