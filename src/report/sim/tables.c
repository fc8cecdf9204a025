/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the report for people: queues, size classes, evictions between queues. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "report/out/spark.h"
#include "report/out/table.h"
#include "report/sim/text.h"

enum { SHOWN_FLOWS = 8 };

/* --- queues --- */

enum { QUEUE, JOBS, P50, P90, MAX, HOURS, HELD, RATIO, EVICTED, LOST, USE, QUEUE_COLUMNS };

static const struct fl_column_head queue_columns[QUEUE_COLUMNS] = {
	[QUEUE] = { "QUEUE", FL_COL_TREE, 0 },      [JOBS] = { "JOBS", FL_COL_RIGHT, 0 },
	[P50] = { "P50", FL_COL_RIGHT, 5 },         [P90] = { "P90", FL_COL_RIGHT, 7 },
	[MAX] = { "MAX", FL_COL_RIGHT, 4 },         [HOURS] = { "HOURS", FL_COL_RIGHT, 1 },
	[HELD] = { "HELD", FL_COL_RIGHT, 8 },       [RATIO] = { "RATIO", FL_COL_RIGHT, 9 },
	[EVICTED] = { "EVICTED", FL_COL_RIGHT, 3 }, [LOST] = { "LOST", FL_COL_RIGHT, 2 },
	[USE] = { "USE OVER TIME", 0, 6 },
};

struct queues {
	const struct fl_report *report;
	const struct fl_sim_report *sim;
	const struct fl_measured *d;
	uint32_t main;
	double capacity; /* of it, mean */
	struct fl_table *table;
	int *row_of; /* by node; -1: not shown */
};

static unsigned bars(const struct fl_report *r)
{
	return r->width == 0  ? 24 :
	       r->width < 70  ? 10 :
	       r->width < 110 ? 16 :
	       r->width < 160 ? 32 :
				60;
}

/* What a rest is made of: children, or top nodes, without a line of their own. */
static bool is_of_rest(const struct queues *q, const struct fl_series_row *l, uint32_t node)
{
	return q->d->nodes[node].parent == l->node && q->row_of[node] < 0;
}

/* A row's figures, of a node or summed up over a rest. */
struct figures {
	double jobs, p50, p90, max, hours, held, ratio, evictions, lost;
};

static struct figures of_node(const struct queues *q, const struct fl_measured_node *n)
{
	const struct fl_measured_counts *c = &n->counts;
	bool any = q->d->n_resources > 0;

	return (struct figures){
		.jobs = c->jobs,
		.p50 = c->wait.p50,
		.p90 = c->wait.p90,
		.max = c->wait.max,
		.hours = any ? c->hours[q->main] : 0,
		.held = any ? n->held[q->main] / q->capacity : 0,
		.ratio = n->ratio_mean,
		.evictions = c->evictions,
		.lost = any ? c->lost[q->main] : 0,
	};
}

/* Quantiles of a rest are not known; its ratio is the mean by time of being blocked. */
static struct figures of_rest(const struct queues *q, const struct fl_series_row *l)
{
	struct figures sum = { .p50 = nan(""), .p90 = nan(""), .max = nan("") };
	double blocked = 0, ratio = 0;

	for (uint32_t i = 0; i < q->d->n_nodes; i++) {
		const struct fl_measured_node *n = &q->d->nodes[i];
		struct figures f;

		if (!is_of_rest(q, l, i))
			continue;
		f = of_node(q, n);
		sum.jobs += f.jobs;
		sum.max = fmax(sum.max, f.max);
		sum.hours += f.hours;
		sum.held += f.held;
		sum.evictions += f.evictions;
		sum.lost += f.lost;
		if (isfinite(f.ratio)) {
			ratio += f.ratio * n->blocked_seconds;
			blocked += n->blocked_seconds;
		}
	}
	sum.ratio = blocked > 0 ? ratio / blocked : nan("");
	return sum;
}

static int put_figures(const struct queues *q, const struct figures *f, fairlead_error *err)
{
	const struct fl_measured_resource *main = &q->d->resources[q->main];
	char texts[QUEUE_COLUMNS][32] = { 0 };
	int rc = 0;

	fl_sim_count(f->jobs, texts[JOBS]);
	fl_sim_wait(f->p50, texts[P50]);
	fl_sim_wait(f->p90, texts[P90]);
	fl_sim_wait(f->max, texts[MAX]);
	if (q->d->n_resources) {
		fl_sim_amount(main, f->hours, texts[HOURS]);
		fl_sim_percent(f->held, texts[HELD]);
		fl_sim_amount(main, f->lost, texts[LOST]);
	}
	fl_sim_ratio(f->ratio, texts[RATIO]);
	fl_sim_count(f->evictions, texts[EVICTED]);
	/* Zero is dimmed, so that other numbers stand out. */
	if (f->evictions == 0)
		strcpy(texts[EVICTED], "-");
	if (f->lost == 0)
		strcpy(texts[LOST], "-");
	for (unsigned c = JOBS; c <= LOST && rc == 0; c++)
		rc = fl_table_cell(q->table, c, texts[c], err);
	if (rc == 0 && isfinite(f->ratio) && f->ratio < 0.9)
		fl_table_style(q->table, RATIO, f->ratio < 0.5 ? FL_STYLE_BAD : FL_STYLE_WARN);
	return rc;
}

static int put_use(const struct queues *q, const struct fl_series_row *l, fairlead_error *err)
{
	char text[3 * FL_SPARK + 1];
	double top = 0;

	if (!q->d->n_resources)
		return 0;
	for (uint32_t b = 0; b < q->d->series.n; b++)
		if (isfinite(l->held[q->main][b]) && l->held[q->main][b] > top)
			top = l->held[q->main][b];
	if (top <= 0)
		return 0;
	fl_spark(l->held[q->main], q->d->series.n, top, bars(q->report), !q->sim->utf8, text);
	return fl_table_cell(q->table, USE, text, err);
}

/* A row for a line of the series, unless it stands below what is not shown. */
static int put_line(struct queues *q, const struct fl_series_row *l, fairlead_error *err)
{
	const struct fl_measured_node *nodes = q->d->nodes;
	uint32_t above = l->members || l->node == FL_NONE ? l->node : nodes[l->node].parent;
	char name[FL_REPORT_NAME];
	struct figures f;
	int row, rc;

	if (above != FL_NONE && q->row_of[above] < 0) {
		if (!l->members)
			q->row_of[l->node] = -1;
		return 0;
	}
	f = l->members ? of_rest(q, l) : of_node(q, &nodes[l->node]);
	row = fl_table_row(q->table, above == FL_NONE ? -1 : q->row_of[above], err);
	if (row < 0)
		return row;
	if (l->members)
		snprintf(name, sizeof name, "%u other%s", l->members, l->members == 1 ? "" : "s");
	else
		q->row_of[l->node] = row;
	rc = fl_table_cell(
		q->table, QUEUE,
		l->members ? name : fl_report_node(q->report->model, nodes[l->node].node), err);
	if (rc == 0)
		rc = put_figures(q, &f, err);
	return rc < 0 ? rc : put_use(q, l, err);
}

/* A rest sums up the nodes without a row, so rows come first. */
static int put_rows(struct queues *q, fairlead_error *err)
{
	const struct fl_measured_series *s = &q->d->series;
	int rc = 0;

	for (uint32_t i = 0; i < s->n_lines; i++)
		if (!s->lines[i].members)
			q->row_of[s->lines[i].node] = 0;
	for (uint32_t i = 0; i < s->n_lines && rc == 0; i++)
		rc = put_line(q, &s->lines[i], err);
	return rc;
}

static double mean_capacity(const struct fl_measured *d, uint32_t main)
{
	const struct fl_measured_series *s = &d->series;
	double sum = 0;

	for (uint32_t b = 0; b < s->n; b++)
		sum += s->capacity[main][b];
	return s->n && isfinite(sum) ? sum / s->n : nan("");
}

int fl_sim_queue_table(const struct fl_report *r, const struct fl_sim_report *s, uint32_t main,
		       fairlead_error *err)
{
	struct queues q = { .report = r, .sim = s, .d = s->measured, .main = main };
	int rc;

	if (!q.d->series.n_lines)
		return 0;
	putc('\n', r->out);
	if (q.d->n_resources) {
		q.capacity = mean_capacity(q.d, main);
		fl_report_say(r, FL_STYLE_DIM, 0, "P50, P90, MAX: waits. HOURS, HELD, USE: of %s.",
			      q.d->resources[main].name);
	}
	q.row_of = malloc(((size_t)q.d->n_nodes + 1) * sizeof *q.row_of);
	if (!q.row_of)
		return fl_fail_nomem(err);
	for (uint32_t i = 0; i < q.d->n_nodes; i++)
		q.row_of[i] = -1;
	rc = fl_table_begin(r, queue_columns, QUEUE_COLUMNS, &q.table, err);
	if (rc == 0)
		rc = put_rows(&q, err);
	if (rc == 0)
		rc = fl_table_print(q.table, /* indent= */ 0, err);
	fl_table_free(q.table);
	free(q.row_of);
	return rc;
}

/* --- size classes --- */

static int cmp_classes(const void *measured, uint32_t a, uint32_t b)
{
	const struct fl_measured_class *x = &((const struct fl_measured *)measured)->classes[a];
	const struct fl_measured_class *y = &((const struct fl_measured *)measured)->classes[b];

	return x->jobs == y->jobs ? (a > b) - (a < b) : (x->jobs < y->jobs) - (x->jobs > y->jobs);
}

static int put_class(const struct fl_report *r, struct fl_table *t,
		     const struct fl_measured_class *c, fairlead_error *err)
{
	char jobs[32], wait[4][32], name[FL_REPORT_NAME];
	const char *texts[] = {
		c->name,
		fl_sim_count(c->jobs, jobs),
		fl_sim_wait(c->wait.p50, wait[0]),
		fl_sim_wait(c->wait.p90, wait[1]),
		fl_sim_wait(c->wait.p99, wait[2]),
		fl_sim_wait(c->longest.v == FL_NONE ? c->wait.max : c->longest_seconds, wait[3]),
		c->longest.v == FL_NONE ? "" : fl_report_workload(r->model, c->longest, name),
	};

	return fl_table_texts(t, texts, sizeof texts / sizeof *texts, err);
}

/* @n ids from 0 in the order of @cmp; the list is the caller's to free, NULL without memory. */
static uint32_t *in_order(uint32_t n, fl_sort_cmp *cmp, const void *ctx, fairlead_error *err)
{
	uint32_t *ids = calloc((size_t)n * 2 + 1, sizeof *ids);

	if (!ids) {
		fl_fail_nomem(err);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		ids[i] = i;
	fl_sort(ids, n, ids + n, cmp, ctx);
	return ids;
}

static void say_more(const struct fl_report *r, uint32_t n)
{
	if (n)
		fl_report_say(r, FL_STYLE_DIM, 0, "%u more; --all shows them", n);
}

int fl_sim_class_table(const struct fl_report *r, const struct fl_sim_report *s,
		       fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "CLASS", 0, 0 },
		{ "JOBS", FL_COL_RIGHT, 0 },
		{ "WAIT P50", FL_COL_RIGHT, 3 },
		{ "P90", FL_COL_RIGHT, 4 },
		{ "P99", FL_COL_RIGHT, 2 },
		{ "LONGEST", FL_COL_RIGHT, 0 },
		{ "WORKLOAD", FL_COL_WRAP, 1 },
	};
	const struct fl_measured *d = s->measured;
	uint32_t shown = s->top && d->n_classes > s->top ? s->top : d->n_classes;
	uint32_t *ids = in_order(d->n_classes, cmp_classes, d, err);
	struct fl_table *t = NULL;
	int rc;

	if (!ids)
		return FAIRLEAD_ENOMEM;
	putc('\n', r->out);
	rc = fl_table_begin(r, columns, sizeof columns / sizeof *columns, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++)
		rc = put_class(r, t, &d->classes[ids[i]], err);
	if (rc == 0)
		rc = fl_table_print(t, /* indent= */ 0, err);
	if (rc == 0)
		say_more(r, d->n_classes - shown);
	fl_table_free(t);
	free(ids);
	return rc;
}

/* --- evictions between queues --- */

struct flows {
	const struct fl_measured *d;
	uint32_t main;
};

static int cmp_flows(const void *flows, uint32_t a, uint32_t b)
{
	const struct flows *f = flows;
	const struct fl_measured_flow *x = &f->d->flows[a], *y = &f->d->flows[b];

	if (x->lost[f->main] != y->lost[f->main])
		return x->lost[f->main] > y->lost[f->main] ? -1 : 1;
	return x->count == y->count ? (a > b) - (a < b) :
				      (x->count < y->count) - (x->count > y->count);
}

static int put_flow(const struct fl_report *r, struct fl_table *t, const struct flows *flows,
		    const struct fl_measured_flow *f, fairlead_error *err)
{
	const struct fl_measured_node *nodes = flows->d->nodes;
	char count[32], lost[32];
	const char *texts[] = {
		fl_report_node(r->model, nodes[f->to].node),
		f->from == FL_NONE ? "-" : fl_report_node(r->model, nodes[f->from].node),
		f->killed ? "Killed" : fl_reason_name(f->reason),
		fl_sim_count(f->count, count),
		fl_sim_amount(&flows->d->resources[flows->main], f->lost[flows->main], lost),
	};

	return fl_table_texts(t, texts, sizeof texts / sizeof *texts, err);
}

int fl_sim_flow_table(const struct fl_report *r, const struct fl_sim_report *s, uint32_t main,
		      fairlead_error *err)
{
	static const struct fl_column_head columns[] = {
		{ "EVICTED FROM", FL_COL_WRAP, 0 },
		{ "FOR", FL_COL_WRAP, 0 },
		{ "REASON", 0, 1 },
		{ "TIMES", FL_COL_RIGHT, 0 },
		{ "HOURS LOST", FL_COL_RIGHT, 0 },
	};
	struct flows flows = { .d = s->measured, .main = main };
	uint32_t n = flows.d->n_flows, shown = r->all || n < SHOWN_FLOWS ? n : SHOWN_FLOWS;
	struct fl_table *t = NULL;
	uint32_t *ids;
	int rc;

	if (!n)
		return 0;
	ids = in_order(n, cmp_flows, &flows, err);
	if (!ids)
		return FAIRLEAD_ENOMEM;
	putc('\n', r->out);
	rc = fl_table_begin(r, columns, sizeof columns / sizeof *columns, &t, err);
	for (uint32_t i = 0; i < shown && rc == 0; i++)
		rc = put_flow(r, t, &flows, &flows.d->flows[ids[i]], err);
	if (rc == 0)
		rc = fl_table_print(t, /* indent= */ 0, err);
	if (rc == 0)
		say_more(r, n - shown);
	fl_table_free(t);
	free(ids);
	return rc;
}
