/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/apply.h"

#include <string.h>

#include "base/limits.h"

static const char last_applied[] = "kubectl.kubernetes.io/last-applied-configuration";

/* A value of a document; v FL_NONE: there is none. */
struct side {
	const struct fl_doc *doc;
	uint32_t v;
};

static const struct side nothing = { NULL, FL_NONE };

static bool is(struct side s, enum fl_token_kind kind)
{
	return s.v != FL_NONE && s.doc->values[s.v].kind == kind;
}

static bool is_null(struct side s)
{
	return is(s, FL_TOKEN_SCALAR) && s.doc->values[s.v].type == FL_SCALAR_NULL;
}

static uint32_t end_of(struct side s) { return s.doc->values[s.v].next; }

static uint32_t after(struct side s, uint32_t v) { return s.doc->values[v].next; }

static struct side field(struct side map, const char *key)
{
	return (struct side){ map.doc,
			      map.v == FL_NONE ? FL_NONE : fl_doc_find(map.doc, map.v, key) };
}

static const char *text_of(struct side s)
{
	return is(s, FL_TOKEN_SCALAR) && !is_null(s) ? fl_doc_text(s.doc, s.v) : NULL;
}

const char *fl_apply_alias(const char *name)
{
	static const char *const pairs[][2] = { { "cohort", "cohortName" },
						{ "parent", "parentName" } };

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (unsigned k = 0; k < 2; k++)
			if (strcmp(name, pairs[i][k]) == 0)
				return pairs[i][!k];
	return NULL;
}

/* --- lists with keys --- */

static const char groups[] = "resourceGroups";

/* The field that names an item of a list; "" for resource groups; NULL: it is replaced. */
static const char *key_of(const char *list)
{
	static const char *const named[] = {
		"flavors", "resources", "podSets", "containers", "initContainers", "subGroups",
	};

	if (strcmp(list, groups) == 0)
		return "";
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strcmp(list, named[i]) == 0)
			return "name";
	return NULL;
}

static bool have_flavor_in_common(struct side a, struct side b)
{
	a = field(a, "flavors");
	b = field(b, "flavors");
	if (!is(a, FL_TOKEN_LIST) || !is(b, FL_TOKEN_LIST))
		return false;
	for (uint32_t i = a.v + 1; i < end_of(a); i = after(a, i))
		for (uint32_t k = b.v + 1; k < end_of(b); k = after(b, k)) {
			const char *x = text_of(field((struct side){ a.doc, i }, "name"));
			const char *y = text_of(field((struct side){ b.doc, k }, "name"));

			if (x && y && strcmp(x, y) == 0)
				return true;
		}
	return false;
}

static bool have_resource_in_common(struct side a, struct side b)
{
	a = field(a, "coveredResources");
	b = field(b, "coveredResources");
	if (!is(a, FL_TOKEN_LIST) || !is(b, FL_TOKEN_LIST))
		return false;
	for (uint32_t i = a.v + 1; i < end_of(a); i = after(a, i))
		for (uint32_t k = b.v + 1; k < end_of(b); k = after(b, k))
			if (strcmp(fl_doc_text(a.doc, i), fl_doc_text(b.doc, k)) == 0)
				return true;
	return false;
}

/* The item of @list that is the same one as @item of another list; v FL_NONE. */
static struct side same_item(struct side list, struct side item, const char *key)
{
	struct side found = nothing;

	if (!is(list, FL_TOKEN_LIST))
		return nothing;
	for (uint32_t i = list.v + 1; i < end_of(list); i = after(list, i)) {
		struct side other = { list.doc, i };

		if (!*key) {
			if (have_flavor_in_common(other, item))
				return other;
			if (found.v == FL_NONE && have_resource_in_common(other, item))
				found = other;
			continue;
		}
		const char *x = text_of(field(other, key)), *y = text_of(field(item, key));

		if (x && y && strcmp(x, y) == 0)
			return other;
	}
	return found;
}

/* Are its items objects that can be told apart? */
static bool has_keys(struct side list, const char *key)
{
	if (!is(list, FL_TOKEN_LIST) || list.v + 1 == end_of(list))
		return false;
	for (uint32_t i = list.v + 1; i < end_of(list); i = after(list, i)) {
		struct side item = { list.doc, i };

		if (!is(item, FL_TOKEN_MAP) || (*key && !text_of(field(item, key))))
			return false;
	}
	return true;
}

static bool is_deleted(struct side item)
{
	const char *patch = text_of(field(item, "$patch"));

	return patch && strcmp(patch, "delete") == 0;
}

/* --- merging --- */

static int append(struct fl_doc *ret, struct side from, bool place, fairlead_error *err)
{
	return fl_doc_append(ret, from.doc, from.v, place, err);
}

static int open_like(struct fl_doc *ret, struct side from, fairlead_error *err)
{
	const struct fl_value *value = &from.doc->values[from.v];
	const struct fl_token t = {
		.kind = value->kind,
		.type = value->type,
		.line = value->line,
		.column = value->column,
		.text = fl_doc_text(from.doc, from.v),
		.len = value->len,
	};

	return fl_doc_push(ret, &t, err);
}

static int merge_map(struct side fresh, struct side old, struct side last, bool whole,
		     struct fl_doc *ret, fairlead_error *err);

/* Does an item of the old list stay that is not given now? */
static bool stays(struct side item, struct side fresh, struct side last, const char *key)
{
	return same_item(fresh, item, key).v == FL_NONE && same_item(last, item, key).v == FL_NONE;
}

static int merge_item(struct side item, struct side old, struct side last, const char *key,
		      struct fl_doc *ret, fairlead_error *err)
{
	if (is_deleted(item))
		return 0;
	old = same_item(old, item, key);
	if (!is(old, FL_TOKEN_MAP))
		return append(ret, item, /* place= */ true, err);
	return merge_map(item, old, same_item(last, item, key), /* whole= */ false, ret, err);
}

static int merge_list(struct side fresh, struct side old, struct side last, const char *key,
		      struct fl_doc *ret, fairlead_error *err)
{
	uint32_t at = ret->n;
	bool some_stay = false;
	int r = open_like(ret, fresh, err);

	for (uint32_t i = old.v + 1; i < end_of(old); i = after(old, i))
		some_stay |= stays((struct side){ old.doc, i }, fresh, last, key);
	for (uint32_t i = old.v + 1; some_stay && r == 0 && i < end_of(old); i = after(old, i)) {
		struct side item = { old.doc, i }, same = same_item(fresh, item, key);

		if (same.v != FL_NONE)
			r = merge_item(same, old, last, key, ret, err);
		else if (stays(item, fresh, last, key))
			r = append(ret, item, /* place= */ false, err);
	}
	for (uint32_t i = fresh.v + 1; r == 0 && i < end_of(fresh); i = after(fresh, i)) {
		struct side item = { fresh.doc, i };

		if (!some_stay || same_item(old, item, key).v == FL_NONE)
			r = merge_item(item, old, last, key, ret, err);
	}
	if (r == 0)
		fl_doc_end(ret, at);
	return r;
}

static int merge_value(const char *name, struct side fresh, struct side old, struct side last,
		       bool whole, struct fl_doc *ret, fairlead_error *err)
{
	const char *key = key_of(name);

	if (is(fresh, FL_TOKEN_MAP) && is(old, FL_TOKEN_MAP))
		return merge_map(fresh, old, last, whole, ret, err);
	if (key && !whole && is(old, FL_TOKEN_LIST) && has_keys(fresh, key))
		return merge_list(fresh, old, last, key, ret, err);
	return append(ret, fresh, /* place= */ true, err);
}

static int merge_pair(struct side fresh, uint32_t key, struct side old, struct side last,
		      bool whole, struct fl_doc *ret, fairlead_error *err)
{
	const char *name = fl_doc_text(fresh.doc, key);
	const struct side value = { fresh.doc, key + 1 };
	uint32_t at = ret->n;
	int r;

	if (is_null(value))
		return 0;
	r = open_like(ret, (struct side){ fresh.doc, key }, err);
	if (r == 0)
		r = merge_value(name, value, field(old, name), field(last, name), whole, ret, err);
	if (r == 0)
		fl_doc_end(ret, at);
	return r;
}

/*
 * Was a key that is not given now applied the last time?  Status is the server's, and annotations
 * are not removed as a whole.
 */
static bool is_pruned(const char *name, uint32_t at, struct side last)
{
	struct side value = field(last, name);

	return value.v != FL_NONE && !is_null(value) && strcmp(name, "annotations") != 0 &&
	       !(at == 0 && strcmp(name, "status") == 0);
}

/* @whole: lists are replaced. */
static int merge_map(struct side fresh, struct side old, struct side last, bool whole,
		     struct fl_doc *ret, fairlead_error *err)
{
	uint32_t at = ret->n;
	int r = open_like(ret, fresh, err);

	for (uint32_t k = fresh.v + 1; r == 0 && k < end_of(fresh); k = after(fresh, k)) {
		bool status = at == 0 && strcmp(fl_doc_text(fresh.doc, k), "status") == 0;

		r = merge_pair(fresh, k, old, last, whole || status, ret, err);
	}
	for (uint32_t k = old.v + 1; r == 0 && k < end_of(old); k = after(old, k)) {
		const char *name = fl_doc_text(old.doc, k), *alias = fl_apply_alias(name);

		if (field(fresh, name).v == FL_NONE && !is_pruned(name, at, last) &&
		    !(alias && field(fresh, alias).v != FL_NONE))
			r = append(ret, (struct side){ old.doc, k }, /* place= */ false, err);
	}
	if (r == 0)
		fl_doc_end(ret, at);
	return r;
}

int fl_apply_parse(const char *text, size_t len, struct fl_doc *ret, fairlead_error *err)
{
	struct fl_reader *reader = NULL;
	struct fl_token t;
	int r = fl_reader_new(ret->mem, text, len, &reader, err);

	if (r == 0)
		r = fl_reader_next(reader, &t, err);
	if (r == 0 && t.kind == FL_TOKEN_DOCUMENT)
		r = fl_reader_next(reader, &t, err);
	if (r == 0 && t.kind == FL_TOKEN_END)
		r = fl_fail(err, FAIRLEAD_EINPUT, "there is no value");
	if (r == 0)
		r = fl_doc_read(ret, reader, &t, err);
	if (r == 0)
		r = fl_reader_next(reader, &t, err);
	if (r == 0 && t.kind != FL_TOKEN_END)
		r = fl_fail(err, FAIRLEAD_EINPUT, "there is more than one value");
	fl_reader_free(reader);
	return r;
}

/* What was applied last, by the old object; a text that is no object is as good as none. */
static int read_last(const struct fl_doc *old, struct fl_doc *ret, fairlead_error *err)
{
	const struct side object = { old, 0 };
	struct side text = field(field(field(object, "metadata"), "annotations"), last_applied);
	fairlead_error why = { 0 };
	int r;

	if (!text_of(text))
		return 0;
	r = fl_apply_parse(text_of(text), old->values[text.v].len, ret, &why);
	if (r == FAIRLEAD_ENOMEM) {
		*err = why;
		return r;
	}
	if (r < 0 || ret->values[0].kind != FL_TOKEN_MAP)
		fl_doc_clear(ret);
	return 0;
}

int fl_apply(const struct fl_doc *fresh, const struct fl_doc *old, struct fl_doc *ret,
	     fairlead_error *err)
{
	const struct side new = { fresh, 0 }, was = { old, 0 };
	struct fl_doc doc;
	int r;

	fl_doc_init(&doc, ret->mem);
	r = read_last(old, &doc, err);
	if (r == 0)
		r = merge_map(new, was, doc.n ? (struct side){ &doc, 0 } : nothing,
			      /* whole= */ false, ret, err);
	fl_doc_done(&doc);
	return r;
}
