/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_timeseries - recorded series, simulated: a cycle a second, and usage of what was held before
 *
 * A row is [time, queue, GPUs that it held before the cycle, GPUs of its fair share].
 */
#include <stdlib.h>

#include "decide/entitle/entitle.h"
#include "kai.h"
#include "kai_read.h"
#include "kai_world.h"
#include "sim/simulation.h"

static const fl_time first_cycle = 1000000 * FL_SECOND;

struct series {
	const struct fl_model *m;
	const struct kai_queues *queues; /* by name: rows come so */
	struct fl_policy *p;
	uint32_t cycle;
	double *held; /* before it, by queue */
	FILE *out;
};

static struct fl_node node_of(const struct series *s, uint32_t i)
{
	return fl_model_find_node(s->m, FL_QUEUE, s->queues->rows[s->queues->by_name[i]].name);
}

static void keep_held(struct series *s)
{
	for (uint32_t i = 0; i < s->queues->n; i++)
		s->held[i] =
			fl_entitle_standing(kai_policy(s->p), node_of(s, i))->allocated.of[FL_GPU];
}

static void put_row(struct series *s)
{
	for (uint32_t i = 0; i < s->queues->n; i++)
		fprintf(s->out, "%s[%u,\"%s\",%.6f,%.6f]", s->cycle + i ? "," : "", s->cycle,
			s->queues->rows[s->queues->by_name[i]].name, s->held[i],
			fl_entitle_standing(kai_policy(s->p), node_of(s, i))
				->fair_share.of[FL_GPU]);
	s->cycle++;
	keep_held(s);
}

/* A cycle in which nobody waits decides nothing, but fair shares are those of its time. */
static int put_idle_cycle(struct series *s, fl_time now, fairlead_error *err)
{
	struct fl_decisions decisions;
	fl_mark mark;
	int rc = kai_ops->mark(s->p, &mark, err);

	if (rc < 0)
		return rc;
	rc = kai_ops->step(s->p, now, /* flags= */ 0, /* sink= */ NULL, &decisions, err);
	if (rc >= 0)
		put_row(s);
	kai_ops->rollback(s->p, mark);
	return rc;
}

/* What was held before a cycle is known once it is over.  Nobody waits: the clock goes on at once. */
static int put_cycles(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err)
{
	struct series *s = user;
	fl_time next;
	int rc = 0;

	(void)sim;
	put_row(s);
	while (rc >= 0 && (next = first_cycle + (fl_time)s->cycle * FL_SECOND) < to)
		rc = put_idle_cycle(s, next, err);
	return rc;
}

static int goes_by(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		   fairlead_error *err)
{
	(void)user;
	(void)sim;
	(void)e;
	(void)err;
	return 0;
}

/* A cycle a second, and who is evicted in one has gone by the next. */
static int put_rows(struct series *s, uint32_t cycles, fairlead_error *err)
{
	struct fl_simulation_settings settings = fl_simulation_default;
	const struct fl_sim_options options = {
		.mem = &fl_mem_heap,
		.start = first_cycle,
		.listeners = { { .event = goes_by, .passes = put_cycles, .user = s } },
		.n_listeners = 1,
	};
	struct fl_sim sim;
	int rc;

	settings.cycle_interval = settings.period = settings.grace = FL_SECOND;
	settings.until = (fl_time)cycles * FL_SECOND - 1;
	rc = fl_sim_init(&sim, s->m, kai_ops, s->p, &settings, &options, err);
	if (rc < 0)
		return rc;
	s->held = kai_alloc(s->queues->n, sizeof *s->held);
	keep_held(s);
	fputs("{\"rows\":[", s->out);
	rc = fl_sim_run(&sim, err);
	fputs("]}", s->out);
	free(s->held);
	fl_sim_done(&sim);
	return rc;
}

static int read_settings(const struct fl_doc *d, struct fl_entitle_settings *e,
			 uint32_t *ret_cycles, fairlead_error *err)
{
	double window = 0, half_life = 0, cycles = 0;
	int rc;

	if ((rc = kai_number(d, 0, "windowSize", &window, err)) < 0 ||
	    (rc = kai_number(d, 0, "halfLifePeriod", &half_life, err)) < 0 ||
	    (rc = kai_number(d, 0, "cycles", &cycles, err)) < 0 ||
	    (rc = kai_number(d, 0, "kValue", &e->k, err)) < 0)
		return rc;
	e->usage_on = true;
	e->window = (fl_time)(window * (double)FL_SECOND);
	e->half_life = (fl_time)(half_life * (double)FL_SECOND);
	*ret_cycles = (uint32_t)cycles;
	return 0;
}

static int decide(const struct fl_doc *d, struct fl_model *m, const struct kai_queues *queues,
		  FILE *out, fairlead_error *err)
{
	struct series s = { .m = m, .queues = queues, .out = out };
	/* The first sample is of the second before the first cycle. */
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = first_cycle - FL_SECOND,
						   .moving_usage = true };
	uint32_t cycles;
	int rc = read_settings(d, &m->entitle, &cycles, err);

	if (rc < 0 || (rc = fl_model_seal(m, err)) < 0 ||
	    (rc = kai_ops->new (m, &options, &s.p, err)) < 0)
		return rc;
	rc = put_rows(&s, cycles, err);
	kai_ops->free(s.p);
	return rc;
}

int kai_timeseries_case(const struct fl_doc *d, FILE *out, fairlead_error *err)
{
	struct kai_queues queues;
	struct fl_model *m;
	int rc = kai_queues_read(d, &queues, err);

	if (rc < 0)
		return rc;
	rc = kai_model_unsealed(d, first_cycle, &m, err);
	if (rc == 0) {
		rc = decide(d, m, &queues, out, err);
		fl_model_free(m);
	}
	kai_queues_free(&queues);
	return rc;
}
