/* SPDX-License-Identifier: Apache-2.0 */
/* evidence - rows about a search for victims, with the numbers that preempt.c compares */
#include "decide/borrow/preempt/preempt.h"

void fl_preempt_tell_within(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_view *v, const struct fl_ask *ask, enum fl_check check,
			    uint32_t victim, struct fl_node n)
{
	uint32_t i = 0;

	while (i + 1 < ask->n && !ask->needs[i])
		i++;
	size_t at = fl_tree_cell(&p->tree, n, ask->uses[i].column);
	fl_tell_of(p, t, ask, ask->uses[i].column,
		   (struct fl_evidence){
			   .check = check,
			   .node = n,
			   .victim = { victim },
			   .lhs = { .amount = p->tree.subtree[at] },
			   .rhs = { .amount = v->usage.cell[at] },
		   });
}

/* How much of a column the asking queue could get, with borrowing or without. */
static fl_amount available(const struct fl_policy *p, const struct fl_view *v,
			   const struct fl_ask *ask, struct fl_column column, bool borrow)
{
	fl_amount all = fl_quota_available(&p->tree, &v->usage, ask->queue, column);
	fl_amount own = fl_quota_balance(&p->tree, &v->usage, ask->queue, column);

	return fl_amount_max(0, borrow ? all : fl_amount_min(all, own));
}

/* The column in which the most is missing, or if nothing is, the least room is left over. */
static uint32_t tightest(const struct fl_policy *p, const struct fl_view *v,
			 const struct fl_ask *ask, bool borrow, fl_amount *ret_room)
{
	fl_amount least = INT64_MAX;
	uint32_t tight = 0;

	*ret_room = 0;
	for (uint32_t i = 0; i < ask->n; i++) {
		fl_amount room = available(p, v, ask, ask->uses[i].column, borrow);

		if (fl_sat_sub(room, ask->uses[i].amount) >= least)
			continue;
		least = fl_sat_sub(room, ask->uses[i].amount);
		*ret_room = room;
		tight = i;
	}
	return tight;
}

void fl_preempt_tell_taken(const struct fl_policy *p, const struct fl_teller *t,
			   const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			   bool borrow, bool fits)
{
	fl_amount room;

	const struct fl_use *use = &ask->uses[tightest(p, v, ask, borrow, &room)];
	fl_tell_of(p, t, ask, use->column,
		   (struct fl_evidence){
			   .check = FL_CHECK_FITS_WITHOUT,
			   .node = ask->queue,
			   .victim = { victim },
			   .lhs = { .amount = use->amount },
			   .rhs = { .amount = room },
			   .holds = fits,
		   });
}

void fl_preempt_tell_needed(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_view *v, const struct fl_ask *ask, uint32_t victim,
			    bool borrow, bool needed)
{
	fl_amount room;

	const struct fl_use *use = &ask->uses[tightest(p, v, ask, borrow, &room)];
	fl_tell_of(p, t, ask, use->column,
		   (struct fl_evidence){
			   .check = FL_CHECK_VICTIM_NEEDED,
			   .node = p->jobs[victim].held_by,
			   .victim = { victim },
			   .lhs = { .amount = room },
			   .rhs = { .amount = use->amount },
			   .holds = needed,
		   });
}

void fl_preempt_tell_policy(const struct fl_policy *p, const struct fl_teller *t,
			    const struct fl_ask *ask, uint32_t victim,
			    enum fl_preempt_policy policy, bool holds)
{
	const struct fl_job *v = &p->jobs[victim], *w = &p->jobs[ask->workload.v];
	struct fl_evidence row = {
		.check = FL_CHECK_VICTIM_PRIORITY,
		.node = v->held_by,
		.victim = { victim },
		.lhs = { .amount = v->priority },
		.rhs = { .amount = w->priority },
		.holds = holds,
	};

	if (policy == FL_PREEMPT_NEVER)
		return; /* one row says it of all of them */
	if (policy == FL_PREEMPT_LOWER_OR_NEWER_EQUAL && v->priority == w->priority) {
		row.check = FL_CHECK_VICTIM_AGE;
		row.lhs = (struct fl_number){ .kind = FL_NUMBER_TIME,
					      .amount = fl_queue_time(p, ask->workload) };
		row.rhs = (struct fl_number){ .kind = FL_NUMBER_TIME,
					      .amount = fl_queue_time(
						      p, (struct fl_workload){ victim }) };
	}
	fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE }, row);
}

void fl_preempt_tell_uses(const struct fl_policy *p, const struct fl_teller *t,
			  const struct fl_ask *ask, uint32_t victim)
{
	fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE },
		   (struct fl_evidence){
			   .check = FL_CHECK_VICTIM_USES,
			   .node = p->jobs[victim].held_by,
			   .victim = { victim },
		   });
}

/* The request, and which groups of candidates the queue's policies exclude as a whole. */
void fl_preempt_tell_start(const struct fl_policy *p, const struct fl_teller *t,
			   const struct fl_view *v, const struct fl_ask *ask)
{
	const struct fl_node_row *row = &p->model->nodes[ask->queue.v];
	struct fl_evidence never = { .check = FL_CHECK_VICTIM_POLICY, .victim = { FL_NONE } };

	for (uint32_t i = 0; i < ask->n; i++) {
		struct fl_column column = ask->uses[i].column;
		size_t at = fl_tree_cell(&p->tree, ask->queue, column);
		fl_amount usage = fl_sat_add(v->usage.cell[at], ask->uses[i].amount);

		if (ask->needs[i])
			fl_tell_of(p, t, ask, column,
				   (struct fl_evidence){
					   .check = FL_CHECK_WITHIN_NOMINAL,
					   .node = ask->queue,
					   .victim = { FL_NONE },
					   .lhs = { .amount = usage },
					   .rhs = { .amount = p->tree.subtree[at] },
					   .holds = usage <= p->tree.subtree[at],
				   });
	}
	never.node = ask->queue;
	if (row->within_queue == FL_PREEMPT_NEVER)
		fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE }, never);
	never.node.v = p->tree.root[ask->queue.v];
	if (row->reclaim == FL_PREEMPT_NEVER && fl_tree_has_parent(&p->tree, ask->queue))
		fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE }, never);
}
