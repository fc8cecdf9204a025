/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schemas - prints the JSON schema of a kind of ours from the tables that the codec reads by:
 * schemas KIND
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/object/known.h"
#include "codec/object/types.h"

static void put_object(FILE *out, const struct fl_field *fields);

static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* @schema, with @inner for its '@'. */
static void put_members(FILE *out, const char *schema, const char *inner)
{
	for (; *schema; schema++)
		if (*schema == '@')
			fputs(inner, out);
		else
			fputc(*schema, out);
}

/* The object of @fields, or nothing, as a text that the caller frees. */
static char *object_of(const struct fl_field *fields)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		exit(2);
	if (fields)
		put_object(out, fields);
	if (fclose(out) != 0)
		exit(2);
	return text;
}

static void put_bounds(FILE *out, const struct fl_field *f)
{
	bool bound = f->least < f->most;
	long long least = bound ? f->least : f->type->least, most = bound ? f->most : f->type->most;

	if (f->type->low)
		fprintf(out, ", \"%s\": %lld", f->type->low, least);
	if (f->type->high && most != 0)
		fprintf(out, ", \"%s\": %lld", f->type->high, most);
}

static void put_words(FILE *out, const char *const *words)
{
	fputs("\"enum\": [", out);
	for (; *words; words++) {
		put_text(out, *words);
		fputs(words[1] ? ", " : "]", out);
	}
}

/* A list: each of its items is @inner, or what the row says of one. */
static void put_list(FILE *out, const struct fl_field *f, const char *inner)
{
	put_members(out, f->type->schema, f->fields ? inner : f->schema ? f->schema : "");
	if (f->fail)
		fputs(", \"minItems\": 1", out);
	if (f->fields && f->schema)
		fprintf(out, ", %s", f->schema);
}

static bool is_list(const struct fl_field *f)
{
	return f->type == &fl_type_list || f->type == &fl_type_table || f->type == &fl_type_each;
}

static bool has_words(const struct fl_field *f)
{
	return f->type && f->type->schema && !*f->type->schema && f->words;
}

static void put_field(FILE *out, const struct fl_field *f)
{
	char *inner = object_of(f->fields);

	if (is_list(f)) {
		put_list(out, f, inner);
	} else if (has_words(f)) {
		put_words(out, f->words);
	} else if (f->schema || (f->type && f->type->schema)) {
		put_members(out, f->schema ? f->schema : f->type->schema, inner);
		if (!f->schema)
			put_bounds(out, f);
	} else if (f->fields && f->keys != FL_TEXT_VALUE) {
		fprintf(out, "\"type\": \"object\", \"additionalProperties\": { %s }", inner);
	} else {
		fputs(inner, out);
	}
	if (f->doc) {
		fputs(", \"description\": ", out);
		put_text(out, f->doc);
	}
	free(inner);
}

/* The names of those that are needed, or of which there is one: "a", "b". */
static void put_names(FILE *out, const struct fl_field *fields, bool one)
{
	const char *between = one ? ", \"allOf\": [{ \"oneOf\": [" : ", \"required\": [", *end = "";

	for (const struct fl_field *f = fields; f->name; f++) {
		if (!(one ? f->one : f->needed))
			continue;
		fprintf(out, one ? "%s{ \"required\": [\"%s\"] }" : "%s\"%s\"", between, f->name);
		between = ", ";
		end = one ? "] }]" : "]";
	}
	fputs(end, out);
}

static void put_object(FILE *out, const struct fl_field *fields)
{
	fputs("\"type\": \"object\"", out);
	put_names(out, fields, /* one= */ true);
	put_names(out, fields, /* one= */ false);
	fputs(", \"additionalProperties\": false, \"properties\": {", out);
	for (const struct fl_field *f = fields; f->name; f++) {
		fprintf(out, "%s\"%s\": { ", f == fields ? " " : ", ", f->name);
		put_field(out, f);
		fputs(" }", out);
	}
	fputs(" }", out);
}

static void put_kind(FILE *out, const struct fl_kind *kind)
{
	const char *sep = "";

	fputs("{ \"$schema\": \"http://json-schema.org/draft-07/schema#\", "
	      "\"$id\": \"https://fairlead.dev/schema/",
	      out);
	for (const char *c = kind->name; *c; c++)
		fprintf(out, "%s%c", c > kind->name && isupper(*c) ? "-" : "", tolower(*c));
	fprintf(out,
		".schema.json\", \"title\": \"%s of %s/%s\", \"type\": \"object\", "
		"\"required\": [\"apiVersion\", \"kind\", \"metadata\"], "
		"\"additionalProperties\": false, \"properties\": { "
		"\"apiVersion\": { \"const\": \"%s/%s\" }, \"kind\": { \"const\": \"%s\" }, "
		"\"metadata\": { \"type\": \"object\", \"required\": [\"name\"], \"properties\": { "
		"\"name\": { \"type\": \"string\", \"minLength\": 1, \"maxLength\": 253 } } }, ",
		kind->name, kind->group, kind->versions, kind->group, kind->versions, kind->name);
	for (const struct fl_field *f = kind->fields; f->name; f++) {
		if (f->support != FL_FIELD_SUPPORTED || strcmp(f->name, "metadata") == 0)
			continue;
		fprintf(out, "%s\"%s\": { ", sep, f->name);
		put_field(out, f);
		fputs(" }", out);
		sep = ", ";
	}
	fputs(" } }", out);
}

/* --- layout: two columns a level; what is short and has nothing inside stays in its line --- */

static const char *end_of(const char *open)
{
	int depth = 0;
	bool quoted = false;

	for (const char *c = open; *c; c++) {
		if (*c == '\\' && quoted)
			c++;
		else if (*c == '"')
			quoted = !quoted;
		else if (!quoted && strchr("[{", *c))
			depth++;
		else if (!quoted && strchr("]}", *c) && --depth == 0)
			return c;
	}
	return open + strlen(open);
}

static bool is_short(const char *open)
{
	size_t len = (size_t)(end_of(open) - open);

	return len < 80 && !memchr(open + 1, '{', len) &&
	       (*open == '{' || !memchr(open + 1, '[', len));
}

static void line(int depth) { printf("\n%*s", 2 * depth, ""); }

static void lay_out(const char *c)
{
	const char *whole = c; /* up to here as it stands */
	bool quoted = false;
	int depth = 0;

	for (; *c; c++) {
		if (*c == '"' && c[-1] != '\\')
			quoted = !quoted;
		if (!quoted && c >= whole && strchr("[{", *c) && is_short(c))
			whole = end_of(c) + 1;
		if (quoted || c < whole) {
			putchar(*c);
		} else if (strchr("[{", *c)) {
			putchar(*c);
			line(++depth);
		} else if (strchr("]}", *c)) {
			line(--depth);
			putchar(*c);
		} else if (*c == ',') {
			putchar(*c);
			line(depth);
		} else if (*c != ' ' || c[-1] == ':') {
			putchar(*c);
		}
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t k = 0; out && argc == 2 && fl_kube_kind(k); k++)
		if (strcmp(fl_kube_kind(k), argv[1]) == 0)
			put_kind(out, fl_kube_kind_row(k));
	if (!out || fclose(out) != 0)
		return 2;
	if (size)
		lay_out(text);
	free(text);
	return size ? 0 : 2;
}
