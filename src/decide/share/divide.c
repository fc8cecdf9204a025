/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/divide.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "decide/share/divider.h"

/* --- siblings, grouped and sorted ----------------------------------------------------------- */

static int by_priority(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_divide_queue *q = ctx;

	if (q[a].priority != q[b].priority)
		return q[a].priority > q[b].priority ? -1 : 1;
	return (q[a].rank > q[b].rank) - (q[a].rank < q[b].rank);
}

/*
 * The children of queue q become child[at[q]..at[q + 1]), the queues at the top child[at[n]..at[n
 * + 1]).
 */
static void list_children(const struct fl_divide_queue *queues, uint32_t n, uint32_t *at,
			  uint32_t *child)
{
	for (uint32_t i = 0; i < n; i++)
		at[queues[i].parent == FL_NONE ? n : queues[i].parent]++;
	for (uint32_t i = 1; i <= n + 1; i++)
		at[i] += at[i - 1];
	/* Each list is filled from its end, so at[] is its beginning when it is full. */
	for (uint32_t i = n; i-- > 0;)
		child[--at[queues[i].parent == FL_NONE ? n : queues[i].parent]] = i;
}

static void put_row(struct fl_divider *d, uint32_t at, const struct fl_divide_queue *row)
{
	d->priority[at] = row->priority;
	for (int r = 0; r < FL_BUNDLE; r++) {
		d->of[r].deserved[at] = row->deserved.of[r];
		d->of[r].limit[at] = row->limit.of[r];
		d->of[r].weight[at] = row->weight.of[r];
	}
}

/* Appends the siblings @child[0..n) as a group. */
static void put_group(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t parent,
		      const uint32_t *child, uint32_t n, uint32_t *scratch)
{
	if (!n)
		return;
	memcpy(d->queue + d->n, child, n * sizeof *child);
	fl_sort(d->queue + d->n, n, scratch, by_priority, queues);
	d->groups[d->n_groups++] = (struct fl_siblings){ parent, d->n, n };
	for (uint32_t end = d->n + n; d->n < end; d->n++) {
		uint32_t q = d->queue[d->n];

		d->rank[d->n] = queues[q].rank;
		d->position[q] = d->n;
		put_row(d, d->n, &queues[q]);
	}
	if (n > d->widest)
		d->widest = n;
}

static int arrange(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_arena *scratch, fairlead_error *err)
{
	uint32_t *at, *child, *sorting;

	if (!FL_NEW(scratch, at, (size_t)n + 2, err) || !FL_NEW(scratch, child, n, err) ||
	    !FL_NEW(scratch, sorting, n, err))
		return FAIRLEAD_ENOMEM;
	list_children(queues, n, at, child);
	put_group(d, queues, FL_NONE, child + at[n], at[n + 1] - at[n], sorting);
	/* Parents come before their children, so the list grows ahead of p. */
	for (uint32_t p = 0; p < d->n; p++) {
		uint32_t q = d->queue[p];

		put_group(d, queues, q, child + at[q], at[q + 1] - at[q], sorting);
	}
	assert(d->n == n); /* no loops */
	return 0;
}

static int fill(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t n,
		fairlead_error *err)
{
	struct fl_arena *a = &d->arena, scratch;
	int rc;

	if (!FL_NEW(a, d->queue, n, err) || !FL_NEW(a, d->rank, n, err) ||
	    !FL_NEW(a, d->position, n, err) || !FL_NEW(a, d->priority, n, err) ||
	    !FL_NEW(a, d->groups, n, err) || !FL_NEW(a, d->usable, n, err))
		return FAIRLEAD_ENOMEM;
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!FL_NEW(a, d->of[r].deserved, n, err) || !FL_NEW(a, d->of[r].limit, n, err) ||
		    !FL_NEW(a, d->of[r].weight, n, err))
			return FAIRLEAD_ENOMEM;
	fl_arena_init(&scratch, a->mem);
	rc = arrange(d, queues, n, &scratch, err);
	fl_arena_done(&scratch);
	if (rc < 0)
		return rc;
	if (!FL_NEW(a, d->cap, d->widest, err) || !FL_NEW(a, d->share, d->widest, err) ||
	    !FL_NEW(a, d->usage, d->widest, err) || !FL_NEW(a, d->remainder, d->widest, err) ||
	    !FL_NEW(a, d->owed, d->widest, err) || !FL_NEW(a, d->portion, d->widest, err) ||
	    !FL_NEW(a, d->active, d->widest, err) || !FL_NEW(a, d->parts, d->widest, err))
		return FAIRLEAD_ENOMEM;
	return 0;
}

int fl_divider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_divider **ret, fairlead_error *err)
{
	struct fl_divider *d = mem->resize(mem->user, NULL, sizeof *d);
	int rc;

	if (!d)
		return fl_fail_nomem(err);
	*d = (struct fl_divider){ .n = 0 };
	fl_arena_init(&d->arena, mem);
	rc = fill(d, queues, n, err);
	if (rc < 0)
		fl_divider_free(d);
	else
		*ret = d;
	return rc;
}

struct fl_divider *fl_divider_free(struct fl_divider *d)
{
	if (!d)
		return NULL;
	fl_arena_done(&d->arena);
	return fl_mem_free(d->arena.mem, d);
}

static void swap_rows(struct fl_divider *d, uint32_t a, uint32_t b)
{
#define SWAP(column)                                                                               \
	do {                                                                                       \
		__typeof__(*(column)) kept = (column)[a];                                          \
		(column)[a] = (column)[b];                                                         \
		(column)[b] = kept;                                                                \
	} while (0)
	SWAP(d->queue);
	SWAP(d->rank);
	SWAP(d->priority);
	for (int r = 0; r < FL_BUNDLE; r++) {
		SWAP(d->of[r].deserved);
		SWAP(d->of[r].limit);
		SWAP(d->of[r].weight);
	}
#undef SWAP
	d->position[d->queue[a]] = a;
	d->position[d->queue[b]] = b;
}

/* Does the row at @a belong before the row at @b? */
static bool before(const struct fl_divider *d, uint32_t a, uint32_t b)
{
	if (d->priority[a] != d->priority[b])
		return d->priority[a] > d->priority[b];
	return d->rank[a] < d->rank[b];
}

const struct fl_siblings *fl_divider_group(const struct fl_divider *d, uint32_t position)
{
	uint32_t low = 0, high = d->n_groups;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (d->groups[middle].first <= position)
			low = middle;
		else
			high = middle;
	}
	return &d->groups[low];
}

void fl_divider_set(struct fl_divider *d, uint32_t queue, const struct fl_divide_queue *row)
{
	uint32_t at = d->position[queue];
	const struct fl_siblings *g = fl_divider_group(d, at);

	put_row(d, at, row);
	for (; at > g->first && before(d, at, at - 1); at--)
		swap_rows(d, at, at - 1);
	for (; at + 1 < g->first + g->n && before(d, at + 1, at); at++)
		swap_rows(d, at, at + 1);
}

void fl_divide_roll_up(const struct fl_divider *d, struct fl_bundle *amounts)
{
	for (const struct fl_siblings *g = d->groups + d->n_groups; g-- > d->groups;)
		for (uint32_t p = g->first; g->parent != FL_NONE && p < g->first + g->n; p++)
			fl_bundle_add(&amounts[g->parent], &amounts[d->queue[p]]);
}

/* --- the tree ------------------------------------------------------------------------------- */

/*
 * How much of @amount a queue can use: at most its limit; without weight at most what it deserves.
 */
double fl_divider_usable(const struct fl_divider *d, uint32_t position, int r, double amount)
{
	const struct fl_divide_columns *c = &d->of[r];

	if (c->limit[position] != FL_UNBOUNDED && c->limit[position] < amount)
		amount = c->limit[position];
	if (!(c->weight[position] > 0) && c->deserved[position] != FL_UNBOUNDED &&
	    c->deserved[position] < amount)
		amount = c->deserved[position];
	return amount;
}

/*
 * Computes what each queue can use: a leaf of what it requests, others of what their children can
 * use.
 */
static void find_usable(struct fl_divider *d, const struct fl_bundle *request)
{
	for (uint32_t q = 0; q < d->n; q++)
		d->usable[q] = request[q];
	for (uint32_t g = 1; g < d->n_groups; g++)
		d->usable[d->groups[g].parent] = (struct fl_bundle){ { 0 } };
	for (const struct fl_siblings *g = d->groups + d->n_groups; g-- > d->groups;) {
		for (uint32_t p = g->first; p < g->first + g->n; p++) {
			struct fl_bundle *usable = &d->usable[d->queue[p]];

			for (int r = 0; r < FL_BUNDLE; r++)
				usable->of[r] = fl_divider_usable(d, p, r, usable->of[r]);
			if (g->parent != FL_NONE)
				fl_bundle_add(&d->usable[g->parent], usable);
		}
	}
}

/* min(request, limit): what a queue can get of its request. */
static inline double requestable(double request, double limit)
{
	return limit != FL_UNBOUNDED && limit < request ? limit : request;
}

struct fl_sharing fl_divider_begin(struct fl_divider *d, double k, unsigned flags,
				   const struct fl_divide_listener *sink)
{
	return (struct fl_sharing){
		.cap = d->cap,
		.share = d->share,
		.remainder = d->remainder,
		.portion = d->portion,
		.active = d->active,
		.parts = d->parts,
		.k = k,
		.bounded = flags & FL_DIVIDE_BOUNDED,
		.free_within = flags & FL_DIVIDE_FREE_WITHIN,
		.sink = sink,
	};
}

void fl_divider_share(struct fl_divider *d, const struct fl_siblings *g, int r, double total,
		      const struct fl_bundle *request, const struct fl_bundle *usage,
		      struct fl_sharing *s)
{
	const struct fl_divide_columns *c = &d->of[r];
	bool history = usage && s->k > 0;

	s->n = g->n;
	s->priority = d->priority + g->first;
	s->queue = d->queue + g->first;
	s->step.parent = g->parent;
	s->step.resource = r;
	s->usage = history ? d->usage : NULL;
	s->weight = c->weight + g->first;
	for (uint32_t i = 0; i < g->n; i++) {
		s->cap[i] = requestable(request[s->queue[i]].of[r], c->limit[g->first + i]);
		s->remainder[i] = 0;
		if (history)
			d->usage[i] = usage[s->queue[i]].of[r];
	}
	fl_sharing_divide(s, c->deserved + g->first, d->owed, total);
}

void fl_divide(struct fl_divider *d, const struct fl_bundle *total, double k,
	       const struct fl_bundle *request, const struct fl_bundle *usage, unsigned flags,
	       const struct fl_divide_listener *sink, struct fl_bundle *fair_share)
{
	struct fl_sharing s = fl_divider_begin(d, k, flags, sink);

	if (s.bounded) {
		find_usable(d, request);
		request = d->usable;
	}
	for (const struct fl_siblings *g = d->groups; g < d->groups + d->n_groups; g++) {
		const struct fl_bundle *of = g->parent == FL_NONE ? total : &fair_share[g->parent];

		for (int r = 0; r < FL_BUNDLE; r++) {
			fl_divider_share(d, g, r, of->of[r], request, usage, &s);
			for (uint32_t i = 0; i < g->n; i++)
				fair_share[s.queue[i]].of[r] = d->share[i];
		}
	}
}
