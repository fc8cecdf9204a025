/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop as a picture: its states in a ring, down on the right and up on the left, each with a
 * bar per queue of what workloads hold and its quota, and between them what happens and why.
 *
 * Names are cut to the room they have; a tooltip has the full name.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/prove/prove_report.h"

enum {
	MARGIN = 20,
	TOP = 84,
	BOX = 380, /* width of a state */
	GAP = 44,  /* between the columns */
	WIDTH = 2 * BOX + GAP + 2 * MARGIN,
	BAR = 18,    /* height of a bar's row */
	PAD = 10,    /* inside a state */
	LABEL = 116, /* room for "queue resource" */
	NAME = 26,   /* characters of a name in a sentence */
	VALUE = 84,  /* room for "5 of 4" */
	LINE = 16,   /* of text */
	INDENT = 22, /* of text beside an arrow */
	LEG = 14,    /* of an arrow, above and below its text */
	COLORS = 8,
	LINES = 8,   /* of text a move, at most */
	STATES = 20, /* drawn at most */
	LINE_BYTES = 512,
};

#define HEAD_SIZE 12.8 /* of 12 pixels and bold */

struct drawing {
	FILE *out;
	const struct fl_report *r;
	const struct fl_loop_moves *moves;
	double scale[FL_LOOP_RESOURCES];              /* width of a bar per amount */
	double height[STATES + 1], above[STATES + 1]; /* of each state; of the text behind it */
	double x[STATES + 1], y[STATES + 1];
	uint32_t n; /* states drawn */
	double bottom;
};

/* --- text that fits --- */

static void put_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = fl_report_utf8(text + i);

		if (text[i] == '<')
			fputs("&lt;", out);
		else if (text[i] == '>')
			fputs("&gt;", out);
		else if (text[i] == '&')
			fputs("&amp;", out);
		else if (n == 0 || fl_report_control(text + i))
			fputc('?', out);
		else
			fwrite(text + i, 1, n, out);
		i += n ? n : 1;
	}
}

/* Bytes of @text that @width has room for, at some 0.58 em a character. */
static size_t room_for(const char *text, double width, double size, bool *ret_cut)
{
	double most = floor(width / (0.58 * size));
	size_t at = 0, last = 0, chars = 0;

	for (; text[at]; chars++) {
		size_t n = fl_report_utf8(text + at);

		if (chars + 1 < most)
			last = at + (n ? n : 1);
		at += n ? n : 1;
	}
	*ret_cut = (double)chars > most;
	return *ret_cut ? last : at;
}

static void put_cut(FILE *out, const char *text, double width, double size)
{
	bool cut;
	size_t n = room_for(text, width, size, &cut);

	if (width < size) /* no room for anything */
		return;
	put_text(out, text, n);
	fputs(cut ? "…" : "", out);
}

/* A name, cut in the middle: how it ends tells more than how it goes on. */
static void put_name(FILE *out, const char *name, double width, double size)
{
	char buffer[FL_REPORT_NAME];
	const char *cut = fl_loop_cut(name, (unsigned)(width / (0.58 * size)), buffer);

	put_text(out, cut, strlen(cut));
}

/* --- what stands in a state --- */

static void put_style(FILE *out)
{
	static const char *const colors[2][COLORS] = {
		{ "#0b62c4", "#c2410c", "#15803d", "#9333ea", "#a16207", "#0e7490", "#be185d",
		  "#4d5a6b" },
		{ "#3f86dd", "#d9683a", "#38a169", "#a56be0", "#b98b2f", "#2fa3bd", "#d95a93",
		  "#7f8da0" },
	};

	fputs("<style>\n"
	      "text{font:12px system-ui,sans-serif;fill:#222}\n"
	      ".title{font-size:16px;font-weight:600}.small{font-size:11px;fill:#555}\n"
	      ".num{font-weight:600}.in{font-size:11px;fill:#fff}\n"
	      ".back{fill:#fff}.state{fill:#f4f6f9;stroke:#c7ced8}.rest{fill:#b4bcc8}\n"
	      ".quota{stroke:#222;stroke-width:1.6}.free{fill:#e3e8ee}\n"
	      ".way{fill:none;stroke:#555;stroke-width:1.6}.tip{fill:#555}\n"
	      ".going{opacity:.45}\n",
	      out);
	for (int i = 0; i < COLORS; i++)
		fprintf(out, ".c%d{fill:%s}", i, colors[0][i]);
	fputs("\n@media(prefers-color-scheme:dark){\n"
	      "text{fill:#e3e6ea}.small{fill:#a9b2bf}.in{fill:#fff}\n"
	      ".back{fill:#15181d}.state{fill:#1e232b;stroke:#3a434f}.rest{fill:#5a6472}\n"
	      ".quota{stroke:#f2f4f7}.free{fill:#2b323c}.way{stroke:#a9b2bf}.tip{fill:#a9b2bf}\n",
	      out);
	for (int i = 0; i < COLORS; i++)
		fprintf(out, ".c%d{fill:%s}", i, colors[1][i]);
	fputs("\n}\n</style>\n", out);
}

static uint32_t place_in_cast(const struct fl_loop_moves *moves, struct fl_workload w)
{
	uint32_t i = 0;

	while (i < moves->n_cast && moves->cast[i].v != w.v)
		i++;
	return i;
}

/* One piece of a bar, with a name where there is room for it. */
static void put_piece(const struct drawing *d, double x, double y, double width,
		      const struct fl_loop_holding *h)
{
	char name[FL_REPORT_NAME];
	const char *slash;
	bool cut;

	if (!h) {
		fprintf(d->out,
			"<rect class=\"rest\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n",
			x, y, width, BAR - 4);
		return;
	}
	fl_report_workload(d->r->model, h->workload, name);
	fprintf(d->out, "<g%s><title>", h->going ? " class=\"going\"" : "");
	put_text(d->out, name, strlen(name));
	fprintf(d->out,
		"%s</title><rect class=\"c%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
		h->going ? " is being evicted" : "", place_in_cast(d->moves, h->workload) % COLORS,
		x, y, width - 1, BAR - 4);
	slash = strchr(name, '/') ? strchr(name, '/') + 1 : name;
	room_for(slash, width - 6, 11, &cut);
	if (!cut) {
		fprintf(d->out, "<text class=\"in\" x=\"%.1f\" y=\"%.1f\">", x + 4, y + BAR - 8);
		put_text(d->out, slash, strlen(slash));
		fputs("</text>", d->out);
	}
	fputs("</g>\n", d->out);
}

static void put_label(const struct drawing *d, double x, double y, uint32_t queue,
		      uint32_t resource)
{
	const struct fl_loop_moves *moves = d->moves;
	char text[FL_REPORT_NAME];

	snprintf(text, sizeof(text), "%.253s%s%.200s",
		 fl_report_node(d->r->model, moves->queues[queue].node),
		 moves->n_resources > 1 ? " " : "",
		 moves->n_resources > 1 ?
			 fl_report_short_resource(d->r->model, moves->resources[resource]) :
			 "");
	fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\"><title>", x, y);
	put_text(d->out, text, strlen(text));
	fputs("</title>", d->out);
	put_name(d->out, text, LABEL - 4, 12);
	fputs("</text>\n", d->out);
}

/* What workloads hold of @resource in @queue, and the mark of its quota. */
static void put_bar(const struct drawing *d, const struct fl_span *state, double x, double y,
		    uint32_t queue, uint32_t resource)
{
	const struct fl_loop_moves *moves = d->moves;
	const struct fl_loop_queue *q = &moves->queues[queue];
	double at = x + LABEL, sum = q->others[resource], unit = d->scale[resource];
	char held[32], quota[32], text[80];

	put_label(d, x, y + BAR - 6, queue, resource);
	fprintf(d->out, "<rect class=\"free\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"/>\n",
		at, y, BOX - 2 * PAD - LABEL - VALUE, BAR - 4);
	if (sum > 0)
		put_piece(d, at, y, sum * unit, /* h= */ NULL);
	at += sum * unit;
	for (uint32_t i = state->first; i < state->first + state->n; i++) {
		const struct fl_loop_holding *h = &moves->holdings[i];

		if (h->queue.v != q->node.v || h->amount[resource] <= 0)
			continue;
		put_piece(d, at, y, h->amount[resource] * unit, h);
		at += h->amount[resource] * unit;
		sum += h->amount[resource];
	}
	if (q->quota[resource] >= 0)
		fprintf(d->out, "<path class=\"quota\" d=\"M%.1f %.1fv%d\"/>\n",
			x + LABEL + q->quota[resource] * unit, y - 2, BAR);
	fl_loop_amount(d->r, moves->resources[resource], sum, held);
	fl_loop_amount(d->r, moves->resources[resource], q->quota[resource], quota);
	snprintf(text, sizeof(text), "%s of %s", held, quota);
	fprintf(d->out, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
		x + BOX - 2 * PAD, y + BAR - 7);
	put_cut(d->out, text, VALUE - 2, 11);
	fputs("</text>\n", d->out);
}

static const struct fl_span *state_of(const struct drawing *d, uint32_t i)
{
	uint32_t step = d->moves->prefix + i;

	return step ? &d->moves->steps[step - 1].holdings : &d->moves->start;
}

static void put_state(const struct drawing *d, uint32_t i)
{
	double x = d->x[i] + PAD, y = d->y[i] + PAD;

	fprintf(d->out,
		"<rect class=\"state\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" rx=\"6\"/>\n",
		d->x[i], d->y[i], BOX, d->height[i]);
	for (uint32_t q = 0; q < d->moves->n_queues; q++)
		for (uint32_t k = 0; k < d->moves->n_resources; k++, y += BAR)
			put_bar(d, state_of(d, i), x, y, q, k);
}

/* --- moves --- */

struct line {
	bool head; /* of a move; else a rule */
	char text[LINE_BYTES];
};

/* As many lines as @text takes, broken at blanks; the last one is cut when it is written. */
static void add_lines(struct line *lines, uint32_t *n, bool head, const char *text, uint32_t most)
{
	double size = head ? HEAD_SIZE : 11;
	uint32_t last = *n + most < LINES ? *n + most : LINES;

	while (*text && *n < last) {
		bool cut;
		size_t len = room_for(text, BOX - INDENT, size, &cut), end = len;

		while (cut && end && text[end] != ' ')
			end--;
		if (!cut || *n + 1 == last)
			len = strlen(text);
		else if (end)
			len = end;
		lines[*n].head = head;
		snprintf(lines[(*n)++].text, LINE_BYTES, "%.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
}

/* What move @i of the round does, and by which rules; so many lines. */
static uint32_t lines_of(const struct drawing *d, uint32_t i, struct line ret[LINES])
{
	const struct fl_loop_moves *moves = d->moves;
	const struct fl_loop_step *s = &moves->steps[moves->prefix + i];
	char text[FL_LOOP_MOVE_TEXT], numbered[FL_LOOP_MOVE_TEXT + 16];
	uint32_t n = 0;

	snprintf(numbered, sizeof(numbered), "%u. %s", moves->prefix + i + 1,
		 fl_loop_move(d->r, moves, moves->prefix + i, NAME, text));
	add_lines(ret, &n, /* head= */ true, numbered, 4);
	for (uint32_t k = s->acts.first; k < s->acts.first + s->acts.n; k++) {
		const struct fl_loop_act *act = &moves->acts[k];

		if (act->kind == FL_EVICT)
			add_lines(ret, &n, /* head= */ false,
				  *fl_loop_proof(d->r, act, NAME, text) ?
					  text :
					  fl_reason_name(act->reason),
				  2);
	}
	return n;
}

static void put_lines(const struct drawing *d, uint32_t i, double x, double y)
{
	struct line lines[LINES];
	uint32_t n = lines_of(d, i, lines);

	for (uint32_t l = 0; l < n; l++) {
		fprintf(d->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"><title>",
			lines[l].head ? "num" : "small", x, y + (l + 1) * LINE - 4);
		put_text(d->out, lines[l].text, strlen(lines[l].text));
		fputs("</title>", d->out);
		put_cut(d->out, lines[l].text, BOX - INDENT, lines[l].head ? HEAD_SIZE : 11);
		fputs("</text>\n", d->out);
	}
}

static void put_tip(const struct drawing *d, double x, double y, int down)
{
	fprintf(d->out, "<path class=\"tip\" d=\"M%.1f %.1fl-4.5 %dh9z\"/>\n", x, y, -8 * down);
}

/* --- the ring --- */

static void measure(struct drawing *d)
{
	const struct fl_loop_moves *moves = d->moves;
	struct line lines[LINES];

	d->n = moves->n < STATES ? moves->n : STATES;
	for (uint32_t k = 0; k < moves->n_resources; k++) {
		double most = 0;

		for (uint32_t q = 0; q < moves->n_queues; q++) {
			most = fmax(most, moves->queues[q].quota[k]);
			for (uint32_t i = 0; i <= d->n; i++) {
				const struct fl_span *state = state_of(d, i);
				double sum = moves->queues[q].others[k];

				for (uint32_t h = state->first; h < state->first + state->n; h++)
					if (moves->holdings[h].queue.v == moves->queues[q].node.v)
						sum += moves->holdings[h].amount[k];
				most = fmax(most, sum);
			}
		}
		d->scale[k] = (BOX - 2 * PAD - LABEL - VALUE) / (most > 0 ? most : 1);
	}
	for (uint32_t i = 0; i < d->n; i++) {
		d->height[i] = 2 * PAD - 4 + (double)moves->n_queues * moves->n_resources * BAR;
		d->above[i] = 2 * LEG + lines_of(d, i, lines) * LINE;
	}
}

/* Down on the right: a state, then its move.  Up on the left: a state, its move above it. */
static void place(struct drawing *d)
{
	uint32_t right = (d->n + 1) / 2;
	double down = TOP, left = 0;

	for (uint32_t i = 0; i < right; i++) {
		d->x[i] = MARGIN + BOX + GAP;
		d->y[i] = down;
		down += d->height[i] + d->above[i];
	}
	for (uint32_t i = right; i < d->n; i++)
		left += d->height[i] + d->above[i];
	/* On the left there is a text above the highest state, on the right one below the lowest. */
	d->bottom = fmax(down, TOP + left) + LEG;
	down = d->bottom - LEG;
	for (uint32_t i = right; i < d->n; i++) {
		d->x[i] = MARGIN;
		d->y[i] = down - d->height[i];
		down = d->y[i] - d->above[i];
	}
}

/* From state @i to the next, and what happens on the way. */
static void put_way(const struct drawing *d, uint32_t i)
{
	uint32_t next = i + 1 < d->n ? i + 1 : 0;
	double x = d->x[i] + 8, below = d->y[i] + d->height[i], to = d->x[next] + 8;

	if (d->n == 1) { /* down, and round on the left */
		fprintf(d->out, "<path class=\"way\" d=\"M%.1f %.1fV%.1fH%.1fV%.1fH%.1f\"/>\n", x,
			below, below + d->above[i], d->x[i] - 16, d->y[i] + 20, d->x[i]);
		put_lines(d, i, x + INDENT - 8, below + LEG);
	} else if (d->x[next] == d->x[i] && d->y[next] > d->y[i]) {
		fprintf(d->out, "<path class=\"way\" d=\"M%.1f %.1fV%.1f\"/>\n", x, below,
			d->y[next] - 6);
		put_tip(d, x, d->y[next], 1);
		put_lines(d, i, x + INDENT - 8, below + LEG);
	} else if (d->x[next] == d->x[i]) {
		fprintf(d->out, "<path class=\"way\" d=\"M%.1f %.1fV%.1f\"/>\n", x, d->y[i],
			d->y[next] + d->height[next] + 6);
		put_tip(d, x, d->y[next] + d->height[next], -1);
		put_lines(d, i, x + INDENT - 8, d->y[i] - d->above[i] + LEG);
	} else if (d->x[next] < d->x[i]) { /* at the foot, to the left */
		double foot = d->bottom;

		fprintf(d->out, "<path class=\"way\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/>\n", x, below,
			foot, to, d->y[next] + d->height[next] + 6);
		put_tip(d, to, d->y[next] + d->height[next], -1);
		put_lines(d, i, x + INDENT - 8, below + LEG);
	} else { /* at the head, back to the first */
		double head = TOP - LEG;

		fprintf(d->out, "<path class=\"way\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/>\n", x,
			d->y[i], head, to, d->y[next] - 6);
		put_tip(d, to, d->y[next], 1);
		put_lines(d, i, x + INDENT - 8, d->y[i] - d->above[i] + LEG);
	}
}

/* --- around it --- */

static double put_legend(const struct drawing *d)
{
	const struct fl_loop_moves *moves = d->moves;
	double x = MARGIN, y = d->bottom + 34, column = (WIDTH - 2 * MARGIN) / 3.0;
	char name[FL_REPORT_NAME];

	for (uint32_t i = 0; i < moves->n_cast; i++) {
		fl_report_workload(d->r->model, moves->cast[i], name);
		fprintf(d->out,
			"<rect class=\"c%u\" x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\"/>"
			"<text x=\"%.1f\" y=\"%.1f\"><title>",
			i % COLORS, x, y - 10, x + 18, y);
		put_text(d->out, name, strlen(name));
		fputs("</title>", d->out);
		put_name(d->out, name, column - 26, 12);
		fputs("</text>\n", d->out);
		x += column;
		if (i % 3 == 2 || i + 1 == moves->n_cast) {
			x = MARGIN;
			y += 20;
		}
	}
	fprintf(d->out,
		"<path class=\"quota\" d=\"M%d %.1fv14\"/>"
		"<text class=\"small\" x=\"%d\" y=\"%.1f\">quota of the queue; pale: is being "
		"evicted; grey: held by others</text>\n",
		MARGIN + 6, y - 11, MARGIN + 18, y);
	return y + 20;
}

/* How high the legend is. */
static double legend_height(const struct fl_loop_moves *moves)
{
	/* NOLINTNEXTLINE(bugprone-integer-division): whole rows */
	return 34 + 20.0 * ((moves->n_cast + 2) / 3) + 20;
}

static void put_title(const struct drawing *d, enum fl_loop loop)
{
	const struct fl_loop_moves *moves = d->moves;
	char text[160];

	fprintf(d->out, "<text class=\"title\" x=\"%d\" y=\"28\">A preemption loop, %s</text>\n",
		MARGIN, fl_loop_names[loop]);
	snprintf(text, sizeof(text), "%u move%s repeat%s for ever", moves->n,
		 moves->n == 1 ? "" : "s", moves->n == 1 ? "s" : "");
	if (moves->prefix)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; %u lead%s into the loop", moves->prefix, moves->prefix == 1 ? "s" : "");
	if (moves->n > d->n)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; the first %u are drawn", d->n);
	if (moves->n_resources == 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "; bars are %.60s",
			 fl_report_short_resource(d->r->model, moves->resources[0]));
	fprintf(d->out, "<text class=\"small\" x=\"%d\" y=\"47\">", MARGIN);
	put_text(d->out, text, strlen(text));
	fputs("</text>\n", d->out);
}

void fl_loop_svg(FILE *out, const struct fl_report *r, const struct fl_loop_moves *moves,
		 enum fl_loop loop)
{
	struct drawing d = { .out = out, .r = r, .moves = moves };

	measure(&d);
	place(&d);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n"
		"<title>A preemption loop</title>\n",
		WIDTH, d.bottom + legend_height(moves) + 10);
	put_style(out);
	fprintf(out, "<rect class=\"back\" width=\"%d\" height=\"%.0f\"/>\n", WIDTH,
		d.bottom + legend_height(moves) + 10);
	put_title(&d, loop);
	for (uint32_t i = 0; i < d.n; i++)
		put_way(&d, i);
	for (uint32_t i = 0; i < d.n; i++)
		put_state(&d, i);
	put_legend(&d);
	fputs("</svg>\n", out);
}
