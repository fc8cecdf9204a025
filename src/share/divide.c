/* SPDX-License-Identifier: Apache-2.0 */
#include "share/divide.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

struct group {
	uint32_t parent;   /* queue; FL_NONE at the top */
	uint32_t first, n; /* positions */
};

/* Of one resource, by position. */
struct columns {
	double *deserved, *limit, *weight;
};

/* A position is a place in the order (group, priority down, rank up), groups of parents first. */
struct fl_divider {
	struct fl_arena arena; /* holds all of it */
	uint32_t n, n_groups, widest;
	uint32_t *queue, *rank; /* by position */
	uint32_t *position;     /* by queue */
	int32_t *priority;      /* by position */
	struct columns of[FL_BUNDLE];
	struct group *groups;
	/* Of one division: what each queue can use, and columns as wide as the widest group. */
	struct fl_bundle *usable;
	double *cap, *share, *usage, *remainder, *owed, *portion;
	uint32_t *active;
	struct fl_divide_part *parts;
};

/* --- siblings, grouped and sorted ----------------------------------------------------------- */

#define ALLOC(a, ptr, n) (((ptr) = fl_arena_alloc((a), (n), sizeof *(ptr), err)) != NULL)

static int by_priority(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_divide_queue *q = ctx;

	if (q[a].priority != q[b].priority)
		return q[a].priority > q[b].priority ? -1 : 1;
	return (q[a].rank > q[b].rank) - (q[a].rank < q[b].rank);
}

/* Children of queue q become child[at[q]..at[q + 1]), those at the top child[at[n]..at[n + 1]). */
static void list_children(const struct fl_divide_queue *queues, uint32_t n, uint32_t *at,
			  uint32_t *child)
{
	for (uint32_t i = 0; i < n; i++)
		at[queues[i].parent == FL_NONE ? n : queues[i].parent]++;
	for (uint32_t i = 1; i <= n + 1; i++)
		at[i] += at[i - 1];
	/* Each list is filled from its end, which leaves its beginning behind. */
	for (uint32_t i = n; i-- > 0;)
		child[--at[queues[i].parent == FL_NONE ? n : queues[i].parent]] = i;
}

static void put_row(struct fl_divider *d, uint32_t at, const struct fl_divide_queue *row)
{
	d->priority[at] = row->priority;
	for (int r = 0; r < FL_BUNDLE; r++) {
		d->of[r].deserved[at] = row->deserved.of[r];
		d->of[r].limit[at] = row->limit.of[r];
		d->of[r].weight[at] = row->weight.of[r];
	}
}

/* Append the siblings @child[0..n). */
static void put_group(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t parent,
		      const uint32_t *child, uint32_t n, uint32_t *scratch)
{
	if (!n)
		return;
	memcpy(d->queue + d->n, child, n * sizeof *child);
	fl_sort(d->queue + d->n, n, scratch, by_priority, queues);
	d->groups[d->n_groups++] = (struct group){ parent, d->n, n };
	for (uint32_t end = d->n + n; d->n < end; d->n++) {
		uint32_t q = d->queue[d->n];

		d->rank[d->n] = queues[q].rank;
		d->position[q] = d->n;
		put_row(d, d->n, &queues[q]);
	}
	if (n > d->widest)
		d->widest = n;
}

static int arrange(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_arena *scratch, fairlead_error *err)
{
	uint32_t *at, *child, *sorting;

	if (!ALLOC(scratch, at, (size_t)n + 2) || !ALLOC(scratch, child, n) ||
	    !ALLOC(scratch, sorting, n))
		return FAIRLEAD_ENOMEM;
	list_children(queues, n, at, child);
	put_group(d, queues, FL_NONE, child + at[n], at[n + 1] - at[n], sorting);
	/* Parents stand before their children, so the list grows ahead of p. */
	for (uint32_t p = 0; p < d->n; p++) {
		uint32_t q = d->queue[p];

		put_group(d, queues, q, child + at[q], at[q + 1] - at[q], sorting);
	}
	assert(d->n == n); /* no loops */
	return 0;
}

static int fill(struct fl_divider *d, const struct fl_divide_queue *queues, uint32_t n,
		fairlead_error *err)
{
	struct fl_arena *a = &d->arena, scratch;
	int rc;

	if (!ALLOC(a, d->queue, n) || !ALLOC(a, d->rank, n) || !ALLOC(a, d->position, n) ||
	    !ALLOC(a, d->priority, n) || !ALLOC(a, d->groups, n) || !ALLOC(a, d->usable, n))
		return FAIRLEAD_ENOMEM;
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!ALLOC(a, d->of[r].deserved, n) || !ALLOC(a, d->of[r].limit, n) ||
		    !ALLOC(a, d->of[r].weight, n))
			return FAIRLEAD_ENOMEM;
	fl_arena_init(&scratch, a->mem);
	rc = arrange(d, queues, n, &scratch, err);
	fl_arena_done(&scratch);
	if (rc < 0)
		return rc;
	if (!ALLOC(a, d->cap, d->widest) || !ALLOC(a, d->share, d->widest) ||
	    !ALLOC(a, d->usage, d->widest) || !ALLOC(a, d->remainder, d->widest) ||
	    !ALLOC(a, d->owed, d->widest) || !ALLOC(a, d->portion, d->widest) ||
	    !ALLOC(a, d->active, d->widest) || !ALLOC(a, d->parts, d->widest))
		return FAIRLEAD_ENOMEM;
	return 0;
}

int fl_divider_new(const struct fl_mem *mem, const struct fl_divide_queue *queues, uint32_t n,
		   struct fl_divider **ret, fairlead_error *err)
{
	struct fl_divider *d = mem->resize(mem->user, NULL, sizeof *d);
	int rc;

	if (!d)
		return fl_fail_nomem(err);
	*d = (struct fl_divider){ .n = 0 };
	fl_arena_init(&d->arena, mem);
	rc = fill(d, queues, n, err);
	if (rc < 0)
		fl_divider_free(d);
	else
		*ret = d;
	return rc;
}

struct fl_divider *fl_divider_free(struct fl_divider *d)
{
	if (!d)
		return NULL;
	fl_arena_done(&d->arena);
	return fl_mem_free(d->arena.mem, d);
}

static void swap_rows(struct fl_divider *d, uint32_t a, uint32_t b)
{
#define SWAP(column)                                                                               \
	do {                                                                                       \
		__typeof__(*(column)) kept = (column)[a];                                          \
		(column)[a] = (column)[b];                                                         \
		(column)[b] = kept;                                                                \
	} while (0)
	SWAP(d->queue);
	SWAP(d->rank);
	SWAP(d->priority);
	for (int r = 0; r < FL_BUNDLE; r++) {
		SWAP(d->of[r].deserved);
		SWAP(d->of[r].limit);
		SWAP(d->of[r].weight);
	}
#undef SWAP
	d->position[d->queue[a]] = a;
	d->position[d->queue[b]] = b;
}

/* Whether the row at @a belongs before the one at @b. */
static bool before(const struct fl_divider *d, uint32_t a, uint32_t b)
{
	if (d->priority[a] != d->priority[b])
		return d->priority[a] > d->priority[b];
	return d->rank[a] < d->rank[b];
}

static const struct group *group_of(const struct fl_divider *d, uint32_t position)
{
	uint32_t low = 0, high = d->n_groups;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (d->groups[middle].first <= position)
			low = middle;
		else
			high = middle;
	}
	return &d->groups[low];
}

void fl_divider_set(struct fl_divider *d, uint32_t queue, const struct fl_divide_queue *row)
{
	uint32_t at = d->position[queue];
	const struct group *g = group_of(d, at);

	put_row(d, at, row);
	for (; at > g->first && before(d, at, at - 1); at--)
		swap_rows(d, at, at - 1);
	for (; at + 1 < g->first + g->n && before(d, at + 1, at); at++)
		swap_rows(d, at, at + 1);
}

void fl_divide_roll_up(const struct fl_divider *d, struct fl_bundle *amounts)
{
	for (const struct group *g = d->groups + d->n_groups; g-- > d->groups;)
		for (uint32_t p = g->first; g->parent != FL_NONE && p < g->first + g->n; p++)
			fl_bundle_add(&amounts[g->parent], &amounts[d->queue[p]]);
}

/* --- one resource of one group of siblings -------------------------------------------------- */

/* Columns are by place in the group. */
struct sharing {
	uint32_t n;
	const int32_t *priority;
	const double *weight; /* that decides now */
	double *cap;          /* the most a queue can get */
	double *share;        /* what it has */
	double *remainder;    /* recorded; 0: none */
	double *portion;      /* by place among the active */
	uint32_t *active;
	const double *usage; /* NULL: history does not count */
	double k;
	bool bounded;
	/* What only a listener wants to know. */
	const struct fl_divide_sink *sink;
	const uint32_t *queue;
	struct fl_divide_step step;
	struct fl_divide_part *parts;
};

static uint32_t class_end(const struct sharing *s, uint32_t first)
{
	uint32_t end = first + 1;

	while (end < s->n && s->priority[end] == s->priority[first])
		end++;
	return end;
}

/* x >= 0 cut to whole units; from 2^52 on there is nothing to cut. */
static inline double whole(double x) { return x < 0x1p52 ? (double)(int64_t)x : x; }

/* @first ? a : b without a branch: who is content after a round cannot be guessed. */
static inline double either(bool first, double a, double b)
{
	uint64_t x, y, mask = (uint64_t)0 - first;

	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	x = (x & mask) | (y & ~mask);
	memcpy(&a, &x, sizeof a);
	return a;
}

/* The @n active as they are before a step. */
static void listen_before(struct sharing *s, uint32_t n, double amount)
{
	if (!s->sink)
		return;
	for (uint32_t j = 0; j < n; j++) {
		uint32_t i = s->active[j];

		s->parts[j] = (struct fl_divide_part){
			.queue = i,
			.want = s->cap[i] - s->share[i],
			.weight = s->weight[i],
			.given = s->share[i],
		};
	}
	s->step.n_parts = n;
	s->step.amount = amount;
}

/* What a round is made of; nothing is given with @sum 0. */
static void listen_portions(struct sharing *s, double weights, double sum)
{
	s->step.weights = weights;
	s->step.portions = sum;
	for (uint32_t j = 0; s->sink && j < s->step.n_parts; j++) {
		s->parts[j].portion = s->portion[j];
		s->parts[j].part = sum > 0 ? s->step.amount * (s->portion[j] / sum) : 0;
	}
}

static void listen_after(struct sharing *s, double left, enum fl_divide_stop stop)
{
	if (!s->sink)
		return;
	for (uint32_t j = 0; j < s->step.n_parts; j++) {
		struct fl_divide_part *part = &s->parts[j];
		uint32_t i = part->queue;

		part->queue = s->queue[i];
		part->given = s->share[i] - part->given;
		part->remainder = s->remainder[i];
	}
	s->step.left = left;
	s->step.stop = stop;
	s->step.parts = s->parts;
	s->sink->step(s->sink->user, &s->step);
}

/* Those of the class who want more and have weight; the sum of their weights. */
static uint32_t find_active(const struct sharing *s, uint32_t first, uint32_t end,
			    double *ret_weights)
{
	uint32_t n = 0;
	double weights = 0;

	for (uint32_t i = first; i < end; i++) {
		bool wants = (s->share[i] < s->cap[i]) & (s->weight[i] > 0);

		s->active[n] = i;
		n += wants;
		weights += either(wants, s->weight[i], 0);
	}
	*ret_weights = weights;
	return n;
}

static bool used_before(const struct sharing *s, uint32_t n)
{
	bool used = false;

	for (uint32_t j = 0; s->usage && j < n; j++)
		used |= s->usage[s->active[j]] != 0;
	return used;
}

/* Portions of a round by weight alone; their sum. */
static double plain_portions(const struct sharing *s, uint32_t n, double weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		s->portion[j] = s->weight[s->active[j]] / weights;
		sum += s->portion[j];
	}
	return sum;
}

/* P = max(W' + k (W' - U'), 0): who has used more than its weight's part gets less. */
static double penalised_portions(const struct sharing *s, uint32_t n, double weights)
{
	double sum = 0;

	for (uint32_t j = 0; j < n; j++) {
		uint32_t i = s->active[j];
		double part = s->weight[i] / weights;
		double portion = part + s->k * (part - s->usage[i]);

		s->portion[j] = portion > 0 ? portion : 0;
		sum += s->portion[j];
	}
	return sum;
}

struct round {
	double amount, portions; /* before; fixed during the round */
	double left, weights;    /* after; weights of those who go on */
	uint32_t n;              /* active before, and after */
	bool spare;              /* somebody got all it wanted and left something of its part */
};

/* To each its part of the amount: all it wants, or as many whole units as are in the part. */
static void hand_out(struct sharing *s, struct round *round)
{
	const double amount = round->amount, portions = round->portions;
	double left = amount, weights = 0;
	uint32_t kept = 0;
	bool spare = false;

	for (uint32_t j = 0; j < round->n && left > 0; j++) {
		uint32_t i = s->active[j];
		double part = amount * (s->portion[j] / portions), units = whole(part);
		double want = s->cap[i] - s->share[i];
		bool content = want <= part;

		/* A part that is whole leaves an older remainder as it is. */
		double rest = either(part > units, part - units, s->remainder[i]);

		s->remainder[i] = either(content, 0, rest);
		s->share[i] = either(content, s->cap[i], s->share[i] + units);
		left -= either(content, want, units);
		weights += either(content, 0, s->weight[i]);
		spare |= want < part;
		s->active[kept] = i;
		kept += !content;
	}
	round->left = left;
	round->weights = weights;
	round->n = kept;
	round->spare = spare;
}

static enum fl_divide_stop stop_of(const struct round *round)
{
	if (round->left <= 0)
		return FL_DIVIDE_ALL_GIVEN;
	if (!round->spare)
		return FL_DIVIDE_ONLY_PARTS;
	return round->n ? FL_DIVIDE_GOES_ON : FL_DIVIDE_CONTENT;
}

/* Weighted rounds of one class; what is left of @amount. */
static double give_rounds(struct sharing *s, uint32_t first, uint32_t end, double amount)
{
	struct round round = { .left = amount };
	enum fl_divide_stop stop = FL_DIVIDE_GOES_ON;

	round.n = find_active(s, first, end, &round.weights);
	if (!round.n)
		return amount;

	bool penalise = used_before(s, round.n);

	s->step.priority = s->priority[first];
	for (s->step.round = 1; stop == FL_DIVIDE_GOES_ON; s->step.round++) {
		round.amount = round.left;
		round.portions = penalise ? penalised_portions(s, round.n, round.weights) : 0;
		s->step.by_weight = !penalise || (s->bounded && round.portions == 0);
		if (s->step.by_weight)
			round.portions = plain_portions(s, round.n, round.weights);
		listen_before(s, round.n, round.amount);
		listen_portions(s, round.weights, round.portions);
		if (round.portions > 0) {
			hand_out(s, &round);
			stop = stop_of(&round);
		} else {
			stop = FL_DIVIDE_PENALISED;
		}
		listen_after(s, round.left, stop);
	}
	return round.left;
}

/* Whether @a comes before @b when whole units are made of remainders. */
static bool more_left(const struct sharing *s, uint32_t a, uint32_t b)
{
	if (s->remainder[a] != s->remainder[b])
		return s->remainder[a] > s->remainder[b];
	return a < b;
}

static void sift_down(struct sharing *s, uint32_t at, uint32_t n)
{
	uint32_t moving = s->active[at];

	for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && more_left(s, s->active[child + 1], s->active[child]))
			child++;
		if (!more_left(s, s->active[child], moving))
			break;
		s->active[at] = s->active[child];
	}
	s->active[at] = moving;
}

static uint32_t pop(struct sharing *s, uint32_t n)
{
	uint32_t top = s->active[0];

	s->active[0] = s->active[n - 1];
	sift_down(s, 0, n - 1);
	return top;
}

/* Of one class: those who have a remainder; bounded: all who want more and have weight. */
static uint32_t find_remainders(struct sharing *s, uint32_t first, uint32_t end)
{
	uint32_t n = 0;
	double weights;

	if (s->bounded)
		return find_active(s, first, end, &weights);
	for (uint32_t i = first; i < end; i++) {
		s->active[n] = i;
		n += s->remainder[i] > 0;
	}
	return n;
}

/*
 * A unit, or what is left of one, to each in the order of remainders; what is left of
 * @amount.  Only when bounded does it matter what they want.
 */
static double give_remainders(struct sharing *s, uint32_t first, uint32_t end, double amount)
{
	uint32_t n = find_remainders(s, first, end);
	bool for_all = n <= amount; /* then the order does not matter */
	double left = amount;

	if (!n)
		return amount;
	enum fl_divide_phase phase = s->step.phase;

	s->step.phase = FL_DIVIDE_REMAINDERS;
	s->step.priority = s->priority[first];
	listen_before(s, n, amount);
	for (uint32_t at = for_all ? 0 : n / 2; at-- > 0;)
		sift_down(s, at, n);
	for (; n && left > 0; n--) {
		uint32_t i = for_all ? s->active[n - 1] : pop(s, n);
		double give = left < 1 ? left : 1, want = s->cap[i] - s->share[i];

		if (s->bounded && want < give)
			give = want;
		s->share[i] += give;
		left -= give;
	}
	listen_after(s, left, left > 0 ? FL_DIVIDE_CONTENT : FL_DIVIDE_ALL_GIVEN);
	s->step.phase = phase;
	return left;
}

/*
 * @amount by priority, highest first.  By default what rounding left of all classes is
 * given out at the end; bounded, a class gets its own before anybody below it.
 */
static void give_by_priority(struct sharing *s, enum fl_divide_phase phase, double amount)
{
	s->step.phase = phase;
	for (uint32_t first = 0, end; first < s->n && amount > 0; first = end) {
		end = class_end(s, first);
		amount = give_rounds(s, first, end, amount);
		if (s->bounded && amount > 0)
			amount = give_remainders(s, first, end, amount);
	}
	if (s->bounded)
		return;
	for (uint32_t first = 0, end; first < s->n && amount > 0; first = end) {
		end = class_end(s, first);
		amount = give_remainders(s, first, end, amount);
	}
}

/* To each what it deserves, as far as it can use it; what is left of @total, perhaps below 0. */
static double give_deserved(struct sharing *s, const double *deserved, double total)
{
	double given = 0;

	for (uint32_t i = 0; s->sink && i < s->n; i++) {
		s->active[i] = i;
		s->share[i] = 0;
	}
	s->step.phase = FL_DIVIDE_DESERVED;
	s->step.priority = 0;
	listen_before(s, s->n, total);
	for (uint32_t i = 0; i < s->n; i++) {
		double most = deserved[i] == FL_UNBOUNDED ? total : deserved[i];

		s->share[i] = most < s->cap[i] ? most : s->cap[i];
		given += s->share[i];
	}
	double left = total - given;

	if (left >= 0 || !s->bounded) /* else it does not stay so */
		listen_after(s, left, left > 0 ? FL_DIVIDE_GOES_ON : FL_DIVIDE_ALL_GIVEN);
	return left;
}

/*
 * Bounded, when more is deserved than there is: what is deserved, as far as it can be
 * used, is what each can get, and the weight as well.  History does not count.
 */
static void give_short(struct sharing *s, const double *deserved, double *owed, double total)
{
	for (uint32_t i = 0; i < s->n; i++) {
		owed[i] = deserved[i] == FL_UNBOUNDED ? total : deserved[i];
		s->cap[i] = s->share[i];
		s->share[i] = 0;
	}
	s->weight = owed;
	s->usage = NULL;
	give_by_priority(s, FL_DIVIDE_SHORT, total);
}

/* --- the tree ------------------------------------------------------------------------------- */

/*
 * What each queue can use: a leaf what it requests, others what their children can, up to
 * the limit; and without weight no more than what is deserved.
 */
static void find_usable(struct fl_divider *d, const struct fl_bundle *request)
{
	for (uint32_t q = 0; q < d->n; q++)
		d->usable[q] = request[q];
	for (uint32_t g = 1; g < d->n_groups; g++)
		d->usable[d->groups[g].parent] = (struct fl_bundle){ { 0 } };
	for (const struct group *g = d->groups + d->n_groups; g-- > d->groups;) {
		for (uint32_t p = g->first; p < g->first + g->n; p++) {
			struct fl_bundle *usable = &d->usable[d->queue[p]];

			for (int r = 0; r < FL_BUNDLE; r++) {
				const struct columns *c = &d->of[r];

				if (c->limit[p] != FL_UNBOUNDED && c->limit[p] < usable->of[r])
					usable->of[r] = c->limit[p];
				if (!(c->weight[p] > 0) && c->deserved[p] != FL_UNBOUNDED &&
				    c->deserved[p] < usable->of[r])
					usable->of[r] = c->deserved[p];
			}
			if (g->parent != FL_NONE)
				fl_bundle_add(&d->usable[g->parent], usable);
		}
	}
}

/* What a queue can get of what it requests. */
static inline double requestable(double request, double limit)
{
	return limit != FL_UNBOUNDED && limit < request ? limit : request;
}

/* One resource of one group. @s has what is the same for all of them. */
static void divide_one(struct fl_divider *d, const struct group *g, int r, double total,
		       const struct fl_bundle *request, const struct fl_bundle *usage,
		       struct sharing *s)
{
	const struct columns *c = &d->of[r];

	for (uint32_t i = 0; i < g->n; i++) {
		s->cap[i] = requestable(request[s->queue[i]].of[r], c->limit[g->first + i]);
		s->remainder[i] = 0;
		if (usage)
			d->usage[i] = usage[s->queue[i]].of[r];
	}
	s->step.resource = r;
	s->usage = usage ? d->usage : NULL;
	s->weight = c->weight + g->first;
	double left = give_deserved(s, c->deserved + g->first, total);

	if (left > 0)
		give_by_priority(s, FL_DIVIDE_ROUND, left);
	else if (left < 0 && s->bounded)
		give_short(s, c->deserved + g->first, d->owed, total);
}

void fl_divide(struct fl_divider *d, const struct fl_bundle *total, double k,
	       const struct fl_bundle *request, const struct fl_bundle *usage, unsigned flags,
	       const struct fl_divide_sink *sink, struct fl_bundle *fair_share)
{
	struct sharing s = {
		.cap = d->cap,
		.share = d->share,
		.remainder = d->remainder,
		.portion = d->portion,
		.active = d->active,
		.parts = d->parts,
		.k = k,
		.bounded = flags & FL_DIVIDE_BOUNDED,
		.sink = sink,
	};

	if (s.bounded) {
		find_usable(d, request);
		request = d->usable;
	}
	for (const struct group *g = d->groups; g < d->groups + d->n_groups; g++) {
		const struct fl_bundle *of = g->parent == FL_NONE ? total : &fair_share[g->parent];

		s.n = g->n;
		s.priority = d->priority + g->first;
		s.queue = d->queue + g->first;
		s.step.parent = g->parent;
		for (int r = 0; r < FL_BUNDLE; r++) {
			divide_one(d, g, r, of->of[r], request, k > 0 ? usage : NULL, &s);
			for (uint32_t i = 0; i < g->n; i++)
				fair_share[s.queue[i]].of[r] = d->share[i];
		}
	}
}
