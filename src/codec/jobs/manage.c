/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is an object Kueue's?  Its integration is enabled, its namespace is selected, and no object above it
 * has the Workload.
 */
#include "codec/jobs/manage.h"

#include <string.h>

#include "codec/jobs/object/index.h"

enum { LONGEST_CHAIN = 10 }; /* of owners, as Kueue looks up */

bool fl_kjob_pods_implied(const struct fl_kjobs_run *run)
{
	const uint32_t need = 1U << FL_FRAMEWORK_DEPLOYMENT | 1U << FL_FRAMEWORK_STATEFUL_SET |
			      1U << FL_FRAMEWORK_LEADER_WORKER_SET;

	return !(run->config->frameworks >> FL_FRAMEWORK_POD & 1) &&
	       (run->config->frameworks & need) != 0;
}

bool fl_kjob_enabled(const struct fl_kjobs_run *run, uint32_t kind)
{
	if (kind >= FL_FRAMEWORKS)
		return false;
	return (run->config->frameworks >> kind & 1) != 0 ||
	       (kind == FL_FRAMEWORK_POD && fl_kjob_pods_implied(run));
}

static struct fl_kjob_value controller_of(struct fl_kjob_value object)
{
	struct fl_kjob_value list = fl_kjob_at(object, "metadata.ownerReferences");

	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (fl_kjob_true(fl_kjob_get(i, "controller")))
			return i;
	return FL_KJOB_NO_VALUE;
}

static uint32_t kind_of(struct fl_kjob_value reference)
{
	uint32_t kind = fl_kjobs_kind(fl_kjob_text(fl_kjob_get(reference, "apiVersion")),
				      fl_kjob_text(fl_kjob_get(reference, "kind")));

	return kind < FL_FRAMEWORKS || kind == FL_KJOBS_REPLICA_SET ? kind : FL_KJOBS_KINDS;
}

enum fl_kjob_above fl_kjob_ancestor(const struct fl_kjob *job, const struct fl_kjobs_row **ret)
{
	const struct fl_kjobs_run *run = job->run;
	const struct fl_kjobs_row *found = NULL;
	struct fl_kjob_value object = job->object;

	for (unsigned steps = 0;; steps++) {
		struct fl_kjob_value reference = controller_of(object);
		const struct fl_kjobs_row *owner;
		uint32_t kind;

		if (!fl_kjob_has(reference) || (kind = kind_of(reference)) == FL_KJOBS_KINDS)
			break;
		owner = fl_kjobs_find(run, kind, job->row->namespace,
				      fl_kjob_text(fl_kjob_get(reference, "name")));
		if (!owner || steps == LONGEST_CHAIN)
			return FL_KJOB_ANCESTOR_MISSING;
		if (!fl_kjob_is(fl_kjob_get(reference, "uid"), owner->uid))
			break;
		object = fl_kjob_root(&owner->doc);
		if (fl_kjob_enabled(run, kind) &&
		    (run->config->manage_without_queue ||
		     *fl_kjob_text(fl_kjob_get(fl_kjob_at(object, "metadata.labels"),
					       FL_KJOB_QUEUE_LABEL))))
			found = owner;
	}
	*ret = found;
	return found ? FL_KJOB_ANCESTOR : FL_KJOB_NO_ANCESTOR;
}

bool fl_kjob_owner_kind_managed(const struct fl_kjob *job)
{
	struct fl_kjob_value reference = controller_of(job->object);

	return fl_kjob_has(reference) && fl_kjob_enabled(job->run, kind_of(reference));
}

/* --- the namespace selector ---------------------------------------------------------------------- */

/* The label of a namespace; NULL: it has none. The API server labels each with its name. */
static const char *label_of(const struct fl_kjobs_run *run, const char *namespace, const char *key)
{
	const struct fl_kjobs_row *row = fl_kjobs_find(run, FL_KJOBS_NAMESPACE, "", namespace);
	struct fl_kjob_value label = FL_KJOB_NO_VALUE;

	if (row)
		label = fl_kjob_get(fl_kjob_at(fl_kjob_root(&row->doc), "metadata.labels"), key);
	if (fl_kjob_has(label))
		return fl_kjob_text(label);
	return strcmp(key, "kubernetes.io/metadata.name") == 0 ? namespace : NULL;
}

static bool among(struct fl_kjob_value values, const char *label)
{
	for (struct fl_kjob_value i = fl_kjob_first(values); label && fl_kjob_has(i);
	     i = fl_kjob_next(values, i))
		if (fl_kjob_is(i, label))
			return true;
	return false;
}

static bool expression_matches(const struct fl_kjobs_run *run, struct fl_kjob_value e,
			       const char *namespace)
{
	const char *label = label_of(run, namespace, fl_kjob_text(fl_kjob_get(e, "key")));
	struct fl_kjob_value operator= fl_kjob_get(e, "operator"),
			     values = fl_kjob_get(e, "values");

	if (fl_kjob_is(operator, "In"))
		return among(values, label);
	if (fl_kjob_is(operator, "NotIn"))
		return !among(values, label);
	if (fl_kjob_is(operator, "Exists"))
		return label != NULL;
	return fl_kjob_is(operator, "DoesNotExist") && !label;
}

bool fl_kjob_namespace_matches(const struct fl_kjobs_run *run, const char *namespace)
{
	struct fl_kjob_value selector = run->config->namespace_selector;
	struct fl_kjob_value labels = fl_kjob_get(selector, "matchLabels");
	struct fl_kjob_value list = fl_kjob_get(selector, "matchExpressions");

	if (!fl_kjob_has(selector))
		return strcmp(namespace, "kube-system") != 0 &&
		       strcmp(namespace, "kueue-system") != 0;
	for (struct fl_kjob_value i = fl_kjob_first(labels); fl_kjob_has(i);
	     i = fl_kjob_next(labels, i)) {
		const char *label = label_of(run, namespace, fl_kjob_key(i));

		if (!label || !fl_kjob_is(fl_kjob_of_key(i), label))
			return false;
	}
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (!expression_matches(run, i, namespace))
			return false;
	return true;
}
