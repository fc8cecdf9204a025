/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/simulation.h"

#include <string.h>

#include "base/sort.h"

/* What stands in the calendar, in the order of one moment. */
enum due { DUE_END, DUE_LET_GO, DUE_CHANGE, DUE_GIVE_UP, DUE_RETURN };

/* So many cycles in which nothing starts, ends or arrives: nothing will. */
enum { IDLE_CYCLES = 256, LOOP_CYCLES = 1000000, ASK_EVERY = 1024 };

/* --- telling --- */

static struct fl_node queue_of(const struct fl_sim *s, struct fl_workload w)
{
	const struct fl_workload_row *row = &s->model->workloads[w.v];

	return row->admitted_queue.v != FL_NONE && row->cluster_queue.v == FL_NONE ?
		       row->admitted_queue :
		       row->cluster_queue;
}

static int tell(struct fl_sim *s, struct fl_sim_event *e, fairlead_error *err)
{
	int r = 0;

	e->at = s->now;
	if (e->workload.v != FL_NONE)
		e->queue = queue_of(s, e->workload);
	s->events++;
	for (uint32_t i = 0; i < s->options.n_listeners && r >= 0; i++)
		r = s->options.listeners[i].event(s->options.listeners[i].user, s, e, err);
	return r;
}

static int tell_of(struct fl_sim *s, enum fl_sim_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_sim_event e = { .kind = kind, .workload = { w }, .preemptor = { FL_NONE } };

	return tell(s, &e, err);
}

static int apply(struct fl_sim *s, enum fl_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_event event = { .kind = kind, .workload = { w } };

	return fl_driver_apply(&s->driver, s->now, &event, err);
}

static int at(struct fl_sim *s, fl_time when, enum due kind, uint32_t number, uint32_t epoch,
	      fairlead_error *err)
{
	struct fl_due due = { .at = when, .kind = kind, .number = number, .epoch = epoch };

	return when == FL_NEVER ? 0 : fl_calendar_push(&s->calendar, &due, err);
}

/* --- work --- */

static fl_time scaled(fl_time time, uint32_t part, uint32_t whole, bool up)
{
	if (part == whole)
		return time;
	return (fl_time)(((fl_nanos)time * part + (up ? whole - 1 : 0)) / whole);
}

/* Its pods that run, as the policy has it: a gang below its minimum does nothing. */
static uint32_t pods_running(const struct fl_sim *s, uint32_t w)
{
	const struct fl_workload_row *row = &s->model->workloads[w];
	uint32_t n, running = 0;
	const struct fl_placement *rows = s->ops->placement(s->policy, (struct fl_workload){ w },
							    &n);

	for (uint32_t i = 0; i < n; i++)
		if (row->gang != FL_NONE || i == 0 || rows[i].podset != rows[i - 1].podset)
			running += (uint32_t)rows[i].count;
	if (row->gang != FL_NONE && running < (uint32_t)s->model->gangs[row->gang].min_tasks)
		return 0;
	return running;
}

static uint32_t pods_of(const struct fl_model *m, const struct fl_workload_row *row)
{
	uint32_t pods = 0;

	if (row->gang != FL_NONE)
		return m->gangs[row->gang].tasks.n;
	for (uint32_t i = 0; i < row->podsets.n; i++)
		pods += (uint32_t)fl_podset_left(&m->podsets[row->podsets.first + i]);
	return pods;
}

/* Enter the work done until now. */
static void work(struct fl_sim *s, struct fl_sim_job *j)
{
	if (s->now <= j->since || !j->running)
		return;
	j->done += scaled(s->now - j->since, j->running, j->pods, /* up= */ false);
	j->since = s->now;
}

/* With @running of its pods from now on: when it will be done. */
static int go_on(struct fl_sim *s, uint32_t w, uint32_t running, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	fl_time left;

	work(s, j);
	if (!j->running && j->since < s->now)
		j->since = s->now;
	j->running = running;
	j->epoch++;
	if (!j->life || j->life->runs == FL_NEVER || !running)
		return 0;
	left = j->life->runs > j->done ? j->life->runs - j->done : 0;
	left = scaled(left, j->pods, running, /* up= */ true);
	return at(s, fl_sat_add(j->since, left), DUE_END, w, j->epoch, err);
}

static fl_time kept(const struct fl_sim *s, fl_time done)
{
	fl_time every = s->settings.checkpoint;

	return every == FL_NEVER ? 0 : every == 0 ? done : done - done % every;
}

static void stop_waiting(struct fl_sim *s, struct fl_sim_job *j)
{
	j->waited = fl_sat_add(j->waited, s->now - j->waits_since);
}

static bool is_finite(const struct fl_sim_job *j) { return j->life && j->life->runs != FL_NEVER; }

static void is_done(struct fl_sim *s, struct fl_sim_job *j, enum fl_sim_state state)
{
	j->state = state;
	j->ended = s->now;
	j->epoch++;
	s->n_done++;
	s->n_finite -= is_finite(j);
	s->idle_cycles = 0;
}

/* --- the backend: what becomes of decisions --- */

static int start(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_sim *s = user;
	uint32_t w = d->workload.v;
	struct fl_sim_job *j = &s->jobs[w];
	int r;

	(void)now;
	s->idle_cycles = 0;
	if (j->state == FL_SIM_WAITS) {
		stop_waiting(s, j);
		s->n_waiting--;
		s->n_running++;
		j->state = FL_SIM_RUNS;
		j->started = s->now;
		j->since = s->now + (j->evictions ? s->settings.restart : 0);
		if (!j->starts++)
			j->first_start = s->now;
	}
	r = go_on(s, w, pods_running(s, w), err);
	return r < 0 ? r : tell_of(s, FL_SIM_STARTED, w, err);
}

static int evict(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_sim *s = user;
	struct fl_sim_job *j = &s->jobs[d->workload.v];
	struct fl_sim_event e = { .kind = FL_SIM_EVICTED,
				  .workload = d->workload,
				  .preemptor = d->preemptor,
				  .reason = d->reason };
	int r = 0;

	if (j->state == FL_SIM_RUNS) {
		j->state = FL_SIM_LEAVES;
		r = at(s, fl_sat_add(now, s->settings.grace), DUE_LET_GO, d->workload.v, j->starts,
		       err);
	}
	return r < 0 ? r : tell(s, &e, err);
}

/* --- what happens --- */

static fl_time back_off(const struct fl_sim *s, const struct fl_sim_job *j)
{
	fl_time delay = s->settings.back_off_base;

	for (uint32_t i = 1; i < j->evictions && delay < s->settings.back_off_max; i++)
		delay = fl_sat_add(delay, delay);
	return fl_amount_min(delay, s->settings.back_off_max);
}

/* What it held is free, all or in part. */
static int let_go(struct fl_sim *s, uint32_t w, enum fl_sim_event_kind kind, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	struct fl_sim_event e = { .kind = kind, .workload = { w }, .preemptor = { FL_NONE } };
	bool away = s->settings.back_off_base > 0;
	int r;

	work(s, j);
	r = apply(s, kind == FL_SIM_KILLED ? FL_EV_REJECTED : FL_EV_EVICTED, w, err);
	if (r < 0)
		return r;
	if (s->ops->state(s->policy, e.workload) == FL_STATE_ADMITTED) { /* some of it runs on */
		j->state = FL_SIM_RUNS;
		r = go_on(s, w, pods_running(s, w), err);
		return r < 0 ? r : tell(s, &e, err);
	}
	e.lost = j->done - kept(s, j->done);
	j->lost += e.lost;
	j->done -= e.lost;
	j->running = 0;
	j->epoch++;
	j->evictions++;
	j->waits_since = s->now;
	s->n_running--;
	s->n_waiting++;
	j->state = away ? FL_SIM_BACKS_OFF : FL_SIM_WAITS;
	if (away) {
		r = apply(s, FL_EV_CANCEL, w, err);
		if (r >= 0)
			r = at(s, fl_sat_add(s->now, back_off(s, j)), DUE_RETURN, w, j->epoch, err);
	}
	return r < 0 ? r : tell(s, &e, err);
}

static int finish(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	int r;

	work(s, j);
	r = apply(s, FL_EV_FINISHED, w, err);
	if (r < 0)
		return r;
	is_done(s, j, FL_SIM_FINISHED);
	s->n_running--;
	return tell_of(s, FL_SIM_ENDED, w, err);
}

static int give_up(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	int r;

	if (j->starts || j->state != FL_SIM_WAITS)
		return 0;
	r = apply(s, FL_EV_CANCEL, w, err);
	if (r < 0)
		return r;
	stop_waiting(s, j);
	is_done(s, j, FL_SIM_GONE);
	s->n_waiting--;
	return tell_of(s, FL_SIM_GAVE_UP, w, err);
}

static int come_back(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	int r = apply(s, FL_EV_SUBMIT, w, err);

	if (r < 0)
		return r;
	s->jobs[w].state = FL_SIM_WAITS;
	return tell_of(s, FL_SIM_RETURNED, w, err);
}

static int arrive(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	int r = apply(s, FL_EV_SUBMIT, w, err);

	if (r < 0)
		return r;
	j->state = FL_SIM_WAITS;
	j->waits_since = s->now;
	s->n_waiting++;
	s->idle_cycles = 0;
	r = at(s, j->life->leaves, DUE_GIVE_UP, w, 0, err);
	return r < 0 ? r : tell_of(s, FL_SIM_ARRIVED, w, err);
}

static int change(struct fl_sim *s, uint32_t number, fairlead_error *err)
{
	const struct fl_change_row *row = &s->model->changes[number];
	struct fl_event event = { .kind = FL_EV_CELL,
				  .workload = { FL_NONE },
				  .cell = { .kind = row->cell,
					    .node = row->node,
					    .flavor = row->flavor,
					    .resource = row->resource,
					    .amount = row->amount,
					    .value = row->value } };
	struct fl_sim_event e = { .kind = FL_SIM_CHANGED,
				  .workload = { FL_NONE },
				  .preemptor = { FL_NONE },
				  .queue = row->node,
				  .cell = &event.cell };
	int r;

	if (row->cell == FL_CELL_ALLOCATABLE)
		event.cell.machine = row->machine;
	r = fl_driver_apply(&s->driver, s->now, &event, err);
	return r < 0 ? r : tell(s, &e, err);
}

static int happens(struct fl_sim *s, const struct fl_due *due, fairlead_error *err)
{
	struct fl_sim_job *j = due->kind == DUE_CHANGE ? NULL : &s->jobs[due->number];

	switch ((enum due)due->kind) {
	case DUE_END:
		return due->epoch == j->epoch ? finish(s, due->number, err) : 0;
	case DUE_LET_GO: /* unless it has finished in the meantime */
		return j->state == FL_SIM_LEAVES && due->epoch == j->starts ?
			       let_go(s, due->number, FL_SIM_LET_GO, err) :
			       0;
	case DUE_CHANGE:
		return change(s, due->number, err);
	case DUE_GIVE_UP:
		return give_up(s, due->number, err);
	case DUE_RETURN:
		return due->epoch == j->epoch ? come_back(s, due->number, err) : 0;
	}
	return 0;
}

/* --- the clock --- */

static fl_time next_arrival(const struct fl_sim *s)
{
	return s->arrived < s->n_arrivals ? s->jobs[s->arrivals[s->arrived]].life->arrives :
					    FL_NEVER;
}

static int pass_to(struct fl_sim *s, fl_time to, fairlead_error *err)
{
	int r = 0;

	for (uint32_t i = 0; to > s->now && i < s->options.n_listeners && r >= 0; i++)
		if (s->options.listeners[i].passes)
			r = s->options.listeners[i].passes(s->options.listeners[i].user, s, to,
							   err);
	s->now = to > s->now ? to : s->now;
	return r;
}

static int all_that_happens_now(struct fl_sim *s, fairlead_error *err)
{
	const struct fl_due *first;
	int r = 0;

	while (r >= 0 && (first = fl_calendar_first(&s->calendar)) && first->at <= s->now) {
		struct fl_due due = *first;

		fl_calendar_pop(&s->calendar);
		r = happens(s, &due, err);
	}
	while (r >= 0 && next_arrival(s) <= s->now)
		r = arrive(s, s->arrivals[s->arrived++], err);
	return r;
}

/* Nothing outside the policy will happen, and it has had its chances. */
static bool no_progress(const struct fl_sim *s)
{
	bool quiet = s->calendar.n == 0 && s->arrived == s->n_arrivals;

	return s->idle_cycles >= (quiet ? IDLE_CYCLES : LOOP_CYCLES);
}

static int go(struct fl_sim *s, fairlead_error *err)
{
	const struct fl_due *first = fl_calendar_first(&s->calendar);
	fl_time next = fl_driver_next(&s->driver, s->now);
	int r;

	next = fl_amount_min(next, fl_amount_min(next_arrival(s), first ? first->at : FL_NEVER));
	if (next > s->end || next == FL_NEVER) {
		s->ended = s->end != FL_NEVER ? FL_SIM_UNTIL : FL_SIM_ALL_DONE;
		return s->end != FL_NEVER ? pass_to(s, s->end, err) : 0;
	}
	r = pass_to(s, next, err);
	if (r >= 0)
		r = all_that_happens_now(s, err);
	if (r >= 0 && fl_driver_next(&s->driver, s->now) <= s->now) {
		s->idle_cycles++;
		r = fl_driver_cycle(&s->driver, s->now, err);
	}
	if (r >= 0 && s->end == FL_NEVER && no_progress(s))
		s->ended = FL_SIM_NO_PROGRESS;
	return r;
}

int fl_sim_run(struct fl_sim *s, fairlead_error *err)
{
	uint64_t asked = 0;
	int r = 0;

	while (r >= 0 && s->ended == FL_SIM_GOES_ON) {
		r = go(s, err);
		if (s->events + s->driver.cycles < asked + ASK_EVERY || !s->options.go_on)
			continue;
		asked = s->events + s->driver.cycles;
		if (s->ended == FL_SIM_GOES_ON && !s->options.go_on(s->options.user, s))
			s->ended = FL_SIM_STOPPED;
	}
	return r;
}

/* --- the beginning --- */

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

static int cmp_arrivals(const void *sim, uint32_t a, uint32_t b)
{
	const struct fl_sim *s = sim;
	fl_time x = s->jobs[a].life->arrives, y = s->jobs[b].life->arrives;

	return x == y ? (a > b) - (a < b) : (x > y) - (x < y);
}

/* As the policy has it, which has everybody there. */
static int begin_job(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	const struct fl_workload_row *row = &s->model->workloads[w];
	struct fl_sim_job *j = &s->jobs[w];
	struct fl_workload id = { w };

	switch (s->ops->state(s->policy, id)) {
	case FL_STATE_EXCLUDED:
		j->state = FL_SIM_EXCLUDED;
		return 0;
	case FL_STATE_ABSENT:
		j->state = FL_SIM_FINISHED;
		return 0;
	case FL_STATE_WAITING:
	case FL_STATE_INADMISSIBLE:
	case FL_STATE_HELD_BACK:
		s->n_finite += is_finite(j);
		if (j->life && j->life->arrives != FL_TIME_NONE && j->life->arrives > s->now) {
			s->arrivals[s->n_arrivals++] = w;
			return apply(s, FL_EV_CANCEL, w, err);
		}
		j->state = FL_SIM_WAITS;
		s->n_waiting++;
		return 0;
	case FL_STATE_ADMITTED:
	case FL_STATE_EVICTING:
		break;
	}
	s->n_finite += is_finite(j);
	s->n_running++;
	j->starts = 1;
	j->started = j->first_start = row->reserved_at != FL_TIME_NONE &&
						      row->reserved_at < s->now ?
					      row->reserved_at :
					      s->now;
	j->since = j->started;
	j->running = j->pods;
	j->state = FL_SIM_RUNS;
	if (s->ops->state(s->policy, id) == FL_STATE_EVICTING) {
		int r = at(s, fl_sat_add(s->now, s->settings.grace), DUE_LET_GO, w, j->starts, err);

		j->state = FL_SIM_LEAVES;
		if (r < 0)
			return r;
	}
	return go_on(s, w, pods_running(s, w), err);
}

static int begin(struct fl_sim *s, fairlead_error *err)
{
	const struct fl_model *m = s->model;
	uint32_t *scratch;
	int r = 0;

	s->jobs = fl_arena_alloc(&s->arena, m->n_workloads, sizeof *s->jobs, err);
	s->arrivals = fl_arena_alloc(&s->arena, m->n_workloads, sizeof *s->arrivals, err);
	scratch = fl_arena_alloc(&s->arena, m->n_workloads, sizeof *scratch, err);
	if (!s->jobs || !s->arrivals || !scratch)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < m->n_workloads; w++)
		s->jobs[w] = (struct fl_sim_job){ .first_start = FL_TIME_NONE,
						  .started = FL_TIME_NONE,
						  .ended = FL_TIME_NONE,
						  .waits_since = s->now,
						  .since = s->now,
						  .pods = pods_of(m, &m->workloads[w]) };
	for (uint32_t i = 0; i < m->n_lives; i++)
		s->jobs[m->lives[i].workload.v].life = &m->lives[i];
	for (uint32_t w = 0; w < m->n_workloads && r >= 0; w++)
		r = begin_job(s, w, err);
	fl_sort(s->arrivals, s->n_arrivals, scratch, cmp_arrivals, s);
	for (uint32_t i = 0; i < m->n_changes && r >= 0; i++)
		if (m->changes[i].node.v != FL_NONE || m->changes[i].machine.v != FL_NONE)
			r = at(s, fl_sat_add(s->now, m->changes[i].at), DUE_CHANGE, i, 0, err);
	return r;
}

int fl_sim_init(struct fl_sim *s, const struct fl_model *model, const struct fl_policy_ops *ops,
		struct fl_policy *policy, const struct fl_simulation_settings *settings,
		const struct fl_sim_options *options, fairlead_error *err)
{
	struct fl_backend backend = { .start = start, .evict = evict, .user = s };
	int r;

	*s = (struct fl_sim){ .model = model,
			      .ops = ops,
			      .policy = policy,
			      .settings = *settings,
			      .options = *options,
			      .now = options->start,
			      .end = fl_sat_add(options->start, settings->until) };
	fl_arena_init(&s->arena, options->mem);
	fl_calendar_init(&s->calendar, options->mem);
	fl_driver_init(&s->driver, ops, policy, &backend, settings->cycle_interval,
		       settings->period);
	r = begin(s, err);
	if (r < 0)
		fl_sim_done(s);
	return r;
}

void fl_sim_done(struct fl_sim *s)
{
	fl_calendar_done(&s->calendar);
	fl_arena_done(&s->arena);
}
