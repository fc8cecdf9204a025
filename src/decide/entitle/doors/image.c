/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/doors/image.h"

#include <math.h>
#include <string.h>

#include "decide/entitle/doors/setup.h"
#include "decide/entitle/rules/budget.h"
#include "decide/entitle/rules/shares.h"

/* Rows of the tables, without room between their fields. */
struct saved_policy {
	fl_time now;
	uint32_t moving, changes;
};
struct saved_queue {
	struct fl_bundle deserved, limit, weight;
	struct fl_bundle fair_share, request, allocated, non_preemptible, usage;
	double late;
	int32_t priority;
	uint32_t zero;
};
struct saved_room {
	struct fl_bundle allocatable, idle, leaving;
};

static const struct fl_image_kind policy_kind = { "entitle", sizeof(struct saved_policy), 0 };
static const struct fl_image_kind queue_kind = { "entitle.queues", sizeof(struct saved_queue), 0 };
static const struct fl_image_kind job_kind = { "entitle.jobs", sizeof(struct fl_saved_job), 0 };
static const struct fl_image_kind task_kind = { "entitle.tasks", sizeof(struct fl_saved_task), 0 };
static const struct fl_image_kind room_kind = { "entitle.rooms", sizeof(struct saved_room), 0 };
static const struct fl_image_kind open_kind = { "entitle.open", sizeof(struct fl_bundle), 0 };
static const char history_name[] = "entitle.history", budgets_name[] = "entitle.budgets";

/* --- saving --- */

/* Room for the rows that are made to be written. */
struct saving {
	const struct fl_policy *p;
	struct fl_image_writer *w;
	struct fl_arena arena;
};

static int save_queues(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_nodes;
	struct saved_queue *rows;

	if (!FL_NEW(&s->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct fl_standing *q = &p->queues[i];

		rows[i] = (struct saved_queue){
			.deserved = q->deserved,
			.limit = q->limit,
			.weight = q->weight,
			.fair_share = q->fair_share,
			.request = q->request,
			.allocated = q->allocated,
			.non_preemptible = q->non_preemptible,
			.late = q->late,
			.priority = q->priority,
		};
		if (p->usage)
			rows[i].usage = p->usage[i];
	}
	return fl_image_put(s->w, &queue_kind, rows, n, err);
}

static int save_jobs(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_workloads, tasks = p->model->n_tasks;
	struct fl_saved_job *rows;
	struct fl_saved_task *task_rows;
	int r;

	if (!FL_NEW(&s->arena, rows, n, err) || !FL_NEW(&s->arena, task_rows, tasks, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++) {
		const struct fl_job *j = &p->jobs[w];

		rows[w] = (struct fl_saved_job){ .started = j->started,
						 .stale_since = j->stale_since,
						 .priority = j->priority,
						 .reason = (uint16_t)j->reason,
						 .present = j->present,
						 .preemptible = j->preemptible };
	}
	for (uint32_t i = 0; i < tasks; i++) {
		const struct fl_task *t = &p->tasks[i];

		task_rows[i] = (struct fl_saved_task){ (uint32_t)t->state, t->machine.v,
						       t->promised.v, t->dropped.v };
	}
	r = fl_image_put(s->w, &job_kind, rows, n, err);
	return r < 0 ? r : fl_image_put(s->w, &task_kind, task_rows, tasks, err);
}

static int save_rooms(struct saving *s, fairlead_error *err)
{
	const struct fl_policy *p = s->p;
	uint32_t n = p->model->n_machines;
	struct saved_room *rows;
	int r;

	if (!FL_NEW(&s->arena, rows, n, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		rows[i] = (struct saved_room){ p->rooms[i].allocatable, p->rooms[i].idle,
					       p->rooms[i].leaving };
	r = fl_image_put(s->w, &room_kind, rows, n, err);
	return r < 0 ? r : fl_image_put(s->w, &open_kind, p->most_open, p->n_blocks, err);
}

int fl_entitle_save(const struct fl_policy *p, struct fl_image_writer *w, fairlead_error *err)
{
	const struct saved_policy row = { .now = p->now,
					  .moving = p->moving,
					  .changes = p->changes };
	struct saving s = { .p = p, .w = w };
	int r = fl_common_unmarked(p, "a policy is not saved", err);

	if (r < 0)
		return r;
	fl_arena_init(&s.arena, p->mem);
	if ((r = fl_image_put(w, &policy_kind, &row, 1, err)) == 0 &&
	    (r = save_queues(&s, err)) == 0 && (r = save_jobs(&s, err)) == 0)
		r = save_rooms(&s, err);
	fl_arena_done(&s.arena);
	if (r == 0 && p->history)
		r = fl_history_save(p->history, history_name, w, err);
	if (r == 0 && p->budgets)
		r = fl_history_save(p->budgets->history, budgets_name, w, err);
	return r;
}

/* --- loading --- */

int fl_entitle_saved_options(const struct fl_image *i, struct fl_policy_options *ret,
			     fairlead_error *err)
{
	const struct saved_policy *row;
	const void *rows;
	int r = fl_image_exactly(i, &policy_kind, 1, &rows, err);

	if (r < 0)
		return r;
	row = rows;
	ret->now = row->now;
	ret->moving_usage = row->moving;
	return 0;
}

static bool are_finite(const struct fl_bundle *b)
{
	return isfinite(b->of[0]) && isfinite(b->of[1]) && isfinite(b->of[2]);
}

/* Not negative, or where that may be without a bound. */
static bool are_amounts(const struct fl_bundle *b, bool or_unbounded)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		if (!(b->of[r] >= 0 || (or_unbounded && b->of[r] == FL_UNBOUNDED)))
			return false;
	return are_finite(b);
}

static bool is_queue(const struct saved_queue *row)
{
	return are_amounts(&row->deserved, true) && are_amounts(&row->limit, true) &&
	       are_amounts(&row->weight, true) && are_finite(&row->fair_share) &&
	       are_finite(&row->request) && are_finite(&row->allocated) &&
	       are_finite(&row->non_preemptible) && are_amounts(&row->usage, false) &&
	       !isnan(row->late);
}

static int enter_queues(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const struct saved_queue *rows;
	const void *found;
	int r = fl_image_exactly(i, &queue_kind, p->model->n_nodes, &found, err);

	rows = found;
	for (uint32_t n = 0; r == 0 && n < p->model->n_nodes; n++) {
		struct fl_standing *q = &p->queues[n];

		if (!is_queue(&rows[n]))
			return fl_image_damaged(queue_kind.name, err);
		q->deserved = rows[n].deserved;
		q->limit = rows[n].limit;
		q->weight = rows[n].weight;
		q->fair_share = rows[n].fair_share;
		q->request = rows[n].request;
		q->allocated = rows[n].allocated;
		q->non_preemptible = rows[n].non_preemptible;
		q->late = rows[n].late;
		q->priority = rows[n].priority;
		if (p->usage)
			p->usage[n] = rows[n].usage;
		fl_state_touch(p, n);
	}
	if (r == 0)
		fl_shares_tell_all(p);
	return r;
}

static uint32_t *count_of(struct fl_job *j, enum fl_task_state state)
{
	return state == FL_TASK_WAITS ? &j->n_waits :
	       state == FL_TASK_HOLDS ? &j->n_holds :
					&j->n_leaves;
}

static bool is_machine(const struct fl_policy *p, uint32_t v)
{
	return v == FL_NONE || v < p->model->n_machines;
}

/* What is nobody's only takes room, from the beginning on. */
static int enter_task(struct fl_policy *p, uint32_t at, const struct fl_saved_task *row,
		      fairlead_error *err)
{
	struct fl_task *t = &p->tasks[at];
	bool was_alive = t->state != FL_TASK_GONE, alive = row->state != FL_TASK_GONE;

	if (row->state > FL_TASK_GONE || row->state == FL_TASK_PROMISED ||
	    !is_machine(p, row->machine) || !is_machine(p, row->promised) ||
	    !is_machine(p, row->dropped))
		return fl_image_damaged(task_kind.name, err);
	if (t->workload.v == FL_NONE)
		return 0;
	t->state = (enum fl_task_state)row->state;
	t->machine.v = row->machine;
	t->promised.v = row->promised;
	t->dropped.v = row->dropped;
	t->trial = 0; /* of a search that is over */
	if (alive)
		++*count_of(&p->jobs[t->workload.v], t->state);
	if (alive && !was_alive)
		fl_bitset_add(&p->alive, at, /* undo= */ NULL);
	else if (was_alive && !alive)
		fl_bitset_remove(&p->alive, at, /* undo= */ NULL);
	return 0;
}

int fl_entitle_enter_jobs(struct fl_policy *p, const struct fl_saved_job *jobs,
			  const struct fl_saved_task *tasks, fairlead_error *err)
{
	int r = 0;

	for (uint32_t w = 0; w < p->model->n_workloads; w++) {
		struct fl_job *j = &p->jobs[w];

		if (jobs[w].reason >= FL_REASONS || jobs[w].present > 1 || jobs[w].preemptible > 1)
			return fl_image_damaged(job_kind.name, err);
		j->started = jobs[w].started;
		j->stale_since = jobs[w].stale_since;
		j->priority = jobs[w].priority;
		j->reason = (enum fl_reason)jobs[w].reason;
		j->present = jobs[w].present;
		j->preemptible = jobs[w].preemptible;
		j->n_waits = j->n_holds = j->n_promised = j->n_leaves = 0;
		j->epoch = ++p->epochs;
	}
	for (uint32_t t = 0; r == 0 && t < p->model->n_tasks; t++)
		r = enter_task(p, t, &tasks[t], err);
	for (uint32_t w = 0; r == 0 && w < p->model->n_workloads; w++)
		fl_job_note_there(p, (struct fl_workload){ w });
	return r;
}

static int enter_jobs(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const void *jobs, *tasks;
	int r = fl_image_exactly(i, &job_kind, p->model->n_workloads, &jobs, err);

	if (r == 0)
		r = fl_image_exactly(i, &task_kind, p->model->n_tasks, &tasks, err);
	return r < 0 ? r : fl_entitle_enter_jobs(p, jobs, tasks, err);
}

static int enter_rooms(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const struct saved_room *rows;
	const struct fl_bundle *open;
	const void *found, *found_open;
	int r = fl_image_exactly(i, &room_kind, p->model->n_machines, &found, err);

	if (r == 0)
		r = fl_image_exactly(i, &open_kind, p->n_blocks, &found_open, err);
	if (r < 0)
		return r;
	rows = found;
	open = found_open;
	for (uint32_t n = 0; n < p->model->n_machines; n++) {
		if (!are_finite(&rows[n].allocatable) || !are_finite(&rows[n].idle) ||
		    !are_finite(&rows[n].leaving))
			return fl_image_damaged(room_kind.name, err);
		p->rooms[n].allocatable = rows[n].allocatable;
		p->rooms[n].idle = rows[n].idle;
		p->rooms[n].leaving = rows[n].leaving;
	}
	for (uint32_t b = 0; b < p->n_blocks; b++)
		p->most_open[b] = open[b];
	p->total = fl_state_total(p);
	return 0;
}

int fl_entitle_enter(struct fl_policy *p, const struct fl_image *i, fairlead_error *err)
{
	const struct saved_policy *row;
	const void *rows;
	int r = fl_image_exactly(i, &policy_kind, 1, &rows, err);

	if (r == 0)
		r = enter_queues(p, i, err);
	if (r == 0)
		r = enter_jobs(p, i, err);
	if (r == 0)
		r = enter_rooms(p, i, err);
	if (r == 0 && p->history)
		r = fl_history_load(p->history, history_name, i, err);
	if (r == 0 && p->budgets)
		r = fl_history_load(p->budgets->history, budgets_name, i, err);
	if (r < 0)
		return r;
	row = rows;
	p->changes = row->changes;
	return 0;
}
