/* SPDX-License-Identifier: Apache-2.0 */
#include "mirror/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ids.h"

enum { PATH = 160 };

/* What becomes of a key: all below it is kept, some may be, nothing is. */
enum verdict { DROP, LOOK, KEEP };

/* A field that is kept, of `keep` of its kind. */
struct rule {
	const char *path;
	size_t len;
	bool begins; /* it stands for all keys that begin so */
};

struct reading {
	const struct fl_mirror_kind_row *kind;
	struct fl_reader *reader;
	struct fl_doc *doc;
	struct rule rules[FL_MIRROR_RULES];
	uint32_t n_rules;
	char path[PATH]; /* of the key that is read; no text: its length goes beside it */
	uint64_t version;
	fairlead_error *err;
};

static void split_rules(struct reading *k)
{
	size_t len;

	for (const char *at = k->kind->keep; *at && k->n_rules < FL_MIRROR_RULES;
	     at += len + (at[len] == ' ')) {
		len = strcspn(at, " ");
		k->rules[k->n_rules++] = at[len - 1] == '*' ? (struct rule){ at, len - 1, true } :
							      (struct rule){ at, len, false };
	}
}

static enum verdict by_rule(const struct rule *rule, const char *path, size_t n)
{
	const size_t least = n < rule->len ? n : rule->len;

	if (memcmp(rule->path, path, least) != 0)
		return DROP;
	if (n < rule->len)
		return rule->path[n] == '.' ? LOOK : DROP;
	return n == rule->len || rule->begins ? KEEP : DROP;
}

static enum verdict judge(const struct reading *k, size_t n)
{
	enum verdict best = DROP;

	for (uint32_t i = 0; i < k->n_rules && best != KEEP; i++) {
		enum verdict v = by_rule(&k->rules[i], k->path, n);

		best = v > best ? v : best;
	}
	return best;
}

static bool is_version(const struct reading *k, size_t n)
{
	static const char version[] = "metadata.resourceVersion";

	return n == sizeof version - 1 && memcmp(k->path, version, n) == 0;
}

static int read_map(struct reading *k, size_t used);

/* Its items have the path of the list. */
static int read_list(struct reading *k, const struct fl_token *list, size_t used)
{
	const uint32_t at = k->doc->n;
	int r = fl_doc_push(k->doc, list, k->err);

	while (r == 0) {
		const uint32_t item = k->doc->n;
		struct fl_token t;

		r = fl_reader_next(k->reader, &t, k->err);
		if (r < 0 || t.kind == FL_TOKEN_LIST_END)
			break;
		if (t.kind != FL_TOKEN_MAP) {
			r = fl_doc_read(k->doc, k->reader, &t, k->err);
			continue;
		}
		r = fl_doc_push(k->doc, &t, k->err);
		if (r == 0)
			r = read_map(k, used);
		fl_doc_end(k->doc, item);
	}
	fl_doc_end(k->doc, at);
	return r;
}

/* The value of the key in @key, whose path is in k->path, @n bytes. */
static int read_key(struct reading *k, const struct fl_token *key, size_t n)
{
	enum verdict verdict = judge(k, n);
	const uint32_t at = k->doc->n;
	struct fl_token t;
	int r;

	if (is_version(k, n)) {
		char text[24] = "";

		r = fl_reader_next(k->reader, &t, k->err);
		if (r == 0 && t.kind == FL_TOKEN_SCALAR && t.len < sizeof text)
			memcpy(text, t.text, t.len);
		k->version = strtoull(text, /* endptr= */ NULL, 10);
		return r < 0 || t.kind == FL_TOKEN_SCALAR ?
			       r :
			       fl_fail(k->err, FAIRLEAD_EINPUT, "a resourceVersion is a text");
	}
	if (verdict == DROP)
		return fl_reader_skip(k->reader, k->err);
	r = fl_doc_push(k->doc, key, k->err);
	if (r == 0)
		r = fl_reader_next(k->reader, &t, k->err);
	if (r == 0 && verdict == LOOK && t.kind == FL_TOKEN_MAP) {
		const uint32_t map = k->doc->n;

		r = fl_doc_push(k->doc, &t, k->err);
		if (r == 0)
			r = read_map(k, n);
		fl_doc_end(k->doc, map);
	} else if (r == 0 && verdict == LOOK && t.kind == FL_TOKEN_LIST) {
		r = read_list(k, &t, n);
	} else if (r == 0) {
		r = fl_doc_read(k->doc, k->reader, &t, k->err);
	}
	fl_doc_end(k->doc, at);
	return r;
}

/* The keys of a map behind its first token; recursion is as deep as the rules. */
static int read_map(struct reading *k, size_t used)
{
	for (;;) {
		struct fl_token t;
		int r = fl_reader_next(k->reader, &t, k->err);
		size_t n = used;

		if (r < 0 || t.kind == FL_TOKEN_MAP_END)
			return r;
		if (used + t.len + 2 > PATH ||
		    (used == 0 && t.len == 4 && memcmp(t.text, "kind", 4) == 0) ||
		    (used == 0 && t.len == 10 && memcmp(t.text, "apiVersion", 10) == 0)) {
			r = fl_reader_skip(k->reader, k->err);
		} else {
			if (used)
				k->path[n++] = '.';
			memcpy(k->path + n, t.text, t.len);
			r = read_key(k, &t, n + t.len);
		}
		if (r < 0)
			return r;
	}
}

static int push_text(struct reading *k, enum fl_token_kind kind, const char *text)
{
	struct fl_token t = { .kind = kind,
			      .type = FL_SCALAR_STRING,
			      .line = 1,
			      .column = 1,
			      .text = text,
			      .len = strlen(text) };
	const uint32_t at = k->doc->n;
	int r = fl_doc_push(k->doc, &t, k->err);

	if (r == 0 && kind == FL_TOKEN_SCALAR) {
		fl_doc_end(k->doc, at);
		fl_doc_end(k->doc, at - 1); /* its key */
	}
	return r;
}

static int read_object(struct reading *k, const char *api_version)
{
	struct fl_token t;
	int r = fl_reader_next(k->reader, &t, k->err);

	if (r == 0 && t.kind == FL_TOKEN_DOCUMENT)
		r = fl_reader_next(k->reader, &t, k->err);
	if (r < 0)
		return r;
	if (t.kind != FL_TOKEN_MAP)
		return fl_fail(k->err, FAIRLEAD_EINPUT, "expected an object");
	r = fl_doc_push(k->doc, &t, k->err);
	if (r == 0)
		r = push_text(k, FL_TOKEN_KEY, "apiVersion");
	if (r == 0)
		r = push_text(k, FL_TOKEN_SCALAR, api_version);
	if (r == 0)
		r = push_text(k, FL_TOKEN_KEY, "kind");
	if (r == 0)
		r = push_text(k, FL_TOKEN_SCALAR, k->kind->name);
	if (r == 0)
		r = read_map(k, 0);
	if (k->doc->n)
		fl_doc_end(k->doc, 0);
	return r;
}

static const char *scalar(const struct fl_doc *doc, uint32_t map, const char *key)
{
	uint32_t v = fl_doc_find(doc, map, key);

	return v == FL_NONE || doc->values[v].kind != FL_TOKEN_SCALAR ||
			       doc->values[v].type == FL_SCALAR_NULL ?
		       "" :
		       fl_doc_text(doc, v);
}

int fl_mirror_document(const struct fl_mirror_kind_row *kind, const char *version, const char *json,
		       size_t len, struct fl_doc *ret, struct fl_mirror_names *ret_names,
		       fairlead_error *err)
{
	struct reading k = { .kind = kind, .doc = ret, .err = err };
	char api_version[128];
	uint32_t metadata;
	int r = fl_reader_new(ret->mem, json, len, &k.reader, err);

	fl_doc_clear(ret);
	if (r < 0)
		return r;
	split_rules(&k);
	r = read_object(&k, fl_mirror_api_version(kind, version, api_version));
	fl_reader_free(k.reader);
	if (r < 0)
		return r;
	metadata = fl_doc_find(ret, 0, "metadata");
	*ret_names = (struct fl_mirror_names){
		.namespace = k.kind->namespaced ? scalar(ret, metadata, "namespace") : "",
		.name = scalar(ret, metadata, "name"),
		.uid = scalar(ret, metadata, "uid"),
		.version = k.version,
	};
	if (!*ret_names->name)
		return fl_fail(err, FAIRLEAD_EINPUT, "an object has no name");
	return 0;
}

/* --- and back --- */

static int put(struct fl_mirror_text *to, const char *bytes, size_t n, fairlead_error *err)
{
	int r = fl_mem_grow(&fl_mem_heap, &to->bytes, &to->cap, to->n + (uint32_t)n + 1, 1, err);

	if (r < 0)
		return r;
	memcpy(to->bytes + to->n, bytes, n);
	to->n += (uint32_t)n;
	to->bytes[to->n] = '\0';
	return 0;
}

static int put_string(struct fl_mirror_text *to, const char *text, size_t len, fairlead_error *err)
{
	int r = put(to, "\"", 1, err);
	size_t from = 0;

	for (size_t i = 0; i < len && r == 0; i++) {
		unsigned char c = (unsigned char)text[i];
		char escaped[8];

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		(void)snprintf(escaped, sizeof escaped, "\\u%04x", c);
		r = put(to, text + from, i - from, err);
		if (r == 0)
			r = put(to, escaped, 6, err);
		from = i + 1;
	}
	if (r == 0)
		r = put(to, text + from, len - from, err);
	return r < 0 ? r : put(to, "\"", 1, err);
}

/* As deep as documents are: at most FL_MAX_DEPTH. */
static int put_value(const struct fl_doc *doc, uint32_t v, struct fl_mirror_text *to,
		     fairlead_error *err)
{
	const struct fl_value *value = &doc->values[v];
	bool map = value->kind == FL_TOKEN_MAP;
	int r;

	if (value->kind == FL_TOKEN_SCALAR)
		return value->type == FL_SCALAR_STRING ?
			       put_string(to, fl_doc_text(doc, v), value->len, err) :
			       put(to, fl_doc_text(doc, v), value->len, err);
	r = put(to, map ? "{" : "[", 1, err);
	for (uint32_t at = v + 1; at < value->next && r == 0; at = doc->values[at].next) {
		if (at > v + 1)
			r = put(to, ",", 1, err);
		if (r == 0 && map)
			r = put_string(to, fl_doc_text(doc, at), doc->values[at].len, err);
		if (r == 0 && map)
			r = put(to, ":", 1, err);
		if (r == 0)
			r = put_value(doc, map ? at + 1 : at, to, err);
	}
	return r < 0 ? r : put(to, map ? "}" : "]", 1, err);
}

int fl_mirror_write(const struct fl_doc *doc, struct fl_mirror_text *to, fairlead_error *err)
{
	return put_value(doc, 0, to, err);
}
