/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures - quota and machines that change, fail and come back, and workloads that this kills
 */
#include "sim/failures.h"

#include <math.h>

#include "base/sort.h"
#include "decide/borrow/borrow.h"
#include "decide/entitle/entitle.h"
#include "sim/simulation.h"

static int apply(struct fl_sim *s, const struct fl_cell *cell, fairlead_error *err)
{
	struct fl_event event = { .kind = FL_EV_CELL, .workload = { FL_NONE }, .cell = *cell };

	return fl_driver_apply(&s->driver, s->now, &event, err);
}

static int tell(struct fl_sim *s, enum fl_sim_event_kind kind, const struct fl_cell *cell,
		fairlead_error *err)
{
	bool of_machine = cell->kind == FL_CELL_ALLOCATABLE;
	struct fl_sim_event e = { .kind = kind,
				  .workload = { FL_NONE },
				  .preemptor = { FL_NONE },
				  .queue = { of_machine ? FL_NONE : cell->node.v },
				  .cell = cell };

	return fl_sim_tell(s, &e, err);
}

/* --- workloads that are killed --- */

static int cmp_newest(const void *sim, uint32_t a, uint32_t b)
{
	const struct fl_sim_job *x = &((const struct fl_sim *)sim)->jobs[a];
	const struct fl_sim_job *y = &((const struct fl_sim *)sim)->jobs[b];

	if (x->started != y->started)
		return x->started > y->started ? -1 : 1;
	return (x->rank < y->rank) - (x->rank > y->rank);
}

/* Those that run, the newest first. */
static uint32_t sort_running(struct fl_sim *s)
{
	for (uint32_t i = 0; i < s->n_running; i++)
		s->sorted[i] = s->running[i];
	fl_sort(s->sorted, s->n_running, s->spare, cmp_newest, s);
	return s->n_running;
}

static bool holds_column(const struct fl_sim *s, struct fl_workload w, const struct fl_cell *cell)
{
	uint32_t n;
	const struct fl_placement *rows = s->ops->placement(s->policy, w, &n);

	for (uint32_t i = 0; i < n; i++)
		if (rows[i].flavor.v == cell->flavor.v && rows[i].resource.v == cell->resource.v)
			return true;
	return false;
}

/* Its queue holds more than its own, and more than there is. */
static bool is_too_much(const struct fl_sim *s, struct fl_workload w, const struct fl_cell *cell)
{
	const struct fl_tree *t = fl_borrow_tree(s->policy);
	const struct fl_usage *u = fl_borrow_usage(s->policy);
	struct fl_node q = fl_sim_queue(s, w);
	struct fl_column column;

	if (t->root_index[q.v] == FL_NONE || t->root_index[q.v] != t->root_index[cell->node.v])
		return false;
	column = fl_tree_column(t, q, cell->flavor, cell->resource);
	return column.v != FL_NONE && fl_quota_balance(t, u, q, column) < 0 &&
	       fl_quota_available(t, u, q, column) < 0 && holds_column(s, w, cell);
}

static int kill_for_quota(struct fl_sim *s, const struct fl_cell *cell, fairlead_error *err)
{
	uint32_t n = sort_running(s);
	int r = 0;

	for (uint32_t i = 0; i < n && r >= 0; i++)
		if (is_too_much(s, (struct fl_workload){ s->sorted[i] }, cell))
			r = fl_sim_kill(s, s->sorted[i], (struct fl_machine){ FL_NONE }, err);
	return r;
}

static bool is_on(const struct fl_sim *s, uint32_t w, struct fl_machine machine)
{
	uint32_t n;
	const struct fl_placement *rows = s->ops->placement(s->policy, (struct fl_workload){ w },
							    &n);

	for (uint32_t i = 0; i < n; i++)
		if (rows[i].machine.v == machine.v)
			return true;
	return false;
}

/* Beyond what sums of doubles leave over. */
static bool is_short(const struct fl_sim *s, struct fl_machine machine)
{
	struct fl_bundle idle = fl_entitle_idle(s->policy, machine);

	for (int r = 0; r < FL_BUNDLE; r++)
		if (idle.of[r] < -1e-9 * fmax(1, s->model->machines[machine.v].allocatable.of[r]))
			return true;
	return false;
}

/* @all: also workloads that still fit. */
static int kill_on(struct fl_sim *s, struct fl_machine machine, bool all, fairlead_error *err)
{
	uint32_t n = sort_running(s);
	int r = 0;

	for (uint32_t i = 0; i < n && r >= 0 && (all || is_short(s, machine)); i++)
		if (is_on(s, s->sorted[i], machine))
			r = fl_sim_kill(s, s->sorted[i], machine, err);
	return r;
}

/* --- what there is --- */

static bool of_machine(const struct fl_failure_row *row) { return row->machine_name.v != FL_NONE; }

/* Is it down by some row? */
static bool is_down(const struct fl_sim *s, struct fl_machine machine)
{
	for (uint32_t i = 0; i < s->model->n_failures; i++)
		if (s->failures[i].down && of_machine(&s->model->failures[i]) &&
		    s->model->failures[i].machine.v == machine.v)
			return true;
	return false;
}

/* A machine is up with all it has, or down. */
static int set_room(struct fl_sim *s, struct fl_machine machine, bool up, fairlead_error *err)
{
	int r = 0;

	for (int i = 0; i < FL_BUNDLE && r >= 0; i++) {
		struct fl_cell cell = { .kind = FL_CELL_ALLOCATABLE,
					.machine = machine,
					.flavor = { FL_NONE },
					.resource = s->model->axis[i],
					.value = up ? s->rooms[machine.v].of[i] : 0 };

		r = apply(s, &cell, err);
	}
	return r;
}

/* A row that is down takes its amount of what there is of the quota, @cell, or all of that. */
static void take_quota(const struct fl_failure_row *row, struct fl_sim_failure *f,
		       struct fl_cell *cell)
{
	f->lost = cell->amount == FL_UNLIMITED ? 0 : fl_amount_min(row->amount, cell->amount);
	cell->amount -= f->lost;
}

/* --- a change --- */

static int change_machine(struct fl_sim *s, const struct fl_cell *cell, fairlead_error *err)
{
	for (int i = 0; i < FL_BUNDLE; i++)
		if (s->model->axis[i].v == cell->resource.v)
			s->rooms[cell->machine.v].of[i] = cell->value;
	/* It has that once it is back. */
	return is_down(s, cell->machine) ? 0 : apply(s, cell, err);
}

/* While a row is down its amount is missing from the new total as well. */
static int change_nominal(struct fl_sim *s, struct fl_cell *cell, fairlead_error *err)
{
	for (uint32_t i = 0; i < s->model->n_failures; i++) {
		const struct fl_failure_row *row = &s->model->failures[i];

		if (s->failures[i].down && !of_machine(row) && row->node.v == cell->node.v &&
		    row->flavor.v == cell->flavor.v && row->resource.v == cell->resource.v)
			take_quota(row, &s->failures[i], cell);
	}
	return apply(s, cell, err);
}

int fl_sim_change(struct fl_sim *s, uint32_t number, fairlead_error *err)
{
	const struct fl_change_row *row = &s->model->changes[number];
	struct fl_cell cell = { .kind = row->cell,
				.node = row->node,
				.flavor = row->flavor,
				.resource = row->resource,
				.amount = row->amount,
				.value = row->value };
	int r;

	if (row->cell == FL_CELL_ALLOCATABLE) {
		cell.machine = row->machine;
		r = change_machine(s, &cell, err);
	} else {
		r = row->cell == FL_CELL_NOMINAL ? change_nominal(s, &cell, err) :
						   apply(s, &cell, err);
	}
	s->vain_starts = 0;
	if (r >= 0)
		r = tell(s, FL_SIM_CHANGED, &cell, err);
	if (r < 0 || !row->kills)
		return r;
	if (row->cell == FL_CELL_ALLOCATABLE)
		return kill_on(s, cell.machine, /* all= */ false, err);
	return row->cell <= FL_CELL_LENDING_LIMIT ? kill_for_quota(s, &cell, err) : 0;
}

/* --- a failure --- */

static struct fl_cell cell_of(const struct fl_sim *s, const struct fl_failure_row *row)
{
	struct fl_cell cell = { .kind = FL_CELL_ALLOCATABLE,
				.machine = row->machine,
				.flavor = { FL_NONE },
				.resource = { FL_NONE } };
	const struct fl_tree *t;
	struct fl_column column;

	if (of_machine(row))
		return cell;
	cell = (struct fl_cell){ .kind = FL_CELL_NOMINAL,
				 .node = row->node,
				 .flavor = row->flavor,
				 .resource = row->resource };
	t = fl_borrow_tree(s->policy);
	if (t->root_index[row->node.v] == FL_NONE)
		return cell;
	column = fl_tree_column(t, row->node, row->flavor, row->resource);
	if (column.v != FL_NONE)
		cell.amount = t->nominal[fl_tree_cell(t, row->node, column)];
	return cell;
}

static int draw(struct fl_sim *s, uint32_t number, fl_time mean, enum fl_sim_due kind,
		fairlead_error *err)
{
	struct fl_distribution d = { .kind = FL_EXPONENTIAL,
				     .a = (double)mean / (double)FL_SECOND,
				     .most = INFINITY };
	double seconds = fl_random_draw(&s->failures[number].random, &d);
	fl_time wait = seconds < 1e9 ? (fl_time)(seconds * (double)FL_SECOND) + 1 : FL_NEVER;
	fl_time when = fl_sat_add(s->now, wait);

	s->n_up += kind == FL_DUE_FAIL && when <= s->last;
	return fl_sim_at(s, when, kind, number, /* epoch= */ 0, err);
}

int fl_sim_fail(struct fl_sim *s, uint32_t number, fairlead_error *err)
{
	const struct fl_failure_row *row = &s->model->failures[number];
	struct fl_sim_failure *f = &s->failures[number];
	struct fl_cell cell = cell_of(s, row);
	int r;

	s->n_up--;
	f->down = true;
	if (of_machine(row)) {
		r = set_room(s, row->machine, /* up= */ false, err);
	} else {
		take_quota(row, f, &cell);
		r = apply(s, &cell, err);
	}
	if (r >= 0)
		r = draw(s, number, row->lasts, FL_DUE_BACK, err);
	if (r >= 0)
		r = tell(s, FL_SIM_FAILED, &cell, err);
	if (r < 0)
		return r;
	return of_machine(row) ? kill_on(s, row->machine, /* all= */ true, err) :
				 kill_for_quota(s, &cell, err);
}

int fl_sim_back(struct fl_sim *s, uint32_t number, fairlead_error *err)
{
	const struct fl_failure_row *row = &s->model->failures[number];
	struct fl_sim_failure *f = &s->failures[number];
	struct fl_cell cell = cell_of(s, row);
	int r = 0;

	f->down = false;
	if (!of_machine(row)) {
		cell.amount = fl_quota_add(cell.amount, f->lost);
		r = apply(s, &cell, err);
	} else {
		cell.value = 1;
		r = set_room(s, row->machine, /* up= */ true, err);
	}
	if (r >= 0)
		r = draw(s, number, row->every, FL_DUE_FAIL, err);
	return r < 0 ? r : tell(s, FL_SIM_BACK, &cell, err);
}

/* --- the beginning --- */

/* A generator of its own: a further row does not change it. */
static uint64_t stream_of(const struct fl_model *m, const struct fl_failure_row *row)
{
	struct fl_sym names[] = { row->machine_name, row->node_name, row->flavor_name,
				  row->resource_name };
	uint64_t stream = 0;

	for (int i = 0; i < 4; i++)
		stream = stream * 31 +
			 (names[i].v == FL_NONE ? 0 : fl_random_stream(fl_model_text(m, names[i])));
	return stream;
}

int fl_sim_failures_begin(struct fl_sim *s, fairlead_error *err)
{
	const struct fl_model *m = s->model;
	int r = 0;

	s->failures = fl_arena_alloc(&s->arena, m->n_failures, sizeof *s->failures, err);
	s->rooms = fl_arena_alloc(&s->arena, m->n_machines, sizeof *s->rooms, err);
	if (!s->failures || !s->rooms)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_machines; i++)
		s->rooms[i] = m->machines[i].allocatable;
	for (uint32_t i = 0; i < m->n_changes && r >= 0; i++)
		r = fl_sim_at(s, fl_sat_add(s->now, m->changes[i].at), FL_DUE_CHANGE, i,
			      /* epoch= */ 0, err);
	for (uint32_t i = 0; i < m->n_failures && r >= 0; i++) {
		const struct fl_failure_row *row = &m->failures[i];

		fl_random_init(&s->failures[i].random, s->settings.seed, stream_of(m, row));
		r = draw(s, i, row->every, FL_DUE_FAIL, err);
	}
	return r;
}
