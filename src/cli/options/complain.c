/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/out/report.h"

static void put_clean(const char *text) { fl_report_put_clean(stderr, text, strlen(text)); }

void fl_print_diagnostic(const struct fl_diagnostic *d)
{
	if (d->file && *d->file) {
		put_clean(d->file);
		if (d->line)
			fprintf(stderr, ":%u", d->line);
		if (d->line && d->column)
			fprintf(stderr, ":%u", d->column);
	} else {
		fputs("fairlead", stderr);
	}
	fprintf(stderr, ": %s: ", d->severity);
	if (d->subject && *d->subject) {
		put_clean(d->subject);
		fputs(": ", stderr);
	}
	put_clean(d->text);
	putc('\n', stderr);
	if (d->hint && *d->hint) {
		fputs("hint: ", stderr);
		put_clean(d->hint);
		putc('\n', stderr);
	}
}

int fl_exit_code(int code)
{
	switch (code) {
	case FAIRLEAD_OK:
		return FL_EXIT_YES;
	case FAIRLEAD_EINPUT:
	case FAIRLEAD_ELIMIT:
	case FAIRLEAD_ENOENT:
		return FL_EXIT_NO;
	default:
		return FL_EXIT_FAILED;
	}
}

int fl_complain(const fairlead_error *err)
{
	struct fl_diagnostic d = {
		.file = err->file,
		.line = err->line,
		.column = err->column,
		.severity = "error",
		.subject = err->subject,
		.text = err->text,
		.hint = err->hint,
	};

	fflush(stdout);
	fl_print_diagnostic(&d);
	return fl_exit_code(err->code);
}

const char *fl_program_name(void)
{
	return strcmp(program_invocation_short_name, "kubectl-fairlead") == 0 ? "kubectl fairlead" :
										"fairlead";
}

int fl_usage_error(const char *verb, const char *format, ...)
{
	const char *name = fl_program_name();
	va_list args;

	fprintf(stderr, "%s%s%s: ", name, verb ? " " : "", verb ? verb : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nSee '%s%s%s --help'.\n", name, verb ? " " : "", verb ? verb : "");
	return FL_EXIT_USAGE;
}
