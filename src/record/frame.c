/* SPDX-License-Identifier: Apache-2.0 */
#include "record/frame.h"

#include <string.h>

/* How long frames may be, and which are given whole. */
static const struct {
	uint32_t least, most;
	bool whole;
} kinds[FL_FRAME_KINDS] = {
	[FL_FRAME_IN] = { 0, FL_FRAME_MOST, false },
	[FL_FRAME_OUT] = { 0, FL_FRAME_MOST, false },
	[FL_FRAME_ERR] = { 0, FL_FRAME_MOST, false },
	[FL_FRAME_SIZE] = { 4, 4, true },
	[FL_FRAME_STATE] = { 1, FL_FRAME_SHORT, true },
	[FL_FRAME_TAKEN] = { 8, 8, true },
	[FL_FRAME_BEGIN] = { 0, 0, true },
};

static void put_number(unsigned char *at, uint64_t number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = (unsigned char)(number >> (8 * (n - 1 - i)));
}

uint64_t fl_frame_number(const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	uint64_t number = 0;

	for (size_t i = 0; i < n; i++)
		number = number << 8 | at[i];
	return number;
}

void fl_frame_head(unsigned char ret[FL_FRAME_HEAD], enum fl_frame_kind kind, uint32_t len)
{
	memset(ret, 0, FL_FRAME_HEAD);
	ret[0] = (unsigned char)kind;
	put_number(ret + 4, len, 4);
}

void fl_frame_size(unsigned char ret[FL_FRAME_SIZE_BYTES], uint16_t rows, uint16_t columns)
{
	fl_frame_head(ret, FL_FRAME_SIZE, 4);
	put_number(ret + FL_FRAME_HEAD, rows, 2);
	put_number(ret + FL_FRAME_HEAD + 2, columns, 2);
}

void fl_frame_taken(unsigned char ret[FL_FRAME_TAKEN_BYTES], uint64_t n)
{
	fl_frame_head(ret, FL_FRAME_TAKEN, 8);
	put_number(ret + FL_FRAME_HEAD, n, 8);
}

/* --- reading --- */

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* Bytes into @to, which has @n of @wanted. */
static void fill(void *to, uint32_t *n, size_t wanted, const char **bytes, size_t *len)
{
	size_t some = least_of(wanted - *n, *len);

	if (some)
		memcpy((char *)to + *n, *bytes, some);
	*n += (uint32_t)some;
	*bytes += some;
	*len -= some;
}

/* The head is whole: false: no such frame may come. */
static bool begin(struct fl_frame_reader *r)
{
	uint32_t kind = r->head[0], len = (uint32_t)fl_frame_number(r->head + 4, 4);

	r->bad = kind >= FL_FRAME_KINDS || !(r->kinds & FL_FRAME_BIT(kind)) || r->head[1] ||
		 r->head[2] || r->head[3] || len < kinds[kind].least || len > kinds[kind].most;
	if (r->bad)
		return false;
	r->kind = (enum fl_frame_kind)kind;
	r->len = r->left = len;
	r->n = 0;
	r->inside = true;
	return true;
}

static void end(struct fl_frame_reader *r)
{
	r->n = 0;
	r->inside = false;
}

bool fl_frame_next(struct fl_frame_reader *r, const char **bytes, size_t *len,
		   struct fl_frame_piece *ret)
{
	if (r->bad)
		return false;
	if (!r->inside) {
		fill(r->head, &r->n, FL_FRAME_HEAD, bytes, len);
		if (r->n < FL_FRAME_HEAD || !begin(r))
			return false;
	}
	if (kinds[r->kind].whole) {
		fill(r->whole, &r->n, r->len, bytes, len);
		if (r->n < r->len)
			return false;
		*ret = (struct fl_frame_piece){ r->kind, r->whole, r->len };
		end(r);
		return true;
	}
	if (r->left > 0 && *len == 0)
		return false;
	*ret = (struct fl_frame_piece){ r->kind, *bytes, least_of(r->left, *len) };
	r->left -= (uint32_t)ret->len;
	*bytes += ret->len;
	*len -= ret->len;
	if (r->left == 0)
		end(r);
	return true;
}
