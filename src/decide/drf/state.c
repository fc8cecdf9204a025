/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/drf/state.h"

#include <string.h>

/* --- shares, compared exactly --- */

__extension__ typedef unsigned __int128 wide;

/* The product a * b * c, which has at most 192 bits. */
struct product {
	wide high;
	uint64_t low;
};

static struct product multiply(fl_amount a, fl_amount b, uint64_t c)
{
	wide ab = (wide)a * (wide)b;
	wide low = (wide)(uint64_t)ab * c;

	return (struct product){ (wide)(uint64_t)(ab >> 64) * c + (low >> 64), (uint64_t)low };
}

static int compare_products(struct product a, struct product b)
{
	if (a.high != b.high)
		return a.high < b.high ? -1 : 1;
	return (a.low > b.low) - (a.low < b.low);
}

/*
 * Compares part / whole / weight of @x and @y: both sides are multiplied by both wholes and
 * weights.
 */
static int compare_parts(const struct fl_drf_part *x, uint64_t x_weight,
			 const struct fl_drf_part *y, uint64_t y_weight)
{
	return compare_products(multiply(x->part, y->whole, y_weight),
				multiply(y->part, x->whole, x_weight));
}

/* < 0: queue @a is served before queue @b; 0: their shares are equal. */
static int compare_users(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_drf_user *x = &p->users[a], *y = &p->users[b];
	bool none = !x->weight && !y->weight;

	if (!x->weight != !y->weight)
		return x->weight ? -1 : 1;
	return compare_parts(&x->dominant, none ? 1 : x->weight, &y->dominant,
			     none ? 1 : y->weight);
}

static struct fl_drf_part dominant_of(const struct fl_policy *p, uint32_t n)
{
	uint32_t resources = p->model->n_resources;
	struct fl_drf_part most = { 0, 1, { FL_NONE } };

	for (uint32_t r = 0; r < resources; r++) {
		struct fl_drf_part part = { p->held[(size_t)n * resources + r],
					    p->total[r],
					    { r } };

		if (part.part && part.whole != FL_UNLIMITED &&
		    compare_parts(&part, 1, &most, 1) > 0)
			most = part;
	}
	return most;
}

/* --- tournaments --- */

/* The order within one line, and between queues whose shares are equal. */
static bool comes_before(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_job *x = &p->jobs[a], *y = &p->jobs[b];

	return x->priority != y->priority ? x->priority > y->priority : x->rank < y->rank;
}

static uint32_t head_of(const struct fl_policy *p, uint32_t n)
{
	const struct fl_drf_user *u = &p->users[n];

	return u->n ? p->line[2 * (size_t)u->first + 1] : FL_NONE;
}

uint32_t fl_drf_head(const struct fl_policy *p, struct fl_node q) { return head_of(p, q.v); }

static uint32_t better_workload(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	if (a == FL_NONE || b == FL_NONE)
		return a == FL_NONE ? b : a;
	return comes_before(p, a, b) ? a : b;
}

static uint32_t better_user(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	int order;

	if (a == FL_NONE || b == FL_NONE)
		return a == FL_NONE ? b : a;
	order = compare_users(p, a, b);
	if (order == 0)
		return comes_before(p, head_of(p, a), head_of(p, b)) ? a : b;
	return order < 0 ? a : b;
}

typedef uint32_t better(const struct fl_policy *p, uint32_t a, uint32_t b);

/* Leaf @i of @n is now @value: replays the games above it. */
static void play(struct fl_policy *p, uint32_t *tree, uint32_t n, uint32_t i, uint32_t value,
		 better *of)
{
	uint32_t at = n + i;

	for (; at > 0; at /= 2) {
		if (at < n)
			value = of(p, tree[2 * at], tree[2 * at + 1]);
		if (tree[at] != value)
			FL_SET(p, tree[at], value);
	}
}

static void play_all(const struct fl_policy *p, uint32_t *tree, uint32_t n, better *of)
{
	for (uint32_t at = n; at-- > 1;)
		tree[at] = of(p, tree[2 * at], tree[2 * at + 1]);
}

static uint32_t leaf_of(const struct fl_policy *p, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];

	return j->state == FL_STATE_WAITING && !fl_drf_is_parked(p, j) ? w : FL_NONE;
}

/* The share or the head of queue @n changed: replays its games in `turn`. */
static void update_turn(struct fl_policy *p, uint32_t n)
{
	play(p, p->turn, p->model->n_nodes, n, head_of(p, n) == FL_NONE ? FL_NONE : n, better_user);
}

static void update_line(struct fl_policy *p, uint32_t w)
{
	const struct fl_job *j = &p->jobs[w];
	const struct fl_drf_user *u;

	if (j->queue.v == FL_NONE)
		return;
	u = &p->users[j->queue.v];
	play(p, p->line + 2 * (size_t)u->first, u->n, j->leaf, leaf_of(p, w), better_workload);
	update_turn(p, j->queue.v);
}

struct fl_workload fl_drf_next(const struct fl_policy *p)
{
	uint32_t n = p->model->n_nodes ? p->turn[1] : FL_NONE;

	return (struct fl_workload){ n == FL_NONE ? FL_NONE : head_of(p, n) };
}

uint32_t fl_drf_ahead(const struct fl_policy *p, struct fl_workload w, uint32_t *ids, uint32_t cap)
{
	const struct fl_drf_user *u = &p->users[p->jobs[w.v].queue.v];
	uint32_t n = 0;

	for (uint32_t i = 0; i < u->n; i++) {
		uint32_t other = p->line[2 * (size_t)u->first + u->n + i];

		if (other == FL_NONE || other == w.v || !comes_before(p, other, w.v))
			continue;
		if (n < cap)
			ids[n] = other;
		n++;
	}
	return n;
}

/* --- what happens to a workload --- */

enum { TREE_DEPTH = 32, ROW_NOTES = 3, JOB_NOTES = 8 };

int fl_drf_reserve(struct fl_policy *p, uint32_t rows, fairlead_error *err)
{
	size_t notes = JOB_NOTES + ROW_NOTES * (size_t)rows + 4 * TREE_DEPTH;

	return fl_undo_reserve(
		&p->undo,
		notes * FL_UNDO_OF(struct fl_drf_part) + rows * sizeof(struct fl_placement), err);
}

static void add(struct fl_policy *p, struct fl_node q, const struct fl_placement *row, int sign)
{
	uint32_t resources = p->model->n_resources, r = row->resource.v;
	fl_amount amount = row->amount * sign;

	if (r == FL_NONE)
		return;
	FL_SET(p, p->used[(size_t)row->flavor.v * resources + r],
	       p->used[(size_t)row->flavor.v * resources + r] + amount);
	FL_SET(p, p->taken[r], p->taken[r] + amount);
	FL_SET(p, p->held[(size_t)q.v * resources + r],
	       p->held[(size_t)q.v * resources + r] + amount);
}

bool fl_drf_overflows(const struct fl_policy *p, const struct fl_placement *rows, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fl_amount sum = rows[i].resource.v == FL_NONE ? 0 : p->taken[rows[i].resource.v];

		for (uint32_t k = 0; k < n; k++)
			if (rows[k].resource.v == rows[i].resource.v &&
			    rows[k].resource.v != FL_NONE &&
			    __builtin_add_overflow(sum, rows[k].amount, &sum))
				return true;
	}
	return false;
}

void fl_drf_hold(struct fl_policy *p, struct fl_workload w, struct fl_node q,
		 const struct fl_placement *rows, uint32_t n)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_placement *to = p->placements + j->places.first;

	if (n) {
		fl_undo_note(&p->undo, to, (uint32_t)(n * sizeof *to));
		memcpy(to, rows, n * sizeof *to);
	}
	for (uint32_t i = 0; i < n; i++)
		add(p, q, &to[i], 1);
	FL_SET(p, j->held_by, q);
	FL_SET(p, j->n_held, n);
	FL_SET(p, j->state, FL_STATE_ADMITTED);
	FL_SET(p, j->reason, FL_REASON_NONE);
	FL_SET(p, p->users[q.v].dominant, dominant_of(p, q.v));
	update_line(p, w.v);
	if (q.v != j->queue.v)
		update_turn(p, q.v);
}

void fl_drf_release(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state)
{
	struct fl_job *j = &p->jobs[w.v];
	struct fl_node q = j->held_by;

	for (uint32_t i = 0; i < j->n_held; i++)
		add(p, q, &fl_drf_rows(p, j)[i], -1);
	FL_SET(p, j->held_by, (struct fl_node){ FL_NONE });
	FL_SET(p, j->n_held, 0);
	FL_SET(p, p->users[q.v].dominant, dominant_of(p, q.v));
	fl_drf_enter(p, w, state);
	if (q.v != j->queue.v)
		update_turn(p, q.v);
}

void fl_drf_enter(struct fl_policy *p, struct fl_workload w, enum fl_workload_state state)
{
	struct fl_job *j = &p->jobs[w.v];

	FL_SET(p, j->state, state);
	FL_SET(p, j->reason, FL_REASON_NONE);
	FL_SET(p, j->parked, 0);
	update_line(p, w.v);
}

void fl_drf_park(struct fl_policy *p, struct fl_workload w, enum fl_reason why)
{
	struct fl_job *j = &p->jobs[w.v];

	FL_SET(p, j->reason, why);
	FL_SET(p, j->parked, p->changes + 1);
	update_line(p, w.v);
}

/* --- derived from all the rest --- */

static void derive_capacity(struct fl_policy *p)
{
	const struct fl_model *m = p->model;
	size_t resources = m->n_resources;

	memset(p->capacity, 0, m->n_flavors * resources * sizeof *p->capacity);
	memset(p->total, 0, resources * sizeof *p->total);
	for (uint32_t n = 0; n < m->n_nodes; n++) {
		struct fl_quota_walk walk = { 0 };
		const struct fl_quota *q;

		while ((q = fl_model_next_quota(m, (struct fl_node){ n }, &walk))) {
			fl_amount *cell = &p->capacity[q->flavor.v * resources + q->resource.v];
			fl_amount *total = &p->total[q->resource.v];

			*cell = fl_quota_add(*cell, p->quota[q - m->quotas]);
			*total = fl_quota_add(*total, p->quota[q - m->quotas]);
		}
	}
}

void fl_drf_derive(struct fl_policy *p)
{
	uint32_t nodes = p->model->n_nodes;

	derive_capacity(p);
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		const struct fl_job *j = &p->jobs[w];
		const struct fl_drf_user *u;

		if (j->queue.v == FL_NONE)
			continue;
		u = &p->users[j->queue.v];
		p->line[2 * (size_t)u->first + u->n + j->leaf] = leaf_of(p, w);
	}
	for (uint32_t n = 0; n < nodes; n++) {
		struct fl_drf_user *u = &p->users[n];

		play_all(p, p->line + 2 * (size_t)u->first, u->n, better_workload);
		u->dominant = dominant_of(p, n);
		p->turn[nodes + n] = head_of(p, n) == FL_NONE ? FL_NONE : n;
	}
	play_all(p, p->turn, nodes, better_user);
}
