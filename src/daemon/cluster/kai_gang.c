/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/kai_gang.h"

#include <string.h>

#include "daemon/cluster/apply.h"

static const struct fl_workload nobody = { FL_NONE };

static enum fl_workload_state state_of(const struct fl_cluster *c, struct fl_workload w)
{
	return c->generation.ops->state(c->generation.policy, w);
}

/* --- where its pods are --- */

static struct fl_machine find_machine(const struct fl_model *m, const char *name)
{
	const struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	for (uint32_t i = 0; sym.v != FL_NONE && i < m->n_machines; i++)
		if (m->machines[i].name.v == sym.v)
			return (struct fl_machine){ i };
	return (struct fl_machine){ FL_NONE };
}

/* The node of a request to bind it; requests are named as their pods. */
static int bound_to(struct fl_cluster *c, const char *namespace, const char *pod,
		    struct fl_machine *ret, fairlead_error *err)
{
	const struct fl_mirror_object *o = fl_mirror_find(c->mirror, FL_MIRROR_BIND_REQUEST,
							  namespace, pod);
	struct fl_kai_bind bind;
	int r = o && o->n_own ? fl_mirror_read(o, &c->doc, err) : 0;

	if (r < 0 || !o || !o->n_own)
		return r;
	fl_kai_read_bind(&c->doc, &bind);
	*ret = find_machine(c->generation.model, bind.node);
	return 0;
}

/* FL_NONE: on none, or it leaves it. */
static int node_of(struct fl_cluster *c, const struct fl_task_row *task, struct fl_machine *ret,
		   fairlead_error *err)
{
	const struct fl_model *m = c->generation.model;
	const char *namespace = fl_model_text(m, task->namespace);
	const char *name = fl_model_text(m, task->name);
	const struct fl_mirror_object *o = fl_mirror_find(c->mirror, FL_MIRROR_POD, namespace,
							  name);
	struct fl_kai_pod pod;
	int r = o && o->n_own ? fl_mirror_read(o, &c->doc, err) : 0;

	ret->v = FL_NONE;
	if (r < 0 || !o || !o->n_own)
		return r;
	fl_kai_read_pod(&c->doc, &pod);
	if (pod.deleted || pod.phase == FL_KAI_IS_UNKNOWN)
		return 0;
	if (!*pod.node)
		return bound_to(c, namespace, name, ret, err);
	*ret = find_machine(m, pod.node);
	return 0;
}

/* --- events --- */

static int hold(struct fl_cluster *c, const struct fl_live *job)
{
	const struct fl_model *m = c->generation.model;
	const struct fl_span tasks = m->gangs[m->workloads[job->workload.v].gang].tasks;
	struct fl_event e = { .kind = FL_EV_HOLDS,
			      .workload = job->workload,
			      .since = job->started };
	struct fl_placement *rows = NULL;
	uint32_t cap = 0;
	fairlead_error err = { 0 };
	int r = fl_mem_grow(&fl_mem_heap, &rows, &cap, tasks.n, sizeof *rows, &err);

	for (uint32_t i = 0; i < tasks.n && r == 0; i++) {
		struct fl_placement row = {
			.podset = i, .count = 1, .resource = { FL_NONE }, .flavor = { FL_NONE }
		};

		r = node_of(c, &m->tasks[tasks.first + i], &row.machine, &err);
		if (row.machine.v != FL_NONE)
			rows[e.holding.n++] = row;
	}
	e.holding.rows = rows;
	e.holding.cluster_queue = m->workloads[job->workload.v].cluster_queue;
	if (r == 0)
		r = e.holding.n ? fl_cluster_tell_policy(c, &e, nobody) : 1;
	fl_mem_free(&fl_mem_heap, rows);
	return r;
}

static int tell(struct fl_cluster *c, struct fl_workload w, enum fl_event_kind kind)
{
	const struct fl_event e = {
		.kind = kind,
		.workload = w,
		.machine = { FL_NONE },
		.since = fl_clock_now(&c->daemon.clock),
	};

	return fl_cluster_tell_policy(c, &e, nobody);
}

int fl_cluster_align_gang(struct fl_cluster *c, const struct fl_live *job)
{
	const struct fl_workload w = job->workload;
	const bool runs = job->state == FL_JOB_RUNS, stops = job->state == FL_JOB_STOPS;
	int r = 0;

	if (w.v == FL_NONE || c->generation.model->workloads[w.v].gang == FL_NONE)
		return 1;
	if ((runs || stops) && state_of(c, w) == FL_STATE_WAITING)
		r = hold(c, job);
	if (r == 0 && stops && state_of(c, w) == FL_STATE_ADMITTED)
		r = tell(c, w, FL_EV_GOES);
	if (r == 0 && !runs && !stops &&
	    (state_of(c, w) == FL_STATE_ADMITTED || state_of(c, w) == FL_STATE_EVICTING))
		r = tell(c, w, FL_EV_EVICTED);
	return r;
}

int fl_cluster_gang_leaves(struct fl_cluster *c, struct fl_live *job)
{
	const struct fl_workload w = job->workload;
	enum fl_workload_state state;

	if (w.v == FL_NONE)
		return 0;
	c->generation.job_of[w.v] = 0;
	job->workload.v = FL_NONE;
	state = state_of(c, w);
	if (state == FL_STATE_ABSENT || state == FL_STATE_EXCLUDED)
		return 0;
	return tell(c, w, state == FL_STATE_WAITING ? FL_EV_CANCEL : FL_EV_FINISHED);
}
