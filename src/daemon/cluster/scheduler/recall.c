/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/recall.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "daemon/cluster/scheduler/write.h"
#include "daemon/cluster/scheduler/yield_text.h"

static bool settles(const struct fl_generation *g)
{
	return g->ops->remember && g->model->settings.settles;
}

/* Of the path of the queue that it waits in; its depths are in that tree. */
static uint64_t queue_of(const struct fl_model *m, struct fl_workload w)
{
	char path[FL_SCHEDULER_PATH];

	fl_scheduler_path(m, m->workloads[w.v].cluster_queue, path);
	return fl_shared_hash((const uint8_t *)path, (uint32_t)strlen(path));
}

int fl_recall_text(const struct fl_generation *g, struct fl_workload w, char **ret,
		   fairlead_error *err)
{
	const struct fl_model *m = g->model;
	struct fl_yield y;
	char text[FL_YIELD_TEXT];

	*ret = NULL;
	if (!settles(g) || m->workloads[w.v].cluster_queue.v == FL_NONE ||
	    !g->ops->yielded(g->policy, w, &y) ||
	    !fl_yield_write(&y,
			    y.to.v == FL_NONE ? NULL : fl_model_text(m, m->workloads[y.to.v].uid),
			    queue_of(m, w), text))
		return 0;
	*ret = strdup(text);
	return *ret ? 0 : fl_fail_nomem(err);
}

/* --- read again --- */

struct told {
	struct fl_sym uid; /* FL_NONE: of none that is there */
	struct fl_yield yield;
};

struct reading {
	struct told *rows;
	uint32_t n, cap;
};

static int read_one(struct reading *all, const struct fl_scheduler *s, struct fl_workload w,
		    const struct fl_mirror_object *o, fairlead_error *err)
{
	const struct fl_model *m = s->o.cluster->generation.model;
	struct told row = { .uid = { FL_NONE } };
	char uid[FL_YIELD_UID], *message;
	uint64_t queue;
	int r = fl_managed_yielded(&s->managed, o, &message, err);

	if (r < 0 || !message)
		return r;
	if (fl_yield_read(message, &row.yield, uid, &queue) && queue == queue_of(m, w))
		r = fl_mem_grow(&fl_mem_heap, &all->rows, &all->cap, all->n + 1, sizeof *all->rows,
				err);
	else
		r = 1;
	free(message);
	if (r)
		return r < 0 ? r : 0;
	row.yield.workload = w;
	if (*uid)
		row.uid = fl_names_find(&m->names, uid, strlen(uid));
	all->rows[all->n++] = row;
	return 0;
}

static int by_uid(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	if (x->uid.v != y->uid.v)
		return x->uid.v < y->uid.v ? -1 : 1;
	return x->yield.workload.v < y->yield.workload.v ?
		       -1 :
		       x->yield.workload.v > y->yield.workload.v;
}

/* All that yielded to @w. */
static void found(struct reading *all, struct fl_sym uid, struct fl_workload w)
{
	uint32_t low = 0, high = all->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all->rows[middle].uid.v < uid.v)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < all->n && all->rows[low].uid.v == uid.v; low++)
		all->rows[low].yield.to = w;
}

static int tell(const struct reading *all, const struct fl_generation *g, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < all->n && r == 0; i++)
		r = g->ops->remember(g->policy, &all->rows[i].yield, 1, err);
	return r;
}

int fl_recall_all(struct fl_scheduler *s, fairlead_error *err)
{
	const struct fl_cluster *c = s->o.cluster;
	const struct fl_generation *g = &c->generation;
	struct reading all = { 0 };
	int r = 0;

	for (uint32_t w = 0; settles(g) && w < g->model->n_workloads && r == 0; w++) {
		const struct fl_live *job = fl_generation_job(g, &c->jobs,
							      (struct fl_workload){ w });

		if (job && job->made_of && g->model->workloads[w].cluster_queue.v != FL_NONE)
			r = read_one(&all, s, (struct fl_workload){ w }, job->made_of, err);
	}
	if (r == 0 && all.n) {
		qsort(all.rows, all.n, sizeof *all.rows, by_uid);
		for (uint32_t w = 0; w < g->model->n_workloads; w++)
			if (fl_generation_job(g, &c->jobs, (struct fl_workload){ w }))
				found(&all, g->model->workloads[w].uid, (struct fl_workload){ w });
		r = tell(&all, g, err);
	}
	fl_mem_free(&fl_mem_heap, all.rows);
	return r;
}
