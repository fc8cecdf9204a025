/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/start/say.h"

#include <stdio.h>
#include <string.h>

#include "report/out/report.h"

void fl_say_line(void *user, const char *line)
{
	(void)user;
	fl_report_put_clean(stderr, line, strlen(line));
	(void)fputc('\n', stderr);
}

void fl_say(const char *text)
{
	(void)fputs("fairleadd: ", stderr);
	fl_say_line(NULL, text);
}

int fl_say_why(const fairlead_error *err)
{
	char line[sizeof *err + 64];
	int n = 0;

	if (err->file[0] && err->line)
		n = snprintf(line, sizeof line, "%s:%u:%u: ", err->file, err->line, err->column);
	else if (err->file[0])
		n = snprintf(line, sizeof line, "%s: ", err->file);
	(void)snprintf(line + n, sizeof line - (size_t)n, "error: %s%s%s", err->subject,
		       err->subject[0] ? ": " : "", err->text);
	fl_say_line(NULL, line);
	(void)snprintf(line, sizeof line, "hint: %s", err->hint);
	if (err->hint[0])
		fl_say_line(NULL, line);
	return err->code == FAIRLEAD_EIO || err->code == FAIRLEAD_ENOMEM ||
			       err->code == FAIRLEAD_ESTATE ?
		       FL_EXIT_ENVIRONMENT :
		       FL_EXIT_NO;
}
