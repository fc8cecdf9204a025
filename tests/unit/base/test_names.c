/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

enum { MANY = 5000 };

static const char *nth(char buffer[32], uint32_t i)
{
	(void)snprintf(buffer, 32, "name-%u", i);
	return buffer;
}

static struct fl_sym add(struct fl_names *names, const char *text)
{
	struct fl_sym sym = { FL_NONE };

	assert_int_equal(fl_names_add(names, text, strlen(text), &sym, NULL), 0);
	return sym;
}

static struct fl_sym find(const struct fl_names *names, const char *text)
{
	return fl_names_find(names, text, strlen(text));
}

TEST(equal_texts_are_one_symbol)
{
	struct fl_names names;
	char buffer[32];

	assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
	assert_int_equal(add(&names, "").v, 0);
	assert_string_equal(fl_names_text(&names, (struct fl_sym){ 0 }), "");
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(add(&names, nth(buffer, i)).v, i + 1);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_string_equal(fl_names_text(&names, (struct fl_sym){ i + 1 }),
				    nth(buffer, i));
		assert_int_equal(find(&names, buffer).v, i + 1);
	}
	fl_names_done(&names);
	fl_names_done(&names);
}

/* Each row is another text than all before it, though most begin alike. */
TEST(neighbours_are_told_apart)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = {
		{ "a", 1 }, { "ab", 2 }, { "abc", 3 }, { "abd", 3 },      { "b", 1 },
		{ "A", 1 }, { " a", 2 }, { "a ", 2 },  { "\xc3\xa4", 2 }, { "\xc3", 1 },
	};
	struct fl_names names;

	assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
	for (uint32_t i = 0; i < COUNT(rows); i++) {
		struct fl_sym sym;

		assert_int_equal(fl_names_find(&names, rows[i].text, rows[i].len).v, FL_NONE);
		assert_int_equal(fl_names_add(&names, rows[i].text, rows[i].len, &sym, NULL), 0);
		assert_int_equal(sym.v, i + 1);
	}
	/* The length counts, not what stands behind it. */
	assert_int_equal(fl_names_find(&names, "abcdef", 2).v, 2);
	fl_names_done(&names);
}

TEST(a_nul_byte_is_refused)
{
	static const char text[] = { 'a', '\0', 'b' };
	struct fl_names names;
	struct fl_sym sym = { 77 };
	fairlead_error err;

	assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
	add(&names, "a");
	assert_int_equal(fl_names_find(&names, text, 3).v, FL_NONE);
	assert_int_equal(fl_names_add(&names, text, 3, &sym, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "a text contains a NUL byte");
	assert_int_equal(sym.v, 77);
	assert_int_equal(names.n, 2);
	fl_names_done(&names);
}

TEST(order_is_of_texts)
{
	static const struct {
		const char *name, *a, *b;
		int want;
	} rows[] = {
		{ "equal", "x", "x", 0 },
		{ "less", "a", "b", -1 },
		{ "greater, though added first", "z", "y", 1 },
		{ "a prefix comes first", "ab", "abc", -1 },
		{ "empty comes first", "", "a", -1 },
		{ "bytes, not letters", "\xc3\xa4", "z", 1 },
		{ "capitals before small letters", "B", "a", -1 },
	};
	struct fl_names names;

	assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fl_sym a = add(&names, rows[i].a), b = add(&names, rows[i].b);
		int got = fl_names_cmp(&names, a, b), back = fl_names_cmp(&names, b, a);

		CHECK((got > 0) - (got < 0) == rows[i].want, rows[i].name);
		CHECK((back > 0) - (back < 0) == -rows[i].want, rows[i].name);
	}
	fl_names_done(&names);
}

TEST(nobody_is_the_empty_text)
{
	struct fl_names names = { 0 };

	assert_int_equal(find(&names, "a").v, FL_NONE);
	assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
	assert_string_equal(fl_names_text(&names, (struct fl_sym){ FL_NONE }), "");
	fl_names_done(&names);
}

/* Every allocation of 500 additions fails once; what was known stays known, nothing leaks. */
TEST(names_survive_each_failing_call)
{
	unsigned long n;
	bool failed = true;

	for (n = 1; failed && n < 1000; n++) {
		struct fail_mem f;
		struct fl_names names;
		fairlead_error err = { 0 };
		char buffer[32];

		fail_mem_init(&f);
		f.fail_at = n;
		failed = fl_names_init(&names, &f.mem, &err) < 0;
		if (failed)
			assert_int_equal(find(&names, "a").v, FL_NONE);
		for (uint32_t i = 0; !failed && i < 500; i++) {
			struct fl_sym sym = { 12345 };
			const char *text = nth(buffer, i);

			if (fl_names_add(&names, text, strlen(text), &sym, &err) == 0)
				continue;
			failed = true;
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
			assert_int_equal(sym.v, 12345);
			assert_int_equal(names.n, i + 1);
			for (uint32_t k = 0; k < i; k++)
				assert_int_equal(find(&names, nth(buffer, k)).v, k + 1);
			assert_int_equal(add(&names, nth(buffer, i)).v, i + 1);
		}
		fl_names_done(&names);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 10 && n < 1000);
}

TEST(pairs_keep_the_first_value)
{
	struct fl_pairs pairs;
	uint32_t old = 99;

	fl_pairs_init(&pairs, &fl_mem_heap);
	assert_int_equal(fl_pairs_find(&pairs, 1, 2), FL_NONE);
	assert_int_equal(fl_pairs_add(&pairs, 1, 2, 10, &old, NULL), 0);
	assert_int_equal(old, 99);
	assert_int_equal(fl_pairs_add(&pairs, 1, 2, 11, &old, NULL), 1);
	assert_int_equal(old, 10);
	assert_int_equal(fl_pairs_add(&pairs, 1, 2, 11, NULL, NULL), 1);
	assert_int_equal(fl_pairs_find(&pairs, 1, 2), 10);
	assert_int_equal(fl_pairs_find(&pairs, 2, 1), FL_NONE);
	fl_pairs_clear(&pairs);
	assert_int_equal(pairs.n, 0);
	assert_int_equal(fl_pairs_find(&pairs, 1, 2), FL_NONE);
	fl_pairs_done(&pairs);
	fl_pairs_done(&pairs);
}

TEST(pairs_of_all_kinds)
{
	struct fl_pairs pairs;

	fl_pairs_init(&pairs, &fl_mem_heap);
	for (uint32_t a = 0; a < 100; a++)
		for (uint32_t b = 0; b < 100; b++)
			assert_int_equal(fl_pairs_add(&pairs, a * 0x10001, UINT32_MAX - b,
						      a * 100 + b, NULL, NULL),
					 0);
	for (uint32_t a = 0; a < 100; a++)
		for (uint32_t b = 0; b < 100; b++)
			assert_int_equal(fl_pairs_find(&pairs, a * 0x10001, UINT32_MAX - b),
					 a * 100 + b);
	assert_int_equal(pairs.n, 10000);
	fl_pairs_done(&pairs);
}

TEST(pairs_survive_each_failing_call)
{
	unsigned long n;
	bool failed = true;

	for (n = 1; failed && n < 100; n++) {
		struct fail_mem f;
		struct fl_pairs pairs;
		fairlead_error err = { 0 };

		fail_mem_init(&f);
		fl_pairs_init(&pairs, &f.mem);
		f.fail_at = n;
		failed = false;
		for (uint32_t i = 0; !failed && i < 500; i++) {
			if (fl_pairs_add(&pairs, i, i, i, NULL, &err) == 0)
				continue;
			failed = true;
			assert_int_equal(err.code, FAIRLEAD_ENOMEM);
			assert_int_equal(pairs.n, i);
			for (uint32_t k = 0; k < i; k++)
				assert_int_equal(fl_pairs_find(&pairs, k, k), k);
			assert_int_equal(fl_pairs_add(&pairs, i, i, i, NULL, NULL), 0);
		}
		fl_pairs_done(&pairs);
		assert_int_equal(f.live, 0);
	}
	assert_true(n > 3 && n < 100);
}

enum { LONG = 90 };

/* A text that shares much with many others, of each kind another way. */
static const char *like(char buffer[2 * LONG], int kind, uint32_t i)
{
	switch (kind) {
	case 0: /* numbers behind what all have */
		(void)snprintf(buffer, 2 * LONG, "team-a-job-%u", i % 700);
		break;
	case 1: /* bytes above 127, and some that end early */
		(void)snprintf(buffer, 2 * LONG, "%c%c%s", (char)(200 + i % 3), (char)(60 + i % 90),
			       i % 7 ? "tail" : "");
		break;
	case 2: /* tells nothing before its very end, deeper than prefixes are looked at */
		memset(buffer, 'x', LONG);
		for (uint32_t k = 0; k < LONG; k += 9)
			buffer[k] = (char)('a' + (i >> k / 9) % 2);
		(void)snprintf(buffer + LONG, LONG, "%u", i % 1000);
		break;
	default: /* few texts, most of them empty */
		(void)snprintf(buffer, 2 * LONG, "%s", i % 5 ? "" : "uid");
		break;
	}
	return buffer;
}

TEST(sorted_as_compared)
{
	static struct fl_sort_row rows[MANY], scratch[MANY];
	char buffer[2 * LONG];

	for (int kind = 0; kind < 4; kind++) {
		struct fl_names names;

		assert_int_equal(fl_names_init(&names, &fl_mem_heap, NULL), 0);
		for (uint32_t i = 0; i < MANY; i++)
			rows[i] = (struct fl_sort_row){
				.id = i, .sym = add(&names, like(buffer, kind, i * 7919 % MANY)).v
			};
		fl_names_sort(&names, rows, MANY, scratch);
		for (uint32_t i = 1; i < MANY; i++) {
			int order =
				strcmp(fl_names_text(&names, (struct fl_sym){ rows[i - 1].sym }),
				       fl_names_text(&names, (struct fl_sym){ rows[i].sym }));

			assert_true(order < 0 || (order == 0 && rows[i - 1].id < rows[i].id));
			assert_string_equal(fl_names_text(&names, (struct fl_sym){ rows[i].sym }),
					    like(buffer, kind, rows[i].id * 7919 % MANY));
		}
		fl_names_sort(&names, rows, 0, scratch);
		fl_names_done(&names);
	}
}

UNIT_GROUP("names")
