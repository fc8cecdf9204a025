/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused, with what it says; that nothing of it is written to; and what is not. */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/few.h"
#include "lib/unit.h"
#include "store/journal.h"
#include "store/open.h"
#include "store/sum.h"
#include "world.h"

enum { ROWS = 400, PAGE = 4096 };

/* --- what somebody, or a disk, did to a state folder --- */

static void run_sql(struct world *w, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(world_path(w, FL_STORE_DATABASE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void overwrite(struct world *w, long offset, size_t n)
{
	char bytes[4 * PAGE];
	uint64_t random = 88172645463325252u;

	for (size_t i = 0; i < n; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bytes[i] = (char)random;
	}
	world_write(world_path(w, FL_STORE_DATABASE), offset, bytes, n);
}

static void bad_magic(struct world *w) { overwrite(w, 0, 16); }
static void bad_header(struct world *w) { overwrite(w, 16, 84); }
static void bad_schema(struct world *w) { overwrite(w, 100, PAGE - 100); }
static void bad_pages(struct world *w) { overwrite(w, 4 * PAGE, 3 * PAGE); }

static void bad_last_page(struct world *w)
{
	overwrite(w, world_size(world_path(w, FL_STORE_DATABASE)) - PAGE, PAGE);
}

static void cut(struct world *w)
{
	const char *path = world_path(w, FL_STORE_DATABASE);

	assert_int_equal(truncate(path, world_size(path) - 3 * PAGE), 0);
}

static void cut_in_a_page(struct world *w)
{
	const char *path = world_path(w, FL_STORE_DATABASE);

	assert_int_equal(truncate(path, world_size(path) / 2 + 100), 0);
}

static void empty(struct world *w)
{
	assert_int_equal(truncate(world_path(w, FL_STORE_DATABASE), 0), 0);
}

static void newer(struct world *w) { run_sql(w, "PRAGMA user_version = 1000"); }

/* As a newer program that was killed leaves it: it stands in the log only. */
static void newer_in_the_log(struct world *w)
{
	struct world other = *w;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(world_path(w, FL_STORE_DATABASE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 1000", NULL, NULL, NULL), 0);
	(void)snprintf(other.folder, sizeof other.folder, "%.200s/log", w->root);
	world_copy(w->folder, other.folder);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	(void)snprintf(w->folder, sizeof w->folder, "%s", other.folder);
}

static void not_ours(struct world *w) { run_sql(w, "PRAGMA application_id = 7"); }

static void of_nobody(struct world *w)
{
	assert_int_equal(unlink(world_path(w, FL_STORE_DATABASE)), 0);
	run_sql(w, "CREATE TABLE notes (text)");
}

static void no_database(struct world *w)
{
	assert_int_equal(unlink(world_path(w, FL_STORE_DATABASE)), 0);
}

static void no_image(struct world *w)
{
	assert_int_equal(unlink(world_path(w, "checkpoint-20-1.image")), 0);
}

static void short_image(struct world *w)
{
	assert_int_equal(truncate(world_path(w, "checkpoint-20-1.image"), 99), 0);
}

static void lost_log(struct world *w)
{
	world_write(world_path(w, "checkpoint-401-2.image"), 0, "", 1);
}

static void journal_cut_off(struct world *w) { run_sql(w, "DELETE FROM journal WHERE seq < 30"); }

static void a_link(struct world *w)
{
	char kept[WORLD_PATH * 2];

	(void)snprintf(kept, sizeof kept, "%.200s/elsewhere.db", w->root);
	assert_int_equal(rename(world_path(w, FL_STORE_DATABASE), kept), 0);
	assert_int_equal(symlink(kept, world_path(w, FL_STORE_DATABASE)), 0);
}

static void open_to_all(struct world *w) { assert_int_equal(chmod(w->folder, 0777), 0); }

static void a_file(struct world *w)
{
	(void)snprintf(w->folder, sizeof w->folder, "%.200s/file", w->root);
	world_write(w->folder, 0, "x", 1);
}

static void too_deep(struct world *w)
{
	(void)snprintf(w->folder, sizeof w->folder, "%.150s/no/such/folder", w->root);
}

static const struct {
	const char *name;
	void (*damage)(struct world *w);
	int code;
	const char *says;
} refused[] = {
	{ "bad magic", bad_magic, FAIRLEAD_EINPUT, "is damaged: file is not a database" },
	{ "bad header", bad_header, FAIRLEAD_EINPUT, "is damaged: file is not a database" },
	{ "bad schema", bad_schema, FAIRLEAD_EINPUT, "is damaged: " },
	{ "random pages", bad_pages, FAIRLEAD_EINPUT, "is damaged: " },
	{ "random last page", bad_last_page, FAIRLEAD_EINPUT, "is damaged: " },
	{ "cut", cut, FAIRLEAD_EINPUT, "is damaged: " },
	{ "cut in a page", cut_in_a_page, FAIRLEAD_EINPUT, "is damaged: " },
	{ "empty", empty, FAIRLEAD_EINPUT, "is a database of another program" },
	{ "newer", newer, FAIRLEAD_EINPUT,
	  "is of a newer fairleadd: its version is 1000, and this one knows " },
	{ "newer, in the log", newer_in_the_log, FAIRLEAD_EINPUT, "is of a newer fairleadd" },
	{ "another program", not_ours, FAIRLEAD_EINPUT, "is a database of another program" },
	{ "no program", of_nobody, FAIRLEAD_EINPUT, "is a database of another program" },
	{ "no database", no_database, FAIRLEAD_EINPUT,
	  "there are files of a state folder, but no fairlead.db" },
	{ "no image", no_image, FAIRLEAD_EINPUT, "checkpoint-20-1.image is missing" },
	{ "short image", short_image, FAIRLEAD_EINPUT,
	  "checkpoint-20-1.image has another size than when it was written" },
	{ "log lost", lost_log, FAIRLEAD_EINPUT,
	  "there is checkpoint-401-2.image, but the journal ends at row 400" },
	{ "journal cut off", journal_cut_off, FAIRLEAD_EINPUT,
	  "the journal does not go on from checkpoint-20-1.image" },
	{ "a link", a_link, FAIRLEAD_EIO, "fairlead.db cannot be opened" },
	{ "open to all", open_to_all, FAIRLEAD_EIO, "all users can write to " },
	{ "a file", a_file, FAIRLEAD_EIO, "/file cannot be opened: Not a directory" },
	{ "too deep", too_deep, FAIRLEAD_EIO, "cannot be made: No such file or directory" },
};

/* Made once, and copied for each. */
static struct world example;

static int make_example(void **state)
{
	uint64_t number = 5;
	struct fl_store *s;

	(void)state;
	world_begin(&example);
	s = world_open(&example);
	for (uint64_t i = 1; i <= ROWS; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	assert_int_equal(fl_store_checkpoint(s, 20, world_write_image, &number, NULL), 0);
	(void)fl_store_close(s);
	return 0;
}

static int drop_example(void **state)
{
	(void)state;
	world_end(&example);
	return 0;
}

static void filled(struct world *w)
{
	world_begin(w);
	world_copy(example.folder, w->folder);
}

TEST(refusals)
{
	for (size_t i = 0; i < COUNT(refused); i++) {
		const char *name = refused[i].name;
		fairlead_error err = { 0 };
		struct stat folder;
		struct world w;
		uint64_t before = 0;
		bool has;

		filled(&w);
		refused[i].damage(&w);
		has = stat(w.folder, &folder) == 0 && S_ISDIR(folder.st_mode);
		before = has ? world_sum(w.folder) : 0;
		for (int again = 0; again < 2; again++) {
			int r = world_try(&w, true, NULL, &err);

			if (r != refused[i].code || !strstr(err.text, refused[i].says))
				fail_msg("%s: %d %s", name, r, err.text);
			CHECK(err.hint[0] || r == FAIRLEAD_EIO, name);
			CHECK(!has || world_sum(w.folder) == before, name);
		}
		(void)chmod(w.folder, 0700);
		world_end(&w);
	}
}

static int see_job(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)user;
	(void)err;
	assert_true(row->state < FL_JOB_STATES);
	return 0;
}

static int see_journal(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	(void)user;
	(void)err;
	assert_true(row->kind < FL_JOURNAL_KINDS);
	return 0;
}

static void read_all(const struct world *w)
{
	const struct fl_job_filter all = { 0 };
	struct fl_store *s = world_open(w);
	int r = fl_store_jobs(s, &all, see_job, NULL, NULL);

	assert_true(r == 0 || r == FAIRLEAD_EINPUT);
	r = fl_store_journal(s, 0, see_journal, NULL, NULL);
	assert_true(r == 0 || r == FAIRLEAD_EINPUT);
	(void)fl_store_close(s);
}

/* Random bytes anywhere: it opens whole, or is refused; it never crashes or opens half. */
TEST(random_damage)
{
	int rounds = under_valgrind() ? 5 : 60;
	uint32_t random = 12345;
	int refused_ones = 0;
	struct world w;

	filled(&w);
	for (int i = 0; i < rounds; i++) {
		struct world copy = w;
		fairlead_error err = { 0 };
		long size;

		(void)snprintf(copy.folder, sizeof copy.folder, "%.200s/copy%d", w.root, i);
		world_copy(w.folder, copy.folder);
		size = world_size(world_path(&copy, FL_STORE_DATABASE));
		random = random * 1664525 + 1013904223;
		overwrite(&copy, (long)(random % (uint32_t)(size - 300)), 1 + random % 257);
		if (world_try(&copy, true, NULL, &err) < 0) {
			CHECK(err.code == FAIRLEAD_EINPUT, err.text);
			refused_ones++;
		} else {
			read_all(&copy);
		}
	}
	/* Most of it is room for more, and in a text any bytes are as good as others. */
	assert_true(refused_ones > rounds / 5);
	world_end(&w);
}

TEST(missing)
{
	struct fl_store_options options = { 0 };
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };
	struct stat made;
	struct world w;

	world_begin(&w);
	assert_int_equal(world_try(&w, false, NULL, &err), FAIRLEAD_ENOENT);
	assert_non_null(strstr(err.text, "there is no folder "));
	assert_int_equal(mkdir(w.folder, 0755), 0);
	assert_int_equal(world_try(&w, false, NULL, &err), FAIRLEAD_ENOENT);
	assert_non_null(strstr(err.text, "is not a state folder: there is no fairlead.db in it"));
	options.folder = w.folder;
	options.create = options.read_only = true;
	assert_int_equal(fl_store_open(&options, &s, &err), FAIRLEAD_ENOENT);
	s = world_open(&w);
	assert_int_equal(stat(world_path(&w, FL_STORE_DATABASE), &made), 0);
	assert_int_equal(made.st_mode & 0777, 0600);
	assert_int_equal(stat(world_path(&w, FL_STORE_DATABASE "-wal"), &made), 0);
	assert_int_equal(made.st_mode & 0777, 0600);
	(void)fl_store_close(s);
	world_end(&w);
}

TEST(private_folder)
{
	struct fl_store *s;
	struct stat made;
	struct world w;
	mode_t before = umask(0);

	world_begin(&w);
	s = world_open(&w);
	(void)umask(before);
	assert_int_equal(stat(w.folder, &made), 0);
	assert_int_equal(made.st_mode & 0777, 0700);
	for (const char *const *name =
		     (const char *const[]){ "lock", "fairlead.db", "fairlead.db-wal",
					    "fairlead.db-shm", NULL };
	     *name; name++) {
		CHECK(stat(world_path(&w, *name), &made) == 0, *name);
		CHECK((made.st_mode & 0777) == 0600, *name);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

static int count(void *user, const struct fl_journal_row *row, fairlead_error *err)
{
	(void)row;
	(void)err;
	++*(int *)user;
	return 0;
}

TEST(second_opener)
{
	struct fl_store_options look = { .read_only = true };
	struct fl_store *s, *reader = NULL;
	fairlead_error err = { 0 };
	char pid[32];
	struct world w;
	int n = 0;

	world_begin(&w);
	look.folder = w.folder;
	s = world_open(&w);
	(void)snprintf(pid, sizeof pid, "process %ld", (long)getpid());
	assert_int_equal(world_try(&w, true, NULL, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, pid), err.text);
	/* Who only looks sees what is committed, also while it is. */
	assert_int_equal(fl_store_open(&look, &reader, &err), 0);
	assert_int_equal(world_commit(s, 1, &err), 0);
	assert_int_equal(fl_store_journal(reader, 0, count, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(world_commit(reader, 2, &err), FAIRLEAD_ESTATE);
	assert_int_equal(fl_store_set(reader, "a", "b", &err), FAIRLEAD_ESTATE);
	assert_int_equal(fl_store_checkpoint(reader, 1, NULL, NULL, &err), FAIRLEAD_ESTATE);
	CHECK(strstr(err.text, "open for reading only"), err.text);
	s = fl_store_close(s);
	n = 0;
	assert_int_equal(fl_store_journal(reader, 0, count, &n, &err), 0);
	assert_int_equal(n, 1);
	reader = fl_store_close(reader);
	/* The lock went with it, and a look leaves no traces that another writer minds. */
	s = world_open(&w);
	world_check(s, 1);
	assert_int_equal(world_commit(s, 2, &err), 0);
	(void)fl_store_close(s);
	world_end(&w);
}

/* A lock of somebody who was killed is none. */
TEST(killed_opener)
{
	static struct fl_store *s; /* who is killed has lost nothing */
	struct world w;
	int status;
	pid_t child;

	world_begin(&w);
	child = fork();
	if (child == 0) {
		s = world_open(&w);
		if (world_commit(s, 1, NULL) == 0)
			(void)raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	s = world_open(&w);
	world_check(s, 1);
	(void)fl_store_close(s);
	world_end(&w);
}

/* As a user who may not write there: root may always. */
TEST(read_only_folder)
{
	struct world w;
	int status;
	pid_t child;

	filled(&w);
	assert_int_equal(chmod(world_path(&w, FL_STORE_DATABASE), 0644), 0);
	assert_int_equal(chmod(world_path(&w, "checkpoint-20-1.image"), 0644), 0);
	assert_int_equal(chmod(w.folder, 0555), 0);
	assert_int_equal(chmod(w.root, 0755), 0);
	child = fork();
	if (child == 0) {
		struct fl_store_options look = { .folder = w.folder, .read_only = true };
		struct fl_store *s = NULL;
		fairlead_error err = { 0 };
		int r;

		if (getuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
			_exit(2);
		r = world_try(&w, true, NULL, &err);
		if (r != FAIRLEAD_EIO || !strstr(err.text, "/lock cannot be written to: ") ||
		    !strstr(err.hint, "must belong to the user"))
			_exit(3);
		/* The index of the log, which readers share, cannot be made. */
		r = fl_store_open(&look, &s, &err);
		_exit(r == FAIRLEAD_EIO && strstr(err.text, "cannot be written to: ") ? 0 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(chmod(w.folder, 0700), 0);
	world_end(&w);
}

/* --- versions --- */

static const char more[] = "CREATE TABLE more (a INTEGER) STRICT;"
			   "INSERT INTO more SELECT count(*) FROM journal;";
static const char broken[] =
	"CREATE TABLE other (a INTEGER) STRICT; INSERT INTO nothing VALUES (1)";

static int open_as(const struct world *w, const char *const *texts, int n, struct fl_store **ret,
		   fairlead_error *err)
{
	struct fl_store_options options = { .folder = w->folder, .create = true };
	struct fl_migrations m = { texts, n };

	return fl_store_open_as(&options, &m, ret, err);
}

/* One more than there are. */
static const char *const * and (const char *text)
{
	static const char *texts[8];

	for (int i = 0; i < fl_store_migrations.n; i++)
		texts[i] = fl_store_migrations.texts[i];
	texts[fl_store_migrations.n] = text;
	return texts;
}

TEST(versions)
{
	const int n = fl_store_migrations.n;
	char name[32], text[80];
	struct world w, old;
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };
	uint64_t before;

	filled(&w);
	before = world_sum(w.folder);
	/* It fails: all is as it was, but for the copy. */
	assert_int_equal(open_as(&w, and(broken), n + 1, &s, &err), FAIRLEAD_ESTATE);
	(void)snprintf(name, sizeof name, "before-v%d.db", n + 1);
	assert_true(world_size(world_path(&w, name)) > 0);
	assert_int_equal(unlink(world_path(&w, name)), 0);
	assert_true(world_sum(w.folder) == before);
	/* It succeeds, once. */
	assert_int_equal(open_as(&w, and(more), n + 1, &s, &err), 0);
	world_check(s, ROWS);
	world_check_image(s, 20, 5);
	s = fl_store_close(s);
	assert_int_equal(open_as(&w, and(more), n + 1, &s, &err), 0);
	s = fl_store_close(s);
	/* This program is an older one by now. */
	assert_int_equal(world_try(&w, true, NULL, &err), FAIRLEAD_EINPUT);
	(void)snprintf(text, sizeof text, "its version is %d, and this one knows %d", n + 1, n);
	CHECK(strstr(err.text, text), err.text);
	/* With the copy in its place it is as before. */
	old = w;
	(void)snprintf(old.folder, sizeof old.folder, "%.200s/old", w.root);
	world_copy(w.folder, old.folder);
	{
		char copy[WORLD_PATH * 2];

		(void)snprintf(copy, sizeof copy, "%s", world_path(&old, name));
		assert_int_equal(rename(copy, world_path(&old, FL_STORE_DATABASE)), 0);
	}
	s = world_open(&old);
	world_check(s, ROWS);
	(void)fl_store_close(s);
	world_end(&w);
}

TEST(look_at_an_older_one)
{
	const struct fl_migrations m = { and(more), fl_store_migrations.n + 1 };
	char text[80];
	struct fl_store_options look = { .read_only = true };
	struct fl_store *s = NULL;
	fairlead_error err = { 0 };
	struct world w;

	filled(&w);
	look.folder = w.folder;
	assert_int_equal(fl_store_open_as(&look, &m, &s, &err), FAIRLEAD_EINPUT);
	(void)snprintf(text, sizeof text, "is of an older fairleadd, version %d",
		       fl_store_migrations.n);
	CHECK(strstr(err.text, text), err.text);
	CHECK(strstr(err.hint, "start fairleadd once"), err.hint);
	world_end(&w);
}

/* --- a database that was made before rows had sums --- */

static void bind(sqlite3_stmt *row, int i, const char *text)
{
	assert_int_equal(sqlite3_bind_text(row, i, text, -1, SQLITE_TRANSIENT), SQLITE_OK);
}

static void put_old(sqlite3 *db, uint64_t i)
{
	const struct fl_batch *b = world_batch(i);
	const struct fl_job_row *job = b->new_jobs;
	struct fl_journal_cells cells;
	char sql[1024];
	sqlite3_stmt *row;

	fl_journal_encode(b->journal, &cells);
	(void)snprintf(sql, sizeof sql,
		       "INSERT INTO journal VALUES (%d, %lld, %lld, %d, %lld, %lld, %lld, ?1)",
		       (int)i, (long long)cells.at, (long long)cells.kind, (int)i,
		       (long long)cells.attempt, (long long)cells.a, (long long)cells.b);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	bind(row, 1, cells.text);
	assert_int_equal(sqlite3_step(row), SQLITE_DONE);
	(void)sqlite3_finalize(row);
	(void)snprintf(sql, sizeof sql,
		       "INSERT INTO jobs VALUES (%d, %d, 1000, 'ann', ?1, ?2, NULL, 0, %lld, NULL, "
		       "NULL, 0, 0, 0, 0, 0, -1, 0, NULL, NULL)",
		       (int)i, job->state, (long long)job->submitted);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	bind(row, 1, job->name);
	bind(row, 2, job->queue);
	assert_int_equal(sqlite3_step(row), SQLITE_DONE);
	(void)sqlite3_finalize(row);
	(void)snprintf(
		sql, sizeof sql,
		"INSERT INTO events VALUES (%d, 0, %lld, 'Submitted', %d, 0, 'q', NULL, NULL,"
		" 'text %d'); INSERT INTO specs VALUES (%d, '%s');"
		"UPDATE latest SET job = %d, wall = %lld, boot = 7, boot_id = 'this-boot'",
		(int)i, (long long)b->journal->at, (int)i, (int)i, (int)i, job->spec, (int)i,
		(long long)b->wall);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

/* Version 1 as it was; it ends with a kill, so its last transactions stand in the log. */
static void make_old(struct world *w, uint64_t rows)
{
	struct world other = *w;
	sqlite3 *db;

	assert_int_equal(mkdir(w->folder, 0700), 0);
	assert_int_equal(sqlite3_open(world_path(w, FL_STORE_DATABASE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, fl_store_migrations.texts[0], NULL, NULL, NULL), 0);
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA application_id = 1717660018; PRAGMA user_version = 1;"
				      "PRAGMA journal_mode = WAL",
				      NULL, NULL, NULL),
			 0);
	for (uint64_t i = 1; i <= rows; i++)
		put_old(db, i);
	(void)snprintf(other.folder, sizeof other.folder, "%.200s/old", w->root);
	world_copy(w->folder, other.folder);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	(void)snprintf(w->folder, sizeof w->folder, "%s", other.folder);
}

static int see_bytes(void *user, const struct fl_job_row *row, fairlead_error *err)
{
	(void)err;
	(void)user;
	assert_int_equal(row->spec_bytes, strlen(row->spec));
	return 0;
}

TEST(from_version_1)
{
	static const uint64_t sizes[] = { 0, 1, 100 };

	for (size_t i = 0; i < COUNT(sizes); i++) {
		const struct fl_job_filter all = { 0 };
		fairlead_error err = { 0 };
		struct fl_store *s;
		struct world w;

		world_begin(&w);
		make_old(&w, sizes[i]);
		for (int again = 0; again < 2; again++) {
			s = world_open(&w);
			world_check(s, sizes[i] + (uint64_t)again);
			assert_int_equal(fl_store_jobs(s, &all, see_bytes, NULL, &err), 0);
			assert_int_equal(world_commit(s, sizes[i] + (uint64_t)again + 1, &err), 0);
			(void)fl_store_close(s);
			if (fl_store_verify(w.folder, &err) != 0)
				fail_msg("%s", err.text);
		}
		assert_true(world_size(world_path(&w, "before-v2.db")) > 0);
		world_end(&w);
	}
}

/* The checksum of its tables, as the program of that version kept it. */
static void seal_schema(sqlite3 *db)
{
	struct fl_sum sum = { { 0, 0 } };
	sqlite3_stmt *row;
	char sql[160];

	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT type, name, tbl_name, sql FROM sqlite_schema",
					    -1, &row, NULL),
			 SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW)
		for (int i = 0; i < 4; i++)
			fl_sum_text(&sum, (const char *)sqlite3_column_text(row, i));
	(void)sqlite3_finalize(row);
	(void)snprintf(sql, sizeof sql,
		       "INSERT INTO settings VALUES ('schema', '%lld', fl_sum('schema', '%lld'))",
		       (long long)fl_sum_end(&sum), (long long)fl_sum_end(&sum));
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int see_used(void *user, const struct fl_admission_row *row, fairlead_error *err)
{
	char *text = user;

	(void)err;
	(void)snprintf(text + strlen(text), 64, "%d.%d %d %d %d; ", (int)row->job,
		       (int)row->attempt, (int)row->from, (int)row->cpu, (int)row->memory);
	return 0;
}

/* What runs used is not known of older ones, and what was damaged is not made good. */
TEST(from_version_2)
{
	static const char rows[] =
		"INSERT INTO admissions VALUES (1, 1, 'q', 2, 5, 6, NULL, 'exited', NULL,"
		" fl_sum(1, 1, 'q', 2, 5, 6, NULL, 'exited', NULL));"
		"INSERT INTO admissions VALUES (1, 2, 'q', 2, 7, 8, NULL, 'exited', NULL, 99)";
	const struct fl_admission_row more_rows[] = {
		{ 1, 3, "q", 0, 9, 10, NULL, "exited", 0, 30, INT64_MAX },
		{ 1, 1, "q", 0, 11, 12, NULL, "exited", 0, 4, 5 },
	};
	const struct fl_batch batch = { .admissions = more_rows, .n_admissions = 2 };
	struct fl_store_damage damage;
	char text[256] = "";
	fairlead_error err = { 0 };
	struct fl_store *s;
	struct world w;
	sqlite3 *db;

	world_begin(&w);
	assert_int_equal(mkdir(w.folder, 0700), 0);
	assert_int_equal(sqlite3_open(world_path(&w, FL_STORE_DATABASE), &db), SQLITE_OK);
	assert_int_equal(fl_sum_in_statements(db), SQLITE_OK);
	for (int i = 0; i < 2; i++)
		assert_int_equal(sqlite3_exec(db, fl_store_migrations.texts[i], NULL, NULL, NULL),
				 SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "PRAGMA application_id = 1717660018; PRAGMA user_version = 2;"
				      "PRAGMA journal_mode = WAL",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	seal_schema(db);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	s = world_open(&w);
	assert_int_equal(fl_store_admissions(s, 1, see_used, text, &err), 0);
	assert_string_equal(text, "1.1 5 0 0; ");
	fl_store_damaged(s, &damage);
	assert_int_equal(damage.total, 1);
	assert_int_equal(fl_store_commit(s, &batch, &err), 0);
	text[0] = 0;
	assert_int_equal(fl_store_admissions(s, 1, see_used, text, &err), 0);
	assert_string_equal(text, "1.1 11 4 5; 1.3 9 30 -1; ");
	(void)fl_store_close(s);
	assert_true(world_size(world_path(&w, "before-v3.db")) > 0);
	world_end(&w);
}

UNIT_GROUP_IN(make_example, drop_example, "open")
