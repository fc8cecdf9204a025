/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/guarantee/rung.h"

#include <math.h>
#include <string.h>

#include "decide/borrow/guarantee/going.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung_state.h"

int fl_rung_cmp(const struct fl_rung *a, const struct fl_rung *b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind ? 1 : -1;
	if (a->weighted != b->weighted)
		return a->weighted > b->weighted ? 1 : -1;
	return isinf(a->weighted) ? (a->ratio > b->ratio) - (a->ratio < b->ratio) : 0;
}

bool fl_rung_has_yielded(const struct fl_policy *p, uint32_t w)
{
	const struct fl_yielded *y = &p->rungs->yielded[w];

	return y->to != FL_NONE && p->rungs->lives[y->to] == y->life;
}

struct fl_rung fl_rung_raised(const struct fl_policy *p, uint32_t w, uint32_t depth,
			      struct fl_rung found)
{
	const struct fl_rung *least = &p->rungs->least[fl_rung_place(p, w, depth)];

	return fl_rung_has_yielded(p, w) && fl_rung_cmp(least, &found) > 0 ? *least : found;
}

/* Is it in the plan: does it hold quota and is not evicting, or is it promised quota? */
static bool is_planned(const struct fl_job *j)
{
	return j->promised || (fl_holds_quota(j) && j->state != FL_STATE_EVICTING);
}

/*
 * Once in its life a workload that is within the quota of its queue asks as if it never yielded,
 * while the workload to which it yielded is pending. (If this were allowed more often, a
 * preemption loop would be possible: README.md.)
 */
static bool is_forgiven(const struct fl_policy *p, uint32_t w)
{
	return fl_rung_has_yielded(p, w) && !fl_holds_quota(&p->jobs[w]) &&
	       !p->rungs->forgiven[w] && !is_planned(&p->jobs[p->rungs->yielded[w].to]);
}

/* --- what is guaranteed --- */

/* What goes beyond the quota of @n when each node below uses its own quota first. */
static fl_amount spills(const struct fl_policy *p, const struct fl_view *v, uint32_t n,
			struct fl_column column)
{
	const struct fl_tree *t = &p->tree;
	size_t at = fl_tree_cell(t, (struct fl_node){ n }, column);
	struct fl_span children = t->children[n];
	fl_amount sum = t->is_cohort[n] ? 0 : v->usage.cell[at];

	if (t->nominal[at] == FL_UNLIMITED)
		return 0;
	for (uint32_t i = children.first; i < children.first + children.n; i++)
		sum = fl_sat_add(sum, spills(p, v, t->child_ids[i], column));
	return fl_amount_max(0, fl_sat_sub(sum, t->nominal[at]));
}

/*
 * Did @w yield at a node on its path of this depth or less?  Then it is WITHIN at no node of this
 * depth.
 */
static bool yielded_down_to(const struct fl_policy *p, uint32_t w, uint32_t depth)
{
	bool yielded = false;

	for (uint32_t d = 1; d <= depth && fl_rung_has_yielded(p, w); d++)
		yielded |= p->rungs->least[fl_rung_place(p, w, d)].kind != FL_WITHIN;
	return yielded;
}

/*
 * Is @ask within the quota of @n, given that it is not within that of the child of @n on its path?
 */
static bool is_within(const struct fl_policy *p, const struct fl_view *v, const struct fl_ask *ask,
		      uint32_t n)
{
	const struct fl_tree *t = &p->tree;

	for (uint32_t i = 0; i < ask->n; i++) {
		struct fl_column column = ask->uses[i].column;

		if (ask->uses[i].amount <= 0)
			continue;
		/* A cohort without quota of its own gives none to what spills over below it. */
		if (t->is_cohort[n] &&
		    t->nominal[fl_tree_cell(t, (struct fl_node){ n }, column)] == 0)
			return false;
		if (spills(p, v, n, column) > 0)
			return false;
	}
	return true;
}

/* --- rungs --- */

/*
 * The rung at @n of a workload that is not within there and uses @uses, if usage there were @row.
 */
static struct fl_rung beyond(const struct fl_policy *p, uint32_t w, const struct fl_use *uses,
			     uint32_t n_uses, struct fl_node n, const fl_amount *row)
{
	const struct fl_job *j = &p->jobs[w];
	struct fl_rung r = { .kind = FL_LENT };
	struct fl_drs drs;

	for (uint32_t i = 0; i < n_uses; i++)
		if (uses[i].amount > 0 &&
		    row[uses[i].column.v] >
			    p->tree.subtree[fl_tree_cell(&p->tree, n, uses[i].column)])
			r.kind = FL_BORROWS;
	if (r.kind == FL_LENT)
		return r;
	if (!p->model->settings.fair_sharing) {
		r.weighted = -(double)j->priority;
	} else if (j->queue.v != FL_NONE && /* else it holds, but is in no queue */
		   fl_protect_overrules(p, (struct fl_workload){ w })) {
		r.kind = FL_OVERRULES;
		r.weighted = -(double)j->priority;
	} else {
		drs = fl_drs_at(&p->tree, n, row);
		r.weighted = drs.weighted;
		r.ratio = drs.ratio;
	}
	return r;
}

struct fl_rung fl_rung_with(struct fl_policy *p, uint32_t w, const struct fl_use *uses,
			    uint32_t n_uses, struct fl_node n, const fl_amount *base,
			    const fl_amount *within)
{
	struct fl_rungs *k = p->rungs;
	uint32_t columns = fl_tree_root_of(&p->tree, n)->n_columns;
	struct fl_rung found = { .kind = FL_WITHIN };

	if (base) {
		for (uint32_t c = 0; c < columns; c++) {
			fl_amount theirs = within[p->tree.row[n.v] + c];

			/* A sum that wrapped counts as the largest amount. */
			k->row[c] = fl_sat_add(base[c], theirs < 0 ? INT64_MAX : theirs);
		}
		found = beyond(p, w, uses, n_uses, n, k->row);
	}
	return found;
}

struct fl_rung fl_rung_of(struct fl_policy *p, uint32_t w, struct fl_node n)
{
	const struct fl_rungs *k = p->rungs;
	const struct fl_job *j = &p->jobs[w];
	uint32_t depth = p->tree.depth[n.v];

	return fl_rung_raised(p, w, depth,
			      fl_rung_with(p, w, fl_uses(p, j), j->n_use, n,
					   depth > k->within[w] ? fl_rung_base(p, w, depth) : NULL,
					   k->guaranteed));
}

/* What is known of a workload that asks, from its queue up to some node: is it within there? */
struct asking {
	bool within;   /* within, leaving aside that it yielded */
	bool forgiven; /* within at its queue, and it yielded, which does not count this once */
};

/*
 * The rung at @n on which @ask, which is in @v, asks; @a is that of the child of @n before the
 * call, that of @n after it.
 */
static struct fl_rung asks_at(const struct fl_policy *p, const struct fl_view *v,
			      const struct fl_ask *ask, uint32_t n, struct asking *a)
{
	struct fl_rung found = { .kind = FL_WITHIN };
	uint32_t w = ask->workload.v;

	a->within = a->within || is_within(p, v, ask, n);
	if (n == ask->queue.v)
		a->forgiven = a->within && is_forgiven(p, w);
	if (a->forgiven)
		return found;
	if (!a->within || yielded_down_to(p, w, p->tree.depth[n]))
		found = beyond(p, w, ask->uses, ask->n, (struct fl_node){ n },
			       v->usage.cell + p->tree.row[n]);
	return fl_rung_raised(p, w, p->tree.depth[n], found);
}

/*
 * What is used at @n by workloads that are not within there, that of the asking workload included.
 */
static void find_base(const struct fl_policy *p, const struct fl_view *v, uint32_t n,
		      fl_amount *base)
{
	const struct fl_rungs *k = p->rungs;

	for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, (struct fl_node){ n })->n_columns; c++) {
		size_t at = p->tree.row[n] + c;

		base[c] = fl_sat_sub(v->usage.cell[at],
				     fl_sat_add(k->guaranteed[at], k->joined[at]));
	}
}

void fl_rung_find(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
		  struct fl_rung_place *ret)
{
	struct asking a = { .within = false };

	ret->within = 0;
	fl_view_add(p, v, ask);
	for (uint32_t n = ask->queue.v; p->tree.parent[n] != FL_NONE; n = p->tree.parent[n]) {
		uint32_t depth = p->tree.depth[n];

		ret->rungs[depth - 1] = asks_at(p, v, ask, n, &a);
		if (ret->rungs[depth - 1].kind != FL_WITHIN)
			find_base(p, v, n, ret->base + (size_t)(depth - 1) * p->rungs->columns);
		else if (ret->within == 0)
			ret->within = depth;
	}
	ret->forgiven = a.forgiven;
	fl_view_sub(p, v, ask);
}

/* --- asked by the rules --- */

/* A rung does not protect a workload that is evicting already, or one of the same queue. */
static bool is_free_to_go(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim)
{
	const struct fl_job *j = &p->jobs[victim];

	return !p->rungs || j->state == FL_STATE_EVICTING || j->held_by.v == ask->queue.v;
}

static struct fl_number number(const struct fl_rung *r)
{
	return (struct fl_number){ .kind = FL_NUMBER_SHARE,
				   .share = r->kind == FL_BORROWS ? r->weighted : 0 };
}

/* Is the rung of @victim above @ours, at the node below the lowest common ancestor? */
static bool goes(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		 uint32_t victim, const struct fl_rung *ours)
{
	struct fl_node side = fl_tree_almost_lca(&p->tree, p->jobs[victim].held_by, ask->queue);
	struct fl_rung its = fl_rung_of(p, victim, side);
	bool holds = fl_rung_cmp(ours, &its) < 0;

	if (!holds && fl_tell_of_victims(t))
		fl_tell_of(p, t, ask, (struct fl_column){ FL_NONE },
			   (struct fl_evidence){ .check = FL_CHECK_RUNG,
						 .node = side,
						 .victim = { victim },
						 .lhs = number(ours),
						 .rhs = number(&its),
						 .holds = false });
	return holds;
}

bool fl_rung_may_go(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		    uint32_t victim, enum fl_cause cause)
{
	struct fl_rung lowest = { .kind = FL_WITHIN };

	if (is_free_to_go(p, ask, victim))
		return true;
	if (cause == FL_CAUSE_RECLAIM_BORROWING)
		lowest = (struct fl_rung){
			.kind = p->model->settings.fair_sharing ? FL_OVERRULES : FL_BORROWS,
			.weighted = -(double)p->jobs[ask->workload.v].priority,
		};
	return goes(p, t, ask, victim, &lowest);
}

bool fl_rung_passes(struct fl_policy *p, const struct fl_teller *t, const struct fl_view *v,
		    const struct fl_ask *ask, uint32_t victim)
{
	struct fl_node side;
	struct fl_rung ours = { .kind = FL_WITHIN };
	struct asking a = { .within = false };

	if (is_free_to_go(p, ask, victim))
		return true;
	side = fl_tree_almost_lca(&p->tree, ask->queue, p->jobs[victim].held_by);
	for (uint32_t n = ask->queue.v; n != p->tree.parent[side.v]; n = p->tree.parent[n])
		ours = asks_at(p, v, ask, n, &a);
	return goes(p, t, ask, victim, &ours);
}

/* May @ask, standing on @rungs, preempt @victim? */
static bool takes(struct fl_policy *p, const struct fl_teller *t, const struct fl_ask *ask,
		  const struct fl_rung *rungs, uint32_t victim)
{
	struct fl_node side;

	if (is_free_to_go(p, ask, victim))
		return true;
	side = fl_tree_almost_lca(&p->tree, ask->queue, p->jobs[victim].held_by);
	return goes(p, t, ask, victim, &rungs[p->tree.depth[side.v] - 1]);
}

bool fl_rung_all_may_go(struct fl_policy *p, const struct fl_teller *t, struct fl_view *v,
			const struct fl_ask *ask, const struct fl_target *targets, uint32_t n)
{
	if (!p->rungs)
		return true;
	fl_rung_find(p, v, ask, &p->rungs->found);
	for (uint32_t i = 0; i < n; i++)
		if (targets[i].workload.v != FL_NONE &&
		    !takes(p, t, ask, p->rungs->found.rungs, targets[i].workload.v))
			return false;
	return true;
}

static struct fl_rung_place *new_standing(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_rungs *k = p->rungs;
	struct fl_arena *a = &p->cycle_arena;
	struct fl_rung_place *s = fl_arena_alloc(a, 1, sizeof *s, err);

	if (!s)
		return NULL;
	s->rungs = fl_arena_alloc(a, k->depth, sizeof *s->rungs, err);
	s->base = fl_arena_alloc(a, (size_t)k->depth * k->columns, sizeof *s->base, err);
	return s->rungs && s->base ? s : NULL;
}

/* Takes the victims of @e, those of its own queue or all, out of @v, or puts them back. */
static void without_targets(const struct fl_policy *p, const struct fl_marks *marks,
			    struct fl_view *v, const struct fl_entry *e, bool own, bool out)
{
	for (uint32_t i = 0; i < e->n_targets; i++) {
		struct fl_workload w = e->targets[i].workload;
		const struct fl_job *j = &p->jobs[w.v];

		if (j->state == FL_STATE_EVICTING || fl_marks_is_chosen(marks, w.v))
			continue; /* with the evicting ones, or out of the view already */
		if (own && j->held_by.v != e->queue.v)
			continue;
		if (out)
			fl_view_take(p, v, w);
		else
			fl_view_give(p, v, w);
	}
}

/* Takes the victims of @e and all evicting workloads out of the second view, or puts them back. */
static void plan_without(struct fl_policy *p, const struct fl_serving *in, const struct fl_entry *e,
			 bool out)
{
	without_targets(p, in->marks, in->freed, e, /* own= */ false, out);
	fl_going_move(p, in->marks, in->freed, e->queue, out);
}

/* The same for workloads with quota of @e's queue only: its quota is compared with nothing else. */
static void queue_without(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			  const struct fl_entry *e, bool out)
{
	without_targets(p, marks, v, e, /* own= */ true, out);
	fl_going_move_own(p, marks, v, e->queue, out);
}

static bool is_within_queue(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	bool within;

	fl_view_add(p, v, ask);
	within = is_within(p, v, ask, ask->queue.v);
	fl_view_sub(p, v, ask);
	return within;
}

bool fl_rung_is_within_quota(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
			     const struct fl_entry *e)
{
	struct fl_ask ask = fl_entry_ask(e);
	bool within;

	if (!p->rungs || ask.n == 0)
		return false;
	queue_without(p, marks, v, e, /* out= */ true);
	within = is_within_queue(p, v, &ask);
	queue_without(p, marks, v, e, /* out= */ false);
	return within;
}

bool fl_rung_claims(struct fl_policy *p, const struct fl_marks *marks, struct fl_view *v,
		    const struct fl_ask *ask)
{
	bool within;

	fl_going_move_own(p, marks, v, ask->queue, /* out= */ true);
	within = is_within_queue(p, v, ask);
	fl_going_move_own(p, marks, v, ask->queue, /* out= */ false);
	return within;
}

int fl_rung_serve(struct fl_policy *p, const struct fl_serving *in, struct fl_entry *e,
		  fairlead_error *err)
{
	struct fl_ask ask = fl_entry_ask(e);
	int may = 1;

	if (!p->rungs || p->jobs[e->workload.v].promised)
		return 1;
	e->standing = new_standing(p, err);
	if (!e->standing)
		return FAIRLEAD_ENOMEM;
	plan_without(p, in, e, /* out= */ true);
	fl_rung_count_victims(p, e, -1);
	fl_rung_find(p, in->freed, &ask, e->standing);
	fl_rung_count_victims(p, e, +1);
	plan_without(p, in, e, /* out= */ false);
	for (uint32_t i = 0; i < e->n_targets && may; i++)
		may = takes(p, in->tell, &ask, e->standing->rungs, e->targets[i].workload.v);
	return may;
}
