/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state - what the policy knows: which workloads hold what, and two tournaments that find the next
 *
 * A tournament is a tree of 2 * n cells for n leaves: leaf i is cell n + i, cell i > 0 is the
 * better of cells 2 * i and 2 * i + 1, and cell 1 the best of all.  Each queue has one over its
 * workloads (`line`), and one over all queues compares their shares (`turn`).  A change at one
 * leaf changes only the cells above it: O(log n).
 *
 * All changes go through FL_SET, except what fl_drf_derive derives from the rest.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_DRF_STATE_H
#define FL_DECIDE_DRF_STATE_H

#include "base/undo.h"
#include "decide/drf/drf.h"

struct fl_job {
	/* fixed */
	struct fl_node queue;  /* in whose line it is while pending; FL_NONE: it takes no part */
	uint32_t rank;         /* by creation, then uid, then name: unique */
	uint32_t leaf;         /* its leaf in its queue's line */
	struct fl_span places; /* in `placements`: room for the rows that it can hold */
	/* changes */
	int32_t priority;
	struct fl_node held_by; /* the queue that its rows count for; FL_NONE: it holds nothing */
	uint32_t n_held;        /* how many rows it holds */
	uint32_t parked;        /* `changes` + 1 when it was found never to fit; 0: it was not */
	enum fl_workload_state state; /* WAITING also while it is parked */
	enum fl_reason reason;
};

/* The fraction part / whole; of nothing it is 0 / 1. */
struct fl_drf_part {
	fl_amount part, whole;
	struct fl_resource resource; /* the dominant one; FL_NONE: no resource */
};

/* One for each node; no workload is in a cohort. */
struct fl_drf_user {
	/* fixed */
	uint32_t first, n; /* its line begins at cell 2 * first, with n leaves */
	bool active;
	/* changes */
	uint64_t weight; /* in units of 10^-9 */
	struct fl_drf_part dominant;
};

struct fl_policy {
	const struct fl_model *model;
	const struct fl_mem *mem;
	struct fl_arena arena;
	struct fl_undo undo;
	struct fl_sym pods; /* the resource `pods`; FL_NONE: no object mentions it */

	struct fl_job *jobs;       /* by workload */
	struct fl_drf_user *users; /* by node */
	fl_amount *quota;          /* by row of the model's quotas */
	struct fl_placement *placements;
	fl_amount *used;  /* by flavor * resources + resource */
	fl_amount *taken; /* by resource: held in all flavors, less than 2^63 */
	fl_amount *held;  /* by node * resources + resource */
	uint32_t changes; /* how often quotas, weights or priorities changed */

	/* derived */
	fl_amount *capacity;   /* by flavor * resources + resource */
	fl_amount *total;      /* by resource */
	uint32_t *line, *turn; /* cells: a workload or FL_NONE; a node or FL_NONE */

	/* of one call only */
	struct fl_placement *found; /* what a workload would hold */
	uint32_t n_found, *groups;  /* groups: by row of one podset, its resource group */
	struct fl_decision *rows;
	struct fl_workload *heads;
	struct fl_placement *given;
	struct fl_decisions decisions; /* the answer of the call, which lists `found` too */
};

/* Writes a cell that is part of the state, through the undo log. */
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

/* --- state.c: only the first of these can fail --- */

/* Room in the undo log for all that can happen to one workload that holds @rows rows, or will. */
int fl_drf_reserve(struct fl_policy *p, uint32_t rows, fairlead_error *err);
/* From now on @w holds @rows, which count for queue @q. */
void fl_drf_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q,
		 const struct fl_placement *rows, uint32_t n);
/* From now on @w holds nothing, and its state is @state. */
void fl_drf_release(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state);
/* Enters @w into its queue's line, or takes it out, as @state says. */
void fl_drf_enter(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state);
/* The first workload in the line of @q; FL_NONE: the line is empty. */
uint32_t fl_drf_head(const struct fl_policy *p, struct fl_node q);
/* Marks @w as never fitting, because of @why, until quotas change. */
void fl_drf_park(struct fl_policy *p, struct fl_workload w, enum fl_reason why);
/* With these @rows, would more than 2^63 - 1 of some resource be held? */
bool fl_drf_overflows(const struct fl_policy *p, const struct fl_placement *rows, uint32_t n);
/* Derives capacities, shares and tournaments from the rest.  O(queues * resources + workloads). */
void fl_drf_derive(struct fl_policy *p);

/* --- fit.c --- */

/*
 * Fits @w, and puts the rows that it would hold into `found`.  FL_REASON_FITS;
 * FL_REASON_WAITING_FOR_QUOTA or FL_REASON_USAGE_LIMIT: it does not fit at present; any other
 * reason: it never fits.
 */
enum fl_reason fl_drf_fit(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink);

/* --- setup.c --- */

/* Allocates room for all that there can be; no workload is pending or holds anything. */
int fl_drf_setup(struct fl_policy *p, fairlead_error *err);
/*
 * Allocates room for the rows that workloads hold: for each at least @rows of it, by workload;
 * NULL: as many as the model says.
 */
int fl_drf_make_room(struct fl_policy *p, const uint32_t *rows, fairlead_error *err);
/* @weight in units of 10^-9, at most 2^62 of them; a weight above 0 stays above 0. */
uint64_t fl_drf_weight(double weight);
/* The state as the model's rows have it. */
int fl_drf_begin(struct fl_policy *p, fairlead_error *err);

/* --- image.c, adopt.c --- */
int fl_drf_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err);
int fl_drf_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err);
int fl_drf_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		 const struct fl_workload *was, fairlead_error *err);

#endif
