/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration - the texts of the configuration are read in the loop where they replace the present
 * one, as by a reload, and in a copy of the process (child.c) where they are only judged
 */
#include "daemon/api/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "codec/text/format.h"
#include "daemon/api/ask/child.h"
#include "daemon/api/version.h"
#include "daemon/config/config_warn.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/keep.h"
#include "daemon/machine/view.h"

enum { WARNINGS = 1000 };

/* --- what comes --- */

int fl_api_configuration_read(const struct fl_call *call, struct fl_config **ret,
			      fairlead_error *err)
{
	const struct fl_config_text text = { (char *)(uintptr_t) "configuration",
					     (char *)(uintptr_t)call->r->body, call->r->body_len };

	if (text.len == 0) {
		fl_fail(err, FAIRLEAD_EINPUT, "the configuration is empty");
		return fl_fail_hint(err, "the body is the whole of it, as YAML or JSON");
	}
	if (memchr(text.bytes, '\0', text.len))
		return fl_fail(err, FAIRLEAD_EINPUT, "the configuration has a zero byte in it");
	return fl_config_again(&text, 1, ret, err);
}

/* --- what is told --- */

static json_t *text_or_null(const char *text) { return *text ? json_string(text) : json_null(); }

static json_t *version_json(const struct fl_api *a, const struct fl_version *v)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o}", "version", (json_int_t)v->number, "at",
			 fl_api_moment(a, v->at), "how", text_or_null(v->how), "by",
			 text_or_null(v->by), "why", text_or_null(v->why));
}

/* All documents as one text, in order. */
static json_t *joined(json_t *documents)
{
	char *text = NULL;
	size_t len = 0, i;
	FILE *out = open_memstream(&text, &len);
	json_t *one, *ret = NULL;
	char last = '\n';

	if (!out)
		return NULL;
	json_array_foreach(documents, i, one)
	{
		json_t *bytes = json_object_get(one, "text");
		size_t n = json_string_length(bytes);

		if (i)
			(void)fputs(last == '\n' ? "---\n" : "\n---\n", out);
		(void)fwrite(json_string_value(bytes), 1, n, out);
		last = '\n';
		if (n)
			last = json_string_value(bytes)[n - 1];
	}
	if (fclose(out) == 0)
		ret = json_stringn(text, len);
	free(text);
	return ret;
}

static void answer_version(const struct fl_call *call, const struct fl_version *v)
{
	struct fl_core *core = call->api->core;
	char *texts = NULL;
	fairlead_error err = { 0 };
	json_t *whole, *documents, *answer;

	if (fl_api_is_same(call, v->number))
		return;

	int code = fl_core_version_texts(core, v->number, &texts, &err);

	if (code < 0) {
		fl_api_error(call, &err);
		return;
	}
	whole = json_loads(texts, 0, NULL);
	free(texts);
	documents = json_object_get(whole, "texts");
	fl_api_tag(call, v->number);
	answer = version_json(call->api, v);
	if (!documents || !answer ||
	    json_object_set_new(answer, "kept",
				json_string(fl_config_is_kept(fl_daemon_config(call->api->daemon)) ?
						    "api" :
						    "file")) ||
	    json_object_set(answer, "documents", documents) ||
	    json_object_set_new(answer, "text", joined(documents))) {
		json_decref(answer);
		answer = NULL;
	}
	json_decref(whole);
	fl_api_json(call, 200, answer);
}

void fl_api_configuration(struct fl_call *call)
{
	answer_version(call, fl_core_version(call->api->core));
}

/* --- versions --- */

/* The number in the path.  False: it was answered. */
static bool version_of_path(const struct fl_call *call, uint64_t *ret)
{
	const char *text = call->place.parts[0].text;
	uint64_t n = 0;

	for (size_t i = 0; i < call->place.parts[0].len; i++)
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(n, UINT64_C(10), &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n)) {
			fl_api_fail(call, 404, "there is no such version of the configuration",
				    "it is a number, such as 17");
			return false;
		}
	*ret = n;
	return true;
}

void fl_api_configuration_version(struct fl_call *call)
{
	struct fl_version version;
	fairlead_error err = { 0 };

	uint64_t number;

	if (!version_of_path(call, &number))
		return;
	if (fl_core_version_find(call->api->core, number, &version, &err) < 0)
		fl_api_error(call, &err);
	else
		answer_version(call, &version);
}

struct versions {
	const struct fl_api *api;
	json_t *rows;
};

static int add_version(void *user, const struct fl_version *v, fairlead_error *err)
{
	struct versions *s = user;
	json_t *one = version_json(s->api, v);

	if (one && json_object_set_new(one, "bytes", json_integer((json_int_t)v->bytes)) != 0) {
		json_decref(one);
		one = NULL;
	}
	return json_array_append_new(s->rows, one) == 0 ? 0 : fl_fail_nomem(err);
}

void fl_api_configuration_versions(struct fl_call *call)
{
	struct versions s = { call->api, json_array() };
	fairlead_error err = { 0 };

	if (fl_core_versions(call->api->core, add_version, &s, &err) < 0) {
		json_decref(s.rows);
		fl_api_error(call, &err);
		return;
	}
	fl_api_tag(call, fl_core_version(call->api->core)->number);
	fl_api_json(call, 200, json_pack("{s:o}", "versions", s.rows));
}

/* --- check --- */

static json_t *error_json(const fairlead_error *err)
{
	return json_pack("{s:s*, s:i, s:i, s:s*, s:s, s:s*}", "file", *err->file ? err->file : NULL,
			 "line", (int)err->line, "column", (int)err->column, "subject",
			 *err->subject ? err->subject : NULL, "message", err->text, "hint",
			 *err->hint ? err->hint : NULL);
}

/* A place that is not known is left out. */
static json_t *without_zeros(json_t *finding)
{
	if (finding && json_integer_value(json_object_get(finding, "line")) == 0) {
		(void)json_object_del(finding, "line");
		(void)json_object_del(finding, "column");
	}
	return finding;
}

static json_t *notice_json(const struct fl_model *m, const struct fl_notice *n)
{
	const char *subject = fl_model_text(m, n->subject), *hint = fl_model_text(m, n->hint);
	const char *file = fl_model_file(m, n->place);

	return json_pack("{s:s, s:s*, s:i, s:i, s:s*, s:s, s:s*}", "kind", fl_notice_name(n->kind),
			 "file", *file ? file : NULL, "line", (int)n->place.line, "column",
			 (int)n->place.column, "subject", *subject ? subject : NULL, "message",
			 fl_model_text(m, n->text), "hint", *hint ? hint : NULL);
}

static int add_notices(const struct fl_call *call, const struct fl_config *config, json_t *list,
		       fairlead_error *err)
{
	const struct fl_living living = fl_core_living(call->api->core);
	struct fl_model *m = NULL;
	int r = fl_config_model(config, living.capacity, &fl_mem_heap, &m, err);

	if (r == 0)
		r = fl_model_seal(m, err);
	for (uint32_t i = 0; r == 0 && i < m->n_notices && json_array_size(list) < WARNINGS; i++)
		if (m->notices[i].kind != FL_NOTICE_ASSUMED)
			(void)json_array_append_new(list,
						    without_zeros(notice_json(m, &m->notices[i])));
	fl_model_free(m);
	return r;
}

/* Settings that do not count at once, as texts. */
static json_t *later(const struct fl_daemon *daemon, const struct fl_config *config,
		     const char *of(const struct fl_config *was, const struct fl_config *is,
				    char *buffer, size_t size))
{
	char fields[400];
	json_t *list = json_array();

	(void)of(fl_daemon_config(daemon), config, fields, sizeof fields);
	for (char *rest = fields, *one; (one = strsep(&rest, ",")) != NULL;) {
		one += strspn(one, " ");
		if (*one)
			(void)json_array_append_new(list, json_string(one));
	}
	return list;
}

/* In the copy: 200 whatever is wrong with the text, as that was asked. */
static int check(struct fl_call *call, FILE *out, fairlead_error *err)
{
	json_t *errors = json_array(), *notices = json_array(), *answer;
	struct fl_config *wanted = NULL;
	struct fl_live_view view;
	fairlead_error wrong = { 0 };
	int r = fl_api_configuration_read(call, &wanted, &wrong);

	if (r == 0)
		r = add_notices(call, wanted, notices, &wrong);
	if (r == 0)
		r = fl_daemon_try(call->api->daemon, wanted, &view, &wrong);
	if (r < 0 && json_array_append_new(errors, without_zeros(error_json(&wrong))) != 0)
		r = FAIRLEAD_ENOMEM;
	answer = json_pack("{s:b, s:o, s:o, s:o, s:o}", "ok", r == 0, "errors", errors, "notices",
			   notices, "atStart",
			   wanted ? later(call->api->daemon, wanted, fl_config_at_start) :
				    json_array(),
			   "ofFile",
			   wanted && fl_config_is_kept(fl_daemon_config(call->api->daemon)) ?
				   later(call->api->daemon, wanted, fl_config_of_file) :
				   json_array());
	r = r == FAIRLEAD_ENOMEM || !answer || json_dumpf(answer, out, JSON_COMPACT) != 0 ?
		    fl_fail_nomem(err) :
		    0;
	json_decref(answer);
	fl_config_free(wanted);
	return r;
}

void fl_api_configuration_check(struct fl_call *call)
{
	fl_api_aside(call, /* type= */ NULL, check);
}

/* --- put and restore --- */

struct owed {
	struct fl_call call;
	json_t *warnings;
	uint64_t was; /* the version before */
};

static void owed_free(struct owed *o)
{
	json_decref(o->warnings);
	free(o);
}

static void warned(void *user, const char *line)
{
	struct owed *o = user;

	if (json_array_size(o->warnings) < WARNINGS)
		(void)json_array_append_new(o->warnings, json_string(line));
}

static void replaced(void *user, const struct fl_reply *reply)
{
	struct owed *o = user;
	const struct fl_version *v = fl_core_version(o->call.api->core);
	char subject[64];
	json_t *answer;

	if (reply->code < 0) {
		fl_api_error(&o->call, reply->err);
		owed_free(o);
		return;
	}
	(void)snprintf(subject, sizeof subject, "version %llu", (unsigned long long)v->number);
	fl_api_audit(&o->call, subject, 200);
	fl_api_tag(&o->call, v->number);
	answer = version_json(o->call.api, v);
	if (answer && (json_object_set_new(answer, "changed", json_boolean(v->number != o->was)) ||
		       json_object_set(answer, "warnings", o->warnings))) {
		json_decref(answer);
		answer = NULL;
	}
	fl_api_json(&o->call, 200, answer);
	owed_free(o);
}

/* It is shown to people, on a line.  False: it was answered. */
static bool check_reason(const struct fl_call *call)
{
	const char *reason = fl_request_argument(call->r, "reason");

	for (const char *c = reason ? reason : ""; *c;) {
		size_t n = fl_utf8_sequence(c, c + strlen(c));

		if (!n || fl_plain_odd(c)) {
			fl_api_fail(call, 400,
				    "'reason' is one line of UTF-8, without control characters",
				    NULL);
			return false;
		}
		c += n;
	}
	if (!reason || (strlen(reason) < FL_VERSION_WHY / 4))
		return true;
	fl_api_fail(call, 400, "'reason' is longer than 255 bytes", NULL);
	return false;
}

/* Takes @wanted, or answers why not. */
static void configure(struct fl_call *call, struct fl_config *wanted, const char *how,
		      const char *why)
{
	struct fl_core *core = call->api->core;
	const struct fl_configuring as = { how, fl_access_name(call->api->access, &call->r->who),
					   why };
	struct owed *o = malloc(sizeof *o);
	fairlead_error err = { 0 };
	int r;

	if (!o) {
		fl_api_fail(call, 503, "out of memory", NULL);
		return;
	}
	*o = (struct owed){ *call, json_array(), fl_core_version(core)->number };
	r = fl_core_configure(core, wanted, &as, warned, replaced, o, &err);
	if (r == 0)
		return;
	owed_free(o);
	fl_api_error(call, &err);
}

/*
 * Is it this version that would be replaced?  A change that is on its way to the disk was made in the
 * same version.  False: it was answered.
 */
static bool check_version(const struct fl_call *call)
{
	const struct fl_core *core = call->api->core;

	if (!fl_api_match(call, fl_core_version(core)->number))
		return false;
	if (!fl_core_is_configuring(core))
		return true;
	fl_api_fail(call, 412, "another change of the configuration is under way",
		    "get it again, and make the change in that one");
	return false;
}

void fl_api_configuration_put(struct fl_call *call)
{
	struct fl_core *core = call->api->core;
	struct fl_config *wanted = NULL;
	fairlead_error err = { 0 };

	/* Of files it is refused whatever version is known, and whatever the body is. */
	if (!check_reason(call) ||
	    (fl_config_is_kept(fl_daemon_config(call->api->daemon)) && !check_version(call)))
		return;
	if (fl_core_check_kept(core, &err) < 0 ||
	    fl_api_configuration_read(call, &wanted, &err) < 0)
		fl_api_error(call, &err);
	else
		configure(call, wanted, "put", fl_request_argument(call->r, "reason"));
	fl_config_free(wanted);
}

void fl_api_configuration_restore(struct fl_call *call)
{
	struct fl_core *core = call->api->core;
	const char *reason = fl_request_argument(call->r, "reason");
	uint64_t number;
	bool kept = fl_config_is_kept(fl_daemon_config(call->api->daemon));
	struct fl_config *wanted = NULL;
	fairlead_error err = { 0 };
	char why[FL_VERSION_WHY];

	if (!version_of_path(call, &number) || !check_reason(call) ||
	    (kept && fl_request_header(call->r, "If-Match") && !check_version(call)))
		return;
	(void)snprintf(why, sizeof why, "version %llu%s%s", (unsigned long long)number,
		       reason && *reason ? ": " : "", reason ? reason : "");
	if (fl_core_check_kept(core, &err) < 0 ||
	    fl_core_version_config(core, number, &wanted, &err) < 0)
		fl_api_error(call, &err);
	else
		configure(call, wanted, "restore", why);
	fl_config_free(wanted);
}
