/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bitset - a set of small integers that knows its least member
 *
 * Words of 64 bits, and above them levels in which a bit says "this word is not
 * empty": add, remove and least cost O(log64 n).  A queue's waiting workloads are
 * such a set of positions in queue order, so its head is the least.
 */
#ifndef FL_BASE_BITSET_H
#define FL_BASE_BITSET_H

#include <stdbool.h>

#include "base/ids.h"
#include "base/undo.h"

enum { FL_BITSET_LEVELS = 5 }; /* 64^5 > 2^24 members */

struct fl_bitset {
	uint64_t *level[FL_BITSET_LEVELS]; /* [0] holds the members */
	uint32_t levels;
	uint32_t size; /* members are below it */
};

/* Empty set of numbers below @size. */
int fl_bitset_init(struct fl_bitset *s, uint32_t size, struct fl_arena *a, fairlead_error *err);

bool fl_bitset_has(const struct fl_bitset *s, uint32_t i);
void fl_bitset_add(struct fl_bitset *s, uint32_t i, struct fl_undo *undo);
void fl_bitset_remove(struct fl_bitset *s, uint32_t i, struct fl_undo *undo);
/* Added or removed, where it is not so already. */
static inline void fl_bitset_put(struct fl_bitset *s, uint32_t i, bool in, struct fl_undo *undo)
{
	if (in == fl_bitset_has(s, i))
		return;
	if (in)
		fl_bitset_add(s, i, undo);
	else
		fl_bitset_remove(s, i, undo);
}
/*
 * The members in [first, end) become larger by one, or smaller by one; @end - 1, or @first, is none.
 * Costs the words between them, and as much room to undo: fl_bitset_slide_undo.
 */
void fl_bitset_slide_up(struct fl_bitset *s, uint32_t first, uint32_t end, struct fl_undo *undo);
void fl_bitset_slide_down(struct fl_bitset *s, uint32_t first, uint32_t end, struct fl_undo *undo);
size_t fl_bitset_slide_undo(uint32_t first, uint32_t end);
/* Empty again, without undo. */
void fl_bitset_clear(struct fl_bitset *s);
/* The least member not below @from; FL_NONE when there is none. */
uint32_t fl_bitset_next(const struct fl_bitset *s, uint32_t from);

/* Room to undo one add or remove. */
enum { FL_BITSET_UNDO = FL_BITSET_LEVELS * FL_UNDO_OF(uint64_t) };

#endif
