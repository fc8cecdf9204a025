/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/share/redivide.h"

#include <string.h>

#include "base/bitset.h"
#include "base/check.h"
#include "decide/share/divider.h"

enum { ALL = (1 << FL_BUNDLE) - 1 };

/* A set of groups, and for each the resources, 1 << r. */
struct marks {
	struct fl_bitset groups;
	unsigned char *resources; /* by group */
};

struct fl_redivider {
	struct fl_arena arena; /* all memory but the divider's */
	struct fl_divider *divider;
	uint32_t *in, *below; /* by queue: its group; its children's, FL_NONE: a leaf */
	/* By queue. `usable`, which is kept while bounded only: what it can use of its request. */
	struct fl_bundle *own, *usage, *request, *usable, *share;
	struct fl_bundle total;
	double k;
	unsigned flags;
	struct marks sum;    /* groups whose parents must be summed up; from the last */
	struct marks divide; /* these groups must be divided */
	uint32_t *changed;
	bool *has_changed; /* by queue: is in `changed` */
	uint32_t n_changed;
	bool divided; /* nothing was told since the last division: `changed` is of that one */
	uint64_t number;
#ifdef FL_CHECKED
	struct fl_bundle *full_request, *full_share;
#endif
};

/* --- setup ---------------------------------------------------------------------------------- */

static int new_marks(struct fl_arena *a, uint32_t n, struct marks *ret, fairlead_error *err)
{
	if (!FL_NEW(a, ret->resources, n, err))
		return FAIRLEAD_ENOMEM;
	return fl_bitset_init(&ret->groups, n, a, err);
}

static void mark(struct marks *m, uint32_t at, unsigned resources)
{
	m->resources[at] |= (unsigned char)resources;
	fl_bitset_add(&m->groups, at, /* undo= */ NULL);
}

/*
 * Takes the first marked group at @from or behind out of the set, with its resources; FL_NONE:
 * there is none.
 */
static uint32_t take(struct marks *m, uint32_t from, unsigned *ret)
{
	uint32_t at = fl_bitset_next(&m->groups, from);

	if (at == FL_NONE)
		return at;
	*ret = m->resources[at];
	m->resources[at] = 0;
	fl_bitset_remove(&m->groups, at, /* undo= */ NULL);
	return at;
}

static void mark_division(struct fl_redivider *v, uint32_t group, unsigned resources)
{
	mark(&v->divide, group, resources);
}

/* Marks that the parent of @group must be summed up; groups at the top have none. */
static void mark_sum(struct fl_redivider *v, uint32_t group, unsigned resources)
{
	if (v->divider->groups[group].parent != FL_NONE)
		mark(&v->sum, v->divider->n_groups - 1 - group, resources);
}

static int fill(struct fl_redivider *v, const struct fl_divide_queue *queues, uint32_t n,
		fairlead_error *err)
{
	struct fl_arena *a = &v->arena;
	const struct fl_divider *d;
	int rc = fl_divider_new(a->mem, queues, n, &v->divider, err);

	if (rc < 0)
		return rc;
	d = v->divider;
	if (!FL_NEW(a, v->in, n, err) || !FL_NEW(a, v->below, n, err) ||
	    !FL_NEW(a, v->own, n, err) || !FL_NEW(a, v->usage, n, err) ||
	    !FL_NEW(a, v->request, n, err) || !FL_NEW(a, v->usable, n, err) ||
	    !FL_NEW(a, v->share, n, err) || !FL_NEW(a, v->changed, n, err) ||
	    !FL_NEW(a, v->has_changed, n, err))
		return FAIRLEAD_ENOMEM;
#ifdef FL_CHECKED
	if (!FL_NEW(a, v->full_request, n, err) || !FL_NEW(a, v->full_share, n, err))
		return FAIRLEAD_ENOMEM;
#endif
	if ((rc = new_marks(a, d->n_groups, &v->sum, err)) < 0 ||
	    (rc = new_marks(a, d->n_groups, &v->divide, err)) < 0)
		return rc;
	for (uint32_t q = 0; q < n; q++)
		v->below[q] = FL_NONE;
	for (uint32_t g = 0; g < d->n_groups; g++) {
		const struct fl_siblings *group = &d->groups[g];

		if (group->parent != FL_NONE)
			v->below[group->parent] = g;
		for (uint32_t p = group->first; p < group->first + group->n; p++)
			v->in[d->queue[p]] = g;
		mark_division(v, g, ALL);
	}
	return 0;
}

int fl_redivider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		     struct fl_redivider **ret, fairlead_error *err)
{
	struct fl_redivider *v = mem->resize(mem->user, NULL, sizeof *v);
	int rc;

	if (!v)
		return fl_fail_nomem(err);
	*v = (struct fl_redivider){ .number = 0 };
	fl_arena_init(&v->arena, mem);
	rc = fill(v, queues, n, err);
	if (rc < 0)
		fl_redivider_free(v);
	else
		*ret = v;
	return rc;
}

struct fl_redivider *fl_redivider_free(struct fl_redivider *v)
{
	if (!v)
		return NULL;
	fl_divider_free(v->divider);
	fl_arena_done(&v->arena);
	return fl_mem_free(v->arena.mem, v);
}

/*
 * --- changes -----------------------------------------------------------------------------------
 */

static void forget_changed(struct fl_redivider *v)
{
	if (!v->divided)
		return;
	v->divided = false;
	for (; v->n_changed > 0; v->n_changed--)
		v->has_changed[v->changed[v->n_changed - 1]] = false;
}

static void note_changed(struct fl_redivider *v, uint32_t queue)
{
	forget_changed(v);
	if (v->has_changed[queue])
		return;
	v->has_changed[queue] = true;
	v->changed[v->n_changed++] = queue;
}

/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): to the last bit */
static bool same(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* The resources in which @a and @b differ, 1 << r each. */
static unsigned differ(const struct fl_bundle *a, const struct fl_bundle *b)
{
	unsigned resources = 0;

	for (int r = 0; r < FL_BUNDLE; r++)
		resources |= (unsigned)!same(a->of[r], b->of[r]) << r;
	return resources;
}

static bool bounded(const struct fl_redivider *v) { return v->flags & FL_DIVIDE_BOUNDED; }

/* The amounts that the division uses: requests, or if bounded what can be used. */
static struct fl_bundle *wanted(const struct fl_redivider *v)
{
	return bounded(v) ? v->usable : v->request;
}

/* Sets one cell of the requests, or of what can be used, to @amount. */
static void put(struct fl_redivider *v, struct fl_bundle *amounts, uint32_t queue, int r,
		double amount)
{
	if (same(amounts[queue].of[r], amount))
		return;
	amounts[queue].of[r] = amount;
	if (amounts == v->request)
		note_changed(v, queue);
	if (amounts == wanted(v))
		mark_division(v, v->in[queue], 1u << r);
	mark_sum(v, v->in[queue], 1u << r);
}

/* Sets what @queue requests and can use; all queues below it must be up to date. */
static void sum_up(struct fl_redivider *v, uint32_t queue, int r)
{
	const struct fl_divider *d = v->divider;
	double request = v->own[queue].of[r], usable = request;

	if (v->below[queue] != FL_NONE) {
		const struct fl_siblings *g = &d->groups[v->below[queue]];

		usable = 0;
		for (uint32_t p = g->first; p < g->first + g->n; p++) {
			request += v->request[d->queue[p]].of[r];
			usable += v->usable[d->queue[p]].of[r];
		}
	}
	put(v, v->request, queue, r, request);
	if (bounded(v))
		put(v, v->usable, queue, r, fl_divider_usable(d, d->position[queue], r, usable));
}

/* Does so at once if there is no queue below it. */
static void sum_up_or_mark(struct fl_redivider *v, uint32_t queue, unsigned resources)
{
	if (v->below[queue] != FL_NONE) {
		mark_sum(v, v->below[queue], resources);
		return;
	}
	for (int r = 0; r < FL_BUNDLE; r++)
		if (resources >> r & 1)
			sum_up(v, queue, r);
}

void fl_redivider_request(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *own)
{
	unsigned resources = differ(&v->own[queue], own);

	if (!resources)
		return;
	v->own[queue] = *own;
	sum_up_or_mark(v, queue, resources);
}

void fl_redivider_usage(struct fl_redivider *v, uint32_t queue, const struct fl_bundle *usage)
{
	unsigned resources = differ(&v->usage[queue], usage);

	v->usage[queue] = *usage;
	if (resources && v->k > 0)
		mark_division(v, v->in[queue], resources);
}

void fl_redivider_set(struct fl_redivider *v, uint32_t queue, const struct fl_divide_queue *row)
{
	const struct fl_divider *d = v->divider;
	uint32_t at = d->position[queue], group = v->in[queue];
	unsigned resources = 0;

	for (int r = 0; r < FL_BUNDLE; r++)
		resources |= (unsigned)(!same(d->of[r].deserved[at], row->deserved.of[r]) ||
					!same(d->of[r].limit[at], row->limit.of[r]) ||
					!same(d->of[r].weight[at], row->weight.of[r]))
			     << r;
	if (d->priority[at] != row->priority) {
		/* The order in which sums are taken changed. */
		resources = ALL;
		mark_sum(v, group, ALL);
	}
	if (!resources)
		return;
	fl_divider_set(v->divider, queue, row);
	mark_division(v, group, resources);
	sum_up_or_mark(v, queue, resources);
}

/*
 * --- divide again ------------------------------------------------------------------------------
 */

/* Marks everything, since the rules changed. */
static void mark_all(struct fl_redivider *v)
{
	for (uint32_t g = 0; g < v->divider->n_groups; g++)
		mark_division(v, g, ALL);
	for (uint32_t q = 0; bounded(v) && q < v->divider->n; q++)
		sum_up_or_mark(v, q, ALL);
}

static void take_in(struct fl_redivider *v, const struct fl_bundle *total, double k, unsigned flags)
{
	bool others = !same(v->k, k) || v->flags != flags;
	unsigned resources = differ(&v->total, total);

	v->total = *total;
	v->k = k;
	v->flags = flags;
	if (others)
		mark_all(v);
	else if (resources && v->divider->n_groups)
		mark_division(v, 0, resources);
}

/* From the deepest group up. */
static uint32_t sum_marked(struct fl_redivider *v)
{
	uint32_t n = 0, at = 0;
	unsigned resources;

	while ((at = take(&v->sum, at, &resources)) != FL_NONE) {
		uint32_t parent = v->divider->groups[v->divider->n_groups - 1 - at].parent;

		for (int r = 0; r < FL_BUNDLE; r++) {
			if (!(resources >> r & 1))
				continue;
			sum_up(v, parent, r);
			n++;
		}
	}
	return n;
}

static void divide_group(struct fl_redivider *v, uint32_t group, int r, struct fl_sharing *s)
{
	const struct fl_siblings *g = &v->divider->groups[group];
	const struct fl_bundle *of = g->parent == FL_NONE ? &v->total : &v->share[g->parent];

	fl_divider_share(v->divider, g, r, of->of[r], wanted(v), v->usage, s);
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t q = s->queue[i];

		if (same(v->share[q].of[r], s->share[i]))
			continue;
		v->share[q].of[r] = s->share[i];
		note_changed(v, q);
		if (v->below[q] != FL_NONE)
			mark_division(v, v->below[q], 1u << r);
	}
}

/* From the top down. */
static uint32_t divide_marked(struct fl_redivider *v)
{
	struct fl_sharing s = fl_divider_begin(v->divider, v->k, v->flags, /* sink= */ NULL);
	uint32_t n = 0, at = 0;
	unsigned resources;

	while ((at = take(&v->divide, at, &resources)) != FL_NONE)
		for (int r = 0; r < FL_BUNDLE; r++) {
			if (!(resources >> r & 1))
				continue;
			divide_group(v, at, r, &s);
			n++;
		}
	return n;
}

#ifdef FL_CHECKED
const struct fl_bundle *fl_redivider_own(const struct fl_redivider *v, uint32_t queue)
{
	return &v->own[queue];
}

/* Asserts that the shares are those of a first division. */
static void check(const struct fl_redivider *v)
{
	size_t bytes = v->divider->n * sizeof *v->share;

	if (!bytes)
		return;
	memcpy(v->full_request, v->own, bytes);
	fl_divide_roll_up(v->divider, v->full_request);
	FL_CHECK(memcmp(v->full_request, v->request, bytes) == 0);
	fl_divide(v->divider, &v->total, v->k, v->request, v->usage, v->flags, /* sink= */ NULL,
		  v->full_share);
	FL_CHECK(memcmp(v->full_share, v->share, bytes) == 0);
}
#endif

struct fl_redivided fl_redivide(struct fl_redivider *v, const struct fl_bundle *total, double k,
				unsigned flags)
{
	struct fl_redivided ret = { .request = v->request, .fair_share = v->share };

	forget_changed(v);
	take_in(v, total, k, flags);
	ret.n_sums = sum_marked(v);
	ret.n_groups = divide_marked(v);
#ifdef FL_CHECKED
	check(v);
#endif
	v->divided = true;
	ret.changed = v->changed;
	ret.n_changed = v->n_changed;
	ret.number = ++v->number;
	return ret;
}
