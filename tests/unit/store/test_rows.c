/* SPDX-License-Identifier: Apache-2.0 */
/* What is committed is read again, by every filter; no statement looks at all rows to find few. */
#include <math.h>

#include "lib/unit.h"
#include "store/open.h"
#include "world.h"

TEST(batches)
{
	struct fl_store_end end;
	struct fl_batch quiet = { .wall = 99, .boot = 99 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	world_check(s, 0);
	assert_int_equal(fl_store_end(s, &end, NULL), 0);
	assert_int_equal(end.at + end.wall + end.boot, 0);
	for (uint64_t i = 1; i <= 50; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	world_check(s, 50);
	/* The clock of a batch without rows fits no row. */
	assert_int_equal(fl_store_commit(s, &quiet, NULL), 0);
	s = fl_store_close(s);
	s = world_open(&w);
	world_check(s, 50);
	assert_int_equal(fl_store_end(s, &end, NULL), 0);
	assert_int_equal(end.at, 50 * FL_SECOND);
	assert_int_equal(end.wall, 50 * FL_SECOND + 5);
	assert_int_equal(end.boot, 7);
	assert_string_equal(end.boot_id, "this-boot");
	(void)fl_store_close(s);
	world_end(&w);
}

/* Rows that do not follow are a mistake, which changes nothing. */
TEST(out_of_order)
{
	static const uint64_t rows[] = { 0, 1, 3, 5, UINT64_MAX };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(world_commit(s, 1, NULL), 0);
	assert_int_equal(world_commit(s, 2, NULL), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (rows[i] == 3)
			continue;
		assert_int_equal(world_commit(s, rows[i], &err), FAIRLEAD_ESTATE);
		CHECK(strstr(err.text, "cannot follow row 2"), err.text);
		world_check(s, 2);
	}
	assert_int_equal(world_commit(s, 3, NULL), 0);
	world_check(s, 3);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- jobs --- */

static const struct fl_job_row jobs[] = {
	{ .id = 1,
	  .state = FL_JOB_RUNS,
	  .uid = 1,
	  .user = "ann",
	  .name = "a",
	  .queue = "red",
	  .spec = "{1}",
	  .submitted = 10,
	  .started = 11,
	  .ended = FL_TIME_NONE,
	  .attempt = 1,
	  .outcome = -1,
	  .placement = "[]" },
	{ .id = 2,
	  .state = FL_JOB_DONE,
	  .uid = 2,
	  .user = "bob",
	  .name = "b",
	  .queue = "red",
	  .spec = "{2}",
	  .submitted = 12,
	  .started = 13,
	  .ended = 20,
	  .attempt = 2,
	  .evictions = 1,
	  .losses = 3,
	  .ran = 7,
	  .outcome = FL_RUN_EXITED,
	  .reason = "exited" },
	{ .id = 3,
	  .state = FL_JOB_WAITS,
	  .uid = 1,
	  .user = "ann",
	  .name = "c",
	  .queue = "blue",
	  .array = 3,
	  .priority = -5,
	  .spec = "{3}",
	  .submitted = 14,
	  .started = FL_TIME_NONE,
	  .ended = FL_TIME_NONE,
	  .outcome = -1 },
	{ .id = 4,
	  .state = FL_JOB_HELD,
	  .uid = 1,
	  .user = "ann",
	  .name = "c",
	  .queue = "blue",
	  .array = 3,
	  .spec = "{4}",
	  .submitted = 14,
	  .started = FL_TIME_NONE,
	  .ended = FL_TIME_NONE,
	  .held = true,
	  .outcome = -1 },
	{ .id = 5,
	  .state = FL_JOB_FAILED,
	  .uid = 2,
	  .user = "bob",
	  .name = "d",
	  .queue = "blue",
	  .spec = "{5}",
	  .submitted = 15,
	  .started = 16,
	  .ended = 30,
	  .attempt = 1,
	  .outcome = FL_RUN_SIGNALLED,
	  .status = 9 },
};

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void check_job(const struct fl_job_row *a, const struct fl_job_row *b, bool spec)
{
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->uid, b->uid);
	assert_string_equal(a->user, b->user);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->queue, b->queue);
	assert_int_equal(a->array, b->array);
	assert_int_equal(a->priority, b->priority);
	assert_true(same_text(a->spec, spec ? b->spec : NULL));
	assert_int_equal(a->submitted, b->submitted);
	assert_int_equal(a->started, b->started);
	assert_int_equal(a->ended, b->ended);
	assert_int_equal(a->attempt, b->attempt);
	assert_int_equal(a->evictions, b->evictions);
	assert_int_equal(a->losses, b->losses);
	assert_int_equal(a->ran, b->ran);
	assert_int_equal(a->held, b->held);
	assert_int_equal(a->outcome, b->outcome);
	assert_int_equal(a->status, b->status);
	assert_true(same_text(a->placement, b->placement));
	assert_true(same_text(a->reason, b->reason));
}

struct seen {
	char text[256]; /* numbers in their order */
	const struct fl_job_row *rows;
	bool without_spec;
};

static void note(struct seen *seen, uint64_t number)
{
	size_t n = strlen(seen->text);

	(void)snprintf(seen->text + n, sizeof seen->text - n, "%llu ", (unsigned long long)number);
}

static int see_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct seen *seen = user;

	(void)err;
	if (seen->rows)
		check_job(row, &seen->rows[row->id - 1], !seen->without_spec);
	note(seen, row->id);
	return 0;
}

static void put_jobs(struct fl_store *s)
{
	struct fl_journal_row journal = { .seq = 1, .kind = FL_JOURNAL_SUBMIT };
	struct fl_batch batch = {
		.journal = &journal, .n_journal = 1, .new_jobs = jobs, .n_new_jobs = COUNT(jobs)
	};
	fairlead_error err = { 0 };

	if (fl_store_commit(s, &batch, &err) != 0)
		fail_msg("%s", err.text);
}

TEST(job_filters)
{
	static const struct {
		struct fl_job_filter filter;
		const char *want;
	} rows[] = {
		{ { 0 }, "1 2 3 4 5 " },
		{ { .newest_first = true }, "5 4 3 2 1 " },
		{ { .limit = 2 }, "1 2 " },
		{ { .limit = 2, .newest_first = true }, "5 4 " },
		{ { .after = 3 }, "4 5 " },
		{ { .after = 5 }, "" },
		{ { .user = "ann" }, "1 3 4 " },
		{ { .user = "ann", .newest_first = true, .limit = 2 }, "4 3 " },
		{ { .user = "an" }, "" },
		{ { .queue = "red" }, "1 2 " },
		{ { .queue = "blue", .newest_first = true }, "5 4 3 " },
		{ { .queue = "blue", .user = "bob" }, "5 " },
		{ { .array = 3 }, "3 4 " },
		{ { .array = 3, .newest_first = true, .user = "ann" }, "4 3 " },
		{ { .array = 3, .states = 1u << FL_JOB_HELD }, "4 " },
		{ { .states = (1u << FL_JOB_DONE) - 1 }, "1 3 4 " },
		{ { .states = (1u << FL_JOB_DONE) - 1, .newest_first = true }, "4 3 1 " },
		{ { .states = 1u << FL_JOB_WAITS, .queue = "blue" }, "3 " },
		{ { .states = 1u << FL_JOB_DONE | 1u << FL_JOB_RUNS }, "1 2 " },
		{ { .states = 1u << FL_JOB_CANCELLED }, "" },
		{ { .ended_after = 20 }, "5 " },
		{ { .ended_after = 19, .user = "bob" }, "2 5 " },
		{ { .without_spec = true }, "1 2 3 4 5 " },
	};
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_jobs(s);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct seen seen = { .rows = jobs, .without_spec = rows[i].filter.without_spec };

		assert_int_equal(fl_store_jobs(s, &rows[i].filter, see_job, &seen, &err), 0);
		assert_string_equal(seen.text, rows[i].want);
	}
	assert_int_equal(fl_store_job(s, 6, see_job, NULL, &err), FAIRLEAD_ENOENT);
	assert_string_equal(err.text, "there is no job 6");
	(void)fl_store_close(s);
	world_end(&w);
}

TEST(job_updates)
{
	/* One whose name is not said, one with a spec, which does not count, one that is not there. */
	const struct fl_job_row updates[] = {
		{ .id = 1,
		  .state = FL_JOB_DONE,
		  .priority = 3,
		  .started = 11,
		  .ended = 40,
		  .attempt = 4,
		  .evictions = 2,
		  .losses = 1,
		  .ran = 9,
		  .held = true,
		  .outcome = FL_RUN_EXITED,
		  .status = 1,
		  .reason = "exited" },
		{ .id = 3,
		  .state = FL_JOB_WAITS,
		  .spec = "{33}",
		  .started = FL_TIME_NONE,
		  .ended = FL_TIME_NONE,
		  .outcome = -1,
		  .placement = "[{}]" },
		{ .id = 77, .state = FL_JOB_WAITS, .spec = "{77}" },
	};
	const struct fl_batch batch = { .jobs = updates, .n_jobs = COUNT(updates) };
	struct fl_job_row want[COUNT(jobs)];
	struct seen seen = { .rows = want };
	struct fl_store_end end;
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_jobs(s);
	for (int again = 0; again < 2; again++)
		assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	memcpy(want, jobs, sizeof want);
	want[0] = updates[0];
	want[0].uid = 1;
	want[0].user = "ann";
	want[0].name = "a";
	want[0].queue = "red";
	want[0].submitted = 10;
	want[0].spec = "{1}";
	want[2].priority = 0;
	want[2].placement = "[{}]";
	assert_int_equal(fl_store_jobs(s, &(struct fl_job_filter){ 0 }, see_job, &seen, &err), 0);
	assert_string_equal(seen.text, "1 2 3 4 5 ");
	assert_int_equal(fl_store_job(s, 3, see_job, &seen, &err), 0);
	assert_int_equal(fl_store_end(s, &end, &err), 0);
	assert_int_equal(end.job, 5);
	(void)fl_store_close(s);
	world_end(&w);
}

/* A changed spec takes the place of the old one, with name and queue; all else stays. */
TEST(changed_specs)
{
	const struct fl_job_row changed[] = {
		{ .id = 1, .name = "aa", .queue = "blue", .spec = "{1, changed}" },
		{ .id = 77, .name = "x", .queue = "y", .spec = "{77}" },
	};
	const struct fl_batch batch = { .specs = changed, .n_specs = COUNT(changed) };
	struct fl_job_row want[COUNT(jobs)];
	struct seen seen = { .rows = want };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_jobs(s);
	for (int again = 0; again < 2; again++)
		assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	memcpy(want, jobs, sizeof want);
	want[0].name = changed[0].name;
	want[0].queue = changed[0].queue;
	want[0].spec = changed[0].spec;
	assert_int_equal(fl_store_jobs(s, &(struct fl_job_filter){ .damaged = true }, see_job,
				       &seen, &err),
			 0);
	assert_string_equal(seen.text, "1 2 3 4 5 ");
	seen.text[0] = '\0';
	assert_int_equal(fl_store_jobs(s, &(struct fl_job_filter){ .queue = "blue" }, see_job,
				       &seen, &err),
			 0);
	assert_string_equal(seen.text, "1 3 4 5 ");
	(void)fl_store_close(s);
	world_end(&w);
}

static int ask_again(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct fl_store *s = user;
	struct seen seen = { .rows = jobs };
	int r = fl_store_job(s, row->id, see_job, &seen, err);

	return r < 0 ? r : fl_store_jobs(s, &(struct fl_job_filter){ 0 }, see_job, &seen, err);
}

/* From a callback others may be read, but not the same again; and what it says is told on. */
TEST(nested)
{
	const struct fl_job_filter all = { 0 };
	struct seen seen = { .rows = jobs };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_jobs(s);
	assert_int_equal(fl_store_jobs(s, &all, ask_again, s, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "is being read already"), err.text);
	assert_int_equal(fl_store_jobs(s, &all, see_job, &seen, &err), 0);
	assert_string_equal(seen.text, "1 2 3 4 5 ");
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- events --- */

static const struct fl_event_row events[] = {
	{ .seq = 1, .n = 0, .at = 100, .kind = "Submitted", .job = 1, .queue = "red", .text = "a" },
	{ .seq = 1, .n = 1, .at = 100, .kind = "Admitted", .job = 1, .attempt = 1, .queue = "red" },
	{ .seq = 4, .n = 0, .at = 200, .kind = "Submitted", .job = 2, .queue = "blue" },
	{ .seq = 4,
	  .n = 1,
	  .at = 200,
	  .kind = "Preempted",
	  .job = 1,
	  .attempt = 1,
	  .queue = "red",
	  .by = 2,
	  .reason = "Reclaim",
	  .text = "makes way" },
	{ .seq = 9, .n = 0, .at = 300, .kind = "Configured" },
};

static int see_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	const struct fl_event_row *want = events;

	(void)err;
	while (want->seq != row->seq || want->n != row->n)
		assert_true(++want < events + COUNT(events));
	assert_int_equal(row->at, want->at);
	assert_string_equal(row->kind, want->kind);
	assert_int_equal(row->job, want->job);
	assert_int_equal(row->attempt, want->attempt);
	assert_true(same_text(row->queue, want->queue));
	assert_int_equal(row->by, want->by);
	assert_true(same_text(row->reason, want->reason));
	assert_true(same_text(row->text, want->text));
	note(user, row->seq * 10 + row->n);
	return 0;
}

TEST(event_filters)
{
	static const struct {
		struct fl_event_filter filter;
		const char *want;
	} rows[] = {
		{ { 0 }, "10 11 40 41 90 " },
		{ { .newest_first = true }, "90 41 40 11 10 " },
		{ { .newest_first = true, .limit = 2 }, "90 41 " },
		{ { .after_seq = 1 }, "11 40 41 90 " },
		{ { .after_seq = 1, .after_n = 1, .limit = 1 }, "40 " },
		{ { .after_seq = 2 }, "40 41 90 " },
		{ { .after_seq = 9 }, "" },
		{ { .job = 1 }, "10 11 41 " },
		{ { .job = 1, .newest_first = true, .limit = 1 }, "41 " },
		{ { .job = 1, .after_seq = 1 }, "11 41 " },
		{ { .job = 1, .kind = "Preempted" }, "41 " },
		{ { .queue = "red" }, "10 11 41 " },
		{ { .queue = "blue", .newest_first = true }, "40 " },
		{ { .kind = "Submitted" }, "10 40 " },
		{ { .kind = "Submitted", .newest_first = true }, "40 10 " },
		{ { .kind = "submitted" }, "" },
		{ { .since = 100 }, "10 11 40 41 90 " },
		{ { .since = 101 }, "40 41 90 " },
		{ { .since = 200 }, "40 41 90 " },
		{ { .since = 201, .newest_first = true }, "90 " },
		{ { .since = 301 }, "" },
		{ { .since = 200, .job = 1 }, "41 " },
		{ { .since = 101, .after_seq = 4 }, "41 90 " },
		{ { .since = 300, .after_seq = 1 }, "90 " },
	};
	const struct fl_batch batch = { .events = events, .n_events = COUNT(events) };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	for (int again = 0; again < 3; again++) {
		for (size_t i = 0; i < COUNT(rows); i++) {
			struct seen seen = { 0 };

			assert_int_equal(
				fl_store_events(s, &rows[i].filter, see_event, &seen, &err), 0);
			assert_string_equal(seen.text, again ? rows[i].want : "");
		}
		/* Written again they are there once. */
		assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- admissions, conditions, audit, small things --- */

static int see_admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	(void)err;
	note(user, row->job * 10 + row->attempt);
	assert_string_equal(row->queue, "red");
	assert_int_equal(row->from, 5);
	if (row->attempt == 1) {
		assert_int_equal(row->to, 9);
		assert_string_equal(row->ended, "preempted");
		assert_int_equal(row->preemptor, 8);
	} else {
		assert_int_equal(row->to, FL_TIME_NONE);
		assert_null(row->ended);
	}
	return 0;
}

TEST(admissions)
{
	struct fl_admission_row rows[] = {
		{ .job = 1, .attempt = 1, .queue = "red", .from = 5, .to = FL_TIME_NONE },
		{ .job = 1, .attempt = 2, .queue = "red", .from = 5, .to = FL_TIME_NONE },
		{ .job = 2, .attempt = 2, .queue = "red", .from = 5, .to = FL_TIME_NONE },
	};
	const struct fl_batch batch = { .admissions = rows, .n_admissions = COUNT(rows) };
	struct seen one = { 0 }, open = { 0 };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	rows[0].to = 9;
	rows[0].ended = "preempted";
	rows[0].preemptor = 8;
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	assert_int_equal(fl_store_admissions(s, 1, see_admission, &one, &err), 0);
	assert_string_equal(one.text, "11 12 ");
	assert_int_equal(fl_store_admissions(s, 0, see_admission, &open, &err), 0);
	assert_string_equal(open.text, "12 22 ");
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- what was held --- */

struct sums {
	char text[1024];
};

static int cmp_words(const void *a, const void *b) { return memcmp(a, b, 3); }

/* Of two digits each. */
static void sort_words(char *text) { qsort(text, strlen(text) / 3, 3, cmp_words); }

static int add_amount(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	(void)err;
	if (row->resource)
		*(double *)user += row->amount;
	return 0;
}

static int see_usage(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	struct sums *sums = user;
	size_t n = strlen(sums->text);

	(void)err;
	if (!row->resource)
		(void)snprintf(sums->text + n, sizeof sums->text - n, "%s %d/%d/%d; ", row->queue,
			       (int)row->jobs, (int)row->admissions, (int)row->evictions);
	else
		(void)snprintf(sums->text + n, sizeof sums->text - n, "%s %s/%s %d-%d %g; ",
			       row->queue, row->resource, row->flavor, (int)(row->from / FL_SECOND),
			       (int)(row->to / FL_SECOND), row->amount);
	return 0;
}

static int see_holding(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	struct seen *seen = user;

	(void)err;
	note(seen, row->job * 10 + row->attempt);
	return 0;
}

#define GRANT(resource, flavor, amount)                                                            \
	"{\"resource\":\"" resource "\",\"flavor\":\"" flavor "\",\"amount\":" amount "}"

/*
 * Two queues over 100 s: a's first job holds 4 cpu and is preempted after 30 s, waits for 10 and
 * runs for 20 more; its second holds 2 gpus and a cpu of another flavor, from 50 on.  b's has
 * nothing on paper; another holds petabytes, more than 64 bits of bytes times nanoseconds.
 */
TEST(usage)
{
	static const struct fl_admission_row rows[] = {
		{ 1, 1, "a", 5, 10, 40, "[" GRANT("cpu", "x", "4") "]", "preempted", 3, 0, 0 },
		{ 1, 2, "a", 40, 50, 70, "[" GRANT("cpu", "x", "4") "]", "exited", 0, 0, 0 },
		{ 2, 1, "a", 0, 50, FL_TIME_NONE,
		  "[" GRANT("cpu", "y", "1") "," GRANT("gpu", "x", "2") "]", NULL, 0, 0, 0 },
		{ 3, 1, "b", 0, 40, 60, NULL, "exited", 0, 0, 0 },
		{ 4, 1, "b", 80, 90, 90, "[" GRANT("cpu", "x", "9") "]", "exited", 0, 0, 0 },
		{ 5, 1, "b", 0, 40, 50, "[" GRANT("memory", "x", "9000000000000000") "]",
		  "time limit", 0, 0, 0 },
	};
	static const struct {
		int from, to;
		const char *sums, *holdings;
	} asks[] = {
		{ 0, 100,
		  "a 2/3/1; b 3/3/0; a cpu/x 10-70 200; a cpu/y 50-100 50; a gpu/x 50-100 100; "
		  "b cpu/x 90-90 0; b memory/x 40-50 9e+16; ",
		  "11 12 21 31 41 51 " },
		/* Before it all, and after it, where one is still there. */
		{ -10, -5, "", "" },
		{ 100, 200, "a 1/1/0; a cpu/y 100-200 100; a gpu/x 100-200 200; ", "21 " },
		/* The end is within, the beginning is not; who waits holds nothing. */
		{ 10, 40, "a 1/1/1; b 2/2/0; a cpu/x 10-40 120; b memory/x 40-40 0; ",
		  "11 12 21 31 51 " },
		{ 40, 45, "b 2/2/0; b memory/x 40-45 4.5e+16; ", "12 21 31 51 " },
		{ 39, 40, "a 1/1/1; b 2/2/0; a cpu/x 39-40 4; b memory/x 40-40 0; ",
		  "11 12 21 31 51 " },
		{ 15, 39, "a 1/1/0; a cpu/x 15-39 96; ", "11 21 31 51 " },
		{ 89, 90, "a 1/1/0; b 1/1/0; a cpu/y 89-90 1; a gpu/x 89-90 2; b cpu/x 90-90 0; ",
		  "21 41 " },
		{ 90, 91, "a 1/1/0; a cpu/y 90-91 1; a gpu/x 90-91 2; ", "21 " },
	};
	struct fl_admission_row open[COUNT(rows)], in_ns[COUNT(rows)];
	struct fl_batch batch = { .admissions = open, .n_admissions = COUNT(rows) };
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	/* Each is written twice: when it begins, and when it is over. */
	for (size_t i = 0; i < COUNT(rows); i++) {
		in_ns[i] = rows[i];
		in_ns[i].waits *= FL_SECOND;
		in_ns[i].from *= FL_SECOND;
		in_ns[i].to *= rows[i].to == FL_TIME_NONE ? 1 : FL_SECOND;
		open[i] = in_ns[i];
		open[i].to = FL_TIME_NONE;
		open[i].ended = NULL;
	}
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	batch.admissions = in_ns;
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	for (size_t i = 0; i < COUNT(asks); i++) {
		fl_time from = asks[i].from * FL_SECOND, to = asks[i].to * FL_SECOND;
		struct sums sums = { "" };
		struct seen seen = { 0 };

		if (fl_store_usage(s, from, to, see_usage, &sums, &err) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(sums.text, asks[i].sums);
		assert_int_equal(fl_store_holdings(s, from, to, see_holding, &seen, &err), 0);
		sort_words(seen.text);
		assert_string_equal(seen.text, asks[i].holdings);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

static int see_user_usage(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	struct sums *sums = user;
	size_t n = strlen(sums->text);

	(void)err;
	assert_null(row->flavor);
	n += (size_t)snprintf(sums->text + n, sizeof sums->text - n, "%s@%s ",
			      row->user ? row->user : "?", row->queue);
	if (!row->resource)
		(void)snprintf(sums->text + n, sizeof sums->text - n, "%d/%d/%d; ", (int)row->jobs,
			       (int)row->admissions, (int)row->evictions);
	else
		(void)snprintf(sums->text + n, sizeof sums->text - n, "%s %g; ", row->resource,
			       row->amount);
	return 0;
}

/*
 * Of two users and two queues: all flavors in one; a job whose row is not there any more belongs to
 * a user that is not known.
 */
TEST(usage_of_users)
{
	const struct fl_job_row of_two[] = {
		{ .id = 1, .user = "ann", .name = "x", .queue = "a", .spec = "{}" },
		{ .id = 2, .user = "bob", .name = "x", .queue = "a", .spec = "{}" },
		{ .id = 3, .user = "ann", .name = "x", .queue = "b", .spec = "{}" },
	};
	const struct fl_admission_row rows[] = {
		{ 1, 1, "a", 0, 10 * FL_SECOND, 20 * FL_SECOND,
		  "[" GRANT("cpu", "x", "4") "," GRANT("cpu", "y", "1") "]", "preempted", 2, 0, 0 },
		{ 1, 2, "a", 0, 30 * FL_SECOND, 40 * FL_SECOND, "[" GRANT("cpu", "x", "4") "]",
		  "exited", 0, 0, 0 },
		{ 2, 1, "a", 0, 20 * FL_SECOND, FL_TIME_NONE, "[" GRANT("gpu", "x", "2") "]", NULL,
		  0, 0, 0 },
		{ 3, 1, "b", 0, 50 * FL_SECOND, 60 * FL_SECOND, "[" GRANT("cpu", "x", "1") "]",
		  "exited", 0, 0, 0 },
		{ 9, 1, "b", 0, 50 * FL_SECOND, 60 * FL_SECOND, "[" GRANT("cpu", "x", "7") "]",
		  "exited", 0, 0, 0 },
	};
	struct fl_batch batch = { .new_jobs = of_two,
				  .n_new_jobs = COUNT(of_two),
				  .admissions = rows,
				  .n_admissions = COUNT(rows) };
	struct sums sums = { "" };
	fairlead_error err = { 0 };
	struct fl_store *s;
	struct world w;

	world_begin(&w);
	s = world_open(&w);
	if (fl_store_commit(s, &batch, &err) != 0 ||
	    fl_store_user_usage(s, 0, 100 * FL_SECOND, see_user_usage, &sums, &err) != 0)
		fail_msg("%s", err.text);
	assert_string_equal(sums.text, "?@b 1/1/0; ann@a 1/2/1; ann@b 1/1/0; bob@a 1/1/0; "
				       "?@b cpu 70; ann@a cpu 90; ann@b cpu 10; bob@a gpu 160; ");
	(void)fl_store_close(s);
	world_end(&w);
}

/* A time cut into pieces has the sum of them, to the nanosecond. */
TEST(pieces)
{
	enum { ROWS = 200, END = 1000000 };
	struct fl_admission_row rows[ROWS];
	const struct fl_batch batch = { .admissions = rows, .n_admissions = ROWS };
	uint64_t random = 7;
	int64_t want = 0;
	double got = 0;
	fl_time from = 0;
	struct world w;
	struct fl_store *s;

	for (uint32_t i = 0; i < ROWS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1;
		rows[i] = (struct fl_admission_row){ .job = i + 1,
						     .attempt = 1,
						     .queue = "a",
						     .from = (fl_time)(random >> 40) % END,
						     .placement = "[" GRANT("cpu", "x", "3") "]",
						     .ended = "exited" };
		rows[i].to = rows[i].from + (fl_time)(random >> 20) % END;
		want += 3 * ((rows[i].to > END ? END : rows[i].to) - rows[i].from);
	}
	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
	while (from < END) {
		fl_time to = from + 1 + (fl_time)(random % 90000);

		random = random * UINT64_C(6364136223846793005) + 1;
		to = to > END ? END : to;
		assert_int_equal(fl_store_usage(s, from, to, add_amount, &got, NULL), 0);
		from = to;
	}
	assert_int_equal(llround(got * 1e9), want);
	(void)fl_store_close(s);
	world_end(&w);
}

static int see_condition(void *user, const struct fl_condition_row *row, fairlead_error *err)
{
	(void)err;
	assert_string_equal(row->kind, "Cohort");
	assert_string_equal(row->type, "Sound");
	assert_string_equal(row->text, row->holds ? "yes" : "no");
	assert_null(row->reason);
	note(user, (uint64_t)row->since);
	return 0;
}

static int see_audit(void *user, const struct fl_audit_row *row, fairlead_error *err)
{
	(void)err;
	assert_int_equal(row->pid, 12);
	assert_int_equal(row->uid, UINT32_MAX);
	assert_string_equal(row->action, "cancel");
	assert_string_equal(row->subject, "job 17");
	assert_int_equal(row->status, 403);
	note(user, (uint64_t)row->at);
	return 0;
}

TEST(small_things)
{
	const struct fl_condition_row conditions[] = {
		{ .kind = "Cohort", .name = "x", .type = "Sound", .text = "no", .since = 1 },
		{ .kind = "Cohort", .name = "y", .type = "Sound", .text = "no", .since = 2 },
		{ .kind = "Cohort",
		  .name = "x",
		  .type = "Sound",
		  .text = "yes",
		  .holds = true,
		  .since = 3 },
	};
	struct fl_audit_row audit[3];
	struct fl_batch batch = { .conditions = conditions,
				  .n_conditions = COUNT(conditions),
				  .audit = audit,
				  .n_audit = COUNT(audit) };
	struct seen seen = { 0 };
	fairlead_error err = { 0 };
	char value[8] = "";
	struct world w;
	struct fl_store *s;

	for (int i = 0; i < 3; i++)
		audit[i] = (struct fl_audit_row){ .at = i + 1,
						  .uid = UINT32_MAX,
						  .pid = 12,
						  .user = "ann",
						  .action = "cancel",
						  .subject = "job 17",
						  .status = 403 };
	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	assert_int_equal(fl_store_conditions(s, see_condition, &seen, &err), 0);
	assert_string_equal(seen.text, "3 2 ");
	seen.text[0] = '\0';
	assert_int_equal(fl_store_audit(s, 2, see_audit, &seen, &err), 0);
	assert_string_equal(seen.text, "3 2 ");
	assert_int_equal(fl_store_get(s, "a", value, sizeof value, &err), FAIRLEAD_ENOENT);
	assert_int_equal(fl_store_set(s, "a", "1234567", &err), 0);
	assert_int_equal(fl_store_get(s, "a", value, sizeof value, &err), 0);
	assert_string_equal(value, "1234567");
	assert_int_equal(fl_store_set(s, "a", "12345678", &err), 0);
	assert_int_equal(fl_store_get(s, "a", value, sizeof value, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(value, "1234567");
	(void)fl_store_close(s);
	world_end(&w);
}

/* Texts are any bytes; a job asks for nothing in SQL. */
TEST(odd_texts)
{
	static const char *const rows[] = {
		"", "'; DROP TABLE jobs; --", "\xff\xfe\x01", "\"quoted\"", "?1", "%s%n", "a\nb",
	};
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char value[64] = "?";

		assert_int_equal(fl_store_set(s, rows[i], rows[i], &err), 0);
		assert_int_equal(fl_store_get(s, rows[i], value, sizeof value, &err), 0);
		assert_string_equal(value, rows[i]);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- plans --- */

/* These read all there is of something because that is what they are for. */
static bool reads_all(enum fl_sql sql)
{
	return sql == FL_SQL_CONDITIONS || sql == FL_SQL_TOKENS || sql == FL_SQL_OBJECTS ||
	       sql == FL_SQL_LATEST || sql == FL_SQL_CHECKPOINT ||
	       strncmp(fl_sql_texts[sql], "UPDATE latest ", 14) == 0 ||
	       sql >= FL_SQL_ROOT_OF_LATEST;
}

/* A scan of "the first of the table, in its order" ends where its LIMIT says. */
static bool ends_early(const char *sql) { return strstr(sql, "LIMIT") && strstr(sql, "ORDER BY"); }

TEST(plans)
{
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	for (int i = 0; i < FL_SQLS; i++) {
		char text[2048];
		sqlite3_stmt *plan;

		if (strncmp(fl_sql_texts[i], "PRAGMA", 6) == 0 ||
		    strncmp(fl_sql_texts[i], "VACUUM", 6) == 0)
			continue;
		(void)snprintf(text, sizeof text, "EXPLAIN QUERY PLAN %s", fl_sql_texts[i]);
		assert_int_equal(sqlite3_prepare_v2(s->reader.handle, text, -1, &plan, NULL),
				 SQLITE_OK);
		while (sqlite3_step(plan) == SQLITE_ROW) {
			const char *step = (const char *)sqlite3_column_text(plan, 3);

			/* An index of just those that are asked for is read whole, and what
			 * comes out of another step. */
			if (strstr(step, "SCAN") && !strstr(step, "admissions_open") &&
			    !strstr(step, "VIRTUAL TABLE") && !strstr(step, "SCAN (") &&
			    !reads_all((enum fl_sql)i))
				CHECK(ends_early(fl_sql_texts[i]), fl_sql_texts[i]);
			if (strstr(step, "USE TEMP B-TREE FOR ORDER BY"))
				fail_msg("sorted: %s", fl_sql_texts[i]);
		}
		(void)sqlite3_finalize(plan);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP("rows")
