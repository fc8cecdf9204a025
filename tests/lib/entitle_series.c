/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/entitle_series.h"

#include "lib/unit.h"

void series_reset(struct world_series *s)
{
	memset(s->held, 0, sizeof s->held);
	memset(s->idle, 0, sizeof s->idle);
	s->busy = 0;
	s->evictions = 0;
	s->longest = 0;
}

struct world_series series_begin(const struct world_of *world, int64_t step)
{
	struct world_series s = { .step = step };

	s.m = entitle_world(&fl_mem_heap, world);
	s.p = entitle_world_moving(&fl_mem_heap, s.m);
	return s;
}

void series_end(struct world_series *s)
{
	fl_entitle_policy.free(s->p);
	fl_model_free(s->m);
}

uint32_t series_node(const struct world_series *s, const char *queue)
{
	for (uint32_t q = 0; q < s->m->n_nodes; q++)
		if (strcmp(fl_model_text(s->m, s->m->nodes[q].name), queue) == 0)
			return q;
	fail_msg("no queue %s", queue);
	return 0;
}

static double holds(const struct world_series *s, uint32_t q)
{
	return fl_entitle_standing(s->p, (struct fl_node){ q })->allocated.of[FL_GPU];
}

static void count(struct world_series *s)
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

void series_run(struct world_series *s, int64_t cycles)
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

double series_part(const struct world_series *s, const char *queue)
{
	return s->held[series_node(s, queue)] / s->busy;
}

const struct world_machine series_eight[1] = { { "m1", 8 } };

struct fl_entitle_settings series_over_time(double k, int64_t window, int64_t half_life, bool turns)
{
	struct fl_entitle_settings e = fl_entitle_settings_default;

	e.usage_on = true;
	e.k = k;
	e.window = window * FL_SECOND;
	e.half_life = half_life * FL_SECOND;
	e.turns = turns;
	return e;
}

struct world_of series_whole_cluster(struct series_users *u, uint32_t n, const double *weights,
				     struct fl_entitle_settings settings)
{
	u->queues[0] = (struct world_leaf){ LEAF("top", NULL, 0, -1, 1) };
	for (uint32_t i = 0; i < n; i++) {
		snprintf(u->names[i][0], sizeof u->names[i][0], "u%u", i);
		snprintf(u->names[i][1], sizeof u->names[i][1], "job%u", i);
		u->queues[i + 1] = (struct world_leaf){ LEAF(u->names[i][0], "top", 0, -1,
							     weights ? weights[i] : 1) };
		u->gangs[i] =
			(struct world_gang){ WAITS(u->names[i][1], u->names[i][0], 50, 1, 1, 8) };
	}
	return (struct world_of){ .queues = u->queues,
				  .machines = series_eight,
				  .gangs = u->gangs,
				  .n_queues = n + 1,
				  .n_machines = 1,
				  .n_gangs = n,
				  .settings = settings };
}
