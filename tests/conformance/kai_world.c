/* SPDX-License-Identifier: Apache-2.0 */
#include "kai_world.h"

#include <stdio.h>
#include <string.h>

#include "kai_read.h"

static int sym(struct fl_model *m, const char *text, struct fl_sym *ret, fairlead_error *err)
{
	return fl_model_sym(m, text, strlen(text), ret, err);
}

/* Length of time in map[key]; untouched when it is not there. */
static int seconds(const struct fl_doc *d, uint32_t map, const char *key, fl_time *ret,
		   fairlead_error *err)
{
	double value = -1;
	int rc = kai_number(d, map, key, &value, err);

	if (rc == 0 && value >= 0)
		*ret = (fl_time)value * FL_SECOND;
	return rc;
}

/* Of queue @q, when its line has it: a part of the capacity. */
static int add_usage(struct fl_model *m, const struct fl_doc *d, const struct kai_queue *q,
		     struct fl_sym name, fairlead_error *err)
{
	struct fl_usage_row row = { .queue_name = name, .usage = q->usage };

	return fl_doc_find(d, q->value, "usage") == FL_NONE ? 0 : fl_model_add_usage(m, &row, err);
}

static int add_queue(struct fl_model *m, const struct fl_doc *d, const struct kai_queue *q,
		     fairlead_error *err)
{
	struct fl_node_row row = fl_cluster_queue_default;
	struct fl_entitlement e = fl_entitlement_default;
	const char *parent = kai_text(d, q->value, "parent");
	int rc;

	row.kind = FL_QUEUE;
	e.deserved = q->deserved;
	e.limit = q->limit;
	e.weight = q->weight;
	e.priority = q->priority;
	e.created = (fl_time)q->created * FL_SECOND;
	if ((rc = seconds(d, q->value, "preemptMinRuntimeSeconds", &e.preempt_min_run, err)) < 0 ||
	    (rc = seconds(d, q->value, "reclaimMinRuntimeSeconds", &e.reclaim_min_run, err)) < 0 ||
	    (rc = sym(m, q->name, &row.name, err)) < 0 ||
	    (parent[0] && (rc = sym(m, parent, &row.parent_name, err)) < 0) ||
	    (rc = add_usage(m, d, q, row.name, err)) < 0 ||
	    (rc = fl_model_push_entitlements(m, &e, &row.entitlement, err)) < 0)
		return rc;
	return fl_model_add_node(m, &row, err);
}

static int add_queues(struct fl_model *m, const struct fl_doc *d, fairlead_error *err)
{
	struct kai_queues queues;
	int rc = kai_queues_read(d, &queues, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < queues.n && rc == 0; i++)
		rc = add_queue(m, d, &queues.rows[i], err);
	kai_queues_free(&queues);
	return rc;
}

static int add_machine(struct fl_model *m, const struct fl_doc *d, uint32_t v, fairlead_error *err)
{
	struct fl_machine_row row = { .not_ready = false };
	int rc;

	if ((rc = sym(m, kai_text(d, v, "name"), &row.name, err)) < 0 ||
	    (rc = kai_bundle(d, v, "capacity", &row.allocatable, err)) < 0)
		return rc;
	return fl_model_add_machine(m, &row, err);
}

/* How many of @n tasks run: all of a job that does, or as many as it says. */
static int count_running(const struct fl_doc *d, uint32_t v, uint32_t n, uint32_t *ret,
			 fairlead_error *err)
{
	double running = strcmp(kai_text(d, v, "state"), "Running") == 0 ? n : 0;
	int rc = kai_number(d, v, "running", &running, err);

	*ret = (uint32_t)running;
	return rc;
}

static int add_tasks(struct fl_model *m, const struct fl_doc *d, uint32_t v, struct fl_sym job,
		     uint32_t n, fairlead_error *err)
{
	struct fl_task_row row = { .gang_name = job,
				   .life = FL_NONE,
				   .queue_name = { FL_NONE },
				   .machine_name = { FL_NONE },
				   .priority_class = { FL_NONE },
				   .created = FL_TIME_NONE,
				   .started = FL_TIME_NONE,
				   .machine = { FL_NONE },
				   .workload = { FL_NONE } };
	struct fl_sym machine = { FL_NONE };
	uint32_t running;
	char name[256];
	int rc;

	if ((rc = count_running(d, v, n, &running, err)) < 0 ||
	    (rc = sym(m, "ns", &row.namespace, err)) < 0 ||
	    (rc = kai_bundle(d, v, "perTask", &row.request, err)) < 0 ||
	    (running && (rc = sym(m, kai_text(d, v, "node"), &machine, err)) < 0))
		return rc;
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		row.phase = i < running ? FL_TASK_ALLOCATED : FL_TASK_PENDING;
		row.machine_name = i < running ? machine : (struct fl_sym){ FL_NONE };
		snprintf(name, sizeof name, "%s-%u", fl_model_text(m, job), i);
		if ((rc = sym(m, name, &row.name, err)) == 0)
			rc = fl_model_add_task(m, &row, err);
	}
	return rc;
}

static int add_job(struct fl_model *m, const struct fl_doc *d, uint32_t v, fl_time now,
		   fairlead_error *err)
{
	struct fl_workload_row row = fl_workload_default;
	struct fl_gang gang = { .started = FL_TIME_NONE,
				.stale_since = FL_TIME_NONE,
				.queue = { FL_NONE } };
	double priority = 0, created = 0, min = 1, tasks = 1;
	fl_time age = -1, stale = -1;
	int rc;

	if ((rc = kai_number(d, v, "priority", &priority, err)) < 0 ||
	    (rc = kai_number(d, v, "creationOrder", &created, err)) < 0 ||
	    (rc = kai_number(d, v, "minAvailable", &min, err)) < 0 ||
	    (rc = kai_number(d, v, "tasks", &tasks, err)) < 0 ||
	    (rc = seconds(d, v, "runningForSeconds", &age, err)) < 0 ||
	    (rc = seconds(d, v, "staleForSeconds", &stale, err)) < 0 ||
	    (rc = sym(m, "ns", &row.namespace, err)) < 0 ||
	    (rc = sym(m, kai_text(d, v, "name"), &row.name, err)) < 0 ||
	    (rc = sym(m, kai_text(d, v, "queue"), &row.queue_name, err)) < 0)
		return rc;
	row.priority = (int32_t)priority;
	row.has_priority = true;
	row.created = (fl_time)created * FL_SECOND;
	gang.min_tasks = (int32_t)min;
	gang.stated = kai_true(d, v, "preemptible") ? FL_PREEMPTIBLE : FL_NON_PREEMPTIBLE;
	if (age >= 0)
		gang.started = now - age;
	if (stale >= 0)
		gang.stale_since = now - stale;
	if ((rc = fl_model_push_gangs(m, &gang, &row.gang, err)) < 0 ||
	    (rc = fl_model_add_workload(m, &row, err)) < 0)
		return rc;
	return add_tasks(m, d, v, row.name, (uint32_t)tasks, err);
}

/* The plugin's arguments are texts. */
static int read_arguments(struct fl_model *m, const struct fl_doc *d, fairlead_error *err)
{
	uint32_t map = fl_doc_find(d, 0, "proportionArguments");
	int rc = map == FL_NONE ? 0 :
				  kai_number(d, map, "relcaimerSaturationMultiplier",
					     &m->entitle.multiplier, err);

	if (rc == 0 && map != FL_NONE)
		rc = kai_number(d, map, "kValue", &m->entitle.k, err);
	if (m->entitle.multiplier < 1)
		m->entitle.multiplier = 1;
	return rc;
}

/* Only random cases have what follows. */

static int read_min_run(struct fl_entitle_settings *e, const struct fl_doc *d, fairlead_error *err)
{
	uint32_t map = fl_doc_find(d, 0, "minRuntimeArguments");
	int rc;

	if (map == FL_NONE)
		return 0;
	rc = seconds(d, map, "defaultReclaimMinRuntimeSeconds", &e->default_reclaim_min_run, err);
	if (rc == 0)
		rc = seconds(d, map, "defaultPreemptMinRuntimeSeconds", &e->default_preempt_min_run,
			     err);
	if (strcmp(kai_text(d, map, "reclaimResolveMethod"), "queue") == 0)
		e->min_run_method = FL_MIN_RUN_QUEUE;
	return rc;
}

/* Which are on, and how many jobs of a queue each looks at. */
static int read_actions(struct fl_entitle_settings *e, const struct fl_doc *d, fairlead_error *err)
{
	static const char *const names[FL_ACTIONS] = {
		[FL_ACTION_NONE] = "",
		[FL_ACTION_ALLOCATE] = "allocate",
		[FL_ACTION_CONSOLIDATION] = "consolidation",
		[FL_ACTION_RECLAIM] = "reclaim",
		[FL_ACTION_PREEMPT] = "preempt",
		[FL_ACTION_STALE_GANG] = "stalegangeviction",
	};
	uint32_t actions = fl_doc_find(d, 0, "actions");
	uint32_t depths = fl_doc_find(d, 0, "queueDepthPerAction");
	int rc = 0;

	for (int a = FL_ACTION_ALLOCATE; a < FL_ACTIONS && rc == 0; a++) {
		double depth = 0;

		if (actions != FL_NONE && fl_doc_find(d, actions, names[a]) != FL_NONE)
			e->actions[a] = kai_true(d, actions, names[a]);
		if (depths == FL_NONE)
			continue;
		rc = kai_number(d, depths, names[a], &depth, err);
		e->queue_depth[a] = (uint32_t)depth;
	}
	return rc;
}

static int read_settings(struct fl_entitle_settings *e, const struct fl_doc *d, fairlead_error *err)
{
	uint32_t spread = fl_doc_find(d, 0, "spread"), modes = fl_doc_find(d, 0, "modes");
	int rc;

	if ((rc = read_min_run(e, d, err)) < 0 || (rc = read_actions(e, d, err)) < 0 ||
	    (rc = seconds(d, 0, "staleGraceSeconds", &e->stale_grace, err)) < 0)
		return rc;
	if (fl_doc_find(d, 0, "consolidatingReclaim") != FL_NONE)
		e->consolidating_reclaim = kai_true(d, 0, "consolidatingReclaim");
	if (spread != FL_NONE) {
		e->spread_gpu = kai_true(d, spread, "gpu");
		e->spread_cpu = kai_true(d, spread, "cpu");
	}
	if (modes != FL_NONE) {
		e->bounded_division = kai_true(d, modes, "boundedDivision");
		e->turns = kai_true(d, modes, "turns");
		e->keep_below_quota = kai_true(d, modes, "keepBelowQuota");
		e->protect_quota = kai_true(d, modes, "protectQuota");
	}
	return 0;
}

static int fill(struct fl_model *m, const struct fl_doc *d, fl_time now, fairlead_error *err)
{
	uint32_t nodes = fl_doc_find(d, 0, "nodes"), jobs = fl_doc_find(d, 0, "jobs");
	int rc = add_queues(m, d, err);

	if (nodes == FL_NONE || jobs == FL_NONE)
		return fl_fail(err, FAIRLEAD_EINPUT, "no nodes or no jobs");
	for (uint32_t v = nodes + 1; rc == 0 && v < d->values[nodes].next; v = d->values[v].next)
		rc = add_machine(m, d, v, err);
	for (uint32_t v = jobs + 1; rc == 0 && v < d->values[jobs].next; v = d->values[v].next)
		rc = add_job(m, d, v, now, err);
	if (rc == 0)
		rc = read_arguments(m, d, err);
	return rc < 0 ? rc : read_settings(&m->entitle, d, err);
}

int kai_model_unsealed(const struct fl_doc *d, fl_time now, struct fl_model **ret,
		       fairlead_error *err)
{
	struct fl_model *m;
	int rc = fl_model_new(&fl_mem_heap, &m, err);

	if (rc < 0)
		return rc;
	rc = fill(m, d, now, err);
	if (rc < 0) {
		fl_model_free(m);
		return rc;
	}
	*ret = m;
	return 0;
}

int kai_model(const struct fl_doc *d, fl_time now, struct fl_model **ret, fairlead_error *err)
{
	int rc = kai_model_unsealed(d, now, ret, err);

	if (rc < 0)
		return rc;
	rc = fl_model_seal(*ret, err);
	if (rc < 0)
		*ret = fl_model_free(*ret);
	return rc;
}
