/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/held_shape.h"

struct podset {
	const char *name;
	int32_t count;
	uint32_t k;
	const struct fl_held *held;
};

static bool fill_podset(struct fl_shape_at *at, const void *source, uint32_t k, void *row)
{
	const struct fl_held *held = source;
	const struct fl_model *m = at->model;
	const struct fl_podset *ps = &m->podsets[m->workloads[held->workload.v].podsets.first + k];
	struct podset *p = row;

	*p = (struct podset){ fl_model_text(m, ps->name), fl_podset_left(ps), k, held };
	for (uint32_t i = 0; i < held->n; i++)
		if (held->rows[i].podset == k)
			p->count = held->rows[i].count;
	return true;
}

static void put_flavors(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct podset *p = row;

	fl_json_object(at->json, key);
	for (const struct fl_placement *r = p->held->rows; r < p->held->rows + p->held->n; r++)
		if (r->podset == p->k && r->resource.v != FL_NONE)
			fl_json_text(at->json, fl_report_resource(at->model, r->resource),
				     fl_report_flavor(at->model, r->flavor));
	fl_json_end_object(at->json);
}

#define ROW struct podset
static const struct fl_json_field podset_fields[] = {
	FL_FIELD(TEXT, "name", name, NULL),
	FL_FIELD(INT, "count", count, NULL, .more = "{\"minimum\": 0}"),
	FL_FIELD_PUT(MAP, "flavors", put_flavors, "resource to flavor", .item = FL_AS_TEXT),
};
static const struct fl_json_shape podset_shape = FL_SHAPE_MADE(podset_fields, fill_podset, 0,
							       "podSet");
#undef ROW

static struct fl_shape_rows podsets(const struct fl_shape_at *at, const void *row)
{
	const struct fl_held *held = row;

	return (struct fl_shape_rows){ NULL, at->model->workloads[held->workload.v].podsets.n };
}

#define ROW struct fl_held
const struct fl_json_field fl_held_podsets[] = {
	FL_FIELD_ROWS("podSets", podsets, podset_shape, NULL),
};
const struct fl_json_shape fl_held_podsets_shape = FL_SHAPE(fl_held_podsets, "held");

static void put_tasks(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_held *held = row;
	int64_t tasks = 0;

	for (uint32_t i = 0; i < held->n; i++)
		tasks += held->rows[i].count;
	fl_json_int(at->json, key, tasks);
}

static void put_machines(const struct fl_shape_at *at, const char *key, const void *row)
{
	const struct fl_held *held = row;

	fl_json_object(at->json, key);
	for (const struct fl_placement *r = held->rows; r < held->rows + held->n; r++)
		if (r->machine.v != FL_NONE)
			fl_json_int(at->json, fl_report_machine(at->model, r->machine), r->count);
	fl_json_end_object(at->json);
}

const struct fl_json_field fl_held_machines[] = {
	FL_FIELD_PUT(COUNT, "tasks", put_tasks, "its pods"),
	FL_FIELD_PUT(MAP, "machines", put_machines,
		     "pods on each; those on a node that is not in the input are not here",
		     .item = FL_AS_NTH),
};
const struct fl_json_shape fl_held_machines_shape = FL_SHAPE(fl_held_machines, "held");
#undef ROW
