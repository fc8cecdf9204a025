/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change - one quota, limit or weight becomes another, without a new seal
 *
 * Costs one tree's rows.  Undo keeps the old cell and the old usage of the tree;
 * what is derived from quotas is derived again after a rollback (stale_trees).
 */
#include "decide/borrow/setup.h"

/* Usage of every node of a tree again, from what its workloads hold. */
static void recount(struct fl_policy *p, uint32_t root_index)
{
	const struct fl_tree *t = &p->tree;
	struct fl_span queues = t->queues[root_index];
	const struct fl_tree_root *root = &t->roots[root_index];
	struct fl_undo *undo = p->usage.undo;

	p->usage.undo = NULL; /* noted as a whole by the caller */
	for (uint32_t i = 0; i < root->order.n; i++)
		for (uint32_t c = 0; c < root->n_columns; c++)
			p->usage.cell[t->row[t->order[root->order.first + i]] + c] = 0;
	fl_usage_derive(&p->usage, t, root_index);
	for (uint32_t i = 0; i < queues.n; i++) {
		const struct fl_line *line = &p->lines[t->queue_ids[queues.first + i]];

		for (uint32_t k = 0; k < line->n_holders; k++) {
			const struct fl_job *j = &p->jobs[p->holders[line->holders.first + k]];

			for (uint32_t u = 0; u < j->n_use; u++)
				fl_usage_add(&p->usage, t, j->held_by,
					     p->uses[j->use_first + u].column,
					     p->uses[j->use_first + u].amount);
		}
	}
	p->usage.undo = undo;
}

static int reserve(struct fl_policy *p, uint32_t root_index, fairlead_error *err)
{
	struct fl_span queues = p->tree.queues[root_index];
	size_t notes = 16;

	for (uint32_t i = 0; i < queues.n; i++) {
		const struct fl_line *line = &p->lines[p->tree.queue_ids[queues.first + i]];

		notes += line->shapes.n + (size_t)line->members.n * (2 * FL_BITSET_NOTES + 2);
	}
	return fl_undo_reserve(&p->undo, notes, notes * 8, err);
}

int fl_change_quota(struct fl_policy *p, fl_amount *cell, const struct fl_cell *change,
		    fairlead_error *err)
{
	uint32_t root_index = p->tree.root_index[change->node.v];
	int r = reserve(p, root_index, err);

	if (r < 0)
		return r;
	FL_SET(p, *cell, change->amount);
	FL_SET(p, p->changes, p->changes + 1);
	fl_tree_derive(&p->tree, root_index);
	recount(p, root_index);
	fl_line_flush(p, change->node);
	return 0;
}

int fl_change_weight(struct fl_policy *p, const struct fl_cell *change, fairlead_error *err)
{
	int r = reserve(p, p->tree.root_index[change->node.v], err);

	if (r < 0)
		return r;
	FL_SET(p, p->tree.weight[change->node.v], change->weight);
	fl_line_flush(p, change->node);
	return 0;
}

void fl_change_undone(struct fl_policy *p)
{
	for (uint32_t i = 0; i < p->tree.n_roots; i++) {
		fl_tree_derive(&p->tree, i);
		recount(p, i);
	}
}
