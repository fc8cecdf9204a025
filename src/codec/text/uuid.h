/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uuid - the 36 characters of a UID as an API server makes them, in 16 bytes
 *
 * Tested in tests/unit/daemon/test_managed.c.
 */
#ifndef FL_CODEC_TEXT_UUID_H
#define FL_CODEC_TEXT_UUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FL_UUID = 37 /* bytes of its text, with a NUL */ };

struct fl_uuid {
	uint8_t bytes[16];
};

/* False: @text, of @n bytes, is none, or not as a server writes it: "0b6f6c4e-54c2-...", in lower case. */
bool fl_uuid_read(const char *text, size_t n, struct fl_uuid *ret);
const char *fl_uuid_text(const struct fl_uuid *u, char ret[FL_UUID]);

#endif
