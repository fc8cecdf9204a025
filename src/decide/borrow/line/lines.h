/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - the workloads that are pending in a ClusterQueue: its head, and which are parked
 *
 * The rules: doc/semantics/borrow.md, B3 and B9.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_LINE_LINES_H
#define FL_DECIDE_BORROW_LINE_LINES_H

#include "decide/borrow/state/state.h"

/* Compares by queue, then in queue order: priority descending, queue-order time ascending, uid. */
int fl_line_cmp(const void *policy, uint32_t a, uint32_t b);
/* The priority of @w changed: @w is put into its new place, and is tried again if it was parked. */
void fl_line_move(struct fl_policy *p, struct fl_workload w);
/* Room in the undo log for fl_line_move. */
size_t fl_line_move_undo(const struct fl_policy *p, struct fl_workload w);

/*
 * The state and the reason of @w that answers give: of a pending workload they depend on whether
 * its shape is marked.
 */
enum fl_workload_state fl_line_state(const struct fl_policy *p, struct fl_workload w);
enum fl_reason fl_line_reason(const struct fl_policy *p, struct fl_workload w);
/*
 * Walks over the workloads that are pending in @q and not parked, in no order: begin with a zeroed
 * walk; FL_NONE ends it.
 */
struct fl_line_walk {
	uint32_t shaped, loose;
};
struct fl_workload fl_line_next(const struct fl_policy *p, struct fl_node q,
				struct fl_line_walk *walk);
/*
 * Room in the undo log for one workload that joins or leaves the line, or is parked, or goes from
 * one to the other.
 */
enum {
	/*
	 * the set that it is in, whether its queue has a head, and the tree of heads of at most
	 * 2^24 shapes
	 */
	FL_LINE_SETS = 2 * FL_BITSET_UNDO + 25 * FL_UNDO_OF(uint32_t),
	/* the same, and its state, `joined` and `loose` */
	FL_LINE_JOINS = FL_LINE_SETS + 2 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
	/*
	 * It leaves and joins, its tree is stirred, its queue asleep and its shape marked; and:
	 * since when it is pending, its reason, its promise, the sticky workload of its queue, and
	 * the marks and the reason of its shape.
	 */
	FL_LINE_UNDO = FL_LINE_SETS + FL_LINE_JOINS + 3 * FL_BITSET_UNDO + FL_UNDO_OF(fl_time) +
		       4 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
};

/* The head of @q; FL_NONE: no workload is pending that is not parked. */
struct fl_workload fl_line_head(const struct fl_policy *p, struct fl_node q);
/* @w is newly pending: parked at once if its shape is known not to fit. */
void fl_line_push(struct fl_policy *p, struct fl_workload w);
/* A head that was looked at keeps its place. */
void fl_line_return(struct fl_policy *p, struct fl_workload w);
/* Parks @w until quota in its tree is freed; with @shape all workloads of its shape. */
void fl_line_park(struct fl_policy *p, struct fl_workload w, bool shape);
/* Room in the undo log for fl_line_park. */
size_t fl_line_park_undo(const struct fl_policy *p, struct fl_workload w);
/*
 * While a policy is loaded: first marks each marked shape of @q, before any workload is in line;
 * then enters each workload that is pending or parked, by its state and `loose`.
 */
void fl_line_enter_mark(struct fl_policy *p, struct fl_node q, uint32_t shape);
void fl_line_enter(struct fl_policy *p, struct fl_workload w);
/*
 * Empties all lines and removes all marks of shapes, as before the first workload is entered; only
 * outside marks of the policy.
 */
void fl_line_clear_all(struct fl_policy *p);
/* @w takes no part from now on. */
void fl_line_remove(struct fl_policy *p, struct fl_workload w);
/* Something changed in the tree around @q: the next cycle looks at it.  Needs FL_BITSET_UNDO. */
void fl_line_stir(struct fl_policy *p, struct fl_node q);
/* Returns all parked workloads of the tree around @q to the order, and stirs the tree. */
void fl_line_flush(struct fl_policy *p, struct fl_node q);
/* Room in the undo log for a flush; 0 while no mark is open. */
size_t fl_line_flush_undo(const struct fl_policy *p, struct fl_node q);

/* Do the scan positions stored for @j still count in the next cycle that looks at its tree? */
bool fl_line_scan_counts(const struct fl_policy *p, const struct fl_job *j);

#endif
