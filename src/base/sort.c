/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include <string.h>

enum { RUN = 12 }; /* below this, insertion is cheaper than merging */

static void insertion(uint32_t *ids, uint32_t n, fl_sort_cmp *cmp, const void *ctx)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t id = ids[i], j = i;

		for (; j > 0 && cmp(ctx, ids[j - 1], id) > 0; j--)
			ids[j] = ids[j - 1];
		ids[j] = id;
	}
}

/* Merge ids[0, mid) and ids[mid, n); nothing to do when they are in order already. */
static void merge(uint32_t *ids, uint32_t mid, uint32_t n, uint32_t *scratch, fl_sort_cmp *cmp,
		  const void *ctx)
{
	uint32_t left = 0, right = mid, out = 0;

	if (cmp(ctx, ids[mid - 1], ids[mid]) <= 0)
		return;
	memcpy(scratch, ids, mid * sizeof *ids);
	while (left < mid && right < n)
		ids[out++] = cmp(ctx, scratch[left], ids[right]) <= 0 ? scratch[left++] :
									ids[right++];
	memcpy(ids + out, scratch + left, (mid - left) * sizeof *ids);
}

void fl_sort(uint32_t *ids, uint32_t n, uint32_t *scratch, fl_sort_cmp *cmp, const void *ctx)
{
	for (uint32_t at = 0; at < n; at += RUN)
		insertion(ids + at, n - at < RUN ? n - at : RUN, cmp, ctx);
	for (uint64_t width = RUN; width < n; width *= 2)
		for (uint64_t at = 0; at + width < n; at += 2 * width) {
			uint64_t end = at + 2 * width < n ? at + 2 * width : n;

			merge(ids + at, (uint32_t)width, (uint32_t)(end - at), scratch, cmp, ctx);
		}
}

static void insert_rows(struct fl_sort_row *rows, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct fl_sort_row row = rows[i];
		uint32_t j = i;

		for (; j > 0 && rows[j - 1].key > row.key; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/* By one byte of the key, from @from to @to. @at: how many rows have each value; used up. */
static void deal(const struct fl_sort_row *from, struct fl_sort_row *to, uint32_t n, int shift,
		 uint32_t at[256])
{
	uint32_t next = 0;

	for (int v = 0; v < 256; v++) {
		uint32_t count = at[v];

		at[v] = next;
		next += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & 0xff]++] = from[i];
}

void fl_sort_rows(struct fl_sort_row *rows, uint32_t n, struct fl_sort_row *scratch)
{
	struct fl_sort_row *from = rows, *to = scratch;
	uint64_t differ = 0;

	if (n <= 2 * RUN) {
		insert_rows(rows, n);
		return;
	}
	for (uint32_t i = 1; i < n; i++)
		differ |= rows[i].key ^ rows[0].key;
	for (int shift = 0; shift < 64; shift += 8) {
		uint32_t count[256] = { 0 };

		if (!(differ >> shift & 0xff))
			continue;
		for (uint32_t i = 0; i < n; i++)
			count[from[i].key >> shift & 0xff]++;
		deal(from, to, n, shift, count);
		from = to;
		to = from == rows ? scratch : rows;
	}
	if (from != rows)
		memcpy(rows, from, n * sizeof *rows);
}

void fl_sort_buckets(const uint32_t *ids, uint32_t n, fl_sort_bucket *of, const void *ctx,
		     struct fl_span *buckets, uint32_t n_buckets, uint32_t *sorted)
{
	uint32_t first = 0;

	for (uint32_t b = 0; b < n_buckets; b++)
		buckets[b] = (struct fl_span){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = of(ctx, ids[i]);

		if (b != FL_NONE)
			buckets[b].n++;
	}
	for (uint32_t b = 0; b < n_buckets; b++) {
		buckets[b].first = first;
		first += buckets[b].n;
		buckets[b].n = 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = of(ctx, ids[i]);

		if (b != FL_NONE)
			sorted[buckets[b].first + buckets[b].n++] = ids[i];
	}
}
