/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared - bytes of which equal ones are kept once, with a count of their uses
 *
 * By a hash of 64 bits, then all bytes are compared.  Cost: O(bytes) to enter, O(1) to leave.
 * The last one that leaves frees the bytes.
 * Tested in tests/unit/mirror/test_mirror.c.
 */
#ifndef FL_MIRROR_SHARED_H
#define FL_MIRROR_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fl_shared {
	uint64_t hash;
	uint32_t uses, n;
	uint8_t bytes[];
};

struct fl_shared_set {
	struct fl_shared **slot; /* open addressing */
	uint32_t slots, used;
	size_t bytes; /* of all texts */
};

void fl_shared_done(struct fl_shared_set *s);
/* One more use of these bytes. FAIRLEAD_ENOMEM. */
int fl_shared_enter(struct fl_shared_set *s, const uint8_t *bytes, uint32_t n,
		    struct fl_shared **ret, fairlead_error *err);
/* One use less; true: it was the last, and the caller frees it. NULL is fine: false. */
bool fl_shared_leave(struct fl_shared_set *s, struct fl_shared *text);

uint64_t fl_shared_hash(const uint8_t *bytes, uint32_t n);

#endif
