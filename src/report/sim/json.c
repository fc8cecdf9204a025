/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the report as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/sim/sim_report.h"

struct answer {
	const struct fl_sim *sim;
	const struct fl_measured *of;
	bool series;
};

static const struct fl_measured *measured(const struct fl_shape_at *at)
{
	return ((const struct answer *)at->answer)->of;
}

#define NOT_BELOW_0 .more = "{\"minimum\": 0}"

/* --- numbers by resource; the tag is the place of the pointer to them --- */

static const void *tagged(const struct fl_shape_at *at, const void *row)
{
	return *(const void *const *)((const char *)row + at->tag);
}

static void put_amounts(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_measured *d = measured(at);
	const double *amounts = tagged(at, row);

	fl_json_object(at->json, key);
	for (uint32_t r = 0; amounts && r < d->n_resources; r++)
		if (isfinite(amounts[r]))
			fl_json_number(at->json, d->resources[r].name, amounts[r]);
	fl_json_end_object(at->json);
}

/* Six digits are more than a chart shows. */
static void put_values(const struct fl_shape_at *at, const char *key, const double *values)
{
	char text[32];

	fl_json_list(at->json, key);
	for (uint32_t b = 0; b < measured(at)->series.n; b++) {
		if (isfinite(values[b]))
			snprintf(text, sizeof text, "%.6g", values[b]);
		else
			strcpy(text, "null");
		fl_json_raw(at->json, NULL, text, strlen(text));
	}
	fl_json_end_list(at->json);
}

static void put_line(const struct fl_shape_at *at, const char *key, const void *row)
{
	const double *values = tagged(at, row);

	if (values)
		put_values(at, key, values);
}

static void put_lines(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_measured *d = measured(at);
	double *const *lines = tagged(at, row);

	fl_json_object(at->json, key);
	for (uint32_t r = 0; lines && r < d->n_resources; r++)
		put_values(at, d->resources[r].name, lines[r]);
	fl_json_end_object(at->json);
}

#define AMOUNTS(key, m)                                                                            \
	FL_FIELD_PUT(MAP, key, put_amounts, "by resource", .item = FL_AS_NUMBER,                   \
		     .tag = offsetof(ROW, m) + FL_SHAPE_TIED(m, double *))
#define LINE(key, m, ...)                                                                          \
	FL_FIELD_PUT(LINE, key, put_line, __VA_ARGS__,                                             \
		     .tag = offsetof(ROW, m) + FL_SHAPE_TIED(m, double *))
#define LINES(key, m)                                                                              \
	FL_FIELD_PUT(MAP, key, put_lines, "by resource", .item = FL_AS_LINE,                       \
		     .tag = offsetof(ROW, m) + FL_SHAPE_TIED(m, double **))

/* --- what jobs came to --- */

#define ROW struct fl_spread
static const struct fl_json_field spread_fields[] = {
	FL_FIELD(COUNT, "n", n, NULL),
	FL_FIELD(KNOWN, "mean", mean, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "p50", p50, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "p90", p90, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "p99", p99, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "max", max, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape spread_shape = FL_SHAPE(spread_fields, "spread");
#undef ROW

#define ROW struct fl_measured_counts
static const struct fl_json_field counts_fields[] = {
	FL_FIELD(COUNT, "jobs", jobs, NULL),
	FL_FIELD(COUNT, "finished", finished, NULL),
	FL_FIELD(COUNT, "gaveUp", gave_up, NULL),
	FL_FIELD(COUNT, "waiting", waiting, NULL),
	FL_FIELD(COUNT, "running", running, NULL),
	FL_FIELD(COUNT, "starts", starts, NULL),
	FL_FIELD(COUNT, "evictions", evictions, NULL),
	FL_FIELD(COUNT, "preemptions", preemptions, NULL),
	FL_FIELD_IN("wait", wait, spread_shape, NULL),
	FL_FIELD_IN("slowdown", slowdown, spread_shape, NULL),
	FL_FIELD(KNOWN, "longestWaiting", longest_waiting, NULL, NOT_BELOW_0),
	AMOUNTS("hours", hours),
	AMOUNTS("usefulHours", useful),
	AMOUNTS("lostHours", lost),
	AMOUNTS("restartHours", restarted),
};
static const struct fl_json_shape counts_shape = FL_SHAPE(counts_fields, "counts");
#undef ROW

#define ROW struct fl_measured_fairness
static const struct fl_json_field blocked_fields[] = {
	FL_FIELD(KNOWN, "mean", blocked_mean, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "least", blocked_least, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape blocked_shape = FL_SHAPE(blocked_fields, "blockedRatio");

static const struct fl_json_field fairness_fields[] = {
	FL_FIELD(KNOWN, "jain", jain, NULL, .more = "{\"minimum\": 0, \"maximum\": 1.000001}"),
	FL_FIELD(KNOWN, "largestEnvy", largest_envy, NULL, NOT_BELOW_0),
	FL_FIELD_SAME("blockedRatio", blocked_shape, NULL),
	FL_FIELD_IN("corrections", corrections, spread_shape, NULL),
	FL_FIELD(COUNT, "openCorrections", open, NULL),
	FL_FIELD(KNOWN, "longestOpenCorrection", longest_open, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape fairness_shape = FL_SHAPE(fairness_fields, "fairness");
#undef ROW

static bool is_recorded(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_measured *)row)->recorded_wait.n;
}

#define ROW struct fl_measured
static const struct fl_json_field totals_fields[] = {
	FL_FIELD_INLINE(totals, counts_shape),
	FL_FIELD(COUNT, "excluded", excluded, NULL),
	FL_FIELD(COUNT64, "cycles", cycles, NULL),
	FL_FIELD(COUNT64, "events", events, NULL),
	AMOUNTS("utilisation", utilisation),
	AMOUNTS("arrivalUtilisation", arrival_utilisation),
	FL_FIELD_IN("fairness", fairness, fairness_shape, NULL),
	FL_FIELD_IN("recordedWait", recorded_wait, spread_shape, NULL, .when = is_recorded),
};
static const struct fl_json_shape totals_shape = FL_SHAPE(totals_fields, "totals");
#undef ROW

/* --- queues, classes, preemptions between queues --- */

#define ROW struct fl_measured_resource
static const struct fl_json_field resource_fields[] = {
	FL_FIELD(TEXT, "name", name, NULL),
	FL_FIELD(TEXT, "unit", unit, NULL),
	FL_FIELD(KNOWN, "capacity", capacity, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape resource_shape = FL_SHAPE(resource_fields, "resource");
#undef ROW

static const char *const kinds[] = { "ClusterQueue", "Cohort", "Queue" };

static const char *kind(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)buffer;
	return fl_report_kind(at->model, ((const struct fl_measured_node *)row)->node);
}

#define ROW struct fl_measured_node
static const struct fl_json_field ratio_fields[] = {
	FL_FIELD(KNOWN, "mean", ratio_mean, NULL, NOT_BELOW_0),
	FL_FIELD(KNOWN, "least", ratio_least, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape ratio_shape = FL_SHAPE(ratio_fields, "ratio");

static const struct fl_json_field node_fields[] = {
	FL_FIELD(QUEUE, "name", node, NULL),
	FL_FIELD_TEXT("kind", kind, NULL, FL_NAMES(kinds)),
	FL_FIELD(INDEX, "parent", parent, "index into nodes; null at the top. Parents come first"),
	FL_FIELD_INLINE(counts, counts_shape),
	AMOUNTS("held", held),
	AMOUNTS("wanted", wanted),
	AMOUNTS("entitled", entitled),
	FL_FIELD(KNOWN, "blockedSeconds", blocked_seconds, NULL, NOT_BELOW_0),
	FL_FIELD_SAME("ratio", ratio_shape, NULL),
};
static const struct fl_json_shape node_shape = FL_SHAPE(node_fields, "measuredNode");
#undef ROW

static bool has_longest(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_measured_class *)row)->longest.v != FL_NONE;
}

#define ROW struct fl_measured_class
static const struct fl_json_field longest_fields[] = {
	FL_FIELD(WORKLOAD, "workload", longest, NULL),
	FL_FIELD(NUMBER, "seconds", longest_seconds, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape longest_shape = FL_SHAPE(longest_fields, "largestWait");

static const struct fl_json_field class_fields[] = {
	FL_FIELD(TEXT, "name", name, NULL),
	FL_FIELD(COUNT, "jobs", jobs, NULL),
	FL_FIELD_IN("wait", wait, spread_shape, NULL),
	FL_FIELD_SAME("largestWait", longest_shape, NULL, .when = has_longest),
};
static const struct fl_json_shape class_shape = FL_SHAPE(class_fields, "class");
#undef ROW

static struct fl_shape_rows edges(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	(void)row;
	return (struct fl_shape_rows){ fl_wait_edges, FL_WAIT_EDGES };
}

static struct fl_shape_rows bins(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return (struct fl_shape_rows){ ((const struct fl_measured_waits *)row)->counts,
				       FL_WAIT_EDGES + 1 };
}

#define ROW struct fl_measured_waits
static const struct fl_json_field waits_fields[] = {
	FL_FIELD(COUNT, "node", node, NULL),
	FL_FIELD(COUNT, "class", class, NULL),
	FL_FIELD_ITEMS_OF(COUNT, "counts", bins, NULL),
};
static const struct fl_json_shape waits_shape = FL_SHAPE(waits_fields, "waits");
#undef ROW

static const char *flow_reason(const struct fl_shape_at *at, const void *row,
			       char buffer[FL_SHAPE_TEXT])
{
	const struct fl_measured_flow *f = row;

	(void)at;
	(void)buffer;
	return f->killed ? "Killed" : fl_reason_name(f->reason);
}

#define ROW struct fl_measured_flow
static const struct fl_json_field flow_fields[] = {
	FL_FIELD(INDEX, "from", from, "node of the preemptor; null: there is none"),
	FL_FIELD(COUNT, "to", to, NULL),
	FL_FIELD_TEXT("reason", flow_reason, NULL),
	FL_FIELD(COUNT, "count", count, NULL),
	AMOUNTS("lostHours", lost),
};
static const struct fl_json_shape flow_shape = FL_SHAPE(flow_fields, "flow");
#undef ROW

static const char *event_name(unsigned kind)
{
	return fl_sim_event_name((enum fl_sim_event_kind)kind);
}

struct note {
	fl_time at;
	const struct fl_measured_note *of;
};

static bool fill_note(struct fl_shape_at *at, const void *source, uint32_t i, void *row)
{
	const struct fl_measured_note *n = source;

	(void)i;
	*(struct note *)row = (struct note){ n->at - measured(at)->start, n };
	return true;
}

static const char *note_kind(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_sim_event_name(((const struct note *)row)->of->event.kind);
}

static const char *note_text(const struct fl_shape_at *at, const void *row,
			     char buffer[FL_SHAPE_TEXT])
{
	return fl_sim_change_text(at->model, ((const struct note *)row)->of, buffer);
}

#define ROW struct note
static const struct fl_json_field note_fields[] = {
	FL_FIELD(SECONDS, "at", at, "seconds after the beginning"),
	FL_FIELD_TEXT("kind", note_kind, NULL, .name_of = event_name, .first_name = FL_SIM_CHANGED,
		      .end_name = FL_SIM_BACK + 1),
	FL_FIELD_TEXT("text", note_text, NULL),
};
static const struct fl_json_shape note_shape =
	FL_SHAPE_MADE(note_fields, fill_note, sizeof(struct fl_measured_note), "event");
#undef ROW

/* --- over time --- */

#define ROW struct fl_measured_series
static const struct fl_json_field cluster_fields[] = {
	LINE("jain", jain, "Jain's index, mean over the bucket"),
	LINE("jainLeast", jain_least, "the least in the bucket"),
	LINE("envy", envy, "the largest in the bucket"),
	LINE("waiting", waiting, NULL),
	LINE("running", running, NULL),
	LINES("capacity", capacity),
	LINES("held", held),
	LINES("wanted", wanted),
};
static const struct fl_json_shape cluster_shape = FL_SHAPE(cluster_fields, "cluster");
#undef ROW

static bool is_rest(const struct fl_shape_at *at, const void *row)
{
	(void)at;
	return ((const struct fl_series_row *)row)->members;
}

static bool is_node(const struct fl_shape_at *at, const void *row) { return !is_rest(at, row); }

static void put_rest(const struct fl_shape_at *at, const char *key, const void *row)
{
	(void)row;
	fl_json_bool(at->json, key, true);
}

#define ROW struct fl_series_row
static const struct fl_json_field line_fields[] = {
	FL_FIELD_PUT(BOOL, "rest", put_rest, NULL, .when = is_rest, .more = "{\"const\": true}"),
	FL_FIELD(COUNT, "members", members, "how many are summed up", .when = is_rest),
	FL_FIELD(INDEX, "parent", node, "node whose other children these are", .when = is_rest),
	FL_FIELD(COUNT, "node", node, NULL, .when = is_node),
	LINES("held", held),
	LINES("wanted", wanted),
	LINES("entitled", entitled),
	LINE("share", share, NULL, .maybe = true),
	LINE("waiting", waiting, NULL),
};
static const struct fl_json_shape line_shape =
	FL_SHAPE(line_fields, "seriesNode",
		 .more = "{\"oneOf\": [{\"required\": [\"node\"]},"
			 " {\"required\": [\"rest\", \"members\", \"parent\"]}]}");
#undef ROW

#define ROW struct fl_measured_series
static const struct fl_json_field series_fields[] = {
	FL_FIELD(SECONDS, "start", start, "seconds since 1970"),
	FL_FIELD(SECONDS, "step", step, NULL, NOT_BELOW_0),
	FL_FIELD(COUNT, "n", n, NULL),
	FL_FIELD_SAME("cluster", cluster_shape, NULL),
	FL_FIELD_LIST("nodes", lines, n_lines, line_shape, NULL),
};
static const struct fl_json_shape series_shape = FL_SHAPE(series_fields, "series");
#undef ROW

/* --- the whole --- */

#define ROW struct fl_measured
static const char *end_name(unsigned end) { return fl_sim_end_name((enum fl_sim_end)end); }

static const char *ended(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return fl_sim_end_name(((const struct fl_measured *)row)->ended);
}

static const struct fl_json_field when_fields[] = {
	FL_FIELD_TEXT("ended", ended, NULL, .name_of = end_name, .end_name = FL_SIM_STOPPED + 1),
	FL_FIELD(TIME, "start", start, NULL),
	FL_FIELD(NUMBER, "seconds", seconds, NULL, NOT_BELOW_0),
};
static const struct fl_json_shape when_shape = FL_SHAPE(when_fields, "when");

static const struct fl_json_field measured_fields[] = {
	FL_FIELD_LIST("resources", resources, n_resources, resource_shape, NULL),
	FL_FIELD_SAME("totals", totals_shape, NULL),
	FL_FIELD_LIST("nodes", nodes, n_nodes, node_shape, NULL),
	FL_FIELD_LIST("classes", classes, n_classes, class_shape, NULL),
	FL_FIELD_ITEMS_OF(NUMBER, "waitEdges", edges, NULL),
	FL_FIELD_LIST("waits", waits, n_waits, waits_shape, NULL),
	FL_FIELD_LIST("flows", flows, n_flows, flow_shape, NULL),
	FL_FIELD_LIST("events", notes, n_notes, note_shape, NULL),
};
static const struct fl_json_shape measured_shape = FL_SHAPE(measured_fields, "measured");
static const struct fl_json_field over_fields[] = {
	FL_FIELD_IN("series", series, series_shape, NULL),
};
static const struct fl_json_shape over_shape = FL_SHAPE(over_fields, "overTime");
#undef ROW

static const char *const policies[] = { "borrow", "entitle", "drf" };

static const char *name(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)buffer;
	return fl_model_text(at->model, ((const struct answer *)row)->sim->settings.name);
}

static const char *policy(const struct fl_shape_at *at, const void *row, char buffer[FL_SHAPE_TEXT])
{
	(void)at;
	(void)buffer;
	return ((const struct answer *)row)->sim->ops->name;
}

static void put_seed(const struct fl_shape_at *at, const char *key, const void *row)
{
	char seed[32];
	int n = snprintf(seed, sizeof seed, "%" PRIu64,
			 ((const struct answer *)row)->sim->settings.seed);

	fl_json_raw(at->json, key, seed, (size_t)n);
}

static struct fl_shape_rows assumptions(const struct fl_shape_at *at, const void *row)
{
	(void)row;
	return (struct fl_shape_rows){ at->report->assumptions, at->report->n_assumptions };
}

#define ROW struct answer
static const struct fl_json_field fields[] = {
	FL_FIELD_CONST("apiVersion", "fairlead.dev/v1alpha1"),
	FL_FIELD_CONST("kind", "SimulationReport"),
	FL_FIELD_TEXT("name", name, NULL),
	FL_FIELD_TEXT("policy", policy, NULL, FL_NAMES(policies)),
	FL_FIELD_PUT(COUNT64, "seed", put_seed, NULL),
	FL_FIELD_INLINE_TO(of, when_shape, NULL),
	FL_FIELD_ITEMS_OF(TEXT, "assumptions", assumptions, NULL),
	FL_FIELD_INLINE_TO(of, measured_shape, NULL),
	FL_FIELD_INLINE_TO(sim, fl_sim_loops_shape, NULL, .maybe = true),
	FL_FIELD_INLINE_TO(of, over_shape, NULL, FL_IF_TRUE(series)),
};
const struct fl_json_shape fl_sim_shape = FL_SHAPE(fields, "report");
#undef ROW

const struct fl_document fl_sim_document = { .shape = &fl_sim_shape };

void fl_sim_json(struct fl_json *j, const char *key, const struct fl_report *r,
		 const struct fl_sim_report *s, bool series)
{
	const struct answer answer = { s->sim, s->measured, series };
	const struct fl_shape_at at = {
		.json = j, .report = r, .model = s->sim->model, .answer = &answer
	};

	fl_shape_json(&at, key, &fl_sim_shape, &answer);
}
