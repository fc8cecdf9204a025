/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "cli/client/daemon.h"
#include "mirror/essence.h"
#include "report/job/words.h"

enum {
	BY_NAME = 100, /* that differ, at most: else their kinds are listed again */
	AGAIN = 2,     /* rounds of that, each of which costs the server a list */
	ROUNDS = 12,   /* of asking by name, while all that differs goes on in the daemon */
};

/* ms before each round; then the last one again */
static const unsigned pauses[] = { 250, 500, 1000, 2000 };
enum { PAUSES = sizeof pauses / sizeof *pauses };

/* --- what differs --- */

static void forget(struct fl_different *d)
{
	free(d->namespace);
	free(d->name);
	free(d->uid);
}

static void forget_all(struct fl_compared *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		forget(&v->rows[i]);
	v->n = 0;
}

static int add(struct fl_compared *v, struct fl_fresh_kind *kind, const char *namespace,
	       const char *name, fairlead_error *err)
{
	struct fl_different *d;
	int rc = fl_mem_grow(&fl_mem_heap, &v->rows, &v->cap, v->n + 1, sizeof *v->rows, err);

	if (rc < 0)
		return rc;
	d = &v->rows[v->n++];
	*d = (struct fl_different){ .kind = kind,
				    .namespace = strdup(namespace),
				    .name = strdup(name) };
	return d->namespace && d->name ? 0 : fl_fail_nomem(err);
}

/* @row: what the daemon says of it now; NULL: it does not have it. */
static int take(struct fl_different *d, const json_t *row, fairlead_error *err)
{
	const char *uid = fl_json_word(row, "uid");
	const uint64_t before = d->daemon.version;

	free(d->uid);
	d->uid = NULL;
	d->there = row != NULL;
	d->daemon = (struct fl_verified_object){
		.version = (uint64_t)fl_json_whole(row, "resourceVersion"),
		.readable = json_is_true(json_object_get(row, "readable")),
	};
	d->moves = before && d->daemon.version != before;
	if (*uid && !(d->uid = strdup(uid)))
		return fl_fail_nomem(err);
	return 0;
}

/* Is the object of the mirror, if there is one, as the daemon's @row, if there is one? */
static bool is_same(const struct fl_mirror_object *o, const json_t *row)
{
	char digest[FL_MIRROR_DIGEST];

	if (!o || !row)
		return !o && !row;
	return strcmp(fl_mirror_essence_text(o, digest), fl_json_word(row, "digest")) == 0;
}

/* --- the daemon --- */

static int fail_answer(fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EIO, "the daemon's answer is not understood");
	return fl_fail_hint(err, "fairleadd and fairlead should be of the same version");
}

static int check_form(const json_t *page, fairlead_error *err)
{
	char form[FL_MIRROR_DIGEST];

	if (strcmp(fl_json_word(page, "form"), fl_mirror_form_text(form)) == 0)
		return 0;
	fl_fail(err, FAIRLEAD_EIO,
		"the daemon is of version %.40s and this command of %s: what they make of an object is "
		"not the same, so nothing can be compared",
		fl_json_word(page, "version"), FAIRLEAD_VERSION);
	return fl_fail_hint(err,
			    "use the command that was built with the daemon, such as that in its "
			    "container: kubectl -n fairlead exec deployment/fairlead -- fairlead "
			    "agreement --verify");
}

/* The version that the daemon reads, then those of the table. */
static void set_versions(struct fl_fresh_kind *k, const char *best)
{
	const char *all = fl_mirror_kind(k->kind)->versions;
	size_t len = strlen(best);

	if (len == 0 || strncmp(all, best, len) == 0 || len > 31)
		(void)snprintf(k->versions, sizeof k->versions, "%s", all);
	else
		(void)snprintf(k->versions, sizeof k->versions, "%s %s", best, all);
}

static int take_kinds(struct fl_compared *v, const json_t *page, fairlead_error *err)
{
	const json_t *kinds = json_object_get(page, "kinds"), *row;
	size_t i;

	if (json_array_size(kinds) == 0 || json_array_size(kinds) > FL_MIRROR_KINDS)
		return fail_answer(err);
	json_array_foreach(kinds, i, row)
	{
		struct fl_fresh_kind *k = &v->fresh.kinds[v->fresh.n++];
		const int64_t number = fl_json_whole(row, "number");

		if (number < 0 || number >= FL_MIRROR_KINDS)
			return fail_answer(err);
		k->kind = (enum fl_mirror_kind)number;
		k->wanted = true;
		set_versions(k, fl_json_word(row, "version"));
		(void)snprintf(k->namespace, sizeof k->namespace, "%s",
			       fl_json_word(row, "namespace"));
		(void)snprintf(k->fields, sizeof k->fields, "%s",
			       fl_json_word(row, "fieldSelector"));
	}
	return 0;
}

static int ask_page(struct fl_compared *v, const char *go_on, json_t **ret, fairlead_error *err)
{
	struct fl_path path;
	int rc;

	fl_path_start(&path, "/v1/mirror");
	fl_path_add(&path, "continue", go_on);
	rc = fl_daemon_ask(v->daemon, "GET", &path, NULL, ret, err);
	if (rc == 0 && (rc = check_form(*ret, err)) < 0)
		json_decref(*ret);
	return rc;
}

static int begin(struct fl_compared *v, const struct fl_options *o, fairlead_error *err)
{
	json_t *page = NULL;
	int rc = fl_daemon_open(o, &v->daemon, err);

	if (rc == 0)
		rc = ask_page(v, NULL, &page, err);
	if (rc < 0)
		return rc;
	rc = take_kinds(v, page, err);
	json_decref(page);
	if (rc == 0)
		rc = fl_reach_open(o, &v->reach, err);
	v->fresh.lists.reach = &v->reach;
	return rc < 0 ? rc : fl_mirror_new(NULL, NULL, &v->fresh.mirror, err);
}

/* --- all of it --- */

static struct fl_fresh_kind *kind_of(struct fl_compared *v, int64_t number)
{
	for (uint32_t i = 0; i < v->fresh.n; i++)
		if ((int64_t)v->fresh.kinds[i].kind == number)
			return &v->fresh.kinds[i];
	return NULL;
}

static bool is_compared(const struct fl_fresh_kind *k) { return k->wanted && !k->forbidden; }

static int compare_row(struct fl_compared *v, const json_t *row, fairlead_error *err)
{
	struct fl_fresh_kind *k = kind_of(v, fl_json_whole(row, "of"));
	const char *namespace = fl_json_word(row, "namespace"), *name = fl_json_word(row, "name");
	struct fl_mirror_object *o;
	int rc;

	if (!k || !*name || strlen(name) > FL_MAX_NAME || strlen(namespace) > FL_MAX_NAME)
		return fail_answer(err);
	if (!is_compared(k))
		return 0;
	o = fl_mirror_find(v->fresh.mirror, k->kind, namespace, name);
	if (o)
		o->number = v->pass;
	if (is_same(o, row))
		return 0;
	rc = add(v, k, namespace, name, err);
	return rc < 0 ? rc : take(&v->rows[v->n - 1], row, err);
}

/* What no row of the daemon was of. */
static int add_missing(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	struct fl_compared *v = user;

	if (o->number == v->pass)
		return 0;
	return add(v, kind_of(v, o->kind), fl_mirror_namespace(o), fl_mirror_name(o), err);
}

/* 1: it was the last one. */
static int compare_page(struct fl_compared *v, json_t *page, char **go_on, fairlead_error *err)
{
	const char *problem = fl_json_word(page, "problem");
	const char *next = fl_json_word(page, "continue");
	const json_t *row;
	size_t i;
	int rc = 0;

	json_array_foreach(json_object_get(page, "objects"), i, row) if (rc == 0)
		rc = compare_row(v, row, err);
	free(v->problem);
	v->problem = *problem ? strdup(problem) : NULL;
	free(*go_on);
	*go_on = *next ? strdup(next) : NULL;
	if (rc == 0 && ((*next && !*go_on) || (*problem && !v->problem)))
		rc = fl_fail_nomem(err);
	return rc < 0 ? rc : !*go_on;
}

/* Lists the kinds that are wanted, then goes through all that the daemon has. */
static int compare_all(struct fl_compared *v, fairlead_error *err)
{
	char *go_on = NULL;
	int rc = fl_fresh_read(&v->fresh, err);

	forget_all(v);
	v->pass++;
	while (rc == 0) {
		json_t *page = NULL;

		rc = ask_page(v, go_on, &page, err);
		if (rc == 0) {
			rc = compare_page(v, page, &go_on, err);
			json_decref(page);
		}
	}
	free(go_on);
	for (uint32_t i = 0; i < v->fresh.n && rc >= 0; i++)
		if (is_compared(&v->fresh.kinds[i]))
			rc = fl_mirror_each(v->fresh.mirror, v->fresh.kinds[i].kind, add_missing, v,
					    err);
	return rc < 0 ? rc : 0;
}

/* --- once more --- */

/* It is looked at again; 1: it is the same now. */
static int compare_one(struct fl_compared *v, struct fl_different *d, fairlead_error *err)
{
	const struct fl_mirror_object *o = fl_mirror_find(v->fresh.mirror, d->kind->kind,
							  d->namespace, d->name);
	const json_t *row;
	json_t *page = NULL;
	struct fl_path path;
	int rc;

	fl_path_start(&path, "/v1/mirror");
	fl_path_number(&path, "of", d->kind->kind);
	fl_path_add(&path, "namespace", *d->namespace ? d->namespace : NULL);
	fl_path_add(&path, "name", d->name);
	rc = fl_daemon_ask(v->daemon, "GET", &path, NULL, &page, err);
	if (rc < 0)
		return rc;
	row = json_array_get(json_object_get(page, "objects"), 0);
	rc = is_same(o, row) ? 1 : take(d, row, err);
	json_decref(page);
	return rc;
}

static int compare_named(struct fl_compared *v, fairlead_error *err)
{
	struct fl_fresh_name names[BY_NAME];
	uint32_t kept = 0;
	int rc;

	for (uint32_t i = 0; i < v->n; i++)
		names[i] = (struct fl_fresh_name){ v->rows[i].kind, v->rows[i].namespace,
						   v->rows[i].name };
	rc = fl_fresh_ask(&v->fresh, names, v->n, err);
	for (uint32_t i = 0; i < v->n; i++) {
		const int one = rc < 0 ? 0 : compare_one(v, &v->rows[i], err);

		if (one < 0)
			rc = one;
		if (one == 1)
			forget(&v->rows[i]);
		else
			v->rows[kept++] = v->rows[i];
	}
	v->n = kept;
	return rc;
}

/* The kinds of which something differs. */
static int compare_kinds(struct fl_compared *v, fairlead_error *err)
{
	for (uint32_t i = 0; i < v->fresh.n; i++)
		v->fresh.kinds[i].wanted = false;
	for (uint32_t i = 0; i < v->n; i++)
		v->rows[i].kind->wanted = true;
	return compare_all(v, err);
}

static void wait_before(unsigned round)
{
	const unsigned ms = pauses[round < PAUSES ? round : PAUSES - 1];
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

	(void)nanosleep(&pause, NULL);
}

/* One that changes all the time is never the same at two moments, though the daemon hears each change. */
static bool is_moving(const struct fl_compared *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (!v->rows[i].moves)
			return false;
	return true;
}

static unsigned most_rounds(const struct fl_compared *v)
{
	return v->n > BY_NAME ? AGAIN : is_moving(v) ? ROUNDS : PAUSES;
}

int fl_compare(const struct fl_options *o, struct fl_compared *v, fairlead_error *err)
{
	int rc = begin(v, o, err);

	if (rc == 0)
		rc = compare_all(v, err);
	for (unsigned i = 0; rc == 0 && v->n > 0 && i < most_rounds(v); i++) {
		wait_before(i);
		rc = v->n > BY_NAME ? compare_kinds(v, err) : compare_named(v, err);
	}
	for (uint32_t i = 0; i < v->n && rc == 0; i++)
		v->rows[i].is = fl_mirror_find(v->fresh.mirror, v->rows[i].kind->kind,
					       v->rows[i].namespace, v->rows[i].name);
	return rc;
}

void fl_compare_done(struct fl_compared *v)
{
	forget_all(v);
	fl_mem_free(&fl_mem_heap, v->rows);
	fl_mirror_free(v->fresh.mirror);
	fl_reach_close(&v->reach);
	fl_client_free(v->daemon);
	free(v->problem);
}
