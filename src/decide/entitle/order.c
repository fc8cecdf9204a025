/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/order.h"

/* A queue's turn, and what a step needs of it more than once. */
struct side {
	const struct fl_standing *q;
	const struct fl_turn *turn;
	struct fl_bundle with; /* allocated, with what comes */
};

static struct side side_of(const struct fl_standing *queues, const struct fl_turn *turn)
{
	struct side s = { .q = &queues[turn->queue.v], .turn = turn };

	s.with = s.q->allocated;
	fl_bundle_add(&s.with, &turn->comes);
	return s;
}

/* -1: only @r has a fault; 1: only @l has it. */
static int faultless_first(bool l, bool r) { return l - r; }

/* Over its fair share in all three: plain numbers, an unlimited share is -1. */
static bool is_over(const struct fl_standing *q)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!(q->fair_share.of[r] < q->allocated.of[r]))
			return false;
	return true;
}

/* 1. Whoever is over its fair share in every resource comes last. */
static int by_over_use(const struct side *l, const struct side *r)
{
	return faultless_first(is_over(l->q), is_over(r->q));
}

/* 2. Whoever stays within what it deserves comes first. */
static int by_starvation(const struct side *l, const struct side *r)
{
	return faultless_first(!fl_bundle_within(&l->with, &l->q->deserved),
			       !fl_bundle_within(&r->with, &r->q->deserved));
}

/* 3. The higher priority. */
static int by_priority(const struct side *l, const struct side *r)
{
	return (l->q->priority < r->q->priority) - (l->q->priority > r->q->priority);
}

/* Would hold something of which it may have nothing. */
static bool breaks_zero_share(const struct side *s)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (fl_standing_allocatable(s->q, r) == 0 && s->with.of[r] > 0)
			return true;
	return false;
}

/* 4. Whoever takes from a share of nothing comes last. */
static int by_zero_share(const struct side *l, const struct side *r)
{
	return faultless_first(breaks_zero_share(l), breaks_zero_share(r));
}

/* How much worse anything is of which a queue may have nothing. */
static const double zero_share_factor = 1000;

/* The largest part of what it may hold that @amount is, at least 0. */
static double dominant_share(const struct fl_standing *q, const struct fl_bundle *total,
			     const struct fl_bundle *amount)
{
	double most = 0;

	for (int r = 0; r < FL_BUNDLE; r++) {
		double may = fl_standing_allocatable(q, r), share;

		if (may == FL_UNBOUNDED)
			may = total->of[r];
		share = may == 0 ? amount->of[r] * zero_share_factor : amount->of[r] / may;
		if (share > most)
			most = share;
	}
	return most;
}

static int smaller_first(double l, double r) { return (l > r) - (l < r); }

static double share_after(const struct side *s, const struct fl_bundle *total)
{
	struct fl_bundle after = s->with;

	fl_bundle_take(&after, &s->turn->goes);
	return dominant_share(s->q, total, &after);
}

/* 5. The smaller dominant share with what comes and without what goes. */
static int by_share_after(const struct fl_bundle *total, const struct side *l, const struct side *r)
{
	return smaller_first(share_after(l, total), share_after(r, total));
}

/* 6. The smaller dominant share as it stands. */
static int by_share_before(const struct fl_bundle *total, const struct side *l,
			   const struct side *r)
{
	return smaller_first(dominant_share(l->q, total, &l->q->allocated),
			     dominant_share(r->q, total, &r->q->allocated));
}

/* 7. Whoever may hold less, in no resource more. */
static int by_size(const struct side *l, const struct side *r)
{
	struct fl_bundle x, y;
	bool x_within, y_within;

	for (int i = 0; i < FL_BUNDLE; i++) {
		x.of[i] = fl_standing_allocatable(l->q, i);
		y.of[i] = fl_standing_allocatable(r->q, i);
	}
	x_within = fl_bundle_within(&x, &y);
	y_within = fl_bundle_within(&y, &x);
	return y_within - x_within;
}

/* 8. The older one; of equal age always the second. */
static int by_age(const struct side *l, const struct side *r)
{
	return l->q->created < r->q->created ? -1 : 1;
}

int fl_queue_order(const struct fl_standing *queues, const struct fl_bundle *total,
		   const struct fl_turn *l, const struct fl_turn *r)
{
	const struct side x = side_of(queues, l), y = side_of(queues, r);
	int order;

	if ((order = by_over_use(&x, &y)) || (order = by_starvation(&x, &y)) ||
	    (order = by_priority(&x, &y)) || (order = by_zero_share(&x, &y)) ||
	    (order = by_share_after(total, &x, &y)) || (order = by_share_before(total, &x, &y)) ||
	    (order = by_size(&x, &y)))
		return order;
	return by_age(&x, &y);
}

/* Below its minimum, at it, above it. */
static int elastic_state(const struct fl_job_place *j)
{
	int64_t more = (int64_t)j->holds - j->min_tasks;

	return (more > 0) - (more < 0);
}

int fl_job_order(const struct fl_job_place *l, const struct fl_job_place *r)
{
	int x = elastic_state(l), y = elastic_state(r);

	if (l->priority != r->priority)
		return l->priority > r->priority ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	return (l->rank > r->rank) - (l->rank < r->rank);
}
