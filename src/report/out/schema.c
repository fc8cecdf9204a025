/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/schema.h"

#include <stdio.h>
#include <string.h>

#include "record/record.h"

static void set(struct fl_schema_maker *k, json_t *o, const char *key, json_t *value)
{
	k->failed |= json_object_set_new(o, key, value) < 0;
}

static void add(struct fl_schema_maker *k, json_t *list, json_t *value)
{
	k->failed |= json_array_append_new(list, value) < 0;
}

static json_t *parse(struct fl_schema_maker *k, const char *text)
{
	json_t *ret = json_loads(text, JSON_DECODE_ANY, NULL);

	k->failed |= !ret;
	return ret;
}

/* Of scalar types, in their order. */
static const char *const types[FL_SHAPE_SCALARS] = {
	[FL_AS_TEXT] = "{\"type\": \"string\"}",
	[FL_AS_BOOL] = "{\"type\": \"boolean\"}",
	[FL_AS_COUNT] = "{\"type\": \"integer\", \"minimum\": 0}",
	[FL_AS_COUNT64] = "{\"type\": \"integer\", \"minimum\": 0}",
	[FL_AS_NTH] = "{\"type\": \"integer\", \"minimum\": 1}",
	[FL_AS_INDEX] = "{\"type\": [\"integer\", \"null\"], \"minimum\": 0}",
	[FL_AS_LINE] = "{\"type\": \"array\", \"items\": {\"type\": [\"number\", \"null\"]}}",
	[FL_AS_JOB] = "{\"type\": \"integer\", \"minimum\": 1}",
	[FL_AS_WHOLE] = "{\"type\": \"integer\"}",
	[FL_AS_INT] = "{\"type\": \"integer\"}",
	[FL_AS_NUMBER] = "{\"type\": \"number\"}",
	[FL_AS_REAL] = "{\"type\": \"number\"}",
	[FL_AS_KNOWN] = "{\"type\": \"number\"}",
	[FL_AS_OR_NULL] = "{\"type\": [\"number\", \"null\"]}",
	[FL_AS_RATIO] = "{\"oneOf\": [{\"type\": \"number\"}, {\"const\": \"inf\"}]}",
	[FL_AS_BOUND] = "{\"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]}",
	[FL_AS_QUEUE] = "{\"type\": \"string\"}",
	[FL_AS_FLAVOR] = "{\"type\": \"string\"}",
	[FL_AS_RESOURCE] = "{\"type\": \"string\"}",
	[FL_AS_TIME] = "{\"type\": \"string\", \"format\": \"date-time\"}",
	[FL_AS_SECONDS] = "{\"type\": \"number\"}",
	[FL_AS_MOMENT] = "{\"type\": [\"string\", \"null\"], \"format\": \"date-time\"}",
	[FL_AS_OR_NEVER] = "{\"type\": [\"number\", \"null\"]}",
	[FL_AS_REASON] = "{\"type\": \"string\", \"minLength\": 1}",
	[FL_AS_CHECK] = "{\"type\": \"string\", \"minLength\": 1}",
};

#define AMOUNT                                                                                        \
	"{\"description\": \"cpu in milli-units, everything else in whole units (memory in bytes)\"," \
	" \"oneOf\": [{\"type\": \"integer\"}, {\"const\": \"unlimited\"}]}"
/* Those that stand once, and are referred to. */
static const struct {
	enum fl_field_type type;
	const char *name, *text;
} shared[] = {
	{ FL_AS_AMOUNT, "amount", AMOUNT },
	{ FL_AS_LIMIT, "amount", AMOUNT },
	{ FL_AS_WORKLOAD, "workload",
	  "{\"type\": \"string\", \"pattern\": \"^[^/]*/[^/]+$\", \"description\": \"namespace/name\"}" },
	{ FL_AS_BUNDLE, "bundle",
	  "{\"type\": \"object\", \"properties\": {"
	  "\"gpu\": {\"description\": \"GPUs\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]},"
	  "\"cpu\": {\"description\": \"milli-cores\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]},"
	  "\"memory\": {\"description\": \"bytes\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]}},"
	  " \"required\": [\"gpu\", \"cpu\", \"memory\"], \"additionalProperties\": false}" },
};

static json_t *reference(struct fl_schema_maker *k, const struct fl_json_shape *shape);

static json_t *refer(struct fl_schema_maker *k, const char *name)
{
	json_t *ret = json_pack("{s:o}", "$ref", json_sprintf("%s%s%s", k->place, k->before, name));

	k->failed |= !ret;
	return ret;
}

static json_t *scalar(struct fl_schema_maker *k, enum fl_field_type type)
{
	if (type == FL_AS_NODE)
		return reference(k, &fl_node_shape);
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		if (shared[i].type != type)
			continue;
		if (!json_object_get(k->defs, shared[i].name))
			set(k, k->defs, shared[i].name, parse(k, shared[i].text));
		return refer(k, shared[i].name);
	}
	return parse(k, types[type]);
}

static json_t *object_of(struct fl_schema_maker *k, const struct fl_json_shape *shape);

/* A reference to @shape, which stands in $defs; of both policies when they differ in it. */
static json_t *reference(struct fl_schema_maker *k, const struct fl_json_shape *shape)
{
	json_t *made = object_of(k, shape), *there = json_object_get(k->defs, shape->name);
	char name[128];

	snprintf(name, sizeof(name), "%s", shape->name);
	if (there && !json_equal(there, made)) {
		snprintf(name, sizeof(name), "%s-%s", shape->name,
			 k->document->policy ? k->document->policy : "other");
		there = json_object_get(k->defs, name);
		k->failed |= there && !json_equal(there, made);
	}
	if (there)
		json_decref(made);
	else
		set(k, k->defs, name, made);
	return refer(k, name);
}

static bool is_one_of(const json_t *all, const char *text)
{
	for (size_t i = 0; i < json_array_size(all); i++)
		if (strcmp(json_string_value(json_array_get(all, i)), text) == 0)
			return true;
	return false;
}

/* Why a policy evicts for others. */
static json_t *evictions(struct fl_schema_maker *k)
{
	const char *policy = k->document->policy;
	bool borrow = !policy || strcmp(policy, "entitle") != 0; /* or its words */
	int first = borrow ? FL_REASON_IN_CLUSTER_QUEUE : FL_REASON_RECLAIMED;
	int last = borrow ? FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING : FL_REASON_STALE_GANG;
	json_t *all = json_array();

	for (int i = first; i <= last; i++)
		add(k, all, json_string(fl_reason_name((enum fl_reason)i)));
	return json_pack("{s:o}", "enum", all);
}

static json_t *enumeration(struct fl_schema_maker *k, const struct fl_json_field *f)
{
	json_t *all = json_array();

	for (unsigned i = f->first_name; i < (f->end_name ? f->end_name : f->n_names); i++) {
		const char *name = f->names   ? f->names[i] :
				   f->name_of ? f->name_of(i) :
						fl_reason_name((enum fl_reason)i);

		if (name && *name && !is_one_of(all, name))
			add(k, all, json_string(name));
	}
	if (json_array_size(all) > 1)
		return json_pack("{s:o}", "enum", all);
	json_t *one = json_pack("{s:O}", "const", json_array_get(all, 0));

	json_decref(all);
	return one;
}

static json_t *or_null(struct fl_schema_maker *k, json_t *schema)
{
	json_t *type = json_object_get(schema, "type");

	if (!type)
		return json_pack("{s:[o, {s:s}]}", "oneOf", schema, "type", "null");
	set(k, schema, "type", json_pack("[O, s]", type, "null"));
	return schema;
}

static json_t *schema_of(struct fl_schema_maker *k, const struct fl_json_field *f)
{
	const struct fl_json_shape *shape = fl_field_shape(f, k->document->face);
	json_t *ret, *item = NULL;

	/* What is written is what the shape is of. */
	k->failed |= !(!shape || !shape->size || f->rows || f->put || f->type == FL_AS_STREAM ||
		       f->size == shape->size);
	if (f->type == FL_AS_LIST || f->type == FL_AS_STREAM || f->type == FL_AS_MAP)
		item = shape ? reference(k, shape) : scalar(k, f->item);
	if (f->type == FL_AS_MAP)
		ret = json_pack("{s:s, s:o}", "type", "object", "additionalProperties", item);
	else if (item)
		ret = json_pack("{s:s, s:o}", "type", "array", "items", item);
	else if (f->type == FL_AS_OBJECT)
		ret = reference(k, shape);
	else if (f->names || f->end_name)
		ret = enumeration(k, f);
	else if (f->type == FL_AS_EVICTION)
		ret = evictions(k);
	else if (f->type == FL_AS_CHARS)
		ret = scalar(k, FL_AS_TEXT);
	else
		ret = scalar(k, f->type);
	if (f->null)
		ret = or_null(k, ret);
	if (f->doc)
		set(k, ret, "description", json_string(f->doc));
	if (f->more) {
		json_t *more = parse(k, f->more);

		json_object_update(ret, more);
		json_decref(more);
	}
	return ret;
}

static void add_fields(struct fl_schema_maker *k, const struct fl_json_shape *shape, bool maybe,
		       json_t *properties, json_t *required)
{
	for (unsigned i = 0; i < shape->n; i++) {
		const struct fl_json_field *f = &shape->fields[i];
		const char *key = fl_field_key(f, k->document->face);
		bool optional = maybe || f->when || f->if_one_of || f->maybe ||
				f->type == FL_AS_KNOWN || f->type == FL_AS_LIMIT;

		if (f->type == FL_AS_INLINE) {
			k->failed |= f->shape && f->shape->size && f->size != f->shape->size;
			add_fields(k, fl_field_shape(f, k->document->face), optional, properties,
				   required);
			continue;
		}
		if (json_object_get(properties, key))
			continue;
		set(k, properties, key, schema_of(k, f));
		if (!optional)
			add(k, required, json_string(key));
	}
}

static void finish(struct fl_schema_maker *k, const struct fl_json_shape *shape, json_t *o)
{
	if (k->closed || shape->closed)
		set(k, o, "additionalProperties", json_false());
	if (shape->doc)
		set(k, o, "description", json_string(shape->doc));
	if (shape->more) {
		json_t *more = parse(k, shape->more);

		json_object_update(o, more);
		json_decref(more);
	}
}

static json_t *object_of(struct fl_schema_maker *k, const struct fl_json_shape *shape)
{
	json_t *properties = json_object(), *required = json_array();
	json_t *o = json_pack("{s:s, s:o}", "type", "object", "properties", properties);

	add_fields(k, shape, false, properties, required);
	if (json_array_size(required))
		set(k, o, "required", required);
	else
		json_decref(required);
	finish(k, shape, o);
	return o;
}

/* What all documents begin with. */
json_t *fl_schema_document(struct fl_schema_maker *k)
{
	json_t *o = object_of(k, k->document->shape), *all = json_object(), *first = json_array();
	json_t *required = json_object_get(o, "required");

	if (!k->document->kind) { /* the shape has all of it */
		json_decref(all);
		json_decref(first);
		return o;
	}
	set(k, all, "apiVersion", json_pack("{s:s}", "const", "fairlead.dev/v1alpha1"));
	set(k, all, "kind", json_pack("{s:s}", "const", k->document->kind));
	if (k->document->policy)
		set(k, all, "policy", json_pack("{s:s}", "const", k->document->policy));
	if (k->document->any_policy)
		set(k, all, "policy", parse(k, "{\"enum\": [\"borrow\", \"entitle\", \"drf\"]}"));
	if (!k->document->plain)
		set(k, all, "assumptions",
		    json_pack("{s:s, s:{s:s}, s:s}", "type", "array", "items", "type", "string",
			      "description",
			      "what the input does not say and was taken for granted"));
	const char *key;
	json_t *value;
	json_object_foreach(all, key, value) add(k, first, json_string(key));
	json_array_extend(first, required);
	if (!k->document->plain && !json_object_get(json_object_get(o, "properties"), "warnings"))
		set(k, all, "warnings",
		    json_pack("{s:s, s:{s:s}, s:i, s:s}", "type", "array", "items", "type",
			      "string", "minItems", 1, "description",
			      "what was taken for granted and may make this answer wrong"));
	if (!k->document->plain) {
		set(k, all, "leftOut",
		    parse(k,
			  "{\"type\": \"array\", \"items\": {\"type\": \"object\"}, \"description\": "
			  "\"objects that a server would refuse, which are left out; with `counted` they "
			  "count as admitted\"}"));
		set(k, all, "uncertain",
		    parse(k,
			  "{\"type\": \"array\", \"items\": {\"type\": \"object\"}, \"description\": "
			  "\"workloads that hold quota of which is not known how much\"}"));
	}
	json_object_update(all, json_object_get(o, "properties"));
	set(k, o, "properties", all);
	set(k, o, "required", first);
	return o;
}

json_t *fl_schema_shape(struct fl_schema_maker *k, const struct fl_json_shape *shape)
{
	return object_of(k, shape);
}
