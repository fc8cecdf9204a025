/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/change.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/time.h"
#include "codec/edit/apply.h"
#include "codec/edit/change_cells.h"
#include "codec/edit/change_merge.h"
#include "codec/object/known.h"

enum { KEY = 640 };

static const char configuration[] = "Configuration", simulation[] = "Simulation";
static const char set_input[] = "--set"; /* the file of messages about fields that are set */

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

/* The row of "KIND/NAME" or "KIND/NAMESPACE/NAME", which is added. */
static int name_object(struct fl_changes *c, const char *object, struct fl_change **ret,
		       fairlead_error *err)
{
	size_t len = strcspn(object, "/");
	const struct fl_kind *kind = kind_of(object, len);
	const char *rest = object + len + (object[len] == '/');
	const char *slash = strchr(rest, '/');
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
	r = add(c, key, ret, err);
	if (r == 0)
		(*ret)->kind = kind->name;
	return r;
}

int fl_changes_delete(struct fl_changes *c, const char *object, fairlead_error *err)
{
	struct fl_change *row;
	int r = name_object(c, object, &row, err);

	if (r == 0)
		row->deleted = true;
	return r;
}

/* --- fields that are set --- */

static int both(const char *object, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "both changed and deleted");
	fl_fail_in(err, "%s", object);
	return FAIRLEAD_EINPUT;
}

/* Settings can be set where there are none yet. */
static int imply_configuration(struct fl_changes *c, struct fl_change *row, fairlead_error *err)
{
	static const char text[] =
		"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n";
	int r;

	if (row->doc.n)
		return 0;
	fl_doc_init(&row->doc, c->mem);
	r = fl_apply_parse(text, sizeof text - 1, &row->doc, err);
	for (uint32_t v = 0; v < row->doc.n; v++)
		row->doc.values[v].line = row->doc.values[v].column = 0;
	row->implied = true;
	return r;
}

static int add_set(struct fl_changes *c, struct fl_change *row, const char *text,
		   fairlead_error *err)
{
	struct fl_set *set;
	int r = fl_mem_grow(c->mem, &row->sets, &row->cap_sets, row->n_sets + 1, sizeof *row->sets,
			    err);

	if (r == 0)
		r = fl_mem_grow(c->mem, &row->texts, &row->cap_texts, row->n_sets + 1,
				sizeof *row->texts, err);
	if (r < 0)
		return r;
	set = &row->sets[row->n_sets++]; /* also what failed is freed */
	r = fl_set_parse(set, c->mem, text, err);
	row->texts[row->n_sets - 1] = set->text;
	return r;
}

int fl_changes_set(struct fl_changes *c, const char *text, fairlead_error *err)
{
	size_t len = strcspn(text, ":");
	char object[2 * FL_MAX_NAME + 64];
	struct fl_change *row;
	int r;

	if (!text[len] || len >= sizeof object) {
		fl_fail(err, FAIRLEAD_EINPUT, "'%.200s': there is no ':' behind the object", text);
		return fl_fail_hint(err, "the form is 'KIND/NAME: PATH=VALUE' or "
					 "'KIND/NAMESPACE/NAME: PATH=VALUE'");
	}
	(void)snprintf(object, sizeof object, "%.*s", (int)len, text);
	r = name_object(c, object, &row, err);
	if (r == 0 && row->deleted)
		return both(object, err);
	if (r == 0 && find(c, configuration) == row)
		r = imply_configuration(c, row, err);
	return r < 0 ? r : add_set(c, row, text + len + 1 + strspn(text + len + 1, " "), err);
}

int fl_changes_collected(struct fl_changes *c, struct fl_model *edit, fairlead_error *err)
{
	uint32_t input = FL_NONE;
	struct fl_sym sym;
	int r = 0;

	for (uint32_t i = 0; i < c->n && r == 0; i++) {
		if (!fl_change_is_set(&c->rows[i]))
			continue;
		if (input == FL_NONE) {
			r = fl_model_sym(edit, set_input, sizeof set_input - 1, &sym, err);
			if (r == 0)
				r = fl_model_push_inputs(edit, &sym, &input, err);
		}
		c->rows[i].input = input;
	}
	return r;
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

static int defined_twice(struct fl_kube *k, const struct fl_change *first)
{
	const struct fl_value *at = &first->doc.values[0];

	fl_kube_fail(k, 0, FAIRLEAD_EINPUT, "defined twice");
	return fl_fail_hint(k->err, "first defined at %.150s:%u:%u",
			    fl_model_text(k->m, k->m->inputs[first->input]), at->line, at->column);
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
	if (row->implied) {
		fl_doc_done(&row->doc);
		row->implied = false;
	}
	if (row->doc.n) /* reading it reports the first place */
		return c->merges ? defined_twice(k, row) : 0;
	row->kind = kind->name;
	row->input = k->input;
	r = fl_doc_copy(&k->doc, &row->doc, k->err);
	/* What it becomes is read when it is known over what it is laid. */
	return r == 0 && c->merges && kind != &fl_kind_simulation ? 1 : r;
}

/* --- laying changes over a state --- */

/* @old with the fields of a row set, into row->merged. */
static int set_fields(struct fl_change *row, const struct fl_kind *kind, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; i < row->n_sets && r == 0; i++) {
		struct fl_doc next;

		fl_doc_init(&next, row->merged.mem);
		r = fl_set_apply(&row->sets[i], kind, &row->merged, &next, err);
		fl_doc_done(&row->merged);
		row->merged = next;
	}
	return r;
}

/* What @row becomes over @old; NULL: over nothing. */
static int merge(struct fl_changes *c, struct fl_change *row, const struct fl_doc *old,
		 const struct fl_kind *kind, const char *created, fairlead_error *err)
{
	int r;

	fl_doc_done(&row->merged);
	fl_doc_init(&row->merged, c->mem);
	if (row->doc.n && old)
		r = fl_apply(&row->doc, old, &row->merged, err);
	else if (row->doc.n)
		r = fl_change_merge(&row->doc, /* old= */ NULL, created, &row->merged, err);
	else
		r = fl_doc_append(&row->merged, old, 0, /* place= */ false, err);
	return r < 0 ? r : set_fields(row, kind, err);
}

/* The error of a field that cannot be set. */
static int blame_set(const struct fl_changes *c, const struct fl_change *row, fairlead_error *err)
{
	if (row->n_sets && err->subject[0] == '\0' && err->code == FAIRLEAD_EINPUT) {
		fl_fail_in(err, "%s", fl_change_name(c, (uint32_t)(row - c->rows)));
		(void)snprintf(err->file, sizeof err->file, "%s", set_input);
	}
	return err->code;
}

static const char *kind_of_doc(const struct fl_doc *doc)
{
	uint32_t v = fl_doc_find(doc, 0, "kind");

	return v == FL_NONE ? "" : fl_doc_text(doc, v);
}

/*
 * A row met in the state as @old.  A Configuration and a ConfigMap, which holds it as a text, replace
 * each other as a whole; fields are set when the Configuration itself comes.
 */
static int merge_met(struct fl_changes *c, struct fl_change *row, const struct fl_doc *old,
		     const struct fl_kind *kind, fairlead_error *err)
{
	bool same = row->doc.n == 0 || strcmp(kind_of_doc(&row->doc), kind->name) == 0;
	int r;

	if (row->doc.n == 0 && kind == &fl_kind_config_map)
		return 0;
	r = merge(c, row, same ? old : NULL, same ? kind : kind_of(row->kind, strlen(row->kind)),
		  /* created= */ NULL, err);
	return r < 0 ? blame_set(c, row, err) : 0;
}

int fl_change_merge_met(struct fl_changes *c, uint32_t row, const struct fl_doc *old,
			fairlead_error *err)
{
	struct fl_change *x = &c->rows[row];

	x->met = true;
	return merge_met(c, x, old, kind_of(x->kind, strlen(x->kind)), err);
}

static bool is_embedded(const struct fl_kube *k, const struct fl_kind *kind,
			const struct fl_change *row)
{
	return k->fixed.line && kind == &fl_kind_configuration &&
	       (row->doc.n == 0 || strcmp(kind_of_doc(&row->doc), configuration) == 0);
}

static int compare(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct fl_changes *c = user;
	struct fl_change *row;
	char key[KEY];
	int r = 0;

	if (!kind)
		return 0;
	row = find_namespace(c, k, kind);
	if (row && !k->fixed.line) {
		row->met = true;
		c->general = true;
	}
	key_of(k, kind, key);
	row = find(c, key);
	if (!row || (k->fixed.line && !(c->merges && !row->deleted && is_embedded(k, kind, row))))
		return 0;
	row->met = true;
	if (c->merges && !row->deleted && kind != &fl_kind_simulation)
		r = merge_met(c, row, &k->doc, kind, k->err);
	if (row->deleted || (kind != &fl_kind_cluster_queue && kind != &fl_kind_cohort) || r < 0 ||
	    !fl_change_is_of_cells(&k->doc, c->merges ? &row->merged : &row->doc, kind->fields))
		c->general = true;
	return r;
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
	if (c->merges &&
	    row->merged.n == 0) /* a ConfigMap without the text that would be changed */
		return 0;
	if (c->merges) {
		r = read_changed(c, k->m, row->input, &row->merged, k->err);
		return r < 0 ? r : 1;
	}
	fl_doc_init(&merged, c->mem);
	r = fl_change_merge(&row->doc, &k->doc, /* created= */ NULL, &merged, k->err);
	if (r == 0)
		r = read_changed(c, k->m, row->input, &merged, k->err);
	fl_doc_done(&merged);
	return r < 0 ? r : 1;
}

/* Notices of fields that were there before have been given for the state. */
static void drop_old_notices(struct fl_model *edit, uint32_t from)
{
	uint32_t n = from;

	for (uint32_t i = from; i < edit->n_notices; i++)
		if (edit->notices[i].place.line)
			edit->notices[n++] = edit->notices[i];
	edit->n_notices = n;
}

int fl_changes_read_merged(struct fl_changes *c, struct fl_model *edit, fairlead_error *err)
{
	uint32_t notices = edit->n_notices;
	int r = 0;

	for (uint32_t i = 0; i < c->n && r == 0; i++) {
		struct fl_change *row = &c->rows[i];

		if (row->deleted || strcmp(row->kind, simulation) == 0 ||
		    (row->met ? row->merged.n : row->doc.n) == 0)
			continue;
		if (!row->met)
			r = merge(c, row, /* old= */ NULL, kind_of(row->kind, strlen(row->kind)),
				  /* created= */ NULL, err);
		if (r < 0)
			blame_set(c, row, err);
		else
			r = fl_kube_read_doc(edit, row->input, &row->merged, err);
	}
	drop_old_notices(edit, notices);
	return r;
}

void fl_changes_forget(struct fl_changes *c)
{
	c->general = false;
	for (uint32_t i = 0; i < c->n; i++) {
		c->rows[i].met = false;
		fl_doc_clear(&c->rows[i].merged);
	}
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
		const char *when = strcmp(row->kind, "Workload") == 0 ? created : NULL;
		struct fl_doc doc;

		if (row->met || row->deleted || row->doc.n == 0)
			continue;
		if (c->merges) {
			r = merge(c, row, /* old= */ NULL, kind_of(row->kind, strlen(row->kind)),
				  when, err);
			if (r == 0)
				r = read_changed(c, m, row->input, &row->merged, err);
			continue;
		}
		fl_doc_init(&doc, c->mem);
		r = fl_change_merge(&row->doc, /* old= */ NULL, when, &doc, err);
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
	for (uint32_t i = 0; i < c->n; i++) {
		struct fl_change *row = &c->rows[i];

		fl_doc_done(&row->doc);
		fl_doc_done(&row->merged);
		for (uint32_t k = 0; k < row->n_sets; k++)
			fl_set_done(&row->sets[k]);
		fl_mem_free(c->mem, row->sets);
		fl_mem_free(c->mem, row->texts);
	}
	fl_mem_free(c->mem, c->rows);
	fl_names_done(&c->names);
	*c = (struct fl_changes){ 0 };
}
