/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGN = 64 };
enum { LARGE = LARGEST_BLOCK / 16 }; /* objects that have a block for themselves */

struct fl_block {
	struct fl_block *next;
	size_t size, used;
	size_t written; /* of a large one: behind so many bytes it is zeroed */
	bool large;
	unsigned char bytes[];
};

static void *heap_resize(void *user, void *old, size_t size)
{
	(void)user;
	if (size == 0) {
		free(old);
		return NULL;
	}
	return realloc(old, size);
}

static void *heap_zeroed(void *user, size_t size)
{
	(void)user;
	return calloc(1, size);
}

const struct fl_mem fl_mem_heap = { .resize = heap_resize, .zeroed = heap_zeroed };

void *fl_mem_free(const struct fl_mem *mem, void *ptr)
{
	if (ptr)
		mem->resize(mem->user, ptr, 0);
	return NULL;
}

void *fl_mem_zeroed(const struct fl_mem *mem, size_t n, size_t size, fairlead_error *err)
{
	size_t bytes;
	void *ret = NULL;

	if (!__builtin_mul_overflow(n, size, &bytes))
		ret = mem->zeroed ? mem->zeroed(mem->user, bytes) :
				    mem->resize(mem->user, NULL, bytes);
	if (!ret)
		(void)fl_fail_nomem(err);
	else if (!mem->zeroed)
		memset(ret, 0, bytes);
	return ret;
}

int fl_mem_grow_now(const struct fl_mem *mem, void *items, uint32_t *cap, uint32_t need,
		    size_t item, fairlead_error *err)
{
	void *old, *new;
	size_t want = *cap ? *cap : 8;

	while (want < need)
		want *= 2;
	if (want > UINT32_MAX)
		want = UINT32_MAX;
	if (want < need || want > SIZE_MAX / item)
		return fl_fail_nomem(err);
	memcpy(&old, items, sizeof old);
	new = mem->resize(mem->user, old, want * item);
	if (!new)
		return fl_fail_nomem(err);
	memcpy(items, &new, sizeof new);
	*cap = (uint32_t)want;
	return 0;
}

void fl_arena_init(struct fl_arena *a, const struct fl_mem *mem)
{
	*a = (struct fl_arena){ .mem = mem, .next_size = FIRST_BLOCK };
}

static void free_blocks(const struct fl_mem *mem, struct fl_block *b)
{
	while (b) {
		struct fl_block *next = b->next;

		fl_mem_free(mem, b);
		b = next;
	}
}

void fl_arena_done(struct fl_arena *a)
{
	free_blocks(a->mem, a->blocks);
	free_blocks(a->mem, a->spare);
	a->blocks = a->spare = NULL;
}

void fl_arena_reset(struct fl_arena *a)
{
#ifdef FL_ALLOC_DEBUG
	free_blocks(a->mem, a->blocks);
	a->blocks = NULL;
#else
	while (a->blocks) {
		struct fl_block *b = a->blocks;

		a->blocks = b->next;
		b->used = 0;
		b->next = a->spare;
		a->spare = b;
	}
#endif
}

/* Where a spare block for @size hangs: of large ones the smallest; in the order they were made. */
static struct fl_block **find_spare(struct fl_arena *a, size_t size)
{
	struct fl_block **best = NULL;

	for (struct fl_block **at = &a->spare; *at; at = &(*at)->next) {
		if (((*at)->large != (size >= LARGE)) || (*at)->size < size)
			continue;
		if (size < LARGE)
			return at;
		if (!best || (*at)->size < (*best)->size)
			best = at;
	}
	return best;
}

/* Pages of a large object that are never written to cost no memory. */
static struct fl_block *new_block(const struct fl_mem *mem, size_t bytes, bool zeroed)
{
	struct fl_block *b = zeroed ? mem->zeroed(mem->user, bytes) :
				      mem->resize(mem->user, NULL, bytes);

	if (b)
		*b = (struct fl_block){ .written = zeroed ? 0 : bytes };
	return b;
}

static struct fl_block *take_block(struct fl_arena *a, size_t size)
{
	struct fl_block **spare = find_spare(a, size), *b;
	bool large = size >= LARGE;

	if (spare) {
		b = *spare;
		*spare = b->next;
		return b;
	}
#ifndef FL_ALLOC_DEBUG
	if (!large) {
		if (size < a->next_size)
			size = a->next_size;
		if (a->next_size < LARGEST_BLOCK)
			a->next_size *= 2;
	}
#endif
	b = new_block(a->mem, sizeof *b + size + ALIGN, large && a->mem->zeroed);
	if (b) {
		b->size = size;
		b->large = large;
	}
	return b;
}

/* Blocks come from realloc, aligned to 16: round the first byte up inside the block. */
static size_t first_offset(const struct fl_block *b)
{
	return (size_t)(-(uintptr_t)b->bytes) % ALIGN;
}

/* Where it is taken from first; that of a large object behind that, which may have room yet. */
static void put_block(struct fl_arena *a, struct fl_block *b)
{
	struct fl_block **at = b->large && a->blocks ? &a->blocks->next : &a->blocks;

	b->next = *at;
	*at = b;
}

/* The one object of a large block, which has no room for others from here on. */
static void *take_large(struct fl_block *b, size_t bytes)
{
	void *ptr = b->bytes + first_offset(b);

	memset(ptr, 0, b->written < bytes ? b->written : bytes);
	if (b->written < bytes)
		b->written = bytes;
	b->used = b->size;
	return ptr;
}

void *fl_arena_alloc(struct fl_arena *a, size_t n, size_t size, fairlead_error *err)
{
	size_t bytes, align;
	struct fl_block *b = a->blocks;
	unsigned char *ptr;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2) {
		fl_fail_nomem(err);
		return NULL;
	}
	align = bytes >= ALIGN ? ALIGN : 16;
	bytes = bytes ? (bytes + align - 1) / align * align : align;
#ifdef FL_ALLOC_DEBUG
	b = NULL;
#endif
	if (b)
		b->used = (b->used + align - 1) / align * align;
	if (!b || b->used > b->size || b->size - b->used < bytes) {
		b = take_block(a, bytes);
		if (!b) {
			fl_fail_nomem(err);
			return NULL;
		}
		put_block(a, b);
		if (b->large)
			return take_large(b, bytes);
	}
	ptr = b->bytes + first_offset(b) + b->used;
	b->used += bytes;
	return memset(ptr, 0, bytes);
}
