/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sort - a stable merge sort of ids, so that the order of equals never depends on libc
 *
 * O(n log n) compares at most, O(n) on input that is already in order.
 */
#ifndef FL_BASE_SORT_H
#define FL_BASE_SORT_H

#include <stdint.h>

/* <0, 0, >0 */
typedef int fl_sort_cmp(const void *ctx, uint32_t a, uint32_t b);

/* Sort @ids in place; @scratch has room for @n ids. Cannot fail. */
void fl_sort(uint32_t *ids, uint32_t n, uint32_t *scratch, fl_sort_cmp *cmp, const void *ctx);

#endif
