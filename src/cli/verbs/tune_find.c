/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verbs/tune_find.h"

#include <math.h>

#include "cli/verbs/tune_question.h"

/* One question in short names: which parameters make `used` of `part` cost `cost`? */
struct ask {
	struct fl_tune *t;
	double weight, part, cost;
	fl_time used;
	enum fl_tune_others others;
};

/* Usage that must be exceeded for any k to be enough. */
static double usage_for_any_k(const struct ask *a)
{
	double cw = a->cost * a->weight;

	return a->others == FL_OTHERS_BUSY ? a->weight : cw / (1 - a->weight + cw);
}

/* Even if only usage of now were remembered, it would cost less. */
static int too_little(const struct ask *a, fairlead_error *err)
{
	double most = fl_tune_most(a->weight, a->part, a->others);
	char part[32], weight[32], text[32];

	fl_tune_percent(a->part, part);
	fl_tune_percent(a->weight, weight);
	if (a->others == FL_OTHERS_BUSY && a->part <= a->weight) {
		fl_fail(err, FAIRLEAD_ENOENT,
			"%s of the cluster is not above the queue's part by weight, %s: while the others "
			"use the rest, that costs nothing, whatever the parameters are",
			part, weight);
		fl_fail_hint(err, "with --others idle any usage costs something");
		return FAIRLEAD_ENOENT;
	}
	fl_fail(err, FAIRLEAD_ENOENT,
		"to use %s of the cluster costs a queue with %s of the weights at most %s, whatever "
		"the parameters are",
		part, weight, fl_tune_percent(most, text));
	fl_fail_hint(err, "give a smaller --penalty, or more --gpus");
	return FAIRLEAD_ENOENT;
}

static int find_k(const struct ask *a, fairlead_error *err)
{
	double usage = fl_tune_usage(a->t, a->part, a->used, 0);
	double k = fl_tune_k_for(a->weight, usage, a->cost, a->others);
	char used[32], most[32], text[32];
	fl_time longest;

	if (isfinite(k)) {
		a->t->k = k;
		return 0;
	}
	longest = fl_tune_half_life_for(a->t, a->part, a->used, usage_for_any_k(a));
	if (longest == 0)
		return too_little(a, err);
	fl_fail(err, FAIRLEAD_ENOENT,
		"this is a usage of %s, which costs at most %s, whatever k is",
		fl_tune_percent(usage, used),
		fl_tune_percent(fl_tune_most(a->weight, usage, a->others), most));
	fl_fail_hint(err, "with a half-life below %s there is such a k",
		     fl_tune_time(longest, text));
	return FAIRLEAD_ENOENT;
}

/* With this k the penalty needs more usage than is possible. */
static int k_too_small(const struct ask *a, double usage, fairlead_error *err)
{
	double k = fl_tune_k_for(a->weight, a->part, a->cost, a->others);
	char need[32], have[32];

	if (!isfinite(k))
		return too_little(a, err);
	fl_fail(err, FAIRLEAD_ENOENT,
		"with k %.4g this needs a usage of %s; a queue that uses %s of the cluster stays below it",
		a->t->k, fl_tune_percent(usage, need), fl_tune_percent(a->part, have));
	fl_fail_hint(err, "give a k above %.4g", k);
	return FAIRLEAD_ENOENT;
}

/* It costs more than the penalty, already with @t. */
static int k_too_large(const struct ask *a, const struct fl_tune *t, const char *with,
		       fairlead_error *err)
{
	double usage = fl_tune_usage(t, a->part, a->used, 0);
	char text[32];

	fl_fail(err, FAIRLEAD_ENOENT, "with k %.4g it costs at least %s, with %s", a->t->k,
		fl_tune_percent(fl_tune_cost(a->t->k, a->weight, usage, a->others), text), with);
	fl_fail_hint(err, "give a k of %.4g or less",
		     fl_tune_k_for(a->weight, usage, a->cost, a->others));
	return FAIRLEAD_ENOENT;
}

static int find_half_life(const struct ask *a, fairlead_error *err)
{
	double usage = fl_tune_usage_for(a->t->k, a->weight, a->cost, a->others);
	struct fl_tune none = { .half_life = 0, .window = a->t->window };
	fl_time half_life;

	if (a->t->k <= 0)
		return fl_fail(err, FAIRLEAD_ENOENT, "with k 0 usage costs nothing");
	half_life = fl_tune_half_life_for(a->t, a->part, a->used, usage);
	if (half_life == 0)
		return k_too_small(a, usage, err);
	if (half_life == FL_NEVER)
		return k_too_large(a, &none, "no half-life", err);
	a->t->half_life = half_life;
	return 0;
}

static int find_window(const struct ask *a, fairlead_error *err)
{
	double usage = fl_tune_usage_for(a->t->k, a->weight, a->cost, a->others);
	struct fl_tune endless = { .half_life = a->t->half_life, .window = FL_NEVER };
	fl_time window;

	if (a->t->k <= 0)
		return fl_fail(err, FAIRLEAD_ENOENT, "with k 0 usage costs nothing");
	window = fl_tune_window_for(a->t, a->part, a->used, usage);
	if (window == 0)
		return k_too_small(a, usage, err);
	if (window == FL_NEVER)
		return k_too_large(a, &endless, "the longest window", err);
	a->t->window = window;
	return 0;
}

/*
 * Many pairs do.  k = 1 is the real program's own; where that is not enough, twice the least k
 * that could do it leaves a half-life of about the time of use.
 */
static int find_pair(const struct ask *a, enum fl_tune_found *found, fairlead_error *err)
{
	double least = fl_tune_k_for(a->weight, a->part, a->cost, a->others);
	struct fl_tune none = { .half_life = 0, .window = a->t->window };
	double k = fl_tune_k_for(a->weight, fl_tune_usage(&none, a->part, a->used, 0), a->cost,
				 a->others);

	if (!isfinite(least))
		return too_little(a, err);
	if (k <= 1) { /* without a half-life less than 1 is enough */
		a->t->k = k;
		*found = FL_TUNE_K;
		return 0;
	}
	a->t->k = least < 1 ? 1 : 2 * least;
	if (k <= a->t->k) {
		a->t->k = k;
		*found = FL_TUNE_K;
		return 0;
	}
	*found = FL_TUNE_PAIR;
	return find_half_life(a, err);
}

int fl_tune_find(struct fl_tune_question *q, fairlead_error *err)
{
	struct fl_tune_report *r = &q->report;
	struct ask a = { .t = &r->tune,
			 .weight = q->weights[r->own].part,
			 .part = r->part,
			 .cost = r->cost,
			 .used = r->used,
			 .others = r->others };

	if (!q->has_cost)
		return 0;
	if (a.weight >= 1)
		return fl_fail(err, FAIRLEAD_ENOENT,
			       "a queue alone gets everything: no usage costs it anything");
	if (!q->has_k && !q->has_half_life)
		return find_pair(&a, &r->found, err);
	r->found = !q->has_k ? FL_TUNE_K : !q->has_half_life ? FL_TUNE_HALF_LIFE : FL_TUNE_WINDOW;
	return r->found == FL_TUNE_K         ? find_k(&a, err) :
	       r->found == FL_TUNE_HALF_LIFE ? find_half_life(&a, err) :
					       find_window(&a, err);
}
