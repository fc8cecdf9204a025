/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/engine/history/hours_look.h"

#include <math.h>
#include <string.h>

#include "daemon/engine/face.h"
#include "report/job/words.h"
#include "report/out/report.h"

struct looking {
	struct fl_hours_look *l;
	struct fl_live_view view;
	const struct fl_model *m;
	double *nominal;    /* what the tree has */
	uint32_t *last;     /* by node and resource: the last of `pending`, plus 1 */
	const char **names; /* of nodes */
};

static const char *copy(struct fl_arena *arena, const char *text, fairlead_error *err)
{
	const size_t n = strlen(text) + 1;
	char *ret = fl_arena_alloc(arena, n, 1, err);

	return ret ? memcpy(ret, text, n) : NULL;
}

static void add_nominal(void *user, struct fl_node n, struct fl_flavor flavor,
			struct fl_resource resource, double amount)
{
	struct looking *k = user;

	(void)flavor;
	if (resource.v != FL_NONE)
		k->nominal[(size_t)n.v * k->m->n_resources + resource.v] += amount;
}

static int look_at_nodes(struct looking *k, const struct fl_daemon_face *face, const void *stand,
			 fairlead_error *err)
{
	const struct fl_model *m = k->m;
	struct fl_arena *arena = &k->l->arena;
	struct fl_hour_node *nodes;

	if (!FL_NEW(arena, nodes, m->n_nodes + 1, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		const struct fl_node n = { i };

		nodes[i] = (struct fl_hour_node){ .name = copy(arena, fl_report_node(m, n), err),
						  .parent = m->nodes[i].parent.v,
						  .weight = m->nodes[i].weight,
						  .leaf = m->nodes[i].kind != FL_COHORT };
		k->names[i] = nodes[i].name;
		if (!nodes[i].name)
			return FAIRLEAD_ENOMEM;
		face->figures(stand, n, FL_FIGURE_NOMINAL, add_nominal, k);
	}
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (nodes[i].parent != FL_NONE)
			nodes[nodes[i].parent].leaf = false;
	k->l->tree.nodes = nodes;
	k->l->tree.n = m->n_nodes;
	return 0;
}

/* What there is to be divided, where quotas do not say so. */
static int look_at_total(struct looking *k, const struct fl_daemon_face *face, const void *stand,
			 const char *const *resources, fairlead_error *err)
{
	struct fl_queue_amounts *rows;
	double *capacity;
	uint32_t n;

	if (!face->total)
		return 0;
	if (!FL_NEW(&k->l->arena, rows, k->m->n_resources + FL_BUNDLE, err) ||
	    !FL_NEW(&k->l->arena, capacity, k->m->n_resources + 1, err))
		return FAIRLEAD_ENOMEM;
	n = face->total(stand, rows);
	for (uint32_t i = 0; i < k->m->n_resources; i++) {
		const struct fl_queue_amounts *row = fl_queue_amounts_find(rows, n, resources[i]);
		const double units = row && *row->nominal ? fl_job_units(row->nominal) : 0;

		capacity[i] = strcmp(resources[i], "cpu") == 0 ? units * 1000 : units;
	}
	k->l->tree.capacity = capacity;
	return 0;
}

static int add_pending(struct looking *k, uint32_t node, uint32_t resource, fl_time since,
		       fl_amount amount, fairlead_error *err)
{
	struct fl_hours_look *l = k->l;
	uint32_t *last = &k->last[(size_t)node * k->m->n_resources + resource];

	if (*last && l->pending[*last - 1].since == since) {
		l->pending[*last - 1].amount = fl_sat_add(l->pending[*last - 1].amount, amount);
		return 0;
	}
	if (fl_mem_grow(&fl_mem_heap, &l->pending, &l->cap, l->n_pending + 1, sizeof *l->pending,
			err) < 0)
		return FAIRLEAD_ENOMEM;
	l->pending[l->n_pending++] = (struct fl_hours_waiting){ k->names[node],
								l->tree.resources[resource], since,
								amount };
	*last = l->n_pending;
	return 0;
}

static int look_at_job(struct looking *k, const struct fl_live *job, fairlead_error *err)
{
	const struct fl_workload_row *row = &k->m->workloads[job->workload.v];
	struct fl_live_ask asks[FL_LIVE_ASKS];
	uint32_t n;
	int r = 0;

	if (row->cluster_queue.v == FL_NONE)
		return 0;
	n = fl_live_asks(&k->view, job, asks, FL_LIVE_ASKS);
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = add_pending(k, row->cluster_queue.v, asks[i].resource.v, job->waits,
				asks[i].amount, err);
	return r;
}

static int look_at_all(struct looking *k, fairlead_error *err)
{
	const struct fl_daemon_face *face = fl_daemon_face_of(k->view.ops);
	struct fl_arena *arena = &k->l->arena;
	const size_t cells = (size_t)k->m->n_nodes * k->m->n_resources + 1;
	const char **resources;
	void *stand;
	int r;

	if (!FL_NEW(arena, k->nominal, cells, err) || !FL_NEW(arena, k->last, cells, err) ||
	    !FL_NEW(arena, k->names, k->m->n_nodes + 1, err) ||
	    !FL_NEW(arena, resources, k->m->n_resources + 1, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < k->m->n_resources; i++) {
		resources[i] = copy(arena, fl_report_resource(k->m, (struct fl_resource){ i }),
				    err);
		if (!resources[i])
			return FAIRLEAD_ENOMEM;
	}
	k->l->tree.resources = resources;
	k->l->tree.n_resources = k->m->n_resources;
	k->l->tree.nominal = k->nominal;
	r = face->look(&k->view, arena, &stand, err);
	if (r == 0)
		r = look_at_nodes(k, face, stand, err);
	if (r == 0)
		r = look_at_total(k, face, stand, resources, err);
	for (uint32_t i = 0; i < k->view.n_jobs && r == 0; i++)
		if (k->view.jobs[i].state == FL_JOB_WAITS && k->view.jobs[i].workload.v != FL_NONE)
			r = look_at_job(k, &k->view.jobs[i], err);
	return r;
}

int fl_hours_look(const struct fl_live_view *view, fl_time wall, uint64_t version,
		  struct fl_hours_look *ret, fairlead_error *err)
{
	struct looking k = { .l = ret, .view = *view, .m = view->model };
	int r;

	*ret = (struct fl_hours_look){ .now = view->now, .wall = wall, .version = version };
	fl_arena_init(&ret->arena, &fl_mem_heap);
	r = look_at_all(&k, err);
	if (r < 0)
		fl_hours_look_done(ret);
	return r;
}

void fl_hours_look_done(struct fl_hours_look *l)
{
	fl_arena_done(&l->arena);
	fl_mem_free(&fl_mem_heap, l->pending);
	*l = (struct fl_hours_look){ 0 };
}

/* --- shares --- */

static int64_t millionths(double share)
{
	const double v = share * 1e6;

	return v >= (double)INT64_MAX ? INT64_MAX : v <= 0 ? 0 : (int64_t)v;
}

int fl_hours_shares(const struct fl_live_view *view,
		    int (*fn)(void *user, const char *queue, int64_t share, fairlead_error *err),
		    void *user, fairlead_error *err)
{
	const struct fl_daemon_face *face = fl_daemon_face_of(view->ops);
	struct fl_arena arena;
	void *stand;
	int r;

	fl_arena_init(&arena, &fl_mem_heap);
	r = face->look(view, &arena, &stand, err);
	for (uint32_t i = 0; i < view->model->n_nodes && r == 0; i++) {
		const struct fl_node n = { i };
		double share;

		if (view->model->nodes[i].kind == FL_COHORT ||
		    view->model->nodes[i].inactive != FL_ACTIVE)
			continue;
		share = face->share(view, stand, n);
		if (!isnan(share))
			r = fn(user, fl_report_node(view->model, n), millionths(share), err);
	}
	fl_arena_done(&arena);
	return r;
}
