/* SPDX-License-Identifier: Apache-2.0 */
/* Images, forgetting, backups: what is kept, and that it fits together. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/few.h"
#include "lib/unit.h"
#include "store/open.h"
#include "world.h"

static struct fl_store *filled(struct world *w, uint64_t n)
{
	struct fl_store *s;

	world_begin(w);
	s = world_open(w);
	for (uint64_t i = 1; i <= n; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	return s;
}

/* --- images --- */

TEST(images)
{
	uint64_t number = 100, seq = 99;
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s = filled(&w, 10);
	int fd = 99;

	assert_int_equal(fl_store_checkpointed(s, &seq, &fd, &err), 0);
	assert_int_equal(seq, 0);
	assert_int_equal(fd, -1);
	for (seq = 0; seq <= 10; seq += 5) {
		/* Twice of the same row: another program may write another image. */
		for (int again = 0; again < 2; again++) {
			number++;
			assert_int_equal(
				fl_store_checkpoint(s, seq, world_write_image, &number, &err), 0);
			world_check_image(s, seq, number);
		}
	}
	assert_int_equal(fl_store_checkpoint(s, 11, world_write_image, &number, &err),
			 FAIRLEAD_ESTATE);
	assert_int_equal(fl_store_checkpoint(s, 9, world_write_image, &number, &err),
			 FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "an image of row 9 of the journal, which goes from 10 to 10"),
	      err.text);
	world_check_image(s, 10, number);
	s = fl_store_close(s);
	s = world_open(&w);
	world_check_image(s, 10, number);
	assert_true(world_size(world_path(&w, "checkpoint-10-6.image")) > 0);
	assert_int_equal(world_size(world_path(&w, "checkpoint-5-4.image")), -1);
	(void)fl_store_close(s);
	world_end(&w);
}

static int write_some_and_fail(void *user, int fd, fairlead_error *err)
{
	(void)user;
	assert_int_equal(write(fd, "half", 4), 4);
	return fl_fail(err, FAIRLEAD_ENOMEM, "no more of it");
}

static int write_some_and_die(void *user, int fd, fairlead_error *err)
{
	(void)user;
	(void)err;
	assert_int_equal(write(fd, "half", 4), 4);
	(void)raise(SIGKILL);
	return 0;
}

TEST(image_that_fails)
{
	uint64_t number = 1;
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s = filled(&w, 4);
	pid_t child;

	assert_int_equal(fl_store_checkpoint(s, 2, world_write_image, &number, &err), 0);
	assert_int_equal(fl_store_checkpoint(s, 3, write_some_and_fail, NULL, &err),
			 FAIRLEAD_ENOMEM);
	assert_string_equal(err.text, "no more of it");
	assert_int_equal(world_size(world_path(&w, "checkpoint.new")), -1);
	world_check_image(s, 2, 1);
	s = fl_store_close(s);
	child = fork();
	if (child == 0)
		_exit(fl_store_checkpoint(world_open(&w), 4, write_some_and_die, NULL, NULL));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(world_size(world_path(&w, "checkpoint.new")), 4);
	s = world_open(&w);
	world_check_image(s, 2, 1);
	assert_int_equal(world_size(world_path(&w, "checkpoint.new")), -1);
	(void)fl_store_close(s);
	world_end(&w);
}

/* What a kill leaves between the steps: the new image is there, and the database names the old. */
TEST(image_between_steps)
{
	uint64_t number = 1;
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s = filled(&w, 4);

	assert_int_equal(fl_store_checkpoint(s, 2, world_write_image, &number, &err), 0);
	s = fl_store_close(s);
	world_write(world_path(&w, "checkpoint-4-2.image"), 0, "new", 3);
	world_write(world_path(&w, "checkpoint-1-1.image"), 0, "old", 3);
	world_write(world_path(&w, "checkpoint-old.image"), 0, "not ours", 8);
	s = world_open(&w);
	world_check_image(s, 2, 1);
	assert_int_equal(world_size(world_path(&w, "checkpoint-4-2.image")), -1);
	assert_int_equal(world_size(world_path(&w, "checkpoint-1-1.image")), -1);
	assert_int_equal(world_size(world_path(&w, "checkpoint-old.image")), 8);
	assert_int_equal(fl_store_checkpoint(s, 4, world_write_image, &number, &err), 0);
	world_check_image(s, 4, 1);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- forgetting --- */

struct gone {
	uint64_t n, sum;
};

static void note_gone(void *user, uint64_t job)
{
	struct gone *gone = user;

	gone->n++;
	gone->sum += job;
}

struct counts {
	uint64_t n, first, last;
};

static int count(struct counts *c, uint64_t number)
{
	if (c->n++ == 0)
		c->first = number;
	c->last = number;
	return 0;
}

static int count_journal(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	(void)err;
	return count(user, row->seq);
}

static int count_event(void *user, const struct fl_event_row *row, fairlead_error *err)
{
	(void)err;
	return count(user, row->seq);
}

static int count_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	return count(user, row->id);
}

static int count_audit(void *user, const struct fl_audit_row *row, fairlead_error *err)
{
	(void)err;
	return count(user, (uint64_t)row->at);
}

static int count_admission(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	(void)err;
	return count(user, row->job);
}

/* How many are a part: five of them are all, and those of the first ones are forgotten. */
static uint32_t part_of_many(void) { return under_valgrind() ? 110 : 500; }

/* @many rows of the journal, events, audit and admissions, one a second; jobs 1 to @many have ended. */
static void put_many(struct fl_store *s, uint32_t many)
{
	struct fl_journal_row *journal = calloc(many, sizeof *journal);
	struct fl_job_row *jobs = calloc(many, sizeof *jobs);
	struct fl_event_row *events = calloc(many, sizeof *events);
	struct fl_audit_row *audit = calloc(many, sizeof *audit);
	struct fl_admission_row *admissions = calloc(many, sizeof *admissions);
	const struct fl_batch batch = {
		.journal = journal,
		.n_journal = many,
		.new_jobs = jobs,
		.n_new_jobs = many,
		.events = events,
		.n_events = many,
		.audit = audit,
		.n_audit = many,
		.admissions = admissions,
		.n_admissions = many,
	};
	fairlead_error err = { 0 };

	for (uint32_t i = 0; i < many; i++) {
		fl_time at = i + 1;

		journal[i] = (struct fl_journal_row){ .seq = i + 1, .at = at, .job = i + 1 };
		jobs[i] = (struct fl_job_row){ .id = i + 1,
					       .state = FL_JOB_DONE,
					       .user = "u",
					       .name = "n",
					       .queue = "q",
					       .spec = "{}",
					       .started = at,
					       .ended = at };
		events[i] = (struct fl_event_row){
			.seq = i + 1, .at = at, .kind = "Ended", .job = i + 1
		};
		audit[i] = (struct fl_audit_row){ .at = at, .action = "submit" };
		admissions[i] = (struct fl_admission_row){
			.job = i + 1, .attempt = 1, .queue = "q", .from = at, .to = at
		};
	}
	/* One that still runs is never forgotten. */
	jobs[3].state = FL_JOB_RUNS;
	jobs[3].ended = FL_TIME_NONE;
	admissions[3].to = FL_TIME_NONE;
	if (fl_store_commit(s, &batch, &err) != 0)
		fail_msg("%s", err.text);
	free(journal);
	free(jobs);
	free(events);
	free(audit);
	free(admissions);
}

/* --- versions of the configuration --- */

struct versions {
	uint32_t n;
	char first[64], last[64];
};

static int see_version(void *user, const struct fl_setting *row, fairlead_error *err)
{
	struct versions *v = user;

	(void)err;
	snprintf(v->n++ ? v->last : v->first, sizeof v->first, "%s=%s", row->name, row->value);
	return 0;
}

static struct versions versions_of(struct fl_store *s, const char *first, const char *last,
				   uint32_t limit)
{
	struct versions v = { 0 };
	fairlead_error err = { 0 };

	if (fl_store_settings(s, first, last, limit, see_version, &v, &err) != 0)
		fail_msg("%s", err.text);
	return v;
}

static void put_version(struct fl_store *s, uint64_t number)
{
	char made[64], text[64], value[32];
	const struct fl_setting rows[] = { { text, value }, { made, value } };
	const struct fl_batch batch = { .settings = rows, .n_settings = 2 };
	fairlead_error err = { 0 };

	snprintf(made, sizeof made, FL_STORE_VERSION "%0*llu", FL_VERSION_DIGITS,
		 (unsigned long long)number);
	snprintf(text, sizeof text, FL_STORE_VERSION_TEXT "%0*llu", FL_VERSION_DIGITS,
		 (unsigned long long)number);
	snprintf(value, sizeof value, "v%llu", (unsigned long long)number);
	if (fl_store_commit(s, &batch, &err) != 0)
		fail_msg("%s", err.text);
}

#define VERSIONS(prefix) prefix "0", prefix "9"

/* The last ones stay, with their texts, whatever the age of all else; other settings always do. */
TEST(the_last_versions_stay)
{
	const struct fl_retention keep = { .events_before = 1000,
					   .usage_before = 1000,
					   .jobs_before = 1000 };
	char config[8];
	fairlead_error err = { 0 };
	struct versions v;
	struct world w;
	struct fl_store *s = filled(&w, 4);

	assert_int_equal(fl_store_set(s, "config", "mine", &err), 0);
	for (uint64_t i = 0; i < FL_STORE_VERSIONS + 3; i++)
		put_version(s, i * 7);
	v = versions_of(s, VERSIONS(FL_STORE_VERSION), 0);
	assert_int_equal(v.n, FL_STORE_VERSIONS + 3);
	assert_int_equal(fl_store_expire(s, &keep, &err), 0);
	for (int again = 0; again < 2; again++) {
		v = versions_of(s, VERSIONS(FL_STORE_VERSION), 0);
		assert_int_equal(v.n, FL_STORE_VERSIONS);
		assert_string_equal(v.first, FL_STORE_VERSION "00000000000000000714=v714");
		assert_string_equal(v.last, FL_STORE_VERSION "00000000000000000021=v21");
		v = versions_of(s, VERSIONS(FL_STORE_VERSION_TEXT), 0);
		assert_int_equal(v.n, FL_STORE_VERSIONS);
		assert_string_equal(v.last, FL_STORE_VERSION_TEXT "00000000000000000021=v21");
		assert_int_equal(versions_of(s, VERSIONS(FL_STORE_VERSION), 1).n, 1);
		assert_int_equal(fl_store_get(s, "config", config, sizeof config, &err), 0);
		s = fl_store_close(s);
		s = world_open(&w);
	}
	put_version(s, 21); /* again: it replaces itself */
	assert_int_equal(versions_of(s, VERSIONS(FL_STORE_VERSION), 0).n, FL_STORE_VERSIONS);
	(void)fl_store_close(s);
	world_end(&w);
}

static void expire_all(struct fl_store *s, const struct fl_retention *keep, int most)
{
	fairlead_error err = { 0 };
	int calls = 0, r;

	while ((r = fl_store_expire(s, keep, &err)) > 0)
		calls++;
	if (r < 0)
		fail_msg("%s", err.text);
	assert_in_range(calls, 0, most);
}

static struct counts counted(struct fl_store *s, enum fl_sql what)
{
	struct counts c = { 0 };
	int r = 0;

	switch (what) {
	case FL_SQL_JOURNAL:
		r = fl_store_journal(s, 0, count_journal, &c, NULL);
		break;
	case FL_SQL_EVENTS:
		r = fl_store_events(s, &(struct fl_event_filter){ 0 }, count_event, &c, NULL);
		break;
	case FL_SQL_AUDIT:
		r = fl_store_audit(s, 0, count_audit, &c, NULL);
		break;
	default:
		r = fl_store_jobs(s, &(struct fl_job_filter){ 0 }, count_job, &c, NULL);
		break;
	}
	assert_int_equal(r, 0);
	return c;
}

static uint64_t admitted_to(struct fl_store *s, uint64_t job)
{
	struct counts c = { 0 };

	assert_int_equal(fl_store_admissions(s, job, count_admission, &c, NULL), 0);
	return c.n;
}

static uint64_t admitted(struct fl_store *s)
{
	struct counts c = { 0 };

	assert_int_equal(fl_store_holdings(s, 0, FL_NEVER, count_admission, &c, NULL), 0);
	return c.n;
}

TEST(forgetting)
{
	const uint32_t part = part_of_many(), many = 5 * part;
	struct gone gone = { 0 };
	struct fl_retention keep = { .events_before = 4 * part + 1,
				     .usage_before = 3 * part + 1,
				     .jobs_before = 2 * part + 1,
				     .gone = note_gone,
				     .user = &gone };
	const struct fl_closed summed = { .closing = { .until = FL_NEVER - 1 },
					  .after = FL_TIME_NONE };
	uint64_t number = 1;
	struct fl_store_end end;
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_many(s, many);
	/* What is in no sums is never dropped. */
	assert_int_equal(fl_store_close_hour(s, &summed, NULL), 0);
	/* Without an image all of the journal is needed, and all jobs in it. */
	expire_all(s, &keep, 3);
	assert_int_equal(counted(s, FL_SQL_JOURNAL).n, many);
	assert_int_equal(counted(s, FL_SQL_JOBS).n, many);
	assert_int_equal(gone.n, 0);
	/* What is for people is not. */
	assert_int_equal(counted(s, FL_SQL_EVENTS).first, 4 * part + 1);
	assert_int_equal(counted(s, FL_SQL_AUDIT).last, 4 * part + 1);
	assert_int_equal(admitted(s), many - 3 * part + 1);
	assert_int_equal(admitted_to(s, 3), 0);
	assert_int_equal(admitted_to(s, 4), 1);
	assert_int_equal(admitted_to(s, 3 * part + 1), 1);
	/* An image of the last row of the first part: what it stands for may go. */
	assert_int_equal(fl_store_checkpoint(s, part, world_write_image, &number, NULL), 0);
	expire_all(s, &keep, 6);
	assert_int_equal(counted(s, FL_SQL_JOURNAL).first, part);
	assert_int_equal(gone.n, part - 1);
	assert_int_equal(gone.sum, part * (part + 1) / 2 - 4);
	assert_int_equal(counted(s, FL_SQL_JOBS).first, 4);
	assert_int_equal(counted(s, FL_SQL_JOBS).n, many - part + 1);
	/* One of the last row: as old as said. */
	assert_int_equal(fl_store_checkpoint(s, many, world_write_image, &number, NULL), 0);
	expire_all(s, &keep, 8);
	assert_int_equal(counted(s, FL_SQL_JOURNAL).first, 4 * part + 1);
	assert_int_equal(gone.n, 2 * part - 1);
	assert_int_equal(counted(s, FL_SQL_JOBS).n, many - 2 * part + 1);
	assert_int_equal(admitted(s), many - 3 * part + 1);
	/* All of it: the last row stays, and no number is given again. */
	keep = (struct fl_retention){ .events_before = FL_NEVER,
				      .usage_before = FL_NEVER,
				      .jobs_before = FL_NEVER };
	expire_all(s, &keep, 20);
	assert_int_equal(counted(s, FL_SQL_JOURNAL).first, many);
	assert_int_equal(counted(s, FL_SQL_JOBS).n, 1);
	assert_int_equal(counted(s, FL_SQL_EVENTS).n, 0);
	/* What is still held is never forgotten. */
	assert_int_equal(admitted(s), 1);
	assert_int_equal(admitted_to(s, 4), 1);
	s = fl_store_close(s);
	s = world_open(&w);
	assert_int_equal(fl_store_end(s, &end, NULL), 0);
	assert_int_equal(end.seq, many);
	assert_int_equal(end.job, many);
	(void)fl_store_close(s);
	world_end(&w);
}

/* What was held stays known for longer than who held it. */
TEST(outlive_their_jobs)
{
	enum { MANY = 150 };
	struct fl_retention keep = { .jobs_before = FL_NEVER };
	uint64_t number = 1;
	struct world w;
	struct fl_store *s;

	world_begin(&w);
	s = world_open(&w);
	put_many(s, MANY);
	assert_int_equal(fl_store_checkpoint(s, MANY, world_write_image, &number, NULL), 0);
	expire_all(s, &keep, 30);
	assert_int_equal(counted(s, FL_SQL_JOBS).n, 1);
	assert_int_equal(admitted(s), MANY);
	assert_int_equal(admitted_to(s, 1), 1);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- backup --- */

static void in_root(const struct world *w, const char *name, char ret[WORLD_PATH])
{
	(void)snprintf(ret, WORLD_PATH, "%.200s/%s", w->root, name);
}

static const struct fl_restore plain = { 0 };

TEST(backups)
{
	char copy[WORLD_PATH], to[WORLD_PATH];
	uint64_t number = 9;
	fairlead_error err = { 0 };
	struct world w, restored;
	struct fl_store *s = filled(&w, 30);

	in_root(&w, "copy", copy);
	in_root(&w, "to", to);
	assert_int_equal(fl_store_checkpoint(s, 20, world_write_image, &number, &err), 0);
	if (fl_store_backup(s, copy, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(world_commit(s, 31, &err), 0);
	number = 10;
	assert_int_equal(fl_store_checkpoint(s, 31, world_write_image, &number, &err), 0);
	assert_int_equal(fl_store_backup(s, copy, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "is there already"), err.text);
	assert_int_equal(fl_store_verify(copy, &err), 0);
	assert_int_equal(fl_store_verify(w.folder, &err), 0);
	assert_int_equal(fl_store_restore(copy, w.folder, &plain, &err), FAIRLEAD_ESTATE);
	s = fl_store_close(s);
	assert_int_equal(fl_store_restore(copy, w.folder, &plain, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "is a state folder already"), err.text);
	assert_int_equal(fl_store_verify(w.folder, &err), 0);
	if (fl_store_restore(copy, to, &plain, &err) != 0)
		fail_msg("%s", err.text);
	restored = w;
	(void)snprintf(restored.folder, sizeof restored.folder, "%s", to);
	s = world_open(&restored);
	world_check(s, 30);
	world_check_image(s, 20, 9);
	assert_int_equal(world_commit(s, 31, &err), 0);
	(void)fl_store_close(s);
	world_end(&w);
}

/* What stands beside a backup is left as it is, whatever its name. */
TEST(backup_beside_others)
{
	static const char *const names[] = { "copy.new", ".copy" };
	fairlead_error err = { 0 };
	char copy[WORLD_PATH], other[WORLD_PATH];
	struct world w;
	struct fl_store *s = filled(&w, 3);

	for (size_t i = 0; i < COUNT(names); i++) {
		in_root(&w, names[i], other);
		assert_int_equal(fl_store_backup(s, other, &err), 0);
	}
	in_root(&w, "copy", copy);
	assert_int_equal(fl_store_backup(s, copy, &err), 0);
	for (size_t i = 0; i < COUNT(names); i++) {
		in_root(&w, names[i], other);
		assert_int_equal(fl_store_verify(other, &err), 0);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

/* One that is being made is nobody else's; what a kill has left of one is removed. */
TEST(backup_being_made)
{
	fairlead_error err = { 0 };
	char copy[WORLD_PATH], part[FL_STORE_PATH], path[FL_STORE_PATH];
	struct world w;
	struct fl_store *s = filled(&w, 3);
	int fd;

	in_root(&w, "copy/", copy);
	assert_int_equal(fl_folder_begin(copy, part, &fd, path, &err), 0);
	assert_int_equal(fl_store_backup(s, copy, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "another process is making "), err.text);
	assert_int_equal(access(part, F_OK), 0);
	close(fd);
	assert_int_equal(fl_store_backup(s, copy, &err), 0);
	assert_int_equal(fl_store_verify(copy, &err), 0);
	assert_int_not_equal(access(part, F_OK), 0);
	(void)fl_store_close(s);
	world_end(&w);
}

TEST(backup_into_nothing)
{
	fairlead_error err = { 0 };
	char copy[WORLD_PATH];
	struct world w;
	struct fl_store *s = filled(&w, 3);

	in_root(&w, "not/there", copy);
	assert_int_equal(fl_store_backup(s, copy, &err), FAIRLEAD_EIO);
	CHECK(strstr(err.text, "cannot be made: No such file or directory"), err.text);
	assert_int_equal(fl_store_verify(copy, &err), FAIRLEAD_ENOENT);
	assert_int_equal(fl_store_restore(copy, w.folder, &plain, &err), FAIRLEAD_ENOENT);
	(void)fl_store_close(s);
	world_end(&w);
}

/* A backup while batches are committed and images made: it is of one moment. */
struct busy {
	struct fl_store *s;
	uint64_t done;
	int stop;
};

static void *keep_committing(void *user)
{
	struct busy *b = user;

	while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
		if (world_commit(b->s, ++b->done, NULL) != 0)
			return b;
		if (b->done % 5 == 0 &&
		    fl_store_checkpoint(b->s, b->done, world_write_image, &b->done, NULL) != 0)
			return b;
	}
	return NULL;
}

TEST(backup_while_running)
{
	int rounds = under_valgrind() ? 2 : 8, r = 0;
	struct world w;
	struct busy b = { .s = filled(&w, 5), .done = 5 };
	fairlead_error err = { 0 };
	pthread_t thread;
	void *failed;

	assert_int_equal(pthread_create(&thread, NULL, keep_committing, &b), 0);
	for (int i = 0; i < rounds && r == 0; i++) {
		char name[16], copy[WORLD_PATH];

		(void)snprintf(name, sizeof name, "copy%d", i);
		in_root(&w, name, copy);
		r = fl_store_backup(b.s, copy, &err);
		if (r == 0)
			r = fl_store_verify(copy, &err);
	}
	/* Nothing is asserted while the thread runs: it would go on in the next test. */
	__atomic_store_n(&b.stop, 1, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, &failed), 0);
	if (r < 0)
		fail_msg("%s", err.text);
	assert_null(failed);
	(void)fl_store_close(b.s);
	for (int i = 0; i < rounds; i++) {
		struct world copy = w;
		struct fl_store *s;
		struct fl_store_end end;
		uint64_t seq;
		int fd;

		(void)snprintf(copy.folder, sizeof copy.folder, "%.200s/copy%d", w.root, i);
		s = world_open(&copy);
		assert_int_equal(fl_store_end(s, &end, NULL), 0);
		world_check(s, end.seq);
		assert_int_equal(fl_store_checkpointed(s, &seq, &fd, NULL), 0);
		if (fd >= 0) {
			(void)close(fd);
			world_check_image(s, seq, seq);
		}
		(void)fl_store_close(s);
	}
	world_end(&w);
}

/* --- verify --- */

TEST(verifying)
{
	uint64_t number = 3;
	fairlead_error err = { 0 };
	struct world w;
	struct fl_store *s = filled(&w, 10);

	assert_int_equal(fl_store_checkpoint(s, 5, world_write_image, &number, &err), 0);
	assert_int_equal(fl_store_verify(w.folder, &err), 0);
	/* As long as it was, and other bytes. */
	world_write(world_path(&w, "checkpoint-5-1.image"), 1000, "x", 1);
	assert_int_equal(fl_store_verify(w.folder, &err), FAIRLEAD_EINPUT);
	CHECK(strstr(err.text, "/checkpoint-5-1.image is damaged: its checksum is wrong"),
	      err.text);
	assert_int_equal(fl_store_checkpoint(s, 5, world_write_image, &number, &err), 0);
	assert_int_equal(fl_store_verify(w.folder, &err), 0);
	assert_int_equal(sqlite3_exec(s->writer.handle, "DELETE FROM journal WHERE seq = 7", NULL,
				      NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(fl_store_verify(w.folder, &err), FAIRLEAD_EINPUT);
	CHECK(strstr(err.text, "rows of the journal are missing"), err.text);
	assert_int_equal(fl_store_journal(s, 0, count_journal, &(struct counts){ 0 }, &err),
			 FAIRLEAD_EINPUT);
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- threads --- */

/* Batches on one thread while another reads: what is read is always whole. */
TEST(reading_meanwhile)
{
	struct world w;
	struct busy b = { .s = filled(&w, 5), .done = 5 };
	struct fl_store_end end = { 0 };
	uint64_t before = 0;
	bool whole = true;
	pthread_t thread;
	void *failed;

	assert_int_equal(pthread_create(&thread, NULL, keep_committing, &b), 0);
	while (end.seq < 100 && whole) {
		struct counts rows = { 0 }, jobs = { 0 };

		whole = fl_store_end(b.s, &end, NULL) == 0 &&
			fl_store_journal(b.s, 0, count_journal, &rows, NULL) == 0 &&
			rows.n == rows.last && rows.n >= end.seq && rows.n >= before &&
			fl_store_jobs(b.s, &(struct fl_job_filter){ 0 }, count_job, &jobs, NULL) ==
				0 &&
			jobs.n == jobs.last && jobs.n >= rows.n &&
			fl_store_set(b.s, "seen", "x", NULL) == 0;
		before = rows.n;
	}
	__atomic_store_n(&b.stop, 1, __ATOMIC_RELAXED);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_true(whole);
	assert_null(failed);
	(void)fl_store_close(b.s);
	world_end(&w);
}

/* The log does not grow with what was written. */
TEST(bounded_log)
{
	struct world w;
	struct fl_store *s = filled(&w, 1);
	long longest = 0;

	s->log_limit = 20;
	for (uint64_t i = 2; i <= 300; i++) {
		long size;

		assert_int_equal(world_commit(s, i, NULL), 0);
		size = world_size(world_path(&w, FL_STORE_DATABASE "-wal"));
		longest = size > longest ? size : longest;
	}
	assert_in_range(longest, 20L * 4096, 60L * 4200);
	assert_int_equal(fl_store_bytes(s),
			 world_size(world_path(&w, FL_STORE_DATABASE)) +
				 world_size(world_path(&w, FL_STORE_DATABASE "-wal")));
	(void)fl_store_close(s);
	world_end(&w);
}

/* --- tokens --- */

static const struct fl_token_row tokens[] = {
	{ "aaaaaaaaaa", "00", "for-ever", 7, "ann", "read", NULL, 5, "ann", FL_TIME_NONE,
	  FL_TIME_NONE, FL_TIME_NONE, NULL },
	{ "bbbbbbbbbb", "01", "ends", 7, "ann", "submit", "a/b c/d", 6, "root", 50, 20,
	  FL_TIME_NONE, NULL },
	{ "cccccccccc", "02", "revoked", 8, "bob", "admin", NULL, 7, "bob", 90, FL_TIME_NONE, 40,
	  "root" },
};

struct seen_tokens {
	const struct fl_token_row *want[COUNT(tokens)];
	uint32_t n;
};

static void same_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static int see_token(void *user, const struct fl_token_row *row, fairlead_error *err)
{
	struct seen_tokens *seen = user;
	const struct fl_token_row *want = seen->want[seen->n++];

	(void)err;
	assert_non_null(want);
	same_text(row->id, want->id);
	same_text(row->hash, want->hash);
	same_text(row->name, want->name);
	same_text(row->user, want->user);
	same_text(row->role, want->role);
	same_text(row->queues, want->queues);
	same_text(row->by, want->by);
	same_text(row->revoked_by, want->revoked_by);
	assert_int_equal(row->uid, want->uid);
	assert_true(row->made == want->made && row->expires == want->expires &&
		    row->used == want->used && row->revoked == want->revoked);
	return 0;
}

static void check_tokens(struct fl_store *s, const struct fl_token_row *a,
			 const struct fl_token_row *b, const struct fl_token_row *c)
{
	struct seen_tokens seen = { .want = { a, b, c } };

	assert_int_equal(fl_store_tokens(s, see_token, &seen, NULL), 0);
	assert_int_equal(seen.n, (a != NULL) + (b != NULL) + (c != NULL));
}

/* All of a row comes back, also of a copy; a later one replaces it; those that ended are dropped. */
TEST(tokens_kept)
{
	struct fl_token_row again = tokens[0];
	const struct fl_batch all = { .tokens = tokens, .n_tokens = COUNT(tokens) };
	const struct fl_batch one = { .tokens = &again, .n_tokens = 1 };
	struct fl_retention keep = { .jobs_before = 45 };
	struct world w, copy;
	struct fl_store *s;

	world_begin(&w);
	copy = w;
	(void)snprintf(copy.folder, sizeof copy.folder, "%.200s/restored", w.root);
	s = world_open(&w);
	assert_int_equal(fl_store_commit(s, &all, NULL), 0);
	check_tokens(s, &tokens[0], &tokens[1], &tokens[2]);
	again.used = 60;
	assert_int_equal(fl_store_commit(s, &one, NULL), 0);
	check_tokens(s, &again, &tokens[1], &tokens[2]);
	assert_int_equal(fl_store_backup(s, world_path(&w, "../backup"), NULL), 0);
	assert_int_equal(fl_store_expire(s, &keep, NULL), 0);
	check_tokens(s, &again, &tokens[1], NULL);
	keep.jobs_before = FL_NEVER;
	assert_int_equal(fl_store_expire(s, &keep, NULL), 0);
	check_tokens(s, &again, NULL, NULL);
	(void)fl_store_close(s);
	assert_int_equal(fl_store_restore(world_path(&w, "../backup"), copy.folder,
					  &(struct fl_restore){ 0 }, NULL),
			 0);
	s = world_open(&copy);
	check_tokens(s, &again, &tokens[1], &tokens[2]);
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP("keep")
