/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names - texts to numbers, once, at the edge
 *
 * Interning gives equal texts equal symbols, so that labels and names compare
 * as integers.  Symbols count up from 0 in the order of first appearance: never
 * order anything by them; compare the texts (fl_names_cmp).  Symbol 0 is "".
 */
#ifndef FL_BASE_NAMES_H
#define FL_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ids.h"
#include "base/image.h"
#include "base/mem.h"
#include "base/sort.h"

struct fl_names {
	const struct fl_mem *mem;
	char *bytes; /* every text, each ended by a NUL */
	uint32_t bytes_n, bytes_cap;
	uint32_t *start; /* symbol -> offset in bytes */
	uint32_t n, cap;
	uint32_t *slot; /* open addressing, symbol + 1; 0 is empty */
	uint32_t slots;
};

int fl_names_init(struct fl_names *names, const struct fl_mem *mem, fairlead_error *err);
void fl_names_done(struct fl_names *names);

/* FAIRLEAD_ENOMEM, FAIRLEAD_ELIMIT, or FAIRLEAD_EINPUT for a NUL byte: nothing was added then. */
int fl_names_add(struct fl_names *names, const char *text, size_t len, struct fl_sym *ret,
		 fairlead_error *err);
/* FL_NONE when the text was never added. */
struct fl_sym fl_names_find(const struct fl_names *names, const char *text, size_t len);
/* Valid until the next add. */
const char *fl_names_text(const struct fl_names *names, struct fl_sym sym);
int fl_names_cmp(const struct fl_names *names, struct fl_sym a, struct fl_sym b);
/* Sort @rows by the texts of their symbols, equals as they stand; keys are overwritten. */
void fl_names_sort(const struct fl_names *names, struct fl_sort_row *rows, uint32_t n,
		   struct fl_sort_row *scratch);

/* As tables of an image, and back: FAIRLEAD_EINPUT when a text or the search would not end. */
int fl_names_save(const struct fl_names *names, struct fl_image_writer *w, fairlead_error *err);
int fl_names_load(struct fl_names *names, struct fl_image *i, fairlead_error *err);

/*
 * Tables of open addressing of which there is more than a handful: three quarters of them at most
 * are in use, and each is by a half or a third larger than the one before it.
 */
static inline bool fl_slots_full(uint32_t slots, uint32_t n)
{
	return (uint64_t)n * 4 >= (uint64_t)slots * 3;
}
static inline uint32_t fl_slots_more(uint32_t slots)
{
	return slots == 0 ? 64 : (slots & (slots - 1)) == 0 ? slots / 2 * 3 : slots / 3 * 4;
}
/* Of a table that is loaded: may it be searched and grow? */
static inline bool fl_slots_sound(uint32_t slots, uint32_t used)
{
	uint32_t half = slots % 3 == 0 ? slots / 3 : slots / 2;

	return slots >= 64 && (half & (half - 1)) == 0 && slots % half == 0 && used < slots;
}
/* Where to look first, by the upper bits of @hash; and where next. */
static inline uint32_t fl_slots_first(uint32_t slots, uint32_t hash)
{
	return (uint32_t)((uint64_t)hash * slots >> 32);
}
static inline uint32_t fl_slots_next(uint32_t slots, uint32_t at)
{
	return at + 1 < slots ? at + 1 : 0;
}

/* Pairs of numbers to a number: (namespace, name) -> id, (flavor, resource) -> column. */
struct fl_pair_slot {
	uint32_t a, b, value;
	bool used;
};

struct fl_pairs {
	const struct fl_mem *mem;
	struct fl_pair_slot *slot;
	uint32_t slots, n;
};

void fl_pairs_init(struct fl_pairs *pairs, const struct fl_mem *mem);
void fl_pairs_done(struct fl_pairs *pairs);
/* 0 when added; 1 when the pair was there already (its value in *ret_old, unchanged). */
int fl_pairs_add(struct fl_pairs *pairs, uint32_t a, uint32_t b, uint32_t value, uint32_t *ret_old,
		 fairlead_error *err);
/* Spread evenly, most of all its upper bits. */
uint32_t fl_pairs_hash(uint32_t a, uint32_t b);
uint32_t fl_pairs_find(const struct fl_pairs *pairs, uint32_t a, uint32_t b); /* FL_NONE */
void fl_pairs_clear(struct fl_pairs *pairs);

/* As a table of an image, and back; the values may be anything then. */
int fl_pairs_save(const struct fl_pairs *pairs, struct fl_image_writer *w, fairlead_error *err);
int fl_pairs_load(struct fl_pairs *pairs, struct fl_image *i, fairlead_error *err);

#endif
