/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack - a source of bytes that unpacks another one as it is read
 *
 * Of several members, as gzip allows.  What ends too early or is damaged is
 * FAIRLEAD_EINPUT.  Memory: some 100 KiB.
 */
#ifndef FL_INPUT_UNPACK_H
#define FL_INPUT_UNPACK_H

#include <stdbool.h>
#include <zlib.h>

#include "base/source.h"

struct fl_unpack {
	struct fl_source packed;
	struct fl_source source; /* the unpacked bytes; to be read until fl_unpack_done */
	z_stream z;
	bool ended, between; /* of the packed bytes; at the end of a member */
	char buffer[1 << 16];
};

/* @g does not move until fl_unpack_done. 0 or FAIRLEAD_ENOMEM. */
int fl_unpack_init(struct fl_unpack *g, const struct fl_source *packed, fairlead_error *err);
void fl_unpack_done(struct fl_unpack *g);

#endif
