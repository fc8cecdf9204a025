/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller of a cluster sees: namespaces by their whole names, and sentences without names. */
#include "daemon/engine/people.h"

#include <string.h>

#include "lib/unit.h"

static const struct fl_sees some = { .limited = true, .n = 2, .namespaces = { "a", "team-a" } };

TEST(namespaces)
{
	char longest[80];

	assert_true(fl_sees_namespace(&some, "a") && fl_sees_namespace(&some, "team-a"));
	assert_false(fl_sees_namespace(&some, "team") || fl_sees_namespace(&some, "team-ab"));
	assert_false(fl_sees_namespace(&some, ""));
	assert_true(fl_sees_inside(&some, "a/x") && fl_sees_inside(&some, "team-a/"));
	assert_false(fl_sees_inside(&some, "a") || fl_sees_inside(&some, "b/a"));
	assert_false(fl_sees_inside(&some, "/a") || fl_sees_inside(&some, ""));
	memset(longest, 'a', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	assert_false(fl_sees_namespace(&some, longest) || fl_sees_inside(&some, longest));
	assert_true(fl_sees_namespace(NULL, "any") && fl_sees_inside(NULL, "any"));
}

TEST(sentences)
{
	const struct fl_sees queues = { .limited = true, .queues = true };
	const char *text = "8 of 8 cpu in use in cohort 'all'; queue 'x' is stopped";
	char buffer[FL_PEOPLE_TEXT], long_text[3 * FL_PEOPLE_TEXT];

	assert_string_equal(fl_sees_text(&some, text, buffer),
			    "8 of 8 cpu in use in cohort 'hidden'; queue 'hidden' is stopped");
	assert_ptr_equal(fl_sees_text(&queues, text, buffer), text);
	assert_ptr_equal(fl_sees_text(NULL, text, buffer), text);
	assert_null(fl_sees_text(&some, NULL, buffer));
	assert_string_equal(fl_sees_text(&some, "a name 'that does not end", buffer),
			    "a name 'hidden");
	memset(long_text, '\'', sizeof long_text);
	long_text[sizeof long_text - 1] = '\0';
	assert_true(strlen(fl_sees_text(&some, long_text, buffer)) < FL_PEOPLE_TEXT);
}

UNIT_GROUP("people")
