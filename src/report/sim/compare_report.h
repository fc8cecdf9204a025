/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_report - several runs of the same jobs side by side: tables, JSON, CSV
 *
 * Of each run only the figures below are kept, so that its scenario can go before the next
 * one comes.  They are those of sim/measure.h.
 */
#ifndef FL_REPORT_SIM_COMPARE_REPORT_H
#define FL_REPORT_SIM_COMPARE_REPORT_H

#include "report/out/csv.h"
#include "report/sim/sim_report.h"

enum fl_figure {
	FL_FIGURE_FINISHED,
	FL_FIGURE_USE, /* of the first run's scarcest resource, as its lost hours */
	FL_FIGURE_EVICTIONS,
	FL_FIGURE_LOST,
	FL_FIGURE_WAIT_P50,
	FL_FIGURE_WAIT_P90,
	FL_FIGURE_WAIT_MAX,
	FL_FIGURE_JAIN,
	FL_FIGURE_BLOCKED,       /* mean ratio of blocked queues */
	FL_FIGURE_BLOCKED_LEAST, /* the worst */
	FL_FIGURE_CORRECTION,    /* p90 */
	FL_FIGURES
};

/* A leaf. */
struct fl_compared_queue {
	char *name;
	double wanted; /* of the scarcest resource, mean */
	double p90, ratio, evictions;
};

struct fl_compared_run {
	char *name;
	double figures[FL_FIGURES];       /* NAN: not known */
	struct fl_compared_queue *queues; /* by name */
	uint32_t n_queues;
	enum fl_sim_end ended;
};

/* Runs that are points of one parameter. */
struct fl_compared_sweep {
	const char *parameter, *unit;
	const double *values; /* of each run */
};

struct fl_comparison {
	const struct fl_report *report;
	char *scenario;   /* its name; "" */
	char *resource;   /* the scarcest of the first run; "" without resources */
	char *unit;       /* of it */
	char **resources; /* all of the first run's: columns of the CSV */
	uint32_t n_resources;
	uint32_t asked; /* runs that were asked for: more than n where it was stopped */
	uint32_t top;   /* queues that are shown; 0: all */
	const struct fl_compared_sweep *sweep; /* runs are lines, not columns; NULL: variants */
	struct fl_compared_run *runs;
	uint32_t n, cap;
};

void fl_comparison_done(struct fl_comparison *c);
/* Keep the figures of a run. 0 or FAIRLEAD_ENOMEM. */
int fl_comparison_add(struct fl_comparison *c, const char *name, const struct fl_sim_report *s,
		      fairlead_error *err);
/* For people. */
int fl_comparison_text(const struct fl_comparison *c, fairlead_error *err);

/*
 * After fl_comparison_add: a line for each queue and cohort of the newest run, after one of
 * names before the first.  Resources that the first one has not are left out.
 */
void fl_comparison_csv(const struct fl_comparison *c, FILE *out, const struct fl_sim_report *s);

#endif
