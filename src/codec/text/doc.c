/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/doc.h"

#include <stdio.h>
#include <string.h>

#include "base/ids.h"
#include "base/in_string.h"
#include "base/limits.h"

/* A key that is cut has this type, and no other key. */
static const enum fl_scalar_type cut = FL_SCALAR_FLOAT;

void fl_doc_init(struct fl_doc *doc, const struct fl_mem *mem)
{
	*doc = (struct fl_doc){ .mem = mem };
}

void fl_doc_done(struct fl_doc *doc)
{
	if (!doc->mem)
		return;
	fl_mem_free(doc->mem, doc->values);
	fl_mem_free(doc->mem, doc->bytes);
	*doc = (struct fl_doc){ 0 };
}

void fl_doc_clear(struct fl_doc *doc) { doc->n = doc->n_bytes = 0; }

/* Room for @len more bytes of text and their NUL. */
static int make_room(struct fl_doc *doc, size_t len, fairlead_error *err)
{
	if (len > FL_MAX_OBJECT || doc->n_bytes + len > FL_MAX_OBJECT)
		return fl_fail(err, FAIRLEAD_ELIMIT, "an object of more than %d bytes",
			       FL_MAX_OBJECT);
	return fl_mem_grow(doc->mem, &doc->bytes, &doc->cap_bytes, doc->n_bytes + (uint32_t)len + 1,
			   1, err);
}

int fl_doc_push(struct fl_doc *doc, const struct fl_token *t, fairlead_error *err)
{
	bool has_text = t->kind == FL_TOKEN_KEY || t->kind == FL_TOKEN_SCALAR;
	uint32_t len = has_text ? (uint32_t)t->len : 0;
	int r;

	if (doc->n >= FL_MAX_OBJECT_VALUES)
		return fl_fail(err, FAIRLEAD_ELIMIT, "an object of more than %d values",
			       FL_MAX_OBJECT_VALUES);
	if ((r = make_room(doc, len, err)) < 0 ||
	    (r = fl_mem_grow(doc->mem, &doc->values, &doc->cap, doc->n + 1, sizeof *doc->values,
			     err)) < 0)
		return r;
	doc->values[doc->n] = (struct fl_value){
		.kind = t->kind,
		.type = t->kind == FL_TOKEN_KEY && t->type == cut ? FL_SCALAR_STRING : t->type,
		.line = t->line,
		.column = t->column,
		.start = doc->n_bytes,
		.len = len,
		.next = doc->n + 1,
	};
	doc->n++;
	if (len)
		memcpy(doc->bytes + doc->n_bytes, t->text, len);
	doc->bytes[doc->n_bytes + len] = '\0';
	doc->n_bytes += has_text ? len + 1 : 0;
	return 0;
}

int fl_doc_rename(struct fl_doc *doc, uint32_t v, const char *text, size_t len, fairlead_error *err)
{
	int r = make_room(doc, len, err);

	if (r < 0)
		return r;
	memcpy(doc->bytes + doc->n_bytes, text, len);
	doc->bytes[doc->n_bytes + len] = '\0';
	doc->values[v].start = doc->n_bytes;
	doc->values[v].len = (uint32_t)len;
	doc->n_bytes += (uint32_t)len + 1;
	return 0;
}

void fl_doc_end(struct fl_doc *doc, uint32_t v) { doc->values[v].next = doc->n; }

void fl_doc_cut(struct fl_doc *doc, uint32_t key) { doc->values[key].type = cut; }

static bool is_cut(const struct fl_value *value)
{
	return value->kind == FL_TOKEN_KEY && value->type == cut;
}

bool fl_doc_is_cut(const struct fl_doc *doc, uint32_t key) { return is_cut(&doc->values[key]); }

/*
 * How far each value moves is kept in `hash` of the values as they were, so that links can be
 * moved as well.
 */
void fl_doc_close(struct fl_doc *doc)
{
	uint32_t n = 0, gone = 0;

	for (uint32_t i = 0, until = 0; i < doc->n; i++) {
		if (i >= until && is_cut(&doc->values[i]))
			until = doc->values[i].next;
		gone += i < until;
		doc->values[i].hash = gone - (i < until);
	}
	for (uint32_t i = 0, until = 0; i < doc->n; i++) {
		const uint32_t next = doc->values[i].next;
		const uint64_t before = next < doc->n ? doc->values[next].hash : gone;

		if (i >= until && is_cut(&doc->values[i]))
			until = next;
		if (i < until)
			continue;
		doc->values[n] = doc->values[i];
		doc->values[n++].next = next - (uint32_t)before;
	}
	doc->n = n;
}

int fl_doc_append(struct fl_doc *doc, const struct fl_doc *from, uint32_t v, bool place,
		  fairlead_error *err)
{
	uint32_t first = doc->n;
	int r = 0;

	for (uint32_t i = v; i < from->values[v].next && r == 0; i++) {
		const struct fl_value *value = &from->values[i];
		struct fl_token t = {
			.kind = value->kind,
			.type = value->type,
			.line = place ? value->line : 0,
			.column = place ? value->column : 0,
			.text = fl_doc_text(from, i),
			.len = value->len,
		};

		r = fl_doc_push(doc, &t, err);
		if (r == 0)
			doc->values[doc->n - 1].next = value->next - v + first;
	}
	return r;
}

int fl_doc_copy(const struct fl_doc *from, struct fl_doc *ret, fairlead_error *err)
{
	const struct fl_mem *mem = from->mem;

	fl_doc_init(ret, mem);
	if (from->n == 0)
		return 0;
	ret->values = mem->resize(mem->user, NULL, from->n * sizeof *ret->values);
	ret->bytes = mem->resize(mem->user, NULL, (size_t)from->n_bytes + 1);
	if (!ret->values || !ret->bytes) {
		fl_doc_done(ret);
		return fl_fail_nomem(err);
	}
	memcpy(ret->values, from->values, from->n * sizeof *ret->values);
	if (from->n_bytes)
		memcpy(ret->bytes, from->bytes, from->n_bytes);
	ret->bytes[from->n_bytes] = '\0';
	ret->n = ret->cap = from->n;
	ret->n_bytes = from->n_bytes;
	ret->cap_bytes = from->n_bytes + 1;
	return 0;
}

/* A value has ended, and so has its key. */
static void value_done(struct fl_doc *doc, uint32_t v, uint32_t parent)
{
	fl_doc_end(doc, v);
	if (parent != FL_NONE && doc->values[parent].kind == FL_TOKEN_MAP)
		fl_doc_end(doc, v - 1);
}

int fl_doc_read(struct fl_doc *doc, struct fl_reader *r, const struct fl_token *t,
		fairlead_error *err)
{
	uint32_t open[FL_MAX_DEPTH + 1], depth = 0;
	struct fl_token token = *t;
	int code;

	for (;;) {
		uint32_t v = doc->n;

		if (token.kind == FL_TOKEN_MAP_END || token.kind == FL_TOKEN_LIST_END) {
			depth--;
			value_done(doc, open[depth], depth ? open[depth - 1] : FL_NONE);
		} else {
			code = fl_doc_push(doc, &token, err);
			if (code < 0)
				return code;
			if (token.kind == FL_TOKEN_MAP || token.kind == FL_TOKEN_LIST)
				open[depth++] = v;
			else if (token.kind == FL_TOKEN_SCALAR)
				value_done(doc, v, depth ? open[depth - 1] : FL_NONE);
		}
		if (depth == 0)
			return 0;
		code = fl_reader_next(r, &token, err);
		if (code < 0)
			return code;
	}
}

uint32_t fl_doc_find(const struct fl_doc *doc, uint32_t map, const char *key)
{
	return fl_doc_find_part(doc, map, key, strlen(key));
}

uint32_t fl_doc_find_part(const struct fl_doc *doc, uint32_t map, const char *key, size_t len)
{
	if (map == FL_NONE || doc->values[map].kind != FL_TOKEN_MAP)
		return FL_NONE;
	for (uint32_t k = map + 1; k < doc->values[map].next; k = doc->values[k].next)
		if (doc->values[k].len == len && memcmp(fl_doc_text(doc, k), key, len) == 0)
			return k + 1;
	return FL_NONE;
}

/* The child of @parent that holds @v, and its number. */
static uint32_t child_with(const struct fl_doc *doc, uint32_t parent, uint32_t v, uint32_t *number)
{
	uint32_t at = parent + 1;

	for (*number = 0; doc->values[at].next <= v; ++*number)
		at = doc->values[at].next;
	return at;
}

const char *fl_doc_path(const struct fl_doc *doc, uint32_t v, char *buffer, size_t size)
{
	uint32_t at = 0, number;
	size_t used = 0;

	buffer[0] = '\0';
	while (at < v && used < size - 1) {
		bool map = doc->values[at].kind == FL_TOKEN_MAP;
		int n;

		if (!map && doc->values[at].kind != FL_TOKEN_LIST)
			break;
		at = child_with(doc, at, v, &number);
		if (map)
			n = snprintf(buffer + used, size - used, ".%.100s", fl_doc_text(doc, at));
		else
			n = snprintf(buffer + used, size - used, "[%u]", number);
		used += n > 0 ? (size_t)n : 0;
		at += map; /* from the key to its value */
	}
	return buffer;
}

static uint64_t mix(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ (h >> 33);
}

static uint64_t hash_text(const char *text, uint32_t len)
{
	uint64_t h = mix(len + UINT64_C(0xcbf29ce484222325)), rest = 0;

	for (; len >= 8; text += 8, len -= 8) {
		h = (h ^ fl_eight(text)) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	while (len > 0)
		rest = rest << 8 | (unsigned char)text[--len];
	return mix(h ^ rest);
}

/*
 * From the last value to the first: a parent comes before its children, so their hashes are known.
 */
uint64_t fl_doc_hash(struct fl_doc *doc, uint32_t v)
{
	for (uint32_t i = doc->values[v].next; i-- > v;) {
		struct fl_value *value = &doc->values[i];
		uint64_t h = mix((uint64_t)value->kind * 8 + value->type + 1);

		if (value->kind == FL_TOKEN_KEY || value->kind == FL_TOKEN_SCALAR)
			h = mix(h + hash_text(fl_doc_text(doc, i), value->len));
		if (value->kind == FL_TOKEN_KEY)
			h = mix(h * 3 + doc->values[i + 1].hash);
		/* Pairs are added, so that their order does not count; items are chained. */
		for (uint32_t c = i + 1; value->kind == FL_TOKEN_MAP && c < value->next;
		     c = doc->values[c].next)
			h += doc->values[c].hash;
		for (uint32_t c = i + 1; value->kind == FL_TOKEN_LIST && c < value->next;
		     c = doc->values[c].next)
			h = mix(h * 5 + doc->values[c].hash);
		value->hash = mix(h);
	}
	return doc->values[v].hash;
}
