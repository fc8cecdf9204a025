/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A structure says how many workloads each queue has and which queues are below which cohort.  For
 * each the values of its nodes are counted through, from the first child of the root to the last;
 * siblings of equal structure have values that do not fall, which takes one of each orbit.
 */
#include "enumerate_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = MOST_QUEUES + MOST_COHORTS, MOST_CHILDREN = MOST_QUEUES };

/* What a queue with so many workloads may be. */
struct leaf {
	uint8_t nominal[RESOURCES], weight;
	struct config_job jobs[MOST_JOBS];
	uint8_t ask[RESOURCES], most[RESOURCES],
		factor[RESOURCES]; /* all; the largest that must be; of amounts */
	uint32_t orders;           /* of its workloads */
	uint32_t swapped; /* the one with the resources changed; the same of one resource */
};
struct leaves {
	struct leaf *all;
	uint32_t n, cap;
};

/* A node below the root, in order: a cohort stands before its queues. */
struct slot {
	bool cohort;
	uint8_t jobs;  /* of a queue */
	int8_t before; /* sibling queue of as many workloads in the same cohort; -1 */
	int8_t ends;   /* child of the root whose last slot this is; -1 */
};

struct child {
	uint8_t n; /* queues; 0: a queue itself */
	uint8_t jobs[MOST_QUEUES];
	uint8_t first, slots;
};

struct walk {
	const struct family *f;
	enumerate_each *each;
	void *user;
	struct enumerated *ret;
	struct leaves leaves[MOST_JOBS + 1]; /* by workloads */
	uint32_t cohorts;                    /* values of a cohort: quota and weight */
	struct child children[MOST_CHILDREN];
	unsigned n_children;
	struct slot slots[MOST_SLOTS];
	unsigned n_slots;
	uint32_t value[MOST_SLOTS];
	int stopped;
};

static uint32_t factorial(uint32_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* --- what a queue may be --- */

static struct config_job ask_of(const struct family *f, unsigned i)
{
	unsigned ask = i / f->priorities + 1;
	struct config_job j = { .priority = (uint8_t)(i % f->priorities), .count = 1, .least = -1 };

	if (f->gangs) {
		for (ask--; ask >= j.count; j.count++)
			ask -= j.count;
		j.ask[0] = 1;
		j.least = (int8_t)(ask + 1);
		return j;
	}
	j.ask[0] = (uint8_t)(f->resources == 1 ? ask : ask / (f->size + 1));
	j.ask[1] = (uint8_t)(f->resources == 1 ? 0 : ask % (f->size + 1));
	return j;
}

static unsigned swapped_ask(const struct family *f, unsigned i)
{
	struct config_job j = ask_of(f, i);

	return (j.ask[1] * (f->size + 1) + j.ask[0] - 1) * f->priorities + j.priority;
}

static int cmp_asks(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Weight @i of weights(). */
static uint8_t weight_of(const struct family *f, unsigned i)
{
	return (uint8_t)(f->weight == 1 ? 1 : i);
}

static void push_leaf(struct leaves *l, const struct leaf *leaf)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->all = realloc(l->all, l->cap * sizeof *l->all);
		if (!l->all)
			abort();
	}
	l->all[l->n++] = *leaf;
}

static uint32_t orders_of(const unsigned *which, unsigned n)
{
	uint32_t orders = factorial(n);

	for (unsigned i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && which[end] == which[i];)
			end++;
		orders /= factorial(end - i);
	}
	return orders;
}

/* Rank of a multiset of asks among those of @n in the order in which they are made. */
static uint32_t rank_of(const struct family *f, const unsigned *which, unsigned n)
{
	unsigned now[MOST_JOBS] = { 0 };
	uint32_t rank = 0;

	while (memcmp(now, which, n * sizeof *now) != 0) {
		unsigned at = n;

		while (now[at - 1] == asks(f) - 1)
			at--;
		now[at - 1]++;
		for (unsigned i = at; i < n; i++)
			now[i] = now[at - 1];
		rank++;
	}
	return rank;
}

static uint32_t multisets(const struct family *f, unsigned n)
{
	unsigned last[MOST_JOBS];

	for (unsigned i = 0; i < n; i++)
		last[i] = asks(f) - 1;
	return rank_of(f, last, n) + 1;
}

static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }

/* What its workloads come to. */
static void sum_up(struct leaf *leaf, unsigned n)
{
	for (unsigned r = 0; r < RESOURCES; r++) {
		leaf->factor[r] = leaf->nominal[r];
		leaf->ask[r] = leaf->most[r] = 0;
		for (unsigned i = 0; i < n; i++) {
			const struct config_job *j = &leaf->jobs[i];
			uint8_t ask = j->ask[r];
			int least = ask * (j->least < 0 ? j->count : j->least);

			leaf->ask[r] = (uint8_t)(leaf->ask[r] + ask * j->count);
			if (least > leaf->most[r])
				leaf->most[r] = (uint8_t)least;
			leaf->factor[r] = (uint8_t)gcd(leaf->factor[r], ask);
		}
	}
}

/* All that may be with workloads @which, n of them. */
static void add_leaves(struct walk *k, const unsigned *which, unsigned n)
{
	const struct family *f = k->f;
	uint32_t sets = multisets(f, n);
	struct leaf leaf = { .orders = orders_of(which, n) };
	unsigned other[MOST_JOBS];

	for (unsigned i = 0; i < n; i++) {
		leaf.jobs[i] = ask_of(f, which[i]);
		other[i] = f->resources == 1 ? which[i] : swapped_ask(f, which[i]);
	}
	qsort(other, n, sizeof *other, cmp_asks);
	for (unsigned q = 0; q < nominals(f); q++)
		for (unsigned w = 0; w < weights(f); w++) {
			unsigned a = f->resources == 1 ? q : q / (f->nominal + 1);
			unsigned b = f->resources == 1 ? 0 : q % (f->nominal + 1);
			unsigned changed = f->resources == 1 ? q : b * (f->nominal + 1) + a;

			leaf.nominal[0] = (uint8_t)a;
			leaf.nominal[1] = (uint8_t)b;
			leaf.weight = weight_of(f, w);
			sum_up(&leaf, n);
			leaf.swapped = rank_of(f, other, n) * nominals(f) * weights(f) +
				       changed * weights(f) + w;
			push_leaf(&k->leaves[n], &leaf);
		}
	if (k->leaves[n].n > sets * nominals(f) * weights(f))
		abort();
}

static void make_leaves(struct walk *k, unsigned n)
{
	unsigned which[MOST_JOBS] = { 0 };

	for (;;) {
		unsigned at = n;

		add_leaves(k, which, n);
		while (at > 0 && which[at - 1] == asks(k->f) - 1)
			at--;
		if (at == 0)
			return;
		which[at - 1]++;
		for (unsigned i = at; i < n; i++)
			which[i] = which[at - 1];
	}
}

/* --- one configuration --- */

static void put_queue(const struct walk *k, struct config *c, const struct leaf *leaf,
		      unsigned jobs, unsigned parent)
{
	struct config_node *n = &c->queues[c->n_queues];

	*n = (struct config_node){ .parent = (uint8_t)parent,
				   .weight = leaf->weight,
				   .within = (uint8_t)k->f->within,
				   .reclaim = (uint8_t)k->f->reclaim };
	for (unsigned r = 0; r < k->f->resources; r++)
		n->quota[0][r] = (struct config_quota){ (int8_t)leaf->nominal[r], -1, -1 };
	for (unsigned i = 0; i < jobs; i++) {
		c->jobs[c->n_jobs] = leaf->jobs[i];
		c->jobs[c->n_jobs++].queue = c->n_queues;
	}
	c->n_queues++;
}

static void put_cohort(const struct walk *k, struct config *c, unsigned value)
{
	struct config_node *n = &c->cohorts[c->n_cohorts++];

	*n = (struct config_node){ .parent = 0, .weight = weight_of(k->f, value % weights(k->f)) };
	n->quota[0][0] = (struct config_quota){ (int8_t)(value / weights(k->f)), -1, -1 };
}

static struct config config_of(const struct walk *k)
{
	struct config c = { .n_resources = (uint8_t)k->f->resources, .n_flavors = 1 };

	c.cohorts[0] = (struct config_node){ .parent = NO_PARENT, .weight = 1 };
	c.n_cohorts = 1;
	for (unsigned i = 0; i < k->n_children; i++) {
		const struct child *child = &k->children[i];
		unsigned parent = 0;

		for (unsigned s = child->first; s < child->first + child->slots; s++) {
			const struct slot *slot = &k->slots[s];

			if (slot->cohort) {
				put_cohort(k, &c, k->value[s]);
				parent = c.n_cohorts - 1u;
			} else
				put_queue(k, &c, &k->leaves[slot->jobs].all[k->value[s]],
					  slot->jobs, parent);
		}
	}
	return c;
}

/* All amounts of a configuration but the root's, by resource. */
struct sums {
	unsigned quota[RESOURCES], ask[RESOURCES], most[RESOURCES], factor[RESOURCES];
};

static struct sums sums_of(const struct walk *k)
{
	struct sums sums = { .quota = { 0 } };

	for (unsigned s = 0; s < k->n_slots; s++)
		for (unsigned r = 0; r < k->f->resources; r++) {
			const struct slot *slot = &k->slots[s];
			const struct leaf *leaf = &k->leaves[slot->jobs].all[k->value[s]];
			unsigned quota = r == 0 ? k->value[s] / weights(k->f) : 0;

			if (slot->cohort) {
				sums.quota[r] += quota;
				sums.factor[r] = gcd(sums.factor[r], quota);
				continue;
			}
			sums.quota[r] += leaf->nominal[r];
			sums.ask[r] += leaf->ask[r];
			sums.factor[r] = gcd(sums.factor[r], leaf->factor[r]);
			if (leaf->most[r] > sums.most[r])
				sums.most[r] = leaf->most[r];
		}
	return sums;
}

/* Weights of siblings, one after the other. */
struct siblings {
	unsigned n, factor, last;
};

static void add_sibling(struct siblings *s, unsigned weight)
{
	s->n++;
	s->factor = gcd(s->factor, weight);
	s->last = weight;
}

static bool may_be_smaller(const struct siblings *s)
{
	return s->factor > 1 || (s->n == 1 && s->last != 1);
}

/* Is there a configuration with smaller weights in which the same happens? */
static bool weights_have_a_factor(const struct walk *k)
{
	struct siblings root = { 0 };

	for (unsigned i = 0; i < k->n_children; i++) {
		const struct child *child = &k->children[i];
		struct siblings below = { 0 };

		for (unsigned s = child->first; s < child->first + child->slots; s++) {
			const struct slot *slot = &k->slots[s];
			unsigned value = k->value[s];
			unsigned weight = slot->cohort ? weight_of(k->f, value % weights(k->f)) :
							 k->leaves[slot->jobs].all[value].weight;

			add_sibling(slot->cohort || !child->n ? &root : &below, weight);
		}
		if (may_be_smaller(&below))
			return true;
	}
	return may_be_smaller(&root);
}

enum verdict { FITS, NEVER, ALIKE, LEFT };

static enum verdict judge(const struct walk *k, const struct sums *s,
			  const unsigned root[RESOURCES])
{
	bool fits = true, factor = false;

	for (unsigned r = 0; r < k->f->resources; r++)
		fits &= s->ask[r] <= s->quota[r] + root[r];
	if (fits)
		return FITS;
	for (unsigned r = 0; r < k->f->resources; r++) {
		if (s->most[r] > s->quota[r] + root[r])
			return NEVER;
		factor |= gcd(s->factor[r], root[r]) > 1; /* of each by itself: shares are ratios */
	}
	return factor || weights_have_a_factor(k) ? ALIKE : LEFT;
}

/* --- orbits --- */

static bool same_structure(const struct child *a, const struct child *b)
{
	return a->n == b->n && memcmp(a->jobs, b->jobs, sizeof a->jobs) == 0;
}

static int cmp_values(const struct walk *k, const struct child *a, const struct child *b)
{
	for (unsigned i = 0; i < a->slots; i++) {
		uint32_t x = k->value[a->first + i], y = k->value[b->first + i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* In how many orders of names it may be written. */
static uint64_t orbit_of(const struct walk *k)
{
	uint64_t orders = factorial(k->n_children);

	for (unsigned i = 0, end; i < k->n_children; i = end) {
		for (end = i + 1; end < k->n_children &&
				  same_structure(&k->children[i], &k->children[end]) &&
				  cmp_values(k, &k->children[i], &k->children[end]) == 0;)
			end++;
		orders /= factorial(end - i);
	}
	for (unsigned i = 0; i < k->n_children; i++) {
		const struct child *c = &k->children[i];

		orders *= c->n ? factorial(c->n) : 1;
		for (unsigned s = c->first + 1, end; c->n && s < c->first + c->slots; s = end) {
			for (end = s + 1; end < c->first + c->slots &&
					  k->slots[end].jobs == k->slots[s].jobs &&
					  k->value[end] == k->value[s];)
				end++;
			orders /= factorial(end - s);
		}
	}
	for (unsigned s = 0; s < k->n_slots; s++)
		if (!k->slots[s].cohort)
			orders *= k->leaves[k->slots[s].jobs].all[k->value[s]].orders;
	return orders;
}

/* Of a flat tree with two resources: before (-1), as, or behind itself with them changed? */
static int cmp_swapped(const struct walk *k)
{
	uint32_t other[MOST_SLOTS];

	for (unsigned s = 0; s < k->n_slots; s++) {
		unsigned at = s;

		other[s] = k->leaves[k->slots[s].jobs].all[k->value[s]].swapped;
		for (; at > 0 && k->slots[at - 1].jobs == k->slots[s].jobs &&
		       other[at - 1] > other[at];
		     at--) {
			uint32_t keep = other[at];

			other[at] = other[at - 1];
			other[at - 1] = keep;
		}
	}
	for (unsigned s = 0; s < k->n_slots; s++)
		if (k->value[s] != other[s])
			return k->value[s] < other[s] ? -1 : 1;
	return 0;
}

/* With one quota of the root. */
static void hand_on(struct walk *k, const struct sums *sums, const unsigned root[RESOURCES],
		    uint64_t orbit)
{
	struct config c;

	k->ret->orbits++;
	k->ret->configurations += orbit;
	switch (judge(k, sums, root)) {
	case FITS:
		k->ret->fits++;
		break;
	case NEVER:
		k->ret->never++;
		break;
	case ALIKE:
		k->ret->alike++;
		break;
	case LEFT:
		c = config_of(k);
		for (unsigned r = 0; r < RESOURCES; r++)
			c.cohorts[0].quota[0][r] = (struct config_quota){ (int8_t)root[r], -1, -1 };
		k->stopped = k->each(k->user, &c);
		break;
	}
}

/* With each quota of the root; where resources may be changed, of two the first. */
static void complete(struct walk *k)
{
	bool two = k->f->resources > 1;
	struct sums sums = sums_of(k);
	uint64_t orbit = orbit_of(k);
	unsigned most = k->f->root_quota;
	int swapped = two ? cmp_swapped(k) : 0;

	for (unsigned a = 0; a <= most && !k->stopped; a++)
		for (unsigned b = 0; b <= (two ? most : 0) && !k->stopped; b++) {
			const unsigned root[RESOURCES] = { a, b };
			int order = !two ? 0 : swapped ? swapped : (a > b) - (a < b);

			if (order <= 0)
				hand_on(k, &sums, root, order ? 2 * orbit : orbit);
		}
}

static bool falls(const struct walk *k, unsigned s)
{
	int child = k->slots[s].ends;

	return child > 0 && same_structure(&k->children[child - 1], &k->children[child]) &&
	       cmp_values(k, &k->children[child - 1], &k->children[child]) > 0;
}

static void count_through(struct walk *k, unsigned s)
{
	const struct slot *slot = &k->slots[s];
	uint32_t n, from;

	if (s == k->n_slots) {
		complete(k);
		return;
	}
	n = slot->cohort ? k->cohorts : k->leaves[slot->jobs].n;
	from = slot->before >= 0 ? k->value[slot->before] : 0;
	for (k->value[s] = from; k->value[s] < n && !k->stopped; k->value[s]++)
		if (!falls(k, s))
			count_through(k, s + 1);
}

/* --- structures --- */

static void lay_out(struct walk *k)
{
	k->n_slots = 0;
	for (unsigned i = 0; i < k->n_children; i++) {
		struct child *c = &k->children[i];

		c->first = (uint8_t)k->n_slots;
		if (c->n)
			k->slots[k->n_slots++] = (struct slot){ true, 0, -1, -1 };
		for (unsigned q = 0; q < (c->n ? c->n : 1u); q++) {
			bool alike = q > 0 && c->jobs[q] == c->jobs[q - 1];

			k->slots[k->n_slots] = (struct slot){
				false, c->jobs[q], (int8_t)(alike ? (int)k->n_slots - 1 : -1), -1
			};
			k->n_slots++;
		}
		c->slots = (uint8_t)(k->n_slots - c->first);
		k->slots[k->n_slots - 1].ends = (int8_t)i;
	}
}

static int cmp_structures(const struct child *a, const struct child *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return memcmp(a->jobs, b->jobs, sizeof a->jobs);
}

static void add_children(struct walk *k, unsigned queues, unsigned jobs);

/* Queue @q of the newest child, with at most as many workloads as the one before. */
static void add_below(struct walk *k, unsigned q, unsigned jobs, unsigned queues)
{
	struct child *c = &k->children[k->n_children - 1];
	unsigned most = q > 0 ? c->jobs[q - 1] : jobs;

	if (q == (c->n ? c->n : 1u)) {
		if (k->n_children < 2 || cmp_structures(c - 1, c) <= 0)
			add_children(k, queues, jobs);
		return;
	}
	for (unsigned n = 1; n <= most && n <= jobs; n++) {
		c->jobs[q] = (uint8_t)n;
		add_below(k, q + 1, jobs - n, queues);
	}
	c->jobs[q] = 0;
}

/* One more child of the root, while there are queues and workloads left. */
static void add_children(struct walk *k, unsigned queues, unsigned jobs)
{
	unsigned cohorts = 0;

	for (unsigned i = 0; i < k->n_children; i++)
		cohorts += k->children[i].n > 0;
	if (jobs == 0 && k->n_children > 1) {
		lay_out(k);
		count_through(k, 0);
	}
	if (jobs == 0 || queues == 0)
		return;
	for (unsigned n = 0; n <= (k->f->levels > 1 ? queues : 0); n++) {
		if (n && cohorts + 2 > MOST_COHORTS)
			continue;
		k->children[k->n_children++] = (struct child){ .n = (uint8_t)n };
		add_below(k, 0, jobs, queues - (n ? n : 1));
		k->n_children--;
	}
}

int enumerate(const struct family *f, enumerate_each *each, void *user, struct enumerated *ret)
{
	struct walk k = { .f = f, .each = each, .user = user, .ret = ret };

	*ret = (struct enumerated){ 0 };
	if (f->resources > 1 && f->levels > 1)
		abort();
	k.cohorts = (f->cohort_quota + 1) * weights(f);
	for (unsigned n = 1; n < f->jobs; n++)
		make_leaves(&k, n);
	for (unsigned jobs = 2; jobs <= f->jobs && !k.stopped; jobs++)
		add_children(&k, f->queues, jobs);
	for (unsigned n = 1; n < f->jobs; n++)
		free(k.leaves[n].all);
	return k.stopped;
}
