/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture as SVG: one file that needs no other, in the viewer's light or dark colours.
 */
#include <stdio.h>

#include "report/tune/tune_report.h"

enum {
	WIDTH = 760,
	HEIGHT = 420,
	LEFT = 66,
	RIGHT = 156,
	TOP = 82,
	BOTTOM = 58,
	GAP = 18, /* of labels */
	STEPS = 240,
};

static double x_of(const struct fl_tune_axes *a, fl_time at)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * ((double)at / (double)a->end);
}

static double y_of(const struct fl_tune_axes *a, double portion)
{
	return TOP + (HEIGHT - TOP - BOTTOM) * (1 - portion / a->top);
}

static void put_style(FILE *out)
{
	fputs("<style>\n"
	      "text{font:13px system-ui,sans-serif;fill:#333}\n"
	      ".title{font-size:16px;font-weight:600}.small{font-size:12px;fill:#666}\n"
	      ".back{fill:#fff}.used{fill:#eef1f5}.grid{stroke:#d9dde3}.axis{stroke:#666}\n"
	      ".line{fill:none;stroke-width:2.2;stroke-linejoin:round}.lead{stroke-width:1;opacity:.6}\n"
	      ".c0{stroke:#0b62c4}.c1{stroke:#c2410c}.c2{stroke:#15803d}.c3{stroke:#9333ea}"
	      ".c4{stroke:#a16207}\n"
	      ".t0{fill:#0b62c4}.t1{fill:#c2410c}.t2{fill:#15803d}.t3{fill:#9333ea}"
	      ".t4{fill:#a16207}\n"
	      "@media(prefers-color-scheme:dark){\n"
	      "text{fill:#ddd}.small{fill:#9aa4b2}\n"
	      ".back{fill:#15181d}.used{fill:#20262e}.grid{stroke:#323a45}.axis{stroke:#9aa4b2}\n"
	      ".c0{stroke:#6cb0ff}.c1{stroke:#ff9a66}.c2{stroke:#5fd38a}.c3{stroke:#c99bff}"
	      ".c4{stroke:#e5c15c}\n"
	      ".t0{fill:#6cb0ff}.t1{fill:#ff9a66}.t2{fill:#5fd38a}.t3{fill:#c99bff}"
	      ".t4{fill:#e5c15c}\n"
	      "}\n"
	      "</style>\n",
	      out);
}

static void put_axes(FILE *out, const struct fl_tune_axes *a)
{
	char text[32];
	int rows = a->top <= 1 ? 4 : a->top <= 3 ? (int)(a->top * 2) : (int)a->top;

	while (rows > 8)
		rows = (rows + 1) / 2;
	for (int i = 0; i <= rows; i++) {
		double portion = a->top * i / rows;

		fprintf(out,
			"<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f %%</text>\n",
			LEFT, y_of(a, portion), WIDTH - RIGHT, LEFT - 8, y_of(a, portion) + 4.5,
			100 * portion);
	}
	for (uint32_t i = 0; i < a->n_ticks; i++)
		fprintf(out,
			"<path class=\"axis\" d=\"M%.1f %dv5\"/>"
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x_of(a, a->ticks[i]), HEIGHT - BOTTOM, x_of(a, a->ticks[i]),
			HEIGHT - BOTTOM + 20, a->ticks[i] ? fl_tune_time(a->ticks[i], text) : "0");
	fprintf(out, "<path class=\"axis\" d=\"M%d %dH%d\"/>\n", LEFT, HEIGHT - BOTTOM,
		WIDTH - RIGHT);
	fprintf(out,
		"<text class=\"small\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">"
		"time since the use began</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
}

static void put_line(FILE *out, const struct fl_tune_report *t, const struct fl_tune_axes *a,
		     uint32_t line)
{
	fprintf(out, "<path class=\"line c%u\" d=\"", line);
	for (int s = 0; s <= STEPS; s++) {
		fl_time at = (fl_time)((double)a->end * s / STEPS);

		fprintf(out, "%c%.1f %.1f", s ? 'L' : 'M', x_of(a, at),
			y_of(a, fl_tune_curve(t, a, a->lines[line], at)));
	}
	fputs("\"/>\n", out);
}

/*
 * A label behind each line's end, in the order of how low the lines came, for there they are
 * apart; where the ends lie together the labels stand apart, with leaders.
 */
static void put_labels(FILE *out, const struct fl_tune_report *t, const struct fl_tune_axes *a)
{
	uint32_t order[FL_TUNE_LINES];
	double y = 0;

	for (uint32_t i = 0; i < a->n_lines; i++) {
		uint32_t at = i;
		double low = fl_tune_curve(t, a, a->lines[i], a->used);

		for (; at && fl_tune_curve(t, a, a->lines[order[at - 1]], a->used) < low; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (uint32_t i = 0; i < a->n_lines; i++) {
		uint32_t line = order[i];
		const struct fl_tune_weight *w = &t->weights[a->lines[line]];
		double end = y_of(a, fl_tune_curve(t, a, a->lines[line], a->end));
		char part[32];

		y = i && end < y + GAP ? y + GAP : end;
		fprintf(out,
			"<path class=\"lead c%u\" d=\"M%d %.1fL%d %.1f\"/>"
			"<text class=\"t%u\" x=\"%d\" y=\"%.1f\">weight %.4g (%s)</text>\n",
			line, WIDTH - RIGHT + 1, end, WIDTH - RIGHT + 14, y, line,
			WIDTH - RIGHT + 18, y + 4.5, w->weight, fl_tune_percent(w->part, part));
	}
}

void fl_tune_svg(FILE *out, const struct fl_tune_report *t)
{
	char what[64], time[32], half_life[32], window[32];
	struct fl_tune_axes a;

	fl_tune_axes(t, &a);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
		"<title>Portion of a queue by time</title>\n",
		WIDTH, HEIGHT);
	put_style(out);
	fprintf(out, "<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
	fprintf(out, "<rect class=\"used\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
		LEFT, TOP, x_of(&a, a.used) - LEFT, HEIGHT - TOP - BOTTOM);
	fprintf(out,
		"<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">in use</text>\n",
		(LEFT + x_of(&a, a.used)) / 2, TOP - 8);
	fprintf(out, "<text class=\"title\" x=\"16\" y=\"26\">What %s for %s cost</text>\n",
		fl_tune_what(t, what), fl_tune_time(t->drawn, time));
	fprintf(out,
		"<text class=\"small\" x=\"16\" y=\"46\">portion, of what the weight alone gives; "
		"k %.4g, %s%s, window %s; the others %s</text>\n",
		t->tune.k, t->tune.half_life ? "half-life " : "no half-life",
		t->tune.half_life ? fl_tune_time(t->tune.half_life, half_life) : "",
		fl_tune_time(t->tune.window, window),
		t->others == FL_OTHERS_BUSY ? "use the rest" : "use nothing");
	put_axes(out, &a);
	for (uint32_t i = 0; i < a.n_lines; i++)
		put_line(out, t, &a, i);
	put_labels(out, t, &a);
	fputs("</svg>\n", out);
}
