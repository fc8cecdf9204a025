/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress - how far long work is: one line on a terminal, taken back at the end
 *
 * On standard error, and only if that is a terminal.  It knows the real clock; nothing that
 * is computed does.
 */
#ifndef FL_CLI_TERMINAL_PROGRESS_H
#define FL_CLI_TERMINAL_PROGRESS_H

#include <time.h>

#include "sim/simulation.h"

struct fl_progress {
	const char *what; /* before the rest, such as the name of a variant; "" */
	bool on, shown;
	struct timespec began, last;
};

/* The same of work without an end that is known: the text is the caller's, at most once a second. */
struct fl_ticker {
	bool on, drawn;
	time_t shown;
};

void fl_ticker_begin(struct fl_ticker *t);
void fl_ticker_show(struct fl_ticker *t, const char *format, ...) FL_PRINTF(2, 3);
void fl_ticker_end(struct fl_ticker *t);

void fl_progress_begin(struct fl_progress *p, const char *what);
/* May be called as often as wanted: a call too soon after the last one does nothing. */
void fl_progress_show(struct fl_progress *p, const struct fl_sim *sim);
void fl_progress_end(struct fl_progress *p);

#endif
