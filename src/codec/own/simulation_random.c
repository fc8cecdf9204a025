/* SPDX-License-Identifier: Apache-2.0 */
/* Random lengths of time and sizes, as a Simulation writes them. */
#include <math.h>

#include "base/limits.h"
#include "codec/own/simulation_parts.h"

struct reading {
	struct fl_distribution d;
	enum fl_simulation_unit unit;
	uint32_t kinds, most_at; /* how many were named; where it stands */
};

/* A length of time in seconds, or a number of pods. */
static int read_one(struct fl_kube *k, uint32_t v, struct reading *d, double *ret)
{
	fl_time t = 0;
	int r;

	if (d->unit == FL_OF_PODS)
		return fl_kube_number(k, v, ret);
	r = fl_own_period(k, v, &t);
	*ret = (double)t / (double)FL_SECOND;
	return r;
}

/* The same, but not 0. */
static int read_above(struct fl_kube *k, uint32_t v, struct reading *d, double *ret)
{
	int r = read_one(k, v, d, ret);

	return r == 0 && *ret <= 0 ? fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected more than 0") :
				     r;
}

static int kind(struct reading *d, enum fl_distribution_kind which)
{
	d->d.kind = which;
	d->kinds++;
	return 0;
}

static int read_uniform(struct fl_kube *k, uint32_t v, void *row)
{
	struct reading *d = row;
	uint32_t end = 0, second;
	int r = fl_kube_list(k, v, &end);

	kind(d, FL_UNIFORM);
	if (r < 0)
		return r;
	second = v + 1 < end ? fl_kube_next(k, v + 1) : end;
	if (second >= end || fl_kube_next(k, second) != end)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected two: the least and the most");
	r = read_one(k, v + 1, d, &d->d.a);
	if (r == 0)
		r = read_one(k, second, d, &d->d.b);
	if (r == 0 && d->d.b < d->d.a)
		return fl_kube_fail(k, second, FAIRLEAD_EINPUT, "the most is less than the least");
	return r;
}

static int read_exponential(struct fl_kube *k, uint32_t v, void *row)
{
	kind(row, FL_EXPONENTIAL);
	return read_above(k, v, row, &((struct reading *)row)->d.a);
}

#define ABOVE(function, member)                                                                    \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return read_above(k, v, row, &((struct reading *)row)->d.member);                  \
	}
#define POSITIVE(function, member)                                                                 \
	static int function(struct fl_kube *k, uint32_t v, void *row)                              \
	{                                                                                          \
		return fl_own_positive(k, v, &((struct reading *)row)->d.member);                  \
	}

ABOVE(read_a, a)
ABOVE(read_b, b)
POSITIVE(read_shape, b)

static const struct fl_field lognormal[] = {
	{ .name = "median", .read = read_a },
	{ .name = "p84", .read = read_b },
	{ .name = NULL },
};

static const struct fl_field pareto[] = {
	{ .name = "least", .read = read_a },
	{ .name = "exponent", .read = read_shape },
	{ .name = NULL },
};

static const struct fl_field weibull[] = {
	{ .name = "scale", .read = read_a },
	{ .name = "shape", .read = read_shape },
	{ .name = NULL },
};

/* Both fields of the map must be there. */
static int read_both(struct fl_kube *k, uint32_t v, const struct fl_field fields[2], void *row)
{
	uint32_t unused;
	int r = fl_kube_need(k, v, fields[0].name, &unused);

	if (r == 0)
		r = fl_kube_need(k, v, fields[1].name, &unused);
	return r < 0 ? r : fl_kube_map(k, v, fields, row);
}

/* What 84 of 100 stay below is one standard deviation over the median. */
static int read_lognormal(struct fl_kube *k, uint32_t v, void *row)
{
	struct fl_distribution *d = &((struct reading *)row)->d;
	int r = read_both(k, v, lognormal, row);

	kind(row, FL_LOGNORMAL);
	if (r == 0 && d->b < d->a)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'p84' is less than the median");
	if (r == 0)
		d->b /= d->a;
	return r;
}

static int read_pareto(struct fl_kube *k, uint32_t v, void *row)
{
	kind(row, FL_PARETO);
	return read_both(k, v, pareto, row);
}

static int read_weibull(struct fl_kube *k, uint32_t v, void *row)
{
	kind(row, FL_WEIBULL);
	return read_both(k, v, weibull, row);
}

static int read_least(struct fl_kube *k, uint32_t v, void *row)
{
	return read_one(k, v, row, &((struct reading *)row)->d.least);
}

static int read_most(struct fl_kube *k, uint32_t v, void *row)
{
	((struct reading *)row)->most_at = v;
	return read_above(k, v, row, &((struct reading *)row)->d.most);
}

const struct fl_field fl_fields_distribution[] = {
	{ .name = "uniform", .read = read_uniform, .list = true },
	{ .name = "exponential", .read = read_exponential },
	{ .name = "lognormal", .read = read_lognormal, .fields = lognormal },
	{ .name = "pareto", .read = read_pareto, .fields = pareto },
	{ .name = "weibull", .read = read_weibull, .fields = weibull },
	{ .name = "least", .read = read_least },
	{ .name = "most", .read = read_most },
	{ .name = NULL },
};

/* Nobody has less than one pod. */
static int check_pods(struct fl_kube *k, uint32_t v, const struct fl_distribution *d)
{
	bool whole = d->a == trunc(d->a) && (d->kind != FL_UNIFORM || d->b == trunc(d->b));

	if (d->kind != FL_CONSTANT && d->kind != FL_UNIFORM)
		return 0;
	if (d->a < 1 || !whole)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "pods are whole numbers of at least 1");
	if (d->a > FL_MAX_LIST || (d->kind == FL_UNIFORM && d->b > FL_MAX_LIST))
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "more than %d pods", FL_MAX_LIST);
	return 0;
}

int fl_simulation_distribution(struct fl_kube *k, uint32_t v, enum fl_simulation_unit unit,
			       struct fl_distribution *ret)
{
	struct reading d = { .d = { .kind = FL_CONSTANT, .most = INFINITY },
			     .unit = unit,
			     .most_at = v };
	int r;

	if (k->doc.values[v].kind != FL_TOKEN_MAP) {
		r = read_one(k, v, &d, &d.d.a);
	} else {
		r = fl_kube_map(k, v, fl_fields_distribution, &d);
		if (r == 0 && d.kinds != 1)
			return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
					    "expected one of uniform, exponential, lognormal, "
					    "pareto, weibull");
		if (r == 0 && d.d.most < d.d.least)
			return fl_kube_fail(k, d.most_at, FAIRLEAD_EINPUT,
					    "'most' is less than 'least'");
	}
	if (r == 0 && unit == FL_OF_PODS)
		r = check_pods(k, v, &d.d);
	if (r == 0)
		*ret = d.d;
	return r;
}
