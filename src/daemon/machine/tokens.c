/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/machine/tokens.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/machine/batch.h"
#include "daemon/machine/inside.h"

static const fl_time HOUR = 3600 * FL_SECOND;

struct fl_token_kept {
	struct fl_token_row row; /* its texts are behind it, but for the last one */
	char *revoked_by;
	enum fl_rank role;
	bool coming; /* it is not durable yet, and of no use: */
	struct fl_token_asked {
		struct fl_core *core;
		fl_reply_fn *done;
		void *user;
	} asked;    /* the answer to come */
	bool dirty; /* the store has an older row */
	char texts[];
};

/* --- the table --- */

/* Where @id is, or would be. */
static uint32_t place_of(const struct fl_tokens *t, const char *id)
{
	uint32_t first = 0, n = t->n;

	while (n > 0) {
		uint32_t half = n / 2;

		if (strcmp(t->rows[first + half]->row.id, id) < 0) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return first;
}

static struct fl_token_kept *find(const struct fl_tokens *t, const char *id)
{
	uint32_t i = place_of(t, id);

	return i < t->n && strcmp(t->rows[i]->row.id, id) == 0 ? t->rows[i] : NULL;
}

static void drop(struct fl_tokens *t, uint32_t i)
{
	t->n_dirty -= t->rows[i]->dirty;
	free(t->rows[i]->revoked_by);
	free(t->rows[i]);
	memmove(&t->rows[i], &t->rows[i + 1], (--t->n - i) * sizeof(t->rows[0]));
}

void fl_tokens_done(struct fl_tokens *t)
{
	while (t->n)
		drop(t, t->n - 1);
	fl_mem_free(&fl_mem_heap, t->rows);
	*t = (struct fl_tokens){ 0 };
}

static size_t copy(char *to, const char **text)
{
	size_t n = *text ? strlen(*text) + 1 : 0;

	if (n)
		*text = memcpy(to, *text, n);
	return n;
}

static struct fl_token_kept *copy_of(const struct fl_token_row *row)
{
	const char *const texts[] = { row->id,   row->hash,   row->name, row->user,
				      row->role, row->queues, row->by };
	struct fl_token_kept *token;
	size_t n = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		n += texts[i] ? strlen(texts[i]) + 1 : 0;
	token = calloc(1, sizeof *token + n);
	if (!token)
		return NULL;
	token->row = *row;
	n = copy(token->texts, &token->row.id);
	n += copy(token->texts + n, &token->row.hash);
	n += copy(token->texts + n, &token->row.name);
	n += copy(token->texts + n, &token->row.user);
	n += copy(token->texts + n, &token->row.role);
	n += copy(token->texts + n, &token->row.queues);
	(void)copy(token->texts + n, &token->row.by);
	token->role = fl_token_rank(row->role);
	token->row.revoked_by = NULL;
	return token;
}

/* One without a valid hash, or of an unknown role, is in the table and never valid. */
static int add(struct fl_tokens *t, const struct fl_token_row *row, struct fl_token_kept **ret,
	       fairlead_error *err)
{
	struct fl_token_kept *token = copy_of(row);
	uint32_t i = place_of(t, row->id);

	if (token && row->revoked_by)
		token->row.revoked_by = token->revoked_by = strdup(row->revoked_by);
	if (!token || (row->revoked_by && !token->revoked_by) ||
	    fl_mem_grow(&fl_mem_heap, &t->rows, &t->cap, t->n + 1, sizeof(t->rows[0]), NULL) < 0) {
		if (token)
			free(token->revoked_by);
		free(token);
		return fl_fail_nomem(err);
	}
	memmove(&t->rows[i + 1], &t->rows[i], (t->n++ - i) * sizeof(t->rows[0]));
	t->rows[i] = token;
	*ret = token;
	return 0;
}

static void outdated(struct fl_tokens *t, struct fl_token_kept *token)
{
	t->n_dirty += !token->dirty;
	token->dirty = true;
}

static int load(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	struct fl_token_kept *token;

	return add(user, row, &token, err);
}

int fl_core_tokens_load(struct fl_core *c, fairlead_error *err)
{
	return fl_store_tokens(c->daemon.store, load, &c->tokens, err);
}

bool fl_token_is_over(const struct fl_token_row *token, fl_time now)
{
	return token->revoked != FL_TIME_NONE ||
	       (token->expires != FL_TIME_NONE && token->expires <= now);
}

void fl_core_tokens_forget(struct fl_core *c, fl_time before)
{
	for (uint32_t i = c->tokens.n; i-- > 0;) {
		const struct fl_token_kept *token = c->tokens.rows[i];
		fl_time end = token->row.revoked != FL_TIME_NONE ? token->row.revoked :
								   token->row.expires;

		if (end != FL_TIME_NONE && end < before && !token->coming && !token->dirty)
			drop(&c->tokens, i);
	}
}

/* --- requests --- */

static int check_room(const struct fl_core *c, const struct fl_token_wish *wish,
		      fairlead_error *err)
{
	fl_time now = fl_clock_now(&c->daemon.clock);
	uint32_t all = 0, in_use = 0;

	for (uint32_t i = 0; i < c->tokens.n; i++) {
		const struct fl_token_row *row = &c->tokens.rows[i]->row;
		bool over = fl_token_is_over(row, now);

		if (row->uid != wish->uid)
			continue;
		all++;
		in_use += !over;
		if (!over && strcmp(row->name, wish->name) == 0) {
			fl_fail(err, FAIRLEAD_ESTATE, "%.200s has a token '%s'", wish->user,
				wish->name);
			return fl_fail_hint(err, "revoke that first, or choose another name");
		}
	}
	if (in_use >= FL_TOKENS_IN_USE) {
		fl_fail(err, FAIRLEAD_ELIMIT, "%.200s has %u tokens that are in use", wish->user,
			in_use);
		return fl_fail_hint(err, "a user has %d at most: revoke some", FL_TOKENS_IN_USE);
	}
	if (all >= FL_TOKENS_OF_USER || c->tokens.n >= FL_TOKENS) {
		fl_fail(err, FAIRLEAD_ELIMIT, "there are too many tokens that were made lately");
		return fl_fail_hint(err,
				    "%d of a user are kept, and %d in all; those that have ended "
				    "are forgotten as ended jobs are: .spec.keep.jobs",
				    FL_TOKENS_OF_USER, FL_TOKENS);
	}
	return 0;
}

static int check_wish(const struct fl_core *c, const struct fl_token_wish *wish,
		      fairlead_error *err)
{
	if (!fl_token_is_name(wish->name)) {
		fl_fail(err, FAIRLEAD_EINPUT, "'%.63s' is not the name of a token", wish->name);
		return fl_fail_hint(err, "1 to 63 letters, digits, '-', '.' and '_', the first a "
					 "letter or digit");
	}
	return check_room(c, wish, err);
}

/* A request, which is answered when it is durable. */
static void made(void *user, const struct fl_reply *reply)
{
	const struct fl_token_kept *token = user;
	const struct fl_token_asked asked = token->asked;
	struct fl_tokens *t = &asked.core->tokens;

	if (reply->code < 0 && token->coming)
		drop(t, place_of(t, token->row.id));
	if (asked.done)
		asked.done(asked.user, reply);
}

/* The row, which says @what, and its answer. */
static int post(struct fl_core *c, enum fl_journal_kind kind, json_t *what, fl_reply_fn *done,
		void *user, fairlead_error *err)
{
	struct fl_post answer = { done, user, c->gather->all.rows.n_journal, 1 };
	char *text = what ? json_dumps(what, JSON_COMPACT) : NULL;
	const struct fl_journal_row row = { .kind = kind, .token.what = text };
	int r = text ? fl_core_note(c, &row, err) : fl_fail_nomem(err);

	free(text);
	json_decref(what);
	return r < 0 ? r : fl_gather_post(c->gather, &answer, err);
}

static json_t *told(const struct fl_token_row *row, fl_time lasts)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:s*, s:I, s:s}", "id", row->id, "hash",
			 row->hash, "name", row->name, "uid", (json_int_t)row->uid, "user",
			 row->user, "role", row->role, "queues", row->queues, "lasts",
			 (json_int_t)lasts, "by", row->by);
}

static int begin(struct fl_core *c, const struct fl_token_row *row, fl_time lasts,
		 fl_reply_fn *done, void *user, fairlead_error *err)
{
	struct fl_token_kept *token = NULL;
	int r = add(&c->tokens, row, &token, err);

	if (r < 0)
		return r;
	token->coming = true;
	token->asked = (struct fl_token_asked){ c, done, user };
	r = post(c, FL_JOURNAL_TOKEN_MADE, told(row, lasts), made, token, err);
	if (r < 0)
		drop(&c->tokens, place_of(&c->tokens, row->id));
	return r;
}

int fl_core_token_create(struct fl_core *c, const struct fl_token_wish *wish,
			 char ret[FL_TOKEN_TEXT], char ret_id[FL_TOKEN_ID], fl_reply_fn *done,
			 void *user, fairlead_error *err)
{
	char hash[FL_TOKEN_HASH];
	const struct fl_token_row row = {
		.id = ret_id,
		.hash = hash,
		.name = wish->name,
		.uid = wish->uid,
		.user = wish->user,
		.role = fl_token_role(wish->role),
		.queues = wish->queues,
		.by = wish->by,
		.expires = FL_TIME_NONE,
		.used = FL_TIME_NONE,
		.revoked = FL_TIME_NONE,
	};
	int r = fl_core_check_open(c, err);

	if (r < 0 || (r = check_wish(c, wish, err)) < 0)
		return r;
	do
		r = fl_token_make_id(ret_id, err);
	while (r == 0 && find(&c->tokens, ret_id));
	if (r == 0)
		r = fl_token_make(ret_id, ret, hash, err);
	return r < 0 ? r : begin(c, &row, wish->lasts, done, user, err);
}

int fl_core_token_revoke(struct fl_core *c, const char *id, const char *by, fl_reply_fn *done,
			 void *user, fairlead_error *err)
{
	const struct fl_token_kept *token = find(&c->tokens, id);
	int r = fl_core_check_open(c, err);

	if (r < 0)
		return r;
	if (!token || token->coming)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no token '%.63s'", id);
	if (fl_token_is_over(&token->row, fl_clock_now(&c->daemon.clock)))
		return fl_fail(err, FAIRLEAD_ESTATE, "token '%s' %s already", token->row.name,
			       token->row.revoked != FL_TIME_NONE ? "was revoked" : "has expired");
	return post(c, FL_JOURNAL_TOKEN_REVOKED, json_pack("{s:s, s:s}", "id", id, "by", by), done,
		    user, err);
}

/* --- applying --- */

static int damaged(const struct fl_journal_row *row, fairlead_error *err)
{
	return fl_fail(err, FAIRLEAD_EINPUT, "row %llu of the journal says of no token",
		       (unsigned long long)row->seq);
}

static int apply_made(struct fl_core *c, const struct fl_journal_row *row, json_t *what,
		      fairlead_error *err)
{
	struct fl_token_row token = { .made = row->at,
				      .expires = FL_TIME_NONE,
				      .used = FL_TIME_NONE,
				      .revoked = FL_TIME_NONE };
	struct fl_token_kept *is;
	json_int_t uid, lasts;
	int r = 0;

	if (json_unpack(what, "{s:s, s:s, s:s, s:I, s:s, s:s, s?:s, s:I, s:s}", "id", &token.id,
			"hash", &token.hash, "name", &token.name, "uid", &uid, "user", &token.user,
			"role", &token.role, "queues", &token.queues, "lasts", &lasts, "by",
			&token.by) != 0 ||
	    strlen(token.hash) != FL_TOKEN_HASH - 1)
		return damaged(row, err);
	token.uid = (uint32_t)uid;
	if (lasts)
		token.expires = fl_sat_add(row->at, lasts);
	is = find(&c->tokens, token.id);
	if (is && !is->coming)
		return 0;
	if (!is)
		r = add(&c->tokens, &token, &is, err);
	if (r < 0)
		return r;
	is->coming = false;
	is->row.made = token.made;
	is->row.expires = token.expires;
	outdated(&c->tokens, is);
	return 0;
}

static int apply_revoked(struct fl_core *c, const struct fl_journal_row *row, const json_t *what,
			 fairlead_error *err)
{
	const char *id = json_string_value(json_object_get(what, "id"));
	const char *by = json_string_value(json_object_get(what, "by"));
	struct fl_token_kept *token = id ? find(&c->tokens, id) : NULL;

	if (!id || !by)
		return damaged(row, err);
	if (!token || token->row.revoked != FL_TIME_NONE)
		return 0;
	token->row.revoked_by = token->revoked_by = strdup(by);
	if (!token->revoked_by)
		return fl_fail_nomem(err);
	token->row.revoked = row->at;
	outdated(&c->tokens, token);
	return 0;
}

int fl_core_token_apply(struct fl_core *c, const struct fl_journal_row *row, fairlead_error *err)
{
	const char *text = row->token.what ? row->token.what : "";
	json_t *what = json_loads(text, 0, NULL);
	int r = !what                              ? damaged(row, err) :
		row->kind == FL_JOURNAL_TOKEN_MADE ? apply_made(c, row, what, err) :
						     apply_revoked(c, row, what, err);

	json_decref(what);
	return r;
}

int fl_core_write_tokens(struct fl_core *c, fairlead_error *err)
{
	struct fl_tokens *t = &c->tokens;
	int r = 0;

	for (uint32_t i = 0; i < t->n && t->n_dirty && r == 0; i++) {
		if (!t->rows[i]->dirty)
			continue;
		r = fl_gather_row(c->gather, &t->rows[i]->row, err);
		t->rows[i]->dirty = r < 0;
		t->n_dirty -= r == 0;
	}
	return r;
}

/* --- questions --- */

static void note_use(struct fl_core *c, struct fl_token_kept *token, fl_time now)
{
	fl_time hour = now - now % HOUR;

	if (token->row.used != FL_TIME_NONE && token->row.used >= hour)
		return;
	token->row.used = hour;
	outdated(&c->tokens, token);
	fl_core_soon(c);
}

int fl_core_token_check(struct fl_core *c, const char *text, fl_time now, struct fl_principal *ret,
			const char **ret_user)
{
	struct fl_token_kept *token;
	char id[FL_TOKEN_ID];

	if (!fl_token_id(text, id))
		return FAIRLEAD_ENOENT;
	token = find(&c->tokens, id);
	if (!token || token->coming || !fl_token_fits(text, token->row.hash))
		return FAIRLEAD_ENOENT;
	if (fl_token_is_over(&token->row, now))
		return FAIRLEAD_ESTATE;
	note_use(c, token, now);
	*ret = (struct fl_principal){ .kind = FL_PRINCIPAL_TOKEN,
				      .role = token->role,
				      .uid = token->row.uid,
				      .gid = FL_NO_GROUP };
	(void)snprintf(ret->name, sizeof ret->name, "%s", token->row.name);
	*ret_user = token->row.user;
	return 0;
}

int fl_core_tokens(const struct fl_core *c, fl_token_fn *fn, void *user, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < c->tokens.n && r >= 0; i++)
		if (!c->tokens.rows[i]->coming)
			r = fn(user, &c->tokens.rows[i]->row, err);
	return r;
}

uint32_t fl_core_tokens_in_use(const struct fl_core *c)
{
	fl_time now = fl_clock_now(&c->daemon.clock);
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->tokens.n; i++)
		n += !c->tokens.rows[i]->coming && !fl_token_is_over(&c->tokens.rows[i]->row, now);
	return n;
}

const struct fl_token_row *fl_core_token_of(const struct fl_core *c, const struct fl_principal *who)
{
	fl_time now = fl_clock_now(&c->daemon.clock);

	for (uint32_t i = 0; i < c->tokens.n; i++) {
		const struct fl_token_kept *token = c->tokens.rows[i];

		if (!token->coming && token->row.uid == who->uid &&
		    strcmp(token->row.name, who->name) == 0 && !fl_token_is_over(&token->row, now))
			return &token->row;
	}
	return NULL;
}
