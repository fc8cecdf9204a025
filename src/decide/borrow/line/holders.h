/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders - who holds quota, and in which order they are candidates to lose it
 *
 * The candidates of a queue stay sorted from call to call, and where usage orders none of them they
 * are kept so when one comes or goes.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_LINE_HOLDERS_H
#define FL_DECIDE_BORROW_LINE_HOLDERS_H

#include "decide/borrow/state/state.h"

/*
 * Candidate order within one side: evicting first, (within a usage-based queue:
 * larger usage of the local queue,) lower priority, later reservation, uid.
 */
int fl_holders_cmp_candidates(const void *policy, uint32_t a, uint32_t b);
/* The same without usage, which is an order of workloads of any queues. */
int fl_holders_cmp_ages(const void *policy, uint32_t a, uint32_t b);

/* Room to sort @n workloads that hold quota; a search needs as much (fl_preempt_reserve). */
int fl_holders_reserve(struct fl_policy *p, uint32_t n, fairlead_error *err);
/* The same for one more, @w, and rows for what it, which holds nothing, is to hold; outside marks. */
int fl_holders_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err);
/* @w holds its placements' quota at @q from now on (usage, holders, epoch). */
void fl_holders_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q);
void fl_holders_release(struct fl_policy *p, struct fl_workload w);
/* Room to undo either of these, with so many uses and placements at @q. */
size_t fl_holders_undo(const struct fl_policy *p, struct fl_node q, uint32_t uses,
		       uint32_t placements);
/*
 * Holders of queue @q in candidate order, and those of a whole tree, where
 * usage of local queues counts nothing yet (fl_afs_sort).
 */
const uint32_t *fl_holders_candidates(struct fl_policy *p, struct fl_node q, uint32_t *ret_n);
/* *ret_queues: beside each, the queue whose quota it holds. */
const uint32_t *fl_holders_tree_candidates(struct fl_policy *p, uint32_t root_index,
					   const uint32_t **ret_queues, uint32_t *ret_n);

/*
 * Around a change of what puts holder @w in its place among the candidates of its queue: it is
 * taken out of their order before, and put in after.
 */
void fl_holders_unlist(struct fl_policy *p, struct fl_workload w);
/* Room to undo one of them: epochs of its queue and tree. */
enum { FL_HOLDERS_LIST_UNDO = 2 * FL_UNDO_OF(uint64_t) };
void fl_holders_list(struct fl_policy *p, struct fl_workload w);

#endif
