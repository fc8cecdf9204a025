/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HEADER = 64 }; /* before each object, for its size; keeps malloc's alignment */

void *count_resize(void *user, void *old, size_t size)
{
	struct counter *c = user;
	char *base = old ? (char *)old - HEADER : NULL;
	size_t before = 0;

	if (base)
		memcpy(&before, base, sizeof before);
	if (size == 0) {
		c->live -= before;
		free(base);
		return NULL;
	}
	base = realloc(base, size + HEADER);
	if (!base)
		return NULL;
	memcpy(base, &size, sizeof size);
	c->calls++;
	c->live += size - before;
	return base + HEADER;
}

double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double now_ms(void) { return now_ns() / 1e6; }

double resident_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

double median(double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, by_value);
	return (ms[(n - 1) / 2] + ms[n / 2]) / 2;
}
