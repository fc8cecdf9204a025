/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of quantities and of texts, in the arena of a run. */
#include "codec/jobs/object/amounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/text/quantity.h"

const struct fl_kjob_amount *fl_kjob_amount(const struct fl_kjob_amounts *a, const char *resource)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (strcmp(a->items[i].resource, resource) == 0)
			return &a->items[i];
	return NULL;
}

static int add_amount(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a,
		      const char *resource, fl_nanos amount, fairlead_error *err)
{
	struct fl_kjob_amount *items;

	if (a->n == FL_MAX_RESOURCES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d resources", FL_MAX_RESOURCES);
	if (a->n == a->cap) {
		uint32_t cap = a->cap ? 2 * a->cap : 4;

		if (!FL_NEW(run->arena, items, cap, err))
			return FAIRLEAD_ENOMEM;
		if (a->n)
			memcpy(items, a->items, a->n * sizeof *items);
		a->items = items;
		a->cap = cap;
	}
	a->items[a->n++] = (struct fl_kjob_amount){ resource, amount };
	return 0;
}

int fl_kjob_put(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a, const char *resource,
		fl_nanos amount, enum fl_kjob_put how, fairlead_error *err)
{
	for (uint32_t i = 0; i < a->n; i++) {
		fl_nanos *old = &a->items[i].amount;

		if (strcmp(a->items[i].resource, resource) != 0)
			continue;
		if (how == FL_KJOB_PUT || (how == FL_KJOB_PUT_MAX && *old < amount) ||
		    (how == FL_KJOB_PUT_MIN && *old > amount))
			*old = amount;
		else if (how == FL_KJOB_PUT_SUM) /* at most FL_MAX_LIST times 2^100 */
			*old += amount;
		return 0;
	}
	return add_amount(run, a, resource, amount, err);
}

int fl_kjob_put_all(const struct fl_kjobs_run *run, struct fl_kjob_amounts *a,
		    const struct fl_kjob_amounts *from, enum fl_kjob_put how, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < from->n && r == 0; i++)
		r = fl_kjob_put(run, a, from->items[i].resource, from->items[i].amount, how, err);
	return r;
}

int fl_kjob_read_amounts(const struct fl_kjobs_run *run, struct fl_kjob_value map,
			 struct fl_kjob_amounts *ret, fairlead_error *err)
{
	if (!fl_kjob_is_map(map))
		return 0;
	for (struct fl_kjob_value i = fl_kjob_first(map); fl_kjob_has(i);
	     i = fl_kjob_next(map, i)) {
		struct fl_kjob_value value = fl_kjob_of_key(i);
		fl_nanos amount;
		int r;

		if (!fl_kjob_has(value))
			continue;
		r = fl_quantity_parse_nanos(fl_doc_text(value.doc, value.v),
					    value.doc->values[value.v].len, &amount, err);
		if (r < 0)
			return fl_fail_in(err, "%.100s", fl_kjob_key(i));
		r = fl_kjob_put(run, ret, fl_kjob_key(i), amount, FL_KJOB_PUT, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int by_resource(const void *a, const void *b)
{
	return strcmp(((const struct fl_kjob_amount *)a)->resource,
		      ((const struct fl_kjob_amount *)b)->resource);
}

void fl_kjob_sort_amounts(struct fl_kjob_amounts *a)
{
	if (a->n)
		qsort(a->items, a->n, sizeof *a->items, by_resource);
}

static int add_pair(const struct fl_kjobs_run *run, struct fl_kjob_pairs *pairs, const char *key,
		    const char *value, fairlead_error *err)
{
	struct fl_kjob_pair *items;

	if (pairs->n == FL_MAX_LIST)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %d entries", FL_MAX_LIST);
	if (pairs->n == pairs->cap) {
		uint32_t cap = pairs->cap ? 2 * pairs->cap : 4;

		if (!FL_NEW(run->arena, items, cap, err))
			return FAIRLEAD_ENOMEM;
		if (pairs->n)
			memcpy(items, pairs->items, pairs->n * sizeof *items);
		pairs->items = items;
		pairs->cap = cap;
	}
	pairs->items[pairs->n++] = (struct fl_kjob_pair){ key, value };
	return 0;
}

int fl_kjob_set_pair(const struct fl_kjobs_run *run, struct fl_kjob_pairs *pairs, const char *key,
		     const char *value, fairlead_error *err)
{
	for (uint32_t i = 0; i < pairs->n; i++)
		if (strcmp(pairs->items[i].key, key) == 0) {
			pairs->items[i].value = value;
			return 0;
		}
	return add_pair(run, pairs, key, value, err);
}

int fl_kjob_read_pairs(const struct fl_kjobs_run *run, struct fl_kjob_value map,
		       struct fl_kjob_pairs *pairs, fairlead_error *err)
{
	bool first = pairs->n == 0; /* no key of a map stands there twice */
	int r = 0;

	if (!fl_kjob_is_map(map))
		return 0;
	for (struct fl_kjob_value i = fl_kjob_first(map); fl_kjob_has(i) && r == 0;
	     i = fl_kjob_next(map, i)) {
		const char *key = fl_kjob_key(i), *value = fl_kjob_text(fl_kjob_of_key(i));

		r = first ? add_pair(run, pairs, key, value, err) :
			    fl_kjob_set_pair(run, pairs, key, value, err);
	}
	return r;
}
