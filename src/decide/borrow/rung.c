/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/rung.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/sort.h"
#include "decide/borrow/image.h"
#include "decide/borrow/preempt.h"
#include "decide/borrow/protect.h"

/*
 * How @w's side stands at a node: within what is its own even if all that others of that side may
 * have is counted as used; within it as long as they leave it; beyond it.
 */
enum { WITHIN, LENT, OVERRULES, BORROWS };

/* Lower ones go before: by kind, then share; infinite shares by ratio. */
struct fl_rung {
	double weighted, ratio; /* those of the share; or less the priority, where that decides */
	uint64_t kind;
};
_Static_assert(sizeof(struct fl_rung) == FL_RUNG_BYTES, "what is reserved to undo one");

/* To whom somebody yielded, and in which of its lives. */
struct yielded {
	uint32_t to, life;
};

/* Rows of `depth`: of a node at depth d of the tree in place d - 1. */
struct fl_rungs {
	uint32_t depth;
	struct fl_rung *of;      /* by workload: of what it holds or is promised */
	struct fl_rung *least;   /* by workload: where it asks at least, while `yielded` counts */
	struct yielded *yielded; /* by workload; to FL_NONE: it did not */
	uint32_t *lives;         /* by workload: how often it was gone for good */
	struct fl_rung *asked;   /* room for one row */
	uint32_t *order;         /* room for all who hold */
};

static int cmp(const struct fl_rung *a, const struct fl_rung *b)
{
	if (a->kind != b->kind)
		return a->kind > b->kind ? 1 : -1;
	if (a->weighted != b->weighted)
		return a->weighted > b->weighted ? 1 : -1;
	return isinf(a->weighted) ? (a->ratio > b->ratio) - (a->ratio < b->ratio) : 0;
}

static struct fl_rung *row(const struct fl_policy *p, struct fl_rung *rows, uint32_t w)
{
	return rows + (size_t)w * p->rungs->depth;
}

static bool has_yielded(const struct fl_policy *p, uint32_t w)
{
	const struct yielded *y = &p->rungs->yielded[w];

	return y->to != FL_NONE && p->rungs->lives[y->to] == y->life;
}

/* --- finding rungs --- */

/* What goes beyond the quota of @n if everybody below first uses what is theirs. */
static fl_amount spills(const struct fl_policy *p, const struct fl_view *v, uint32_t n,
			struct fl_column column)
{
	const struct fl_tree *t = &p->tree;
	size_t at = fl_tree_cell(t, (struct fl_node){ n }, column);
	struct fl_span children = t->children[n];
	fl_amount sum = t->is_cohort[n] ? 0 : v->usage.cell[at];

	for (uint32_t i = children.first; i < children.first + children.n; i++)
		sum = fl_sat_add(sum, spills(p, v, t->child_ids[i], column));
	return t->nominal[at] == FL_UNLIMITED ? 0 :
						fl_amount_max(0, fl_sat_sub(sum, t->nominal[at]));
}

/* Is some node from @q to @n within its own, whatever the others there come to use? */
static bool is_within(const struct fl_policy *p, const struct fl_view *v, uint32_t q, uint32_t n,
		      struct fl_column column)
{
	for (uint32_t at = q; at != p->tree.parent[n]; at = p->tree.parent[at])
		if (spills(p, v, at, column) == 0)
			return true;
	return false;
}

static uint64_t kind_at(const struct fl_policy *p, const struct fl_view *v,
			const struct fl_ask *ask, uint32_t n)
{
	uint64_t kind = WITHIN;

	for (uint32_t i = 0; i < ask->n; i++) {
		size_t at = fl_tree_cell(&p->tree, (struct fl_node){ n }, ask->uses[i].column);

		if (ask->uses[i].amount <= 0 ||
		    is_within(p, v, ask->queue.v, n, ask->uses[i].column))
			continue;
		if (v->usage.cell[at] > p->tree.subtree[at])
			return BORROWS;
		kind = LENT;
	}
	return kind;
}

/* Of @ask, which stands in @v, at @n. */
static struct fl_rung rung_at(const struct fl_policy *p, struct fl_view *v,
			      const struct fl_ask *ask, uint32_t n)
{
	const struct fl_job *j = &p->jobs[ask->workload.v];
	struct fl_rung r = { .kind = kind_at(p, v, ask, n) };
	const struct fl_drs *drs;

	if (r.kind != BORROWS)
		return r;
	if (!p->model->settings.fair_sharing) {
		r.weighted = -(double)j->priority;
	} else if (j->queue.v != FL_NONE && /* else it holds, and is nobody's any more */
		   fl_protect_overrules(p, ask->workload)) {
		r.kind = OVERRULES;
		r.weighted = -(double)j->priority;
	} else {
		drs = fl_view_drs(p, v, (struct fl_node){ n });
		r.weighted = drs->weighted;
		r.ratio = drs->ratio;
	}
	return r;
}

/* Where @ask asks to stand at @n: no lower than that to which it yielded. */
static struct fl_rung asks_at(const struct fl_policy *p, struct fl_view *v,
			      const struct fl_ask *ask, uint32_t n)
{
	uint32_t w = ask->workload.v;
	struct fl_rung found = rung_at(p, v, ask, n);
	const struct fl_rung *least = row(p, p->rungs->least, w) + p->tree.depth[n] - 1;

	return has_yielded(p, w) && cmp(least, &found) > 0 ? *least : found;
}

/* The whole row of @ask, which is not in @v yet. */
static void find(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
		 struct fl_rung *ret)
{
	fl_view_add(p, v, ask);
	for (uint32_t n = ask->queue.v; p->tree.parent[n] != FL_NONE; n = p->tree.parent[n])
		ret[p->tree.depth[n] - 1] = asks_at(p, v, ask, n);
	fl_view_sub(p, v, ask);
}

static int cmp_admitted(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if (x->reserved_at != y->reserved_at)
		return x->reserved_at < y->reserved_at ? -1 : 1;
	return (x->uid_rank > y->uid_rank) - (x->uid_rank < y->uid_rank);
}

/* Who holds quota in a tree, in the order in which they were admitted. */
static uint32_t holders(struct fl_policy *p, uint32_t root)
{
	struct fl_span queues = p->tree.queues[root];
	uint32_t n = 0;

	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		const struct fl_line *line = &p->lines[p->tree.queue_ids[i]];

		for (uint32_t k = 0; k < line->n_holders; k++)
			p->rungs->order[n++] = p->holders[line->holders.first + k];
	}
	fl_sort(p->rungs->order, n, p->sort_scratch, cmp_admitted, p);
	return n;
}

void fl_rung_renew(struct fl_policy *p, uint32_t root)
{
	struct fl_view *v = &p->scratch->s; /* no cycle runs */
	uint32_t n;

	if (!p->rungs)
		return;
	n = holders(p, root);
	fl_usage_copy(&v->usage, &p->usage, &p->tree);
	for (uint32_t i = n; i-- > 0;)
		fl_view_take(p, v, (struct fl_workload){ p->rungs->order[i] });
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = p->rungs->order[i];
		const struct fl_job *j = &p->jobs[w];
		struct fl_ask ask = { { w }, j->held_by, fl_uses(p, j), NULL, j->n_use };
		struct fl_rung *to = row(p, p->rungs->of, w);

		find(p, v, &ask, p->rungs->asked);
		for (uint32_t at = 0; at < p->tree.depth[j->held_by.v]; at++)
			FL_SET(p, to[at], p->rungs->asked[at]);
		fl_view_give(p, v, (struct fl_workload){ w });
	}
}

size_t fl_rung_renew_notes(const struct fl_policy *p, uint32_t root)
{
	struct fl_span queues = p->tree.queues[root];
	size_t n = 0;

	if (!p->rungs || !p->undo.marks)
		return 0;
	for (uint32_t i = queues.first; i < queues.first + queues.n; i++)
		n += p->lines[p->tree.queue_ids[i]].n_holders;
	return n * p->rungs->depth;
}

int fl_rung_setup(struct fl_policy *p, fairlead_error *err)
{
	uint32_t jobs = p->model->n_workloads;
	struct fl_arena *a = &p->arena;
	struct fl_rungs *k;

	if (!p->model->settings.settles)
		return 0;
	k = fl_arena_alloc(a, 1, sizeof *k, err);
	if (!k)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < p->tree.n_nodes; n++)
		if (p->tree.root_index[n] != FL_NONE && k->depth < p->tree.depth[n])
			k->depth = p->tree.depth[n];
	k->of = fl_arena_alloc(a, (size_t)jobs * k->depth, sizeof *k->of, err);
	k->least = fl_arena_alloc(a, (size_t)jobs * k->depth, sizeof *k->least, err);
	k->yielded = fl_arena_alloc(a, jobs, sizeof *k->yielded, err);
	k->lives = fl_arena_alloc(a, jobs, sizeof *k->lives, err);
	k->asked = fl_arena_alloc(a, k->depth, sizeof *k->asked, err);
	k->order = fl_arena_alloc(a, jobs, sizeof *k->order, err);
	if (!k->of || !k->least || !k->yielded || !k->lives || !k->asked || !k->order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < jobs; w++)
		k->yielded[w].to = FL_NONE;
	p->rungs = k;
	return 0;
}

/* --- asked by the rules --- */

/* The last node on the victim's side, and on that of who asks. */
static uint32_t side_of(const struct fl_policy *p, struct fl_node queue, struct fl_node other)
{
	return fl_tree_almost_lca(&p->tree, queue, other).v;
}

/* Who goes already, and who is of the same queue, is not held by a rung. */
static bool is_free_to_go(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim)
{
	const struct fl_job *j = &p->jobs[victim];

	return !p->rungs || j->state == FL_STATE_EVICTING || j->held_by.v == ask->queue.v;
}

static struct fl_number number(const struct fl_rung *r)
{
	return r->kind == BORROWS ?
		       (struct fl_number){ .kind = FL_NUMBER_SHARE, .share = r->weighted } :
		       (struct fl_number){ .kind = FL_NUMBER_SHARE, .share = 0 };
}

static bool goes(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim,
		 const struct fl_rung *ours)
{
	struct fl_node side = { side_of(p, p->jobs[victim].held_by, ask->queue) };
	const struct fl_rung *its = row(p, p->rungs->of, victim) + p->tree.depth[side.v] - 1;
	bool holds = cmp(ours, its) < 0;

	if (!holds && fl_preempt_heard(p))
		fl_preempt_emit(p, ask, (struct fl_column){ FL_NONE },
				(struct fl_evidence){ .check = FL_CHECK_RUNG,
						      .node = side,
						      .victim = { victim },
						      .lhs = number(ours),
						      .rhs = number(its),
						      .holds = false });
	return holds;
}

bool fl_rung_may_go(const struct fl_policy *p, const struct fl_ask *ask, uint32_t victim,
		    enum fl_cause cause)
{
	struct fl_rung lowest = { .kind = WITHIN };

	if (is_free_to_go(p, ask, victim))
		return true;
	if (cause == FL_CAUSE_RECLAIM_BORROWING)
		lowest = (struct fl_rung){
			.kind = p->model->settings.fair_sharing ? OVERRULES : BORROWS,
			.weighted = -(double)p->jobs[ask->workload.v].priority,
		};
	return goes(p, ask, victim, &lowest);
}

bool fl_rung_passes(const struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask,
		    uint32_t victim)
{
	struct fl_rung ours;

	if (is_free_to_go(p, ask, victim))
		return true;
	ours = asks_at(p, v, ask, side_of(p, ask->queue, p->jobs[victim].held_by));
	return goes(p, ask, victim, &ours);
}

/* Standing on @rungs, may @ask have @victim go? */
static bool takes(const struct fl_policy *p, const struct fl_ask *ask, const struct fl_rung *rungs,
		  uint32_t victim)
{
	uint32_t own;

	if (is_free_to_go(p, ask, victim))
		return true;
	own = side_of(p, ask->queue, p->jobs[victim].held_by);
	return goes(p, ask, victim, &rungs[p->tree.depth[own] - 1]);
}

bool fl_rung_all_may_go(struct fl_policy *p, struct fl_view *v, const struct fl_ask *ask)
{
	const struct fl_cycle *c = p->scratch;

	if (!p->rungs)
		return true;
	find(p, v, ask, p->rungs->asked);
	for (uint32_t i = 0; i < c->n_targets; i++)
		if (c->targets[i].workload.v != FL_NONE &&
		    !takes(p, ask, p->rungs->asked, c->targets[i].workload.v))
			return false;
	return true;
}

int fl_rung_serve(struct fl_policy *p, struct fl_entry *e, fairlead_error *err)
{
	struct fl_ask ask = { e->workload, e->queue, e->assignment.uses, e->assignment.needs,
			      e->assignment.n_uses };
	struct fl_view *v = &p->scratch->freed;
	int holds = 1;

	if (!p->rungs || p->jobs[e->workload.v].promised)
		return 1;
	e->rungs = fl_arena_alloc(&p->cycle_arena, p->rungs->depth, sizeof *e->rungs, err);
	if (!e->rungs)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < e->n_targets; i++)
		fl_view_take(p, v, e->targets[i].workload);
	find(p, v, &ask, e->rungs);
	for (uint32_t i = e->n_targets; i-- > 0;)
		fl_view_give(p, v, e->targets[i].workload);
	for (uint32_t i = 0; i < e->n_targets && holds; i++)
		holds = takes(p, &ask, e->rungs, e->targets[i].workload.v);
	return holds;
}

/* --- what is entered --- */

void fl_rung_enter(struct fl_policy *p, const struct fl_entry *e)
{
	if (!e->rungs)
		return;
	for (uint32_t at = 0; at < p->tree.depth[e->queue.v]; at++)
		FL_SET(p, row(p, p->rungs->of, e->workload.v)[at], e->rungs[at]);
}

/* @victim asks on no lower rung than @e's at place @at. */
static void raise(struct fl_policy *p, const struct fl_entry *e, uint32_t victim, uint32_t at)
{
	struct fl_rungs *k = p->rungs;
	struct fl_rung *least = row(p, k->least, victim);
	struct yielded to = { e->workload.v, k->lives[e->workload.v] };

	for (uint32_t i = 0; i < k->depth && !has_yielded(p, victim); i++)
		FL_SET(p, least[i], (struct fl_rung){ .kind = WITHIN });
	FL_SET(p, k->yielded[victim], to);
	if (cmp(&e->rungs[at], &least[at]) > 0)
		FL_SET(p, least[at], e->rungs[at]);
}

#ifdef FL_CHECKED
/*
 * The lemma (README.md): who yields nothing has its first rung that differs from the preemptor's
 * above that one, or comes after it in their queue.
 */
static void check(const struct fl_policy *p, const struct fl_entry *e, uint32_t victim, bool yields)
{
	const struct fl_job *v = &p->jobs[victim], *j = &p->jobs[e->workload.v];
	const struct fl_rung *its = row(p, p->rungs->of, victim);
	uint32_t at = 0, depth = p->tree.depth[e->queue.v];

	if (yields)
		return;
	if (depth > p->tree.depth[v->held_by.v])
		depth = p->tree.depth[v->held_by.v];
	while (at < depth && cmp(&e->rungs[at], &its[at]) == 0)
		at++;
	if (v->held_by.v != e->queue.v)
		FL_CHECK(at < depth && cmp(&e->rungs[at], &its[at]) < 0);
	else
		FL_CHECK(at < depth ? cmp(&e->rungs[at], &its[at]) < 0 :
				      j->priority > v->priority ||
					      (j->priority == v->priority && j->age < v->age));
}
#endif

void fl_rung_yield(struct fl_policy *p, const struct fl_entry *e, uint32_t victim)
{
	struct fl_node both;
	bool yields = false;

	if (!p->rungs || !e->rungs)
		return;
	both = fl_tree_lca(&p->tree, e->queue, p->jobs[victim].held_by);
	for (uint32_t at = 0; at < p->tree.depth[both.v]; at++)
		if (cmp(&e->rungs[at], &row(p, p->rungs->of, victim)[at]) > 0) {
			raise(p, e, victim, at);
			yields = true;
		}
#ifdef FL_CHECKED
	check(p, e, victim, yields);
#endif
	(void)yields;
}

void fl_rung_gone(struct fl_policy *p, struct fl_workload w)
{
	if (!p->rungs)
		return;
	FL_SET(p, p->rungs->lives[w.v], p->rungs->lives[w.v] + 1);
	FL_SET(p, p->rungs->yielded[w.v], (struct yielded){ .to = FL_NONE });
}

size_t fl_rung_notes(const struct fl_policy *p) { return p->rungs ? 2 * p->rungs->depth + 2 : 0; }

/* --- in words, saved and loaded --- */

static void spell_row(const struct fl_rung *row, uint32_t n, fl_word *word, void *user)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bits[2];

		memcpy(bits, &row[i], sizeof bits);
		word(user, row[i].kind);
		word(user, bits[0]);
		word(user, bits[1]);
	}
}

void fl_rung_spell(const struct fl_policy *p, fl_word *word, void *user)
{
	for (uint32_t w = 0; p->rungs && w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		struct fl_node q = fl_holds_quota(j) ? j->held_by : j->queue;
		bool stands = (fl_holds_quota(j) || j->promised) &&
			      p->tree.root_index[q.v] != FL_NONE;

		word(user, (uint64_t)stands << 32 |
				   (has_yielded(p, w) ? p->rungs->yielded[w].to : FL_NONE));
		if (stands)
			spell_row(row(p, p->rungs->of, w), p->tree.depth[q.v], word, user);
		if (has_yielded(p, w))
			spell_row(row(p, p->rungs->least, w), p->rungs->depth, word, user);
	}
}

static const struct fl_image_kind of_kind = { "rung.of", sizeof(struct fl_rung), 0 };
static const struct fl_image_kind least_kind = { "rung.least", sizeof(struct fl_rung), 0 };
static const struct fl_image_kind yielded_kind = { "rung.yielded", sizeof(struct yielded), 0 };
static const struct fl_image_kind lives_kind = { "rung.lives", sizeof(uint32_t), 0 };

int fl_rung_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	const struct fl_rungs *k = p->rungs;
	uint32_t n = p->model->n_workloads;
	int r;

	if (!k)
		return 0;
	if ((r = fl_image_put(w, &of_kind, k->of, n * k->depth, err)) < 0 ||
	    (r = fl_image_put(w, &least_kind, k->least, n * k->depth, err)) < 0 ||
	    (r = fl_image_put(w, &yielded_kind, k->yielded, n, err)) < 0)
		return r;
	return fl_image_put(w, &lives_kind, k->lives, n, err);
}

static bool are_rungs(const struct fl_rung *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].kind > BORROWS || isnan(row[i].weighted) || isnan(row[i].ratio))
			return false;
	return true;
}

/* Rows of a table that must have @n; @to has room for them. */
static int restore(const struct fl_image *i, const struct fl_image_kind *kind, size_t n, void *to,
		   fairlead_error *err)
{
	const void *rows;
	int r = fl_image_exactly(i, kind, n, &rows, err);

	if (r == 0 && n)
		memcpy(to, rows, n * kind->row);
	return r;
}

int fl_rung_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	struct fl_rungs *k = p->rungs;
	size_t n = p->model->n_workloads;
	int r;

	if (!k)
		return 0;
	if ((r = restore(i, &of_kind, n * k->depth, k->of, err)) < 0 ||
	    (r = restore(i, &least_kind, n * k->depth, k->least, err)) < 0 ||
	    (r = restore(i, &yielded_kind, n, k->yielded, err)) < 0 ||
	    (r = restore(i, &lives_kind, n, k->lives, err)) < 0)
		return r;
	if (!are_rungs(k->of, n * k->depth) || !are_rungs(k->least, n * k->depth))
		return fl_image_damaged(of_kind.name, err);
	for (size_t w = 0; w < n; w++)
		if (k->yielded[w].to != FL_NONE && k->yielded[w].to >= n)
			return fl_image_damaged(yielded_kind.name, err);
	return 0;
}
