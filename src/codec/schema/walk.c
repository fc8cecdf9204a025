/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk - an object against the table of its kind: types, bounds, patterns, what is needed
 *
 * Cost: each key is compared with the names of its table by length first; lists of more than
 * FEW entries that must be unique are sorted by hash.
 */
#include "codec/schema/walk.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "codec/schema/form.h"
#include "codec/text/quantity.h"

enum { FEW = 64 };

static void check_value(struct fl_judge *j, uint32_t v, const struct fl_schema *s);

static bool is_null(const struct fl_doc *doc, uint32_t v)
{
	return doc->values[v].kind == FL_TOKEN_SCALAR && doc->values[v].type == FL_SCALAR_NULL;
}

static const char *type_of(const struct fl_value *value)
{
	static const char *const scalars[] = {
		[FL_SCALAR_NULL] = "null",       [FL_SCALAR_BOOL] = "a boolean",
		[FL_SCALAR_INT] = "a number",    [FL_SCALAR_FLOAT] = "a number",
		[FL_SCALAR_STRING] = "a string",
	};

	if (value->kind == FL_TOKEN_MAP)
		return "a map";
	return value->kind == FL_TOKEN_LIST ? "a list" : scalars[value->type];
}

static void refuse_type(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	static const char *const forms[] = {
		[FL_FORM_ANY] = "a value",
		[FL_FORM_OBJECT] = "a map",
		[FL_FORM_MAP] = "a map",
		[FL_FORM_LIST] = "a list",
		[FL_FORM_STRING] = "a string",
		[FL_FORM_BOOLEAN] = "a boolean",
		[FL_FORM_INTEGER] = "a whole number",
		[FL_FORM_INT32] = "a whole number",
		[FL_FORM_NUMBER] = "a number",
		[FL_FORM_QUANTITY] = "a quantity",
		[FL_FORM_TIME] = "a time",
		[FL_FORM_INT_OR_STRING] = "a whole number or a string",
	};
	const struct fl_value *value = &j->doc->values[v];
	const char *hint = NULL;

	if (value->kind == FL_TOKEN_SCALAR && s->form == FL_FORM_STRING)
		hint = value->type == FL_SCALAR_BOOL ?
			       "put it in quotes: yes, no, on, off, y, n, true and false are booleans" :
			       "put it in quotes";
	fl_refuse(j, v, NULL, NULL, hint, "expected %s, not %s", forms[s->form], type_of(value));
}

/* --- scalars --- */

static void check_words(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const char *text = fl_doc_text(j->doc, v);
	char all[256] = "";
	size_t used = 0;

	for (size_t i = 0; s->words[i]; i++) {
		if (strcmp(s->words[i], text) == 0)
			return;
		if (used < sizeof all)
			used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
						 i == 0          ? "" :
						 s->words[i + 1] ? ", " :
								   " or ",
						 *s->words[i] ? s->words[i] : "\"\"");
	}
	fl_refuse(j, v, NULL, NULL, s->now ? s->now : NULL, "'%.60s' is not %s", text, all);
}

static void check_string(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const struct fl_value *value = &j->doc->values[v];
	const char *text = fl_doc_text(j->doc, v);
	size_t length;

	if (value->kind != FL_TOKEN_SCALAR || value->type != FL_SCALAR_STRING) {
		refuse_type(j, v, s);
		return;
	}
	if (s->words)
		check_words(j, v, s);
	if (s->most || s->least) {
		length = fl_form_length(text, value->len);
		if (length < s->least)
			fl_refuse(j, v, NULL, NULL, NULL, "it is empty");
		if (s->most && length > s->most)
			fl_refuse(j, v, NULL, NULL, NULL, "%zu characters, more than %u", length,
				  s->most);
	}
	if (s->pattern && !fl_form_matches(s->pattern, text, value->len))
		fl_refuse(j, v, NULL, NULL, NULL, "'%.80s' is not of the form: %s", text,
			  fl_form_words(s->pattern));
}

static void check_time(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const struct fl_value *value = &j->doc->values[v];

	if (value->kind != FL_TOKEN_SCALAR || value->type != FL_SCALAR_STRING)
		refuse_type(j, v, s);
	else if (!fl_form_time(fl_doc_text(j->doc, v), value->len))
		fl_refuse(j, v, NULL, NULL, NULL,
			  "'%.40s' is not a time such as 2026-01-02T03:04:05Z",
			  fl_doc_text(j->doc, v));
}

static bool put_text(struct fl_judge *j, uint32_t v, const char *text)
{
	int code = fl_doc_rename(j->doc, v, text, strlen(text), j->err);

	j->code = code < 0 ? code : j->code;
	return code == 0;
}

/* A whole number may be written 1.0 or 1e3: it becomes 1 and 1000 for what reads it. */
static bool make_whole(struct fl_judge *j, uint32_t v)
{
	double d = 0;
	char text[32];

	if (fl_number_parse(fl_doc_text(j->doc, v), j->doc->values[v].len, &d, NULL) < 0 ||
	    d != (double)(int64_t)(d > -9e18 && d < 9e18 ? d : 0.5))
		return false;
	(void)snprintf(text, sizeof text, "%lld", (long long)d);
	if (!put_text(j, v, text))
		return false;
	j->doc->values[v].type = FL_SCALAR_INT;
	return true;
}

static bool parse_whole(const char *text, int64_t *ret)
{
	fl_nanos n = 0;
	const bool negative = *text == '-';
	int base = 10;

	text += negative || *text == '+';
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'o' || text[1] == 'b')) {
		base = text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : 2;
		text += 2;
	}
	for (; *text; text++) {
		int digit = *text <= '9' ? *text - '0' : (*text | 32) - 'a' + 10;

		n = n * base + digit;
		if (n > (fl_nanos)INT64_MAX + negative)
			return false;
	}
	*ret = (int64_t)(negative ? -n : n);
	return true;
}

static void check_whole(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const struct fl_value *value = &j->doc->values[v];
	int64_t n = 0;

	if (value->kind != FL_TOKEN_SCALAR ||
	    (value->type != FL_SCALAR_INT &&
	     (value->type != FL_SCALAR_FLOAT || !make_whole(j, v)))) {
		refuse_type(j, v, s);
		return;
	}
	if (!parse_whole(fl_doc_text(j->doc, v), &n) ||
	    (s->form == FL_FORM_INT32 && n != (int32_t)n))
		fl_refuse(j, v, NULL, NULL, NULL, "%.40s does not fit %d bits",
			  fl_doc_text(j->doc, v), s->form == FL_FORM_INT32 ? 32 : 64);
	else if (s->bounded && n < s->minimum)
		fl_refuse(j, v, NULL, NULL, NULL, "%lld is below %d", (long long)n, s->minimum);
}

/* A server takes it when the object is created, and refuses the same text in an update. */
static void tell_mended(struct fl_judge *j, uint32_t v, const char *field, const char *text,
			const char *hint)
{
	const struct fl_finding f = {
		.kind = FL_FINDING_MENDED, .v = v, .field = field, .text = text, .hint = hint
	};

	j->call->tell(j->call->user, &f);
}

/* A status is not written at creation. */
static bool may_mend(const struct fl_judge *j)
{
	return j->call->kind->mends && !j->call->was && !j->in_status;
}

/* What the decoder of a webhook takes and the definition does not. */
static bool mend_quantity(struct fl_judge *j, uint32_t v)
{
	const char *text = fl_doc_text(j->doc, v);
	const size_t len = j->doc->values[v].len;
	size_t from = strspn(text, " \t"), to = len;
	char trimmed[64], digits[80], said[300], hint[100];

	if (!may_mend(j) || len > sizeof trimmed - 1 || !fl_form_mends(text, len))
		return false;
	while (to > from && strchr(" \t", text[to - 1]))
		to--;
	(void)snprintf(trimmed, sizeof trimmed, "%.*s", (int)(to - from), text + from);
	/* Without digits it is 0, whatever the suffix. */
	(void)snprintf(digits, sizeof digits, "%s",
		       strpbrk(trimmed, "0123456789") && fl_form_decodes(trimmed, to - from) ?
			       trimmed :
			       "0");
	(void)snprintf(said, sizeof said,
		       "'%s' is no quantity: a server makes it %s when the object is created, and "
		       "refuses it in an update",
		       trimmed, digits);
	(void)snprintf(hint, sizeof hint, "write \"%s\"", digits);
	if (!put_text(j, v, digits))
		return false;
	tell_mended(j, v, NULL, said, hint);
	return true;
}

/* What to write instead is known to the parser. */
static void refuse_quantity(struct fl_judge *j, uint32_t v)
{
	const char *text = fl_doc_text(j->doc, v);
	fairlead_error err = { 0 };
	fl_amount unused;

	(void)fl_quantity_parse(text, j->doc->values[v].len, 0, /* negative= */ true, &unused,
				&err);
	fl_refuse(j, v, NULL, NULL, err.hint[0] ? err.hint : NULL, "'%.60s' is not a quantity",
		  text);
}

static void check_quantity(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const struct fl_value *value = &j->doc->values[v];
	const char *text = fl_doc_text(j->doc, v);
	bool strict = j->call->kind->decodes || j->version == FL_V1BETA1;
	int64_t n;

	if (value->kind != FL_TOKEN_SCALAR || value->type == FL_SCALAR_BOOL ||
	    value->type == FL_SCALAR_NULL) {
		refuse_type(j, v, s);
	} else if (value->type == FL_SCALAR_STRING) {
		if (strict ? !fl_form_decodes(text, value->len) :
			     !fl_form_quantity(text, value->len))
			if (!mend_quantity(j, v))
				refuse_quantity(j, v);
	} else if ((value->type == FL_SCALAR_FLOAT && !make_whole(j, v)) ||
		   (value->type == FL_SCALAR_INT && !parse_whole(text, &n))) {
		if (!mend_quantity(j, v))
			fl_refuse(j, v, NULL, NULL, "put it in quotes",
				  "%.40s is not a whole number", text);
	}
}

static void check_scalar(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	const struct fl_value *value = &j->doc->values[v];
	bool scalar = value->kind == FL_TOKEN_SCALAR;

	switch ((enum fl_form)s->form) {
	case FL_FORM_STRING:
		check_string(j, v, s);
		break;
	case FL_FORM_TIME:
		check_time(j, v, s);
		break;
	case FL_FORM_INTEGER:
	case FL_FORM_INT32:
		check_whole(j, v, s);
		break;
	case FL_FORM_QUANTITY:
		check_quantity(j, v, s);
		break;
	case FL_FORM_BOOLEAN:
		if (!scalar || value->type != FL_SCALAR_BOOL)
			refuse_type(j, v, s);
		break;
	case FL_FORM_NUMBER:
		if (!scalar || (value->type != FL_SCALAR_INT && value->type != FL_SCALAR_FLOAT))
			refuse_type(j, v, s);
		break;
	case FL_FORM_INT_OR_STRING:
		if (!scalar || (value->type != FL_SCALAR_INT && value->type != FL_SCALAR_STRING))
			refuse_type(j, v, s);
		break;
	case FL_FORM_ANY:
	case FL_FORM_OBJECT:
	case FL_FORM_MAP:
	case FL_FORM_LIST:
		break;
	}
}

/* --- objects --- */

static const struct fl_schema *find_row(const struct fl_judge *j, const struct fl_schema *fields,
					const char *name, uint32_t len)
{
	for (; fields->name; fields++)
		if (fields->len == len && (!fields->versions || fields->versions & j->version) &&
		    memcmp(fields->name, name, len) == 0)
			return fields;
	return NULL;
}

static const struct fl_schema *other_version(const struct fl_schema *fields, const char *name)
{
	while (fields->name && strcmp(fields->name, name) != 0)
		fields++;
	return fields->name ? fields : NULL;
}

static void drop(struct fl_judge *j, uint32_t key, const struct fl_schema *fields)
{
	const char *name = fl_doc_text(j->doc, key);
	const struct fl_schema *other = other_version(fields, name);
	struct fl_nearest near = { .wanted = name };
	char text[240], hint[640] = "", names[480];
	const struct fl_finding f = {
		.kind = FL_FINDING_DROPPED, .v = key + 1, .text = text, .hint = hint
	};

	(void)snprintf(text, sizeof text, "unknown field '%.100s'", name);
	if (other && other->versions == FL_IN_NONE) {
		(void)snprintf(hint, sizeof hint, "write '%s'", other->now);
	} else if (other) {
		(void)snprintf(text, sizeof text,
			       "unknown field '%.100s': it is one of %s, and this is %s", name,
			       other->versions == FL_V1BETA1 ? "v1beta1" : "v1beta2",
			       j->version == FL_V1BETA1 ? "v1beta1" : "v1beta2");
		if (other->now)
			(void)snprintf(hint, sizeof hint, "write '%s'", other->now);
	} else {
		for (const struct fl_schema *s = fields; s->name; s++)
			if (!s->versions || s->versions & j->version)
				fl_nearest_offer(&near, s->name);
		if (near.n)
			(void)snprintf(hint, sizeof hint, "did you mean %s?",
				       fl_nearest_text(&near, names, sizeof names));
	}
	j->call->tell(j->call->user, &f);
	j->cuts = true;
	fl_doc_cut(j->doc, key);
}

/* A key that was dropped, and is this one but for a slip. */
static const char *misspelt(const struct fl_judge *j, uint32_t map, const char *name)
{
	for (FL_KEYS(j->doc, key, map)) {
		struct fl_nearest near = { .wanted = fl_doc_text(j->doc, key) };

		if (fl_doc_is_cut(j->doc, key))
			fl_nearest_offer(&near, name);
		if (near.n)
			return fl_doc_text(j->doc, key);
	}
	return NULL;
}

static void tell_misspelt(struct fl_judge *j, uint32_t map, const char *name, const char *typed)
{
	char text[100], hint[260];
	const struct fl_finding f = { .kind = FL_FINDING_ERROR,
				      .v = map,
				      .field = name,
				      .meant = true,
				      .text = text,
				      .hint = hint };

	(void)snprintf(text, sizeof text, "no %s", name);
	(void)snprintf(hint, sizeof hint, "did you mean '%s' by '%.100s'?", name, typed);
	j->n_errors++;
	j->call->tell(j->call->user, &f);
}

/* A needed field is not there, or null. */
static void miss(struct fl_judge *j, uint32_t map, const struct fl_schema *s)
{
	bool mends = may_mend(j);

	const char *typed = s->given ? NULL : misspelt(j, map, s->name);

	if (s->given)
		return;
	if (typed)
		tell_misspelt(j, map, s->name, typed);
	else if (mends && s->form == FL_FORM_QUANTITY)
		tell_mended(j, map, s->name,
			    "it is missing: a server makes it 0 when the object is created, and "
			    "refuses it in an update",
			    "write it out");
	else if (mends && s->form == FL_FORM_STRING && !s->pattern && !s->least && !s->words)
		tell_mended(j, map, s->name,
			    "it is missing: a server makes it an empty text when the object is "
			    "created, and refuses it in an update",
			    "write it out");
	else
		fl_refuse(j, map, s->name, NULL, NULL, "no %s", s->name);
}

static void check_needed(struct fl_judge *j, uint32_t map, const struct fl_schema *fields)
{
	for (const struct fl_schema *s = fields; s->name; s++)
		if (s->needed && (!s->versions || s->versions & j->version) &&
		    fl_at_part(j->doc, map, s->name, s->len) == FL_NONE)
			miss(j, map, s);
}

static void check_object(struct fl_judge *j, uint32_t v, const struct fl_schema *fields)
{
	for (FL_KEYS(j->doc, key, v)) {
		const struct fl_schema *s = find_row(j, fields, fl_doc_text(j->doc, key),
						     j->doc->values[key].len);

		if (!s)
			drop(j, key, fields);
		else if (!is_null(j->doc, key + 1))
			check_value(j, key + 1, s);
	}
	if (!j->call->drops_only)
		check_needed(j, v, fields);
}

/* --- lists and maps --- */

/* The value of one key of an item that makes it unique, with its default. */
static const char *key_text(const struct fl_judge *j, uint32_t item, const struct fl_schema *s,
			    const char *key, size_t len)
{
	uint32_t v = fl_at_part(j->doc, item, key, len);
	const struct fl_schema *row;

	if (v != FL_NONE)
		return fl_scalar_at(j->doc, v, "");
	row = find_row(j, s->fields, key, (uint32_t)len);
	return row && row->given ? row->given : "";
}

static bool same_keys(const struct fl_judge *j, uint32_t a, uint32_t b, const struct fl_schema *s)
{
	if (!s->unique)
		return fl_same(j->doc, a, j->doc, b);
	for (const char *key = s->unique; *key;) {
		size_t len = strcspn(key, "+");

		if (strcmp(key_text(j, a, s, key, len), key_text(j, b, s, key, len)) != 0)
			return false;
		key += len + (key[len] == '+');
	}
	return true;
}

static uint64_t hash_keys(const struct fl_judge *j, uint32_t item, const struct fl_schema *s)
{
	uint64_t h = 0;

	if (!s->unique)
		return fl_doc_hash(j->doc, item);
	for (const char *key = s->unique; *key;) {
		size_t len = strcspn(key, "+");

		for (const char *c = key_text(j, item, s, key, len); *c; c++)
			h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
		h = h * 31 + 1;
		key += len + (key[len] == '+');
	}
	return h;
}

static void twice(struct fl_judge *j, uint32_t item, const struct fl_schema *s)
{
	char key[96];
	const char *text = s->unique ? key_text(j, item, s, s->unique, strcspn(s->unique, "+")) :
				       fl_scalar_at(j->doc, item, "");

	(void)snprintf(key, sizeof key, "%.80s", text);
	fl_refuse(j, item, NULL, NULL, NULL, "'%s' is listed twice", key);
}

static void few_unique(struct fl_judge *j, uint32_t list, const struct fl_schema *s)
{
	for (FL_ITEMS(j->doc, b, list))
		for (uint32_t a = list + 1; a < b; a = j->doc->values[a].next)
			if (same_keys(j, a, b, s)) {
				twice(j, b, s);
				break;
			}
}

static void many_unique(struct fl_judge *j, uint32_t list, uint32_t n, const struct fl_schema *s)
{
	struct fl_sort_row *rows = NULL;
	uint32_t room = 0, i = 0;

	j->code = fl_mem_grow(j->doc->mem, &rows, &room, 2 * n, sizeof *rows, j->err);
	if (j->code < 0)
		return;
	for (FL_ITEMS(j->doc, item, list))
		rows[i++] = (struct fl_sort_row){ .key = hash_keys(j, item, s), .id = item };
	fl_sort_rows(rows, n, rows + n);
	for (i = 1; i < n; i++)
		if (rows[i].key == rows[i - 1].key && same_keys(j, rows[i - 1].id, rows[i].id, s))
			twice(j, rows[i].id, s);
	fl_mem_free(j->doc->mem, rows);
}

static bool all_objects(const struct fl_doc *doc, uint32_t list)
{
	for (FL_ITEMS(doc, item, list))
		if (doc->values[item].kind != FL_TOKEN_MAP)
			return false;
	return true;
}

static void check_entry(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	static const struct fl_schema object = { .form = FL_FORM_OBJECT };
	const bool mends = may_mend(j);

	if (is_null(j->doc, v) && mends && s->item && s->item->form == FL_FORM_STRING &&
	    put_text(j, v, ""))
		j->doc->values[v].type = FL_SCALAR_STRING;
	if (is_null(j->doc, v) && s->form == FL_FORM_MAP)
		return;
	if (s->item)
		check_value(j, v, s->item);
	else if (s->fields && j->doc->values[v].kind == FL_TOKEN_MAP)
		check_object(j, v, s->fields);
	else if (s->fields)
		refuse_type(j, v, &object);
}

static void check_list(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	uint32_t n = fl_count_at(j->doc, v);

	if (n < s->least)
		fl_refuse(j, v, NULL, NULL, NULL, "it is empty");
	if (s->most && n > s->most)
		fl_refuse(j, v, NULL, NULL, NULL, "%u entries, more than %u", n, s->most);
	for (FL_ITEMS(j->doc, item, v))
		check_entry(j, item, s);
	if (j->call->drops_only || n < 2 || ((!s->unique || !all_objects(j->doc, v)) && !s->set))
		return;
	if (n <= FEW)
		few_unique(j, v, s);
	else
		many_unique(j, v, n, s);
}

static void check_map(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	uint32_t n = fl_count_at(j->doc, v);

	if (s->most && n > s->most)
		fl_refuse(j, v, NULL, NULL, NULL, "%u entries, more than %u", n, s->most);
	for (FL_KEYS(j->doc, key, v)) {
		check_entry(j, key + 1, s);
		if (is_null(j->doc, key + 1)) { /* as if it were not there */
			fl_doc_cut(j->doc, key);
			j->cuts = true;
		}
	}
}

/* The recursion is as deep as the tables. */
static void check_value(struct fl_judge *j, uint32_t v, const struct fl_schema *s)
{
	bool map = s->form == FL_FORM_MAP || s->form == FL_FORM_OBJECT;

	if (!map && s->form != FL_FORM_LIST && j->call->drops_only)
		return;
	if (!map && s->form != FL_FORM_LIST)
		check_scalar(j, v, s);
	else if (j->doc->values[v].kind != (map ? FL_TOKEN_MAP : FL_TOKEN_LIST))
		refuse_type(j, v, s);
	else if (s->form == FL_FORM_OBJECT && s->fields)
		check_object(j, v, s->fields);
	else if (s->form == FL_FORM_LIST)
		check_list(j, v, s);
	else if (s->form == FL_FORM_MAP)
		check_map(j, v, s);
}

void fl_schema_walk(struct fl_judge *j)
{
	const struct fl_schema *fields = j->call->kind->fields;

	for (FL_KEYS(j->doc, key, 0)) {
		const char *name = fl_doc_text(j->doc, key);
		const uint32_t len = j->doc->values[key].len;
		const struct fl_schema *s = find_row(j, fl_schema_head, name, len);

		s = s ? s : find_row(j, fields, name, len);
		j->in_status = strcmp(name, "status") == 0;
		if (s && j->in_status && !j->call->status)
			continue;
		if (!s)
			drop(j, key, fields);
		else if (!is_null(j->doc, key + 1))
			check_value(j, key + 1, s);
	}
	j->in_status = false;
	if (!j->call->drops_only)
		check_needed(j, 0, fields);
}
