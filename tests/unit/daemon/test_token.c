/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "daemon/token/run.h"

/* Runs of before are known by theirs: they stay what they are. */
TEST(stays)
{
	static const struct fl_token_key key = { { UINT64_C(0x0706050403020100),
						   UINT64_C(0x0f0e0d0c0b0a0908) } };
	char token[FL_RUN_TOKEN];

	fl_token_of(&key, 17, 3, 1234567890123456789, token);
	assert_string_equal(token, "ec2cd3222c2df715d5413156901c29f1");
}

TEST(tells_apart)
{
	static const struct {
		uint64_t job;
		uint32_t attempt;
		fl_time submitted;
		int key;
	} rows[] = {
		{ 1, 1, 5, 0 }, { 2, 1, 5, 0 }, { 1, 2, 5, 0 }, { 1, 1, 6, 0 }, { 1, 1, 5, 1 },
	};
	struct fl_token_key keys[2];
	char tokens[COUNT(rows)][FL_RUN_TOKEN], again[FL_RUN_TOKEN];

	for (int i = 0; i < 2; i++)
		assert_int_equal(fl_token_draw(&keys[i], NULL), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		fl_token_of(&keys[rows[i].key], rows[i].job, rows[i].attempt, rows[i].submitted,
			    tokens[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(tokens[i], tokens[k]);
	}
	fl_token_of(&keys[0], 1, 1, 5, again);
	assert_string_equal(again, tokens[0]);
}

TEST(as_text)
{
	static const char *const bad[] = { "", "12", "0123456789abcdef0123456789abcdeg",
					   "0123456789abcdef0123456789abcdef0",
					   " 123456789abcdef0123456789abcdef" };
	struct fl_token_key key, read;
	char text[FL_RUN_TOKEN];

	assert_int_equal(fl_token_draw(&key, NULL), 0);
	fl_token_spell(&key, text);
	assert_true(fl_token_read(text, &read));
	assert_memory_equal(&key, &read, sizeof key);
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK(!fl_token_read(bad[i], &read), bad[i]);
}

UNIT_GROUP("token")
