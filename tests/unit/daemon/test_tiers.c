/* SPDX-License-Identifier: Apache-2.0 */
/* What is summed up hour by hour is what the admissions say, whatever the clock and kills do. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/time.h"
#include "daemon/history/tiers.h"
#include "folder.h"
#include "lib/few.h"
#include "lib/unit.h"

static const fl_time HOUR = 3600 * FL_SECOND, DAY = 86400 * FL_SECOND;
/* 2026-01-25, in the daemon's time and on the wall. */
static const fl_time FIRST = 1769299200 * FL_SECOND;

/* --- a tree: two queues that borrow from each other --- */

static const struct fl_hour_node nodes[] = {
	{ "company", FL_NONE, 1, false },
	{ "red", 0, 1, true },
	{ "blue", 0, 3, true },
};
static const char *const resources[] = { "cpu", "memory" };
static const double nominal[] = { 0, 0, 4000, 1e12, 4000, 1e12 };

static struct fl_tiers_work work_at(fl_time now, fl_time wall)
{
	return (struct fl_tiers_work){
		.look = { .tree = { nodes, resources, nominal, NULL, 3, 2 },
			  .now = now,
			  .wall = wall,
			  .applied = FL_NEVER,
			  .version = 5 },
		.cut = FL_TIME_NONE,
	};
}

/* --- a random history --- */

enum { ADMISSIONS = 400, QUEUES = 3 };
static const char *const queues[QUEUES] = { "red", "blue", "gone" };

struct past {
	struct fl_admission_row rows[ADMISSIONS];
	char placements[ADMISSIONS][160];
	int64_t cpu[ADMISSIONS], memory[ADMISSIONS];
};

static struct past *make_past(uint64_t seed, fl_time length)
{
	struct fl_random random;
	struct past *p = calloc(1, sizeof *p);

	assert_non_null(p);
	fl_random_init(&random, seed, 0);
	for (int i = 0; i < ADMISSIONS; i++) {
		struct fl_admission_row *row = &p->rows[i];
		const fl_time waits = FIRST + (fl_time)(fl_random_bits(&random) % (uint64_t)length);
		const uint64_t longest = (uint64_t)(i % 10 ? 2 * HOUR : 10 * DAY);

		p->cpu[i] = (int64_t)(fl_random_bits(&random) % 4000) + 1;
		p->memory[i] = (int64_t)(fl_random_bits(&random) >> 20);
		(void)snprintf(p->placements[i], sizeof p->placements[i],
			       "[{\"resource\":\"cpu\",\"flavor\":\"a\",\"amount\":%lld},"
			       "{\"resource\":\"memory\",\"flavor\":\"a\",\"amount\":%lld}]",
			       (long long)p->cpu[i], (long long)p->memory[i]);
		*row = (struct fl_admission_row){ .job = (uint64_t)i + 1,
						  .attempt = 1,
						  .queue = queues[fl_random_bits(&random) % QUEUES],
						  .waits = waits,
						  .placement = p->placements[i] };
		row->from = waits + (fl_time)(fl_random_bits(&random) % (uint64_t)HOUR);
		row->to = row->from + 1 + (fl_time)(fl_random_bits(&random) % longest);
		row->ended = i % 3 ? "exited" : "preempted";
		if (i % 50 == 0) {
			row->to = FL_TIME_NONE;
			row->ended = NULL;
		}
	}
	return p;
}

/* In memory where that can be: a kill does not care, and a sync takes no time. */
static void begin(struct folder *f)
{
	if (access("/dev/shm", W_OK) == 0)
		assert_int_equal(setenv("TMPDIR", "/dev/shm", /* overwrite= */ 1), 0);
	folder_make(f);
}

static struct fl_store *open_store(const char *folder)
{
	struct fl_store_options options = { .folder = folder, .create = true };
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };

	if (fl_store_open(&options, &s, &err) < 0)
		fail_msg("%s", err.text);
	return s;
}

static void put_past(struct fl_store *s, const struct past *p)
{
	const struct fl_batch batch = { .admissions = p->rows, .n_admissions = ADMISSIONS };

	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
}

static void step(struct fl_store *s, fl_time now, fl_time wall)
{
	const struct fl_tiers_work w = work_at(now, wall);
	fairlead_error err = { 0 };
	int r;

	while ((r = fl_tiers_step(s, &w, &err)) > 0)
		;
	if (r < 0)
		fail_msg("%s", err.text);
}

/* --- what it comes to --- */

struct sums {
	fl_nanos cpu[QUEUES], memory[QUEUES], waiting[QUEUES], waited[QUEUES];
	uint64_t started[QUEUES], preempted[QUEUES];
	fl_nanos borrowed, lent, entitled;
};

static fl_nanos overlap(fl_time a, fl_time b, fl_time from, fl_time to)
{
	a = a > from ? a : from;
	b = b == FL_TIME_NONE || b > to ? to : b;
	return b > a ? b - a : 0;
}

/* Row by row, without any hour. */
static struct sums expected(const struct past *p, fl_time from, fl_time to)
{
	struct sums ret = { 0 };

	for (int i = 0; i < ADMISSIONS; i++) {
		const struct fl_admission_row *a = &p->rows[i];
		int q = 0;

		while (strcmp(queues[q], a->queue) != 0)
			q++;
		ret.cpu[q] += p->cpu[i] * overlap(a->from, a->to, from, to);
		ret.memory[q] += p->memory[i] * overlap(a->from, a->to, from, to);
		ret.waiting[q] += p->cpu[i] * overlap(a->waits, a->from, from, to);
		if (a->from >= from && a->from < to) {
			ret.started[q]++;
			ret.waited[q] += a->from - a->waits;
		}
		ret.preempted[q] += a->ended && strcmp(a->ended, "preempted") == 0 &&
				    a->to >= from && a->to < to;
	}
	return ret;
}

static int queue_at(const char *name)
{
	int q = 0;

	while (strcmp(queues[q], name) != 0)
		q++;
	return q;
}

static int see_amount(void *user, const struct fl_amount_sum *row, fairlead_error *err)
{
	struct sums *s = user;
	const int q = queue_at(row->queue);

	(void)err;
	if (strcmp(row->resource, "cpu") != 0) {
		s->memory[q] = row->of[FL_SUM_HELD];
		return 0;
	}
	s->cpu[q] = row->of[FL_SUM_HELD];
	s->waiting[q] = row->of[FL_SUM_WAITING];
	s->borrowed += row->of[FL_SUM_BORROWED];
	s->lent += row->of[FL_SUM_LENT];
	s->entitled += row->of[FL_SUM_ENTITLED];
	return 0;
}

static int see_queue(void *user, const struct fl_queue_sum *row, fairlead_error *err)
{
	struct sums *s = user;
	const int q = queue_at(row->queue);

	(void)err;
	s->started[q] = row->started;
	s->preempted[q] = row->preempted;
	s->waited[q] = row->waited;
	return 0;
}

static struct sums read_sums(struct fl_store *s, fl_time from, fl_time to,
			     struct fl_tier_told *told)
{
	struct sums ret = { 0 };
	const struct fl_sum_reader reader = { NULL, see_amount, see_queue, &ret };
	fairlead_error err = { 0 };

	if (fl_store_sums(s, from, to, &reader, told, &err) < 0)
		fail_msg("%s", err.text);
	return ret;
}

/* All from the first admission to where the sums end. */
static void check_whole(struct fl_store *s, const struct past *p)
{
	struct fl_tier_ends ends;
	struct fl_tier_told told;
	struct sums is, was;

	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	is = read_sums(s, ends.first, ends.last.until, &told);
	was = expected(p, ends.first, ends.last.until);
	assert_int_equal(told.error, 0);
	for (int q = 0; q < QUEUES; q++) {
		CHECK(is.cpu[q] == was.cpu[q], queues[q]);
		CHECK(is.memory[q] == was.memory[q], queues[q]);
		CHECK(is.waiting[q] == was.waiting[q], queues[q]);
		CHECK(is.waited[q] == was.waited[q], queues[q]);
		assert_int_equal(is.started[q], was.started[q]);
		assert_int_equal(is.preempted[q], was.preempted[q]);
	}
}

/* A database that had admissions and no sums is summed up from its first moment on. */
TEST(from_the_beginning)
{
	const int days = under_valgrind() ? 2 : 20;
	const fl_time now = FIRST + (days + 11) * DAY + 10 * HOUR;
	struct folder f;
	struct past *p = make_past(1, days * DAY);
	struct fl_tier_ends ends;
	struct fl_store *s;

	begin(&f);
	s = open_store(f.path);
	put_past(s, p);
	step(s, now, now);
	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	assert_int_equal(ends.hour.until, now - HOUR);
	check_whole(s, p);
	/* Nothing is over since. */
	step(s, now, now);
	check_whole(s, p);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* Hours, parts and a clock that goes back and forth over the end of a month: nothing counts twice. */
TEST(clock_steps)
{
	static const int64_t minutes[] = { 0, 20, -30, 10, 60 * 24 * 31, -60 * 24 * 45, 3, 0 };
	const int days = under_valgrind() ? 3 : 9;
	struct folder f;
	struct past *p = make_past(2, days * DAY);
	fl_time now = FIRST, offset = 0;
	struct fl_tier_ends ends;
	struct fl_store *s;

	begin(&f);
	s = open_store(f.path);
	put_past(s, p);
	for (int i = 0; i < days * 24 * 3; i++) {
		now += 20 * 60 * FL_SECOND + i * FL_SECOND;
		if (i % 7 == 0) /* among others around 2026-01-31 24:00 */
			offset = minutes[(i / 7) % 8] * 60 * FL_SECOND;
		step(s, now, now + offset);
	}
	check_whole(s, p);
	assert_int_equal(fl_store_tier_ends(s, &ends, NULL), 0);
	assert_true(now - ends.last.until < HOUR);
	(void)fl_store_close(s);
	folder_gone(&f);
	free(p);
}

/* --- months --- */

struct months {
	uint32_t n;
	fl_time until[8];
};

static int see_month(void *user, const struct fl_closing *c, fairlead_error *err)
{
	struct months *m = user;

	(void)err;
	if (c->tier == FL_TIER_MONTH && m->n < 8)
		m->until[m->n++] = c->until;
	return 0;
}

static struct months months_of(struct fl_store *s)
{
	struct months ret = { 0 };
	const struct fl_sum_reader reader = { see_month, NULL, NULL, &ret };
	const struct fl_series_filter filter = {
		.queue = "red", .to = FL_NEVER, .step = FL_TIER_MONTH, .limit = 100
	};
	fl_time more;

	assert_int_equal(fl_store_series(s, &filter, &reader, &more, NULL), 0);
	return ret;
}

/* A month ends where the wall clock in UTC says so. */
TEST(months_of_the_wall)
{
	static const fl_time offsets[] = { 0, 1234567 * FL_SECOND, -99 * FL_SECOND };
	const int days = under_valgrind() ? 8 : 55; /* the end of a month, or of two */

	for (size_t i = under_valgrind() ? COUNT(offsets) - 1 : 0; i < COUNT(offsets); i++) {
		struct folder f;
		struct past *p = make_past(3, DAY);
		struct months m;
		struct fl_store *s;
		char text[40];

		begin(&f);
		s = open_store(f.path);
		put_past(s, p);
		for (int day = 1; day <= days; day++)
			step(s, FIRST + day * DAY, FIRST + day * DAY + offsets[i]);
		m = months_of(s);
		assert_int_equal(m.n, under_valgrind() ? 1 : 2);
		for (uint32_t k = 0; k < m.n; k++) {
			(void)fl_time_format(text, m.until[k] + offsets[i]);
			CHECK(strcmp(text + 7, "-01T00:00:00Z") == 0, text);
		}
		check_whole(s, p);
		(void)fl_store_close(s);
		folder_gone(&f);
		free(p);
	}
}

/* --- borrowed, lent, entitled --- */

TEST(who_lends)
{
	static const struct fl_admission_row row = {
		.job = 1,
		.attempt = 1,
		.queue = "red",
		.waits = 1769299200 * FL_SECOND,
		.from = 1769299200 * FL_SECOND,
		.to = FL_TIME_NONE,
		.placement = "[{\"resource\":\"cpu\",\"flavor\":\"a\",\"amount\":7000}]",
	};
	const struct fl_batch batch = { .admissions = &row, .n_admissions = 1 };
	const fl_nanos hour = (fl_nanos)HOUR;
	struct fl_tier_told told;
	struct sums is;
	struct folder f;
	struct fl_store *s;

	begin(&f);
	s = open_store(f.path);
	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
	step(s, FIRST + 3 * HOUR + 60 * FL_SECOND, FIRST + 3 * HOUR + 60 * FL_SECOND);
	is = read_sums(s, FIRST, FIRST + HOUR, &told);
	assert_true(is.cpu[0] == 7000 * hour);
	assert_true(is.borrowed == 3000 * hour);
	assert_true(is.lent == 3000 * hour);
	assert_true(is.entitled == 7000 * hour);
	(void)fl_store_close(s);
	folder_gone(&f);
}

/* A configuration changed while a job was pending, which began before that was summed up. */
TEST(begun_behind_a_cut)
{
	const fl_time waits = FIRST + 60 * FL_SECOND, cut = waits + 10 * FL_SECOND;
	const struct fl_admission_row row = {
		.job = 1,
		.attempt = 1,
		.queue = "red",
		.waits = waits,
		.from = cut + 8 * FL_SECOND,
		.to = FL_TIME_NONE,
		.placement = "[{\"resource\":\"cpu\",\"flavor\":\"a\",\"amount\":1000}]",
	};
	const struct fl_batch batch = { .admissions = &row, .n_admissions = 1 };
	struct fl_hours_waiting pending = { "red", "cpu", waits, 1000 };
	struct fl_tiers_work w = work_at(cut, cut);
	struct fl_tier_told told;
	struct folder f;
	struct fl_store *s;
	struct sums is;

	begin(&f);
	s = open_store(f.path);
	step(s, waits, waits); /* sums begin */
	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
	w.look.pending = &pending;
	w.look.n_pending = 1;
	w.look.applied = w.cut = cut;
	while (fl_tiers_step(s, &w, NULL) > 0)
		;
	is = read_sums(s, waits, cut, &told);
	assert_true(is.waiting[0] == (fl_nanos)10 * FL_SECOND * 1000);
	assert_int_equal(is.started[0], 0);
	/* What follows has the rest of its wait, and its start. */
	step(s, FIRST + HOUR + 60 * FL_SECOND, FIRST + HOUR + 60 * FL_SECOND);
	is = read_sums(s, waits, FIRST + HOUR, &told);
	assert_true(is.waiting[0] == (fl_nanos)18 * FL_SECOND * 1000);
	assert_int_equal(is.started[0], 1);
	(void)fl_store_close(s);
	folder_gone(&f);
}

/* --- kills --- */

enum { KILLS = 200 };

/* Sums up and drops as time goes by, until it is killed or done. */
static void go_on(const char *folder)
{
	struct fl_store *s = open_store(folder);
	struct fl_tier_ends ends;

	if (fl_store_tier_ends(s, &ends, NULL) < 0)
		_exit(1);
	for (fl_time now = ends.last.tier == FL_TIERS ? FIRST : ends.last.until;
	     now < FIRST + (under_valgrind() ? 4 : 12) * DAY; now += 25 * 60 * FL_SECOND) {
		const struct fl_tiers_work w = work_at(now, now);
		const struct fl_retention keep = { .usage_before = now - 2 * HOUR,
						   .hours_before = now - DAY,
						   .days_before = now - 3 * DAY };

		if (fl_tiers_step(s, &w, NULL) < 0 || fl_store_expire(s, &keep, NULL) < 0)
			_exit(2);
	}
	(void)fl_store_close(s);
	_exit(0);
}

/* Killed between any two steps of summing up and dropping: what is left is what it was. */
TEST(killed)
{
	struct fl_random random;
	struct past *p = make_past(4, 11 * DAY);
	struct folder f;
	struct fl_store *s;
	int status = 1, killed = 0;

	fl_random_init(&random, 7, 0);
	begin(&f);
	s = open_store(f.path);
	put_past(s, p);
	(void)fl_store_close(s);
	for (int i = 0; killed < (int)few(KILLS) || status != 0; i++) {
		const bool last = killed >= (int)few(KILLS);
		pid_t pid = fork();

		assert_true(pid >= 0 && i < 100 * KILLS);
		if (pid == 0)
			go_on(f.path);
		if (!last) {
			(void)usleep((unsigned)(fl_random_bits(&random) % 20000));
			(void)kill(pid, SIGKILL);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!last && WIFEXITED(status))
			break; /* it is faster than the kills */
		killed += WIFSIGNALED(status);
	}
	assert_int_equal(status, 0);
	s = open_store(f.path);
	check_whole(s, p);
	assert_null(fl_store_close(s));
	assert_int_equal(fl_store_verify(f.path, NULL), 0);
	folder_gone(&f);
	free(p);
	print_message("# %d kills\n", killed);
}

UNIT_GROUP("tiers")
