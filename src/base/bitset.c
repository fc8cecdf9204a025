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
