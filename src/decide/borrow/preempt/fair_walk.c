/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/preempt/fair_walk.h"

#include "base/check.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/preempt/borrowers.h"
#include "decide/borrow/preempt/preempt.h"
#include "decide/borrow/preempt/s2a.h"

static struct fl_search_node *marks_of(struct fl_fair_walk *w, uint32_t n)
{
	return &w->s->nodes[n];
}

static const struct fl_drs *share_of(struct fl_fair_walk *w, uint32_t n)
{
	return fl_view_drs(w->p, w->v, (struct fl_node){ n });
}

static bool is_own(const struct fl_fair_walk *w, uint32_t q) { return q == w->ask->queue.v; }

static bool is_on_path(const struct fl_fair_walk *w, uint32_t n)
{
	return w->s->nodes[n].on_path == w->s->search;
}

/* Must each candidate be looked at, in order? */
static bool is_thorough(const struct fl_fair_walk *w)
{
	return fl_tell_of_victims(w->s->tell) || w->p->protect;
}

/* --- the candidates of one queue --- */

/*
 * Workloads of another queue are candidates only if that was above nominal when the search began.
 */
static bool was_over(struct fl_fair_walk *w, uint32_t q)
{
	struct fl_search_node *s = marks_of(w, q);

	if (s->over_known != w->s->search) {
		s->over_known = w->s->search;
		s->over = !fl_preempt_within_nominal(w->p, w->v, w->ask, (struct fl_node){ q });
	}
	return s->over;
}

static enum fl_preempt_policy policy_for(const struct fl_fair_walk *w, uint32_t q)
{
	struct fl_node own = w->ask->queue;

	return is_own(w, q) ? fl_preempt_within_queue(w->p, own) :
			      w->p->model->nodes[own.v].reclaim;
}

/* In the second pass: candidates that the first pass refused, or would have refused. */
static bool is_candidate(struct fl_fair_walk *w, uint32_t q, uint32_t victim)
{
	const struct fl_search_node *s = marks_of(w, q);

	if (w->pass == FL_FAIR_SECOND_PASS && (!w->left_out || s->at < s->left))
		return fl_marks_is_refused(w->s->marks, victim, w->s->search);
	return fl_preempt_allows(w->p, w->s, w->ask, victim, policy_for(w, q),
				 is_own(w, q)      ? FL_CAUSE_WITHIN_QUEUE :
				 w->within_nominal ? FL_CAUSE_RECLAIM :
						     FL_CAUSE_FAIR_SHARING);
}

/* Sets where the candidates of @q begin in this pass: at their end if none of them counts. */
static void start_queue(struct fl_fair_walk *w, uint32_t q, uint32_t n)
{
	struct fl_search_node *s = marks_of(w, q);

	/* if the pass before was the first one of this search */
	s->left = s->started + 1 == w->s->pass ? s->at : 0;
	s->started = w->s->pass;
	s->at = 0;
	if (!w->p->backlogs[q].active) {
		s->at = n;
	} else if (!is_own(w, q) && !was_over(w, q)) {
		if (fl_tell_of_victims(w->s->tell))
			fl_preempt_tell_within(w->p, w->s->tell, w->v, w->ask,
					       FL_CHECK_VICTIM_BORROWS, FL_NONE,
					       (struct fl_node){ q });
		s->at = n;
	}
}

/* The first candidate left in @q; FL_NONE: none is left. */
static uint32_t first_of(struct fl_fair_walk *w, uint32_t q)
{
	struct fl_search_node *s = marks_of(w, q);
	uint32_t n;
	const uint32_t *list = fl_holders_candidates(w->p, (struct fl_node){ q }, &n);

	if (s->started != w->s->pass)
		start_queue(w, q, n);
	for (; s->at < n && !is_candidate(w, q, list[s->at]); s->at++)
		if (fl_preempt_refuses_rest(w->p, w->s, w->ask, list[s->at], policy_for(w, q))) {
			s->at = n;
			break;
		}
	return s->at < n ? list[s->at] : FL_NONE;
}

/*
 * All candidates of @q were refused because of the share that it would keep without them.  If that
 * were more than half of its workloads, it is worth computing the most that it keeps without any
 * one of them: later requests may be as large.
 */
static void note_refused(struct fl_fair_walk *w, struct fl_node q)
{
	uint32_t above = w->p->tree.parent[q.v];

	if (w->rule == FL_FAIR_FINAL && !is_thorough(w) && above != FL_NONE &&
	    is_on_path(w, above) && w->n_refused > w->p->backlogs[q.v].n_holders / 2)
		fl_borrowers_find_kept(w->p, w->v, q);
}

uint32_t fl_fair_walk_pop(struct fl_fair_walk *w, struct fl_node q)
{
	uint32_t victim = first_of(w, q.v);

	if (victim == FL_NONE) {
		note_refused(w, q);
		return FL_NONE;
	}
	marks_of(w, q.v)->at++;
	/* Where usage orders them, the next candidate may come before this one. */
	if (!is_thorough(w) && fl_afs_orders(w->p, q))
		fl_borrowers_with(w->p, w->v, q.v, FL_NONE);
	return victim;
}

void fl_fair_walk_refuse(struct fl_fair_walk *w, uint32_t victim)
{
	fl_marks_refuse(w->s->marks, victim, w->s->search);
	w->n_refused++;
}

/* --- children without candidates --- */

static void prune(struct fl_fair_walk *w, uint32_t n)
{
	marks_of(w, n)->pruned = w->s->pass;
	if (!is_thorough(w))
		fl_borrowers_leave(w->p, w->v, n);
}

static bool is_pruned(struct fl_fair_walk *w, uint32_t n)
{
	return marks_of(w, n)->pruned == w->s->pass;
}

void fl_fair_walk_leave(struct fl_fair_walk *w, struct fl_node q) { prune(w, q.v); }

bool fl_fair_walk_may_leave_out(const struct fl_fair_walk *w)
{
	return !is_thorough(w) && fl_s2a_has_bounds(&w->v->usage);
}

void fl_fair_walk_refuse_rest(struct fl_fair_walk *w, struct fl_node q)
{
	uint32_t above = w->p->tree.parent[q.v];

	if (above != FL_NONE && is_on_path(w, above)) {
		struct fl_drs most = fl_view_drs_without_least(w->p, w->v, q, q);

		fl_borrowers_keeps_at_most(w->p, w->v, q, &most);
	}
	w->left_out = true;
	prune(w, q.v);
}

/* Does @n, the asking queue or a cohort around it, have candidates left? */
static bool gives(struct fl_fair_walk *w, uint32_t n)
{
	if (is_pruned(w, n))
		return false;
	if (w->p->tree.is_cohort[n] || first_of(w, n) != FL_NONE)
		return true;
	prune(w, n);
	return false;
}

/* --- the child with the largest share, by the rounds of borrowers.h --- */

/* Of queues with equal shares: does the first candidate of @a come before that of @b? */
static bool comes_first(struct fl_fair_walk *w, uint32_t a, uint32_t b)
{
	return fl_preempt_before(w->p, first_of(w, a), first_of(w, b), w->ask->queue);
}

/*
 * The better of two children of one kind, where @own is the asking queue or a cohort around it;
 * @other may be FL_NONE.
 */
static uint32_t better(struct fl_fair_walk *w, uint32_t own, uint32_t other)
{
	int order;

	if (other == FL_NONE)
		return own;
	order = fl_drs_cmp(share_of(w, own), share_of(w, other));
	if (order == 0 && w->p->tree.is_cohort[own])
		order = w->p->tree.place[own] > w->p->tree.place[other] ? 1 : -1;
	else if (order == 0)
		order = comes_first(w, own, other) ? 1 : -1;
	return order > 0 ? own : other;
}

/*
 * Does the share of @own fail the rule against @other, and so against all shares that are no
 * larger?
 */
static bool is_beyond(struct fl_fair_walk *w, uint32_t own, const struct fl_drs *other)
{
	const struct fl_drs *share = share_of(w, own);

	return w->rule == FL_FAIR_INITIAL ? !fl_s2b_holds(share, other) :
					    !fl_s2a_holds(share, other);
}

/* May the walk skip candidates that cannot pass the rule? */
static bool leaves_out(const struct fl_fair_walk *w)
{
	return w->rule != FL_FAIR_ALL && fl_s2a_has_bounds(&w->v->usage);
}

/* May the asking queue preempt in other queues at all? */
static bool reclaims(const struct fl_fair_walk *w)
{
	return w->p->model->nodes[w->ask->queue.v].reclaim != FL_PREEMPT_NEVER;
}

/* The best queue below @n, without @own, among those that may have a candidate that passes. */
static uint32_t top_that_passes(struct fl_fair_walk *w, uint32_t n, uint32_t own)
{
	if (w->rule == FL_FAIR_FINAL)
		return fl_borrowers_top_keeping(w->p, w->v, n, own, share_of(w, own)).v;
	return fl_borrowers_top(w->p, w->v, n, FL_BORROWER_QUEUE, own).v;
}

/*
 * The asking side @own of cohort @n has no candidate left, so its share does not change any more.
 * Is it certain that nothing else below @n can pass the rule?  That is so if the child with the
 * largest share cannot, whichever children have candidates.
 */
static bool is_lost(struct fl_fair_walk *w, uint32_t n, uint32_t own)
{
	uint32_t cohort, queue;

	if (!reclaims(w))
		return true;
	if (!leaves_out(w))
		return false;
	cohort = fl_borrowers_top(w->p, w->v, n, FL_BORROWER_COHORT, own).v;
	queue = top_that_passes(w, n, own);
	return (cohort == FL_NONE || is_beyond(w, own, share_of(w, cohort))) &&
	       (queue == FL_NONE || is_beyond(w, own, share_of(w, queue)));
}

/*
 * @own has candidates, too.  Does queue @q come before it, and is it known that none of its
 * candidates passes? (After the turn of @own its share is another one.)
 */
static bool is_refused(struct fl_fair_walk *w, uint32_t own, uint32_t q)
{
	return w->rule == FL_FAIR_FINAL && leaves_out(w) &&
	       fl_drs_cmp(share_of(w, q), share_of(w, own)) > 0 &&
	       is_beyond(w, own, fl_borrowers_kept(w->p, w->v, q));
}

/*
 * The child queue of @n, without @own, that has candidates and the largest share; FL_NONE if @own
 * has candidates and the larger share.
 */
static uint32_t largest_queue(struct fl_fair_walk *w, uint32_t n, uint32_t own, bool own_gives)
{
	bool any = own == FL_NONE || own_gives || !leaves_out(w);

	for (;;) {
		uint32_t q = any ? fl_borrowers_top(w->p, w->v, n, FL_BORROWER_QUEUE, own).v :
				   top_that_passes(w, n, own);
		uint32_t first;

		if (q == FL_NONE || (own_gives && fl_drs_cmp(share_of(w, q), share_of(w, own)) < 0))
			return FL_NONE;
		first = first_of(w, q);
		if (first == FL_NONE || (own_gives && is_refused(w, own, q)))
			prune(w, q);
		else if (w->v->borrowers->first[q] == first)
			return q;
		else
			fl_borrowers_with(w->p, w->v, q, first);
	}
}

/*
 * The child cohort and the child queue of @n with the largest share among those that have
 * candidates.
 */
static void largest_children(struct fl_fair_walk *w, uint32_t n, uint32_t *ret_cohort,
			     uint32_t *ret_queue)
{
	uint32_t own = is_on_path(w, n) ? marks_of(w, n)->below : FL_NONE;
	bool own_gives = own != FL_NONE && gives(w, own);

	*ret_cohort = *ret_queue = FL_NONE;
	if (own != FL_NONE && !own_gives && is_lost(w, n, own))
		return;
	if (own == FL_NONE || reclaims(w)) {
		*ret_cohort = fl_borrowers_top(w->p, w->v, n, FL_BORROWER_COHORT, own).v;
		*ret_queue = largest_queue(w, n, own, own_gives);
	}
	if (own_gives && w->p->tree.is_cohort[own])
		*ret_cohort = better(w, own, *ret_cohort);
	else if (own_gives)
		*ret_queue = better(w, own, *ret_queue);
}

/* --- the same by a look at each child --- */

static void emit_passed_over(struct fl_fair_walk *w, uint32_t n)
{
	if (fl_tell_of_victims(w->s->tell))
		fl_preempt_tell_within(w->p, w->s->tell, w->v, w->ask,
				       was_over(w, n) ? FL_CHECK_STILL_BORROWS :
							FL_CHECK_VICTIM_BORROWS,
				       FL_NONE, (struct fl_node){ n });
}

/* Leaves out @n, which does not borrow (any more), and all nodes below it. */
static void pass_over(struct fl_fair_walk *w, uint32_t n)
{
	emit_passed_over(w, n);
	prune(w, n);
}

static void try_cohort(struct fl_fair_walk *w, uint32_t n, uint32_t *most)
{
	const struct fl_drs *share = share_of(w, n);

	if (fl_tell_of_victims(w->s->tell)) /* before any victim below it is chosen */
		(void)was_over(w, n);
	if (!share->borrowing && !is_on_path(w, n))
		pass_over(w, n);
	else if (*most == FL_NONE || fl_drs_cmp(share, share_of(w, *most)) >= 0)
		*most = n;
}

static void try_queue(struct fl_fair_walk *w, uint32_t n, uint32_t *most)
{
	const struct fl_drs *share = share_of(w, n);
	int order = *most != FL_NONE ? fl_drs_cmp(share, share_of(w, *most)) : 1;

	if (order < 0)
		return;
	if (!share->borrowing && !is_own(w, n))
		pass_over(w, n);
	else if (first_of(w, n) == FL_NONE)
		prune(w, n);
	else if (order > 0 || comes_first(w, n, *most))
		*most = n;
}

static void look_at_children(struct fl_fair_walk *w, uint32_t n, uint32_t *ret_cohort,
			     uint32_t *ret_queue)
{
	const struct fl_tree *t = &w->p->tree;

	*ret_cohort = *ret_queue = FL_NONE;
	for (uint32_t i = 0; i < t->children[n].n; i++) {
		uint32_t child = t->child_ids[t->children[n].first + i];

		w->s->looked++;
		if (is_pruned(w, child))
			continue;
		if (t->is_cohort[child])
			try_cohort(w, child, ret_cohort);
		else
			try_queue(w, child, ret_queue);
	}
}

/* --- root to leaves --- */

/* The child with the larger share, of the best of both kinds. */
static uint32_t larger(struct fl_fair_walk *w, uint32_t cohort, uint32_t queue)
{
	if (cohort == FL_NONE || queue == FL_NONE)
		return cohort == FL_NONE ? queue : cohort;
	return fl_drs_cmp(share_of(w, cohort), share_of(w, queue)) >= 0 ? cohort : queue;
}

#ifdef FL_CHECKED
/* Does queue @q, other than @own, have a workload that passes the rule? */
static bool passes_any(struct fl_fair_walk *w, uint32_t own, uint32_t q)
{
	const struct fl_backlog *backlog = &w->p->backlogs[q];
	bool any = false;

	if (w->rule != FL_FAIR_FINAL)
		return !is_beyond(w, own, share_of(w, q));
	for (uint32_t i = backlog->holders.first; i < backlog->holders.first + backlog->n_holders;
	     i++) {
		struct fl_workload victim = { w->p->holders[i] };

		fl_view_take(w->p, w->v, victim);
		any |= !is_beyond(w, own, share_of(w, q));
		fl_view_give(w->p, w->v, victim);
	}
	return any;
}

/* Asserts that a look at each child of @n finds the same one, or (FL_NONE) none that passes. */
static void check_choice(struct fl_fair_walk *w, uint32_t n, uint32_t chosen)
{
	uint32_t own = is_on_path(w, n) ? marks_of(w, n)->below : FL_NONE, c, q;

	if (own != FL_NONE && !reclaims(w))
		return;
	look_at_children(w, n, &c, &q);
	/* Each queue that was skipped comes before the one that is chosen. */
	for (; q != FL_NONE && own != FL_NONE && is_pruned(w, own) && q != chosen && q != own &&
	       larger(w, c, q) == q;
	     look_at_children(w, n, &c, &q)) {
		FL_CHECK(leaves_out(w) && !passes_any(w, own, q));
		prune(w, q);
	}
	if (chosen != FL_NONE || own == FL_NONE) {
		FL_CHECK(larger(w, c, q) == chosen);
		return;
	}
	FL_CHECK(c == FL_NONE || is_beyond(w, own, share_of(w, c)));
	FL_CHECK(q == FL_NONE || !passes_any(w, own, q));
}
#endif

/* The child of @n with the largest share among those that have candidates; FL_NONE: none has. */
static uint32_t choose(struct fl_fair_walk *w, uint32_t n)
{
	uint32_t cohort, queue;

	if (is_thorough(w))
		look_at_children(w, n, &cohort, &queue);
	else
		largest_children(w, n, &cohort, &queue);
#ifdef FL_CHECKED
	if (!is_thorough(w))
		check_choice(w, n, larger(w, cohort, queue));
#endif
	return larger(w, cohort, queue);
}

void fl_fair_walk_begin(struct fl_fair_walk *w, enum fl_fair_pass pass, enum fl_fair_rule rule)
{
	w->pass = pass;
	w->rule = rule;
	w->left_out |= pass == FL_FAIR_FIRST_PASS && !is_thorough(w) && leaves_out(w);
	w->s->pass++;
	if (!is_thorough(w))
		fl_borrowers_begin(w->p, w->v);
}

struct fl_node fl_fair_walk_next(struct fl_fair_walk *w)
{
	const struct fl_tree *t = &w->p->tree;
	uint32_t n = t->root[w->ask->queue.v];

	w->n_refused = 0;
	if (!t->is_cohort[n])
		return (struct fl_node){ first_of(w, n) == FL_NONE ? FL_NONE : n };
	while (n != FL_NONE) {
		uint32_t child = choose(w, n);

		if (child == FL_NONE) {
			prune(w, n);
			n = t->parent[n];
		} else if (t->is_cohort[child]) {
			n = child;
		} else {
			return (struct fl_node){ child };
		}
	}
	return (struct fl_node){ FL_NONE };
}

/* --- hopeless by a quick check? --- */

/* The share of @n with @amount of @column more. */
static struct fl_drs share_with(const struct fl_policy *p, const struct fl_view *v, uint32_t n,
				struct fl_column column, fl_amount amount)
{
	const struct fl_drs_extra extra = { column, amount };

	return fl_drs_with(&p->tree, &v->usage, (struct fl_node){ n }, &extra, 1);
}

/* Is @own, by both rules, above @n, another child of the same cohort?  True if that is FL_NONE. */
static bool is_above(const struct fl_policy *p, struct fl_view *v, const struct fl_drs *own,
		     struct fl_node n)
{
	const struct fl_drs *other = n.v == FL_NONE ? NULL : fl_view_drs(p, v, n);

	/* Where S2-a refuses against the share with the victim, S2-b refuses too. */
	return !other || !fl_s2a_holds(own, other);
}

bool fl_fair_hopeless(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	const struct fl_tree *t = &p->tree;
	struct fl_column column = ask->uses[0].column;
	fl_amount amount = ask->uses[0].amount;
	size_t at = fl_tree_cell(t, ask->queue, column);
	bool within = fl_sat_add(v->usage.cell[at], amount) <= t->subtree[at] &&
		      !p->model->settings.off[FL_GATE_PREEMPT_WITHIN_NOMINAL];

	if (!fl_s2a_has_bounds(&v->usage) || ask->n != 1)
		return false;
	fl_borrowers_begin(p, v);
	for (uint32_t own = ask->queue.v, n = t->parent[own]; n != FL_NONE;
	     own = n, n = t->parent[n]) {
		struct fl_node cohort = fl_borrowers_top(p, v, n, FL_BORROWER_COHORT, own);
		struct fl_node queue = fl_borrowers_top(p, v, n, FL_BORROWER_QUEUE, own);
		struct fl_drs share = share_with(p, v, own, column, amount);

		/* Within its quota it may preempt in each queue that borrows. */
		if (within && (cohort.v != FL_NONE || queue.v != FL_NONE))
			return false;
		if (!is_above(p, v, &share, cohort) || !is_above(p, v, &share, queue))
			return false;
		amount = fl_amount_max(
			0, fl_sat_sub(amount,
				      fl_quota_local_available(t, &v->usage,
							       (struct fl_node){ own }, column)));
	}
	return true;
}
