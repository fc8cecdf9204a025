/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/action/jobs_order.h"

#include <string.h>

int fl_jobs_order_new(struct fl_policy *p, struct fl_jobs_order *ret, fairlead_error *err)
{
	uint32_t nodes = p->model->n_nodes, room = 0;
	struct fl_jobs_order l = { .policy = p, .part_of = { FL_NONE } };

	if (!FL_NEW(&p->arena, l.ordered, p->model->n_workloads, err) ||
	    !FL_NEW(&p->arena, l.ordered_at, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.queues, nodes, err) ||
	    !FL_NEW(&p->arena, l.queues_at, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.n, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.linked, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.dirty, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.popped, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.kept, p->model->n_workloads, err) ||
	    !FL_NEW(&p->arena, l.kept_n, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.touched, nodes + 1, err) ||
	    !FL_NEW(&p->arena, l.differ, nodes, err) || !FL_NEW(&p->arena, l.keys, nodes, err) ||
	    !FL_NEW(&p->arena, l.sure, nodes + 1, err) || !FL_NEW(&p->arena, l.turn, nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		if (p->jobs[w].queue.v != FL_NONE)
			l.ordered_at[p->jobs[w].queue.v].n++;
	for (uint32_t q = 0; q < nodes; q++) {
		l.ordered_at[q].first = room;
		room += l.ordered_at[q].n;
	}
	for (uint32_t i = 0; i < p->n_order; i++)
		l.queues_at[fl_state_above(p, p->order[i].v)].n++;
	room = 0;
	for (uint32_t q = 0; q <= nodes; q++) {
		l.queues_at[q].first = room;
		room += l.queues_at[q].n;
	}
	*ret = l;
	return 0;
}

static uint32_t leaf_of(const struct fl_jobs_order *l, struct fl_workload w)
{
	return l->policy->jobs[w.v].queue.v;
}

/* The key of the first workload of the leaf changed, or may have. */
static void turn_over(struct fl_jobs_order *l, uint32_t leaf) { l->turn[leaf] = ++l->turns; }

/* No key is known to be valid any more. */
static void grow_older(struct fl_jobs_order *l)
{
	l->as_of = l->policy->epochs;
	l->age++;
}

/* Empties the heaps of queues. */
static void unlink_queues(struct fl_jobs_order *l)
{
	const struct fl_policy *p = l->policy;
	uint32_t nodes = p->model->n_nodes;

	for (uint32_t i = 0; i < p->n_order; i++)
		if (!p->is_leaf[p->order[i].v])
			l->n[p->order[i].v] = 0;
	l->n[nodes] = 0;
	grow_older(l);
	memset(l->linked, 0, (nodes + 1) * sizeof *l->linked);
	memset(l->dirty, 0, (nodes + 1) * sizeof *l->dirty);
}

void fl_jobs_order_begin(struct fl_jobs_order *l, enum fl_jobs_order_kind kind,
			 const struct fl_part *part, uint32_t depth)
{
	uint32_t nodes = l->policy->model->n_nodes;

	/* Parts of the same workload may differ. */
	if (l->part_of.v != FL_NONE)
		turn_over(l, leaf_of(l, l->part_of));
	l->part_of.v = part ? part->workload.v : FL_NONE;
	if (part)
		turn_over(l, leaf_of(l, part->workload));
	l->kind = kind;
	l->part = part;
	l->depth = depth;
	memset(l->n, 0, (nodes + 1) * sizeof *l->n);
	unlink_queues(l);
	if (kind != FL_JOBS_ORDER_VICTIMS)
		return;
	memset(l->popped, 0, (nodes + 1) * sizeof *l->popped);
	for (uint32_t q = 0; q < nodes; q++)
		turn_over(l, q);
}

void fl_jobs_order_keep(struct fl_jobs_order *l)
{
	const struct fl_policy *p = l->policy;

	l->n_differ = 0;
	memset(l->touched, 0, (p->model->n_nodes + 1) * sizeof *l->touched);
	memcpy(l->kept_n, l->n, (p->model->n_nodes + 1) * sizeof *l->kept_n);
	for (uint32_t i = 0; i < p->n_order; i++) {
		uint32_t q = p->order[i].v;

		if (p->is_leaf[q])
			memcpy(&l->kept[l->ordered_at[q].first],
			       &l->ordered[l->ordered_at[q].first], l->n[q] * sizeof *l->kept);
	}
}

void fl_jobs_order_again(struct fl_jobs_order *l)
{
	unlink_queues(l);
	for (; l->n_differ > 0; l->n_differ--) {
		uint32_t q = l->differ[l->n_differ - 1].v, first = l->ordered_at[q].first;

		memcpy(&l->ordered[first], &l->kept[first], l->kept_n[q] * sizeof *l->kept);
		l->n[q] = l->kept_n[q];
		l->touched[q] = false;
	}
}

/* @leaf is about to differ from what was kept. */
static void touch(struct fl_jobs_order *l, uint32_t leaf)
{
	if (l->touched[leaf])
		return;
	l->touched[leaf] = true;
	l->differ[l->n_differ++].v = leaf;
}

/* --- comparisons --- */

static struct fl_ordered_job *first_of(const struct fl_jobs_order *l, uint32_t leaf)
{
	return &l->ordered[l->ordered_at[leaf].first];
}

/* The leaf below @q from which the next workload would be popped, with heaps as they are. */
static uint32_t first_leaf(const struct fl_jobs_order *l, uint32_t q)
{
	while (!l->policy->is_leaf[q])
		q = l->queues[l->queues_at[q].first].v;
	return q;
}

static struct fl_turn turn_of(const struct fl_jobs_order *l, uint32_t q, uint32_t leaf)
{
	struct fl_turn turn = { .queue = { q } };
	const struct fl_ordered_job *first = first_of(l, leaf);

	if (l->kind == FL_JOBS_ORDER_VICTIMS) {
		turn.goes = l->popped[leaf];
		fl_bundle_add(&turn.goes, &first->amount);
	} else if (l->part_of.v == first->workload.v) {
		turn.comes = l->part->amount;
	} else {
		turn.comes = *fl_job_start_amount(l->policy, first->workload);
	}
	return turn;
}

/* The key of @q as of now. */
static const struct fl_queue_key *look_at(struct fl_jobs_order *l, uint32_t q)
{
	const struct fl_policy *p = l->policy;
	uint32_t leaf = first_leaf(l, q), first = first_of(l, leaf)->workload.v;
	const struct fl_job *j = &p->jobs[first];
	struct fl_ordered_key *k = &l->keys[q];
	uint32_t as_of = fl_job_as_of(p, j);
	struct fl_turn turn;

	if (k->standing == p->queue_epoch[q] && k->job == j->epoch && k->first == first &&
	    k->as_of == as_of && k->turn == l->turn[leaf])
		return &k->key;
	turn = turn_of(l, q, leaf);
	*k = (struct fl_ordered_key){ .key = fl_queue_key(p->queues, &p->total, &turn),
				      .standing = p->queue_epoch[q],
				      .job = j->epoch,
				      .turn = l->turn[leaf],
				      .first = first,
				      .as_of = as_of };
	return &k->key;
}

static const struct fl_queue_key *key_of(struct fl_jobs_order *l, uint32_t q)
{
	if (l->sure[q] == l->age)
		return &l->keys[q].key;
	l->sure[q] = l->age;
	return look_at(l, q);
}

static struct fl_job_place place_of(const struct fl_jobs_order *l,
				    const struct fl_ordered_job *ordered)
{
	struct fl_job_place place = fl_job_place_of(&l->policy->jobs[ordered->workload.v]);

	if (l->kind == FL_JOBS_ORDER_VICTIMS) {
		place.holds = ordered->active;
	} else if (l->part_of.v == ordered->workload.v) {
		place.holds = 0;
		place.min_tasks = (int32_t)l->part->n;
	}
	return place;
}

/* A heap of the workloads of a leaf, or of the child queues of a queue. */
struct heap {
	struct fl_jobs_order *l;
	struct fl_ordered_job *jobs; /* NULL: a heap of queues */
	struct fl_node *queues;
	uint32_t *n;
};

static struct heap heap_of(struct fl_jobs_order *l, uint32_t q)
{
	bool leaf = q != l->policy->model->n_nodes && l->policy->is_leaf[q];

	return (struct heap){ .l = l,
			      .jobs = leaf ? first_of(l, q) : NULL,
			      .queues = leaf ? NULL : l->queues + l->queues_at[q].first,
			      .n = &l->n[q] };
}

static bool less(const struct heap *h, uint32_t a, uint32_t b)
{
	bool before;

	if (h->jobs) {
		struct fl_job_place x = place_of(h->l, &h->jobs[a]);
		struct fl_job_place y = place_of(h->l, &h->jobs[b]);

		before = fl_job_order(&x, &y) < 0;
	} else {
		const struct fl_queue_key *x = key_of(h->l, h->queues[a].v);

		before = fl_queue_key_order(x, key_of(h->l, h->queues[b].v)) < 0;
	}
	return before != (h->l->kind == FL_JOBS_ORDER_VICTIMS);
}

/* --- Go's container/heap, move by move --- */

static void swap(const struct heap *h, uint32_t a, uint32_t b)
{
	if (h->jobs) {
		struct fl_ordered_job old = h->jobs[a];

		h->jobs[a] = h->jobs[b];
		h->jobs[b] = old;
	} else {
		struct fl_node old = h->queues[a];

		h->queues[a] = h->queues[b];
		h->queues[b] = old;
	}
}

static void up(const struct heap *h, uint32_t at)
{
	while (at > 0 && less(h, at, (at - 1) / 2)) {
		swap(h, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

static void down(const struct heap *h, uint32_t n)
{
	for (uint32_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && less(h, child + 1, child))
			child++;
		if (!less(h, child, at))
			break;
		swap(h, at, child);
	}
}

/* Moves the last of the array, which was just put there, up to its place. */
static void heap_push(const struct heap *h)
{
	++*h->n;
	up(h, *h->n - 1);
}

/* Moves the first behind the last. */
static void heap_pop(const struct heap *h)
{
	swap(h, 0, *h->n - 1);
	down(h, *h->n - 1);
	--*h->n;
}

/* --- the heap of heaps --- */

static uint32_t above(const struct fl_jobs_order *l, uint32_t q)
{
	return fl_state_above(l->policy, q);
}

static void push_job(struct fl_jobs_order *l, const struct fl_ordered_job *ordered)
{
	uint32_t leaf = leaf_of(l, ordered->workload);
	struct heap h = heap_of(l, leaf);

	touch(l, leaf);
	h.jobs[*h.n] = *ordered;
	heap_push(&h);
	/* KAI drops the last of the array, which need not be the worst. */
	if (l->depth && *h.n > l->depth)
		--*h.n;
}

/* Puts @q into the heap above it; when pushed it is marked. */
static void hang(struct fl_jobs_order *l, uint32_t q)
{
	struct heap h = heap_of(l, above(l, q));

	l->linked[q] = true;
	l->dirty[q] = true;
	h.queues[*h.n] = (struct fl_node){ q };
	heap_push(&h);
}

static void mark_dirty(struct fl_jobs_order *l, uint32_t q)
{
	for (; q != l->policy->model->n_nodes; q = above(l, q)) {
		l->dirty[q] = true;
		l->sure[q] = l->age - 1;
	}
}

void fl_jobs_order_add(struct fl_jobs_order *l, const struct fl_ordered_job *ordered)
{
	push_job(l, ordered);
}

/*
 * From below, so that a queue is compared with its siblings after all queues below it are in their
 * heaps: the deepest first, by rank within a depth.
 */
void fl_jobs_order_ready(struct fl_jobs_order *l)
{
	const struct fl_policy *p = l->policy;

	for (uint32_t first, end = p->n_order; end > 0; end = first) {
		uint32_t depth = p->queues[p->order[end - 1].v].depth;

		first = end;
		while (first > 0 && p->queues[p->order[first - 1].v].depth == depth)
			first--;
		for (uint32_t i = first; i < end; i++)
			if (l->n[p->order[i].v])
				hang(l, p->order[i].v);
	}
}

/* The first of @q's heap, which is sifted down while it is marked. */
static uint32_t clean_first(struct fl_jobs_order *l, uint32_t q)
{
	struct heap h = heap_of(l, q);

	while (l->dirty[h.queues[0].v]) {
		struct fl_node first = h.queues[0];

		down(&h, *h.n);
		l->dirty[first.v] = false;
	}
	return h.queues[0].v;
}

bool fl_jobs_order_pop(struct fl_jobs_order *l, struct fl_ordered_job *ret)
{
	uint32_t top = l->policy->model->n_nodes, q = top;
	struct heap h;

	if (!l->n[top])
		return false;
	if (l->as_of != l->policy->epochs)
		grow_older(l);
	while (q == top || !l->policy->is_leaf[q])
		q = clean_first(l, q);
	touch(l, q);
	h = heap_of(l, q);
	heap_pop(&h);
	*ret = h.jobs[*h.n];
	if (l->kind == FL_JOBS_ORDER_VICTIMS) {
		fl_bundle_add(&l->popped[q], &ret->amount);
		turn_over(l, q);
	}
	/* Each queue on the way down was the first of its heap. */
	for (; q != top && !l->n[q]; q = above(l, q)) {
		h = heap_of(l, above(l, q));
		heap_pop(&h);
		l->linked[q] = false;
		l->dirty[q] = false;
		l->sure[q] = l->age - 1;
	}
	mark_dirty(l, q);
	return true;
}

void fl_jobs_order_push(struct fl_jobs_order *l, const struct fl_ordered_job *ordered)
{
	uint32_t leaf = leaf_of(l, ordered->workload);

	if (l->as_of != l->policy->epochs)
		grow_older(l);
	push_job(l, ordered);
	if (l->kind == FL_JOBS_ORDER_VICTIMS)
		turn_over(l, leaf);
	for (uint32_t q = leaf; q != l->policy->model->n_nodes && !l->linked[q]; q = above(l, q))
		hang(l, q);
	mark_dirty(l, leaf);
}

struct fl_ordered_job fl_ordered_victim(const struct fl_policy *p, struct fl_workload w,
					const bool *out)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_ordered_job ordered = { .workload = w };

	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++) {
		const struct fl_task *task = &p->tasks[t];

		if (out && out[t])
			continue;
		if (task->state == FL_TASK_HOLDS)
			fl_bundle_add(&ordered.amount, &task->request);
		ordered.active += fl_task_active(task);
	}
	return ordered;
}
