/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/barrier.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/progress.h"
#include "kube/reflect.h"

enum { LOOK = 100 /* ms between two looks at the time */ };

/* A kind that is watched. */
struct side {
	struct barrier *all;
	struct fl_kube_reflector *reflector;
	fairlead_error trouble; /* while it lasts; code 0: none */
};

struct barrier {
	struct fl_reach *reach;
	const struct fl_handing *tree;
	struct side queues, workloads;
	bool *stopped; /* by queue of the tree */
	/* "namespace/name" of Workloads that hold or held quota in the tree, and whether they do. */
	struct fl_names seen;
	bool *holds;
	uint32_t cap_holds;
	bool listed; /* Workloads, at least once */
	uint64_t began, quiet_since, last;
	uint32_t late;
	char newest[FL_REPORT_NAME]; /* the last one that came late */
	struct fl_ticker ticker;
	bool over, failed;
	fairlead_error error;
};

static uint64_t now(const struct barrier *b) { return uv_now(&b->reach->loop); }

static void fail(struct barrier *b, const fairlead_error *err)
{
	b->error = *err;
	b->failed = b->over = true;
	uv_stop(&b->reach->loop);
}

/* The place of the queue @name in the tree; FL_NONE: it is not there, or not kept from Kueue. */
static uint32_t queue_of(const struct barrier *b, const char *name)
{
	for (uint32_t i = 0; name && i < b->tree->n_queues; i++)
		if (strcmp(b->tree->queues[i].name, name) == 0)
			return fl_marked_held(b->tree->queues[i].now) ? i : FL_NONE;
	return FL_NONE;
}

/* The condition of @kind; NULL. */
static const json_t *condition(const json_t *body, const char *kind)
{
	const json_t *all = json_object_get(json_object_get(body, "status"), "conditions"), *one;
	size_t i;

	json_array_foreach(all, i, one)
	{
		const char *type = json_string_value(json_object_get(one, "type"));

		if (type && strcmp(type, kind) == 0)
			return one;
	}
	return NULL;
}

static bool says(const json_t *body, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(body, key));

	return text && strcmp(text, word) == 0;
}

/* --- queues --- */

/* "references inactive AdmissionCheck(s): a,fairlead." */
static bool names_check(const json_t *active)
{
	static const char head[] = "AdmissionCheck(s): ", name[] = FL_CHECK_NAME;
	const char *text = json_string_value(json_object_get(active, "message"));

	while (text && (text = strstr(text, head))) {
		for (text += strlen(head);; text++) {
			const size_t len = strcspn(text, ",. ");

			if (len == strlen(name) && strncmp(text, name, len) == 0)
				return true;
			text += len;
			if (*text != ',')
				break;
		}
	}
	return false;
}

static int on_queue(void *user, enum fl_kube_what what, const struct fl_kube_object *object)
{
	struct barrier *b = ((struct side *)user)->all;
	uint32_t i = queue_of(b, object->name);
	json_t *body;

	if (i == FL_NONE || !object->json)
		return 0;
	body = json_loadb(object->json, object->len, 0, NULL);
	const json_t *active = condition(body, "Active");
	const bool checked = fl_marked_checked(b->tree->queues[i].now);
	const bool stopped = what == FL_KUBE_ENDED || (says(active, "status", "False") &&
						       (says(active, "reason", "Stopped") ||
							says(active, "reason", "Terminating") ||
							(checked && names_check(active))));
	if (stopped && !b->stopped[i])
		b->quiet_since = now(b);
	b->stopped[i] = stopped;
	json_decref(body);
	return 0;
}

/* --- Workloads --- */

static bool holds_in_tree(const struct barrier *b, const struct fl_kube_object *object)
{
	json_t *body = object->json ? json_loadb(object->json, object->len, 0, NULL) : NULL;
	const json_t *admission = json_object_get(json_object_get(body, "status"), "admission");
	const char *queue = json_string_value(json_object_get(admission, "clusterQueue"));
	const bool ret = queue_of(b, queue) != FL_NONE &&
			 says(condition(body, "QuotaReserved"), "status", "True") &&
			 !says(condition(body, "Finished"), "status", "True");

	json_decref(body);
	return ret;
}

static int see(struct barrier *b, const char *name, bool holds, fairlead_error *err)
{
	struct fl_sym sym;
	int rc = holds ? fl_names_add(&b->seen, name, strlen(name), &sym, err) : 0;

	if (!holds)
		sym = fl_names_find(&b->seen, name, strlen(name));
	if (rc < 0 || sym.v == FL_NONE)
		return rc;
	uint32_t had = b->cap_holds;
	rc = fl_mem_grow(&fl_mem_heap, &b->holds, &b->cap_holds, sym.v + 1, sizeof *b->holds, err);
	if (rc < 0)
		return rc;
	if (b->cap_holds > had)
		memset(b->holds + had, 0, b->cap_holds - had);
	if (holds && !b->holds[sym.v] && b->listed) {
		b->late++;
		b->quiet_since = b->last = now(b);
		(void)snprintf(b->newest, sizeof b->newest, "%s", name);
	}
	b->holds[sym.v] = holds;
	return 0;
}

static int on_workload(void *user, enum fl_kube_what what, const struct fl_kube_object *object)
{
	struct barrier *b = ((struct side *)user)->all;
	fairlead_error err = { 0 };
	char name[FL_REPORT_NAME];

	(void)snprintf(name, sizeof name, "%s/%s", object->namespace, object->name);
	int rc = see(b, name, what == FL_KUBE_SEEN && holds_in_tree(b, object), &err);
	if (rc < 0)
		fail(b, &err);
	return rc;
}

static void on_listed(void *user, const char *resource_version)
{
	struct barrier *b = ((struct side *)user)->all;

	(void)resource_version;
	if (!b->listed)
		b->quiet_since = now(b);
	b->listed = true;
}

/* --- both --- */

static void on_troubled(void *user, const struct fl_kube_trouble *trouble)
{
	struct side *side = user;

	if (!trouble) {
		side->trouble.code = 0;
		side->all->quiet_since = now(side->all); /* what came meanwhile is told only now */
		return;
	}
	side->trouble = trouble->error;
	if (trouble->status == 403)
		fail(side->all, &side->trouble);
}

/* NULL: what was told is how it is. */
static const fairlead_error *trouble_of(const struct barrier *b)
{
	return b->queues.trouble.code < 0    ? &b->queues.trouble :
	       b->workloads.trouble.code < 0 ? &b->workloads.trouble :
					       NULL;
}

/* --- time --- */

static uint32_t count_stopped(const struct barrier *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->tree->n_queues; i++)
		n += b->stopped[i];
	return n;
}

static void give_up(struct barrier *b)
{
	fairlead_error err = { 0 };
	uint32_t stopped = count_stopped(b), first = 0;

	while (first < b->tree->n_queues && b->stopped[first])
		first++;
	if (trouble_of(b))
		err = *trouble_of(b);
	else if (stopped < b->tree->n_queues)
		fl_fail(&err, FAIRLEAD_ESTATE,
			"%" PRIu32 " of %" PRIu32
			" ClusterQueues do not say after %d s that they are stopped, such as %s",
			b->tree->n_queues - stopped, b->tree->n_queues, FL_BARRIER_MOST / 1000,
			b->tree->queues[first].name);
	else
		fl_fail(&err, FAIRLEAD_ESTATE,
			"new reservations still come after %d s: %" PRIu32
			" so far, the last one of %s",
			FL_BARRIER_MOST / 1000, b->late, b->newest);
	fail(b, &err);
}

static void on_look(uv_timer_t *timer)
{
	struct barrier *b = timer->data;
	const uint32_t stopped = count_stopped(b), all = b->tree->n_queues;
	const uint64_t quiet = now(b) - b->quiet_since;

	if (b->listed && stopped == all && !trouble_of(b) && quiet >= FL_BARRIER_QUIET) {
		b->over = true;
		uv_stop(&b->reach->loop);
		return;
	}
	if (now(b) - b->began >= FL_BARRIER_MOST) {
		give_up(b);
		return;
	}
	if (stopped < all)
		fl_ticker_show(&b->ticker,
			       "waits for Kueue: %" PRIu32 " of %" PRIu32 " queues are stopped",
			       stopped, all);
	else
		fl_ticker_show(&b->ticker,
			       "waits for quiet: no reservation for %" PRIu64 " of %d s",
			       quiet / 1000, FL_BARRIER_QUIET / 1000);
}

/* --- the whole --- */

static int watch(struct barrier *b, const char *plural, const struct fl_kube_listener *listener,
		 struct side *side, fairlead_error *err)
{
	const struct fl_kube_source source = { .group = "kueue.x-k8s.io",
					       .versions = { "v1beta2", "v1beta1" },
					       .plural = plural };

	side->all = b;
	return fl_kube_reflect(b->reach->client, &source, listener, side, &side->reflector, err);
}

static int begin(struct barrier *b, fairlead_error *err)
{
	static const struct fl_kube_listener queues = { .object = on_queue,
							.troubled = on_troubled };
	static const struct fl_kube_listener workloads = { .object = on_workload,
							   .listed = on_listed,
							   .troubled = on_troubled };
	int rc = fl_names_init(&b->seen, &fl_mem_heap, err);

	if (rc < 0)
		return rc;
	b->stopped = fl_mem_zeroed(&fl_mem_heap, b->tree->n_queues, sizeof *b->stopped, err);
	if (!b->stopped)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < b->tree->n_queues; i++)
		b->stopped[i] = !fl_marked_held(b->tree->queues[i].now);
	uv_update_time(&b->reach->loop);
	b->began = b->quiet_since = now(b);
	rc = watch(b, "clusterqueues", &queues, &b->queues, err);
	return rc < 0 ? rc : watch(b, "workloads", &workloads, &b->workloads, err);
}

static void done(struct barrier *b)
{
	fl_kube_reflector_free(b->queues.reflector);
	fl_kube_reflector_free(b->workloads.reflector);
	fl_names_done(&b->seen);
	(void)fl_mem_free(&fl_mem_heap, b->holds);
	(void)fl_mem_free(&fl_mem_heap, b->stopped);
}

static void turn(struct barrier *b)
{
	uv_timer_t timer = { .data = b };

	(void)uv_timer_init(&b->reach->loop, &timer);
	timer.data = b;
	(void)uv_timer_start(&timer, on_look, LOOK, LOOK);
	fl_ticker_begin(&b->ticker);
	while (!b->over)
		uv_run(&b->reach->loop, UV_RUN_DEFAULT);
	fl_ticker_end(&b->ticker);
	uv_close((uv_handle_t *)&timer, NULL);
	uv_run(&b->reach->loop, UV_RUN_NOWAIT);
}

int fl_handing_wait(struct fl_reach *r, const struct fl_handing *t, struct fl_barrier_end *ret,
		    fairlead_error *err)
{
	struct barrier b = { .reach = r, .tree = t };
	int rc = t->n_queues ? begin(&b, err) : 0;

	if (rc == 0 && t->n_queues)
		turn(&b);
	if (rc == 0 && b.failed) {
		*err = b.error;
		rc = err->code;
	}
	*ret = (struct fl_barrier_end){ b.late, b.late ? b.last - b.began : 0 };
	done(&b);
	return rc;
}
