/* SPDX-License-Identifier: Apache-2.0 */
#include "decide/entitle/doors/setup.h"

#include "base/sort.h"
#include "decide/entitle/cycle/cycle.h"
#include "decide/entitle/rules/shares.h"
#include "decide/entitle/rules/usage.h"

/* Memory to sort as many as there are of anything. */
struct sorting {
	uint32_t *ids, *spare;
};

static int cmp_times(fl_time a, fl_time b) { return (a > b) - (a < b); }

/* --- queues --- */

static const struct fl_entitlement *entitlement(const struct fl_model *m, uint32_t q)
{
	return &m->entitlements[m->nodes[q].entitlement];
}

static bool takes_part(const struct fl_model *m, uint32_t q)
{
	return m->nodes[q].kind == FL_QUEUE && m->nodes[q].inactive == FL_ACTIVE;
}

static int cmp_queues(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	fl_time x = takes_part(m, a) ? entitlement(m, a)->created : FL_TIME_NONE;
	fl_time y = takes_part(m, b) ? entitlement(m, b)->created : FL_TIME_NONE;
	int order = cmp_times(x, y);

	if (!order)
		order = fl_names_cmp(&m->names, m->nodes[a].name, m->nodes[b].name);
	return order ? order : (a > b) - (a < b);
}

static int cmp_depths(const void *policy, uint32_t a, uint32_t b)
{
	const struct fl_policy *p = policy;

	return (p->queues[a].depth > p->queues[b].depth) -
	       (p->queues[a].depth < p->queues[b].depth);
}

/* A queue that takes no part is at the top; it deserves 0, and its limit is 0. */
static struct fl_standing standing_of(const struct fl_model *m, uint32_t q, uint32_t rank)
{
	const struct fl_entitlement *e;
	struct fl_standing s = { .parent = { FL_NONE },
				 .rank = rank,
				 .preempt_min_run = FL_TIME_NONE,
				 .reclaim_min_run = FL_TIME_NONE };

	if (!takes_part(m, q))
		return s;
	e = entitlement(m, q);
	s.parent = m->nodes[q].parent;
	s.priority = e->priority;
	s.created = e->created;
	s.deserved = e->deserved;
	s.limit = e->limit;
	s.weight = e->weight;
	s.preempt_min_run = e->preempt_min_run;
	s.reclaim_min_run = e->reclaim_min_run;
	return s;
}

static int fill_queues(struct fl_policy *p, struct sorting *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;

	if (!FL_NEW(&p->arena, p->queues, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, p->is_leaf, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, p->queue_epoch, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, p->order, m->n_nodes, err) ||
	    !FL_NEW(&p->arena, p->request_epoch, m->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t q = 0; q < m->n_nodes; q++)
		s->ids[q] = q;
	fl_sort(s->ids, m->n_nodes, s->spare, cmp_queues, m);
	for (uint32_t i = 0; i < m->n_nodes; i++) {
		p->queues[s->ids[i]] = standing_of(m, s->ids[i], i);
		p->is_leaf[i] = true;
	}
	for (uint32_t q = 0; q < m->n_nodes; q++) {
		for (uint32_t at = p->queues[q].parent.v; at != FL_NONE; at = m->nodes[at].parent.v)
			p->queues[q].depth++;
		if (p->queues[q].parent.v != FL_NONE)
			p->is_leaf[p->queues[q].parent.v] = false;
	}
	fl_sort(s->ids, m->n_nodes, s->spare, cmp_depths, p); /* stable */
	for (uint32_t i = 0; i < m->n_nodes; i++)
		if (takes_part(m, s->ids[i]))
			p->order[p->n_order++].v = s->ids[i];
	return 0;
}

/* --- machines --- */

static int cmp_machines(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;

	return fl_names_cmp(&m->names, m->machines[a].name, m->machines[b].name);
}

void fl_entitle_allocatable(const struct fl_model *m, struct fl_bundle *ret)
{
	for (uint32_t i = 0; i < m->n_machines; i++)
		ret[i] = m->machines[i].allocatable;
	for (uint32_t t = 0; t < m->n_tasks; t++)
		if (m->tasks[t].foreign && m->tasks[t].phase == FL_TASK_ALLOCATED &&
		    m->tasks[t].machine.v != FL_NONE)
			fl_bundle_take(&ret[m->tasks[t].machine.v], &m->tasks[t].request);
}

static int fill_rooms(struct fl_policy *p, struct sorting *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct fl_bundle *allocatable = fl_arena_alloc(&p->cycle_arena, m->n_machines,
						       sizeof *allocatable, err);

	p->n_blocks = (m->n_machines + FL_ROOMS_BLOCK - 1) / FL_ROOMS_BLOCK;
	if (!allocatable || !FL_NEW(&p->arena, p->rooms, m->n_machines, err) ||
	    !FL_NEW(&p->arena, p->machine_order, m->n_machines, err) ||
	    !FL_NEW(&p->arena, p->most_open, p->n_blocks, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_machines; i++)
		p->machine_order[i] = i;
	fl_sort(p->machine_order, m->n_machines, s->spare, cmp_machines, m);
	fl_entitle_allocatable(m, allocatable);
	for (uint32_t i = 0; i < m->n_machines; i++) {
		const struct fl_machine_row *row = &m->machines[p->machine_order[i]];

		p->rooms[p->machine_order[i]] = (struct fl_room){
			.allocatable = allocatable[p->machine_order[i]],
			.usable = !row->not_ready && !row->unschedulable,
			.rank = i,
		};
	}
	p->total = fl_state_total(p);
	return 0;
}

/* --- workloads --- */

static int cmp_jobs(const void *ctx, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ctx;
	const struct fl_workload_row *x = &m->workloads[a], *y = &m->workloads[b];
	int order = cmp_times(x->created, y->created);

	if (!order)
		order = fl_names_cmp(&m->names, x->name, y->name);
	if (!order)
		order = fl_names_cmp(&m->names, x->namespace, y->namespace);
	return order ? order : (a > b) - (a < b);
}

static struct fl_job job_of(const struct fl_model *m, uint32_t w, uint32_t rank)
{
	const struct fl_workload_row *row = &m->workloads[w];
	struct fl_job j = { .queue = { FL_NONE },
			    .books = { FL_NONE },
			    .rank = rank,
			    .priority = row->priority,
			    .present = !row->finished,
			    .started = FL_TIME_NONE,
			    .stale_since = FL_TIME_NONE };
	const struct fl_gang *gang;

	if (row->gang == FL_NONE)
		return j;
	gang = &m->gangs[row->gang];
	j.tasks = gang->tasks;
	j.min_tasks = gang->min_tasks > 1 ? (uint32_t)gang->min_tasks : 1;
	for (uint32_t t = j.tasks.first; t < j.tasks.first + j.tasks.n; t++)
		j.without_gpu |= !(m->tasks[t].request.of[FL_GPU] > 0);
	j.preemptible = gang->preemptible;
	j.started = gang->started;
	j.stale_since = gang->stale_since;
	if (row->cluster_queue.v != FL_NONE && takes_part(m, row->cluster_queue.v)) {
		j.books = row->cluster_queue;
		if (row->excluded == FL_INCLUDED)
			j.queue = row->cluster_queue;
	}
	return j;
}

static uint32_t books_of(const void *policy, uint32_t w)
{
	const struct fl_policy *p = policy;

	return p->jobs[w].books.v;
}

/* Workloads by the queue that they are booked to, in their order. */
static void list_booked(struct fl_policy *p)
{
	const struct fl_model *m = p->model;

	fl_sort_buckets(p->job_order, m->n_workloads, books_of, p, p->booked_at, m->n_nodes,
			p->booked);
	for (uint32_t q = 0; q < m->n_nodes; q++)
		for (uint32_t i = 0; i < p->booked_at[q].n; i++) {
			uint32_t at = p->booked_at[q].first + i;

			p->jobs[p->booked[at]].booked = at;
		}
}

static int fill_jobs(struct fl_policy *p, struct sorting *s, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	int r;

	if (!FL_NEW(&p->arena, p->jobs, m->n_workloads, err) ||
	    !FL_NEW(&p->arena, p->job_order, m->n_workloads, err) ||
	    !FL_NEW(&p->arena, p->booked, m->n_workloads, err) ||
	    !FL_NEW(&p->arena, p->booked_at, m->n_nodes, err))
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		p->job_order[w] = w;
	fl_sort(p->job_order, m->n_workloads, s->spare, cmp_jobs, m);
	if ((r = fl_bitset_init(&p->there, m->n_workloads, &p->arena, err)) < 0 ||
	    (r = fl_bitset_init(&p->booked_there, m->n_workloads, &p->arena, err)) < 0)
		return r;
	for (uint32_t i = 0; i < m->n_workloads; i++)
		p->jobs[p->job_order[i]] = job_of(m, p->job_order[i], i);
	list_booked(p);
	if ((r = fl_shares_new(p, &p->shares, err)) < 0)
		return r;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		fl_job_note_there(p, (struct fl_workload){ w });
	return 0;
}

static void fill_task(struct fl_policy *p, uint32_t t)
{
	static const enum fl_task_state states[] = {
		[FL_TASK_PENDING] = FL_TASK_WAITS,
		[FL_TASK_ALLOCATED] = FL_TASK_HOLDS,
		[FL_TASK_RELEASING] = FL_TASK_LEAVES,
		[FL_TASK_DONE] = FL_TASK_GONE,
	};
	const struct fl_task_row *row = &p->model->tasks[t];
	enum fl_task_state state = states[row->phase];
	bool on_machine = state == FL_TASK_HOLDS || state == FL_TASK_LEAVES;
	struct fl_machine nowhere = { FL_NONE };

	p->tasks[t] = (struct fl_task){ .workload = row->workload,
					.request = row->request,
					.state = FL_TASK_GONE,
					.machine = nowhere,
					.promised = nowhere,
					.dropped = nowhere };
	if (row->workload.v != FL_NONE) {
		fl_task_begin(p, t, state, on_machine ? row->machine : nowhere);
	} else if (on_machine && !(row->foreign && state == FL_TASK_HOLDS)) {
		/*
		 * A task of no workload: it only takes room.  Room of other schedulers' pods was
		 * subtracted before.
		 */
		p->tasks[t].state = state;
		p->tasks[t].machine = row->machine;
		fl_bitset_add(&p->alive, t, /* undo= */ NULL);
	}
}

static int fill_tasks(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	int r = 0;

	if (!FL_NEW(&p->arena, p->tasks, m->n_tasks, err) ||
	    !FL_NEW(&p->arena, p->placements, m->n_tasks, err))
		return FAIRLEAD_ENOMEM;
	if ((r = fl_bitset_init(&p->alive, m->n_tasks, &p->arena, err)) < 0)
		return r;
	for (uint32_t t = 0; t < m->n_tasks; t++)
		fill_task(p, t);
	if ((r = fl_state_recount(p, err)) < 0)
		return r;
	for (uint32_t w = 0; w < m->n_workloads && r >= 0; w++) {
		struct fl_job *j = &p->jobs[w];

		if (j->n_holds == 0)
			j->started = FL_TIME_NONE;
		r = fl_job_mind_stale(p, (struct fl_workload){ w }, err);
	}
	return r;
}

int fl_entitle_setup(struct fl_policy *p, fairlead_error *err)
{
	const struct fl_model *m = p->model;
	struct sorting s;
	size_t most = (size_t)m->n_nodes + m->n_machines + m->n_workloads;
	int r;

	p->settings = m->entitle;
	s.ids = fl_arena_alloc(&p->cycle_arena, most, sizeof *s.ids, err);
	s.spare = fl_arena_alloc(&p->cycle_arena, most, sizeof *s.spare, err);
	if (!s.ids || !s.spare)
		return FAIRLEAD_ENOMEM;
	if ((r = fill_queues(p, &s, err)) < 0 || (r = fill_rooms(p, &s, err)) < 0 ||
	    (r = fill_jobs(p, &s, err)) < 0 || (r = fill_tasks(p, err)) < 0 ||
	    (r = fl_usage_setup(p, err)) < 0 || (r = fl_entitle_cycle_new(p, err)) < 0)
		return r;
	fl_cycle_divide(p);
	return 0;
}
