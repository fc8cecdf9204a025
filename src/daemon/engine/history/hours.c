/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/hours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "daemon/engine/history/fairness.h"
#include "daemon/engine/placement.h"

/* A queue, and a resource of one. */
struct queue {
	struct fl_queue_sum sum; /* without its name */
	uint32_t node;           /* in the tree of now; FL_NONE */
};
struct amount {
	uint32_t queue, resource; /* symbols */
	fl_nanos of[FL_SUMS_OF];
};

struct fl_hours {
	struct fl_names queues, resources, pairs; /* pairs: both symbols as text */
	struct queue *rows;                       /* by symbol of the queue */
	struct amount *amounts;                   /* by symbol of the pair */
	uint32_t cap, cap_amounts;

	/* the hour */
	const struct fl_hour_tree *tree;
	fl_time from, to;
	uint32_t slots;
	fl_time *bounds;  /* where each slot begins, and where the last one ends */
	uint32_t *column; /* by symbol of a resource: which of the tree; FL_NONE */
	uint32_t n_column;
	double *held, *wanted; /* (node * n_resources + resource) * slots + slot: amount * ns */

	struct fl_queue_sum *told_queues;
	struct fl_amount_sum *told_amounts;
};

int fl_hours_new(struct fl_hours **ret, fairlead_error *err)
{
	struct fl_hours *h = calloc(1, sizeof *h);
	int r = h ? 0 : fl_fail_nomem(err);

	if (r == 0)
		r = fl_names_init(&h->queues, &fl_mem_heap, err);
	if (r == 0)
		r = fl_names_init(&h->resources, &fl_mem_heap, err);
	if (r == 0)
		r = fl_names_init(&h->pairs, &fl_mem_heap, err);
	if (r == 0)
		*ret = h;
	else
		fl_hours_free(h);
	return r;
}

static void drop_hour(struct fl_hours *h)
{
	free(h->bounds);
	free(h->column);
	free(h->held);
	free(h->wanted);
	h->bounds = NULL;
	h->column = NULL;
	h->held = h->wanted = NULL;
	h->tree = NULL;
}

struct fl_hours *fl_hours_free(struct fl_hours *h)
{
	if (!h)
		return NULL;
	drop_hour(h);
	fl_names_done(&h->queues);
	fl_names_done(&h->resources);
	fl_names_done(&h->pairs);
	fl_mem_free(&fl_mem_heap, h->rows);
	fl_mem_free(&fl_mem_heap, h->amounts);
	free(h->told_queues);
	free(h->told_amounts);
	free(h);
	return NULL;
}

/* --- by name --- */

static int queue_of(struct fl_hours *h, const char *name, struct queue **ret, uint32_t *ret_sym,
		    fairlead_error *err)
{
	uint32_t was = h->cap;
	struct fl_sym sym;
	int r = fl_names_add(&h->queues, name, strlen(name), &sym, err);

	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &h->rows, &h->cap, sym.v + 1, sizeof *h->rows, err);
	if (r < 0)
		return r;
	for (; was < h->cap; was++)
		h->rows[was] = (struct queue){ .node = FL_NONE };
	*ret = &h->rows[sym.v];
	*ret_sym = sym.v;
	return 0;
}

/* *ret_node: of the queue in the tree; *ret_column: of the resource in it; FL_NONE. */
static int amount_of(struct fl_hours *h, const char *queue, const char *resource,
		     struct amount **ret, uint32_t *ret_node, uint32_t *ret_column,
		     fairlead_error *err)
{
	uint32_t was = h->cap_amounts, sym;
	struct fl_sym of, pair;
	struct queue *q;
	char key[32];
	int r = queue_of(h, queue, &q, &sym, err), n;

	if (r == 0)
		r = fl_names_add(&h->resources, resource, strlen(resource), &of, err);
	if (r < 0)
		return r;
	n = snprintf(key, sizeof key, "%u %u", sym, of.v);
	r = fl_names_add(&h->pairs, key, (size_t)n, &pair, err);
	if (r == 0)
		r = fl_mem_grow(&fl_mem_heap, &h->amounts, &h->cap_amounts, pair.v + 1,
				sizeof *h->amounts, err);
	if (r < 0)
		return r;
	if (h->cap_amounts > was)
		memset(h->amounts + was, 0, (h->cap_amounts - was) * sizeof *h->amounts);
	*ret = &h->amounts[pair.v];
	(*ret)->queue = sym;
	(*ret)->resource = of.v;
	*ret_node = q->node;
	*ret_column = of.v < h->n_column && h->column ? h->column[of.v] : FL_NONE;
	return 0;
}

int fl_hours_queue_before(void *hours, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct queue *q;
	uint32_t sym;
	int r = queue_of(hours, row->queue, &q, &sym, err);

	if (r < 0)
		return r;
	q->sum = *row;
	q->sum.queue = NULL;
	return 0;
}

int fl_hours_amount_before(void *hours, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct amount *a;
	uint32_t node, column;
	int r = amount_of(hours, row->queue, row->resource, &a, &node, &column, err);

	if (r == 0)
		memcpy(a->of, row->of, sizeof a->of);
	return r;
}

void fl_hours_ended(struct fl_hours *h, enum fl_tier tier)
{
	for (uint32_t i = 0; i < h->queues.n && i < h->cap; i++) {
		struct fl_queue_sum *s = &h->rows[i].sum;

		if (tier == FL_TIER_MONTH)
			*s = (struct fl_queue_sum){ 0 };
		for (int k = FL_MOST_HOUR; k <= FL_MOST_DAY; k++)
			if ((int)tier > k) /* FL_TIER_HOUR ends FL_MOST_HOUR, and so on */
				s->share_most[k] = s->wait_most[k] = 0;
	}
	if (tier == FL_TIER_MONTH)
		for (uint32_t i = 0; i < h->pairs.n && i < h->cap_amounts; i++)
			memset(h->amounts[i].of, 0, sizeof h->amounts[i].of);
}

/* --- an hour --- */

static uint32_t slots_of(const struct fl_hour_tree *t)
{
	const uint64_t cells = (uint64_t)t->n * t->n_resources;
	const uint64_t room = cells ? FL_HOUR_CELLS / cells : FL_HOUR_SLOTS;

	return room < 1 ? 1 : room > FL_HOUR_SLOTS ? FL_HOUR_SLOTS : (uint32_t)room;
}

static int know_tree(struct fl_hours *h, fairlead_error *err)
{
	const struct fl_hour_tree *t = h->tree;
	uint32_t sym;
	int r = 0;

	for (uint32_t i = 0; i < h->cap; i++)
		h->rows[i].node = FL_NONE;
	for (uint32_t i = 0; i < t->n && r == 0; i++) {
		struct queue *q;

		if (!t->nodes[i].leaf)
			continue;
		r = queue_of(h, t->nodes[i].name, &q, &sym, err);
		if (r == 0)
			q->node = i;
	}
	for (uint32_t i = 0; i < t->n_resources && r == 0; i++) {
		struct fl_sym of;

		r = fl_names_add(&h->resources, t->resources[i], strlen(t->resources[i]), &of, err);
	}
	h->n_column = h->resources.n;
	h->column = malloc((h->n_column + 1) * sizeof *h->column);
	if (r == 0 && !h->column)
		r = fl_fail_nomem(err);
	for (uint32_t i = 0; i < h->n_column && r == 0; i++)
		h->column[i] = FL_NONE;
	for (uint32_t i = 0; i < t->n_resources && r == 0; i++)
		h->column[fl_names_find(&h->resources, t->resources[i], strlen(t->resources[i]))
				  .v] = i;
	return r;
}

static int put_bounds(struct fl_hours *h, fairlead_error *err)
{
	h->bounds = malloc((h->slots + 1) * sizeof *h->bounds);
	if (!h->bounds)
		return fl_fail_nomem(err);
	/* Of one length, but for the last: slots in which nothing changes are the same ones. */
	for (uint32_t i = 0; i < h->slots; i++)
		h->bounds[i] = h->from + (h->to - h->from) / h->slots * i;
	h->bounds[h->slots] = h->to;
	return 0;
}

int fl_hours_begin(struct fl_hours *h, const struct fl_hour_tree *tree, fl_time from, fl_time to,
		   fairlead_error *err)
{
	size_t cells;
	int r;

	drop_hour(h);
	h->tree = tree;
	h->from = from;
	h->to = to;
	h->slots = slots_of(tree);
	if (to - from < h->slots)
		h->slots = 1;
	cells = (size_t)tree->n * tree->n_resources * h->slots + 1;
	r = know_tree(h, err);
	if (r == 0)
		r = put_bounds(h, err);
	if (r < 0)
		return r;
	h->held = calloc(cells, sizeof *h->held);
	h->wanted = calloc(cells, sizeof *h->wanted);
	return h->held && h->wanted ? 0 : fl_fail_nomem(err);
}

/* The slot that has @t, which lies in the time. */
static uint32_t slot_of(const struct fl_hours *h, fl_time t)
{
	uint32_t slot = (uint32_t)((double)(t - h->from) * h->slots / (double)(h->to - h->from));

	slot = slot >= h->slots ? h->slots - 1 : slot;
	while (h->bounds[slot] > t)
		slot--;
	while (slot + 1 < h->slots && h->bounds[slot + 1] <= t)
		slot++;
	return slot;
}

/* Adds @amount from @from to @to to the slots of a cell. */
static void spread(const struct fl_hours *h, double *cell, fl_time from, fl_time to, double amount)
{
	for (uint32_t s = slot_of(h, from); s < h->slots && h->bounds[s] < to; s++) {
		const fl_time low = fl_amount_max(from, h->bounds[s]);
		const fl_time high = fl_amount_min(to, h->bounds[s + 1]);

		cell[s] += amount * (double)(high - low);
	}
}

static int add_span(struct fl_hours *h, const char *queue, const char *resource, fl_time from,
		    fl_time to, fl_amount amount, enum fl_sum_of what, fairlead_error *err)
{
	struct amount *a;
	uint32_t node, column;
	size_t cell;
	int r;

	from = fl_amount_max(from, h->from);
	to = to == FL_TIME_NONE ? h->to : fl_amount_min(to, h->to);
	if (from >= to)
		return 0;
	r = amount_of(h, queue, resource, &a, &node, &column, err);
	if (r < 0)
		return r;
	a->of[what] += (fl_nanos)amount * (to - from);
	if (node == FL_NONE || column == FL_NONE)
		return 0;
	cell = ((size_t)node * h->tree->n_resources + column) * h->slots;
	if (what == FL_SUM_HELD)
		spread(h, h->held + cell, from, to, (double)amount);
	spread(h, h->wanted + cell, from, to, (double)amount);
	return 0;
}

static bool within(const struct fl_hours *h, fl_time t)
{
	return t != FL_TIME_NONE && t >= h->from && t < h->to;
}

int fl_hours_admission(void *hours, const struct fl_admission_row *row, fairlead_error *err)
{
	struct fl_hours *h = hours;
	struct fl_run_grant grants[FL_GRANTS];
	const fl_time wait = row->from > row->waits ? row->from - row->waits : 0;
	struct queue *q;
	uint32_t n = 0, sym;
	int r = queue_of(h, row->queue, &q, &sym, err);

	if (r == 0 && within(h, row->from)) {
		q->sum.started++;
		q->sum.waited += wait;
		for (int k = 0; k < FL_MOSTS_OF; k++)
			q->sum.wait_most[k] = fl_amount_max(q->sum.wait_most[k], wait);
	}
	if (r == 0 && row->to > h->from && row->to <= h->to && row->ended &&
	    strcmp(row->ended, "preempted") == 0)
		q->sum.preempted++;
	if (r == 0 && row->placement)
		r = fl_placement_read(row->placement, grants, FL_GRANTS, &n, err);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		r = add_span(h, row->queue, grants[i].resource, row->from, row->to,
			     grants[i].amount, FL_SUM_HELD, err);
		if (r == 0)
			r = add_span(h, row->queue, grants[i].resource, row->waits, row->from,
				     grants[i].amount, FL_SUM_WAITING, err);
	}
	return r;
}

int fl_hours_pending(struct fl_hours *h, const char *queue, const char *resource, fl_time since,
		     fl_amount amount, fairlead_error *err)
{
	return add_span(h, queue, resource, since, h->to, amount, FL_SUM_WAITING, err);
}

int fl_hours_share(struct fl_hours *h, const char *queue, fl_nanos share, fl_time known,
		   int64_t most, fairlead_error *err)
{
	struct queue *q;
	uint32_t sym;
	int r = queue_of(h, queue, &q, &sym, err);

	if (r < 0)
		return r;
	q->sum.share += share;
	q->sum.known += known;
	for (int k = 0; k < FL_MOSTS_OF; k++)
		q->sum.share_most[k] = fl_amount_max(q->sum.share_most[k], most);
	return 0;
}

/* --- what each queue was due, slot by slot --- */

struct dividing {
	struct fl_hours *h;
	struct fl_fair_divider *divider;
	struct fl_fair_node *nodes;
	/* By node, now: what there is, and of a cohort also of all below it. */
	double *wants, *held, *gets, *idle, *needs, *kids_idle, *kids_needs, *lent, *factor;
	double *room;               /* all of these */
	double (*sums)[FL_SUMS_OF]; /* by node: amounts times ns */
};

static double own_of(const struct dividing *d, uint32_t i, double endless)
{
	return isfinite(d->nodes[i].own) ? d->nodes[i].own : endless;
}

/*
 * As the ledger of quotas settles a moment (ask/borrow/ledger.h): what children need comes from the
 * cohort's own quota first, then from what they have idle, in proportion, and the rest from above.
 */
static void settle(struct dividing *d)
{
	const struct fl_hour_tree *t = d->h->tree;

	for (uint32_t i = 0; i < t->n; i++)
		d->kids_idle[i] = d->kids_needs[i] = 0;
	for (uint32_t k = t->n; k-- > 0;) {
		const uint32_t i = fl_fair_ordered(d->divider, k), up = d->nodes[i].parent;
		const double needs = t->nodes[i].leaf ? d->held[i] : d->kids_needs[i];
		const double rest = own_of(d, i, needs) + d->kids_idle[i] - needs;

		d->idle[i] = fmax(0, rest);
		d->needs[i] = fmax(0, -rest);
		if (up != FL_NONE) {
			d->kids_idle[up] += d->idle[i];
			d->kids_needs[up] += d->needs[i];
		}
	}
	for (uint32_t k = 0; k < t->n; k++) {
		const uint32_t i = fl_fair_ordered(d->divider, k), up = d->nodes[i].parent;
		double asked;

		d->lent[i] = up == FL_NONE ? 0 : d->idle[i] * d->factor[up];
		asked = d->kids_needs[i] - d->needs[i] + d->lent[i];
		asked = fmax(0, asked - own_of(d, i, asked));
		d->factor[i] = d->kids_idle[i] > 0 ? fmin(1, asked / d->kids_idle[i]) : 0;
	}
}

/* Of a slot of @length: `held` and `wants` are set. */
static void add_slot(struct dividing *d, double capacity, double length)
{
	const struct fl_hour_tree *t = d->h->tree;

	fl_fair_divide(d->divider, capacity, d->wants, d->gets);
	settle(d);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!t->nodes[i].leaf)
			continue;
		d->sums[i][FL_SUM_ENTITLED] += d->gets[i] * length;
		d->sums[i][FL_SUM_BORROWED] += d->needs[i] * length;
		d->sums[i][FL_SUM_LENT] += d->lent[i] * length;
		d->sums[i][FL_SUM_NOMINAL] += own_of(d, i, 0) * length;
	}
}

static double capacity_of(const struct fl_hour_tree *t, uint32_t column)
{
	double sum = t->capacity ? t->capacity[column] : 0;

	for (uint32_t i = 0; i < t->n && !(t->capacity && t->capacity[column] > 0); i++)
		sum += t->nominal[(size_t)i * t->n_resources + column];
	return sum;
}

static bool same_slot(const struct fl_hours *h, uint32_t column, uint32_t slot)
{
	for (uint32_t i = 0; i < h->tree->n; i++) {
		const size_t at = ((size_t)i * h->tree->n_resources + column) * h->slots + slot;

		if (h->held[at] != h->held[at - 1] || h->wanted[at] != h->wanted[at - 1])
			return false;
	}
	return true;
}

static int put_column(struct dividing *d, uint32_t column, fairlead_error *err)
{
	static const enum fl_sum_of divided[] = { FL_SUM_ENTITLED, FL_SUM_BORROWED, FL_SUM_LENT,
						  FL_SUM_NOMINAL };
	const struct fl_hour_tree *t = d->h->tree;
	int r = 0;

	for (uint32_t i = 0; i < t->n && r == 0; i++) {
		struct amount *a;
		uint32_t node, unused;

		if (!t->nodes[i].leaf)
			continue;
		r = amount_of(d->h, t->nodes[i].name, t->resources[column], &a, &node, &unused,
			      err);
		for (size_t k = 0; k < sizeof divided / sizeof *divided && r == 0; k++)
			a->of[divided[k]] += (fl_nanos)d->sums[i][divided[k]];
	}
	return r;
}

/* Slots in which nothing changed are one. */
static int divide_column(struct dividing *d, uint32_t column, fairlead_error *err)
{
	const struct fl_hours *h = d->h;
	const struct fl_hour_tree *t = h->tree;
	const double capacity = capacity_of(t, column);

	memset(d->sums, 0, t->n * sizeof *d->sums);
	for (uint32_t i = 0; i < t->n; i++)
		d->nodes[i].own = t->nominal[(size_t)i * t->n_resources + column];
	for (uint32_t s = 0, end; s < h->slots; s = end) {
		const double one = (double)(h->bounds[s + 1] - h->bounds[s]);

		for (end = s + 1; end < h->slots && same_slot(h, column, end);)
			end++;
		for (uint32_t i = 0; i < t->n; i++) {
			const size_t at = ((size_t)i * t->n_resources + column) * h->slots + s;

			d->held[i] = one > 0 ? h->held[at] / one : 0;
			d->wants[i] = one > 0 ? h->wanted[at] / one : 0;
		}
		add_slot(d, capacity, (double)(h->bounds[end] - h->bounds[s]));
	}
	return put_column(d, column, err);
}

int fl_hours_end(struct fl_hours *h, fairlead_error *err)
{
	enum { ARRAYS = 9 };
	const struct fl_hour_tree *t = h->tree;
	struct dividing d = { .h = h };
	int r = 0;

	d.nodes = calloc(t->n + 1, sizeof *d.nodes);
	d.room = calloc((size_t)ARRAYS * t->n + 1, sizeof *d.room);
	d.sums = calloc(t->n + 1, sizeof *d.sums);
	if (!d.nodes || !d.room || !d.sums)
		r = fl_fail_nomem(err);
	if (r == 0) {
		double **const arrays[ARRAYS] = { &d.wants, &d.held,       &d.gets,
						  &d.idle,  &d.needs,      &d.kids_idle,
						  &d.lent,  &d.kids_needs, &d.factor };

		for (uint32_t i = 0; i < ARRAYS; i++)
			*arrays[i] = d.room + (size_t)i * t->n;
		for (uint32_t i = 0; i < t->n; i++)
			d.nodes[i] = (struct fl_fair_node){ .parent = t->nodes[i].parent,
							    .weight = t->nodes[i].weight };
		r = fl_fair_divider_new(d.nodes, t->n, &d.divider, err);
	}
	for (uint32_t c = 0; c < t->n_resources && r == 0; c++)
		r = divide_column(&d, c, err);
	fl_fair_divider_free(d.divider);
	free(d.nodes);
	free(d.room);
	free(d.sums);
	drop_hour(h);
	return r;
}

/* --- rows --- */

static bool is_nothing(const struct amount *a)
{
	fl_nanos any = 0;

	for (uint32_t k = 0; k < FL_SUMS_OF; k++)
		any |= a->of[k];
	return any == 0;
}

static bool is_idle(const struct fl_queue_sum *s)
{
	return s->known == 0 && s->started == 0 && s->preempted == 0;
}

int fl_hours_rows(struct fl_hours *h, const struct fl_queue_sum **ret_queues,
		  uint32_t *ret_n_queues, const struct fl_amount_sum **ret_amounts,
		  uint32_t *ret_n_amounts, fairlead_error *err)
{
	free(h->told_queues);
	free(h->told_amounts);
	h->told_queues = calloc(h->queues.n + 1, sizeof *h->told_queues);
	h->told_amounts = calloc(h->pairs.n + 1, sizeof *h->told_amounts);
	*ret_n_queues = *ret_n_amounts = 0;
	if (!h->told_queues || !h->told_amounts)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < h->queues.n && i < h->cap; i++) {
		struct fl_queue_sum *to = &h->told_queues[*ret_n_queues];

		*to = h->rows[i].sum;
		to->queue = fl_names_text(&h->queues, (struct fl_sym){ i });
		*ret_n_queues += !is_idle(to);
	}
	for (uint32_t i = 0; i < h->pairs.n && i < h->cap_amounts; i++) {
		struct fl_amount_sum *to = &h->told_amounts[*ret_n_amounts];
		const struct amount *a = &h->amounts[i];

		if (is_nothing(a))
			continue;
		to->queue = fl_names_text(&h->queues, (struct fl_sym){ a->queue });
		to->resource = fl_names_text(&h->resources, (struct fl_sym){ a->resource });
		memcpy(to->of, a->of, sizeof to->of);
		++*ret_n_amounts;
	}
	*ret_queues = h->told_queues;
	*ret_amounts = h->told_amounts;
	return 0;
}
