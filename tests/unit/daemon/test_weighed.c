/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals with and without a half-life are what sums of ever more samples go to, from attempts and sums of a store. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "daemon/api/history/weighed_store.h"
#include "daemon/history/tiers.h"
#include "folder.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "store/sums/steps.h"

static const fl_time HOUR = 3600 * FL_SECOND, DAY = 86400 * FL_SECOND;
static const fl_time FIRST = 1769299200 * FL_SECOND; /* 2026-01-25, the beginning of an hour */

enum { GPU, CPU, MEMORY };
enum { ATTEMPTS = 300, QUEUES = 3 };
static const char *const queues[QUEUES] = { "red", "blue", "gone" };

/* --- weights --- */

TEST(weights)
{
	static const struct {
		fl_time from, to, end, half_life;
	} rows[] = {
		{ 0, 3600, 3600, 0 },          { 0, 3600, 3600, 3600 },
		{ 0, 3600, 7200, 3600 },       { 10, 11, 3600, 86400 },
		{ 0, 86400, 86400, 1800 },     { 0, 604800, 604800, 86400 },
		{ 604799, 604800, 604800, 1 }, { 5, 5, 10, 60 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		enum { SAMPLES = 100000 };
		const double width = (double)(rows[i].to - rows[i].from) / SAMPLES;
		double sum = 0;

		for (int k = 0; k < SAMPLES; k++) {
			const double t = (double)rows[i].from + (k + 0.5) * width;

			sum += width * (rows[i].half_life ? exp2(-((double)rows[i].end - t) /
								 (double)rows[i].half_life) :
							    1);
		}
		sum *= 1e9;
		CHECK(fabs(fl_weighed_weight(rows[i].from * FL_SECOND, rows[i].to * FL_SECOND,
					     rows[i].end * FL_SECOND,
					     rows[i].half_life * FL_SECOND) -
			   sum) <= sum * 1e-7,
		      "weight");
	}
	/* A nanosecond of a long half-life is a nanosecond, not the difference of two equal numbers. */
	assert_true(fabs(fl_weighed_weight(0, 1, 1, 365 * DAY) - 1) < 1e-12);
	assert_true(fl_weighed_left(0, HOUR, HOUR) == 0.5);
	assert_true(fl_weighed_left(0, HOUR, 0) == 1);
}

TEST(capacity)
{
	static const struct fl_weighed_capacity rows[] = { { 100, { 8, 64000, 1 } },
							   { 200, { 0, 32000, 1 } },
							   { 300, { 4, 32000, 1 } } };
	static const struct {
		uint32_t resource;
		fl_time from, to, half_life;
		bool known;
		double is;
	} tests[] = {
		{ GPU, 0, 100, 0, false, 0 },
		{ GPU, 0, 101, 0, true, 8 },
		{ GPU, 150, 350, 0, true, 600 },
		{ GPU, 200, 300, 0, true, 0 },
		{ CPU, 250, 1000, 0, true, 24e6 },
		{ GPU, 300, 400, 100, true, 200 / M_LN2 },
		{ GPU, 150, 250, 1, true, 8 / M_LN2 / (1ULL << 50) },
	};

	for (size_t i = 0; i < COUNT(tests); i++) {
		double is;

		assert_int_equal(fl_weighed_capacity(rows, COUNT(rows), tests[i].resource,
						     tests[i].from, tests[i].to, tests[i].to,
						     tests[i].half_life, &is),
				 tests[i].known);
		CHECK(fabs(is - tests[i].is) <= tests[i].is * 1e-12, "capacity");
	}
}

/* --- a past --- */

struct past {
	struct fl_admission_row rows[ATTEMPTS];
	char placements[ATTEMPTS][200];
	int64_t amounts[ATTEMPTS][3];
};

static struct past *make_past(uint64_t seed, fl_time length)
{
	struct fl_random random;
	struct past *p = calloc(1, sizeof *p);

	assert_non_null(p);
	fl_random_init(&random, seed, 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		struct fl_admission_row *row = &p->rows[i];
		const uint64_t longest = (uint64_t)(i % 10 ? 2 * HOUR : 3 * DAY);

		p->amounts[i][GPU] = (int64_t)(fl_random_bits(&random) % 9);
		p->amounts[i][CPU] = (int64_t)(fl_random_bits(&random) % 4000) + 1;
		p->amounts[i][MEMORY] = (int64_t)(fl_random_bits(&random) >> 24);
		(void)snprintf(
			p->placements[i], sizeof p->placements[i],
			"[{\"resource\":\"nvidia.com/gpu\",\"flavor\":\"a\",\"amount\":%lld},"
			"{\"resource\":\"cpu\",\"flavor\":\"a\",\"amount\":%lld},"
			"{\"resource\":\"memory\",\"flavor\":\"a\",\"amount\":%lld}]",
			(long long)p->amounts[i][GPU], (long long)p->amounts[i][CPU],
			(long long)p->amounts[i][MEMORY]);
		*row = (struct fl_admission_row){ .job = (uint64_t)i + 1,
						  .attempt = 1,
						  .queue = queues[fl_random_bits(&random) % QUEUES],
						  .placement = p->placements[i],
						  .ended = "exited" };
		row->waits = row->from = FIRST +
					 (fl_time)(fl_random_bits(&random) % (uint64_t)length);
		row->to = row->from + 1 + (fl_time)(fl_random_bits(&random) % longest);
		if (i % 40 == 0) {
			row->to = FL_TIME_NONE;
			row->ended = NULL;
		}
	}
	return p;
}

static struct fl_store *open_store(struct folder *f)
{
	struct fl_store_options options = { .folder = f->path, .create = true };
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };

	if (access("/dev/shm", W_OK) == 0)
		assert_int_equal(setenv("TMPDIR", "/dev/shm", /* overwrite= */ 1), 0);
	folder_make(f);
	if (fl_store_open(&options, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void put(struct fl_store *s, const struct fl_admission_row *rows, uint32_t n)
{
	const struct fl_batch batch = { .admissions = rows, .n_admissions = n };

	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
}

/* --- answers --- */

struct answer {
	double held[QUEUES];
};

static int see(void *to, const char *queue, double held, fairlead_error *err)
{
	struct answer *a = to;
	int q = 0;

	(void)err;
	while (strcmp(queues[q], queue) != 0)
		q++;
	assert_true(a->held[q] == 0 && held > 0);
	a->held[q] = held;
	return 0;
}

static struct answer ask(struct fl_weighed_past *p, const struct fl_weighed_question *q)
{
	struct answer ret = { 0 };
	fairlead_error err = { 0 };

	if (fl_weighed_past_ask(p, q, see, &ret, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

static struct fl_weighed_past *past_of(struct fl_store *s)
{
	const struct fl_weighed_source source = fl_weighed_source_of(s);
	struct fl_weighed_past *ret = NULL;

	assert_int_equal(fl_weighed_past_new(&source, &ret, NULL), 0);
	return ret;
}

/* As one that has never been asked anything. */
static struct answer ask_anew(struct fl_store *s, const struct fl_weighed_question *q)
{
	struct fl_weighed_past *p = past_of(s);
	struct answer ret = ask(p, q);

	fl_weighed_past_free(p);
	return ret;
}

/* The integral of each attempt in its closed form, added up by itself. */
static struct answer expected(const struct past *p, const struct fl_weighed_question *q)
{
	long double sums[QUEUES] = { 0 };
	struct answer ret;

	for (int i = 0; i < ATTEMPTS; i++) {
		const struct fl_admission_row *a = &p->rows[i];
		const fl_time from = a->from > q->from ? a->from : q->from;
		const fl_time to = a->to != FL_TIME_NONE && a->to < q->to ? a->to : q->to;
		const long double h = (long double)q->half_life;
		int k = 0;

		while (strcmp(queues[k], a->queue) != 0)
			k++;
		if (from >= to)
			continue;
		sums[k] += (long double)p->amounts[i][q->resource] *
			   (q->half_life ? h / M_LN2l *
						   (exp2l(-(long double)(q->now - to) / h) -
						    exp2l(-(long double)(q->now - from) / h)) :
					   (long double)(to - from));
	}
	for (int k = 0; k < QUEUES; k++)
		ret.held[k] = (double)sums[k];
	return ret;
}

/* What a Prometheus would have: samples @each apart, the last one at the end. */
static struct answer sampled(const struct past *p, const struct fl_weighed_question *q,
			     fl_time each)
{
	struct answer ret = { 0 };

	for (fl_time t = q->to; t > q->from; t -= each) {
		const double w = q->half_life ? exp2(-(double)(q->now - t) / (double)q->half_life) :
						1;

		for (int i = 0; i < ATTEMPTS; i++) {
			const struct fl_admission_row *a = &p->rows[i];
			int k = 0;

			while (strcmp(queues[k], a->queue) != 0)
				k++;
			if (a->from < t && (a->to == FL_TIME_NONE || t <= a->to))
				ret.held[k] += (double)p->amounts[i][q->resource] * w *
					       (double)each;
		}
	}
	return ret;
}

static struct fl_weighed_question question(struct fl_random *random, fl_time length)
{
	static const fl_time half_lives[] = { 0, 37, 3600, 86400 };
	const fl_time a = FIRST + (fl_time)(fl_random_bits(random) % (uint64_t)length);
	const fl_time b = FIRST + (fl_time)(fl_random_bits(random) % (uint64_t)length);
	struct fl_weighed_question q = {
		.resource = (uint32_t)(fl_random_bits(random) % 3),
		.from = a < b ? a : b,
		.to = a < b ? b : a,
		.half_life = half_lives[fl_random_bits(random) % COUNT(half_lives)] * FL_SECOND,
	};

	if (fl_random_bits(random) % 4 == 0) /* on hours */
		q.from -= q.from % HOUR;
	q.now = q.to - q.to % FL_SECOND;
	return q;
}

static void check_near(const struct answer *is, const struct answer *want, double within)
{
	for (int k = 0; k < QUEUES; k++)
		CHECK(fabs(is->held[k] - want->held[k]) <= want->held[k] * within + 1e-6,
		      queues[k]);
}

static void check_same(const struct answer *a, const struct answer *b)
{
	assert_memory_equal(a, b, sizeof *a);
}

/* Whatever was asked before: the closed form, and to the last bit what one gets that was never asked. */
TEST(exact_and_always_the_same)
{
	struct past *p = make_past(1, 6 * DAY);
	struct folder f;
	struct fl_store *s = open_store(&f);
	struct fl_weighed_past *kept = past_of(s);
	struct fl_random random;

	put(s, p->rows, ATTEMPTS);
	fl_random_init(&random, 7, 0);
	for (uint32_t i = 0; i < few(400); i++) {
		const struct fl_weighed_question q = question(&random, 8 * DAY);
		const struct answer is = ask(kept, &q), anew = ask_anew(s, &q);
		const struct answer want = expected(p, &q);

		check_near(&is, &want, 1e-12);
		check_same(&is, &anew);
	}
	fl_weighed_past_free(kept);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* The more often samples are taken, the nearer is their sum. */
TEST(samples_go_there)
{
	static const fl_time half_lives[] = { 0, 3600, 86400 };
	struct past *p = make_past(2, 2 * DAY);
	struct folder f;
	struct fl_store *s = open_store(&f);

	put(s, p->rows, ATTEMPTS);
	for (size_t i = 0; i < COUNT(half_lives); i++) {
		const struct fl_weighed_question q = { .resource = CPU,
						       .from = FIRST + 12345678901,
						       .to = FIRST + 2 * DAY + 987654321,
						       .half_life = half_lives[i] * FL_SECOND,
						       .now = FIRST + 2 * DAY };
		const struct answer is = ask_anew(s, &q);
		const struct answer coarse = sampled(p, &q, 60 * FL_SECOND);
		const struct answer fine = sampled(p, &q, FL_SECOND);

		check_near(&coarse, &is, 2e-2);
		check_near(&fine, &is, 4e-4);
	}
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* Attempts in another order are the same sum, to the last bit. */
TEST(in_any_order)
{
	struct past *p = make_past(3, 3 * DAY);
	struct answer last = { 0 };

	for (int turn = 0; turn < 4; turn++) {
		const struct fl_weighed_question q = { .resource = MEMORY,
						       .from = FIRST + 5,
						       .to = FIRST + 3 * DAY + 5,
						       .half_life = 3600 * FL_SECOND,
						       .now = FIRST + 3 * DAY };
		struct folder f;
		struct fl_store *s = open_store(&f);
		struct answer is;

		for (uint32_t i = 0; i < ATTEMPTS; i++) {
			const uint32_t at = (i * 7 + (uint32_t)turn * 31) % ATTEMPTS;
			struct fl_admission_row row = p->rows[at];

			row.job = turn % 2 ? row.job :
					     1000 - row.job; /* another order in the index, too */
			put(s, &row, 1);
		}
		is = ask_anew(s, &q);
		if (turn)
			check_same(&is, &last);
		last = is;
		(void)fl_store_close(s);
		folder_gone(&f);
	}
	free(p);
}

/* What is told late, of hours that are kept already, counts at once. */
TEST(told_late)
{
	struct past *p = make_past(4, 4 * DAY);
	struct folder f;
	struct fl_store *s = open_store(&f);
	struct fl_weighed_past *kept = past_of(s);
	struct fl_weighed_question q = { .resource = GPU,
					 .from = FIRST,
					 .to = FIRST + 5 * DAY,
					 .half_life = DAY,
					 .now = FIRST + 5 * DAY };
	struct answer is, want;

	for (uint32_t i = 0; i < ATTEMPTS; i += 10) {
		struct fl_admission_row open[10];

		/* Each is there while it goes on, and is asked for. */
		memcpy(open, p->rows + i, sizeof open);
		for (int k = 0; k < 10; k++) {
			open[k].to = FL_TIME_NONE;
			open[k].ended = NULL;
		}
		put(s, open, 10);
		(void)ask(kept, &q);
		put(s, p->rows + i, 10);
		is = ask(kept, &q);
		want = ask_anew(s, &q);
		/* The one that is asked anew may have taken what has changed. */
		check_same(&is, &want);
	}
	want = expected(p, &q);
	check_near(&is, &want, 1e-12);
	assert_int_equal(fl_store_holdings_changed(s), FL_NEVER);
	fl_weighed_past_free(kept);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* --- from sums --- */

static const struct fl_hour_node nodes[] = {
	{ "company", FL_NONE, 1, false },
	{ "red", 0, 1, true },
	{ "blue", 0, 3, true },
};
static const char *const resources[] = { "cpu", "memory" };
static const double nominal[] = { 0, 0, 4000, 1e12, 4000, 1e12 };

static void sum_up(struct fl_store *s, fl_time now)
{
	const struct fl_tiers_work w = {
		.look = { .tree = { nodes, resources, nominal, NULL, 3, 2 },
			  .now = now,
			  .wall = now,
			  .applied = FL_NEVER,
			  .version = 5 },
		.cut = FL_TIME_NONE,
	};
	fairlead_error err = { 0 };
	int r;

	while ((r = fl_tiers_step(s, &w, &err)) > 0)
		;
	if (r < 0)
		fail_msg("%s", err.text);
}

static void forget(struct fl_store *s, fl_time before)
{
	const struct fl_retention keep = { .events_before = 0,
					   .usage_before = before,
					   .jobs_before = 0,
					   .hours_before = 0,
					   .days_before = 0 };
	fairlead_error err = { 0 };
	int r;

	while ((r = fl_store_expire(s, &keep, &err)) > 0)
		;
	if (r < 0)
		fail_msg("%s", err.text);
}

static void check_within(const struct answer *is, const struct answer *want, double factor)
{
	for (int k = 0; k < QUEUES; k++)
		CHECK(is->held[k] >= want->held[k] / factor - 1e-6 &&
			      is->held[k] <= want->held[k] * factor + 1e-6,
		      queues[k]);
}

/* Without a half-life what hours say is exact at their ends; with one each is off by its length at most. */
TEST(from_sums)
{
	static const fl_time half_lives[] = { 0, 3600, 86400 };
	struct past *p = make_past(5, 9 * DAY); /* over the end of a month */
	struct folder f;
	struct fl_store *s = open_store(&f);
	struct fl_weighed_past *kept = past_of(s);
	struct fl_tier_ends ends;

	put(s, p->rows, ATTEMPTS);
	sum_up(s, FIRST + 10 * DAY + HOUR);
	forget(s, FIRST + 5 * DAY);
	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	assert_true(ends.exact > FIRST + 4 * DAY && ends.exact <= FIRST + 5 * DAY);
	for (int turn = 0; turn < 40; turn++)
		for (size_t i = 0; i < COUNT(half_lives); i++) {
			struct fl_weighed_question q = {
				.resource = turn % 2 ? CPU : MEMORY,
				.from = FIRST + turn * 4 * HOUR,
				.to = FIRST + 9 * DAY + turn,
				.half_life = half_lives[i] * FL_SECOND,
				.now = FIRST + 9 * DAY,
			};
			const struct answer want = expected(p, &q);
			const struct answer is = ask(kept, &q), anew = ask_anew(s, &q);

			check_same(&is, &anew);
			if (q.half_life)
				check_within(&is, &want, exp2((double)HOUR / (double)q.half_life));
			else
				check_near(&is, &want, 1e-12);
			/* Within an hour: its part by length, so no more than the hour itself is in question. */
			q.from += HOUR / 3;
			if (!q.half_life && q.from < ends.exact) {
				const struct answer cut = ask(kept, &q);

				for (int k = 0; k < QUEUES; k++)
					CHECK(cut.held[k] <= is.held[k], queues[k]);
			}
		}
	fl_weighed_past_free(kept);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* A window of a thousand years costs no memory for hours in which nothing was. */
TEST(long_windows)
{
	struct past *p = make_past(6, DAY);
	struct folder f;
	struct fl_store *s = open_store(&f);
	const struct fl_weighed_question q = { .resource = CPU,
					       .from = FL_TIME_NONE,
					       .to = FL_NEVER / 2,
					       .half_life = 0,
					       .now = FL_NEVER / 2 };
	struct answer is, want;

	put(s, p->rows, ATTEMPTS);
	is = ask_anew(s, &q);
	want = expected(p, &q);
	check_near(&is, &want, 1e-12);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* --- room --- */

enum { MANY = 2000, MANY_DAYS = 12 };

struct crowd {
	size_t before, most; /* bytes of the heap in use */
};

static int since_always(void *user, fl_time *ret_first, fl_time *ret_exact, fairlead_error *err)
{
	(void)user;
	(void)err;
	*ret_first = *ret_exact = FIRST - MANY_DAYS * DAY;
	return 0;
}

/* Each of many queues held a GPU in each hour. */
static int crowded(void *user, fl_time from, fl_time to, fl_weighed_attempt_fn *fn, void *to_whom,
		   fairlead_error *err)
{
	struct crowd *c = user;
	struct fl_admission_row row = {
		.job = 1,
		.attempt = 1,
		.placement = "[{\"resource\":\"nvidia.com/gpu\",\"flavor\":\"a\",\"amount\":1}]",
	};
	char name[16];
	int r = 0;

	row.queue = name;
	for (int i = 0; i < MANY && r == 0; i++) {
		(void)snprintf(name, sizeof name, "q%d", i);
		row.from = from;
		row.to = to;
		r = fn(to_whom, &row, err);
	}
	c->most = mallinfo2().uordblks > c->most ? mallinfo2().uordblks : c->most;
	return r;
}

static fl_time never_changed(void *user)
{
	(void)user;
	return FL_NEVER;
}

static int count_queue(void *to, const char *queue, double held, fairlead_error *err)
{
	(void)queue;
	(void)err;
	*(uint32_t *)to += fabs(held - (double)MANY_DAYS * 24 * 3600 * FL_SECOND) < 1e-6 * held;
	return 0;
}

/* The first question with a half-life takes no more room than those behind it, however many queues there were. */
TEST(room_at_first)
{
	struct crowd c = { .before = mallinfo2().uordblks };
	const struct fl_weighed_source source = {
		.user = &c, .since = since_always, .attempts = crowded, .changed = never_changed
	};
	const struct fl_weighed_question q = {
		.resource = GPU, .from = FIRST - MANY_DAYS * DAY, .to = FIRST, .now = FIRST
	};
	struct fl_weighed_past *p;
	uint32_t n = 0;

	if (under_valgrind())
		skip(); /* its heap is not the one that is looked at */
	assert_int_equal(fl_weighed_past_new(&source, &p, NULL), 0);
	assert_int_equal(fl_weighed_past_ask(p, &q, count_queue, &n, NULL), 0);
	assert_int_equal(n, MANY);
	/* A day more, while it is found out, and names. */
	assert_true(c.most - c.before < FL_WEIGHED_BYTES + FL_WEIGHED_BYTES / 4);
	fl_weighed_past_free(p);
}

UNIT_GROUP("weighed")
