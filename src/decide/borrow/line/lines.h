/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines - who waits in a ClusterQueue, who is its head, who is parked
 *
 * The rules: doc/semantics/borrow.md, B3 and B9.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_LINE_LINES_H
#define FL_DECIDE_BORROW_LINE_LINES_H

#include "decide/borrow/state/state.h"

/* Queue order, queue by queue: priority descending, queue-order time ascending, uid. */
int fl_line_cmp(const void *policy, uint32_t a, uint32_t b);
/* @w's priority changed: it takes its new place, and is looked at again when it was parked. */
void fl_line_move(struct fl_policy *p, struct fl_workload w);
/* Room to undo a move. */
size_t fl_line_move_undo(const struct fl_policy *p, struct fl_workload w);

/* What is said of @w: of one that waits or is parked, as its shape is marked or not. */
enum fl_workload_state fl_line_state(const struct fl_policy *p, struct fl_workload w);
enum fl_reason fl_line_reason(const struct fl_policy *p, struct fl_workload w);
/* Each that waits in @q and is not parked, in no order: begin with a zeroed walk; FL_NONE: all. */
struct fl_line_walk {
	uint32_t shaped, loose;
};
struct fl_workload fl_line_next(const struct fl_policy *p, struct fl_node q,
				struct fl_line_walk *walk);
/* Room to undo that one workload joins or leaves the line, or is parked, or moves from one to the other. */
enum {
	/* the set it is in, whether its queue has a head, and the tree of heads of 2^24 shapes at most */
	FL_LINE_SETS = 2 * FL_BITSET_UNDO + 25 * FL_UNDO_OF(uint32_t),
	/* the same, and its state, `joined` and `loose` */
	FL_LINE_JOINS = FL_LINE_SETS + 2 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
	/*
	 * It leaves and joins, its tree is stirred, its queue asleep and its shape marked; and since
	 * when it waits, its reason, whether it is promised something, its queue's sticky one, and
	 * its shape's marks and reason.
	 */
	FL_LINE_UNDO = FL_LINE_SETS + FL_LINE_JOINS + 3 * FL_BITSET_UNDO + FL_UNDO_OF(fl_time) +
		       4 * FL_UNDO_OF(uint32_t) + FL_UNDO_OF(bool),
};

/* The head of @q; FL_NONE when nobody waits. */
struct fl_workload fl_line_head(const struct fl_policy *p, struct fl_node q);
/* Newly queued: parked at once when its shape is known not to fit. */
void fl_line_push(struct fl_policy *p, struct fl_workload w);
/* A head that was looked at stays where it is. */
void fl_line_return(struct fl_policy *p, struct fl_workload w);
/* It waits until something frees; with @shape all of its shape do. */
void fl_line_park(struct fl_policy *p, struct fl_workload w, bool shape);
/* Room to undo that. */
size_t fl_line_park_undo(const struct fl_policy *p, struct fl_workload w);
/*
 * Of a policy that is loaded: a shape of @q is marked, before anybody is in line; then each that
 * waits or is parked takes the place that its state and `loose` say.
 */
void fl_line_enter_mark(struct fl_policy *p, struct fl_node q, uint32_t shape);
void fl_line_enter(struct fl_policy *p, struct fl_workload w);
/* Nobody waits anywhere, and no shape is marked: as before anybody was entered; outside marks. */
void fl_line_clear_all(struct fl_policy *p);
/* Takes part no more. */
void fl_line_remove(struct fl_policy *p, struct fl_workload w);
/* Something happened in the tree around @q: the next cycle looks at it. FL_BITSET_UNDO. */
void fl_line_stir(struct fl_policy *p, struct fl_node q);
/* Wake all parked workloads of the tree around @q, and stir it. */
void fl_line_flush(struct fl_policy *p, struct fl_node q);
/* Room to undo a flush; 0 while no mark is open. */
size_t fl_line_flush_undo(const struct fl_policy *p, struct fl_node q);

/* Do the stored scan positions of @j still count in the next cycle that looks at its tree? */
bool fl_line_scan_counts(const struct fl_policy *p, const struct fl_job *j);

#endif
