/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/tape_print.h"

#include <string.h>

static void put_scalar(struct fl_json *j, const struct fl_tape *t, uint32_t i, const char *key)
{
	const char *text = fl_tape_text(t, i);
	enum fl_scalar_type type = t->items[i].type;
	char number[128];

	/* Quantities may be strings, too, so the longest numbers become that. */
	if (strlen(text) > sizeof(number) - 4)
		type = FL_SCALAR_STRING;
	switch (type) {
	case FL_SCALAR_NULL:
		fl_json_null(j, key);
		break;
	case FL_SCALAR_BOOL:
		fl_json_bool(j, key, *text == 't' || *text == 'T');
		break;
	case FL_SCALAR_INT:
	case FL_SCALAR_FLOAT:
		text = fl_tape_number(text, number, sizeof(number));
		fl_json_raw(j, key, text, strlen(text));
		break;
	case FL_SCALAR_STRING:
		fl_json_text(j, key, text);
		break;
	}
}

/* The object that starts at @i; behind it. */
static uint32_t put_object(FILE *out, const struct fl_tape *t, uint32_t i)
{
	const char *key = NULL;
	struct fl_json j;

	fl_json_init(&j, out);
	do {
		switch (t->items[i].kind) {
		case FL_TOKEN_MAP:
			fl_json_object(&j, key);
			break;
		case FL_TOKEN_MAP_END:
			fl_json_end_object(&j);
			break;
		case FL_TOKEN_LIST:
			fl_json_list(&j, key);
			break;
		case FL_TOKEN_LIST_END:
			fl_json_end_list(&j);
			break;
		case FL_TOKEN_SCALAR:
			put_scalar(&j, t, i, key);
			break;
		}
		key = t->items[i].kind == FL_TOKEN_KEY ? fl_tape_text(t, i) : NULL;
		i++;
	} while (j.depth > 0);
	return i;
}

struct record {
	const struct fl_tape *tape;
	const char *more;
};

/* One object a line. */
static void put_items(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct record *r = row;
	FILE *out = at->json->out;

	fl_json_list(at->json, key);
	putc('\n', out);
	for (uint32_t i = 0; i < r->tape->n;) {
		i = put_object(out, r->tape, i);
		fputs(i < r->tape->n || r->more ? ",\n" : "\n", out);
	}
	if (r->more)
		fprintf(out, "%s\n", r->more);
	fl_json_end_list(at->json);
}

/* Of objects, what all of them have. */
static const struct fl_json_field metadata_fields[] = {
	{ .key = "name", .type = FL_AS_TEXT, .maybe = true },
	{ .key = "namespace", .type = FL_AS_TEXT, .maybe = true },
};
static const struct fl_json_shape metadata_shape = { FL_SHAPE_FIELDS(metadata_fields),
						     .name = "metadata" };
static const struct fl_json_field object_fields[] = {
	{ .key = "apiVersion", .type = FL_AS_TEXT, .more = "{\"minLength\": 1}" },
	{ .key = "kind", .type = FL_AS_TEXT, .more = "{\"minLength\": 1}" },
	{ .key = "metadata", .type = FL_AS_OBJECT, .shape = &metadata_shape },
};
static const struct fl_json_shape object_shape = { FL_SHAPE_FIELDS(object_fields),
						   .name = "object" };

#define ROW struct record
static const struct fl_json_field fields[] = {
	FL_FIELD_CONST("apiVersion", "v1"),
	FL_FIELD_CONST("kind", "List"),
	FL_FIELD_PUT(LIST, "items", put_items, NULL, .shape = &object_shape),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "record", .closed = true);
#undef ROW

const struct fl_document fl_record_document = { .shape = &shape };

void fl_tape_print(FILE *out, const struct fl_tape *t, const char *more)
{
	fl_document_json(&(struct fl_report){ .out = out }, &fl_record_document,
			 &(struct record){ t, more });
}
