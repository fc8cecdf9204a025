/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fair - preemption under fair sharing (KEP-1714, "Preemption algorithm")
 *
 * Takes victims from the queue whose side has the largest share, root to leaves,
 * until the workload fits.  With x the asking queue, y the victim's, and the two
 * nodes below their lowest common ancestor (almostLCA) compared:
 *
 *   S1    x is within its nominal quota with the workload: whoever borrows gives
 *         it back.
 *   S2-a  share of x's side with the workload <= share of y's side without the
 *         victim (LessThanOrEqualToFinalShare).
 *   S2-b  share of x's side with the workload <  share of y's side with the victim
 *         (LessThanInitialShare); one victim a queue in the second pass.
 *
 * Promises: no victim from a queue that does not borrow a needed resource; the
 * view is left as it was found; ends after at most (candidates + nodes) rounds.
 * It cannot promise that evictions settle: see doc/differences.md, "loops".
 *
 * Cost: a round looks at the children that borrow along one path from the root.
 */
#include <math.h>

#include "decide/borrow/preempt.h"

enum pass { FIRST_PASS, SECOND_PASS };

struct fair {
	struct fl_policy *p;
	struct fl_view *v;
	const struct fl_ask *ask;
	enum pass pass;
	bool within_nominal; /* S1, as of the beginning */
	bool lost;           /* the first pass left somebody out (lose) */
};

/* Another queue's workloads are candidates only if it was above nominal when the search began. */
static bool was_over(struct fair *f, struct fl_node q)
{
	struct fl_search_node *s = &f->p->scratch->nodes[q.v];

	if (s->over_known != f->p->scratch->search) {
		s->over_known = f->p->scratch->search;
		s->over = !fl_preempt_within_nominal(f->p, f->v, f->ask, q);
	}
	return s->over;
}

static bool is_own(const struct fair *f, struct fl_node q) { return q.v == f->ask->queue.v; }

static enum fl_preempt_policy policy_for(const struct fair *f, struct fl_node q)
{
	const struct fl_node_row *row = &f->p->model->nodes[f->ask->queue.v];

	return is_own(f, q) ? row->within_queue : row->reclaim;
}

/* Of the second pass: whom the first one refused, or would have. */
static bool is_candidate(struct fair *f, struct fl_node q, uint32_t w)
{
	const struct fl_search_node *s = &f->p->scratch->nodes[q.v];

	if (f->pass == SECOND_PASS && (!f->lost || s->at < s->left))
		return f->p->scratch->retry[w] == f->p->scratch->search;
	return fl_preempt_allows(f->p, f->ask, w, policy_for(f, q),
				 is_own(f, q)      ? FL_CAUSE_WITHIN_QUEUE :
				 f->within_nominal ? FL_CAUSE_RECLAIM :
						     FL_CAUSE_FAIR_SHARING);
}

/* The first candidate left in @q; FL_NONE when there is none. */
static uint32_t first_of(struct fair *f, struct fl_node q)
{
	struct fl_search_node *s = &f->p->scratch->nodes[q.v];
	uint32_t n;
	const uint32_t *list = fl_state_candidates(f->p, q, &n);

	if (s->started != f->p->scratch->pass) {
		/* the first pass was the last one */
		s->left = s->started + 1 == f->p->scratch->pass ? s->at : 0;
		s->started = f->p->scratch->pass;
		s->at = 0;
		if (!f->p->lines[q.v].active) {
			s->at = n;
		} else if (q.v != f->ask->queue.v && !was_over(f, q)) {
			if (fl_preempt_heard(f->p))
				fl_preempt_emit_within(f->p, f->v, f->ask, FL_CHECK_VICTIM_BORROWS,
						       FL_NONE, q);
			s->at = n;
		}
	}
	while (s->at < n && !is_candidate(f, q, list[s->at]))
		s->at = fl_preempt_refuses_rest(f->p, f->ask, list[s->at], policy_for(f, q)) ?
				n :
				s->at + 1;
	return s->at < n ? list[s->at] : FL_NONE;
}

static uint32_t pop(struct fair *f, struct fl_node q)
{
	uint32_t w = first_of(f, q);

	f->p->scratch->nodes[q.v].at++;
	return w;
}

static void prune(struct fair *f, uint32_t n)
{
	f->p->scratch->nodes[n].pruned = f->p->scratch->pass;
}

static void emit_passed_over(struct fair *f, uint32_t n)
{
	struct fl_node node = { n };

	fl_preempt_emit_within(f->p, f->v, f->ask,
			       was_over(f, node) ? FL_CHECK_STILL_BORROWS : FL_CHECK_VICTIM_BORROWS,
			       FL_NONE, node);
}

/* @n, a queue or a cohort that borrows nothing (any more), and so all below it is left alone. */
static inline void pass_over(struct fair *f, uint32_t n)
{
	if (fl_preempt_heard(f->p))
		emit_passed_over(f, n);
	prune(f, n);
}

static bool pruned(const struct fair *f, uint32_t n)
{
	return f->p->scratch->nodes[n].pruned == f->p->scratch->pass;
}

/* Of equal shares the queue whose first candidate comes first. */
static bool comes_first(struct fair *f, uint32_t a, uint32_t b)
{
	return fl_preempt_before(f->p, first_of(f, (struct fl_node){ a }),
				 first_of(f, (struct fl_node){ b }), f->ask->queue);
}

/* The child of @n that the asking queue is below, or is; FL_NONE. */
static uint32_t own_child(const struct fair *f, uint32_t n)
{
	const struct fl_tree *t = &f->p->tree;
	uint32_t at = f->ask->queue.v;

	if (f->p->scratch->nodes[n].on_path != f->p->scratch->search)
		return FL_NONE;
	while (t->parent[at] != n)
		at = t->parent[at];
	return at;
}

/*
 * Where in the tree's order the next child of @n stands that counts, not before @from: of those
 * that do not borrow only the asking queue's side does; a listener hears of all.
 */
static uint32_t next_place(const struct fair *f, uint32_t n, uint32_t own, uint32_t from)
{
	uint32_t own_place = own == FL_NONE ? FL_NONE : f->p->tree.place[own], next;

	if (fl_preempt_heard(f->p))
		return from;
	if (f->p->scratch->nodes[n].lost == f->p->scratch->pass)
		return own_place >= from ? own_place : FL_NONE;
	next = fl_bitset_next(&f->v->usage.borrowers, from);
	return own_place >= from && own_place < next ? own_place : next;
}

/* The child cohort and the child queue of @n with the largest share that have something to give. */
static void largest_children(struct fair *f, uint32_t n, uint32_t *ret_cohort, uint32_t *ret_queue)
{
	const struct fl_tree *t = &f->p->tree;
	const struct fl_cycle *c = f->p->scratch;
	const struct fl_drs *most_cohort = NULL, *most_queue = NULL;
	uint32_t own = own_child(f, n), first, end;

	*ret_cohort = *ret_queue = FL_NONE;
	if (!t->children[n].n)
		return;
	first = t->place[t->child_ids[t->children[n].first]];
	end = first + t->children[n].n;
	for (uint32_t i = next_place(f, n, own, first); i < end; i = next_place(f, n, own, i + 1)) {
		uint32_t child = t->order[i];
		const struct fl_drs *drs;

		if (pruned(f, child))
			continue;
		drs = fl_view_drs(f->p, f->v, (struct fl_node){ child });
		if (t->is_cohort[child]) {
			if (fl_preempt_heard(f->p)) /* before anybody below it is chosen */
				(void)was_over(f, (struct fl_node){ child });
			if (!drs->borrowing && c->nodes[child].on_path != c->search) {
				pass_over(f, child);
			} else if (!most_cohort || fl_drs_cmp(drs, most_cohort) >= 0) {
				most_cohort = drs;
				*ret_cohort = child;
			}
			continue;
		}
		int order = most_queue ? fl_drs_cmp(drs, most_queue) : 1;

		if (order < 0)
			continue;
		if (!drs->borrowing && child != f->ask->queue.v) {
			pass_over(f, child);
		} else if (first_of(f, (struct fl_node){ child }) == FL_NONE) {
			prune(f, child);
		} else if (order > 0 || comes_first(f, child, *ret_queue)) {
			most_queue = drs;
			*ret_queue = child;
		}
	}
}

/* The biggest offender, root to leaves; FL_NONE when nobody has anything left to give. */
static struct fl_node next_queue(struct fair *f)
{
	const struct fl_tree *t = &f->p->tree;
	uint32_t root = t->root[f->ask->queue.v], n = root, cohort, queue;

	if (!t->is_cohort[root])
		return (struct fl_node){ first_of(f, f->ask->queue) == FL_NONE ? FL_NONE : root };
	while (!pruned(f, root)) {
		largest_children(f, n, &cohort, &queue);
		if (cohort == FL_NONE && queue == FL_NONE) {
			prune(f, n);
			n = root;
		} else if (cohort != FL_NONE &&
			   (queue == FL_NONE ||
			    fl_drs_cmp(fl_view_drs(f->p, f->v, (struct fl_node){ cohort }),
				       fl_view_drs(f->p, f->v, (struct fl_node){ queue })) >= 0)) {
			n = cohort;
		} else {
			return (struct fl_node){ queue };
		}
	}
	return (struct fl_node){ FL_NONE };
}

/* Fits with @victim gone, the last of them; the workload's own usage stands in the view for the shares. */
static bool fits_without(struct fair *f, uint32_t victim)
{
	bool fits;

	fl_view_sub(f->p, f->v, f->ask);
	fits = fl_view_fits(f->p, f->v, f->ask, true);
	if (fl_preempt_heard(f->p))
		fl_preempt_emit_taken(f->p, f->v, f->ask, victim, true, fits);
	fl_view_add(f->p, f->v, f->ask);
	return fits;
}

static void emit_shares(struct fair *f, enum fl_check check, uint32_t victim, struct fl_node side,
			const struct fl_drs *lhs, const struct fl_drs *rhs, bool holds)
{
	if (fl_preempt_heard(f->p))
		fl_preempt_emit(f->p, f->ask, (struct fl_column){ FL_NONE },
				(struct fl_evidence){
					.check = check,
					.node = side,
					.victim = { victim },
					.lhs = { .kind = FL_NUMBER_SHARE, .share = lhs->weighted },
					.rhs = { .kind = FL_NUMBER_SHARE, .share = rhs->weighted },
					.holds = holds,
				});
}

/* S2-a: does the victim's side keep at least the share that the preemptor's side gets? */
static bool rule_s2a(struct fair *f, uint32_t victim, struct fl_node side,
		     const struct fl_drs *preemptor)
{
	struct fl_drs without;
	bool holds;

	fl_view_take(f->p, f->v, (struct fl_workload){ victim });
	without = *fl_view_drs(f->p, f->v, side);
	fl_view_give(f->p, f->v, (struct fl_workload){ victim });
	holds = fl_drs_cmp(preemptor, &without) <= 0;
	emit_shares(f, FL_CHECK_S2A, victim, side, preemptor, &without, holds);
	return holds;
}

/* S2-b: is the victim's side larger as it stands than the preemptor's side would be? */
static bool rule_s2b(struct fair *f, uint32_t victim, struct fl_node side,
		     const struct fl_drs *preemptor)
{
	const struct fl_drs *before = fl_view_drs(f->p, f->v, side);
	bool holds = fl_drs_cmp(preemptor, before) < 0;

	emit_shares(f, FL_CHECK_S2B, victim, side, preemptor, before, holds);
	return holds;
}

static bool take(struct fair *f, uint32_t victim, enum fl_reason reason)
{
	fl_preempt_take(f->p, f->v, victim, reason);
	return fits_without(f, victim);
}

/* Could no sum over flavors of what a child of @n borrows wrap (drs.c)?  Then shares fall as usage does. */
static bool sums_are_exact(const struct fair *f, uint32_t n)
{
	const struct fl_tree *t = &f->p->tree;
	const struct fl_tree_root *root = fl_tree_root_of(t, f->ask->queue);

	if (root->n_columns <= 2) /* two that do not pass 2^63 wrap once, and count as the most */
		return true;
	for (uint32_t i = t->children[n].first; i < t->children[n].first + t->children[n].n; i++)
		for (uint32_t c = 0; c < root->n_columns; c++)
			if (f->v->usage.cell[t->row[t->child_ids[i]] + c] >
			    INT64_MAX / root->n_columns)
				return false;
	return true;
}

/*
 * When the asking side's share is above that of @side, which was chosen as the largest below
 * their common ancestor, so it is above all others there, and above what they have without a
 * victim: nobody below the ancestor can pass any more.  (The asking side itself came before
 * them, and has nothing left to give.)  Only where nobody wants to hear of each.
 */
static bool lose(struct fair *f, struct fl_node q, struct fl_node side,
		 const struct fl_drs *preemptor)
{
	struct fl_node above = fl_tree_lca(&f->p->tree, q, f->ask->queue);

	if (fl_preempt_heard(f->p) || f->p->protect ||
	    fl_drs_cmp(preemptor, fl_view_drs(f->p, f->v, side)) <= 0 ||
	    !sums_are_exact(f, above.v))
		return false;
	f->p->scratch->nodes[above.v].lost = f->p->scratch->pass;
	return true;
}

/* Candidates of one queue by the first strategy: one that passes, or all go to the second pass. */
static bool compare_shares(struct fair *f, struct fl_node q)
{
	struct fl_cycle *c = f->p->scratch;
	const struct fl_settings *settings = &f->p->model->settings;
	struct fl_node side = fl_tree_almost_lca(&f->p->tree, q, f->ask->queue);
	struct fl_node own = fl_tree_almost_lca(&f->p->tree, f->ask->queue, q);
	struct fl_drs preemptor = *fl_view_drs(f->p, f->v, own);
	bool hopeless = isinf(preemptor.weighted) &&
			!isinf(fl_view_drs(f->p, f->v, side)->weighted);

	if (lose(f, q, side, &preemptor)) {
		f->lost = true;
		return false;
	}
	for (uint32_t w = first_of(f, q); w != FL_NONE; w = first_of(f, q)) {
		(void)pop(f, q);
		if (hopeless)
			emit_shares(f, FL_CHECK_S2A, w, side, &preemptor,
				    fl_view_drs(f->p, f->v, side), false);
		if (!hopeless &&
		    (settings->strategies[0] == FL_FINAL_SHARE ? rule_s2a(f, w, side, &preemptor) :
								 rule_s2b(f, w, side, &preemptor)))
			return take(f, w, FL_REASON_IN_COHORT_FAIR_SHARING);
		c->retry[w] = c->search;
	}
	return false;
}

static bool first_pass(struct fair *f)
{
	f->within_nominal = !f->p->model->settings.off[FL_GATE_PREEMPT_WITHIN_NOMINAL] &&
			    fl_preempt_within_nominal(f->p, f->v, f->ask, f->ask->queue);
	f->pass = FIRST_PASS;
	f->p->scratch->pass++;
	for (struct fl_node q = next_queue(f); q.v != FL_NONE; q = next_queue(f)) {
		bool fits;

		if (q.v == f->ask->queue.v)
			fits = take(f, pop(f, q), FL_REASON_IN_CLUSTER_QUEUE);
		else if (f->within_nominal) /* S1 */
			fits = take(f, pop(f, q), FL_REASON_IN_COHORT_RECLAMATION);
		else
			fits = compare_shares(f, q);
		if (fits)
			return true;
	}
	return false;
}

/* What no strategy took so far, by S2-b, one victim a queue. */
static bool second_pass(struct fair *f)
{
	f->pass = SECOND_PASS;
	f->p->scratch->pass++;
	for (struct fl_node q = next_queue(f); q.v != FL_NONE; q = next_queue(f)) {
		struct fl_node side = fl_tree_almost_lca(&f->p->tree, q, f->ask->queue);
		struct fl_node own = fl_tree_almost_lca(&f->p->tree, f->ask->queue, q);
		struct fl_drs preemptor = *fl_view_drs(f->p, f->v, own);
		uint32_t w;

		if (lose(f, q, side, &preemptor))
			continue;
		w = pop(f, q);
		prune(f, q.v);
		if (rule_s2b(f, w, side, &preemptor) &&
		    take(f, w, FL_REASON_IN_COHORT_FAIR_SHARING))
			return true;
	}
	return false;
}

uint32_t fl_fair_search(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	struct fair f = { .p = p, .v = v, .ask = ask };
	bool fits;

	fl_view_add(p, v, ask);
	fits = first_pass(&f) || (p->model->settings.n_strategies > 1 && second_pass(&f));
	fl_view_sub(p, v, ask);
	if (fits)
		fl_preempt_fill_back(p, v, ask, true);
	fl_preempt_restore(p, v);
	return fits ? p->scratch->n_targets : 0;
}
