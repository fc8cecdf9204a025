/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "report/out/table.h"
#include "report/sim/compare_report.h"
#include "report/sim/text.h"

enum kind { COUNT, PART, WAIT, RATIO, HOURS };

static const struct {
	const char *long_name, *head;
	enum kind kind;
} figures[FL_FIGURES] = {
	[FL_FIGURE_FINISHED] = { "jobs finished", "FINISHED", COUNT },
	[FL_FIGURE_USE] = { "use", "USE", PART },
	[FL_FIGURE_WAIT_P50] = { "wait, p50", "P50", WAIT },
	[FL_FIGURE_WAIT_P90] = { "wait, p90", "P90", WAIT },
	[FL_FIGURE_WAIT_MAX] = { "wait, longest", "MAX", WAIT },
	[FL_FIGURE_JAIN] = { "Jain's index", "JAIN", RATIO },
	[FL_FIGURE_BLOCKED] = { "held / entitled, blocked queues", "RATIO", RATIO },
	[FL_FIGURE_BLOCKED_LEAST] = { "the same, worst queue", "WORST", RATIO },
	[FL_FIGURE_CORRECTION] = { "time to correct, p90", "CORRECTED", WAIT },
	[FL_FIGURE_EVICTIONS] = { "evictions", "EVICTED", COUNT },
	[FL_FIGURE_LOST] = { "hours of work lost", "LOST", HOURS },
};

/* --- keeping --- */

void fl_comparison_done(struct fl_comparison *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		for (uint32_t q = 0; q < c->runs[i].n_queues; q++)
			free(c->runs[i].queues[q].name);
		free(c->runs[i].queues);
		free(c->runs[i].name);
	}
	free(c->runs);
	free(c->scenario);
	free(c->resource);
	free(c->unit);
	for (uint32_t i = 0; i < c->n_resources; i++)
		free(c->resources[i]);
	free(c->resources);
	*c = (struct fl_comparison){ 0 };
}

/* Resources and nodes of all tables are those of the first run. */
static int begin(struct fl_comparison *c, const struct fl_sim_report *s, fairlead_error *err)
{
	const struct fl_measured *d = s->measured;
	uint32_t main = d->n_resources ? fl_sim_main_resource(d) : 0;

	c->scenario = strdup(fl_model_text(s->sim->model, s->sim->settings.name));
	c->resource = strdup(d->n_resources ? d->resources[main].name : "");
	c->unit = strdup(d->n_resources ? d->resources[main].unit : "");
	c->resources = calloc((size_t)d->n_resources + 1, sizeof(*c->resources));
	if (!c->scenario || !c->resource || !c->unit || !c->resources)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < d->n_resources; i++) {
		c->resources[i] = strdup(d->resources[i].name);
		if (!c->resources[i])
			return fl_fail_nomem(err);
		c->n_resources++;
	}
	return 0;
}

/* FL_NONE: not in this run. */
static uint32_t find_resource(const struct fl_measured *d, const char *name)
{
	for (uint32_t i = 0; i < d->n_resources; i++)
		if (strcmp(d->resources[i].name, name) == 0)
			return i;
	return FL_NONE;
}

static void fill(struct fl_compared_run *run, const struct fl_measured *d, uint32_t main)
{
	double *f = run->figures;
	bool any = main != FL_NONE;

	f[FL_FIGURE_FINISHED] = d->totals.finished;
	f[FL_FIGURE_USE] = any ? d->utilisation[main] : nan("");
	f[FL_FIGURE_WAIT_P50] = d->totals.wait.p50;
	f[FL_FIGURE_WAIT_P90] = d->totals.wait.p90;
	f[FL_FIGURE_WAIT_MAX] = d->totals.wait.max;
	f[FL_FIGURE_JAIN] = d->fairness.jain;
	f[FL_FIGURE_BLOCKED] = d->fairness.blocked_mean;
	f[FL_FIGURE_BLOCKED_LEAST] = d->fairness.blocked_least;
	f[FL_FIGURE_CORRECTION] = d->fairness.corrections.p90;
	f[FL_FIGURE_EVICTIONS] = d->totals.evictions;
	f[FL_FIGURE_LOST] = any ? d->totals.lost[main] : nan("");
	run->ended = d->ended;
}

static int keep_queues(struct fl_compared_run *run, const struct fl_sim_report *s, uint32_t main,
		       fairlead_error *err)
{
	const struct fl_measured *d = s->measured;

	run->queues = calloc((size_t)d->n_nodes + 1, sizeof(*run->queues));
	if (!run->queues)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < d->n_nodes; i++) {
		const struct fl_measured_node *n = &d->nodes[i];
		struct fl_compared_queue *q = &run->queues[run->n_queues];

		if (!n->leaf)
			continue;
		q->name = strdup(fl_report_node(s->sim->model, n->node));
		if (!q->name)
			return fl_fail_nomem(err);
		q->wanted = main == FL_NONE ? 0 : n->wanted[main];
		q->p90 = n->counts.wait.p90;
		q->ratio = n->ratio_mean;
		q->evictions = n->counts.evictions;
		run->n_queues++;
	}
	return 0;
}

int fl_comparison_add(struct fl_comparison *c, const char *name, const struct fl_sim_report *s,
		      fairlead_error *err)
{
	struct fl_compared_run *run;
	uint32_t main;
	int r = fl_mem_grow(&fl_mem_heap, &c->runs, &c->cap, c->n + 1, sizeof(*c->runs), err);

	if (r == 0 && c->n == 0)
		r = begin(c, s, err);
	if (r < 0)
		return r;
	main = find_resource(s->measured, c->resource);
	run = &c->runs[c->n++];
	*run = (struct fl_compared_run){ .name = strdup(name) };
	if (!run->name)
		return fl_fail_nomem(err);
	fill(run, s->measured, main);
	return keep_queues(run, s, main, err);
}

/* --- text --- */

static const char *figure_text(const struct fl_comparison *c, enum fl_figure f, double value,
			       char buffer[32])
{
	struct fl_measured_resource resource = { .name = c->resource, .unit = c->unit };

	switch (figures[f].kind) {
	case COUNT:
		return fl_sim_count(value, buffer);
	case PART:
		return fl_sim_percent(value, buffer);
	case WAIT:
		return fl_sim_wait(value, buffer);
	case RATIO:
		return fl_sim_ratio(value, buffer);
	case HOURS:
		return fl_sim_amount(&resource, value, buffer);
	}
	return "";
}

/* "(+12 %)"; of parts in points, "(+1.2 pp)", of ratios "(+0.12)"; "" when that would be 0. */
static const char *difference_text(enum fl_figure f, double base, double value, char buffer[32])
{
	double difference = value - base, least = 0.005;
	const char *format = "(%+.2f)";

	buffer[0] = '\0';
	if (figures[f].kind == PART) {
		difference *= 100;
		least = 0.05;
		format = "(%+.1f pp)";
	} else if (figures[f].kind != RATIO) {
		difference = base != 0 ? 100 * difference / base : nan("");
		least = 0.5;
		format = "(%+.0f %%)";
	}
	if (isfinite(difference) && fabs(difference) >= least && fabs(difference) < 999.5)
		snprintf(buffer, 32, format, difference);
	return buffer;
}

/* More of it is better, or less. */
static enum fl_style style_of(enum fl_figure f, double base, double value)
{
	bool more = f == FL_FIGURE_FINISHED || f == FL_FIGURE_USE || f == FL_FIGURE_JAIN ||
		    f == FL_FIGURE_BLOCKED || f == FL_FIGURE_BLOCKED_LEAST;
	double gain = more ? value - base : base - value, size = fmax(fabs(base), fabs(value));

	if (!isfinite(gain) || fabs(gain) <= 0.05 * size)
		return FL_STYLE_PLAIN;
	return gain > 0 ? FL_STYLE_GOOD : FL_STYLE_BAD;
}

/* A column for each run after the first one, which is of names. */
static int begin_columns(const struct fl_comparison *c, const char *first, struct fl_table **ret,
			 fairlead_error *err)
{
	int rc = fl_table_new(c->report, ret, err);

	if (rc < 0)
		return rc;
	fl_table_in_parts(*ret);
	rc = fl_table_column(*ret, first, 0, 0, err);
	for (uint32_t i = 0; i < c->n && rc == 0; i++)
		rc = fl_table_column(*ret, c->runs[i].name, FL_COL_RIGHT, 0, err);
	return rc;
}

static int put_figure(const struct fl_comparison *c, struct fl_table *t, enum fl_figure f,
		      fairlead_error *err)
{
	char value[32], difference[32], text[80];
	int rc = fl_table_row(t, -1, err);

	if (rc >= 0)
		rc = fl_table_cell(t, 0, figures[f].long_name, err);
	for (uint32_t i = 0; i < c->n && rc >= 0; i++) {
		double base = c->runs[0].figures[f], own = c->runs[i].figures[f];

		figure_text(c, f, own, value);
		difference_text(f, base, own, difference);
		snprintf(text, sizeof(text), "%s%s%s", value, *difference ? " " : "", difference);
		rc = fl_table_cell(t, i + 1, text, err);
		if (rc >= 0 && i)
			fl_table_style(t, i + 1, style_of(f, base, own));
	}
	return rc < 0 ? rc : 0;
}

static int figures_by_column(const struct fl_comparison *c, fairlead_error *err)
{
	struct fl_table *t = NULL;
	int rc = begin_columns(c, "", &t, err);

	for (int f = 0; f < FL_FIGURES && rc == 0; f++)
		rc = put_figure(c, t, (enum fl_figure)f, err);
	return fl_table_end(t, rc, err);
}

static int figures_by_line(const struct fl_comparison *c, fairlead_error *err)
{
	struct fl_table *t = NULL;
	char value[32];
	int rc = fl_table_new(c->report, &t, err);

	if (rc < 0)
		return rc;
	fl_table_in_parts(t);
	rc = fl_table_column(t, "POINT", 0, 0, err);
	for (int f = 0; f < FL_FIGURES && rc == 0; f++)
		rc = fl_table_column(t, figures[f].head, FL_COL_RIGHT, 0, err);
	for (uint32_t i = 0; i < c->n && rc >= 0; i++) {
		rc = fl_table_row(t, -1, err);
		if (rc >= 0)
			rc = fl_table_cell(t, 0, c->runs[i].name, err);
		for (int f = 0; f < FL_FIGURES && rc >= 0; f++)
			rc = fl_table_cell(t, (unsigned)f + 1,
					   figure_text(c, (enum fl_figure)f, c->runs[i].figures[f],
						       value),
					   err);
	}
	return fl_table_end(t, rc < 0 ? rc : 0, err);
}

static const struct fl_compared_queue *find(const struct fl_compared_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->n_queues; i++)
		if (strcmp(run->queues[i].name, name) == 0)
			return &run->queues[i];
	return NULL;
}

/* Is @q among the first @top of the first run by what they wanted? */
static bool is_shown(const struct fl_comparison *c, const struct fl_compared_queue *q)
{
	const struct fl_compared_run *run = &c->runs[0];
	uint32_t before = 0;

	for (uint32_t i = 0; c->top && i < run->n_queues; i++)
		before += run->queues[i].wanted > q->wanted ||
			  (run->queues[i].wanted == q->wanted && &run->queues[i] < q);
	return before < c->top || !c->top;
}

static int queues_by_column(const struct fl_comparison *c, fairlead_error *err)
{
	struct fl_table *t = NULL;
	char wait[32], ratio[32], text[80];
	int rc = begin_columns(c, "QUEUE", &t, err);

	for (uint32_t k = 0; k < c->runs[0].n_queues && rc >= 0; k++) {
		const struct fl_compared_queue *q = &c->runs[0].queues[k];

		if (!is_shown(c, q))
			continue;
		rc = fl_table_row(t, -1, err);
		if (rc >= 0)
			rc = fl_table_cell(t, 0, q->name, err);
		for (uint32_t i = 0; i < c->n && rc >= 0; i++) {
			const struct fl_compared_queue *own = find(&c->runs[i], q->name);

			snprintf(text, sizeof(text), "%s  %s",
				 fl_sim_wait(own ? own->p90 : nan(""), wait),
				 fl_sim_ratio(own ? own->ratio : nan(""), ratio));
			rc = fl_table_cell(t, i + 1, text, err);
		}
	}
	return fl_table_end(t, rc < 0 ? rc : 0, err);
}

int fl_comparison_text(const struct fl_comparison *c, fairlead_error *err)
{
	const struct fl_report *r = c->report;
	bool sweep = c->sweep;
	int rc;

	if (c->n == 0)
		return 0;
	fl_report_say(r, FL_STYLE_BOLD, 0, "%s%s%u run%s of the same jobs", c->scenario,
		      *c->scenario ? ": " : "", c->n, c->n == 1 ? "" : "s");
	if (c->n < c->asked)
		fl_report_say(r, FL_STYLE_WARN, 0, "Stopped after %u of %u runs.", c->n, c->asked);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->runs[i].ended == FL_SIM_STOPPED)
			fl_report_say(r, FL_STYLE_WARN, 0, "%s was stopped.", c->runs[i].name);
		else if (c->runs[i].ended == FL_SIM_NO_PROGRESS)
			fl_report_say(r, FL_STYLE_WARN, 0,
				      "%s ended because no job could start any more.",
				      c->runs[i].name);
	if (*c->resource)
		fl_report_say(r, FL_STYLE_DIM, 0, "Use and lost hours are of %s.", c->resource);
	putc('\n', r->out);
	rc = sweep ? figures_by_line(c, err) : figures_by_column(c, err);
	if (rc < 0 || sweep)
		return rc;
	putc('\n', r->out);
	fl_report_say(r, FL_STYLE_DIM, 0,
		      "By queue: p90 of the waits of its jobs; part of its entitlement that it "
		      "held while it was blocked.");
	return queues_by_column(c, err);
}

/* --- CSV --- */

static const char *const amount_names[] = { "hours", "lost hours", "entitled" };
enum { AMOUNTS = sizeof(amount_names) / sizeof(*amount_names) };

static void put_names(const struct fl_comparison *c, struct fl_csv_writer *csv)
{
	static const char *const names[] = {
		"run",      "name",      "kind",        "jobs",        "finished",       "waiting",
		"starts",   "evictions", "preemptions", "wait mean",   "wait p50",       "wait p90",
		"wait p99", "wait max",  "ratio mean",  "ratio least", "blocked seconds"
	};
	char text[FL_REPORT_NAME + 32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fl_csv_text(csv, names[i]);
	for (size_t i = 0; i < AMOUNTS; i++)
		for (uint32_t r = 0; r < c->n_resources; r++) {
			snprintf(text, sizeof(text), "%s %s", amount_names[i], c->resources[r]);
			fl_csv_text(csv, text);
		}
	fl_csv_end(csv);
}

static void put_node(const struct fl_comparison *c, struct fl_csv_writer *csv,
		     const struct fl_sim_report *s, const struct fl_measured_node *n)
{
	const struct fl_measured_counts *k = &n->counts;
	const double *amounts[AMOUNTS] = { k->hours, k->lost, n->entitled };
	const double numbers[] = {
		k->wait.mean, k->wait.p50,   k->wait.p90,    k->wait.p99,
		k->wait.max,  n->ratio_mean, n->ratio_least, n->blocked_seconds
	};
	const uint32_t counts[] = { k->jobs,   k->finished,  k->waiting,
				    k->starts, k->evictions, k->preemptions };

	fl_csv_text(csv, c->runs[c->n - 1].name);
	fl_csv_text(csv, fl_report_node(s->sim->model, n->node));
	fl_csv_text(csv, fl_report_kind(s->sim->model, n->node));
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		fl_csv_int(csv, counts[i]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		fl_csv_number(csv, numbers[i]);
	for (size_t i = 0; i < AMOUNTS; i++)
		for (uint32_t r = 0; r < c->n_resources; r++) {
			uint32_t own = find_resource(s->measured, c->resources[r]);

			fl_csv_number(csv, own == FL_NONE ? nan("") : amounts[i][own]);
		}
	fl_csv_end(csv);
}

void fl_comparison_csv(const struct fl_comparison *c, FILE *out, const struct fl_sim_report *s)
{
	struct fl_csv_writer csv = { .out = out };

	if (c->n == 1)
		put_names(c, &csv);
	for (uint32_t i = 0; i < s->measured->n_nodes; i++)
		put_node(c, &csv, s, &s->measured->nodes[i]);
}
