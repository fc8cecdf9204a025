/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration - that of the daemon: read, checked, compared, replaced, restored
 *
 * What `get` prints ends with a comment that names its version; `set` takes that comment for the
 * version that is replaced, so that the second of two edits of the same one is refused.  It is
 * at the end, so that lines in messages are those of the file.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/client/daemon.h"
#include "cli/client/daemon_ask.h"
#include "input/input.h"
#include "report/out/sanitize.h"

#define MARK "# fairlead configuration, version "

/* --- the operand --- */

static bool is_version(const char *text)
{
	return *text && strlen(text) <= 20 && strspn(text, "0123456789") == strlen(text);
}

static int wrong_version(const struct fl_options *o, const char *text)
{
	return fl_usage_error(o->verb, "'%s' is not the number of a version, such as 17", text);
}

/* The file, without the line that names its version. */
struct text {
	struct fl_text file;
	char version[24]; /* "": none is named */
};

/* The last line that names a version; NULL: none does. */
static char *find_mark(const char *text, size_t *ret_digits)
{
	char *found = NULL;

	for (const char *at = text; (at = strstr(at, MARK)) != NULL; at += strlen(MARK)) {
		size_t digits = strspn(at + strlen(MARK), "0123456789");
		char behind = at[strlen(MARK) + digits];

		if ((at > text && at[-1] != '\n') || digits == 0 || digits > 20 ||
		    (behind != '\n' && behind != '\0'))
			continue;
		found = (char *)(uintptr_t)at;
		*ret_digits = digits;
	}
	return found;
}

static int read_text(const char *name, struct text *ret, fairlead_error *err)
{
	int r = fl_input_read(name, &ret->file, err);
	size_t digits = 0;
	char *mark, *rest;

	if (r < 0)
		return r;
	if (strlen(ret->file.bytes) != ret->file.len) {
		fl_text_done(&ret->file);
		return fl_fail(err, FAIRLEAD_EINPUT, "%s has a zero byte in it", name);
	}
	mark = find_mark(ret->file.bytes, &digits);
	if (!mark)
		return 0;
	memcpy(ret->version, mark + strlen(MARK), digits);
	rest = mark + strlen(MARK) + digits;
	rest += *rest == '\n';
	memmove(mark, rest, strlen(rest) + 1);
	return 0;
}

/* --- answers as text --- */

static const char *text_of(const json_t *of, const char *key)
{
	const char *text = json_string_value(json_object_get(of, key));

	return text ? text : "";
}

static void put_clean(const char *text) { fl_report_put_clean(stdout, text, strlen(text)); }

/* "version 17, put by alice at 2026-12-01T08:00:00Z: why" */
static void put_version(const json_t *v)
{
	const char *const keys[] = { "how", "by", "at", "why" };
	const char *texts[4];

	for (int i = 0; i < 4; i++)
		texts[i] = json_string_value(json_object_get(v, keys[i]));
	printf("version %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(v, "version")));
	if (texts[0]) {
		fputs(", ", stdout);
		put_clean(texts[0]);
	}
	if (texts[1]) {
		fputs(" by ", stdout);
		put_clean(texts[1]);
	}
	if (texts[2]) {
		fputs(", ", stdout);
		put_clean(texts[2]);
	}
	if (texts[3]) {
		fputs(": ", stdout);
		put_clean(texts[3]);
	}
	putchar('\n');
}

/* Goes into a file again, so it is unchanged but for a terminal. */
static void get_text(const json_t *answer)
{
	const char *text = text_of(answer, "text");
	size_t len = strlen(text);

	if (!isatty(STDOUT_FILENO)) {
		fputs(text, stdout);
	} else {
		struct fl_sanitize sanitize = { .out = stdout };

		fl_sanitize_put(&sanitize, text, len);
		fl_sanitize_end(&sanitize);
	}
	printf("%s" MARK "%" JSON_INTEGER_FORMAT "\n", len && text[len - 1] != '\n' ? "\n" : "",
	       json_integer_value(json_object_get(answer, "version")));
}

static void versions_text(const json_t *answer)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "versions"), i, one) put_version(one);
}

static void put_findings(const json_t *list, const char *severity)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const struct fl_diagnostic d = {
			.file = text_of(one, "file"),
			.line = (uint32_t)json_integer_value(json_object_get(one, "line")),
			.column = (uint32_t)json_integer_value(json_object_get(one, "column")),
			.severity = severity,
			.subject = text_of(one, "subject"),
			.text = text_of(one, "message"),
			.hint = text_of(one, "hint"),
		};

		fl_print_diagnostic(&d);
	}
}

static void put_settings(const json_t *list, const char *what)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		fputs(i ? ", " : what, stdout);
		put_clean(json_string_value(one) ? json_string_value(one) : "");
	}
	if (json_array_size(list))
		putchar('\n');
}

static void check_text(const json_t *answer)
{
	put_findings(json_object_get(answer, "errors"), "error");
	put_findings(json_object_get(answer, "notices"), "warning");
	put_settings(json_object_get(answer, "atStart"), "count from the next start on: ");
	put_settings(json_object_get(answer, "ofFile"),
		     "are read from the file of the daemon, and not from here: ");
	if (json_is_true(json_object_get(answer, "ok")))
		puts("the configuration is valid, and could be applied now");
}

static void set_text(const json_t *answer)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(answer, "warnings"), i, one)
	{
		fl_report_put_clean(stderr, json_string_value(one), json_string_length(one));
		putc('\n', stderr);
	}
	put_version(answer);
	if (!json_is_true(json_object_get(answer, "changed")))
		puts("it is the same: nothing has changed");
}

/* --- actions --- */

struct asking {
	const struct fl_options *o;
	struct fl_client *client;
	json_t *answer;
};

static int ask(struct asking *a, const char *method, struct fl_path *path, const char *body,
	       fairlead_error *err)
{
	return fl_daemon_ask(a->client, method, path, body, &a->answer, err);
}

static int get(struct asking *a, const char *operand, fairlead_error *err)
{
	struct fl_path path;

	if (operand)
		fl_path_start(&path, "/v1/configuration/versions/%s", operand);
	else
		fl_path_start(&path, "/v1/configuration");
	return ask(a, "GET", &path, NULL, err);
}

static int list(struct asking *a, const char *operand, fairlead_error *err)
{
	struct fl_path path;

	(void)operand;
	fl_path_start(&path, "/v1/configuration/versions");
	return ask(a, "GET", &path, NULL, err);
}

static int check(struct asking *a, const char *operand, fairlead_error *err)
{
	struct text text = { 0 };
	struct fl_path path;
	int r = read_text(operand, &text, err);

	if (r < 0)
		return r;
	fl_path_start(&path, "/v1/configuration/check");
	r = ask(a, "POST", &path, text.file.bytes, err);
	fl_text_done(&text.file);
	return r;
}

/* The version that the text was made of, or the present one. */
static int name_version(struct asking *a, struct text *text, fairlead_error *err)
{
	char tag[40];
	int r = *text->version ? 0 : get(a, /* operand= */ NULL, err);

	if (r < 0)
		return r;
	if (!*text->version)
		(void)snprintf(text->version, sizeof text->version, "%" JSON_INTEGER_FORMAT,
			       json_integer_value(json_object_get(a->answer, "version")));
	json_decref(a->answer);
	a->answer = NULL;
	(void)snprintf(tag, sizeof tag, "\"%s\"", text->version);
	fl_client_match(a->client, tag);
	return 0;
}

static int set(struct asking *a, const char *operand, fairlead_error *err)
{
	struct text text = { 0 };
	struct fl_path path;
	int r = read_text(operand, &text, err);

	if (r < 0)
		return r;
	r = name_version(a, &text, err);
	if (r == 0) {
		fl_path_start(&path, "/v1/configuration");
		fl_path_add(&path, "reason", a->o->reason);
		r = ask(a, "PUT", &path, text.file.bytes, err);
	}
	fl_text_done(&text.file);
	return r;
}

static int restore(struct asking *a, const char *operand, fairlead_error *err)
{
	struct fl_path path;

	fl_path_start(&path, "/v1/configuration/versions/%s/restore", operand);
	fl_path_add(&path, "reason", a->o->reason);
	return ask(a, "POST", &path, NULL, err);
}

/* --- the verb --- */

enum takes { NOTHING, A_FILE, A_VERSION, MAYBE_A_VERSION };

static const struct action {
	const char *name;
	enum takes takes;
	const char *kind;                                                       /* of the JSON */
	int (*ask)(struct asking *a, const char *operand, fairlead_error *err); /* NULL: diff */
	void (*text)(const json_t *answer);
} actions[] = {
	{ "get", MAYBE_A_VERSION, "ConfigurationVersion", get, get_text },
	{ "check", A_FILE, "ConfigurationCheck", check, check_text },
	{ "diff", A_FILE, NULL, NULL, NULL },
	{ "set", A_FILE, "ConfigurationChange", set, set_text },
	{ "versions", NOTHING, "ConfigurationVersions", list, versions_text },
	{ "restore", A_VERSION, "ConfigurationChange", restore, set_text },
};

static const struct action *action_of(const char *name, struct fl_nearest *near)
{
	near->wanted = name;
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
		fl_nearest_offer(near, actions[i].name);
	}
	return NULL;
}

/* 0, or an exit code. */
static int check_operand(const struct fl_options *o, const struct action *action)
{
	const char *operand = o->n_operands > 1 ? o->operands[1] : NULL;

	if (operand && action->takes == NOTHING)
		return fl_usage_error(o->verb, "'%s' takes nothing behind it", action->name);
	if (!operand && action->takes == A_FILE)
		return fl_usage_error(o->verb, "'%s' needs a FILE, or - for standard input",
				      action->name);
	if (!operand && action->takes == A_VERSION)
		return fl_usage_error(o->verb, "'%s' needs the number of a version", action->name);
	if (operand && action->takes >= A_VERSION && !is_version(operand))
		return wrong_version(o, operand);
	return 0;
}

static int run(const struct fl_options *o, const struct action *action)
{
	struct asking a = { .o = o };
	fairlead_error err = { 0 };
	int code = FL_EXIT_YES, r = fl_daemon_open(o, &a.client, &err);

	if (r == 0)
		r = action->ask(&a, o->n_operands > 1 ? o->operands[1] : NULL, &err);
	if (r < 0)
		code = fl_complain(&err);
	else if (o->output == FL_OUTPUT_JSON)
		fl_daemon_print_json(stdout, action->kind, a.answer);
	else
		action->text(a.answer);
	if (r == 0 && json_is_false(json_object_get(a.answer, "ok")))
		code = FL_EXIT_NO;
	json_decref(a.answer);
	fl_client_free(a.client);
	return code;
}

static int difference(const struct fl_options *o)
{
	struct text text = { 0 };
	fairlead_error err = { 0 };
	int code;

	if (read_text(o->operands[1], &text, &err) < 0)
		return fl_complain(&err);
	code = fl_daemon_difference(o, text.file.bytes);
	fl_text_done(&text.file);
	return code;
}

int fl_cmd_configuration(const struct fl_options *o)
{
	struct fl_nearest near = { 0 };
	const struct action *action = action_of(o->operands[0], &near);
	int code;

	if (!action && near.n)
		return fl_usage_error(o->verb, "unknown action '%s'; did you mean '%s'?",
				      o->operands[0], near.name[0]);
	if (!action)
		return fl_usage_error(o->verb,
				      "unknown action '%s': get, check, diff, set, "
				      "versions, restore",
				      o->operands[0]);
	code = check_operand(o, action);
	return code ? code : action->ask ? run(o, action) : difference(o);
}
