/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/configuration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/text/doc.h"
#include "decide/policies.h"
#include "input/input.h"

struct gathering {
	struct fl_cluster *c;
	struct fl_config_text *texts; /* names and bytes are others' */
	uint32_t n, cap;
	char **names; /* of objects */
	uint32_t n_names, cap_names;
};

static int add(struct gathering *g, const struct fl_config_text *text, fairlead_error *err)
{
	int r = fl_mem_grow(&fl_mem_heap, &g->texts, &g->cap, g->n + 1, sizeof *g->texts, err);

	if (r == 0)
		g->texts[g->n++] = *text;
	return r;
}

/* --- objects --- */

static int gather(void *user, struct fl_mirror_object *o, fairlead_error *err)
{
	struct gathering *g = user;
	const char *namespace = fl_mirror_namespace(o);
	char name[600], *copy;
	int r;

	if (!o->n_own)
		return 0;
	(void)snprintf(name, sizeof name, "%s/%s%s%s",
		       fl_mirror_kind((enum fl_mirror_kind)o->kind)->name, namespace,
		       *namespace ? "/" : "", fl_mirror_name(o));
	r = fl_mem_grow(&fl_mem_heap, &g->names, &g->cap_names, g->n_names + 1, sizeof *g->names,
			err);
	copy = r == 0 ? strdup(name) : NULL;
	if (r == 0 && !copy)
		return fl_fail_nomem(err);
	if (r < 0)
		return r;
	g->names[g->n_names++] = copy;
	return add(g,
		   &(struct fl_config_text){ .name = copy,
					     .bytes = (char *)(uintptr_t)fl_mirror_own(o),
					     .len = o->n_own - 1 },
		   err);
}

/* By kind and name, so that two daemons that heard the same have the same. */
static int by_name(const void *a, const void *b)
{
	const struct fl_config_text *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int gather_objects(struct gathering *g, fairlead_error *err)
{
	int r = 0;

	for (enum fl_mirror_kind k = 0; k < FL_MIRROR_KINDS && r == 0; k++)
		if (fl_mirror_kind(k)->use == FL_MIRROR_SETTINGS)
			r = fl_mirror_each(g->c->mirror, k, gather, g, err);
	if (r == 0 && g->n)
		qsort(g->texts, g->n, sizeof *g->texts, by_name);
	return r;
}

static void done(struct gathering *g)
{
	for (uint32_t i = 0; i < g->n_names; i++)
		free(g->names[i]);
	fl_mem_free(&fl_mem_heap, g->names);
	fl_mem_free(&fl_mem_heap, g->texts);
}

/* --- own documents --- */

void fl_cluster_own_done(struct fl_cluster_own *own)
{
	for (uint32_t i = 0; i < own->n; i++) {
		free(own->texts[i].name);
		free(own->texts[i].bytes);
	}
	fl_mem_free(&fl_mem_heap, own->texts);
	*own = (struct fl_cluster_own){ 0 };
}

static int add_own(struct fl_cluster_own *own, const char *name, const char *bytes, size_t len,
		   fairlead_error *err)
{
	struct fl_config_text text = { .name = strdup(name), .bytes = malloc(len + 1), .len = len };
	int r = fl_mem_grow(&fl_mem_heap, &own->texts, &own->cap, own->n + 1, sizeof *own->texts,
			    err);

	if (r < 0 || !text.name || !text.bytes) {
		free(text.name);
		free(text.bytes);
		return fl_fail_nomem(err);
	}
	memcpy(text.bytes, bytes, len);
	text.bytes[len] = '\0';
	own->texts[own->n++] = text;
	return 0;
}

/* Each value of the ConfigMap is a text of documents. */
static int read_data(struct fl_cluster_own *own, const struct fl_mirror_object *o,
		     const struct fl_doc *doc, fairlead_error *err)
{
	const uint32_t data = fl_doc_find(doc, 0, "data");
	int r = 0;

	if (data == FL_NONE || doc->values[data].kind != FL_TOKEN_MAP)
		return 0;
	for (uint32_t key = data + 1; key < doc->values[data].next && r == 0;
	     key = doc->values[key].next) {
		char name[900];

		(void)snprintf(name, sizeof name, "ConfigMap/%s/%s data[%s]",
			       fl_mirror_namespace(o), fl_mirror_name(o), fl_doc_text(doc, key));
		if (doc->values[key + 1].kind == FL_TOKEN_SCALAR)
			r = add_own(own, name, fl_doc_text(doc, key + 1), doc->values[key + 1].len,
				    err);
	}
	return r;
}

static int read_config_map(const struct fl_mirror_object *o, struct fl_cluster_own *own,
			   fairlead_error *err)
{
	struct fl_doc doc;
	int r;

	fl_doc_init(&doc, &fl_mem_heap);
	r = fl_mirror_read(o, &doc, err);
	if (r == 0)
		r = read_data(own, o, &doc, err);
	fl_doc_done(&doc);
	return r;
}

static int read_own(struct fl_cluster *c, struct fl_cluster_own *own, fairlead_error *err)
{
	const struct fl_mirror_object *map = fl_mirror_find(c->mirror, FL_MIRROR_CONFIG_MAP,
							    c->o.namespace, c->o.name);
	struct fl_text file = { 0 };
	int r;

	*own = (struct fl_cluster_own){ 0 };
	if (map && map->n_own)
		return read_config_map(map, own, err);
	if (!c->o.config)
		return 0;
	r = fl_input_read(c->o.config, &file, err);
	if (r == 0)
		r = add_own(own, c->o.config, file.bytes, file.len, err);
	fl_text_done(&file);
	return r;
}

/* --- all of it --- */

/* Is it the fault of what was read? */
static bool is_wrong(int r) { return r == FAIRLEAD_EINPUT || r == FAIRLEAD_ELIMIT; }

/* The error has as much of a long name as it has room for. */
static bool is_named(const struct fl_config_text *text, const fairlead_error *err)
{
	return strncmp(text->name, err->file, sizeof err->file - 1) == 0;
}

/* An object that cannot be read is left out, and told. */
static bool leave_out(struct gathering *g, const fairlead_error *err)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (is_named(&g->texts[i], err)) {
			fl_cluster_log(g->c, "%s is left out: %s", g->texts[i].name, err->text);
			memmove(&g->texts[i], &g->texts[i + 1], (--g->n - i) * sizeof *g->texts);
			return true;
		}
	return false;
}

static bool is_of(const struct fl_cluster_own *own, const fairlead_error *err)
{
	for (uint32_t i = 0; i < own->n; i++)
		if (is_named(&own->texts[i], err))
			return true;
	return false;
}

static int make(struct gathering *g, const struct fl_cluster_own *own, struct fl_config **ret,
		fairlead_error *err)
{
	const uint32_t objects = g->n;
	int r = 0;

	for (uint32_t i = 0; i < own->n && r == 0; i++)
		r = add(g, &own->texts[i], err);
	if (r == 0)
		r = fl_config_of_cluster(g->texts, g->n, g->c->dialect, ret, err);
	if (r == 0)
		r = fl_generation_check(*ret, fl_clock_now(&g->c->daemon.clock), err);
	if (r < 0)
		*ret = fl_config_free(*ret);
	g->n = objects;
	return r;
}

/* The error of own documents is told, and those before are taken. */
static int make_with_own(struct gathering *g, struct fl_config **ret, fairlead_error *err)
{
	struct fl_cluster *c = g->c;
	struct fl_cluster_own own;
	int r = read_own(c, &own, err);

	if (r == 0) {
		while (is_wrong(r = make(g, &own, ret, err)) && !is_of(&own, err) &&
		       leave_out(g, err))
			*err = (fairlead_error){ 0 };
	}
	c->own_refused = r < 0;
	if (r == 0) {
		fl_cluster_own_done(&c->own);
		c->own = own;
		return 0;
	}
	fl_cluster_own_done(&own);
	if (!is_wrong(r) || !c->viewed)
		return r;
	fl_cluster_refuse(c, err);
	while (is_wrong(r = make(g, &c->own, ret, err)) && leave_out(g, err))
		*err = (fairlead_error){ 0 };
	return r;
}

void fl_cluster_refuse(struct fl_cluster *c, const fairlead_error *err)
{
	char why[sizeof c->refused];
	int n = 0;

	if (err->file[0] && err->line)
		n = snprintf(why, sizeof why, "%.200s:%u:%u: ", err->file, err->line, err->column);
	(void)snprintf(why + n, sizeof why - (size_t)n, "%s%s%.500s", err->subject,
		       err->subject[0] ? ": " : "", err->text);
	if (strcmp(why, c->refused) != 0)
		fl_cluster_log(c, "the configuration is refused%s: %s",
			       c->viewed ? ", and the one before stays" : "", why);
	memcpy(c->refused, why, sizeof why);
}

int fl_cluster_configure(struct fl_cluster *c, struct fl_config **ret, fairlead_error *err)
{
	struct gathering g = { .c = c };
	int r = gather_objects(&g, err);

	if (r == 0)
		r = make_with_own(&g, ret, err);
	done(&g);
	return r;
}

enum fl_dialect fl_cluster_wants(struct fl_cluster *c)
{
	const struct fl_policy_ops *ops = NULL;
	struct fl_cluster_own own;
	struct fl_config *config = NULL;
	fairlead_error err = { 0 };
	int r = read_own(c, &own, &err);

	/* What is wrong with them is told when all is listed. */
	if (r == 0)
		r = fl_config_of_cluster(own.texts, own.n, FL_DIALECT_ANY, &config, &err);
	if (r == 0)
		ops = fl_policy_named(fl_config_word(config, fl_config_settings(config)->policy),
				      SIZE_MAX);
	fl_config_free(config);
	fl_cluster_own_done(&own);
	return ops ? fl_policy_dialect(ops) : FL_DIALECT_ANY;
}
