/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the documents promise, by default and with the mode that keeps the promise: turns,
 * bounded division, keepBelowQuota, protectQuota, budgets.  The default's half of each is the
 * counterexample that made the mode.
 */
#include <math.h>
#include <string.h>

#include "lib/entitle_world.h"
#include "lib/unit.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
enum { MOST = 12 };

/* --- series: a cycle every so many seconds, who was evicted is gone by the next --- */

struct series {
	const struct fl_model *m;
	struct fl_policy *p;
	int64_t step;       /* seconds between cycles */
	int64_t now;        /* seconds after WORLD_NOW */
	double held[MOST];  /* GPU-seconds by queue, since reset */
	double busy;        /* of all leaves */
	int evictions;      /* workloads that lost tasks */
	int64_t longest;    /* cycles in which one queue held nothing, since reset */
	int64_t idle[MOST]; /* the same, up to now */
};

static void reset(struct series *s)
{
	memset(s->held, 0, sizeof s->held);
	memset(s->idle, 0, sizeof s->idle);
	s->busy = 0;
	s->evictions = 0;
	s->longest = 0;
}

static struct series begin(const struct world_of *world, int64_t step)
{
	struct series s = { .step = step };

	s.m = entitle_world(&fl_mem_heap, world);
	s.p = entitle_world_moving(&fl_mem_heap, s.m);
	return s;
}

static void end(struct series *s)
{
	fl_entitle_policy.free(s->p);
	fl_model_free((struct fl_model *)s->m);
}

static uint32_t node(const struct series *s, const char *queue)
{
	for (uint32_t q = 0; q < s->m->n_nodes; q++)
		if (strcmp(fl_model_text(s->m, s->m->nodes[q].name), queue) == 0)
			return q;
	fail_msg("no queue %s", queue);
	return 0;
}

static double holds(const struct series *s, uint32_t q)
{
	return fl_entitle_standing(s->p, (struct fl_node){ q })->allocated.of[FL_GPU];
}

static void count(struct series *s)
{
	for (uint32_t q = 0; q < s->m->n_nodes; q++) {
		double held = holds(s, q);

		s->held[q] += held * (double)s->step;
		s->busy += s->m->nodes[q].parent.v == FL_NONE ? held * (double)s->step : 0;
		s->idle[q] = held > 0 ? 0 : s->idle[q] + 1;
		if (s->idle[q] > s->longest)
			s->longest = s->idle[q];
	}
}

static void run(struct series *s, int64_t cycles)
{
	for (int64_t i = 0; i < cycles; i++) {
		struct fl_decisions d = entitle_world_step(s->p, s->now);

		for (uint32_t j = 0; j < d.n; j++)
			s->evictions += d.rows[j].kind == FL_EVICT;
		count(s);
		s->now += s->step;
		entitle_world_settle(s->p, &d, s->now);
	}
}

/* What @queue held, of all that was held since reset. */
static double part(const struct series *s, const char *queue)
{
	return s->held[node(s, queue)] / s->busy;
}

/* --- turns --- */

static const struct world_machine eight[] = { { "m1", 8 } };

static struct fl_entitle_settings over_time(double k, int64_t window, int64_t half_life, bool turns)
{
	struct fl_entitle_settings e = fl_entitle_settings_default;

	e.usage_on = true;
	e.k = k;
	e.window = window * FL_SECOND;
	e.half_life = half_life * FL_SECOND;
	e.turns = turns;
	return e;
}

/* Users u0, u1, ... below one queue, each with one endless job that needs the whole cluster. */
struct users {
	struct world_leaf queues[MOST];
	struct world_gang gangs[MOST];
	char names[MOST][2][8];
};

static struct world_of whole_cluster(struct users *u, uint32_t n, const double *weights,
				     struct fl_entitle_settings settings)
{
	u->queues[0] = (struct world_leaf){ LEAF("top", NULL, 0, -1, 1) };
	for (uint32_t i = 0; i < n; i++) {
		snprintf(u->names[i][0], sizeof u->names[i][0], "u%u", i);
		snprintf(u->names[i][1], sizeof u->names[i][1], "job%u", i);
		u->queues[i + 1] = (struct world_leaf){
			LEAF(u->names[i][0], "top", 0, -1, weights ? weights[i] : 1)
		};
		u->gangs[i] = (struct world_gang){ WAITS(u->names[i][1], u->names[i][0], 50, 1, 1,
							 8) };
	}
	return (struct world_of){ .queues = u->queues,
				  .machines = eight,
				  .gangs = u->gangs,
				  .n_queues = n + 1,
				  .n_machines = 1,
				  .n_gangs = n,
				  .settings = settings };
}
