/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/types.h"

#include <string.h>

/* --- numbers --- */

static int read_int32(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	int32_t n = 0;
	int r = fl_kube_int32(k, v, &n);

	if (r == 0 && f->least < f->most && (n < f->least || n > f->most))
		return f->fail ? fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%s", f->fail) :
				 fl_kube_fail(k, v, FAIRLEAD_EINPUT,
					      "expected a number from %lld to %lld",
					      (long long)f->least, (long long)f->most);
	if (r == 0)
		memcpy(to, &n, sizeof n);
	return r;
}

static int read_count(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return fl_kube_count(k, v, to);
}

static int read_quantity(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_amount amount = 0;
	int r = fl_kube_quantity(k, v, f->resource, &amount);

	if (r == 0 && f->least < f->most && (amount < f->least || amount > f->most))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%s", f->fail);
	if (r == 0)
		*(fl_amount *)to = amount;
	return r;
}

static int read_amount(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_amount amount = 0;
	int r = fl_kube_quantity(k, v, f->resource, &amount);

	*(double *)to = (double)amount;
	return r;
}

#define INTEGER "\"type\": \"integer\"", "minimum", "maximum"

const struct fl_type fl_type_int32 = { read_int32, INTEGER, INT32_MIN, INT32_MAX };
const struct fl_type fl_type_uint32 = { read_int32, INTEGER, INT32_MIN, INT32_MAX };
const struct fl_type fl_type_count = { read_count, INTEGER, 0, INT32_MAX };
const struct fl_type fl_type_quantity = { .read = read_quantity, .schema = FL_QUANTITY_SCHEMA };
const struct fl_type fl_type_amount = { .read = read_amount, .schema = FL_QUANTITY_SCHEMA };

/* --- types without parameters --- */

#define PLAIN(type, says)                                                                          \
	static int read_##type(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)  \
	{                                                                                          \
		(void)f;                                                                           \
		return fl_kube_##type(k, v, to);                                                   \
	}                                                                                          \
	const struct fl_type fl_type_##type = { .read = read_##type, .schema = says };

PLAIN(text, "\"type\": \"string\"")
PLAIN(name, "\"type\": \"string\"")
PLAIN(number, "\"type\": \"number\", \"minimum\": 0")
PLAIN(finite, "\"type\": \"number\"")
PLAIN(finite_text, FL_QUANTITY_SCHEMA)
PLAIN(weight, FL_QUANTITY_SCHEMA)
PLAIN(duration, FL_DURATION_SCHEMA)
PLAIN(time, FL_TIME_SCHEMA)
PLAIN(texts, "\"type\": \"array\", \"items\": { \"type\": \"string\" }")
PLAIN(labels, "\"type\": \"object\", \"additionalProperties\": { \"type\": \"string\" }")
PLAIN(tolerations, "\"type\": \"array\", \"items\": { @ }")
PLAIN(taints, "\"type\": \"array\", \"items\": { @ }")

static int read_flag(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	return fl_kube_bool(k, v, to);
}

/*
 * A time that may be in the future: it does not change the newest time of the input, and so "now".
 */
static int read_time_aside(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_time newest = k->m->newest;
	int r = fl_kube_time(k, v, to);

	(void)f;
	k->m->newest = newest;
	return r;
}

const struct fl_type fl_type_flag = { .read = read_flag, .schema = "\"type\": \"boolean\"" };
const struct fl_type fl_type_time_aside = { .read = read_time_aside, .schema = FL_TIME_SCHEMA };

/* --- words --- */

static int read_enum(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, f->words, &i);

	if (r == 0)
		memcpy(to, &i, sizeof i);
	return r;
}

static int read_either(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t i = 0;
	int r = fl_kube_enum(k, v, f->words, &i);

	if (r == 0)
		*(bool *)to = i == 1;
	return r;
}

static int read_said(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f;
	*(const char **)to = fl_doc_text(&k->doc, v);
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static int read_word(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	return fl_kube_word(k, v, (size_t)f->most, to);
}

int fl_kube_word(struct fl_kube *k, uint32_t v, size_t longest, struct fl_sym *ret)
{
	int r = fl_kube_text(k, v, ret);

	if (r == 0 && k->doc.values[v].len == 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "is empty");
	if (r == 0 && k->doc.values[v].len > longest)
		return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "is longer than %zu bytes", longest);
	return r;
}

_Static_assert(sizeof(enum fl_dialect) == sizeof(uint32_t), "an enum is as large as its number");

const struct fl_type fl_type_enum = { .read = read_enum, .schema = "" };
const struct fl_type fl_type_either = { .read = read_either, .schema = "" };
const struct fl_type fl_type_said = { .read = read_said, .schema = "\"type\": \"string\"" };
const struct fl_type fl_type_word = { .read = read_word,
				      .schema = "\"type\": \"string\", \"minLength\": 1",
				      .high = "maxLength" };

/* --- lists --- */

int fl_kube_each(struct fl_kube *k, uint32_t v, fl_field_read *item, void *row)
{
	uint32_t end = 0;
	int r = fl_kube_list(k, v, &end);

	for (uint32_t i = v + 1; r == 0 && i < end; i = fl_kube_next(k, i))
		r = item(k, i, row);
	return r;
}

static uint32_t *pool_of(struct fl_kube *k, const struct fl_field *f)
{
	return (uint32_t *)(void *)((char *)k->m + f->pool);
}

static int read_list(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	struct fl_span *span = to;
	int r;

	span->first = *pool_of(k, f);
	r = fl_kube_each(k, v, f->item, (char *)to - f->offset);
	span->n = *pool_of(k, f) - span->first;
	if (r == 0 && span->n == 0 && f->fail)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%s", f->fail);
	return r;
}

static int read_table(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	*pool_of(k, f) = 0;
	return fl_kube_each(k, v, f->item, to);
}

static int read_each(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	return fl_kube_each(k, v, f->item, to);
}

#define LIST "\"type\": \"array\", \"items\": { @ }"

const struct fl_type fl_type_list = { .read = read_list, .schema = LIST };
const struct fl_type fl_type_table = { .read = read_table, .schema = LIST };
const struct fl_type fl_type_each = { .read = read_each, .schema = LIST };

static int read_some(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	return fl_kube_some(k, v, f->fields, to);
}

const struct fl_type fl_type_some = { .read = read_some, .schema = "\"type\": \"object\"" };

/* --- values that are read elsewhere --- */

static int read_any(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)k, (void)v, (void)f, (void)to;
	return 0;
}

static int read_any_text(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	(void)f, (void)to;
	return fl_kube_text(k, v, &(struct fl_sym){ 0 });
}

static int read_any_time(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	fl_time unused;

	(void)f, (void)to;
	return fl_kube_time(k, v, &unused);
}

static int read_any_map(struct fl_kube *k, uint32_t v, const struct fl_field *f, void *to)
{
	uint32_t end = 0;

	(void)f, (void)to;
	return fl_kube_pairs(k, v, &end);
}

const struct fl_type fl_type_any = { .read = read_any, .schema = "" };
const struct fl_type fl_type_any_text = { .read = read_any_text, .schema = "\"type\": \"string\"" };
const struct fl_type fl_type_any_time = { .read = read_any_time, .schema = FL_TIME_SCHEMA };
const struct fl_type fl_type_any_map = { .read = read_any_map, .schema = "\"type\": \"object\"" };
