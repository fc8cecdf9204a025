/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/weighed.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const char *const resources[FL_WEIGHED_RESOURCES] = { "nvidia.com/gpu", "cpu", "memory" };

uint32_t fl_weighed_resource(const char *name)
{
	uint32_t i = 0;

	while (i < FL_WEIGHED_RESOURCES && strcmp(resources[i], name) != 0)
		i++;
	return i;
}

const char *fl_weighed_name(uint32_t resource) { return resources[resource]; }

/* --- weights --- */

double fl_weighed_left(fl_time end, fl_time now, fl_time half_life)
{
	return half_life > 0 ? exp2(-(double)(now - end) / (double)half_life) : 1;
}

double fl_weighed_weight(fl_time from, fl_time to, fl_time end, fl_time half_life)
{
	const double ln2 = 0.693147180559945309417232121458176568;
	double h = (double)half_life;

	if (half_life <= 0)
		return (double)(to - from);
	/* 1 - 2^-x, without cancellation where x is small */
	return fl_weighed_left(to, end, half_life) * (h / ln2) *
	       -expm1(-ln2 * (double)(to - from) / h);
}

fl_nanos fl_weighed_span(fl_amount amount, fl_time from, fl_time to, fl_time end, fl_time half_life)
{
	if (half_life <= 0)
		return (fl_nanos)amount * (to - from) * FL_WEIGHED_UNIT;
	return (fl_nanos)amount *
	       (fl_nanos)rint(fl_weighed_weight(from, to, end, half_life) * FL_WEIGHED_UNIT);
}

/* --- what was held --- */

void fl_weighed_done(struct fl_weighed *u)
{
	fl_mem_free(&fl_mem_heap, u->rows);
	*u = (struct fl_weighed){ 0 };
}

static int row_of(struct fl_weighed *u, const char *queue, struct fl_weighed_sums **ret,
		  fairlead_error *err)
{
	struct fl_sym sym;
	int r = fl_names_add(u->queues, queue, strlen(queue), &sym, err);

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &u->rows, &u->cap, sym.v + 1, sizeof *u->rows, err);
	if (r < 0)
		return r;
	for (; u->n <= sym.v; u->n++)
		u->rows[u->n] = (struct fl_weighed_sums){ { 0 } };
	*ret = &u->rows[sym.v];
	return 0;
}

int fl_weighed_grants(struct fl_weighed *u, const char *queue, const struct fl_run_grant *grants,
		      uint32_t n, fl_time from, fl_time to, fairlead_error *err)
{
	struct fl_weighed_sums *sums;
	int r;

	from = fl_amount_max(from, u->from);
	to = fl_amount_min(to, u->to);
	if (from >= to)
		return 0;
	r = row_of(u, queue, &sums, err);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		const uint32_t resource = fl_weighed_resource(grants[i].resource);

		if (resource < FL_WEIGHED_RESOURCES)
			sums->of[resource] += fl_weighed_span(grants[i].amount, from, to, u->to,
							      u->half_life);
	}
	return r;
}

int fl_weighed_evenly(struct fl_weighed *u, const char *queue, const char *resource, fl_time from,
		      fl_time to, fl_nanos held, fairlead_error *err)
{
	const uint32_t of = fl_weighed_resource(resource);
	const fl_time low = fl_amount_max(from, u->from), high = fl_amount_min(to, u->to);
	struct fl_weighed_sums *sums;
	int r;

	if (low >= high || of == FL_WEIGHED_RESOURCES || held <= 0)
		return 0;
	r = row_of(u, queue, &sums, err);
	if (r < 0)
		return r;
	if (u->half_life <= 0 && low == from && high == to)
		sums->of[of] += held * FL_WEIGHED_UNIT;
	else
		sums->of[of] += (fl_nanos)((double)held / (double)(to - from) *
					   fl_weighed_weight(low, high, u->to, u->half_life) *
					   FL_WEIGHED_UNIT);
	return 0;
}

/* --- what there was --- */

bool fl_weighed_capacity(const struct fl_weighed_capacity *rows, uint32_t n, uint32_t resource,
			 fl_time from, fl_time to, fl_time now, fl_time half_life, double *ret)
{
	bool known = false;

	*ret = 0;
	for (uint32_t i = 0; i < n; i++) {
		const fl_time low = fl_amount_max(rows[i].since, from);
		const fl_time high = i + 1 < n ? fl_amount_min(rows[i + 1].since, to) : to;

		if (low >= high)
			continue;
		known = true;
		*ret += (double)rows[i].of[resource] *
			fl_weighed_weight(low, high, high, half_life) *
			fl_weighed_left(high, now, half_life);
	}
	return known;
}
