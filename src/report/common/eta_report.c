/* SPDX-License-Identifier: Apache-2.0 */
#include "report/common/eta_report.h"

#include <string.h>

#include "base/time.h"

enum { TEXT = 1600, LENGTH = 48 };

static const char *const state_names[] = {
	[FL_FORECAST_HOLDS] = "Started",   [FL_FORECAST_NOT] = "TakesNoPart",
	[FL_FORECAST_FITS] = "Fits",       [FL_FORECAST_LATER] = "Later",
	[FL_FORECAST_BEYOND] = "Beyond",   [FL_FORECAST_NEVER] = "Never",
	[FL_FORECAST_UNKNOWN] = "Unknown",
};

static const char *const basis_names[FL_RUN_BASES] = {
	[FL_RUN_LIMIT] = "SameLimit", [FL_RUN_SIZE] = "SimilarSize", [FL_RUN_USER] = "SameUser",
	[FL_RUN_QUEUE] = "SameQueue", [FL_RUN_CLUSTER] = "Cluster",  [FL_RUN_ASKED] = "Limit",
	[FL_RUN_AGE] = "Age",         [FL_RUN_EXACT] = "Told",       [FL_RUN_UNKNOWN] = "Unknown",
};

static const char *const basis_texts[FL_RUN_BASES] = {
	[FL_RUN_LIMIT] = "of the same user or local queue, with the same size and limit",
	[FL_RUN_SIZE] = "of the same user or local queue, and size",
	[FL_RUN_USER] = "of the same user or local queue",
	[FL_RUN_QUEUE] = "of the same queue",
	[FL_RUN_CLUSTER] = "of the whole cluster",
	[FL_RUN_ASKED] = "up to the limit they asked for",
	[FL_RUN_AGE] = "by how long they have run, longer than all that have ended",
	[FL_RUN_EXACT] = "told beforehand",
	[FL_RUN_UNKNOWN] = "not known, and taken to be endless",
};

/* Of a daemon's jobs, where it is said otherwise. */
static const char *const job_texts[FL_RUN_BASES] = {
	[FL_RUN_LIMIT] = "of the same user, name, size and time limit",
	[FL_RUN_SIZE] = "of the same user, name and size",
	[FL_RUN_USER] = "of the same user",
	[FL_RUN_CLUSTER] = "of all jobs",
	[FL_RUN_ASKED] = "up to their time limit",
};

static const char *basis_text(const struct fl_report *r, enum fl_run_basis basis)
{
	return r->jobs && job_texts[basis] ? job_texts[basis] : basis_texts[basis];
}

/* In the order in which they are told: what says most first. */
static const enum fl_run_basis order[FL_RUN_BASES] = {
	FL_RUN_EXACT,   FL_RUN_LIMIT, FL_RUN_SIZE, FL_RUN_USER,    FL_RUN_QUEUE,
	FL_RUN_CLUSTER, FL_RUN_ASKED, FL_RUN_AGE,  FL_RUN_UNKNOWN,
};

/* "2 h 10 min": two units, as nobody knows it better. */
static const char *length(fl_time t, char buffer[LENGTH])
{
	int64_t s = t > 0 ? (t + FL_SECOND / 2) / FL_SECOND : 0;
	int64_t min = (s + 30) / 60, h = (s + 1800) / 3600;

	if (s < 60)
		(void)snprintf(buffer, LENGTH, "%d s", (int)s);
	else if (min < 60)
		(void)snprintf(buffer, LENGTH, "%d min", (int)min);
	else if (h < 24 && min % 60)
		(void)snprintf(buffer, LENGTH, "%d h %d min", (int)(min / 60), (int)(min % 60));
	else if (h < 24)
		(void)snprintf(buffer, LENGTH, "%d h", (int)h);
	else if (h % 24)
		(void)snprintf(buffer, LENGTH, "%d d %d h", (int)(h / 24), (int)(h % 24));
	else
		(void)snprintf(buffer, LENGTH, "%d d", (int)(h / 24));
	return buffer;
}

static void put_later(const struct fl_eta *eta, char *text)
{
	const struct fl_forecast *f = &eta->forecast;
	const struct fl_forecast_options *o = &eta->options;
	char start[LENGTH], from[LENGTH], to[LENGTH], horizon[LENGTH];

	length(eta->basis.horizon, horizon);
	length(f->start - o->now, start);
	length(f->from - o->now, from);
	if (f->from == FL_NEVER)
		(void)snprintf(text, TEXT, "not within %s; in %u of %u runs it is", horizon,
			       f->started, eta->basis.runs);
	else if (f->start == FL_NEVER)
		(void)snprintf(text, TEXT,
			       "not before %s from now, probably much later: within %s in %u of %u "
			       "runs",
			       from, horizon, f->started, eta->basis.runs);
	else if (f->to == FL_NEVER && f->started == eta->basis.runs)
		(void)snprintf(text, TEXT,
			       "in about %s (between %s and more than %s in %g of 10 cases)", start,
			       from, horizon, o->level * 10);
	else if (f->to == FL_NEVER)
		(void)snprintf(text, TEXT,
			       "in about %s, not before %s from now and maybe much later: not "
			       "within %s in %u of %u runs",
			       start, from, horizon, eta->basis.runs - f->started, eta->basis.runs);
	else
		(void)snprintf(text, TEXT, "in about %s (between %s and %s in %g of 10 cases)",
			       start, from, length(f->to - o->now, to), o->level * 10);
}

static void put_answer(const struct fl_eta *eta, char *text)
{
	char horizon[LENGTH];

	switch (eta->forecast.state) {
	case FL_FORECAST_HOLDS:
		(void)snprintf(text, TEXT, "it has started");
		break;
	case FL_FORECAST_NOT:
		(void)snprintf(text, TEXT, "none, it takes no part");
		break;
	case FL_FORECAST_FITS:
		(void)snprintf(text, TEXT, "at once, it fits");
		break;
	case FL_FORECAST_LATER:
		put_later(eta, text);
		break;
	case FL_FORECAST_BEYOND:
		(void)snprintf(text, TEXT, "not within %s in any of %u runs",
			       length(eta->basis.horizon, horizon), eta->basis.runs);
		break;
	case FL_FORECAST_NEVER:
		(void)snprintf(
			text, TEXT,
			"never, as things are: it does not start even when all that will end "
			"has ended");
		break;
	case FL_FORECAST_UNKNOWN:
		(void)snprintf(
			text, TEXT,
			"not known: nothing says how long %u of those that run or wait will run",
			eta->basis.n[FL_RUN_UNKNOWN]);
		break;
	}
}

static void say_awaited(const struct fl_report *r, const struct fl_eta *eta)
{
	const struct fl_forecast *f = &eta->forecast;
	char name[FL_REPORT_NAME];

	if (f->awaited.v != FL_NONE && f->awaited_runs * 2 >= f->started)
		fl_report_say(r, FL_STYLE_PLAIN, 2, "waits for: the end of %s%s in %u of %u runs",
			      r->jobs ? "job " : "", fl_report_who(r, r->model, f->awaited, name),
			      f->awaited_runs, f->started);
	else if (f->awaited_queue.v != FL_NONE)
		fl_report_say(r, FL_STYLE_PLAIN, 2,
			      "waits for: the end of something of queue '%s' in %u of %u runs",
			      fl_report_node(r->model, f->awaited_queue), f->awaited_queue_runs,
			      f->started);
}

static void say_basis(const struct fl_report *r, const struct fl_eta *eta)
{
	char horizon[LENGTH];

	for (unsigned i = 0; i < FL_RUN_BASES; i++)
		if (eta->basis.n[order[i]])
			fl_report_say(r, FL_STYLE_DIM, 2, "run times of %u: %s",
				      eta->basis.n[order[i]], basis_text(r, order[i]));
	if (eta->basis.arrivals)
		fl_report_say(r, FL_STYLE_DIM, 2, "arrivals: the %u of the last %s come once more",
			      eta->basis.arrivals, length(eta->options.arrivals, horizon));
	else
		fl_report_say(r, FL_STYLE_DIM, 2, "arrivals: none");
	if (eta->basis.cut)
		fl_report_say(
			r, FL_STYLE_DIM, 2,
			"%u of %u runs were ended before %s were over: too much happens in them",
			eta->basis.cut, eta->basis.runs, length(eta->basis.horizon, horizon));
}

void fl_eta_text(const struct fl_report *r, const struct fl_eta *eta)
{
	char text[TEXT];

	put_answer(eta, text);
	fl_report_say(r, FL_STYLE_BOLD, 2, "expected start: %s", text);
	if (eta->forecast.state == FL_FORECAST_HOLDS || eta->forecast.state == FL_FORECAST_NOT)
		return;
	if (eta->forecast.state == FL_FORECAST_UNKNOWN)
		fl_report_say(
			r, FL_STYLE_DIM, 2,
			r->jobs ? "time limits (fairlead submit --time) or jobs that have ended "
				  "would say" :
				  "finished Workloads in the input, maximumExecutionTimeSeconds "
				  "or the annotation fairlead.dev/runs-for would say");
	if (eta->forecast.state == FL_FORECAST_LATER)
		say_awaited(r, eta);
	say_basis(r, eta);
}

static void put_time(struct fl_json *j, const char *key, fl_time t)
{
	char buffer[40];

	if (t == FL_NEVER)
		fl_json_null(j, key);
	else
		fl_json_text(j, key, fl_time_format(buffer, t));
}

static void put_awaited(struct fl_json *j, const struct fl_report *r, const struct fl_eta *eta)
{
	const struct fl_forecast *f = &eta->forecast;
	char name[FL_REPORT_NAME];

	fl_json_object(j, "awaits");
	if (f->awaited.v != FL_NONE)
		fl_json_text(j, "workload", fl_report_who(r, r->model, f->awaited, name));
	else
		fl_json_null(j, "workload");
	fl_json_int(j, "runs", f->awaited_runs);
	fl_json_text(j, "queue", fl_report_node(r->model, f->awaited_queue));
	fl_json_int(j, "queueRuns", f->awaited_queue_runs);
	fl_json_end_object(j);
}

void fl_eta_json(struct fl_json *j, const struct fl_report *r, const struct fl_eta *eta)
{
	const struct fl_forecast *f = &eta->forecast;
	char text[TEXT];

	put_answer(eta, text);
	fl_json_object(j, "eta");
	fl_json_text(j, "state", state_names[f->state]);
	fl_json_text(j, "message", text);
	put_time(j, "start", f->start);
	put_time(j, "from", f->from);
	put_time(j, "to", f->to);
	fl_json_number(j, "level", eta->options.level);
	fl_json_int(j, "runs", eta->basis.runs);
	fl_json_int(j, "cut", eta->basis.cut);
	fl_json_int(j, "started", f->started);
	fl_json_number(j, "horizonSeconds", (double)eta->basis.horizon / FL_SECOND);
	if (f->awaited_queue.v != FL_NONE)
		put_awaited(j, r, eta);
	fl_json_list(j, "basis");
	for (unsigned i = 0; i < FL_RUN_BASES; i++) {
		if (!eta->basis.n[order[i]])
			continue;
		fl_json_object(j, NULL);
		fl_json_text(j, "from", basis_names[order[i]]);
		fl_json_text(j, "meaning", basis_text(r, order[i]));
		fl_json_int(j, "workloads", eta->basis.n[order[i]]);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
	fl_json_int(j, "arrivals", eta->basis.arrivals);
	fl_json_end_object(j);
}
