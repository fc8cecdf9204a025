/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/doors/image.h"

#include <math.h>
#include <string.h>

#include "decide/entitle/doors/setup.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/shares.h"

static const char history_name[] = "entitle.history", budgets_name[] = "entitle.budgets";

/* --- is it valid? --- */

static bool are_finite(const struct fl_bundle *b)
{
	return isfinite(b->of[0]) && isfinite(b->of[1]) && isfinite(b->of[2]);
}

/* None is negative, or, where that is allowed, unbounded. */
static bool are_amounts(const struct fl_bundle *b, bool or_unbounded)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!(b->of[r] >= 0 || (or_unbounded && b->of[r] == FL_UNBOUNDED)))
			return false;
	return are_finite(b);
}

static bool is_machine(const struct fl_policy *p, uint32_t v)
{
	return v == FL_NONE || v < p->model->n_machines;
}

#define STATE "decide/entitle/state/state.def"
#include "decide/table_doors.h"

/* --- save --- */

int fl_entitle_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	struct fl_arena a;
	int r = fl_common_unmarked(p, "a policy is not saved", err);

	if (r < 0)
		return r;
	fl_arena_init(&a, p->mem);
	if ((r = save_policy(p, &a, w, err)) == 0 && (r = save_queue(p, &a, w, err)) == 0 &&
	    (r = save_job(p, &a, w, err)) == 0 && (r = save_task(p, &a, w, err)) == 0 &&
	    (r = save_room(p, &a, w, err)) == 0)
		r = save_open(p, &a, w, err);
	fl_arena_done(&a);
	if (r == 0 && p->history)
		r = fl_history_save(p->history, history_name, w, err);
	if (r == 0 && p->budgets)
		r = fl_history_save(p->budgets->history, budgets_name, w, err);
	return r;
}

/* --- load --- */

int fl_entitle_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			     fairlead_error *err)
{
	const struct fl_saved_policy *row;
	const void *rows;
	int r = fl_image_exactly(i, &policy_kind, 1, &rows, err);

	if (r < 0)
		return r;
	row = rows;
	ret->now = row->now;
	ret->moving_usage = row->moving;
	return 0;
}

static uint32_t *count_of(struct fl_job *j, enum fl_task_state state)
{
	return state == FL_TASK_WAITS ? &j->n_waits :
	       state == FL_TASK_HOLDS ? &j->n_holds :
					&j->n_leaves;
}

/* A task that is of no workload only takes room, from the beginning on. */
static void place_task(struct fl_policy *p, uint32_t at, const struct fl_saved_task *row)
{
	struct fl_task *t = &p->tasks[at];

	if (t->workload.v == FL_NONE)
		return;
	t->state = (enum fl_task_state)row->state;
	t->machine.v = row->machine;
	t->promised.v = row->promised;
	t->dropped.v = row->dropped;
	t->trial = 0; /* the search that evicted it is over */
	if (t->state != FL_TASK_GONE)
		++*count_of(&p->jobs[t->workload.v], t->state);
	fl_bitset_put(&p->alive, at, t->state != FL_TASK_GONE, /* undo= */ NULL);
}

int fl_entitle_enter_jobs(struct fl_policy *p, const struct fl_saved_job *jobs,
			  const struct fl_saved_task *tasks, fairlead_error *err)
{
	if (!are_job(p, jobs))
		return fl_image_damaged(job_kind.name, err);
	if (!are_task(p, tasks))
		return fl_image_damaged(task_kind.name, err);
	enter_job(p, jobs);
	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		struct fl_job *j = &p->jobs[w];

		j->n_waits = j->n_holds = j->n_promised = j->n_leaves = 0;
		j->epoch = ++p->epochs;
	}
	for (uint32_t t = 0; t < p->model->n_tasks; t++)
		place_task(p, t, &tasks[t]);
	for (uint32_t w = 0; w < p->model->n_workloads; w++)
		fl_job_note_there(p, (struct fl_workload){ w });
	return 0;
}

static int load_jobs(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const void *jobs, *tasks;
	int r = fl_image_exactly(i, &job_kind, p->model->n_workloads, &jobs, err);

	if (r == 0)
		r = fl_image_exactly(i, &task_kind, p->model->n_tasks, &tasks, err);
	return r < 0 ? r : fl_entitle_enter_jobs(p, jobs, tasks, err);
}

int fl_entitle_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	int r;

	if ((r = load_policy(p, i, err)) < 0 || (r = load_queue(p, i, err)) < 0 ||
	    (r = load_jobs(p, i, err)) < 0 || (r = load_room(p, i, err)) < 0 ||
	    (r = load_open(p, i, err)) < 0)
		return r;
	for (uint32_t q = 0; q < p->model->n_nodes; q++)
		fl_state_touch(p, q);
	fl_shares_tell_all(p);
	p->total = fl_state_total(p);
	if (p->history)
		r = fl_history_load(p->history, history_name, i, err);
	if (r == 0 && p->budgets)
		r = fl_history_load(p->budgets->history, budgets_name, i, err);
	return r;
}
