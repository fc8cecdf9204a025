/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture on a terminal: dots of braille, eight a character, or letters in ASCII.
 * The label of a line stands behind its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/tune/tune_report.h"

enum { ROWS = 10, MAX_COLUMNS = 100, AXIS = 7, LABELS = 27 };

struct canvas {
	unsigned char cells[ROWS][MAX_COLUMNS]; /* braille: eight dots; ASCII: a letter */
	int columns;
	bool utf8;
	int end[FL_TUNE_LINES]; /* the row where each line ends */
};

/* One dot; x and y count dots, y from the top. */
static void dot(struct canvas *c, int x, int y, uint32_t line)
{
	static const unsigned char bits[4][2] = { { 1, 8 }, { 2, 16 }, { 4, 32 }, { 64, 128 } };

	if (c->utf8)
		c->cells[y / 4][x / 2] |= bits[y % 4][x % 2];
	else
		c->cells[y][x] = (unsigned char)('a' + line);
}

/* A column of dots from the line's last place to this one, so that it has no gaps. */
static void draw_line(struct canvas *c, const struct fl_tune_report *t,
		      const struct fl_tune_axes *a, uint32_t line)
{
	int columns = c->utf8 ? 2 * c->columns : c->columns, rows = c->utf8 ? 4 * ROWS : ROWS;
	int last = -1;

	for (int x = 0; x < columns; x++) {
		fl_time at = (fl_time)((double)a->end * x / (columns - 1));
		double height = fl_tune_curve(t, a, a->lines[line], at) / a->top;
		int y = (int)((1 - height) * (rows - 1) + 0.5);

		for (int v = last < 0 ? y : last; v != y; v += v < y ? 1 : -1)
			dot(c, x, v, line);
		dot(c, x, y, line);
		last = y;
	}
	c->end[line] = c->utf8 ? last / 4 : last;
}

/* Labels below each other, each at its line's end or as near as there is room. */
static void place_labels(struct canvas *c, uint32_t n)
{
	bool taken[ROWS] = { false };

	for (uint32_t i = 0; i < n; i++) {
		int row = c->end[i], by = 1;

		while (row < 0 || row >= ROWS || taken[row]) {
			row = c->end[i] + by;
			by = by > 0 ? -by : 1 - by;
		}
		taken[row] = true;
		c->end[i] = row;
	}
}

/* Columns of a row, without the blanks at its end. */
static int row_end(const struct fl_tune_axes *a, const struct canvas *c, int row)
{
	int end = c->columns;

	for (uint32_t i = 0; i < a->n_lines; i++)
		if (c->end[i] == row)
			return end;
	while (end > 0 && !c->cells[row][end - 1])
		end--;
	return end;
}

static void put_cell(FILE *out, const struct canvas *c, int row, int column)
{
	unsigned char cell = c->cells[row][column];

	if (!c->utf8)
		fputc(cell ? cell : ' ', out);
	else if (cell) /* U+2800 and eight bits */
		fprintf(out, "\xe2%c%c", 0xa0 | cell >> 6, 0x80 | (cell & 0x3f));
	else
		fputc(' ', out);
}

/* At the end lines lie together; how low each came tells them apart. */
static void put_label(FILE *out, const struct fl_tune_report *t, const struct fl_tune_axes *a,
		      uint32_t line)
{
	fprintf(out, " weight %.4g: low %.0f %%", t->weights[a->lines[line]].weight,
		100 * fl_tune_curve(t, a, a->lines[line], a->used));
}

static void put_rows(const struct fl_report *r, const struct fl_tune_report *t,
		     const struct fl_tune_axes *a, const struct canvas *c)
{
	for (int row = 0; row < ROWS; row++) {
		bool numbered = row % 3 == 0;
		double value = a->top * (1 - (double)row / (ROWS - 1));

		if (numbered)
			fprintf(r->out, "%4.0f %% ", 100 * value);
		else
			fprintf(r->out, "%*s", AXIS, "");
		fputs(c->utf8 ? numbered ? "┤" : "│" : numbered ? "+" : "|", r->out);
		for (int x = 0, end = row_end(a, c, row); x < end; x++)
			put_cell(r->out, c, row, x);
		for (uint32_t i = 0; i < a->n_lines; i++)
			if (c->end[i] == row) {
				if (!c->utf8)
					fprintf(r->out, " %c:", 'a' + (int)i);
				put_label(r->out, t, a, i);
			}
		fputc('\n', r->out);
	}
}

/* The line below, its ticks, and their times where there is room. */
static void put_times(const struct fl_report *r, const struct fl_tune_axes *a,
		      const struct canvas *c)
{
	char marks[MAX_COLUMNS] = { 0 }, times[MAX_COLUMNS + 40], text[32];
	int free_from = 0;

	memset(times, ' ', sizeof(times));
	for (uint32_t i = 0; i < a->n_ticks; i++) {
		int x = (int)((double)a->ticks[i] / (double)a->end * (c->columns - 1) + 0.5);
		const char *time = a->ticks[i] ? fl_tune_time(a->ticks[i], text) : "0";
		int len = (int)strlen(time);

		marks[x] = 1;
		if (x < free_from)
			continue;
		memcpy(times + x, time, (size_t)len);
		free_from = x + len + 1;
	}
	times[free_from ? free_from - 1 : 0] = '\0';
	fprintf(r->out, "%*s%s", AXIS, "", c->utf8 ? "└" : "+");
	for (int x = 0; x < c->columns; x++)
		fputs(c->utf8 ? marks[x] ? "┬" : "─" : marks[x] ? "+" : "-", r->out);
	fprintf(r->out, "\n%*s %s\n", AXIS, "", times);
}

void fl_tune_plot(const struct fl_report *r, const struct fl_tune_report *t)
{
	int width = r->width ? (int)r->width : 80;
	struct canvas c = { .columns = width - AXIS - LABELS, .utf8 = t->utf8 };
	char what[64], time[32];
	struct fl_tune_axes a;

	if (c.columns > MAX_COLUMNS - 1)
		c.columns = MAX_COLUMNS - 1;
	if (c.columns < 10)
		return; /* no room for a picture */
	fl_tune_axes(t, &a);
	for (uint32_t i = 0; i < a.n_lines; i++)
		draw_line(&c, t, &a, i);
	place_labels(&c, a.n_lines);
	fl_report_say(r, FL_STYLE_BOLD, 0,
		      "Portion, of what the weight gives: %s for %s, then nothing; the others %s.",
		      fl_tune_what(t, what), fl_tune_time(t->drawn, time),
		      t->others == FL_OTHERS_BUSY ? "busy" : "idle");
	put_rows(r, t, &a, &c);
	put_times(r, &a, &c);
}
