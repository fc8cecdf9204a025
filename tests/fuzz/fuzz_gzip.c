/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressed input: whatever the bytes, they are unpacked or refused, as zlib
 * itself would; and what was packed comes back.  However the packed bytes are cut
 * into pieces and members, and however much is asked for at a time.
 */
#include <string.h>
#include <zlib.h>

#include "fuzz/fuzz.h"
#include "input/unpack.h"

enum { LIMIT = 1 << 20 };

struct pieces {
	const uint8_t *at, *end;
	size_t most;
};

static int next_piece(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct pieces *p = user;
	size_t left = (size_t)(p->end - p->at), n = size < p->most ? size : p->most;

	(void)err;
	*ret = left < n ? left : n;
	memcpy(buffer, p->at, *ret);
	p->at += *ret;
	return 0;
}

/* All of it, in pieces of @most, up to LIMIT bytes. */
static int unpack(const uint8_t *data, size_t size, size_t most, uint8_t *to, size_t *len)
{
	static struct fl_unpack g;
	struct pieces pieces = { data, data + size, most };
	struct fl_source packed = { next_piece, &pieces };
	fairlead_error err = { 0 };
	int r = 0;

	*len = 0;
	ENSURE(fl_unpack_init(&g, &packed, &err) == 0);
	while (*len < LIMIT) {
		size_t room = LIMIT - *len < most ? LIMIT - *len : most, n = 0;

		r = g.source.read(g.source.user, (char *)to + *len, room, &n, &err);
		if (r < 0 || n == 0)
			break;
		ENSURE(n <= room);
		*len += n;
	}
	fl_unpack_done(&g);
	ENSURE(r == 0 || (r == FAIRLEAD_EINPUT && err.code == r && err.text[0]));
	return r;
}

/* One whole gzip member by zlib's own reader; false when it is not one, or more than @size bytes. */
static bool member(const uint8_t *data, size_t size, uint8_t *to, size_t room, size_t *len)
{
	z_stream z = { .next_in = (Bytef *)data,
		       .avail_in = (uInt)size,
		       .next_out = to,
		       .avail_out = (uInt)room };

	ENSURE(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
	bool whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0;

	*len = room - z.avail_out;
	inflateEnd(&z);
	return whole;
}

static void any_bytes(const uint8_t *data, size_t size)
{
	static uint8_t want[LIMIT + 1], got[LIMIT], again[LIMIT];
	size_t len = 0, n = 0, n_again = 0;
	int r = unpack(data, size, 4096, got, &n);

	if (member(data, size, want, sizeof want, &len) && len < LIMIT)
		ENSURE(r == 0 && n == len && memcmp(got, want, n) == 0);
	if (n > 1 << 16)
		return;
	ENSURE(unpack(data, size, 1 + fuzz_hash(data, size) % 5, again, &n_again) == r);
	ENSURE(n_again <= n || r < 0);
	ENSURE(memcmp(got, again, n < n_again ? n : n_again) == 0);
	ENSURE(r < 0 || n == n_again);
}

static size_t pack(const uint8_t *data, size_t size, uint8_t *to, size_t room)
{
	z_stream z = { .next_in = (Bytef *)data,
		       .avail_in = (uInt)size,
		       .next_out = to,
		       .avail_out = (uInt)room };

	ENSURE(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	ENSURE(deflate(&z, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void there_and_back(const uint8_t *data, size_t size)
{
	static uint8_t got[LIMIT];
	uint64_t hash = fuzz_hash(data, size);
	size_t cut = hash % (size + 1), room = 2 * size + 200, first, all, n;
	uint8_t *packed = malloc(room);

	ENSURE(packed && size < LIMIT);
	first = pack(data, cut, packed, room);
	all = first + pack(data + cut, size - cut, packed + first, room - first);
	ENSURE(unpack(packed, all, 1 + hash / 64 % 100, got, &n) == 0);
	ENSURE(n == size && memcmp(got, data, n) == 0);
	ENSURE(unpack(packed, all - 1, 4096, got, &n) == FAIRLEAD_EINPUT);
	free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t none[1];

	data = data ? data : none;
	any_bytes(data, size);
	there_and_back(data, size);
	return 0;
}
