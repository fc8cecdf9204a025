/* SPDX-License-Identifier: Apache-2.0 */
/* token: makes, lists and revokes what programs show the daemon on the network */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "cli/client/daemon.h"
#include "report/out/table.h"

/* --- create --- */

static int created_text(const struct fl_report *r, const json_t *answer, const void *user,
			fairlead_error *err)
{
	const char *until = json_string_value(json_object_get(answer, "expiresAt"));
	const char *token = json_string_value(json_object_get(answer, "token"));

	(void)user;
	(void)err;
	fputs("fairlead: note: the token is printed this once; it is in use until ", stderr);
	until = until ? until : "it is revoked";
	fl_report_put_clean(stderr, until, strlen(until));
	putc('\n', stderr);
	fl_report_put_clean(r->out, token ? token : "", token ? strlen(token) : 0);
	putc('\n', r->out);
	return 0;
}

static json_t *wanted(const struct fl_options *o)
{
	json_t *queues = o->n_queues ? json_array() : NULL;

	/* Without one of them it would be a token for others, or for all. */
	for (uint32_t i = 0; i < o->n_queues; i++)
		if (json_array_append_new(queues, json_string(o->queues[i])) < 0) {
			json_decref(queues);
			return NULL;
		}
	return json_pack("{s:s, s:s, s:s*, s:s*, s:o*}", "name", o->operands[1], "role", o->role,
			 "user", o->user, "expires", o->expires, "queues", queues);
}

static int create(const struct fl_options *o)
{
	struct fl_daemon_question q = { "NewToken", created_text, NULL, "POST", NULL };
	fairlead_error err = { 0 };
	json_t *body;
	struct fl_path path;
	char *text;
	int code;

	if (!o->role)
		return fl_usage_error(o->verb, "--role is missing: read, submit or admin");
	body = wanted(o);
	text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	json_decref(body);
	if (!text) {
		fl_fail(&err, FAIRLEAD_EINPUT, "a name is not UTF-8, or there is no memory");
		return fl_complain(&err);
	}
	q.body = text;
	fl_path_start(&path, "/v1/tokens");
	code = fl_daemon_answer(o, &path, &q);
	free(text);
	return code;
}

/* --- list --- */

enum { NAME, ID, USER, ROLE, QUEUES, STATE, EXPIRES, USED, COLUMNS };

static const struct fl_column_head heads[COLUMNS] = {
	[NAME] = { "NAME", 0, 0 },       [ID] = { "ID", 0, 0 },
	[USER] = { "USER", 0, 0 },       [ROLE] = { "ROLE", 0, 0 },
	[QUEUES] = { "QUEUES", 0, 3 },   [STATE] = { "STATE", 0, 0 },
	[EXPIRES] = { "EXPIRES", 0, 2 }, [USED] = { "LAST USED", 0, 1 },
};

static const char *text_of(const json_t *token, const char *key, const char *none)
{
	const char *text = json_string_value(json_object_get(token, key));

	return text ? text : none;
}

/* To the minute: "2026-01-31 12:00". */
static const char *moment(const json_t *token, const char *key, const char *none, char ret[20])
{
	const char *text = text_of(token, key, NULL);

	if (!text || strlen(text) < 16)
		return none;
	(void)snprintf(ret, 20, "%.10s %.5s", text, text + 11);
	return ret;
}

static int put_token(struct fl_table *t, const json_t *token, fairlead_error *err)
{
	json_t *queues = json_object_get(token, "queues"), *queue;
	char expires[20], used[20];
	const char *texts[COLUMNS] = {
		[NAME] = text_of(token, "name", ""),
		[ID] = text_of(token, "id", ""),
		[USER] = text_of(token, "user", ""),
		[ROLE] = text_of(token, "role", ""),
		[QUEUES] = json_is_array(queues) ? "" : "all",
		[STATE] = text_of(token, "state", ""),
		[EXPIRES] = moment(token, "expiresAt", "never", expires),
		[USED] = moment(token, "usedAt", "-", used),
	};
	size_t i;
	int rc = fl_table_texts(t, texts, COLUMNS, err);

	json_array_foreach(queues, i, queue)
	{
		const char *name = json_string_value(queue);

		if (rc == 0 && name)
			rc = i ? fl_table_line(t, QUEUES, name, err) :
				 fl_table_cell(t, QUEUES, name, err);
	}
	return rc;
}

static int list_text(const struct fl_report *r, const json_t *answer, const void *user,
		     fairlead_error *err)
{
	json_t *tokens = json_object_get(answer, "tokens"), *token;
	const struct fl_options *o = user;
	struct fl_table *t;
	size_t i;
	int rc = fl_table_begin(r, heads, COLUMNS, &t, err), shown = 0;

	if (rc < 0)
		return rc;
	json_array_foreach(tokens, i, token)
	{
		if (rc < 0 || (!o->all && strcmp(text_of(token, "state", ""), "in use") != 0) ||
		    (o->user && strcmp(text_of(token, "user", ""), o->user) != 0))
			continue;
		rc = put_token(t, token, err);
		shown++;
	}
	if (rc == 0 && shown == 0) {
		fputs("no tokens\n", r->out);
		(void)fl_table_free(t);
		return 0;
	}
	return fl_table_end(t, rc, err);
}

static int list(const struct fl_options *o)
{
	struct fl_daemon_question q = { "Tokens", list_text, o, NULL, NULL };
	struct fl_path path;

	fl_path_start(&path, "/v1/tokens");
	return fl_daemon_answer(o, &path, &q);
}

/* --- revoke --- */

static int revoked_text(const struct fl_report *r, const json_t *answer, const void *user,
			fairlead_error *err)
{
	(void)user;
	(void)err;
	fputs("token ", r->out);
	fl_report_put_clean(r->out, text_of(answer, "id", ""), strlen(text_of(answer, "id", "")));
	fputs(" is revoked\n", r->out);
	return 0;
}

static int revoke_token(const struct fl_options *o)
{
	struct fl_daemon_question q = { "RevokedToken", revoked_text, NULL, "POST", NULL };
	const char *token = o->operands[1];
	struct fl_path path;

	if (!*token || strspn(token, "-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789") != strlen(token))
		return fl_usage_error(o->verb, "'%s' is neither the id nor the name of a token",
				      token);
	fl_path_start(&path, "/v1/tokens/%s/revoke", token);
	fl_path_add(&path, "user", o->user);
	return fl_daemon_answer(o, &path, &q);
}

/* --- which of them --- */

int fl_cmd_token(const struct fl_options *o)
{
	static const struct {
		const char *name;
		uint32_t n_operands;
		bool makes;
		const char *usage;
		int (*run)(const struct fl_options *o);
	} actions[] = {
		{ "create", 2, true, "create wants the name of the new token", create },
		{ "list", 1, false, "list wants no name", list },
		{ "revoke", 2, false, "revoke wants the name or the id of one token",
		  revoke_token },
	};

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(o->operands[0], actions[i].name) != 0)
			continue;
		if (o->n_operands != actions[i].n_operands)
			return fl_usage_error(o->verb, "%s", actions[i].usage);
		if (!actions[i].makes && (o->role || o->expires || o->n_queues))
			return fl_usage_error(o->verb,
					      "--role, --queue and --expires are for create");
		return actions[i].run(o);
	}
	return fl_usage_error(o->verb, "'%s' is not one of create, list and revoke",
			      o->operands[0]);
}
