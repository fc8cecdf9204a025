/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/compose.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t push(struct fl_compose *o, enum fl_token_kind kind, enum fl_scalar_type type,
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

void fl_compose_end(struct fl_compose *o, uint32_t v)
{
	if (o->code == 0)
		fl_doc_end(o->doc, v);
}

uint32_t fl_compose_key(struct fl_compose *o, const char *key)
{
	return push(o, FL_TOKEN_KEY, FL_SCALAR_STRING, key);
}

uint32_t fl_compose_map(struct fl_compose *o)
{
	return push(o, FL_TOKEN_MAP, FL_SCALAR_NULL, NULL);
}
uint32_t fl_compose_list(struct fl_compose *o)
{
	return push(o, FL_TOKEN_LIST, FL_SCALAR_NULL, NULL);
}

void fl_compose_scalar(struct fl_compose *o, const char *key, enum fl_scalar_type type,
		       const char *text)
{
	uint32_t k = fl_compose_key(o, key);

	fl_compose_end(o, push(o, FL_TOKEN_SCALAR, type, text));
	fl_compose_end(o, k);
}

void fl_compose_text(struct fl_compose *o, const char *key, const char *text)
{
	if (*text)
		fl_compose_scalar(o, key, FL_SCALAR_STRING, text);
}

void fl_compose_int(struct fl_compose *o, const char *key, int64_t n)
{
	char digits[24];

	(void)snprintf(digits, sizeof digits, "%" PRId64, n);
	fl_compose_scalar(o, key, FL_SCALAR_INT, digits);
}

void fl_compose_value(struct fl_compose *o, const char *key, struct fl_kjob_value value)
{
	uint32_t k;

	if (!fl_kjob_has(value))
		return;
	k = fl_compose_key(o, key);
	if (o->code == 0)
		o->code = fl_doc_append(o->doc, value.doc, value.v, /* place= */ true, o->err);
	fl_compose_end(o, k);
}

void fl_compose_pairs(struct fl_compose *o, const char *key, const struct fl_kjob_pairs *pairs)
{
	uint32_t k, map;

	if (pairs->n == 0)
		return;
	k = fl_compose_key(o, key);
	map = fl_compose_map(o);
	for (uint32_t i = 0; i < pairs->n; i++)
		fl_compose_scalar(o, pairs->items[i].key, FL_SCALAR_STRING, pairs->items[i].value);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static bool has_pair(const struct fl_kjob_pairs *pairs, const char *key)
{
	for (uint32_t i = 0; i < pairs->n; i++)
		if (strcmp(pairs->items[i].key, key) == 0)
			return true;
	return false;
}

void fl_compose_merged(struct fl_compose *o, const char *key, struct fl_kjob_value map,
		       const struct fl_kjob_pairs *over)
{
	uint32_t k, both;

	if (!fl_kjob_is_map(map)) {
		fl_compose_pairs(o, key, over);
		return;
	}
	k = fl_compose_key(o, key);
	both = fl_compose_map(o);
	for (struct fl_kjob_value i = fl_kjob_first(map); fl_kjob_has(i); i = fl_kjob_next(map, i))
		if (o->code == 0 && !has_pair(over, fl_kjob_key(i)))
			o->code = fl_doc_append(o->doc, map.doc, i.v, /* place= */ true, o->err);
	for (uint32_t i = 0; i < over->n; i++)
		fl_compose_scalar(o, over->items[i].key, FL_SCALAR_STRING, over->items[i].value);
	fl_compose_end(o, both);
	fl_compose_end(o, k);
}

void fl_compose_owner(struct fl_compose *o, const struct fl_kjob_reference *owner)
{
	uint32_t map = fl_compose_map(o);

	fl_compose_text(o, "apiVersion", owner->api_version);
	fl_compose_text(o, "kind", owner->kind);
	fl_compose_text(o, "name", owner->name);
	fl_compose_text(o, "uid", "unknown"); /* a server wants one */
	fl_compose_scalar(o, "controller", FL_SCALAR_BOOL, owner->controller ? "true" : "false");
	fl_compose_end(o, map);
}

/* --- a pod that is not what its template says --------------------------------------------------- */

/* In thousand millionths, which the API can write of any amount. */
static void put_amount(struct fl_compose *o, const struct fl_kjob_amount *a)
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
	fl_compose_scalar(o, a->resource, FL_SCALAR_STRING, at);
}

static void put_amounts(struct fl_compose *o, const char *key,
			const struct fl_kjob_amounts *amounts)
{
	uint32_t k, map;

	if (amounts->n == 0)
		return;
	k = fl_compose_key(o, key);
	map = fl_compose_map(o);
	for (uint32_t i = 0; i < amounts->n; i++)
		put_amount(o, &amounts->items[i]);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static void put_resources(struct fl_compose *o, const struct fl_kjob_amounts *requests,
			  const struct fl_kjob_amounts *limits)
{
	uint32_t k = fl_compose_key(o, "resources"), map = fl_compose_map(o);

	put_amounts(o, "requests", requests);
	put_amounts(o, "limits", limits);
	fl_compose_end(o, map);
	fl_compose_end(o, k);
}

static void put_containers(struct fl_compose *o, const char *key,
			   const struct fl_kjob_container *all, uint32_t n)
{
	uint32_t k, list;

	if (n == 0)
		return;
	k = fl_compose_key(o, key);
	list = fl_compose_list(o);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t map = fl_compose_map(o);

		fl_compose_text(o, "name", all[i].name);
		put_resources(o, &all[i].requests, &all[i].limits);
		if (all[i].sidecar)
			fl_compose_text(o, "restartPolicy", "Always");
		fl_compose_end(o, map);
	}
	fl_compose_end(o, list);
	fl_compose_end(o, k);
}

void fl_compose_pod_spec(struct fl_compose *o, const struct fl_kjob_pod *pod)
{
	uint32_t spec, fields;

	if (!pod->rebuilt) {
		fl_compose_value(o, "spec", fl_kjob_get(pod->template, "spec"));
		return;
	}
	spec = fl_compose_key(o, "spec");
	fields = fl_compose_map(o);
	put_containers(o, "containers", pod->containers, pod->n_containers);
	put_containers(o, "initContainers", pod->init, pod->n_init);
	if (pod->has_resources)
		put_resources(o, &pod->requests, &pod->limits);
	if (pod->has_overhead)
		put_amounts(o, "overhead", &pod->overhead);
	fl_compose_pairs(o, "nodeSelector", &pod->node_selector);
	fl_compose_value(o, "tolerations", pod->tolerations);
	fl_compose_value(o, "affinity", pod->affinity);
	fl_compose_text(o, "runtimeClassName", pod->runtime_class);
	fl_compose_text(o, "priorityClassName", pod->priority_class);
	fl_compose_end(o, fields);
	fl_compose_end(o, spec);
}
