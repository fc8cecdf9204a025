/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/job/pending.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "report/job/visibility.h"

enum { ITEMS = 1000 /* unless asked for more or less, as there */ };

struct summary {
	struct fl_call *call;
	struct fl_live_view view;
	struct fl_arena arena;
	struct fl_node node;
	uint32_t local; /* only those of this LocalQueue, a row of the model; FL_NONE: all */
	uint64_t offset, limit;
	uint32_t *passed; /* by LocalQueue, the last: none; how many came before */
	struct fl_visible_answer *items;
	uint32_t n;
};

static void tell(struct summary *s, const struct fl_live_pending *at, uint32_t local,
		 uint32_t position)
{
	const struct fl_model *m = s->view.model;
	const struct fl_queue_row *queue = local == FL_NONE ? NULL : &m->queues[local];
	const struct fl_workload_row *w =
		&m->workloads[fl_daemon_job(s->call->api->daemon, at->job)->workload.v];
	fl_time created = fl_api_wall(s->call->api, at->submitted);
	struct fl_visible_answer *one = &s->items[s->n++];

	*one = (struct fl_visible_answer){
		.namespace = fl_model_text(m, queue ? queue->namespace : w->namespace),
		.local_queue = queue ? fl_model_text(m, queue->name) : "",
		.created = created == FL_TIME_NONE ? created : created - created % FL_SECOND,
		.priority = at->priority,
		.in_cluster_queue = position,
		.in_local_queue = s->passed[local == FL_NONE ? m->n_queues : local],
	};
	(void)snprintf(one->name, sizeof one->name, "%" PRIu64, at->job);
}

/* Positions count all jobs of the queue, also those that are not told. */
static int gather(struct summary *s, fairlead_error *err)
{
	const struct fl_model *m = s->view.model;
	const struct fl_live_pending first = { s->node.v, INT32_MAX,   INT64_MIN,
					       0,         { FL_NONE }, { FL_NONE } };
	const struct fl_live_pending behind = { s->node.v,  INT32_MIN,   INT64_MAX,
						UINT64_MAX, { FL_NONE }, { FL_NONE } };
	const struct fl_live_pending *rows;
	uint64_t skipped = 0;
	uint32_t n, from;
	int code = fl_live_order_get(&s->call->api->order, &s->view,
				     fl_daemon_version(s->call->api->daemon), &rows, &n, err);

	if (code < 0)
		return code;
	from = fl_live_order_before(rows, n, &first);
	n = fl_live_order_before(rows, n, &behind) - from;
	rows += from;
	if (s->limit > n)
		s->limit = n;
	if (!FL_NEW(&s->arena, s->passed, m->n_queues + (size_t)1, err) ||
	    !FL_NEW(&s->arena, s->items, (size_t)s->limit + 1, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n && s->n < s->limit; i++) {
		const struct fl_live *job = fl_daemon_job(s->call->api->daemon, rows[i].job);
		uint32_t local = m->workloads[job->workload.v].queue.v;

		if ((s->local == FL_NONE || local == s->local) && skipped++ >= s->offset)
			tell(s, &rows[i], local, i);
		s->passed[local == FL_NONE ? m->n_queues : local]++;
	}
	return 0;
}

static void answer(struct summary *s)
{
	fairlead_error err = { 0 };

	if (!fl_api_number(s->call, "offset", 0, INT64_MAX, &s->offset) ||
	    !fl_api_number(s->call, "limit", ITEMS, FL_API_PAGE, &s->limit))
		return;
	fl_arena_init(&s->arena, &fl_mem_heap);
	if (gather(s, &err) < 0) {
		fl_api_error(s->call, &err);
	} else {
		const struct fl_visibles_answer all = { s->items, s->n };

		fl_api_answer(s->call, 200, &fl_visibles_shape, &all);
	}
	fl_arena_done(&s->arena);
}

static bool refuse(const struct fl_call *call, const char *what, const char *name)
{
	char text[400];

	(void)snprintf(text, sizeof text, "there is no %s '%.253s'", what, name);
	fl_api_fail(call, 404, text, "GET /v1/queues lists all queues");
	return false;
}

void fl_api_pending_of_cluster_queue(struct fl_call *call)
{
	struct summary s = { .call = call, .local = FL_NONE };
	char name[FL_API_NAME];

	fl_daemon_view(call->api->daemon, &s.view);
	fl_api_name_in_path(call, 0, name);
	s.node = fl_model_find_node(
		s.view.model,
		fl_model_dialect(s.view.model) == FL_DIALECT_KAI ? FL_QUEUE : FL_CLUSTER_QUEUE,
		name);
	if (s.node.v != FL_NONE || refuse(call, "queue", name))
		answer(&s);
}

void fl_api_pending_of_local_queue(struct fl_call *call)
{
	struct summary s = { .call = call };
	char namespace[FL_API_NAME], name[FL_API_NAME];
	const struct fl_model *m;

	fl_daemon_view(call->api->daemon, &s.view);
	m = s.view.model;
	fl_api_name_in_path(call, 0, namespace);
	fl_api_name_in_path(call, 1, name);

	struct fl_sym in = fl_names_find(&m->names, namespace, strlen(namespace));
	struct fl_sym is = fl_names_find(&m->names, name, strlen(name));

	s.local = in.v == FL_NONE || is.v == FL_NONE ? FL_NONE : fl_config_local_queue(m, in, is);
	if (s.local != FL_NONE)
		s.node = m->queues[s.local].cluster_queue;
	if (s.local != FL_NONE || refuse(call, "LocalQueue in that namespace", name))
		answer(&s);
}
