/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a JSON text, by their keys, as they stand in it. */
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/scheduler/slice.h"
#include "lib/unit.h"

static struct fl_slice whole(const char *text) { return (struct fl_slice){ text, strlen(text) }; }

TEST(members)
{
	static const struct {
		const char *map, *key, *value; /* value NULL: there is none */
	} rows[] = {
		{ "{\"a\":1,\"b\":{\"c\":[1,{\"b\":2}]},\"d\":\"x\"}", "b",
		  "{\"c\":[1,{\"b\":2}]}" },
		{ "{\"a\":1,\"b\":{\"c\":[1,{\"b\":2}]},\"d\":\"x\"}", "d", "\"x\"" },
		{ "{\"a\":1,\"b\":{\"c\":1}}", "c", NULL },
		{ " {\n  \"a\" : [ ] ,\n  \"b\" : -1.5e3\n}\n", "b", "-1.5e3" },
		{ "{\"t\":\"}],\\\"\\\\\",\"b\":true}", "b", "true" },
		{ "{\"t\":\"\\\"b\\\":1\",\"b\":null}", "b", "null" },
		{ "{\"b\":\"\"}", "b", "\"\"" },
		{ "{\"ab\":1,\"bb\":2}", "b", NULL },
		{ "[\"b\",\"c\"]", "b", NULL },
		{ "\"b\"", "b", NULL },
		{ "{}", "b", NULL },
		{ "", "b", NULL },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fl_slice got = fl_slice_of(whole(rows[i].map), rows[i].key);

		assert_int_equal(got.at != NULL, rows[i].value != NULL);
		if (!got.at)
			continue;
		assert_int_equal(got.n, strlen(rows[i].value));
		assert_memory_equal(got.at, rows[i].value, got.n);
	}
}

TEST(items)
{
	struct fl_slices items = fl_slices_in(whole("[{\"a\":1}, \"x\",[2] ,3]"));
	static const char *const wanted[] = { "{\"a\":1}", "\"x\"", "[2]", "3" };
	struct fl_slice key, one;

	for (size_t i = 0; i < 4; i++) {
		assert_true(fl_slices_next(&items, &key, &one));
		assert_null(key.at);
		assert_int_equal(one.n, strlen(wanted[i]));
		assert_memory_equal(one.at, wanted[i], one.n);
	}
	assert_false(fl_slices_next(&items, &key, &one));
	assert_true(fl_slice_is(whole("\"x\""), "x"));
	assert_false(fl_slice_is(whole("\"xy\""), "x"));
	assert_false(fl_slice_is(whole("{x}"), "x"));
}

/* Wherever it is cut, nothing behind the cut is looked at. */
TEST(cut)
{
	static const char text[] = "{\"a\":{\"t\":\"x\\\"\",\"n\":[1,2]},\"b\":\"end\"}";

	for (size_t n = 0; n < sizeof text; n++) {
		char *part = malloc(
			n ? n : 1); /* of exactly that size, for those that watch over memory */
		struct fl_slice a, of;

		assert_non_null(part);
		memcpy(part, text, n);
		of = (struct fl_slice){ part, n };
		a = fl_slice_of(of, "a");
		assert_true(a.n <= n && fl_slice_of(a, "n").n <= n && fl_slice_of(of, "b").n <= n);
		free(part);
	}
}

UNIT_GROUP("slice")
