/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/out/report.h"

enum { LONGEST = 160 };

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static unsigned width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col < LONGEST ? size.ws_col : LONGEST;
	return 80;
}

/* From 0 to 1: of the time where it has an end, or of the jobs that end, whichever is more. */
static double part_done(const struct fl_sim *s)
{
	double all = (double)s->n_finite + (double)s->n_done;
	double jobs = all > 0 ? (double)s->n_done / all : 0, time = 0;

	if (s->end != FL_NEVER && s->end > s->options.start)
		time = (double)(s->now - s->options.start) / (double)(s->end - s->options.start);
	return jobs > time ? jobs : time;
}

/* At the beginning of a long one it can be more than times hold. */
static fl_time time_left(double seconds)
{
	return seconds < 9e9 ? (fl_time)(seconds * 1e9) : FL_NEVER;
}

void fl_progress_begin(struct fl_progress *p, const char *what)
{
	const char *term = getenv("TERM");

	*p = (struct fl_progress){ .what = what };
	p->on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
	clock_gettime(CLOCK_MONOTONIC, &p->began);
	p->last = p->began;
}

void fl_progress_show(struct fl_progress *p, const struct fl_sim *s)
{
	char text[LONGEST + 64], at[32], left[32];
	double passed, part;

	if (!p->on || seconds_since(&p->last) < 0.1)
		return;
	passed = seconds_since(&p->began);
	part = part_done(s);
	fl_report_age(s->now - s->options.start, at);
	if (part > 0)
		fl_report_age(time_left(passed * (1 - part) / part), left);
	snprintf(text, sizeof text, "%s%s%3.0f %%  day %s  %.0f events/s  %s%s", p->what,
		 *p->what ? "  " : "", 100 * part, at, (double)s->events / passed,
		 part > 0 ? left : "", part > 0 ? " left" : "");
	fprintf(stderr, "\r\033[K%.*s", (int)width() - 1, text);
	fflush(stderr);
	clock_gettime(CLOCK_MONOTONIC, &p->last);
	p->shown = true;
}

void fl_progress_end(struct fl_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	p->shown = false;
}

void fl_ticker_begin(struct fl_ticker *t)
{
	*t = (struct fl_ticker){ .on = isatty(STDERR_FILENO) };
}

void fl_ticker_show(struct fl_ticker *t, const char *format, ...)
{
	time_t now = time(NULL);
	va_list args;

	if (!t->on || now == t->shown)
		return;
	if (t->shown) { /* not in the first second */
		fputs("\r\033[Kfairlead: ", stderr);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fputc(' ', stderr);
		fflush(stderr);
		t->drawn = true;
	}
	t->shown = now;
}

void fl_ticker_end(struct fl_ticker *t)
{
	if (t->drawn)
		fputs("\r\033[K", stderr);
	t->drawn = false;
}
