/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/reader.h"

#include <stdio.h>
#include <string.h>

#include "lib/fail_mem.h"
#include "lib/unit.h"

enum { ROOM = 4096 };

/*
 * The tokens in short: %  a document, { } [ ], key=, and scalars by type: ~ null, ?bool, #int, .float, 'string'.
 * An error ends it as "!line:column text".
 */
static void put(char *out, const struct fl_token *t)
{
	static const char *const before[] = { "~", "?", "#", ".", "'" };
	static const char *const marks[] = { "$", "% ", "{ ", "} ", "[ ", "] " };
	size_t n = strlen(out);

	if (t->kind == FL_TOKEN_KEY)
		(void)snprintf(out + n, ROOM - n, "%.*s=", (int)t->len, t->text);
	else if (t->kind == FL_TOKEN_SCALAR)
		(void)snprintf(out + n, ROOM - n, "%s%.*s%s ", before[t->type], (int)t->len,
			       t->text, t->type == FL_SCALAR_STRING ? "'" : "");
	else
		(void)snprintf(out + n, ROOM - n, "%s", marks[t->kind]);
}

static int tokens(const struct fl_mem *mem, const char *text, size_t len, char *out,
		  fairlead_error *err)
{
	struct fl_reader *r = NULL;
	struct fl_token t = { .kind = FL_TOKEN_DOCUMENT };
	int code;

	out[0] = '\0';
	*err = (fairlead_error){ 0 };
	code = fl_reader_new(mem, text, len, &r, err);
	while (code == 0 && (code = fl_reader_next(r, &t, err)) == 0) {
		put(out, &t);
		if (t.kind == FL_TOKEN_END)
			break;
	}
	if (code < 0)
		(void)snprintf(out + strlen(out), ROOM - strlen(out), "!%u:%u %s", err->line,
			       err->column, err->text);
	fl_reader_free(r);
	return code;
}

struct row {
	const char *text, *want;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char out[ROOM];
		fairlead_error err;

		tokens(&fl_mem_heap, rows[i].text, strlen(rows[i].text), out, &err);
		if (strcmp(out, rows[i].want) != 0)
			fail_msg("%s\n  got  %s\n  want %s", rows[i].text, out, rows[i].want);
	}
}

static void json(void **state)
{
	static const struct row rows[] = {
		{ "{}", "% { } $" },
		{ "[]", "% [ ] $" },
		{ " {\"a\" : [1,-2.5,1e3,true,false,null,\"x\"]}\n",
		  "% { a=[ #1 .-2.5 .1e3 ?true ?false ~null 'x' ] } $" },
		{ "{\"a\":{\"b\":{}},\"c\":[[],{}]}", "% { a={ b={ } } c=[ [ ] { } ] } $" },
		{ "{}{}\n[]", "% { } % { } % [ ] $" },
		{ "[\"\\\"\\\\\\/\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]",
		  "% [ '\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80' ] $" },
		{ "\xef\xbb\xbf{}", "% { } $" },
		{ "{\"\\u0061\":1}", "% { a=#1 } $" },
	};

	(void)state;
	check(rows, COUNT(rows));
}

static void bad_json(void **state)
{
	static const struct row rows[] = {
		{ "{", "% { !1:2 expected a key in double quotes, but the input ends" },
		{ "{\n  \"a\": 1,\n  \"b\" 2}",
		  "% { a=#1 !3:7 expected ':' after the key, not '2'" },
		{ "{\"a\": 1,}", "% { a=#1 !1:9 expected a key in double quotes, not '}'" },
		{ "{\"a\": 1 \"b\"}", "% { a=#1 !1:9 expected ',' or '}', not '\"'" },
		{ "[1 2]", "% [ #1 !1:4 expected ',' or ']', not '2'" },
		{ "[1,]", "% [ #1 !1:4 expected a value, not ']'" },
		{ "[1", "% [ #1 !1:3 expected ',' or ']', but the input ends" },
		{ "{\"a\"}", "% { !1:5 expected ':' after the key, not '}'" },
		{ "{a: 1}", "% { !1:2 expected a key in double quotes, not 'a'" },
		{ "[tru]", "% [ !1:2 expected a value, not 't'" },
		{ "[\x01]", "% [ !1:2 expected a value, not byte 0x01" },
		{ "[01]", "% [ !1:2 not a JSON number" },
		{ "[1.]", "% [ !1:2 not a JSON number" },
		{ "[-]", "% [ !1:2 not a JSON number" },
		{ "[1e]", "% [ !1:2 not a JSON number" },
		{ "[\"a\nb\"]", "% [ !1:4 a control character in a string" },
		{ "[\"\\n\tb\"]", "% [ !1:5 a control character in a string" },
		{ "[\"abc", "% [ !1:2 the string does not end" },
		{ "[\"a\\n", "% [ !1:2 the string does not end" },
		{ "[\"\\x\"]", "% [ !1:3 unknown escape '\\x'" },
		{ "[\"\\u12g4\"]", "% [ !1:3 '\\u' needs four hexadecimal digits" },
		{ "[\"\\ud800\"]", "% [ !1:3 half of a surrogate pair" },
		{ "[\"\\udc00\"]", "% [ !1:3 half of a surrogate pair" },
		{ "[\"\\u0000\"]", "% [ !1:3 a NUL character in a text" },
		{ "[\"a\xff\"]", "% [ !1:4 invalid UTF-8" },
		{ "[\"\\n\xc0\x80\"]", "% [ !1:5 invalid UTF-8" },
		{ "[\"\xed\xa0\x80\"]", "% [ !1:3 invalid UTF-8" },
		{ "[\"\xe2\x82\"]", "% [ !1:3 invalid UTF-8" },
		{ "{\"a\":1,\n \"a\":2}", "% { a=#1 !2:2 duplicate key 'a'" },
		{ "{\"a\":1,\"\\u0061\":2}", "% { a=#1 !1:8 duplicate key 'a'" },
		{ "{} x", "% { } % !1:4 expected a value, not 'x'" },
	};

	(void)state;
	check(rows, COUNT(rows));
}

static void yaml(void **state)
{
	static const struct row rows[] = {
		{ "", "$" },
		{ "# nothing\n", "$" },
		{ "a: 1\n", "% { a=#1 } $" },
		{ "---\na: 1\n---\n---\n- b\n", "% { a=#1 } % ~ % [ 'b' ] $" },
		{ "- yes\n- true\n- TRUE\n- ~\n- null\n-\n- 0x1F\n- 0o17\n- -12\n- +1\n- 1.5\n- 1e3\n- .inf\n- 1_0\n",
		  "% [ 'yes' ?true ?TRUE ~~ ~null ~ #0x1F #0o17 #-12 #+1 .1.5 .1e3 ..inf '1_0' ] $" },
		{ "- '1'\n- \"true\"\n- !!str 5\n- |\n  x\n", "% [ '1' 'true' '5' 'x\n' ] $" },
		{ "- .\n- 1.\n- .5\n- e3\n- 1e\n- -\n- 0x\n- 1.2.3\n- 2026-01-01T00:00:00Z\n",
		  "% [ '.' .1. ..5 'e3' '1e' [ ~ ] '0x' '1.2.3' '2026-01-01T00:00:00Z' ] $" },
		{ "a: &x {k: 1}\nb: *x\n", "% { a={ k=#1 } b={ k=#1 } } $" },
		{ "a: &x [&y 1, *y]\nb: [*x, *y]\n", "% { a=[ #1 #1 ] b=[ [ #1 #1 ] #1 ] } $" },
		{ "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n",
		  "% { a={ k=#1 l=#2 } b={ k=#3 l=#2 } } $" },
		{ "<<: [{a: 1, b: 2}, {a: 3, c: {d: 4}}]\nb: 5\n", "% { b=#5 a=#1 c={ d=#4 } } $" },
		{ "<<: {<<: {x: 1}, y: {<<: {z: 2}}}\n", "% { y={ z=#2 } x=#1 } $" },
		{ "'<<': 1\n", "% { <<=#1 } $" },
		{ "1: a\ntrue: b\n", "% { 1='a' true='b' } $" },
		{ "? a\n: b\n", "% { a='b' } $" },
	};

	(void)state;
	check(rows, COUNT(rows));
}

static void bad_yaml(void **state)
{
	static const struct row rows[] = {
		{ "a: 1\nb: 2\na: 3\n", "% { a=#1 b=#2 !3:1 duplicate key 'a'" },
		{ "a: *x\n", "% { a=!1:4 no anchor '&x' before" },
		{ "a: &x [*x]\n", "% { a=[ !1:8 '*x' stands inside its own anchor" },
		{ "---\na: &x 1\n---\nb: *x\n", "% { a=#1 } % { b=!4:4 no anchor '&x' before" },
		{ "<<: 5\n", "% { !1:5 '<<' merges a map or a list of maps" },
		{ "<<: [5]\n", "% { !1:6 '<<' merges a map or a list of maps" },
		{ "? [a]\n: b\n", "% { !1:3 a key must be a text" },
		{ "a: \"\\0\"\n", "% { a=!1:4 a NUL character in a text" },
		{ "a: b\nc: \xff\n", "!2:4 invalid UTF-8" },
		{ "\xc3\xa9: \xe9\n", "!1:5 invalid UTF-8" },
		{ "a: \x01\n", "!1:4 a control character" },
		{ "\xc3\xa9: 1\n\xc3\xa9: 2\n", "% { \xc3\xa9=#1 !2:1 duplicate key '\xc3\xa9'" },
		{ "{\xc3\xa9: 1}\n", "% { !1:2 expected a key in double quotes, not byte 0xc3" },
	};
	static const char *const broken[] = { "a: [1, 2\n", "a: b: c\n",      "a: \"x\n",
					      "\ta: b\n",   "a: 1\n  b: 2\n", "- a\nb: c\n" };

	(void)state;
	check(rows, COUNT(rows));
	/* The words are the parser's own; that they come with a place is ours. */
	for (size_t i = 0; i < COUNT(broken); i++) {
		char out[ROOM];
		fairlead_error err;

		CHECK(tokens(&fl_mem_heap, broken[i], strlen(broken[i]), out, &err) ==
			      FAIRLEAD_EINPUT,
		      broken[i]);
		CHECK(strncmp(err.text, "invalid YAML: ", 14) == 0, broken[i]);
		CHECK(err.line >= 1 && err.line <= 3 && err.column >= 1, broken[i]);
	}
}

static void places(void **state)
{
	static const char *const texts[] = { "{\n  \"a\": [\n    1]}", "\na:\n    - 1\n",
					     "'a': \"1\"\n" };
	static const uint32_t want[][4] = { { 2, 3, 3, 5 },
					    { 2, 1, 3, 7 },
					    { 1, 1, 1, 6 } }; /* the key, the number */

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct fl_reader *r = NULL;
		struct fl_token t;

		assert_int_equal(fl_reader_new(&fl_mem_heap, texts[i], strlen(texts[i]), &r, NULL),
				 0);
		do {
			assert_int_equal(fl_reader_next(r, &t, NULL), 0);
			if (t.kind == FL_TOKEN_KEY) {
				assert_int_equal(t.line, want[i][0]);
				assert_int_equal(t.column, want[i][1]);
			} else if (t.kind == FL_TOKEN_SCALAR) {
				assert_int_equal(t.line, want[i][2]);
				assert_int_equal(t.column, want[i][3]);
			}
		} while (t.kind != FL_TOKEN_END);
		fl_reader_free(r);
	}
}

static void skipping(void **state)
{
	static const char text[] = "{\"a\": {\"b\": [1, {}]}, \"c\": 2}";
	struct fl_reader *r = NULL;
	struct fl_token t;

	(void)state;
	assert_int_equal(fl_reader_new(&fl_mem_heap, text, sizeof text - 1, &r, NULL), 0);
	for (int i = 0; i < 3; i++) /* DOCUMENT, MAP, KEY a */
		assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	assert_int_equal(fl_reader_skip(r, NULL), 0);
	assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	assert_int_equal(t.kind, FL_TOKEN_KEY);
	assert_memory_equal(t.text, "c", 1);
	fl_reader_free(r);
}

/* More keys than are compared one by one, in both formats; then one twice. */
static void many_keys(void **state)
{
	static char text[65536], out[ROOM];
	fairlead_error err;

	(void)state;
	for (int json_format = 0; json_format < 2; json_format++) {
		size_t n = 0;

		n += (size_t)snprintf(text, sizeof text, "%s", json_format ? "{" : "");
		for (int i = 0; i < 1000; i++)
			n += (size_t)snprintf(
				text + n, sizeof text - n,
				json_format ? "\"k%d\":{\"k%d\":1},\n" : "k%d: {k%d: 1}\n", i, i);
		(void)snprintf(text + n, sizeof text - n,
			       json_format ? "\"k500\":1}" : "k500: 1\n");
		assert_int_equal(tokens(&fl_mem_heap, text, strlen(text), out, &err),
				 FAIRLEAD_EINPUT);
		assert_string_equal(err.text, "duplicate key 'k500'");
		assert_int_equal(err.line, 1001);
		assert_int_equal(err.column, 1);
	}
}

/* Our own allocations fail one after another: an error each time, and nothing left behind. */
static void out_of_memory(void **state)
{
	static const char *const texts[] = {
		"{\"a\": {\"b\": [1, \"\\n\"]}}",
		"a: &x {k: 1, l: [2]}\nb: {<<: [*x, {m: 1}], k: 3}\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		for (unsigned long n = 1;; n++) {
			struct fail_mem f;
			fairlead_error err;
			char out[ROOM];
			int code;

			fail_mem_init(&f);
			f.fail_at = n;
			code = tokens(&f.mem, texts[i], strlen(texts[i]), out, &err);
			assert_int_equal(f.live, 0);
			if (code == 0)
				break;
			assert_int_equal(code, FAIRLEAD_ENOMEM);
			assert_true(n < 1000);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json),      cmocka_unit_test(bad_json),
		cmocka_unit_test(yaml),      cmocka_unit_test(bad_yaml),
		cmocka_unit_test(places),    cmocka_unit_test(skipping),
		cmocka_unit_test(many_keys), cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests_name("codec/reader", tests, NULL, NULL);
}
