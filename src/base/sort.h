/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort - a stable merge sort of ids, so that the order of equals never depends on libc
 *
 * O(n log n) compares at most, O(n) on input that is already in order.  Where the order is that of
 * a number, fl_sort_rows compares nothing, and so looks at no other memory: 8 passes at most.
 */
#ifndef FL_BASE_SORT_H
#define FL_BASE_SORT_H

#include "base/ids.h"

/* <0, 0, >0 */
typedef int fl_sort_cmp(const void *ctx, uint32_t a, uint32_t b);

/* Sort @ids in place; @scratch has room for @n ids. Cannot fail. */
void fl_sort(uint32_t *ids, uint32_t n, uint32_t *scratch, fl_sort_cmp *cmp, const void *ctx);

/* An id with what it is sorted by. */
struct fl_sort_row {
	uint64_t key;
	uint32_t id;
	uint32_t sym; /* for sorting names (fl_names_sort) */
};

/* Sort @rows by key in place, equals as they stand; @scratch has room for @n rows. */
void fl_sort_rows(struct fl_sort_row *rows, uint32_t n, struct fl_sort_row *scratch);
/* Keys that have the order of the signed numbers. */
static inline uint64_t fl_sort_key(int64_t v) { return (uint64_t)v ^ UINT64_C(1) << 63; }

/* Which bucket @id belongs into; FL_NONE: into none. */
typedef uint32_t fl_sort_bucket(const void *ctx, uint32_t id);
/*
 * Those of @ids that belong into a bucket become @sorted, bucket by bucket, in each in the order in
 * which they stood: bucket b is @sorted[@buckets[b].first ...]. O(n + n_buckets); @sorted has room
 * for @n ids and is no part of @ids.
 */
void fl_sort_buckets(const uint32_t *ids, uint32_t n, fl_sort_bucket *of, const void *ctx,
		     struct fl_span *buckets, uint32_t n_buckets, uint32_t *sorted);

#endif
