/* SPDX-License-Identifier: Apache-2.0 */
/* Random durations and sizes in a Simulation. */
#include <math.h>

#include "base/limits.h"
#include "codec/own/simulation.h"

struct reading {
	struct fl_distribution d;
	bool said[FL_WEIBULL + 1]; /* by kind */
	bool has_most;
};

typedef int number_read(struct fl_kube *k, uint32_t v, double *ret);

/* A duration in seconds; a number of pods is read by fl_kube_number. */
static int read_seconds(struct fl_kube *k, uint32_t v, double *ret)
{
	fl_time t = 0;
	int r = fl_own_period(k, v, &t);

	*ret = (double)t / (double)FL_SECOND;
	return r;
}

static int above(struct fl_kube *k, uint32_t v, number_read *one, double *ret)
{
	int r = one(k, v, ret);

	return r == 0 && *ret <= 0 ? fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected more than 0") :
				     r;
}

static int read_two(struct fl_kube *k, uint32_t v, number_read *one, struct fl_distribution *d)
{
	uint32_t end = 0, second;
	int r = fl_kube_list(k, v, &end);

	if (r < 0)
		return r;
	second = v + 1 < end ? fl_kube_next(k, v + 1) : end;
	if (second >= end || fl_kube_next(k, second) != end)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected two values: the least and the most");
	r = one(k, v + 1, &d->a);
	if (r == 0)
		r = one(k, second, &d->b);
	if (r == 0 && d->b < d->a)
		return fl_kube_fail(k, second, FAIRLEAD_EINPUT, "the most is less than the least");
	return r;
}

/* p84 is one standard deviation above the median. */
static int read_lognormal(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_distribution *d = to;
	int r = fl_kube_whole(k, v, f->fields, d);

	if (r == 0 && d->b < d->a)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'p84' is less than the median");
	if (r == 0)
		d->b /= d->a;
	return r;
}

static int read_whole(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	return fl_kube_whole(k, v, f->fields, to);
}

#define FL_C_lognormal struct fl_distribution
#define FL_C_whole struct fl_distribution
static const struct fl_type fl_type_lognormal = { .read = read_lognormal };
static const struct fl_type fl_type_whole = { .read = read_whole };

/*
 * The types and the table of numbers of one unit: the function that reads a number, and its schema.
 */
#define OF_UNIT(unit, read_one, says)                                                               \
	static int read_##unit(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)   \
	{                                                                                           \
		(void)f;                                                                            \
		return read_one(k, v, to);                                                          \
	}                                                                                           \
	static int read_##unit##_above(struct fl_kube *k, uint32_t v, const struct fl_field *f,     \
				       void *to)                                                    \
	{                                                                                           \
		(void)f;                                                                            \
		return above(k, v, read_one, to);                                                   \
	}                                                                                           \
	static int read_##unit##_two(struct fl_kube *k, uint32_t v, const struct fl_field *f,       \
				     void *to)                                                      \
	{                                                                                           \
		(void)f;                                                                            \
		return read_two(k, v, read_one, to);                                                \
	}                                                                                           \
	static const struct fl_type fl_type_##unit = { .read = read_##unit, .schema = says };       \
	static const struct fl_type fl_type_##unit##_above = { .read = read_##unit##_above,         \
							       .schema = says };                    \
	static const struct fl_type fl_type_##unit##_two = {                                        \
		.read = read_##unit##_two,                                                          \
		.schema =                                                                           \
			"\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": { " says \
			" }"                                                                        \
	};                                                                                          \
	static const struct fl_field lognormal_##unit[] = {                                         \
		{ PART("median", unit##_above, a) },                                                \
		{ PART("p84", unit##_above, b) },                                                   \
		{ .name = NULL },                                                                   \
	};                                                                                          \
	static const struct fl_field pareto_##unit[] = {                                            \
		{ PART("least", unit##_above, a) },                                                 \
		{ PART("exponent", positive, b) },                                                  \
		{ .name = NULL },                                                                   \
	};                                                                                          \
	static const struct fl_field weibull_##unit[] = {                                           \
		{ PART("scale", unit##_above, a) },                                                 \
		{ PART("shape", positive, b) },                                                     \
		{ .name = NULL },                                                                   \
	};                                                                                          \
	const struct fl_field fl_fields_random_##unit[] = {                                         \
		{ KIND("uniform", unit##_two, d, FL_UNIFORM), .list = true },                       \
		{ KIND("exponential", unit##_above, d.a, FL_EXPONENTIAL) },                         \
		{ KIND("lognormal", lognormal, d, FL_LOGNORMAL), .fields = lognormal_##unit,        \
		  .doc = "p84: the 84th percentile." },                                             \
		{ KIND("pareto", whole, d, FL_PARETO), .fields = pareto_##unit },                   \
		{ KIND("weibull", whole, d, FL_WEIBULL), .fields = weibull_##unit },                \
		{ FL_IS("least", unit, struct reading, d.least) },                                  \
		{ FL_IS("most", unit##_above, struct reading, d.most),                              \
		  FL_SAID(struct reading, has_most) },                                              \
		{ .name = NULL },                                                                   \
	};

#define PART(field, type, member) FL_IS(field, type, struct fl_distribution, member), .needed = true
#define KIND(field, type, member, kind)                                                            \
	FL_IS(field, type, struct reading, member), FL_SAID(struct reading, said[kind])
#define FL_C_span_above double
#define FL_C_span double
#define FL_C_pods double
#define FL_C_pods_above double
#define FL_C_span_two struct fl_distribution
#define FL_C_pods_two struct fl_distribution

OF_UNIT(span, read_seconds, FL_PERIOD_SCHEMA)
OF_UNIT(pods, fl_kube_number, "\"type\": \"number\", \"minimum\": 0")

/* A job has at least one pod. */
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

/* A number @one is a constant; a map by the table of @f is one of the distributions. */
static int read_distribution(struct fl_kube *k, uint32_t v, const struct fl_field *f,
			     number_read *one, struct fl_distribution *ret)
{
	struct reading d = { .d = { .kind = FL_CONSTANT, .most = INFINITY } };
	unsigned kinds = 0;
	int r;

	if (k->doc.values[v].kind != FL_TOKEN_MAP) {
		r = one(k, v, &d.d.a);
		*ret = d.d;
		return r;
	}
	r = fl_kube_map(k, v, f->fields, &d);
	for (unsigned kind = 0; kind <= FL_WEIBULL; kind++)
		if (d.said[kind]) {
			d.d.kind = (enum fl_distribution_kind)kind;
			kinds++;
		}
	if (r == 0 && kinds != 1)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT,
				    "expected one of uniform, exponential, lognormal, "
				    "pareto, weibull");
	if (r == 0 && d.d.most < d.d.least)
		return fl_kube_fail(k, d.has_most ? fl_doc_find(&k->doc, v, "most") : v,
				    FAIRLEAD_EINPUT, "'most' is less than 'least'");
	*ret = d.d;
	return r;
}

static int read_random_time(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	return read_distribution(k, v, f, read_seconds, to);
}

static int read_random_pods(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int r = read_distribution(k, v, f, fl_kube_number, to);

	return r < 0 ? r : check_pods(k, v, to);
}

#define OR_MAP(one) "\"oneOf\": [{ " one " }, { @ }]"

const struct fl_type fl_type_random_time = { .read = read_random_time,
					     .schema = OR_MAP(FL_PERIOD_SCHEMA) };
const struct fl_type fl_type_random_pods = {
	.read = read_random_pods, .schema = OR_MAP("\"type\": \"number\", \"minimum\": 0")
};
