/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "codec/jobs/object/digest.h"

/* The examples of FIPS 180-4, and texts whose length is just at the end of a block. */
static const struct {
	const char *text;
	size_t times;
	const char *sha1, *sha256;
} vectors[] = {
	{ "", 1, "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", 1, "a9993e364706816aba3e25717850c26c9cd0d89d",
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
	  "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	  1, "a49b2446a02c645bf419f995b67091253a04a259",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
	{ "a", 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
	  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" },
	{ "a", 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a",
	  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
	{ "a", 56, "c2db330f6083854c99d4b5bfb6e8f29f201be699",
	  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a" },
	{ "a", 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5",
	  "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
	{ "a", 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d",
	  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
	{ "a", 65, "11655326c708d70319be2610e8a57d9a5b959d3b",
	  "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0" },
	{ "a", 119, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56",
	  "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb" },
	{ "a", 120, "f34c1488385346a55709ba056ddd08280dd4c6d6",
	  "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c" },
};

static void check(size_t i, enum fl_digest_kind kind, size_t piece, const char *wanted)
{
	size_t len = strlen(vectors[i].text);
	struct fl_digest d;
	char hex[FL_DIGEST_HEX];

	fl_digest_begin(&d, kind);
	for (size_t n = 0; n < vectors[i].times; n++) {
		for (size_t at = 0; at < len; at += piece)
			fl_digest_add(&d, vectors[i].text + at,
				      len - at < piece ? len - at : piece);
	}
	fl_digest_hex(&d, hex);
	assert_string_equal(hex, wanted);
}

TEST(vectors_of_the_standard)
{
	for (size_t i = 0; i < COUNT(vectors); i++) {
		check(i, FL_SHA1, SIZE_MAX / 2, vectors[i].sha1);
		check(i, FL_SHA256, SIZE_MAX / 2, vectors[i].sha256);
	}
}

/* It does not matter in how many pieces the text comes. */
TEST(pieces)
{
	for (size_t i = 0; i < COUNT(vectors); i++) {
		for (size_t piece = 1; piece < 8; piece += 2) {
			check(i, FL_SHA1, piece, vectors[i].sha1);
			check(i, FL_SHA256, piece, vectors[i].sha256);
		}
	}
}

UNIT_GROUP("digest")
