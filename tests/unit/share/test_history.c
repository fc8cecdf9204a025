/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/few.h"
#include "lib/unit.h"

#include "decide/share/history.h"
#include "lib/fail_mem.h"

#define HOUR (3600 * FL_SECOND)
#define START (INT64_C(1767225600) * FL_SECOND)

enum { QUEUES = 5 };

static struct fl_history *fresh(const struct fl_mem *mem, fl_time window, fl_time half_life)
{
	struct fl_history_settings s = {
		.half_life = half_life,
		.window = { .kind = FL_WINDOW_SLIDING, .length = window },
	};
	struct fl_history *h;

	assert_int_equal(fl_history_new(mem, &s, QUEUES, &h, NULL), 0);
	return h;
}

/* A bundle of one number of GPUs. */
static struct fl_bundle gpus(double n) { return (struct fl_bundle){ .of = { [FL_GPU] = n } }; }

static void hold(struct fl_history *h, fl_time now, uint32_t queue, double n)
{
	struct fl_bundle held = gpus(n);

	assert_int_equal(fl_history_reserve(h, NULL, 1, NULL), 0);
	if (queue == FL_NONE)
		fl_history_capacity(h, NULL, now, &held);
	else
		fl_history_hold(h, NULL, now, queue, &held);
}

static double usage(const struct fl_history *h, fl_time now, uint32_t queue)
{
	struct fl_bundle all[QUEUES];

	fl_history_usage(h, now, all);
	assert_true(all[queue].of[FL_CPU] == 0);
	return all[queue].of[FL_GPU];
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * fmax(fabs(b), 1e-3); }

/* --- worked numbers -------------------------------------------------------------------- */

/* Of 16 GPUs, 4 for the first @hours of a day, then none. */
static const struct {
	const char *name;
	fl_time window, half_life, hours, now;
	double usage;
} rows[] = {
	{ "half of a window", 24 * HOUR, 0, 12, 24, 0.125 },
	{ "all of it", 12 * HOUR, 0, 12, 12, 0.25 },
	{ "it slides out", 12 * HOUR, 0, 12, 18, 0.125 },
	{ "it is out", 12 * HOUR, 0, 12, 24, 0 },
	{ "long out", 12 * HOUR, 0, 12, 24000, 0 },
	/* The capacity is counted from where it begins: the clock shows 6 h of 24. */
	{ "less than a window is known", 24 * HOUR, 0, 12, 6, 0.25 },
	/* 1 - 2^-1 of the mass is gained, of 1 - 2^-2 that there is. */
	{ "half-life", 240 * HOUR, 12 * HOUR, 12, 24, 0.25 * 0.25 / 0.75 },
	{ "half-life, still held", 240 * HOUR, 12 * HOUR, 12, 12, 0.25 },
	/* (2^-1 - 2^-1.5) of (1 - 2^-1.5) */
	{ "half-life and window", 18 * HOUR, 12 * HOUR, 12, 24,
	  0.25 * (0.5 - 0.35355339059327373) / (1 - 0.35355339059327373) },
	{ "half-life 1 ns", 24 * HOUR, 1, 12, 13, 0 },
	{ "half-life 1 ns, held", 24 * HOUR, 1, 12, 11, 0.25 },
	{ "half-life of a hundred years", 24 * HOUR, 1000000 * HOUR, 12, 24, 0.124999480139614583 },
	{ "negative half-life is none", 24 * HOUR, -5, 12, 24, 0.125 },
};

TEST(worked_numbers)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_history *h = fresh(&fl_mem_heap, rows[i].window, rows[i].half_life);

		hold(h, START, FL_NONE, 16);
		hold(h, START, 1, 4);
		if (rows[i].now > rows[i].hours)
			hold(h, START + rows[i].hours * HOUR, 1, 0);
		CHECK(near(usage(h, START + rows[i].now * HOUR, 1), rows[i].usage), rows[i].name);
		CHECK(usage(h, START + rows[i].now * HOUR, 0) == 0, rows[i].name);
		fl_history_free(h);
	}
}

TEST(no_capacity_is_no_usage)
{
	struct fl_history *h = fresh(&fl_mem_heap, HOUR, 1000 * HOUR);

	assert_true(usage(h, START, 0) == 0); /* nothing known at all */
	hold(h, START, 0, 4);
	assert_true(usage(h, START + HOUR, 0) == 0);
	/* There was some, before the window: exactly nothing is left of it. */
	hold(h, START + 2 * HOUR, FL_NONE, 8);
	hold(h, START + 200 * HOUR, FL_NONE, 0);
	assert_true(near(usage(h, START + 200 * HOUR, 0), 0.5));
	assert_true(usage(h, START + 201 * HOUR, 0) == 0);
	assert_true(usage(h, START + 300 * HOUR, 0) == 0);
	fl_history_free(h);
}

/* Several changes at one moment: the last one counts, and none is left of those that cancel. */
TEST(one_moment)
{
	struct fl_history *h = fresh(&fl_mem_heap, 10 * HOUR, 0);

	hold(h, START, FL_NONE, 8);
	hold(h, START, 0, 8);
	hold(h, START, 0, 2);
	hold(h, START + 5 * HOUR, 0, 7);
	hold(h, START + 5 * HOUR, 0, 2);
	hold(h, START + 5 * HOUR, 1, 3);
	hold(h, START + 5 * HOUR, 1, 0);
	assert_true(usage(h, START + 10 * HOUR, 0) == 0.25);
	assert_true(usage(h, START + 10 * HOUR, 1) == 0);
	fl_history_free(h);
}

/* Amount times seconds, of the window alone; the capacity does not matter. */
TEST(amounts_by_time)
{
	struct fl_history *h = fresh(&fl_mem_heap, 10 * HOUR, 0);
	struct fl_bundle used[QUEUES];

	hold(h, START, 0, 2);
	hold(h, START + 3 * HOUR, 0, 0.5);
	fl_history_used(h, START + 5 * HOUR, used);
	assert_true(used[0].of[FL_GPU] == 7 * 3600 && used[0].of[FL_CPU] == 0);
	assert_true(used[1].of[FL_GPU] == 0);
	fl_history_used(h, START + 12 * HOUR, used);
	assert_true(used[0].of[FL_GPU] == (2 + 4.5) * 3600);
	fl_history_free(h);
}

/* What is held at an earlier time counts from the latest one on; usage is that of the latest. */
TEST(clock_steps_back)
{
	struct fl_history *h = fresh(&fl_mem_heap, 10 * HOUR, 0);

	hold(h, START, FL_NONE, 8);
	hold(h, START + 4 * HOUR, 0, 8);
	hold(h, START + 2 * HOUR, 0, 4);
	assert_true(usage(h, START + 3 * HOUR, 0) == 0);
	assert_true(usage(h, START + 8 * HOUR, 0) == 0.25);
	fl_history_free(h);
}

/* --- against sums of samples ------------------------------------------------------------- */

enum { STEPS = 400 };

static uint64_t seed = 1;

static uint32_t random_below(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* What everybody held in each second; the last one is the cluster. */
struct samples {
	double held[STEPS][QUEUES + 1];
	uint32_t n;
};

static double sampled(const struct samples *s, uint32_t queue, uint32_t window, double half_life)
{
	double sum = 0, whole = 0;

	for (uint32_t i = s->n > window ? s->n - window : 0; i < s->n; i++) {
		double w = half_life > 0 ? exp2(-(double)(s->n - i) / half_life) : 1;

		sum += w * s->held[i][queue];
		whole += w * s->held[i][QUEUES];
	}
	return whole > 0 ? sum / whole : 0;
}

/* Nobody holds more than the cluster has; often nothing changes. */
static void draw(struct samples *s)
{
	double *now = s->held[s->n];

	if (s->n > 0)
		memcpy(now, s->held[s->n - 1], sizeof s->held[0]);
	if (s->n == 0 || random_below(10) == 0) {
		double left = now[QUEUES] = random_below(6) ? 10 + random_below(20) : 0;

		for (uint32_t q = 0; q < QUEUES; q++)
			left -= now[q] = random_below((uint32_t)left + 1);
	}
	s->n++;
}

static void check_step(const struct fl_history *h, const struct samples *s, uint32_t window,
		       double half_life)
{
	struct fl_bundle got[QUEUES];
	double sum = 0;

	fl_history_usage(h, START + s->n * FL_SECOND, got);
	for (uint32_t q = 0; q < QUEUES; q++) {
		if (!near(got[q].of[FL_GPU], sampled(s, q, window, half_life)))
			fail_msg("step %u queue %u: %.17g, samples %.17g", s->n, q,
				 got[q].of[FL_GPU], sampled(s, q, window, half_life));
		assert_true(got[q].of[FL_GPU] >= 0);
		sum += got[q].of[FL_GPU];
	}
	assert_true(sum <= 1 + 1e-12);
}

/* Fed as changes or as samples: the same as the weighted sums over one sample a second. */
TEST(sums_of_samples)
{
	static const struct {
		uint32_t window;
		double half_life;
	} settings[] = { { 1, 0 }, { 7, 0 },   { 60, 0 },   { 1000, 0 },
			 { 3, 2 }, { 60, 10 }, { 1000, 90 } };

	for (size_t c = 0; c < 2 * COUNT(settings); c++) {
		uint32_t window = settings[c / 2].window;
		double half_life = settings[c / 2].half_life;
		struct fl_history *h = fresh(&fl_mem_heap, window * FL_SECOND,
					     (fl_time)(half_life * (double)FL_SECOND));
		struct samples s = { .n = 0 };

		while (s.n < STEPS) {
			fl_time from = START + s.n * FL_SECOND;

			draw(&s);
			for (uint32_t q = 0; q <= QUEUES; q++) {
				struct fl_bundle held = gpus(s.held[s.n - 1][q]);

				if (c % 2 == 0)
					hold(h, from, q == QUEUES ? FL_NONE : q, held.of[FL_GPU]);
				else
					assert_int_equal(fl_history_add(h, from + FL_SECOND, from,
									from + FL_SECOND,
									q == QUEUES ? FL_NONE : q,
									&held, NULL),
							 0);
			}
			check_step(h, &s, window, half_life);
		}
		fl_history_free(h);
	}
}

static const struct {
	const char *name;
	fl_time from, to;
	double amount;
	int code;
	const char *message;
} samples[] = {
	{ "first", 10, 11, 4, 0, NULL },
	{ "again", 10, 11, 4, FAIRLEAD_EINPUT, "samples of usage are out of order" },
	{ "overlaps", 10, 12, 4, FAIRLEAD_EINPUT, "samples of usage are out of order" },
	{ "earlier", 5, 6, 4, FAIRLEAD_EINPUT, "samples of usage are out of order" },
	{ "next, of nothing", 11, 15, 0, 0, NULL },
	{ "into that", 14, 16, 4, FAIRLEAD_EINPUT, "samples of usage are out of order" },
	{ "from the future", 15, 101, 4, FAIRLEAD_EINPUT, "a sample of usage is from the future" },
	{ "until now", 99, 100, 4, 0, NULL },
	{ "no length", 100, 100, 4, FAIRLEAD_EINPUT, "a sample of usage ends before it begins" },
	{ "backwards", 100, 99, 4, FAIRLEAD_EINPUT, "a sample of usage ends before it begins" },
	{ "negative", 100, 100, -1, FAIRLEAD_EINPUT, "a sample of usage ends before it begins" },
};

TEST(bad_samples)
{
	static const double amounts[] = { -1, NAN, INFINITY, -INFINITY };
	struct fl_history *h = fresh(&fl_mem_heap, 100 * FL_SECOND, 0);
	fl_time now = START + 100 * FL_SECOND;
	struct fl_bundle b;
	fairlead_error err;

	for (size_t i = 0; i < COUNT(samples); i++) {
		b = gpus(samples[i].amount);
		CHECK(fl_history_add(h, now, START + samples[i].from * FL_SECOND,
				     START + samples[i].to * FL_SECOND, 2, &b,
				     &err) == samples[i].code,
		      samples[i].name);
		if (samples[i].code)
			assert_string_equal(err.text, samples[i].message);
	}
	for (size_t i = 0; i < COUNT(amounts); i++) {
		b = gpus(amounts[i]);
		assert_int_equal(fl_history_add(h, now, START, now, 3, &b, &err), FAIRLEAD_EINPUT);
		assert_string_equal(err.text, "a sample of usage is negative or not a number");
	}
	b = gpus(8);
	assert_int_equal(fl_history_add(h, now, START, now, FL_NONE, &b, NULL), 0);
	assert_true(near(usage(h, now, 2), 8.0 / 800)); /* the two good ones alone */
	assert_true(usage(h, now, 3) == 0);
	fl_history_free(h);
}

TEST(bad_settings)
{
	struct fl_history_settings s = { .window = { .kind = FL_WINDOW_SLIDING } };
	struct fl_history *h = NULL;
	fairlead_error err;

	assert_int_equal(fl_history_new(&fl_mem_heap, &s, 1, &h, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the usage window has length 0");
	s.window.length = HOUR;
	assert_int_equal(fl_history_new(&fl_mem_heap, &s, UINT32_MAX, &h, &err), FAIRLEAD_ELIMIT);
	assert_null(h);
}

/* --- undo, memory ------------------------------------------------------------------------ */

/* A change as the engine makes it. */
static void marked_hold(struct fl_history *h, struct fl_undo *u, fl_time now, uint32_t queue,
			double n)
{
	struct fl_bundle b = { { n, n / 3, n * 7 } };

	assert_int_equal(fl_undo_reserve(u, FL_HISTORY_UNDO, NULL), 0);
	assert_int_equal(fl_history_reserve(h, u, 1, NULL), 0);
	if (queue == QUEUES)
		fl_history_capacity(h, u, now, &b);
	else
		fl_history_hold(h, u, now, queue, &b);
}

static void some_changes(struct fl_history *h, struct fl_undo *u, fl_time *now)
{
	for (int i = 0; i < 20; i++) {
		if (random_below(3))
			*now += random_below(1000) * FL_SECOND;
		marked_hold(h, u, *now, random_below(QUEUES + 1), random_below(4));
	}
}

/* After a rollback all is as if it had never been, bit for bit, also what comes later. */
TEST(undo_is_exact)
{
	struct fl_history *h = fresh(&fl_mem_heap, HOUR, 700 * FL_SECOND);
	struct fl_history *other = fresh(&fl_mem_heap, HOUR, 700 * FL_SECOND);
	struct fl_undo u, none;
	fl_time now = START;

	fl_undo_init(&u, &fl_mem_heap);
	fl_undo_init(&none, &fl_mem_heap);
	for (int round = 0; round < 60; round++) {
		struct fl_bundle a[QUEUES], b[QUEUES];
		uint64_t before = seed;
		fl_time later = now;
		uint32_t mark, inner;

		some_changes(h, &u, &now);
		seed = before;
		now = later;
		some_changes(other, &none, &now);
		later = now;
		assert_int_equal(fl_undo_mark(&u, &mark, NULL), 0);
		some_changes(h, &u, &later);
		assert_int_equal(fl_undo_mark(&u, &inner, NULL), 0);
		some_changes(h, &u, &later);
		if (round % 2)
			fl_undo_rollback(&u, inner);
		else
			fl_undo_keep(&u, inner);
		fl_undo_rollback(&u, mark);
		fl_history_usage(h, now + HOUR / 4, a);
		fl_history_usage(other, now + HOUR / 4, b);
		assert_memory_equal(a, b, sizeof a);
	}
	fl_undo_done(&u);
	fl_undo_done(&none);
	fl_history_free(h);
	fl_history_free(other);
}

/* Forgetting keeps memory as large as the window, asks for no more once warm, and changes nothing. */
TEST(memory_stays)
{
	struct fail_mem f;
	unsigned long calls = 0;

	fail_mem_init(&f);
	struct fl_history *h = fresh(&f.mem, HOUR, 0);

	hold(h, START, FL_NONE, 10);
	for (int i = 0; i < (int)few(100000); i++) {
		fl_time now = START + i * 60 * FL_SECOND;

		hold(h, now, (uint32_t)i % 2, i / 2 % 2 ? 0 : 5);
		if (i == 1000)
			calls = f.calls;
		if (i > 1000 && i % 4 == 3) /* 5 GPUs for half of the time */
			assert_true(near(usage(h, now, 0) + usage(h, now, 1), 0.5));
	}
	assert_int_equal(f.calls, calls);
	fl_history_free(h);
	assert_int_equal(f.live, 0);
}

TEST(out_of_memory)
{
	unsigned long n = 0;
	bool failed = true;

	while (failed) {
		struct fl_history_settings s = { .window = { .length = HOUR } };
		struct fl_history *h = NULL;
		struct fail_mem f;
		struct fl_bundle b = gpus(1);

		fail_mem_init(&f);
		f.fail_at = ++n;
		failed = fl_history_new(&f.mem, &s, QUEUES, &h, NULL) < 0;
		for (int i = 0; i < 40 && !failed; i++) {
			fl_time from = START + i * FL_SECOND;

			failed = fl_history_add(h, from + FL_SECOND, from, from + FL_SECOND,
						(uint32_t)i % QUEUES, &b, NULL) < 0;
			if (failed) { /* the same call, with memory: nothing was half done */
				assert_int_equal(fl_history_add(h, from + FL_SECOND, from,
								from + FL_SECOND,
								(uint32_t)i % QUEUES, &b, NULL),
						 0);
			}
		}
		fl_history_free(h);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 3);
}

/* --- carried over ---------------------------------------------------------------------- */

/* Some days of two queues and the cluster, one of them with a sample. */
static void some_days(struct fl_history *h)
{
	struct fl_bundle two = gpus(2);

	hold(h, START, FL_NONE, 16);
	assert_int_equal(fl_history_add(h, START + HOUR, START, START + HOUR, 3, &two, NULL), 0);
	for (int i = 1; i < 60; i++) {
		hold(h, START + i * HOUR, 1, i % 5);
		hold(h, START + i * HOUR, 4, i % 3 ? 1 : 7);
		hold(h, START + i * HOUR, FL_NONE, i % 2 ? 16 : 12);
	}
}

/* Queue 1 is 4 now, 4 is 0, 3 is 2; 0 and 2 are no more. */
static const uint32_t moved[QUEUES] = { FL_NONE, 4, FL_NONE, 2, 0 };

TEST(carried_over)
{
	static const struct {
		const char *name;
		fl_time window, was, is; /* half-lives */
	} lives[] = {
		{ "none", 48 * HOUR, 0, 0 },
		{ "the same", 48 * HOUR, 12 * HOUR, 12 * HOUR },
		{ "shorter", 48 * HOUR, 12 * HOUR, 3 * HOUR },
		{ "none any more", 48 * HOUR, 12 * HOUR, 0 },
		{ "one now", 48 * HOUR, 0, 12 * HOUR },
	};

	for (size_t i = 0; i < COUNT(lives); i++) {
		struct fl_history *from = fresh(&fl_mem_heap, lives[i].window, lives[i].was);
		struct fl_history *want = fresh(&fl_mem_heap, lives[i].window, lives[i].is);
		struct fl_history *h = fresh(&fl_mem_heap, lives[i].window, lives[i].is);

		some_days(from);
		some_days(want);
		hold(h, START + 400 * HOUR, 0, 5); /* of which nothing is left */
		assert_int_equal(fl_history_adopt(h, from, moved, NULL), 0);
		for (int at = 60; at < 120; at += 7) {
			fl_time now = START + at * HOUR;

			for (uint32_t q = 0; q < QUEUES; q++) {
				double is = moved[q] == FL_NONE ? 0 : usage(h, now, moved[q]);
				double was = moved[q] == FL_NONE ? 0 : usage(want, now, q);

				CHECK(lives[i].was == lives[i].is ? is == was : near(is, was),
				      lives[i].name);
			}
			assert_true(usage(h, now, 1) == 0 && usage(h, now, 3) == 0);
		}
		fl_history_free(from);
		fl_history_free(want);
		fl_history_free(h);
	}
}

/* Samples go on where they ended, and time where it was. */
TEST(carried_over_with_its_times)
{
	struct fl_history *from = fresh(&fl_mem_heap, 48 * HOUR, 0);
	struct fl_history *h = fresh(&fl_mem_heap, 48 * HOUR, 0);
	struct fl_bundle two = gpus(2);
	fairlead_error err;

	some_days(from);
	assert_int_equal(fl_history_adopt(h, from, moved, NULL), 0);
	assert_int_equal(fl_history_add(h, START + 70 * HOUR, START + HOUR / 2, START + 2 * HOUR, 2,
					&two, &err),
			 FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "samples of usage are out of order");
	assert_int_equal(fl_history_add(h, START + 70 * HOUR, START + HOUR, START + 2 * HOUR, 2,
					&two, &err),
			 0);
	assert_true(usage(h, START, 4) == usage(h, START + 59 * HOUR, 4));
	fl_history_free(from);
	fl_history_free(h);
}

UNIT_GROUP("history")
