/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "report/job/queues.h"
#include "report/job/text.h"
#include "report/job/words.h"
#include "report/out/table.h"

enum { BAR = 24, MAX_RESOURCES = 16, EVENTS = 6 };

/* --- events --- */

static enum fl_style event_style(const char *kind)
{
	static const struct {
		const char *kind;
		enum fl_style style;
	} styles[] = {
		{ "Preempted", FL_STYLE_WARN },   { "Failed", FL_STYLE_BAD },
		{ "Lost", FL_STYLE_BAD },         { "NotStarted", FL_STYLE_BAD },
		{ "LoopDetected", FL_STYLE_BAD }, { "Started", FL_STYLE_GOOD },
		{ "Finished", FL_STYLE_GOOD },
	};

	for (unsigned i = 0; i < sizeof styles / sizeof *styles; i++)
		if (strcmp(kind, styles[i].kind) == 0)
			return styles[i].style;
	return FL_STYLE_PLAIN;
}

/* The daemon's text of the event; without one, its reason and the job it was for. */
static void put_event_text(char text[FL_JOB_WORDS], const json_t *event)
{
	const char *said = fl_json_word(event, "text"), *reason = fl_json_word(event, "reason");
	long long by = (long long)fl_json_whole(event, "by");

	if (*said && by)
		snprintf(text, FL_JOB_WORDS, "%s, for job %lld", said, by);
	else if (*said)
		snprintf(text, FL_JOB_WORDS, "%s", said);
	else if (by)
		snprintf(text, FL_JOB_WORDS, "%s%sfor job %lld", reason, *reason ? ", " : "", by);
	else
		snprintf(text, FL_JOB_WORDS, "%s", reason);
}

void fl_event_text(const struct fl_report *r, const json_t *event)
{
	const char *kind = fl_json_word(event, "kind"), *queue = fl_json_word(event, "queue");
	long long job = (long long)fl_json_whole(event, "job");
	char clock[40], who[80] = "", text[FL_JOB_WORDS];

	fl_job_clock(fl_json_instant(event, "at"), clock);
	if (job)
		snprintf(who, sizeof(who), "%lld", job);
	put_event_text(text, event);
	fprintf(r->out, "%s%s%s  %s", fl_style_start(r, FL_STYLE_DIM), clock,
		fl_style_end(r, FL_STYLE_DIM), fl_style_start(r, event_style(kind)));
	fl_report_put_clean(r->out, kind, strlen(kind));
	fprintf(r->out, "%s%*s  %6s  ", fl_style_end(r, event_style(kind)),
		strlen(kind) < 16 ? 16 - (int)strlen(kind) : 0, "", who);
	fl_report_put_clean(r->out, queue, strlen(queue));
	fprintf(r->out, "%*s%s", strlen(queue) < 12 && *text ? 12 - (int)strlen(queue) : 0, "",
		*text ? "  " : "");
	fl_report_put_clean(r->out, text, strlen(text));
	putc('\n', r->out);
}

/* --- bars --- */

/* All there is of a resource, and all that is held or wanted. */
struct total {
	const char *name;
	double nominal, used, wanted;
};

static struct total *total_of(struct total totals[MAX_RESOURCES], const char *name)
{
	for (unsigned i = 0; i < MAX_RESOURCES; i++) {
		if (!totals[i].name)
			totals[i].name = name;
		if (strcmp(totals[i].name, name) == 0)
			return &totals[i];
	}
	return NULL;
}

static bool is_leaf(const struct fl_queue_text *rows, uint32_t n, uint32_t row)
{
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].parent == (int)row)
			return false;
	return rows[row].queue && strcmp(fl_json_word(rows[row].queue, "kind"), "Cohort") != 0;
}

/*
 * The resource of which the largest part is held or wanted: what queues compete for.  Quotas of
 * a tree of borrowers add up; of one where parents deserve what their children do, only those of
 * the roots count.
 */
static struct total scarcest(const struct fl_queue_text *rows, uint32_t n, bool roots_only)
{
	struct total totals[MAX_RESOURCES] = { 0 }, best = { 0 };
	double most = -1;

	for (uint32_t i = 0; i < n; i++) {
		json_t *resources = json_object_get(rows[i].queue, "resources"), *value;
		const char *name;
		bool leaf = is_leaf(rows, n, i);

		json_object_foreach(resources, name, value)
		{
			struct total *t = total_of(totals, name);
			double nominal = fl_json_units(value, "nominal");

			if (!t)
				continue;
			if ((!roots_only || rows[i].parent < 0) && isfinite(nominal))
				t->nominal += nominal;
			if (leaf) {
				t->used += fl_json_units(value, "usage");
				t->wanted += fl_json_units(value, "pending");
			}
		}
	}
	for (unsigned i = 0; i < MAX_RESOURCES && totals[i].name; i++) {
		struct total *t = &totals[i];

		t->nominal = fmax(t->nominal, t->used);
		double part = t->nominal > 0 ? (t->used + t->wanted) / t->nominal : 0;
		if (part > most) {
			most = part;
			best = *t;
		}
	}
	return best;
}

/*
 * What a queue holds of all there is: within its quota, beyond it, and what of its quota is free.
 */
static void draw(char *buffer, double used, double nominal, double all, bool ascii)
{
	static const char *const glyphs[2][4] = { { "█", "▓", "·", " " }, { "#", "+", ".", " " } };
	/* Even the smallest amount gets a visible part. */
	double unit = all > 0 ? BAR / all : 0;
	int filled = (int)fmin(BAR, ceil(used * unit - 1e-9));
	int own = (int)fmin(BAR, round(nominal * unit));

	*buffer = '\0';
	for (int i = 0; i < BAR; i++)
		strcat(buffer, glyphs[ascii][i < filled ? (i < own || nominal <= 0 ? 0 : 1) :
					     i < own    ? 2 :
							  3]);
}

enum { QUEUE, PICTURE, USED, OF, WANTED, RUNS, WAITS, SHARE, COLUMNS };

static int add_row(struct fl_table *t, const struct fl_top_report *top,
		   const struct fl_queue_text *row, const struct total *all, fairlead_error *err)
{
	const json_t *r = json_object_get(json_object_get(row->queue, "resources"), all->name);
	double used = fl_json_units(r, "usage"), nominal = fl_json_units(r, "nominal");
	char bar[4 * BAR + 1], number[32];
	const json_t *share = json_object_get(row->queue, "share");
	int rc = fl_table_row(t, row->parent, err);

	if (rc >= 0)
		rc = fl_table_cell(t, QUEUE, row->name, err);
	draw(bar, used, isfinite(nominal) ? nominal : 0, all->nominal, top->ascii);
	if (rc == 0 && r)
		rc = fl_table_cell(t, PICTURE, bar, err);
	if (rc == 0 && r && nominal > 0 && used > nominal)
		fl_table_style(t, PICTURE, FL_STYLE_WARN);
	else if (rc == 0 && r)
		fl_table_style(t, PICTURE, FL_STYLE_GOOD);
	const char *keys[] = { [USED] = "usage", [OF] = "nominal", [WANTED] = "pending" };
	for (unsigned c = USED; c <= WANTED && rc == 0 && r; c++) {
		snprintf(number, sizeof(number), "%.4g", fl_json_units(r, keys[c]));
		rc = fl_table_cell(t, c,
				   json_is_string(json_object_get(r, keys[c])) ?
					   fl_job_short(fl_json_word(r, keys[c]), number) :
					   number,
				   err);
	}
	for (unsigned c = RUNS; c <= WAITS && rc == 0 && row->queue; c++) {
		snprintf(number, sizeof(number), "%lld",
			 (long long)fl_json_whole(row->queue, c == RUNS ? "running" : "waiting"));
		rc = fl_table_cell(t, c, number, err);
	}
	if (json_is_string(share))
		snprintf(number, sizeof(number), "%.20s", json_string_value(share));
	else
		snprintf(number, sizeof(number), "%.4g", json_number_value(share));
	return rc == 0 && share && !json_is_null(share) ? fl_table_cell(t, SHARE, number, err) : rc;
}

static int put_tree(const struct fl_report *r, const struct fl_top_report *top, fairlead_error *err)
{
	static const struct fl_column_head heads[COLUMNS] = {
		[QUEUE] = { "QUEUE", FL_COL_TREE, 0 },    [PICTURE] = { "OF ALL THERE IS", 0, 4 },
		[USED] = { "USED", FL_COL_RIGHT, 0 },     [OF] = { "QUOTA", FL_COL_RIGHT, 2 },
		[WANTED] = { "WANTED", FL_COL_RIGHT, 3 }, [RUNS] = { "RUN", FL_COL_RIGHT, 0 },
		[WAITS] = { "WAIT", FL_COL_RIGHT, 0 },    [SHARE] = { "SHARE", FL_COL_RIGHT, 1 },
	};
	bool roots = strcmp(fl_json_word(top->queues, "policy"), "entitle") == 0;
	struct fl_queue_text *rows;
	struct fl_table *t;
	uint32_t n;
	int rc = fl_queue_lines(top->queues, /* doors= */ false, &rows, &n, err);

	if (rc < 0)
		return rc;
	struct total all = scarcest(rows, n, roots);
	if (all.name)
		fl_report_say(r, FL_STYLE_DIM, 0,
			      "%s, %.6g in all: %s within quota, %s above quota, %s free quota",
			      fl_job_resource(all.name), all.nominal, top->ascii ? "#" : "█",
			      top->ascii ? "+" : "▓", top->ascii ? "." : "·");
	else
		all.name = "";
	rc = fl_table_begin(r, heads, COLUMNS, &t, err);
	if (rc == 0)
		fl_table_without_json(t);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = add_row(t, top, &rows[i], &all, err);
	rc = fl_table_end(t, rc, err);
	free(rows);
	return rc;
}

/* --- the page --- */

/* How many jobs do what; where not all of them are there, as the queues say. */
static int put_summary(const struct fl_top_report *top, char words[FL_JOB_WORDS],
		       fairlead_error *err)
{
	long long runs = 0, waits = 0, held = 0;
	struct fl_queue_text *rows;
	uint32_t n;

	fl_jobs_summary(json_object_get(top->jobs, "jobs"), words);
	if (!json_is_true(json_object_get(top->jobs, "more")))
		return 0;
	int rc = fl_queue_lines(top->queues, /* doors= */ false, &rows, &n, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		if (is_leaf(rows, n, i)) {
			runs += fl_json_whole(rows[i].queue, "running");
			waits += fl_json_whole(rows[i].queue, "waiting");
			held += fl_json_whole(rows[i].queue, "held");
		}
	free(rows);
	snprintf(words, FL_JOB_WORDS,
		 held ? "%lld run, %lld wait, %lld held" : "%lld run, %lld wait", runs, waits,
		 held);
	return 0;
}

static int put_jobs(const struct fl_report *r, const struct fl_top_report *top, fl_time now,
		    fairlead_error *err)
{
	const json_t *all = json_object_get(top->jobs, "jobs");
	size_t n = json_array_size(all), most = top->most_jobs;
	json_t *some = json_array();
	int rc = some ? 0 : fl_fail_nomem(err);

	most = most && most < n ? most : n;
	for (size_t i = 0; i < most && rc == 0; i++)
		if (json_array_append(some, json_array_get(all, i)) < 0)
			rc = fl_fail_nomem(err);
	if (rc == 0 && most) {
		putc('\n', r->out);
		rc = fl_jobs_table(r, some, now, err);
	}
	if (rc == 0 && json_is_true(json_object_get(top->jobs, "more")))
		fl_report_say(r, FL_STYLE_DIM, 0, "and more");
	else if (rc == 0 && most < n)
		fl_report_say(r, FL_STYLE_DIM, 0, "and %zu more", n - most);
	json_decref(some);
	return rc;
}

int fl_top_text(const struct fl_report *r, const struct fl_top_report *top, fl_time now,
		fairlead_error *err)
{
	size_t n_events = json_array_size(top->events), first = n_events;
	char words[FL_JOB_WORDS], clock[40];

	int rc = put_summary(top, words, err);
	if (rc < 0)
		return rc;
	fl_report_say(r, FL_STYLE_BOLD, 0, "fairlead top  %s UTC  %s", fl_job_clock(now, clock),
		      *words ? words : "no jobs");
	rc = put_tree(r, top, err);
	if (rc < 0)
		return rc;
	first = n_events > EVENTS ? n_events - EVENTS : 0;
	if (first < n_events)
		putc('\n', r->out);
	for (; first < n_events; first++)
		fl_event_text(r, json_array_get(top->events, first));
	return put_jobs(r, top, now, err);
}
