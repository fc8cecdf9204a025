/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/metrics/counts.h"

const struct fl_metric_row fl_metric_rows[FL_METRICS] = {
#define FL_METRIC(id, type, name, unit, labels, help, kueue, kai)                                  \
	[FL_METRIC_##id] = { type, name, unit, labels, help, kueue, kai },
#include "daemon/metrics/metrics.def"
#undef FL_METRIC
};

/* Bounds from 1 second to 3 days, and from 0.1 milliseconds to 10 seconds. */
static const fl_time waits[] = {
	1 * FL_SECOND,     3 * FL_SECOND,      10 * FL_SECOND,    30 * FL_SECOND,
	60 * FL_SECOND,    180 * FL_SECOND,    600 * FL_SECOND,   1800 * FL_SECOND,
	3600 * FL_SECOND,  10800 * FL_SECOND,  21600 * FL_SECOND, 43200 * FL_SECOND,
	86400 * FL_SECOND, 259200 * FL_SECOND,
};
static const fl_time works[] = {
	FL_SECOND / 10000, FL_SECOND / 3000, FL_SECOND / 1000, FL_SECOND / 300,
	FL_SECOND / 100,   FL_SECOND / 30,   FL_SECOND / 10,   FL_SECOND / 3,
	FL_SECOND,         3 * FL_SECOND,    10 * FL_SECOND,
};

#define HISTOGRAM(of)                                                                              \
	(struct fl_histogram) { .bounds = of, .n_bounds = sizeof(of) / sizeof *(of) }

int fl_metrics_new(uint32_t queues, struct fl_metrics **ret, fairlead_error *err)
{
	struct fl_metrics *m = calloc(1, sizeof *m);

	if (m)
		m->queues = calloc(queues + (size_t)1, sizeof *m->queues);
	if (!m || !m->queues) {
		free(m);
		return fl_fail_nomem(err);
	}
	m->most = queues;
	m->others.wait = HISTOGRAM(waits);
	m->cycle = m->generation = m->commit = HISTOGRAM(works);
	*ret = m;
	return 0;
}

struct fl_metrics *fl_metrics_free(struct fl_metrics *m)
{
	if (!m)
		return NULL;
	for (uint32_t i = 0; i < m->n; i++) {
		free(m->queues[i]->name);
		free(m->queues[i]);
	}
	free(m->queues);
	free(m);
	return NULL;
}

/* The place of @name, or the place where it would be inserted. */
static uint32_t place_of(const struct fl_metrics *m, const char *name, bool *ret_known)
{
	uint32_t low = 0, high = m->n;

	*ret_known = false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(m->queues[middle]->name, name);

		if (order == 0) {
			*ret_known = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Without room or memory for one more queue it counts among "(other)". */
static struct fl_queue_counts *counts_of(struct fl_metrics *m, const char *name)
{
	struct fl_queue_counts *made;
	bool known;
	uint32_t at = place_of(m, name, &known);
	char *copy;

	if (known)
		return m->queues[at];
	made = m->n < m->most ? calloc(1, sizeof *made) : NULL;
	copy = made ? strdup(name) : NULL;
	if (!copy) {
		free(made);
		return &m->others;
	}
	*made = (struct fl_queue_counts){ .name = copy, .wait = HISTOGRAM(waits) };
	memmove(&m->queues[at + 1], &m->queues[at], (m->n - at) * sizeof(*m->queues));
	m->queues[at] = made;
	m->n++;
	return made;
}

static void observe(struct fl_histogram *h, fl_time took)
{
	uint32_t i = 0;

	while (i < h->n_bounds && took > h->bounds[i])
		i++;
	if (i < h->n_bounds)
		h->counts[i]++;
	h->n++;
	h->sum += (double)(took > 0 ? took : 0) / (double)FL_SECOND;
}

void fl_metrics_submitted(struct fl_metrics *m, const char *queue, uint32_t n)
{
	counts_of(m, queue)->submitted += n;
}

void fl_metrics_waited(struct fl_metrics *m, const char *queue, fl_time waited)
{
	observe(&counts_of(m, queue)->wait, waited);
}

void fl_metrics_preempted(struct fl_metrics *m, const char *queue, const char *by,
			  enum fl_reason reason)
{
	counts_of(m, queue)->preempted[reason]++;
	if (by)
		counts_of(m, by)->preempts[reason]++;
}

void fl_metrics_ended(struct fl_metrics *m, const char *queue, enum fl_job_state state)
{
	counts_of(m, queue)->ended[state]++;
}

void fl_metrics_lost(struct fl_metrics *m, const char *queue) { counts_of(m, queue)->lost++; }

void fl_metrics_store_failed(struct fl_metrics *m) { m->store_errors++; }

void fl_metrics_loop(struct fl_metrics *m) { m->loops++; }

void fl_metrics_cycle(struct fl_metrics *m, fl_time took) { observe(&m->cycle, took); }

void fl_metrics_generation(struct fl_metrics *m, fl_time took) { observe(&m->generation, took); }

void fl_metrics_committed(struct fl_metrics *m, fl_time took, uint32_t rows)
{
	observe(&m->commit, took);
	m->rows += rows;
}
