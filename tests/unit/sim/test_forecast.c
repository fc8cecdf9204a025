/* SPDX-License-Identifier: Apache-2.0 */
/* Forecasts of clusters so small that the answer is known. */
#include "decide/borrow/borrow.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"
#include "lib/world.h"
#include "sim/forecast.h"

enum { NOW = 1000000, CPUS = 10 };

static const struct world_node nodes[] = {
	{ "a", NULL, FL_CLUSTER_QUEUE, 1, { { CPUS, FL_NO_LIMIT, FL_NO_LIMIT } } },
};

/* A world with run times that were seen: seconds; 0 ends them. */
struct world {
	struct fl_model *m;
	struct fl_policy *p;
	struct fl_runtimes times;
	struct fl_forecast_options options;
	struct fl_forecast_basis basis;
};

static void add(struct fl_model *m, const char *name, int64_t age, fl_amount ask, bool admitted)
{
	struct world_job job = {
		.name = name, .queue = "a", .age = NOW - age, .ask = { ask }, .admitted = admitted
	};

	world_add_job(m, &job, 1);
}

static void give_life(struct fl_model *m, uint32_t w, int64_t runs, int64_t asked)
{
	struct fl_life_row life = { .workload = { w },
				    .arrives = FL_TIME_NONE,
				    .runs = runs ? runs * FL_SECOND : FL_NEVER,
				    .asked = asked ? asked * FL_SECOND : FL_TIME_NONE,
				    .leaves = FL_NEVER,
				    .waited = FL_TIME_NONE,
				    .class_name = { FL_NONE },
				    .user = { FL_NONE } };
	fairlead_error err;

	assert_int_equal(fl_model_push_lives(m, &life, NULL, &err), 0);
}

/* "runs" holds all since @age; "waits" wants @ask. */
static struct fl_model *one_runs(int64_t age, fl_amount ask)
{
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 1, 1);

	m->simulation = fl_simulation_default;
	add(m, "runs", age, CPUS, true);
	add(m, "waits", 10, ask, false);
	return m;
}

static void start(struct world *w, struct fl_model *m, const int64_t *seen)
{
	struct fl_life_row life = { .workload = { 0 }, .asked = FL_TIME_NONE, .user = { FL_NONE } };
	fairlead_error err;

	*w = (struct world){ .m = m, .options = fl_forecast_default };
	assert_int_equal(fl_model_seal(m, &err), 0);
	w->p = world_policy(&fl_mem_heap, m, NOW * FL_SECOND);
	w->options.mem = &fl_mem_heap;
	w->options.now = NOW * FL_SECOND;
	w->options.told = true;
	assert_int_equal(fl_runtimes_init(&w->times, &fl_mem_heap, m, &err), 0);
	for (; *seen; seen++)
		assert_int_equal(fl_runtimes_add(&w->times, &life, *seen * FL_SECOND, &err), 0);
}

static struct fl_forecast ask(struct world *w, uint32_t workload)
{
	struct fl_forecast row = { .workload = { workload } };
	uint64_t before[2], after[2];
	uint32_t known = w->times.n_samples;
	fairlead_error err;

	fl_borrow_policy.digest(w->p, w->options.now, before);
	assert_int_equal(fl_forecast(&fl_borrow_policy, w->p, w->m, &w->times, &w->options, &row, 1,
				     &w->basis, &err),
			 0);
	fl_borrow_policy.digest(w->p, w->options.now, after);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(w->times.n_samples, known);
	return row;
}

static void done(struct world *w)
{
	fl_runtimes_done(&w->times);
	w->p = fl_borrow_policy.free(w->p);
	w->m = fl_model_free(w->m);
}

static const int64_t nothing[] = { 0 };

static int64_t seconds(const struct world *w, fl_time t)
{
	return (t - w->options.now) / FL_SECOND;
}

TEST(test_a_known_end_is_the_start)
{
	struct fl_model *m = one_runs(100, 5);
	struct world w;

	give_life(m, 0, 400, 0);
	start(&w, m, nothing);
	struct fl_forecast f = ask(&w, 1);

	assert_int_equal(f.state, FL_FORECAST_LATER);
	assert_int_equal(f.started, 100);
	assert_int_equal(seconds(&w, f.from), 300);
	assert_int_equal(seconds(&w, f.start), 300);
	assert_int_equal(seconds(&w, f.to), 300);
	assert_int_equal(f.awaited.v, 0);
	assert_int_equal(f.awaited_runs, 100);
	assert_int_equal(w.basis.n[FL_RUN_EXACT], 1);
	assert_int_equal(w.basis.n[FL_RUN_UNKNOWN], 1); /* its own end does not matter */
	done(&w);
}

/* Those that ran for 200 s or 1000 s: of one that has run for 100 s both may be. */
TEST(test_two_lengths_make_an_interval)
{
	static const int64_t seen[] = { 200,  1000, 200,  1000, 200,  1000, 200, 1000,
					200,  1000, 200,  1000, 200,  1000, 200, 1000,
					1000, 200,  1000, 200,  1000, 200,  0 };
	struct world w;

	start(&w, one_runs(100, 5), seen);
	struct fl_forecast f = ask(&w, 1);

	/* What is drawn stands for what is around it. */
	assert_in_range(seconds(&w, f.from), 60, 95);
	assert_in_range(seconds(&w, f.to), 900, 1500);
	struct fl_forecast wide = f;

	w.options.level = 0.1;
	f = ask(&w, 1);
	assert_true(f.from >= wide.from && f.from <= f.start);
	assert_true(f.to <= wide.to && f.to >= f.start);
	done(&w);
}

/* It has run longer than the short ones: it is a long one. */
TEST(test_age_counts)
{
	static const int64_t seen[] = { 200,  1000, 200,  1000, 200,  1000, 200,  1000, 200,
					1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000,
					1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000,
					1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000,
					1000, 1000, 1000, 1000, 0 };
	struct world w;

	start(&w, one_runs(300, 5), seen);
	struct fl_forecast f = ask(&w, 1);

	assert_int_equal(seconds(&w, f.start), 700);
	assert_int_equal(w.basis.n[FL_RUN_USER] + w.basis.n[FL_RUN_SIZE] + w.basis.n[FL_RUN_QUEUE] +
				 w.basis.n[FL_RUN_CLUSTER] + w.basis.n[FL_RUN_AGE],
			 2);
	done(&w);
}

TEST(test_limits_bound_it)
{
	struct fl_model *m = one_runs(100, 5);
	struct world w;

	give_life(m, 0, 0, 1100);
	start(&w, m, nothing);
	struct fl_forecast f = ask(&w, 1);

	assert_int_equal(w.basis.n[FL_RUN_ASKED], 1);
	assert_in_range(seconds(&w, f.from), 0, 250);
	assert_in_range(seconds(&w, f.start), 300, 700);
	assert_in_range(seconds(&w, f.to), 750, 1000);
	done(&w);
}

TEST(test_what_is_not_known_gives_no_figure)
{
	struct world w;

	start(&w, one_runs(100, 5), nothing);
	struct fl_forecast f = ask(&w, 1);

	assert_int_equal(f.state, FL_FORECAST_UNKNOWN);
	assert_true(f.start == FL_NEVER && f.from == FL_NEVER && f.to == FL_NEVER);
	assert_int_equal(w.basis.n[FL_RUN_UNKNOWN], 2);
	done(&w);
}

TEST(test_states)
{
	struct fl_model *m = world_open(&fl_mem_heap, nodes, 1, 1);
	static const int64_t seen[] = { 500, 500, 0 };
	struct world w;

	m->simulation = fl_simulation_default;
	add(m, "runs", 100, 5, true);
	add(m, "fits", 20, 5, false);
	add(m, "larger-than-all", 10, CPUS + 1, false);
	start(&w, m, seen);
	assert_int_equal(ask(&w, 0).state, FL_FORECAST_HOLDS);
	assert_int_equal(ask(&w, 1).state, FL_FORECAST_FITS);
	assert_int_equal(ask(&w, 2).state, FL_FORECAST_NEVER);
	assert_int_equal(ask(&w, 2).started, 0);
	done(&w);
}

TEST(test_beyond_the_horizon)
{
	struct fl_model *m = one_runs(100, 5);
	struct world w;

	give_life(m, 0, 5000, 0);
	give_life(m, 1, 10, 0);
	start(&w, m, nothing);
	w.options.horizon = 1000 * FL_SECOND;
	assert_int_equal(ask(&w, 1).state, FL_FORECAST_BEYOND);
	done(&w);
}

/* The same seed, the same answer; other seeds, others. */
TEST(test_seeds)
{
	static const int64_t seen[] = { 200, 300, 400, 500, 600, 700, 800, 900, 0 };
	struct world w;

	start(&w, one_runs(100, 5), seen);
	w.options.runs = 11;
	struct fl_forecast f = ask(&w, 1), g = ask(&w, 1);

	assert_memory_equal(&f, &g, sizeof f);
	bool differs = false;
	for (uint64_t seed = 2; seed < 20; seed++) {
		w.options.seed = seed;
		g = ask(&w, 1);
		differs |= f.start != g.start || f.from != g.from || f.to != g.to;
	}
	assert_true(differs);
	done(&w);
}

/* The one that came before it comes again: half of the time before there is room for both. */
TEST(test_arrivals_come_again)
{
	struct fl_model *m = one_runs(100, CPUS);
	uint32_t first, original[2 + 2 * 7 * 24];
	struct fl_span spares;
	fl_time period;
	struct world w;
	struct fl_event cancel = { .kind = FL_EV_CANCEL };
	fairlead_error err;

	give_life(m, 0, 400, 0);
	give_life(m, 1, 100, 0);
	assert_int_equal(fl_forecast_spares(m, NOW * FL_SECOND, &period, &spares, &err), 0);
	first = spares.first;
	assert_int_equal(first, 2);
	assert_int_equal(spares.n, 2 * 7 * 24);
	assert_true(period == 3600 * FL_SECOND); /* at least; both have come within it */
	assert_int_equal(m->n_workloads, 2 + 2 * 7 * 24);
	start(&w, m, nothing);
	w.p = fl_borrow_policy.free(w.p);
	fl_forecast_set_aside(m, spares, original);
	assert_int_equal(original[0], FL_NONE);
	assert_int_equal(original[2], 0);
	assert_int_equal(original[first + 7 * 24], 1);
	w.p = world_policy(&fl_mem_heap, m, NOW * FL_SECOND);
	for (cancel.workload.v = first; cancel.workload.v < m->n_workloads; cancel.workload.v++)
		assert_int_equal(fl_borrow_policy.apply(w.p, w.options.now, &cancel, &err), 0);
	w.options.arrivals = period;
	w.options.original = original;
	struct fl_forecast f = ask(&w, 1);

	/* They queue behind it. */
	assert_int_equal(w.basis.arrivals, 2);
	assert_true(w.basis.horizon == FL_FORECAST_LATELY);
	assert_int_equal(seconds(&w, f.to), 300);
	assert_int_equal(ask(&w, 3).state, FL_FORECAST_NOT);
	done(&w);
}

/* Wherever memory runs out: ENOMEM, and policy, run times and memory are as they were. */
TEST(test_memory_runs_out)
{
	static const int64_t seen[] = { 200, 300, 400, 500, 0 };
	struct fl_forecast rows[2] = { { .workload = { 1 } }, { .workload = { 0 } } };
	uint64_t before[2], after[2];
	struct fail_mem f;
	struct world w;
	fairlead_error err;
	int r = FAIRLEAD_ENOMEM;

	start(&w, one_runs(100, 5), seen);
	fail_mem_init(&f);
	w.options.mem = &f.mem;
	w.options.runs = 2;
	w.times.mem = &fl_mem_heap;
	fl_borrow_policy.digest(w.p, w.options.now, before);
	for (unsigned long n = 1; r == FAIRLEAD_ENOMEM; n++) {
		f.fail_at = n;
		r = fl_forecast(&fl_borrow_policy, w.p, w.m, &w.times, &w.options, rows, 2,
				&w.basis, &err);
		fl_borrow_policy.digest(w.p, w.options.now, after);
		assert_memory_equal(before, after, sizeof before);
		assert_int_equal(w.times.n_samples, 4);
		assert_int_equal(f.live, 0);
		assert_true(n < 1000);
	}
	assert_int_equal(r, 0);
	assert_true(f.calls > 10);
	assert_int_equal(rows[0].state, FL_FORECAST_LATER);
	assert_int_equal(rows[1].state, FL_FORECAST_HOLDS);
	done(&w);
}

/* The same of what run times are kept in. */
TEST(test_memory_for_run_times_runs_out)
{
	struct fl_life_row life = { .workload = { 0 }, .asked = FL_TIME_NONE, .user = { FL_NONE } };
	struct fl_runtimes times;
	struct fail_mem f;
	fairlead_error err;
	struct world w;
	int r = FAIRLEAD_ENOMEM;

	start(&w, one_runs(100, 5), nothing);
	fail_mem_init(&f);
	for (unsigned long n = 1; r == FAIRLEAD_ENOMEM; n++) {
		f.fail_at = n;
		r = fl_runtimes_init(&times, &f.mem, w.m, &err);
		for (unsigned i = 0; i < 40 && r == 0; i++) {
			uint32_t known = times.n_samples;

			life.asked = (i + 1) * FL_SECOND; /* a group of its own */
			r = fl_runtimes_add(&times, &life, FL_SECOND, &err);
			assert_int_equal(times.n_samples, known + (r == 0));
		}
		fl_runtimes_done(&times);
		assert_int_equal(f.live, 0);
		assert_true(n < 1000);
	}
	assert_int_equal(r, 0);
	done(&w);
}

/* Two ask at once: each hears what it hears alone, when the runs are long enough for both. */
TEST(test_two_ask_at_once)
{
	static const int64_t seen[] = { 200, 300, 400, 500, 600, 0 };
	struct fl_model *m = one_runs(100, 5);
	struct fl_forecast rows[2] = { { .workload = { 2 } }, { .workload = { 1 } } }, alone;
	struct world w;
	fairlead_error err;

	add(m, "behind", 5, 6, false);
	start(&w, m, seen);
	assert_int_equal(fl_forecast(&fl_borrow_policy, w.p, w.m, &w.times, &w.options, rows, 2,
				     &w.basis, &err),
			 0);
	alone = ask(&w, 1);
	assert_memory_equal(&rows[1], &alone, sizeof alone);
	assert_true(rows[0].start > rows[1].start);
	assert_int_equal(rows[0].started, 100);
	done(&w);
}

/* Few steps: so few runs as there must be, and each is cut. */
TEST(test_no_more_than_its_steps)
{
	static const int64_t seen[] = { 200, 300, 400, 500, 600, 0 };
	struct world w;

	start(&w, one_runs(100, 5), seen);
	w.options.steps = 1;
	struct fl_forecast f = ask(&w, 1);

	assert_int_equal(w.basis.runs, 12);
	assert_int_equal(f.state, FL_FORECAST_LATER); /* cut only where it is looked: rarely */
	assert_int_equal(f.started, 12);
	done(&w);
}

/* Nobody is drawn to come behind the horizon, so no forecast goes there. */
TEST(test_horizon_of_arrivals)
{
	struct fl_model *m = one_runs(100, 5);
	uint32_t original[8] = { FL_NONE, FL_NONE, FL_NONE, FL_NONE };
	struct world w;

	give_life(m, 0, 5000, 0);
	start(&w, m, nothing);
	w.options.arrivals = 1000 * FL_SECOND;
	w.options.original = original;
	assert_int_equal(ask(&w, 1).state, FL_FORECAST_LATER);
	assert_true(w.basis.horizon == w.options.horizon);
	done(&w);
}

/* As long as it is known who came, as often as it takes to fill a week. */
TEST(test_period)
{
	static const struct {
		int64_t minutes, expect;
		uint32_t came, times;
	} rows[] = {
		{ 0, 60, 5, 168 },
		{ 90, 90, 5, 112 },
		{ 26 * 60, 26 * 60, 5, 7 },
		{ 55 * 60, 48 * 60, 5, 4 },
		{ 71 * 60, 72 * 60, 5, 3 }, /* nearly */
		{ 7 * 24 * 60 - 5, 7 * 24 * 60, 5, 1 },
		{ 90 * 24 * 60, 7 * 24 * 60, 5, 1 },
		{ 90, 90, FL_FORECAST_SPARES / 10, 10 },
		{ 90, 90, 2 * FL_FORECAST_SPARES, 1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fl_time now = NOW * (60 * FL_SECOND), min = 60 * FL_SECOND;
		uint32_t times;

		assert_true(fl_forecast_period(now, now - rows[i].minutes * min, rows[i].came,
					       &times) == rows[i].expect * min);
		assert_int_equal(times, rows[i].times);
	}
}

UNIT_GROUP("forecast")
