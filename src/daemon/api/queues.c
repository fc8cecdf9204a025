/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues - queues and cohorts as they are now: quotas, usage, running and pending jobs
 *
 * A row for each node of the tree, and one for each LocalQueue with its ClusterQueue above it.
 */
#include "daemon/api/queues.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daemon/api/filter.h"
#include "daemon/api/version.h"
#include "daemon/config/config.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "daemon/engine/face.h"
#include "daemon/machine/adopt.h"
#include "report/out/report.h"
#include "store/store.h"

enum counted { RUNNING, WAITING, HELD, COUNTED };

struct queues {
	struct fl_call *call;
	struct fl_live_view view;
	const struct fl_model *m;
	const struct fl_daemon_face *face;
	void *stand; /* the face's */
	struct fl_api_queues *made;
	uint32_t (*of_node)[COUNTED], (*of_queue)[COUNTED];
	fl_amount *pending; /* node * resources + resource: what pending jobs ask for */
	fl_amount *pending_of_queue;
	struct fl_queue_amounts *amounts; /* of one of them, until they are counted */
};

/* --- counting --- */

static enum counted counted_as(enum fl_job_state state)
{
	switch (state) {
	case FL_JOB_HELD:
	case FL_JOB_DEPENDS:
		return HELD;
	case FL_JOB_WAITS:
		return WAITING;
	default:
		return RUNNING;
	}
}

/* Adds all that a workload asks for to a row of amounts by resource. */
static void add_pending(struct queues *q, struct fl_workload w, fl_amount *to)
{
	const struct fl_workload_row *row = &q->m->workloads[w.v];

	for (uint32_t p = 0; p < row->podsets.n; p++) {
		const struct fl_podset *set = &q->m->podsets[row->podsets.first + p];

		for (uint32_t i = 0; i < set->requests.n; i++) {
			const struct fl_request *r = &q->m->requests[set->requests.first + i];

			if (r->resource.v != FL_NONE)
				to[r->resource.v] = fl_sat_add(to[r->resource.v],
							       fl_sat_mul(r->amount, set->count));
		}
	}
}

/* A job's LocalQueue and node, by the name it was submitted to. */
static void place(struct queues *q, const char *name, uint32_t *ret_queue, struct fl_node *ret_node)
{
	struct fl_sym namespace, queue;

	*ret_queue = FL_NONE;
	ret_node->v = FL_NONE;
	if (fl_config_queue(q->m, name, &namespace, &queue, NULL) < 0)
		return;
	*ret_queue = fl_config_local_queue(q->m, namespace, queue);
	*ret_node = *ret_queue != FL_NONE ?
			    q->m->queues[*ret_queue].cluster_queue :
			    fl_model_find_node(q->m, FL_QUEUE, fl_model_text(q->m, queue));
}

struct placed {
	bool known;
	uint32_t queue;
	struct fl_node node;
};

/* To its LocalQueue if it has one, else to its node. */
static void count_job(struct queues *q, const struct fl_live *job, const struct placed *at)
{
	enum counted as = counted_as(job->state);
	bool local = at->queue != FL_NONE;
	fl_amount *pending = local ? q->pending_of_queue : q->pending;

	if (!local && at->node.v == FL_NONE)
		return;

	uint32_t row = local ? at->queue : at->node.v;

	(local ? q->of_queue : q->of_node)[row][as]++;
	if (as == WAITING && job->workload.v != FL_NONE)
		add_pending(q, job->workload, pending + (size_t)row * q->m->n_resources);
}

static void add_row(const struct queues *q, uint32_t counts[COUNTED], fl_amount *pending,
		    const uint32_t more[COUNTED], const fl_amount *more_pending)
{
	for (int i = 0; i < COUNTED; i++)
		counts[i] += more[i];
	for (uint32_t r = 0; r < q->m->n_resources; r++)
		pending[r] = fl_sat_add(pending[r], more_pending[r]);
}

/* Nodes have what their LocalQueues have; those above them that of all below, unless they take no part. */
static void sum_up(struct queues *q, uint32_t (*own)[COUNTED], fl_amount *own_pending)
{
	size_t n_resources = q->m->n_resources;

	for (uint32_t i = 0; i < q->m->n_queues; i++) {
		struct fl_node n = q->m->queues[i].cluster_queue;

		if (n.v != FL_NONE)
			add_row(q, own[n.v], own_pending + n.v * n_resources, q->of_queue[i],
				q->pending_of_queue + i * n_resources);
	}
	for (uint32_t i = 0; i < q->m->n_nodes; i++) {
		add_row(q, own[i], own_pending + i * n_resources, q->of_node[i],
			q->pending + i * n_resources);
		memset(q->of_node[i], 0, sizeof q->of_node[i]);
	}
	memset(q->pending, 0, q->m->n_nodes * n_resources * sizeof *q->pending);
	for (uint32_t i = 0; i < q->m->n_nodes; i++)
		for (struct fl_node n = { i };
		     n.v != FL_NONE && q->m->nodes[n.v].inactive == FL_ACTIVE;
		     n = q->m->nodes[n.v].parent)
			add_row(q, q->of_node[n.v], q->pending + n.v * n_resources, own[i],
				own_pending + i * n_resources);
}

/* Looked up once for each name: there are few names and many jobs. */
static int count(struct queues *q, fairlead_error *err)
{
	struct placed *places = NULL;
	uint32_t cap = 0, (*own)[COUNTED];
	fl_amount *own_pending;
	int code = 0;

	if (!FL_NEW(&q->made->arena, own, q->m->n_nodes + (size_t)1, err) ||
	    !FL_NEW(&q->made->arena, own_pending,
		    (q->m->n_nodes + (size_t)1) * (q->m->n_resources + (size_t)1), err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < q->view.n_jobs && code == 0; i++) {
		const struct fl_live *job = &q->view.jobs[i];
		uint32_t old = cap;

		if (fl_job_is_over(job->state))
			continue;
		code = fl_mem_grow(&fl_mem_heap, &places, &cap, job->queue.v + 1, sizeof *places,
				   err);
		if (code < 0)
			break;
		for (; old < cap; old++)
			places[old].known = false;

		struct placed *at = &places[job->queue.v];

		if (!at->known)
			place(q, fl_daemon_word(q->call->api->daemon, job->queue), &at->queue,
			      &at->node);
		at->known = true;
		count_job(q, job, at);
	}
	fl_mem_free(&fl_mem_heap, places);
	sum_up(q, own, own_pending);
	return code;
}

static int note_condition(void *user, const struct fl_condition_row *row, fairlead_error *err)
{
	struct queues *q = user;
	char key[600];
	json_t *list;

	/* Conditions that report a good state are left out. */
	if (!row->text || !*row->text)
		return 0;
	(void)snprintf(key, sizeof key, "%s/%s", row->kind, row->name);
	list = json_object_get(q->made->conditions, key);
	if (!list && json_object_set_new(q->made->conditions, key, list = json_array()) != 0)
		return fl_fail_nomem(err);
	return json_array_append_new(list, json_string(row->text)) == 0 ? 0 : fl_fail_nomem(err);
}

/* --- rows --- */

static double share_of(const struct queues *q, struct fl_node n)
{
	if (q->m->nodes[n.v].inactive != FL_ACTIVE)
		return (double)NAN;
	return q->face->share(&q->view, q->stand, n);
}

static const char *copy(struct queues *q, const char *text, fairlead_error *err)
{
	char *ret = fl_arena_alloc(&q->made->arena, strlen(text) + 1, 1, err);

	return ret ? strcpy(ret, text) : NULL;
}

/* The first @n of q->amounts, for good. */
static const struct fl_queue_amounts *keep(struct queues *q, uint32_t n, fairlead_error *err)
{
	struct fl_queue_amounts *ret = fl_arena_alloc(&q->made->arena, n, sizeof *ret, err);

	for (uint32_t i = 0; ret && i < n; i++) {
		ret[i] = q->amounts[i];
		ret[i].resource = copy(q, ret[i].resource, err);
		if (!ret[i].resource)
			return NULL;
	}
	return ret;
}

/* What all of them have; the name to submit by, if one can; whether the user that asks may. */
static int finish(struct queues *q, struct fl_queue_answer *one, struct fl_node parent,
		  const uint32_t counts[COUNTED], fairlead_error *err)
{
	struct fl_sym namespace, queue;
	char key[600];

	(void)snprintf(key, sizeof key, "%s/%s", one->kind, one->name);
	one->conditions = json_object_get(q->made->conditions, key);
	one->running = counts[RUNNING];
	one->waiting = counts[WAITING];
	one->held = counts[HELD];
	one->submit = strcmp(one->kind, "Cohort") != 0 &&
		      fl_config_queue(q->m, one->name, &namespace, &queue, NULL) == 0;
	one->may_use = one->submit && fl_access_may_submit(q->call->api->access, &q->call->r->who,
							   fl_model_text(q->m, namespace),
							   fl_model_text(q->m, queue), NULL);
	one->name = copy(q, one->name, err);
	if (parent.v != FL_NONE)
		one->parent = copy(q, fl_report_node(q->m, parent), err);
	one->resources = keep(q, one->n_resources, err);
	return one->name && (one->parent || parent.v == FL_NONE) && one->resources ?
		       0 :
		       FAIRLEAD_ENOMEM;
}

static int add_node(struct queues *q, struct fl_node n, fairlead_error *err)
{
	const struct fl_node_row *row = &q->m->nodes[n.v];
	const fl_amount *pending = q->pending + (size_t)n.v * q->m->n_resources;
	struct fl_queue_answer *one = &q->made->answer.queues[q->made->answer.n++];

	*one = (struct fl_queue_answer){
		.name = fl_report_node(q->m, n),
		.kind = fl_report_kind(q->m, n),
		.weight = row->weight,
		.share = share_of(q, n),
		.n_resources = q->face->resources(q->stand, n, pending, q->amounts),
	};
	return finish(q, one, row->parent, q->of_node[n.v], err);
}

static int add_local_queue(struct queues *q, uint32_t i, fairlead_error *err)
{
	const struct fl_queue_row *row = &q->m->queues[i];
	const fl_amount *pending = q->pending_of_queue + (size_t)i * q->m->n_resources;
	struct fl_queue_answer *one = &q->made->answer.queues[q->made->answer.n++];
	struct fl_sym namespace, queue;
	char name[600];

	(void)snprintf(name, sizeof name, "%s", fl_model_text(q->m, row->name));
	if (fl_config_queue(q->m, name, &namespace, &queue, NULL) < 0)
		(void)snprintf(name, sizeof name, "%s/%s", fl_model_text(q->m, row->namespace),
			       fl_model_text(q->m, row->name));
	*one = (struct fl_queue_answer){
		.name = name,
		.kind = "LocalQueue",
		.namespace = copy(q, fl_model_text(q->m, row->namespace), err),
		.weight = row->weight,
		.share = (double)NAN,
	};
	for (uint32_t r = 0; r < q->m->n_resources; r++) {
		struct fl_queue_amounts *to = &q->amounts[one->n_resources];

		if (!pending[r])
			continue;
		*to = (struct fl_queue_amounts){
			.resource = fl_report_resource(q->m, (struct fl_resource){ r }),
		};
		fl_daemon_amount(to->resource, pending[r], to->pending);
		one->n_resources++;
	}
	return one->namespace ? finish(q, one, row->cluster_queue, q->of_queue[i], err) :
				FAIRLEAD_ENOMEM;
}

/* --- the answer --- */

static int gather(struct queues *q, fairlead_error *err)
{
	size_t nodes = q->m->n_nodes + 1, locals = q->m->n_queues + 1;
	size_t resources = q->m->n_resources + FL_BUNDLE;
	struct fl_arena *arena = &q->made->arena;
	int code;

	if (!FL_NEW(arena, q->of_node, nodes, err) || !FL_NEW(arena, q->of_queue, locals, err) ||
	    !FL_NEW(arena, q->pending, nodes * resources, err) ||
	    !FL_NEW(arena, q->pending_of_queue, locals * resources, err) ||
	    !FL_NEW(arena, q->amounts, resources, err) ||
	    !FL_NEW(arena, q->made->answer.queues, nodes + locals, err))
		return FAIRLEAD_ENOMEM;
	q->made->conditions = json_object();
	if (!q->made->conditions)
		return fl_fail_nomem(err);
	code = count(q, err);
	if (code == 0)
		code = fl_store_conditions(q->call->api->daemon->store, note_condition, q, err);
	return code < 0 ? code : q->face->look(&q->view, arena, &q->stand, err);
}

int fl_api_queues_look(struct fl_call *call, struct fl_api_queues *ret, fairlead_error *err)
{
	struct queues q = { .call = call, .made = ret };
	struct fl_queues_answer *a = &ret->answer;
	int code;

	*ret = (struct fl_api_queues){ 0 };
	fl_daemon_view(call->api->daemon, &q.view);
	q.m = q.view.model;
	q.face = fl_daemon_face_of(q.view.ops);
	fl_arena_init(&ret->arena, &fl_mem_heap);
	code = gather(&q, err);
	for (uint32_t n = 0; n < q.m->n_nodes && code == 0; n++)
		code = add_node(&q, (struct fl_node){ n }, err);
	for (uint32_t i = 0; i < q.m->n_queues && code == 0; i++)
		code = add_local_queue(&q, i, err);
	if (code < 0)
		return code;
	a->n_nodes = q.m->n_nodes;
	a->policy = q.view.ops->name;
	a->now = fl_api_wall(call->api, q.view.now);
	a->warning = fl_daemon_warning(call->api->daemon);
	a->n_total = q.face->total ? q.face->total(q.stand, q.amounts) : 0;
	a->total = keep(&q, a->n_total, err);
	return a->total ? 0 : FAIRLEAD_ENOMEM;
}

void fl_api_queues_done(struct fl_api_queues *q)
{
	json_decref(q->conditions);
	fl_arena_done(&q->arena);
}

static void answer(struct fl_call *call, const struct fl_json_shape *shape)
{
	struct fl_api_queues all;
	fairlead_error err = { 0 };

	if (fl_api_is_known(call))
		return;
	if (fl_api_queues_look(call, &all, &err) == 0) {
		fl_filter_queues(call->sees, &all.answer);
		fl_api_answer(call, 200, shape, &all.answer);
	} else {
		fl_api_error(call, &err);
	}
	fl_api_queues_done(&all);
}

void fl_api_queues(struct fl_call *call) { answer(call, &fl_queues_shape); }
void fl_api_shares(struct fl_call *call) { answer(call, &fl_shares_shape); }
