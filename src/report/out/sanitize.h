/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sanitize - text of others on its way to a terminal, in pieces as it comes
 *
 * Guarantee: what reaches the terminal is printable UTF-8, newlines, tabs and, if wanted, colours
 * (ESC [ ... m), which are taken back at the end.  All else becomes '?', whatever the pieces.
 */
#ifndef FL_REPORT_OUT_SANITIZE_H
#define FL_REPORT_OUT_SANITIZE_H

#include <stdbool.h>
#include <stdio.h>

struct fl_sanitize {
	FILE *out;
	bool color;
	bool returns;  /* carriage returns pass, too: bars of progress */
	bool colored;  /* a colour is on, and has to be reset */
	unsigned n;    /* bytes of a character or sequence that has not ended */
	char held[32]; /* and a NUL */
};

void fl_sanitize_put(struct fl_sanitize *w, const char *bytes, size_t len);
void fl_sanitize_end(struct fl_sanitize *w);

#endif
