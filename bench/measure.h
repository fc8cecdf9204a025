/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure - time, memory, and an allocator that counts
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>

struct counter {
	unsigned long calls; /* that asked for memory */
	size_t live;         /* bytes */
};

/* For struct fl_mem, with a counter as `user`. */
void *count_resize(void *user, void *old, size_t size);

double now_ms(void);
double now_ns(void);

double resident_mb(void);

/* Sorts @ms. */
double median(double *ms, size_t n);

#endif
