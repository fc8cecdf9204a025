/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/handover/change.h"

#include <stdio.h>
#include <string.h>

#include "cli/cluster/ask.h"

/* Kueue writes the status of a busy queue several times a second. */
enum { TRIES = 30 };

static const json_t *at(const json_t *body, const char *part, const char *key)
{
	return json_object_get(json_object_get(body, part), key);
}

/* Is it as it was when the tree was read? */
static bool is_as_read(const json_t *body, const struct fl_handing_queue *q)
{
	const char *mark = json_string_value(
		json_object_get(at(body, "metadata", "annotations"), FL_HANDED_ANNOTATION));
	const char *stop = json_string_value(at(body, "spec", "stopPolicy"));

	return json_integer_value(at(body, "metadata", "generation")) == q->generation &&
	       fl_stop_of(stop) == q->now.stop && !mark == !q->mark &&
	       (!mark || strcmp(mark, q->mark) == 0);
}

/*
 * The label by which deploy/scheduler/kueue-policy finds a queue, for as long as Kueue may still write what it decided
 * before; each queue with one makes writes of Workloads dearer. One of another value is left alone.
 */
static int put_label(json_t *patch, const json_t *body, enum fl_handed mark)
{
	const json_t *is = json_object_get(at(body, "metadata", "labels"), FL_HANDED_ANNOTATION);
	const char *between = fl_handed_word(FL_HANDED_BETWEEN);
	const bool ours = json_is_string(is) && strcmp(json_string_value(is), between) == 0;

	if (mark == FL_HANDED_BETWEEN ? is != NULL : !ours)
		return 0;
	return json_object_set_new(json_object_get(patch, "metadata"), "labels",
				   json_pack("{s:s?}", FL_HANDED_ANNOTATION,
					     ours ? NULL : between));
}

/* Those of @body without that of fairlead, and with it at the end where it shall be there. NULL: no memory. */
static json_t *checks_of(const json_t *body, bool ours)
{
	json_t *list = json_array(), *one;
	size_t i;
	int rc = list ? 0 : -1;

	json_array_foreach(json_object_get(at(body, "spec", "admissionChecksStrategy"),
					   "admissionChecks"),
			   i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));

		if (!name || strcmp(name, FL_CHECK_NAME) != 0)
			rc |= json_array_append(list, one);
	}
	if (ours)
		rc |= json_array_append_new(list, json_pack("{s:s}", "name", FL_CHECK_NAME));
	if (rc == 0)
		return list;
	json_decref(list);
	return NULL;
}

/* Its checks, and the annotation that names them: an empty list is none. */
static int put_checks(json_t *patch, const json_t *body, const struct fl_handing_queue *q,
		      struct fl_marked to)
{
	const bool ours = fl_marked_checked(to);
	json_t *list, *strategy;
	int rc;

	if (to.checks == q->now.checks)
		return 0;
	list = checks_of(body, ours);
	if (!list)
		return -1;
	strategy = json_array_size(list) ? json_pack("{s:O}", "admissionChecks", list) :
					   json_null();
	rc = json_object_set_new(json_object_get(patch, "spec"), "admissionChecksStrategy",
				 strategy);
	json_decref(list);
	return rc | json_object_set_new(
			    json_object_get(json_object_get(patch, "metadata"), "annotations"),
			    FL_CHECKS_ANNOTATION, ours ? json_string(q->checks) : json_null());
}

static json_t *make_patch(const json_t *body, const struct fl_handing_queue *q, struct fl_marked to)
{
	json_t *patch = json_pack("{s:{s:O,s:{s:s?}},s:{s:s}}", "metadata", "resourceVersion",
				  at(body, "metadata", "resourceVersion"), "annotations",
				  FL_HANDED_ANNOTATION, fl_handed_word(to.mark), "spec",
				  "stopPolicy", fl_stop_word(to.stop));

	if (patch && put_label(patch, body, to.mark) == 0 && put_checks(patch, body, q, to) == 0)
		return patch;
	json_decref(patch);
	return NULL;
}

static void add_hint(fairlead_error *err, unsigned status)
{
	if (status == 403)
		fl_fail_hint(err,
			     "doc/guide/handover.md has the ClusterRole for it: verbs get, list, "
			     "watch and patch of clusterqueues, and create of admissionchecks");
	else if (status >= 500)
		fl_fail_hint(err, "does Kueue's manager run? Its webhooks refuse each change while "
				  "it does not");
}

/* 1: it has changed since it was read. */
static int try_once(struct fl_reach *r, const struct fl_handing_queue *q, struct fl_marked to,
		    enum fl_changed *ret, fairlead_error *err)
{
	struct fl_asked asked;
	char path[400];
	json_t *patch = NULL;

	(void)snprintf(path, sizeof path, "/apis/%.80s/clusterqueues/%s", q->version, q->name);
	int rc = fl_reach_ask(r, "GET", path, NULL, NULL, &asked, err);
	*ret = rc == 0 && is_as_read(asked.body, q) ? FL_CHANGED : FL_CHANGED_MEANWHILE;
	if (rc == 0 && *ret == FL_CHANGED)
		patch = make_patch(asked.body, q, to);
	json_decref(asked.body);
	if (asked.status == 404 || (rc == 0 && *ret != FL_CHANGED))
		return 0;
	if (rc == 0 && !patch)
		return fl_fail_nomem(err);
	if (rc == 0) {
		rc = fl_reach_ask(r, "PATCH", path, "application/merge-patch+json", patch, &asked,
				  err);
		json_decref(asked.body);
	}
	if (asked.status == 409)
		return 1;
	if (rc < 0)
		add_hint(err, asked.status);
	return rc;
}

int fl_handing_change(struct fl_reach *r, const struct fl_handing_queue *q, struct fl_marked to,
		      enum fl_changed *ret, fairlead_error *err)
{
	int rc = 1;

	*ret = FL_CHANGED_NOT;
	if (fl_marked_same(q->now, to))
		return 0;
	for (int i = 0; i < TRIES && rc == 1; i++)
		rc = try_once(r, q, to, ret, err);
	if (rc <= 0)
		return rc;
	fl_fail(err, FAIRLEAD_ESTATE,
		"it is written by others all the time: %d tries were too late", TRIES);
	return FAIRLEAD_ESTATE;
}

int fl_handing_make_check(struct fl_reach *r, const struct fl_handing *t, fairlead_error *err)
{
	struct fl_asked asked;
	char path[200], api[100];
	json_t *body;
	int rc;

	if (!t->n_queues || fl_handing_controller(t, FL_CHECK_NAME, strlen(FL_CHECK_NAME)))
		return 0;
	(void)snprintf(api, sizeof api, "%.80s", t->queues[0].version);
	(void)snprintf(path, sizeof path, "/apis/%s/admissionchecks", api);
	body = json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "apiVersion", api, "kind",
			 "AdmissionCheck", "metadata", "name", FL_CHECK_NAME, "spec",
			 "controllerName", FL_CHECK_CONTROLLER);
	if (!body)
		return fl_fail_nomem(err);
	rc = fl_reach_ask(r, "POST", path, "application/json", body, &asked, err);
	json_decref(asked.body);
	if (asked.status == 201 || asked.status == 409)
		return 0;
	if (rc < 0)
		add_hint(err, asked.status);
	return rc < 0 ? fl_fail_in(err, "AdmissionCheck " FL_CHECK_NAME) : 0;
}
