/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state - what the policy knows: who holds what, and two tournaments that say who is next
 *
 * A tournament is a tree of 2 * n cells for n leaves: leaf i is cell n + i, cell i > 0 the better
 * of cells 2 * i and 2 * i + 1, and cell 1 the best of all.  Each queue has one over its workloads
 * (`line`), and one over all queues goes by their shares (`turn`).  What changes for one leaf
 * changes the cells above it alone: O(log n).
 *
 * Whatever changes goes through FL_SET, but for what fl_drf_derive makes of all the rest.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_DRF_STATE_H
#define FL_DECIDE_DRF_STATE_H

#include "base/undo.h"
#include "decide/drf/drf.h"

struct fl_job {
	/* fixed */
	struct fl_node queue;  /* whose line it waits in; FL_NONE: it takes no part */
	uint32_t rank;         /* by creation, then uid, then name: unique */
	uint32_t leaf;         /* in its queue's line */
	struct fl_span places; /* rows that it can hold, in `placements` */
	/* changes */
	int32_t priority;
	struct fl_node held_by; /* whose holding it is; FL_NONE: it holds nothing */
	uint32_t n_held;        /* of its rows */
	uint32_t parked;        /* `changes` + 1 when it was found never to fit; 0: it was not */
	enum fl_workload_state state; /* parked or not: WAITING */
	enum fl_reason reason;
};

/* A part of a whole; of nothing 0 of 1. */
struct fl_drf_part {
	fl_amount part, whole;
	struct fl_resource resource; /* FL_NONE: of none */
};

/* One a node; cohorts have no members. */
struct fl_drf_user {
	/* fixed */
	uint32_t first, n; /* its line begins at cell 2 * first, with n leaves */
	bool active;
	/* changes */
	uint64_t weight; /* in 10^-9 */
	struct fl_drf_part dominant;
};

struct fl_policy {
	const struct fl_model *model;
	const struct fl_mem *mem;
	struct fl_arena arena;
	struct fl_undo undo;
	struct fl_sym pods; /* the resource that counts them; FL_NONE: nobody has it */

	struct fl_job *jobs;       /* by workload */
	struct fl_drf_user *users; /* by node */
	fl_amount *quota;          /* by row of the model's quotas */
	struct fl_placement *placements;
	fl_amount *used;  /* by flavor * resources + resource */
	fl_amount *taken; /* by resource: of all flavors, less than 2^63 */
	fl_amount *held;  /* by node * resources + resource */
	uint32_t changes; /* of quotas, weights and priorities */

	/* derived */
	fl_amount *capacity;   /* by flavor * resources + resource */
	fl_amount *total;      /* by resource */
	uint32_t *line, *turn; /* workload or FL_NONE; node or FL_NONE */

	/* of one call */
	struct fl_placement *found; /* what a workload would hold */
	uint32_t n_found, *groups;  /* groups: by row of one podset, its resource group */
	struct fl_decision *rows;
	struct fl_workload *heads;
	struct fl_placement *given;
	struct fl_decisions decisions; /* of these three */
};

/* Write a cell that may change. */
#define FL_SET(p, cell, value)                                                                     \
	(fl_undo_note(&(p)->undo, &(cell), (uint32_t)sizeof(cell)), (cell) = (value))

static inline bool fl_drf_holds(const struct fl_job *j) { return j->held_by.v != FL_NONE; }
static inline bool fl_drf_is_parked(const struct fl_policy *p, const struct fl_job *j)
{
	return j->parked == p->changes + 1;
}
static inline const struct fl_placement *fl_drf_rows(const struct fl_policy *p,
						     const struct fl_job *j)
{
	return p->placements + j->places.first;
}

/* --- state.c: none of these can fail, but for the first --- */

/* Room to undo what happens to one workload that holds @rows rows, or will. */
int fl_drf_reserve(struct fl_policy *p, uint32_t rows, fairlead_error *err);
/* It holds @rows in @q from now on. */
void fl_drf_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q,
		 const struct fl_placement *rows, uint32_t n);
/* It holds nothing any more; @state is what it is then. */
void fl_drf_release(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state);
/* It waits, or does not any more. */
void fl_drf_enter(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state);
/* Who is first in its queue's line; FL_NONE. */
uint32_t fl_drf_head(const struct fl_policy *p, struct fl_node q);
/* It never fits, as long as quotas are what they are. */
void fl_drf_park(struct fl_policy *p, struct fl_workload w, enum fl_reason why);
/* Would more than 2^63 - 1 of something be held with these @rows? */
bool fl_drf_overflows(const struct fl_policy *p, const struct fl_placement *rows, uint32_t n);
/* Capacity, shares and tournaments from all the rest.  O(queues * resources + workloads). */
void fl_drf_derive(struct fl_policy *p);

/* --- fit.c --- */

/*
 * What @w would hold, in `found`: FL_REASON_FITS; FL_REASON_WAITING_FOR_QUOTA or
 * FL_REASON_USAGE_LIMIT, not now; else it never fits, and why.
 */
enum fl_reason fl_drf_fit(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink);

/* --- setup.c --- */

/* Room for all that there can be, and nobody waits or holds anything. */
int fl_drf_setup(struct fl_policy *p, fairlead_error *err);
/* Room for what workloads hold, at least @rows of them each; NULL: as the model says. */
int fl_drf_make_room(struct fl_policy *p, const uint32_t *rows, fairlead_error *err);
/* A weight in 10^-9, at most 2^62 of them; what is more than 0 stays so. */
uint64_t fl_drf_weight(double weight);
/* As the model's rows say. */
int fl_drf_begin(struct fl_policy *p, fairlead_error *err);

/* --- image.c, adopt.c --- */
int fl_drf_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_drf_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
int fl_drf_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		 const struct fl_workload *was, fairlead_error *err);

#endif
