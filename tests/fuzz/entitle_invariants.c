/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/entitle_invariants.h"

#include <math.h>

#include "decide/entitle/state/state.h"
#include "fuzz/fuzz.h"

static bool near(double a, double b, double scale) { return fabs(a - b) <= 1e-9 * scale; }

static void check_near(const struct fl_bundle *kept, const struct fl_bundle *sum,
		       const struct fl_bundle *scale)
{
	for (int r = 0; r < FL_BUNDLE; r++)
		ENSURE(near(kept->of[r], sum->of[r], scale->of[r]));
}

/* How many of its tasks are in which state; and that none of them stands half in one. */
static void check_job(const struct fl_policy *p, const struct fl_job *j)
{
	uint32_t n[FL_TASK_GONE + 1] = { 0 };

	for (uint32_t t = j->tasks.first; t < j->tasks.first + j->tasks.n; t++) {
		const struct fl_task *task = &p->tasks[t];

		n[task->state]++;
		ENSURE(task->promised.v == FL_NONE);
		if (task->state == FL_TASK_WAITS || task->state == FL_TASK_GONE)
			ENSURE(task->machine.v == FL_NONE);
	}
	ENSURE(n[FL_TASK_PROMISED] == 0); /* promises end with the cycle */
	ENSURE(j->n_waits == n[FL_TASK_WAITS] && j->n_holds == n[FL_TASK_HOLDS]);
	ENSURE(j->n_leaves == n[FL_TASK_LEAVES] && j->n_promised == 0);
	ENSURE(j->n_holds + j->n_leaves > 0 || j->started == FL_TIME_NONE);
	ENSURE(j->present || n[FL_TASK_WAITS] == 0 || j->queue.v == FL_NONE);
}

static bool is_below(const struct fl_policy *p, uint32_t q, uint32_t above)
{
	while (q != FL_NONE && q != above)
		q = p->queues[q].parent.v;
	return q == above;
}

/* Of all tasks, not only those that count: how far sums of theirs may be off. */
static struct fl_bundle scale_of(const struct fl_policy *p, const struct fl_model *m)
{
	struct fl_bundle scale = { { 1, 1, 1 } };

	for (uint32_t t = 0; t < m->n_tasks; t++)
		fl_bundle_add(&scale, &p->tasks[t].request);
	for (uint32_t i = 0; i < m->n_machines; i++)
		for (int r = 0; r < FL_BUNDLE; r++)
			scale.of[r] += fabs(p->rooms[i].allocatable.of[r]);
	return scale;
}

static void check_queue(const struct fl_policy *p, const struct fl_model *m, uint32_t q,
			const struct fl_bundle *scale)
{
	const struct fl_standing *s = &p->queues[q];
	struct fl_bundle held = { { 0 } }, firm = { { 0 } };

	for (uint32_t t = 0; t < m->n_tasks; t++) {
		const struct fl_task *task = &p->tasks[t];

		if (task->workload.v == FL_NONE || task->state != FL_TASK_HOLDS ||
		    !is_below(p, p->jobs[task->workload.v].books.v, q))
			continue;
		fl_bundle_add(&held, &task->request);
		if (!p->jobs[task->workload.v].preemptible)
			fl_bundle_add(&firm, &task->request);
	}
	check_near(&s->allocated, &held, scale);
	check_near(&s->non_preemptible, &firm, scale);
	for (int r = 0; r < FL_BUNDLE; r++)
		ENSURE(s->fair_share.of[r] >= 0 || s->fair_share.of[r] == FL_UNBOUNDED);
}

static void check_room(const struct fl_policy *p, const struct fl_model *m, uint32_t machine,
		       const struct fl_bundle *scale)
{
	struct fl_bundle idle = p->rooms[machine].allocatable, leaving = { { 0 } };

	for (uint32_t t = 0; t < m->n_tasks; t++) {
		if (p->tasks[t].machine.v != machine)
			continue;
		fl_bundle_take(&idle, &p->tasks[t].request);
		if (p->tasks[t].state == FL_TASK_LEAVES)
			fl_bundle_add(&leaving, &p->tasks[t].request);
	}
	check_near(&p->rooms[machine].idle, &idle, scale);
	check_near(&p->rooms[machine].leaving, &leaving, scale);
}

void entitle_invariants_hold(const struct fl_policy *p, const struct fl_model *m)
{
	struct fl_bundle scale = scale_of(p, m);

	ENSURE(p->trial == 0);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		check_job(p, &p->jobs[w]);
	for (uint32_t q = 0; q < m->n_nodes; q++)
		check_queue(p, m, q, &scale);
	for (uint32_t i = 0; i < m->n_machines; i++)
		check_room(p, m, i, &scale);
}
