/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/token/secret.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "codec/jobs/object/digest.h"

static const char prefix[] = "fl_", digits[] = "abcdefghijklmnopqrstuvwxyz234567";
_Static_assert((int)FL_TOKEN_HASH == FL_DIGEST_HEX, "a hash is a digest");

/* --- words --- */

static const struct {
	enum fl_rank rank;
	const char *name;
} roles[] = {
	{ FL_RANK_READER, "read" },
	{ FL_RANK_USER, "submit" },
	{ FL_RANK_ADMIN, "admin" },
};

const char *fl_token_role(enum fl_rank rank)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (roles[i].rank == rank)
			return roles[i].name;
	return NULL;
}

enum fl_rank fl_token_rank(const char *role)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (strcmp(roles[i].name, role) == 0)
			return roles[i].rank;
	return FL_RANK_STRANGER;
}

bool fl_token_is_name(const char *name)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = strnlen(name, FL_TOKEN_NAME);

	return n > 0 && n < FL_TOKEN_NAME && strchr(first, name[0]) &&
	       strspn(name, "-._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
		       n;
}

/* --- secrets --- */

/* Five bits of each byte. */
static void spell(const uint8_t *bytes, size_t n, char *ret)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = digits[bytes[i] & 31];
	ret[n] = '\0';
}

static int draw(size_t n, char *ret, fairlead_error *err)
{
	uint8_t bytes[FL_TOKEN_SECRET];
	bool drawn = getrandom(bytes, n, 0) == (ssize_t)n;

	if (drawn)
		spell(bytes, n, ret);
	explicit_bzero(bytes, sizeof bytes);
	return drawn ? 0 : fl_fail(err, FAIRLEAD_EIO, "the system gives no random numbers");
}

static void hash_of(const char *secret, char ret[FL_TOKEN_HASH])
{
	struct fl_digest d;

	fl_digest_begin(&d, FL_SHA256);
	fl_digest_add(&d, secret, FL_TOKEN_SECRET - 1);
	fl_digest_hex(&d, ret);
	explicit_bzero(&d, sizeof d);
}

/* In a time that does not depend on where they differ. */
static bool is_same_hash(const char *a, const char *b)
{
	volatile unsigned odd = 0;

	for (size_t i = 0; i < FL_TOKEN_HASH - 1; i++)
		odd |= (unsigned char)a[i] ^ (unsigned char)b[i];
	return odd == 0;
}

int fl_token_make_id(char ret[FL_TOKEN_ID], fairlead_error *err)
{
	return draw(FL_TOKEN_ID - 1, ret, err);
}

int fl_token_make(const char *id, char ret[FL_TOKEN_TEXT], char ret_hash[FL_TOKEN_HASH],
		  fairlead_error *err)
{
	char secret[FL_TOKEN_SECRET];
	int r = draw(FL_TOKEN_SECRET - 1, secret, err);

	if (r < 0)
		return r;
	hash_of(secret, ret_hash);
	(void)snprintf(ret, FL_TOKEN_TEXT, "%s%s_%s", prefix, id, secret);
	explicit_bzero(secret, sizeof secret);
	return 0;
}

bool fl_token_id(const char *text, char ret[FL_TOKEN_ID])
{
	const char *id = text + sizeof prefix - 1, *secret = id + FL_TOKEN_ID;

	if (strnlen(text, FL_TOKEN_TEXT) != FL_TOKEN_TEXT - 1 ||
	    strncmp(text, prefix, sizeof prefix - 1) != 0 ||
	    strspn(id, digits) != FL_TOKEN_ID - 1 || id[FL_TOKEN_ID - 1] != '_' ||
	    strspn(secret, digits) != FL_TOKEN_SECRET - 1)
		return false;
	memcpy(ret, id, FL_TOKEN_ID - 1);
	ret[FL_TOKEN_ID - 1] = '\0';
	return true;
}

bool fl_token_fits(const char *text, const char *hash)
{
	char is[FL_TOKEN_HASH];

	hash_of(text + sizeof prefix - 1 + FL_TOKEN_ID, is);
	return strlen(hash) == FL_TOKEN_HASH - 1 && is_same_hash(is, hash);
}
