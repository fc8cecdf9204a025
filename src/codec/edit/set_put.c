/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/edit/set_put.h"

#include <stdio.h>
#include <string.h>

#include "codec/edit/apply.h"
#include "codec/text/quantity.h"

struct put {
	const struct fl_doc *old, *value;
	const struct fl_put_step *steps;
	unsigned n;
	struct fl_doc *ret;
	fairlead_error *err;
};

static bool removes(const struct put *p)
{
	return p->value->values[0].kind == FL_TOKEN_SCALAR &&
	       p->value->values[0].type == FL_SCALAR_NULL;
}

static int push(const struct put *p, enum fl_token_kind kind, const char *key)
{
	const struct fl_token t = {
		.kind = kind,
		.type = key ? FL_SCALAR_STRING : FL_SCALAR_NULL, /* as the reader gives them */
		.text = key,
		.len = key ? strlen(key) : 0,
	};

	return fl_doc_push(p->ret, &t, p->err);
}

static int append_old(const struct put *p, uint32_t v)
{
	return fl_doc_append(p->ret, p->old, v, /* place= */ false, p->err);
}

static int put(const struct put *p, uint32_t v, unsigned i);

/* The key of step @i with what becomes of its value @v, which may be FL_NONE. */
static int put_pair(const struct put *p, uint32_t v, unsigned i)
{
	uint32_t at = p->ret->n;
	int r;

	if (i + 1 == p->n && removes(p))
		return 0;
	r = push(p, FL_TOKEN_KEY, p->steps[i].key);
	if (r == 0)
		r = put(p, v, i + 1);
	if (r == 0)
		fl_doc_end(p->ret, at);
	return r;
}

/* Value @v, which may be FL_NONE, with the steps from @i on. */
static int put_map(const struct put *p, uint32_t v, unsigned i)
{
	const char *name = p->steps[i].key, *alias = fl_apply_alias(name);
	bool is_map = v != FL_NONE && p->old->values[v].kind == FL_TOKEN_MAP;
	uint32_t at = p->ret->n, old = FL_NONE;
	int r = push(p, FL_TOKEN_MAP, NULL);

	for (uint32_t key = v + 1; is_map && r == 0 && key < p->old->values[v].next;
	     key = p->old->values[key].next) {
		const char *text = fl_doc_text(p->old, key);

		if (strcmp(text, name) == 0)
			old = key + 1;
		else if (!alias || strcmp(text, alias) != 0)
			r = append_old(p, key);
	}
	if (r == 0)
		r = put_pair(p, old, i);
	if (r == 0)
		fl_doc_end(p->ret, at);
	return r;
}

static int put_list(const struct put *p, uint32_t v, unsigned i)
{
	uint32_t at = p->ret->n, n = 0;
	int r = push(p, FL_TOKEN_LIST, NULL);

	for (uint32_t item = v + 1; r == 0 && item < p->old->values[v].next;
	     item = p->old->values[item].next, n++) {
		if (n != p->steps[i].item)
			r = append_old(p, item);
		else if (i + 1 < p->n || !removes(p))
			r = put(p, item, i + 1);
	}
	if (r == 0)
		fl_doc_end(p->ret, at);
	return r;
}

/* As deep as the path is long. */
static int put(const struct put *p, uint32_t v, unsigned i)
{
	if (i == p->n)
		return fl_doc_append(p->ret, p->value, 0, /* place= */ false, p->err);
	return p->steps[i].key ? put_map(p, v, i) : put_list(p, v, i);
}

int fl_put(const struct fl_doc *object, const struct fl_put_step *steps, unsigned n,
	   const struct fl_doc *value, struct fl_doc *ret, fairlead_error *err)
{
	const struct put p = { object, value, steps, n, ret, err };

	return put(&p, 0, 0);
}

/* --- sums --- */

static bool parse(const char *text, fl_nanos *ret)
{
	bool negative = *text == '-';

	text += negative;
	if (*text == '-' || *text == '+' ||
	    fl_quantity_parse_nanos(text, strlen(text), ret, /* err= */ NULL) < 0)
		return false;
	if (negative)
		*ret = -*ret;
	return true;
}

bool fl_put_sum(const char *a, const char *b, int sign, char *ret, size_t size)
{
	enum { BILLION = 1000000000 };
	fl_nanos x, y, sum;
	char digits[64];
	uint64_t rest;
	size_t n = sizeof digits;

	if (!parse(a, &x) || !parse(b, &y))
		return false;
	sum = sign < 0 ? x - y : x + y; /* both are below 2^100 */
	bool negative = sum < 0;
	if (negative)
		sum = -sum;
	rest = (uint64_t)(sum % BILLION);
	sum /= BILLION;
	digits[--n] = '\0';
	do
		digits[--n] = (char)('0' + (int)(sum % 10));
	while ((sum /= 10) != 0);
	int used = snprintf(ret, size, "%s%s", negative ? "-" : "", digits + n);
	if (rest) {
		used += snprintf(ret + used, size - (size_t)used, ".%09llu",
				 (unsigned long long)rest);
		while (ret[used - 1] == '0')
			ret[--used] = '\0';
	}
	return true;
}
