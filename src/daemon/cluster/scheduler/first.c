/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/first.h"

#include <stdlib.h>

#include "daemon/cluster/apply.h"
#include "daemon/cluster/decided.h"

struct one {
	fl_time since; /* of the first eviction for it */
	struct fl_workload preemptor;
};

struct all {
	struct one *rows;
	uint32_t n, cap;
};

static bool is_ours(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_node queue = m->workloads[w.v].cluster_queue;

	return queue.v != FL_NONE && !m->nodes[queue.v].elsewhere;
}

static int add(struct all *all, const struct one *one, fairlead_error *err)
{
	int r;

	for (uint32_t i = 0; i < all->n; i++)
		if (all->rows[i].preemptor.v == one->preemptor.v) {
			all->rows[i].since = fl_amount_min(all->rows[i].since, one->since);
			return 0;
		}
	r = fl_mem_grow(&fl_mem_heap, &all->rows, &all->cap, all->n + 1, sizeof *all->rows, err);
	if (r == 0)
		all->rows[all->n++] = *one;
	return r;
}

/* Its preemptor. */
static int look_at(struct all *all, const struct fl_generation *g, const struct fl_mirror_object *o,
		   fairlead_error *err)
{
	struct fl_model *from = NULL;
	int r = fl_cluster_read_object(o, &from, err);
	struct one one;

	if (r < 0)
		return r;
	one.preemptor = fl_cluster_preemptor(g->model, from);
	one.since = fl_model_requeue(from, &from->workloads[0])->evicted_at;
	if (one.preemptor.v != FL_NONE && is_ours(g->model, one.preemptor))
		r = add(all, &one, err);
	fl_model_free(from);
	return r;
}

static int cmp(const void *a, const void *b)
{
	const struct one *x = a, *y = b;

	if (x->since != y->since)
		return x->since < y->since ? -1 : 1;
	return x->preemptor.v < y->preemptor.v ? -1 : x->preemptor.v > y->preemptor.v;
}

int fl_first_serve(struct fl_scheduler *s, fl_time now, fairlead_error *err)
{
	struct fl_cluster *c = s->o.cluster;
	struct fl_generation *g = &c->generation;
	const struct fl_model *m = g->model;
	struct all all = { 0 };
	int r = 0;

	if (!m->settings.settles && !m->n_protections)
		return 0;
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++) {
		const struct fl_live *job = fl_generation_job(g, &c->jobs,
							      (struct fl_workload){ w });

		const struct fl_mirror_object *o = job ? job->made_of : NULL;

		if (o && o->fate == FL_FATE_GOES)
			r = look_at(&all, g, o, err);
	}
	if (all.n)
		qsort(all.rows, all.n, sizeof *all.rows, cmp);
	for (uint32_t i = 0; i < all.n && r == 0; i++)
		if (g->ops->state(g->policy, all.rows[i].preemptor) == FL_STATE_WAITING)
			r = fl_driver_serve(&g->driver, now, all.rows[i].preemptor, err);
	fl_mem_free(&fl_mem_heap, all.rows);
	return r;
}
