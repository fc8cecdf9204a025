/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "lib/unit.h"

TEST(a_failure_starts_clean)
{
	fairlead_error err;

	memset(&err, 'x', sizeof err);
	assert_int_equal(fl_fail(&err, FAIRLEAD_EINPUT, "bad %s at %d", "thing", 7),
			 FAIRLEAD_EINPUT);
	assert_int_equal(err.code, FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "bad thing at 7");
	assert_int_equal(err.line, 0);
	assert_int_equal(err.column, 0);
	assert_string_equal(err.file, "");
	assert_string_equal(err.subject, "");
	assert_string_equal(err.hint, "");
}

TEST(nobody_has_to_listen)
{
	assert_int_equal(fl_fail(NULL, FAIRLEAD_ELIMIT, "%s", "unheard"), FAIRLEAD_ELIMIT);
	assert_int_equal(fl_fail_nomem(NULL), FAIRLEAD_ENOMEM);
	assert_true(fl_fail_in(NULL, "outer") < 0);
	assert_true(fl_fail_hint(NULL, "hint") < 0);
}

TEST(no_memory_has_its_text)
{
	fairlead_error err;

	assert_int_equal(fl_fail_nomem(&err), FAIRLEAD_ENOMEM);
	assert_int_equal(err.code, FAIRLEAD_ENOMEM);
	assert_string_equal(err.text, "out of memory");
}

TEST(subjects_are_put_in_front)
{
	static const struct {
		const char *name, *inner, *outer, *want;
	} rows[] = {
		{ "first", "", "Workload/a", "Workload/a" },
		{ "second", ".spec", "Workload/a", "Workload/a .spec" },
		{ "nothing in front", ".spec", "", " .spec" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		fairlead_error err;

		fl_fail(&err, FAIRLEAD_EINPUT, "text");
		if (*rows[i].inner)
			fl_fail_in(&err, "%s", rows[i].inner);
		CHECK(fl_fail_in(&err, "%s", rows[i].outer) == FAIRLEAD_EINPUT, rows[i].name);
		CHECK(strcmp(err.subject, rows[i].want) == 0, rows[i].name);
		CHECK(strcmp(err.text, "text") == 0, rows[i].name);
	}
}

/* Every pair of lengths around the size of the field: what is too long is cut, what is there ends in NUL. */
TEST(long_subjects_are_cut)
{
	enum { SIZE = sizeof((fairlead_error *)0)->subject };
	static const size_t lengths[] = { 0,        1,        2,    SIZE / 2, SIZE - 3,
					  SIZE - 2, SIZE - 1, SIZE, SIZE + 1, 2 * SIZE };
	char inner[2 * SIZE + 1], outer[2 * SIZE + 1];

	for (size_t i = 0; i < COUNT(lengths); i++)
		for (size_t o = 0; o < COUNT(lengths); o++) {
			fairlead_error err;
			size_t kept = lengths[o] < SIZE - 1 ? lengths[o] : SIZE - 1;

			memset(inner, 'i', lengths[i]);
			memset(outer, 'o', lengths[o]);
			inner[lengths[i]] = outer[lengths[o]] = '\0';
			fl_fail(&err, FAIRLEAD_EINPUT, "t");
			fl_fail_in(&err, "%s", inner);
			fl_fail_in(&err, "%s", outer);
			assert_non_null(memchr(err.subject, '\0', SIZE));
			assert_memory_equal(err.subject, outer, kept);
			assert_string_equal(err.text, "t");
		}
}

TEST(long_texts_and_hints_are_cut)
{
	char text[2000];
	fairlead_error err;

	memset(text, 't', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	fl_fail(&err, FAIRLEAD_EIO, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	assert_int_equal(fl_fail_hint(&err, "%s", text), FAIRLEAD_EIO);
	assert_int_equal(strlen(err.hint), sizeof err.hint - 1);
}

UNIT_GROUP("error")
