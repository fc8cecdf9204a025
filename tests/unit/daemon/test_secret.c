/* SPDX-License-Identifier: Apache-2.0 */
/* The words of tokens, and their secrets: what is one, and what is not. */
#include "daemon/token/secret.h"
#include "lib/unit.h"

#define SECRET "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"

TEST(ids)
{
	static const struct {
		const char *text, *id; /* NULL: it is none */
	} rows[] = {
		{ "fl_aaaaaaaa27_" SECRET, "aaaaaaaa27" },
		{ "fl_aaaaaaaa27_" SECRET "a", NULL },
		{ "fl_aaaaaaaa2_" SECRET, NULL },
		{ "fl_aaaaaaaa2_a" SECRET, NULL },
		{ "fl_aaaaaaaaA7_" SECRET, NULL },
		{ "fl_aaaaaaaa01_" SECRET, NULL },
		{ "fl-aaaaaaaa27_" SECRET, NULL },
		{ "FL_aaaaaaaa27_" SECRET, NULL },
		{ "fl_aaaaaaaa27-" SECRET, NULL },
		{ " fl_aaaaaaaa27_" SECRET, NULL },
		{ "fl_aaaaaaaa27_", NULL },
		{ "fl_", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char id[FL_TOKEN_ID] = "?";

		CHECK(fl_token_id(rows[i].text, id) == (rows[i].id != NULL), rows[i].text);
		assert_string_equal(id, rows[i].id ? rows[i].id : "?");
	}
}

/* The hash is what any program makes of it: printf SECRET | sha256sum. */
TEST(hashes)
{
	static const char text[] = "fl_aaaaaaaa27_" SECRET;
	static const char hash[] =
		"96903127e4208e76fe38bb5ea22b27b889d7882dc7ab987027d8ce6514a4f1e4";
	char other[FL_TOKEN_HASH];

	assert_true(fl_token_fits(text, hash));
	for (size_t i = 0; i < sizeof hash - 1; i++) {
		memcpy(other, hash, sizeof other);
		other[i] ^= 1;
		assert_false(fl_token_fits(text, other));
	}
	assert_false(fl_token_fits(text, ""));
	assert_false(fl_token_fits(text, "0"));
}

TEST(made)
{
	char texts[2][FL_TOKEN_TEXT], hashes[2][FL_TOKEN_HASH], id[FL_TOKEN_ID], is[FL_TOKEN_ID];
	uint32_t seen = 0;

	assert_int_equal(fl_token_make_id(id, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(fl_token_make(id, texts[i], hashes[i], NULL), 0);
		assert_true(fl_token_id(texts[i], is));
		assert_string_equal(is, id);
		assert_true(fl_token_fits(texts[i], hashes[i]));
	}
	assert_string_not_equal(texts[0], texts[1]);
	assert_false(fl_token_fits(texts[0], hashes[1]));
	/* All digits are drawn. */
	for (int i = 0; i < 200; i++) {
		assert_int_equal(fl_token_make(id, texts[0], hashes[0], NULL), 0);
		for (const char *c = texts[0] + 3 + FL_TOKEN_ID; *c; c++)
			seen |= 1u << (*c >= 'a' ? *c - 'a' : 26 + *c - '2');
	}
	assert_int_equal(seen, UINT32_MAX);
}

TEST(roles)
{
	static const char *const names[] = { "read", "submit", "admin" };
	static const enum fl_rank ranks[] = { FL_RANK_READER, FL_RANK_USER, FL_RANK_ADMIN };

	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(fl_token_rank(names[i]), ranks[i]);
		assert_string_equal(fl_token_role(ranks[i]), names[i]);
	}
	assert_int_equal(fl_token_rank("root"), FL_RANK_STRANGER);
	assert_int_equal(fl_token_rank(""), FL_RANK_STRANGER);
	assert_null(fl_token_role(FL_RANK_ROOT));
	assert_null(fl_token_role(FL_RANK_PROBE));
}

UNIT_GROUP("secret")
