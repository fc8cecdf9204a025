/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tenant has of what it is entitled to.
 *
 * Nothing changes between events, so what a look after one finds counts for all the time up to
 * the next: means are integrals, and a correction is from event to event.  Only tenants whose wants
 * or entitlement changed are computed again; sums and extremes over all tenants are kept in a binary
 * tree (for pairs, pairs of pairs, and so on), so that one change costs one path in it.
 */
#include "sim/measure_fairness.h"

#include <math.h>

#include "sim/measure_state.h"

/* Below this part of what it is entitled to a blocked tenant is behind. */
#define FAIR_ENOUGH 0.9

/* --- one tenant ----------------------------------------------------------------------------- */

/* The resource of which it wants the largest part; the first by name of equals. FL_NONE: none. */
static uint32_t wants_most(const struct fl_measure *m, uint32_t row)
{
	const double *wanted = m->now + (size_t)row * 2 * m->n_resources + m->n_resources;
	const double *capacity = fl_entitled_capacity(&m->entitled, row);
	uint32_t most = FL_NONE;
	double largest = -1;

	for (uint32_t k = 0; k < m->n_resources; k++) {
		double part = capacity[k] > 0 ? wanted[k] / capacity[k] : 0;

		if (wanted[k] <= 0 || part <= largest)
			continue;
		most = k;
		largest = part;
	}
	return most;
}

static double ratio_of(const struct fl_measure *m, uint32_t row)
{
	const double *now = m->now + (size_t)row * 2 * m->n_resources;
	uint32_t k = wants_most(m, row);
	double fair;

	if (k == FL_NONE)
		return (double)NAN;
	fair = m->entitled_now[(size_t)row * m->n_resources + k];
	/* rests of sums of parts of GPUs are nothing */
	if (!(fair > 1e-9))
		return (double)NAN;
	return now[k] > 0 ? now[k] / fair : 0;
}

static int correct(struct fl_measure *m, struct fl_measure_row *r, fl_time at, fairlead_error *err)
{
	bool behind = r->is_blocked && r->ratio < FAIR_ENOUGH;
	int rc;

	if (behind && r->behind_since == FL_TIME_NONE)
		r->behind_since = at;
	if (behind || r->behind_since == FL_TIME_NONE)
		return 0;
	rc = fl_mem_grow(m->mem, &m->corrections, &m->cap_corrections, m->n_corrections + 1,
			 sizeof *m->corrections, err);
	if (rc < 0)
		return rc;
	m->corrections[m->n_corrections++] = (double)(at - r->behind_since) / (double)FL_SECOND;
	r->behind_since = FL_TIME_NONE;
	return 0;
}

/* --- all tenants ---------------------------------------------------------------------------- */

static const struct fl_measure_look nobody = { .least = 1, .blocked_least = (double)INFINITY };

static struct fl_measure_look look_at(const struct fl_measure_row *r)
{
	struct fl_measure_look ret = nobody;

	if (isnan(r->ratio))
		return ret;
	ret.tenants = 1;
	ret.sum = ret.largest = r->ratio;
	ret.squares = r->ratio * r->ratio;
	if (r->is_blocked) {
		ret.least = fmin(r->ratio, 1);
		ret.blocked = 1;
		ret.blocked_sum = ret.blocked_least = fmin(r->ratio, 1);
	}
	return ret;
}

static struct fl_measure_look both(const struct fl_measure_look *a, const struct fl_measure_look *b)
{
	return (struct fl_measure_look){
		.tenants = a->tenants + b->tenants,
		.blocked = a->blocked + b->blocked,
		.sum = a->sum + b->sum,
		.squares = a->squares + b->squares,
		.largest = fmax(a->largest, b->largest),
		.least = fmin(a->least, b->least),
		.blocked_sum = a->blocked_sum + b->blocked_sum,
		.blocked_least = fmin(a->blocked_least, b->blocked_least),
	};
}

/* The tenant's numbers are others: so are those of all pairs that it is in, up to the first look. */
static void enter_look(struct fl_measure *m, uint32_t row)
{
	uint32_t at = m->n_looks / 2 + row;

	m->looks[at] = look_at(&m->rows[row]);
	for (at /= 2; at > 0; at /= 2)
		m->looks[at] = both(&m->looks[2 * at], &m->looks[2 * at + 1]);
}

int fl_measure_looks_init(struct fl_measure *m, fairlead_error *err)
{
	uint32_t half = 1;

	while (half < m->n_rows)
		half *= 2;
	m->n_looks = 2 * half;
	m->looks = fl_arena_alloc(&m->arena, m->n_looks, sizeof *m->looks, err);
	if (!m->looks)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_looks; i++)
		m->looks[i] = nobody;
	return 0;
}

/* Jain's index of the ratios of all tenants, and the largest envy of a blocked one. */
static void compare(struct fl_measure *m)
{
	const struct fl_measure_look *all = &m->looks[1];

	m->jain = m->envy = (double)NAN;
	if (!all->tenants)
		return;
	/* no tenant has anything: all have the same */
	m->jain = all->squares > 0 ? all->sum * all->sum / (all->tenants * all->squares) : 1;
	m->envy = all->least < 1 ? fmax(all->largest - all->least, 0) : 0;
}

/* --- as time passes ------------------------------------------------------------------------- */

void fl_measure_enter_passed(struct fl_measure *m, uint32_t row)
{
	struct fl_measure_row *r = &m->rows[row];
	double *sum = fl_measure_of(m, m->entitled_sum, row);
	const double *now = fl_measure_of(m, m->entitled_now, row);
	double length = (double)(m->passed - r->entered);

	r->entered = m->passed;
	if (!(length > 0))
		return;
	for (uint32_t k = 0; k < m->n_resources; k++)
		sum[k] += length * now[k];
	if (!r->is_blocked || isnan(r->ratio))
		return;
	r->ratio_time += length;
	r->ratio_sum += length * fmin(r->ratio, 1);
	r->ratio_least = fmin(r->ratio_least, fmin(r->ratio, 1));
}

void fl_measure_touched(struct fl_measure *m, uint32_t row)
{
	if (m->rows[row].touched || row + 1 == m->n_rows)
		return;
	m->rows[row].touched = true;
	m->touched[m->n_touched++] = row;
}

/* Rows whose wants or entitlement changed: each once in `touched`. */
static void find(struct fl_measure *m)
{
	uint32_t n = m->n_resources, told = m->n_touched, changed;

	for (uint32_t i = 0; i < told; i++)
		fl_entitled_want(&m->entitled, m->touched[i],
				 &m->now[((size_t)m->touched[i] * 2 + 1) * n]);
	changed = fl_entitled_find(&m->entitled, m->changed);
	for (uint32_t i = 0; i < changed; i++)
		fl_measure_touched(m, m->changed[i]);
}

int fl_measure_look(struct fl_measure *m, fl_time at, fairlead_error *err)
{
	uint32_t n = m->n_resources;
	int rc = 0;

	find(m);
	for (uint32_t i = 0; i < m->n_touched; i++) {
		uint32_t row = m->touched[i];
		struct fl_measure_row *r = &m->rows[row];

		fl_measure_enter_passed(m, row);
		for (uint32_t k = 0; k < n; k++)
			fl_measure_of(m, m->entitled_now,
				      row)[k] = m->entitled.shares[(size_t)row * n + k];
		r->is_blocked = r->waiting || r->partial;
		r->ratio = ratio_of(m, row);
		r->touched = false;
		if (!m->nodes[row].leaf)
			continue;
		enter_look(m, row);
		if (rc >= 0)
			rc = correct(m, r, at, err);
	}
	m->n_touched = 0;
	compare(m);
	return rc;
}

void fl_measure_pass(struct fl_measure *m, fl_time time)
{
	const struct fl_measure_look *all = &m->looks[1];
	double length = (double)time;

	m->passed += time;
	if (all->tenants >= 2) {
		m->jain_time += length;
		m->jain_sum += length * m->jain;
		m->bucket.jain_time += length;
		m->bucket.jain_sum += length * m->jain;
		m->bucket.least = fmin(m->bucket.least, m->jain);
	}
	if (all->tenants) {
		m->largest_envy = fmax(m->largest_envy, m->envy);
		m->bucket.envy = fmax(m->bucket.envy, m->envy);
	}
	m->blocked_time += length * all->blocked;
	m->blocked_sum += length * all->blocked_sum;
	m->blocked_least = fmin(m->blocked_least, all->blocked_least);
}
