/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/object/fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/time.h"
#include "codec/object/types.h"
#include "codec/text/quantity.h"

struct fl_place fl_kube_place_of(const struct fl_kube *k, uint32_t v)
{
	if (k->fixed.line)
		return k->fixed;
	return (struct fl_place){ k->input, k->doc.values[v].line, k->doc.values[v].column };
}

/* "ClusterQueue/team-a .spec.cohort" */
static const char *subject_of(const struct fl_kube *k, uint32_t v, char *buffer, size_t size)
{
	char path[320];

	fl_doc_path(&k->doc, v, path, sizeof path);
	(void)snprintf(buffer, size, "%s%s%s", k->subject, k->subject[0] && path[0] ? " " : "",
		       path);
	return buffer;
}

int fl_kube_blame(struct fl_kube *k, uint32_t v)
{
	char subject[1024];

	if (!k->err)
		return FAIRLEAD_EINPUT;
	fl_fail_in(k->err, "%s", subject_of(k, v, subject, sizeof subject));
	return fl_model_fail_at(k->m, fl_kube_place_of(k, v), k->err);
}

int fl_kube_fail(struct fl_kube *k, uint32_t v, int code, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fl_fail(k->err, code, "%s", text);
	fl_kube_blame(k, v);
	return code;
}

int fl_kube_notice(struct fl_kube *k, uint32_t v, enum fl_notice_kind kind, const char *hint,
		   const char *format, ...)
{
	char text[512], subject[1024];
	va_list args;

	if (k->quiet)
		return 0;
	if (k->m->n_notices >= FL_MAX_NOTICES) { /* only counted: paths are not needed */
		k->m->notices_dropped++;
		return 0;
	}
	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return fl_model_notice(k->m, kind, fl_kube_place_of(k, v),
			       subject_of(k, v, subject, sizeof subject), hint, k->err, "%s", text);
}

static const char *describe(const struct fl_value *v)
{
	static const char *const scalars[] = {
		[FL_SCALAR_NULL] = "null",       [FL_SCALAR_BOOL] = "a boolean",
		[FL_SCALAR_INT] = "a number",    [FL_SCALAR_FLOAT] = "a number",
		[FL_SCALAR_STRING] = "a string",
	};

	if (v->kind == FL_TOKEN_MAP)
		return "a map";
	return v->kind == FL_TOKEN_LIST ? "a list" : scalars[v->type];
}

static int wrong_type(struct fl_kube *k, uint32_t v, const char *expected)
{
	fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected %s, not %s", expected,
		     describe(&k->doc.values[v]));
	if (strcmp(expected, "a string") == 0 && k->doc.values[v].kind == FL_TOKEN_SCALAR &&
	    k->doc.values[v].type != FL_SCALAR_NULL)
		fl_fail_hint(k->err, "put it in quotes");
	return FAIRLEAD_EINPUT;
}

static bool is_scalar(const struct fl_kube *k, uint32_t v, enum fl_scalar_type type)
{
	return k->doc.values[v].kind == FL_TOKEN_SCALAR && k->doc.values[v].type == type;
}

int fl_kube_text(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	if (!is_scalar(k, v, FL_SCALAR_STRING))
		return wrong_type(k, v, "a string");
	return fl_model_sym(k->m, fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err);
}

int fl_kube_name(struct fl_kube *k, uint32_t v, struct fl_sym *ret)
{
	int r = fl_kube_text(k, v, ret);

	if (r == 0 && k->doc.values[v].len == 0)
		ret->v = FL_NONE;
	return r;
}

int fl_kube_bool(struct fl_kube *k, uint32_t v, bool *ret)
{
	if (!is_scalar(k, v, FL_SCALAR_BOOL))
		return wrong_type(k, v, "a boolean");
	*ret = fl_doc_text(&k->doc, v)[0] == 't' || fl_doc_text(&k->doc, v)[0] == 'T';
	return 0;
}

int fl_kube_int32(struct fl_kube *k, uint32_t v, int32_t *ret)
{
	const char *text = fl_doc_text(&k->doc, v);
	long long value;

	if (!is_scalar(k, v, FL_SCALAR_INT))
		return wrong_type(k, v, "a whole number");
	errno = 0;
	value = text[0] == '0' && text[1] == 'o' ? strtoll(text + 2, NULL, 8) :
						   strtoll(text, NULL, text[1] == 'x' ? 16 : 10);
	if (errno || value < INT32_MIN || value > INT32_MAX)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "%.40s does not fit 32 bits", text);
	*ret = (int32_t)value;
	return 0;
}

int fl_kube_count(struct fl_kube *k, uint32_t v, int32_t *ret)
{
	int r = fl_kube_int32(k, v, ret);

	if (r == 0 && *ret < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "a count of %d", *ret);
	return r;
}

static bool is_quantity(const struct fl_kube *k, uint32_t v)
{
	return is_scalar(k, v, FL_SCALAR_STRING) || is_scalar(k, v, FL_SCALAR_INT) ||
	       is_scalar(k, v, FL_SCALAR_FLOAT);
}

int fl_kube_quantity(struct fl_kube *k, uint32_t v, const char *resource, fl_amount *ret)
{
	int decimals = strcmp(resource, "cpu") == 0 ? 3 : 0;

	if (!is_quantity(k, v))
		return wrong_type(k, v, "a quantity");
	if (fl_quantity_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, decimals,
			      /* negative= */ false, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

int fl_kube_nanos(struct fl_kube *k, uint32_t v, fl_nanos *ret)
{
	if (!is_quantity(k, v))
		return wrong_type(k, v, "a quantity");
	if (fl_quantity_parse_nanos(fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

static int read_finite(struct fl_kube *k, uint32_t v, double *ret)
{
	if (fl_number_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	if (!isfinite(*ret))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "the number is too large");
	return 0;
}

int fl_kube_finite(struct fl_kube *k, uint32_t v, double *ret)
{
	if (!is_scalar(k, v, FL_SCALAR_INT) && !is_scalar(k, v, FL_SCALAR_FLOAT))
		return wrong_type(k, v, "a number");
	return read_finite(k, v, ret);
}

int fl_kube_finite_text(struct fl_kube *k, uint32_t v, double *ret)
{
	if (!is_quantity(k, v))
		return wrong_type(k, v, "a number");
	return read_finite(k, v, ret);
}

int fl_kube_number(struct fl_kube *k, uint32_t v, double *ret)
{
	int r = fl_kube_finite(k, v, ret);

	if (r == 0 && *ret < 0)
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "expected a number of 0 or more");
	return r;
}

int fl_kube_duration(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	if (!is_scalar(k, v, FL_SCALAR_STRING) && strcmp(fl_doc_text(&k->doc, v), "0") != 0)
		return wrong_type(k, v, "a length of time");
	if (fl_duration_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	return 0;
}

int fl_kube_weight(struct fl_kube *k, uint32_t v, double *ret)
{
	double value;

	if (!is_quantity(k, v))
		return wrong_type(k, v, "a quantity");
	if (fl_quantity_parse_double(fl_doc_text(&k->doc, v), k->doc.values[v].len, &value,
				     k->err) < 0)
		return fl_kube_blame(k, v);
	if (!isfinite(value))
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "the weight is too large");
	*ret = value;
	return 0;
}

int fl_kube_time(struct fl_kube *k, uint32_t v, fl_time *ret)
{
	if (!is_scalar(k, v, FL_SCALAR_STRING))
		return wrong_type(k, v, "a time");
	if (fl_time_parse(fl_doc_text(&k->doc, v), k->doc.values[v].len, ret, k->err) < 0)
		return fl_kube_blame(k, v);
	if (*ret > k->m->newest)
		k->m->newest = *ret;
	return 0;
}

/* --- nearest names --- */

/*
 * The edit distance of @a and @b in letters (insert, delete, replace); numbers above 3 count as 4.
 */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[64];

	if (n >= 64 || m >= 64 || n > m + 3 || m > n + 3)
		return 4;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned corner = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			best = best < row[j] + 1 ? best : row[j] + 1;
			row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
		}
	}
	return row[m] < 4 ? row[m] : 4;
}

struct nearest {
	const char *wanted, *name;
	unsigned distance;
};

static void consider(struct nearest *n, const char *name)
{
	unsigned d = distance(n->wanted, name);
	size_t len = strlen(n->wanted);

	/*
	 * A short name may differ in fewer letters: each word of three letters is close to "foo".
	 */
	if (d <= (len < 5 ? 1U : len < 8 ? 2U : 3U) && d < n->distance) {
		n->distance = d;
		n->name = name;
	}
}

int fl_kube_enum(struct fl_kube *k, uint32_t v, const char *const *names, uint32_t *ret)
{
	struct nearest n = { .wanted = fl_doc_text(&k->doc, v), .distance = 4 };
	char all[256] = "";
	size_t used = 0;

	if (!is_scalar(k, v, FL_SCALAR_STRING))
		return wrong_type(k, v, "a string");
	for (uint32_t i = 0; names[i]; i++) {
		if (strcmp(names[i], n.wanted) == 0) {
			*ret = i;
			return 0;
		}
		consider(&n, names[i]);
		if (used < sizeof all)
			used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
						 i ? ", " : "", names[i]);
	}
	fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%.60s' is none of %s", n.wanted, all);
	if (n.name)
		fl_fail_hint(k->err, "did you mean '%s'?", n.name);
	return FAIRLEAD_EINPUT;
}

/* --- containers --- */

static int within_limit(struct fl_kube *k, uint32_t v)
{
	uint32_t n = 0;

	/* Each item has at least one value, so most lists are short enough without counting. */
	if (k->doc.values[v].next - v <= FL_MAX_LIST)
		return 0;
	for (uint32_t i = v + 1; i < k->doc.values[v].next; i = k->doc.values[i].next)
		n++;
	if (n <= FL_MAX_LIST)
		return 0;
	return fl_kube_fail(k, v, FAIRLEAD_ELIMIT, "%u entries, more than %d", n, FL_MAX_LIST);
}

int fl_kube_list(struct fl_kube *k, uint32_t v, uint32_t *ret_end)
{
	if (k->doc.values[v].kind != FL_TOKEN_LIST)
		return wrong_type(k, v, "a list");
	*ret_end = k->doc.values[v].next;
	return within_limit(k, v);
}

int fl_kube_pairs(struct fl_kube *k, uint32_t v, uint32_t *ret_end)
{
	if (k->doc.values[v].kind != FL_TOKEN_MAP)
		return wrong_type(k, v, "a map");
	*ret_end = k->doc.values[v].next;
	return within_limit(k, v);
}

int fl_kube_key(struct fl_kube *k, uint32_t key, struct fl_sym *ret)
{
	return fl_model_sym(k->m, fl_doc_text(&k->doc, key), k->doc.values[key].len, ret, k->err);
}

int fl_kube_need(struct fl_kube *k, uint32_t map, const char *key, uint32_t *ret)
{
	struct nearest near = { .wanted = key, .distance = 4 };
	uint32_t end = 0;
	int r = fl_kube_pairs(k, map, &end);

	if (r < 0)
		return r;
	*ret = fl_doc_find(&k->doc, map, key);
	if (*ret != FL_NONE && !fl_kube_is_null(k, *ret))
		return 0;
	for (uint32_t at = map + 1; at < end && *ret == FL_NONE; at = k->doc.values[at].next)
		consider(&near, fl_doc_text(&k->doc, at));
	fl_kube_fail(k, map, FAIRLEAD_EINPUT, "no %s", key);
	if (near.name)
		fl_fail_hint(k->err, "did you mean '%s' by '%.60s'?", key, near.name);
	return FAIRLEAD_EINPUT;
}

static bool is_empty(const struct fl_kube *k, uint32_t v)
{
	const struct fl_value *value = &k->doc.values[v];

	return value->kind == FL_TOKEN_SCALAR ? value->type == FL_SCALAR_NULL :
						value->next == v + 1;
}

static int unknown_field(struct fl_kube *k, uint32_t key, const struct fl_field *fields)
{
	struct nearest n = { .wanted = fl_doc_text(&k->doc, key), .distance = 4 };
	char hint[128];

	for (const struct fl_field *f = fields; f->name && k->m->n_notices < FL_MAX_NOTICES; f++)
		consider(&n, f->name);
	if (n.name)
		(void)snprintf(hint, sizeof hint, "did you mean '%s'?", n.name);
	if (k->own) {
		fl_kube_fail(k, key + 1, FAIRLEAD_EINPUT, "unknown field '%.100s'", n.wanted);
		fl_fail_hint(k->err, "%s",
			     n.name ? hint : "doc/guide/fields.md lists the known fields");
		return FAIRLEAD_EINPUT;
	}
	return fl_kube_notice(k, key + 1, FL_NOTICE_UNKNOWN_FIELD, n.name ? hint : NULL,
			      "unknown field '%.100s'", n.wanted);
}

/* Rows for which nothing is said are skipped. */
static void *part_of(void *row, size_t offset) { return row ? (char *)row + offset : NULL; }

static int read_field(struct fl_kube *k, uint32_t key, const struct fl_field *f, void *row)
{
	uint32_t v = key + 1;

	switch (f->support) {
	case FL_FIELD_IGNORED:
		return 0;
	case FL_FIELD_NOTED:
		if (is_empty(k, v))
			return 0;
		return fl_kube_notice(k, v, FL_NOTICE_IGNORED_FIELD, /* hint= */ NULL,
				      "'%s' is ignored: %s", f->name, f->note);
	case FL_FIELD_REFUSED:
		return fl_kube_fail(k, v, FAIRLEAD_EINPUT, "'%s' is not supported: %s", f->name,
				    f->note);
	case FL_FIELD_SUPPORTED:
		break;
	}
	if (fl_kube_is_null(k, v))
		return 0;
	if (f->said)
		*(bool *)part_of(row, f->said - 1U) = true;
	if (f->type)
		return f->type->read(k, v, f, part_of(row, f->offset));
	return f->read ? f->read(k, v, row) : fl_kube_map(k, v, f->fields, part_of(row, f->offset));
}

static int read_map(struct fl_kube *k, uint32_t v, const struct fl_field *fields, bool all,
		    void *row)
{
	uint32_t end = 0;
	int r = fl_kube_pairs(k, v, &end);

	for (uint32_t key = v + 1; r == 0 && key < end; key = fl_kube_next(k, key)) {
		const char *name = fl_doc_text(&k->doc, key);
		const struct fl_field *f = fields;

		while (f->name && strcmp(f->name, name) != 0)
			f++;
		if (f->name)
			r = read_field(k, key, f, row);
		else if (all)
			r = unknown_field(k, key, fields);
	}
	return r;
}

int fl_kube_map(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row)
{
	return read_map(k, v, fields, /* all= */ true, row);
}

int fl_kube_whole(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row)
{
	uint32_t unused;
	int r = 0;

	for (const struct fl_field *f = fields; f->name && r == 0; f++)
		if (f->needed)
			r = fl_kube_need(k, v, f->name, &unused);
	return r < 0 ? r : fl_kube_map(k, v, fields, row);
}

int fl_kube_some(struct fl_kube *k, uint32_t v, const struct fl_field *fields, void *row)
{
	return read_map(k, v, fields, /* all= */ false, row);
}
