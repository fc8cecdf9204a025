/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

TEST(heap_frees_nothing)
{
	assert_null(fl_mem_free(&fl_mem_heap, NULL));
	assert_null(fl_mem_free(&fl_mem_heap, fl_mem_heap.resize(NULL, NULL, 10)));
}

TEST(grow_doubles)
{
	static const struct {
		const char *name;
		uint32_t cap, need, want;
	} rows[] = {
		{ "nothing needed", 0, 0, 0 },
		{ "first", 0, 1, 8 },
		{ "fits", 8, 8, 8 },
		{ "one more", 8, 9, 16 },
		{ "many more", 8, 1000, 1024 },
		{ "odd start", 3, 4, 6 },
	};
	struct fail_mem f;

	fail_mem_init(&f);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t cap = rows[i].cap;
		uint64_t *items = cap ? f.mem.resize(&f, NULL, cap * sizeof *items) : NULL;

		for (uint32_t k = 0; k < cap; k++)
			items[k] = k;
		CHECK(fl_mem_grow(&f.mem, &items, &cap, rows[i].need, sizeof *items, NULL) == 0,
		      rows[i].name);
		CHECK(cap == rows[i].want, rows[i].name);
		for (uint32_t k = 0; k < rows[i].cap; k++)
			CHECK(items[k] == k, rows[i].name);
		fl_mem_free(&f.mem, items);
		CHECK(f.live == 0, rows[i].name);
	}
}

TEST(grow_fails_untouched)
{
	struct fail_mem f;
	uint32_t cap = 0, one = 1;
	uint32_t *items = NULL, *before;
	fairlead_error err;

	fail_mem_init(&f);
	assert_int_equal(fl_mem_grow(&f.mem, &items, &cap, 1, sizeof *items, &err), 0);
	items[0] = 42;
	before = items;
	f.fail_at = 1;
	assert_int_equal(fl_mem_grow(&f.mem, &items, &cap, 9, sizeof *items, &err),
			 FAIRLEAD_ENOMEM);
	assert_int_equal(err.code, FAIRLEAD_ENOMEM);
	assert_ptr_equal(items, before);
	assert_int_equal(cap, 8);
	assert_int_equal(items[0], 42);
	fl_mem_free(&f.mem, items);
	assert_int_equal(f.live, 0);

	/* A size that no memory has is refused before anybody is asked for it. */
	f.calls = 0;
	before = items = NULL;
	assert_int_equal(fl_mem_grow(&f.mem, &items, &one, UINT32_MAX, SIZE_MAX / 1000, &err),
			 FAIRLEAD_ENOMEM);
	assert_int_equal(f.calls, 0);
	assert_null(items);
	assert_int_equal(one, 1);
}

static const size_t sizes[] = { 0,  1,  7,   8,    15,   16,   17,    63,
				64, 65, 100, 4000, 4096, 5000, 70000, 3 << 20 };

/* Objects of every size, many times over: aligned, zero, and none runs into another. */
static void take_objects(const struct fl_mem *mem)
{
	enum { N = COUNT(sizes) * 3 };
	unsigned char *objects[N];
	struct fl_arena a;

	fl_arena_init(&a, mem);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < N; i++) {
			size_t size = sizes[(i * 7) % COUNT(sizes)];

			objects[i] = fl_arena_alloc(&a, 1, size, NULL);
			assert_non_null(objects[i]);
			assert_int_equal((uintptr_t)objects[i] % (size >= 64 ? 64 : 16), 0);
			for (size_t k = 0; k < size; k++)
				assert_int_equal(objects[i][k], 0);
			memset(objects[i], (int)i + 1, size);
		}
		for (size_t i = 0; i < N; i++)
			for (size_t k = 0; k < sizes[(i * 7) % COUNT(sizes)]; k += 13)
				assert_int_equal(objects[i][k], i + 1);
		fl_arena_reset(&a);
	}
	fl_arena_done(&a);
}

TEST(arena_objects_are_apart)
{
	struct fail_mem f;

	fail_mem_init(&f);
	take_objects(&f.mem);
	assert_int_equal(f.live, 0);
	take_objects(&fl_mem_heap); /* which has memory that is zeroed already */
}

TEST(zeroed_memory_is_zeroed)
{
	struct fail_mem f;
	const struct fl_mem *mems[] = { &f.mem, &fl_mem_heap };

	fail_mem_init(&f);
	for (size_t i = 0; i < COUNT(mems); i++) {
		fairlead_error err = { 0 };
		unsigned char *bytes = fl_mem_zeroed(mems[i], 1000, 3, &err);

		assert_non_null(bytes);
		for (size_t k = 0; k < 3000; k++)
			assert_int_equal(bytes[k], 0);
		fl_mem_free(mems[i], bytes);
		assert_null(fl_mem_zeroed(mems[i], SIZE_MAX, 3, &err));
		assert_int_equal(err.code, FAIRLEAD_ENOMEM);
	}
	f.fail_at = 1;
	assert_null(fl_mem_zeroed(&f.mem, 1, 1, NULL));
	assert_int_equal(f.live, 0);
}

#ifndef FL_ALLOC_DEBUG /* there each object is an allocation of its own, on purpose */
TEST(a_warm_arena_allocates_nothing)
{
	struct fail_mem f;
	struct fl_arena a;

	fail_mem_init(&f);
	fl_arena_init(&a, &f.mem);
	for (int round = 0; round < 5; round++) {
		f.calls = 0;
		for (size_t i = 0; i < COUNT(sizes) * 20; i++)
			assert_non_null(fl_arena_alloc(&a, 1, sizes[(i * 7) % COUNT(sizes)], NULL));
		if (round > 0)
			assert_int_equal(f.calls, 0);
		fl_arena_reset(&a);
	}
	fl_arena_done(&a);
	assert_int_equal(f.live, 0);
}
#endif

TEST(arena_refuses_what_cannot_be)
{
	static const struct {
		const char *name;
		size_t n, size;
	} rows[] = {
		{ "overflow", SIZE_MAX, 2 },
		{ "all of the address space", 1, SIZE_MAX },
		{ "half of it", 1, SIZE_MAX / 2 + 1 },
	};
	struct fail_mem f;
	struct fl_arena a;

	fail_mem_init(&f);
	fl_arena_init(&a, &f.mem);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err = { 0 };

		CHECK(!fl_arena_alloc(&a, rows[i].n, rows[i].size, &err), rows[i].name);
		CHECK(err.code == FAIRLEAD_ENOMEM, rows[i].name);
		CHECK(f.calls == 0, rows[i].name);
	}
	fl_arena_done(&a);
}

TEST(arena_survives_each_failing_call)
{
	unsigned long n;

	for (n = 1; n < 100; n++) {
		struct fail_mem f;
		struct fl_arena a;
		fairlead_error err = { 0 };
		unsigned char *first;
		size_t i;

		fail_mem_init(&f);
		fl_arena_init(&a, &f.mem);
		first = fl_arena_alloc(&a, 3, 5, NULL);
		memset(first, 9, 15);
		f.fail_at = n;
		for (i = 0; i < COUNT(sizes); i++)
			if (!fl_arena_alloc(&a, 1, sizes[i], &err))
				break;
		if (i < COUNT(sizes)) {
			/* It goes on as if nobody had asked. */
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
			assert_non_null(fl_arena_alloc(&a, 1, sizes[i], NULL));
			assert_int_equal(first[14], 9);
		}
		fl_arena_reset(&a);
		fl_arena_done(&a);
		assert_int_equal(f.live, 0);
		if (i == COUNT(sizes))
			break;
	}
	assert_true(n > 3 && n < 100);
}

TEST(done_twice_is_fine)
{
	struct fl_arena a;

	fl_arena_init(&a, &fl_mem_heap);
	fl_arena_done(&a);
	fl_arena_init(&a, &fl_mem_heap);
	assert_non_null(fl_arena_alloc(&a, 1, 1, NULL));
	fl_arena_done(&a);
	fl_arena_done(&a);
}

UNIT_GROUP("mem")
