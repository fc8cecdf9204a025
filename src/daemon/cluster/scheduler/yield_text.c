/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/cluster/scheduler/yield_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char begins[] = FL_YIELD_TEXT_BEGINS, version[] = "1 to=";
static const char uid_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";

_Static_assert(sizeof(double) == sizeof(uint64_t), "a share is written as 64 bits");

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	return bits;
}

static bool is_uid(const char *uid)
{
	const size_t len = strlen(uid);

	return len && len < FL_YIELD_UID && strspn(uid, uid_chars) == len && strcmp(uid, "-") != 0;
}

bool fl_yield_write(const struct fl_yield *y, const char *uid, uint64_t queue,
		    char ret[FL_YIELD_TEXT])
{
	int n;

	if (uid && !is_uid(uid))
		return false;
	n = snprintf(ret, FL_YIELD_TEXT, "%s%s%s queue=%016" PRIx64 " forgiven=%d floors=%s",
		     begins, version, uid ? uid : "-", queue, y->forgiven, y->n ? "" : "-");
	for (uint32_t i = 0; i < y->n; i++) {
		const struct fl_yield_floor *f = &y->floors[i];

		n += snprintf(ret + n, FL_YIELD_TEXT - (size_t)n,
			      "%s%" PRIu32 ".%" PRIu32 ".%016" PRIx64 ".%016" PRIx64, i ? "," : "",
			      f->depth, f->kind, bits_of(f->weighted), bits_of(f->ratio));
	}
	(void)snprintf(ret + n, FL_YIELD_TEXT - (size_t)n, "]");
	return true;
}

size_t fl_yield_begin(const char *message)
{
	const size_t len = strlen(message);
	const char *at = message, *last = NULL;

	if (!len || message[len - 1] != ']')
		return len;
	for (; (at = strstr(at, begins)); at++)
		last = at;
	return last ? (size_t)(last - message) : len;
}

/* --- reading: each moves *at behind what it has read --- */

static bool read_word(const char **at, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

static bool read_uid(const char **at, char ret[FL_YIELD_UID])
{
	const size_t len = strspn(*at, uid_chars);

	if (!len || len >= FL_YIELD_UID)
		return false;
	memcpy(ret, *at, len);
	ret[len] = '\0';
	if (strcmp(ret, "-") == 0)
		ret[0] = '\0';
	*at += len;
	return true;
}

static bool read_bits(const char **at, uint64_t *ret)
{
	static const char digits[] = "0123456789abcdef";

	*ret = 0;
	for (int i = 0; i < 16; i++, (*at)++) {
		const char *digit = **at ? strchr(digits, **at) : NULL;

		if (!digit)
			return false;
		*ret = *ret << 4 | (uint64_t)(digit - digits);
	}
	return true;
}

/* As it is written: up to three digits, and no 0 before others. */
static bool read_number(const char **at, uint32_t *ret)
{
	const size_t len = strspn(*at, "0123456789");

	if (!len || len > 3 || (len > 1 && **at == '0'))
		return false;
	*ret = 0;
	for (size_t i = 0; i < len; i++)
		*ret = *ret * 10 + (uint32_t)((*at)[i] - '0');
	*at += len;
	return true;
}

static bool read_share(const char **at, double *ret)
{
	uint64_t bits;

	if (!read_word(at, ".") || !read_bits(at, &bits))
		return false;
	memcpy(ret, &bits, sizeof bits);
	return true;
}

static bool read_floors(const char **at, struct fl_yield *ret)
{
	ret->n = 0;
	if (read_word(at, "-"))
		return true;
	do {
		struct fl_yield_floor *f = &ret->floors[ret->n];

		if (ret->n == FL_YIELD_FLOORS || !read_number(at, &f->depth) ||
		    !read_word(at, ".") || !read_number(at, &f->kind) ||
		    !read_share(at, &f->weighted) || !read_share(at, &f->ratio))
			return false;
		ret->n++;
	} while (read_word(at, ","));
	return true;
}

bool fl_yield_read(const char *message, struct fl_yield *ret, char ret_uid[FL_YIELD_UID],
		   uint64_t *ret_queue)
{
	const char *at = message + fl_yield_begin(message);
	struct fl_yield y = { .workload = { FL_NONE }, .to = { FL_NONE } };
	uint32_t forgiven;

	if (!read_word(&at, begins) || !read_word(&at, version) || !read_uid(&at, ret_uid) ||
	    !read_word(&at, " queue=") || !read_bits(&at, ret_queue) ||
	    !read_word(&at, " forgiven=") || !read_number(&at, &forgiven) || forgiven > 1 ||
	    !read_word(&at, " floors=") || !read_floors(&at, &y) || strcmp(at, "]") != 0)
		return false;
	y.forgiven = forgiven;
	*ret = y;
	return true;
}
