/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64 - bytes as text of A-Z, a-z, 0-9, '+' and '/', filled with '=' (RFC 4648, section 4)
 *
 * Tested in tests/unit/base/test_base64.c.
 */
#ifndef FL_BASE_BASE64_H
#define FL_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the text of @len bytes, with its NUL. */
#define FL_BASE64_SIZE(len) (((len) + 2) / 3 * 4 + 1)

/* @ret: FL_BASE64_SIZE(@len) bytes. */
void fl_base64(const void *bytes, size_t len, char *ret);

/*
 * Line ends between digits are passed over, as Go's decoder does.  False: @text is not base64.  @ret: as many bytes
 * as the text has; no NUL is put behind them.
 */
bool fl_base64_read(const char *text, char *ret, size_t *ret_len);

#endif
