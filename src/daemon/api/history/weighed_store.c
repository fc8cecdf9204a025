/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/history/weighed_store.h"

#include "store/sums/steps.h"

static int since(void *user, fl_time *ret_first, fl_time *ret_exact, fairlead_error *err)
{
	struct fl_tier_ends ends;
	int r = fl_store_tier_ends(user, &ends, err);

	*ret_first = ends.first;
	*ret_exact = ends.exact;
	return r;
}

static int attempts(void *user, fl_time from, fl_time to, fl_weighed_attempt_fn *fn, void *to_whom,
		    fairlead_error *err)
{
	return fl_store_holdings(user, from, to, fn, to_whom, err);
}

struct steps {
	fl_weighed_sum_fn *fn;
	void *to_whom;
};

static int step(void *user, const struct fl_step_sum *row, fairlead_error *err)
{
	const struct steps *s = user;

	return s->fn(s->to_whom, row->queue, row->resource, row->from, row->to, row->held, err);
}

static int sums(void *user, fl_time from, fl_time to, fl_weighed_sum_fn *fn, void *to_whom,
		fairlead_error *err)
{
	struct steps s = { fn, to_whom };

	return fl_store_steps(user, from, to, step, &s, err);
}

static fl_time changed(void *user) { return fl_store_holdings_changed(user); }

struct fl_weighed_source fl_weighed_source_of(struct fl_store *s)
{
	return (struct fl_weighed_source){ s, since, attempts, sums, changed };
}
