/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/sort.h"

/*
 * There are so many runs whatever they cost.  A run is over after so many cycles in which nothing
 * starts, or so many more starts than there are workloads while nobody arrives or ends.
 */
enum { LEAST_RUNS = 12, IDLE_CYCLES = 256, VAIN_STARTS = 512 };

/*
 * Runs differ less than what really happens: people begin work of a new kind, of which what
 * has ended tells nothing.  So an interval leaves out only a part of the runs that its level
 * would; how small a part was measured on traces (bench/eta.c).
 */
enum { CAUTION = 3 };

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

/* --- who is there --- */

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
	fl_time age;

	if (!o->from)
		return since == FL_TIME_NONE || since > o->now ? 0 : o->now - since;
	const struct fl_sim_job *j = &o->from[w];

	age = j->done;
	if (j->running && j->since < o->now)
		age += (fl_time)((fl_nanos)(o->now - j->since) * j->running / j->pods);
	return age;
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
		bool backs_off = o->from && o->from[w].state == FL_SIM_BACKS_OFF;

		if (!takes_part(state) && !backs_off)
			continue;
		p->order[p->n] = p->n;
		p->rows[p->n].workload = w;
		p->rows[p->n++].age = holds(state) || o->from ? age_of(p->m, o, w) : 0;
	}
	fl_sort(p->order, p->n, p->order + n, cmp_present, p);
	return 0;
}

static const struct fl_life_row unknown_life = { .arrives = FL_TIME_NONE,
						 .runs = FL_NEVER,
						 .asked = FL_TIME_NONE,
						 .leaves = FL_NEVER,
						 .waited = FL_TIME_NONE,
						 .class_name = { FL_NONE },
						 .user = { FL_NONE } };

/* --- who may come again --- */

int fl_forecast_spares(struct fl_model *m, fl_time since, uint32_t *ret, fairlead_error *err)
{
	uint32_t n = m->n_workloads;
	int r = 0;

	*ret = n;
	for (uint32_t w = 0; w < n && r >= 0; w++) {
		struct fl_workload_row row = m->workloads[w];
		struct fl_life_row life = unknown_life;
		char name[FL_MAX_NAME + 8];

		if (row.gang != FL_NONE || row.created == FL_TIME_NONE || row.created <= since ||
		    strlen(fl_model_text(m, row.name)) > FL_MAX_NAME - 1)
			continue;
		/* No object is called so; and it stands behind its original by name. */
		(void)snprintf(name, sizeof name, "%s~", fl_model_text(m, row.name));
		r = fl_model_sym(m, name, strlen(name), &row.name, err);
		row.uid = row.name;
		row.owner_job.v = FL_NONE;
		row.finished = row.evicted = row.reserved = row.admitted = false;
		row.check_retries = row.not_requeued = false;
		row.reserved_at = FL_TIME_NONE;
		row.requeue = FL_NONE;
		row.admission.n = 0;
		life.workload.v = m->n_workloads;
		life.arrives = FL_NEVER;
		if (r == 0)
			r = fl_model_add_workload(m, &row, err);
		if (r == 0)
			r = fl_model_push_lives(m, &life, /* ret_id= */ NULL, err);
	}
	return r;
}

static uint32_t original(const struct fl_model *m, struct fl_sym namespace, struct fl_sym name)
{
	char text[FL_MAX_NAME + 8];

	(void)snprintf(text, sizeof text, "%s", fl_model_text(m, name));
	text[strlen(text) - 1] = '\0';
	return fl_model_find_workload(m, fl_model_text(m, namespace), text).v;
}

void fl_forecast_set_aside(struct fl_model *m, uint32_t first, uint32_t *ret)
{
	uint32_t n = 0;
	static const fl_time later = 100 * 365 * (86400 * FL_SECOND);

	for (uint32_t w = 0; w < m->n_workloads; w++)
		ret[w] = FL_NONE;
	for (uint32_t w = first; w < m->n_workloads; w++) {
		struct fl_workload_row *row = &m->workloads[w];
		uint32_t from = original(m, row->namespace, row->name);

		if (row->excluded == FL_INCLUDED && from != FL_NONE)
			ret[from] = w;
		row->created = fl_sat_add(row->created, later);
	}
	/* What is wrong with the original is said of it. */
	for (uint32_t i = 0; i < m->n_notices; i++)
		if (!strchr(fl_model_text(m, m->notices[i].subject), '~'))
			m->notices[n++] = m->notices[i];
	m->n_notices = n;
}

/* --- one future: lives --- */

/* Of all that are there; @random goes on with those that come. */
struct future {
	const struct fl_model *m;
	struct fl_runtimes *times;
	const struct fl_forecast_options *options;
	struct fl_random random;
	struct fl_life_row *lives; /* by workload */
	uint32_t unknown;          /* the last one of whom nothing is known */
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
 * Who has run longest is drawn first: what is supposed of it is known of those that can be
 * like it.  So workloads that have not ended yet count, too, not only those that were short.
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
		f->lives[p->rows[i].workload] = unknown_life;
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

int fl_forecast_lives(const struct fl_policy_ops *ops, const struct fl_policy *policy,
		      const struct fl_model *m, struct fl_runtimes *times,
		      const struct fl_forecast_options *o, uint32_t run, struct fl_life_row *ret,
		      struct fl_forecast_basis *ret_basis, fairlead_error *err)
{
	struct future f = { .m = m, .times = times, .options = o, .lives = ret };
	struct presence present = { .m = m };
	uint32_t known = times->n_samples;
	struct fl_arena arena;
	int r;

	fl_arena_init(&arena, o->mem);
	r = find_present(&present, ops, policy, o, &arena, err);
	if (r == 0)
		r = draw_lives(&f, &present, run, ret_basis, err);
	fl_runtimes_forget(times, known);
	fl_arena_done(&arena);
	return r;
}

/* --- who comes --- */

struct futures {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_forecast_options *options;
	struct fl_arena arena;
	struct presence present;
	struct future one;                  /* of this run */
	const struct fl_life_row **life_of; /* of the model; NULL: none */
	uint32_t *arrivals;                 /* who came lately */
	uint32_t n_arrivals;
	struct fl_forecast *rows;
	uint32_t n_rows;
	uint32_t *row_of;  /* workload -> row; FL_NONE: nobody asks */
	fl_time *starts;   /* row after row, run after run; FL_NEVER */
	uint32_t *awaited; /* the same: who ended before; FL_NONE: nobody */
	uint32_t *ids;     /* scratch to sort with */
	uint32_t ask;      /* rows that want an answer */

	/* one run */
	struct fl_sim *sim;
	uint32_t run, left, last_ended;
	uint64_t vain_starts; /* since somebody arrived or ended */
	bool over;            /* the horizon is passed */

	/* of all */
	fl_time horizon;
	uint64_t steps;
	uint32_t n_stuck; /* runs in which nothing was left to happen */
	uint32_t n_cut;   /* runs that had no more steps */
};

static int find_arrivals(struct futures *f, fairlead_error *err)
{
	const struct fl_forecast_options *o = f->options;
	const struct fl_model *m = f->model;
	fl_time since = fl_sat_sub(o->now, o->arrivals);

	f->arrivals = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->arrivals, err);
	f->life_of = fl_arena_alloc(&f->arena, m->n_workloads, sizeof *f->life_of, err);
	if (!f->arrivals || !f->life_of)
		return FAIRLEAD_ENOMEM;
	for (uint32_t i = 0; i < m->n_lives; i++)
		f->life_of[m->lives[i].workload.v] = &m->lives[i];
	for (uint32_t i = 0; i < m->n_workloads && o->again && o->arrivals > 0; i++) {
		fl_time came = fl_run_came(m, (struct fl_workload){ i }, f->life_of[i]);

		if (o->again[i] != FL_NONE && came != FL_TIME_NONE && came > since &&
		    came <= o->now)
			f->arrivals[f->n_arrivals++] = i;
	}
	return 0;
}

/* The period again, from another moment of it on. */
static int draw_arrivals(struct futures *f, fairlead_error *err)
{
	const struct fl_forecast_options *o = f->options;
	fl_time shift;
	int r = 0;

	shift = (fl_time)(fl_random_unit(&f->one.random) * (double)o->arrivals);
	for (uint32_t i = 0; i < f->n_arrivals && r >= 0; i++) {
		uint32_t w = f->arrivals[i], again = o->again[w];
		struct fl_life_row *life = &f->one.lives[again];
		fl_time came = fl_run_came(f->model, (struct fl_workload){ w }, f->life_of[w]);

		*life = f->life_of[w] ? *f->life_of[w] : unknown_life;
		life->workload.v = again;
		if (!o->told || f->model->workloads[w].finished)
			life->runs = FL_NEVER; /* the next one may be longer */
		r = draw_life(&f->one, /* age= */ 0, life, err);
		life->arrives = o->now + 1 + (came - (o->now - o->arrivals) + shift) % o->arrivals;
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
	cell = (size_t)row * f->options->runs + f->run;
	if (row == FL_NONE || f->starts[cell] != FL_NEVER || !sim->jobs[e->workload.v].running ||
	    f->over)
		return 0;
	f->starts[cell] = e->at;
	f->awaited[cell] = f->last_ended;
	if (--f->left == 0)
		fl_sim_stop(f->sim);
	return 0;
}

/* Behind the horizon it is over. The simulation itself knows no end: it tells when nothing is left. */
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

/* Where nothing is left to happen, or preemption goes in a circle, a run would not end. */
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
		.from = o->from,
		.listeners = { { .event = happened, .passes = passes, .user = f } },
		.n_listeners = 1,
		.go_on = goes_on,
		.user = f,
	};
	struct fl_sim sim;
	int r;

	settings.until = FL_NEVER;
	f->over = false;
	f->vain_starts = 0;
	f->sim = &sim;
	f->left = f->ask;
	f->last_ended = FL_NONE;
	r = fl_sim_init(&sim, f->model, f->ops, f->policy, &settings, &options, err);
	if (r < 0)
		return r;
	r = fl_sim_run(&sim, err);
	f->steps += steps_of(&sim);
	if (r >= 0 && f->left > 0 && !f->over) {
		bool stuck = sim.ended != FL_SIM_STOPPED || is_quiet(&sim);

		f->n_stuck += stuck;
		f->n_cut += !stuck;
	}
	fl_sim_done(&sim);
	return r;
}

static bool wants_more_runs(const struct futures *f)
{
	const struct fl_forecast_options *o = f->options;

	/* Where all are cut, more of them tell nothing. */
	return f->run < o->runs &&
	       (f->run < LEAST_RUNS || (f->steps < o->steps && f->n_cut < f->run));
}

static int run_all(struct futures *f, struct fl_forecast_basis *ret, fairlead_error *err)
{
	uint32_t known = f->one.times->n_samples;
	int r = 0;

	for (f->run = 0; wants_more_runs(f) && r >= 0; f->run++) {
		struct fl_forecast_basis basis;
		fl_mark mark;

		r = draw_lives(&f->one, &f->present, f->run, &basis, err);
		if (r >= 0)
			r = draw_arrivals(f, err);
		fl_runtimes_forget(f->one.times, known);
		if (r >= 0)
			r = f->ops->mark(f->policy, &mark, err);
		if (r < 0)
			return r;
		r = run_once(f, err);
		f->ops->rollback(f->policy, mark);
		if (f->run == 0)
			*ret = basis;
	}
	ret->arrivals = f->n_arrivals;
	ret->runs = f->run;
	ret->cut = f->n_cut;
	ret->horizon = f->horizon;
	return r;
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

/* By name, those of nobody last. */
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

/* Whom it waits for in most runs; of equals the first by name. */
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
static uint32_t rank(double part, uint32_t n, bool up)
{
	double at = part * ((double)n + 1);

	at = (up ? ceil(at) : floor(at)) - 1;
	return (uint32_t)fmin(fmax(at, 0), (double)n - 1);
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
	size_t first = (size_t)number * f->options->runs;
	const fl_time *times = f->starts + first;
	const uint32_t *awaited = f->awaited + first;
	struct ranking k = { .times = times };
	double tail = (1 - f->options->level) / 2 / CAUTION;

	for (uint32_t i = 0; i < runs; i++) {
		f->ids[i] = i;
		row->started += times[i] != FL_NEVER;
		at_once += times[i] != FL_NEVER && awaited[i] == FL_NONE;
	}
	fl_sort(f->ids, runs, f->ids + runs, cmp_times, &k);
	row->from = times[f->ids[rank(tail, runs, /* up= */ false)]];
	row->start = times[f->ids[rank(0.5, runs, /* up= */ false)]];
	row->to = times[f->ids[rank(1 - tail, runs, /* up= */ true)]];
	if (at_once == runs && row->to - f->options->now <= FL_SECOND)
		row->state = FL_FORECAST_FITS;
	else if (row->started)
		row->state = FL_FORECAST_LATER;
	else if (unknown)
		row->state = FL_FORECAST_UNKNOWN;
	else
		row->state = f->n_stuck == runs ? FL_FORECAST_NEVER : FL_FORECAST_BEYOND;
	find_awaited(f, row, awaited, scratch);
}

static int prepare(struct futures *f, fairlead_error *err)
{
	const struct fl_model *m = f->model;
	uint32_t runs = f->options->runs;
	size_t cells = (size_t)runs * f->n_rows;
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
		bool backs_off = f->options->from &&
				 f->options->from[w.v].state == FL_SIM_BACKS_OFF;

		f->rows[i] = (struct fl_forecast){ .workload = w,
						   .start = FL_NEVER,
						   .from = FL_NEVER,
						   .to = FL_NEVER,
						   .awaited = { FL_NONE },
						   .awaited_queue = { FL_NONE } };
		f->rows[i].state = holds(state)                     ? FL_FORECAST_HOLDS :
				   !takes_part(state) && !backs_off ? FL_FORECAST_NOT :
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
		f->horizon = fl_amount_min(f->horizon, f->options->arrivals);
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
