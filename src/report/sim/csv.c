/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.csv and series.csv. */
#include "report/out/csv.h"
#include "report/sim/sim_report.h"
#include "sim/begin.h"

static const char *const states[] = {
	[FL_SIM_TO_COME] = "to come",       [FL_SIM_WAITS] = "waiting",
	[FL_SIM_BACKS_OFF] = "backing off", [FL_SIM_RUNS] = "running",
	[FL_SIM_LEAVES] = "leaving",        [FL_SIM_FINISHED] = "finished",
	[FL_SIM_GONE] = "gave up",          [FL_SIM_EXCLUDED] = "excluded",
};

static fl_time since_start(const struct fl_sim *s, fl_time at)
{
	return at == FL_TIME_NONE || at == FL_NEVER ? FL_TIME_NONE : at - s->options.start;
}

static fl_time waited(const struct fl_sim *s, const struct fl_sim_job *j)
{
	bool waits = j->state == FL_SIM_WAITS || j->state == FL_SIM_BACKS_OFF;

	return waits ? fl_sat_add(j->waited, s->now - j->waits_since) : j->waited;
}

static void put_job(struct fl_csv_writer *c, const struct fl_sim *s, uint32_t w)
{
	const struct fl_model *m = s->model;
	const struct fl_workload_row *row = &m->workloads[w];
	const struct fl_sim_job *j = &s->jobs[w];
	const struct fl_life_row *life = j->life;
	struct fl_node queue = row->cluster_queue.v == FL_NONE ? row->admitted_queue :
								 row->cluster_queue;
	char name[FL_REPORT_NAME];

	fl_csv_text(c, fl_report_workload(m, (struct fl_workload){ w }, name));
	fl_csv_text(c, fl_report_node(m, queue));
	fl_csv_text(c, life && life->user.v != FL_NONE ? fl_model_text(m, life->user) : "");
	fl_csv_text(c, life && life->class_name.v != FL_NONE ? fl_model_text(m, life->class_name) :
							       "");
	fl_csv_time(c, life ? since_start(s, life->arrives) : FL_TIME_NONE);
	fl_csv_time(c, since_start(s, j->first_start));
	fl_csv_time(c, since_start(s, j->ended));
	fl_csv_text(c, states[j->state]);
	fl_csv_time(c, j->state == FL_SIM_EXCLUDED || j->state == FL_SIM_TO_COME ? FL_TIME_NONE :
										   waited(s, j));
	fl_csv_time(c, life ? life->runs : FL_NEVER);
	fl_csv_int(c, j->starts);
	fl_csv_int(c, j->evictions);
	fl_csv_time(c, j->lost);
	fl_csv_int(c, j->pods);
	for (uint32_t r = 0; r < m->n_resources; r++) {
		struct fl_resource id = { r };

		fl_csv_number(c, fl_sim_natural(m, id,
						fl_sim_request(m, (struct fl_workload){ w }, id)));
	}
	fl_csv_end(c);
}

void fl_sim_jobs_csv(FILE *out, const struct fl_sim *s)
{
	static const char *const heads[] = {
		"workload", "queue",  "user", "class",  "arrives",   "first_start", "ended",
		"state",    "waited", "runs", "starts", "evictions", "lost",        "pods",
	};
	struct fl_csv_writer c = { .out = out };

	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
		fl_csv_text(&c, heads[i]);
	for (uint32_t r = 0; r < s->model->n_resources; r++)
		fl_csv_text(&c, fl_report_resource(s->model, (struct fl_resource){ r }));
	fl_csv_end(&c);
	for (uint32_t w = 0; w < s->model->n_workloads; w++)
		put_job(&c, s, w);
}

/* --- over time --- */

static void put_at(struct fl_csv_writer *c, double *const *lines, uint32_t r, uint32_t b)
{
	if (lines)
		fl_csv_number(c, lines[r][b]);
	else
		fl_csv_empty(c);
}

static void put_cluster(struct fl_csv_writer *c, const struct fl_measured *d, uint32_t b)
{
	const struct fl_measured_series *s = &d->series;

	fl_csv_text(c, "");
	fl_csv_number(c, s->waiting[b]);
	fl_csv_number(c, s->running[b]);
	fl_csv_number(c, s->jain[b]);
	fl_csv_number(c, s->envy[b]);
	fl_csv_empty(c);
	for (uint32_t r = 0; r < d->n_resources; r++) {
		put_at(c, s->held, r, b);
		put_at(c, s->wanted, r, b);
		fl_csv_empty(c);
		put_at(c, s->capacity, r, b);
	}
}

static void put_queue(struct fl_csv_writer *c, const struct fl_sim_report *report,
		      const struct fl_series_row *l, uint32_t b)
{
	char name[FL_REPORT_NAME];

	fl_csv_text(c, fl_sim_line_name(report, l, name));
	fl_csv_number(c, l->waiting[b]);
	for (int i = 0; i < 3; i++)
		fl_csv_empty(c);
	if (l->share)
		fl_csv_number(c, l->share[b]);
	else
		fl_csv_empty(c);
	for (uint32_t r = 0; r < report->measured->n_resources; r++) {
		put_at(c, l->held, r, b);
		put_at(c, l->wanted, r, b);
		put_at(c, l->entitled, r, b);
		fl_csv_empty(c);
	}
}

static void put_heads(struct fl_csv_writer *c, const struct fl_measured *d)
{
	static const char *const heads[] = { "time", "queue", "waiting", "running",
					     "jain", "envy",  "share" };
	static const char *const amounts[] = { "held", "wanted", "entitled", "capacity" };
	char name[FL_REPORT_NAME];

	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++)
		fl_csv_text(c, heads[i]);
	for (uint32_t r = 0; r < d->n_resources; r++)
		for (unsigned i = 0; i < sizeof amounts / sizeof *amounts; i++) {
			snprintf(name, sizeof name, "%.400s %s", d->resources[r].name, amounts[i]);
			fl_csv_text(c, name);
		}
	fl_csv_end(c);
}

void fl_sim_series_csv(FILE *out, const struct fl_sim_report *report)
{
	const struct fl_measured *d = report->measured;
	const struct fl_measured_series *s = &d->series;
	struct fl_csv_writer c = { .out = out };

	put_heads(&c, d);
	for (uint32_t b = 0; b < s->n; b++) {
		fl_time at = s->start + (fl_time)b * s->step - d->start;

		fl_csv_time(&c, at);
		put_cluster(&c, d, b);
		fl_csv_end(&c);
		for (uint32_t i = 0; i < s->n_lines; i++) {
			fl_csv_time(&c, at);
			put_queue(&c, report, &s->lines[i], b);
			fl_csv_end(&c);
		}
	}
}
