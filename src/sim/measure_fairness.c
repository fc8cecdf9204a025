/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tenant has of what it is entitled to.
 *
 * Nothing changes between events, so a look costs a division only after one, and what it
 * found counts for all looks until the next event.
 */
#include <math.h>

#include "sim/measure_parts.h"

/* Below this part of what it is entitled to a blocked tenant is behind. */
#define FAIR_ENOUGH 0.9

static bool is_leaf(const struct fl_measure *m, uint32_t row) { return m->nodes[row].leaf; }

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

/* Jain's index of the ratios of all who want something, and the largest envy of a blocked one. */
static struct fl_measure_look compare(const struct fl_measure *m)
{
	struct fl_measure_look look = { .jain = (double)NAN,
					.envy = (double)NAN,
					.blocked_least = (double)INFINITY };
	double sum = 0, squares = 0, largest = 0, least = 1;

	for (uint32_t row = 0; row + 1 < m->n_rows; row++) {
		const struct fl_measure_row *r = &m->rows[row];
		double ratio = r->ratio;

		if (!is_leaf(m, row) || isnan(ratio))
			continue;
		look.tenants++;
		sum += ratio;
		squares += ratio * ratio;
		largest = fmax(largest, ratio);
		if (!r->is_blocked)
			continue;
		least = fmin(least, ratio);
		look.blocked++;
		look.blocked_sum += fmin(ratio, 1);
		look.blocked_least = fmin(look.blocked_least, fmin(ratio, 1));
	}
	if (!look.tenants)
		return look;
	/* nobody has anything: all have the same */
	look.jain = squares > 0 ? sum * sum / (look.tenants * squares) : 1;
	look.envy = least < 1 ? fmax(largest - least, 0) : 0;
	return look;
}

void fl_measure_enter_looks(struct fl_measure *m)
{
	uint64_t n = m->looks - m->entered;

	for (uint32_t row = 0; row + 1 < m->n_rows && n; row++) {
		struct fl_measure_row *r = &m->rows[row];
		double *sum = fl_measure_of(m, m->entitled_sum, row);
		const double *now = fl_measure_of(m, m->entitled_now, row);

		for (uint32_t k = 0; k < m->n_resources; k++)
			sum[k] += (double)n * now[k];
		if (!r->is_blocked || isnan(r->ratio))
			continue;
		r->ratio_n += n;
		r->ratio_sum += (double)n * fmin(r->ratio, 1);
		r->ratio_least = fmin(r->ratio_least, fmin(r->ratio, 1));
	}
	m->entered = m->looks;
}

void fl_measure_compare(struct fl_measure *m)
{
	uint32_t n = m->n_resources;
	double *wanted = m->entitled_wanted;

	fl_measure_enter_looks(m);
	for (uint32_t row = 0; row + 1 < m->n_rows; row++)
		for (uint32_t k = 0; k < n; k++)
			wanted[(size_t)row * n + k] = m->now[((size_t)row * 2 + 1) * n + k];
	fl_entitled_find(&m->entitled, wanted, m->entitled_now);
	for (uint32_t row = 0; row + 1 < m->n_rows; row++) {
		struct fl_measure_row *r = &m->rows[row];

		r->is_blocked = r->waiting || r->partial;
		r->ratio = ratio_of(m, row);
	}
	m->look = compare(m);
}

int fl_measure_look(struct fl_measure *m, fl_time at, fairlead_error *err)
{
	int rc = 0;

	fl_measure_compare(m);
	for (uint32_t row = 0; row + 1 < m->n_rows && rc >= 0; row++)
		if (is_leaf(m, row))
			rc = correct(m, &m->rows[row], at, err);
	m->stale = rc < 0;
	return rc;
}

void fl_measure_count_looks(struct fl_measure *m, uint64_t n)
{
	const struct fl_measure_look *look = &m->look;

	m->looks += n;
	if (look->tenants >= 2) {
		m->jain_n += n;
		m->jain_sum += (double)n * look->jain;
	}
	if (look->tenants)
		m->largest_envy = fmax(m->largest_envy, look->envy);
	m->blocked_n += n * look->blocked;
	m->blocked_sum += (double)n * look->blocked_sum;
	m->blocked_least = fmin(m->blocked_least, look->blocked_least);
}
