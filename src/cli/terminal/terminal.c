/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "codec/text/quantity.h"

/* COLUMNS is obeyed everywhere, to make output narrow on purpose; else a pipe has no width. */
static unsigned width(bool terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns) {
		long n = strtol(columns, NULL, 10);

		if (n >= 20 && n <= 10000)
			return (unsigned)n;
	}
	if (!terminal)
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return 80;
}

void fl_terminal(struct fl_report *r)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(STDOUT_FILENO);

	r->out = stdout;
	r->quantity = fl_quantity_format;
	r->mem = &fl_mem_heap;
	r->width = width(terminal);
	r->color = terminal && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}
