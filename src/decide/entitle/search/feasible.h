/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feasible - the machines that a search looks at (search.h)
 *
 * A walk places tasks on no other machines.  For a workload all of whose tasks request GPUs these
 * are:
 *
 *   in every part   machines whose GPUs were idle or leaving, less promises, when the search began
 *   in this part    the places of tasks that are victims of the part before (fl_offers_record),
 *                   not those of other tasks of the same offer
 *   in this try     the places of all that is evicted together with the machine that is tried; they
 *                   are removed if there was no room, and stay for the part if the outcome was
 *                   refused
 *
 * For any other workload these are all machines.  So a task that was evicted with others of its
 * offer may not be allowed to return to its own machine.
 */
#ifndef FL_DECIDE_ENTITLE_SEARCH_FEASIBLE_H
#define FL_DECIDE_ENTITLE_SEARCH_FEASIBLE_H

#include "decide/entitle/state/state.h"

struct fl_search;

/* All tables are by machine. */
struct fl_feasible {
	bool *open;      /* when the search began */
	bool *now;       /* in this part, and this try */
	uint32_t *tried; /* n_tried of the machines in `now` are of this try only */
	uint32_t n_tried;
	bool all; /* for the workload that asks: every machine */
	/*
	 * Might a walk depend on which machines stay?  On machines with full GPUs only two kinds
	 * of tasks find room from which nothing was evicted: tasks without GPUs, and tasks of an
	 * offer of which another task was recorded.
	 */
	bool matters;
};

int fl_feasible_new(struct fl_policy *p, struct fl_feasible *ret, fairlead_error *err);
/* Measures machines as they are now. */
void fl_feasible_measure(const struct fl_policy *p, struct fl_feasible *f);
/* Begins a part: its recorded victims are known, and nothing is evicted. */
void fl_feasible_begin(const struct fl_policy *p, struct fl_search *s);
/* Something on @machine is evicted in this try. */
void fl_feasible_add(struct fl_feasible *f, struct fl_machine machine);
/* Ends the try: its machines are removed again, or stay. */
void fl_feasible_end(struct fl_feasible *f, bool stay);

/* The argument for fl_machines_choose. */
static inline const bool *fl_feasible_now(const struct fl_feasible *f)
{
	return f->all ? NULL : f->now;
}

#endif
