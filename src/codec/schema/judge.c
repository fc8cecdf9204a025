/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/schema/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fl_refuse(struct fl_judge *j, uint32_t v, const char *field, const char *rule,
	       const char *hint, const char *format, ...)
{
	char text[512];
	const struct fl_finding f = { .kind = FL_FINDING_ERROR,
				      .v = v,
				      .field = field,
				      .rule = rule,
				      .text = text,
				      .hint = hint };
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	j->n_errors++;
	j->call->tell(j->call->user, &f);
}

/* --- looking at an object --- */

static uint32_t unless_null(const struct fl_doc *doc, uint32_t v)
{
	return v == FL_NONE || (doc->values[v].kind == FL_TOKEN_SCALAR &&
				doc->values[v].type == FL_SCALAR_NULL) ?
		       FL_NONE :
		       v;
}

uint32_t fl_at(const struct fl_doc *doc, uint32_t map, const char *key)
{
	return unless_null(doc, fl_doc_find(doc, map, key));
}

uint32_t fl_at_part(const struct fl_doc *doc, uint32_t map, const char *key, size_t len)
{
	return unless_null(doc, fl_doc_find_part(doc, map, key, len));
}

uint32_t fl_at_path(const struct fl_doc *doc, const char *path)
{
	uint32_t v = 0;

	while (*path && v != FL_NONE) {
		const char *dot = strchr(path, '.');
		size_t len = dot ? (size_t)(dot - path) : strlen(path);

		v = fl_at_part(doc, v, path, len);
		path += len + (dot != NULL);
	}
	return v;
}

const char *fl_scalar_at(const struct fl_doc *doc, uint32_t v, const char *otherwise)
{
	return v == FL_NONE || doc->values[v].kind != FL_TOKEN_SCALAR ? otherwise :
									fl_doc_text(doc, v);
}

bool fl_is_true(const struct fl_doc *doc, uint32_t v)
{
	const char *text = fl_scalar_at(doc, v, "");

	return v != FL_NONE && doc->values[v].type == FL_SCALAR_BOOL &&
	       strchr("tTyY1", text[0]) != NULL;
}

uint32_t fl_count_at(const struct fl_doc *doc, uint32_t v)
{
	uint32_t n = 0;

	for (FL_ITEMS(doc, item, v))
		n++;
	return n;
}

int64_t fl_int_at(const struct fl_doc *doc, uint32_t v, int64_t otherwise)
{
	return v == FL_NONE ? otherwise : strtoll(fl_scalar_at(doc, v, "0"), NULL, 0);
}

static bool same_scalar(const struct fl_doc *a, uint32_t v, const struct fl_doc *b, uint32_t w)
{
	return a->values[v].len == b->values[w].len &&
	       memcmp(fl_doc_text(a, v), fl_doc_text(b, w), a->values[v].len) == 0;
}

static bool same_map(const struct fl_doc *a, uint32_t v, const struct fl_doc *b, uint32_t w)
{
	for (FL_KEYS(a, key, v))
		if (!fl_same(a, fl_at(a, v, fl_doc_text(a, key)), b,
			     fl_at(b, w, fl_doc_text(a, key))))
			return false;
	for (FL_KEYS(b, key, w))
		if (fl_at(b, w, fl_doc_text(b, key)) != FL_NONE &&
		    fl_at(a, v, fl_doc_text(b, key)) == FL_NONE)
			return false;
	return true;
}

bool fl_same(const struct fl_doc *a, uint32_t v, const struct fl_doc *b, uint32_t w)
{
	uint32_t at = w + 1;

	if (v == FL_NONE || w == FL_NONE)
		return v == w;
	if (a->values[v].kind != b->values[w].kind)
		return false;
	if (a->values[v].kind == FL_TOKEN_SCALAR)
		return same_scalar(a, v, b, w);
	if (a->values[v].kind == FL_TOKEN_MAP)
		return same_map(a, v, b, w);
	for (FL_ITEMS(a, item, v)) {
		if (at >= b->values[w].next || !fl_same(a, item, b, at))
			return false;
		at = b->values[at].next;
	}
	return at >= b->values[w].next;
}
