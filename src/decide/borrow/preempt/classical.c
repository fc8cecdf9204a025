/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classical - preemption without fair sharing
 *
 * Victims come from three lists, each in candidate order: workloads that a subtree around the
 * asking queue may reclaim, because the asking workload fits into its quota (hierarchy); workloads
 * of other queues for which priority alone decides (priority); and workloads of the asking queue
 * itself.  In each list workloads that are being evicted already come first.
 *
 * Promises: no workload is preempted for another queue if its queue, or any cohort above that and
 * below the lowest common ancestor, is within its nominal quota; on return the view is as it was.
 *
 * Cost: at most two walks over the candidates (classical_walk.h).
 */
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"
#include "decide/borrow/preempt/classical_walk.h"
#include "decide/borrow/preempt/preempt.h"

/*
 * For each ancestor: does a subtree strictly below it have room for the workload in its own quota?
 * If so, the workload has the advantage there: it may reclaim through that ancestor.
 */
static void find_advantage(struct fl_classical *k)
{
	struct fl_preempt *c = k->s;
	const struct fl_tree *t = &k->p->tree;
	const struct fl_usage *u = &k->v->usage;
	struct fl_node n = k->ask->queue;
	bool advantage = true;

	for (uint32_t i = 0; i < k->ask->n; i++) {
		const struct fl_use *use = &k->ask->uses[i];

		advantage &= fl_rung_is_nothing(k->p, use->amount) ||
			     !fl_quota_borrows_with(t, u, n, use->column, use->amount);
		c->remaining[i] = fl_amount_max(
			0, fl_sat_sub(use->amount, fl_quota_local_available(t, u, n, use->column)));
	}
	k->any_advantage = false;
	k->all_advantage = true;
	while (fl_tree_has_parent(t, n)) {
		bool fits = true;

		n = fl_tree_parent(t, n);
		c->advantage[t->depth[n.v]] = advantage;
		k->any_advantage |= advantage;
		k->all_advantage &= advantage;
		for (uint32_t i = 0; i < k->ask->n; i++) {
			struct fl_column column = k->ask->uses[i].column;

			fits &= fl_rung_is_nothing(k->p, k->ask->uses[i].amount) ||
				!fl_quota_borrows_with(t, u, n, column, c->remaining[i]);
			c->remaining[i] = fl_amount_max(
				0, fl_sat_sub(c->remaining[i],
					      fl_quota_local_available(t, u, n, column)));
		}
		advantage |= fits;
	}
}

enum fl_variant fl_classical_variant(const struct fl_classical *k, enum fl_list list, uint32_t w)
{
	int32_t priority = k->p->jobs[w].priority;

	if (list == FL_LIST_SAME_QUEUE)
		return FL_WITHIN_QUEUE;
	if (list == FL_LIST_HIERARCHY)
		return FL_HIERARCHICAL_RECLAIM;
	if (k->borrow_within == FL_PREEMPT_NEVER ||
	    priority >= k->p->jobs[k->ask->workload.v].priority ||
	    (k->row->has_borrow_threshold && priority > k->row->borrow_threshold))
		return FL_RECLAIM_WITHOUT_BORROWING;
	return FL_RECLAIM_WHILE_BORROWING;
}

/* While borrowing, only workloads up to a bound of priority may be preempted in other queues. */
static void emit_while_borrowing(const struct fl_classical *k, uint32_t w)
{
	int64_t most;

	if (!fl_tell_of_victims(k->s->tell))
		return;
	most = (int64_t)k->p->jobs[k->ask->workload.v].priority - 1;

	if (k->row->has_borrow_threshold)
		most = fl_amount_min(most, k->row->borrow_threshold);
	if (k->borrow_within == FL_PREEMPT_NEVER)
		most = INT32_MIN; /* no workload */
	fl_tell_of(k->p, k->s->tell, k->ask, (struct fl_column){ FL_NONE },
		   (struct fl_evidence){
			   .check = FL_CHECK_WHILE_BORROWING,
			   .node = k->p->jobs[w].held_by,
			   .victim = { w },
			   .lhs = { .amount = k->p->jobs[w].priority },
			   .rhs = { .amount = most },
		   });
}

static enum fl_reason reason_of(enum fl_variant variant)
{
	switch (variant) {
	case FL_WITHIN_QUEUE:
		return FL_REASON_IN_CLUSTER_QUEUE;
	case FL_RECLAIM_WHILE_BORROWING:
		return FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING;
	case FL_HIERARCHICAL_RECLAIM:
	case FL_RECLAIM_WITHOUT_BORROWING:
		break;
	}
	return FL_REASON_IN_COHORT_RECLAMATION;
}

/*
 * Has the queue of @w, or a cohort between it and the common ancestor, come down to its nominal
 * quota in this search?
 */
static bool now_within_nominal(const struct fl_classical *k, uint32_t w)
{
	const struct fl_preempt *c = k->s;

	for (struct fl_node n = k->p->jobs[w].held_by; c->nodes[n.v].on_path != c->search;
	     n = fl_tree_parent(&k->p->tree, n))
		if (fl_preempt_within_nominal(k->p, k->v, k->ask, n)) {
			if (fl_tell_of_victims(k->s->tell))
				fl_preempt_tell_within(k->p, k->s->tell, k->v, k->ask,
						       FL_CHECK_STILL_BORROWS, w, n);
			return true;
		}
	return false;
}

static bool attempt(struct fl_classical *k, bool borrow)
{
	enum fl_list list;

	k->s->n_targets = k->s->n_going;
	fl_classical_walk_restart(k);
	for (uint32_t w = fl_classical_walk_next(k, &list); w != FL_NONE;
	     w = fl_classical_walk_next(k, &list)) {
		enum fl_variant variant = fl_classical_variant(k, list, w);

		if (list != FL_LIST_SAME_QUEUE && borrow &&
		    variant == FL_RECLAIM_WITHOUT_BORROWING) {
			emit_while_borrowing(k, w);
			continue;
		}
		if (list != FL_LIST_SAME_QUEUE && now_within_nominal(k, w))
			continue;
		fl_preempt_take(k->p, k->s, k->v, w, reason_of(variant));
		bool fits = fl_protect_fits(k->p, k->v, k->ask, borrow);

		if (fl_tell_of_victims(k->s->tell))
			fl_preempt_tell_taken(k->p, k->s->tell, k->v, k->ask, w, borrow, fits);
		if (fits) {
			fl_preempt_fill_back(k->p, k->s, k->v, k->ask, borrow);
			fl_preempt_restore(k->p, k->s, k->v);
			return true;
		}
	}
	fl_preempt_restore(k->p, k->s, k->v);
	return false;
}

/* Is the queue's usage below its nominal quota in all needed columns? */
static bool below_nominal(const struct fl_classical *k)
{
	for (uint32_t i = 0; i < k->ask->n; i++)
		if (k->ask->needs[i]) {
			size_t at = fl_tree_cell(&k->p->tree, k->ask->queue,
						 k->ask->uses[i].column);

			if (k->v->usage.cell[at] >= k->p->tree.nominal[at])
				return false;
		}
	return true;
}

bool fl_classical_search(struct fl_policy *p, struct fl_preempt *s, struct fl_view *v,
			 const struct fl_ask *ask)
{
	struct fl_classical k = {
		.p = p, .s = s, .v = v, .ask = ask, .row = &p->model->nodes[ask->queue.v]
	};
	bool may_borrow, hierarchy, found;

	/*
	 * KEP-1714, goals: a workload that overrules fair sharing preempts by the rules of
	 * borrowWithinCohort.
	 */
	k.borrow_within = fl_protect_overrules(p, ask->workload) ? FL_PREEMPT_LOWER_PRIORITY :
								   k.row->borrow_within;
	may_borrow = k.borrow_within != FL_PREEMPT_NEVER;

	find_advantage(&k);
	fl_classical_walk_begin(&k);
	k.any_advantage = hierarchy = fl_classical_walk_any(&k, FL_LIST_HIERARCHY);
	if ((!hierarchy && !fl_classical_walk_any(&k, FL_LIST_PRIORITY)) ||
	    (!may_borrow && !below_nominal(&k)))
		found = attempt(&k, true);
	else if (!may_borrow && !hierarchy)
		found = attempt(&k, false) || attempt(&k, true);
	else
		found = attempt(&k, true) || attempt(&k, false);
	return found;
}
