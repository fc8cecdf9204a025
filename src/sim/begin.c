/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begin - how a simulation finds each workload
 */
#include "sim/begin.h"

#include "base/sort.h"
#include "sim/failures.h"
#include "sim/simulation.h"

fl_time fl_sim_start(const struct fl_model *m)
{
	fl_time first = FL_NEVER;

	if (m->simulation.start != FL_TIME_NONE)
		return m->simulation.start;
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (m->lives[i].arrives != FL_TIME_NONE)
			first = fl_amount_min(first, m->lives[i].arrives);
	if (first != FL_NEVER)
		return first;
	return m->newest != FL_TIME_NONE ? m->newest : 0;
}

double fl_sim_request(const struct fl_model *m, struct fl_workload w, struct fl_resource r)
{
	const struct fl_workload_row *row = &m->workloads[w.v];
	double sum = 0;

	if (row->gang != FL_NONE) {
		struct fl_span tasks = m->gangs[row->gang].tasks;

		for (uint32_t t = tasks.first; t < tasks.first + tasks.n; t++)
			for (int i = 0; i < FL_BUNDLE; i++)
				if (m->axis[i].v == r.v)
					sum += m->tasks[t].request.of[i];
		return sum;
	}
	for (uint32_t i = row->podsets.first; i < row->podsets.first + row->podsets.n; i++) {
		const struct fl_podset *p = &m->podsets[i];

		for (uint32_t k = p->requests.first; k < p->requests.first + p->requests.n; k++)
			if (m->requests[k].resource.v == r.v)
				sum += (double)m->requests[k].amount * (double)fl_podset_left(p);
	}
	return sum;
}

/* At least one: a workload without any takes its time as well. */
static uint32_t pods_of(const struct fl_model *m, const struct fl_workload_row *row)
{
	uint32_t pods = 0;

	if (row->gang != FL_NONE)
		pods = m->gangs[row->gang].tasks.n;
	for (uint32_t i = 0; row->gang == FL_NONE && i < row->podsets.n; i++)
		pods += (uint32_t)fl_podset_left(&m->podsets[row->podsets.first + i]);
	return pods ? pods : 1;
}

/* --- order --- */

static int cmp_names(const void *sim, uint32_t a, uint32_t b)
{
	const struct fl_model *m = ((const struct fl_sim *)sim)->model;
	const struct fl_workload_row *x = &m->workloads[a], *y = &m->workloads[b];
	int order = fl_names_cmp(&m->names, x->namespace, y->namespace);

	if (!order)
		order = fl_names_cmp(&m->names, x->name, y->name);
	return order ? order : (a > b) - (a < b);
}

static int cmp_arrivals(const void *sim, uint32_t a, uint32_t b)
{
	const struct fl_sim_job *x = &((const struct fl_sim *)sim)->jobs[a];
	const struct fl_sim_job *y = &((const struct fl_sim *)sim)->jobs[b];

	if (x->life->arrives != y->life->arrives)
		return x->life->arrives < y->life->arrives ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* --- each workload --- */

static bool will_arrive(const struct fl_sim_job *j)
{
	return j->life && j->life->arrives != FL_TIME_NONE;
}

/* It comes later, or has been there. */
static void begin_absent(struct fl_sim *s, uint32_t w)
{
	struct fl_sim_job *j = &s->jobs[w];

	if (will_arrive(j) && j->life->arrives > s->now)
		s->arrivals[s->n_arrivals++] = w;
	else
		j->state = FL_SIM_FINISHED;
}

static int begin_waiting(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	struct fl_event cancel = { .kind = FL_EV_CANCEL, .workload = { w } };

	if (will_arrive(j)) {
		s->arrivals[s->n_arrivals++] = w;
		return fl_driver_apply(&s->driver, s->now, &cancel, err);
	}
	j->state = FL_SIM_WAITS;
	s->n_waiting++;
	return fl_sim_at(s, j->life ? j->life->leaves : FL_NEVER, FL_DUE_GIVE_UP, j->rank,
			 /* epoch= */ 0, err);
}

/* Since when it holds quota, as far as the input says so. */
static fl_time began(const struct fl_sim *s, const struct fl_workload_row *row)
{
	fl_time at = row->gang != FL_NONE ? s->model->gangs[row->gang].started : row->reserved_at;

	if (at == FL_TIME_NONE || at > s->now)
		return s->now;
	return fl_amount_max(at, s->now - FL_LONGEST_SIMULATION);
}

static int begin_running(struct fl_sim *s, uint32_t w, bool leaves, fairlead_error *err)
{
	const struct fl_workload_row *row = &s->model->workloads[w];
	struct fl_sim_job *j = &s->jobs[w];
	fl_time told = s->now, evicted_at = fl_model_requeue(s->model, row)->evicted_at;
	int r = 0;

	fl_sim_enter(s, w);
	j->state = leaves ? FL_SIM_LEAVES : FL_SIM_RUNS;
	j->starts = 1;
	j->ran = true;
	j->started = j->first_start = j->since = began(s, row);
	j->running = j->pods;
	if (evicted_at != FL_TIME_NONE && evicted_at < told)
		told = evicted_at;
	told = fl_sat_add(told, s->settings.grace);
	if (leaves)
		r = fl_sim_at(s, told < s->now ? s->now : told, FL_DUE_LET_GO, j->rank, ++j->told,
			      err);
	return r < 0 ? r : fl_sim_go_on(s, w, err);
}

/* As the policy has it. */
static int begin_job(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	switch (s->ops->state(s->policy, (struct fl_workload){ w })) {
	case FL_STATE_EXCLUDED:
		s->jobs[w].state = FL_SIM_EXCLUDED;
		return 0;
	case FL_STATE_ABSENT:
		begin_absent(s, w);
		return 0;
	case FL_STATE_WAITING:
	case FL_STATE_INADMISSIBLE:
	case FL_STATE_HELD_BACK:
		return begin_waiting(s, w, err);
	case FL_STATE_ADMITTED:
		return begin_running(s, w, /* leaves= */ false, err);
	case FL_STATE_EVICTING:
		break;
	}
	return begin_running(s, w, /* leaves= */ true, err);
}

static void fill_jobs(struct fl_sim *s)
{
	const struct fl_model *m = s->model;

	for (uint32_t w = 0; w < m->n_workloads; w++) {
		s->jobs[w] = (struct fl_sim_job){ .first_start = FL_TIME_NONE,
						  .started = FL_TIME_NONE,
						  .ended = FL_TIME_NONE,
						  .waits_since = s->now,
						  .since = s->now,
						  .pods = pods_of(m, &m->workloads[w]) };
		s->by_rank[w] = w;
	}
	fl_sort(s->by_rank, m->n_workloads, s->spare, cmp_names, s);
	for (uint32_t i = 0; i < m->n_workloads; i++)
		s->jobs[s->by_rank[i]].rank = i;
	for (uint32_t i = 0; i < m->n_lives && !s->options.lives; i++)
		s->jobs[m->lives[i].workload.v].life = &m->lives[i];
	for (uint32_t w = 0; w < m->n_workloads && s->options.lives; w++)
		if (s->options.lives[w].workload.v != FL_NONE)
			s->jobs[w].life = &s->options.lives[w];
	for (uint32_t g = 0; g < m->n_groups; g++)
		if (s->most_flavors < m->groups[g].flavors.n)
			s->most_flavors = m->groups[g].flavors.n;
}

int fl_sim_begin(struct fl_sim *s, fairlead_error *err)
{
	uint32_t n = s->model->n_workloads;
	int r = 0;

	s->jobs = fl_arena_alloc(&s->arena, n, sizeof *s->jobs, err);
	s->by_rank = fl_arena_alloc(&s->arena, n, sizeof *s->by_rank, err);
	s->arrivals = fl_arena_alloc(&s->arena, n, sizeof *s->arrivals, err);
	s->running = fl_arena_alloc(&s->arena, n, sizeof *s->running, err);
	s->sorted = fl_arena_alloc(&s->arena, n, sizeof *s->sorted, err);
	s->spare = fl_arena_alloc(&s->arena, n, sizeof *s->spare, err);
	if (!s->jobs || !s->by_rank || !s->arrivals || !s->running || !s->sorted || !s->spare)
		return FAIRLEAD_ENOMEM;
	fill_jobs(s);
	for (uint32_t w = 0; w < n && r >= 0; w++)
		r = begin_job(s, s->by_rank[w], err);
	for (uint32_t w = 0; w < n; w++)
		s->n_finite += fl_sim_is_finite(&s->jobs[w]) &&
			       s->jobs[w].state != FL_SIM_FINISHED &&
			       s->jobs[w].state != FL_SIM_EXCLUDED;
	fl_sort(s->arrivals, s->n_arrivals, s->spare, cmp_arrivals, s);
	return r < 0 ? r : fl_sim_failures_begin(s, err);
}
