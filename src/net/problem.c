/* SPDX-License-Identifier: Apache-2.0 */
#include "net/problem.h"

#include <jansson.h>
#include <stdio.h>

/* The text may quote a request, and JSON allows UTF-8 only. */
static json_t *text_of(const char *text)
{
	json_t *string = json_string(text);
	char plain[1536];

	if (string)
		return string;
	(void)snprintf(plain, sizeof plain, "%.1500s", text);
	for (char *c = plain; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_string(plain);
}

/* What it is called, in the last part of its type and for people. */
static const struct kind {
	unsigned status;
	const char *name, *title;
} kinds[] = {
#define FL_PROBLEM(status, name, title) { status, name, title },
#include "net/problem.def"
};

static const struct kind *kind_of(unsigned status)
{
	const struct kind *k = kinds;

	while (k->status && k->status != status)
		k++;
	return k;
}

char *fl_problem_json(const struct fl_problem *p)
{
	const struct kind *kind = kind_of(p->status);
	const char *file = p->file ? p->file : "", *hint = p->hint ? p->hint : "";
	char place[512] = "", detail[1536];
	json_t *json, *position = NULL;

	if (p->line && *file)
		(void)snprintf(place, sizeof place, "%s:%u:%u: ", file, p->line, p->column);
	else if (p->line)
		(void)snprintf(place, sizeof place, "line %u, column %u: ", p->line, p->column);
	(void)snprintf(detail, sizeof detail, "%s%s%s%s%s", place, p->text, *hint ? " (" : "", hint,
		       *hint ? ")" : "");
	if (p->line)
		position = json_pack("{s:o*, s:i, s:i}", "file", *file ? text_of(file) : NULL,
				     "line", (int)p->line, "column", (int)p->column);
	json = json_pack("{s:o, s:s, s:i, s:o, s:o, s:o*, s:o*}", "type",
			 json_sprintf("https://fairlead.dev/problems/%s", kind->name), "title",
			 kind->title, "status", (int)p->status, "detail", text_of(detail), "text",
			 text_of(p->text), "hint", *hint ? text_of(hint) : NULL, "position",
			 position);

	char *ret = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return ret;
}
