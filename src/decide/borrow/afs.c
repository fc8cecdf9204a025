/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/borrow/afs.h"

#include <math.h>

#include "share/decay.h"

/* Usage of every local queue, one cell a resource of the model. */
struct fl_afs {
	uint32_t n_resources;
	double *resource_weight; /* by resource */
	fl_nanos *consumed;      /* by local queue and resource */
	fl_nanos *held;          /* the same: what its workloads hold now */
	fl_time *updated;        /* by local queue */
	double *usage;           /* by local queue: what orders them */
};

static bool usage_based(const struct fl_policy *p, uint32_t q)
{
	return p->afs && p->model->nodes[q].usage_based;
}

static struct fl_queue queue_of(const struct fl_policy *p, struct fl_workload w)
{
	return fl_row(p, w)->queue;
}

bool fl_afs_orders(const struct fl_policy *p, struct fl_node q) { return usage_based(p, q.v); }

double fl_afs_usage(const struct fl_policy *p, struct fl_workload w)
{
	struct fl_queue lq = queue_of(p, w);

	return lq.v == FL_NONE ? 0 : p->afs->usage[lq.v];
}

size_t fl_afs_notes(const struct fl_policy *p)
{
	return p->afs ? 2 * (size_t)p->afs->n_resources + 4 : 0;
}

/* Amounts of cpu are milli-cores: a core is 10^9 nanos, as a byte is. */
static fl_nanos to_nanos(const struct fl_policy *p, uint32_t resource, fl_amount amount)
{
	bool cpu = p->model->resources[resource].v == p->afs_cpu.v;

	return (fl_nanos)amount * (cpu ? 1000000 : 1000000000);
}

static double weighted(const struct fl_policy *p, uint32_t lq)
{
	const struct fl_afs *a = p->afs;
	double weight = p->model->queues[lq].weight, sum = 0;

	if (weight <= 0)
		return HUGE_VAL;
	for (uint32_t r = 0; r < a->n_resources; r++)
		sum += a->resource_weight[r] *
		       ((double)a->consumed[(size_t)lq * a->n_resources + r] * 1e-9);
	return sum / weight;
}

int fl_afs_setup(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_afs *a;
	size_t cells = (size_t)m->n_queues * m->n_resources;

	if (!m->settings.admission_fair_sharing)
		return 0;
	a = fl_arena_alloc(&p->arena, 1, sizeof *a, err);
	if (!a)
		return FAIRLEAD_ENOMEM;
	a->n_resources = m->n_resources;
	a->resource_weight = fl_arena_alloc(&p->arena, m->n_resources, sizeof(double), err);
	a->consumed = fl_arena_alloc(&p->arena, cells, sizeof(fl_nanos), err);
	a->held = fl_arena_alloc(&p->arena, cells, sizeof(fl_nanos), err);
	a->updated = fl_arena_alloc(&p->arena, m->n_queues, sizeof(fl_time), err);
	a->usage = fl_arena_alloc(&p->arena, m->n_queues, sizeof(double), err);
	if (!a->resource_weight || !a->consumed || !a->held || !a->updated || !a->usage)
		return FAIRLEAD_ENOMEM;
	for (uint32_t r = 0; r < m->n_resources; r++)
		a->resource_weight[r] = 1;
	for (uint32_t i = 0; i < m->settings.resource_weights.n; i++) {
		const struct fl_resource_weight *w =
			&m->resource_weights[m->settings.resource_weights.first + i];

		if (w->resource.v != FL_NONE)
			a->resource_weight[w->resource.v] = w->weight;
	}
	p->afs = a;
	p->afs_cpu = fl_names_find(&m->names, "cpu", 3);
	for (uint32_t lq = 0; lq < m->n_queues; lq++) {
		struct fl_span consumed = m->queues[lq].consumed;

		for (uint32_t i = consumed.first; i < consumed.first + consumed.n; i++)
			a->consumed[(size_t)lq * a->n_resources + m->consumed[i].resource.v] =
				m->consumed[i].amount;
		a->updated[lq] = p->now;
		a->usage[lq] = weighted(p, lq);
	}
	return 0;
}

bool fl_afs_before(const struct fl_policy *p, uint32_t a, uint32_t b)
{
	const struct fl_line *line = &p->lines[p->jobs[a].queue.v];
	double x = fl_afs_usage(p, (struct fl_workload){ a }),
	       y = fl_afs_usage(p, (struct fl_workload){ b });

	if (x != y)
		return x < y;
	if ((a == line->sticky) != (b == line->sticky))
		return a == line->sticky;
	return p->jobs[a].position < p->jobs[b].position;
}

struct fl_workload fl_afs_head(const struct fl_policy *p, struct fl_node q)
{
	const struct fl_line *line = &p->lines[q.v];
	uint32_t head = FL_NONE;

	for (uint32_t at = fl_bitset_next(&line->waiting, 0); at != FL_NONE;
	     at = fl_bitset_next(&line->waiting, at + 1)) {
		uint32_t w = p->members[line->members.first + at];

		if (head == FL_NONE || fl_afs_before(p, w, head))
			head = w;
	}
	return (struct fl_workload){ head };
}

void fl_afs_hold(struct fl_policy *p, struct fl_workload w, int sign)
{
	const struct fl_job *j = &p->jobs[w.v];
	struct fl_queue lq = queue_of(p, w);

	if (!p->afs || lq.v == FL_NONE)
		return;
	for (uint32_t i = 0; i < j->n_placement; i++) {
		const struct fl_placement *row = &p->placements[j->placement_first + i];

		if (row->resource.v == FL_NONE)
			continue;
		fl_nanos *held =
			&p->afs->held[(size_t)lq.v * p->afs->n_resources + row->resource.v];

		FL_SET(p, *held, *held + sign * to_nanos(p, row->resource.v, row->amount));
	}
}

/* Total request of the admitted workload for @resource, as placed. */
static fl_nanos admitted_amount(const struct fl_policy *p, const struct fl_job *j,
				uint32_t resource)
{
	fl_nanos sum = 0;

	for (uint32_t i = 0; i < j->n_placement; i++)
		if (p->placements[j->placement_first + i].resource.v == resource)
			sum += to_nanos(p, resource, p->placements[j->placement_first + i].amount);
	return sum;
}

void fl_afs_settle(struct fl_policy *p, struct fl_workload w)
{
	const struct fl_settings *settings = &p->model->settings;
	struct fl_afs *a = p->afs;
	struct fl_queue lq = queue_of(p, w);
	double decay, entry;

	if (!a || lq.v == FL_NONE || !usage_based(p, p->jobs[w.v].queue.v))
		return;
	decay = fl_decay_alpha(fl_sat_sub(p->now, a->updated[lq.v]), settings->usage_half_life);
	entry = fl_decay_alpha(settings->usage_sampling, settings->usage_half_life);
	for (uint32_t r = 0; r < a->n_resources; r++) {
		size_t at = (size_t)lq.v * a->n_resources + r;
		fl_nanos consumed = fl_decay_scale(a->consumed[at], 1 - decay) +
				    fl_decay_scale(a->held[at], decay) +
				    fl_decay_scale(admitted_amount(p, &p->jobs[w.v], r), entry);

		if (consumed != a->consumed[at])
			FL_SET(p, a->consumed[at], consumed);
	}
	FL_SET(p, a->updated[lq.v], p->now);
	FL_SET(p, a->usage[lq.v], weighted(p, lq.v));
	fl_state_reorder(p, p->jobs[w.v].held_by);
}
