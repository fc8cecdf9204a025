/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bitset.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

static uint64_t seed = 11;

static uint32_t dice(uint32_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % sides;
}

static uint32_t slow_next(const bool *in, uint32_t size, uint32_t from)
{
	for (uint32_t i = from; i < size; i++)
		if (in[i])
			return i;
	return FL_NONE;
}

static void same(const struct fl_bitset *s, const bool *in, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		assert_int_equal(fl_bitset_has(s, i), in[i]);
		assert_int_equal(fl_bitset_next(s, i), slow_next(in, size, i));
	}
	assert_int_equal(fl_bitset_next(s, size), FL_NONE);
	assert_int_equal(fl_bitset_next(s, FL_NONE), FL_NONE);
}

static const uint32_t sizes[] = {
	0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 5000
};

/* Random members, few and many, against a plain array of truths. */
TEST(same_as_an_array)
{
	static bool in[5000];
	struct fl_arena a;

	fl_arena_init(&a, &fl_mem_heap);
	for (size_t k = 0; k < COUNT(sizes); k++) {
		struct fl_bitset s;
		uint32_t size = sizes[k];

		memset(in, 0, sizeof in);
		assert_int_equal(fl_bitset_init(&s, size, &a, NULL), 0);
		same(&s, in, size);
		for (uint32_t round = 0; size && round < 6; round++) {
			for (uint32_t i = 0; i < (round + 1) * 5; i++) {
				uint32_t at = dice(size);

				in[at] = dice(3);
				if (dice(2))
					fl_bitset_put(&s, at, in[at], NULL);
				else if (in[at])
					fl_bitset_add(&s, at, NULL);
				else
					fl_bitset_remove(&s, at, NULL);
			}
			same(&s, in, size);
		}
	}
	fl_arena_done(&a);
}

TEST(the_last_of_a_large_one)
{
	const uint32_t size = 1 << 24;
	struct fl_bitset s;
	struct fl_arena a;

	fl_arena_init(&a, &fl_mem_heap);
	assert_int_equal(fl_bitset_init(&s, size, &a, NULL), 0);
	fl_bitset_add(&s, size - 1, NULL);
	assert_int_equal(fl_bitset_next(&s, 0), size - 1);
	fl_bitset_add(&s, 4097, NULL);
	assert_int_equal(fl_bitset_next(&s, 0), 4097);
	assert_int_equal(fl_bitset_next(&s, 4098), size - 1);
	fl_bitset_remove(&s, size - 1, NULL);
	assert_int_equal(fl_bitset_next(&s, 4098), FL_NONE);
	fl_arena_done(&a);
}

TEST(rolls_back)
{
	enum { SIZE = 5000 };
	static bool in[SIZE];
	struct fl_bitset s;
	struct fl_arena a;
	struct fl_undo u;

	fl_arena_init(&a, &fl_mem_heap);
	fl_undo_init(&u, &fl_mem_heap);
	assert_int_equal(fl_bitset_init(&s, SIZE, &a, NULL), 0);
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t at = dice(SIZE);

		fl_bitset_add(&s, at, NULL);
		in[at] = true;
	}
	for (int round = 0; round < 20; round++) {
		uint32_t mark;

		assert_int_equal(fl_undo_mark(&u, &mark, NULL), 0);

		for (uint32_t i = 0; i < 100; i++) {
			/* The promised room is enough: nothing is asked for but this. */
			assert_int_equal(fl_undo_reserve(&u, FL_BITSET_UNDO, NULL), 0);
			if (dice(2))
				fl_bitset_add(&s, dice(SIZE), &u);
			else
				fl_bitset_remove(&s,
						 fl_bitset_next(&s, 0) == FL_NONE ?
							 0 :
							 fl_bitset_next(&s, 0),
						 &u);
		}
		fl_undo_rollback(&u, mark);
		same(&s, in, SIZE);
	}
	fl_undo_done(&u);
	fl_arena_done(&a);
}

TEST(no_memory)
{
	struct fail_mem f;
	struct fl_arena a;
	struct fl_bitset s;
	fairlead_error err = { 0 };

	fail_mem_init(&f);
	fl_arena_init(&a, &f.mem);
	f.fail_at = 1;
	assert_int_equal(fl_bitset_init(&s, 100000, &a, &err), FAIRLEAD_ENOMEM);
	assert_int_equal(err.code, FAIRLEAD_ENOMEM);
	fl_arena_done(&a);
	assert_int_equal(f.live, 0);
}

UNIT_GROUP("bitset")
