/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/again.h"

int fl_again_take(const struct fl_cluster *c, struct fl_workload w, struct fl_again *ret,
		  fairlead_error *err)
{
	const struct fl_generation *g = &c->generation;
	struct fl_yield row;
	int r = 0;

	*ret = (struct fl_again){ .was = w };
	if (w.v == FL_NONE || !c->scheduler || !g->ops->yielded || !g->model->settings.settles)
		return 0;
	ret->queue = g->model->workloads[w.v].cluster_queue;
	for (uint32_t other = 0; other < g->model->n_workloads && r == 0; other++) {
		if (!g->ops->yielded(g->policy, (struct fl_workload){ other }, &row) ||
		    (other != w.v && row.to.v != w.v))
			continue;
		r = fl_mem_grow(&fl_mem_heap, &ret->rows, &ret->cap, ret->n + 1, sizeof *ret->rows,
				err);
		if (r == 0)
			ret->rows[ret->n++] = row;
	}
	return r;
}

int fl_again_tell(struct fl_cluster *c, struct fl_workload is, struct fl_again *a,
		  fairlead_error *err)
{
	const struct fl_generation *g = &c->generation;
	const bool moved = a->n && g->model->workloads[is.v].cluster_queue.v != a->queue.v;
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		struct fl_yield row = a->rows[i];

		if (row.workload.v == a->was.v && moved)
			continue;
		if (row.workload.v == a->was.v)
			row.workload = is;
		if (row.to.v == a->was.v)
			row.to = is;
		a->rows[n++] = row;
	}
	a->n = n;
	return n ? g->ops->remember(g->policy, a->rows, n, err) : 0;
}

void fl_again_done(struct fl_again *a) { fl_mem_free(&fl_mem_heap, a->rows); }
