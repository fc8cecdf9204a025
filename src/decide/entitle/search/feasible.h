/* SPDX-License-Identifier: Apache-2.0 */
/*
 * feasible - the machines that a search looks at (search.h)
 *
 * A walk places nobody on any other.  For a workload all of whose tasks ask for GPUs these are:
 *
 *   in every part   where GPUs were idle or leaving, promises taken off, when the search began
 *   in this part    the places of tasks that are victims of the part before (fl_offers_record),
 *                   not those of other tasks of the same offer
 *   in this try     the places of all that is evicted with the machine that is tried; no more when
 *                   there was no room, to the end of the part when the outcome was refused
 *
 * and for any other workload all machines.  So a task that was evicted with others of its offer
 * may find its own machine out of sight, and with it the way back.
 */
#ifndef FL_DECIDE_ENTITLE_SEARCH_FEASIBLE_H
#define FL_DECIDE_ENTITLE_SEARCH_FEASIBLE_H

#include "decide/entitle/state/state.h"

struct fl_search;

/* By machine. */
struct fl_feasible {
	bool *open;      /* when the search began */
	bool *now;       /* in this part, and this try */
	uint32_t *tried; /* n_tried of those in now are of this try alone */
	uint32_t n_tried;
	bool all; /* for who asks: every machine */
	/*
	 * Might a walk see whether machines stay?  Where GPUs are full only a task without finds room
	 * that nobody was evicted from, or one of whose offer another was recorded.
	 */
	bool matters;
};

int fl_feasible_new(struct fl_policy *p, struct fl_feasible *ret, fairlead_error *err);
/* As things stand. */
void fl_feasible_measure(const struct fl_policy *p, struct fl_feasible *f);
/* A part begins: its recorded victims are known, and nobody is evicted. */
void fl_feasible_begin(const struct fl_policy *p, struct fl_search *s);
/* Somebody is evicted from @machine in this try. */
void fl_feasible_add(struct fl_feasible *f, struct fl_machine machine);
/* The try is over: its machines are out of sight again, or stay. */
void fl_feasible_end(struct fl_feasible *f, bool stay);

/* For fl_machines_choose. */
static inline const bool *fl_feasible_now(const struct fl_feasible *f)
{
	return f->all ? NULL : f->now;
}

#endif
