/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the catalogue leaves out goes round if and only if what stands for it does (enumerate.h):
 * other names, weights and amounts with a common factor, weights that nothing is compared with,
 * and somebody who asks for more than there is.
 */
#include <stdlib.h>
#include <string.h>

#include "enumerate.h"
#include "explore.h"

/* The same, told otherwise; false: not of this one. */
typedef bool change(struct config *c);

static bool reverse_names(struct config *c)
{
	struct config was = *c;
	unsigned queues = c->n_queues, jobs = c->n_jobs, cohorts = c->n_cohorts;

	for (unsigned i = 1; i < cohorts; i++)
		c->cohorts[cohorts - i] = was.cohorts[i];
	for (unsigned i = 0; i < queues; i++) {
		struct config_node *n = &c->queues[queues - 1 - i];

		*n = was.queues[i];
		n->parent = (uint8_t)(n->parent ? cohorts - n->parent : 0);
	}
	for (unsigned i = 0; i < jobs; i++) {
		struct config_job *j = &c->jobs[jobs - 1 - i];

		*j = was.jobs[i];
		j->queue = (uint8_t)(queues - 1 - j->queue);
	}
	return true;
}

static bool double_weights(struct config *c)
{
	for (unsigned i = 1; i < c->n_cohorts; i++)
		c->cohorts[i].weight = (uint8_t)(c->cohorts[i].weight * 2);
	for (unsigned i = 0; i < c->n_queues; i++)
		c->queues[i].weight = (uint8_t)(c->queues[i].weight * 2);
	return true;
}

/* Of the first queue that is alone in its cohort. */
static bool weigh_only_child(struct config *c)
{
	for (unsigned p = 1; p < c->n_cohorts; p++) {
		unsigned n = 0, last = 0;

		for (unsigned i = 0; i < c->n_queues; i++)
			if (c->queues[i].parent == p)
				n++, last = i;
		if (n != 1)
			continue;
		c->queues[last].weight = (uint8_t)(c->queues[last].weight == 1 ? 0 : 1);
		return true;
	}
	return false;
}

static void multiply(const struct config *c, struct config_node *n, int by)
{
	for (unsigned r = 0; r < c->n_resources; r++)
		n->quota[0][r].nominal = (int8_t)(n->quota[0][r].nominal * by);
}

static bool triple_amounts(struct config *c)
{
	for (unsigned i = 0; i < c->n_cohorts; i++)
		multiply(c, &c->cohorts[i], 3);
	for (unsigned i = 0; i < c->n_queues; i++)
		multiply(c, &c->queues[i], 3);
	for (unsigned i = 0; i < c->n_jobs; i++)
		for (unsigned r = 0; r < c->n_resources; r++)
			c->jobs[i].ask[r] = (uint8_t)(c->jobs[i].ask[r] * 3);
	return true;
}

static bool add_one_too_large(struct config *c)
{
	c->jobs[c->n_jobs++] =
		(struct config_job){ .queue = 0, .count = 1, .least = -1, .ask = { 100 } };
	return true;
}

static bool give_to_empty_queue(struct config *c)
{
	struct config_quota *root = &c->cohorts[0].quota[0][0];

	if (root->nominal == 0)
		return false;
	c->queues[c->n_queues] = c->queues[0];
	c->queues[c->n_queues].parent = 0;
	c->queues[c->n_queues].quota[0][0] = (struct config_quota){ root->nominal, -1, -1 };
	c->queues[c->n_queues].quota[0][1] = (struct config_quota){ 0, -1, -1 };
	c->n_queues++;
	root->nominal = 0;
	return true;
}

/* All of it below one more cohort, which has what the root had. */
static bool put_below(struct config *c)
{
	if (c->n_cohorts == MOST_COHORTS)
		return false;
	for (unsigned i = 1; i < c->n_cohorts; i++)
		c->cohorts[i].parent = c->n_cohorts;
	for (unsigned i = 0; i < c->n_queues; i++)
		if (c->queues[i].parent == 0)
			c->queues[i].parent = c->n_cohorts;
	c->cohorts[c->n_cohorts] = c->cohorts[0];
	c->cohorts[c->n_cohorts].parent = 0;
	c->cohorts[c->n_cohorts++].weight = 2;
	memset(c->cohorts[0].quota, 0, sizeof c->cohorts[0].quota);
	return true;
}

static const struct {
	const char *name;
	change *change;
} changes[] = {
	{ "names in reverse", reverse_names },
	{ "weights twice as large", double_weights },
	{ "weight of an only child", weigh_only_child },
	{ "amounts three times as large", triple_amounts },
	{ "somebody who asks for too much", add_one_too_large },
	{ "a queue without workloads", give_to_empty_queue },
	{ "a root with one child", put_below },
};
enum { CHANGES = sizeof changes / sizeof *changes };

struct check {
	struct explorer *explorer;
	uint64_t seen, every;
	unsigned compared[CHANGES], loops, wrong;
};

static void compare(struct check *k, const struct config *c)
{
	struct outcome was, now;

	explorer_run(k->explorer, c, &was);
	k->loops += was.loop != FL_LOOP_NONE;
	for (unsigned i = 0; i < CHANGES; i++) {
		struct config other = *c;

		if (!changes[i].change(&other))
			continue;
		explorer_run(k->explorer, &other, &now);
		k->compared[i]++;
		if (was.loop == now.loop && was.always == now.always)
			continue;
		k->wrong++;
		(void)fprintf(stderr, "%s: %d %d, %d %d: ", changes[i].name, was.loop, was.always,
			      now.loop, now.always);
		config_print(c, stderr);
		(void)fputc('\n', stderr);
	}
}

static int each(void *user, const struct config *found)
{
	struct check *k = user;
	struct config c = *found;

	if (k->seen++ % k->every)
		return 0;
	for (unsigned s = 0; s < STRATEGIES; s++)
		for (int hold = 0; hold < 2; hold++) {
			c.strategies = (enum strategies)s;
			c.hold = hold;
			compare(k, &c);
		}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct family families[] = {
		{ "flat", 1, 1, 3, 3, 2, 3, 2, 0, 2, 1, FL_PREEMPT_NEVER, FL_PREEMPT_ANY, false },
		{ "priorities", 1, 1, 2, 3, 1, 2, 1, 0, 1, 2, FL_PREEMPT_LOWER_PRIORITY,
		  FL_PREEMPT_ANY, false },
		{ "tree", 2, 1, 3, 4, 1, 2, 1, 1, 2, 1, FL_PREEMPT_NEVER, FL_PREEMPT_ANY, false },
		{ "two resources", 1, 2, 2, 3, 1, 2, 1, 0, 1, 1, FL_PREEMPT_NEVER, FL_PREEMPT_ANY,
		  false },
	};
	struct check k = { .explorer = explorer_new(20000, /* prompt= */ false),
			   .every = argc > 1 ? strtoull(argv[1], NULL, 10) : 97 };

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		struct enumerated e;

		k.seen = 0;
		(void)enumerate(&families[i], each, &k, &e);
	}
	for (unsigned i = 0; i < CHANGES; i++)
		printf("%s: %u compared\n", changes[i].name, k.compared[i]);
	printf("%u go round, %u differ\n", k.loops, k.wrong);
	explorer_free(k.explorer);
	return k.wrong || !k.loops ? EXIT_FAILURE : EXIT_SUCCESS;
}
