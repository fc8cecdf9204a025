/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include "base/random.h"

static unsigned below(struct fl_random *r, unsigned n)
{
	return (unsigned)(fl_random_bits(r) >> 33) % n;
}

static bool one_in(struct fl_random *r, unsigned n) { return below(r, n) == 0; }

/* What this configuration has of what not all have. */
struct traits {
	bool weights, priorities, limits, gangs, within, mixed;
	unsigned levels;
};

static struct traits draw_traits(struct fl_random *r)
{
	struct traits t;

	t.weights = one_in(r, 2);
	t.priorities = one_in(r, 3);
	t.limits = one_in(r, 4);
	t.gangs = one_in(r, 4);
	t.within = one_in(r, 3);
	t.mixed = one_in(r, 3);
	t.levels = 1 + below(r, 3);
	return t;
}

static uint8_t draw_weight(struct fl_random *r, const struct traits *t)
{
	static const uint8_t others[] = { 0, 1, 2, 3, 10 };

	return t->weights ? others[below(r, sizeof others)] : 1;
}

static void draw_quotas(struct fl_random *r, const struct config *c, const struct traits *t,
			unsigned most, struct config_node *n)
{
	for (unsigned f = 0; f < c->n_flavors; f++)
		for (unsigned i = 0; i < c->n_resources; i++) {
			struct config_quota *q = &n->quota[f][i];

			*q = (struct config_quota){ (int8_t)below(r, most + 1), -1, -1 };
			if (t->limits && one_in(r, 3))
				q->borrow = (int8_t)below(r, 4);
			if (t->limits && one_in(r, 3))
				q->lend = (int8_t)below(r, (unsigned)q->nominal + 1);
		}
}

/* The root, then each below one that has room for another level; the root has no limits. */
static void draw_cohorts(struct fl_random *r, struct config *c, const struct traits *t)
{
	const struct traits plain = { .limits = false };
	unsigned depth[MOST_COHORTS] = { 1 };

	c->n_cohorts = (uint8_t)(t->levels == 1 ? 1 : 2 + below(r, MOST_COHORTS - 1));
	for (unsigned i = 0; i < c->n_cohorts; i++) {
		struct config_node *n = &c->cohorts[i];

		*n = (struct config_node){ .parent = NO_PARENT, .weight = 1 };
		if (i > 0) {
			unsigned parent = below(r, i);

			n->parent = (uint8_t)(depth[parent] < t->levels ? parent : 0);
			n->weight = draw_weight(r, t);
			depth[i] = depth[n->parent] + 1;
		}
		if (one_in(r, 3))
			draw_quotas(r, c, i > 0 ? t : &plain, 2, n);
	}
}

static void draw_queue(struct fl_random *r, const struct config *c, const struct traits *t,
		       struct config_node *n)
{
	static const uint8_t policies[] = { FL_PREEMPT_NEVER, FL_PREEMPT_LOWER_PRIORITY,
					    FL_PREEMPT_LOWER_OR_NEWER_EQUAL, FL_PREEMPT_ANY };

	*n = (struct config_node){ .parent = (uint8_t)below(r, c->n_cohorts),
				   .within = FL_PREEMPT_NEVER,
				   .reclaim = FL_PREEMPT_ANY };
	n->weight = draw_weight(r, t);
	if (t->within)
		n->within = policies[1 + below(r, 2)];
	if (t->mixed && one_in(r, 2))
		n->reclaim = policies[below(r, 2)];
	draw_quotas(r, c, t, 3, n);
}

static void draw_job(struct fl_random *r, const struct config *c, const struct traits *t,
		     struct config_job *j)
{
	*j = (struct config_job){ .queue = (uint8_t)below(r, c->n_queues),
				  .count = 1,
				  .least = -1 };
	if (t->priorities)
		j->priority = (uint8_t)below(r, 3);
	if (t->gangs && one_in(r, 2)) {
		j->count = (uint8_t)(1 + below(r, 3));
		if (one_in(r, 2))
			j->least = (int8_t)(1 + below(r, j->count));
	}
	j->ask[0] = (uint8_t)(1 + below(r, j->count > 1 ? 2 : 5));
	if (c->n_resources > 1) {
		j->ask[1] = (uint8_t)below(r, 4);
		if (j->ask[1] && one_in(r, 4))
			j->ask[0] = 0;
	}
}

struct config sample_config(uint64_t seed, uint64_t number)
{
	struct config c = { .n_flavors = 1 };
	struct fl_random random, *r = &random;
	struct traits t;

	fl_random_init(r, seed, number);
	t = draw_traits(r);
	c.n_resources = (uint8_t)(1 + one_in(r, 2));
	c.n_flavors = (uint8_t)(1 + one_in(r, 5));
	c.strategies = (enum strategies)below(r, STRATEGIES);
	c.hold = one_in(r, 4);
	draw_cohorts(r, &c, &t);
	c.n_queues = (uint8_t)(2 + below(r, MOST_QUEUES - 1));
	for (unsigned i = 0; i < c.n_queues; i++)
		draw_queue(r, &c, &t, &c.queues[i]);
	c.full = one_in(r, 2);
	c.n_jobs = (uint8_t)(3 + below(r, c.full ? MOST_JOBS - 2 : 3));
	for (unsigned i = 0; i < c.n_jobs; i++)
		draw_job(r, &c, &t, &c.jobs[i]);
	return c;
}
