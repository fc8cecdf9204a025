/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/change_merge.h"

#include <string.h>

static int push_text(struct fl_doc *doc, enum fl_token_kind kind, const char *text,
		     fairlead_error *err)
{
	struct fl_token t = {
		.kind = kind,
		.type = FL_SCALAR_STRING,
		.text = text,
		.len = strlen(text),
	};

	return fl_doc_push(doc, &t, err);
}

static int push_created(struct fl_doc *doc, const char *created, fairlead_error *err)
{
	uint32_t key = doc->n;
	int r = push_text(doc, FL_TOKEN_KEY, "creationTimestamp", err);

	if (r == 0)
		r = push_text(doc, FL_TOKEN_SCALAR, created, err);
	if (r == 0)
		fl_doc_end(doc, key);
	return r;
}

static bool is_set(const struct fl_doc *doc, uint32_t v)
{
	return v != FL_NONE &&
	       (doc->values[v].kind != FL_TOKEN_SCALAR || doc->values[v].type != FL_SCALAR_NULL);
}

/* Labels and annotations are those of the manifest: without them the object has none. */
static bool stays(const struct fl_doc *fresh, uint32_t v, const char *key)
{
	return !is_set(fresh, fl_doc_find(fresh, v, key)) && strcmp(key, "labels") != 0 &&
	       strcmp(key, "annotations") != 0;
}

/*
 * The pairs of two maps, either may be FL_NONE or null: the new ones, and old ones whose keys it
 * lacks.
 */
static int merge_pairs(const struct fl_doc *fresh, uint32_t v, const struct fl_doc *old, uint32_t w,
		       struct fl_doc *ret, fairlead_error *err)
{
	bool is_map = v != FL_NONE && fresh->values[v].kind == FL_TOKEN_MAP;
	bool old_map = w != FL_NONE && old->values[w].kind == FL_TOKEN_MAP;
	int r = 0;

	for (uint32_t key = v + 1; is_map && r == 0 && key < fresh->values[v].next;
	     key = fresh->values[key].next)
		if (is_set(fresh, key + 1))
			r = fl_doc_append(ret, fresh, key, /* place= */ true, err);
	for (uint32_t key = w + 1; old_map && r == 0 && key < old->values[w].next;
	     key = old->values[key].next)
		if (stays(fresh, v, fl_doc_text(old, key)))
			r = fl_doc_append(ret, old, key, /* place= */ false, err);
	return r;
}

/* `metadata` or `status` of both. */
static int merge_part(const char *name, const struct fl_doc *fresh, const struct fl_doc *old,
		      const char *created, struct fl_doc *ret, fairlead_error *err)
{
	uint32_t v = fl_doc_find(fresh, 0, name), w = old ? fl_doc_find(old, 0, name) : FL_NONE;
	uint32_t key = ret->n;
	int r;

	if (!is_set(fresh, v) && w == FL_NONE)
		return 0;
	if (is_set(fresh, v) && fresh->values[v].kind != FL_TOKEN_MAP) /* the reader refuses it */
		return fl_doc_append(ret, fresh, v - 1, /* place= */ true, err);
	r = push_text(ret, FL_TOKEN_KEY, name, err);
	if (r == 0)
		r = fl_doc_push(ret, &(struct fl_token){ .kind = FL_TOKEN_MAP }, err);
	if (r < 0)
		return r;
	if (v != FL_NONE) {
		ret->values[key + 1].line = fresh->values[v].line;
		ret->values[key + 1].column = fresh->values[v].column;
	}
	r = merge_pairs(fresh, v, old, w, ret, err);
	if (r == 0 && created && !is_set(fresh, fl_doc_find(fresh, v, "creationTimestamp")))
		r = push_created(ret, created, err);
	if (r == 0) {
		fl_doc_end(ret, key + 1);
		fl_doc_end(ret, key);
	}
	return r;
}

int fl_change_merge(const struct fl_doc *fresh, const struct fl_doc *old, const char *created,
		    struct fl_doc *ret, fairlead_error *err)
{
	struct fl_token map = {
		.kind = FL_TOKEN_MAP,
		.line = fresh->values[0].line,
		.column = fresh->values[0].column,
	};
	int r = fl_doc_push(ret, &map, err);

	for (uint32_t key = 1; r == 0 && key < fresh->values[0].next; key = fresh->values[key].next)
		if (strcmp(fl_doc_text(fresh, key), "metadata") != 0 &&
		    strcmp(fl_doc_text(fresh, key), "status") != 0)
			r = fl_doc_append(ret, fresh, key, /* place= */ true, err);
	if (r == 0)
		r = merge_part("metadata", fresh, old, created, ret, err);
	if (r == 0)
		r = merge_part("status", fresh, old, /* created= */ NULL, ret, err);
	if (r == 0)
		fl_doc_end(ret, 0);
	return r;
}
