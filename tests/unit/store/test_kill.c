/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that commits batches and makes images as fast as it can is killed at random moments,
 * also while it opens the store.  Each time all that it was told is durable is there, whole, and
 * nothing else but what it was about to be told.
 *
 * usage: test_store_kill [KILLS [SEED]]
 */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "lib/few.h"
#include "lib/unit.h"
#include "store/open.h"
#include "world.h"

static int kills = 50;
static uint64_t seed = 1;

enum { IMAGE_EVERY = 7, LOG_PAGES = 60, BATCHES_TO_TIME = 16 };

static int64_t now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Until it is killed. */
static void commit_for_ever(const struct world *w, int acknowledge)
{
	struct fl_store *s = world_open(w);
	struct fl_store_end end;

	if (fl_store_end(s, &end, NULL) != 0)
		_exit(1);
	/* Logs are brought in often. */
	s->log_limit = LOG_PAGES;
	for (uint64_t i = end.seq + 1;; i++) {
		if (world_commit(s, i, NULL) != 0)
			_exit(2);
		if (write(acknowledge, &i, sizeof i) != sizeof i)
			_exit(3);
		if (i % IMAGE_EVERY == 0 &&
		    fl_store_checkpoint(s, i, world_write_image, &i, NULL) != 0)
			_exit(4);
	}
}

/* Of the @i-th kill, near the beginning as often as late: the next one may be faster than what was timed. */
static int64_t moment(struct fl_random *random, int i, int64_t longest_us)
{
	return (int64_t)(fl_random_bits(random) % ((uint64_t)(longest_us >> i % 4) + 1));
}

static void pause_us(int64_t us)
{
	const struct timespec pause = { us / 1000000, us % 1000000 * 1000 };

	(void)nanosleep(&pause, NULL);
}

/* The last number that it acknowledged before it was killed, after @us microseconds and @batches
 * batches; 0: none. */
static uint64_t run_and_kill(const struct world *w, int64_t us, int batches)
{
	uint64_t last = 0, number;
	int status, pipes[2];
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		(void)close(pipes[0]);
		commit_for_ever(w, pipes[1]);
	}
	(void)close(pipes[1]);
	while (batches-- > 0)
		assert_int_equal(read(pipes[0], &last, sizeof last), (int)sizeof last);
	pause_us(us);
	assert_int_equal(kill(child, SIGKILL), 0);
	while (read(pipes[0], &number, sizeof number) == sizeof number)
		last = number;
	(void)close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return last;
}

/* What a start and some batches take here: moments are spread over that. */
static int64_t time_of_some_batches(void)
{
	int64_t begin = now_us();
	struct world w;

	world_begin(&w);
	(void)run_and_kill(&w, 0, BATCHES_TO_TIME);
	begin = now_us() - begin;
	world_end(&w);
	return begin;
}

TEST(killed)
{
	uint64_t known = 0, before = 0, image = 0;
	struct fl_random random;
	int64_t longest_us;
	struct world w;
	int committed = 0;

	fl_random_init(&random, seed, fl_random_stream("kills"));
	world_begin(&w);
	longest_us = 8 * time_of_some_batches();
	for (int i = 0; i < kills; i++) {
		uint64_t last = run_and_kill(&w, moment(&random, i, longest_us), 0), seq;
		struct fl_store_end end;
		struct fl_store *s = world_open(&w);
		int fd;

		committed += last > 0;
		known = last ? last : before;
		assert_int_equal(fl_store_end(s, &end, NULL), 0);
		assert_in_range(end.seq, known, known + 1);
		world_check(s, end.seq);
		assert_int_equal(fl_store_checkpointed(s, &seq, &fd, NULL), 0);
		if (fd >= 0) {
			(void)close(fd);
			/* A kill between a commit and its image leaves the one before: it never goes back. */
			assert_in_range(seq, image, end.seq);
			world_check_image(s, seq, seq);
			image = seq;
		}
		before = end.seq;
		(void)fl_store_close(s);
	}
	assert_int_equal(fl_store_verify(w.folder, NULL), 0);
	world_end(&w);
	print_message("# %d kills, %d while it committed, %llu batches\n", kills, committed,
		      (unsigned long long)before);
	assert_true(committed > kills / 10 && before > (uint64_t)kills);
	assert_true(image > before / 2);
}

/* --- a backup --- */

/* Whether there was one before it was killed; a new one is made each time. */
static bool back_up_and_kill(struct fl_store *s, const char *folder, int64_t us)
{
	struct stat st;
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(fl_store_backup(s, folder, NULL) == 0 ? 0 : 1);
	pause_us(us);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	/* What a child leaves to the kernel is an error to valgrind, which ends it with a status of its own. */
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0 || under_valgrind());
	return stat(folder, &st) == 0;
}

/* Killed at any moment it is whole under its name, or not there; the next one succeeds. */
TEST(killed_backups)
{
	char folder[WORLD_PATH + 16], left[WORLD_PATH + 32];
	struct fl_random random;
	fairlead_error err = { 0 };
	uint64_t number = 7;
	int64_t longest_us;
	struct fl_store *s;
	struct world w;
	int whole = 0, cut = 0;

	fl_random_init(&random, seed, fl_random_stream("backups"));
	world_begin(&w);
	s = world_open(&w);
	for (uint64_t i = 1; i <= 300; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	assert_int_equal(fl_store_checkpoint(s, 20, world_write_image, &number, NULL), 0);
	(void)snprintf(folder, sizeof folder, "%s/backup", w.root);
	(void)snprintf(left, sizeof left, "%s/.backup.fairlead-part", w.root);
	longest_us = now_us();
	assert_int_equal(fl_store_backup(s, folder, NULL), 0);
	longest_us = 8 * (now_us() - longest_us);
	fl_store_folder_remove(folder);
	for (int i = 0; i < kills; i++) {
		struct stat st;

		if (!back_up_and_kill(s, folder, moment(&random, i, longest_us))) {
			cut += stat(left, &st) == 0;
			continue;
		}
		whole++;
		if (fl_store_verify(folder, &err) != 0)
			fail_msg("%s", err.text);
		assert_true(stat(left, &st) < 0);
		fl_store_folder_remove(folder);
		assert_true(stat(folder, &st) < 0);
	}
	if (fl_store_backup(s, folder, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(fl_store_verify(folder, &err), 0);
	assert_int_equal(fl_store_backup(s, folder, &err), FAIRLEAD_ESTATE);
	print_message("# %d backups, %d cut off, %d whole\n", kills, cut, whole);
	assert_true(under_valgrind() || (cut > 0 && whole > 0)); /* of four all may be */
	(void)fl_store_close(s);
	world_end(&w);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		kills = atoi(argv[1]);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	if (under_valgrind())
		kills = 4;
	return unit_run_tests("kill", unit_tests, NULL, NULL);
}
