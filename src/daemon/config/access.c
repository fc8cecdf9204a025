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
	bool known;    /* the uid has an account */
	fl_time until; /* FL_TIME_NONE: free */
};

struct fl_access {
	const struct fl_accounts *accounts;
	uid_t own;
	bool open, without_account;
	struct guest guests[CALLERS];
	uint32_t next_guest;
	struct rule *rules;
	struct account *names;
	uint32_t n_rules, n_names;
	struct caller callers[CALLERS];
	uint32_t next; /* the place for the next new caller */
	char user[256];
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

int fl_access_new(const struct fl_config *config, const struct fl_accounts *accounts, uid_t own,
		  struct fl_access **ret, fairlead_error *err)
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
	a->own = own;
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

	if (fl_access_new(config, accounts, /* own= */ 0, &a, &err) < 0)
		return; /* the access that the daemon makes reports the error */
	for (uint32_t i = 0; i < a->n_rules; i++)
		for (uint32_t k = 0; k < a->rules[i].names.n; k++)
			warn_of(a, m, &m->daemon_access[i].place,
				&a->names[a->rules[i].names.first + k], say, user);
	fl_access_free(a);
}

static bool is_current(fl_time until, fl_time now) { return until != FL_TIME_NONE && now < until; }

/* The caller with its groups; the one that was looked up longest ago makes room. */
static const struct caller *find_caller(struct fl_access *a, uid_t uid, gid_t gid, fl_time now)
{
	const struct fl_accounts *accounts = a->accounts;
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

static bool is_named(struct fl_access *a, const struct rule *rule, uid_t uid, gid_t gid)
{
	fl_time now = a->accounts->now(a->accounts->user);
	bool named = rule->names.n == 0;

	for (uint32_t i = 0; i < rule->names.n && !named; i++) {
		struct account *name = &a->names[rule->names.first + i];

		if (!is_current(name->until, now))
			find_account(a, name, now);
		if (name->known)
			named = name->is_group ?
					is_in_group(find_caller(a, uid, gid, now), name->id) :
					name->id == uid;
	}
	return named;
}

/* An account counts before a range: a range may contain numbers of accounts. */
static const struct guest *find_guest(struct fl_access *a, uid_t uid, fl_time now)
{
	const struct fl_accounts *accounts = a->accounts;
	struct guest *g = NULL;
	char name[sizeof a->user];

	for (uint32_t i = 0; i < CALLERS && !g; i++)
		if (a->guests[i].until != FL_TIME_NONE && a->guests[i].uid == uid)
			g = &a->guests[i];
	if (g && is_current(g->until, now))
		return g;
	if (!g)
		g = &a->guests[a->next_guest++ % CALLERS];
	*g = (struct guest){ .uid = uid, .payer = uid, .until = now + BELIEVED };
	g->known = accounts->name_of(accounts->user, uid, name, sizeof name) == 0;
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

bool fl_access_is_admin(struct fl_access *a, uid_t uid, gid_t gid)
{
	const struct rule *admins = find_rule(a, /* namespace= */ NULL, /* queue= */ NULL);

	return uid == 0 || uid == a->own || (admins && is_named(a, admins, uid, gid));
}

void fl_access_meet(struct fl_access *a, uid_t uid, gid_t gid, struct fl_guest *ret)
{
	const struct guest *g;

	*ret = (struct fl_guest){ uid, FL_RANK_ROOT };
	if (uid == 0 || uid == a->own)
		return;
	g = find_guest(a, uid, a->accounts->now(a->accounts->user));
	ret->payer = g->payer;
	if (fl_access_is_admin(a, uid, gid))
		ret->rank = FL_RANK_ADMIN;
	else
		ret->rank = g->known || a->without_account ? FL_RANK_USER : FL_RANK_STRANGER;
}

bool fl_access_may_submit(struct fl_access *a, uid_t uid, gid_t gid, const char *namespace,
			  const char *queue, fairlead_error *err)
{
	const struct rule *rule = find_rule(a, namespace, queue);

	if (a->own != 0 && uid != a->own) {
		fl_fail(err, FAIRLEAD_ESTATE, "the daemon can run jobs of user %.63s only",
			fl_access_user(a, a->own));
		fl_fail_hint(
			err,
			"a daemon that root runs can run each job as the user that submitted it");
		return false;
	}
	if ((rule ? is_named(a, rule, uid, gid) : a->open) || fl_access_is_admin(a, uid, gid))
		return true;
	fl_fail(err, FAIRLEAD_ESTATE, "%.63s may not use queue '%.253s'", fl_access_user(a, uid),
		queue);
	fl_fail_hint(err, ".spec.access of the Daemon lists the users of each queue");
	return false;
}

bool fl_access_may_touch(struct fl_access *a, uid_t uid, gid_t gid, uid_t owner)
{
	return uid == owner || fl_access_is_admin(a, uid, gid);
}

const char *fl_access_user(struct fl_access *a, uid_t uid)
{
	if (a->accounts->name_of(a->accounts->user, uid, a->user, sizeof a->user) != 0)
		(void)snprintf(a->user, sizeof a->user, "%u", uid);
	return a->user;
}
