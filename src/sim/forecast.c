/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/sort.h"

/*
 * There are so many runs whatever they cost.  A run is over after so many cycles in which nothing
 * starts, or so many more starts than there are workloads while none arrives or ends.
 */
enum { LEAST_RUNS = 12, IDLE_CYCLES = 256, VAIN_STARTS = 512 };

/*
 * Runs differ less than what really happens: people begin work of a new kind, of which what has
 * ended tells nothing.  So where run times were drawn, each wait that a run came to stands for waits
 * around it: those of a lognormal distribution with sigma 0.3, as nine that are equally likely, in
 * thousandths of it.  And as a wait has a long tail, only a fifth of what an interval leaves out lies
 * below it.  Both were chosen on logs, and judged on others: doc/guide/forecast.md.
 */
static const uint32_t blur[] = { 620, 748, 838, 919, 1000, 1088, 1193, 1337, 1613 };
static const double below = 0.2;
enum { BLUR = sizeof blur / sizeof *blur };

static const fl_time DAY = 86400 * FL_SECOND;
enum { DAYS = 64 }; /* of a period of whole days, at most */

const struct fl_forecast_options fl_forecast_default = {
	.seed = 1,
	.runs = 100,
	.steps = 6000000,
	.level = 0.8,
	.horizon = 30 * 86400 * FL_SECOND,
};

static bool takes_part(enum fl_workload_state state)
{
	return state != FL_STATE_ABSENT && state != FL_STATE_EXCLUDED;
}

static bool holds(enum fl_workload_state state)
{
	return state == FL_STATE_ADMITTED || state == FL_STATE_EVICTING;
}

/* --- workloads that are there --- */

struct present {
	uint32_t workload;
	fl_time age; /* work it has done */
};

struct presence {
	const struct fl_model *m;
	struct present *rows;
	uint32_t n, *order; /* ids of rows: the longest runs first */
};

static fl_time age_of(const struct fl_model *m, const struct fl_forecast_options *o, uint32_t w)
{
	const struct fl_workload_row *row = &m->workloads[w];
	fl_time since = row->gang != FL_NONE ? m->gangs[row->gang].started : row->reserved_at;

	return since == FL_TIME_NONE || since > o->now ? 0 : o->now - since;
}

static int cmp_names(const struct fl_model *m, uint32_t v, uint32_t w)
{
	int r = fl_names_cmp(&m->names, m->workloads[v].namespace, m->workloads[w].namespace);

	return r ? r : fl_names_cmp(&m->names, m->workloads[v].name, m->workloads[w].name);
}

static int cmp_present(const void *ctx, uint32_t a, uint32_t b)
{
	const struct presence *p = ctx;
	const struct present *x = &p->rows[a], *y = &p->rows[b];

	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return cmp_names(p->m, x->workload, y->workload);
}

static int find_present(struct presence *p, const struct fl_policy_ops *ops,
			const struct fl_policy *policy, const struct fl_forecast_options *o,
			struct fl_arena *arena, fairlead_error *err)
{
	uint32_t n = p->m->n_workloads;

	p->rows = fl_arena_alloc(arena, n, sizeof *p->rows, err);
	p->order = fl_arena_alloc(arena, n, 2 * sizeof *p->order, err);
	if (!p->rows || !p->order)
		return FAIRLEAD_ENOMEM;
	for (uint32_t w = 0; w < n; w++) {
		enum fl_workload_state state = ops->state(policy, (struct fl_workload){ w });

		if (!takes_part(state))
			continue;
		p->order[p->n] = p->n;
		p->rows[p->n].workload = w;
		p->rows[p->n++].age = holds(state) ? age_of(p->m, o, w) : 0;
	}
	fl_sort(p->order, p->n, p->order + n, cmp_present, p);
	return 0;
}

/* --- one future: lives --- */

/* Of all that are there; @random goes on with those that come. */
struct future {
	const struct fl_model *m;
	struct fl_runtimes *times;
	const struct fl_forecast_options *options;
	struct fl_random random;
	struct fl_life_row *lives; /* by workload */
	uint32_t unknown;          /* the last one whose run time is not known */
};

/* It runs as long as drawn. FL_RUN_..., or an error. */
static int draw_life(struct future *f, fl_time age, struct fl_life_row *life, fairlead_error *err)
{
	life->leaves = FL_NEVER;
	if (f->options->told && life->runs != FL_NEVER)
		return FL_RUN_EXACT;
	life->runs = FL_NEVER;
	return fl_runtimes_suppose(f->times, life, age, &f->random, &life->runs, err);
}

/*
 * The workload that has run longest is drawn first: its draw then counts as a sample for those that
 * are like it.  So workloads that have not ended yet count, too, not only those that were short.
 */
static int draw_lives(struct future *f, const struct presence *p, uint32_t run,
		      struct fl_forecast_basis *ret, fairlead_error *err)
{
	const struct fl_model *m = f->m;

	*ret = (struct fl_forecast_basis){ 0 };
	fl_random_init(&f->random, f->options->seed, run);
	for (uint32_t w = 0; w < m->n_workloads; w++)
		f->lives[w].workload.v = FL_NONE;
	for (uint32_t i = 0; i < p->n; i++) {
		f->lives[p->rows[i].workload] = fl_life_unknown;
		f->lives[p->rows[i].workload].workload.v = p->rows[i].workload;
	}
	for (uint32_t i = 0; i < m->n_lives; i++)
		if (f->lives[m->lives[i].workload.v].workload.v != FL_NONE)
			f->lives[m->lives[i].workload.v] = m->lives[i];
	for (uint32_t i = 0; i < p->n; i++) {
		const struct present *row = &p->rows[p->order[i]];
		int basis = draw_life(f, row->age, &f->lives[row->workload], err);

		if (basis < 0)
			return basis;
		ret->n[basis]++;
		if (basis == FL_RUN_UNKNOWN)
			f->unknown = row->workload;
	}
	return 0;
}

/* --- arrivals --- */

struct futures {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_forecast_options *options;
	struct fl_arena arena;
	struct presence present;
	struct future one;                  /* of this run */
	const struct fl_life_row **life_of; /* of the model; NULL: none */
	struct arrival {
		uint32_t spare, original, copy; /* copy: of that original, from 0 */
	} * arrivals;
	uint32_t n_arrivals, n_copies; /* copies: of each */
	struct fl_forecast *rows;
	uint32_t n_rows;
	uint32_t *row_of;  /* workload -> row; FL_NONE: not asked for */
	fl_time *starts;   /* row after row, run after run, one more than there are; FL_NEVER */
	uint32_t *awaited; /* the same: the workload that ended before; FL_NONE: none */
	uint32_t *ids;     /* scratch to sort with */
	uint32_t ask;      /* rows that want an answer */
	bool drawn;        /* the run time of some that are there is not known */

	/* one run */
	struct fl_sim *sim;
	uint32_t run, left, last_ended;
	uint64_t vain_starts; /* since a workload arrived or ended */
	bool over;            /* the horizon is passed */
	bool stuck;           /* nothing was left to happen */

	/* of all */
	fl_time horizon;
	uint64_t steps;
	uint32_t n_stuck; /* runs in which nothing was left to happen */
	bool dry;         /* and also without arrivals */
	uint32_t n_cut;   /* runs that were out of steps */
};

/* Spares of one stand side by side. */
static int find_arrivals(struct futures *f, fairlead_error *err)
{
	const struct fl_forecast_options *o = f->options;
	const struct fl_model *m = f->model;
	fl_time since = fl_sat_sub(o->now, o->arrivals);
	uint32_t copy = 0;

	f->arrivals = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->arrivals, err);
	f->life_of = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->life_of, err);
	if (!f->arrivals || !f->life_of)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_lives; i++)
		f->life_of[m->lives[i].workload.v] = &m->lives[i];
	for (uint32_t w = 0; w < m->n_workloads && o->original && o->arrivals > 0; w++) {
		uint32_t of = o->original[w];
		fl_time at = of == FL_NONE ?
				     FL_TIME_NONE :
				     fl_run_came(m, (struct fl_workload){ of }, f->life_of[of]);

		if (of == FL_NONE || at == FL_TIME_NONE || at <= since || at > o->now)
			continue;
		copy = w > 0 && o->original[w - 1] == of ? copy + 1 : 0;
		f->arrivals[f->n_arrivals++] = (struct arrival){ w, of, copy };
		f->n_copies = f->n_copies > copy ? f->n_copies : copy + 1;
	}
	return 0;
}

/* How the period comes again. */
struct order {
	fl_time period, shift;
	uint32_t n_days, days[DAYS]; /* 0: in a circle, from `shift` on */
};

static void draw_order(struct futures *f, struct order *ret)
{
	fl_time period = f->options->arrivals;
	struct fl_random *r = &f->one.random;

	*ret = (struct order){ .period = period };
	if (period % DAY == 0 && period / DAY > 1 && period / DAY <= DAYS)
		ret->n_days = (uint32_t)(period / DAY);
	else
		ret->shift = (fl_time)(fl_random_unit(r) * (double)period);
	for (uint32_t i = 0; i < ret->n_days; i++) {
		uint32_t other = (uint32_t)(fl_random_unit(r) * (i + 1));

		ret->days[i] = ret->days[other];
		ret->days[other] = i;
	}
}

/* When it comes: @at of the period, from its beginning. */
static fl_time comes_at(const struct order *o, fl_time at)
{
	if (o->n_days)
		return o->days[at / DAY] * DAY + at % DAY;
	return (at + o->shift) % o->period;
}

static int draw_arrivals(struct futures *f, fairlead_error *err)
{
	const struct fl_forecast_options *o = f->options;
	struct order order;
	int r = 0;

	draw_order(f, &order);
	for (uint32_t i = 0; i < f->n_arrivals && r >= 0; i++) {
		const struct arrival *a = &f->arrivals[i];
		const struct fl_life_row *known = f->life_of[a->original];
		struct fl_life_row *life = &f->one.lives[a->spare];
		fl_time at = fl_run_came(f->model, (struct fl_workload){ a->original }, known);

		*life = known ? *known : fl_life_unknown;
		life->workload.v = a->spare;
		if (!o->told || f->model->workloads[a->original].finished)
			life->runs = FL_NEVER; /* the next one may be longer */
		r = draw_life(&f->one, /* age= */ 0, life, err);
		at = comes_at(&order, at - (o->now - o->arrivals) - 1);
		life->arrives = fl_sat_add(o->now + 1 + at, a->copy * o->arrivals);
	}
	return r < 0 ? r : 0;
}

/* --- one run --- */

static int happened(void *user, const struct fl_sim *sim, const struct fl_sim_event *e,
		    fairlead_error *err)
{
	struct futures *f = user;
	uint32_t row;
	size_t cell;

	(void)err;
	if (e->kind == FL_SIM_ENDED || e->kind == FL_SIM_ARRIVED)
		f->vain_starts = 0;
	if (e->kind == FL_SIM_ENDED || e->kind == FL_SIM_LET_GO)
		f->last_ended = e->workload.v;
	if (e->kind != FL_SIM_STARTED)
		return 0;
	f->vain_starts++;
	row = f->row_of[e->workload.v];
	cell = (size_t)row * (f->options->runs + 1) + f->run;
	if (row == FL_NONE || f->starts[cell] != FL_NEVER || !sim->jobs[e->workload.v].running ||
	    f->over)
		return 0;
	f->starts[cell] = e->at;
	f->awaited[cell] = f->last_ended;
	if (--f->left == 0)
		fl_sim_stop(f->sim);
	return 0;
}

/* A run ends at the horizon. The simulation itself has no end time: it says when nothing is left. */
static int passes(void *user, const struct fl_sim *sim, fl_time to, fairlead_error *err)
{
	struct futures *f = user;

	(void)sim;
	(void)err;
	f->over = to > fl_sat_add(f->options->now, f->horizon);
	if (f->over)
		fl_sim_stop(f->sim);
	return 0;
}

static bool is_quiet(const struct fl_sim *s)
{
	return s->calendar.n == s->n_up && s->arrived == s->n_arrivals;
}

static uint64_t steps_of(const struct fl_sim *s)
{
	return s->model->n_workloads + s->events + s->driver.heads;
}

/* When nothing is left to happen, or preemption loops, a run would not end. */
static bool goes_on(void *user, const struct fl_sim *s)
{
	const struct futures *f = user;
	uint64_t vain = (uint64_t)s->n_waiting + s->n_running + VAIN_STARTS;

	return steps_of(s) < f->options->steps / LEAST_RUNS && f->vain_starts < vain &&
	       (!is_quiet(s) || s->idle_cycles < IDLE_CYCLES);
}

static int run_once(struct futures *f, fairlead_error *err)
{
	const struct fl_forecast_options *o = f->options;
	struct fl_simulation_settings settings = f->model->simulation;
	struct fl_sim_options options = {
		.mem = o->mem,
		.start = o->now,
		.lives = f->one.lives,
		.listeners = { { .event = happened, .passes = passes, .user = f } },
		.n_listeners = 1,
		.go_on = goes_on,
		.user = f,
	};
	struct fl_sim sim;
	int r;

	settings.until = FL_NEVER;
	f->over = f->stuck = false;
	f->vain_starts = 0;
	f->sim = &sim;
	f->left = f->ask;
	f->last_ended = FL_NONE;
	r = fl_sim_init(&sim, f->model, f->ops, f->policy, &settings, &options, err);
	if (r < 0)
		return r;
	r = fl_sim_run(&sim, err);
	f->steps += steps_of(&sim);
	f->stuck = r >= 0 && f->left > 0 && !f->over &&
		   (sim.ended != FL_SIM_STOPPED || is_quiet(&sim));
	f->n_cut += r >= 0 && f->left > 0 && !f->over && !f->stuck;
	f->n_stuck += f->stuck;
	fl_sim_done(&sim);
	return r;
}

static bool wants_more_runs(const struct futures *f)
{
	const struct fl_forecast_options *o = f->options;

	/* If all runs are cut, further ones add nothing. */
	return f->run < o->runs &&
	       (f->run < LEAST_RUNS || (f->steps < o->steps && f->n_cut < f->run));
}

static int draw_and_run(struct futures *f, bool arrivals, struct fl_forecast_basis *ret,
			fairlead_error *err)
{
	uint32_t known = f->one.times->n_samples;
	int r = draw_lives(&f->one, &f->present, f->run, ret, err);
	fl_mark mark;

	if (r >= 0 && arrivals)
		r = draw_arrivals(f, err);
	fl_runtimes_forget(f->one.times, known);
	if (r >= 0)
		r = f->ops->mark(f->policy, &mark, err);
	if (r < 0)
		return r;
	r = run_once(f, err);
	f->ops->rollback(f->policy, mark);
	return r;
}

static bool has_started(const struct futures *f, uint32_t row)
{
	const fl_time *times = f->starts + (size_t)row * (f->options->runs + 1);

	for (uint32_t i = 0; i < f->run; i++)
		if (times[i] != FL_NEVER)
			return true;
	return false;
}

/* A workload that does not start while others arrive: would it start without arrivals?  One more run shows. */
static int run_dry(struct futures *f, fairlead_error *err)
{
	struct fl_forecast_basis basis;
	uint32_t runs = f->run, cut = f->n_cut, stuck = f->n_stuck;
	fl_time horizon = f->horizon;
	bool all = true;
	int r;

	for (uint32_t i = 0; i < f->n_rows; i++)
		all &= f->rows[i].state != FL_FORECAST_LATER || has_started(f, i);
	if (all || f->n_arrivals == 0)
		return 0;
	f->horizon = f->options->horizon;
	f->run = f->options->runs;
	r = draw_and_run(f, /* arrivals= */ false, &basis, err);
	f->dry = f->stuck;
	f->horizon = horizon;
	f->run = runs;
	f->n_cut = cut;
	f->n_stuck = stuck;
	return r;
}

static int run_all(struct futures *f, struct fl_forecast_basis *ret, fairlead_error *err)
{
	int r = 0;

	for (f->run = 0; wants_more_runs(f) && r >= 0; f->run++) {
		struct fl_forecast_basis basis;

		r = draw_and_run(f, /* arrivals= */ true, &basis, err);
		if (f->run == 0)
			*ret = basis;
	}
	for (unsigned i = 0; i < FL_RUN_BASES; i++)
		f->drawn |= i != FL_RUN_EXACT && i != FL_RUN_UNKNOWN && ret->n[i];
	for (uint32_t i = 0; i < f->n_arrivals; i++)
		ret->arrivals += f->arrivals[i].copy == 0;
	ret->runs = f->run;
	ret->cut = f->n_cut;
	ret->horizon = f->horizon;
	return r < 0 ? r : run_dry(f, err);
}

/* --- what they have in common --- */

struct ranking {
	const struct futures *f;
	const uint32_t *values;
	const fl_time *times;
};

static int cmp_times(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *k = ctx;

	return (k->times[a] > k->times[b]) - (k->times[a] < k->times[b]);
}

/* By name, FL_NONE last. */
static int cmp_workloads(const void *ctx, uint32_t a, uint32_t b)
{
	const struct ranking *k = ctx;
	uint32_t v = k->values[a], w = k->values[b];

	if (v == w || v == FL_NONE || w == FL_NONE)
		return (v == FL_NONE) - (w == FL_NONE);
	return cmp_names(k->f->model, v, w);
}

static uint32_t queue_of(const struct fl_model *m, uint32_t w)
{
	const struct fl_workload_row *row = &m->workloads[w];

	return row->admitted_queue.v != FL_NONE ? row->admitted_queue.v : row->cluster_queue.v;
}

/* The workload it waits for in most runs; of equals the first by name. */
static void find_awaited(struct futures *f, struct fl_forecast *row, const uint32_t *awaited,
			 uint32_t *scratch)
{
	struct ranking k = { .f = f, .values = awaited };
	uint32_t runs = f->run, n_nodes = f->model->n_nodes;
	uint32_t *ids = f->ids, same = 0;

	row->awaited.v = row->awaited_queue.v = FL_NONE;
	for (uint32_t i = 0; i < runs; i++)
		ids[i] = i;
	fl_sort(ids, runs, ids + runs, cmp_workloads, &k);
	for (uint32_t i = 0; i < runs && awaited[ids[i]] != FL_NONE; i++) {
		if (f->options->original && f->options->original[awaited[ids[i]]] != FL_NONE)
			continue; /* the names of those still to come are not known */
		same = i && awaited[ids[i]] == awaited[ids[i - 1]] ? same + 1 : 1;
		if (same > row->awaited_runs) {
			row->awaited_runs = same;
			row->awaited.v = awaited[ids[i]];
		}
	}
	for (uint32_t n = 0; n < n_nodes; n++)
		scratch[n] = 0;
	for (uint32_t i = 0; i < runs && awaited[ids[i]] != FL_NONE; i++) {
		uint32_t q = queue_of(f->model, awaited[ids[i]]);

		if (++scratch[q] > row->awaited_queue_runs) {
			row->awaited_queue_runs = scratch[q];
			row->awaited_queue.v = q;
		}
	}
}

/* Of n values in order the one that as great a part of all that might be is below. */
static uint32_t rank(double part, uint32_t n)
{
	double at = floor(part * ((double)n + 1)) - 1;

	return (uint32_t)fmin(fmax(at, 0), (double)n - 1);
}

/* A wait, blurred; FL_NEVER stays FL_NEVER. */
static fl_time around(const struct futures *f, fl_time start, unsigned i)
{
	fl_nanos wait;

	if (start == FL_NEVER)
		return FL_NEVER;
	wait = (fl_nanos)(start - f->options->now) * (f->drawn ? blur[i] : 1000) / 1000;
	return wait > f->horizon ? FL_NEVER : f->options->now + (fl_time)wait;
}

/* How many of all waits around those of @sorted are over at @at. */
static uint32_t n_over(const struct futures *f, const fl_time *times, const uint32_t *sorted,
		       fl_time at)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < BLUR; i++)
		for (uint32_t k = 0; k < f->run && around(f, times[sorted[k]], i) <= at; k++)
			n++;
	return n;
}

/* The first moment at which @part of them are over; FL_NEVER: not within the horizon. */
static fl_time blurred(const struct futures *f, const fl_time *times, const uint32_t *sorted,
		       double part)
{
	fl_time low = f->options->now, high = fl_sat_add(low, f->horizon);
	double wanted = part * BLUR * f->run;

	if (n_over(f, times, sorted, high) < wanted)
		return FL_NEVER;
	while (low < high) {
		fl_time middle = low + (high - low) / 2;

		if (n_over(f, times, sorted, middle) >= wanted)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/* How long it runs itself does not matter. */
static bool hangs_on_unknown(const struct futures *f, uint32_t w, const struct fl_forecast_basis *b)
{
	return b->n[FL_RUN_UNKNOWN] > (f->one.unknown == w);
}

static void sum_up(struct futures *f, uint32_t number, uint32_t *scratch, bool unknown)
{
	struct fl_forecast *row = &f->rows[number];
	uint32_t runs = f->run, at_once = 0;
	size_t first = (size_t)number * (f->options->runs + 1);
	const fl_time *times = f->starts + first;
	const uint32_t *awaited = f->awaited + first;
	struct ranking k = { .times = times };
	double out = 1 - f->options->level;

	for (uint32_t i = 0; i < runs; i++) {
		f->ids[i] = i;
		row->started += times[i] != FL_NEVER;
		at_once += times[i] != FL_NEVER && awaited[i] == FL_NONE;
	}
	fl_sort(f->ids, runs, f->ids + runs, cmp_times, &k);
	row->from = blurred(f, times, f->ids, out * below);
	row->start = times[f->ids[rank(0.5, runs)]];
	row->to = blurred(f, times, f->ids, 1 - out * (1 - below));
	row->from = fl_amount_min(row->from, row->start);
	row->to = fl_amount_max(row->to, row->start);
	if (at_once == runs && row->to - f->options->now <= FL_SECOND)
		row->state = FL_FORECAST_FITS;
	else if (row->started)
		row->state = FL_FORECAST_LATER;
	else if (unknown)
		row->state = FL_FORECAST_UNKNOWN;
	else
		row->state = f->n_stuck == runs || (f->dry && times[f->options->runs] == FL_NEVER) ?
				     FL_FORECAST_NEVER :
				     FL_FORECAST_BEYOND;
	find_awaited(f, row, awaited, scratch);
}

static int prepare(struct futures *f, fairlead_error *err)
{
	const struct fl_model *m = f->model;
	uint32_t runs = f->options->runs;
	size_t cells = ((size_t)runs + 1) * f->n_rows;
	int r;

	f->one.lives = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->one.lives, err);
	f->row_of = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->row_of, err);
	f->starts = fl_arena_alloc(&f->arena, cells, sizeof *f->starts, err);
	f->awaited = fl_arena_alloc(&f->arena, cells, sizeof *f->awaited, err);
	f->ids = fl_arena_alloc(&f->arena, runs, 2 * sizeof *f->ids, err);
	if (!f->one.lives || !f->row_of || !f->starts || !f->awaited || !f->ids)
		return FAIRLEAD_ENOMEM;
	for (size_t i = 0; i < cells; i++) {
		f->starts[i] = FL_NEVER;
		f->awaited[i] = FL_NONE;
	}
	for (uint32_t w = 0; w < m->n_workloads; w++)
		f->row_of[w] = FL_NONE;
	for (uint32_t i = 0; i < f->n_rows; i++) {
		struct fl_workload w = f->rows[i].workload;
		enum fl_workload_state state = f->ops->state(f->policy, w);

		f->rows[i] = (struct fl_forecast){ .workload = w,
						   .start = FL_NEVER,
						   .from = FL_NEVER,
						   .to = FL_NEVER,
						   .awaited = { FL_NONE },
						   .awaited_queue = { FL_NONE } };
		f->rows[i].state = holds(state)       ? FL_FORECAST_HOLDS :
				   !takes_part(state) ? FL_FORECAST_NOT :
							FL_FORECAST_LATER;
		if (f->rows[i].state != FL_FORECAST_LATER)
			continue;
		f->row_of[w.v] = i;
		f->ask++;
	}
	r = find_present(&f->present, f->ops, f->policy, f->options, &f->arena, err);
	if (r == 0)
		r = find_arrivals(f, err);
	f->horizon = f->options->horizon;
	if (f->n_arrivals)
		f->horizon = fl_amount_min(f->n_copies * f->options->arrivals,
					   fl_amount_min(f->horizon, FL_FORECAST_LATELY));
	return r;
}

int fl_forecast(const struct fl_policy_ops *ops, struct fl_policy *policy,
		const struct fl_model *model, struct fl_runtimes *times,
		const struct fl_forecast_options *options, struct fl_forecast *rows, uint32_t n,
		struct fl_forecast_basis *ret, fairlead_error *err)
{
	struct futures f = { .ops = ops,
			     .policy = policy,
			     .model = model,
			     .options = options,
			     .present = { .m = model },
			     .one = { .m = model, .times = times, .options = options },
			     .rows = rows,
			     .n_rows = n };
	struct fl_forecast_basis basis = { 0 };
	uint32_t *scratch;
	int r;

	fl_arena_init(&f.arena, options->mem);
	scratch = fl_arena_alloc(&f.arena, model->n_nodes, sizeof *scratch, err);
	r = scratch ? prepare(&f, err) : FAIRLEAD_ENOMEM;
	if (r >= 0 && f.ask)
		r = run_all(&f, &basis, err);
	for (uint32_t i = 0; i < n && r >= 0; i++)
		if (rows[i].state == FL_FORECAST_LATER)
			sum_up(&f, i, scratch, hangs_on_unknown(&f, rows[i].workload.v, &basis));
	if (r >= 0)
		*ret = basis;
	fl_arena_done(&f.arena);
	return r < 0 ? r : 0;
}

int fl_forecast_lives(const struct fl_policy_ops *ops, const struct fl_policy *policy,
		      const struct fl_model *m, struct fl_runtimes *times,
		      const struct fl_forecast_options *o, uint32_t run, struct fl_life_row *ret,
		      struct fl_forecast_basis *ret_basis, fairlead_error *err)
{
	struct futures f = { .ops = ops,
			     .model = m,
			     .options = o,
			     .present = { .m = m },
			     .one = { .m = m, .times = times, .options = o, .lives = ret } };
	uint32_t known = times->n_samples;
	int r;

	fl_arena_init(&f.arena, o->mem);
	r = find_present(&f.present, ops, policy, o, &f.arena, err);
	if (r == 0)
		r = find_arrivals(&f, err);
	if (r == 0)
		r = draw_lives(&f.one, &f.present, run, ret_basis, err);
	if (r >= 0 && f.n_arrivals)
		r = draw_arrivals(&f, err);
	ret_basis->arrivals = f.n_arrivals;
	ret_basis->horizon = f.n_copies * o->arrivals;
	fl_runtimes_forget(times, known);
	fl_arena_done(&f.arena);
	return r < 0 ? r : 0;
}
