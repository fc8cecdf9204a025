/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api_history - what queues had over a time, and what weights would have given them
 *
 * Exact, from when each job was submitted, held what, and was over; weights and quotas are those
 * of now.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api_parts.h"
#include "daemon/core_parts.h"
#include "daemon/fairness.h"
#include "report/job_parts.h"
#include "report/report.h"

enum {
	RESOURCES = 32,
	MOST = 200000,   /* attempts of jobs in one answer */
	WORK = 20000000, /* and those times queues */
};

/* What is told of one resource: who wanted and held it when. */
struct column {
	char name[FL_JOB_RESOURCE];
	struct fl_fair_span *spans;
	uint32_t n, cap;
};

/* What is told of one queue. */
struct line {
	fl_time *waits; /* of each of its jobs that has started, or waits */
	uint32_t jobs, cap, preempted;
};

struct history {
	struct fl_core_view view;
	const struct fl_core *core;
	fl_time from, to;
	json_t *queues;
	struct fl_fair_node *nodes;
	struct line *lines; /* by queue, as nodes */
	uint32_t n, n_attempts;
	struct column columns[RESOURCES];
	uint64_t job; /* the one whose attempts come */
	fairlead_error *err;
};

/* The leaf with this name; LocalQueues are doors only. */
static uint32_t find(const struct history *h, const char *name)
{
	for (uint32_t i = 0; i < h->n; i++) {
		const json_t *queue = json_array_get(h->queues, i);
		const char *kind = fl_json_word(queue, "kind");

		if (strcmp(kind, "Cohort") != 0 && strcmp(kind, "LocalQueue") != 0 &&
		    strcmp(fl_json_word(queue, "name"), name) == 0)
			return i;
	}
	return FL_NONE;
}

static uint32_t find_above(const struct history *h, const json_t *queue)
{
	bool own = strcmp(fl_json_word(queue, "kind"), "Queue") == 0;
	const char *name = fl_json_word(queue, "parent");

	if (own)
		return *name ? find(h, name) : FL_NONE;
	for (uint32_t i = 0; i < h->n && *name; i++) {
		const json_t *above = json_array_get(h->queues, i);

		if (strcmp(fl_json_word(above, "kind"), "Cohort") == 0 &&
		    strcmp(fl_json_word(above, "name"), name) == 0)
			return i;
	}
	return FL_NONE;
}

/* What lies within the time that is asked for. */
static int add_span(struct history *h, const char *resource, struct fl_fair_span s)
{
	struct column *c = h->columns;

	while (c < h->columns + RESOURCES && c->name[0] && strcmp(c->name, resource) != 0)
		c++;
	s.from = s.from < h->from ? h->from : s.from;
	s.to = s.to == FL_TIME_NONE || s.to > h->to ? h->to : s.to;
	if (c == h->columns + RESOURCES || s.from >= s.to)
		return 0;
	(void)snprintf(c->name, sizeof c->name, "%s", resource);
	/* Cores, not thousandths of them; all else in whole units. */
	s.amount /= strcmp(resource, "cpu") == 0 ? 1000 : 1;
	if (fl_mem_grow(&fl_mem_heap, &c->spans, &c->cap, c->n + 1, sizeof *c->spans, h->err) < 0)
		return FAIRLEAD_ENOMEM;
	c->spans[c->n++] = s;
	return 0;
}

static int add_wait(struct history *h, uint32_t node, fl_time wait)
{
	struct line *l = &h->lines[node];

	if (fl_mem_grow(&fl_mem_heap, &l->waits, &l->cap, l->jobs + 1, sizeof *l->waits, h->err) <
	    0)
		return FAIRLEAD_ENOMEM;
	l->waits[l->jobs++] = wait > 0 ? wait : 0;
	return 0;
}

static int holding(void *user, const struct fl_admission_row *a, fairlead_error *err)
{
	struct history *h = user;
	struct fl_run_grant grants[FL_JOB_RESOURCES * 4];
	uint32_t n = 0, node = find(h, a->queue);
	int r = 0;

	if (++h->n_attempts > MOST || h->n_attempts > WORK / h->n)
		return fl_fail(err, FAIRLEAD_ELIMIT, "more than %u attempts of jobs",
			       h->n_attempts - 1);
	if (node == FL_NONE)
		return 0;
	if (a->placement)
		r = fl_placement_read(a->placement, grants, FL_JOB_RESOURCES * 4, &n, err);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		struct fl_fair_span s = { node, true, a->from, a->to, (double)grants[i].amount };

		r = add_span(h, grants[i].resource, s);
		s = (struct fl_fair_span){ node, false, row->submitted, row->ended, s.amount };
		if (r == 0 && h->job != a->job)
			r = add_span(h, grants[i].resource, s);
	}
	if (r == 0 && h->job != a->job)
		r = add_wait(h, node, a->from - row->submitted);
	if (a->ended && strcmp(a->ended, fl_go_why_name(FL_GO_PREEMPTED)) == 0 && a->to > h->from &&
	    a->to <= h->to)
		h->lines[node].preempted++;
	h->job = a->job;
	return r;
}

/* One that waits and has never had anything. */
static int newcomer(struct history *h, const struct fl_live *job)
{
	const struct fl_model *m = h->view.model;
	const struct fl_workload_row *row = &m->workloads[job->workload.v];
	uint32_t node = find(h, fl_model_text(m, m->nodes[row->cluster_queue.v].name));
	int r = node == FL_NONE ? 0 : add_wait(h, node, h->to - job->submitted);

	for (uint32_t p = 0; p < row->podsets.n && node != FL_NONE; p++) {
		const struct fl_podset *set = &m->podsets[row->podsets.first + p];

		for (uint32_t i = 0; i < set->requests.n && r == 0; i++) {
			const struct fl_request *ask = &m->requests[set->requests.first + i];
			struct fl_fair_span s = { node, false, job->submitted, FL_TIME_NONE,
						  (double)ask->amount * set->count };

			if (ask->resource.v != FL_NONE)
				r = add_span(h, fl_report_resource(m, ask->resource), s);
		}
	}
	return r;
}

static int gather(struct history *h)
{
	struct fl_store *store = fl_core_store(h->core);
	int r = fl_store_holdings(store, h->from, h->to, holding, h, h->err);

	for (uint32_t i = 0; i < h->view.n_jobs && r == 0; i++) {
		const struct fl_live *job = &h->view.jobs[i];

		if (job->state == FL_JOB_WAITS && job->attempt == 0 && job->workload.v != FL_NONE &&
		    job->submitted < h->to)
			r = newcomer(h, job);
	}
	return r;
}

/* --- JSON --- */

static int tell_resource(struct history *h, struct column *c, const json_t *total)
{
	double capacity = fl_json_units(total, c->name), had = 0, due = 0;
	bool known = capacity > 0;
	int r;

	for (uint32_t i = 0; i < h->n; i++) {
		const json_t *queue = json_array_get(h->queues, i);
		const json_t *own = json_object_get(json_object_get(queue, "resources"), c->name);

		h->nodes[i].own = fl_json_units(own, "nominal");
		h->nodes[i].had = h->nodes[i].due = 0;
		if (!known)
			capacity += h->nodes[i].own;
	}
	r = fl_fairness(h->nodes, h->n, capacity, c->spans, c->n, h->err);
	for (uint32_t i = 0; i < h->n; i++) {
		had += h->nodes[i].parent == FL_NONE ? h->nodes[i].had : 0;
		due += h->nodes[i].parent == FL_NONE ? h->nodes[i].due : 0;
	}
	for (uint32_t i = 0; i < h->n && r == 0; i++) {
		const struct fl_fair_node *n = &h->nodes[i];
		json_t *resources = json_object_get(json_array_get(h->queues, i), "had");

		json_object_set_new(resources, c->name,
				    json_pack("{s:f, s:f, s:f, s:f}", "unitSeconds", n->had, "part",
					      had > 0 ? n->had / had : 0, "dueUnitSeconds", n->due,
					      "duePart", due > 0 ? n->due / due : 0));
	}
	return r;
}

static int cmp_times(const void *a, const void *b)
{
	fl_time x = *(const fl_time *)a, y = *(const fl_time *)b;

	return (x > y) - (x < y);
}

static void tell_waits(json_t *queue, struct line *l)
{
	if (l->jobs) {
		qsort(l->waits, l->jobs, sizeof *l->waits, cmp_times);
		json_object_set_new(queue, "waitMedian",
				    json_real((double)l->waits[l->jobs / 2] / FL_SECOND));
		json_object_set_new(queue, "waitLongest",
				    json_real((double)l->waits[l->jobs - 1] / FL_SECOND));
	}
	json_object_set_new(queue, "jobs", json_integer(l->jobs));
	json_object_set_new(queue, "preempted", json_integer(l->preempted));
}

/* Of what GET /v1/queues says only who they are; places for the rest. */
static int begin(struct history *h, const json_t *tree)
{
	static const char *const keys[] = { "submit", "mayUse", "running",   "waiting",
					    "held",   "share",  "conditions" };
	json_t *all = json_object_get(tree, "queues"), *queue;
	size_t i;

	h->queues = json_array();
	json_array_foreach(all, i, queue)
	{
		if (strcmp(fl_json_word(queue, "kind"), "LocalQueue") == 0)
			continue;
		for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
			json_object_del(queue, keys[k]);
		json_object_set_new(queue, "had", json_object());
		json_array_append(h->queues, queue);
	}
	h->n = (uint32_t)json_array_size(h->queues);
	h->nodes = calloc(h->n + 1, sizeof *h->nodes);
	h->lines = calloc(h->n + 1, sizeof *h->lines);
	if (!h->nodes || !h->lines)
		return fl_fail_nomem(h->err);
	for (i = 0; i < h->n; i++) {
		queue = json_array_get(h->queues, i);
		h->nodes[i].parent = find_above(h, queue);
		h->nodes[i].weight = json_number_value(json_object_get(queue, "weight"));
	}
	return 0;
}

static int tell(struct history *h, const json_t *tree)
{
	const json_t *total = json_object_get(tree, "total");
	int r = begin(h, tree);

	if (r == 0)
		r = gather(h);
	for (struct column *c = h->columns; r == 0 && c < h->columns + RESOURCES && c->n; c++)
		r = tell_resource(h, c, total);
	for (uint32_t i = 0; i < h->n && r == 0; i++) {
		json_t *queue = json_array_get(h->queues, i);

		tell_waits(queue, &h->lines[i]);
		json_object_del(queue, "resources");
	}
	return r;
}

void fl_api_history(struct fl_call *call)
{
	fairlead_error err = { 0 };
	struct history h = { .core = call->api->core, .err = &err };
	json_t *tree;
	int r = FAIRLEAD_ENOMEM;

	fl_core_view(h.core, &h.view);
	if (!fl_api_time(call, "from", 0, &h.from) || !fl_api_time(call, "to", h.view.now, &h.to))
		return;
	h.to = h.to > h.view.now ? h.view.now : h.to;
	tree = fl_api_tree_json(call, &err);
	if (tree)
		r = tell(&h, tree);
	if (r == FAIRLEAD_ELIMIT)
		fl_api_fail(call, 413, err.text, "ask for a shorter time: ?from=");
	else if (!tree || r < 0)
		fl_api_error(call, &err);
	else
		fl_api_json(call, 200,
			    json_pack("{s:o, s:o, s:O}", "from", fl_api_moment(call->api, h.from),
				      "to", fl_api_moment(call->api, h.to), "queues", h.queues));
	for (uint32_t i = 0; i < h.n && h.lines; i++)
		fl_mem_free(&fl_mem_heap, h.lines[i].waits);
	for (struct column *c = h.columns; c < h.columns + RESOURCES; c++)
		fl_mem_free(&fl_mem_heap, c->spans);
	free(h.nodes);
	free(h.lines);
	json_decref(h.queues);
	json_decref(tree);
}
