/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/openapi.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/api/version.h"
#include "report/borrow/explain_report.h"
#include "report/borrow/face.h"
#include "report/borrow/tree_report.h"
#include "report/drf/face.h"
#include "report/entitle/explain_report.h"
#include "report/entitle/face.h"
#include "report/entitle/tree_report.h"
#include "report/job/agreement.h"
#include "report/job/mirrored.h"
#include "report/job/visibility.h"
#include "report/out/schema.h"

enum { POLICIES = 3 };

static const struct body {
	const char *types, *schema;
} bodies[] = {
#define BODY(id, types, schema) { types, schema },
#include "daemon/api/routes.def"
};

static const struct answer {
	const char *name;
	int status;
	const char *types;
	/* One of these, or none: bytes. */
	const struct fl_json_shape *shape;
	const struct fl_document *documents[POLICIES];
	const char *schema;
} answers[] = {
#define ALL_OF(...)                                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define OF_SHAPE(of) .shape = of,
#define OF_DOCUMENTS(...) .documents = __VA_ARGS__,
#define OF_SCHEMA(of) .schema = of,
#define OF_BYTES(of) .shape = NULL,
#define ANSWER(id, status, types, form, ...) { #id, status, types, OF_##form(__VA_ARGS__) },
#include "daemon/api/routes.def"
};

/* For shapes: those of jobs and queues are the same under each policy. */
static const struct fl_document no_document = { .plain = true };

static const char begin[] =
	"{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"fairlead\", \"version\": \"" FAIRLEAD_VERSION
	"\","
	" \"summary\": \"Which job of a shared machine runs next, and why\", \"license\": {\"name\": \"Apache-2.0\","
	" \"identifier\": \"Apache-2.0\"}}, \"servers\": [{\"url\": \"/\"}],"
	" \"security\": [{\"token\": []}, {}], \"paths\": {}, \"components\": {"
	"\"securitySchemes\": {\"token\": {\"type\": \"http\", \"scheme\": \"bearer\","
	" \"description\": \"Over TCP. On the Unix socket the kernel says which user calls.\"}},"
	"\"responses\": {\"problem\": {\"description\": \"why it was not done\", \"content\": {"
	"\"application/problem+json\": {\"schema\": {\"$ref\": \"#/components/schemas/problem\"}}}},"
	"\"query\": {\"description\": \"why it was not answered, as a Prometheus says it\", \"content\": {"
	"\"application/json\": {\"schema\": {\"$ref\": \"#/components/schemas/query\"}},"
	"\"application/problem+json\": {\"schema\": {\"$ref\": \"#/components/schemas/problem\"}}}},"
	"\"status\": {\"description\": \"why it was not done, as Kubernetes says it\", \"content\": {"
	"\"application/json\": {\"schema\": {\"$ref\": \"#/components/schemas/status\"}}}}},"
	"\"schemas\": {\"query\": {\"type\": \"object\", \"required\": [\"status\", \"errorType\", \"error\"],"
	" \"additionalProperties\": false, \"properties\": {\"status\": {\"const\": \"error\"},"
	" \"errorType\": {\"enum\": [\"bad_data\", \"unavailable\"]}, \"error\": {\"type\": \"string\"}}},"
	" \"status\": {\"type\": \"object\", \"required\": [\"kind\", \"apiVersion\", \"status\","
	" \"message\", \"reason\", \"code\"], \"additionalProperties\": false, \"properties\": {"
	"\"kind\": {\"const\": \"Status\"}, \"apiVersion\": {\"const\": \"v1\"},"
	" \"metadata\": {\"type\": \"object\"}, \"status\": {\"const\": \"Failure\"},"
	" \"message\": {\"type\": \"string\"}, \"reason\": {\"type\": \"string\"},"
	" \"code\": {\"type\": \"integer\"}}}, \"problem\": {\"type\": \"object\", \"description\": \"RFC 9457\","
	" \"required\": [\"type\", \"title\", \"status\", \"detail\", \"text\"], \"additionalProperties\": false,"
	" \"properties\": {\"type\": {\"type\": \"string\", \"format\": \"uri-reference\"},"
	" \"title\": {\"type\": \"string\"}, \"status\": {\"type\": \"integer\"},"
	" \"detail\": {\"type\": \"string\", \"description\": \"position, text and hint in one\"},"
	" \"text\": {\"type\": \"string\", \"description\": \"what is wrong\"},"
	" \"hint\": {\"type\": \"string\", \"description\": \"what to do\"},"
	" \"position\": {\"type\": \"object\", \"required\": [\"line\", \"column\"], \"properties\": {"
	"\"file\": {\"type\": \"string\"}, \"line\": {\"type\": \"integer\"},"
	" \"column\": {\"type\": \"integer\"}}}}}}}}";

/* --- what is made --- */

struct maker {
	json_t *schemas; /* of the components */
	bool failed;
};

static void set(struct maker *k, json_t *o, const char *key, json_t *value)
{
	k->failed |= json_object_set_new(o, key, value) < 0;
}

static json_t *parse(struct maker *k, const char *text)
{
	json_t *ret = json_loads(text, JSON_DECODE_ANY, NULL);

	k->failed |= !ret;
	return ret;
}

/* WHAT_IF as "what-if". */
static const char *name_of(const struct answer *a, char ret[64])
{
	size_t n = 0;

	for (; a->name[n] && n < 63; n++)
		ret[n] = a->name[n] == '_' ? '-' : (char)tolower(a->name[n]);
	ret[n] = '\0';
	return ret;
}

/* The schema of all that one answer may be. */
static json_t *schema_of(struct maker *k, const struct answer *a)
{
	char name[64], before[80];
	struct fl_schema_maker of = { .place = "#/components/schemas/",
				      .before = before,
				      .document = &no_document,
				      .defs = json_object() };
	json_t *ret = NULL, *one;
	const char *key;

	(void)snprintf(before, sizeof before, "%s.", name_of(a, name));
	if (a->shape)
		ret = fl_schema_shape(&of, a->shape);
	else if (a->schema)
		ret = parse(k, a->schema);
	else {
		ret = json_pack("{s:[]}", "oneOf");
		for (int i = 0; i < POLICIES; i++) {
			of.document = a->documents[i];
			k->failed |= json_array_append_new(json_object_get(ret, "oneOf"),
							   fl_schema_document(&of)) < 0;
		}
	}
	json_object_foreach(of.defs, key, one)
	{
		char whole[160];

		(void)snprintf(whole, sizeof whole, "%s%s", before, key);
		set(k, k->schemas, whole, json_incref(one));
	}
	json_decref(of.defs);
	k->failed |= of.failed;
	return ret;
}

/* {"application/json": {"schema": ...}, ...} of each of @types; @schema is what JSON has. */
static json_t *content(struct maker *k, const char *types, json_t *schema)
{
	json_t *ret = json_object();

	for (const char *at = types; *at; at += strcspn(at, " "), at += *at == ' ') {
		char type[64];
		json_t *of;

		(void)snprintf(type, sizeof type, "%.*s", (int)strcspn(at, " "), at);
		of = strstr(type, "json") && schema ? json_incref(schema) :
						      json_pack("{s:s}", "type", "string");
		set(k, ret, type, json_pack("{s:o}", "schema", of));
	}
	json_decref(schema);
	return ret;
}

static json_t *answer_of(struct maker *k, const struct answer *a)
{
	json_t *schema = NULL;

	if (a->shape || a->schema || a->documents[0]) {
		char name[64];

		if (!json_object_get(k->schemas, name_of(a, name)))
			set(k, k->schemas, name, schema_of(k, a));
		schema = json_pack("{s:o}", "$ref", json_sprintf("#/components/schemas/%s", name));
	}
	return json_pack("{s:s, s:o}", "description", "what was asked for", "content",
			 content(k, a->types, schema));
}

static json_t *parameter(const struct fl_argument *a, const char *in)
{
	static const char *const types[] = { [FL_ARGUMENT_IS_TEXT] = "string",
					     [FL_ARGUMENT_IS_NUMBER] = "integer",
					     [FL_ARGUMENT_IS_FLAG] = "boolean",
					     [FL_ARGUMENT_IS_TIME] = "string" };

	return json_pack("{s:s, s:s, s:b, s:s, s:{s:s, s:s*}}", "name", a->name, "in", in,
			 "required", strcmp(in, "path") == 0, "description", a->text, "schema",
			 "type", types[a->type], "format",
			 a->type == FL_ARGUMENT_IS_TIME ? "date-time" : NULL);
}

static json_t *parameters(struct maker *k, const struct fl_route *route)
{
	json_t *ret = json_array();

	for (const char *at = strchr(route->path, '{'); at; at = strchr(at + 1, '{')) {
		const struct fl_argument *part = fl_route_part(at + 1, strcspn(at + 1, "}"));

		k->failed |= !part || json_array_append_new(ret, parameter(part, "path")) < 0;
	}
	for (const uint8_t *a = route->arguments; *a; a++)
		k->failed |= json_array_append_new(ret, parameter(fl_argument(*a), "query")) < 0;
	return ret;
}

static json_t *operation(struct maker *k, const struct fl_route *route)
{
	static const char *const allowed[] = {
		"all", "all that may read; where something is changed, all that may submit",
		"the owner of the job, and admins", "admins"
	};
	const struct answer *a = &answers[route->answer];
	const struct body *body = &bodies[route->body];
	json_t *ret = json_pack(
		"{s:s, s:o, s:o, s:o, s:{s:s}}", "operationId", route->name, "description",
		json_sprintf("Allowed to: %s. %s", allowed[route->who], route->text), "parameters",
		parameters(k, route), "responses", json_object(), "x-fairlead", "action",
		route->action ? route->action : "");
	json_t *responses = json_object_get(ret, "responses");
	char status[16];

	(void)snprintf(status, sizeof status, "%d", a->status);
	set(k, responses, status, answer_of(k, a));
	if (fl_api_is_versioned(route) || route->answer == FL_ANSWER_CONFIGURATION)
		set(k, responses, "304",
		    json_pack("{s:s}", "description",
			      "the client has this version, by If-None-Match"));
	if (route->answer == FL_ANSWER_ATTACHED)
		set(k, responses, "101",
		    json_pack("{s:s}", "description",
			      "over the network, with Upgrade: fairlead-run: frames, both ways"));
	set(k, responses, "default",
	    json_pack("{s:s}", "$ref",
		      strncmp(route->path, "/apis/", 6) == 0   ? "#/components/responses/status" :
		      strncmp(route->path, "/api/v1/", 8) == 0 ? "#/components/responses/query" :
								 "#/components/responses/problem"));
	if (*body->types)
		set(k, ret, "requestBody",
		    json_pack("{s:o}", "content", content(k, body->types, parse(k, body->schema))));
	return ret;
}

char *fl_api_describe(enum fl_daemons of)
{
	struct maker k = { 0 };
	json_t *root = parse(&k, begin), *paths = json_object_get(root, "paths");
	const struct fl_route *route;
	char *text = NULL;

	k.schemas = json_object_get(json_object_get(root, "components"), "schemas");
	for (unsigned i = 0; (route = fl_route(i)); i++) {
		char method[16];
		size_t n = 0;

		if (!(route->daemons & of))
			continue;
		for (; route->method[n] && n < sizeof method - 1; n++)
			method[n] = (char)tolower(route->method[n]);
		method[n] = '\0';
		if (!json_object_get(paths, route->path))
			set(&k, paths, route->path, json_object());
		set(&k, json_object_get(paths, route->path), method, operation(&k, route));
	}
	if (!k.failed)
		text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text;
}

void fl_api_openapi(struct fl_call *call)
{
	struct fl_api *a = call->api;

	if (!a->description)
		a->description = fl_api_describe(fl_api_is_of(a));
	if (a->description)
		fl_exchange_answer(call->x, 200, NULL, a->description, strlen(a->description));
	else
		fl_exchange_fail(call->x, 503, "out of memory", NULL);
}
