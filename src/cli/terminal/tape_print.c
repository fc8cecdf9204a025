/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/tape_print.h"

#include <string.h>

#include "report/out/json.h"

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

void fl_tape_print(FILE *out, const struct fl_tape *t, const char *more)
{
	fputs("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n", out);
	for (uint32_t i = 0; i < t->n;) {
		i = put_object(out, t, i);
		fputs(i < t->n || more ? ",\n" : "\n", out);
	}
	if (more)
		fprintf(out, "%s\n", more);
	fputs("]}\n", out);
}
