/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - what lives for one scheduling cycle
 *
 * A cycle works on two views of the usage, never on the policy's own:
 * S is the snapshot, to which each decided entry adds its usage; S_FREED is S
 * without the victims chosen so far in this cycle.  Both change together, so no
 * rule has to take victims out and put them back one by one.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_CYCLE_H
#define FL_DECIDE_BORROW_CYCLE_CYCLE_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

struct fl_assign;
struct fl_heads;
struct fl_preempt;
struct fl_turns;

struct fl_cycle {
	struct fl_view s, freed;
	bool odd; /* a negative reservation was made: rebuild `freed` from S each time */
	struct fl_entry *entries;
	uint32_t n_entries;
	uint32_t *entry_of;       /* by node: entry + 1 of its head, 0 none */
	uint32_t *roots, n_roots; /* trees that this cycle looks at, ascending */
	struct fl_teller tell;
	struct fl_marks marks; /* the set P: whom it has chosen as victims */
	uint32_t n_victims;    /* of P */
	uint32_t n_reserving;  /* entries with `kept` */

	/* what each part works with, for as long as the policy */
	struct fl_heads *heads;    /* heads.h */
	struct fl_assign *assign;  /* assign.h */
	struct fl_preempt *search; /* preempt.h */
	struct fl_turns *turns;    /* order.h */
};

/* cycle.c */
int fl_cycle_new(struct fl_policy *p,
		 fairlead_error *err); /* p->scratch, for as long as the policy */
int fl_cycle_step(struct fl_policy *p, unsigned flags, const struct fl_sink *sink,
		  struct fl_decisions *ret, fairlead_error *err);
int fl_cycle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		 struct fl_decisions *ret, fairlead_error *err);

/* A cycle of @w and of whoever is promised something in its tree. */
int fl_cycle_serve(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err);

/* Room for @w, which holds nothing, to hold its rows, and to be sorted and taken as others that do. */
int fl_cycle_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

/* Would @e, without victims, keep anything from others? */
bool fl_cycle_reserves(struct fl_policy *p, const struct fl_entry *e);

/*
 * enter.c (doc/semantics/borrow.md, B9).  Room for what comes into force, and to undo it; then all
 * of it.
 */
int fl_enter_reserve(struct fl_policy *p, fairlead_error *err);
void fl_enter(struct fl_policy *p);

#endif
