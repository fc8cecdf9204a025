/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that are cut anywhere are the same frames; what no sender may send ends them. */
#include "record/frame.h"

#include "lib/unit.h"

enum { MOST = 512, ALL = (1 << FL_FRAME_KINDS) - 1 };

struct heard {
	char text[MOST]; /* kinds as digits, bytes behind them; '.' for a frame of no bytes */
	size_t len;
	enum fl_frame_kind last;
};

static void put(struct heard *h, const char *bytes, size_t len)
{
	assert_true(h->len + len < MOST);
	memcpy(h->text + h->len, bytes, len);
	h->len += len;
}

/* Parts of one frame are put together. */
static void hear(struct fl_frame_reader *r, struct heard *h, const char *bytes, size_t len)
{
	struct fl_frame_piece piece;

	while (fl_frame_next(r, &bytes, &len, &piece)) {
		const char digit = (char)('0' + piece.kind);

		if (h->len == 0 || h->last != piece.kind || piece.len == 0)
			put(h, &digit, 1);
		put(h, piece.len ? piece.bytes : ".", piece.len ? piece.len : 1);
		h->last = piece.kind;
	}
}

static size_t add(char *to, enum fl_frame_kind kind, const char *text)
{
	size_t len = strlen(text);

	fl_frame_head((unsigned char *)to, kind, (uint32_t)len);
	memcpy(to + FL_FRAME_HEAD, text, len);
	return FL_FRAME_HEAD + len;
}

static size_t stream(char bytes[MOST])
{
	size_t n = add(bytes, FL_FRAME_BEGIN, "");

	n += add(bytes + n, FL_FRAME_OUT, "abc");
	n += add(bytes + n, FL_FRAME_ERR, "de");
	fl_frame_taken((unsigned char *)bytes + n, UINT64_C(0x4142434445464748));
	n += FL_FRAME_TAKEN_BYTES;
	n += add(bytes + n, FL_FRAME_IN, "");
	fl_frame_size((unsigned char *)bytes + n, 0x4950, 0x5152);
	n += FL_FRAME_SIZE_BYTES;
	n += add(bytes + n, FL_FRAME_STATE, "{}\n");
	n += add(bytes + n, FL_FRAME_OUT, "f");
	return n;
}

static const char heard[] = "6.1abc2de5ABCDEFGH0.3IPQR4{}\n1f";

TEST(cut_at_every_byte)
{
	char bytes[MOST];
	size_t n = stream(bytes);

	for (size_t cut = 0; cut <= n; cut++) {
		struct fl_frame_reader r = { .kinds = ALL };
		struct heard h = { .len = 0 };

		hear(&r, &h, bytes, cut);
		hear(&r, &h, bytes + cut, n - cut);
		assert_false(r.bad);
		assert_true(fl_frame_is_between(&r));
		assert_int_equal(h.len, strlen(heard));
		assert_memory_equal(h.text, heard, h.len);
	}
}

TEST(byte_by_byte)
{
	char bytes[MOST];
	size_t n = stream(bytes);
	struct fl_frame_reader r = { .kinds = ALL };
	struct heard h = { .len = 0 };

	for (size_t i = 0; i < n; i++)
		hear(&r, &h, bytes + i, 1);
	assert_true(fl_frame_is_between(&r));
	assert_int_equal(h.len, strlen(heard));
	assert_memory_equal(h.text, heard, h.len);
}

TEST(heads_that_none_may_send)
{
	static const struct {
		unsigned kinds;
		unsigned char head[FL_FRAME_HEAD];
		bool bad;
	} rows[] = {
		{ ALL, { FL_FRAME_IN, 0, 0, 0, 0, 1, 0, 0 }, false }, /* 64 KiB */
		{ ALL, { FL_FRAME_IN, 0, 0, 0, 0, 1, 0, 1 }, true },
		{ ALL, { FL_FRAME_OUT, 0, 0, 0, 0xff, 0xff, 0xff, 0xff }, true },
		{ ALL, { FL_FRAME_IN, 0, 0, 1 }, true },
		{ ALL, { FL_FRAME_IN, 1, 0, 0 }, true },
		{ ALL, { FL_FRAME_KINDS }, true },
		{ ALL, { 255 }, true },
		{ ALL, { FL_FRAME_SIZE, 0, 0, 0, 0, 0, 0, 3 }, true },
		{ ALL, { FL_FRAME_SIZE, 0, 0, 0, 0, 0, 0, 5 }, true },
		{ ALL, { FL_FRAME_TAKEN, 0, 0, 0, 0, 0, 0, 0 }, true },
		{ ALL, { FL_FRAME_STATE, 0, 0, 0, 0, 0, 1, 1 }, true },
		{ ALL, { FL_FRAME_STATE }, true },
		{ ALL, { FL_FRAME_BEGIN, 0, 0, 0, 0, 0, 0, 1 }, true },
		{ FL_FRAMES_OF_CLIENT, { FL_FRAME_BEGIN }, true },
		{ FL_FRAMES_OF_CLIENT, { FL_FRAME_STATE, 0, 0, 0, 0, 0, 0, 1 }, true },
		{ FL_FRAMES_OF_RUNNER, { FL_FRAME_STATE, 0, 0, 0, 0, 0, 0, 1 }, true },
		{ FL_FRAMES_OF_RUNNER, { FL_FRAME_IN }, true },
		{ FL_FRAMES_OF_DAEMON, { FL_FRAME_STATE, 0, 0, 0, 0, 0, 0, 1 }, false },
		{ FL_FRAMES_TO_RUNNER, { FL_FRAME_BEGIN }, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_frame_reader r = { .kinds = rows[i].kinds };
		struct heard h = { .len = 0 };

		hear(&r, &h, (const char *)rows[i].head, FL_FRAME_HEAD);
		if (r.bad != rows[i].bad)
			fail_msg("row %zu", i);
		/* Nothing is heard of it, nor after it. */
		if (rows[i].bad) {
			hear(&r, &h, heard, sizeof heard);
			assert_int_equal(h.len, 0);
		}
	}
}

UNIT_GROUP("frame")
