/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack - a source of bytes that unpacks another one as it is read
 *
 * Also of several members, as gzip allows.  FAIRLEAD_EINPUT: the data ends too early or is damaged.
 * Memory: some 100 KiB.
 */
#ifndef FL_INPUT_UNPACK_H
#define FL_INPUT_UNPACK_H

#include <stdbool.h>
#include <zlib.h>

#include "base/source.h"

struct fl_unpack {
	struct fl_source packed;
	struct fl_source source; /* the unpacked bytes; can be read until fl_unpack_done */
	z_stream z;
	bool ended, between; /* of the packed bytes: they ended; a member ended */
	char buffer[1 << 16];
};

/* @g must not move until fl_unpack_done. 0 or FAIRLEAD_ENOMEM. */
int fl_unpack_init(struct fl_unpack *g, const struct fl_source *packed, fairlead_error *err);
void fl_unpack_done(struct fl_unpack *g);

#endif
