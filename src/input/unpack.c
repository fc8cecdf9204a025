/* SPDX-License-Identifier: Apache-2.0 */
#include "input/unpack.h"

#include <string.h>

static int refill(struct fl_unpack *g, fairlead_error *err)
{
	size_t n = 0;
	int rc = g->packed.read(g->packed.user, g->buffer, sizeof(g->buffer), &n, err);

	if (rc != 0)
		return rc;
	g->ended = n == 0;
	g->z.next_in = (Bytef *)g->buffer;
	g->z.avail_in = (uInt)n;
	return 0;
}

/* Reads at least one byte; 0 at the end. */
static int read_unpacked(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct fl_unpack *g = user;
	uInt room = (uInt)(size < (1U << 30) ? size : 1U << 30);

	g->z.next_out = (Bytef *)buffer;
	g->z.avail_out = room;
	while (g->z.avail_out == room) {
		int rc = g->z.avail_in == 0 && !g->ended ? refill(g, err) : 0;
		int did;

		if (rc != 0)
			return rc;
		if (g->z.avail_in == 0 && g->between)
			break;
		if (g->between && inflateReset(&g->z) != Z_OK)
			return fl_fail_nomem(err);
		did = inflate(&g->z, Z_NO_FLUSH);
		g->between = did == Z_STREAM_END;
		if (did == Z_MEM_ERROR)
			return fl_fail_nomem(err);
		if (did == Z_BUF_ERROR && g->ended)
			return fl_fail(err, FAIRLEAD_EINPUT, "the gzip data ends too early");
		if (did != Z_OK && did != Z_STREAM_END && did != Z_BUF_ERROR)
			return fl_fail(err, FAIRLEAD_EINPUT, "the gzip data is damaged");
	}
	*ret = room - g->z.avail_out;
	return 0;
}

int fl_unpack_init(struct fl_unpack *g, const struct fl_source *packed, fairlead_error *err)
{
	g->packed = *packed;
	g->source = (struct fl_source){ read_unpacked, g };
	memset(&g->z, 0, sizeof(g->z));
	g->ended = g->between = false;
	return inflateInit2(&g->z, 16 + MAX_WBITS) == Z_OK ? 0 : fl_fail_nomem(err);
}

void fl_unpack_done(struct fl_unpack *g) { inflateEnd(&g->z); }
