/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/workload_doc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Values are appended one after another; the first error ends all of it. */
struct out {
	struct fl_doc *doc;
	uint32_t line, column;
	int code;
	fairlead_error *err;
};

static uint32_t push(struct out *o, enum fl_token_kind kind, enum fl_scalar_type type,
		     const char *text)
{
	const struct fl_token t = {
		.kind = kind,
		.type = type,
		.line = o->line,
		.column = o->column,
		.text = text,
		.len = text ? strlen(text) : 0,
	};
	uint32_t v = o->doc->n;

	if (o->code == 0)
		o->code = fl_doc_push(o->doc, &t, o->err);
	return v;
}

static void end(struct out *o, uint32_t v)
{
	if (o->code == 0)
		fl_doc_end(o->doc, v);
}

static uint32_t begin_key(struct out *o, const char *key)
{
	return push(o, FL_TOKEN_KEY, FL_SCALAR_STRING, key);
}

static uint32_t begin_map(struct out *o) { return push(o, FL_TOKEN_MAP, FL_SCALAR_NULL, NULL); }
static uint32_t begin_list(struct out *o) { return push(o, FL_TOKEN_LIST, FL_SCALAR_NULL, NULL); }

static void put(struct out *o, const char *key, enum fl_scalar_type type, const char *text)
{
	uint32_t k = begin_key(o, key);

	end(o, push(o, FL_TOKEN_SCALAR, type, text));
	end(o, k);
}

static void put_text(struct out *o, const char *key, const char *text)
{
	if (*text)
		put(o, key, FL_SCALAR_STRING, text);
}

static void put_int(struct out *o, const char *key, int64_t n)
{
	char digits[24];

	(void)snprintf(digits, sizeof digits, "%" PRId64, n);
	put(o, key, FL_SCALAR_INT, digits);
}

static void put_value(struct out *o, const char *key, struct fl_kjob_value value)
{
	uint32_t k;

	if (!fl_kjob_has(value))
		return;
	k = begin_key(o, key);
	if (o->code == 0)
		o->code = fl_doc_append(o->doc, value.doc, value.v, /* place= */ true, o->err);
	end(o, k);
}

static void put_pairs(struct out *o, const char *key, const struct fl_kjob_pairs *pairs)
{
	uint32_t k, map;

	if (pairs->n == 0)
		return;
	k = begin_key(o, key);
	map = begin_map(o);
	for (uint32_t i = 0; i < pairs->n; i++)
		put(o, pairs->items[i].key, FL_SCALAR_STRING, pairs->items[i].value);
	end(o, map);
	end(o, k);
}

/* --- a pod that is not what its template says --------------------------------------------------- */

/* In thousand millionths, which the API can write of any amount. */
static void put_amount(struct out *o, const struct fl_kjob_amount *a)
{
	char digits[48], *at = digits + sizeof digits - 1;
	fl_nanos rest = a->amount < 0 ? -a->amount : a->amount;

	*at = '\0';
	*--at = 'n';
	do {
		*--at = (char)('0' + (int)(rest % 10));
		rest /= 10;
	} while (rest > 0);
	if (a->amount < 0)
		*--at = '-';
	put(o, a->resource, FL_SCALAR_STRING, at);
}

static void put_amounts(struct out *o, const char *key, const struct fl_kjob_amounts *amounts)
{
	uint32_t k, map;

	if (amounts->n == 0)
		return;
	k = begin_key(o, key);
	map = begin_map(o);
	for (uint32_t i = 0; i < amounts->n; i++)
		put_amount(o, &amounts->items[i]);
	end(o, map);
	end(o, k);
}

static void put_resources(struct out *o, const struct fl_kjob_amounts *requests,
			  const struct fl_kjob_amounts *limits)
{
	uint32_t k = begin_key(o, "resources"), map = begin_map(o);

	put_amounts(o, "requests", requests);
	put_amounts(o, "limits", limits);
	end(o, map);
	end(o, k);
}

static void put_containers(struct out *o, const char *key, const struct fl_kjob_container *all,
			   uint32_t n)
{
	uint32_t k, list;

	if (n == 0)
		return;
	k = begin_key(o, key);
	list = begin_list(o);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t map = begin_map(o);

		put_text(o, "name", all[i].name);
		put_resources(o, &all[i].requests, &all[i].limits);
		if (all[i].sidecar)
			put_text(o, "restartPolicy", "Always");
		end(o, map);
	}
	end(o, list);
	end(o, k);
}

static void put_rebuilt(struct out *o, const struct fl_kjob_pod *pod)
{
	uint32_t k = begin_key(o, "template"), map = begin_map(o), spec = begin_key(o, "spec"),
		 fields = begin_map(o);

	put_containers(o, "containers", pod->containers, pod->n_containers);
	put_containers(o, "initContainers", pod->init, pod->n_init);
	if (pod->has_resources)
		put_resources(o, &pod->requests, &pod->limits);
	if (pod->has_overhead)
		put_amounts(o, "overhead", &pod->overhead);
	put_pairs(o, "nodeSelector", &pod->node_selector);
	put_value(o, "tolerations", pod->tolerations);
	put_value(o, "affinity", pod->affinity);
	put_text(o, "runtimeClassName", pod->runtime_class);
	put_text(o, "priorityClassName", pod->priority_class);
	end(o, fields);
	end(o, spec);
	end(o, map);
	end(o, k);
}

/* --- the object ---------------------------------------------------------------------------------- */

/* A Pod is the template of its set, and has a kind and a status that no template can have. */
static void put_template(struct out *o, struct fl_kjob_value template)
{
	uint32_t k, map;

	if (!fl_kjob_has(fl_kjob_get(template, "kind"))) {
		put_value(o, "template", template);
		return;
	}
	k = begin_key(o, "template");
	map = begin_map(o);
	put_value(o, "metadata", fl_kjob_get(template, "metadata"));
	put_value(o, "spec", fl_kjob_get(template, "spec"));
	end(o, map);
	end(o, k);
}

static void put_pod_set(struct out *o, const struct fl_kjob_pod_set *set)
{
	uint32_t map = begin_map(o);

	put_text(o, "name", set->name);
	put_int(o, "count", set->count);
	if (set->min_count >= 0)
		put_int(o, "minCount", set->min_count);
	if (set->pod.rebuilt)
		put_rebuilt(o, &set->pod);
	else
		put_template(o, set->pod.template);
	end(o, map);
}

static void put_owners(struct out *o, const struct fl_kjob_workload *w)
{
	uint32_t k = begin_key(o, "ownerReferences"), list = begin_list(o);

	for (uint32_t i = 0; i < w->n_owners; i++) {
		uint32_t map = begin_map(o);

		put_text(o, "apiVersion", w->owners[i].api_version);
		put_text(o, "kind", w->owners[i].kind);
		put_text(o, "name", w->owners[i].name);
		put(o, "controller", FL_SCALAR_BOOL, w->owners[i].controller ? "true" : "false");
		end(o, map);
	}
	end(o, list);
	end(o, k);
}

static void put_metadata(struct out *o, const struct fl_kjob_workload *w, const char *created,
			 struct fl_kjob_value annotations)
{
	uint32_t k = begin_key(o, "metadata"), map = begin_map(o);

	put_text(o, "namespace", w->namespace);
	put_text(o, "name", w->name);
	put_text(o, "creationTimestamp", created);
	put_pairs(o, "labels", &w->labels);
	put_value(o, "annotations", annotations);
	put_owners(o, w);
	end(o, map);
	end(o, k);
}

static void put_class(struct out *o, const struct fl_kjob_workload *w)
{
	uint32_t k, map;

	if (!*w->class_name)
		return;
	k = begin_key(o, "priorityClassRef");
	map = begin_map(o);
	put_text(o, "group", w->class_group);
	put_text(o, "kind", w->class_kind);
	put_text(o, "name", w->class_name);
	end(o, map);
	end(o, k);
}

static void put_spec(struct out *o, const struct fl_kjob_workload *w)
{
	uint32_t k = begin_key(o, "spec"), map = begin_map(o), sets, list;

	put_text(o, "queueName", w->queue);
	put_int(o, "priority", w->priority);
	put_class(o, w);
	if (w->inactive)
		put(o, "active", FL_SCALAR_BOOL, "false");
	if (w->time_limit)
		put_int(o, "maximumExecutionTimeSeconds", w->time_limit);
	sets = begin_key(o, "podSets");
	list = begin_list(o);
	for (uint32_t i = 0; i < w->n_pod_sets; i++)
		put_pod_set(o, &w->pod_sets[i]);
	end(o, list);
	end(o, sets);
	end(o, map);
	end(o, k);
}

/* The annotations of the job, as those that say how long it runs count for its Workload, too. */
int fl_kjob_workload_doc(const struct fl_kjob_workload *w, struct fl_kjob_value job,
			 const char *created, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_value *at = &job.doc->values[job.v];
	struct out o = { .doc = ret, .line = at->line, .column = at->column, .err = err };
	uint32_t map = begin_map(&o);

	put_text(&o, "apiVersion", "kueue.x-k8s.io/v1beta2");
	put_text(&o, "kind", "Workload");
	put_metadata(&o, w, created, fl_kjob_at(job, "metadata.annotations"));
	put_spec(&o, w);
	end(&o, map);
	return o.code;
}
