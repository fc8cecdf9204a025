/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/rules/order.h"

/* --- what is compared --- */

/*
 * Is it over its fair share in all three resources?  The numbers are compared as they are: an
 * unlimited share is -1.
 */
static bool is_over(const struct fl_standing *q)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!(q->fair_share.of[r] < q->allocated.of[r]))
			return false;
	return true;
}

/* Would it hold something of a resource of which it may hold nothing? */
static bool breaks_zero_share(const struct fl_bundle *may, const struct fl_bundle *with)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (may->of[r] == 0 && with->of[r] > 0)
			return true;
	return false;
}

/* The factor by which holding something of a share of zero counts as worse. */
static const double zero_share_factor = 1000;

/* max over resources(amount / what it may hold), at least 0. */
static double dominant_share(const struct fl_bundle *may, const struct fl_bundle *total,
			     const struct fl_bundle *amount)
{
	double most = 0;

	for (int r = 0; r < FL_BUNDLE; r++) {
		double bound = may->of[r] == FL_UNBOUNDED ? total->of[r] : may->of[r], share;

		share = bound == 0 ? amount->of[r] * zero_share_factor : amount->of[r] / bound;
		if (share > most)
			most = share;
	}
	return most;
}

struct fl_queue_key fl_queue_key(const struct fl_standing *queues, const struct fl_bundle *total,
				 const struct fl_turn *turn)
{
	const struct fl_standing *q = &queues[turn->queue.v];
	struct fl_bundle with = q->allocated, after;
	struct fl_queue_key key = {
		.over = is_over(q), .priority = q->priority, .late = q->late, .created = q->created
	};

	for (int r = 0; r < FL_BUNDLE; r++)
		key.size.of[r] = fl_standing_allocatable(q, r);
	fl_bundle_add(&with, &turn->comes);
	after = with;
	fl_bundle_take(&after, &turn->goes);
	key.full = !fl_bundle_within(&with, &q->deserved);
	key.breaks_zero = breaks_zero_share(&key.size, &with);
	key.after = dominant_share(&key.size, total, &after);
	key.before = dominant_share(&key.size, total, &q->allocated);
	return key;
}

/* --- the steps --- */

/* -1: only @r has the fault; 1: only @l has it; 0: both or neither. */
static int faultless_first(bool l, bool r) { return l - r; }

static int smaller_first(double l, double r) { return (l > r) - (l < r); }

/* 1. A queue over its fair share in every resource comes last. */
static int by_over_use(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return faultless_first(l->over, r->over);
}

/* 2. A queue that stays within what it deserves comes first. */
static int by_starvation(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return faultless_first(l->full, r->full);
}

/* 3. The higher priority comes first. */
static int by_priority(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return (l->priority < r->priority) - (l->priority > r->priority);
}

/*
 * With turns or budgets only: the queue whose turn it is.  Between 3 and 4, since priority comes
 * first.
 */
static int by_lateness(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return smaller_first(l->late, r->late);
}

/* 4. A queue that would hold something of a share of zero comes last. */
static int by_zero_share(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return faultless_first(l->breaks_zero, r->breaks_zero);
}

/* 5. The smaller dominant share, with what comes and without what goes, comes first. */
static int by_share_after(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return smaller_first(l->after, r->after);
}

/* 6. The smaller dominant share as it is now comes first. */
static int by_share_before(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return smaller_first(l->before, r->before);
}

/* 7. A queue that may hold less of some resource, and more of none, comes first. */
static int by_size(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	bool l_within = fl_bundle_within(&l->size, &r->size);
	bool r_within = fl_bundle_within(&r->size, &l->size);

	return r_within - l_within;
}

/* 8. The older queue comes first; of equal age always the second argument. */
static int by_age(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	return l->created < r->created ? -1 : 1;
}

int fl_queue_key_order(const struct fl_queue_key *l, const struct fl_queue_key *r)
{
	int order;

	if ((order = by_over_use(l, r)) || (order = by_starvation(l, r)) ||
	    (order = by_priority(l, r)) || (order = by_lateness(l, r)) ||
	    (order = by_zero_share(l, r)) || (order = by_share_after(l, r)) ||
	    (order = by_share_before(l, r)) || (order = by_size(l, r)))
		return order;
	return by_age(l, r);
}

int fl_queue_order(const struct fl_standing *queues, const struct fl_bundle *total,
		   const struct fl_turn *l, const struct fl_turn *r)
{
	const struct fl_queue_key x = fl_queue_key(queues, total, l);
	const struct fl_queue_key y = fl_queue_key(queues, total, r);

	return fl_queue_key_order(&x, &y);
}

/* --- jobs --- */

/* -1: below its minimum, 0: exactly at it, 1: above it. */
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
