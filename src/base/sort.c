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
