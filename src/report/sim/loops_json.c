/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of preemption that a simulation went through (sim/rounds.h), as JSON. */
#include <string.h>

#include "report/sim/sim_report.h"

struct fl_node fl_sim_loop_queue(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return row->cluster_queue.v == FL_NONE ? row->admitted_queue : row->cluster_queue;
}

struct fl_workload fl_sim_loop_next(const struct fl_sim *sim, const struct fl_rounds_loop *l,
				    uint32_t *from)
{
	while (*from < sim->model->n_workloads) {
		uint32_t w = sim->by_rank[(*from)++];

		if (sim->driver.rounds.jobs[w].loop == l->number)
			return (struct fl_workload){ w };
	}
	return (struct fl_workload){ FL_NONE };
}

void fl_sim_loop_json(struct fl_json *j, const struct fl_sim *sim, const struct fl_rounds_loop *l)
{
	const struct fl_model *m = sim->model;
	const struct fl_rounds_pair *p;
	char name[FL_REPORT_NAME], text[32];
	struct fl_workload w;

	fl_json_int(j, "loop", l->number);
	fl_json_bool(j, "sure", l->sure);
	fl_report_seconds(l->since - sim->options.start, text);
	fl_json_raw(j, "since", text, strlen(text));
	fl_json_int(j, "preemptions", (int64_t)l->preemptions);
	fl_json_list(j, "workloads");
	for (uint32_t i = 0; (w = fl_sim_loop_next(sim, l, &i)).v != FL_NONE;) {
		fl_json_object(j, NULL);
		fl_json_text(j, "workload", fl_report_workload(m, w, name));
		fl_json_text(j, "queue", fl_report_node(m, fl_sim_loop_queue(m, w)));
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
	fl_json_list(j, "pairs");
	for (uint32_t i = 0; (p = fl_rounds_pair_of(&sim->driver.rounds, l->number, &i));) {
		struct fl_workload preemptor = { p->preemptor }, victim = { p->victim };

		fl_json_object(j, NULL);
		fl_json_text(j, "preemptor", fl_report_workload(m, preemptor, name));
		fl_json_text(j, "workload", fl_report_workload(m, victim, name));
		fl_json_text(j, "reason", fl_reason_name(p->reason));
		fl_json_int(j, "times", p->times);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

void fl_sim_loops_json(struct fl_json *j, const struct fl_sim *sim)
{
	const struct fl_rounds *r = &sim->driver.rounds;
	const struct fl_rounds_loop *l;
	char text[32];

	if (!r->n_loops)
		return;
	fl_json_list(j, "loops");
	for (uint32_t i = 0; (l = fl_rounds_loop_at(r, &i));) {
		fl_json_object(j, NULL);
		fl_sim_loop_json(j, sim, l);
		fl_report_seconds(l->last - sim->options.start, text);
		fl_json_raw(j, "last", text, strlen(text));
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}
