/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem - where memory comes from: the only door to the heap in the core
 *
 * Every engine carries its allocator, so a test can fail the n-th call and a
 * host program can count.  fl_arena hands out memory that is freed all at once;
 * with -Dalloc_debug=true each object is its own allocation, so that the
 * sanitizers see overruns.
 */
#ifndef FL_BASE_MEM_H
#define FL_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fl_mem {
	/* size 0 frees and returns NULL; NULL for size > 0 means out of memory. */
	void *(*resize)(void *user, void *old, size_t size);
	void *user;
	/* New memory that is zeroed, which may cost less than to write zeros into it; NULL: it does not. */
	void *(*zeroed)(void *user, size_t size);
};

extern const struct fl_mem fl_mem_heap; /* realloc, free and calloc */

void *fl_mem_free(const struct fl_mem *mem, void *ptr); /* accepts NULL, returns NULL */
/* @n zeroed items of @size bytes, each more than 0; NULL with *err filled. */
void *fl_mem_zeroed(const struct fl_mem *mem, size_t n, size_t size, fairlead_error *err);

/* The part of fl_mem_grow where @need is more than *@cap. */
int fl_mem_grow_now(const struct fl_mem *mem, void *items, uint32_t *cap, uint32_t need,
		    size_t item, fairlead_error *err);
/*
 * Grow @items (capacity *@cap items of @item bytes) to hold @need items.
 * 0, or FAIRLEAD_ENOMEM with everything untouched.  Doubles, so n pushes cost O(n).
 */
static inline int fl_mem_grow(const struct fl_mem *mem, void *items, uint32_t *cap, uint32_t need,
			      size_t item, fairlead_error *err)
{
	return need <= *cap ? 0 : fl_mem_grow_now(mem, items, cap, need, item, err);
}

struct fl_arena {
	const struct fl_mem *mem;
	struct fl_block *blocks; /* newest first */
	struct fl_block *spare;  /* kept by reset: a warm arena allocates nothing */
	size_t next_size;
};

void fl_arena_init(struct fl_arena *a, const struct fl_mem *mem);
void fl_arena_done(struct fl_arena *a);
void fl_arena_reset(struct fl_arena *a); /* frees all objects, keeps the blocks */

/* Zeroed memory aligned for any type, or NULL with *err filled. size 0 gives a valid pointer. */
void *fl_arena_alloc(struct fl_arena *a, size_t n, size_t size, fairlead_error *err);
/* @ptr = @n of what it points to, of arena @a; false: there is no memory, and *@err says so. */
#define FL_NEW(a, ptr, n, err) (((ptr) = fl_arena_alloc((a), (n), sizeof *(ptr), (err))) != NULL)

#endif
