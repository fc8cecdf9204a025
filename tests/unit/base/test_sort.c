/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "base/sort.h"
#include "lib/unit.h"

enum { MOST = 3000 };

/* Keys are few and ids many, so that most of them tie. */
struct keys {
	uint32_t key[MOST];
	unsigned long compares;
};

static int by_key(const void *ctx, uint32_t a, uint32_t b)
{
	struct keys *k = (struct keys *)(uintptr_t)ctx;

	k->compares++;
	return (k->key[a] > k->key[b]) - (k->key[a] < k->key[b]);
}

static uint64_t seed = 42;

static uint32_t dice(uint32_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % sides;
}

/* The obvious one: each id goes behind everything that is not greater. */
static void slow_sort(uint32_t *ids, uint32_t n, struct keys *k)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j > 0 && by_key(k, ids[j - 1], ids[j]) > 0; j--) {
			uint32_t swap = ids[j];

			ids[j] = ids[j - 1];
			ids[j - 1] = swap;
		}
}

enum shape { RANDOM, UP, DOWN, EQUAL, SAW, SHAPES };

static uint32_t key_of(enum shape shape, uint32_t i, uint32_t n)
{
	switch (shape) {
	case UP:
		return i / 3;
	case DOWN:
		return (n - i) / 3;
	case EQUAL:
		return 7;
	case SAW:
		return i % 17;
	default:
		return dice(n / 4 + 1);
	}
}

TEST(same_as_the_slow_one)
{
	static struct keys k;
	static uint32_t fast[MOST], slow[MOST], scratch[MOST];
	static const uint32_t lengths[] = { 0,  1,  2,  3,  11, 12,  13,  23,  24,  25,  36,
					    47, 48, 49, 96, 97, 100, 191, 193, 500, 1000 };

	for (size_t l = 0; l < COUNT(lengths); l++)
		for (enum shape shape = 0; shape < SHAPES; shape++)
			for (int round = 0; round < (shape == RANDOM ? 20 : 1); round++) {
				uint32_t n = lengths[l];

				for (uint32_t i = 0; i < n; i++) {
					k.key[i] = key_of(shape, i, n);
					fast[i] = slow[i] = i;
				}
				fl_sort(fast, n, scratch, by_key, &k);
				slow_sort(slow, n, &k);
				if (n)
					assert_memory_equal(fast, slow, n * sizeof *fast);
			}
}

static uint32_t bucket_of(const void *ctx, uint32_t id) { return ((const uint32_t *)ctx)[id]; }

/* Each id in its bucket, in the order in which ids stood; some in none; empty ones where they are. */
TEST(buckets_are_stable)
{
	static const uint32_t of[] = { 2, 0, FL_NONE, 2, 4, 0, 2, FL_NONE };
	static const uint32_t ids[] = { 6, 7, 5, 4, 3, 2, 1, 0 };
	static const uint32_t wanted[] = { 5, 1, 6, 3, 0, 4 };
	static const struct fl_span spans[] = { { 0, 2 }, { 2, 0 }, { 2, 3 }, { 5, 0 }, { 5, 1 } };
	struct fl_span buckets[5] = { { 77, 77 } };
	uint32_t sorted[8] = { 0 };

	fl_sort_buckets(ids, 8, bucket_of, of, buckets, 5, sorted);
	assert_memory_equal(sorted, wanted, sizeof wanted);
	assert_memory_equal(buckets, spans, sizeof spans);
	fl_sort_buckets(ids, 0, bucket_of, of, buckets, 5, sorted);
	for (int b = 0; b < 5; b++)
		assert_true(buckets[b].first == 0 && buckets[b].n == 0);
	fl_sort_buckets(NULL, 0, bucket_of, of, NULL, 0, NULL);
}

/* Equals stay in the order they came in, whatever that was. */
TEST(equals_keep_their_order)
{
	static struct keys k;
	static uint32_t ids[MOST], scratch[MOST], place[MOST];

	for (uint32_t i = 0; i < MOST; i++) {
		k.key[i] = dice(9);
		ids[i] = i;
	}
	for (uint32_t i = MOST - 1; i > 0; i--) {
		uint32_t j = dice(i + 1), swap = ids[i];

		ids[i] = ids[j];
		ids[j] = swap;
	}
	for (uint32_t i = 0; i < MOST; i++)
		place[ids[i]] = i;
	fl_sort(ids, MOST, scratch, by_key, &k);
	for (uint32_t i = 1; i < MOST; i++) {
		assert_true(k.key[ids[i - 1]] <= k.key[ids[i]]);
		if (k.key[ids[i - 1]] == k.key[ids[i]])
			assert_true(place[ids[i - 1]] < place[ids[i]]);
	}
}

TEST(work_is_bounded)
{
	static struct keys k;
	static uint32_t ids[MOST], scratch[MOST];

	for (enum shape shape = 0; shape < SHAPES; shape++) {
		for (uint32_t i = 0; i < MOST; i++) {
			k.key[i] = key_of(shape, i, MOST);
			ids[i] = i;
		}
		k.compares = 0;
		fl_sort(ids, MOST, scratch, by_key, &k);
		/* 12 a short run of insertion, and log2(3000 / 12) = 8 levels of merging. */
		assert_true(k.compares <= MOST * (12 + 8 + 1));
		if (shape == UP || shape == EQUAL)
			assert_true(k.compares <= 2 * MOST);
	}
}

/* Keys that differ in some bytes only, and signed ones. */
TEST(rows_by_key)
{
	static const struct {
		const char *name;
		uint64_t mask; /* bits in which keys differ */
		uint32_t n;
	} rows[] = {
		{ "none", 0, 500 },
		{ "one byte", 0x3f00, MOST },
		{ "the highest", UINT64_C(0xff) << 56, MOST },
		{ "two apart", UINT64_C(0x0700000000000003), MOST },
		{ "all", UINT64_MAX, MOST },
		{ "few rows", UINT64_MAX, 24 },
		{ "one more", UINT64_MAX, 25 },
		{ "one row", UINT64_MAX, 1 },
		{ "no rows", UINT64_MAX, 0 },
	};
	static struct fl_sort_row sorted[MOST], scratch[MOST];

	for (size_t i = 0; i < COUNT(rows); i++) {
		for (uint32_t k = 0; k < rows[i].n; k++)
			sorted[k] = (struct fl_sort_row){
				.key = fl_sort_key(
					(int64_t)((uint64_t)dice(1u << 31) << 33 | dice(1u << 31)) &
					(int64_t)rows[i].mask),
				.id = k,
				.sym = ~k,
			};
		fl_sort_rows(sorted, rows[i].n, scratch);
		for (uint32_t k = 0; k < rows[i].n; k++)
			CHECK(sorted[k].sym == ~sorted[k].id, rows[i].name);
		for (uint32_t k = 1; k < rows[i].n; k++)
			CHECK(sorted[k - 1].key < sorted[k].key ||
				      (sorted[k - 1].key == sorted[k].key &&
				       sorted[k - 1].id < sorted[k].id),
			      rows[i].name);
	}
	assert_true(fl_sort_key(INT64_MIN) == 0 && fl_sort_key(-1) < fl_sort_key(0) &&
		    fl_sort_key(0) < fl_sort_key(1) && fl_sort_key(INT64_MAX) == UINT64_MAX);
}

UNIT_GROUP("sort")
