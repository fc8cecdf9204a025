/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bitset.h"

#include <string.h>

int fl_bitset_init(struct fl_bitset *s, uint32_t size, struct fl_arena *a, fairlead_error *err)
{
	uint32_t words = size;

	*s = (struct fl_bitset){ .size = size };
	do {
		words = words / 64 + (words % 64 != 0);
		s->level[s->levels] = fl_arena_alloc(a, words, sizeof(uint64_t), err);
		if (!s->level[s->levels])
			return FAIRLEAD_ENOMEM;
		s->levels++;
	} while (words > 1);
	return 0;
}

bool fl_bitset_has(const struct fl_bitset *s, uint32_t i)
{
	return s->level[0][i / 64] >> (i % 64) & 1;
}

void fl_bitset_add(struct fl_bitset *s, uint32_t i, struct fl_undo *undo)
{
	for (uint32_t l = 0; l < s->levels; l++, i /= 64) {
		uint64_t *word = &s->level[l][i / 64], old = *word;

		fl_undo_note(undo, word, sizeof *word);
		*word |= UINT64_C(1) << (i % 64);
		if (old)
			return; /* the levels above know of this word */
	}
}

void fl_bitset_remove(struct fl_bitset *s, uint32_t i, struct fl_undo *undo)
{
	for (uint32_t l = 0; l < s->levels; l++, i /= 64) {
		uint64_t *word = &s->level[l][i / 64];

		fl_undo_note(undo, word, sizeof *word);
		*word &= ~(UINT64_C(1) << (i % 64));
		if (*word)
			return;
	}
}

/* Sets a whole word, and in the levels above whether it is empty. */
static void put_word(struct fl_bitset *s, uint32_t at, uint64_t value, struct fl_undo *undo)
{
	for (uint32_t l = 0; l < s->levels; l++) {
		uint64_t *word = &s->level[l][at], old = *word, bit = UINT64_C(1) << (at % 64);
		bool was = old != 0;

		if (old == value)
			return;
		fl_undo_note(undo, word, sizeof *word);
		*word = value;
		if (l + 1 == s->levels || was == (value != 0))
			return;
		at /= 64;
		value = s->level[l + 1][at];
		value = was ? value & ~bit : value | bit;
	}
}

/* The bits of word @at that belong to [first, end). */
static uint64_t within(uint32_t at, uint32_t first, uint32_t end)
{
	uint64_t mask = UINT64_MAX;

	if (first / 64 == at)
		mask &= UINT64_MAX << (first % 64);
	if (end / 64 == at)
		mask &= (UINT64_C(1) << (end % 64)) - 1;
	return mask;
}

void fl_bitset_slide_up(struct fl_bitset *s, uint32_t first, uint32_t end, struct fl_undo *undo)
{
	if (first >= end)
		return;
	for (uint32_t at = (end - 1) / 64 + 1; at-- > first / 64;) {
		uint64_t mask = within(at, first, end), old = s->level[0][at];
		uint64_t below = at > first / 64 ? s->level[0][at - 1] >> 63 : 0;
		uint64_t from = at == first / 64 ? old & mask : old;

		put_word(s, at, (old & ~mask) | (((from << 1) | below) & mask), undo);
	}
}

void fl_bitset_slide_down(struct fl_bitset *s, uint32_t first, uint32_t end, struct fl_undo *undo)
{
	if (first >= end)
		return;
	for (uint32_t at = first / 64; at <= (end - 1) / 64; at++) {
		uint64_t mask = within(at, first, end), old = s->level[0][at];
		uint64_t above = at < (end - 1) / 64 ?
					 s->level[0][at + 1] & within(at + 1, first, end) & 1 :
					 0;

		put_word(s, at, (old & ~mask) | ((((old & mask) >> 1) | above << 63) & mask), undo);
	}
}

size_t fl_bitset_slide_undo(uint32_t first, uint32_t end)
{
	return ((end - first) / 64 + (size_t)2) * FL_BITSET_UNDO;
}

void fl_bitset_clear(struct fl_bitset *s)
{
	uint32_t words = s->size;

	for (uint32_t l = 0; l < s->levels; l++) {
		words = words / 64 + (words % 64 != 0);
		memset(s->level[l], 0, words * sizeof *s->level[l]);
	}
}

uint32_t fl_bitset_next(const struct fl_bitset *s, uint32_t from)
{
	uint32_t l = 0, i = from, n = s->size; /* numbers of level l are below n */

	if (from >= s->size)
		return FL_NONE;
	/* Up: the first level where something stands at or after i. */
	for (;; l++) {
		uint64_t rest = s->level[l][i / 64] >> (i % 64);

		if (rest) {
			i += (uint32_t)__builtin_ctzll(rest);
			break;
		}
		i = i / 64 + 1;
		n = n / 64 + (n % 64 != 0);
		if (l + 1 == s->levels || i >= n)
			return FL_NONE;
	}
	/* Down again, always to the least. */
	while (l-- > 0)
		i = i * 64 + (uint32_t)__builtin_ctzll(s->level[l][i]);
	return i;
}
