/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drf - what queues are entitled to where tasks can be divided (Ghodsi et al., section 4.1)
 *
 * All dominant shares grow together, each as fast as its weight, until a queue has all it wants or a
 * resource that it wants is all given: progressive filling.  Queues with weight 0 follow after all
 * others.  A cohort is entitled to what its queues are.  O(queues^2 * resources) at most.
 */
#include "decide/drf/drf.h"

#include <math.h>
#include <string.h>

#include "sim/face.h"

struct filling {
	double *left; /* by resource: not given */
	double *got;  /* by row: which part of what it wants */
	double *rate; /* by row: how fast that grows; 0: not any more */
	double *sum;  /* by row and resource: of the rows below it */
};

static bool takes_part(const struct fl_node_row *row) { return row->kind != FL_QUEUE; }

static void note_resources(const struct fl_entitled *e, bool *found)
{
	for (uint32_t i = 0; i < e->model->n_quotas; i++)
		found[e->model->quotas[i].resource.v] = true;
}

static void changed(struct fl_entitled *e)
{
	for (uint32_t k = 0; k < e->n_resources; k++) {
		e->capacity[k] = 0;
		for (uint32_t f = 0; f < e->model->n_flavors; f++) {
			fl_amount there = fl_drf_capacity(e->policy, (struct fl_flavor){ f },
							  e->resources[k]);

			e->capacity[k] += there == FL_UNLIMITED ? (double)INFINITY : (double)there;
		}
	}
}

static int begin(struct fl_entitled *e, fairlead_error *err)
{
	struct filling *x;

	if (!FL_NEW(&e->arena, x, 1, err) || !FL_NEW(&e->arena, x->left, e->n_resources, err) ||
	    !FL_NEW(&e->arena, x->got, e->n, err) || !FL_NEW(&e->arena, x->rate, e->n, err) ||
	    !FL_NEW(&e->arena, x->sum, (size_t)e->n * e->n_resources, err))
		return FAIRLEAD_ENOMEM;
	e->own = x;
	changed(e);
	return 0;
}

static void want(struct fl_entitled *e, uint32_t row, const double *wanted)
{
	for (uint32_t k = 0; k < e->n_resources; k++)
		*fl_entitled_cell(e, e->wants, row, k) = wanted[k];
}

static bool is_queue(const struct fl_entitled *e, uint32_t row)
{
	return e->model->nodes[e->node[row]].kind == FL_CLUSTER_QUEUE;
}

/* The dominant share of all that @row wants. */
static double dominant(const struct fl_entitled *e, uint32_t row)
{
	double most = 0;

	for (uint32_t k = 0; k < e->n_resources; k++) {
		double wants = *fl_entitled_cell(e, e->wants, row, k);

		if (wants > 0)
			most = fmax(most, wants / e->capacity[k]);
	}
	return most;
}

/* Rates of the queues that have a weight, or of those that have none. */
static void begin_filling(struct fl_entitled *e, bool weighted)
{
	struct filling *x = e->own;

	for (uint32_t row = 0; row < e->n; row++) {
		double most = is_queue(e, row) ? dominant(e, row) : 0;
		struct fl_share share;

		x->rate[row] = 0;
		if (!is_queue(e, row))
			continue;
		fl_drf_policy.share(e->policy, (struct fl_node){ e->node[row] }, &share);
		if ((share.weight > 0) != weighted)
			continue;
		if (most == 0)
			x->got[row] = 1;
		else if (isfinite(most))
			x->rate[row] = (weighted ? share.weight : 1) / most;
	}
}

/* How much of resource @k all take while the level grows by 1. */
static double flow(const struct fl_entitled *e, uint32_t k)
{
	const struct filling *x = e->own;
	double sum = 0;

	for (uint32_t row = 0; row < e->n; row++)
		if (x->rate[row] > 0)
			sum += x->rate[row] * *fl_entitled_cell(e, e->wants, row, k);
	return sum;
}

/* The level grows until a queue has all it wants or a resource is used up; false: no queue gets more. */
static bool fill(struct fl_entitled *e)
{
	struct filling *x = e->own;
	double level = (double)INFINITY;
	uint32_t full = FL_NONE;

	for (uint32_t row = 0; row < e->n; row++)
		if (x->rate[row] > 0)
			level = fmin(level, (1 - x->got[row]) / x->rate[row]);
	if (!isfinite(level))
		return false;
	for (uint32_t k = 0; k < e->n_resources; k++) {
		double takes = flow(e, k);

		if (takes > 0 && x->left[k] / takes <= level) {
			level = x->left[k] / takes;
			full = k;
		}
	}
	for (uint32_t k = 0; k < e->n_resources; k++)
		x->left[k] = k == full ? 0 : fmax(0, x->left[k] - level * flow(e, k));
	for (uint32_t row = 0; row < e->n; row++) {
		bool stops = full != FL_NONE && *fl_entitled_cell(e, e->wants, row, full) > 0;

		if (x->rate[row] == 0)
			continue;
		x->got[row] = fmin(1, x->got[row] + level * x->rate[row]);
		if (stops || x->got[row] == 1 || (1 - x->got[row]) / x->rate[row] <= 0)
			x->rate[row] = 0;
	}
	return true;
}

/* Of a queue its part of what it wants, of a cohort what its queues have. */
static double share_of(const struct fl_entitled *e, uint32_t row, uint32_t k)
{
	const struct filling *x = e->own;

	return is_queue(e, row) ? x->got[row] * *fl_entitled_cell(e, e->wants, row, k) :
				  *fl_entitled_cell(e, x->sum, row, k);
}

/* Rows stand parents first. */
static uint32_t copy_shares(struct fl_entitled *e, uint32_t *others)
{
	struct filling *x = e->own;
	uint32_t n = 0;

	memset(x->sum, 0, (size_t)e->n * e->n_resources * sizeof *x->sum);
	for (uint32_t row = e->n; row-- > 0;) {
		bool differs = false;

		for (uint32_t k = 0; k < e->n_resources; k++) {
			double *of = fl_entitled_cell(e, e->shares, row, k);
			double share = share_of(e, row, k);

			if (e->parent[row] != FL_NONE)
				*fl_entitled_cell(e, x->sum, e->parent[row], k) += share;
			differs |= *of != share;
			*of = share;
		}
		if (differs)
			others[n++] = row;
	}
	return n;
}

static uint32_t find(struct fl_entitled *e, uint32_t *others)
{
	struct filling *x = e->own;

	for (uint32_t k = 0; k < e->n_resources; k++)
		x->left[k] = e->capacity[k];
	for (uint32_t row = 0; row < e->n; row++)
		x->got[row] = 0;
	for (int weighted = 1; weighted >= 0; weighted--) {
		begin_filling(e, weighted);
		while (fill(e))
			;
	}
	return copy_shares(e, others);
}

extern const struct fl_entitled_face fl_drf_entitles;
const struct fl_entitled_face fl_drf_entitles = {
	.takes_part = takes_part,
	.note_resources = note_resources,
	.begin = begin,
	.changed = changed,
	.want = want,
	.find = find,
};
