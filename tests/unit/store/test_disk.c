/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A disk that fails: every write and every sync in its turn, once or until somebody helps.  What
 * was acknowledged is there, what failed is not, also after a kill right then, and it goes on.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_vfs.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "store/open.h"
#include "world.h"

enum { BATCHES = 3, LOG_PAGES = 6 };

static const struct {
	const char *name;
	enum fail_how how;
	bool for_good;
	const char *says;
	/*
	 * When the sync of a commit fails, and all that is tried from then on, its bytes stay
	 * where the system has them, and may be found there after a kill.
	 */
	bool may_stay;
} disks[] = {
	{ "full once", FAIL_FULL, false, "the disk is full", false },
	{ "full", FAIL_FULL, true, "the disk is full", false },
	{ "a write fails", FAIL_WRITE, false, "disk I/O error", false },
	{ "writes fail", FAIL_WRITE, true, "disk I/O error", true },
	{ "a sync fails", FAIL_SYNC, false, "disk I/O error", false },
	{ "syncs fail", FAIL_SYNC, true, "disk I/O error", true },
};

/* Under valgrind and sanitizers not every place, but all over. */
static uint64_t stride(void) { return under_valgrind() ? 97 : under_sanitizers() ? 5 : 1; }

/* What a kill in this moment leaves behind. */
static void check_killed(struct world *w, uint64_t acknowledged, bool may_stay)
{
	struct fl_store_end end;
	struct world killed = *w;
	struct fl_store *s;

	(void)snprintf(killed.folder, sizeof killed.folder, "%.200s/killed", w->root);
	world_copy(w->folder, killed.folder);
	s = world_open(&killed);
	assert_int_equal(fl_store_end(s, &end, NULL), 0);
	world_check(s, acknowledged + (may_stay && end.seq > acknowledged));
	(void)fl_store_close(s);
	(void)snprintf(killed.root, sizeof killed.root, "%s", killed.folder);
	world_end(&killed);
}

/* An empty store, made once and copied for each. */
static struct world example;

static int make_example(void **state)
{
	(void)state;
	world_begin(&example);
	(void)fl_store_close(world_open(&example));
	return 0;
}

static int drop_example(void **state)
{
	(void)state;
	world_end(&example);
	return 0;
}

/* True when the plan came to fail something. */
static bool commits(size_t disk, uint64_t at)
{
	struct fl_store_options options = { .vfs = fail_vfs() };
	const char *name = disks[disk].name;
	struct fl_store *s = NULL;
	bool failed = false;
	struct world w;

	world_begin(&w);
	world_copy(example.folder, w.folder);
	options.folder = w.folder;
	assert_int_equal(fl_store_open(&options, &s, NULL), 0);
	s->log_limit = LOG_PAGES;
	fail_plan = (struct fail_plan){ disks[disk].how, at, disks[disk].for_good, 0, 0 };
	for (uint64_t i = 1; i <= BATCHES; i++) {
		fairlead_error err = { 0 };
		int r = world_commit(s, i, &err);

		if (r == 0)
			continue;
		failed = true;
		CHECK(r == FAIRLEAD_EIO, name);
		CHECK(strstr(err.text, disks[disk].says), err.text);
		CHECK(disks[disk].how != FAIL_FULL || strstr(err.hint, "make room"), err.hint);
		world_check(s, i - 1);
		check_killed(&w, i - 1, disks[disk].may_stay);
		fail_plan.at = 0;
		CHECK(world_commit(s, i, &err) == 0, err.text);
		world_check(s, i);
	}
	failed |= fail_plan.failed > 0;
	fail_plan.at = 0;
	(void)fl_store_close(s);
	s = world_open(&w);
	world_check(s, BATCHES);
	(void)fl_store_close(s);
	world_end(&w);
	return failed;
}

TEST(failing_commits)
{
	for (size_t disk = 0; disk < COUNT(disks); disk++) {
		uint64_t at = 1;

		while (commits(disk, at))
			at += stride();
		CHECK(at > (disks[disk].how == FAIL_SYNC ? BATCHES : BATCHES * 8) / stride(),
		      disks[disk].name);
	}
}

/* An open that fails leaves what the next one makes or finds whole. */
TEST(failing_opens)
{
	for (size_t disk = 0; disk < COUNT(disks); disk++) {
		uint64_t at = 1;

		for (bool failed = true; failed; at += stride()) {
			fairlead_error err = { 0 };
			struct fl_store *s;
			struct world w;

			world_begin(&w);
			fail_plan = (struct fail_plan){ disks[disk].how, at, disks[disk].for_good,
							0, 0 };
			if (world_try(&w, true, fail_vfs(), &err) < 0) {
				CHECK(err.code == FAIRLEAD_EIO, err.text);
				CHECK(strstr(err.text, disks[disk].says), err.text);
			}
			failed = fail_plan.failed > 0;
			fail_plan.at = 0;
			s = world_open(&w);
			world_check(s, 0);
			(void)fl_store_close(s);
			world_end(&w);
		}
		CHECK(at > 2, disks[disk].name);
	}
}

/* The same with no means but the kernel's: files may not grow beyond a size. */
TEST(files_that_may_not_grow)
{
	static char spec[1 << 20];
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	const struct rlimit few = { 1 << 20, RLIM_INFINITY };
	uint64_t number = 7, acknowledged = 0;
	fairlead_error err = { 0 };
	struct fl_store *s;
	struct world w;
	int r;

	world_begin(&w);
	s = world_open(&w);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	while ((r = world_commit(s, acknowledged + 1, &err)) == 0)
		acknowledged++;
	assert_int_equal(r, FAIRLEAD_EIO);
	CHECK(strstr(err.text, "the disk is full"), err.text);
	assert_true(acknowledged > 5);
	world_check(s, acknowledged);
	check_killed(&w, acknowledged, false);
	/* Reads and small things that find room go on; a long one does not. */
	memset(spec, 'x', sizeof spec - 1);
	assert_int_equal(fl_store_set(s, "long", spec, &err), FAIRLEAD_EIO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, RLIM_INFINITY }), 0);
	assert_int_equal(fl_store_checkpoint(s, 3, world_write_image, &number, &err), FAIRLEAD_EIO);
	assert_int_equal(world_size(world_path(&w, "checkpoint.new")), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	assert_int_equal(world_commit(s, ++acknowledged, &err), 0);
	assert_int_equal(fl_store_checkpoint(s, 3, world_write_image, &number, &err), 0);
	world_check(s, acknowledged);
	world_check_image(s, 3, 7);
	(void)fl_store_close(s);
	world_end(&w);
}

TEST(no_memory)
{
	fairlead_error err = { 0 };
	struct fl_store *s;
	bool failed = false;
	struct world w;

	world_begin(&w);
	s = world_open(&w);
	assert_int_equal(world_commit(s, 1, &err), 0);
	for (int64_t more = 0;; more += 4096) {
		int r;

		(void)sqlite3_hard_heap_limit64(sqlite3_memory_used() + more + 1);
		r = world_commit(s, 2, &err);
		(void)sqlite3_hard_heap_limit64(0);
		if (r == 0)
			break;
		failed = true;
		assert_int_equal(r, FAIRLEAD_ENOMEM);
		world_check(s, 1);
	}
	assert_true(failed);
	world_check(s, 2);
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP_IN(make_example, drop_example, "disk")
