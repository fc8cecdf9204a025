/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "base/undo.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

enum { CELLS = 40 };

static uint64_t seed = 7;

static uint32_t dice(uint32_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % sides;
}

static int put(struct fl_undo *u, uint32_t *cell, uint32_t value, fairlead_error *err)
{
	int r = fl_undo_reserve(u, FL_UNDO_OF(*cell), err);

	if (r < 0)
		return r;
	fl_undo_note(u, cell, sizeof *cell);
	*cell = value;
	return 0;
}

TEST(nothing_is_kept_without_a_mark)
{
	struct fail_mem f;
	struct fl_undo u;
	uint32_t cell = 1;

	fail_mem_init(&f);
	fl_undo_init(&u, &f.mem);
	assert_int_equal(put(&u, &cell, 2, NULL), 0);
	fl_undo_note(NULL, &cell, sizeof cell);
	assert_int_equal(u.n, 0);
	assert_int_equal(f.calls, 0);
	fl_undo_done(&u);
	fl_undo_done(&u);
}

/* Marks nest: each rollback gives back the cells as they were at its own mark. */
TEST(nested_marks)
{
	enum { DEPTH = 12 };
	uint32_t cell[CELLS] = { 0 }, kept[DEPTH][CELLS], mark[DEPTH];
	struct fl_undo u;

	fl_undo_init(&u, &fl_mem_heap);
	for (int round = 0; round < 200; round++) {
		uint32_t depth = 1 + dice(DEPTH);

		for (uint32_t d = 0; d < depth; d++) {
			memcpy(kept[d], cell, sizeof cell);
			assert_int_equal(fl_undo_mark(&u, &mark[d], NULL), 0);
			for (uint32_t i = dice(50); i > 0; i--)
				assert_int_equal(put(&u, &cell[dice(CELLS)], dice(1000), NULL), 0);
		}
		for (uint32_t d = depth; d-- > 0;) {
			fl_undo_rollback(&u, mark[d]);
			assert_memory_equal(cell, kept[d], sizeof cell);
		}
		assert_int_equal(u.n, 0);
		assert_int_equal(u.marks, 0);
		put(&u, &cell[dice(CELLS)], dice(1000), NULL);
	}
	fl_undo_done(&u);
}

/* An outer mark takes the inner ones with it; ended ones do nothing. */
TEST(ending_one_ends_the_newer)
{
	uint32_t cell = 1, outer, inner, innermost;
	struct fl_undo u;

	fl_undo_init(&u, &fl_mem_heap);
	fl_undo_rollback(&u, 0);
	fl_undo_keep(&u, 0);
	assert_int_equal(u.marks, 0);
	for (int kept = 0; kept < 2; kept++) {
		cell = 1;
		assert_int_equal(fl_undo_mark(&u, &outer, NULL), 0);
		assert_int_equal(put(&u, &cell, 2, NULL), 0);
		assert_int_equal(fl_undo_mark(&u, &inner, NULL), 0);
		assert_int_equal(put(&u, &cell, 3, NULL), 0);
		assert_int_equal(fl_undo_mark(&u, &innermost, NULL), 0);
		if (kept)
			fl_undo_keep(&u, inner);
		else
			fl_undo_rollback(&u, inner);
		assert_int_equal(cell, kept ? 3 : 2);
		assert_int_equal(u.marks, 1);
		fl_undo_rollback(&u, innermost);
		assert_int_equal(cell, kept ? 3 : 2);
		fl_undo_rollback(&u, outer);
		assert_int_equal(cell, 1);
		assert_int_equal(u.marks, 0);
		assert_int_equal(u.n, 0);
	}
	fl_undo_done(&u);
}

TEST(sizes_mix)
{
	struct {
		uint8_t small;
		double number;
		uint64_t row[8];
	} now = { 1, 2.5, { 3 } }, before = now;
	struct fl_undo u;
	uint32_t mark;

	fl_undo_init(&u, &fl_mem_heap);
	assert_int_equal(fl_undo_mark(&u, &mark, NULL), 0);
	assert_int_equal(fl_undo_reserve(&u,
					 FL_UNDO_OF(now.small) + FL_UNDO_OF(now.row) +
						 FL_UNDO_OF(now.number),
					 NULL),
			 0);
	fl_undo_note(&u, &now.small, sizeof now.small);
	fl_undo_note(&u, now.row, sizeof now.row);
	fl_undo_note(&u, &now.number, sizeof now.number);
	now.small = 9;
	now.number = 9.5;
	memset(now.row, 9, sizeof now.row);
	fl_undo_rollback(&u, mark);
	assert_int_equal(now.small, before.small);
	assert_true(now.number == before.number);
	assert_memory_equal(now.row, before.row, sizeof now.row);
	fl_undo_done(&u);
}

TEST(survives_each_failing_call)
{
	unsigned long n;
	bool failed = true;

	for (n = 1; failed && n < 100; n++) {
		uint32_t cell[CELLS] = { 0 }, zero[CELLS] = { 0 }, mark = 0;
		struct fail_mem f;
		struct fl_undo u;
		fairlead_error err = { 0 };

		fail_mem_init(&f);
		fl_undo_init(&u, &f.mem);
		f.fail_at = n;
		failed = fl_undo_mark(&u, &mark, &err) < 0;
		for (uint32_t i = 0; !failed && i < 500; i++)
			failed = put(&u, &cell[i % CELLS], i, &err) < 0;
		if (failed)
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
		if (u.marks)
			fl_undo_rollback(&u, mark);
		assert_memory_equal(cell, zero, sizeof cell);
		fl_undo_done(&u);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 3 && n < 100);
}

TEST(too_much_is_a_limit)
{
	struct fl_undo u;
	fairlead_error err;
	uint32_t mark;

	fl_undo_init(&u, &fl_mem_heap);
	assert_int_equal(fl_undo_mark(&u, &mark, NULL), 0);
	assert_int_equal(fl_undo_reserve(&u, (size_t)UINT32_MAX + 1, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "more than 4 GiB to undo");
	fl_undo_done(&u);
}

#ifndef FL_CHECKED
/* Whoever reserves one note too few loses nothing: a checked build stops there. */
TEST(one_note_too_few)
{
	struct fl_undo u;
	uint64_t cell[40] = { 0 };
	uint32_t mark;

	fl_undo_init(&u, &fl_mem_heap);
	assert_int_equal(fl_undo_mark(&u, &mark, NULL), 0);
	assert_int_equal(fl_undo_reserve(&u, 39 * FL_UNDO_OF(*cell), NULL), 0);
	for (uint32_t i = 0; i < 40; i++) {
		fl_undo_note(&u, &cell[i], sizeof *cell);
		cell[i] = i + 1;
	}
	fl_undo_rollback(&u, mark);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(cell[i], 0);
	fl_undo_done(&u);
}
#endif

UNIT_GROUP("undo")
