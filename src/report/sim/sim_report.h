/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sim_report - what a simulation came to: in words, as JSON, as CSV, and what happened in it
 *
 * The numbers are those of sim/measure.h; a number that is not known is left out, or null in a
 * series.  Amounts are in natural units (cores, bytes, GPUs), times in seconds after the
 * beginning.  JSON and CSV follow SimulationReport's schema and are promised, text is not.
 */
#ifndef FL_REPORT_SIM_SIM_REPORT_H
#define FL_REPORT_SIM_SIM_REPORT_H

#include "report/out/shape.h"
#include "sim/measure.h"

struct fl_sim_report {
	const struct fl_sim *sim;
	const struct fl_measured *measured;
	uint32_t top; /* rows of a table of text; 0: all */
	bool utf8;    /* the terminal shows it */
};

/* For people. */
int fl_sim_text(const struct fl_report *r, const struct fl_sim_report *s, fairlead_error *err);

extern const struct fl_document fl_sim_document;
extern const struct fl_json_shape fl_sim_shape;
/* A SimulationReport as value of @key; @series: with what was over time. */
void fl_sim_json(struct fl_json *j, const char *key, const struct fl_report *r,
		 const struct fl_sim_report *s, bool series);

/* A line for each bucket and queue (or rest), and for the cluster. */
void fl_sim_series_csv(FILE *out, const struct fl_sim_report *s);
/* A line for each workload. */
void fl_sim_jobs_csv(FILE *out, const struct fl_sim *sim);
/* A line of events.jsonl. */
void fl_sim_event_line(FILE *out, const struct fl_sim *sim, const struct fl_sim_event *e);

/* Into an object: a preemption loop with its workloads, by name. */
void fl_sim_loop_json(struct fl_json *j, const struct fl_sim *sim, const struct fl_watched_loop *l);
/* A list "loops" of them, of a struct fl_sim; nothing when there was none. */
extern const struct fl_json_shape fl_sim_loops_shape;
/* The next workload of @l by name, its place in @from and on; FL_NONE.  And its queue. */
struct fl_workload fl_sim_loop_next(const struct fl_sim *sim, const struct fl_watched_loop *l,
				    uint32_t *from);
struct fl_node fl_sim_loop_queue(const struct fl_model *m, struct fl_workload w);

/* --- words of all of them (words.c) --- */

/* @amount, in units of amounts, in natural ones. */
double fl_sim_natural(const struct fl_model *m, struct fl_resource r, double amount);
/* "all-done", "until", "no-progress", "stopped" */
const char *fl_sim_end_name(enum fl_sim_end end);
/* Whether a cell's number is one: else it is without bound. @ret: in natural units. */
bool fl_sim_cell_value(const struct fl_model *m, const struct fl_cell *c, double *ret);
/* "arrived", "letGo", "failed", ... */
const char *fl_sim_event_name(enum fl_sim_event_kind kind);
/* "team-a default cpu nominalQuota 10"; "node-1" when all of it failed or is back */
enum { FL_SIM_CHANGE = 4 * FL_REPORT_NAME };
const char *fl_sim_change_text(const struct fl_model *m, const struct fl_measured_note *n,
			       char buffer[FL_SIM_CHANGE]);
/* "root", "3 others of root", "3 others" */
const char *fl_sim_line_name(const struct fl_sim_report *s, const struct fl_series_row *l,
			     char buffer[FL_REPORT_NAME]);

#endif
