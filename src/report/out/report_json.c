/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/report_json.h"

void fl_json_start(struct fl_json *j, const struct fl_report *r, const char *kind,
		   const char *policy)
{
	fl_json_init(j, r->out);
	fl_json_object(j, NULL);
	fl_json_text(j, "apiVersion", "fairlead.dev/v1alpha1");
	fl_json_text(j, "kind", kind);
	if (policy)
		fl_json_text(j, "policy", policy);
	fl_json_list(j, "assumptions");
	for (uint32_t i = 0; i < r->n_assumptions; i++)
		fl_json_text(j, NULL, r->assumptions[i]);
	fl_json_end_list(j);
}

void fl_json_finish(struct fl_json *j)
{
	fl_json_end_object(j);
	putc('\n', j->out);
}

void fl_json_placement(struct fl_json *j, const struct fl_model *m, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	fl_json_list(j, "podSets");
	for (uint32_t k = 0; k < row->podsets.n; k++) {
		const struct fl_podset *ps = &m->podsets[row->podsets.first + k];
		int32_t count = fl_podset_left(ps);

		fl_json_object(j, NULL);
		fl_json_text(j, "name", fl_model_text(m, ps->name));
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].podset == k)
				count = rows[i].count;
		fl_json_int(j, "count", count);
		fl_json_object(j, "flavors");
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].podset == k && rows[i].resource.v != FL_NONE)
				fl_json_text(j, fl_report_resource(m, rows[i].resource),
					     fl_report_flavor(m, rows[i].flavor));
		fl_json_end_object(j);
		fl_json_end_object(j);
	}
	fl_json_end_list(j);
}

void fl_json_machines(struct fl_json *j, const struct fl_model *m, const struct fl_placement *rows,
		      uint32_t n)
{
	int64_t tasks = 0;

	for (uint32_t i = 0; i < n; i++)
		tasks += rows[i].count;
	fl_json_int(j, "tasks", tasks);
	fl_json_object(j, "machines");
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].machine.v != FL_NONE)
			fl_json_int(j, fl_report_machine(m, rows[i].machine), rows[i].count);
	fl_json_end_object(j);
}
