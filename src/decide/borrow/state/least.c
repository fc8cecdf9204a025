/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/state/least.h"

#include "base/check.h"

int fl_least_new(struct fl_policy *p, fairlead_error *err)
{
	p->least = fl_arena_alloc(&p->arena, p->tree.cells, sizeof *p->least, err);
	p->least_epoch = fl_arena_alloc(&p->arena, p->tree.n_nodes, sizeof *p->least_epoch, err);
	p->least_age = fl_arena_alloc(&p->arena, p->tree.n_nodes, sizeof *p->least_age, err);
	return p->least && p->least_epoch && p->least_age ? 0 : FAIRLEAD_ENOMEM;
}

static fl_amount held(const struct fl_policy *p, struct fl_workload w, uint32_t column)
{
	const struct fl_job *j = &p->jobs[w.v];
	const struct fl_use *uses = fl_uses(p, j);

	for (uint32_t i = 0; i < j->n_use; i++)
		if (uses[i].column.v == column)
			return uses[i].amount;
	return 0;
}

void fl_least_lower(struct fl_policy *p, struct fl_node q, struct fl_workload w)
{
	fl_amount *least = p->least + p->tree.row[q.v];

	for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, q)->n_columns; c++)
		if (least[c] > 0)
			least[c] = fl_amount_min(least[c], held(p, w, c));
}

static void find(struct fl_policy *p, struct fl_node q)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];
	fl_amount *least = p->least + p->tree.row[q.v];

	for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, q)->n_columns; c++)
		least[c] = INT64_MAX;
	for (uint32_t i = 0; i < backlog->n_holders; i++)
		fl_least_lower(p, q,
			       (struct fl_workload){ p->holders[backlog->holders.first + i] });
	p->least_epoch[q.v] = backlog->epoch;
	p->least_age[q.v] = 0;
}

#ifdef FL_CHECKED
static void check(const struct fl_policy *p, struct fl_node q)
{
	const struct fl_backlog *backlog = &p->backlogs[q.v];

	for (uint32_t i = 0; i < backlog->n_holders; i++)
		for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, q)->n_columns; c++)
			FL_CHECK(
				p->least[p->tree.row[q.v] + c] <=
				held(p,
				     (struct fl_workload){ p->holders[backlog->holders.first + i] },
				     c));
}
#endif

void fl_least_keep(struct fl_policy *p, struct fl_node q)
{
	p->least_epoch[q.v] = p->least_age[q.v]++ > p->backlogs[q.v].n_holders ?
				      0 :
				      p->backlogs[q.v].epoch;
}

const fl_amount *fl_least(struct fl_policy *p, struct fl_node q)
{
	if (!fl_least_is_known(p, q))
		find(p, q);
#ifdef FL_CHECKED
	check(p, q);
#endif
	return p->least + p->tree.row[q.v];
}
