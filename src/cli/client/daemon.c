/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client/daemon.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "cli/client/server.h"
#include "cli/terminal/terminal.h"
#include "report/out/report_json.h"

int fl_daemon_open(const struct fl_options *o, struct fl_client **ret, fairlead_error *err)
{
	struct fl_server_choice server;
	int rc = fl_server_choose(o, &server, err);

	if (rc < 0)
		return rc;
	rc = *server.remote.url ? fl_client_new_remote(&server.remote, ret, err) :
				  fl_client_new(server.socket, ret, err);
	fl_server_done(&server);
	return rc;
}

/* --- paths --- */

void fl_path_start(struct fl_path *p, const char *format, ...)
{
	va_list args;

	*p = (struct fl_path){ 0 };
	va_start(args, format);
	p->failed = vasprintf(&p->text, format, args) < 0;
	va_end(args);
	if (p->failed)
		p->text = NULL;
}

void fl_path_add(struct fl_path *p, const char *name, const char *value)
{
	char *escaped = NULL, *longer = NULL;

	if (!value || p->failed)
		return;
	escaped = fl_client_escape(value);
	p->failed = !escaped || asprintf(&longer, "%s%c%s=%s", p->text,
					 strchr(p->text, '?') ? '&' : '?', name, escaped) < 0;
	free(escaped);
	if (p->failed)
		return;
	free(p->text);
	p->text = longer;
}

void fl_path_number(struct fl_path *p, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	fl_path_add(p, name, text);
}

/* --- answers --- */

/* Over the network it may be that another daemon, or none, was asked, or with another token. */
static void say_server(const struct fl_client *c, unsigned status, fairlead_error *err)
{
	if (!fl_client_is_remote(c) || (status != 401 && status != 421 && status < 500))
		return;
	if (status == 401)
		fl_fail_hint(err,
			     fl_client_has_token(c) ?
				     "'fairlead login %s' takes another token, which "
				     "'fairlead token create' on the daemon's machine prints" :
				     "'fairlead login %s' takes a token; or --token-file FILE",
			     fl_client_place(c));
	fl_fail_in(err, "%s", fl_client_place(c));
}

int fl_daemon_refused(const struct fl_client *c, unsigned status, const char *body, size_t len,
		      fairlead_error *err)
{
	json_t *json = json_loadb(body ? body : "", len, 0, NULL);
	const json_t *position = json_object_get(json, "position");
	const char *text = json_string_value(json_object_get(json, "text"));
	const char *hint = json_string_value(json_object_get(json, "hint"));
	const char *file = json_string_value(json_object_get(position, "file"));
	long long line = json_integer_value(json_object_get(position, "line"));
	long long column = json_integer_value(json_object_get(position, "column"));
	int code = status < 500 && status != 429 ? FAIRLEAD_EINPUT : FAIRLEAD_EIO;

	if (text && line && file)
		fl_fail(err, code, "%s:%lld:%lld: %s", file, line, column, text);
	else if (text && line)
		fl_fail(err, code, "line %lld, column %lld: %s", line, column, text);
	else if (text)
		fl_fail(err, code, "%s", text);
	else
		code = fl_fail(err, FAIRLEAD_EIO,
			       "the daemon answered with HTTP status %u and no reason", status);
	if (hint && *hint)
		fl_fail_hint(err, "%s", hint);
	else if (status == 429)
		fl_fail_hint(err, "try again in a moment");
	json_decref(json);
	say_server(c, status, err);
	return code;
}

int fl_daemon_fetch(struct fl_client *c, const char *method, struct fl_path *path, const char *body,
		    struct fl_answer *ret, fairlead_error *err)
{
	int rc = path->failed ? fl_fail_nomem(err) :
				fl_client_call(c, method, path->text, body, body ? strlen(body) : 0,
					       ret, err);

	free(path->text);
	path->text = NULL;
	if (rc == 0 && ret->status >= 300) {
		rc = fl_daemon_refused(c, ret->status, ret->body, ret->len, err);
		fl_answer_done(ret);
	}
	return rc;
}

int fl_daemon_ask(struct fl_client *c, const char *method, struct fl_path *path, const char *body,
		  json_t **ret, fairlead_error *err)
{
	struct fl_answer answer;
	json_error_t wrong;
	int rc = fl_daemon_fetch(c, method, path, body, &answer, err);

	if (rc < 0)
		return rc;
	json_t *json = json_loadb(answer.body, answer.len, 0, &wrong);
	fl_answer_done(&answer);
	if (!json && json_error_code(&wrong) == json_error_out_of_memory)
		return fl_fail_nomem(err);
	if (!json_is_object(json)) {
		json_decref(json);
		fl_fail(err, FAIRLEAD_EIO, "the daemon's answer is not understood");
		return fl_fail_hint(err, "fairleadd and fairlead should be of the same version");
	}
	*ret = json;
	return 0;
}

fl_time fl_daemon_now(const json_t *answer)
{
	const char *text = json_string_value(json_object_get(answer, "now"));
	struct timespec t;
	fl_time now;

	if (text && fl_time_parse(text, strlen(text), &now, NULL) == 0)
		return now;
	clock_gettime(CLOCK_REALTIME, &t);
	return (fl_time)t.tv_sec * FL_SECOND + t.tv_nsec;
}

/* --- JSON --- */

enum { DEEPEST = 30 }; /* what struct fl_json has room for, less the outer object and a list */

static void put_json(struct fl_json *j, const char *key, json_t *value)
{
	const char *name;
	json_t *item;
	size_t i;

	if (j->depth >= DEEPEST) {
		fl_json_null(j, key);
	} else if (json_is_object(value)) {
		fl_json_object(j, key);
		json_object_foreach(value, name, item) put_json(j, name, item);
		fl_json_end_object(j);
	} else if (json_is_array(value)) {
		fl_json_list(j, key);
		json_array_foreach(value, i, item) put_json(j, NULL, item);
		fl_json_end_list(j);
	} else if (json_is_string(value)) {
		fl_json_text(j, key, json_string_value(value));
	} else if (json_is_integer(value)) {
		fl_json_int(j, key, json_integer_value(value));
	} else if (json_is_real(value)) {
		fl_json_number(j, key, json_real_value(value));
	} else if (json_is_boolean(value)) {
		fl_json_bool(j, key, json_is_true(value));
	} else {
		fl_json_null(j, key);
	}
}

bool fl_daemon_since(const char *text, char ret[40])
{
	fl_time t, ago;

	if (fl_time_parse(text, strlen(text), &t, NULL) < 0) {
		if (!fl_options_duration(text, &ago))
			return false;
		t = fl_time_minus(fl_daemon_now(/* answer= */ NULL), ago);
		t = t == FL_TIME_NONE ? 0 : t;
	}
	fl_time_format(ret, t);
	return true;
}

void fl_daemon_print_json(FILE *out, const char *kind, json_t *object)
{
	struct fl_json j;
	const char *name;
	json_t *item;

	fl_json_head(&j, out, kind);
	json_object_foreach(object, name, item)
	{
		if (strcmp(name, "kind") != 0 && strcmp(name, "apiVersion") != 0)
			put_json(&j, name, item);
	}
	fl_json_end_object(&j);
	putc('\n', out);
}

void fl_daemon_print_line(FILE *out, json_t *object)
{
	struct fl_json j;

	fl_json_init(&j, out);
	put_json(&j, /* key= */ NULL, object);
	putc('\n', out);
}

/* --- jobs as they are named --- */

bool fl_daemon_job(const char *text, struct fl_job_range *ret)
{
	return fl_job_range_next(&text, ret, NULL) > 0 && !*text;
}

int fl_daemon_one_job(const struct fl_options *o, const char *text, uint64_t *ret)
{
	const char *slash = strrchr(text, '/'); /* as policies name it: "default/17", "job/17" */
	struct fl_job_range range;

	if (fl_daemon_job(slash ? slash + 1 : text, &range) && !range.array &&
	    range.first == range.last) {
		*ret = range.first;
		return 0;
	}
	return fl_usage_error(o->verb, "'%s' is not the number of a job, such as 17", text);
}

/* --- one question --- */

/* Warnings about the daemon's state as a whole, whatever the question was. */
static void warn(const char *text)
{
	if (!text)
		return;
	fputs("fairlead: warning: ", stderr);
	fl_report_put_clean(stderr, text, strlen(text));
	fputs("\nhint: an admin ends this warning with 'fairlead acknowledge'\n", stderr);
}

int fl_daemon_answer(const struct fl_options *o, struct fl_path *path,
		     const struct fl_daemon_question *q)
{
	struct fl_report report = { 0 };
	struct fl_client *client = NULL;
	fairlead_error err = { 0 };
	json_t *answer = NULL;
	int rc = fl_daemon_open(o, &client, &err);

	fl_terminal(&report);
	if (rc == 0)
		rc = fl_daemon_ask(client, q->method ? q->method : "GET", path, q->body, &answer,
				   &err);
	else
		free(path->text);
	warn(json_string_value(json_object_get(answer, "warning")));
	if (rc == 0 && o->output == FL_OUTPUT_JSON)
		fl_daemon_print_json(stdout, q->kind, answer);
	else if (rc == 0)
		rc = q->text(&report, answer, q->user, &err);
	json_decref(answer);
	fl_client_free(client);
	return rc < 0 ? fl_complain(&err) : FL_EXIT_YES;
}
