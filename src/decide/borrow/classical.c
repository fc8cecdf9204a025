/* SPDX-License-Identifier: Apache-2.0 */
/*
 * classical - preemption without fair sharing
 *
 * Victims come from three lists, each in candidate order: those that a subtree
 * around the asking queue may reclaim because the workload fits in its quota
 * (hierarchy), those of other queues that priority alone decides on (priority),
 * and those of the queue itself.  Whoever is being evicted already comes first.
 *
 * Promises: nobody within nominal quota loses anything to another queue, at the
 * queue and at every cohort below the lowest common ancestor; the view is left as
 * it was found.
 *
 * Cost: one walk over the tree's candidates an attempt at most, two attempts.
 */
#include "base/sort.h"
#include "decide/borrow/afs.h"
#include "decide/borrow/preempt.h"
#include "decide/borrow/protect.h"

enum list { HIERARCHY, PRIORITY, SAME_QUEUE, LISTS };
enum variant {
	WITHIN_QUEUE,
	HIERARCHICAL_RECLAIM,
	RECLAIM_WITHOUT_BORROWING,
	RECLAIM_WHILE_BORROWING
};

struct classical {
	struct fl_policy *p;
	struct fl_view *v;
	const struct fl_ask *ask;
	const struct fl_node_row *row;        /* of the asking queue */
	enum fl_preempt_policy borrow_within; /* its borrowWithinCohort, or that of who overrules */
	bool any_advantage, all_advantage;
	const uint32_t *others, *others_queues; /* candidates of the tree, in order */
	uint32_t n_others;
};

/* Where a walk over all lists stands. */
struct walk {
	bool fresh; /* past those being evicted */
	enum list list;
	uint32_t at;
};

/*
 * For each ancestor: does a subtree strictly below it have room for the workload
 * in its own quota?  Then what is reclaimed through that ancestor is its due.
 */
static void find_advantage(struct classical *k)
{
	struct fl_cycle *c = k->p->scratch;
	const struct fl_tree *t = &k->p->tree;
	const struct fl_usage *u = &k->v->usage;
	struct fl_node n = k->ask->queue;
	bool advantage = true;

	for (uint32_t i = 0; i < k->ask->n; i++) {
		const struct fl_use *use = &k->ask->uses[i];

		advantage &= !fl_quota_borrows_with(t, u, n, use->column, use->amount);
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

			fits &= !fl_quota_borrows_with(t, u, n, column, c->remaining[i]);
			c->remaining[i] = fl_amount_max(
				0, fl_sat_sub(c->remaining[i],
					      fl_quota_local_available(t, u, n, column)));
		}
		advantage |= fits;
	}
}

/*
 * Depth of the ancestor through which @q's workloads can be reclaimed: the lowest
 * common one, if @q and every cohort below it were above nominal when the search
 * began.  FL_NONE: not at all.
 */
static uint32_t reach(struct classical *k, struct fl_node q)
{
	struct fl_cycle *c = k->p->scratch;
	struct fl_search_node *s = &c->nodes[q.v];

	if (s->reach_known == c->search)
		return s->reach;
	if (k->p->tree.is_cohort[q.v])
		s->reach_known = c->search;
	s->reach = FL_NONE;
	if (fl_preempt_within_nominal(k->p, k->v, k->ask, q)) {
		if (fl_preempt_heard(k->p))
			fl_preempt_emit_within(k->p, k->v, k->ask, FL_CHECK_VICTIM_BORROWS, FL_NONE,
					       q);
	} else if (fl_tree_has_parent(&k->p->tree, q)) {
		struct fl_node above = fl_tree_parent(&k->p->tree, q);

		if (c->nodes[above.v].on_path == c->search)
			s->reach = k->p->tree.depth[above.v];
		else
			s->reach = reach(k, above); /* depth: bounded */
	}
	return s->reach;
}

/* The list that workloads of @q, another queue, are in; LISTS: in none. */
static enum list list_of(struct classical *k, struct fl_node q)
{
	struct fl_search_node *s = &k->p->scratch->nodes[q.v];

	if (s->reach_known != k->p->scratch->search) {
		bool other = k->p->lines[q.v].active && q.v != k->ask->queue.v;
		uint32_t through = other ? reach(k, q) : FL_NONE;

		s->reach_known = k->p->scratch->search;
		if (through == FL_NONE)
			s->list = LISTS;
		else
			s->list = k->p->scratch->advantage[through] ? HIERARCHY : PRIORITY;
	}
	return s->list;
}

static bool skip_list(const struct classical *k, enum list list)
{
	if (list == SAME_QUEUE)
		return k->row->within_queue == FL_PREEMPT_NEVER ||
		       !k->p->lines[k->ask->queue.v].active;
	return k->row->reclaim == FL_PREEMPT_NEVER ||
	       !fl_tree_has_parent(&k->p->tree, k->ask->queue) ||
	       (list == HIERARCHY ? !k->any_advantage : k->all_advantage);
}

static enum variant variant_of(const struct classical *k, enum list list, uint32_t w)
{
	int32_t priority = k->p->jobs[w].priority;

	if (list == SAME_QUEUE)
		return WITHIN_QUEUE;
	if (list == HIERARCHY)
		return HIERARCHICAL_RECLAIM;
	if (k->borrow_within == FL_PREEMPT_NEVER ||
	    priority >= k->p->jobs[k->ask->workload.v].priority ||
	    (k->row->has_borrow_threshold && priority > k->row->borrow_threshold))
		return RECLAIM_WITHOUT_BORROWING;
	return RECLAIM_WHILE_BORROWING;
}

static enum fl_cause cause_of(enum variant variant)
{
	switch (variant) {
	case WITHIN_QUEUE:
		return FL_CAUSE_WITHIN_QUEUE;
	case RECLAIM_WHILE_BORROWING:
		return FL_CAUSE_RECLAIM_BORROWING;
	case HIERARCHICAL_RECLAIM:
	case RECLAIM_WITHOUT_BORROWING:
		break;
	}
	return FL_CAUSE_RECLAIM;
}

/* May @w, who is in @list, be preempted at all? */
static bool allows(const struct classical *k, enum list list, uint32_t w)
{
	return fl_preempt_allows(k->p, k->ask, w,
				 list == SAME_QUEUE ? k->row->within_queue : k->row->reclaim,
				 cause_of(variant_of(k, list, w)));
}

/* First of @list that is not being evicted. */
static uint32_t first_fresh(const struct fl_policy *p, const uint32_t *list, uint32_t n)
{
	uint32_t at = 0;

	while (at < n && p->jobs[list[at]].state == FL_STATE_EVICTING)
		at++;
	return at;
}

/* The next candidate of the whole sequence; FL_NONE at its end. */
static uint32_t next(struct classical *k, struct walk *walk, enum list *ret_list)
{
	for (;; walk->list++, walk->at = 0) {
		const uint32_t *list = k->others;
		uint32_t n = k->n_others, end;

		if (walk->list == LISTS) {
			if (walk->fresh)
				return FL_NONE;
			*walk = (struct walk){ .fresh = true };
		}
		if (skip_list(k, walk->list))
			continue;
		if (walk->list == SAME_QUEUE)
			list = fl_state_candidates(k->p, k->ask->queue, &n);
		end = first_fresh(k->p, list, n);
		if (walk->fresh) {
			walk->at = walk->at < end ? end : walk->at;
			end = n;
		}
		for (uint32_t at = walk->at; at < end; at++)
			if ((walk->list == SAME_QUEUE ||
			     list_of(k, (struct fl_node){ k->others_queues[at] }) == walk->list) &&
			    allows(k, walk->list, list[at])) {
				walk->at = at + 1;
				*ret_list = walk->list;
				return list[at];
			}
	}
}

/* While borrowing, only priorities up to a bound may be taken from other queues. */
static void emit_while_borrowing(const struct classical *k, uint32_t w)
{
	int64_t most;

	if (!fl_preempt_heard(k->p))
		return;
	most = (int64_t)k->p->jobs[k->ask->workload.v].priority - 1;

	if (k->row->has_borrow_threshold)
		most = fl_amount_min(most, k->row->borrow_threshold);
	if (k->borrow_within == FL_PREEMPT_NEVER)
		most = INT32_MIN; /* nobody */
	fl_preempt_emit(k->p, k->ask, (struct fl_column){ FL_NONE },
			(struct fl_evidence){
				.check = FL_CHECK_WHILE_BORROWING,
				.node = k->p->jobs[w].held_by,
				.victim = { w },
				.lhs = { .amount = k->p->jobs[w].priority },
				.rhs = { .amount = most },
			});
}

static enum fl_reason reason_of(enum variant variant)
{
	switch (variant) {
	case WITHIN_QUEUE:
		return FL_REASON_IN_CLUSTER_QUEUE;
	case RECLAIM_WHILE_BORROWING:
		return FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING;
	case HIERARCHICAL_RECLAIM:
	case RECLAIM_WITHOUT_BORROWING:
		break;
	}
	return FL_REASON_IN_COHORT_RECLAMATION;
}

/* Has @w's queue, or a cohort below the common ancestor, meanwhile come down to its nominal quota? */
static bool now_within_nominal(const struct classical *k, uint32_t w)
{
	const struct fl_cycle *c = k->p->scratch;

	for (struct fl_node n = k->p->jobs[w].held_by; c->nodes[n.v].on_path != c->search;
	     n = fl_tree_parent(&k->p->tree, n))
		if (fl_preempt_within_nominal(k->p, k->v, k->ask, n)) {
			if (fl_preempt_heard(k->p))
				fl_preempt_emit_within(k->p, k->v, k->ask, FL_CHECK_STILL_BORROWS,
						       w, n);
			return true;
		}
	return false;
}

static bool attempt(struct classical *k, bool borrow)
{
	struct walk walk = { 0 };
	enum list list;

	k->p->scratch->n_targets = 0;
	for (uint32_t w = next(k, &walk, &list); w != FL_NONE; w = next(k, &walk, &list)) {
		enum variant variant = variant_of(k, list, w);

		if (list != SAME_QUEUE && borrow && variant == RECLAIM_WITHOUT_BORROWING) {
			emit_while_borrowing(k, w);
			continue;
		}
		if (list != SAME_QUEUE && now_within_nominal(k, w))
			continue;
		fl_preempt_take(k->p, k->v, w, reason_of(variant));
		bool fits = fl_view_fits(k->p, k->v, k->ask, borrow);

		if (fl_preempt_heard(k->p))
			fl_preempt_emit_taken(k->p, k->v, k->ask, w, borrow, fits);
		if (fits) {
			fl_preempt_fill_back(k->p, k->v, k->ask, borrow);
			fl_preempt_restore(k->p, k->v);
			return true;
		}
	}
	fl_preempt_restore(k->p, k->v);
	return false;
}

/* All needed columns: the queue uses less than its nominal quota. */
static bool below_nominal(const struct classical *k)
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

/* Is there any candidate in @list?  Goes by queues: most are out of reach as a whole. */
static bool any_in(struct classical *k, enum list list)
{
	struct fl_span queues = k->p->tree.queues[k->p->tree.root_index[k->ask->queue.v]];

	if (skip_list(k, list))
		return false;
	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		struct fl_node q = { k->p->tree.queue_ids[i] };
		const uint32_t *candidates;
		uint32_t n;

		if (list_of(k, q) != list)
			continue;
		candidates = fl_state_candidates(k->p, q, &n);
		for (uint32_t c = 0; c < n; c++)
			if (allows(k, list, candidates[c]))
				return true;
	}
	return false;
}

/* Those being evicted first, then list by list. */
static int cmp_parts(const void *classical, uint32_t a, uint32_t b)
{
	struct classical *k = (struct classical *)classical;
	const struct fl_job *x = &k->p->jobs[a], *y = &k->p->jobs[b];
	enum list one, other;

	if ((x->state == FL_STATE_EVICTING) != (y->state == FL_STATE_EVICTING))
		return x->state == FL_STATE_EVICTING ? -1 : 1;
	one = list_of(k, x->held_by);
	other = list_of(k, y->held_by);
	return (one > other) - (one < other);
}

/*
 * Where usage orders local queues, the order hangs on who else may be preempted
 * (fl_afs_sort); so only those are sorted, each list by itself, as the reference does.
 */
static void sort_others(struct classical *k)
{
	struct fl_cycle *c = k->p->scratch;
	uint32_t n = 0, end;

	for (uint32_t i = 0; i < k->n_others; i++) {
		enum list list = list_of(k, (struct fl_node){ k->others_queues[i] });

		if (list != LISTS && allows(k, list, k->others[i]))
			c->sorted[n++] = k->others[i];
	}
	fl_sort(c->sorted, n, k->p->sort_scratch, cmp_parts, k);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && cmp_parts(k, c->sorted[i], c->sorted[end]) == 0;)
			end++;
		fl_afs_sort(k->p, c->sorted + i, end - i);
	}
	for (uint32_t i = 0; i < n; i++)
		c->sorted_queues[i] = k->p->jobs[c->sorted[i]].held_by.v;
	k->others = c->sorted;
	k->others_queues = c->sorted_queues;
	k->n_others = n;
}

uint32_t fl_classical_search(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	struct classical k = { .p = p, .v = v, .ask = ask, .row = &p->model->nodes[ask->queue.v] };
	bool may_borrow, hierarchy, found;

	/* KEP-1714, goals: what overrules fair sharing preempts as borrowWithinCohort would let it. */
	k.borrow_within = fl_protect_overrules(p, ask->workload) ? FL_PREEMPT_LOWER_PRIORITY :
								   k.row->borrow_within;
	may_borrow = k.borrow_within != FL_PREEMPT_NEVER;

	find_advantage(&k);
	k.others = fl_state_tree_candidates(p, p->tree.root_index[ask->queue.v], &k.others_queues,
					    &k.n_others);
	if (p->afs)
		sort_others(&k);
	k.any_advantage = hierarchy = any_in(&k, HIERARCHY);
	if ((!hierarchy && !any_in(&k, PRIORITY)) || (!may_borrow && !below_nominal(&k)))
		found = attempt(&k, true);
	else if (!may_borrow && !hierarchy)
		found = attempt(&k, false) || attempt(&k, true);
	else
		found = attempt(&k, true) || attempt(&k, false);
	return found ? p->scratch->n_targets : 0;
}
