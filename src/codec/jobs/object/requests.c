/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one pod requests, as Kueue counts it: overhead of its runtime class, defaults of LimitRanges,
 * requests that follow limits, sidecars, init containers, pod-level resources.  All of it is done on
 * a copy: the Workload keeps the template as it was.
 */
#include "codec/jobs/object/requests.h"

#include <string.h>

#include "codec/jobs/object/amounts.h"
#include "codec/jobs/object/index.h"

/* What the LimitRanges of a namespace say, of containers or of pods. */
struct ranges {
	struct fl_kjob_amounts limit, request, min, max;
};

static int merge(const struct fl_kjobs_run *run, struct fl_kjob_value item, const char *field,
		 struct fl_kjob_amounts *into, enum fl_kjob_put how, fairlead_error *err)
{
	struct fl_kjob_amounts amounts = { .n = 0 };
	int r = fl_kjob_read_amounts(run, fl_kjob_get(item, field), &amounts, err);

	return r < 0 ? r : fl_kjob_put_all(run, into, &amounts, how, err);
}

static int merge_item(const struct fl_kjobs_run *run, struct fl_kjob_value item,
		      struct ranges *into, fairlead_error *err)
{
	int r;

	if ((r = merge(run, item, "default", &into->limit, FL_KJOB_PUT_IF_ABSENT, err)) < 0 ||
	    (r = merge(run, item, "defaultRequest", &into->request, FL_KJOB_PUT_IF_ABSENT, err)) <
		    0 ||
	    (r = merge(run, item, "min", &into->min, FL_KJOB_PUT_MAX, err)) < 0)
		return r;
	return merge(run, item, "max", &into->max, FL_KJOB_PUT_MIN, err);
}

static int read_ranges(const struct fl_kjobs_run *run, const char *namespace,
		       struct ranges *container, struct ranges *pod, fairlead_error *err)
{
	uint32_t end, at = fl_kjobs_within(run, FL_KJOBS_LIMIT_RANGE, namespace, &end);

	for (; at < end; at++) {
		const struct fl_kjobs_row *row = &run->rows[run->sorted[at]];
		struct fl_kjob_value list = fl_kjob_at(fl_kjob_root(&row->doc), "spec.limits");

		for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
		     i = fl_kjob_next(list, i)) {
			struct fl_kjob_value type = fl_kjob_get(i, "type");
			int r = 0;

			if (fl_kjob_is(type, "Container"))
				r = merge_item(run, i, container, err);
			else if (fl_kjob_is(type, "Pod"))
				r = merge_item(run, i, pod, err);
			if (r < 0)
				return fl_fail_in(err, "LimitRange '%.100s'", row->name);
		}
	}
	return 0;
}

/* Defaults, and then a request where there is a limit alone. */
static int complete(const struct fl_kjobs_run *run, const struct ranges *ranges,
		    struct fl_kjob_amounts *requests, struct fl_kjob_amounts *limits,
		    fairlead_error *err)
{
	int r;

	if ((r = fl_kjob_put_all(run, limits, &ranges->limit, FL_KJOB_PUT_IF_ABSENT, err)) < 0 ||
	    (r = fl_kjob_put_all(run, requests, &ranges->request, FL_KJOB_PUT_IF_ABSENT, err)) < 0)
		return r;
	return fl_kjob_put_all(run, requests, limits, FL_KJOB_PUT_IF_ABSENT, err);
}

static int own_amounts(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a,
		       fairlead_error *err)
{
	struct fl_kjob_amounts copy = { .n = 0 };
	int r = fl_kjob_put_all(run, &copy, a, FL_KJOB_PUT, err);

	if (r == 0)
		*a = copy;
	return r;
}

static int complete_all(const struct fl_kjobs_run *run, const struct ranges *ranges,
			struct fl_kjob_container **containers, uint32_t n, fairlead_error *err)
{
	struct fl_kjob_container *copy;
	int r = 0;

	if (!FL_NEW(run->arena, copy, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n && r == 0; i++) {
		copy[i] = (*containers)[i];
		if ((r = own_amounts(run, &copy[i].requests, err)) == 0 &&
		    (r = own_amounts(run, &copy[i].limits, err)) == 0)
			r = complete(run, ranges, &copy[i].requests, &copy[i].limits, err);
	}
	*containers = copy;
	return r;
}

static int add_overhead(const struct fl_kjobs_run *run, struct fl_kjob_pod *pod,
			fairlead_error *err)
{
	const struct fl_kjobs_row *row;

	if (pod->has_overhead || !*pod->runtime_class)
		return 0;
	row = fl_kjobs_find(run, FL_KJOBS_RUNTIME_CLASS, "", pod->runtime_class);
	if (!row)
		return 0;
	return fl_kjob_read_amounts(run, fl_kjob_at(fl_kjob_root(&row->doc), "overhead.podFixed"),
				    &pod->overhead, err);
}

static int sum(const struct fl_kjobs_run *run, const struct fl_kjob_pod *pod,
	       struct fl_kjob_amounts *total, fairlead_error *err)
{
	struct fl_kjob_amounts sidecars = { .n = 0 };
	int r = 0;

	for (uint32_t i = 0; i < pod->n_containers && r == 0; i++)
		r = fl_kjob_put_all(run, total, &pod->containers[i].requests, FL_KJOB_PUT_SUM, err);
	for (uint32_t i = 0; i < pod->n_init && r == 0; i++)
		if (pod->init[i].sidecar)
			r = fl_kjob_put_all(run, total, &pod->init[i].requests, FL_KJOB_PUT_SUM,
					    err);
	for (uint32_t i = 0; i < pod->n_init && r == 0; i++) {
		struct fl_kjob_amounts candidate = { .n = 0 };

		if (pod->init[i].sidecar) {
			r = fl_kjob_put_all(run, &sidecars, &pod->init[i].requests, FL_KJOB_PUT_SUM,
					    err);
			continue; /* the sum of all of them is in the total */
		}
		if ((r = fl_kjob_put_all(run, &candidate, &sidecars, FL_KJOB_PUT, err)) == 0 &&
		    (r = fl_kjob_put_all(run, &candidate, &pod->init[i].requests, FL_KJOB_PUT_SUM,
					 err)) == 0)
			r = fl_kjob_put_all(run, total, &candidate, FL_KJOB_PUT_MAX, err);
	}
	if (r == 0)
		r = fl_kjob_put_all(run, total, &pod->requests, FL_KJOB_PUT, err);
	return r < 0 ? r : fl_kjob_put_all(run, total, &pod->overhead, FL_KJOB_PUT_SUM, err);
}

static bool above(const struct fl_kjob_amounts *a, const struct fl_kjob_amounts *bound)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct fl_kjob_amount *b = fl_kjob_amount(bound, a->items[i].resource);

		if (b && a->items[i].amount > b->amount)
			return true;
	}
	return false;
}

static bool outside(const struct ranges *ranges, const struct fl_kjob_amounts *requests,
		    const struct fl_kjob_amounts *limits)
{
	if (above(requests, &ranges->max) || above(limits, &ranges->max))
		return true;
	for (uint32_t i = 0; i < ranges->min.n; i++) {
		const struct fl_kjob_amount *min = &ranges->min.items[i];
		const struct fl_kjob_amount *request = fl_kjob_amount(requests, min->resource);
		const struct fl_kjob_amount *limit = fl_kjob_amount(limits, min->resource);

		if ((request && request->amount < min->amount) ||
		    (limit && limit->amount < min->amount))
			return true;
	}
	return false;
}

static enum fl_kjob_misfit misfit_of(const struct fl_kjob_pod *pod, const struct ranges *container,
				     const struct ranges *whole,
				     const struct fl_kjob_amounts *total)
{
	static const struct fl_kjob_amounts none = { .n = 0 };
	bool over = above(&pod->requests, &pod->limits), range = outside(whole, total, &none);

	for (uint32_t i = 0; i < pod->n_containers + pod->n_init; i++) {
		const struct fl_kjob_container *c = i < pod->n_containers ?
							    &pod->containers[i] :
							    &pod->init[i - pod->n_containers];

		over |= above(&c->requests, &c->limits);
		range |= outside(container, &c->requests, &c->limits);
	}
	return over ? FL_KJOB_ABOVE_LIMITS : range ? FL_KJOB_LIMIT_RANGE : FL_KJOB_FITS;
}

int fl_kjob_count_pod(const struct fl_kjobs_run *run, const char *namespace,
		      const struct fl_kjob_pod *raw, struct fl_kjob_amounts *ret,
		      enum fl_kjob_misfit *misfit, fairlead_error *err)
{
	struct ranges container = { .max = { .n = 0 } }, whole = container;
	struct fl_kjob_amounts total = { .n = 0 };
	struct fl_kjob_pod pod = *raw;
	int r;

	if ((r = add_overhead(run, &pod, err)) < 0 ||
	    (r = read_ranges(run, namespace, &container, &whole, err)) < 0 ||
	    (r = complete_all(run, &container, &pod.containers, pod.n_containers, err)) < 0 ||
	    (r = complete_all(run, &container, &pod.init, pod.n_init, err)) < 0)
		return r;
	if (pod.has_resources && ((r = own_amounts(run, &pod.requests, err)) < 0 ||
				  (r = own_amounts(run, &pod.limits, err)) < 0 ||
				  (r = complete(run, &whole, &pod.requests, &pod.limits, err)) < 0))
		return r;
	if ((r = sum(run, &pod, &total, err)) < 0)
		return r;
	fl_kjob_sort_amounts(&total);
	*misfit = misfit_of(&pod, &container, &whole, &total);
	*ret = total;
	return 0;
}
