/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of findings as JSON. */
#include <stdio.h>
#include <string.h>

#include "cli/verbs/findings.h"

/* "ClusterQueue/a .spec.cohort": the path is what stands behind the object, which may have blanks. */
struct finding {
	const char *kind, *file;
	uint32_t line, column;
	const char *subject, *path, *message, *hint;
	char text[900];
};

static const char *known(const char *text) { return *text ? text : NULL; }

/* Programs that show the message alone show where it is. */
static void put_path(struct finding *f)
{
	const char *path = f->subject ? strstr(f->subject, " .") : NULL;

	f->path = path ? path + 1 : NULL;
	if (!f->path)
		return;
	(void)snprintf(f->text, sizeof f->text, "%s: %s", f->path, f->message);
	f->message = f->text;
}

static bool fill_error(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const fairlead_error *e = source;

	(void)at;
	(void)i;
	*(struct finding *)row = (struct finding){
		.kind = fl_error_kinds[fl_error_kind_of(e)].name,
		.file = known(e->file),
		.line = e->line,
		.column = e->line ? e->column : 0,
		.subject = known(e->subject),
		.message = e->text,
		.hint = known(e->hint),
	};
	put_path(row);
	return true;
}

static bool fill_warning(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_model *m = at->model;
	const struct fl_notice *n = &m->notices[*(const uint32_t *)source];

	(void)i;
	*(struct finding *)row = (struct finding){
		.kind = fl_notice_name(n->kind),
		.file = known(fl_model_file(m, n->place)),
		.line = n->place.line,
		.column = n->place.line ? n->place.column : 0,
		.subject = known(fl_model_text(m, n->subject)),
		.message = fl_model_text(m, n->text),
		.hint = known(fl_model_text(m, n->hint)),
	};
	put_path(row);
	return true;
}

#define ROW struct finding
static const struct fl_json_field error_fields[] = {
	FL_FIELD(TEXT, "kind", kind, NULL, .more = "{\"pattern\": \"^[a-z-]+$\"}"),
	FL_FIELD(TEXT, "file", file, NULL, .maybe = true),
	FL_FIELD(NTH, "line", line, NULL, .maybe = true),
	FL_FIELD(NTH, "column", column, NULL, .maybe = true),
	FL_FIELD(TEXT, "subject", subject, NULL, .maybe = true),
	FL_FIELD(TEXT, "path", path, "of the field in the object", .maybe = true),
	FL_FIELD(TEXT, "message", message, NULL, .more = "{\"minLength\": 1}"),
	FL_FIELD(TEXT, "hint", hint, NULL, .maybe = true),
};
static const struct fl_json_shape error_shape = FL_SHAPE_MADE(error_fields, fill_error,
							      sizeof(fairlead_error), "error");
static const struct fl_json_shape warning_shape = FL_SHAPE_MADE(error_fields, fill_warning,
								sizeof(uint32_t), "warning");
#undef ROW

#define ROW struct fl_findings
static const struct fl_json_field fields[] = {
	FL_FIELD(BOOL, "ok", ok, NULL),
	FL_FIELD_LIST("errors", errors, n_errors, error_shape, NULL),
	FL_FIELD_LIST("warnings", notices, n_warnings, warning_shape, NULL),
	FL_FIELD_LIST("notes", notes, n_notes, warning_shape,
		      "what is assumed or left out, though nothing is wrong"),
	FL_FIELD(COUNT, "errorsNotListed", errors_dropped, "above the number that is kept",
		 .maybe = true),
	FL_FIELD(COUNT, "warningsNotListed", dropped, "above the number that is kept"),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "check");
#undef ROW

const struct fl_document fl_check_document = { .kind = "Check", .shape = &shape };
