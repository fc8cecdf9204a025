/* SPDX-License-Identifier: Apache-2.0 */
/* rung_state - standings of workloads: entered, undone, found again, saved, carried over */
#include "decide/borrow/guarantee/rung_state.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/sort.h"

/* --- what is guaranteed, and used --- */

/*
 * In @cells, begins or ceases to count @uses at @q as within what is guaranteed; @undo may be
 * NULL.
 */
static void count(const struct fl_policy *p, fl_amount *cells, struct fl_undo *undo,
		  struct fl_node q, uint32_t within, const struct fl_use *uses, uint32_t n_uses,
		  int sign)
{
	const struct fl_tree *t = &p->tree;

	for (uint32_t n = q.v; t->parent[n] != FL_NONE; n = t->parent[n])
		for (uint32_t i = 0; i < n_uses && t->depth[n] <= within; i++) {
			fl_amount *cell = &cells[t->row[n] + uses[i].column.v];

			if (undo)
				fl_undo_note(undo, cell, sizeof *cell);
			/*
			 * Modulo 2^64: above queues that lend nothing the sum may exceed the range
			 * (fl_rung_of).
			 */
			*cell = (fl_amount)((uint64_t)*cell +
					    (uint64_t)sign * (uint64_t)uses[i].amount);
		}
}

static void count_holder(struct fl_policy *p, uint32_t w, int sign)
{
	const struct fl_job *j = &p->jobs[w];

	if (p->tree.root_index[j->held_by.v] != FL_NONE)
		count(p, p->rungs->guaranteed, &p->undo, j->held_by, p->rungs->within[w],
		      fl_uses(p, j), j->n_use, sign);
}

void fl_rung_count_victims(struct fl_policy *p, const struct fl_entry *e, int sign)
{
	for (uint32_t i = 0; i < e->n_targets; i++) {
		uint32_t w = e->targets[i].workload.v;
		const struct fl_job *j = &p->jobs[w];

		if (j->state != FL_STATE_EVICTING) /* an evicting one does not count any more */
			count(p, p->rungs->joined, /* undo= */ NULL, j->held_by,
			      p->rungs->within[w], fl_uses(p, j), j->n_use, sign);
	}
}

void fl_rung_join(struct fl_policy *p, const struct fl_entry *e, bool joins)
{
	if (!p->rungs)
		return;
	count(p, p->rungs->joined, /* undo= */ NULL, e->queue,
	      e->standing ? e->standing->within : p->rungs->within[e->workload.v],
	      e->assignment.uses, e->assignment.n_uses, joins ? 1 : -1);
	fl_rung_count_victims(p, e, joins ? -1 : +1);
}

/* --- entering --- */

static void stand(struct fl_policy *p, uint32_t w, struct fl_node q, const struct fl_rung_place *s)
{
	struct fl_rungs *k = p->rungs;
	uint32_t depth = p->tree.depth[q.v];

	FL_SET(p, k->within[w], s->within);
	for (uint32_t d = s->within + 1; d <= depth; d++) {
		size_t bytes = fl_tree_root_of(&p->tree, q)->n_columns * sizeof(fl_amount);

		fl_undo_note(&p->undo, fl_rung_base(p, w, d), (uint32_t)bytes);
		memcpy(fl_rung_base(p, w, d), s->base + (size_t)(d - 1) * k->columns, bytes);
	}
}

void fl_rung_promise(struct fl_policy *p, const struct fl_entry *e)
{
	uint32_t w = e->workload.v;

	if (!p->rungs || !e->standing)
		return;
	stand(p, w, e->queue, e->standing);
	if (!e->standing->forgiven)
		return;
	FL_SET(p, p->rungs->forgiven[w], 1);
	FL_SET(p, p->rungs->yielded[w], (struct fl_yielded){ .to = FL_NONE });
}

void fl_rung_enter(struct fl_policy *p, const struct fl_entry *e)
{
	if (!p->rungs)
		return;
	fl_rung_promise(p, e);
	count(p, p->rungs->guaranteed, &p->undo, e->queue, p->rungs->within[e->workload.v],
	      e->assignment.uses, e->assignment.n_uses, +1);
}

/* From now on @victim asks at that depth on no lower rung than @e stands on. */
static void raise(struct fl_policy *p, const struct fl_entry *e, uint32_t victim, uint32_t depth)
{
	struct fl_rungs *k = p->rungs;
	struct fl_yielded to = { e->workload.v, k->lives[e->workload.v] };
	struct fl_rung *least = &k->least[fl_rung_place(p, victim, depth)];
	const struct fl_rung *of = &e->standing->rungs[depth - 1];

	for (uint32_t d = 1; d <= k->depth && !fl_rung_has_yielded(p, victim); d++)
		FL_SET(p, k->least[fl_rung_place(p, victim, d)],
		       (struct fl_rung){ .kind = FL_WITHIN });
	FL_SET(p, k->yielded[victim], to);
	if (fl_rung_cmp(of, least) > 0)
		FL_SET(p, *least, *of);
}

#ifdef FL_CHECKED
/*
 * Asserts the lemma (README.md): a victim that yields nothing is, at the first node where the
 * rungs differ, on a higher rung than the preemptor, or comes after it in their queue.
 */
static void check_lemma(struct fl_policy *p, const struct fl_entry *e, uint32_t victim,
			struct fl_node both)
{
	const struct fl_job *v = &p->jobs[victim], *j = &p->jobs[e->workload.v];
	bool own = v->held_by.v == e->queue.v;
	uint32_t last = p->tree.depth[both.v] + !own;
	int order = 0;

	for (uint32_t d = 1; d <= last && order == 0; d++) {
		struct fl_node n = v->held_by;
		struct fl_rung its;

		while (p->tree.depth[n.v] > d)
			n.v = p->tree.parent[n.v];
		its = fl_rung_of(p, victim, n);
		order = fl_rung_cmp(&e->standing->rungs[d - 1], &its);
	}
	if (order == 0 && own)
		order = j->priority > v->priority ||
					(j->priority == v->priority && j->since < v->since) ?
				-1 :
				1;
	FL_CHECK(order < 0);
}
#endif

bool fl_rung_yield(struct fl_policy *p, const struct fl_entry *e, uint32_t victim)
{
	struct fl_node both = fl_tree_lca(&p->tree, e->queue, p->jobs[victim].held_by);
	bool yields = false;

	for (uint32_t n = both.v; p->tree.parent[n] != FL_NONE; n = p->tree.parent[n]) {
		uint32_t depth = p->tree.depth[n];
		struct fl_rung its = fl_rung_of(p, victim, (struct fl_node){ n });

		if (fl_rung_cmp(&e->standing->rungs[depth - 1], &its) <= 0)
			continue;
		raise(p, e, victim, depth);
		yields = true;
	}
#ifdef FL_CHECKED
	if (!yields)
		check_lemma(p, e, victim, both);
#endif
	return yields;
}

/* Within nowhere, it counts nowhere as within what is guaranteed. */
void fl_rung_arrive(struct fl_policy *p, struct fl_workload w)
{
	if (p->rungs)
		FL_SET(p, p->rungs->within[w.v], 0);
}

void fl_rung_leave(struct fl_policy *p, struct fl_workload w)
{
	if (p->rungs && p->jobs[w.v].state != FL_STATE_EVICTING)
		count_holder(p, w.v, -1);
}

void fl_rung_gone(struct fl_policy *p, struct fl_workload w)
{
	if (!p->rungs)
		return;
	FL_SET(p, p->rungs->lives[w.v], p->rungs->lives[w.v] + 1);
	FL_SET(p, p->rungs->yielded[w.v], (struct fl_yielded){ .to = FL_NONE });
	FL_SET(p, p->rungs->forgiven[w.v], 0);
}

/*
 * Room in the undo log for a change of one standing: the depth down to which it is within, and its
 * bases.
 */
static size_t standing_undo(const struct fl_rungs *k)
{
	return FL_UNDO_OF(k->within[0]) +
	       k->depth * (FL_UNDO_NOTE + k->columns * sizeof k->base[0]);
}

size_t fl_rung_undo(const struct fl_policy *p, uint32_t uses)
{
	const struct fl_rungs *k = p->rungs;
	const size_t level = 2 * FL_UNDO_OF(k->least[0]) + FL_UNDO_OF(k->yielded[0]) +
			     uses * FL_UNDO_OF(k->guaranteed[0]);

	return k ? standing_undo(k) + k->depth * level + FL_UNDO_OF(k->forgiven[0]) +
			       FL_UNDO_OF(k->yielded[0]) + FL_UNDO_OF(k->lives[0]) :
		   0;
}

/* --- found again --- */

static int cmp_admitted(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	if (x->reserved_at != y->reserved_at)
		return x->reserved_at < y->reserved_at ? -1 : 1;
	return fl_cmp_uids(p, a, b);
}

/* The workloads that hold quota in a tree, in the order of their admission. */
static uint32_t holders(struct fl_policy *p, uint32_t root)
{
	struct fl_span queues = p->tree.queues[root];
	uint32_t n = 0;

	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		const struct fl_backlog *backlog = &p->backlogs[p->tree.queue_ids[i]];

		for (uint32_t k = 0; k < backlog->n_holders; k++)
			p->rungs->order[n++] = p->holders[backlog->holders.first + k];
	}
	fl_sort(p->rungs->order, n, p->sort_scratch, cmp_admitted, p);
	return n;
}

void fl_rung_renew(struct fl_policy *p, struct fl_view *v, uint32_t root)
{
	uint32_t n;

	if (!p->rungs)
		return;
#ifdef FL_CHECKED
	fl_rung_check_changed(p);
#endif
	n = holders(p, root);
	fl_usage_copy(&v->usage, &p->usage, &p->tree);
	for (uint32_t i = n; i-- > 0;) {
		fl_rung_leave(p, (struct fl_workload){ p->rungs->order[i] });
		fl_view_take(p, v, (struct fl_workload){ p->rungs->order[i] });
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = p->rungs->order[i];
		const struct fl_job *j = &p->jobs[w];
		struct fl_ask ask = { { w }, j->held_by, fl_uses(p, j), NULL, j->n_use };

		fl_rung_find(p, v, &ask, &p->rungs->found);
		stand(p, w, j->held_by, &p->rungs->found);
		if (j->state == FL_STATE_EVICTING)
			continue;
		count_holder(p, w, +1);
		fl_view_give(p, v, (struct fl_workload){ w });
	}
}

static uint32_t n_holders(const struct fl_policy *p, uint32_t root, uint32_t *ret_uses)
{
	struct fl_span queues = p->tree.queues[root];
	uint32_t n = 0;

	*ret_uses = 0;
	for (uint32_t i = queues.first; i < queues.first + queues.n; i++) {
		const struct fl_backlog *backlog = &p->backlogs[p->tree.queue_ids[i]];

		for (uint32_t k = 0; k < backlog->n_holders; k++)
			*ret_uses += p->jobs[p->holders[backlog->holders.first + k]].n_use;
		n += backlog->n_holders;
	}
	return n;
}

int fl_rung_reserve_renewal(struct fl_policy *p, uint32_t root, size_t room, fairlead_error *err)
{
	const struct fl_rungs *k = p->rungs;
	uint32_t uses, n;

	if (k && p->undo.marks && root != FL_NONE) {
		n = n_holders(p, root, &uses);
		room += n * standing_undo(k) +
			2 * (size_t)k->depth * uses * FL_UNDO_OF(k->guaranteed[0]);
	}
	return fl_undo_reserve(&p->undo, room, err);
}

/* --- is it valid? --- */

static bool is_depth(const struct fl_policy *p, const void *row)
{
	return *(const uint32_t *)row <= p->rungs->depth;
}

static bool is_rung(const struct fl_policy *p, const void *row)
{
	const struct fl_rung *r = row;

	(void)p;
	return r->kind <= FL_BORROWS && !isnan(r->weighted) && !isnan(r->ratio);
}

static bool is_yielded(const struct fl_policy *p, const void *row)
{
	uint32_t to = ((const struct fl_yielded *)row)->to;

	return to == FL_NONE || to < p->model->n_workloads;
}

static bool is_flag(const struct fl_policy *p, const void *row)
{
	(void)p;
	return *(const uint8_t *)row <= 1;
}

int fl_rung_setup(struct fl_policy *p, fairlead_error *err)
{
	uint32_t jobs = p->places;
	struct fl_arena *a = &p->arena;
	struct fl_rungs *k;
	uint64_t places;
	int r;

	if (!p->model->settings.settles)
		return 0;
	k = fl_arena_alloc(a, 1, sizeof *k, err);
	if (!k)
		return FAIRLEAD_ENOMEM;
	for (uint32_t n = 0; n < p->tree.n_nodes; n++)
		if (p->tree.root_index[n] != FL_NONE && k->depth < p->tree.depth[n])
			k->depth = p->tree.depth[n];
	k->columns = fl_tree_most_columns(&p->tree);
	places = (uint64_t)jobs * k->depth;
	const struct fl_kept all[] = {
		FL_KEPT(k->within, jobs, "rung.within", is_depth),
		FL_KEPT(k->base, places * k->columns, "rung.base", NULL),
		FL_KEPT(k->least, places, "rung.least", is_rung),
		FL_KEPT(k->yielded, jobs, "rung.yielded", is_yielded),
		FL_KEPT(k->forgiven, jobs, "rung.forgiven", is_flag),
		FL_KEPT(k->lives, jobs, "rung.lives", NULL),
		FL_ROOM(k->guaranteed, p->tree.cells),
		FL_ROOM(k->joined, p->tree.cells),
		FL_ROOM(k->row, k->columns),
		FL_ROOM(k->found.base, (uint64_t)k->depth * k->columns),
		FL_ROOM(k->found.rungs, k->depth),
		FL_ROOM(k->order, jobs),
	};
	if ((r = fl_kept_new(&k->kept, all, sizeof all / sizeof *all, a, err)) < 0)
		return r;
	for (uint32_t w = 0; w < jobs; w++)
		k->yielded[w].to = FL_NONE;
	p->rungs = k;
#ifdef FL_CHECKED
	return fl_rung_check_setup(p, err);
#else
	return 0;
#endif
}

/* --- digest, save and load --- */

static void spell_standing(const struct fl_policy *p, uint32_t w, struct fl_node q, fl_word *word,
			   void *user)
{
	word(user, p->rungs->within[w]);
	for (uint32_t d = p->rungs->within[w] + 1; d <= p->tree.depth[q.v]; d++)
		for (uint32_t c = 0; c < fl_tree_root_of(&p->tree, q)->n_columns; c++)
			word(user, (uint64_t)fl_rung_base(p, w, d)[c]);
}

static void spell_least(const struct fl_policy *p, uint32_t w, fl_word *word, void *user)
{
	for (uint32_t d = 1; d <= p->rungs->depth; d++) {
		const struct fl_rung *r = &p->rungs->least[fl_rung_place(p, w, d)];
		uint64_t bits[2];

		memcpy(bits, r, sizeof bits);
		word(user, r->kind);
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
		bool yields = fl_rung_has_yielded(p, w);

		word(user, (uint64_t)p->rungs->forgiven[w] << 33 | (uint64_t)stands << 32 |
				   (yields ? p->rungs->yielded[w].to : FL_NONE));
		if (stands)
			spell_standing(p, w, q, word, user);
		if (yields)
			spell_least(p, w, word, user);
	}
}

int fl_rung_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	return p->rungs ? fl_kept_save(&p->rungs->kept, w, err) : 0;
}

int fl_rung_restore(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	int r = p->rungs ? fl_kept_load(&p->rungs->kept, p, i, err) : 0;

	if (r < 0 || !p->rungs)
		return r;
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		if (fl_holds_quota(&p->jobs[w]) && p->jobs[w].state != FL_STATE_EVICTING)
			count_holder(p, w, +1);
#ifdef FL_CHECKED
	p->rungs->changed = true; /* perhaps before it was saved; an image may say anything */
#endif
	return 0;
}

/* --- carried into another policy --- */

/* Carries the standing of @w, which holds or is promised quota of @q in the old policy. */
static void carry_standing(struct fl_policy *p, const struct fl_adopting *a, uint32_t w,
			   struct fl_node q)
{
	uint32_t was = a->is.was[w].v;

	p->rungs->within[w] = a->from->rungs->within[was];
	for (uint32_t d = p->rungs->within[w] + 1; d <= a->from->tree.depth[q.v]; d++)
		for (uint32_t c = 0; c < fl_tree_root_of(&a->from->tree, q)->n_columns; c++) {
			struct fl_column column = fl_adopting_column(a, p, q,
								     (struct fl_column){ c });

			if (column.v != FL_NONE)
				fl_rung_base(p, w, d)[column.v] = fl_rung_base(a->from, was, d)[c];
		}
}

/* Carries the floors of @w, which count while the workload to which it yielded has not ended. */
static void carry_yield(struct fl_policy *p, const struct fl_adopting *a, uint32_t w)
{
	const struct fl_rungs *from = a->from->rungs;
	uint32_t was = a->is.was[w].v, depth = from->depth;
	struct fl_yielded to = from->yielded[was];

	to.to = a->is.workloads[to.to];
	if (to.to == FL_NONE)
		return; /* that one has ended */
	p->rungs->yielded[w] = to;
	for (uint32_t d = 1; d <= depth && d <= p->rungs->depth; d++)
		p->rungs->least[fl_rung_place(p, w, d)] =
			from->least[fl_rung_place(a->from, was, d)];
}

static void carry_rungs(struct fl_policy *p, const struct fl_adopting *a, uint32_t w)
{
	uint32_t was = a->is.was[w].v;
	const struct fl_job *j = &p->jobs[w], *x = &a->from->jobs[was];
	struct fl_node q = fl_holds_quota(x) ? x->held_by : x->queue;
	uint32_t is = fl_adopted(a->is.nodes, q.v);
	bool nowhere = q.v == FL_NONE && j->queue.v == FL_NONE;
	bool in_place = nowhere || (is != FL_NONE && a->in_place[is]);

	p->rungs->lives[w] = a->from->rungs->lives[was];
	p->rungs->forgiven[w] = a->from->rungs->forgiven[was];
	if (in_place && fl_rung_has_yielded(a->from, was))
		carry_yield(p, a, w);
	if (in_place && (fl_holds_quota(j) || j->promised))
		carry_standing(p, a, w, q);
}

void fl_rung_adopt(struct fl_policy *p, struct fl_view *room, const struct fl_adopting *a)
{
	struct fl_rungs *k = p->rungs;

	if (!k)
		return;
#ifdef FL_CHECKED
	k->changed = !a->from->rungs || a->from->rungs->changed;
#endif
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		if (a->is.was[w].v != FL_NONE && a->from->rungs)
			carry_rungs(p, a, w);
		if (fl_holds_quota(&p->jobs[w]) && p->jobs[w].state != FL_STATE_EVICTING)
			count_holder(p, w, +1);
	}
	for (uint32_t root = 0; root < p->tree.n_roots; root++)
		if (a->reranked[root] || !a->from->rungs)
			fl_rung_renew(p, room, root);
}
