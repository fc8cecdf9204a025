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

const char *fl_eta_state_name(enum fl_forecast_state state) { return state_names[state]; }

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

/* In the order of the answer: the most telling first. */
static const enum fl_run_basis order[FL_RUN_BASES] = {
	FL_RUN_EXACT,   FL_RUN_LIMIT, FL_RUN_SIZE, FL_RUN_USER,    FL_RUN_QUEUE,
	FL_RUN_CLUSTER, FL_RUN_ASKED, FL_RUN_AGE,  FL_RUN_UNKNOWN,
};

/* "2 h 10 min": two units; a forecast is not more exact. */
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
		(void)snprintf(text, TEXT,
			       "probably more than %s from now; earlier in %u of %u runs", horizon,
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
			"never, without a change: it does not start even after all workloads "
			"that can end have ended");
		break;
	case FL_FORECAST_UNKNOWN:
		(void)snprintf(
			text, TEXT,
			"not known: the run times of %u workloads that run or wait are not known",
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
			      "waits for: the end of a workload of queue '%s' in %u of %u runs",
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
		fl_report_say(r, FL_STYLE_DIM, 2, "arrivals: the %u of the last %s, once more",
			      eta->basis.arrivals, length(eta->options.arrivals, horizon));
	else
		fl_report_say(r, FL_STYLE_DIM, 2, "arrivals: none");
	if (eta->basis.cut)
		fl_report_say(r, FL_STYLE_DIM, 2,
			      "%u of %u runs were cut before %s were over: too many events",
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
			r->jobs ?
				"needed: time limits (fairlead submit --time), or jobs that have "
				"ended" :
				"needed: finished Workloads in the input, maximumExecutionTimeSeconds "
				"or the annotation fairlead.dev/runs-for");
	if (eta->forecast.state == FL_FORECAST_LATER)
		say_awaited(r, eta);
	say_basis(r, eta);
}

/* --- JSON --- */

static void put_awaited(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_forecast *f = row;
	char name[FL_REPORT_NAME];

	if (f->awaited.v != FL_NONE)
		fl_json_text(at->json, key, fl_report_who(at->report, at->model, f->awaited, name));
	else
		fl_json_null(at->json, key);
}

#define ROW struct fl_forecast
static const struct fl_json_field awaits_fields[] = {
	FL_FIELD_PUT(
		TEXT, "workload", put_awaited,
		"namespace/name, of a daemon the number of a job; null: a workload still to come",
		.more = "{\"type\": [\"string\", \"null\"]}"),
	FL_FIELD(COUNT, "runs", awaited_runs, NULL),
	FL_FIELD(QUEUE, "queue", awaited_queue,
		 "the same of queues, of all that are there and of those to come"),
	FL_FIELD(COUNT, "queueRuns", awaited_queue_runs, NULL),
};
static const struct fl_json_shape awaits_shape = FL_SHAPE(awaits_fields, "awaits", .closed = true);
#undef ROW

struct known {
	enum fl_run_basis basis;
	const char *meaning;
	uint32_t workloads;
};

static bool fill_known(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	uint32_t n = ((const struct fl_eta *)source)->basis.n[order[i]];

	*(struct known *)row = (struct known){ order[i], basis_text(at->report, order[i]), n };
	return n;
}

#define ROW struct known
static const struct fl_json_field known_fields[] = {
	FL_FIELD_ENUM("from", basis, basis_names, NULL),
	FL_FIELD(TEXT, "meaning", meaning, NULL),
	FL_FIELD(COUNT, "workloads", workloads, NULL),
};
static const struct fl_json_shape known_shape =
	FL_SHAPE_MADE(known_fields, fill_known, sizeof(struct fl_eta), "basis", .closed = true);
#undef ROW

static struct fl_shape_rows all_known(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	(void)row;
	return (struct fl_shape_rows){ NULL, FL_RUN_BASES };
}

static const char *answer_text(const struct fl_shape_at *at, const void *row,
			       char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	put_answer(row, buffer);
	return buffer;
}

static bool is_awaiting(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_eta *)row)->forecast.awaited_queue.v != FL_NONE;
}

#define ROW struct fl_eta
static const struct fl_json_field eta_fields[] = {
	FL_FIELD_ENUM("state", forecast.state, state_names, NULL),
	FL_FIELD_TEXT("message", answer_text, NULL),
	FL_FIELD(MOMENT, "start", forecast.start,
		 "the median of the runs; null: not before the horizon"),
	FL_FIELD(MOMENT, "from", forecast.from,
		 "it starts before this as rarely as the level says; null: not before the horizon"),
	FL_FIELD(
		MOMENT, "to", forecast.to,
		"it starts later as rarely as the level says; null: the interval has no upper end, "
		"it may start at any time after `from`, also behind the horizon, or never"),
	FL_FIELD(NUMBER, "level", options.level,
		 "how often the start is expected between `from` and `to`: 0.8 is 8 of 10 times"),
	FL_FIELD(COUNT, "runs", basis.runs, NULL),
	FL_FIELD(COUNT, "cut", basis.cut,
		 "of them, those that ended before the horizon after too many events"),
	FL_FIELD(COUNT, "started", forecast.started, "runs in which it started"),
	FL_FIELD(OR_NEVER, "horizonSeconds", basis.horizon, NULL, .more = "{\"type\": \"number\"}"),
	FL_FIELD_IN("awaits", forecast, awaits_shape,
		    "the workload and the queue whose end its start followed most often",
		    .when = is_awaiting),
	FL_FIELD_ROWS("basis", all_known, known_shape,
		      "where the run times of those that run and wait come from"),
	FL_FIELD(COUNT, "arrivals", basis.arrivals,
		 "recent arrivals that come once more in each run"),
};
const struct fl_json_shape fl_eta_shape = FL_SHAPE(eta_fields, "eta", .closed = true);
#undef ROW
