/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kai_timeseries - recorded series: a cycle a second, and usage of what was held before
 *
 * A row is [time, queue, GPUs that it held before the cycle, GPUs of its fair share].
 */
#include <stdlib.h>

#include "decide/entitle/entitle.h"
#include "kai.h"
#include "kai_read.h"
#include "kai_world.h"

static const struct fl_policy_ops *const ops = &fl_entitle_policy;
static const fl_time first_cycle = 1000000 * FL_SECOND;

struct series {
	const struct fl_model *m;
	const struct kai_queues *queues; /* by name: rows come so */
	struct fl_policy *p;
	uint32_t cycles;
	fl_time start;
	FILE *out;
};

static struct fl_node node_of(const struct series *s, uint32_t i)
{
	return fl_model_find_node(s->m, FL_QUEUE, s->queues->rows[s->queues->by_name[i]].name);
}

static int complete_evictions(const struct series *s, fl_time now, fairlead_error *err)
{
	int rc = 0;

	for (uint32_t w = 0; w < s->m->n_workloads && rc == 0; w++) {
		struct fl_event event = { .kind = FL_EV_EVICTED, .workload = { w } };

		if (ops->state(s->p, event.workload) == FL_STATE_EVICTING)
			rc = ops->apply(s->p, now, &event, err);
	}
	return rc;
}

static int put_rows(const struct series *s, fairlead_error *err)
{
	double *held = kai_alloc(s->queues->n, sizeof *held);
	int rc = 0;

	fputs("{\"rows\":[", s->out);
	for (uint32_t t = 0; t < s->cycles && rc == 0; t++) {
		fl_time now = s->start + (fl_time)t * FL_SECOND;
		struct fl_decisions d;

		rc = complete_evictions(s, now, err);
		for (uint32_t i = 0; i < s->queues->n; i++)
			held[i] = fl_entitle_standing(s->p, node_of(s, i))->allocated.of[FL_GPU];
		if (rc == 0)
			rc = ops->step(s->p, now, 0, /* sink= */ NULL, &d, err);
		for (uint32_t i = 0; i < s->queues->n && rc == 0; i++)
			fprintf(s->out, "%s[%u,\"%s\",%.6f,%.6f]", t + i ? "," : "", t,
				s->queues->rows[s->queues->by_name[i]].name, held[i],
				fl_entitle_standing(s->p, node_of(s, i))->fair_share.of[FL_GPU]);
	}
	fputs("]}", s->out);
	free(held);
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
	struct series s = { .m = m, .queues = queues, .start = first_cycle, .out = out };
	/* The first sample is of the second before the first cycle. */
	const struct fl_policy_options options = { .mem = &fl_mem_heap,
						   .now = s.start - FL_SECOND,
						   .moving_usage = true };
	int rc = read_settings(d, &m->entitle, &s.cycles, err);

	if (rc < 0 || (rc = fl_model_seal(m, err)) < 0 ||
	    (rc = ops->new (m, &options, &s.p, err)) < 0)
		return rc;
	rc = put_rows(&s, err);
	ops->free(s.p);
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
