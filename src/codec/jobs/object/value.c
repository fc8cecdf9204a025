/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/value.h"

#include <string.h>

static struct fl_kjob_value value(const struct fl_doc *doc, uint32_t v)
{
	if (v == FL_NONE ||
	    (doc->values[v].kind == FL_TOKEN_SCALAR && doc->values[v].type == FL_SCALAR_NULL))
		return FL_KJOB_NO_VALUE;
	return (struct fl_kjob_value){ doc, v };
}

static bool is(struct fl_kjob_value n, enum fl_token_kind kind)
{
	return fl_kjob_has(n) && n.doc->values[n.v].kind == kind;
}

static bool is_scalar(struct fl_kjob_value n, enum fl_scalar_type type)
{
	return is(n, FL_TOKEN_SCALAR) && n.doc->values[n.v].type == type;
}

struct fl_kjob_value fl_kjob_root(const struct fl_doc *doc)
{
	return value(doc, doc->n ? 0 : FL_NONE);
}

struct fl_kjob_value fl_kjob_get(struct fl_kjob_value n, const char *key)
{
	return fl_kjob_has(n) ? value(n.doc, fl_doc_find(n.doc, n.v, key)) : n;
}

struct fl_kjob_value fl_kjob_at(struct fl_kjob_value n, const char *path)
{
	while (*path && fl_kjob_has(n)) {
		char key[64];
		size_t len = strcspn(path, ".");

		if (len >= sizeof key)
			return FL_KJOB_NO_VALUE;
		memcpy(key, path, len);
		key[len] = '\0';
		n = fl_kjob_get(n, key);
		path += len + (path[len] == '.');
	}
	return n;
}

const char *fl_kjob_text(struct fl_kjob_value n)
{
	return is_scalar(n, FL_SCALAR_STRING) ? fl_doc_text(n.doc, n.v) : "";
}

bool fl_kjob_is(struct fl_kjob_value n, const char *text)
{
	return is_scalar(n, FL_SCALAR_STRING) && strcmp(fl_doc_text(n.doc, n.v), text) == 0;
}

bool fl_kjob_true(struct fl_kjob_value n)
{
	/* YAML has "true", "True" and "TRUE". */
	return is_scalar(n, FL_SCALAR_BOOL) && strchr("tT", *fl_doc_text(n.doc, n.v));
}

/* Digits after a sign; false when there are none or something else is there. */
static bool digits(const char *text, bool *overflow, int64_t *ret)
{
	bool negative = *text == '-';
	int64_t n = 0;

	*overflow = false;
	text += *text == '-' || *text == '+';
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, negative ? '0' - *text : *text - '0', &n)) {
			*overflow = true;
			n = negative ? INT64_MIN : INT64_MAX;
		}
	}
	*ret = *overflow ? (negative ? INT64_MIN : INT64_MAX) : n;
	return true;
}

bool fl_kjob_int(struct fl_kjob_value n, int64_t *ret)
{
	bool overflow;

	return is_scalar(n, FL_SCALAR_INT) && digits(fl_doc_text(n.doc, n.v), &overflow, ret);
}

int64_t fl_kjob_int_or(struct fl_kjob_value n, int64_t otherwise)
{
	int64_t value = otherwise;

	return fl_kjob_int(n, &value) ? value : otherwise;
}

bool fl_kjob_atoi(const char *text, int64_t *ret)
{
	bool overflow;
	int64_t n;

	if (!digits(text, &overflow, &n) || overflow)
		return false;
	*ret = n;
	return true;
}

bool fl_kjob_is_list(struct fl_kjob_value n) { return is(n, FL_TOKEN_LIST); }
bool fl_kjob_is_map(struct fl_kjob_value n) { return is(n, FL_TOKEN_MAP); }

static struct fl_kjob_value item(struct fl_kjob_value n, uint32_t v)
{
	return v < n.doc->values[n.v].next ? (struct fl_kjob_value){ n.doc, v } : FL_KJOB_NO_VALUE;
}

struct fl_kjob_value fl_kjob_first(struct fl_kjob_value n)
{
	return fl_kjob_is_list(n) || fl_kjob_is_map(n) ? item(n, n.v + 1) : FL_KJOB_NO_VALUE;
}

struct fl_kjob_value fl_kjob_next(struct fl_kjob_value n, struct fl_kjob_value at)
{
	return item(n, n.doc->values[at.v].next);
}

const char *fl_kjob_key(struct fl_kjob_value at) { return fl_doc_text(at.doc, at.v); }

struct fl_kjob_value fl_kjob_of_key(struct fl_kjob_value at) { return value(at.doc, at.v + 1); }

uint32_t fl_kjob_count(struct fl_kjob_value n)
{
	uint32_t count = 0;

	for (struct fl_kjob_value i = fl_kjob_first(n); fl_kjob_has(i); i = fl_kjob_next(n, i))
		count++;
	return count;
}

bool fl_kjob_condition(struct fl_kjob_value object, const char *type)
{
	struct fl_kjob_value list = fl_kjob_at(object, "status.conditions");

	if (!fl_kjob_is_list(list))
		return false;
	for (struct fl_kjob_value i = fl_kjob_first(list); fl_kjob_has(i);
	     i = fl_kjob_next(list, i))
		if (fl_kjob_is(fl_kjob_get(i, "type"), type) &&
		    fl_kjob_is(fl_kjob_get(i, "status"), "True"))
			return true;
	return false;
}
