/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write-ahead log after a kill, with one thing in it changed: the end of it is cut off, which a
 * power cut could have done, and that is told; anything before it is damage, and refused.
 */
#include <unistd.h>

#include "lib/few.h"
#include "lib/unit.h"
#include "store/log.h"
#include "store/open.h"
#include "world.h"

enum { HEAD = 32, FRAME = 24 + 4096, COMMITS = 12, SECTOR = 512 };

/* As a kill leaves it after COMMITS transactions, none of which is in the database. */
static struct world example;
static unsigned char *bytes; /* of its log */
static long size;
static uint64_t frames, before_last; /* frames, and those before the last transaction */

static void make_log(struct world *w, uint64_t commits)
{
	struct world killed = *w;
	struct fl_store *s = world_open(w);

	for (uint64_t i = 1; i <= commits; i++)
		assert_int_equal(world_commit(s, i, NULL), 0);
	(void)snprintf(killed.folder, sizeof killed.folder, "%.200s/killed", w->root);
	world_copy(w->folder, killed.folder);
	(void)fl_store_close(s);
	*w = killed;
}

static uint32_t word(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int make_example(void **state)
{
	FILE *f;

	(void)state;
	world_begin(&example);
	make_log(&example, COMMITS);
	size = world_size(world_path(&example, FL_STORE_DATABASE "-wal"));
	bytes = malloc((size_t)size);
	f = fopen(world_path(&example, FL_STORE_DATABASE "-wal"), "re");
	assert_non_null(bytes);
	assert_non_null(f);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	(void)fclose(f);
	frames = (uint64_t)(size - HEAD) / FRAME;
	for (uint64_t i = 0; i + 1 < frames; i++)
		if (word(bytes + HEAD + i * FRAME + 4))
			before_last = i + 1;
	assert_true(before_last > 2 * COMMITS && before_last < frames);
	return 0;
}

static int drop_example(void **state)
{
	(void)state;
	world_end(&example);
	free(bytes);
	return 0;
}

/* Opens what @changed is the log of, twice; what was refused is as it was. */
static int try_log(const unsigned char *changed, size_t n, uint64_t commits, fairlead_error *err)
{
	struct world w = example;
	uint64_t before;
	int r;

	(void)snprintf(w.folder, sizeof w.folder, "%.200s/try", w.root);
	world_copy(example.folder, w.folder);
	(void)unlink(world_path(&w, FL_STORE_DATABASE "-shm"));
	assert_int_equal(truncate(world_path(&w, FL_STORE_DATABASE "-wal"), 0), 0);
	world_write(world_path(&w, FL_STORE_DATABASE "-wal"), 0, changed, n);
	before = world_sum(w.folder);
	r = world_try(&w, false, NULL, err);
	if (r < 0) {
		assert_int_equal(world_try(&w, false, NULL, NULL), r);
		assert_int_equal(fl_store_verify(w.folder, NULL), r);
		assert_true(world_sum(w.folder) == before);
	} else {
		struct fl_store *s = world_open(&w);

		world_check(s, commits);
		(void)fl_store_close(s);
	}
	(void)snprintf(w.root, sizeof w.root, "%s", w.folder);
	world_end(&w);
	return r;
}

/* Of each frame: number, size, salts and sum by each byte, and here and there in its page. */
static long place(uint64_t frame, int i)
{
	static const long in_page[] = { 24, 31, 100, 511, 512, 2000, 4095, 4119 };

	return HEAD + (long)frame * FRAME + (i < 24 ? i : in_page[i - 24]);
}

TEST(flips)
{
	int step = under_valgrind() ? 100 : under_sanitizers() ? 45 : 9;
	uint64_t refused = 0, cut = 0;

	for (uint64_t frame = 0; frame < frames; frame++)
		for (int i = (int)frame % step; i < 32; i += step) {
			long at = place(frame, i);
			unsigned char bit = (unsigned char)(1 << (frame + (uint64_t)i) % 8);
			fairlead_error err = { 0 };
			int r;

			bytes[at] ^= bit;
			r = try_log(bytes, (size_t)size, COMMITS - 1, &err);
			bytes[at] ^= bit;
			if (frame < before_last) {
				char name[64];

				(void)snprintf(name, sizeof name, "frame %d, byte %d",
					       (int)frame + 1, (int)(at - HEAD) % FRAME);
				CHECK(r == FAIRLEAD_EINPUT, name);
				CHECK(strstr(err.text, "-wal is damaged: its page "), err.text);
				CHECK(strstr(err.text, "commits"), err.text);
				refused++;
			} else if (i < 4 || i >= 8) {
				assert_int_equal(r, 0);
				cut++;
			} else {
				/* A commit where there was none, with a frame behind it. */
				assert_true(r == 0 || r == FAIRLEAD_EINPUT);
			}
		}
	print_message("# %d flips refused, %d cut off\n", (int)refused, (int)cut);
	assert_true(refused > 0 && cut > 0);
}

/* Any bit of its head: SQLite would take nothing of the log. */
TEST(head)
{
	for (int i = 0; i < HEAD * 8; i += 11) {
		fairlead_error err = { 0 };
		int r;

		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		r = try_log(bytes, (size_t)size, COMMITS, &err);
		bytes[i / 8] ^= (unsigned char)(1 << i % 8);
		assert_int_equal(r, FAIRLEAD_EINPUT);
		CHECK(strstr(err.text, "-wal is damaged: its head "), err.text);
	}
}

/* A hole of zeros within it, also one that swallows a commit and what comes before and behind it. */
TEST(holes)
{
	static const size_t sizes[] = { 512, 4096, 8192, 3 * 4096 };
	unsigned char *changed = malloc((size_t)size);
	size_t step = under_valgrind() ? 16 * 4096 : 4096;

	assert_non_null(changed);
	for (size_t k = 0; k < COUNT(sizes); k++)
		for (size_t at = 4096; at + sizes[k] < HEAD + (before_last - 1) * FRAME;
		     at += step) {
			fairlead_error err = { 0 };

			memcpy(changed, bytes, (size_t)size);
			memset(changed + at, 0, sizes[k]);
			if (memcmp(changed, bytes, (size_t)size) == 0)
				continue;
			CHECK(try_log(changed, (size_t)size, 0, &err) == FAIRLEAD_EINPUT, err.text);
		}
	free(changed);
}

/*
 * A power cut while the last transaction was written: any of its sectors are there, the others are
 * as they were before: zeros, or of a log before, which has other salts.
 */
TEST(torn)
{
	size_t last = HEAD + before_last * FRAME;
	unsigned char *changed = malloc((size_t)size);
	int rounds = under_valgrind() ? 10 : 200, whole = 0;
	uint64_t random = 88172645463325252u;

	assert_non_null(changed);
	for (int round = 0; round < rounds; round++) {
		fairlead_error err = { 0 };
		struct fl_log_state log;
		struct fl_store_options look = { .read_only = true };
		struct world w = example;
		struct fl_store *s = NULL;
		struct fl_store_damage d;
		struct fl_store_end end;

		memcpy(changed, bytes, (size_t)size);
		for (size_t sector = last / SECTOR; sector * SECTOR < (size_t)size; sector++) {
			size_t from = sector * SECTOR < last ? last : sector * SECTOR;
			size_t to = (sector + 1) * SECTOR < (size_t)size ? (sector + 1) * SECTOR :
									   (size_t)size;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			if (random % 64 >= (unsigned)(round % 64))
				continue;
			/* What stood there: the transaction before, of another log. */
			if (round % 2)
				memset(changed + from, 0, to - from);
			else
				memcpy(changed + from, bytes + from - FRAME * 3, to - from);
			for (size_t f = before_last; f < frames && round % 2 == 0; f++) {
				size_t salts = HEAD + f * FRAME + 8;

				if (salts >= from && salts < to)
					changed[salts] ^= 0x55;
			}
		}
		(void)snprintf(w.folder, sizeof w.folder, "%.200s/torn", w.root);
		world_copy(example.folder, w.folder);
		(void)unlink(world_path(&w, FL_STORE_DATABASE "-shm"));
		world_write(world_path(&w, FL_STORE_DATABASE "-wal"), 0, changed, (size_t)size);
		assert_int_equal(fl_log_read(world_path(&w, FL_STORE_DATABASE), 0, &log, &err), 0);
		look.folder = w.folder;
		if (fl_store_open(&look, &s, &err) != 0)
			fail_msg("round %d: %s", round, err.text);
		assert_int_equal(fl_store_end(s, &end, &err), 0);
		assert_in_range(end.seq, COMMITS - 1, COMMITS);
		world_check(s, end.seq);
		/* What is cut off is told, and once. */
		fl_store_damaged(s, &d);
		assert_int_equal(d.cut, log.cut);
		assert_true(end.seq < COMMITS || d.cut == 0);
		(void)fl_store_close(s);
		whole += end.seq == COMMITS;
		if (d.cut) {
			s = world_open(&w);
			fl_store_damaged(s, &d);
			assert_int_equal(d.cut, log.cut);
			assert_int_equal(world_commit(s, COMMITS, &err), 0);
			(void)fl_store_close(s);
			s = world_open(&w);
			fl_store_damaged(s, &d);
			assert_int_equal(d.cut, 0);
			world_check(s, COMMITS);
			(void)fl_store_close(s);
		}
		(void)snprintf(w.root, sizeof w.root, "%s", w.folder);
		world_end(&w);
	}
	print_message("# %d of %d cuts left it whole\n", whole, rounds);
	free(changed);
}

/*
 * What is no damage: frames of a log before behind those of this one; and what is not there.
 */
TEST(older_frames)
{
	struct fl_store *s;
	struct world w, killed;

	world_begin(&w);
	s = world_open(&w);
	s->log_limit = 40;
	for (uint64_t i = 1; i <= 200; i++) {
		assert_int_equal(world_commit(s, i, NULL), 0);
		if (i % 7)
			continue;
		killed = w;
		(void)snprintf(killed.folder, sizeof killed.folder, "%.200s/killed", w.root);
		world_copy(w.folder, killed.folder);
		(void)fl_store_close(world_open(&killed));
		assert_int_equal(fl_store_verify(killed.folder, NULL), 0);
		(void)snprintf(killed.root, sizeof killed.root, "%s", killed.folder);
		world_end(&killed);
	}
	(void)fl_store_close(s);
	world_end(&w);
}

UNIT_GROUP_IN(make_example, drop_example, "log")
