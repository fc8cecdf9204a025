/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/fresh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1: it has no name, or there is no room for it. */
static int see(struct fl_fresh *f, enum fl_mirror_kind kind, const struct fl_kube_object *o,
	       fairlead_error *err)
{
	int r = o->json ? fl_mirror_see(f->mirror, kind, o->json, o->len, err) :
			  fl_mirror_too_large(f->mirror, kind, o->namespace, o->name, o->uid, err);

	if (r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT)
		return 1;
	return r < 0 ? r : 0;
}

/* --- a kind whole --- */

static int on_begun(void *user, const char *version, fairlead_error *err)
{
	struct fl_fresh_kind *k = user;

	(void)err;
	k->unnamed = 0;
	fl_mirror_begin(k->all->mirror, k->kind, version);
	return 0;
}

static int on_object(void *user, const struct fl_kube_object *object, fairlead_error *err)
{
	struct fl_fresh_kind *k = user;
	int r = see(k->all, k->kind, object, err);

	k->unnamed += r == 1;
	return r < 0 ? r : 0;
}

static int on_ended(void *user, enum fl_list_end how, fairlead_error *err)
{
	struct fl_fresh_kind *k = user;

	k->forbidden = how == FL_LIST_FORBIDDEN;
	if (k->forbidden)
		return 0;
	if (how == FL_LIST_ABSENT)
		fl_mirror_begin(k->all->mirror, k->kind, NULL);
	return fl_mirror_listed(k->all->mirror, k->kind, err);
}

static void set_source(struct fl_fresh_kind *k)
{
	const struct fl_mirror_kind_row *row = fl_mirror_kind(k->kind);
	char *at = k->versions;

	if (k->list.source.plural)
		return;
	k->list = (struct fl_list){
		.source = { .group = row->group,
			    .plural = row->plural,
			    .namespace = *k->namespace ? k->namespace : NULL,
			    .fields = *k->fields ? k->fields : NULL },
		.begun = on_begun,
		.object = on_object,
		.ended = on_ended,
		.user = k,
	};
	for (int i = 0; i < FL_KUBE_VERSIONS && at && *at; i++) {
		k->list.source.versions[i] = at;
		at = strchr(at, ' ');
		if (at)
			*at++ = '\0';
	}
}

int fl_fresh_read(struct fl_fresh *f, fairlead_error *err)
{
	int rc = 0;

	f->lists.objects = 0;
	for (uint32_t i = 0; i < f->n && rc == 0; i++) {
		struct fl_fresh_kind *k = &f->kinds[i];

		if (!k->wanted || k->forbidden)
			continue;
		k->all = f;
		set_source(k);
		rc = fl_list_begin(&f->lists, &k->list, err);
	}
	if (rc == 0)
		rc = fl_lists_turn(&f->lists, err);
	for (uint32_t i = 0; i < f->n; i++)
		fl_list_done(&f->kinds[i].list);
	return rc;
}

/* --- one object --- */

struct asking {
	struct fl_fresh *all;
	const struct fl_fresh_name *of;
	struct fl_list list;
	char fields[700];
	bool found;
};

static int on_one_begun(void *user, const char *version, fairlead_error *err)
{
	(void)version;
	(void)err;
	((struct asking *)user)->found = false;
	return 0;
}

static int on_one(void *user, const struct fl_kube_object *object, fairlead_error *err)
{
	struct asking *a = user;
	int r = see(a->all, a->of->kind->kind, object, err);

	a->found = true;
	return r < 0 ? r : 0;
}

static int on_one_ended(void *user, enum fl_list_end how, fairlead_error *err)
{
	struct asking *a = user;
	const struct fl_fresh_name *of = a->of;

	if (how == FL_LIST_FORBIDDEN) /* the right was taken away meanwhile */
		of->kind->forbidden = true;
	else if (!a->found)
		return fl_mirror_remove(a->all->mirror, of->kind->kind, of->namespace, of->name,
					err);
	return 0;
}

/* The name stands in a selector, and the namespace in a path. */
static bool is_plain(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(text);
}

static int ask(struct fl_fresh *f, struct asking *a, const struct fl_fresh_name *of,
	       fairlead_error *err)
{
	const struct fl_kube_source *all = &of->kind->list.source;

	if (!is_plain(of->namespace) || !is_plain(of->name) || of->kind->forbidden)
		return 0;
	*a = (struct asking){ .all = f,
			      .of = of,
			      .list = { *all, on_one_begun, on_one, on_one_ended, .user = a } };
	(void)snprintf(a->fields, sizeof a->fields, "metadata.name=%s%s%s", of->name,
		       all->fields ? "," : "", all->fields ? all->fields : "");
	a->list.source.fields = a->fields;
	if (*of->namespace)
		a->list.source.namespace = of->namespace;
	return fl_list_begin(&f->lists, &a->list, err);
}

int fl_fresh_ask(struct fl_fresh *f, const struct fl_fresh_name *names, uint32_t n,
		 fairlead_error *err)
{
	struct asking *all = calloc(n ? n : 1, sizeof *all);
	int rc = all ? 0 : fl_fail_nomem(err);

	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = ask(f, &all[i], &names[i], err);
	if (rc == 0)
		rc = fl_lists_turn(&f->lists, err);
	for (uint32_t i = 0; all && i < n; i++)
		fl_list_done(&all[i].list);
	free(all);
	return rc;
}
