/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value in any row is another than was written, and the database as well formed as before: what is
 * refused, what is left out, and that it is told.  And that verify finds each of them.
 */
#include <unistd.h>

#include "lib/unit.h"
#include "store/open.h"
#include "store/sum.h"
#include "world.h"

enum { ROWS = 30, PASSED = 20 };

static struct world example;

static int make_example(void **state)
{
	static const struct fl_admission_row admission = {
		.job = 3, .attempt = 1, .queue = "team-a", .from = 5, .to = 9, .placement = "[]"
	};
	static const struct fl_condition_row condition = {
		.kind = "Cohort", .name = "all", .type = "Active", .holds = true
	};
	static const struct fl_audit_row audit = { .at = 5, .uid = 7, .action = "cancel" };
	static const struct fl_token_row token = { .id = "aaaaaaaaaa",
						   .hash = "00",
						   .name = "ci",
						   .user = "ann",
						   .role = "read",
						   .made = 5,
						   .by = "ann",
						   .expires = 9,
						   .used = FL_TIME_NONE,
						   .revoked = 7,
						   .revoked_by = "ann" };
	static const struct fl_object_row object = { 3, "uid-3", "Workload", "ns", "train" };
	static const struct fl_batch more = { .admissions = &admission,
					      .n_admissions = 1,
					      .conditions = &condition,
					      .n_conditions = 1,
					      .audit = &audit,
					      .n_audit = 1,
					      .tokens = &token,
					      .n_tokens = 1,
					      .objects = &object,
					      .n_objects = 1 };
	uint64_t number = 5;
	struct fl_store *s;

	(void)state;
	world_begin(&example);
	s = world_open(&example);
	for (uint64_t i = 1; i <= ROWS; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	assert_int_equal(fl_store_commit(s, &more, NULL), 0);
	assert_int_equal(fl_store_set(s, "colour", "red", NULL), 0);
	assert_int_equal(fl_store_checkpoint(s, PASSED, world_write_image, &number, NULL), 0);
	(void)fl_store_close(s);
	assert_int_equal(fl_store_verify(example.folder, NULL), 0);
	return 0;
}

static int drop_example(void **state)
{
	(void)state;
	world_end(&example);
	return 0;
}

/* A copy of the example, with something in its database changed. */
static struct world changed(const char *sql)
{
	struct world w = example;
	sqlite3 *db;

	(void)snprintf(w.folder, sizeof w.folder, "%.200s/changed", example.root);
	world_copy(example.folder, w.folder);
	assert_int_equal(sqlite3_open(world_path(&w, FL_STORE_DATABASE), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	CHECK(sqlite3_changes(db) > 0 || strstr(sql, "schema"), sql);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	(void)snprintf(w.root, sizeof w.root, "%s", w.folder);
	return w;
}

static const struct {
	const char *sql, *says;
} refused[] = {
	/* What would be applied again, and where it ends. */
	{ "UPDATE journal SET a = a + 1 WHERE seq = 25",
	  "this row of the journal does not match its checksum: 25" },
	{ "UPDATE journal SET at = at - 1 WHERE seq = 21", "does not match its checksum: 21" },
	{ "UPDATE journal SET kind = 1 WHERE seq = 30", "does not match its checksum: 30" },
	{ "UPDATE journal SET job = NULL WHERE seq = 22", "does not match its checksum: 22" },
	{ "UPDATE journal SET text = 'texu' WHERE seq = 23", "does not match its checksum: 23" },
	{ "UPDATE journal SET text = NULL WHERE seq = 23", "does not match its checksum: 23" },
	{ "UPDATE journal SET row_sum = row_sum - 1 WHERE seq = 24",
	  "does not match its checksum: 24" },
	{ "UPDATE journal SET kind = 99 WHERE seq = 26", "does not match its checksum: 26" },
	{ "DELETE FROM journal WHERE seq = 27", "rows of the journal are missing before row 28" },
	{ "DELETE FROM journal WHERE seq = 30", "does not end with the row that it ended with" },
	{ "UPDATE journal SET row_sum = row_sum - 1 WHERE seq = 30",
	  "does not end with the row that it ended with" },
	{ "UPDATE latest SET job = 7",
	  "the row that says where it ends does not match its checksum" },
	{ "UPDATE latest SET boot_id = ''", "the row that says where it ends" },
	{ "UPDATE latest SET behind = 1", "the row that says where it ends" },
	{ "DELETE FROM latest", "the row that says where it ends" },
	{ "UPDATE checkpoint SET number = 2", "the row that names the checkpoint" },
	{ "UPDATE settings SET value = '7' WHERE name = 'schema'", "a setting does not match its" },
	{ "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "
	  "'state < 6', 'state < 7'); PRAGMA schema_version = 99",
	  "" },
	{ "DROP INDEX jobs_by_user; SELECT 'schema'",
	  "its tables differ from those that fairleadd makes" },
};

TEST(refusals)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct world w = changed(refused[i].sql);
		uint64_t before = world_sum(w.folder);
		fairlead_error err = { 0 };

		CHECK(world_try(&w, false, NULL, &err) == FAIRLEAD_EINPUT, refused[i].sql);
		CHECK(strstr(err.text, "is damaged: ") && strstr(err.text, refused[i].says),
		      err.text);
		CHECK(fl_store_verify(w.folder, NULL) == FAIRLEAD_EINPUT, refused[i].sql);
		assert_true(world_sum(w.folder) == before);
		world_end(&w);
	}
}

static const struct {
	const char *sql;
	uint64_t job;      /* that is damaged; 0: none */
	const char *noted; /* NULL: when it is read */
	const char *verify;
} told[] = {
	{ "UPDATE specs SET spec = replace(spec, '7', '8') WHERE job = 7", 7,
	  "its spec does not match its checksum",
	  "job 7 does not match its checksum (1 such row)" },
	{ "UPDATE specs SET row_sum = 0 WHERE job = 7", 7, "its spec does not match its checksum",
	  "job 7 does not" },
	{ "DELETE FROM specs WHERE job = 7", 7, "its spec does not match its checksum",
	  "job 7 does not" },
	{ "UPDATE jobs SET uid = 0 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET user = 'bob' WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET name = '' WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET submitted = 1 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET spec_bytes = 1 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET state = 0 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET priority = 1 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET ended = 0 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET attempt = 2 WHERE id = 8", 8, "its row does not match its checksum",
	  "job 8 does not" },
	{ "UPDATE jobs SET fixed_sum = row_sum WHERE id = 8", 8,
	  "its row does not match its checksum", "job 8 does not" },
	{ "UPDATE jobs SET id = 800 WHERE id = 8", 800, "all of it", "job 800 does not" },
	{ "UPDATE journal SET text = 'x' WHERE seq = 12", 0,
	  "this row of the journal does not match its checksum: 12, from before the checkpoint",
	  "does not match its checksum: 12" },
	{ "DELETE FROM journal WHERE seq = 12", 0, "rows of the journal are missing before row 13",
	  "missing before row 13" },
	{ "UPDATE events SET text = 'x' WHERE seq = 9", 9,
	  "an event of row 9 does not match its checksum",
	  "an event of row 9 does not match its checksum" },
	{ "UPDATE admissions SET until = 7", 3,
	  "attempt 1 of its history does not match its checksum",
	  "the history of job 3 does not match its checksum" },
	{ "UPDATE conditions SET holds = 0", 0, "a condition of all does not match its checksum",
	  "the condition of all does not match its checksum" },
	{ "UPDATE audit SET uid = 0", 0, "a row of the audit log does not match its checksum",
	  "row of the audit log 1 does not match its checksum" },
	{ "UPDATE tokens SET revoked = NULL", 0,
	  "token aaaaaaaaaa does not match its checksum, and is refused",
	  "the token aaaaaaaaaa does not match its checksum" },
	{ "UPDATE tokens SET role = 'admin'", 0, "token aaaaaaaaaa does not match",
	  "the token aaaaaaaaaa does not match" },
	{ "UPDATE tokens SET hash = '01'", 0, "token aaaaaaaaaa does not match",
	  "the token aaaaaaaaaa does not match" },
	{ "UPDATE objects SET uid = 'uid-4'", 0, "the number of the object uid-4 does not match",
	  "the number of the object uid-4 does not match" },
	{ "UPDATE objects SET name = 'other'", 0, "the number of the object uid-3 does not match",
	  "the number of the object uid-3 does not match" },
	{ "UPDATE tokens SET id = 'baaaaaaaaa'", 0, "token baaaaaaaaa does not match",
	  "the token baaaaaaaaa does not match" },
	{ "UPDATE settings SET value = 'reed' WHERE name = 'colour'", 0, NULL,
	  "the setting colour does not match its checksum" },
};

struct counts {
	uint32_t jobs, damaged, others;
	uint64_t last, admissions, tokens, objects;
};

static int see_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	struct counts *c = user;

	(void)err;
	c->jobs++;
	c->damaged += row->damaged != NULL;
	c->last = row->damaged ? row->id : c->last;
	return 0;
}

static int see_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->others++;
	return 0;
}

static int see_admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->others++;
	return 0;
}

static int see_condition(void *user, const struct fl_condition_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->others++;
	return 0;
}

static int see_audit(void *user, const struct fl_audit_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->others++;
	return 0;
}

static int see_token(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->tokens++;
	return 0;
}

static int see_object(void *user, const struct fl_object_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	((struct counts *)user)->objects++;
	return 0;
}

static int see_usage(void *user, const struct fl_usage_sum_row *row, fairlead_error *err)
{
	(void)err;
	((struct counts *)user)->admissions += row->admissions;
	return 0;
}

/* All that people may ask for, twice: damage is counted once. */
static struct counts read_all(struct fl_store *s)
{
	const struct fl_job_filter rows = { .damaged = true };
	const struct fl_event_filter events = { 0 };
	struct counts c = { 0 };

	for (int again = 0; again < 2; again++) {
		c = (struct counts){ 0 };
		assert_int_equal(fl_store_jobs(s, &rows, see_job, &c, NULL), 0);
		assert_int_equal(fl_store_events(s, &events, see_event, &c, NULL), 0);
		assert_int_equal(fl_store_admissions(s, 3, see_admission, &c, NULL), 0);
		assert_int_equal(fl_store_usage(s, 0, 10, see_usage, &c, NULL), 0);
		assert_int_equal(fl_store_conditions(s, see_condition, &c, NULL), 0);
		assert_int_equal(fl_store_audit(s, 10, see_audit, &c, NULL), 0);
		assert_int_equal(fl_store_tokens(s, see_token, &c, NULL), 0);
		assert_int_equal(fl_store_objects(s, see_object, &c, NULL), 0);
	}
	return c;
}

static void check_job(struct fl_store *s, uint64_t job)
{
	const struct fl_job_filter whole = { 0 };
	struct counts c = { 0 };
	fairlead_error err = { 0 };

	/* Nobody who does not ask for damaged ones gets any. */
	assert_int_equal(fl_store_jobs(s, &whole, see_job, &c, NULL), 0);
	assert_int_equal(c.jobs, ROWS - 1);
	assert_int_equal(fl_store_job(s, job, see_job, &c, &err), FAIRLEAD_EINPUT);
	assert_int_equal(c.jobs, ROWS - 1);
	CHECK(strstr(err.text, " is damaged: ") && strstr(err.hint, "backup"), err.text);
}

TEST(tellings)
{
	for (size_t i = 0; i < COUNT(told); i++) {
		struct world w = changed(told[i].sql);
		bool is_job = strstr(told[i].verify, "job ") == told[i].verify;
		struct fl_store_damage d;
		fairlead_error err = { 0 };
		struct fl_store *s;
		struct counts c;
		char value[32];

		CHECK(fl_store_verify(w.folder, &err) == FAIRLEAD_EINPUT, told[i].sql);
		CHECK(strstr(err.text, told[i].verify), err.text);
		s = world_open(&w);
		c = read_all(s);
		assert_int_equal(c.jobs, ROWS);
		CHECK(c.damaged == is_job, told[i].sql);
		CHECK(c.admissions == !strstr(told[i].sql, "admissions"), told[i].sql);
		CHECK(c.tokens == !strstr(told[i].sql, "tokens"), told[i].sql);
		CHECK(c.objects == !strstr(told[i].sql, "objects"), told[i].sql);
		fl_store_damaged(s, &d);
		if (told[i].noted) {
			CHECK(d.n == 1 && d.total == 1, told[i].sql);
			CHECK(strstr(d.rows[0].text, told[i].noted), d.rows[0].text);
			CHECK(d.rows[0].job == told[i].job, told[i].sql);
		} else {
			assert_int_equal(fl_store_get(s, "colour", value, sizeof value, &err),
					 FAIRLEAD_EINPUT);
		}
		if (is_job)
			check_job(s, told[i].job);
		(void)fl_store_close(s);
		world_end(&w);
	}
}

/* Who asks for sums only hears of what they lack. */
TEST(usage)
{
	struct world w = changed("UPDATE admissions SET until = 7");
	struct fl_store *s = world_open(&w);
	struct counts c = { 0 };
	struct fl_store_damage d;

	assert_int_equal(fl_store_usage(s, 0, 10, see_usage, &c, NULL), 0);
	assert_int_equal(c.admissions, 0);
	fl_store_damaged(s, &d);
	assert_int_equal(d.total, 1);
	CHECK(strstr(d.rows[0].text, "attempt 1 of its history does not match its checksum"),
	      d.rows[0].text);
	(void)fl_store_close(s);
	world_end(&w);
}

/* A damaged event hides no others: wherever the search for a time comes by, it looks past it. */
TEST(events_past_damage)
{
	const struct fl_event_filter all = { .since = 10 * FL_SECOND };
	uint32_t whole = 0;

	for (int seq = 0; seq <= ROWS; seq++) {
		char sql[96];
		struct world w;
		struct fl_store *s;
		struct counts c = { 0 };

		(void)snprintf(sql, sizeof sql,
			       "UPDATE events SET at = %s WHERE seq = %d OR %d = 0",
			       seq ? "0" : "at", seq, seq);
		w = changed(sql);
		s = world_open(&w);
		assert_int_equal(fl_store_events(s, &all, see_event, &c, NULL), 0);
		if (seq == 0)
			whole = c.others;
		CHECK(seq == 0 ? whole > 3 : c.others + 1 >= whole, sql);
		(void)fl_store_close(s);
		world_end(&w);
	}
}

TEST(sums)
{
	sqlite3 *db;
	sqlite3_stmt *row;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(fl_sum_in_statements(db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT fl_sum('a') = fl_sum('a'), "
					    "fl_sum('a') = fl_sum(x'61'), fl_sum(1) = fl_sum('1'), "
					    "fl_sum(1) = fl_sum(1.0), fl_sum(NULL) = fl_sum(x'')",
					    -1, &row, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	for (int i = 0; i < 5; i++)
		assert_int_equal(sqlite3_column_int(row, i), i == 0);
	sqlite3_finalize(row);
	sqlite3_close(db);
}

/* What changes of a job heals by being written; what does not stays damaged. */
TEST(changes)
{
	static const struct fl_job_row rows[] = {
		{ .id = 8, .state = FL_JOB_DONE, .started = 1, .ended = 2, .outcome = 0 },
		{ .id = 9, .state = FL_JOB_DONE, .started = 1, .ended = 2, .outcome = 0 },
	};
	const struct fl_batch batch = { .jobs = rows, .n_jobs = COUNT(rows) };
	struct world w = changed("UPDATE jobs SET priority = 5 WHERE id = 8; "
				 "UPDATE jobs SET uid = 5 WHERE id = 9");
	struct counts c = { 0 };
	struct fl_store *s;

	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &batch, NULL), 0);
	assert_int_equal(fl_store_job(s, 8, see_job, &c, NULL), 0);
	assert_int_equal(fl_store_job(s, 9, see_job, &c, NULL), FAIRLEAD_EINPUT);
	(void)fl_store_close(s);
	world_end(&w);
}

/* The row that says where it ends is not written over once it is damaged. */
TEST(latest)
{
	struct world w = changed("UPDATE settings SET name = name");
	fairlead_error err = { 0 };
	struct fl_store *s;
	sqlite3 *db;

	s = world_open(&w);
	assert_int_equal(sqlite3_open(world_path(&w, FL_STORE_DATABASE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "UPDATE latest SET job = 3", NULL, NULL, NULL), 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(world_commit(s, ROWS + 1, &err), FAIRLEAD_EINPUT);
	CHECK(strstr(err.text, "the row that says where it ends"), err.text);
	assert_int_equal(fl_store_set(s, "colour", "blue", &err), FAIRLEAD_EINPUT);
	(void)fl_store_close(s);
	world_end(&w);
}

/* An image: any of its bytes. */
TEST(images)
{
	static const long places[] = { 0, 100, 4096, 39990 };

	for (size_t i = 0; i < COUNT(places); i++) {
		struct world w = changed("UPDATE settings SET name = name");
		fairlead_error err = { 0 };
		struct fl_store_damage d;
		struct fl_store *s;
		uint64_t seq;
		int fd = -1;

		world_write(world_path(&w, "checkpoint-20-1.image"), places[i], "\xa5", 1);
		assert_int_equal(fl_store_verify(w.folder, &err), FAIRLEAD_EINPUT);
		s = world_open(&w);
		assert_int_equal(fl_store_checkpointed(s, &seq, &fd, &err), FAIRLEAD_EINPUT);
		CHECK(strstr(err.text, "its checksum is wrong"), err.text);
		fl_store_damaged(s, &d);
		assert_int_equal(d.n, 1);
		assert_string_equal(d.rows[0].text,
				    "checkpoint-20-1.image does not match its checksum");
		(void)fl_store_close(s);
		world_end(&w);
	}
}

/* The journal goes on from what was forgotten. */
TEST(forgotten)
{
	const struct fl_retention keep = { .events_before = 15 * FL_SECOND };
	struct world w = changed("UPDATE settings SET name = name");
	struct fl_store *s = world_open(&w);
	fairlead_error err = { 0 };
	struct counts c = { 0 };

	while (fl_store_expire(s, &keep, NULL) > 0)
		;
	assert_int_equal(world_commit(s, ROWS + 1, &err), 0);
	s = fl_store_close(s);
	if (fl_store_verify(w.folder, &err) != 0)
		fail_msg("%s", err.text);
	s = world_open(&w);
	c = read_all(s);
	assert_int_equal(c.damaged, 0);
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP_IN(make_example, drop_example, "damage")
