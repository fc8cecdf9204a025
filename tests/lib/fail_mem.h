/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail_mem - an allocator for tests: counts calls and objects, fails the n-th call
 *
 * To prove that a function survives running out of memory anywhere, call it with
 * fail_at 1, 2, ... until it succeeds; after each failure `live` and what was
 * there before must be unchanged.  Every object moves when it is resized and new
 * bytes are not zero, so that a kept pointer and a missing initialisation show.
 */
#ifndef FL_TESTS_LIB_FAIL_MEM_H
#define FL_TESTS_LIB_FAIL_MEM_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct fail_mem {
	struct fl_mem mem;     /* hand out &f.mem */
	unsigned long calls;   /* that asked for memory */
	unsigned long fail_at; /* 1: the next one fails; 0: none */
	long live;             /* objects not freed yet */
};

enum { FAIL_MEM_HEADER = 16 }; /* holds the size, keeps malloc's alignment */

static inline void *fail_mem_resize(void *user, void *old, size_t size)
{
	struct fail_mem *f = user;
	char *base = old ? (char *)old - FAIL_MEM_HEADER : NULL, *new;
	size_t before = 0;

	if (size == 0) {
		f->live -= base != NULL;
		free(base);
		return NULL;
	}
	f->calls++;
	if (f->fail_at && --f->fail_at == 0)
		return NULL;
	new = malloc(FAIL_MEM_HEADER + size);
	if (!new)
		abort();
	memset(new, 0xa5, FAIL_MEM_HEADER + size);
	memcpy(new, &size, sizeof size);
	if (base) {
		memcpy(&before, base, sizeof before);
		memcpy(new + FAIL_MEM_HEADER, old, before < size ? before : size);
		free(base);
	} else {
		f->live++;
	}
	return new + FAIL_MEM_HEADER;
}

/* Not by value: mem.user points into it. */
static inline void fail_mem_init(struct fail_mem *f)
{
	*f = (struct fail_mem){ .mem = { .resize = fail_mem_resize, .user = f } };
}

#endif
