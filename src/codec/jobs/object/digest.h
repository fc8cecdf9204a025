/* SPDX-License-Identifier: Apache-2.0 */
/*
 * digest - SHA-1 and SHA-256 of a text that comes in pieces (FIPS 180-4)
 *
 * They are part of the names that Kueue gives (name.h), so no library that may be left out of a
 * build can stand for them.  SHA-1 is not for security: it is what Kueue uses.  By SHA-256 the daemon
 * knows the secrets of tokens, too.
 */
#ifndef FL_CODEC_JOBS_OBJECT_DIGEST_H
#define FL_CODEC_JOBS_OBJECT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum fl_digest_kind { FL_SHA1, FL_SHA256 };

enum { FL_DIGEST_BLOCK = 64, FL_DIGEST_HEX = 64 + 1 };

struct fl_digest {
	enum fl_digest_kind kind;
	uint32_t state[8]; /* SHA-1 has five */
	uint64_t bytes;    /* in all */
	uint8_t block[FL_DIGEST_BLOCK];
};

void fl_digest_begin(struct fl_digest *d, enum fl_digest_kind kind);
void fl_digest_add(struct fl_digest *d, const void *data, size_t len);
/* All digits in lower case: 40 of SHA-1, 64 of SHA-256. @d must begin anew after it. */
void fl_digest_hex(struct fl_digest *d, char ret[FL_DIGEST_HEX]);

#endif
