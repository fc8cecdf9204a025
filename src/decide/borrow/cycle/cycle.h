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

#include "decide/borrow/preempt/borrowers.h"
#include "decide/borrow/state/state.h"

struct fl_view {
	struct fl_usage usage;
	struct fl_drs *drs; /* by node; valid where usage.stale is not set */
	struct fl_borrowers borrowers;
};

struct fl_target {
	struct fl_workload workload;
	enum fl_reason reason;
};

/* What is asked for: amounts by column, each column once. */
struct fl_ask {
	struct fl_workload workload; /* the preemptor */
	struct fl_node queue;
	const struct fl_use *uses;
	const bool *needs; /* which of them need preemption */
	uint32_t n;
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
	struct fl_standing
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

/* Where the numbers below that mark things begin anew; one cycle needs far fewer than the rest. */
#define FL_MARKS_RENEWED (UINT32_MAX / 2)
#define FL_CHOSEN (UINT32_C(1) << 31) /* beyond them */

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
	const struct fl_sink *sink;
	bool protected; /* a Policy spared somebody since this was last unset */

	/*
	 * By workload: FL_CHOSEN | serial: a victim of this cycle (the set P); == search: refused
	 * by the first pass of this search (never one that is chosen).
	 */
	uint32_t *noted;
	uint32_t serial;
	uint32_t n_victims;   /* of P */
	uint32_t n_reserving; /* entries with `kept` */

	/* search of victims */
	struct fl_search_node *nodes;
	uint32_t *needed;   /* by column: == search */
	uint32_t n_columns; /* of the tree that has most */
	uint32_t search, pass;
	uint64_t looked;           /* children and candidates, so far: what searches cost */
	struct fl_target *targets; /* room for all that hold quota */
	uint32_t n_targets, cap_targets;
	uint32_t n_going; /* the first so many targets: who was going before this search (rung.h) */
	fl_amount *remaining;             /* by ask row */
	bool *advantage;                  /* by depth */
	struct fl_cursor *cursors;        /* room for as many as there are nodes, and one more */
	uint32_t *sorted, *sorted_queues; /* candidates of one search, when they are sorted anew */

	/*
	 * The last search of the assignment at hand: `targets` are for this alone, and there are
	 * so many; column FL_NONE: there was none.
	 */
	struct fl_use searched;
	uint32_t n_searched;

	/* the last nomination at a glance, and the room in it; uses NULL: none */
	struct fl_nomination glanced;
	uint32_t glanced_room, glanced_scan;

	struct fl_need *assigning; /* by request of one podset, and pods */

	/* order */
	uint32_t *order, at;
	uint32_t n_early; /* fair sharing: so many in `order` are served before the tournament */
	struct fl_contender *contenders; /* tournament.h, by node */
	uint32_t *paths, n_paths, *rounds;
	struct fl_drs_extra *arriving; /* by use of one entry */
};

/* Share of @n in a view, computed when stale. */
static inline const struct fl_drs *fl_view_drs(const struct fl_policy *p, struct fl_view *v,
					       struct fl_node n)
{
	if (v->usage.stale[n.v]) {
		v->drs[n.v] = fl_drs_of(&p->tree, &v->usage, n);
		v->usage.stale[n.v] = false;
	}
	return &v->drs[n.v];
}
/* Share of @n, the queue whose quota @holder holds or a cohort above it, without @holder. */
struct fl_drs fl_view_drs_without(const struct fl_policy *p, const struct fl_view *v,
				  struct fl_node n, struct fl_workload holder);
/* Without the least that anybody holds of queue @q's quota (least.h). */
struct fl_drs fl_view_drs_without_least(struct fl_policy *p, const struct fl_view *v,
					struct fl_node n, struct fl_node q);
void fl_view_take(const struct fl_policy *p, struct fl_view *v,
		  struct fl_workload holder); /* remove its usage */
void fl_view_give(const struct fl_policy *p, struct fl_view *v,
		  struct fl_workload holder); /* put it back */
void fl_view_add(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);
void fl_view_sub(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask);
/* Every amount <= available at its queue; with !borrow also none of them borrows. */
bool fl_view_fits(const struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		  bool borrow);

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

/* Would @e, without victims, keep anything from others? */
bool fl_cycle_reserves(const struct fl_policy *p, const struct fl_entry *e);

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

static inline void fl_emit(const struct fl_cycle *c, const struct fl_evidence *row)
{
	if (c->sink && !(c->sink->not_victims && row->victim.v != FL_NONE)) {
		struct fl_evidence numbered = *row;

		numbered.search = c->search;
		c->sink->row(c->sink->user, &numbered);
	}
}

#endif
