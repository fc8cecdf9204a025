/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/backlog/holders.h"

#include <string.h>

#include "base/sort.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/state/least.h"

int fl_holders_cmp_candidates(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) == (y->state == FL_STATE_EVICTING) &&
	    x->held_by.v == y->held_by.v && fl_afs_orders(p, x->held_by)) {
		double used = fl_afs_usage(p, (struct fl_workload){ a });
		double other = fl_afs_usage(p, (struct fl_workload){ b });

		if (used != other)
			return used > other ? -1 : 1;
	}
	return fl_holders_cmp_ages(p, a, b);
}

int fl_holders_cmp_ages(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if ((x->state == FL_STATE_EVICTING) != (y->state == FL_STATE_EVICTING))
		return x->state == FL_STATE_EVICTING ? -1 : 1;
	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	if (x->reserved_at != y->reserved_at)
		return x->reserved_at > y->reserved_at ? -1 : 1;
	return fl_cmp_uids(p, a, b);
}

/* The candidates of @q, or their order, changed; @listed: their list is up to date already. */
static void change(struct fl_policy *p, struct fl_node q, bool listed)
{
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t root = p->tree.root_index[q.v];
	bool bounded = fl_least_is_known(p, q);

	p->epochs++;
	FL_SET(p, backlog->epoch, p->epochs);
	if (listed)
		backlog->sorted_epoch = backlog->epoch;
	if (bounded)
		fl_least_keep(p, q);
	if (root == FL_NONE)
		return;
	FL_SET(p, p->tree_epoch[root], p->epochs);
	fl_usage_touch(&p->usage, q.v); /* the first of its candidates may be another one now */
}

/* Is the list of @q's candidates up to date, and not ordered by usage? */
static bool is_listed(const struct fl_policy *p, struct fl_node q)
{
	return p->backlogs[q.v].sorted_epoch == p->backlogs[q.v].epoch && !fl_afs_orders(p, q);
}

/* The number of @q's candidates that come before @w. */
static uint32_t rank_of(const struct fl_policy *p, struct fl_node q, struct fl_workload w)
{
	const uint32_t *list = p->candidates + p->backlogs[q.v].holders.first;
	uint32_t low = 0, high = p->backlogs[q.v].n_sorted;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (fl_holders_cmp_ages(p, list[middle], w.v) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void fl_holders_unlist(struct fl_policy *p, struct fl_workload w)
{
	struct fl_node q = p->jobs[w.v].held_by;
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t *list = p->candidates + backlog->holders.first, at;
	bool listed = is_listed(p, q);

	if (listed) {
		at = rank_of(p, q, w);
		backlog->n_sorted--;
		memmove(list + at, list + at + 1, (backlog->n_sorted - at) * sizeof *list);
	}
	change(p, q, listed);
}

void fl_holders_list(struct fl_policy *p, struct fl_workload w)
{
	struct fl_node q = p->jobs[w.v].held_by;
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t *list = p->candidates + backlog->holders.first, at;
	bool listed = is_listed(p, q);

	if (listed) {
		at = rank_of(p, q, w);
		memmove(list + at + 1, list + at, (backlog->n_sorted - at) * sizeof *list);
		list[at] = w.v;
		backlog->n_sorted++;
	}
	change(p, q, listed);
	if (fl_least_is_known(p, q))
		fl_least_lower(p, q, w);
}

int fl_holders_reserve(struct fl_policy *p, uint32_t n, fairlead_error *err)
{
	return fl_mem_grow(p->mem, &p->sort_scratch, &p->cap_sort, n, sizeof *p->sort_scratch, err);
}

int fl_holders_room(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_holdings *h = &p->holdings;
	int r = fl_holdings_reserve(h, fl_holdings_end(h, h->used, fl_room(p, j)), err);

	if (r < 0 || (r = fl_holders_reserve(p, h->n + 1, err)) < 0)
		return r;
	j->held = fl_holdings_take(h, fl_room(p, j), /* undo= */ NULL);
	return 0;
}

void fl_holders_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t at = backlog->n_holders;

	FL_SET(p, j->held_by, q);
	FL_SET(p, p->holders[backlog->holders.first + at], w.v);
	FL_SET(p, p->holder_at[w.v], at);
	FL_SET(p, backlog->n_holders, at + 1);
	fl_holders_list(p, w);
	if (p->afs)
		fl_afs_hold(p, w, +1);
	if (p->tree.root_index[q.v] == FL_NONE)
		return; /* below a cohort cycle: it keeps its quota, which counts nowhere */
	for (uint32_t i = 0; i < j->n_use; i++)
		fl_usage_add(&p->usage, &p->tree, q, fl_uses(p, j)[i].column,
			     fl_uses(p, j)[i].amount);
}

void fl_holders_release(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = j->held_by;
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t last = p->holders[backlog->holders.first + backlog->n_holders - 1];

	if (p->tree.root_index[q.v] != FL_NONE)
		for (uint32_t i = j->n_use; i-- > 0;)
			fl_usage_remove(&p->usage, &p->tree, q, fl_uses(p, j)[i].column,
					fl_uses(p, j)[i].amount);
	if (p->afs)
		fl_afs_hold(p, w, -1);
	fl_holders_unlist(p, w);
	FL_SET(p, p->holders[backlog->holders.first + p->holder_at[w.v]], last);
	FL_SET(p, p->holder_at[last], p->holder_at[w.v]);
	FL_SET(p, backlog->n_holders, backlog->n_holders - 1);
	FL_SET(p, backlog->generation, backlog->generation + 1);
	FL_SET(p, j->held_by, (struct fl_node){ FL_NONE });
	fl_holdings_give(&p->holdings, j->held, fl_room(p, j), &p->undo);
	FL_SET(p, j->held, FL_NONE);
	FL_SET(p, j->n_use, 0);
	FL_SET(p, j->n_placement, 0);
	FL_SET(p, j->reserved_at, FL_TIME_NONE);
}

size_t fl_holders_undo(const struct fl_policy *p, struct fl_node q, uint32_t uses,
		       uint32_t placements)
{
	const struct fl_job *j;
	const struct fl_backlog *backlog;

	return FL_UNDO_OF(j->held_by) + FL_UNDO_OF(j->held) + FL_UNDO_OF(j->n_use) +
	       FL_UNDO_OF(j->n_placement) + FL_UNDO_OF(j->reserved_at) +
	       FL_UNDO_OF(backlog->n_holders) + FL_UNDO_OF(backlog->generation) +
	       FL_UNDO_OF(p->holders[0]) + FL_UNDO_OF(p->holder_at[0]) + FL_HOLDERS_LIST_UNDO +
	       FL_HOLDINGS_UNDO + uses * fl_usage_undo(&p->tree, q) + fl_afs_undo(p, placements);
}

const uint32_t *fl_holders_candidates(struct fl_policy *p, struct fl_node q, uint32_t *ret_n)
{
	struct fl_backlog *backlog = &p->backlogs[q.v];
	uint32_t *list = p->candidates + backlog->holders.first;

	*ret_n = backlog->n_holders;
	if (backlog->sorted_epoch != backlog->epoch ||
	    (fl_afs_orders(p, q) && backlog->sorted_usage != fl_afs_stamp(p))) {
		for (uint32_t i = 0; i < backlog->n_holders; i++)
			list[i] = p->holders[backlog->holders.first + i];
		fl_sort(list, backlog->n_holders, p->sort_scratch, fl_holders_cmp_candidates, p);
		backlog->n_sorted = backlog->n_holders;
		backlog->sorted_epoch = backlog->epoch;
		backlog->sorted_usage = p->afs ? fl_afs_stamp(p) : 0;
	}
	return list;
}

const uint32_t *fl_holders_tree_candidates(struct fl_policy *p, uint32_t root_index,
					   const uint32_t **ret_queues, uint32_t *ret_n)
{
	struct fl_span queues = p->tree.queues[root_index];
	uint32_t *list = p->tree_candidates + p->tree_first[root_index];
	uint32_t *holders = p->tree_holders + p->tree_first[root_index];
	uint32_t n = 0;

	*ret_queues = holders;
	*ret_n = p->tree_n[root_index];
	if (p->tree_sorted_epoch[root_index] == p->tree_epoch[root_index])
		return list;
	for (uint32_t i = 0; i < queues.n; i++) {
		const struct fl_backlog *backlog =
			&p->backlogs[p->tree.queue_ids[queues.first + i]];

		for (uint32_t k = 0; k < backlog->n_holders; k++)
			list[n++] = p->holders[backlog->holders.first + k];
	}
	fl_sort(list, n, p->sort_scratch, fl_holders_cmp_ages, p);
	for (uint32_t i = 0; i < n; i++)
		holders[i] = p->jobs[list[i]].held_by.v;
	p->tree_sorted_epoch[root_index] = p->tree_epoch[root_index];
	*ret_n = p->tree_n[root_index] = n;
	return list;
}
