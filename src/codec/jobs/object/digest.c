/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/jobs/object/digest.h"

#include <string.h>

enum { LENGTH_AT = FL_DIGEST_BLOCK - 8 }; /* the number of bits ends the last block */

static const uint32_t sha1_state[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
					0xc3d2e1f0 };

static const uint32_t sha256_state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

static const uint32_t sha256_rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2
};

static uint32_t left(uint32_t v, unsigned n) { return v << n | v >> (32 - n); }
static uint32_t right(uint32_t v, unsigned n) { return v >> n | v << (32 - n); }

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t sha1_mix(unsigned round, const uint32_t v[5])
{
	if (round < 20)
		return ((v[1] & v[2]) | (~v[1] & v[3])) + 0x5a827999;
	if (round < 40)
		return (v[1] ^ v[2] ^ v[3]) + 0x6ed9eba1;
	if (round < 60)
		return ((v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])) + 0x8f1bbcdc;
	return (v[1] ^ v[2] ^ v[3]) + 0xca62c1d6;
}

static void sha1_block(uint32_t state[5], const uint8_t *block)
{
	uint32_t w[80], v[5];

	for (unsigned i = 0; i < 16; i++)
		w[i] = word(block + 4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 80; i++) {
		uint32_t first = left(v[0], 5) + sha1_mix(i, v) + v[4] + w[i];

		v[4] = v[3];
		v[3] = v[2];
		v[2] = left(v[1], 30);
		v[1] = v[0];
		v[0] = first;
	}
	for (unsigned i = 0; i < 5; i++)
		state[i] += v[i];
}

static void sha256_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], v[8];

	for (unsigned i = 0; i < 16; i++)
		w[i] = word(block + 4 * i);
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[i - 7] +
		       (right(b, 17) ^ right(b, 19) ^ b >> 10);
	}
	memcpy(v, state, sizeof(v));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = v[7] + (right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25)) +
			       ((v[4] & v[5]) ^ (~v[4] & v[6])) + sha256_rounds[i] + w[i];
		uint32_t two = (right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22)) +
			       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(v[0]));
		v[4] += one;
		v[0] = one + two;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += v[i];
}

static void take_block(struct fl_digest *d)
{
	if (d->kind == FL_SHA1)
		sha1_block(d->state, d->block);
	else
		sha256_block(d->state, d->block);
}

void fl_digest_begin(struct fl_digest *d, enum fl_digest_kind kind)
{
	*d = (struct fl_digest){ .kind = kind };
	if (kind == FL_SHA1)
		memcpy(d->state, sha1_state, sizeof(sha1_state));
	else
		memcpy(d->state, sha256_state, sizeof(sha256_state));
}

void fl_digest_add(struct fl_digest *d, const void *data, size_t len)
{
	const uint8_t *from = data;

	while (len) {
		size_t used = d->bytes % FL_DIGEST_BLOCK;
		size_t n = FL_DIGEST_BLOCK - used < len ? FL_DIGEST_BLOCK - used : len;

		memcpy(d->block + used, from, n);
		d->bytes += n;
		from += n;
		len -= n;
		if (used + n == FL_DIGEST_BLOCK)
			take_block(d);
	}
}

void fl_digest_hex(struct fl_digest *d, char ret[FL_DIGEST_HEX])
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t padding[FL_DIGEST_BLOCK] = { 0x80 };
	uint64_t bits = d->bytes * 8;
	size_t used = d->bytes % FL_DIGEST_BLOCK;
	unsigned words = d->kind == FL_SHA1 ? 5 : 8;
	uint8_t length[8];

	fl_digest_add(d, padding,
		      (used < LENGTH_AT ? LENGTH_AT : LENGTH_AT + FL_DIGEST_BLOCK) - used);
	for (unsigned i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	fl_digest_add(d, length, sizeof(length));
	for (unsigned i = 0; i < words * 8; i++)
		*ret++ = digits[d->state[i / 8] >> (28 - 4 * (i % 8)) & 0xf];
	*ret = '\0';
}
