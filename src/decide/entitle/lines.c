/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/lines.h"

#include <string.h>

#include "decide/entitle/order.h"

#define ALLOC(p, ptr, n) (((ptr) = fl_arena_alloc(&(p)->arena, (n), sizeof *(ptr), err)) != NULL)

int fl_lines_new(struct fl_policy *p, struct fl_lines *ret, fairlead_error *err)
{
	uint32_t nodes = p->model->n_nodes, room = 0;
	struct fl_lines l = { .policy = p };

	if (!ALLOC(p, l.lined, p->model->n_workloads) || !ALLOC(p, l.lined_at, nodes + 1) ||
	    !ALLOC(p, l.queues, nodes) || !ALLOC(p, l.queues_at, nodes + 1) ||
	    !ALLOC(p, l.n, nodes + 1) || !ALLOC(p, l.linked, nodes + 1) ||
	    !ALLOC(p, l.dirty, nodes + 1) || !ALLOC(p, l.popped, nodes + 1))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		if (p->jobs[w].queue.v != FL_NONE)
			l.lined_at[p->jobs[w].queue.v].n++;
	for (uint32_t q = 0; q < nodes; q++) {
		l.lined_at[q].first = room;
		room += l.lined_at[q].n;
	}
	for (uint32_t i = 0; i < p->n_order; i++) {
		struct fl_node above = p->queues[p->order[i].v].parent;

		l.queues_at[above.v == FL_NONE ? nodes : above.v].n++;
	}
	room = 0;
	for (uint32_t q = 0; q <= nodes; q++) {
		l.queues_at[q].first = room;
		room += l.queues_at[q].n;
	}
	*ret = l;
	return 0;
}

void fl_lines_begin(struct fl_lines *l, enum fl_lines_kind kind, const struct fl_part *part,
		    uint32_t depth)
{
	uint32_t n = l->policy->model->n_nodes + 1;

	l->kind = kind;
	l->part = part;
	l->depth = depth;
	memset(l->n, 0, n * sizeof *l->n);
	memset(l->linked, 0, n * sizeof *l->linked);
	memset(l->dirty, 0, n * sizeof *l->dirty);
	memset(l->popped, 0, n * sizeof *l->popped);
}

/* --- who is before whom --- */

static struct fl_lined *first_of(const struct fl_lines *l, uint32_t leaf)
{
	return &l->lined[l->lined_at[leaf].first];
}

/* Whoever is popped next below @q as its heaps stand. */
static uint32_t first_leaf(const struct fl_lines *l, uint32_t q)
{
	while (!l->policy->is_leaf[q])
		q = l->queues[l->queues_at[q].first].v;
	return q;
}

static struct fl_turn turn_of(const struct fl_lines *l, struct fl_node q)
{
	struct fl_turn turn = { .queue = q };
	uint32_t leaf = first_leaf(l, q.v);
	const struct fl_lined *first = first_of(l, leaf);

	if (l->kind == FL_LINES_VICTIMS) {
		turn.goes = l->popped[leaf];
		fl_bundle_add(&turn.goes, &first->amount);
	} else if (l->part && l->part->workload.v == first->workload.v) {
		turn.comes = l->part->amount;
	} else {
		turn.comes = *fl_job_start_amount(l->policy, first->workload);
	}
	return turn;
}

static struct fl_job_place place_of(const struct fl_lines *l, const struct fl_lined *lined)
{
	const struct fl_job *j = &l->policy->jobs[lined->workload.v];
	struct fl_job_place place = { .priority = j->priority,
				      .holds = fl_job_active(j),
				      .min_tasks = (int32_t)j->min_tasks,
				      .rank = j->rank };

	if (l->kind == FL_LINES_VICTIMS)
		place.holds = lined->active;
	else if (l->part && l->part->workload.v == lined->workload.v)
		place.holds = 0, place.min_tasks = (int32_t)l->part->n;
	return place;
}

/* A heap: of the workloads of a leaf, or of the queues below another. */
struct heap {
	struct fl_lines *l;
	struct fl_lined *jobs; /* NULL: of queues */
	struct fl_node *queues;
	uint32_t *n;
};

static struct heap heap_of(struct fl_lines *l, uint32_t q)
{
	bool leaf = q != l->policy->model->n_nodes && l->policy->is_leaf[q];

	return (struct heap){ .l = l,
			      .jobs = leaf ? first_of(l, q) : NULL,
			      .queues = leaf ? NULL : l->queues + l->queues_at[q].first,
			      .n = &l->n[q] };
}

static bool less(const struct heap *h, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = h->l->policy;
	bool before;

	if (h->jobs) {
		struct fl_job_place x = place_of(h->l, &h->jobs[a]);
		struct fl_job_place y = place_of(h->l, &h->jobs[b]);

		before = fl_job_order(&x, &y) < 0;
	} else {
		struct fl_turn x = turn_of(h->l, h->queues[a]), y = turn_of(h->l, h->queues[b]);

		before = fl_queue_order(p->queues, &p->total, &x, &y) < 0;
	}
	return before != (h->l->kind == FL_LINES_VICTIMS);
}

/* --- container/heap, move by move --- */

static void swap(const struct heap *h, uint32_t a, uint32_t b)
{
	if (h->jobs) {
		struct fl_lined old = h->jobs[a];

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

/* The last of the array comes up from where it stands: it was just put there. */
static void heap_push(const struct heap *h)
{
	++*h->n;
	up(h, *h->n - 1);
}

/* The first goes behind the last. */
static void heap_pop(const struct heap *h)
{
	swap(h, 0, *h->n - 1);
	down(h, *h->n - 1);
	--*h->n;
}

/* --- the heap of heaps --- */

static uint32_t above(const struct fl_lines *l, uint32_t q)
{
	uint32_t parent = l->policy->queues[q].parent.v;

	return parent == FL_NONE ? l->policy->model->n_nodes : parent;
}

static void push_job(struct fl_lines *l, const struct fl_lined *lined)
{
	struct heap h = heap_of(l, l->policy->jobs[lined->workload.v].queue.v);

	h.jobs[*h.n] = *lined;
	heap_push(&h);
	/* The real program drops what stands last, which need not be the worst. */
	if (l->depth && *h.n > l->depth)
		--*h.n;
}

/* @q and what is above it and not in the heap above itself yet; short of the top, unless @top. */
static void link_up(struct fl_lines *l, uint32_t q, bool top)
{
	uint32_t the_top = l->policy->model->n_nodes;

	for (; q != the_top && !l->linked[q]; q = above(l, q)) {
		struct heap h = heap_of(l, above(l, q));

		if (above(l, q) == the_top && !top)
			return;
		l->linked[q] = true;
		h.queues[*h.n] = (struct fl_node){ q };
		heap_push(&h);
	}
}

static void mark_dirty(struct fl_lines *l, uint32_t q)
{
	for (; q != l->policy->model->n_nodes; q = above(l, q))
		l->dirty[q] = true;
}

void fl_lines_add(struct fl_lines *l, const struct fl_lined *lined) { push_job(l, lined); }

void fl_lines_ready(struct fl_lines *l)
{
	const struct fl_policy *p = l->policy;

	for (uint32_t i = 0; i < p->n_order; i++)
		if (p->is_leaf[p->order[i].v] && l->n[p->order[i].v])
			link_up(l, p->order[i].v, /* top= */ false);
	for (uint32_t i = 0; i < p->n_order; i++)
		if (p->queues[p->order[i].v].parent.v == FL_NONE && l->n[p->order[i].v])
			link_up(l, p->order[i].v, /* top= */ true);
}

/* The first of @q's heap, sifted down while it is marked. */
static uint32_t clean_first(struct fl_lines *l, uint32_t q)
{
	struct heap h = heap_of(l, q);

	while (l->dirty[h.queues[0].v]) {
		struct fl_node first = h.queues[0];

		down(&h, *h.n);
		l->dirty[first.v] = false;
	}
	return h.queues[0].v;
}

bool fl_lines_pop(struct fl_lines *l, struct fl_lined *ret)
{
	uint32_t top = l->policy->model->n_nodes, q = top;
	struct heap h;

	if (!l->n[top])
		return false;
	while (q == top || !l->policy->is_leaf[q])
		q = clean_first(l, q);
	h = heap_of(l, q);
	heap_pop(&h);
	*ret = h.jobs[*h.n];
	if (l->kind == FL_LINES_VICTIMS)
		fl_bundle_add(&l->popped[q], &ret->amount);
	/* Each queue on the way down was its heap's first. */
	for (; q != top && !l->n[q]; q = above(l, q)) {
		h = heap_of(l, above(l, q));
		heap_pop(&h);
		l->linked[q] = false;
		l->dirty[q] = false;
	}
	mark_dirty(l, q);
	return true;
}

void fl_lines_push(struct fl_lines *l, const struct fl_lined *lined)
{
	uint32_t leaf = l->policy->jobs[lined->workload.v].queue.v;

	push_job(l, lined);
	link_up(l, leaf, /* top= */ true);
	mark_dirty(l, leaf);
}

struct fl_lined fl_lined_victim(const struct fl_policy *p, struct fl_workload w, const bool *out)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_lined lined = { .workload = w };

	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++) {
		const struct fl_task *task = &p->tasks[t];

		if (out && out[t])
			continue;
		if (task->state == FL_TASK_HOLDS)
			fl_bundle_add(&lined.amount, &task->request);
		lined.active += task->state == FL_TASK_HOLDS || task->state == FL_TASK_PROMISED;
	}
	return lined;
}
