/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queues - queues and cohorts as they are now: quotas, usage, running and pending jobs
 *
 * A row for each node of the tree, and one for each LocalQueue with its ClusterQueue above it.
 */
#include "daemon/api/queues.h"

#include <stdio.h>
#include <string.h>

#include "daemon/config/config.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/face.h"
#include "daemon/machine/adopt.h"
#include "daemon/machine/view.h"
#include "report/out/report.h"

enum counted { RUNNING, WAITING, HELD, COUNTED };

struct queues {
	struct fl_call *call;
	struct fl_live_view view;
	const struct fl_model *m;
	const struct fl_daemon_face *face;
	void *stand; /* the face's */
	struct fl_arena arena;
	uint32_t (*of_node)[COUNTED], (*of_queue)[COUNTED];
	fl_amount *pending; /* node * resources + resource: what pending jobs ask for */
	fl_amount *pending_of_queue;
	json_t *conditions; /* "Kind/name" -> [text] */
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

static void count_job(struct queues *q, const struct fl_live *job, const struct placed *at)
{
	enum counted as = counted_as(job->state);
	uint32_t n_resources = q->m->n_resources;

	if (at->queue != FL_NONE) {
		q->of_queue[at->queue][as]++;
		if (as == WAITING && job->workload.v != FL_NONE)
			add_pending(q, job->workload,
				    q->pending_of_queue + (size_t)at->queue * n_resources);
	}
	for (struct fl_node n = at->node; n.v != FL_NONE && q->m->nodes[n.v].inactive == FL_ACTIVE;
	     n = q->m->nodes[n.v].parent) {
		q->of_node[n.v][as]++;
		if (as == WAITING && job->workload.v != FL_NONE)
			add_pending(q, job->workload, q->pending + (size_t)n.v * n_resources);
	}
}

/* Looked up once for each name: there are few names and many jobs. */
static int count(struct queues *q, fairlead_error *err)
{
	struct placed *places = NULL;
	uint32_t cap = 0;
	int code = 0;

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
			place(q, fl_core_word(q->call->api->core, job->queue), &at->queue,
			      &at->node);
		at->known = true;
		count_job(q, job, at);
	}
	fl_mem_free(&fl_mem_heap, places);
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
	list = json_object_get(q->conditions, key);
	if (!list && json_object_set_new(q->conditions, key, list = json_array()) != 0)
		return fl_fail_nomem(err);
	return json_array_append_new(list, json_string(row->text)) == 0 ? 0 : fl_fail_nomem(err);
}

/* --- JSON --- */

static json_t *share_of(const struct queues *q, struct fl_node n)
{
	if (q->m->nodes[n.v].inactive != FL_ACTIVE)
		return json_null();
	return q->face->share(&q->view, q->stand, n);
}

static void put_counts(json_t *to, const uint32_t counts[COUNTED])
{
	json_object_set_new(to, "running", json_integer(counts[RUNNING]));
	json_object_set_new(to, "waiting", json_integer(counts[WAITING]));
	json_object_set_new(to, "held", json_integer(counts[HELD]));
}

static void put_conditions(const struct queues *q, json_t *to, const char *kind, const char *name)
{
	char key[600];
	json_t *list;

	(void)snprintf(key, sizeof key, "%s/%s", kind, name);
	list = json_object_get(q->conditions, key);
	json_object_set_new(to, "conditions", list ? json_incref(list) : json_array());
}

/* The name to submit to, if there is one, and whether the caller may use it. */
static void put_submit(const struct queues *q, json_t *to, const char *name)
{
	const struct fl_peer *peer = &q->call->r->peer;
	struct fl_sym namespace, queue;
	json_t *names = json_array();
	bool may = false;

	if (fl_config_queue(q->m, name, &namespace, &queue, NULL) == 0) {
		json_array_append_new(names, json_string(name));
		may = fl_access_may_submit(q->call->api->access, peer->uid, peer->gid,
					   fl_model_text(q->m, namespace),
					   fl_model_text(q->m, queue), NULL);
	}
	json_object_set_new(to, "submit", names);
	json_object_set_new(to, "mayUse", json_boolean(may));
}

static json_t *node_json(const struct queues *q, struct fl_node n)
{
	const struct fl_node_row *row = &q->m->nodes[n.v];
	const char *kind = fl_report_kind(q->m, n), *name = fl_report_node(q->m, n);
	json_t *one = json_pack("{s:s, s:s, s:s?, s:f, s:o}", "name", name, "kind", kind, "parent",
				row->parent.v != FL_NONE ? fl_report_node(q->m, row->parent) : NULL,
				"weight", row->weight, "share", share_of(q, n));

	json_object_set_new(one, "resources",
			    q->face->resources(q->stand, n,
					       q->pending + (size_t)n.v * q->m->n_resources));
	put_counts(one, q->of_node[n.v]);
	put_conditions(q, one, kind, name);
	if (row->kind == FL_COHORT) {
		json_object_set_new(one, "submit", json_array());
		json_object_set_new(one, "mayUse", json_false());
	} else {
		put_submit(q, one, name);
	}
	return one;
}

static json_t *local_queue_json(const struct queues *q, uint32_t i)
{
	const struct fl_queue_row *row = &q->m->queues[i];
	const fl_amount *pending = q->pending_of_queue + (size_t)i * q->m->n_resources;
	char name[600];
	json_t *one, *resources = json_object();
	struct fl_sym namespace, queue;

	(void)snprintf(name, sizeof name, "%s", fl_model_text(q->m, row->name));
	if (fl_config_queue(q->m, name, &namespace, &queue, NULL) < 0)
		(void)snprintf(name, sizeof name, "%s/%s", fl_model_text(q->m, row->namespace),
			       fl_model_text(q->m, row->name));
	for (uint32_t r = 0; r < q->m->n_resources; r++)
		if (pending[r])
			json_object_set_new(
				resources, fl_report_resource(q->m, (struct fl_resource){ r }),
				json_pack("{s:o}", "pending",
					  fl_daemon_amount(fl_report_resource(
								   q->m, (struct fl_resource){ r }),
							   pending[r])));
	one = json_pack("{s:s, s:s, s:s, s:s?, s:f, s:n, s:o}", "name", name, "kind", "LocalQueue",
			"namespace", fl_model_text(q->m, row->namespace), "parent",
			row->cluster_queue.v != FL_NONE ? fl_report_node(q->m, row->cluster_queue) :
							  NULL,
			"weight", row->weight, "share", "resources", resources);
	put_counts(one, q->of_queue[i]);
	put_conditions(q, one, "LocalQueue", name);
	put_submit(q, one, name);
	return one;
}

/* --- the answer --- */

static int gather(struct queues *q, fairlead_error *err)
{
	size_t nodes = q->m->n_nodes + 1, locals = q->m->n_queues + 1;
	int code;

	q->of_node = fl_arena_alloc(&q->arena, nodes, sizeof *q->of_node, err);
	q->of_queue = fl_arena_alloc(&q->arena, locals, sizeof *q->of_queue, err);
	q->pending = fl_arena_alloc(&q->arena, nodes * (q->m->n_resources + 1), sizeof *q->pending,
				    err);
	q->pending_of_queue = fl_arena_alloc(&q->arena, locals * (q->m->n_resources + 1),
					     sizeof *q->pending, err);
	q->conditions = json_object();
	if (!q->of_node || !q->of_queue || !q->pending || !q->pending_of_queue || !q->conditions)
		return fl_fail_nomem(err);
	code = count(q, err);
	if (code == 0)
		code = fl_store_conditions(fl_core_store(q->call->api->core), note_condition, q,
					   err);
	return code < 0 ? code : q->face->look(&q->view, &q->arena, &q->stand, err);
}

static json_t *list(const struct queues *q)
{
	json_t *all = json_array();

	for (uint32_t n = 0; n < q->m->n_nodes; n++)
		json_array_append_new(all, node_json(q, (struct fl_node){ n }));
	for (uint32_t i = 0; i < q->m->n_queues; i++)
		json_array_append_new(all, local_queue_json(q, i));
	return all;
}

static json_t *look(struct fl_call *call, json_t *(*make)(const struct queues *q), const char *key,
		    fairlead_error *err)
{
	struct queues q = { .call = call };
	json_t *ret = NULL;

	fl_core_view(call->api->core, &q.view);
	q.m = q.view.model;
	q.face = fl_daemon_face_of(q.view.ops);
	fl_arena_init(&q.arena, &fl_mem_heap);
	if (gather(&q, err) == 0) {
		ret = json_pack("{s:s, s:o, s:o, s:o, s:s*}", "policy", q.view.ops->name, "now",
				fl_api_moment(call->api, q.view.now), key, make(&q), "total",
				q.face->total ? q.face->total(q.stand) : json_object(), "warning",
				fl_core_warning(call->api->core));
		if (!ret)
			(void)fl_fail_nomem(err);
	}
	json_decref(q.conditions);
	fl_arena_done(&q.arena);
	return ret;
}

json_t *fl_api_tree_json(struct fl_call *call, fairlead_error *err)
{
	return look(call, list, "queues", err);
}

static void answer(struct fl_call *call, json_t *(*make)(const struct queues *q), const char *key)
{
	fairlead_error err = { 0 };
	json_t *all = look(call, make, key, &err);

	if (all)
		fl_api_json(call, 200, all);
	else
		fl_api_error(call, &err);
}

void fl_api_queues(struct fl_call *call) { answer(call, list, "queues"); }

static json_t *shares(const struct queues *q)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < q->m->n_nodes; i++) {
		struct fl_node n = { i };

		json_array_append_new(
			all, json_pack("{s:s, s:s, s:o}", "name", fl_report_node(q->m, n), "kind",
				       fl_report_kind(q->m, n), "share", share_of(q, n)));
	}
	return all;
}

void fl_api_shares(struct fl_call *call) { answer(call, shares, "shares"); }
