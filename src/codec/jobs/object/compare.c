/* SPDX-License-Identifier: Apache-2.0 */
/* Are two pods the same, as far as Kueue looks when a Workload is there already? */
#include "codec/jobs/object/compare.h"

#include <string.h>

#include "codec/jobs/object/amounts.h"

static bool same_value(struct fl_kjob_value a, struct fl_kjob_value b, const char *but);

/* All that has a value in @a is the same in @b. */
static bool within(struct fl_kjob_value a, struct fl_kjob_value b, const char *but)
{
	for (struct fl_kjob_value i = fl_kjob_first(a); fl_kjob_has(i); i = fl_kjob_next(a, i))
		if (!(but && strcmp(fl_kjob_key(i), but) == 0) &&
		    !same_value(fl_kjob_of_key(i), fl_kjob_get(b, fl_kjob_key(i)), NULL))
			return false;
	return true;
}

/* Without the key @but of a map; as deep as an object is (FL_MAX_DEPTH). */
static bool same_value(struct fl_kjob_value a, struct fl_kjob_value b, const char *but)
{
	struct fl_kjob_value i, k;

	if (!fl_kjob_has(a) || !fl_kjob_has(b))
		return fl_kjob_has(a) == fl_kjob_has(b);
	if (a.doc->values[a.v].kind != b.doc->values[b.v].kind)
		return false;
	if (fl_kjob_is_map(a))
		return within(a, b, but) && within(b, a, but);
	if (!fl_kjob_is_list(a))
		return a.doc->values[a.v].type == b.doc->values[b.v].type &&
		       strcmp(fl_doc_text(a.doc, a.v), fl_doc_text(b.doc, b.v)) == 0;
	i = fl_kjob_first(a);
	k = fl_kjob_first(b);
	while (fl_kjob_has(i) && fl_kjob_has(k) && same_value(i, k, NULL)) {
		i = fl_kjob_next(a, i);
		k = fl_kjob_next(b, k);
	}
	return !fl_kjob_has(i) && !fl_kjob_has(k);
}

static bool same_amounts(const struct fl_kjob_amounts *a, const struct fl_kjob_amounts *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct fl_kjob_amount *other = fl_kjob_amount(b, a->items[i].resource);

		if (!other || other->amount != a->items[i].amount)
			return false;
	}
	return a->n == b->n;
}

/* @decoded: of what Kueue has changed only what it counts is compared. */
static bool same_containers(const struct fl_kjob_container *a, uint32_t n_a,
			    const struct fl_kjob_container *b, uint32_t n_b, bool decoded)
{
	if (n_a != n_b)
		return false;
	for (uint32_t i = 0; i < n_a; i++)
		if (strcmp(a[i].name, b[i].name) != 0 || a[i].sidecar != b[i].sidecar ||
		    !same_amounts(&a[i].requests, &b[i].requests) ||
		    !same_amounts(&a[i].limits, &b[i].limits) ||
		    (!decoded && !same_value(a[i].value, b[i].value, "resources")))
			return false;
	return true;
}

static bool same_list(struct fl_kjob_value a, struct fl_kjob_value b)
{
	if (fl_kjob_count(a) == 0 || fl_kjob_count(b) == 0)
		return fl_kjob_count(a) == fl_kjob_count(b);
	return same_value(a, b, NULL);
}

bool fl_kjob_same_pod(const struct fl_kjob_pod *a, const struct fl_kjob_pod *b, bool tolerations)
{
	bool decoded = a->rebuilt || b->rebuilt;

	return same_containers(a->containers, a->n_containers, b->containers, b->n_containers,
			       decoded) &&
	       same_containers(a->init, a->n_init, b->init, b->n_init, decoded) &&
	       (!tolerations || same_list(a->tolerations, b->tolerations));
}
