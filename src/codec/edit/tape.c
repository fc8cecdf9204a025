/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "codec/edit/alias.h"
#include "codec/object/fields.h"

static const char name_label[] = "kubernetes.io/metadata.name";

/* One object on its way to the tape. */
struct writing {
	struct fl_tape *t;
	struct fl_kube *k;
};

static int push(struct writing *w, const struct fl_tape_item *item)
{
	struct fl_tape *t = w->t;

	if (t->n >= UINT32_MAX / 4)
		return fl_kube_fail(w->k, 0, FAIRLEAD_ELIMIT, "more than %u values in the state",
				    UINT32_MAX / 4);
	int r = fl_mem_grow(t->mem, &t->items, &t->cap, t->n + 1, sizeof *t->items, w->k->err);

	if (r == 0)
		t->items[t->n++] = *item;
	return r;
}

static int push_mark(struct writing *w, enum fl_token_kind kind)
{
	struct fl_tape_item item = { .kind = (uint8_t)kind };

	return push(w, &item);
}

static int push_text(struct writing *w, enum fl_token_kind kind, enum fl_scalar_type type,
		     enum fl_text_kind text, const char *bytes, size_t len)
{
	struct fl_tape_item item = {
		.kind = (uint8_t)kind,
		.type = (uint8_t)type,
		.text = (uint8_t)text,
	};
	int r = fl_names_add(&w->t->names, bytes, len, &item.sym, w->k->err);

	return r < 0 ? r : push(w, &item);
}

static int push_key(struct writing *w, enum fl_text_kind text, const char *bytes)
{
	return push_text(w, FL_TOKEN_KEY, FL_SCALAR_STRING, text, bytes, strlen(bytes));
}

static int push_scalar(struct writing *w, uint32_t v, enum fl_text_kind text)
{
	const struct fl_value *value = &w->k->doc.values[v];

	return push_text(w, FL_TOKEN_SCALAR, value->type, text, fl_doc_text(&w->k->doc, v),
			 value->len);
}

static int push_pair(struct writing *w, const char *key, enum fl_text_kind text, const char *value)
{
	int r = push_key(w, FL_TEXT_VALUE, key);

	return r < 0 ? r :
		       push_text(w, FL_TOKEN_SCALAR, FL_SCALAR_STRING, text, value, strlen(value));
}

/* The value of the label with a namespace's name is such a name. */
static enum fl_text_kind value_kind(enum fl_text_kind kind, const char *key)
{
	return kind == FL_TEXT_LABEL_VALUE && strcmp(key, name_label) == 0 ? FL_TEXT_NAMESPACE :
									     kind;
}

static int put_map(struct writing *w, uint32_t v, const struct fl_field *f);

/* A map whose keys are names, and whose values are maps of known fields. */
static int put_named(struct writing *w, uint32_t v, const struct fl_field *f)
{
	const struct fl_doc *doc = &w->k->doc;
	int r = push_mark(w, FL_TOKEN_MAP);

	for (uint32_t key = v + 1; r == 0 && key < doc->values[v].next;
	     key = doc->values[key].next) {
		if (doc->values[key + 1].kind != FL_TOKEN_MAP)
			continue; /* the reader refuses it */
		r = push_key(w, f->keys, fl_doc_text(doc, key));
		if (r == 0)
			r = put_map(w, key + 1, f);
	}
	return r < 0 ? r : push_mark(w, FL_TOKEN_MAP_END);
}

/* Keys that are in no table: labels, resources. */
static int put_pairs(struct writing *w, uint32_t v, const struct fl_field *f)
{
	const struct fl_doc *doc = &w->k->doc;
	int r = push_mark(w, FL_TOKEN_MAP);

	for (uint32_t key = v + 1; r == 0 && key < doc->values[v].next;
	     key = doc->values[key].next) {
		if (doc->values[key + 1].kind != FL_TOKEN_SCALAR)
			continue; /* the reader refuses it */
		r = push_key(w, f->keys, fl_doc_text(doc, key));
		if (r == 0)
			r = push_scalar(w, key + 1, value_kind(f->text, fl_doc_text(doc, key)));
	}
	return r < 0 ? r : push_mark(w, FL_TOKEN_MAP_END);
}

/*
 * Specs that are equal in their kept fields may differ in others, and the scheduler treats them as
 * different.
 */
static int put_shape(struct writing *w, uint32_t v)
{
	uint64_t hash = fl_doc_hash(&w->k->doc, v);
	uint32_t number = w->t->shapes.n + 1, old = 0;
	char text[32];
	int r = fl_pairs_add(&w->t->shapes, (uint32_t)(hash >> 32), (uint32_t)hash, number, &old,
			     w->k->err);

	if (r < 0)
		return r;
	(void)snprintf(text, sizeof text, "spec-%u", r == 1 ? old : number);
	return push_pair(w, "hostname", FL_TEXT_VALUE, text);
}

static int put_value(struct writing *w, uint32_t v, const struct fl_field *f,
		     enum fl_text_kind text)
{
	const struct fl_doc *doc = &w->k->doc;
	const struct fl_value *value = &doc->values[v];
	int r;

	if (value->kind == FL_TOKEN_SCALAR)
		return push_scalar(w, v, text);
	if (value->kind == FL_TOKEN_MAP)
		return !f->fields               ? put_pairs(w, v, f) :
		       f->keys != FL_TEXT_VALUE ? put_named(w, v, f) :
						  put_map(w, v, f);
	r = push_mark(w, FL_TOKEN_LIST);
	for (uint32_t item = v + 1; r == 0 && item < doc->values[v].next;
	     item = doc->values[item].next)
		r = put_value(w, item, f, text);
	return r < 0 ? r : push_mark(w, FL_TOKEN_LIST_END);
}

/* Of the metadata that all kinds share only the time is kept, and labels where they are read. */
static bool is_kept(const struct writing *w, const struct fl_field *f)
{
	if (f->recorded)
		return true;
	if (f->support != FL_FIELD_SUPPORTED)
		return false;
	return !f->unrecorded || (strcmp(f->name, "labels") == 0 &&
				  strncmp(w->k->subject, "Namespace/", strlen("Namespace/")) == 0);
}

static int put_fields(struct writing *w, uint32_t v, const struct fl_field *fields)
{
	const struct fl_doc *doc = &w->k->doc;
	uint32_t sibling = fl_doc_find(doc, v, "key");
	int r = 0;

	for (uint32_t key = v + 1; r == 0 && key < doc->values[v].next;
	     key = doc->values[key].next) {
		const char *name = fl_doc_text(doc, key);
		const struct fl_field *f = fields;

		while (f->name && strcmp(f->name, name) != 0)
			f++;
		if (!f->name || !is_kept(w, f) || fl_kube_is_null(w->k, key + 1))
			continue;
		r = push_key(w, FL_TEXT_VALUE, name);
		if (r == 0 && f->blank)
			r = push_text(w, FL_TOKEN_SCALAR, FL_SCALAR_STRING, FL_TEXT_VALUE, "", 0);
		else if (r == 0)
			r = put_value(w, key + 1, f,
				      sibling == FL_NONE ?
					      f->text :
					      value_kind(f->text, fl_doc_text(doc, sibling)));
	}
	return r;
}

static int put_map(struct writing *w, uint32_t v, const struct fl_field *f)
{
	int r = push_mark(w, FL_TOKEN_MAP);

	if (r == 0 && f->text == FL_TEXT_SHAPE)
		r = put_shape(w, v);
	if (r == 0)
		r = put_fields(w, v, f->fields);
	return r < 0 ? r : push_mark(w, FL_TOKEN_MAP_END);
}

static const char *text_at(const struct fl_doc *doc, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(doc, map, key);

	return v == FL_NONE || doc->values[v].kind != FL_TOKEN_SCALAR ||
			       doc->values[v].type != FL_SCALAR_STRING ?
		       NULL :
		       fl_doc_text(doc, v);
}

static int put_metadata(struct writing *w, const struct fl_kind *kind)
{
	const struct fl_doc *doc = &w->k->doc;
	uint32_t metadata = fl_doc_find(doc, 0, "metadata");
	const char *name = text_at(doc, metadata, "name");
	const struct fl_field *f = kind->fields;
	int r = push_key(w, FL_TEXT_VALUE, "metadata");

	if (r == 0)
		r = push_mark(w, FL_TOKEN_MAP);
	if (r == 0 && kind->namespaced)
		r = push_pair(w, "namespace", FL_TEXT_NAMESPACE,
			      fl_model_text(w->k->m, w->k->namespace));
	if (r == 0 && name && kind != &fl_kind_configuration)
		r = push_pair(w, "name", kind->names, name);
	if (r == 0 && w->k->fixed.line && w->t->config_created.v)
		r = push_pair(w, "creationTimestamp", FL_TEXT_VALUE,
			      fl_names_text(&w->t->names, w->t->config_created));
	while (strcmp(f->name, "metadata") != 0)
		f++;
	if (r == 0 && metadata != FL_NONE && doc->values[metadata].kind == FL_TOKEN_MAP)
		r = put_fields(w, metadata, f->fields);
	return r < 0 ? r : push_mark(w, FL_TOKEN_MAP_END);
}

/* All fields of the object but its metadata, which comes before them. */
static int put_rest(struct writing *w, const struct fl_kind *kind)
{
	const struct fl_doc *doc = &w->k->doc;
	int r = 0;

	for (const struct fl_field *f = kind->fields; f->name && r == 0; f++) {
		uint32_t v = fl_doc_find(doc, 0, f->name);

		if (v == FL_NONE || f->support != FL_FIELD_SUPPORTED || fl_kube_is_null(w->k, v) ||
		    strcmp(f->name, "metadata") == 0)
			continue;
		r = push_key(w, FL_TEXT_VALUE, f->name);
		if (r == 0)
			r = put_value(w, v, f, f->text);
	}
	return r;
}

/* Of a ConfigMap only the Configuration in it counts, which is put on the tape as an object. */
static int note_config_map(struct fl_tape *t, struct fl_kube *k)
{
	const char *time = text_at(&k->doc, fl_doc_find(&k->doc, 0, "metadata"),
				   "creationTimestamp");

	t->config_created = (struct fl_sym){ 0 };
	return time ? fl_names_add(&t->names, time, strlen(time), &t->config_created, k->err) : 0;
}

static int put_object(void *user, struct fl_kube *k, const struct fl_kind *kind)
{
	struct writing w = { user, k };
	int r;

	if (!kind || (kind == &fl_kind_moves && w.t->no_moves) || kind == &fl_kind_daemon)
		return 0; /* settings of a run are not part of a state */
	if (fl_kind_is_job(kind))
		return 0; /* the Workloads that are made of it are put here */
	if (kind == &fl_kind_config_map)
		return note_config_map(w.t, k);
	r = push_mark(&w, FL_TOKEN_MAP);
	if (r == 0)
		r = push_pair(&w, "apiVersion", FL_TEXT_VALUE, text_at(&k->doc, 0, "apiVersion"));
	if (r == 0)
		r = push_pair(&w, "kind", FL_TEXT_VALUE, kind->name);
	if (r == 0)
		r = put_metadata(&w, kind);
	if (r == 0)
		r = put_rest(&w, kind);
	if (r == 0)
		r = push_mark(&w, FL_TOKEN_MAP_END);
	w.t->objects += r == 0;
	return r;
}

int fl_tape_init(struct fl_tape *t, const struct fl_mem *mem, fairlead_error *err)
{
	*t = (struct fl_tape){ .mem = mem };
	t->tap = (struct fl_kube_tap){ .object = put_object, .user = t };
	fl_pairs_init(&t->shapes, mem);
	return fl_names_init(&t->names, mem, err);
}

void fl_tape_done(struct fl_tape *t)
{
	if (!t->mem)
		return;
	fl_mem_free(t->mem, t->items);
	fl_pairs_done(&t->shapes);
	fl_names_done(&t->names);
	*t = (struct fl_tape){ 0 };
}

const char *fl_tape_number(const char *text, char *buffer, size_t size)
{
	const char *digits = text + (*text == '-' || *text == '+');
	const char *zeros = digits + strspn(digits, "0");
	const char *point = strchr(text, '.');
	bool bare = *zeros < '0' || *zeros > '9'; /* "0", "0.5", ".5", "0e1" */

	if (strncmp(digits, "0x", 2) == 0 || strncmp(digits, "0o", 2) == 0) {
		(void)snprintf(buffer, size, "%lld",
			       strtoll(digits + 2, NULL, digits[1] == 'x' ? 16 : 8));
		return buffer;
	}
	if (*text != '+' && !(point && (point[1] < '0' || point[1] > '9')) &&
	    (bare ? zeros == digits + 1 : zeros == digits))
		return text;
	/* "+05." and the like: one sign, one zero before a point, a digit behind it */
	size_t whole = point ? (size_t)(point - zeros) : strlen(zeros);
	bool empty = point && (point[1] < '0' || point[1] > '9');

	(void)snprintf(buffer, size, "%s%s%.*s%s%s", *text == '-' ? "-" : "", bare ? "0" : "",
		       (int)whole, zeros, empty ? ".0" : "", point ? point + empty : "");
	return buffer;
}

static bool has_name(const struct fl_tape_item *item)
{
	return item->kind == FL_TOKEN_KEY ||
	       (item->kind == FL_TOKEN_SCALAR && item->type == FL_SCALAR_STRING);
}

/* Appends every resource on the tape that begins with @prefix to the items of @to. */
static int put_resources(const struct fl_tape *t, struct fl_sym prefix, struct fl_tape *to,
			 fairlead_error *err)
{
	struct fl_pairs seen;
	int r = 0;

	fl_pairs_init(&seen, t->mem);
	for (uint32_t i = 0; i < t->n && r == 0; i++) {
		struct fl_tape_item item = t->items[i];
		const char *begin = fl_names_text(&t->names, prefix);

		if (item.text != FL_TEXT_RESOURCE || !has_name(&item) ||
		    strncmp(fl_tape_text(t, i), begin, strlen(begin)) != 0)
			continue;
		r = fl_pairs_add(&seen, item.sym.v, 0, 0, /* ret_old= */ NULL, err);
		if (r) {
			r = r < 0 ? r : 0;
			continue;
		}
		item.kind = FL_TOKEN_SCALAR;
		item.type = FL_SCALAR_STRING;
		r = fl_mem_grow(t->mem, &to->items, &to->cap, to->n + 1, sizeof item, err);
		if (r == 0)
			to->items[to->n++] = item;
	}
	fl_pairs_done(&seen);
	return r;
}

/* Aliases have no common prefixes: a prefix is replaced by all names that begin with it. */
static int expand_prefixes(struct fl_tape *t, fairlead_error *err)
{
	struct fl_tape to = { 0 };
	bool any = false;
	int r = 0;

	for (uint32_t i = 0; i < t->n; i++)
		any |= t->items[i].text == FL_TEXT_RESOURCE_PREFIX;
	if (!any)
		return 0;
	for (uint32_t i = 0; i < t->n && r == 0; i++) {
		if (t->items[i].text == FL_TEXT_RESOURCE_PREFIX) {
			r = put_resources(t, t->items[i].sym, &to, err);
			continue;
		}
		r = fl_mem_grow(t->mem, &to.items, &to.cap, to.n + 1, sizeof *to.items, err);
		if (r == 0)
			to.items[to.n++] = t->items[i];
	}
	if (r < 0) {
		fl_mem_free(t->mem, to.items);
		return r;
	}
	fl_mem_free(t->mem, t->items);
	t->items = to.items;
	t->n = to.n;
	t->cap = to.cap;
	return 0;
}

/* "namespace/name" in two, of names that exist; texts move when names are added. */
static int split(struct fl_tape *t, struct fl_sym full, struct fl_sym *ret_namespace,
		 struct fl_sym *ret_name, fairlead_error *err)
{
	char text[2 * FL_MAX_NAME + 2];
	size_t len;
	int r;

	(void)snprintf(text, sizeof text, "%s", fl_names_text(&t->names, full));
	len = strcspn(text, "/");
	r = fl_names_add(&t->names, text, len, ret_namespace, err);
	return r < 0 ? r :
		       fl_names_add(&t->names, text + len + 1, strlen(text + len + 1), ret_name,
				    err);
}

static int add_alias(struct fl_tape *t, struct fl_aliases *a, uint32_t i, fairlead_error *err)
{
	struct fl_sym namespace, name;
	int r;

	if (t->items[i].text != FL_TEXT_FULL_NAME)
		return fl_aliases_add(a, t->items[i].text, t->items[i].sym, err);
	r = split(t, t->items[i].sym, &namespace, &name, err);
	if (r == 0)
		r = fl_aliases_add(a, FL_TEXT_NAMESPACE, namespace, err);
	return r < 0 ? r : fl_aliases_add(a, FL_TEXT_WORKLOAD, name, err);
}

static int put_alias(struct fl_tape *t, struct fl_aliases *a, uint32_t i, fairlead_error *err)
{
	struct fl_sym namespace, name, *ret = &t->items[i].sym;
	char full[512];
	int r;

	if (t->items[i].text != FL_TEXT_FULL_NAME)
		return fl_alias(a, t->items[i].text, *ret, ret, err);
	r = split(t, *ret, &namespace, &name, err);
	if (r == 0)
		r = fl_alias(a, FL_TEXT_NAMESPACE, namespace, &namespace, err);
	if (r == 0)
		r = fl_alias(a, FL_TEXT_WORKLOAD, name, &name, err);
	if (r < 0)
		return r;
	(void)snprintf(full, sizeof full, "%.250s/%.250s", fl_names_text(&t->names, namespace),
		       fl_names_text(&t->names, name));
	return fl_names_add(&t->names, full, strlen(full), ret, err);
}

int fl_tape_hide(struct fl_tape *t, const uint64_t key[2], fairlead_error *err)
{
	struct fl_aliases aliases;
	int r = expand_prefixes(t, err);

	fl_aliases_init(&aliases, t->mem, &t->names, key);
	for (uint32_t i = 0; i < t->n && r == 0; i++)
		if (has_name(&t->items[i]))
			r = add_alias(t, &aliases, i, err);
	if (r == 0)
		r = fl_aliases_sort(&aliases, err);
	for (uint32_t i = 0; i < t->n && r == 0; i++)
		if (has_name(&t->items[i]))
			r = put_alias(t, &aliases, i, err);
	fl_aliases_done(&aliases);
	return r;
}
