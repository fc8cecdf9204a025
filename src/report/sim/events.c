/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a simulation, one JSON object a line, as it happens: no memory but the
 * stream's.
 */
#include <string.h>

#include "report/common/explain_words.h"
#include "report/out/json.h"
#include "report/sim/sim_report.h"

static void put_time(struct fl_json *j, const char *key, fl_time time)
{
	char text[32];

	fl_report_seconds(time, text);
	fl_json_raw(j, key, text, strlen(text));
}

static void put_cell(struct fl_json *j, const struct fl_model *m, const struct fl_cell *c)
{
	double value;

	if (c->kind == FL_CELL_ALLOCATABLE)
		fl_json_text(j, "machine", fl_report_machine(m, c->machine));
	else
		fl_json_text(j, "queue", fl_report_node(m, c->node));
	fl_json_text(j, "field", fl_cell_fields[c->kind]);
	if (c->flavor.v != FL_NONE && m->n_flavors)
		fl_json_text(j, "flavor", fl_report_flavor(m, c->flavor));
	if (c->resource.v != FL_NONE)
		fl_json_text(j, "resource", fl_report_resource(m, c->resource));
	if (fl_sim_cell_value(m, c, &value))
		fl_json_number(j, "value", value);
	else
		fl_json_null(j, "value"); /* without bound */
}

void fl_sim_event_line(FILE *out, const struct fl_sim *sim, const struct fl_sim_event *e)
{
	const struct fl_model *m = sim->model;
	char name[FL_REPORT_NAME];
	struct fl_json j;

	fl_json_init(&j, out);
	fl_json_object(&j, NULL);
	put_time(&j, "at", e->at - sim->options.start);
	fl_json_text(&j, "kind", fl_sim_event_name(e->kind));
	if (e->cell) {
		put_cell(&j, m, e->cell);
	} else if (e->loop) {
		fl_sim_loop_json(&j, sim, e->loop);
	} else {
		fl_json_text(&j, "workload", fl_report_workload(m, e->workload, name));
		fl_json_text(&j, "queue", fl_report_node(m, e->queue));
	}
	if (e->kind == FL_SIM_EVICTED) {
		fl_json_text(&j, "reason", fl_reason_name(e->reason));
		if (e->preemptor.v != FL_NONE)
			fl_json_text(&j, "preemptor", fl_report_workload(m, e->preemptor, name));
	}
	if (e->kind == FL_SIM_LET_GO || e->kind == FL_SIM_KILLED)
		put_time(&j, "lost", e->lost);
	fl_json_end_object(&j);
	putc('\n', out);
}
