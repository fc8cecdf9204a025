/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_report - what parameters of usage over time mean: in words, as JSON, as a picture
 *
 * The picture is the portion of a queue, as a part of what its weight alone gives it, while it
 * uses something and then nothing; a line for each weight.
 */
#ifndef FL_REPORT_TUNE_TUNE_REPORT_H
#define FL_REPORT_TUNE_TUNE_REPORT_H

#include "decide/share/tune.h"
#include "report/out/shape.h"

/* What of the parameters was not given, but found. */
enum fl_tune_found {
	FL_TUNE_NOTHING,
	FL_TUNE_K,
	FL_TUNE_HALF_LIFE,
	FL_TUNE_WINDOW,
	FL_TUNE_PAIR, /* k and half-life */
};

struct fl_tune_weight {
	double weight, part; /* as given; of the sum of all, above 0 */
	uint32_t count;      /* queues that have it */
};

struct fl_tune_note {
	const char *code, *text;
};

struct fl_tune_report {
	struct fl_tune tune;
	enum fl_tune_found found;
	double cost; /* that was asked for, if anything was found */
	enum fl_tune_others others;
	double gpus, cluster; /* both 0: the whole cluster, of any size */
	double part;          /* of the cluster, 0 to 1 */
	fl_time used, drawn;  /* how long; and in the picture */
	const struct fl_tune_weight *weights;
	uint32_t n_weights, own; /* own: the queue that is asked about */
	const struct fl_tune_note *notes;
	uint32_t n_notes;
	bool utf8; /* the terminal shows it */
};

int fl_tune_text(const struct fl_report *r, const struct fl_tune_report *t, fairlead_error *err);
extern const struct fl_document fl_tune_document;
void fl_tune_json(const struct fl_report *r, const struct fl_tune_report *t);
void fl_tune_plot(const struct fl_report *r, const struct fl_tune_report *t);
void fl_tune_svg(FILE *out, const struct fl_tune_report *t);

/* "4 of 16 GPUs", "the whole cluster" */
const char *fl_tune_what(const struct fl_tune_report *t, char buffer[64]);
/* "2d12h", "never" */
const char *fl_tune_time(fl_time time, char buffer[32]);
/* "12.5 %" */
const char *fl_tune_percent(double part, char buffer[32]);

/* --- the picture's parts (curve.c) ---------------------------------------------------- */

enum { FL_TUNE_LINES = 5, FL_TUNE_TICKS = 12 };

struct fl_tune_axes {
	fl_time used, end; /* used until, and as far as the picture goes */
	double top;        /* of the portion's axis: 1 is what the weight gives */
	fl_time ticks[FL_TUNE_TICKS];
	uint32_t n_ticks;
	uint32_t
		lines[FL_TUNE_LINES]; /* into weights: of more than fit the outermost and the own */
	uint32_t n_lines;
};
void fl_tune_axes(const struct fl_tune_report *t, struct fl_tune_axes *ret);

/* The portion's part of what the weight gives, @at after the use began. */
double fl_tune_curve(const struct fl_tune_report *t, const struct fl_tune_axes *a, uint32_t weight,
		     fl_time at);

#endif
