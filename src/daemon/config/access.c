/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/config/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config_queue.h"

/* How long the answer of a look-up of accounts is used. */
#define BELIEVED (10 * FL_SECOND)

enum {
	CALLERS = 64,  /* callers whose groups are known at a time */
	GROUPS = 1024, /* of one caller; more than any file server takes */
};

/* A user or group of the configuration. */
struct account {
	const char *text;
	bool is_group, known;
	uint32_t id;
	fl_time until; /* FL_TIME_NONE: never looked up */
};

struct rule {
	char *queue;          /* "namespace/name"; NULL: admins */
	struct fl_span names; /* into accounts; n 0: every user */
};

struct caller {
	uid_t uid;
	gid_t gid;
	fl_time until; /* FL_TIME_NONE: free */
	uint32_t n;
	gid_t *groups;
};

/* The user that connections of a uid count for. */
struct guest {
	uid_t uid, payer;
	bool known; /* the uid has an account: */
	gid_t gid;  /* its first group, and its name */
	char name[FL_ACCOUNT_NAME];
	fl_time until; /* FL_TIME_NONE: free */
};

struct fl_access {
	const struct fl_accounts *accounts;
	struct fl_access_runs runs;
	bool open, without_account;
	struct guest guests[CALLERS];
	uint32_t next_guest;
	struct rule *rules;
	struct account *names;
	uint32_t n_rules, n_names;
	struct caller callers[CALLERS];
	uint32_t next; /* the place for the next new caller */
	char name[FL_PRINCIPAL_TEXT];
	fl_access_queues *queues; /* of a token */
	void *queues_user;
};

/* --- the rules --- */

static void add_names(struct fl_access *a, const struct fl_model *m, struct fl_span names,
		      bool is_group)
{
	for (uint32_t i = 0; i < names.n; i++)
		a->names[a->n_names++] = (struct account){
			.text = fl_model_text(m, m->syms[names.first + i]),
			.is_group = is_group,
			.until = FL_TIME_NONE,
		};
}

/* "namespace/name" of the queue that a rule names. */
static int name_queue(const struct fl_model *m, struct fl_sym name, char **ret, fairlead_error *err)
{
	struct fl_sym namespace, queue;
	int r = fl_config_queue(m, fl_model_text(m, name), &namespace, &queue, err);

	if (r == 0 &&
	    asprintf(ret, "%s/%s", fl_model_text(m, namespace), fl_model_text(m, queue)) < 0)
		r = fl_fail_nomem(err);
	return r;
}

static int add_rule(struct fl_access *a, const struct fl_model *m,
		    const struct fl_daemon_access_row *row, fairlead_error *err)
{
	struct rule *rule = &a->rules[a->n_rules++];

	*rule = (struct rule){ .names = { a->n_names, row->users.n + row->groups.n } };
	add_names(a, m, row->users, /* is_group= */ false);
	add_names(a, m, row->groups, /* is_group= */ true);
	return row->queue_name.v == FL_NONE ? 0 : name_queue(m, row->queue_name, &rule->queue, err);
}

int fl_access_new(const struct fl_config *config, const struct fl_accounts *accounts,
		  const struct fl_access_runs *runs, struct fl_access **ret, fairlead_error *err)
{
	const struct fl_model *m = fl_config_objects(config);
	struct fl_access *a = calloc(1, sizeof *a);
	uint32_t names = 1;
	int r = 0;

	if (!a)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < CALLERS; i++)
		a->callers[i].until = a->guests[i].until = FL_TIME_NONE;
	for (uint32_t i = 0; i < m->n_daemon_access; i++)
		names += m->daemon_access[i].users.n + m->daemon_access[i].groups.n;
	a->accounts = accounts;
	a->runs = *runs;
	a->open = m->daemon.open;
	a->without_account = m->daemon.without_account;
	a->rules = calloc((size_t)m->n_daemon_access + 1, sizeof *a->rules);
	a->names = calloc(names, sizeof *a->names);
	if (!a->rules || !a->names)
		r = fl_fail_nomem(err);
	for (uint32_t i = 0; i < m->n_daemon_access && r == 0; i++)
		r = add_rule(a, m, &m->daemon_access[i], err);
	if (r < 0) {
		fl_access_free(a);
		return r;
	}
	*ret = a;
	return 0;
}

struct fl_access *fl_access_free(struct fl_access *a)
{
	if (!a)
		return NULL;
	for (uint32_t i = 0; i < a->n_rules; i++)
		free(a->rules[i].queue);
	for (uint32_t i = 0; i < CALLERS; i++)
		free(a->callers[i].groups);
	free(a->rules);
	free(a->names);
	free(a);
	return NULL;
}

void fl_access_ask_tokens(struct fl_access *a, fl_access_queues *queues, void *user)
{
	a->queues = queues;
	a->queues_user = user;
}

/* --- numbers --- */

static bool is_number(const char *text, uint32_t *ret)
{
	unsigned long long value;

	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 10)
		return false;
	value = strtoull(text, NULL, 10);
	*ret = (uint32_t)value;
	return value < UINT32_MAX; /* UINT32_MAX: no user */
}

static void find_account(struct fl_access *a, struct account *name, fl_time now)
{
	const struct fl_accounts *accounts = a->accounts;
	uid_t uid = 0;
	gid_t gid = 0;

	name->until = now + BELIEVED;
	name->known = is_number(name->text, &name->id);
	if (name->known)
		return;
	if (name->is_group)
		name->known = accounts->group_of(accounts->user, name->text, &gid) == 0;
	else
		name->known = accounts->user_of(accounts->user, name->text, &uid) == 0;
	name->id = name->is_group ? gid : uid;
}

static void warn_of(struct fl_access *a, const struct fl_model *m, const struct fl_place *place,
		    struct account *name, fl_config_say *say, void *user)
{
	char line[1024];

	find_account(a, name, /* now= */ 0);
	if (name->known)
		return;
	(void)snprintf(line, sizeof line,
		       "%.300s:%u:%u: warning: there is no %s '%.200s' on this machine, so no user "
		       "gets rights by that name",
		       fl_model_text(m, m->inputs[place->file]), place->line, place->column,
		       name->is_group ? "group" : "user", name->text);
	say(user, line);
}

void fl_access_warn(const struct fl_config *config, const struct fl_accounts *accounts,
		    fl_config_say *say, void *user)
{
	const struct fl_model *m = fl_config_objects(config);
	struct fl_access *a = NULL;
	fairlead_error err;

	if (fl_access_new(config, accounts, &(struct fl_access_runs){ .all = true }, &a, &err) < 0)
		return; /* the access that the daemon makes reports the error */
	for (uint32_t i = 0; i < a->n_rules; i++)
		for (uint32_t k = 0; k < a->rules[i].names.n; k++)
			warn_of(a, m, &m->daemon_access[i].place,
				&a->names[a->rules[i].names.first + k], say, user);
	fl_access_free(a);
}

static bool is_current(fl_time until, fl_time now) { return until != FL_TIME_NONE && now < until; }

/* The caller with its groups; the one that was looked up longest ago makes room. */
static const struct caller *find_caller(struct fl_access *a, const struct fl_principal *who,
					fl_time now)
{
	const struct fl_accounts *accounts = a->accounts;
	uid_t uid = who->uid;
	gid_t gid = who->gid;
	gid_t groups[GROUPS];
	struct caller *c = NULL;

	for (uint32_t i = 0; i < CALLERS && !c; i++)
		if (a->callers[i].until != FL_TIME_NONE && a->callers[i].uid == uid &&
		    a->callers[i].gid == gid)
			c = &a->callers[i];
	if (c && is_current(c->until, now))
		return c;
	if (!c)
		c = &a->callers[a->next++ % CALLERS];
	free(c->groups);
	*c = (struct caller){ .uid = uid, .gid = gid, .until = now + BELIEVED };
	if (accounts->groups_of(accounts->user, uid, gid, groups, GROUPS, &c->n) != 0)
		c->n = 0;
	c->groups = calloc(c->n + 1, sizeof *c->groups);
	if (!c->groups)
		c->n = 0;
	else if (c->n)
		memcpy(c->groups, groups, c->n * sizeof *groups);
	return c;
}

static bool is_in_group(const struct caller *c, gid_t gid)
{
	bool in = c->gid == gid;

	for (uint32_t i = 0; i < c->n && !in; i++)
		in = c->groups[i] == gid;
	return in;
}

static bool is_named(struct fl_access *a, const struct rule *rule, const struct fl_principal *who)
{
	fl_time now = a->accounts->now(a->accounts->user);
	uid_t uid = fl_principal_account(who);
	bool named = rule->names.n == 0;

	for (uint32_t i = 0; i < rule->names.n && !named && uid != FL_NO_ACCOUNT; i++) {
		struct account *name = &a->names[rule->names.first + i];

		if (!is_current(name->until, now))
			find_account(a, name, now);
		if (name->known)
			named = name->is_group ? is_in_group(find_caller(a, who, now), name->id) :
						 name->id == uid;
	}
	return named;
}

/* An account counts before a range: a range may contain numbers of accounts. */
static const struct guest *find_guest(struct fl_access *a, const struct fl_principal *who,
				      fl_time now)
{
	const struct fl_accounts *accounts = a->accounts;
	uid_t uid = who->uid;
	struct guest *g = NULL;

	for (uint32_t i = 0; i < CALLERS && !g; i++)
		if (a->guests[i].until != FL_TIME_NONE && a->guests[i].uid == uid)
			g = &a->guests[i];
	if (g && is_current(g->until, now))
		return g;
	if (!g)
		g = &a->guests[a->next_guest++ % CALLERS];
	*g = (struct guest){
		.uid = uid, .payer = uid, .gid = FL_NO_GROUP, .until = now + BELIEVED
	};
	g->known = accounts->name_of(accounts->user, uid, g->name, sizeof g->name) == 0 &&
		   accounts->first_group_of(accounts->user, uid, &g->gid) == 0;
	if (!g->known && accounts->owner_of(accounts->user, uid, &g->payer) != 0)
		g->payer = (uid_t)-1;
	return g;
}

/* --- questions --- */

static struct rule *find_rule(const struct fl_access *a, const char *namespace, const char *queue)
{
	size_t n = namespace ? strlen(namespace) : 0;

	for (uint32_t i = 0; i < a->n_rules; i++) {
		const char *name = a->rules[i].queue;

		if (!namespace ? !name :
				 name && strncmp(name, namespace, n) == 0 && name[n] == '/' &&
					 strcmp(name + n + 1, queue) == 0)
			return &a->rules[i];
	}
	return NULL;
}

/* What its account may; one without an account has nothing but its role. */
static enum fl_rank rank_of_account(struct fl_access *a, const struct fl_principal *who)
{
	const struct rule *admins = find_rule(a, /* namespace= */ NULL, /* queue= */ NULL);
	uid_t uid = fl_principal_account(who);

	if (uid == FL_NO_ACCOUNT)
		return fl_principal_most(who);
	if (uid == 0 || uid == a->runs.own)
		return FL_RANK_ROOT;
	return admins && is_named(a, admins, who) ? FL_RANK_ADMIN : FL_RANK_USER;
}

static enum fl_rank lower(enum fl_rank a, enum fl_rank b) { return a < b ? a : b; }

enum fl_rank fl_access_rank(struct fl_access *a, const struct fl_principal *who)
{
	return lower(rank_of_account(a, who), fl_principal_most(who));
}

void fl_access_meet(struct fl_access *a, const struct fl_principal *who, struct fl_guest *ret)
{
	const struct guest *g;

	*ret = (struct fl_guest){ fl_principal_behind(who), fl_access_rank(a, who) };
	if (fl_principal_account(who) == FL_NO_ACCOUNT || rank_of_account(a, who) == FL_RANK_ROOT)
		return;
	g = find_guest(a, who, a->accounts->now(a->accounts->user));
	ret->payer.uid = g->payer;
	if (ret->rank < FL_RANK_ADMIN && !g->known && !a->without_account)
		ret->rank = FL_RANK_STRANGER;
}

bool fl_access_may(struct fl_access *a, const struct fl_principal *who, enum fl_rank least,
		   fairlead_error *err)
{
	static const char *const may[] = {
		[FL_RANK_STRANGER] = "may do nothing here",
		[FL_RANK_PROBE] = "may ask for the daemon's health only",
		[FL_RANK_READER] = "may read only",
	};
	enum fl_rank most = fl_principal_most(who);

	if (most < least && most < FL_RANK_USER) {
		fl_fail(err, FAIRLEAD_ESTATE, "%.200s %s", fl_access_name(a, who), may[most]);
		return false;
	}
	if (least <= FL_RANK_USER || fl_access_rank(a, who) >= least)
		return true;
	fl_fail(err, FAIRLEAD_ESTATE, "this is for admins");
	fl_fail_hint(err, "admins are listed in .spec.access.admins of the Daemon document");
	return false;
}

static bool has_account(struct fl_access *a, const struct fl_principal *who, fairlead_error *err)
{
	const struct fl_principal own = fl_principal_user(a->runs.own, FL_NO_GROUP);
	uid_t uid = fl_principal_account(who);

	if (uid == FL_NO_ACCOUNT) {
		fl_fail(err, FAIRLEAD_ESTATE, "%.200s has no account on this machine to run jobs",
			fl_access_name(a, who));
		return false;
	}
	if (!a->runs.all && uid == a->runs.own)
		return true;
	if (a->runs.all &&
	    (uid == 0 ? a->runs.root :
			uid >= a->runs.first && uid <= a->runs.last && uid != a->runs.own))
		return true;
	if (!a->runs.all) {
		fl_fail(err, FAIRLEAD_ESTATE, "the daemon can run jobs of user %.63s only",
			fl_access_name(a, &own));
		fl_fail_hint(err,
			     "a daemon that root has started can run each job as the user that "
			     "submitted it");
	} else if (uid == 0) {
		fl_fail(err, FAIRLEAD_ESTATE, "jobs of root are not run here");
		fl_fail_hint(err, "submit it as another user, or start fairleadd with --root-jobs");
	} else {
		fl_fail(err, FAIRLEAD_ESTATE, "jobs of %.200s (user %u) are not run here",
			fl_access_name(a, who), uid);
		fl_fail_hint(err, "those of users %u to %u are: fairleadd --users FIRST-LAST",
			     a->runs.first, a->runs.last);
	}
	return false;
}

/* A principal that is not a token names all queues. */
static bool names_queue(const struct fl_access *a, const struct fl_principal *who,
			const char *namespace, const char *queue)
{
	const char *names;
	size_t n = namespace ? strlen(namespace) : 0, len;

	if (who->kind != FL_PRINCIPAL_TOKEN)
		return true;
	names = a->queues ? a->queues(a->queues_user, who) : "";
	if (!names)
		return true;
	for (; namespace && *names; names += len + (names[len] == ' ')) {
		len = strcspn(names, " ");
		if (len == n + 1 + strlen(queue) && strncmp(names, namespace, n) == 0 &&
		    names[n] == '/' && strncmp(names + n + 1, queue, len - n - 1) == 0)
			return true;
	}
	return false;
}

bool fl_access_may_submit(struct fl_access *a, const struct fl_principal *who,
			  const char *namespace, const char *queue, fairlead_error *err)
{
	const struct rule *rule = find_rule(a, namespace, queue);

	if (!fl_access_may(a, who, FL_RANK_USER, err) || !has_account(a, who, err))
		return false;
	if (!names_queue(a, who, namespace, queue)) {
		fl_fail(err, FAIRLEAD_ESTATE, "token %.200s does not name queue '%.253s'",
			fl_access_name(a, who), queue);
		fl_fail_hint(err, "a token is for the queues that it was made for: 'fairlead token "
				  "list' shows them");
		return false;
	}
	if ((rule ? is_named(a, rule, who) : a->open) || fl_access_rank(a, who) >= FL_RANK_ADMIN)
		return true;
	fl_fail(err, FAIRLEAD_ESTATE, "%.200s may not use queue '%.253s'", fl_access_name(a, who),
		queue);
	fl_fail_hint(err, ".spec.access of the Daemon lists the users of each queue");
	return false;
}

bool fl_access_may_touch(struct fl_access *a, const struct fl_principal *who,
			 const struct fl_principal *owner, const char *namespace, const char *queue)
{
	const struct fl_principal behind = fl_principal_behind(who);

	if (!names_queue(a, who, namespace, queue))
		return false;
	return (fl_principal_most(who) >= FL_RANK_READER && fl_principal_same(&behind, owner)) ||
	       fl_access_rank(a, who) >= FL_RANK_ADMIN;
}

/* --- accounts of tokens --- */

bool fl_access_find_account(struct fl_access *a, struct fl_principal *token, const char *name)
{
	const struct fl_principal user = fl_principal_user(token->uid, FL_NO_GROUP);
	const struct guest *g = find_guest(a, &user, a->accounts->now(a->accounts->user));
	bool own = token->uid == a->runs.own;

	if ((!a->runs.all && !own) || (!g->known && !own))
		return false;
	/* A number that was given to another user since is not the account that it was. */
	if (strcmp(g->known ? g->name : fl_access_name(a, &user), name) != 0)
		return false;
	token->gid = g->gid;
	return true;
}

bool fl_access_user(struct fl_access *a, const char *name, struct fl_principal *ret)
{
	uid_t uid = FL_NO_ACCOUNT;
	uint32_t number;

	if (is_number(name, &number))
		uid = number;
	else if (a->accounts->user_of(a->accounts->user, name, &uid) != 0)
		return false;
	*ret = fl_principal_user(uid, FL_NO_GROUP);
	return true;
}

bool fl_access_may_make_token(struct fl_access *a, const struct fl_principal *who,
			      const struct fl_principal *owner, enum fl_rank role,
			      fairlead_error *err)
{
	const struct fl_principal own = fl_principal_user(a->runs.own, FL_NO_GROUP);
	bool same = fl_principal_same(who, owner);

	if (who->kind != FL_PRINCIPAL_USER || who->page) {
		fl_fail(err, FAIRLEAD_ESTATE, "tokens cannot make, list or revoke tokens");
		fl_fail_hint(err, "ask the daemon by its socket, on its machine");
	} else if (!a->runs.all && owner->uid != a->runs.own) {
		fl_fail(err, FAIRLEAD_ESTATE, "this daemon has tokens of user %.63s only",
			fl_access_name(a, &own));
		fl_fail_hint(err, "a daemon that root has started can act for each user");
	} else if (!same && fl_access_rank(a, who) < FL_RANK_ADMIN) {
		fl_fail(err, FAIRLEAD_ESTATE, "this is for admins");
		fl_fail_hint(err, "other users make tokens that act for themselves");
	} else if (rank_of_account(a, owner) < role) {
		fl_fail(err, FAIRLEAD_ESTATE,
			"user %.200s is not an admin, so no token of that user is",
			fl_access_name(a, owner));
		fl_fail_hint(err,
			     "admins are listed in .spec.access.admins of the Daemon document");
	} else if (!same && role > FL_RANK_READER && fl_access_rank(a, who) < FL_RANK_ROOT) {
		fl_fail(err, FAIRLEAD_ESTATE,
			"only that user and root make a token that runs jobs of %.200s",
			fl_access_name(a, owner));
		fl_fail_hint(err, "admins can make a token to read");
	} else {
		return true;
	}
	return false;
}

const char *fl_access_name(struct fl_access *a, const struct fl_principal *who)
{
	uid_t uid = fl_principal_account(who);
	char account[FL_ACCOUNT_NAME];

	if (a->accounts->name_of(a->accounts->user, uid, account, sizeof account) != 0)
		(void)snprintf(account, sizeof account, "%u", uid);
	return fl_principal_text(who, account, a->name);
}
