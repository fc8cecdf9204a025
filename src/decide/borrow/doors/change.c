/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - changes one quota, limit, weight or priority without sealing the model again
 *
 * Costs the rows of one tree; a priority those of its queue.  Only the cell itself goes into the
 * undo log; what is derived from it, including the usage of cohorts, is derived again after a
 * rollback that undid a change (fl_change_undone).
 */
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/guarantee/rung.h"

/*
 * Computes the usage of every node of a tree again, from what its workloads hold.  False: it
 * exceeds int64 somewhere.
 */
static bool recount(struct fl_policy *p, uint32_t root_index)
{
	const struct fl_tree *t = &p->tree;
	struct fl_span queues = t->queues[root_index];
	const struct fl_tree_root *root = &t->roots[root_index];
	struct fl_undo *undo = p->usage.undo;

	bool exact = true;

	p->usage.undo = NULL; /* derived again after a rollback */
	for (uint32_t i = 0; i < root->order.n; i++)
		for (uint32_t c = 0; c < root->n_columns; c++)
			p->usage.cell[t->row[t->order[root->order.first + i]] + c] = 0;
	fl_usage_derive(&p->usage, t, root_index);
	for (uint32_t i = 0; i < queues.n; i++) {
		const struct fl_backlog *backlog = &p->backlogs[t->queue_ids[queues.first + i]];

		for (uint32_t k = 0; k < backlog->n_holders; k++) {
			const struct fl_job *j = &p->jobs[p->holders[backlog->holders.first + k]];

			for (uint32_t u = 0; u < j->n_use; u++) {
				const struct fl_use *use = &fl_uses(p, j)[u];

				exact &= !fl_usage_overflows(&p->usage, t, j->held_by, use->column,
							     use->amount);
				fl_usage_add(&p->usage, t, j->held_by, use->column, use->amount);
			}
		}
	}
	p->usage.undo = undo;
	return exact;
}

static bool derive(struct fl_policy *p, uint32_t root_index)
{
	fl_tree_derive(&p->tree, root_index);
	return recount(p, root_index);
}

/*
 * Room in the undo log for the cell itself, what nodes on the path to the root know, the
 * generation of each queue, and the flush.
 */
static int reserve(struct fl_policy *p, struct fl_node n, fairlead_error *err)
{
	uint32_t root = p->tree.root_index[n.v];
	size_t room = FL_UNDO_OF(fl_amount) + FL_UNDO_OF(p->changes) +
		      (p->tree.depth[n.v] + (size_t)1) * FL_UNDO_OF(p->tree.known[0]) +
		      p->tree.queues[root].n * FL_UNDO_OF(p->backlogs[0].generation) +
		      fl_backlog_flush_undo(p, n);

	return fl_rung_reserve_renewal(p, root, room, err);
}

static fl_amount *cell_of(struct fl_policy *p, enum fl_cell_kind kind, size_t at)
{
	switch (kind) {
	case FL_CELL_NOMINAL:
		return &p->tree.nominal[at];
	case FL_CELL_BORROWING_LIMIT:
		return &p->tree.borrowing_limit[at];
	case FL_CELL_LENDING_LIMIT:
		return &p->tree.lending_limit[at];
	default: /* not of a quota */
		return NULL;
	}
}

/* A node with quota knows its column, and so do all cohorts above it.  False: they did already. */
static bool make_known(struct fl_policy *p, struct fl_node n, struct fl_column column)
{
	bool news = false;

	for (uint32_t at = n.v; at != FL_NONE; at = p->tree.parent[at]) {
		bool *known =
			&p->tree.known[fl_tree_cell(&p->tree, (struct fl_node){ at }, column)];

		if (*known)
			continue;
		FL_SET(p, *known, true);
		news = true;
	}
	return news;
}

/* Stored scan positions do not count any more, since quota changed. */
static void outdate_scans(struct fl_policy *p, uint32_t root_index)
{
	struct fl_span queues = p->tree.queues[root_index];

	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		struct fl_backlog *backlog = &p->backlogs[p->tree.queue_ids[i]];

		FL_SET(p, backlog->generation, backlog->generation + 1);
	}
}

int fl_change_quota(struct fl_policy *p, struct fl_column column, const struct fl_cell *change,
		    fairlead_error *err)
{
	uint32_t root_index = p->tree.root_index[change->node.v];
	fl_amount *cell = cell_of(p, change->kind, fl_tree_cell(&p->tree, change->node, column));
	fl_amount was = *cell;
	int r = reserve(p, change->node, err);

	if (r < 0)
		return r;
	*cell = change->amount;
	if (!derive(p, root_index)) {
		*cell = was;
		(void)derive(p, root_index);
		return fl_fail(err, FAIRLEAD_ELIMIT,
			       "what is admitted would be more than 2^63 units of a resource");
	}
	*cell = was;
	FL_SET(p, *cell, change->amount);
	FL_SET(p, p->changes, p->changes + 1);
	if (make_known(p, change->node, column))
		(void)derive(p, root_index);
	outdate_scans(p, root_index);
	fl_rung_renew(p, &p->scratch->s, root_index);
	fl_backlog_freed(p, change->node);
	return 0;
}

int fl_change_weight(struct fl_policy *p, const struct fl_cell *change, fairlead_error *err)
{
	int r = reserve(p, change->node, err);

	if (r < 0)
		return r;
	FL_SET(p, p->tree.weight[change->node.v], change->weight);
	p->usage.all_written = true; /* shares in views are by the old weight */
	fl_rung_renew(p, &p->scratch->s, p->tree.root_index[change->node.v]);
	fl_backlog_freed(p, change->node);
	return 0;
}

int fl_change_priority(struct fl_policy *p, struct fl_workload w, int32_t priority,
		       fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	uint32_t root = fl_holds_quota(j) ? p->tree.root_index[j->held_by.v] : FL_NONE;
	size_t room = FL_UNDO_OF(j->priority) + FL_UNDO_OF(j->scan_cycle) +
		      2 * FL_HOLDERS_LIST_UNDO + FL_BITSET_UNDO +
		      (j->queue.v == FL_NONE ? 0 : fl_backlog_move_undo(p, w));
	int r = fl_rung_reserve_renewal(p, root, room, err);

	if (r < 0)
		return r;
	if (fl_holds_quota(j))
		fl_holders_unlist(p, w);
	FL_SET(p, j->priority, priority);
	FL_SET(p, j->scan_cycle, 0);
	if (j->queue.v != FL_NONE)
		fl_backlog_move(p, w);
	if (fl_holds_quota(j)) {
		fl_holders_list(p, w);
		fl_backlog_mark_dirty(p, j->held_by);
		if (root != FL_NONE)
			fl_rung_renew(p, &p->scratch->s, root);
	}
	return 0;
}

void fl_change_undone(struct fl_policy *p)
{
	for (uint32_t i = 0; i < p->tree.n_roots; i++)
		(void)derive(p, i);
}
