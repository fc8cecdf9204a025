/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/doors/adopt.h"

#include <string.h>

#include "base/sort.h"
#include "decide/borrow/afs/afs.h"
#include "decide/borrow/backlog/backlog.h"
#include "decide/borrow/backlog/holders.h"
#include "decide/borrow/backlog/requeue.h"
#include "decide/borrow/cycle/cycle.h"
#include "decide/borrow/doors/image.h"
#include "decide/borrow/doors/setup.h"
#include "decide/borrow/guarantee/protect.h"
#include "decide/borrow/guarantee/rung.h"

/* --- which column is which --- */

static int match_columns(struct fl_adopting *a, const struct fl_policy *p, fairlead_error *err)
{
	const struct fl_tree *t = &a->from->tree;
	uint32_t n = 0;

	a->to_root = fl_arena_alloc(&a->is.arena, t->n_roots, sizeof *a->to_root, err);
	a->first = fl_arena_alloc(&a->is.arena, t->n_roots, sizeof *a->first, err);
	if (!a->to_root || !a->first)
		return FAIRLEAD_ENOMEM;
	for (uint32_t r = 0; r < t->n_roots; r++) {
		a->first[r] = n;
		n += t->roots[r].n_columns;
	}
	a->columns = fl_arena_alloc(&a->is.arena, n, sizeof *a->columns, err);
	if (!a->columns)
		return FAIRLEAD_ENOMEM;
	for (uint32_t r = 0; r < t->n_roots; r++) {
		struct fl_node node = t->roots[r].node;
		uint32_t is = a->is.nodes[node.v];

		a->to_root[r] = is == FL_NONE ? FL_NONE : p->tree.root_index[is];
		for (uint32_t c = 0; a->to_root[r] != FL_NONE && c < t->roots[r].n_columns; c++)
			a->columns[a->first[r] + c] =
				fl_adopting_find_column(a, p, node, (struct fl_column){ c }).v;
	}
	return 0;
}

/* --- quotas, limits and weights that events changed --- */

/* Carries one number that events changed, if both models state the same number. */
static void carry(fl_amount *to, fl_amount given, fl_amount changed)
{
	if (*to == given)
		*to = changed;
}

static void carry_node(struct fl_policy *p, const struct fl_adopting *a,
		       const struct fl_tree *given, struct fl_node n)
{
	const struct fl_tree *from = &a->from->tree;
	struct fl_node is = { fl_adopted(a->is.nodes, n.v) };
	struct fl_tree *t = &p->tree;

	if (is.v == FL_NONE || from->root_index[n.v] == FL_NONE || t->root_index[is.v] == FL_NONE)
		return;
	if (t->weight[is.v] == given->weight[n.v])
		t->weight[is.v] = from->weight[n.v];
	for (uint32_t c = 0; c < fl_tree_root_of(from, n)->n_columns; c++) {
		struct fl_column column = fl_adopting_column(a, p, n, (struct fl_column){ c });
		size_t was = from->row[n.v] + c, at;

		if (column.v == FL_NONE)
			continue;
		at = fl_tree_cell(t, is, column);
		carry(&t->nominal[at], given->nominal[was], from->nominal[was]);
		carry(&t->borrowing_limit[at], given->borrowing_limit[was],
		      from->borrowing_limit[was]);
		carry(&t->lending_limit[at], given->lending_limit[was], from->lending_limit[was]);
		t->known[at] |= from->known[was] && !given->known[was];
	}
}

/* Call it before any workload holds quota. */
static int carry_cells(struct fl_policy *p, const struct fl_adopting *a, fairlead_error *err)
{
	struct fl_tree given; /* as the old model states it */
	int r = fl_tree_init(&given, a->from->model, p->mem, err);

	if (r < 0)
		return r;
	for (uint32_t n = 0; n < given.n_nodes; n++)
		carry_node(p, a, &given, (struct fl_node){ n });
	fl_tree_done(&given);
	for (uint32_t i = 0; i < p->tree.n_roots; i++) {
		fl_tree_derive(&p->tree, i);
		fl_usage_derive(&p->usage, &p->tree, i);
	}
	p->usage.all_written = true;
	p->changes = a->from->changes;
	return 0;
}

/* --- which trees are alike --- */

static bool same_group(const struct fl_policy *p, const struct fl_adopting *a,
		       const struct fl_queue_group *x, const struct fl_queue_group *y)
{
	const struct fl_policy *from = a->from;

	if (x->resources.n != y->resources.n || x->flavors.n != y->flavors.n)
		return false;
	for (uint32_t i = 0; i < x->resources.n; i++)
		if (fl_adopted(a->is.resources, from->group_resources[x->resources.first + i].v) !=
		    p->group_resources[y->resources.first + i].v)
			return false;
	for (uint32_t i = 0; i < x->flavors.n; i++)
		if (fl_adopted(a->is.flavors, from->group_flavors[x->flavors.first + i].v) !=
		    p->group_flavors[y->flavors.first + i].v)
			return false;
	return true;
}

/* Does queue @n have the same flavors in the same order? */
static bool same_groups(const struct fl_policy *p, const struct fl_adopting *a, uint32_t was,
			uint32_t n)
{
	struct fl_span x = a->from->backlogs[was].groups, y = p->backlogs[n].groups;

	if (x.n != y.n)
		return false;
	for (uint32_t g = 0; g < x.n; g++)
		if (!same_group(p, a, &a->from->groups[x.first + g], &p->groups[y.first + g]))
			return false;
	return true;
}

static bool same_rules(const struct fl_node_row *x, const struct fl_node_row *y)
{
	return x->strategy == y->strategy && x->inactive == y->inactive &&
	       x->within_queue == y->within_queue && x->reclaim == y->reclaim &&
	       x->borrow_within == y->borrow_within &&
	       x->has_borrow_threshold == y->has_borrow_threshold &&
	       x->borrow_threshold == y->borrow_threshold &&
	       x->when_can_borrow == y->when_can_borrow &&
	       x->when_can_preempt == y->when_can_preempt && x->preference == y->preference &&
	       x->usage_based == y->usage_based;
}

static bool same_cells(const struct fl_policy *p, const struct fl_adopting *a, struct fl_node was,
		       struct fl_node n)
{
	const struct fl_tree *from = &a->from->tree, *t = &p->tree;

	for (uint32_t c = 0; c < fl_tree_root_of(from, was)->n_columns; c++) {
		struct fl_column column = fl_adopting_column(a, p, was, (struct fl_column){ c });
		size_t x = from->row[was.v] + c, y;

		if (column.v == FL_NONE)
			return false;
		y = fl_tree_cell(t, n, column);
		if (from->nominal[x] != t->nominal[y] || from->known[x] != t->known[y] ||
		    from->borrowing_limit[x] != t->borrowing_limit[y] ||
		    from->lending_limit[x] != t->lending_limit[y])
			return false;
	}
	return true;
}

/* Is the parent the same cohort?  Two nodes without a parent count as the same. */
static bool same_parent(const struct fl_policy *p, const struct fl_adopting *a, uint32_t was,
			uint32_t n)
{
	uint32_t parent = p->tree.parent[n];

	return a->from->tree.parent[was] ==
		       (parent == FL_NONE ? FL_NONE : a->is.nodes_were[parent]) &&
	       (parent == FL_NONE || a->is.nodes_were[parent] != FL_NONE);
}

static bool is_alike(const struct fl_policy *p, const struct fl_adopting *a, uint32_t root)
{
	const struct fl_tree_root *r = &p->tree.roots[root];
	const struct fl_tree *from = &a->from->tree;
	uint32_t was = a->is.nodes_were[r->node.v];

	if (was == FL_NONE || from->parent[was] != FL_NONE || from->root_index[was] == FL_NONE ||
	    fl_tree_root_of(from, (struct fl_node){ was })->n_columns != r->n_columns ||
	    fl_tree_root_of(from, (struct fl_node){ was })->order.n != r->order.n)
		return false;
	for (uint32_t i = r->order.first; i < r->order.first + r->order.n; i++) {
		uint32_t n = p->tree.order[i];

		was = a->is.nodes_were[n];
		if (was == FL_NONE || !same_parent(p, a, was, n) ||
		    from->weight[was] != p->tree.weight[n] ||
		    !same_rules(&a->from->model->nodes[was], &p->model->nodes[n]) ||
		    !same_groups(p, a, was, n) ||
		    !same_cells(p, a, (struct fl_node){ was }, (struct fl_node){ n }))
			return false;
	}
	return true;
}

static int compare(struct fl_policy *p, struct fl_adopting *a, fairlead_error *err)
{
	const struct fl_tree *t = &p->tree;
	struct fl_arena *arena = &a->is.arena;

	a->alike = fl_arena_alloc(arena, t->n_roots, sizeof *a->alike, err);
	a->reranked = fl_arena_alloc(arena, t->n_roots, sizeof *a->reranked, err);
	a->in_place = fl_arena_alloc(arena, t->n_nodes, sizeof *a->in_place, err);
	if (!a->alike || !a->reranked || !a->in_place)
		return FAIRLEAD_ENOMEM;
	for (uint32_t root = 0; root < t->n_roots; root++) {
		a->alike[root] = is_alike(p, a, root);
		a->reranked[root] = !a->alike[root];
	}
	for (uint32_t i = 0; i < t->n_order; i++) { /* parents come first */
		uint32_t n = t->order[i], was = a->is.nodes_were[n];

		a->in_place[n] = was != FL_NONE && a->from->tree.root_index[was] != FL_NONE &&
				 same_parent(p, a, was, n) &&
				 (t->parent[n] == FL_NONE || a->in_place[t->parent[n]]) &&
				 (t->is_cohort[n] || same_groups(p, a, was, n));
	}
	return 0;
}

/* --- state of trees and queues --- */

/* Removes from @p all that its model's rows say of workloads that hold quota or are pending. */
static void empty(struct fl_policy *p)
{
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		struct fl_job *j = &p->jobs[w];

		if (fl_holds_quota(j)) {
			fl_rung_leave(p, (struct fl_workload){ w });
			fl_holders_release(p, (struct fl_workload){ w });
		}
		j->state = j->queue.v == FL_NONE ? FL_STATE_EXCLUDED : FL_STATE_ABSENT;
		j->reason = FL_REASON_NONE;
		j->loose = false;
		j->joined = 0;
	}
	fl_backlog_clear_all(p);
}

static void carry_trees(struct fl_policy *p, const struct fl_adopting *a)
{
	for (uint32_t root = 0; root < p->tree.n_roots; root++) {
		struct fl_span order = p->tree.roots[root].order;
		uint32_t was = a->is.nodes_were[p->tree.roots[root].node.v];

		if (!a->alike[root])
			continue;
		was = a->from->tree.root_index[was];
		p->cycle[root] = a->from->cycle[was];
		if (!fl_bitset_has(&a->from->dirty, was))
			fl_bitset_remove(&p->dirty, root, /* undo= */ NULL);
		for (uint32_t i = order.first; i < order.first + order.n; i++) {
			uint32_t n = p->tree.order[i];

			p->backlogs[n].generation =
				a->from->backlogs[a->is.nodes_were[n]].generation;
		}
	}
}

/* Is @w in the same queue as before, in a tree that is alike? */
static bool stays(const struct fl_policy *p, const struct fl_adopting *a, struct fl_workload w)
{
	const struct fl_job *was = &a->from->jobs[a->is.was[w.v].v];
	struct fl_node q = p->jobs[w.v].queue;

	return q.v != FL_NONE && fl_adopted(a->is.nodes, was->queue.v) == q.v &&
	       p->tree.root_index[q.v] != FL_NONE && a->alike[p->tree.root_index[q.v]];
}

static const struct fl_workload_row *row_was(const struct fl_adopting *a, struct fl_workload w)
{
	return &a->from->model->workloads[a->is.was[w.v].v];
}

/* Carries marks of classes, each by any workload that has the class in both policies. */
static void carry_eq_classes(struct fl_policy *p, const struct fl_adopting *a)
{
	for (uint32_t i = 0; i < p->model->n_workloads; i++) {
		struct fl_workload w = { i };
		struct fl_eq_class *to = &p->eq_classes[p->jobs[w.v].eq_class];
		const struct fl_eq_class *eq_class;
		uint32_t was;

		if (a->is.was[w.v].v == FL_NONE || to->marks)
			continue;
		was = a->from->jobs[a->is.was[w.v].v].eq_class;
		eq_class = &a->from->eq_classes[was];
		if (!eq_class->marks || row_was(a, w)->priority != fl_row(p, w)->priority ||
		    !stays(p, a, w))
			continue;
		to->marks = eq_class->marks;
		to->reason = eq_class->reason;
		if (fl_bitset_has(&a->from->marked, was))
			fl_backlog_enter_mark(p, p->jobs[w.v].queue, p->jobs[w.v].eq_class);
	}
}

static void carry_sticky(struct fl_policy *p, const struct fl_adopting *a)
{
	for (uint32_t n = 0; n < a->from->tree.n_nodes; n++) {
		uint32_t q = a->is.nodes[n];
		uint32_t w = fl_adopted(a->is.workloads, a->from->backlogs[n].sticky);

		if (q != FL_NONE && w != FL_NONE && p->jobs[w].queue.v == q)
			p->backlogs[q].sticky = w;
	}
}

/* --- workloads --- */

/* Puts the members of @q in order again. */
static void order_members(struct fl_policy *p, uint32_t q, uint32_t *scratch)
{
	struct fl_span members = p->backlogs[q].members;

	fl_sort(p->members + members.first, members.n, scratch, fl_backlog_cmp, p);
	for (uint32_t i = 0; i < members.n; i++)
		p->jobs[p->members[members.first + i]].position = i;
}

/* Call it before any workload is in a backlog. */
static int carry_priorities(struct fl_policy *p, struct fl_adopting *a, fairlead_error *err)
{
	uint32_t n = p->model->n_workloads, *scratch;
	bool *moved;

	scratch = fl_arena_alloc(&a->is.arena, n, sizeof *scratch, err);
	moved = fl_arena_alloc(&a->is.arena, p->model->n_nodes, sizeof *moved, err);
	if (!scratch || !moved)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_workload w = { i };
		struct fl_job *j = &p->jobs[i];
		int32_t was;

		if (a->is.was[i].v == FL_NONE || row_was(a, w)->priority != fl_row(p, w)->priority)
			continue;
		was = a->from->jobs[a->is.was[i].v].priority;
		if (was != j->priority && j->queue.v != FL_NONE)
			moved[j->queue.v] = true;
		j->priority = was;
	}
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		if (moved[q])
			order_members(p, q, scratch);
	return 0;
}

/* What one workload holds, translated, and room for as much as any workload may hold. */
struct translated {
	struct fl_placement *placements;
	struct fl_use *uses;
	uint32_t n_uses;
};

/* Adds @row to what counts in the tree of @q. */
static bool add_use(const struct fl_policy *p, struct fl_node q, const struct fl_placement *row,
		    struct translated *to)
{
	struct fl_column column = fl_tree_column(&p->tree, q, row->flavor, row->resource);
	uint32_t at = 0;

	while (at < to->n_uses && to->uses[at].column.v != column.v)
		at++;
	if (at == to->n_uses)
		to->uses[to->n_uses++] = (struct fl_use){ column, 0 };
	to->uses[at].amount = fl_sat_add(to->uses[at].amount, row->amount);
	return column.v != FL_NONE;
}

/*
 * False: the new model lacks the flavor, resource or column.  Below a cohort cycle nothing counts.
 */
static bool translate(const struct fl_policy *p, const struct fl_adopting *a,
		      const struct fl_job *was, struct fl_node q, struct translated *to)
{
	to->n_uses = 0;
	for (uint32_t i = 0; i < was->n_placement; i++) {
		struct fl_placement *row = &to->placements[i];

		*row = fl_placements(a->from, was)[i];
		if (row->resource.v == FL_NONE)
			continue;
		row->flavor.v = fl_adopted(a->is.flavors, row->flavor.v);
		row->resource.v = fl_adopted(a->is.resources, row->resource.v);
		if (row->flavor.v == FL_NONE || row->resource.v == FL_NONE ||
		    (p->tree.root_index[q.v] != FL_NONE && !add_use(p, q, row, to)))
			return false;
	}
	return true;
}

static int cannot_hold(const struct fl_policy *p, const struct fl_adopting *a, struct fl_workload w,
		       fairlead_error *err)
{
	const struct fl_model *from = a->from->model;
	struct fl_node q = a->from->jobs[a->is.was[w.v].v].held_by;

	(void)fl_fail(err, FAIRLEAD_EINPUT,
		      "holds quota of ClusterQueue '%s', which would not exist any more",
		      fl_model_text(from, from->nodes[q.v].name));
	(void)fl_fail_hint(err, "keep its ClusterQueue and its flavors until it has ended");
	return fl_fail_in(err, "Workload/%s/%s", fl_model_text(p->model, fl_row(p, w)->namespace),
			  fl_model_text(p->model, fl_row(p, w)->name));
}

/* Lets @w hold what it held. */
static int carry_holder(struct fl_policy *p, struct fl_adopting *a, struct fl_workload w,
			struct translated *held, fairlead_error *err)
{
	const struct fl_job *was = &a->from->jobs[a->is.was[w.v].v];
	struct fl_node q = { a->is.nodes[was->held_by.v] };
	struct fl_saved_job row = { .reserved_at = was->reserved_at,
				    .joined = was->joined,
				    .held_by = q.v,
				    .n_placement = was->n_placement,
				    .state = (uint8_t)was->state,
				    .reason = (uint16_t)was->reason };
	int r;

	if (q.v == FL_NONE || row.n_placement > p->holdings.max_room ||
	    !translate(p, a, was, q, held))
		return cannot_hold(p, a, w, err);
	row.n_use = held->n_uses;
	r = fl_borrow_enter_job(p, w, &row, held->placements, held->uses, /* scans= */ NULL, err);
	if (r > 0)
		return cannot_hold(p, a, w, err);
	if (r == 0 && was->priority != p->jobs[w.v].priority && p->tree.root_index[q.v] != FL_NONE)
		a->reranked[p->tree.root_index[q.v]] = true;
	return r;
}

/* Lets @w be pending as it was; where it cannot, it is tried again like a new one. */
static int carry_waiting(struct fl_policy *p, const struct fl_adopting *a, struct fl_workload w,
			 fairlead_error *err)
{
	const struct fl_policy *from = a->from;
	const struct fl_job *was = &from->jobs[a->is.was[w.v].v];
	struct fl_job *j = &p->jobs[w.v];
	struct fl_saved_job row = { .joined = was->joined,
				    .reserved_at = FL_TIME_NONE,
				    .held_by = FL_NONE,
				    .scan_cycle = was->scan_cycle,
				    .scan_generation = was->scan_generation,
				    .state = (uint8_t)was->state,
				    .reason = (uint16_t)was->reason };
	bool promised = was->promised && p->protect &&
			fl_adopted(a->is.nodes, was->queue.v) == j->queue.v &&
			a->in_place[j->queue.v];
	int r = 0;

	if (was->state == FL_STATE_HELD_BACK && fl_requeue_keep(p, w))
		return 0;
	row.flags = (uint8_t)((was->loose ? FL_SAVED_LOOSE : 0) |
			      (promised ? FL_SAVED_PROMISED : 0));
	if (was->state != FL_STATE_HELD_BACK && was->state != FL_STATE_EXCLUDED &&
	    was->priority == j->priority && stays(p, a, w)) {
		r = fl_borrow_enter_job(p, w, &row, /* placements= */ NULL, /* uses= */ NULL,
					from->scans + fl_scan(from, was).first, err);
		return r > 0 ? fl_fail(err, FAIRLEAD_EINPUT, "a workload has other podsets") : r;
	}
	fl_requeue_push(p, w);
	j->promised = promised;
	if (j->state != FL_STATE_HELD_BACK)
		j->reason = fl_backlog_reason(from, a->is.was[w.v]);
	return 0;
}

static int carry_job(struct fl_policy *p, struct fl_adopting *a, struct fl_workload w,
		     struct translated *room, fairlead_error *err)
{
	const struct fl_job *was;
	struct fl_job *j = &p->jobs[w.v];

	if (a->is.was[w.v].v == FL_NONE) {
		j->state = FL_STATE_ABSENT;
		return 0;
	}
	was = &a->from->jobs[a->is.was[w.v].v];
	if (fl_holds_quota(was))
		return carry_holder(p, a, w, room, err);
	if (was->state == FL_STATE_ABSENT)
		j->state = FL_STATE_ABSENT;
	else if (j->queue.v != FL_NONE)
		return carry_waiting(p, a, w, err);
	j->reason = was->reason;
	return 0;
}

/*
 * A workload may hold quota of a queue that it is not in any more, or be in no queue (its queue
 * was stopped, or its local queue points elsewhere): such holders need more room than setup made.
 */
static int make_room(struct fl_policy *p, struct fl_adopting *a, fairlead_error *err)
{
	uint32_t *holders, *rows;
	bool more = false;

	holders = fl_arena_alloc(&a->is.arena, p->model->n_nodes, sizeof *holders, err);
	rows = fl_arena_alloc(&a->is.arena, p->n_eq_classes, sizeof *rows, err);
	if (!holders || !rows)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w], *was;
		const struct fl_workload_row *row = &p->model->workloads[w];
		uint32_t q;

		if (a->is.was[w].v == FL_NONE)
			continue;
		was = &a->from->jobs[a->is.was[w].v];
		q = fl_adopted(a->is.nodes, was->held_by.v);
		if (q == FL_NONE)
			continue;
		if (was->n_placement > rows[j->eq_class])
			rows[j->eq_class] = was->n_placement;
		if (q != j->queue.v && q != row->admitted_queue.v) {
			holders[q]++;
			if (p->afs && row->queue.v != FL_NONE)
				p->afs->shares[row->queue.v] |= p->model->nodes[q].usage_based;
			more = true;
		}
		more |= rows[j->eq_class] > p->eq_classes[j->eq_class].room;
	}
	return more ? fl_setup_more_room(p, holders, rows, err) : 0;
}

static int carry_jobs(struct fl_policy *p, struct fl_adopting *a, fairlead_error *err)
{
	uint32_t rows = p->holdings.max_room;
	struct translated room = {
		.placements = fl_arena_alloc(&a->is.arena, rows, sizeof *room.placements, err),
		.uses = fl_arena_alloc(&a->is.arena, rows, sizeof *room.uses, err),
	};
	int r = 0;

	if (!room.placements || !room.uses)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < p->model->n_workloads && r == 0; i++)
		r = carry_job(p, a, (struct fl_workload){ i }, &room, err);
	return r;
}

/*
 * Treats workloads that only @from has as ended: releases what they held, or takes them out of the
 * backlog.
 */
static void note_gone(struct fl_policy *p, const struct fl_adopting *a)
{
	for (uint32_t w = 0; w < a->from->model->n_workloads; w++) {
		const struct fl_job *was = &a->from->jobs[w];
		struct fl_node q = { FL_NONE };

		if (a->is.workloads[w] == FL_NONE && fl_holds_quota(was))
			q.v = a->is.nodes[was->held_by.v];
		else if (a->is.workloads[w] == FL_NONE && was->state != FL_STATE_ABSENT)
			q.v = fl_adopted(a->is.nodes, was->queue.v);
		if (q.v == FL_NONE)
			continue;
		if (fl_holds_quota(was))
			p->backlogs[q.v].generation++;
		if (fl_holds_quota(was) || p->rungs)
			fl_backlog_flush(p, q);
		fl_backlog_mark_dirty(p, q);
	}
}

/* --- all steps --- */

static int adopt(struct fl_policy *p, struct fl_adopting *a, fairlead_error *err)
{
	int r;

	empty(p);
	fl_requeue_adopt(p, a->from);
	if ((r = match_columns(a, p, err)) < 0 || (r = carry_cells(p, a, err)) < 0 ||
	    (r = compare(p, a, err)) < 0 || (r = carry_priorities(p, a, err)) < 0)
		return r;
	if ((r = make_room(p, a, err)) < 0)
		return r;
	carry_trees(p, a);
	carry_eq_classes(p, a);
	if ((r = carry_jobs(p, a, err)) < 0)
		return r;
	carry_sticky(p, a);
	fl_protect_adopt(p, a);
	fl_protect_watch(p);
	fl_rung_adopt(p, &p->scratch->s, a);
	fl_afs_adopt(p, a);
	note_gone(p, a);
	return 0;
}

int fl_borrow_adopt(struct fl_policy *p, fl_time now, const struct fl_policy *from,
		    const struct fl_workload *was, fairlead_error *err)
{
	struct fl_adopting a = { .from = from };
	int r = fl_common_adopt(p, now, from, was, &a.is, err);

	if (r < 0)
		return r;
	r = adopt(p, &a, err);
	fl_adoption_done(&a.is);
	return r;
}
