/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/configuration.h"
#include "daemon/cluster/inside.h"

struct followed {
	struct fl_following *all;
	enum fl_mirror_kind kind;
	struct fl_kube_reflector *reflector; /* NULL: it is not followed */
	bool there, listed;                  /* the server has it, as of the last list */
	bool awaited;                        /* its list, by what asked for all of them again */
	char trouble[400];                   /* "": none */
};

struct fl_following {
	struct fl_cluster *cluster;
	struct fl_kube_client *client;
	bool chosen;               /* whose kinds are followed */
	void (*again)(void *user); /* NULL: no lists are awaited */
	void *again_user;
	struct followed kinds[FL_MIRROR_KINDS];
};

static void choose(struct fl_following *f);

/* Those that wait for lists are told, if none is to come. */
static void end_again(struct fl_following *f)
{
	void (*again)(void *user) = f->again;

	for (int k = 0; k < FL_MIRROR_KINDS; k++)
		if (f->kinds[k].awaited)
			return;
	f->again = NULL;
	if (again)
		again(f->again_user);
}

/* --- what a listener hears --- */

static void on_begun(void *user, const char *version)
{
	struct followed *f = user;

	f->there = version != NULL;
	fl_cluster_begun(f->all->cluster, f->kind, version);
}

static int on_object(void *user, enum fl_kube_what what, const struct fl_kube_object *o)
{
	struct followed *f = user;
	struct fl_cluster *c = f->all->cluster;
	fairlead_error err = { 0 };
	int r;

	if (what == FL_KUBE_ENDED)
		r = fl_cluster_removed(c, f->kind, o->namespace, o->name, &err);
	else if (what == FL_KUBE_TOO_LARGE)
		r = fl_cluster_too_large(c, f->kind, o->namespace, o->name, o->uid, &err);
	else
		r = fl_cluster_seen(c, f->kind, o->json, o->len, &err);
	if (r < 0)
		fl_cluster_log(c, "%s: %s", fl_mirror_kind(f->kind)->plural, err.text);
	return r;
}

static void on_listed(void *user, const char *version)
{
	struct followed *f = user;

	(void)version;
	f->listed = true;
	f->awaited = false;
	fl_cluster_listed(f->all->cluster, f->kind);
	choose(f->all);
	end_again(f->all);
}

/* The first of them is the trouble of the cluster. */
static void tell_trouble(struct fl_following *all)
{
	for (int k = 0; k < FL_MIRROR_KINDS; k++)
		if (all->kinds[k].trouble[0]) {
			fl_cluster_troubled(all->cluster, all->kinds[k].trouble);
			return;
		}
	fl_cluster_troubled(all->cluster, NULL);
}

static void on_troubled(void *user, const struct fl_kube_trouble *t)
{
	struct followed *f = user;
	char before[sizeof f->trouble];

	if (!t) {
		if (f->trouble[0])
			fl_cluster_log(f->all->cluster, "%s are read again",
				       fl_mirror_kind(f->kind)->plural);
		f->trouble[0] = '\0';
	} else {
		memcpy(before, f->trouble, sizeof before);
		(void)snprintf(f->trouble, sizeof f->trouble, "%.80s: %.200s", t->kind,
			       t->error.text);
		if (strcmp(before, f->trouble) != 0)
			fl_cluster_log(f->all->cluster, "%s%s%s", f->trouble,
				       t->error.hint[0] ? "; " : "", t->error.hint);
	}
	tell_trouble(f->all);
}

static const struct fl_kube_listener listener = {
	.begun = on_begun,
	.object = on_object,
	.listed = on_listed,
	.troubled = on_troubled,
};

/* --- the sources --- */

void fl_cluster_source(const struct fl_cluster *c, enum fl_mirror_kind kind,
		       struct fl_cluster_source *ret)
{
	const struct fl_cluster_options *o = &c->o;
	const bool own = kind == FL_MIRROR_CONFIG_MAP;

	*ret = (struct fl_cluster_source){ 0 };
	if (own || kind == FL_MIRROR_KUEUE_CONFIG) {
		ret->namespace = own ? o->namespace : o->kueue_namespace;
		(void)snprintf(ret->fields, sizeof ret->fields, "metadata.name=%.253s",
			       own ? o->name : o->kueue_name);
	}
	if (kind == FL_MIRROR_POD) /* the others hold nothing, and there may be many */
		(void)snprintf(ret->fields, sizeof ret->fields,
			       "status.phase!=Succeeded,status.phase!=Failed");
}

static void take_versions(const char *versions, char text[64], const char *ret[FL_KUBE_VERSIONS])
{
	char *at = text, *next;

	(void)snprintf(text, 64, "%s", versions);
	for (int i = 0; i < FL_KUBE_VERSIONS && at; i++, at = next) {
		next = strchr(at, ' ');
		if (next)
			*next++ = '\0';
		ret[i] = at;
	}
}

static int begin(struct fl_following *f, enum fl_mirror_kind kind, fairlead_error *err)
{
	const struct fl_mirror_kind_row *row = fl_mirror_kind(kind);
	struct fl_kube_source source = { .group = row->group, .plural = row->plural };
	struct fl_cluster_source which;
	char versions[64];

	if (f->kinds[kind].reflector)
		return 0;
	take_versions(row->versions, versions, source.versions);
	fl_cluster_source(f->cluster, kind, &which);
	source.namespace = which.namespace;
	source.fields = *which.fields ? which.fields : NULL;
	f->kinds[kind].all = f;
	f->kinds[kind].kind = kind;
	return fl_kube_reflect(f->client, &source, &listener, &f->kinds[kind],
			       &f->kinds[kind].reflector, err);
}

static int begin_all(struct fl_following *f, enum fl_dialect dialect, fairlead_error *err)
{
	int r = 0;

	f->chosen = true;
	fl_cluster_serves(f->cluster, dialect);
	for (enum fl_mirror_kind kind = 0; kind < FL_MIRROR_KINDS && r == 0; kind++)
		if (fl_mirror_reads(dialect, kind))
			r = begin(f, kind, err);
	return r;
}

/*
 * As fairlead's own documents say; else Kueue, unless KAI alone is there.  Each step needs the answers of
 * the one before it.
 */
static int choose_next(struct fl_following *f, fairlead_error *err)
{
	const struct followed *kueue = &f->kinds[FL_MIRROR_CLUSTER_QUEUE];
	const struct followed *kai = &f->kinds[FL_MIRROR_QUEUE];
	enum fl_dialect wanted;

	if (!f->kinds[FL_MIRROR_CONFIG_MAP].listed)
		return begin(f, FL_MIRROR_CONFIG_MAP, err);
	wanted = fl_cluster_wants(f->cluster);
	if (wanted != FL_DIALECT_ANY)
		return begin_all(f, wanted, err);
	if (!kueue->listed)
		return begin(f, FL_MIRROR_CLUSTER_QUEUE, err);
	if (kueue->there)
		return begin_all(f, FL_DIALECT_KUEUE, err);
	if (!kai->listed)
		return begin(f, FL_MIRROR_QUEUE, err);
	return begin_all(f, kai->there ? FL_DIALECT_KAI : FL_DIALECT_KUEUE, err);
}

static void choose(struct fl_following *f)
{
	fairlead_error err = { 0 };

	if (!f->chosen && choose_next(f, &err) < 0)
		fl_cluster_break(f->cluster, &err);
}

void fl_following_again(struct fl_following *f, void (*done)(void *user), void *user)
{
	f->again = done;
	f->again_user = user;
	for (int k = 0; k < FL_MIRROR_KINDS; k++) {
		struct followed *one = &f->kinds[k];

		/* What the server does not have is looked for each minute. */
		one->awaited = one->reflector && (one->there || !one->listed);
		if (one->awaited)
			fl_kube_reflector_again(one->reflector);
	}
}

static bool is_fresh(const void *following, char ret_why[300])
{
	const struct fl_following *f = following;
	const uint64_t oldest = FL_FOLLOWING_OLDEST * 1000;
	const uint64_t now = uv_now(f->cluster->o.loop);

	for (int k = 0; k < FL_MIRROR_KINDS; k++) {
		const char *plural = fl_mirror_kind((enum fl_mirror_kind)k)->plural;
		struct fl_kube_standing s;

		if (!f->kinds[k].reflector)
			continue;
		fl_kube_reflector_standing(f->kinds[k].reflector, &s);
		if (s.absent)
			continue;
		if (!s.listed) {
			(void)snprintf(ret_why, 300, "%s have not been read yet", plural);
			return false;
		}
		if (now > s.heard && now - s.heard > oldest) {
			(void)snprintf(ret_why, 300, "nothing was heard of %s for %llu seconds",
				       plural, (unsigned long long)(now - s.heard) / 1000);
			return false;
		}
	}
	return true;
}

int fl_following_new(struct fl_kube_client *k, struct fl_cluster *c, struct fl_following **ret,
		     fairlead_error *err)
{
	struct fl_following *f = calloc(1, sizeof *f);
	int r;

	if (!f)
		return fl_fail_nomem(err);
	f->cluster = c;
	f->client = k;
	r = choose_next(f, err);
	if (r < 0) {
		fl_following_free(f);
		return r;
	}
	c->fresh = is_fresh;
	c->following = f;
	*ret = f;
	return 0;
}

struct fl_following *fl_following_free(struct fl_following *f)
{
	if (f) { /* what is kept at the end has to know */
		if (is_fresh(f, f->cluster->stale))
			f->cluster->stale[0] = '\0';
		f->cluster->fresh = NULL;
	}
	for (int k = 0; f && k < FL_MIRROR_KINDS; k++)
		if (f->kinds[k].reflector)
			fl_kube_reflector_free(f->kinds[k].reflector);
	free(f);
	return NULL;
}
