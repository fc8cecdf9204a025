/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/api/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "codec/job/job_json.h"
#include "daemon/api/call.h"
#include "daemon/api/page.h"
#include "daemon/config/config_queue.h"
#include "daemon/engine/daemon.h"
#include "daemon/machine/tokens.h"
#include "daemon/machine/view.h"

/* A token lasts so long, unless another time is given. */
static const fl_time DAYS = 90, DAY = 86400 * FL_SECOND;
enum { QUEUES_TEXT = 32 * 1024 };

/* --- as JSON --- */

static json_t *queues_json(const char *names)
{
	json_t *list = names ? json_array() : json_null();

	for (; names && *names; names += strcspn(names, " "), names += *names == ' ')
		json_array_append_new(list, json_stringn(names, strcspn(names, " ")));
	return list;
}

static json_t *token_json(const struct fl_api *a, const struct fl_token_row *t, fl_time now)
{
	const char *state = t->revoked != FL_TIME_NONE ? "revoked" :
			    fl_token_is_over(t, now)   ? "expired" :
							 "in use";

	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:s?}", "id",
			 t->id, "name", t->name, "user", t->user, "uid", (json_int_t)t->uid, "role",
			 t->role, "queues", queues_json(t->queues), "state", state, "madeAt",
			 fl_api_moment(a, t->made), "madeBy", t->by, "expiresAt",
			 fl_api_moment(a, t->expires), "usedAt", fl_api_moment(a, t->used),
			 "revokedAt", fl_api_moment(a, t->revoked), "revokedBy", t->revoked_by);
}

static fl_time now_of(const struct fl_api *a) { return fl_clock_now(&a->daemon->clock); }

/* --- making one --- */

/* What is asked for; its texts are those of `body`, but for the queues. */
struct making {
	struct fl_call call;
	json_t *body;
	struct fl_principal owner;
	char owner_name[FL_ACCOUNT_NAME], by[FL_PRINCIPAL_TEXT];
	struct fl_token_wish wish;
	char queues[QUEUES_TEXT];
	char secret[FL_TOKEN_TEXT], id[FL_TOKEN_ID];
};

static struct making *making_free(struct making *m)
{
	if (m) {
		json_decref(m->body);
		explicit_bzero(m->secret, sizeof m->secret);
	}
	free(m);
	return NULL;
}

static int fail_field(const char *key, const char *what, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' %s", key, what);
	return fl_fail_hint(err, "doc/guide/api.md lists the fields");
}

static int check_keys(json_t *body, fairlead_error *err)
{
	static const char *const keys[] = { "name", "user", "role", "queues", "expires" };
	const char *key;
	json_t *value;

	if (!json_is_object(body))
		return fl_fail(err, FAIRLEAD_EINPUT, "the request must be a JSON object");
	json_object_foreach(body, key, value)
	{
		size_t i = 0;

		while (i < sizeof keys / sizeof *keys && strcmp(keys[i], key) != 0)
			i++;
		if (i == sizeof keys / sizeof *keys)
			return fail_field(key, "is not a field of this request", err);
		if (strcmp(key, "queues") != 0 && !json_is_string(value))
			return fail_field(key, "must be a text", err);
	}
	return 0;
}

static const char *text_of(const struct making *m, const char *key)
{
	return json_string_value(json_object_get(m->body, key));
}

static int take_owner(struct making *m, fairlead_error *err)
{
	struct fl_access *access = m->call.api->access;
	const char *name = text_of(m, "user");
	struct fl_principal acting;

	m->owner = m->call.r->who;
	if (name && !fl_access_user(access, name, &m->owner))
		return fl_fail(err, FAIRLEAD_EINPUT, "there is no user '%.100s' on this machine",
			       name);
	(void)snprintf(m->owner_name, sizeof m->owner_name, "%s",
		       fl_access_name(access, &m->owner));
	m->wish.uid = m->owner.uid;
	m->wish.user = m->owner_name;
	/* With its first group, by which it may have rights. */
	acting = m->owner;
	if (!fl_access_find_account(access, &acting, m->owner_name))
		return fl_fail(err, FAIRLEAD_EINPUT, "user %.100s has no account on this machine",
			       m->owner_name);
	m->owner.gid = acting.gid;
	if (!fl_access_may_make_token(access, &m->call.r->who, &m->owner, m->wish.role, err))
		return err->code;
	return 0;
}

static int take_role(struct making *m, fairlead_error *err)
{
	const char *role = text_of(m, "role");

	m->wish.role = role ? fl_token_rank(role) : FL_RANK_STRANGER;
	if (m->wish.role != FL_RANK_STRANGER)
		return 0;
	if (role)
		fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is not a role", role);
	else
		fl_fail(err, FAIRLEAD_EINPUT, "the role is missing");
	return fl_fail_hint(err, "roles: read, submit (and read), admin");
}

static int take_queue(struct making *m, const json_t *item, size_t *used, fairlead_error *err)
{
	const char *text = json_string_value(item);
	struct fl_sym namespace, queue;
	struct fl_live_view view;
	int n;

	if (!text)
		return fail_field("queues", "must be a list of names", err);
	fl_daemon_view(m->call.api->daemon, &view);
	if (fl_config_queue(view.model, text, &namespace, &queue, err) < 0)
		return FAIRLEAD_EINPUT;
	/* May its user use the queue, whichever user makes it? */
	if (!fl_access_may_submit(m->call.api->access, &m->owner,
				  fl_model_text(view.model, namespace),
				  fl_model_text(view.model, queue), err))
		return FAIRLEAD_ESTATE;
	n = snprintf(m->queues + *used, sizeof m->queues - *used, "%s%s/%s", *used ? " " : "",
		     fl_model_text(view.model, namespace), fl_model_text(view.model, queue));
	if (n < 0 || (size_t)n >= sizeof m->queues - *used)
		return fl_fail(err, FAIRLEAD_EINPUT, "the names of the queues are too long");
	*used += (size_t)n;
	return 0;
}

static int take_queues(struct making *m, fairlead_error *err)
{
	json_t *list = json_object_get(m->body, "queues");
	size_t used = 0;
	int r = 0;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list))
		return fail_field("queues", "must be a list of names", err);
	if (m->wish.role != FL_RANK_USER)
		return fl_fail(err, FAIRLEAD_EINPUT,
			       "only a token of role submit names queues; one of role %s sees all",
			       fl_token_role(m->wish.role));
	if (json_array_size(list) == 0 || json_array_size(list) > FL_TOKEN_QUEUES)
		return fl_fail(err, FAIRLEAD_EINPUT, "a token names 1 to %d queues, or none at all",
			       FL_TOKEN_QUEUES);
	for (size_t i = 0; i < json_array_size(list) && r == 0; i++)
		r = take_queue(m, json_array_get(list, i), &used, err);
	m->wish.queues = m->queues;
	return r;
}

static int take_time(struct making *m, fairlead_error *err)
{
	const char *text = text_of(m, "expires");

	m->wish.lasts = DAYS * DAY;
	if (!text)
		return 0;
	m->wish.lasts = 0;
	if (strcmp(text, "never") == 0)
		return 0;
	if (fl_period_parse(text, strlen(text), &m->wish.lasts, NULL) == 0 &&
	    m->wish.lasts >= FL_SECOND && m->wish.lasts <= FL_TOKEN_LASTS)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "'%.60s' is not how long a token can be in use", text);
	return fl_fail_hint(err, "1s to 3650d, such as 90d, or never");
}

static void made(void *user, const struct fl_reply *reply)
{
	struct making *m = user;
	const struct fl_api *a = m->call.api;
	const struct fl_principal who = { .kind = FL_PRINCIPAL_TOKEN, .uid = m->owner.uid };
	const struct fl_token_row *token;
	struct fl_principal is = who;
	char subject[FL_TOKEN_NAME + FL_TOKEN_ID + 64 + FL_ACCOUNT_NAME];
	json_t *json;

	if (reply->code < 0) {
		fl_api_error(&m->call, reply->err);
		making_free(m);
		return;
	}
	(void)snprintf(is.name, sizeof is.name, "%s", m->wish.name);
	token = fl_core_token_of(a->core, &is);
	json = token ? token_json(a, token, now_of(a)) : json_object();
	json_object_set_new(json, "token", json_string(m->secret));
	(void)snprintf(subject, sizeof subject, "%s %s of %s, role %s", m->id, m->wish.name,
		       m->owner_name, fl_token_role(m->wish.role));
	fl_api_audit(&m->call, subject, 201);
	fl_api_json(&m->call, 201, json);
	making_free(m);
}

static int make(struct making *m, fairlead_error *err)
{
	int r = fl_job_json_load(m->call.r->body, m->call.r->body_len, &m->body, err);

	if (r < 0 || (r = check_keys(m->body, err)) < 0 || (r = take_role(m, err)) < 0 ||
	    (r = take_owner(m, err)) < 0 || (r = take_queues(m, err)) < 0 ||
	    (r = take_time(m, err)) < 0)
		return r;
	m->wish.name = text_of(m, "name");
	if (!m->wish.name)
		return fl_fail(err, FAIRLEAD_EINPUT, "the name is missing");
	m->wish.by = m->by;
	return fl_core_token_create(m->call.api->core, &m->wish, m->secret, m->id, made, m, err);
}

/* False: it is a token, and was answered 403. */
static bool is_user(const struct fl_call *call)
{
	fairlead_error err = { 0 };

	if (call->r->who.kind == FL_PRINCIPAL_USER && !call->r->who.page)
		return true;
	(void)fl_access_may_make_token(call->api->access, &call->r->who, &call->r->who,
				       FL_RANK_STRANGER, &err);
	fl_api_fail(call, 403, err.text, err.hint);
	return false;
}

void fl_api_token_create(struct fl_call *call)
{
	struct making *m;
	fairlead_error err = { 0 };
	int r;

	if (!is_user(call))
		return;
	m = calloc(1, sizeof *m);
	r = m ? 0 : fl_fail_nomem(&err);
	if (r == 0) {
		m->call = *call;
		(void)snprintf(m->by, sizeof m->by, "%s",
			       fl_access_name(call->api->access, &call->r->who));
		r = make(m, &err);
	}
	if (r == 0)
		return;
	/* Of the core it is a name that is in use: 409; all other states are rights. */
	bool may = m && m->wish.by;

	making_free(m);
	if (r == FAIRLEAD_ESTATE && !may)
		fl_api_fail(call, 403, err.text, err.hint);
	else
		fl_api_error(call, &err);
}

/* --- the list --- */

struct listing {
	const struct fl_call *call;
	json_t *rows;
	fl_time now;
	bool all;
};

static int list_token(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	struct listing *l = user;

	if (!l->all && row->uid != l->call->r->who.uid)
		return 0;
	return json_array_append_new(l->rows, token_json(l->call->api, row, l->now)) == 0 ?
		       0 :
		       fl_fail_nomem(err);
}

void fl_api_tokens(struct fl_call *call)
{
	struct listing l = { .call = call };
	fairlead_error err = { 0 };

	if (!is_user(call))
		return;
	l.rows = json_array();
	l.now = now_of(call->api);
	l.all = fl_api_is_admin(call);
	if (fl_core_tokens(call->api->core, list_token, &l, &err) < 0) {
		json_decref(l.rows);
		fl_api_error(call, &err);
		return;
	}
	fl_api_json(call, 200,
		    json_pack("{s:o, s:o}", "now", fl_api_moment(call->api, l.now), "tokens",
			      l.rows));
}

/* --- revoking one --- */

struct revoking {
	struct fl_call call;
	char id[FL_TOKEN_ID];
	char wanted[FL_TOKEN_NAME]; /* an id or a name */
	uid_t owner;                /* whose, if it is a name */
	bool admin, by_id;          /* the one that was found is that of the id */
	char subject[FL_TOKEN_ID + FL_TOKEN_NAME + FL_ACCOUNT_NAME + 64];
};

/* Its id comes before a name, and one that is in use before those that have ended with that name. */
static int find_token(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	struct revoking *r = user;
	bool by_id = strcmp(row->id, r->wanted) == 0 && (r->admin || row->uid == r->owner);
	bool by_name = strcmp(row->name, r->wanted) == 0 && row->uid == r->owner;

	(void)err;
	if (r->by_id ||
	    (!by_id && !(by_name && (!*r->id || !fl_token_is_over(row, now_of(r->call.api))))))
		return 0;
	r->by_id = by_id;
	(void)snprintf(r->id, sizeof r->id, "%s", row->id);
	(void)snprintf(r->subject, sizeof r->subject, "%s %s of %.200s", row->id, row->name,
		       row->user);
	return 0;
}

static void revoked(void *user, const struct fl_reply *reply)
{
	struct revoking *r = user;
	struct fl_call *call = &r->call;

	fl_server_look_again(call->api->server);
	if (reply->code < 0) {
		fl_api_error(call, reply->err);
	} else {
		fl_api_audit(call, r->subject, 200);
		fl_api_json(call, 200, json_pack("{s:s, s:s}", "status", "revoked", "id", r->id));
	}
	free(r);
}

static int revoke_token(struct revoking *r, fairlead_error *err)
{
	const struct fl_call *call = &r->call;
	const char *user = fl_request_argument(call->r, "user");
	struct fl_principal owner = call->r->who;

	r->admin = fl_api_is_admin(call);
	if (user && !fl_access_user(call->api->access, user, &owner))
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no user '%.100s' on this machine",
			       user);
	if (owner.uid != call->r->who.uid && !r->admin) {
		fl_fail(err, FAIRLEAD_ENOENT, "you have no token '%s'", r->wanted);
		return fl_fail_hint(err, "tokens of other users are for them and for admins");
	}
	r->owner = owner.uid;
	(void)fl_core_tokens(call->api->core, find_token, r, err);
	if (!*r->id) {
		fl_fail(err, FAIRLEAD_ENOENT, "there is no token '%s'", r->wanted);
		return fl_fail_hint(err, "'fairlead token list' lists them; of another user by its "
					 "id, or with --user");
	}
	return fl_core_token_revoke(call->api->core, r->id,
				    fl_access_name(call->api->access, &call->r->who), revoked, r,
				    err);
}

void fl_api_token_revoke(struct fl_call *call)
{
	size_t len = call->place.parts[0].len;
	struct revoking *r;
	fairlead_error err = { 0 };
	int code;

	if (!is_user(call))
		return;
	if (len >= FL_TOKEN_NAME) {
		fl_api_fail(call, 404, "there is no such token", NULL);
		return;
	}
	r = calloc(1, sizeof *r);
	code = r ? 0 : fl_fail_nomem(&err);
	if (code == 0) {
		r->call = *call;
		(void)snprintf(r->wanted, sizeof r->wanted, "%.*s", (int)len,
			       call->place.parts[0].text);
		code = revoke_token(r, &err);
	}
	if (code < 0) {
		free(r);
		fl_api_error(call, &err);
	}
}

/* --- the caller --- */

static const char *role_of(enum fl_rank rank)
{
	const char *role = fl_token_role(rank > FL_RANK_ADMIN ? FL_RANK_ADMIN : rank);

	return role ? role : "none";
}

/* Of the token that the caller has shown, or that its page was opened by; NULL: none. */
static const struct fl_token_row *token_of(const struct fl_api *a, const struct fl_principal *who)
{
	return a->core && who->kind == FL_PRINCIPAL_TOKEN ? fl_core_token_of(a->core, who) : NULL;
}

bool fl_api_add_rights(const struct fl_api *a, const struct fl_principal *who, json_t *json)
{
	const struct fl_principal behind = fl_principal_behind(who);
	const struct fl_token_row *token = token_of(a, who);

	return json_object_set_new(json, "user", json_string(fl_access_name(a->access, &behind))) ==
		       0 &&
	       json_object_set_new(json, "role",
				   json_string(role_of(fl_access_rank(a->access, who)))) == 0 &&
	       json_object_set_new(json, "queues", queues_json(token ? token->queues : NULL)) == 0;
}

static json_t *expiry_of(const struct fl_api *a, const struct fl_principal *who,
			 const struct fl_token_row *token)
{
	const struct fl_page *page = fl_pages_at(a->pages, who->page, now_of(a));

	return fl_api_moment(a, page ? page->until : token ? token->expires : FL_TIME_NONE);
}

void fl_api_whoami(struct fl_call *call)
{
	const struct fl_api *a = call->api;
	const struct fl_principal *who = &call->r->who, behind = fl_principal_behind(who);
	const struct fl_token_row *token = token_of(a, who);
	json_t *json = json_pack("{s:I, s:s?}", "uid", (json_int_t)fl_principal_account(&behind),
				 "token", token ? token->name : NULL);
	bool made = json && fl_api_add_rights(a, who, json);

	if (made && (token || who->page))
		made = json_object_set_new(json, "expiresAt", expiry_of(a, who, token)) == 0;
	else if (made)
		(void)json_object_del(json, "queues");
	if (!made) {
		json_decref(json);
		json = NULL;
	}
	fl_api_json(call, 200, json);
}
