/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/state/state.h"

#include <math.h>

/* Room in the undo log for one change of a task. */
static int reserve(struct fl_policy *p, const struct fl_job *j, fairlead_error *err)
{
	enum {
		LEVEL = FL_UNDO_OF(uint64_t) + 2 * FL_UNDO_OF(struct fl_bundle), /* charge */
		ROOM = 3 * FL_UNDO_OF(struct fl_bundle), /* change_room, of two machines */
		/*
		 * enter: counts of two states, two epochs, its own state, and whether it is alive
		 */
		ENTER = 3 * FL_UNDO_OF(uint32_t) + 2 * FL_UNDO_OF(uint64_t) + FL_BITSET_UNDO +
			FL_JOB_THERE_UNDO,
		/* start time; its machine, promised and dropped machine, and the trial */
		OWN = FL_UNDO_OF(fl_time) + 4 * FL_UNDO_OF(uint32_t),
	};
	size_t levels = j->books.v == FL_NONE ? 0 : p->queues[j->books.v].depth + 1;

	return fl_undo_reserve(&p->undo, levels * LEVEL + 2 * ROOM + ENTER + OWN, err);
}

static void add(struct fl_policy *p, struct fl_bundle *to, const struct fl_bundle *what, int sign)
{
	struct fl_bundle sum = *to;

	if (sign > 0)
		fl_bundle_add(&sum, what);
	else
		fl_bundle_take(&sum, what);
	FL_SET(p, *to, sum);
}

void fl_state_touch(struct fl_policy *p, uint32_t q) { FL_SET(p, p->queue_epoch[q], ++p->epochs); }

/* Changes what the queues of @j hold, its leaf and all queues above. */
static void charge(struct fl_policy *p, const struct fl_job *j, const struct fl_bundle *what,
		   int sign)
{
	for (uint32_t q = j->books.v; q != FL_NONE; q = p->queues[q].parent.v) {
		fl_state_touch(p, q);
		add(p, &p->queues[q].allocated, what, sign);
		if (!j->preemptible)
			add(p, &p->queues[q].non_preemptible, what, sign);
	}
}

/* The most that any machine of the block has, for each resource separately. */
static void measure_block(struct fl_policy *p, uint32_t block)
{
	uint32_t end = (block + 1) * FL_ROOMS_BLOCK, n = p->model->n_machines;
	struct fl_bundle most = { { -INFINITY, -INFINITY, -INFINITY } };

	for (uint32_t i = block * FL_ROOMS_BLOCK; i < end && i < n; i++) {
		const struct fl_room *room = &p->rooms[p->machine_order[i]];

		for (int r = 0; room->usable && r < FL_BUNDLE; r++)
			if (room->idle.of[r] + room->leaving.of[r] > most.of[r])
				most.of[r] = room->idle.of[r] + room->leaving.of[r];
	}
	FL_SET(p, p->most_open[block], most);
}

/* A task may be on a machine that the model does not have. */
static void change_room(struct fl_policy *p, struct fl_machine where, const struct fl_bundle *what,
			int idle, int leaving)
{
	struct fl_room *room = where.v == FL_NONE ? NULL : &p->rooms[where.v];

	if (!room)
		return;
	if (idle)
		add(p, &room->idle, what, idle);
	if (leaving)
		add(p, &room->leaving, what, leaving);
	measure_block(p, room->rank / FL_ROOMS_BLOCK);
}

static uint32_t *count_of(struct fl_job *j, enum fl_task_state state)
{
	switch (state) {
	case FL_TASK_WAITS:
		return &j->n_waits;
	case FL_TASK_HOLDS:
		return &j->n_holds;
	case FL_TASK_LEAVES:
		return &j->n_leaves;
	case FL_TASK_PROMISED:
		return &j->n_promised;
	case FL_TASK_GONE:
		break;
	}
	return NULL;
}

static void put_in(struct fl_policy *p, struct fl_bitset *set, uint32_t at, bool in)
{
	if (in)
		fl_bitset_add(set, at, &p->undo);
	else
		fl_bitset_remove(set, at, &p->undo);
}

void fl_job_note_there(struct fl_policy *p, struct fl_workload w)
{
	const struct fl_job *j = &p->jobs[w.v];
	bool there = j->present || j->n_waits + j->n_holds + j->n_promised + j->n_leaves > 0;

	if (there == fl_bitset_has(&p->there, j->rank))
		return;
	put_in(p, &p->there, j->rank, there);
	if (j->books.v != FL_NONE)
		put_in(p, &p->booked_there, j->booked, there);
}

/* A task arrives, or ends for good. */
static void note_alive(struct fl_policy *p, struct fl_task *t, bool alive)
{
	uint32_t at = (uint32_t)(t - p->tasks);

	put_in(p, &p->alive, at, alive);
	fl_job_note_there(p, t->workload);
}

/* Sets the task's state, and updates how many tasks of its workload are in which state. */
static void enter(struct fl_policy *p, struct fl_job *j, struct fl_task *t,
		  enum fl_task_state state)
{
	uint32_t *from = count_of(j, t->state), *to = count_of(j, state);

	if (from)
		FL_SET(p, *from, *from - 1);
	if (to)
		FL_SET(p, *to, *to + 1);
	bool was_alive = t->state != FL_TASK_GONE;

	if (j->books.v != FL_NONE && fl_task_requests(t->state) != fl_task_requests(state))
		FL_SET(p, p->request_epoch[j->books.v], ++p->epochs);
	FL_SET(p, t->state, state);
	FL_SET(p, j->epoch, ++p->epochs);
	j->remembered = 0;
	if (was_alive != (state != FL_TASK_GONE))
		note_alive(p, t, !was_alive);
}

static struct fl_job *job_of(struct fl_policy *p, uint32_t task)
{
	return &p->jobs[p->tasks[task].workload.v];
}

int fl_task_bind(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	if (j->n_holds == 0)
		FL_SET(p, j->started, p->now);
	enter(p, j, t, FL_TASK_HOLDS);
	FL_SET(p, t->machine, to);
	change_room(p, to, &t->request, /* idle= */ -1, /* leaving= */ 0);
	charge(p, j, &t->request, +1);
	return 0;
}

/* Books the eviction (+1) of a task, or that it is spared (-1): see fl_task_evict in state.h. */
static void free_place(struct fl_policy *p, const struct fl_task *t, int sign)
{
	change_room(p, fl_task_place(t), &t->request, /* idle= */ 0, sign);
	if (t->promised.v != FL_NONE)
		change_room(p, t->promised, &t->request, -sign, sign);
}

int fl_task_promise(struct fl_policy *p, uint32_t task, struct fl_machine to, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	if (t->promised.v != FL_NONE)
		FL_SET(p, t->dropped, t->promised);
	enter(p, j, t, FL_TASK_PROMISED);
	FL_SET(p, t->promised, to);
	change_room(p, to, &t->request, /* idle= */ 0, /* leaving= */ -1);
	charge(p, j, &t->request, +1);
	return 0;
}

int fl_task_evict(struct fl_policy *p, uint32_t task, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	if (t->state != FL_TASK_LEAVES) {
		free_place(p, t, +1);
		enter(p, j, t, FL_TASK_LEAVES);
	}
	j->remembered = 0;
	FL_SET(p, t->trial, p->trial);
	charge(p, j, &t->request, -1);
	return 0;
}

int fl_task_spare(struct fl_policy *p, uint32_t task, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	enter(p, j, t, t->promised.v == FL_NONE ? FL_TASK_HOLDS : FL_TASK_PROMISED);
	FL_SET(p, t->trial, 0);
	free_place(p, t, -1);
	charge(p, j, &t->request, +1);
	return 0;
}

int fl_task_release(struct fl_policy *p, uint32_t task, enum fl_task_state to, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	if (t->state == FL_TASK_HOLDS)
		charge(p, j, &t->request, -1);
	change_room(p, t->machine, &t->request, /* idle= */ +1,
		    t->state == FL_TASK_LEAVES ? -1 : 0);
	enter(p, j, t, to);
	FL_SET(p, t->machine, (struct fl_machine){ FL_NONE });
	FL_SET(p, t->trial, 0);
	if (j->n_holds == 0)
		FL_SET(p, j->started, FL_TIME_NONE);
	return 0;
}

void fl_task_begin(struct fl_policy *p, uint32_t task, enum fl_task_state state,
		   struct fl_machine where)
{
	p->tasks[task].machine = where;
	enter(p, job_of(p, task), &p->tasks[task], state);
}

/* For cells that are noted in the undo log already. */
static void recount_task(struct fl_policy *p, const struct fl_task *t)
{
	struct fl_room *room = t->machine.v == FL_NONE ? NULL : &p->rooms[t->machine.v];
	const struct fl_job *j = t->workload.v == FL_NONE ? NULL : &p->jobs[t->workload.v];

	if (room)
		fl_bundle_take(&room->idle, &t->request);
	if (room && t->state == FL_TASK_LEAVES)
		fl_bundle_add(&room->leaving, &t->request);
	if (!j || t->state != FL_TASK_HOLDS)
		return;
	for (uint32_t q = j->books.v; q != FL_NONE; q = p->queues[q].parent.v) {
		fl_bundle_add(&p->queues[q].allocated, &t->request);
		if (!j->preemptible)
			fl_bundle_add(&p->queues[q].non_preemptible, &t->request);
	}
}

int fl_state_recount(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	const struct fl_bundle nothing = { { 0 } };
	size_t bundles = 2 * (size_t)m->n_nodes + 2 * (size_t)m->n_machines + p->n_blocks;
	int r = fl_undo_reserve(
		&p->undo,
		bundles * FL_UNDO_OF(nothing) + m->n_nodes * FL_UNDO_OF(p->queue_epoch[0]), err);

	if (r < 0)
		return r;
	for (uint32_t q = 0; q < m->n_nodes; q++) {
		fl_state_touch(p, q);
		FL_SET(p, p->queues[q].allocated, nothing);
		FL_SET(p, p->queues[q].non_preemptible, nothing);
	}
	for (uint32_t i = 0; i < m->n_machines; i++) {
		FL_SET(p, p->rooms[i].idle, p->rooms[i].allocatable);
		FL_SET(p, p->rooms[i].leaving, nothing);
	}
	for (uint32_t t = fl_bitset_next(&p->alive, 0); t != FL_NONE;
	     t = fl_bitset_next(&p->alive, t + 1))
		recount_task(p, &p->tasks[t]);
	for (uint32_t i = 0; i < p->n_blocks; i++)
		measure_block(p, i);
	return 0;
}

struct fl_bundle fl_state_total(const struct fl_policy *p)
{
	struct fl_bundle total = { { 0 } };

	for (uint32_t i = 0; i < p->model->n_machines; i++)
		if (!p->model->machines[p->machine_order[i]].not_ready)
			fl_bundle_add(&total, &p->rooms[p->machine_order[i]].allocatable);
	/* Pods of other schedulers may hold more than the machine has. */
	for (int r = 0; r < FL_BUNDLE; r++)
		if (total.of[r] < 0)
			total.of[r] = 0;
	return total;
}

int fl_task_arrive(struct fl_policy *p, uint32_t task, fairlead_error *err)
{
	struct fl_job *j = job_of(p, task);
	int r = reserve(p, j, err);

	if (r < 0)
		return r;
	enter(p, j, &p->tasks[task], FL_TASK_WAITS);
	return 0;
}

int fl_task_unpromise(struct fl_policy *p, uint32_t task, fairlead_error *err)
{
	struct fl_task *t = &p->tasks[task];
	struct fl_job *j = job_of(p, task);
	int r = t->promised.v == FL_NONE ? 0 : reserve(p, j, err);

	if (r < 0 || t->promised.v == FL_NONE)
		return r;
	enter(p, j, t, t->machine.v == FL_NONE ? FL_TASK_WAITS : FL_TASK_LEAVES);
	FL_SET(p, t->promised, (struct fl_machine){ FL_NONE });
	FL_SET(p, t->dropped, (struct fl_machine){ FL_NONE });
	return 0;
}

void fl_job_remember(struct fl_policy *p, struct fl_workload w, bool amount)
{
	struct fl_job *j = &p->jobs[w.v];

	j->remembered = ++p->trials;
	j->asked_in = p->trial;
	j->asked_amount = amount;
}

void fl_state_forget(struct fl_policy *p) { p->forgotten = p->trials; }

/* The next task to start, at index @t or behind; FL_NONE. */
static uint32_t next_to_start(const struct fl_policy *p, const struct fl_job *j, uint32_t t)
{
	uint32_t trial = fl_job_remembers(p, j) ? j->asked_in : p->trial;

	for (; t < j->tasks.first + j->tasks.n; t++)
		if (p->tasks[t].state == FL_TASK_WAITS ||
		    (p->tasks[t].state == FL_TASK_LEAVES && trial && p->tasks[t].trial == trial))
			return t;
	return FL_NONE;
}

/* An upper bound. */
static uint32_t n_to_start(const struct fl_job *j)
{
	uint32_t active = fl_job_active(j);

	return active < j->min_tasks ? j->min_tasks - active : 1;
}

uint32_t fl_job_to_start(const struct fl_policy *p, struct fl_workload w, uint32_t *ret)
{
	const struct fl_job *j = &p->jobs[w.v];
	uint32_t want = n_to_start(j), n = 0, t = j->tasks.first;

	for (; n < want && (t = next_to_start(p, j, t)) != FL_NONE; t++, n++)
		if (ret)
			ret[n] = t;
	return n;
}

const struct fl_bundle *fl_job_start_amount(struct fl_policy *p, struct fl_workload w)
{
	struct fl_job *j = &p->jobs[w.v];
	uint32_t as_of = fl_job_as_of(p, j);
	uint32_t want = n_to_start(j), n = 0, t = j->tasks.first;
	bool all = !fl_job_remembers(p, j) || j->asked_amount;

	if (j->to_start_epoch == j->epoch && j->to_start_as_of == as_of)
		return &j->to_start;
	j->to_start = (struct fl_bundle){ 0 };
	for (; n < want && (t = next_to_start(p, j, t)) != FL_NONE; t++, n++)
		if (all || p->tasks[t].state == FL_TASK_WAITS)
			fl_bundle_add(&j->to_start, &p->tasks[t].request);
	j->to_start_epoch = j->epoch;
	j->to_start_as_of = as_of;
	return &j->to_start;
}

int fl_job_say(struct fl_policy *p, struct fl_workload w, enum fl_reason reason,
	       fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	int r = fl_undo_reserve(&p->undo, FL_UNDO_OF(j->reason), err);

	if (r == 0)
		FL_SET(p, j->reason, reason);
	return r;
}

int fl_job_mind_stale(struct fl_policy *p, struct fl_workload w, fairlead_error *err)
{
	struct fl_job *j = &p->jobs[w.v];
	bool stale = j->n_holds > 0 && j->n_holds < j->min_tasks;
	int r;

	if (stale == (j->stale_since != FL_TIME_NONE))
		return 0;
	r = fl_undo_reserve(&p->undo, FL_UNDO_OF(j->stale_since), err);
	if (r == 0)
		FL_SET(p, j->stale_since, stale ? p->now : FL_TIME_NONE);
	return r;
}
