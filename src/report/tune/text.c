/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "report/out/table.h"
#include "report/tune/tune_report.h"

#define HOUR (3600 * FL_SECOND)

static void say_parameters(const struct fl_report *r, const struct fl_tune_report *t)
{
	static const char *const how[] = {
		[FL_TUNE_K] = "k was found, in closed form",
		[FL_TUNE_HALF_LIFE] = "The half-life was found, by bisection",
		[FL_TUNE_WINDOW] = "The window was found, in closed form",
		[FL_TUNE_PAIR] =
			("k and the half-life were found: k is 1, or twice the least that is "
			 "enough; then the half-life follows, by bisection"),
	};
	char half_life[32], window[32], cost[32];

	fl_report_say(r, FL_STYLE_BOLD, 0, "k %.4g, %s%s, window %s", t->tune.k,
		      t->tune.half_life ? "half-life " : "no half-life",
		      t->tune.half_life ? fl_tune_time(t->tune.half_life, half_life) : "",
		      fl_tune_time(t->tune.window, window));
	if (t->found)
		fl_report_say(r, FL_STYLE_PLAIN, 0, "%s, for a cost of %s.", how[t->found],
			      fl_tune_percent(t->cost, cost));
}

/* "costs 50 % of its portion", "costs nothing", "its portion grows by 30 %" */
static void say_cost(const struct fl_report *r, double cost, const char *when)
{
	char text[32];

	if (fabs(cost) < 5e-6)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "costs nothing %s", when);
	else if (cost > 0)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "costs %s of its over-quota portion %s",
			      fl_tune_percent(cost, text), when);
	else
		fl_report_say(r, FL_STYLE_PLAIN, 2,
			      "costs nothing, the portion even grows by %s, %s",
			      fl_tune_percent(-cost, text), when);
}

static void say_use(const struct fl_report *r, const struct fl_tune_report *t)
{
	const struct fl_tune_weight *w = &t->weights[t->own];
	double usage = fl_tune_usage(&t->tune, t->part, t->used, 0);
	char what[64], time[32], part[32], used[32], all[32];

	fl_report_say(r, FL_STYLE_PLAIN, 0,
		      "To use %s for %s is a usage of %s. For a queue of weight %.4g (%s of all "
		      "weights) it",
		      fl_tune_what(t, what), fl_tune_time(t->used, time),
		      fl_tune_percent(usage, used), w->weight, fl_tune_percent(w->part, part));
	say_cost(r, fl_tune_cost(t->tune.k, w->part, usage, FL_OTHERS_IDLE),
		 "if the others used nothing");
	say_cost(r, fl_tune_cost(t->tune.k, w->part, usage, FL_OTHERS_BUSY),
		 "if the others used all the rest");
	fl_report_say(r, FL_STYLE_PLAIN, 2,
		      "is half forgotten %s after it ended, and all forgotten after %s",
		      fl_tune_time(fl_tune_halves(&t->tune, t->used), time),
		      fl_tune_time(t->tune.window, all));
}

static int put_weights(const struct fl_report *r, const struct fl_tune_report *t,
		       fairlead_error *err)
{
	static const char *const heads[] = { "WEIGHT",       "QUEUES",    "PART",
					     "HOUR COSTS",   "IDLE GETS", "YIELDS FROM",
					     "YIELDS AFTER", "BACK AFTER" };
	struct fl_table *table;
	char cells[8][32];
	int rc = fl_table_new(r, &table, err);

	if (rc < 0)
		return rc;
	for (unsigned c = 0; c < 8 && rc == 0; c++)
		rc = fl_table_column(table, heads[c], FL_COL_RIGHT, c < 3 ? 0 : 10 - c, err);
	for (uint32_t i = 0; i < t->n_weights && rc == 0; i++) {
		const struct fl_tune_weight *w = &t->weights[i];
		double hour = fl_tune_usage(&t->tune, 1, HOUR, 0);
		double k = fl_tune_least_k(&t->tune, w->part);

		snprintf(cells[0], 32, "%.4g", w->weight);
		snprintf(cells[1], 32, "%u", w->count);
		fl_tune_percent(w->part, cells[2]);
		fl_tune_percent(fl_tune_cost(t->tune.k, w->part, hour, FL_OTHERS_IDLE), cells[3]);
		fl_tune_percent(fl_tune_portion(t->tune.k, w->part, 0, FL_OTHERS_BUSY), cells[4]);
		snprintf(cells[5], 32, isinf(k) ? "never" : "k %.4g", k);
		fl_tune_time(fl_tune_yields(&t->tune, w->part), cells[6]);
		fl_tune_time(fl_tune_recovers(&t->tune, w->part), cells[7]);
		rc = fl_table_row(table, -1, err);
		for (unsigned c = 0; c < 8 && rc >= 0; c++)
			rc = fl_table_cell(table, c, cells[c], err);
	}
	if (rc >= 0)
		rc = fl_table_print(table, 0, err);
	fl_table_free(table);
	return rc;
}

static void say_turns(const struct fl_report *r, const struct fl_tune_report *t)
{
	fl_time turn = fl_tune_turn(&t->tune);
	char text[32];

	if (turn == FL_NEVER)
		fl_report_say(r, FL_STYLE_PLAIN, 0,
			      "Model: of two queues of equal weight with jobs that need the whole "
			      "cluster, one keeps it.");
	else
		fl_report_say(r, FL_STYLE_PLAIN, 0,
			      "Model: two queues of equal weight with jobs that need the whole "
			      "cluster take turns of %s%s.",
			      fl_tune_time(turn, text),
			      t->tune.unit > 0 ? "; shares are rounded to whole GPUs" : "");
}

int fl_tune_text(const struct fl_report *r, const struct fl_tune_report *t, fairlead_error *err)
{
	int rc;

	say_parameters(r, t);
	fputc('\n', r->out);
	say_use(r, t);
	fputc('\n', r->out);
	rc = put_weights(r, t, err);
	if (rc < 0)
		return rc;
	fl_report_say(
		r, FL_STYLE_DIM, 0,
		"HOUR: of the whole cluster, the others idle. IDLE: a queue that used nothing while "
		"the others used everything. YIELDS: a queue that holds everything gets nothing "
		"from this k on, and after this time. BACK: time idle until its portion is again "
		"that of its weight.");
	fputc('\n', r->out);
	say_turns(r, t);
	fputc('\n', r->out);
	fl_tune_plot(r, t);
	for (uint32_t i = 0; i < t->n_notes; i++)
		fl_report_say(r, FL_STYLE_WARN, 0, "note: %s", t->notes[i].text);
	return 0;
}
