/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders - the workloads that hold quota, and their order as candidates for preemption
 *
 * The candidates of a queue stay sorted between calls; if usage does not order them, a candidate
 * that is added or removed is put into or taken out of the sorted list.
 *
 * Private to decide/borrow.
 */
#ifndef FL_DECIDE_BORROW_BACKLOG_HOLDERS_H
#define FL_DECIDE_BORROW_BACKLOG_HOLDERS_H

#include "decide/borrow/state/state.h"

/*
 * The order of candidates within one side: evicting ones first, then (in a queue ordered by usage)
 * larger usage of the local queue, lower priority, later quota reservation, uid.
 */
int fl_holders_cmp_candidates(const void *policy, uint32_t a, uint32_t b);
/* The same without usage, so that it is a total order of workloads of different queues. */
int fl_holders_cmp_ages(const void *policy, uint32_t a, uint32_t b);

/* Room to sort @n workloads that hold quota; a search needs as much (fl_preempt_reserve). */
int fl_holders_reserve(struct fl_policy *p, uint32_t n, fairlead_error *err);
/*
 * Room to sort one workload more, @w, which holds nothing yet, and rows for all that it can hold;
 * only outside marks.
 */
int fl_holders_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err);
/* From now on @w holds the quota of its placements at @q; updates usage, holders and epochs. */
void fl_holders_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q);
void fl_holders_release(struct fl_policy *p, struct fl_workload w);
/* Room in the undo log for one call of either, with so many uses and placements at @q. */
size_t fl_holders_undo(const struct fl_policy *p, struct fl_node q, uint32_t uses,
		       uint32_t placements);
/*
 * The workloads that hold quota of queue @q, in candidate order; and those of a whole tree, in the
 * order without usage of local queues (fl_afs_sort puts it in).
 */
const uint32_t *fl_holders_candidates(struct fl_policy *p, struct fl_node q, uint32_t *ret_n);
/* *ret_queues: for each, the queue whose quota it holds. */
const uint32_t *fl_holders_tree_candidates(struct fl_policy *p, uint32_t root_index,
					   const uint32_t **ret_queues, uint32_t *ret_n);

/*
 * To be called before and after a change of what determines the place of @w, which holds quota,
 * among the candidates of its queue: unlist takes it out of their list, list puts it in again.
 */
void fl_holders_unlist(struct fl_policy *p, struct fl_workload w);
/* Room in the undo log for one of them: the epochs of its queue and of its tree. */
enum { FL_HOLDERS_LIST_UNDO = 2 * FL_UNDO_OF(uint64_t) };
void fl_holders_list(struct fl_policy *p, struct fl_workload w);

#endif
