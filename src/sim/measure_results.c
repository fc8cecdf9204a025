/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run: sums over the tree, flows, fairness. */
#include <math.h>
#include <string.h>

#include "base/sort.h"
#include "sim/measure_fairness.h"
#include "sim/measure_series.h"
#include "sim/measure_state.h"
#include "sim/measure_waits.h"

/* Amounts are times nanoseconds, hours of natural units. */
#define HOUR (3600.0 * (double)FL_SECOND)

/* --- sums --- */

static void count_jobs(struct fl_measure *m)
{
	for (uint32_t w = 0; w < m->n_jobs; w++) {
		const struct fl_sim_job *job = &m->sim->jobs[w];
		struct fl_measured_counts *c;
		double waiting;

		m->results.excluded += job->state == FL_SIM_EXCLUDED;
		if (m->jobs[w].row == FL_NONE || !m->jobs[w].came)
			continue;
		c = &m->nodes[m->jobs[w].row].counts;
		c->jobs++;
		if (!m->jobs[w].waits || job->starts)
			continue;
		waiting = fl_measure_seconds(m->results.end - job->waits_since);
		if (!(c->longest_waiting >= waiting))
			c->longest_waiting = waiting;
	}
}

static void add_counts(const struct fl_measure *m, struct fl_measured_counts *to,
		       const struct fl_measured_counts *c)
{
	to->jobs += c->jobs;
	to->finished += c->finished;
	to->gave_up += c->gave_up;
	to->starts += c->starts;
	to->evictions += c->evictions;
	to->preemptions += c->preemptions;
	to->longest_waiting = fmax(to->longest_waiting, c->longest_waiting);
	for (uint32_t k = 0; k < m->n_resources; k++) {
		to->useful[k] += c->useful[k];
		to->lost[k] += c->lost[k];
		to->restarted[k] += c->restarted[k];
	}
}

/* What was counted of leaves is that of all above them, too, and all in natural units. */
static void sum_up(struct fl_measure *m)
{
	double length = (double)(m->results.end - m->results.start);
	uint32_t n = m->n_resources;

	for (uint32_t row = 0; row < m->n_rows; row++) {
		struct fl_measured_node *node = &m->nodes[row];
		const struct fl_measure_row *r = &m->rows[row];
		const double *total = m->total + (size_t)row * (2 * n + 2);

		node->counts.waiting = r->waiting;
		node->counts.running = r->running;
		node->blocked_seconds = fl_measure_seconds(r->blocked);
		node->ratio_mean = r->ratio_time > 0 ? r->ratio_sum / r->ratio_time : (double)NAN;
		node->ratio_least = r->ratio_time > 0 ? r->ratio_least : (double)NAN;
		for (uint32_t k = 0; k < n; k++) {
			struct fl_measured_counts *c = &node->counts;

			c->hours[k] = total[k] * m->scale[k] / HOUR;
			c->useful[k] *= m->scale[k] / HOUR;
			c->lost[k] *= m->scale[k] / HOUR;
			c->restarted[k] *= m->scale[k] / HOUR;
			node->held[k] = length > 0 ? total[k] * m->scale[k] / length : (double)NAN;
			node->wanted[k] = length > 0 ? total[n + k] * m->scale[k] / length :
						       (double)NAN;
			node->entitled[k] = m->passed ? fl_measure_of(m, m->entitled_sum, row)[k] *
								m->scale[k] / (double)m->passed :
							(double)NAN;
		}
	}
	for (uint32_t row = m->n_rows - 1; row-- > 0;)
		add_counts(m, &m->nodes[m->rows[row].above].counts, &m->nodes[row].counts);
}

static double part_of(double held, double capacity)
{
	return capacity > 0 && !isinf(capacity) ? held / capacity : (double)NAN;
}

static int make_resources(struct fl_measure *m, fairlead_error *err)
{
	struct fl_measured_resource *rows;
	const struct fl_model *model = m->sim->model;
	uint32_t cluster = m->n_rows - 1;

	if (!FL_NEW(&m->arena, rows, m->n_resources, err) ||
	    !FL_NEW(&m->arena, m->results.utilisation, m->n_resources, err) ||
	    !FL_NEW(&m->arena, m->results.arrival_utilisation, m->n_resources, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t k = 0; k < m->n_resources; k++) {
		struct fl_resource id = m->entitled.resources[k];
		const char *name = fl_model_text(model, model->resources[id.v]);
		size_t all = (size_t)cluster * (2 * m->n_resources + 2) + k;
		bool whole = m->rows[cluster].running || m->results.ended == FL_SIM_STOPPED;

		rows[k] = (struct fl_measured_resource){
			.id = id,
			.name = name,
			.unit = strcmp(name, "cpu") == 0 ? "cores" :
				fl_measure_is_gpu(name)  ? "GPUs" :
				strstr(name, "memory") || strstr(name, "storage") ||
						strncmp(name, "hugepages-", 10) == 0 ?
							  "bytes" :
							  "",
			.scale = m->scale[k],
			.capacity = m->entitled.capacity[k] * m->scale[k],
		};
		m->results.utilisation[k] = whole ? part_of(m->total[all], m->capacity_total[k]) :
						    part_of(m->to_end.held[k],
							    m->to_end.capacity[k]);
		m->results.arrival_utilisation[k] = part_of(m->to_arrival.held[k],
							    m->to_arrival.capacity[k]);
	}
	m->results.resources = rows;
	m->results.n_resources = m->n_resources;
	return 0;
}

/* --- flows and fairness --- */

static int by_flow(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_measured_flow *x = &((const struct fl_measured_flow *)ctx)[a];
	const struct fl_measured_flow *y = &((const struct fl_measured_flow *)ctx)[b];

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->killed != y->killed)
		return x->killed ? 1 : -1;
	return (x->reason > y->reason) - (x->reason < y->reason);
}

static int make_flows(struct fl_measure *m, fairlead_error *err)
{
	struct fl_measured_flow *rows;
	uint32_t *sorted;

	if (!FL_NEW(&m->arena, rows, m->n_flows, err) ||
	    !FL_NEW(&m->arena, sorted, (size_t)m->n_flows * 2, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_flows; i++)
		sorted[i] = i;
	fl_sort(sorted, m->n_flows, sorted + m->n_flows, by_flow, m->flows);
	for (uint32_t i = 0; i < m->n_flows; i++) {
		rows[i] = m->flows[sorted[i]];
		rows[i].lost = fl_measure_of(m, m->flow_lost, sorted[i]);
		for (uint32_t k = 0; k < m->n_resources; k++)
			rows[i].lost[k] *= m->scale[k] / HOUR;
	}
	m->results.flows = rows;
	m->results.n_flows = m->n_flows;
	return 0;
}

static int by_length(const void *ctx, uint32_t a, uint32_t b)
{
	const double *of = ctx;

	return (of[a] > of[b]) - (of[a] < of[b]);
}

static int make_fairness(struct fl_measure *m, fairlead_error *err)
{
	struct fl_measured_fairness *f = &m->results.fairness;
	uint32_t n = m->n_corrections, *sorted;
	double *lengths;

	f->jain = m->jain_time > 0 ? m->jain_sum / m->jain_time : (double)NAN;
	f->largest_envy = m->passed ? m->largest_envy : (double)NAN;
	f->blocked_mean = m->blocked_time > 0 ? m->blocked_sum / m->blocked_time : (double)NAN;
	f->blocked_least = m->blocked_time > 0 ? m->blocked_least : (double)NAN;
	f->longest_open = (double)NAN;
	for (uint32_t row = 0; row + 1 < m->n_rows; row++) {
		fl_time since = m->rows[row].behind_since;

		if (since == FL_TIME_NONE || since == m->results.end)
			continue;
		f->open++;
		f->longest_open = fmax(f->longest_open, fl_measure_seconds(m->results.end - since));
	}
	if (!FL_NEW(&m->arena, sorted, (size_t)n * 2, err) || !FL_NEW(&m->arena, lengths, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = i;
	fl_sort(sorted, n, sorted + n, by_length, m->corrections);
	for (uint32_t i = 0; i < n; i++)
		lengths[i] = m->corrections[sorted[i]];
	f->corrections = fl_measure_spread(lengths, n);
	return 0;
}

/* The last, shorter bucket, and what the end itself has changed. */
static int end_series(struct fl_measure *m, fairlead_error *err)
{
	fl_time end = m->sim->now;
	int r;

	for (uint32_t row = 0; row + 1 < m->n_rows; row++)
		fl_measure_enter_passed(m, row);
	r = fl_measure_look(m, end, err);
	if (r >= 0 && end > m->bucket_begins)
		fl_measure_close(m, end, /* last= */ true);
	return r;
}

int fl_measure_end(struct fl_measure *m, uint32_t top, const struct fl_measured **ret,
		   fairlead_error *err)
{
	struct fl_measured *to = &m->results;
	const struct fl_sim *s = m->sim;
	int r;

	r = end_series(m, err);
	if (r < 0)
		return r;
	to->start = s->options.start;
	to->end = s->now;
	to->seconds = fl_measure_seconds(to->end - to->start);
	to->ended = s->ended;
	to->cycles = s->driver.cycles;
	to->events = s->events;
	for (uint32_t row = 0; row < m->n_rows; row++)
		m->nodes[row].counts.longest_waiting = (double)NAN;
	count_jobs(m);
	sum_up(m);
	if ((r = make_resources(m, err)) < 0 || (r = fl_measure_waits(m, err)) < 0 ||
	    (r = make_flows(m, err)) < 0 || (r = make_fairness(m, err)) < 0 ||
	    (r = fl_measure_lines(m, top, err)) < 0)
		return r;
	to->totals = m->nodes[m->n_rows - 1].counts;
	to->nodes = m->nodes;
	to->n_nodes = m->n_rows - 1;
	to->notes = m->notes;
	to->n_notes = m->n_notes;
	to->notes_dropped = m->notes_dropped;
	*ret = to;
	return 0;
}
