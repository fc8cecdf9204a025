/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/simulation.h"

#include "sim/begin.h"
#include "sim/failures.h"

/*
 * A head that looks at one flavor a cycle has seen all of them after so many times their
 * number.  Cycles at which only time passes go on so long; and each of those that are left may
 * start so often without that anything comes of it, and some more.
 */
enum { ROUNDS = 2, ROUNDS_MORE = 16, IDLE_CYCLES = 10000, VAIN = 64, VAIN_MORE = 1024 };
enum { ASK_EVERY = 1024 };

/* --- telling --- */

struct fl_node fl_sim_queue(const struct fl_sim *s, struct fl_workload w)
{
	const struct fl_workload_row *row = &s->model->workloads[w.v];

	return row->admitted_queue.v != FL_NONE && row->cluster_queue.v == FL_NONE ?
		       row->admitted_queue :
		       row->cluster_queue;
}

int fl_sim_tell(struct fl_sim *s, struct fl_sim_event *e, fairlead_error *err)
{
	int r = 0;

	e->at = s->now;
	if (e->workload.v != FL_NONE)
		e->queue = fl_sim_queue(s, e->workload);
	s->events++;
	s->idle_cycles = 0;
	for (uint32_t i = 0; i < s->options.n_listeners && r >= 0; i++)
		r = s->options.listeners[i].event(s->options.listeners[i].user, s, e, err);
	return r;
}

static int tell_of(struct fl_sim *s, enum fl_sim_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_sim_event e = { .kind = kind, .workload = { w }, .preemptor = { FL_NONE } };

	return fl_sim_tell(s, &e, err);
}

static int apply(struct fl_sim *s, enum fl_event_kind kind, uint32_t w, fairlead_error *err)
{
	struct fl_event event = { .kind = kind, .workload = { w } };

	return fl_driver_apply(&s->driver, s->now, &event, err);
}

int fl_sim_at(struct fl_sim *s, fl_time when, enum fl_sim_due kind, uint32_t number, uint32_t epoch,
	      fairlead_error *err)
{
	struct fl_due due = { .at = when, .kind = kind, .number = number, .epoch = epoch };

	return when > s->last ? 0 : fl_calendar_push(&s->calendar, &due, err);
}

/* --- work --- */

static fl_time scaled(fl_time time, uint32_t part, uint32_t whole, bool up)
{
	fl_nanos of;

	if (part == whole)
		return time;
	of = ((fl_nanos)time * part + (up ? whole - 1 : 0)) / whole;
	return of < FL_NEVER ? (fl_time)of : FL_NEVER;
}

/* Its pods that run, as the policy has it: a gang below its minimum does nothing. */
static uint32_t pods_running(const struct fl_sim *s, uint32_t w)
{
	const struct fl_workload_row *row = &s->model->workloads[w];
	uint32_t n, running = 0, pods = s->jobs[w].pods;
	const struct fl_placement *rows = s->ops->placement(s->policy, (struct fl_workload){ w },
							    &n);

	for (uint32_t i = 0; i < n; i++)
		if (row->gang != FL_NONE || i == 0 || rows[i].podset != rows[i - 1].podset)
			running += (uint32_t)rows[i].count;
	if (row->gang != FL_NONE)
		return running < (uint32_t)s->model->gangs[row->gang].min_tasks ? 0 : running;
	/* One without any pods takes its time as well. */
	return running == 0 || running > pods ? pods : running;
}

/* Enter the work done until now. */
static void work(struct fl_sim *s, struct fl_sim_job *j)
{
	if (s->now <= j->since || !j->running)
		return;
	j->done += scaled(s->now - j->since, j->running, j->pods, /* up= */ false);
	j->since = s->now;
}

/* It stops: what was not saved is lost. */
static void lose(struct fl_sim *s, struct fl_sim_job *j)
{
	fl_time every = s->settings.checkpoint;
	fl_time kept = every == FL_NEVER ? j->saved :
		       every == 0        ? j->done :
					   j->done - (j->done - j->saved) % every;

	j->lost += j->done - kept;
	if (kept > j->saved && fl_sim_is_finite(j))
		s->vain_starts = 0;
	j->saved = j->done = kept;
}

static int run_with(struct fl_sim *s, uint32_t w, uint32_t running, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	fl_time left;

	work(s, j);
	if (j->running && !running)
		lose(s, j);
	if (!j->running && running) {
		j->since = fl_sat_add(s->now, j->ran ? s->settings.restart : 0);
		j->ran = true;
	}
	j->running = running;
	j->epoch++;
	if (!fl_sim_is_finite(j) || !running)
		return 0;
	left = j->life->runs > j->done ? j->life->runs - j->done : 0;
	left = scaled(left, j->pods, running, /* up= */ true);
	return fl_sim_at(s, fl_sat_add(j->since, left), FL_DUE_END, j->rank, j->epoch, err);
}

int fl_sim_go_on(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	return run_with(s, w, pods_running(s, w), err);
}

/* --- states --- */

void fl_sim_enter(struct fl_sim *s, uint32_t w)
{
	s->jobs[w].at = s->n_running;
	s->running[s->n_running++] = w;
}

static void leave(struct fl_sim *s, struct fl_sim_job *j)
{
	uint32_t last = s->running[--s->n_running];

	s->running[j->at] = last;
	s->jobs[last].at = j->at;
	j->running = 0;
}

static void stop_waiting(struct fl_sim *s, struct fl_sim_job *j)
{
	j->waited = fl_sat_add(j->waited, s->now - j->waits_since);
	s->n_waiting--;
}

static void is_done(struct fl_sim *s, struct fl_sim_job *j, enum fl_sim_state state)
{
	j->state = state;
	j->ended = s->now;
	j->epoch++;
	s->n_done++;
	s->n_finite -= fl_sim_is_finite(j);
	s->vain_starts = 0;
}

/* --- the backend: what becomes of decisions --- */

static int start(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_sim *s = user;
	uint32_t w = d->workload.v;
	struct fl_sim_job *j = &s->jobs[w];
	int r;

	if (j->state == FL_SIM_WAITS) {
		stop_waiting(s, j);
		fl_sim_enter(s, w);
		j->state = FL_SIM_RUNS;
		j->started = now;
		if (!j->starts++)
			j->first_start = now;
	}
	s->vain_starts++; /* or it holds more than before, which may be preempted again */
	r = fl_sim_go_on(s, w, err);
	return r < 0 ? r : tell_of(s, FL_SIM_STARTED, w, err);
}

/*
 * Several preemptors may want pods of a gang, or the same pods again: it is evicted once, and all
 * pods that are to leave by then leave when its grace time is over.
 */
static int evict(void *user, fl_time now, const struct fl_decision *d, fairlead_error *err)
{
	struct fl_sim *s = user;
	struct fl_sim_job *j = &s->jobs[d->workload.v];
	struct fl_sim_event e = { .kind = FL_SIM_EVICTED,
				  .workload = d->workload,
				  .preemptor = d->preemptor,
				  .reason = d->reason };
	int r;

	if (j->state != FL_SIM_RUNS || s->ops->state(s->policy, d->workload) != FL_STATE_EVICTING)
		return 0;
	j->state = FL_SIM_LEAVES;
	j->told++;
	r = fl_sim_at(s, fl_sat_add(now, s->settings.grace), FL_DUE_LET_GO, j->rank, j->told, err);
	return r < 0 ? r : fl_sim_tell(s, &e, err);
}

/* A workload that is parked makes room for the next: the cycle is not idle. */
static int cycle(void *user, fl_time now, const struct fl_decisions *d, fairlead_error *err)
{
	struct fl_sim *s = user;

	(void)now;
	(void)err;
	for (uint32_t i = 0; i < d->n_heads && s->idle_cycles; i++)
		if (s->ops->state(s->policy, d->heads[i]) == FL_STATE_INADMISSIBLE)
			s->idle_cycles = 0;
	return 0;
}

static int loop(void *user, fl_time now, const struct fl_watched_loop *l, fairlead_error *err)
{
	struct fl_sim_event e = { .kind = FL_SIM_LOOP,
				  .workload = { FL_NONE },
				  .preemptor = { FL_NONE },
				  .queue = { FL_NONE },
				  .loop = l };

	(void)now;
	return fl_sim_tell(user, &e, err);
}

/* --- what happens --- */

fl_time fl_sim_back_off(const struct fl_sim *s, const struct fl_sim_job *j)
{
	fl_time delay = s->settings.back_off_base;

	for (uint32_t i = 1; i < j->evictions && delay < s->settings.back_off_max; i++)
		delay = fl_sat_add(delay, delay);
	return fl_amount_min(delay, s->settings.back_off_max);
}

/* It holds nothing any more, and waits, at once or after its back-off. */
static int wait_again(struct fl_sim *s, uint32_t w, bool away, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	fl_time back;
	int r;

	leave(s, j);
	s->n_waiting++;
	j->waits_since = s->now;
	j->state = FL_SIM_WAITS;
	if (s->ops->state(s->policy, (struct fl_workload){ w }) == FL_STATE_EXCLUDED) {
		/* Its queue is not there any more. */
		stop_waiting(s, j);
		is_done(s, j, FL_SIM_EXCLUDED);
		return 0;
	}
	if (!away)
		return 0;
	j->state = FL_SIM_BACKS_OFF;
	r = apply(s, FL_EV_CANCEL, w, err);
	if (r < 0)
		return r;
	back = fl_sat_add(s->now, fl_sim_back_off(s, j));
	return fl_sim_at(s, back, FL_DUE_RETURN, j->rank, j->epoch, err);
}

/* What @event takes from it is free, all that it held or part of it. */
static int let_go(struct fl_sim *s, const struct fl_event *event, enum fl_sim_event_kind kind,
		  fairlead_error *err)
{
	uint32_t w = event->workload.v;
	struct fl_sim_job *j = &s->jobs[w];
	struct fl_sim_event e = { .kind = kind, .workload = { w }, .preemptor = { FL_NONE } };
	bool killed = kind == FL_SIM_KILLED;
	enum fl_workload_state state;
	fl_time lost = j->lost;
	int r = fl_driver_apply(&s->driver, s->now, event, err);

	if (r < 0)
		return r;
	j->kills += killed;
	j->evictions += !killed;
	state = s->ops->state(s->policy, event->workload);
	if (state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING) {
		if (state == FL_STATE_ADMITTED)
			j->state = FL_SIM_RUNS;
		r = fl_sim_go_on(s, w, err);
	} else {
		r = run_with(s, w, /* running= */ 0, err);
		if (r >= 0)
			r = wait_again(s, w, !killed && s->settings.back_off_base > 0, err);
	}
	e.lost = j->lost - lost;
	return r < 0 ? r : fl_sim_tell(s, &e, err);
}

int fl_sim_kill(struct fl_sim *s, uint32_t w, struct fl_machine machine, fairlead_error *err)
{
	struct fl_event event = { .kind = FL_EV_KILLED, .workload = { w }, .machine = machine };

	return let_go(s, &event, FL_SIM_KILLED, err);
}

static int evicted(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_event event = { .kind = FL_EV_EVICTED, .workload = { w } };

	return let_go(s, &event, FL_SIM_LET_GO, err);
}

static int finish(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	int r;

	work(s, j);
	r = apply(s, FL_EV_FINISHED, w, err);
	if (r < 0)
		return r;
	leave(s, j);
	is_done(s, j, FL_SIM_FINISHED);
	return tell_of(s, FL_SIM_ENDED, w, err);
}

static int give_up(struct fl_sim *s, uint32_t w, fairlead_error *err)
{
	struct fl_sim_job *j = &s->jobs[w];
	int r = apply(s, FL_EV_CANCEL, w, err);

	if (r < 0)
		return r;
	stop_waiting(s, j);
	is_done(s, j, FL_SIM_GONE);
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
	s->vain_starts = 0;
	r = fl_sim_at(s, j->life->leaves, FL_DUE_GIVE_UP, j->rank, /* epoch= */ 0, err);
	return r < 0 ? r : tell_of(s, FL_SIM_ARRIVED, w, err);
}

static struct fl_sim_job *job_of(const struct fl_sim *s, const struct fl_due *due)
{
	return &s->jobs[s->by_rank[due->number]];
}

/* Does it still hold, or has it come otherwise in the meantime? */
static bool holds(const struct fl_sim *s, const struct fl_due *due)
{
	switch ((enum fl_sim_due)due->kind) {
	case FL_DUE_END:
	case FL_DUE_RETURN:
		return due->epoch == job_of(s, due)->epoch;
	case FL_DUE_LET_GO:
		return job_of(s, due)->state == FL_SIM_LEAVES && due->epoch == job_of(s, due)->told;
	case FL_DUE_GIVE_UP:
		return job_of(s, due)->state == FL_SIM_WAITS && !job_of(s, due)->starts;
	case FL_DUE_BACK:
	case FL_DUE_CHANGE:
	case FL_DUE_FAIL:
		break;
	}
	return true;
}

static int happens(struct fl_sim *s, const struct fl_due *due, fairlead_error *err)
{
	switch ((enum fl_sim_due)due->kind) {
	case FL_DUE_END:
		return finish(s, s->by_rank[due->number], err);
	case FL_DUE_LET_GO:
		return evicted(s, s->by_rank[due->number], err);
	case FL_DUE_BACK:
		return fl_sim_back(s, due->number, err);
	case FL_DUE_CHANGE:
		return fl_sim_change(s, due->number, err);
	case FL_DUE_FAIL:
		return fl_sim_fail(s, due->number, err);
	case FL_DUE_GIVE_UP:
		return give_up(s, s->by_rank[due->number], err);
	case FL_DUE_RETURN:
		return come_back(s, s->by_rank[due->number], err);
	}
	return 0;
}

/* --- the clock --- */

static fl_time next_arrival(const struct fl_sim *s)
{
	fl_time next = s->arrived < s->n_arrivals ? s->jobs[s->arrivals[s->arrived]].life->arrives :
						    FL_NEVER;

	return next > s->last ? FL_NEVER : next;
}

/* Entries that are out of date do not move the clock. */
static const struct fl_due *next_due(struct fl_sim *s)
{
	const struct fl_due *first;

	while ((first = fl_calendar_first(&s->calendar)) && !holds(s, first))
		fl_calendar_pop(&s->calendar);
	return first;
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

	while (r >= 0 && (first = next_due(s)) && first->at <= s->now) {
		struct fl_due due = *first;

		fl_calendar_pop(&s->calendar);
		r = happens(s, &due, err);
	}
	while (r >= 0 && next_arrival(s) <= s->now)
		r = arrive(s, s->arrivals[s->arrived++], err);
	return r;
}

/* Without a time to end: is it over? What fails would do so for ever, and keeps nothing going. */
static enum fl_sim_end is_over(const struct fl_sim *s, fl_time cycle)
{
	bool more = next_arrival(s) != FL_NEVER;
	bool quiet = !more && s->calendar.n == s->n_up;
	uint64_t left = (uint64_t)s->n_waiting + s->n_running;

	if (!more && left == 0)
		return FL_SIM_ALL_DONE;
	if (quiet && (cycle == FL_NEVER || s->idle_cycles >= IDLE_CYCLES))
		return s->n_waiting ? FL_SIM_NO_PROGRESS : FL_SIM_ALL_DONE;
	return !more && s->vain_starts > VAIN * left + VAIN_MORE ? FL_SIM_NO_PROGRESS :
								   FL_SIM_GOES_ON;
}

/*
 * Heads try other flavors each cycle, and no decision follows: by now all have tried all flavors.
 * They are asked again when something happens.
 */
static void rest(struct fl_sim *s)
{
	if (s->driver.due && s->idle_cycles > (uint64_t)ROUNDS * s->most_flavors + ROUNDS_MORE)
		s->driver.due = false;
}

static int go(struct fl_sim *s, fairlead_error *err)
{
	const struct fl_due *first = next_due(s);
	fl_time cycle_at = fl_driver_next(&s->driver, s->now), next;
	int r;

	if (s->end == FL_NEVER && (s->ended = is_over(s, cycle_at)) != FL_SIM_GOES_ON)
		return 0;
	next = fl_amount_min(first ? first->at : FL_NEVER, next_arrival(s));
	next = fl_amount_min(cycle_at, next);
	if (s->end == FL_NEVER && next > s->last) {
		s->ended = s->n_waiting ? FL_SIM_NO_PROGRESS : FL_SIM_ALL_DONE;
		return 0;
	}
	if (next > s->end) {
		s->ended = FL_SIM_UNTIL;
		return pass_to(s, s->end, err);
	}
	r = pass_to(s, next, err);
	if (r >= 0)
		r = all_that_happens_now(s, err);
	if (r >= 0 && fl_driver_next(&s->driver, s->now) <= s->now) {
		s->idle_cycles++;
		r = fl_driver_cycle(&s->driver, s->now, err);
		rest(s);
	}
	return r;
}

void fl_sim_stop(struct fl_sim *s) { s->ended = FL_SIM_STOPPED; }

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

int fl_sim_init(struct fl_sim *s, const struct fl_model *model, const struct fl_policy_ops *ops,
		struct fl_policy *policy, const struct fl_simulation_settings *settings,
		const struct fl_sim_options *options, fairlead_error *err)
{
	const struct fl_driver_options driver = {
		.mem = options->mem,
		.ops = ops,
		.policy = policy,
		.n_workloads = model->n_workloads,
		.backend = { .start = start,
			     .evict = evict,
			     .cycle = cycle,
			     .loop = loop,
			     .user = s },
		.interval = settings->cycle_interval,
		.period = settings->period,
	};
	fl_time last = fl_sat_add(options->start, FL_LONGEST_SIMULATION);
	int r = fl_simulation_check_start(options->start, err);

	if (r < 0)
		return r;
	*s = (struct fl_sim){ .model = model,
			      .ops = ops,
			      .policy = policy,
			      .settings = *settings,
			      .options = *options,
			      .now = options->start,
			      .end = FL_NEVER,
			      .last = last };
	if (settings->until != FL_NEVER)
		s->end = fl_amount_min(fl_sat_add(options->start, settings->until), last);
	fl_arena_init(&s->arena, options->mem);
	fl_calendar_init(&s->calendar, options->mem);
	r = fl_driver_init(&s->driver, &driver, err);
	if (r >= 0)
		r = fl_sim_begin(s, err);
	if (r < 0)
		fl_sim_done(s);
	return r;
}

void fl_sim_done(struct fl_sim *s)
{
	fl_driver_done(&s->driver);
	fl_calendar_done(&s->calendar);
	fl_arena_done(&s->arena);
}
