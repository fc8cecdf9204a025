/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/sees.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/agreement.h"
#include "daemon/api/ask/ask.h"
#include "daemon/api/history/events.h"
#include "daemon/api/job/jobs.h"
#include "daemon/api/job/list.h"
#include "daemon/api/job/pending.h"
#include "daemon/api/openapi.h"
#include "daemon/api/page.h"
#include "daemon/api/queues.h"
#include "daemon/api/state.h"
#include "daemon/api/tokens.h"
#include "daemon/engine/daemon.h"

/* --- what is needed --- */

/* What an answer needs; NAMES: nothing, and has names, of which it leaves some out itself. */
enum need { NOTHING, NAMES, CLUSTER_QUEUES, ITS_JOB, ITS_WORKLOAD, ITS_NAMESPACE, ALL };

static enum need need_of(const struct fl_call *call)
{
	static const struct {
		void (*handler)(struct fl_call *call);
		enum need need;
	} needs[] = {
		{ fl_api_whoami, NOTHING },
		{ fl_api_openapi, NOTHING },
		{ fl_api_page_code, NOTHING },
		{ fl_api_page_token, NOTHING },
		{ fl_api_page_end, NOTHING },
		{ fl_api_page_relay, NOTHING },
		{ fl_api_health, NOTHING },
		{ fl_api_plan, NAMES },
		{ fl_api_queues, NAMES },
		{ fl_api_jobs, NAMES },
		{ fl_api_events, NAMES },
		{ fl_api_agreement, NAMES },
		{ fl_api_tree, CLUSTER_QUEUES },
		{ fl_api_shares, CLUSTER_QUEUES },
		{ fl_api_metrics, CLUSTER_QUEUES },
		{ fl_api_job, ITS_JOB },
		{ fl_api_explain, ITS_WORKLOAD },
		{ fl_api_explain_workload, ITS_WORKLOAD },
		{ fl_api_pending_of_local_queue, ITS_NAMESPACE },
	};

	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (needs[i].handler == call->route->handler)
			return needs[i].need;
	return ALL;
}

static int ask_row(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	*(char **)user = row->queue ? strdup(row->queue) : NULL;
	return 0;
}

/* --- asking --- */

struct seeing {
	struct fl_call call;
	void (*serve)(struct fl_call *call);
};

static void seen(void *user, int code, const struct fl_principal *who, const struct fl_sees *sees,
		 const fairlead_error *err)
{
	struct seeing *s = user;
	struct fl_call call = s->call;
	void (*serve)(struct fl_call * call) = s->serve;

	free(s);
	if (code < 0) {
		if (code == FAIRLEAD_ESTATE)
			fl_api_fail(&call, 401, err->text, err->hint);
		else
			fl_api_error(&call, err);
		return;
	}
	struct fl_principal *caller = &((struct fl_http_request *)(uintptr_t)call.r)->who;
	uint32_t page = caller->page;

	*caller = *who;
	caller->page = page;
	call.sees = sees->limited ? sees : NULL;
	serve(&call);
}

struct namespaces {
	const char *names[FL_PEOPLE_NAMESPACES];
	uint32_t n;
};

static void add_namespace(struct namespaces *all, const char *name)
{
	uint32_t k = 0;

	while (k < all->n && strcmp(all->names[k], name) != 0)
		k++;
	if (k == all->n && all->n < FL_PEOPLE_NAMESPACES)
		all->names[all->n++] = name;
}

/* The namespace that a text begins with, up to a '/', when it has Workloads. */
static void add_named(struct namespaces *all, const struct fl_model *m, const char *text)
{
	const struct fl_sym name = fl_names_find(&m->names, text, strcspn(text, "/"));

	for (uint32_t i = 0; i < m->n_queues; i++)
		if (m->queues[i].namespace.v == name.v) {
			add_namespace(all, fl_model_text(m, name));
			return;
		}
}

/* All with Workloads, those first that the request names; what is beyond the room stays hidden. */
static void add_all(struct namespaces *all, const struct fl_call *call, const struct fl_model *m)
{
	static const char *const naming[] = { "queue", "user" };

	for (size_t i = 0; i < sizeof naming / sizeof *naming; i++)
		if (fl_request_argument(call->r, naming[i]))
			add_named(all, m, fl_request_argument(call->r, naming[i]));
	for (uint32_t i = 0; i < m->n_queues; i++)
		add_namespace(all, fl_model_text(m, m->queues[i].namespace));
}

/* That of a job that is over. */
static void add_of_job(struct namespaces *all, const struct fl_call *call, const struct fl_model *m)
{
	char *queue = NULL;

	if (fl_api_row(call, ask_row, &queue, NULL) == 0 && queue)
		add_named(all, m, queue);
	free(queue);
}

/* Each is one request to the API server: only those whose names the answer may have, or that it needs. */
static void find_namespaces(const struct fl_call *call, const struct fl_live *job,
			    const struct fl_model *m, struct namespaces *ret)
{
	const enum need need = need_of(call);

	if (need == ITS_NAMESPACE)
		add_named(ret, m, call->place.parts[0].text);
	else if (need == ITS_JOB && !job)
		add_of_job(ret, call, m);
	else if (need == NAMES || need == CLUSTER_QUEUES || (need != ALL && job))
		add_all(ret, call, m);
}

void fl_api_see(const struct fl_call *call, void (*serve)(struct fl_call *call))
{
	struct fl_people *people = call->api->options.people;
	const struct fl_daemon *daemon = call->api->daemon;
	struct namespaces all = { .n = 0 };
	struct fl_people_question q = { .who = call->r->who, .namespaces = all.names };
	const struct fl_live *job = call->job ? fl_daemon_job(daemon, call->job) : NULL;
	struct seeing *s = calloc(1, sizeof *s);
	struct fl_live_view view;

	if (!s) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	*s = (struct seeing){ *call, serve };
	fl_daemon_view(daemon, &view);
	find_namespaces(call, job, view.model, &all);
	q.needs_queues = need_of(call) == CLUSTER_QUEUES;
	q.needs_one = job != NULL;
	q.kai = fl_model_dialect(view.model) == FL_DIALECT_KAI;
	q.n = all.n;
	if (job)
		(void)daemon->ops->named(daemon, job, &q.namespace, &q.name);
	people->ask(people, &q, seen, s);
}

/* --- what is allowed --- */

/* A job, which may be over. */
static bool sees_job(const struct fl_call *call)
{
	char *queue = NULL;
	bool sees = call->sees->one;

	if (!sees && fl_api_row(call, ask_row, &queue, NULL) == 0)
		sees = queue && fl_sees_inside(call->sees, queue);
	free(queue);
	return sees;
}

static bool refuse(const struct fl_call *call, enum need need)
{
	static const struct {
		unsigned status;
		const char *text, *hint;
	} refusals[] = {
		[CLUSTER_QUEUES] = { 403, "this needs the right to get ClusterQueues", NULL },
		[ITS_JOB] = { 404, "there is no such Workload that you may get", NULL },
		[ITS_WORKLOAD] = { 404, "there is no such Workload that you may get", NULL },
		[ITS_NAMESPACE] = { 404,
				    "there is no such LocalQueue with Workloads that you may get",
				    NULL },
		[ALL] = { 403,
			  "this needs the right to get Workloads of all namespaces, and ClusterQueues",
			  "others are answered, with what they may get, about queues, jobs, events, "
			  "plan, agreement, and /v1/workloads/NAMESPACE/NAME/explain" },
	};

	fl_api_fail(call, refusals[need].status, refusals[need].text, refusals[need].hint);
	return false;
}

bool fl_api_may_see(const struct fl_call *call)
{
	const enum need need = call->sees ? need_of(call) : NOTHING;
	char namespace[FL_API_NAME];
	bool may = need == NOTHING || need == NAMES;

	if (need == CLUSTER_QUEUES)
		may = call->sees->queues;
	if (need == ITS_JOB)
		may = sees_job(call);
	if (need == ITS_WORKLOAD)
		may = call->sees->one;
	if (need == ITS_NAMESPACE) {
		fl_api_name_in_path(call, 0, namespace);
		may = fl_sees_namespace(call->sees, namespace);
	}
	/* An estimate is made of jobs of all namespaces, and is not asked for. */
	if (need == ITS_WORKLOAD && may && fl_api_flag(call, "eta"))
		return refuse(call, ALL);
	return may || refuse(call, need);
}

/* --- hiding --- */

static int word(struct fl_model *m, const char *text, struct fl_sym *ret, fairlead_error *err)
{
	return fl_model_sym(m, text, strlen(text), ret, err);
}

static int hide_nodes(struct fl_model *m, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < m->n_nodes && r == 0; i++)
		r = word(m, m->nodes[i].kind == FL_COHORT ? "hidden-cohort" : "hidden-queue",
			 &m->nodes[i].name, err);
	return r;
}

static int hide_workload(struct fl_model *m, struct fl_workload_row *row, fairlead_error *err)
{
	const struct fl_node node = row->admitted_queue.v != FL_NONE ? row->admitted_queue :
								       row->cluster_queue;
	char name[300];
	int r;

	(void)snprintf(name, sizeof name, "of-%s",
		       node.v == FL_NONE ? "no-queue" : fl_model_text(m, m->nodes[node.v].name));
	r = word(m, "hidden", &row->namespace, err);
	if (r == 0)
		r = word(m, name, &row->name, err);
	row->owner_job.v = FL_NONE;
	return r;
}

/* Nodes are apart from each other, and nothing more is seen of them. */
static int hide_machines(struct fl_model *m, fairlead_error *err)
{
	char text[32];
	int r = 0;

	for (uint32_t i = 0; i < m->n_machines && r == 0; i++) {
		(void)snprintf(text, sizeof text, "hidden-node-%u", i + 1);
		r = word(m, text, &m->machines[i].name, err);
	}
	return r;
}

int fl_api_hide(const struct fl_call *call, const struct fl_live_view *view, fairlead_error *err)
{
	const struct fl_sees *s = call->sees;
	struct fl_model *m = (struct fl_model *)(uintptr_t)view->model; /* of this copy alone */
	const struct fl_live *job = call->job ? fl_daemon_job(call->api->daemon, call->job) : NULL;
	const uint32_t own = job && s && s->one ? job->workload.v : FL_NONE;
	int r = 0;

	if (!s)
		return 0;
	if (!s->queues)
		r = hide_nodes(m, err);
	if (r == 0)
		r = hide_machines(m, err);
	for (uint32_t w = 0; w < m->n_workloads && r == 0; w++)
		if (w != own && !fl_sees_namespace(s, fl_model_text(m, m->workloads[w].namespace)))
			r = hide_workload(m, &m->workloads[w], err);
	for (uint32_t i = 0; i < m->n_queues && r == 0; i++)
		if (!fl_sees_namespace(s, fl_model_text(m, m->queues[i].namespace))) {
			r = word(m, "hidden", &m->queues[i].namespace, err);
			if (r == 0)
				r = word(m, "hidden-queue", &m->queues[i].name, err);
		}
	for (uint32_t i = 0; i < m->n_evictions && r == 0; i++) {
		struct fl_eviction_row *e = &m->evictions[i];

		e->preemptor = e->preemptor_job = (struct fl_sym){ 0 };
		if (!s->queues)
			e->preemptor_path = (struct fl_sym){ 0 };
	}
	return r;
}
