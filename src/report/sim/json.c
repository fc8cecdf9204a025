/* SPDX-License-Identifier: Apache-2.0 */
/* The report as JSON: doc/schema/simulation-report.schema.json. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "report/sim/sim_report.h"

struct out {
	struct fl_json *j;
	const struct fl_model *m;
	const struct fl_measured *d;
};

/* Left out when it is not known. */
static void put_number(struct fl_json *j, const char *key, double value)
{
	if (isfinite(value))
		fl_json_number(j, key, value);
}

static void put_seconds(struct fl_json *j, const char *key, fl_time time)
{
	char text[32];

	fl_report_seconds(time, text);
	fl_json_raw(j, key, text, strlen(text));
}

static void put_spread(struct fl_json *j, const char *key, const struct fl_spread *s)
{
	fl_json_object(j, key);
	fl_json_int(j, "n", s->n);
	put_number(j, "mean", s->mean);
	put_number(j, "p50", s->p50);
	put_number(j, "p90", s->p90);
	put_number(j, "p99", s->p99);
	put_number(j, "max", s->max);
	fl_json_end_object(j);
}

/* One number a resource, by its name. */
static void put_amounts(const struct out *o, const char *key, const double *amounts)
{
	fl_json_object(o->j, key);
	for (uint32_t r = 0; amounts && r < o->d->n_resources; r++)
		put_number(o->j, o->d->resources[r].name, amounts[r]);
	fl_json_end_object(o->j);
}

static void put_counts(const struct out *o, const struct fl_measured_counts *c)
{
	struct fl_json *j = o->j;

	fl_json_int(j, "jobs", c->jobs);
	fl_json_int(j, "finished", c->finished);
	fl_json_int(j, "gaveUp", c->gave_up);
	fl_json_int(j, "waiting", c->waiting);
	fl_json_int(j, "running", c->running);
	fl_json_int(j, "starts", c->starts);
	fl_json_int(j, "evictions", c->evictions);
	fl_json_int(j, "preemptions", c->preemptions);
	put_spread(j, "wait", &c->wait);
	put_spread(j, "slowdown", &c->slowdown);
	put_number(j, "longestWaiting", c->longest_waiting);
	put_amounts(o, "hours", c->hours);
	put_amounts(o, "usefulHours", c->useful);
	put_amounts(o, "lostHours", c->lost);
	put_amounts(o, "restartHours", c->restarted);
}

static void put_resources(const struct out *o)
{
	fl_json_list(o->j, "resources");
	for (uint32_t r = 0; r < o->d->n_resources; r++) {
		const struct fl_measured_resource *row = &o->d->resources[r];

		fl_json_object(o->j, NULL);
		fl_json_text(o->j, "name", row->name);
		fl_json_text(o->j, "unit", row->unit);
		put_number(o->j, "capacity", row->capacity);
		fl_json_end_object(o->j);
	}
	fl_json_end_list(o->j);
}

static void put_fairness(const struct out *o)
{
	const struct fl_measured_fairness *f = &o->d->fairness;
	struct fl_json *j = o->j;

	fl_json_object(j, "fairness");
	put_number(j, "jain", f->jain);
	put_number(j, "largestEnvy", f->largest_envy);
	fl_json_object(j, "blockedRatio");
	put_number(j, "mean", f->blocked_mean);
	put_number(j, "least", f->blocked_least);
	fl_json_end_object(j);
	put_spread(j, "corrections", &f->corrections);
	fl_json_int(j, "openCorrections", f->open);
	put_number(j, "longestOpenCorrection", f->longest_open);
	fl_json_end_object(j);
}

static void put_totals(const struct out *o)
{
	const struct fl_measured *d = o->d;

	fl_json_object(o->j, "totals");
	put_counts(o, &d->totals);
	fl_json_int(o->j, "excluded", d->excluded);
	fl_json_int(o->j, "cycles", (int64_t)d->cycles);
	fl_json_int(o->j, "events", (int64_t)d->events);
	put_amounts(o, "utilisation", d->utilisation);
	put_amounts(o, "arrivalUtilisation", d->arrival_utilisation);
	put_fairness(o);
	if (d->recorded_wait.n)
		put_spread(o->j, "recordedWait", &d->recorded_wait);
	fl_json_end_object(o->j);
}

static void put_nodes(const struct out *o)
{
	struct fl_json *j = o->j;

	fl_json_list(j, "nodes");
	for (uint32_t i = 0; i < o->d->n_nodes; i++) {
		const struct fl_measured_node *n = &o->d->nodes[i];

		fl_json_object(j, NULL);
		fl_json_text(j, "name", fl_report_node(o->m, n->node));
		fl_json_text(j, "kind", fl_report_kind(o->m, n->node));
		if (n->parent == FL_NONE)
			fl_json_null(j, "parent");
		else
			fl_json_int(j, "parent", n->parent);
		put_counts(o, &n->counts);
		put_amounts(o, "held", n->held);
		put_amounts(o, "wanted", n->wanted);
		put_amounts(o, "entitled", n->entitled);
		put_number(j, "blockedSeconds", n->blocked_seconds);
		fl_json_object(j, "ratio");
		put_number(j, "mean", n->ratio_mean);
		put_number(j, "least", n->ratio_least);
		fl_json_end_object(j);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_classes(const struct out *o)
{
	struct fl_json *j = o->j;
	char name[FL_REPORT_NAME];

	fl_json_list(j, "classes");
	for (uint32_t i = 0; i < o->d->n_classes; i++) {
		const struct fl_measured_class *c = &o->d->classes[i];

		fl_json_object(j, NULL);
		fl_json_text(j, "name", c->name);
		fl_json_int(j, "jobs", c->jobs);
		put_spread(j, "wait", &c->wait);
		if (c->longest.v != FL_NONE) {
			fl_json_object(j, "largestWait");
			fl_json_text(j, "workload", fl_report_workload(o->m, c->longest, name));
			put_number(j, "seconds", c->longest_seconds);
			fl_json_end_object(j);
		}
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_waits(const struct out *o)
{
	struct fl_json *j = o->j;

	fl_json_list(j, "waitEdges");
	for (int i = 0; i < FL_WAIT_EDGES; i++)
		fl_json_number(j, NULL, fl_wait_edges[i]);
	fl_json_end_list(j);
	fl_json_list(j, "waits");
	for (uint32_t i = 0; i < o->d->n_waits; i++) {
		const struct fl_measured_waits *w = &o->d->waits[i];

		fl_json_object(j, NULL);
		fl_json_int(j, "node", w->node);
		fl_json_int(j, "class", w->class);
		fl_json_list(j, "counts");
		for (int k = 0; k <= FL_WAIT_EDGES; k++)
			fl_json_int(j, NULL, w->counts[k]);
		fl_json_end_list(j);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_flows(const struct out *o)
{
	struct fl_json *j = o->j;

	fl_json_list(j, "flows");
	for (uint32_t i = 0; i < o->d->n_flows; i++) {
		const struct fl_measured_flow *f = &o->d->flows[i];

		fl_json_object(j, NULL);
		if (f->from == FL_NONE)
			fl_json_null(j, "from");
		else
			fl_json_int(j, "from", f->from);
		fl_json_int(j, "to", f->to);
		fl_json_text(j, "reason", f->killed ? "Killed" : fl_reason_name(f->reason));
		fl_json_int(j, "count", f->count);
		put_amounts(o, "lostHours", f->lost);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

static void put_notes(const struct out *o)
{
	char text[FL_SIM_CHANGE];

	fl_json_list(o->j, "events");
	for (uint32_t i = 0; i < o->d->n_notes; i++) {
		const struct fl_measured_note *n = &o->d->notes[i];

		fl_json_object(o->j, NULL);
		put_seconds(o->j, "at", n->at - o->d->start);
		fl_json_text(o->j, "kind", fl_sim_event_name(n->event.kind));
		fl_json_text(o->j, "text", fl_sim_change_text(o->m, n, text));
		fl_json_end_object(o->j);
	}
	fl_json_end_list(o->j);
}

/* --- over time --- */

/* Six digits are more than a picture shows. */
static void put_line(const struct out *o, const char *key, const double *values)
{
	char text[32];

	fl_json_list(o->j, key);
	for (uint32_t b = 0; b < o->d->series.n; b++) {
		if (isfinite(values[b]))
			snprintf(text, sizeof text, "%.6g", values[b]);
		else
			strcpy(text, "null");
		fl_json_raw(o->j, NULL, text, strlen(text));
	}
	fl_json_end_list(o->j);
}

static void put_lines(const struct out *o, const char *key, double *const *lines)
{
	fl_json_object(o->j, key);
	for (uint32_t r = 0; lines && r < o->d->n_resources; r++)
		put_line(o, o->d->resources[r].name, lines[r]);
	fl_json_end_object(o->j);
}

static void put_series_node(const struct out *o, const struct fl_measured_line *l)
{
	struct fl_json *j = o->j;
	const char *key = l->members ? "parent" : "node";

	fl_json_object(j, NULL);
	if (l->members) {
		fl_json_bool(j, "rest", true);
		fl_json_int(j, "members", l->members);
	}
	if (l->node == FL_NONE)
		fl_json_null(j, key);
	else
		fl_json_int(j, key, l->node);
	put_lines(o, "held", l->held);
	put_lines(o, "wanted", l->wanted);
	put_lines(o, "entitled", l->entitled);
	if (l->share)
		put_line(o, "share", l->share);
	put_line(o, "waiting", l->waiting);
	fl_json_end_object(j);
}

static void put_series(const struct out *o)
{
	const struct fl_measured_series *s = &o->d->series;
	struct fl_json *j = o->j;

	fl_json_object(j, "series");
	put_seconds(j, "start", s->start);
	put_seconds(j, "step", s->step);
	fl_json_int(j, "n", s->n);
	fl_json_object(j, "cluster");
	put_line(o, "jain", s->jain);
	put_line(o, "jainLeast", s->jain_least);
	put_line(o, "envy", s->envy);
	put_line(o, "waiting", s->waiting);
	put_line(o, "running", s->running);
	put_lines(o, "capacity", s->capacity);
	put_lines(o, "held", s->held);
	put_lines(o, "wanted", s->wanted);
	fl_json_end_object(j);
	fl_json_list(j, "nodes");
	for (uint32_t i = 0; i < s->n_lines; i++)
		put_series_node(o, &s->lines[i]);
	fl_json_end_list(j);
	fl_json_end_object(j);
}

void fl_sim_json(struct fl_json *j, const char *key, const struct fl_report *r,
		 const struct fl_sim_report *s, bool series)
{
	struct out o = { .j = j, .m = s->sim->model, .d = s->measured };
	const struct fl_simulation_settings *settings = &s->sim->settings;
	char time[40], seed[32];

	fl_json_object(j, key);
	fl_json_text(j, "apiVersion", "fairlead.dev/v1alpha1");
	fl_json_text(j, "kind", "SimulationReport");
	fl_json_text(j, "name", fl_model_text(o.m, settings->name));
	fl_json_text(j, "policy", s->sim->ops->name);
	snprintf(seed, sizeof seed, "%" PRIu64, settings->seed);
	fl_json_raw(j, "seed", seed, strlen(seed));
	fl_json_text(j, "ended", fl_sim_end_name(o.d->ended));
	fl_json_text(j, "start", fl_time_format(time, o.d->start));
	fl_json_number(j, "seconds", o.d->seconds);
	fl_json_list(j, "assumptions");
	for (uint32_t i = 0; i < r->n_assumptions; i++)
		fl_json_text(j, NULL, r->assumptions[i]);
	fl_json_end_list(j);
	put_resources(&o);
	put_totals(&o);
	put_nodes(&o);
	put_classes(&o);
	put_waits(&o);
	put_flows(&o);
	put_notes(&o);
	fl_sim_loops_json(j, s->sim);
	if (series)
		put_series(&o);
	fl_json_end_object(j);
}
