/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/metrics/nodes.h"

#include <string.h>

#include "daemon/metrics/lines.h"

const char fl_metrics_other[] = "(other)";

/* --- figures that are collected once --- */

/* Milli-cores become cores; all else stays as it is. */
static double natural(const struct fl_rendering *r, struct fl_resource resource, double amount)
{
	const char *name = fl_model_text(r->model, r->model->resources[resource.v]);

	return strcmp(name, "cpu") == 0 ? amount / 1000 : amount;
}

static double *pending_of(const struct fl_rendering *r, uint32_t node, struct fl_resource resource)
{
	return &r->pending[(size_t)node * r->model->n_resources + resource.v];
}

static void add_pending(const struct fl_rendering *r, const struct fl_workload_row *w)
{
	const struct fl_model *m = r->model;
	const uint32_t node = w->cluster_queue.v;

	for (uint32_t p = 0; w->gang == FL_NONE && p < w->podsets.n; p++) {
		const struct fl_podset *set = &m->podsets[w->podsets.first + p];

		for (uint32_t i = 0; i < set->requests.n; i++) {
			const struct fl_request *q = &m->requests[set->requests.first + i];

			*pending_of(r, node, q->resource) += (double)q->amount *
							     fl_podset_left(set);
		}
	}
	if (w->gang == FL_NONE)
		return;
	for (uint32_t t = 0; t < m->gangs[w->gang].tasks.n; t++)
		for (int i = 0; i < FL_BUNDLE; i++)
			if (m->axis[i].v != FL_NONE)
				*pending_of(r, node, m->axis[i]) +=
					m->tasks[m->gangs[w->gang].tasks.first + t].request.of[i];
}

static void count_workloads(struct fl_rendering *r)
{
	const struct fl_live_view *v = &r->now->view;

	for (uint32_t w = 0; w < r->model->n_workloads; w++) {
		const struct fl_workload_row *row = &r->model->workloads[w];
		enum fl_workload_state state;

		if (row->cluster_queue.v == FL_NONE)
			continue;
		state = v->ops->state(v->policy, (struct fl_workload){ w });
		if (state == FL_STATE_ABSENT)
			continue;
		if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING) {
			r->jobs[row->cluster_queue.v][state == FL_STATE_ADMITTED ? 1 : 2]++;
			continue;
		}
		r->jobs[row->cluster_queue.v][0]++;
		add_pending(r, row);
	}
	for (uint32_t i = 0; v->jobs && i < v->n_jobs; i++)
		r->states[v->jobs[i].state]++;
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	int order = fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);

	return order ? order : (a > b) - (a < b);
}

static int find_nodes(struct fl_rendering *r)
{
	const uint32_t n = r->model->n_nodes;
	uint32_t *scratch = fl_arena_alloc(&r->arena, n, sizeof *scratch, r->err);

	r->queues = fl_arena_alloc(&r->arena, n, sizeof *r->queues, r->err);
	r->cohorts = fl_arena_alloc(&r->arena, n, sizeof *r->cohorts, r->err);
	if (!scratch || !r->queues || !r->cohorts)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (r->model->nodes[i].kind == FL_COHORT)
			r->cohorts[r->n_cohorts++] = i;
		else
			r->queues[r->n_queues++] = i;
	fl_sort(r->queues, r->n_queues, scratch, by_name, r->model);
	fl_sort(r->cohorts, r->n_cohorts, scratch, by_name, r->model);
	return 0;
}

int fl_metrics_look(struct fl_rendering *r)
{
	const struct fl_model *m = r->model;
	int code = find_nodes(r);

	if (code < 0)
		return code;
	r->jobs = fl_arena_alloc(&r->arena, m->n_nodes, sizeof *r->jobs, r->err);
	r->pending = fl_arena_alloc(&r->arena, (size_t)m->n_nodes * m->n_resources,
				    sizeof *r->pending, r->err);
	r->sums = fl_arena_alloc(&r->arena, (size_t)m->n_flavors * m->n_resources + m->n_resources,
				 sizeof *r->sums, r->err);
	r->summed = fl_arena_alloc(&r->arena,
				   (size_t)m->n_flavors * m->n_resources + m->n_resources,
				   sizeof *r->summed, r->err);
	if (!r->jobs || !r->pending || !r->sums || !r->summed)
		return FAIRLEAD_ENOMEM;
	code = r->face->look(&r->now->view, &r->arena, &r->stand, r->err);
	if (code == 0)
		count_workloads(r);
	return code;
}

/* --- of nodes: an amount of a flavor and a resource each --- */

static void put_cell(struct fl_rendering *r, enum fl_metric id, uint32_t place, uint32_t node,
		     struct fl_flavor flavor, struct fl_resource resource, double v)
{
	const struct fl_model *m = r->model;
	const char *of = flavor.v == FL_NONE ? "" : fl_model_text(m, m->flavors[flavor.v].name);
	const char *values[] = { fl_model_text(m, m->nodes[node].name), of,
				 fl_model_text(m, m->resources[resource.v]) };
	size_t cell = (size_t)(flavor.v == FL_NONE ? m->n_flavors : flavor.v) * m->n_resources +
		      resource.v;

	if (place < r->m->most) {
		fl_metrics_put(r, id, "", values, NULL, v);
		return;
	}
	r->sums[cell] += v;
	r->summed[cell] = true;
}

static void put_sums(struct fl_rendering *r, enum fl_metric id)
{
	const struct fl_model *m = r->model;

	for (uint32_t f = 0; f <= m->n_flavors; f++)
		for (uint32_t q = 0; q < m->n_resources; q++) {
			size_t cell = (size_t)f * m->n_resources + q;
			const char *values[] = {
				fl_metrics_other,
				f == m->n_flavors ? "" : fl_model_text(m, m->flavors[f].name),
				fl_model_text(m, m->resources[q]),
			};

			if (r->summed[cell])
				fl_metrics_put(r, id, "", values, NULL, r->sums[cell]);
			r->sums[cell] = 0;
			r->summed[cell] = false;
		}
}

/* A metric that is an amount of each queue or cohort, or of each queue by its resources alone. */
struct amounts {
	struct fl_rendering *r;
	enum fl_metric id;
	uint32_t place; /* among the queues with series of their own */
};

static void put_amount(void *user, struct fl_node n, struct fl_flavor flavor,
		       struct fl_resource resource, double amount)
{
	const struct amounts *a = user;
	const struct fl_model *m = a->r->model;

	amount = natural(a->r, resource, amount);
	if (a->id != FL_METRIC_QUEUE_FAIR_SHARE)
		put_cell(a->r, a->id, a->place, n.v, flavor, resource, amount);
	else if (a->place < a->r->m->most)
		fl_metrics_put(a->r, a->id, "",
			       (const char *[]){ fl_model_text(m, m->nodes[n.v].name),
						 fl_model_text(m, m->resources[resource.v]) },
			       NULL, amount);
}

static void put_amounts(struct fl_rendering *r, enum fl_metric id, enum fl_figure what,
			const uint32_t *nodes, uint32_t n)
{
	struct amounts a = { r, id, 0 };

	for (a.place = 0; a.place < n; a.place++)
		r->face->figures(r->stand, (struct fl_node){ nodes[a.place] }, what, put_amount,
				 &a);
	put_sums(r, id);
}

/* --- of nodes: other figures --- */

static void put_shares(const struct fl_rendering *r, enum fl_metric id, const uint32_t *nodes,
		       uint32_t n)
{
	const struct fl_live_view *v = &r->now->view;

	for (uint32_t i = 0; i < n && i < r->m->most; i++) {
		const struct fl_node_row *row = &r->model->nodes[nodes[i]];
		const char *values[] = { fl_model_text(r->model, row->name) };
		struct fl_share share;

		if (row->inactive != FL_ACTIVE)
			continue;
		v->ops->share(v->policy, (struct fl_node){ nodes[i] }, &share);
		fl_metrics_put(r, id, "", values, NULL, share.precise);
	}
}

static void put_queue_jobs(const struct fl_rendering *r, enum fl_metric id)
{
	static const char *const names[] = { "waiting", "running", "stopping" };
	uint64_t rest[3] = { 0 };

	for (uint32_t i = 0; i < r->n_queues; i++)
		for (unsigned s = 0; s < 3; s++) {
			const struct fl_node_row *row = &r->model->nodes[r->queues[i]];
			const char *values[] = { fl_model_text(r->model, row->name), names[s] };
			uint32_t n = r->jobs[r->queues[i]][s];

			if (i < r->m->most)
				fl_metrics_put(r, id, "", values, NULL, n);
			else
				rest[s] += n;
		}
	for (unsigned s = 0; s < 3 && r->n_queues > r->m->most; s++)
		fl_metrics_put(r, id, "", (const char *[]){ fl_metrics_other, names[s] }, NULL,
			       (double)rest[s]);
}

static void put_pending(const struct fl_rendering *r, enum fl_metric id)
{
	const struct fl_model *m = r->model;

	for (uint32_t q = 0; q < m->n_resources; q++) {
		const struct fl_resource resource = { q };
		const char *name = fl_model_text(m, m->resources[q]);
		double rest = 0;

		for (uint32_t i = 0; i < r->n_queues; i++) {
			const char *queue = fl_model_text(m, m->nodes[r->queues[i]].name);
			double v = natural(r, resource, *pending_of(r, r->queues[i], resource));

			if (i < r->m->most)
				fl_metrics_put(r, id, "", (const char *[]){ queue, name }, NULL, v);
			else
				rest += v;
		}
		if (r->n_queues > r->m->most)
			fl_metrics_put(r, id, "", (const char *[]){ fl_metrics_other, name }, NULL,
				       rest);
	}
}

static void put_jobs(const struct fl_rendering *r, enum fl_metric id)
{
	for (int s = 0; s < FL_JOB_DONE; s++)
		fl_metrics_put(r, id, "",
			       (const char *[]){ fl_job_state_name((enum fl_job_state)s) }, NULL,
			       (double)r->states[s]);
}

/* Metrics that are amounts of nodes. */
static const struct {
	enum fl_metric id;
	enum fl_figure what;
	bool of_cohorts;
} amounts[] = {
	{ FL_METRIC_QUEUE_FAIR_SHARE, FL_FIGURE_FAIR_SHARE, false },
	{ FL_METRIC_QUEUE_NOMINAL, FL_FIGURE_NOMINAL, false },
	{ FL_METRIC_QUEUE_USAGE, FL_FIGURE_USAGE, false },
	{ FL_METRIC_QUEUE_BORROWED, FL_FIGURE_BORROWED, false },
	{ FL_METRIC_QUEUE_LENT, FL_FIGURE_LENT, false },
	{ FL_METRIC_COHORT_QUOTA, FL_FIGURE_SUBTREE, true },
	{ FL_METRIC_COHORT_USAGE, FL_FIGURE_USAGE, true },
	{ FL_METRIC_COHORT_BORROWED, FL_FIGURE_BORROWED, true },
	{ FL_METRIC_COHORT_LENT, FL_FIGURE_LENT, true },
};

static bool put_amounts_of(struct fl_rendering *r, enum fl_metric id)
{
	size_t i = 0, n = sizeof amounts / sizeof *amounts;

	while (i < n && amounts[i].id != id)
		i++;
	if (i < n)
		put_amounts(r, id, amounts[i].what, amounts[i].of_cohorts ? r->cohorts : r->queues,
			    amounts[i].of_cohorts ? r->n_cohorts : r->n_queues);
	return i < n;
}

static uint32_t beyond(const struct fl_rendering *r, uint32_t n)
{
	return n > r->m->most ? n - r->m->most : 0;
}

static void put_left_out(const struct fl_rendering *r, enum fl_metric id)
{
	fl_metrics_put(r, id, "", (const char *[]){ "queue" }, NULL, beyond(r, r->n_queues));
	fl_metrics_put(r, id, "", (const char *[]){ "cohort" }, NULL, beyond(r, r->n_cohorts));
}

bool fl_metrics_put_nodes(struct fl_rendering *r, enum fl_metric id)
{
	switch (id) {
	case FL_METRIC_QUEUE_SHARE:
		put_shares(r, id, r->queues, r->n_queues);
		break;
	case FL_METRIC_COHORT_SHARE:
		put_shares(r, id, r->cohorts, r->n_cohorts);
		break;
	case FL_METRIC_LEFT_OUT:
		put_left_out(r, id);
		break;
	case FL_METRIC_JOBS:
		put_jobs(r, id);
		break;
	case FL_METRIC_QUEUE_JOBS:
		put_queue_jobs(r, id);
		break;
	case FL_METRIC_QUEUE_PENDING:
		put_pending(r, id);
		break;
	default:
		return put_amounts_of(r, id);
	}
	return true;
}
