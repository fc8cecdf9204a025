/* SPDX-License-Identifier: Apache-2.0 */
/*
 * totals - what each workload's pods take, from all that the input says of them
 *
 * A pod's containers come from the Workload; a LimitRange of its namespace gives
 * what they leave open, a RuntimeClass what the pod costs beside them; the
 * Configuration leaves resources out and counts some as others.  All of these may
 * stand anywhere in the input, so this is done once everything is read.
 *
 * The order is that of the API server and of Kueue: limits stand in for requests
 * that are missing, then a LimitRange's defaults for what is missing still; the
 * pod is held against the LimitRange as it is then; excluded prefixes go before
 * transformations.  What is admitted counts as its status says, less the pods that
 * are done.
 */
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "model/table.h"

/* Neighbours in `ranges`, of one namespace. */
struct namespace_ranges {
	struct fl_sym namespace;
	struct fl_span ranges;
};

/* A resource while transformations are at work. */
struct sum {
	struct fl_sym resource_name;
	fl_nanos nanos; /* in natural units; MOST: more than can be counted */
};

struct totals {
	struct fl_model *m;
	struct fl_arena *scratch;
	struct fl_sym cpu;
	struct fl_pod pod;
	struct fl_range *ranges; /* of all LimitRanges together: one a namespace, scope, resource */
	struct namespace_ranges *namespaces; /* by symbol */
	uint32_t n_namespaces;
	struct fl_pod_amount *amounts; /* of one container, what was left open filled in */
	uint32_t n_amounts, cap_amounts;
	struct sum *sums;
	uint32_t n_sums, cap_sums;
	bool outside;         /* the pod in hand, of a LimitRange */
	bool *missing;        /* by symbol: RuntimeClasses that were warned of; NULL: not noted */
	unsigned char *found; /* by podset, which workloads may share: enum found; NULL: not kept */
};

enum found { FOUND = 1, FOUND_ABOVE = 2, FOUND_OUTSIDE = 4 };

#define MOST ((fl_nanos)INT64_MAX * 1000000000)

/* --- LimitRanges: several of a namespace become one --- */

/* Where a range comes from, to sort them by. */
struct origin {
	uint32_t object, range;
};

struct origins {
	const struct fl_model *m;
	struct origin *of;
};

static int cmp_u32(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

/* By namespace, scope and resource; within that by name of the object. */
static int cmp_origins(const void *ctx, uint32_t a, uint32_t b)
{
	const struct origins *o = ctx;
	const struct fl_model *m = o->m;
	const struct fl_limit_range_row *x = &m->limit_ranges[o->of[a].object];
	const struct fl_limit_range_row *y = &m->limit_ranges[o->of[b].object];
	const struct fl_range *s = &m->ranges[o->of[a].range], *t = &m->ranges[o->of[b].range];
	int order = cmp_u32(x->namespace.v, y->namespace.v);

	if (!order)
		order = cmp_u32((uint32_t)s->scope, (uint32_t)t->scope);
	if (!order)
		order = cmp_u32(s->resource_name.v, t->resource_name.v);
	return order ? order : fl_names_cmp(&m->names, x->name, y->name);
}

static bool says(fl_amount a) { return a != FL_NO_LIMIT; }

/* The narrower bounds; of defaults those of the first object by name. */
static void narrow(struct fl_range *into, const struct fl_range *r)
{
	if (!says(into->limit))
		into->limit = r->limit;
	if (!says(into->request))
		into->request = r->request;
	if (says(r->max) && (!says(into->max) || r->max < into->max))
		into->max = r->max;
	if (says(r->min) && r->min > into->min)
		into->min = r->min;
}

static void merge_ranges(struct totals *t, const struct origins *o, const uint32_t *ids, uint32_t n)
{
	const struct fl_model *m = t->m;
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct fl_range *r = &m->ranges[o->of[ids[i]].range];
		struct fl_sym namespace = m->limit_ranges[o->of[ids[i]].object].namespace;
		struct namespace_ranges *ns = t->namespaces + t->n_namespaces;

		if (!t->n_namespaces || ns[-1].namespace.v != namespace.v) {
			*ns = (struct namespace_ranges){ namespace, { at, 0 } };
			t->n_namespaces++;
		} else {
			ns--;
		}
		if (ns->ranges.n && t->ranges[at - 1].scope == r->scope &&
		    t->ranges[at - 1].resource_name.v == r->resource_name.v) {
			narrow(&t->ranges[at - 1], r);
			continue;
		}
		t->ranges[at++] = *r;
		ns->ranges.n++;
	}
}

static int gather_ranges(struct totals *t, fairlead_error *err)
{
	const struct fl_model *m = t->m;
	struct origins o = { .m = m };
	uint32_t n = 0, *ids, *spare;

	for (uint32_t i = 0; i < m->n_limit_ranges; i++)
		n += m->limit_ranges[i].ranges.n;
	if (n == 0)
		return 0;
	o.of = fl_arena_alloc(t->scratch, n, sizeof *o.of, err);
	ids = fl_arena_alloc(t->scratch, n, sizeof *ids, err);
	spare = fl_arena_alloc(t->scratch, n, sizeof *spare, err);
	t->ranges = fl_arena_alloc(t->scratch, n, sizeof *t->ranges, err);
	t->namespaces = fl_arena_alloc(t->scratch, m->n_limit_ranges, sizeof *t->namespaces, err);
	if (!o.of || !ids || !spare || !t->ranges || !t->namespaces)
		return FAIRLEAD_ENOMEM;
	n = 0;
	for (uint32_t i = 0; i < m->n_limit_ranges; i++)
		for (uint32_t k = 0; k < m->limit_ranges[i].ranges.n; k++, n++) {
			o.of[n] = (struct origin){ i, m->limit_ranges[i].ranges.first + k };
			ids[n] = n;
		}
	fl_sort(ids, n, spare, cmp_origins, &o);
	merge_ranges(t, &o, ids, n);
	return 0;
}

static struct fl_span ranges_of(const struct totals *t, struct fl_sym namespace)
{
	uint32_t low = 0, high = t->n_namespaces;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->namespaces[middle].namespace.v < namespace.v)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n_namespaces && t->namespaces[low].namespace.v == namespace.v ?
		       t->namespaces[low].ranges :
		       (struct fl_span){ 0, 0 };
}

/* --- one pod --- */

static struct fl_pod_amount *find_amount(struct totals *t, struct fl_sym name)
{
	for (uint32_t i = 0; i < t->n_amounts; i++)
		if (t->amounts[i].resource_name.v == name.v)
			return &t->amounts[i];
	return NULL;
}

static int push_amount(struct totals *t, struct fl_pod_amount amount, fairlead_error *err)
{
	int r = fl_mem_grow(t->m->mem, &t->amounts, &t->cap_amounts, t->n_amounts + 1,
			    sizeof *t->amounts, err);

	if (r == 0)
		t->amounts[t->n_amounts++] = amount;
	return r;
}

/* What @range gives the container in hand, and whether the container keeps to it. */
static int apply_range(struct totals *t, const struct fl_range *range, fairlead_error *err)
{
	struct fl_pod_amount *a = find_amount(t, range->resource_name);
	fl_amount least, most;
	int r;

	if (!a && (says(range->limit) || says(range->request))) {
		r = push_amount(t, (struct fl_pod_amount){ .resource_name = range->resource_name },
				err);
		if (r < 0)
			return r;
		a = &t->amounts[t->n_amounts - 1];
	}
	if (!a)
		return 0;
	if (!a->has_limit && says(range->limit)) {
		a->has_limit = true;
		a->limit = range->limit;
	}
	if (!a->has_request && says(range->request)) {
		a->has_request = true;
		a->request = range->request;
	}
	least = a->has_request ? a->request : a->limit;
	most = a->has_limit ? a->limit : a->request;
	if (least > most) {
		fl_amount swap = least;

		least = most;
		most = swap;
	}
	t->outside |= (says(range->max) && most > range->max) ||
		      (says(range->min) && least < range->min);
	return 0;
}

static int add_part(struct totals *t, const struct fl_pod_part *part, struct fl_span ranges,
		    fairlead_error *err)
{
	bool container = part->kind == FL_POD_CONTAINER || part->kind == FL_POD_INIT ||
			 part->kind == FL_POD_SIDECAR;
	int r = 0;

	t->n_amounts = 0;
	for (uint32_t i = 0; i < part->amounts.n && r == 0; i++) {
		struct fl_pod_amount a = t->m->amounts[part->amounts.first + i];

		if (!a.has_request) {
			a.has_request = true;
			a.request = a.limit;
		}
		r = push_amount(t, a, err);
	}
	for (uint32_t i = 0; container && i < ranges.n && r == 0; i++)
		if (t->ranges[ranges.first + i].scope == FL_RANGE_CONTAINER)
			r = apply_range(t, &t->ranges[ranges.first + i], err);
	return r < 0 ? r : fl_pod_add(&t->pod, part->kind, t->amounts, t->n_amounts, err);
}

/* Its class says what the pod costs beside its containers, unless it says so itself. */
static bool needs_class(const struct fl_model *m, const struct fl_podset *p)
{
	for (uint32_t i = 0; i < p->parts.n; i++)
		if (m->parts[p->parts.first + i].kind == FL_POD_OVERHEAD &&
		    m->parts[p->parts.first + i].amounts.n)
			return false;
	return p->runtime_class.v != 0;
}

static uint32_t find_class(const struct fl_model *m, struct fl_sym name)
{
	return fl_table_find(m, FL_TABLE_RUNTIME_CLASS, (struct fl_sym){ 0 }, name);
}

static int add_overhead(struct totals *t, const struct fl_podset *p, fairlead_error *err)
{
	const struct fl_model *m = t->m;
	uint32_t id = needs_class(m, p) ? find_class(m, p->runtime_class) : FL_NONE;

	if (id == FL_NONE)
		return 0;
	return add_part(t,
			&(struct fl_pod_part){ FL_POD_OVERHEAD, m->runtime_classes[id].overhead },
			(struct fl_span){ 0, 0 }, err);
}

static int add_pod(struct totals *t, const struct fl_podset *p, struct fl_span ranges,
		   fairlead_error *err)
{
	int r = 0;

	fl_pod_clear(&t->pod);
	for (uint32_t i = 0; i < p->parts.n && r == 0; i++)
		r = add_part(t, &t->m->parts[p->parts.first + i], ranges, err);
	if (r == 0)
		r = add_overhead(t, p, err);
	for (uint32_t i = 0; i < ranges.n && r == 0; i++) {
		const struct fl_range *range = &t->ranges[ranges.first + i];

		for (uint32_t k = 0; range->scope == FL_RANGE_POD && k < t->pod.n; k++) {
			fl_amount total = fl_pod_total(&t->pod.rows[k]);

			if (t->pod.rows[k].resource_name.v == range->resource_name.v)
				t->outside |= (says(range->max) && total > range->max) ||
					      (says(range->min) && total < range->min);
		}
	}
	return r;
}

/* --- what counts of it, and as what --- */

static bool excluded(const struct fl_model *m, struct fl_sym name)
{
	const struct fl_span *prefixes = &m->settings.excluded_prefixes;
	const char *text = fl_model_text(m, name);

	for (uint32_t i = 0; i < prefixes->n; i++) {
		const char *prefix = fl_model_text(m, m->syms[prefixes->first + i]);

		if (strncmp(text, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
}

static const struct fl_transformation *transformation_of(const struct fl_model *m,
							 struct fl_sym name)
{
	const struct fl_span *all = &m->settings.transformations;

	for (uint32_t i = 0; i < all->n; i++)
		if (m->transformations[all->first + i].input.v == name.v)
			return &m->transformations[all->first + i];
	return NULL;
}

/* Internal units of a resource in a natural one: cores are counted in thousandths. */
static int64_t units(const struct totals *t, struct fl_sym name)
{
	return name.v == t->cpu.v ? 1000 : 1;
}

static fl_nanos to_nanos(const struct totals *t, struct fl_sym name, fl_amount amount)
{
	return amount == INT64_MAX ? MOST : (fl_nanos)amount * (1000000000 / units(t, name));
}

static fl_amount from_nanos(const struct totals *t, struct fl_sym name, fl_nanos nanos)
{
	fl_nanos unit = 1000000000 / units(t, name);
	fl_nanos amount = (nanos + unit - 1) / unit;

	return nanos >= MOST || amount > INT64_MAX ? INT64_MAX : (fl_amount)amount;
}

/* Whole natural units, rounded up. */
static fl_amount whole(const struct totals *t, struct fl_sym name, fl_amount amount)
{
	int64_t unit = units(t, name);

	return amount / unit + (amount % unit != 0);
}

static int add_sum(struct totals *t, struct fl_sym name, fl_nanos nanos, fairlead_error *err)
{
	uint32_t i = 0;
	int r;

	while (i < t->n_sums && t->sums[i].resource_name.v != name.v)
		i++;
	if (i == t->n_sums) {
		r = fl_mem_grow(t->m->mem, &t->sums, &t->cap_sums, i + 1, sizeof *t->sums, err);
		if (r < 0)
			return r;
		t->sums[t->n_sums++] = (struct sum){ name, 0 };
	}
	t->sums[i].nanos = nanos >= MOST - t->sums[i].nanos ? MOST : t->sums[i].nanos + nanos;
	return 0;
}

/* What the pod takes of @name; false when it does not ask for it, or it does not count. */
static bool asks(const struct totals *t, struct fl_sym name, fl_amount *ret)
{
	for (uint32_t i = 0; i < t->pod.n; i++)
		if (t->pod.rows[i].resource_name.v == name.v && !excluded(t->m, name)) {
			*ret = fl_pod_total(&t->pod.rows[i]);
			return true;
		}
	return false;
}

static int transform(struct totals *t, const struct fl_transformation *tr, fl_amount amount,
		     fairlead_error *err)
{
	fl_amount factor = 0;
	int r = 0;

	/* An input that is multiplied is retained multiplied, as Kueue does it. */
	if (tr->multiply_by.v && asks(t, tr->multiply_by, &factor))
		amount = fl_sat_mul(amount, whole(t, tr->multiply_by, factor));
	for (uint32_t i = 0; i < tr->outputs.n && r == 0; i++) {
		const struct fl_transformed *o = &t->m->outputs[tr->outputs.first + i];
		fl_nanos nanos;

		if (__builtin_mul_overflow(o->per_unit, (fl_nanos)whole(t, tr->input, amount),
					   &nanos) ||
		    nanos > MOST)
			nanos = MOST;
		r = add_sum(t, o->resource_name, nanos, err);
	}
	if (r == 0 && !tr->replace)
		r = add_sum(t, tr->input, to_nanos(t, tr->input, amount), err);
	return r;
}

/* The pod's resources as they count, in t->sums. */
static int count(struct totals *t, fairlead_error *err)
{
	int r = 0;

	t->n_sums = 0;
	for (uint32_t i = 0; i < t->pod.n && r == 0; i++) {
		struct fl_sym name = t->pod.rows[i].resource_name;
		fl_amount amount = fl_pod_total(&t->pod.rows[i]);
		const struct fl_transformation *tr;

		if (excluded(t->m, name))
			continue;
		tr = transformation_of(t->m, name);
		r = tr ? transform(t, tr, amount, err) :
			 add_sum(t, name, to_nanos(t, name, amount), err);
	}
	return r;
}

/* t->sums as requests, in name order. */
static int push_requests(struct totals *t, struct fl_span *ret, fairlead_error *err)
{
	struct fl_model *m = t->m;
	uint32_t first = m->n_requests;

	for (uint32_t i = 0; i < t->n_sums; i++) {
		struct fl_sym name = t->sums[i].resource_name;
		struct fl_request request = {
			.resource_name = name,
			.amount = from_nanos(t, name, t->sums[i].nanos),
		};
		int r = fl_model_push_requests(m, &request, /* ret_id= */ NULL, err);
		uint32_t at = m->n_requests - 1;

		if (r < 0)
			return r;
		for (; at > first &&
		       fl_names_cmp(&m->names, m->requests[at - 1].resource_name, name) > 0;
		     at--)
			m->requests[at] = m->requests[at - 1];
		m->requests[at] = request;
	}
	*ret = (struct fl_span){ first, m->n_requests - first };
	return 0;
}

/* --- pods that are done --- */

/* What is held for them is given back: the rest in proportion, division first as Kueue does it. */
static void give_back(struct fl_model *m, const struct fl_workload_row *row)
{
	for (uint32_t i = 0; i < row->admission.n; i++) {
		struct fl_podset_assignment *a = &m->podset_assignments[row->admission.first + i];

		for (uint32_t p = 0; p < row->podsets.n; p++) {
			const struct fl_podset *pods = &m->podsets[row->podsets.first + p];
			int32_t left = fl_podset_left(pods);

			if (pods->name.v != a->podset.v || a->count <= left)
				continue;
			for (uint32_t k = 0; k < a->assignments.n; k++) {
				struct fl_assignment *held =
					&m->assignments[a->assignments.first + k];

				held->amount = fl_sat_mul(held->amount / a->count, left);
			}
			a->count = left;
		}
	}
}

static bool is_noted(const struct fl_model *m, const char *text)
{
	const struct fl_sym sym = fl_names_find(&m->names, text, strlen(text));

	for (uint32_t i = 0; sym.v != FL_NONE && i < m->n_notices; i++)
		if (m->notices[i].text.v == sym.v)
			return true;
	return false;
}

/* Once a class: many workloads share one, and newcomers come one by one. */
static int warn_of_class(struct totals *t, const struct fl_workload_row *row,
			 const struct fl_podset *p, fairlead_error *err)
{
	struct fl_model *m = t->m;
	char subject[FL_SUBJECT], text[600];

	if (!needs_class(m, p) || find_class(m, p->runtime_class) != FL_NONE ||
	    (t->missing && t->missing[p->runtime_class.v]))
		return 0;
	if (t->missing)
		t->missing[p->runtime_class.v] = true;
	(void)snprintf(
		text, sizeof text,
		"RuntimeClass '%.400s' is not in the input: its pods are taken to have no overhead",
		fl_model_text(m, p->runtime_class));
	if (!t->missing && is_noted(m, text))
		return 0;
	return fl_model_notice(m, FL_NOTICE_ASSUMED, row->place,
			       fl_table_subject(m, FL_TABLE_WORKLOAD, row->namespace, row->name,
						subject),
			       "add the RuntimeClass to the input", err, "%s", text);
}

/* What a pod of it takes, once.  Adds what was found to *found. */
static int fill_podset(struct totals *t, const struct fl_workload_row *row, uint32_t id,
		       unsigned *found, fairlead_error *err)
{
	struct fl_podset *p = &t->m->podsets[id];
	unsigned is = t->found ? t->found[id] : 0;
	int r = 0;

	*found |= is;
	if (is)
		return 0;
	t->outside = false;
	r = add_pod(t, p, ranges_of(t, row->namespace), err);
	if (r == 0)
		r = count(t, err);
	if (r == 0)
		r = push_requests(t, &p->requests, err);
	if (r == 0)
		r = warn_of_class(t, row, p, err);
	is = FOUND | (t->pod.misconfigured ? FOUND_ABOVE : 0) | (t->outside ? FOUND_OUTSIDE : 0);
	*found |= is;
	if (t->found)
		t->found[id] = (unsigned char)is;
	return r;
}

static int fill_workload(struct totals *t, struct fl_workload_row *row, fairlead_error *err)
{
	struct fl_model *m = t->m;
	unsigned found = 0;
	int r = 0;

	for (uint32_t i = 0; i < row->podsets.n && r == 0; i++) {
		const uint32_t id = row->podsets.first + i;
		struct fl_podset *p = &m->podsets[id];

		if (m->settings.off[FL_GATE_RECLAIMABLE_PODS])
			p->reclaimed = 0;
		if (m->settings.off[FL_GATE_PARTIAL_ADMISSION])
			p->min_count = -1;
		if (p->parts.n == 0 && p->runtime_class.v == 0)
			continue; /* the requests were given as they are */
		r = fill_podset(t, row, id, &found, err);
	}
	row->requests = found & FOUND_ABOVE   ? FL_REQUESTS_ABOVE_LIMITS :
			found & FOUND_OUTSIDE ? FL_REQUESTS_OUTSIDE_RANGE :
						FL_REQUESTS_RIGHT;
	give_back(m, row);
	return r;
}

static int fill_named(struct totals *t, struct fl_workload_row *row, fairlead_error *err)
{
	const struct fl_model *m = t->m;
	char subject[FL_SUBJECT];
	int r = fill_workload(t, row, err);

	if (r != FAIRLEAD_ELIMIT)
		return r;
	fl_fail_in(err, "%s",
		   fl_table_subject(m, FL_TABLE_WORKLOAD, row->namespace, row->name, subject));
	fl_model_fail_at(m, row->place, err);
	return r;
}

static struct totals begin(struct fl_model *m, struct fl_arena *scratch)
{
	struct totals t = { .m = m, .scratch = scratch, .cpu = fl_names_find(&m->names, "cpu", 3) };

	fl_pod_init(&t.pod, m->mem);
	return t;
}

static void end(struct totals *t)
{
	fl_pod_done(&t->pod);
	fl_mem_free(t->m->mem, t->amounts);
	fl_mem_free(t->m->mem, t->sums);
}

int fl_totals_fill(struct fl_model *m, struct fl_arena *scratch, fairlead_error *err)
{
	struct totals t = begin(m, scratch);
	int r = gather_ranges(&t, err);

	t.missing = fl_arena_alloc(scratch, m->names.n, sizeof *t.missing, err);
	t.found = fl_arena_alloc(scratch, m->n_podsets + 1, sizeof *t.found, err);
	if (!t.missing || !t.found)
		r = FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++)
		r = fill_named(&t, &m->workloads[w], err);
	end(&t);
	return r;
}

int fl_totals_fill_one(struct fl_model *m, struct fl_workload_row *row, fairlead_error *err)
{
	struct fl_arena scratch;
	struct totals t;
	bool plain = true;
	int r;

	for (uint32_t i = row->podsets.first; i < row->podsets.first + row->podsets.n; i++)
		plain &= m->podsets[i].parts.n == 0 && m->podsets[i].runtime_class.v == 0;
	fl_arena_init(&scratch, m->mem);
	t = begin(m, &scratch);
	r = plain ? 0 : gather_ranges(&t, err);
	if (r == 0)
		r = fill_named(&t, row, err);
	end(&t);
	fl_arena_done(&scratch);
	return r;
}
