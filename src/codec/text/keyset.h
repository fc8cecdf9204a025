/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keyset - the keys of the open maps, to find duplicate keys
 *
 * A stack: each open map has its keys on top of those of its parent.  Few keys are compared one by
 * one, many by a hash index for each depth.  Memory is that of the keys of all open maps.
 */
#ifndef FL_CODEC_TEXT_KEYSET_H
#define FL_CODEC_TEXT_KEYSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "base/mem.h"

struct fl_keyset {
	const struct fl_mem *mem;
	char *bytes;
	struct fl_keyset_key {
		uint32_t hash, start, len;
	} * keys;
	uint32_t n_bytes, cap_bytes, n, cap;
	uint32_t depth;
	struct fl_keyset_map {
		uint32_t first_key, first_byte;
		uint32_t *
			slot; /* key - first_key + 1; 0 is empty. Kept for the next map of this depth. */
		uint32_t slots; /* allocated */
		uint32_t used;  /* in use for this map, a power of two; 0: compared one by one */
	} map[FL_MAX_DEPTH + 1];
};

void fl_keyset_init(struct fl_keyset *set, const struct fl_mem *mem);
void fl_keyset_done(struct fl_keyset *set);

/* At most FL_MAX_DEPTH + 1 maps may be open at a time; the caller counts. */
void fl_keyset_open(struct fl_keyset *set);
void fl_keyset_close(struct fl_keyset *set);

/* Adds a key of the innermost open map: 0: it is new; 1: a duplicate; or FAIRLEAD_ENOMEM. */
int fl_keyset_add(struct fl_keyset *set, const char *text, size_t len, fairlead_error *err);
bool fl_keyset_has(const struct fl_keyset *set, const char *text, size_t len);

#endif
