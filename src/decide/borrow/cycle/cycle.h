/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle - what lives for one scheduling cycle
 *
 * A cycle works on two views of the usage, never on the policy's own:
 * S is the snapshot, to which each decided entry adds its usage; S_FREED is S
 * without the victims chosen so far in this cycle.  Both change together, so no
 * rule has to take victims out and put them back one by one.
 *
 * Private to this folder.
 */
#ifndef FL_DECIDE_BORROW_CYCLE_CYCLE_H
#define FL_DECIDE_BORROW_CYCLE_CYCLE_H

#include "decide/borrow/view/entry.h"
#include "decide/borrow/view/marks.h"
#include "decide/borrow/view/tell.h"

struct fl_preempt;

struct fl_cycle {
	struct fl_view s, freed;
	bool odd; /* a negative reservation was made: rebuild `freed` from S each time */
	struct fl_head *heads; /* heads.h, by place in the tree's order */
	uint32_t n_heads;
	uint32_t *felt; /* by node: == serial, see heads.c */
	struct fl_entry *entries;
	uint32_t n_entries;
	uint32_t *entry_of;       /* by node: entry + 1 of its head, 0 none */
	uint32_t *roots, n_roots; /* trees that this cycle looks at, ascending */
	struct fl_teller tell;
	struct fl_marks marks; /* the set P: whom it has chosen as victims */
	uint32_t n_victims;    /* of P */
	uint32_t n_reserving;  /* entries with `kept` */

	struct fl_preempt *search; /* preempt.h */

	/* the last nomination at a glance, and the room in it; uses NULL: none */
	struct fl_nomination glanced;
	uint32_t glanced_room, glanced_scan;

	struct fl_need *assigning; /* by request of one podset, and pods */

	/* order */
	uint32_t *order, at;
	uint32_t n_early; /* fair sharing: so many in `order` are served before the tournament */
	struct fl_contender *contenders; /* tournament.h, by node */
	uint32_t *paths, n_paths, *rounds;
	struct fl_drs_extra *arriving; /* what an entry brings to a node, by its uses */
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

/* enter.c: section 9. Room for what comes into force, and to undo it; then all of it. */
int fl_enter_reserve(struct fl_policy *p, fairlead_error *err);
void fl_enter(struct fl_policy *p);

/* assign.c: section 4 */
size_t fl_assign_need_size(void);
/*
 * Flavors for @e's workload in view @v: fills e->assignment, and e->targets when it
 * must preempt.  @only: flavors to keep to, as in fl_nomination.flavor; NULL for any.
 */
int fl_assign_nominate(struct fl_policy *p, struct fl_view *v, struct fl_entry *e,
		       const int16_t *only, fairlead_error *err);

/*
 * The same without a search for victims.  REFUSED: whatever is searched for, it would have none,
 * and @e is told so; FITS: fl_assign_take_glance gives its entry what was found.
 */
enum fl_glance { FL_GLANCE_UNSURE, FL_GLANCE_FITS, FL_GLANCE_REFUSED };
int fl_assign_glance(struct fl_policy *p, struct fl_view *v, struct fl_entry *e,
		     enum fl_glance *ret, fairlead_error *err);
void fl_assign_take_glance(struct fl_policy *p, struct fl_entry *e);

/*
 * In the flavors and with the pods that @e's workload was promised (protect.h): 1 when that
 * fits, or has victims that make it fit, else 0 and nothing of @e counts.
 */
int fl_assign_promised(struct fl_policy *p, struct fl_view *v, struct fl_entry *e,
		       fairlead_error *err);

/* The same without a search: what was promised is held for it (rung.h). */
int fl_assign_certain(struct fl_policy *p, struct fl_view *v, struct fl_entry *e,
		      fairlead_error *err);

/* order.c: section 6 */
int fl_order_start(struct fl_policy *p, fairlead_error *err);
/* Entries of those who are promised something, in the order in which they are served; cycle arena. */
int fl_order_promised(struct fl_policy *p, uint32_t **ret, uint32_t *ret_n, fairlead_error *err);
/* Next entry to process, by the current S; NULL when all are. */
struct fl_entry *fl_order_next(struct fl_policy *p);
/* @e was processed and S changed around its queue. */
void fl_order_done(struct fl_policy *p, struct fl_entry *e);

#endif
