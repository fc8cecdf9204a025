/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backlog - the workloads that are pending in a ClusterQueue: its head, and which are parked
 *
 * The rules: doc/semantics/borrow.md, B3 and B9.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_BACKLOG_BACKLOG_H
#define FL_DECIDE_BORROW_BACKLOG_BACKLOG_H

#include "decide/borrow/state/state.h"

/* Compares by queue, then in queue order: priority descending, queue-order time ascending, uid. */
int fl_backlog_cmp(const void *policy, uint32_t a, uint32_t b);
/* The priority of @w changed: @w is put into its new place, and is tried again if it was parked. */
void fl_backlog_move(struct fl_policy *p, struct fl_workload w);
/* Members of @q moved, or left: updates its tree of heads.  FL_BACKLOG_SETS for each class. */
void fl_backlog_note_eq_classes(struct fl_policy *p, struct fl_node q);
/* Room in the undo log for fl_backlog_move. */
size_t fl_backlog_move_undo(const struct fl_policy *p, struct fl_workload w);

/*
 * The state and the reason of @w that answers give: of a pending workload they depend on whether
 * its class is marked.
 */
enum fl_workload_state fl_backlog_state(const struct fl_policy *p, struct fl_workload w);
enum fl_reason fl_backlog_reason(const struct fl_policy *p, struct fl_workload w);
/*
 * Walks over the workloads that are pending in @q and not parked, in no order: begin with a zeroed
 * walk; FL_NONE ends it.
 */
struct fl_backlog_walk {
	uint32_t with_class, loose;
};
struct fl_workload fl_backlog_next(const struct fl_policy *p, struct fl_node q,
				   struct fl_backlog_walk *walk);
/*
 * Room in the undo log for one workload that joins or leaves the backlog, or is parked, or goes
 * from one to the other.
 */
enum {
	/*
	 * the set that it is in, whether its queue has a head, and the tree of heads of at most
	 * 2^24 classes
	 */
	FL_BACKLOG_SETS = 2 * FL_BITSET_UNDO + 25 * FL_UNDO_OF(uint32_t),
	/* the same, and its state, `joined` and `loose` */
	FL_BACKLOG_JOINS = FL_BACKLOG_SETS + 2 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
	/*
	 * It leaves and joins, its tree is dirty, its queue asleep and its class marked; and:
	 * since when it is pending, its reason, its promise, the sticky workload of its queue, and
	 * the marks and the reason of its class.
	 */
	FL_BACKLOG_UNDO = FL_BACKLOG_SETS + FL_BACKLOG_JOINS + 3 * FL_BITSET_UNDO +
			  FL_UNDO_OF(fl_time) + 4 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
};

/* The head of @q; FL_NONE: no workload is pending that is not parked. */
struct fl_workload fl_backlog_head(const struct fl_policy *p, struct fl_node q);
/* @w is newly pending: parked at once if its class is known not to fit. */
void fl_backlog_push(struct fl_policy *p, struct fl_workload w);
/* A head that was looked at keeps its place. */
void fl_backlog_return(struct fl_policy *p, struct fl_workload w);
/* Parks @w until quota in its tree is freed; with @class all workloads of its class. */
void fl_backlog_park(struct fl_policy *p, struct fl_workload w, bool eq_class);
/* Room in the undo log for fl_backlog_park. */
size_t fl_backlog_park_undo(const struct fl_policy *p, struct fl_workload w);
/*
 * While a policy is loaded: first marks each marked class of @q, before any workload is in backlog;
 * then enters each workload that is pending or parked, by its state and `loose`.
 */
void fl_backlog_enter_mark(struct fl_policy *p, struct fl_node q, uint32_t eq_class);
void fl_backlog_enter(struct fl_policy *p, struct fl_workload w);
/*
 * Empties all backlogs and removes all marks of classes, as before the first workload is entered;
 * only outside marks of the policy.
 */
void fl_backlog_clear_all(struct fl_policy *p);
/* @w takes no part from now on. */
void fl_backlog_remove(struct fl_policy *p, struct fl_workload w);
/* Something changed in the tree around @q: the next cycle looks at it.  Needs FL_BITSET_UNDO. */
void fl_backlog_mark_dirty(struct fl_policy *p, struct fl_node q);
/* Returns all parked workloads of the tree around @q to the order, and marks as dirty the tree. */
void fl_backlog_flush(struct fl_policy *p, struct fl_node q);
/* Quota of the tree around @q was freed: flushes it, now or later (fl_policy_options.flush_after). */
void fl_backlog_freed(struct fl_policy *p, struct fl_node q);
/* The flushes that are due by @until.  *ret: when the next one is. */
int fl_backlog_flush_due(struct fl_policy *p, fl_time until, fl_time *ret, fairlead_error *err);
/* Room in the undo log for a flush, now or later; 0 while no mark is open. */
size_t fl_backlog_flush_undo(const struct fl_policy *p, struct fl_node q);

/* Do the scan positions stored for @j still count in the next cycle that looks at its tree? */
bool fl_backlog_scan_counts(const struct fl_policy *p, const struct fl_job *j);

#endif
