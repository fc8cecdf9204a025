/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/change.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"
#include "codec/edit/change_cells.h"
#include "codec/edit/change_merge.h"

enum { KEY = 640 };

static const char configuration[] = "Configuration", simulation[] = "Simulation";

/* The key of an object: "Kind/name" or "Kind/namespace/name". */
static void key_of(const struct fl_kube *k, const struct fl_kind *kind, char key[KEY])
{
	const char *name = fl_model_text(k->m, k->name);
	const char *namespace = fl_model_text(k->m, k->namespace);

	if (kind == &fl_kind_configuration ||
	    (kind == &fl_kind_config_map && strcmp(name, "kueue-manager-config") == 0))
		(void)snprintf(key, KEY, "%s", configuration);
	else if (kind == &fl_kind_simulation)
		(void)snprintf(key, KEY, "%s", simulation);
	else
		(void)snprintf(key, KEY, "%s%s%.253s/%.253s", kind->name,
			       kind->namespaced ? "/" : "", kind->namespaced ? namespace : "",
			       name);
}

static struct fl_change *find(const struct fl_changes *c, const char *key)
{
	struct fl_sym sym = fl_names_find(&c->names, key, strlen(key));

	return sym.v == FL_NONE || sym.v == 0 ? NULL : &c->rows[sym.v - 1];
}

/* Is its namespace deleted? */
static struct fl_change *find_namespace(const struct fl_changes *c, const struct fl_kube *k,
					const struct fl_kind *kind)
{
	char key[KEY];
	struct fl_change *row;

	if (!kind->namespaced)
		return NULL;
	(void)snprintf(key, KEY, "Namespace/%.253s", fl_model_text(k->m, k->namespace));
	row = find(c, key);
	return row && row->deleted ? row : NULL;
}

/* The row for @key, which is added if there is none. */
static int add(struct fl_changes *c, const char *key, struct fl_change **ret, fairlead_error *err)
{
	struct fl_sym sym;
	int r = fl_mem_grow(c->mem, &c->rows, &c->cap, c->n + 1, sizeof *c->rows, err);

	if (r == 0)
		r = fl_names_add(&c->names, key, strlen(key), &sym, err);
	if (r < 0)
		return r;
	if (sym.v == c->n + 1)
		c->rows[c->n++] = (struct fl_change){ .kind = "" };
	*ret = &c->rows[sym.v - 1];
	return 0;
}

const char *fl_change_name(const struct fl_changes *c, uint32_t row)
{
	return fl_names_text(&c->names, (struct fl_sym){ row + 1 });
}

/* --- deletions --- */

static const struct fl_kind *kind_of(const char *text, size_t len)
{
	for (uint32_t i = 0; fl_kube_kind(i); i++)
		if (strlen(fl_kube_kind(i)) == len && strncasecmp(fl_kube_kind(i), text, len) == 0)
			return fl_kube_kind_row(i);
	return NULL;
}

static int bad_form(const char *object, bool namespaced, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "'%.200s' is not %s", object,
		namespaced ? "KIND/NAMESPACE/NAME" : "KIND/NAME");
	return FAIRLEAD_EINPUT;
}

int fl_changes_delete(struct fl_changes *c, const char *object, fairlead_error *err)
{
	size_t len = strcspn(object, "/");
	const struct fl_kind *kind = kind_of(object, len);
	const char *rest = object + len + (object[len] == '/');
	const char *slash = strchr(rest, '/');
	struct fl_change *row;
	char key[KEY];
	int r;

	if (!kind)
		return fl_fail(err, FAIRLEAD_ENOENT, "there is no kind '%.*s'",
			       (int)(len < 200 ? len : 200), object);
	bool settings = kind == &fl_kind_configuration ||
			(kind == &fl_kind_config_map &&
			 strcmp(slash ? slash + 1 : rest, "kueue-manager-config") == 0);
	if (!settings && (!*rest || strlen(rest) > 2 * FL_MAX_NAME + 1 ||
			  (slash && (!kind->namespaced || !slash[1] || slash == rest ||
				     strchr(slash + 1, '/')))))
		return bad_form(object, kind->namespaced, err);
	if (settings)
		(void)snprintf(key, KEY, "%s", configuration);
	else
		(void)snprintf(key, KEY, "%s/%s%s", kind->name,
			       kind->namespaced && !slash ? "default/" : "", rest);
	r = add(c, key, &row, err);
	if (r < 0)
		return r;
	row->kind = kind->name;
	row->deleted = true;
	return 0;
}

/* --- reading the changes --- */

/* Refused: the effect of such a change is not known; other kinds of Kubernetes have no effect. */
static int refuse_unknown(struct fl_kube *k)
{
	uint32_t version = fl_doc_find(&k->doc, 0, "apiVersion");
	uint32_t name = fl_doc_find(&k->doc, 0, "kind");

	if (!strstr(fl_doc_text(&k->doc, version), "kueue.x-k8s.io/"))
		return 0;
	fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "kind '%.60s' of '%.60s' is not read",
		     fl_doc_text(&k->doc, name), fl_doc_text(&k->doc, version));
	fl_fail_hint(k->err, "the effect of changing it is not known; remove it, or correct "
			     "its kind");
	return FAIRLEAD_EINPUT;
}

static int collect(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_changes *c = user;
	struct fl_change *row = NULL;
	char key[KEY];
	int r;

	if (!kind)
		return refuse_unknown(k);
	if (k->fixed.line) /* the ConfigMap that contains it was seen */
		return 0;
	key_of(k, kind, key);
	r = add(c, key, &row, k->err);
	if (r < 0)
		return r;
	if (row->deleted)
		return fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "both changed and deleted");
	if (row->doc.n) /* reading it reports the first place */
		return 0;
	row->kind = kind->name;
	row->input = k->input;
	return fl_doc_copy(&k->doc, &row->doc, k->err);
}

/* --- laying changes over a state --- */

static int compare(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_changes *c = user;
	struct fl_change *row;
	char key[KEY];

	if (!kind || k->fixed.line)
		return 0;
	row = find_namespace(c, k, kind);
	if (row) {
		row->met = true;
		c->general = true;
	}
	key_of(k, kind, key);
	row = find(c, key);
	if (!row)
		return 0;
	row->met = true;
	if (row->deleted || (kind != &fl_kind_cluster_queue && kind != &fl_kind_cohort) ||
	    !fl_change_is_of_cells(&k->doc, &row->doc, kind->fields))
		c->general = true;
	return 0;
}

void fl_changes_compared(struct fl_changes *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->general |= !c->rows[i].met;
}

/* @doc: an object with a change laid over it. */
static int read_changed(const struct fl_changes *c, struct fl_model *m, uint32_t input,
			struct fl_doc *doc, fairlead_error *err)
{
	int r = fl_kube_read_doc(m, input, doc, err);

	return r == 0 && c->keep ? c->keep(c->keep_user, input, doc, err) : r;
}

static int lay(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_changes *c = user;
	struct fl_change *row;
	struct fl_doc merged;
	char key[KEY];
	int r;

	if (!kind || k->fixed.line)
		return 0;
	row = find_namespace(c, k, kind);
	if (row) {
		row->met = true;
		return 1;
	}
	key_of(k, kind, key);
	row = find(c, key);
	if (!row)
		return 0;
	if (row->deleted) {
		row->met = true;
		return 1;
	}
	if (kind == &fl_kind_simulation) /* unchanged: fl_changes_lay_simulation */
		return 0;
	row->met = true;
	fl_doc_init(&merged, c->mem);
	r = fl_change_merge(&row->doc, &k->doc, /* created= */ NULL, &merged, k->err);
	if (r == 0)
		r = read_changed(c, k->m, row->input, &merged, k->err);
	fl_doc_done(&merged);
	return r < 0 ? r : 1;
}

int fl_changes_begin(const struct fl_changes *c, const struct fl_model *changes, struct fl_model *m,
		     fairlead_error *err)
{
	(void)c;
	for (uint32_t i = 0; i < changes->n_inputs; i++) {
		const char *name = fl_model_text(changes, changes->inputs[i]);
		struct fl_sym sym;
		int r = fl_model_sym(m, name, strlen(name), &sym, err);

		if (r == 0)
			r = fl_model_push_inputs(m, &sym, /* ret_id= */ NULL, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int fl_changes_lay_simulation(struct fl_changes *c, struct fl_model *m, fairlead_error *err)
{
	struct fl_change *row = find(c, simulation);

	if (!row || row->deleted)
		return 0;
	row->met = true;
	return fl_kube_read_over(m, row->input, &row->doc, err);
}

int fl_changes_add(struct fl_changes *c, struct fl_model *m, fairlead_error *err)
{
	char created[40];
	int r = 0;

	fl_time_format(created, fl_sat_add(c->now, FL_SECOND));
	for (uint32_t i = 0; i < c->n && r == 0; i++) {
		struct fl_change *row = &c->rows[i];
		struct fl_doc doc;

		if (row->met || row->deleted)
			continue;
		fl_doc_init(&doc, c->mem);
		r = fl_change_merge(&row->doc, /* old= */ NULL,
				    strcmp(row->kind, "Workload") == 0 ? created : NULL, &doc, err);
		if (r == 0)
			r = read_changed(c, m, row->input, &doc, err);
		fl_doc_done(&doc);
	}
	return r;
}

int fl_changes_init(struct fl_changes *c, const struct fl_mem *mem, fairlead_error *err)
{
	*c = (struct fl_changes){
		.mem = mem,
		.collect = { .object = collect, .user = c, .stem = "new-" },
		.compare = { .object = compare, .user = c },
		.lay = { .object = lay, .user = c },
	};
	return fl_names_init(&c->names, mem, err);
}

void fl_changes_done(struct fl_changes *c)
{
	if (!c->mem)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		fl_doc_done(&c->rows[i].doc);
	fl_mem_free(c->mem, c->rows);
	fl_names_done(&c->names);
	*c = (struct fl_changes){ 0 };
}
