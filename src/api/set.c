/* SPDX-License-Identifier: Apache-2.0 */
/* set - change one number of the model: what-if for programs, inside a mark */
#include <math.h>
#include <string.h>

#include "api/engine.h"
#include "model/table.h"

enum target { NODE, QUEUE, WORKLOAD, MACHINE };

/* By the public kind. */
static const struct cell_row {
	enum fl_cell_kind kind;
	enum target target;
	bool flavor, resource; /* it is of one */
} cells[] = {
	[FAIRLEAD_CELL_NOMINAL] = { FL_CELL_NOMINAL, NODE, true, true },
	[FAIRLEAD_CELL_BORROWING_LIMIT] = { FL_CELL_BORROWING_LIMIT, NODE, true, true },
	[FAIRLEAD_CELL_LENDING_LIMIT] = { FL_CELL_LENDING_LIMIT, NODE, true, true },
	[FAIRLEAD_CELL_WEIGHT] = { FL_CELL_WEIGHT, NODE, false, false },
	[FAIRLEAD_CELL_PRIORITY] = { FL_CELL_PRIORITY, WORKLOAD, false, false },
	[FAIRLEAD_CELL_DESERVED] = { FL_CELL_DESERVED, QUEUE, false, true },
	[FAIRLEAD_CELL_LIMIT] = { FL_CELL_LIMIT, QUEUE, false, true },
	[FAIRLEAD_CELL_OVER_QUOTA_WEIGHT] = { FL_CELL_OVER_QUOTA_WEIGHT, QUEUE, false, true },
	[FAIRLEAD_CELL_QUEUE_PRIORITY] = { FL_CELL_QUEUE_PRIORITY, QUEUE, false, false },
	[FAIRLEAD_CELL_ALLOCATABLE] = { FL_CELL_ALLOCATABLE, MACHINE, false, true },
};

/* A cluster-wide object by its text; FL_NONE. */
static uint32_t find_plain(const struct fl_model *m, enum fl_table table, const char *name)
{
	struct fl_sym sym = fl_names_find(&m->names, name, strlen(name));

	return sym.v == FL_NONE ? FL_NONE : fl_table_find(m, table, (struct fl_sym){ 0 }, sym);
}

static int find_target(const fairlead_engine *e, const fairlead_cell *cell, enum target target,
		       struct fl_event *ret, fairlead_error *err)
{
	switch (target) {
	case WORKLOAD:
		return fl_engine_find(e, cell->name, &ret->workload, err);
	case NODE:
		return fl_engine_find_node(e, cell->node, cell->name, &ret->cell.node, err);
	case QUEUE:
		return fl_engine_find_node(e, FAIRLEAD_QUEUE, cell->name, &ret->cell.node, err);
	case MACHINE:
		break;
	}
	ret->cell.machine.v = find_plain(e->model, FL_TABLE_MACHINE, cell->name);
	return ret->cell.machine.v != FL_NONE ?
		       0 :
		       fl_fail(err, FAIRLEAD_ENOENT, "no Node '%s'", cell->name);
}

static int find_words(const fairlead_engine *e, const fairlead_cell *cell,
		      const struct cell_row *row, struct fl_cell *ret, fairlead_error *err)
{
	if (row->flavor) {
		ret->flavor.v = find_plain(e->model, FL_TABLE_FLAVOR, cell->flavor);
		if (ret->flavor.v == FL_NONE)
			return fl_fail(err, FAIRLEAD_ENOENT, "no ResourceFlavor '%s'",
				       cell->flavor);
	}
	if (row->resource) {
		ret->resource = fl_model_find_resource(e->model, cell->resource);
		if (ret->resource.v == FL_NONE)
			return fl_fail(err, FAIRLEAD_ENOENT, "no resource '%s'", cell->resource);
	}
	return 0;
}

int fairlead_engine_set(fairlead_engine *e, int64_t now, const fairlead_cell *cell,
			fairlead_error *err)
{
	struct fl_event event = { .kind = FL_EV_CELL, .workload = { FL_NONE } };
	const struct cell_row *row;
	int r = fl_engine_check_sealed(e, err);

	_Static_assert(FAIRLEAD_NO_LIMIT == FL_NO_LIMIT, "one word for no limit");
	if (r < 0)
		return r;
	if ((unsigned)cell->kind >= sizeof cells / sizeof *cells)
		return fl_fail(err, FAIRLEAD_ESTATE, "no such kind of cell");
	if (!isfinite(cell->value))
		return fl_fail(err, FAIRLEAD_EINPUT, "a value that is not a number");
	row = &cells[cell->kind];
	event.cell.kind = row->kind;
	event.cell.flavor.v = event.cell.resource.v = FL_NONE;
	event.cell.amount = cell->amount;
	event.cell.value = cell->value; /* a weight stands in the same place */
	r = find_target(e, cell, row->target, &event, err);
	if (r == 0)
		r = find_words(e, cell, row, &event.cell, err);
	if (r == 0)
		r = e->ops->apply(e->policy, now, &event, err);
	if (r == 0)
		e->now = now;
	return r;
}
