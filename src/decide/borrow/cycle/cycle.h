/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - the data of one scheduling cycle
 *
 * A cycle works on two views of the usage, never on the policy's own: S is the snapshot, to which
 * each entry that is served adds its usage; S_FREED is S without the victims chosen so far in this
 * cycle.  Both change together, so no rule has to take victims out and put them back one by one.
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
	bool ours; /* FL_STEP_OURS: trees that another scheduler decides are passed over */
	bool odd;  /* there is a negative reservation: `freed` is made from S each time */
	struct fl_entry *entries;
	uint32_t n_entries;
	uint32_t *entry_of;       /* by node: 1 + index of its head's entry; 0: none */
	uint32_t *roots, n_roots; /* the trees that this cycle looks at, ascending */
	struct fl_teller tell;
	struct fl_marks marks; /* the set P: the victims that it has chosen */
	uint32_t n_victims;    /* how many victims */
	uint32_t n_reserving;  /* how many entries have `kept` */

	/* the workspaces of the parts, which live as long as the policy */
	struct fl_heads *heads;    /* heads.h */
	struct fl_assign *assign;  /* assign.h */
	struct fl_preempt *search; /* preempt.h */
	struct fl_turns *turns;    /* order.h */
};

/* cycle.c */
int fl_cycle_new(struct fl_policy *p, fairlead_error *err); /* p->scratch, as long as the policy */
int fl_cycle_step(struct fl_policy *p, unsigned flags, const struct fl_sink *sink,
		  struct fl_decisions *ret, fairlead_error *err);
int fl_cycle_try(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		 struct fl_decisions *ret, fairlead_error *err);

/* Runs a cycle of @w and of the workloads in its tree that are promised something. */
int fl_cycle_serve(struct fl_policy *p, struct fl_workload w, const struct fl_sink *sink,
		   struct fl_decisions *ret, fairlead_error *err);

/* Room for @w, which holds nothing, to hold its rows, to be sorted, and to be taken as a victim. */
int fl_cycle_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err);

/* Would @e, if it has no victims, keep quota from others? */
bool fl_cycle_reserves(struct fl_policy *p, const struct fl_entry *e);

/*
 * enter.c (doc/semantics/borrow.md, B9). fl_enter_reserve makes room for all that takes effect,
 * and to undo it; fl_enter lets it take effect.
 */
int fl_enter_reserve(struct fl_policy *p, fairlead_error *err);
void fl_enter(struct fl_policy *p);

#endif
