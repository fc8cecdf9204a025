/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_render - figures as text (Prometheus' text format, version 0.0.4) */
#include "daemon/metrics/metrics_render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/engine/face.h"
#include "daemon/metrics/counts.h"

const char fl_metrics_type[] = "text/plain; version=0.0.4; charset=utf-8";

static const char other[] = "(other)";

struct rendering {
	const struct fl_metrics *m;
	const struct fl_metrics_now *now;
	const struct fl_model *model;
	FILE *out;
	fairlead_error *err;
	struct fl_arena arena;
	const struct fl_daemon_face *face;
	void *stand;                /* the face's */
	uint32_t *queues, *cohorts; /* nodes by name */
	uint32_t n_queues, n_cohorts;
	double *pending; /* node x resource */
	double *sums;    /* flavor x resource, sums of the queues in "(other)" */
	bool *summed;
	uint32_t (*jobs)[3]; /* node: waiting, running, stopping */
	uint64_t states[FL_JOB_STATES];
};

/* --- one line --- */

/* Written one by one: a page has thousands of lines, and the daemon waits for it. */
static void put_bytes(const struct rendering *r, const char *bytes, size_t n)
{
	(void)fwrite_unlocked(bytes, 1, n, r->out);
}

static void put_text(const struct rendering *r, const char *text)
{
	put_bytes(r, text, strlen(text));
}

static void put_value(const struct rendering *r, double v)
{
	char text[40];

	if (isinf(v))
		put_text(r, v > 0 ? "+Inf" : "-Inf");
	else if (v >= 0 && v < 1e15 && v == (double)(uint64_t)v) /* most values are whole numbers */
		put_bytes(r, text,
			  (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)v));
	else
		put_bytes(r, text, (size_t)snprintf(text, sizeof text, "%.17g", v));
	put_bytes(r, "\n", 1);
}

static void put_label(const struct rendering *r, const char *separator, const char *name,
		      size_t len, const char *value)
{
	put_bytes(r, separator, 1);
	put_bytes(r, name, len);
	put_bytes(r, "=\"", 2);
	for (;;) {
		size_t plain = strcspn(value, "\n\"\\");

		put_bytes(r, value, plain);
		value += plain;
		if (!*value)
			break;
		put_bytes(r, "\\", 1);
		put_bytes(r, *value == '\n' ? "n" : value, 1);
		value++;
	}
	put_bytes(r, "\"", 1);
}

/* Label names are those of the row, in its order; @values as many. */
static void put(const struct rendering *r, enum fl_metric id, const char *suffix,
		const char *const *values, const char *le, double v)
{
	const struct fl_metric_row *row = &fl_metric_rows[id];
	const char *separator = "{";

	put_text(r, row->name);
	put_text(r, suffix);
	for (const char *at = row->labels; *at;) {
		size_t n = strcspn(at, ",");

		put_label(r, separator, at, n, *values++);
		separator = ",";
		at += n + (at[n] == ',');
	}
	if (le) {
		put_label(r, separator, "le", 2, le);
		separator = ",";
	}
	put_text(r, *separator == ',' ? "} " : " ");
	put_value(r, v);
}

static void put_plain(const struct rendering *r, enum fl_metric id, double v)
{
	put(r, id, "", NULL, NULL, v);
}

static void put_histogram(const struct rendering *r, enum fl_metric id, const char *const *values,
			  const struct fl_histogram *h)
{
	uint64_t below = 0;

	for (uint32_t i = 0; i < h->n_bounds; i++) {
		char le[40];

		below += h->counts[i];
		(void)snprintf(le, sizeof le, "%g", (double)h->bounds[i] / (double)FL_SECOND);
		put(r, id, "_bucket", values, le, (double)below);
	}
	put(r, id, "_bucket", values, "+Inf", (double)h->n);
	put(r, id, "_sum", values, NULL, h->sum);
	put(r, id, "_count", values, NULL, (double)h->n);
}

/* --- figures that are collected once --- */

/* Milli-cores become cores; all else stays as it is. */
static double natural(const struct rendering *r, struct fl_resource resource, double amount)
{
	const char *name = fl_model_text(r->model, r->model->resources[resource.v]);

	return strcmp(name, "cpu") == 0 ? amount / 1000 : amount;
}

static double *pending_of(const struct rendering *r, uint32_t node, struct fl_resource resource)
{
	return &r->pending[(size_t)node * r->model->n_resources + resource.v];
}

static void add_pending(const struct rendering *r, const struct fl_workload_row *w)
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

static void count_workloads(struct rendering *r)
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

static int find_nodes(struct rendering *r)
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

static int look(struct rendering *r)
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

static void put_cell(struct rendering *r, enum fl_metric id, uint32_t place, uint32_t node,
		     struct fl_flavor flavor, struct fl_resource resource, double v)
{
	const struct fl_model *m = r->model;
	const char *of = flavor.v == FL_NONE ? "" : fl_model_text(m, m->flavors[flavor.v].name);
	const char *values[] = { fl_model_text(m, m->nodes[node].name), of,
				 fl_model_text(m, m->resources[resource.v]) };
	size_t cell = (size_t)(flavor.v == FL_NONE ? m->n_flavors : flavor.v) * m->n_resources +
		      resource.v;

	if (place < FL_METRICS_QUEUES) {
		put(r, id, "", values, NULL, v);
		return;
	}
	r->sums[cell] += v;
	r->summed[cell] = true;
}

static void put_sums(struct rendering *r, enum fl_metric id)
{
	const struct fl_model *m = r->model;

	for (uint32_t f = 0; f <= m->n_flavors; f++)
		for (uint32_t q = 0; q < m->n_resources; q++) {
			size_t cell = (size_t)f * m->n_resources + q;
			const char *values[] = {
				other,
				f == m->n_flavors ? "" : fl_model_text(m, m->flavors[f].name),
				fl_model_text(m, m->resources[q]),
			};

			if (r->summed[cell])
				put(r, id, "", values, NULL, r->sums[cell]);
			r->sums[cell] = 0;
			r->summed[cell] = false;
		}
}

/* A metric that is an amount of each queue or cohort, or of each queue by its resources alone. */
struct amounts {
	struct rendering *r;
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
	else if (a->place < FL_METRICS_QUEUES)
		put(a->r, a->id, "",
		    (const char *[]){ fl_model_text(m, m->nodes[n.v].name),
				      fl_model_text(m, m->resources[resource.v]) },
		    NULL, amount);
}

static void put_amounts(struct rendering *r, enum fl_metric id, enum fl_figure what,
			const uint32_t *nodes, uint32_t n)
{
	struct amounts a = { r, id, 0 };

	for (a.place = 0; a.place < n; a.place++)
		r->face->figures(r->stand, (struct fl_node){ nodes[a.place] }, what, put_amount,
				 &a);
	put_sums(r, id);
}

/* --- of nodes: other figures --- */

static void put_shares(const struct rendering *r, enum fl_metric id, const uint32_t *nodes,
		       uint32_t n)
{
	const struct fl_live_view *v = &r->now->view;

	for (uint32_t i = 0; i < n && i < FL_METRICS_QUEUES; i++) {
		const struct fl_node_row *row = &r->model->nodes[nodes[i]];
		const char *values[] = { fl_model_text(r->model, row->name) };
		struct fl_share share;

		if (row->inactive != FL_ACTIVE)
			continue;
		v->ops->share(v->policy, (struct fl_node){ nodes[i] }, &share);
		put(r, id, "", values, NULL, share.precise);
	}
}

static void put_queue_jobs(const struct rendering *r, enum fl_metric id)
{
	static const char *const names[] = { "waiting", "running", "stopping" };
	uint64_t rest[3] = { 0 };

	for (uint32_t i = 0; i < r->n_queues; i++)
		for (unsigned s = 0; s < 3; s++) {
			const struct fl_node_row *row = &r->model->nodes[r->queues[i]];
			const char *values[] = { fl_model_text(r->model, row->name), names[s] };
			uint32_t n = r->jobs[r->queues[i]][s];

			if (i < FL_METRICS_QUEUES)
				put(r, id, "", values, NULL, n);
			else
				rest[s] += n;
		}
	for (unsigned s = 0; s < 3 && r->n_queues > FL_METRICS_QUEUES; s++)
		put(r, id, "", (const char *[]){ other, names[s] }, NULL, (double)rest[s]);
}

static void put_pending(const struct rendering *r, enum fl_metric id)
{
	const struct fl_model *m = r->model;

	for (uint32_t q = 0; q < m->n_resources; q++) {
		const struct fl_resource resource = { q };
		const char *name = fl_model_text(m, m->resources[q]);
		double rest = 0;

		for (uint32_t i = 0; i < r->n_queues; i++) {
			const char *queue = fl_model_text(m, m->nodes[r->queues[i]].name);
			double v = natural(r, resource, *pending_of(r, r->queues[i], resource));

			if (i < FL_METRICS_QUEUES)
				put(r, id, "", (const char *[]){ queue, name }, NULL, v);
			else
				rest += v;
		}
		if (r->n_queues > FL_METRICS_QUEUES)
			put(r, id, "", (const char *[]){ other, name }, NULL, rest);
	}
}

static void put_jobs(const struct rendering *r, enum fl_metric id)
{
	for (int s = 0; s < FL_JOB_DONE; s++)
		put(r, id, "", (const char *[]){ fl_job_state_name((enum fl_job_state)s) }, NULL,
		    (double)r->states[s]);
}

/* --- counters by queue --- */

static void put_ended(const struct rendering *r, enum fl_metric id, const struct fl_queue_counts *c,
		      const char *name)
{
	for (int s = FL_JOB_DONE; s < FL_JOB_STATES; s++)
		if (c->ended[s])
			put(r, id, "",
			    (const char *[]){ name, fl_job_state_name((enum fl_job_state)s) }, NULL,
			    (double)c->ended[s]);
}

static void put_preempted(const struct rendering *r, enum fl_metric id,
			  const struct fl_queue_counts *c, const char *name)
{
	for (int s = 0; s < FL_REASONS; s++)
		if (c->preempted[s])
			put(r, id, "", (const char *[]){ name, fl_reason_name((enum fl_reason)s) },
			    NULL, (double)c->preempted[s]);
}

static void put_counts(const struct rendering *r, enum fl_metric id)
{
	for (uint32_t i = 0; i <= r->m->n; i++) {
		bool rest = i == r->m->n;
		const struct fl_queue_counts *c = &r->m->queues[rest ? FL_METRICS_QUEUES : i];
		const char *values[] = { rest ? other : c->name };

		if (id == FL_METRIC_SUBMITTED && c->submitted)
			put(r, id, "", values, NULL, (double)c->submitted);
		else if (id == FL_METRIC_LOST && c->lost)
			put(r, id, "", values, NULL, (double)c->lost);
		else if (id == FL_METRIC_WAIT && c->wait.n)
			put_histogram(r, id, values, &c->wait);
		else if (id == FL_METRIC_ENDED)
			put_ended(r, id, c, *values);
		else if (id == FL_METRIC_PREEMPTIONS)
			put_preempted(r, id, c, *values);
	}
}

/* --- the whole page --- */

static double of_vitals(enum fl_metric id, const struct fl_vitals *v)
{
	switch (id) {
	case FL_METRIC_OPEN_FDS:
		return v->open_fds;
	case FL_METRIC_MAX_FDS:
		return v->max_fds;
	case FL_METRIC_RESIDENT:
		return v->resident_bytes;
	case FL_METRIC_VIRTUAL:
		return v->virtual_bytes;
	case FL_METRIC_CPU:
		return v->cpu_seconds;
	default:
		return v->started;
	}
}

/* Unknown values are left out. */
static void put_process(const struct rendering *r, enum fl_metric id)
{
	double v = of_vitals(id, &r->now->vitals);

	if (v >= 0)
		put_plain(r, id, v);
}

static void put_turned_away(const struct rendering *r, enum fl_metric id)
{
	static const char *const reasons[FL_AWAYS] = {
		[FL_AWAY_FULL] = "full",         [FL_AWAY_SHARE] = "share",
		[FL_AWAY_STRANGER] = "stranger", [FL_AWAY_DESCRIPTORS] = "descriptors",
		[FL_AWAY_MEMORY] = "memory",
	};

	for (int i = 0; i < FL_AWAYS; i++)
		put(r, id, "", &reasons[i], NULL, (double)r->now->server.turned_away[i]);
}

static void put_door(const struct rendering *r, enum fl_metric id)
{
	const struct fl_server_figures *server = &r->now->server;

	switch (id) {
	case FL_METRIC_REQUESTS:
		put_plain(r, id, (double)server->requests);
		break;
	case FL_METRIC_REFUSED:
		put_plain(r, id, (double)server->refused);
		break;
	case FL_METRIC_CONNECTIONS:
		put_plain(r, id, server->connections);
		break;
	case FL_METRIC_TURNED_AWAY:
		put_turned_away(r, id);
		break;
	case FL_METRIC_GAVE_WAY:
		put_plain(r, id, (double)server->gave_way);
		break;
	default:
		put_process(r, id);
		break;
	}
}

static void put_daemon(const struct rendering *r, enum fl_metric id)
{
	const struct fl_metrics_now *now = r->now;

	switch (id) {
	case FL_METRIC_BUILD:
		put(r, id, "", (const char *[]){ FAIRLEAD_VERSION, now->view.ops->name }, NULL, 1);
		break;
	case FL_METRIC_STARTED:
		put_plain(r, id, (double)now->started / (double)FL_SECOND);
		break;
	case FL_METRIC_LOOPS:
		put_plain(r, id, (double)r->m->loops);
		break;
	case FL_METRIC_CYCLE:
		put_histogram(r, id, NULL, &r->m->cycle);
		break;
	case FL_METRIC_GENERATION:
		put_histogram(r, id, NULL, &r->m->generation);
		break;
	case FL_METRIC_COMMIT:
		put_histogram(r, id, NULL, &r->m->commit);
		break;
	case FL_METRIC_COMMITTED:
		put_plain(r, id, (double)r->m->rows);
		break;
	case FL_METRIC_STORE_BYTES:
		put_plain(r, id, (double)now->store_bytes);
		break;
	case FL_METRIC_STORE_FAILS:
		put_plain(r, id, now->store_fails);
		break;
	case FL_METRIC_STORE_DAMAGED:
		put_plain(r, id, (double)now->store_damaged);
		break;
	case FL_METRIC_STORE_CUT:
		put_plain(r, id, (double)now->store_cut);
		break;
	case FL_METRIC_STORE_ERRORS:
		put_plain(r, id, (double)r->m->store_errors);
		break;
	case FL_METRIC_RESTORED:
		put_plain(r, id, now->restored);
		break;
	default:
		put_door(r, id);
		break;
	}
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

static bool is_amount(struct rendering *r, enum fl_metric id)
{
	size_t i = 0, n = sizeof amounts / sizeof *amounts;

	while (i < n && amounts[i].id != id)
		i++;
	if (i < n)
		put_amounts(r, id, amounts[i].what, amounts[i].of_cohorts ? r->cohorts : r->queues,
			    amounts[i].of_cohorts ? r->n_cohorts : r->n_queues);
	return i < n;
}

static void put_metric(struct rendering *r, enum fl_metric id)
{
	if (is_amount(r, id))
		return;
	switch (id) {
	case FL_METRIC_QUEUE_SHARE:
		put_shares(r, id, r->queues, r->n_queues);
		break;
	case FL_METRIC_COHORT_SHARE:
		put_shares(r, id, r->cohorts, r->n_cohorts);
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
	case FL_METRIC_SUBMITTED:
	case FL_METRIC_LOST:
	case FL_METRIC_ENDED:
	case FL_METRIC_WAIT:
	case FL_METRIC_PREEMPTIONS:
		put_counts(r, id);
		break;
	default:
		put_daemon(r, id);
		break;
	}
}

static int render(struct rendering *r)
{
	int code = look(r);

	for (int i = 0; i < FL_METRICS && code == 0; i++) {
		const struct fl_metric_row *row = &fl_metric_rows[i];

		fprintf(r->out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name,
			row->type);
		put_metric(r, (enum fl_metric)i);
	}
	return code;
}

int fl_metrics_render(const struct fl_metrics *m, const struct fl_metrics_now *now, char **ret,
		      size_t *ret_len, fairlead_error *err)
{
	struct rendering r = {
		.m = m,
		.now = now,
		.model = now->view.model,
		.err = err,
		.face = fl_daemon_face_of(now->view.ops),
	};
	char *text = NULL;
	size_t len = 0;
	bool failed;
	int code;

	r.out = open_memstream(&text, &len);
	if (!r.out)
		return fl_fail_nomem(err);
	fl_arena_init(&r.arena, &fl_mem_heap);
	code = render(&r);
	fl_arena_done(&r.arena);
	failed = ferror(r.out);
	failed |= fclose(r.out) != 0;
	if (code == 0 && failed)
		code = fl_fail_nomem(err);
	if (code < 0) {
		free(text);
		return code;
	}
	*ret = text;
	*ret_len = len;
	return 0;
}
