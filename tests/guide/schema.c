/* SPDX-License-Identifier: Apache-2.0 */
/* schema - prints the schema of an answer from the tables that write it (report/out/shape.h) */
#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/tape_print.h"
#include "cli/verbs/findings.h"
#include "report/borrow/explain_report.h"
#include "report/borrow/face.h"
#include "report/borrow/tree_report.h"
#include "report/drf/face.h"
#include "report/entitle/divide_report.h"
#include "report/entitle/explain_report.h"
#include "report/entitle/face.h"
#include "report/entitle/tree_report.h"
#include "report/job/answers.h"
#include "report/prove/prove_report.h"
#include "report/sim/compare_json.h"
#include "report/tune/tune_report.h"

static const struct schema {
	const char *name, *title, *doc;
	const struct fl_document *of[3]; /* of each policy; NULL behind the last */
	bool closed;                     /* no key may come in later versions */
} schemas[] = {
	{ "check",
	  "fairlead check",
	  "What is wrong with manifests, and what is surely not meant.",
	  { &fl_check_document },
	  false },
	{ "comparison-report",
	  "fairlead compare -o json",
	  "Several runs of the same jobs. Each report is a SimulationReport, without what was over time.",
	  { &fl_comparison_document },
	  true },
	{ "cancel",
	  "fairlead cancel, hold, release",
	  "What became of each job that was named.",
	  { &fl_job_changes_document },
	  false },
	{ "divide",
	  "fairlead divide",
	  "Fair shares, and with --rounds how each came to be. For the body of a request to KAI's fairshare simulator the answer is that program's instead: an object of {gpu, cpu, memory} by uid.",
	  { &fl_divide_document },
	  true },
	{ "events",
	  "fairlead events",
	  "What happened: one such document a line.",
	  { &fl_event_document },
	  false },
	{ "explain",
	  "fairlead explain",
	  "Why a workload waits or runs.",
	  { &fl_explain_document, &fl_entitle_explain_document, &fl_drf_explain_document },
	  false },
	{ "history",
	  "fairlead history",
	  "What each queue had over a time, and what its weight would have given it.",
	  { &fl_history_document },
	  false },
	{ "job", "fairlead job", "All of one job.", { &fl_job_document }, false },
	{ "jobs", "fairlead jobs", "Jobs, by number.", { &fl_jobs_document }, false },
	{ "plan",
	  "fairlead plan",
	  "What scheduling cycles decide. Lists are sorted by workload.",
	  { &fl_borrow_plan_document, &fl_entitle_plan_document, &fl_drf_plan_document },
	  false },
	{ "prove",
	  "fairlead prove",
	  "Whether preemption can go round, in any order of decisions.",
	  { &fl_prove_document },
	  false },
	{ "queues",
	  "fairlead queues",
	  "Cohorts and queues, with quota and use.",
	  { &fl_queues_document },
	  false },
	{ "record",
	  "fairlead record",
	  "The state as a Kubernetes List: of each object the fields that decide.",
	  { &fl_record_document },
	  false },
	{ "simulation-report",
	  "fairlead simulate -o json, and the data of report.html",
	  "Amounts are in natural units (cores, bytes, GPUs), times in seconds, hours are of those amounts. What is not known is absent, in a line null. held and wanted are means over time; wait is of those that started.",
	  { &fl_sim_document },
	  true },
	{ "submit",
	  "fairlead submit",
	  "The jobs that were made.",
	  { &fl_submitted_document },
	  false },
	{ "tree",
	  "fairlead tree",
	  "The quota tree with usage, all amounts exact.",
	  { &fl_tree_document, &fl_entitle_tree_document, &fl_drf_tree_document },
	  false },
	{ "tune",
	  "fairlead tune -o json",
	  "What k, half-life and window mean. Times are in seconds; null is never, or no such number. Costs are parts of the portion that the weight gives; below 0 the portion grows.",
	  { &fl_tune_document },
	  true },
	{ "usage",
	  "fairlead usage",
	  "What each user held in each queue over a time.",
	  { &fl_usage_document },
	  false },
	{ "what-if",
	  "fairlead what-if",
	  "What a change would change: two sides of one state, each settled. Lists are sorted by workload.",
	  { &fl_borrow_what_if_document, &fl_entitle_what_if_document, &fl_drf_what_if_document },
	  false },
};

struct maker {
	const struct schema *schema;
	const struct fl_document *document;
	json_t *defs;
};

static void set(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value) < 0)
		assert(false);
}

static json_t *parse(const char *text)
{
	json_t *ret = json_loads(text, JSON_DECODE_ANY, NULL);

	if (!ret)
		fprintf(stderr, "schema: this is no JSON: %s\n", text);
	assert(ret);
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
	[FL_AS_BUNDLE] = "{\"$ref\": \"#/$defs/bundle\"}",
	[FL_AS_AMOUNT] = "{\"$ref\": \"#/$defs/amount\"}",
	[FL_AS_LIMIT] = "{\"$ref\": \"#/$defs/amount\"}",
	[FL_AS_WORKLOAD] = "{\"$ref\": \"#/$defs/workload\"}",
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

/* What these refer to. */
static const struct {
	enum fl_field_type type;
	const char *name, *text;
} shared[] = {
	{ FL_AS_AMOUNT, "amount",
	  "{\"description\": \"cpu in milli-units, everything else in whole units (memory in bytes)\","
	  " \"oneOf\": [{\"type\": \"integer\"}, {\"const\": \"unlimited\"}]}" },
	{ FL_AS_LIMIT, "amount", NULL },
	{ FL_AS_WORKLOAD, "workload",
	  "{\"type\": \"string\", \"pattern\": \"^[^/]*/[^/]+$\", \"description\": \"namespace/name\"}" },
	{ FL_AS_BUNDLE, "bundle",
	  "{\"type\": \"object\", \"properties\": {"
	  "\"gpu\": {\"description\": \"GPUs\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]},"
	  "\"cpu\": {\"description\": \"milli-cores\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]},"
	  "\"memory\": {\"description\": \"bytes\", \"oneOf\": [{\"type\": \"number\"}, {\"const\": \"unlimited\"}]}},"
	  " \"required\": [\"gpu\", \"cpu\", \"memory\"], \"additionalProperties\": false}" },
};

static json_t *reference(struct maker *k, const struct fl_json_shape *shape);

static json_t *scalar(struct maker *k, enum fl_field_type type)
{
	if (type == FL_AS_NODE)
		return reference(k, &fl_node_shape);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (shared[i].type == type && !json_object_get(k->defs, shared[i].name))
			set(k->defs, shared[i].name,
			    parse(shared[i].text ? shared[i].text : shared[0].text));
	return parse(types[type]);
}

static json_t *object_of(struct maker *k, const struct fl_json_shape *shape);

/* A reference to @shape, which stands in $defs; of both policies when they differ in it. */
static json_t *reference(struct maker *k, const struct fl_json_shape *shape)
{
	json_t *made = object_of(k, shape), *there = json_object_get(k->defs, shape->name);
	char name[128], path[160];

	snprintf(name, sizeof(name), "%s", shape->name);
	if (there && !json_equal(there, made)) {
		snprintf(name, sizeof(name), "%s-%s", shape->name, k->document->policy);
		there = json_object_get(k->defs, name);
		assert(!there || json_equal(there, made));
	}
	if (there)
		json_decref(made);
	else
		set(k->defs, name, made);
	snprintf(path, sizeof(path), "#/$defs/%s", name);
	return json_pack("{s:s}", "$ref", path);
}

static bool is_one_of(const json_t *all, const char *text)
{
	for (size_t i = 0; i < json_array_size(all); i++)
		if (strcmp(json_string_value(json_array_get(all, i)), text) == 0)
			return true;
	return false;
}

/* Why a policy evicts for others. */
static json_t *evictions(const struct maker *k)
{
	bool borrow = strcmp(k->document->policy, "entitle") != 0; /* or its words */
	int first = borrow ? FL_REASON_IN_CLUSTER_QUEUE : FL_REASON_RECLAIMED;
	int last = borrow ? FL_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING : FL_REASON_STALE_GANG;
	json_t *all = json_array();

	for (int i = first; i <= last; i++)
		json_array_append_new(all, json_string(fl_reason_name((enum fl_reason)i)));
	return json_pack("{s:o}", "enum", all);
}

static json_t *enumeration(const struct fl_json_field *f)
{
	json_t *all = json_array();

	for (unsigned i = f->first_name; i < (f->end_name ? f->end_name : f->n_names); i++) {
		const char *name = f->names   ? f->names[i] :
				   f->name_of ? f->name_of(i) :
						fl_reason_name((enum fl_reason)i);

		if (name && *name && !is_one_of(all, name))
			json_array_append_new(all, json_string(name));
	}
	if (json_array_size(all) > 1)
		return json_pack("{s:o}", "enum", all);
	json_t *one = json_pack("{s:O}", "const", json_array_get(all, 0));

	json_decref(all);
	return one;
}

static json_t *or_null(json_t *schema)
{
	json_t *type = json_object_get(schema, "type");

	if (!type)
		return json_pack("{s:[o, {s:s}]}", "oneOf", schema, "type", "null");
	set(schema, "type", json_pack("[O, s]", type, "null"));
	return schema;
}

static json_t *schema_of(struct maker *k, const struct fl_json_field *f)
{
	const struct fl_json_shape *shape = fl_field_shape(f, k->document->face);
	json_t *ret, *item = NULL;

	/* What is written is what the shape is of. */
	assert(!shape || !shape->size || f->rows || f->put || f->type == FL_AS_STREAM ||
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
		ret = enumeration(f);
	else if (f->type == FL_AS_EVICTION)
		ret = evictions(k);
	else if (f->type == FL_AS_CHARS)
		ret = scalar(k, FL_AS_TEXT);
	else
		ret = scalar(k, f->type);
	if (f->null)
		ret = or_null(ret);
	if (f->doc)
		set(ret, "description", json_string(f->doc));
	if (f->more) {
		json_t *more = parse(f->more);

		json_object_update(ret, more);
		json_decref(more);
	}
	return ret;
}

static void add_fields(struct maker *k, const struct fl_json_shape *shape, bool maybe,
		       json_t *properties, json_t *required)
{
	for (unsigned i = 0; i < shape->n; i++) {
		const struct fl_json_field *f = &shape->fields[i];
		const char *key = fl_field_key(f, k->document->face);
		bool optional = maybe || f->when || f->if_one_of || f->maybe ||
				f->type == FL_AS_KNOWN || f->type == FL_AS_LIMIT;

		if (f->type == FL_AS_INLINE) {
			assert(!f->shape || !f->shape->size || f->size == f->shape->size);
			add_fields(k, fl_field_shape(f, k->document->face), optional, properties,
				   required);
			continue;
		}
		if (json_object_get(properties, key))
			continue;
		set(properties, key, schema_of(k, f));
		if (!optional)
			json_array_append_new(required, json_string(key));
	}
}

static void finish(struct maker *k, const struct fl_json_shape *shape, json_t *o)
{
	if (k->schema->closed || shape->closed)
		set(o, "additionalProperties", json_false());
	if (shape->doc)
		set(o, "description", json_string(shape->doc));
	if (shape->more) {
		json_t *more = parse(shape->more);

		json_object_update(o, more);
		json_decref(more);
	}
}

static json_t *object_of(struct maker *k, const struct fl_json_shape *shape)
{
	json_t *properties = json_object(), *required = json_array();
	json_t *o = json_pack("{s:s, s:o}", "type", "object", "properties", properties);

	add_fields(k, shape, false, properties, required);
	if (json_array_size(required))
		set(o, "required", required);
	else
		json_decref(required);
	finish(k, shape, o);
	return o;
}

/* What all documents begin with. */
static json_t *document_of(struct maker *k)
{
	json_t *o = object_of(k, k->document->shape), *all = json_object(), *first = json_array();
	json_t *required = json_object_get(o, "required");

	if (!k->document->kind) { /* the shape has all of it */
		json_decref(all);
		json_decref(first);
		return o;
	}
	set(all, "apiVersion", json_pack("{s:s}", "const", "fairlead.dev/v1alpha1"));
	set(all, "kind", json_pack("{s:s}", "const", k->document->kind));
	if (k->document->policy)
		set(all, "policy", json_pack("{s:s}", "const", k->document->policy));
	if (k->document->any_policy)
		set(all, "policy", parse("{\"enum\": [\"borrow\", \"entitle\", \"drf\"]}"));
	if (!k->document->plain)
		set(all, "assumptions",
		    json_pack("{s:s, s:{s:s}, s:s}", "type", "array", "items", "type", "string",
			      "description",
			      "what the input does not say and was taken for granted"));
	const char *key;
	json_t *value;
	json_object_foreach(all, key, value) json_array_append_new(first, json_string(key));
	json_array_extend(first, required);
	if (!k->document->plain && !json_object_get(json_object_get(o, "properties"), "warnings"))
		set(all, "warnings",
		    json_pack("{s:s, s:{s:s}, s:i, s:s}", "type", "array", "items", "type",
			      "string", "minItems", 1, "description",
			      "what was taken for granted and may make this answer wrong"));
	if (!k->document->plain) {
		set(all, "leftOut",
		    parse("{\"type\": \"array\", \"items\": {\"type\": \"object\"}, \"description\": "
			  "\"objects that a server would refuse, which are left out; with `counted` they "
			  "count as admitted\"}"));
		set(all, "uncertain",
		    parse("{\"type\": \"array\", \"items\": {\"type\": \"object\"}, \"description\": "
			  "\"workloads that hold quota of which is not known how much\"}"));
	}
	json_object_update(all, json_object_get(o, "properties"));
	set(o, "properties", all);
	set(o, "required", first);
	return o;
}

int main(int argc, char **argv)
{
	const struct schema *s = schemas;

	while (argc == 2 && s < schemas + sizeof(schemas) / sizeof(schemas[0]) &&
	       strcmp(s->name, argv[1]) != 0)
		s++;
	if (argc != 2 || s == schemas + sizeof(schemas) / sizeof(schemas[0]))
		return 2;
	json_t *root = json_pack(
		"{s:s, s:o, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
		"$id", json_sprintf("https://fairlead.dev/schema/v1alpha1/%s.schema.json", s->name),
		"title", s->title, "description", s->doc);
	struct maker k = { .schema = s, .document = s->of[0], .defs = json_object() };

	if (s->of[1]) {
		json_t *either = json_array();

		for (int i = 0; i < 3 && s->of[i]; i++) {
			char path[64];

			k.document = s->of[i];
			set(k.defs, k.document->policy, document_of(&k));
			snprintf(path, sizeof(path), "#/$defs/%s", k.document->policy);
			json_array_append_new(either, json_pack("{s:s}", "$ref", path));
		}
		set(root, "oneOf", either);
	} else {
		json_t *only = document_of(&k);

		json_object_update(root, only);
		json_decref(only);
		set(root, "description", json_string(s->doc));
	}
	if (json_object_size(k.defs))
		set(root, "$defs", k.defs);
	else
		json_decref(k.defs);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
	return 0;
}
