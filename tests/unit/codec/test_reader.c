/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/text/reader.h"

#include "lib/fail_mem.h"
#include "lib/few.h"
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

/* A text in pieces of at most @most bytes; with @fail_at it fails behind so many. */
struct pieces {
	const char *text;
	size_t len, most, at, fail_at;
};

static int read_piece(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct pieces *p = user;
	size_t left = (p->fail_at ? p->fail_at : p->len) - p->at;

	if (p->fail_at && left == 0)
		return fl_fail(err, FAIRLEAD_EIO, "the disk is gone");
	*ret = left < size ? left : size;
	*ret = *ret < p->most ? *ret : p->most;
	memcpy(buffer, p->text + p->at, *ret);
	p->at += *ret;
	return 0;
}

/* @most 0: whole. */
static int open_text(const struct fl_mem *mem, struct pieces *p, struct fl_reader **ret,
		     fairlead_error *err)
{
	const struct fl_source source = { read_piece, p };

	*err = (fairlead_error){ 0 };
	return p->most ? fl_reader_open(mem, &source, ret, err) :
			 fl_reader_new(mem, p->text, p->len, ret, err);
}

static int tokens(const struct fl_mem *mem, const char *text, size_t len, size_t most, char *out,
		  fairlead_error *err)
{
	struct pieces p = { .text = text, .len = len, .most = most };
	struct fl_reader *r = NULL;
	struct fl_token t = { .kind = FL_TOKEN_DOCUMENT };
	int code;

	out[0] = '\0';
	code = open_text(mem, &p, &r, err);
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

		tokens(&fl_mem_heap, rows[i].text, strlen(rows[i].text), 0, out, &err);
		if (strcmp(out, rows[i].want) != 0)
			fail_msg("%s\n  got  %s\n  want %s", rows[i].text, out, rows[i].want);
	}
}

static const struct row json_rows[] = {
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

TEST(json) { check(json_rows, COUNT(json_rows)); }

static const struct row bad_json_rows[] = {
	{ "{", "% { !1:2 expected a key in double quotes, but the input ends" },
	{ "{\n  \"a\": 1,\n  \"b\" 2}", "% { a=#1 !3:7 expected ':' after the key, not '2'" },
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

TEST(bad_json) { check(bad_json_rows, COUNT(bad_json_rows)); }

static const struct row yaml_rows[] = {
	{ "", "$" },
	{ "# nothing\n", "$" },
	{ "a: 1\n", "% { a=#1 } $" },
	{ "---\na: 1\n---\n---\n- b\n", "% { a=#1 } % ~ % [ 'b' ] $" },
	{ "- yes\n- true\n- TRUE\n- ~\n- null\n-\n- 0x1F\n- 0o17\n- -12\n- +1\n- 1.5\n- 1e3\n- .inf\n- 1_0\n",
	  "% [ ?yes ?true ?TRUE ~~ ~null ~ #31 #15 #-12 #+1 .1.5 .1e3 ..inf #10 ] $" },
	{ "- y\n- N\n- On\n- off\n- no\n- yea\n- 'no'\n- 010\n- 0b11\n- -0x10\n- 09\n- 0\n- 1:30\n- 0o8\n",
	  "% [ ?y ?N ?On ?off ?no 'yea' 'no' #8 #3 #-16 .09 #0 '1:30' '0o8' ] $" },
	{ "- '1'\n- \"true\"\n- !!str 5\n- |\n  x\n", "% [ '1' 'true' '5' 'x\n' ] $" },
	{ "- .\n- 1.\n- .5\n- e3\n- 1e\n- -\n- 0x\n- 1.2.3\n- 2026-01-01T00:00:00Z\n",
	  "% [ '.' .1. ..5 'e3' '1e' [ ~ ] '0x' '1.2.3' '2026-01-01T00:00:00Z' ] $" },
	{ "a: &x {k: 1}\nb: *x\n", "% { a={ k=#1 } b={ k=#1 } } $" },
	{ "a: &x [&y 1, *y]\nb: [*x, *y]\n", "% { a=[ #1 #1 ] b=[ [ #1 #1 ] #1 ] } $" },
	{ "a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n", "% { a={ k=#1 l=#2 } b={ k=#3 l=#2 } } $" },
	{ "<<: [{a: 1, b: 2}, {a: 3, c: {d: 4}}]\nb: 5\n", "% { b=#5 a=#1 c={ d=#4 } } $" },
	{ "<<: {<<: {x: 1}, y: {<<: {z: 2}}}\n", "% { y={ z=#2 } x=#1 } $" },
	{ "'<<': 1\n", "% { <<=#1 } $" },
	{ "1: a\ntrue: b\n", "% { 1='a' true='b' } $" },
	{ "? a\n: b\n", "% { a='b' } $" },
};

TEST(yaml) { check(yaml_rows, COUNT(yaml_rows)); }

static const struct row bad_yaml_rows[] = {
	{ "a: 1\nb: 2\na: 3\n", "% { a=#1 b=#2 !3:1 duplicate key 'a'" },
	{ "a: *x\n", "% { a=!1:4 no anchor '&x' before this alias" },
	{ "a: &x [*x]\n", "% { a=[ !1:8 '*x' is inside its own anchor" },
	{ "---\na: &x 1\n---\nb: *x\n", "% { a=#1 } % { b=!4:4 no anchor '&x' before this alias" },
	{ "<<: 5\n", "% { !1:5 '<<' merges a map or a list of maps" },
	{ "<<: [5]\n", "% { !1:6 '<<' merges a map or a list of maps" },
	{ "? [a]\n: b\n", "% { !1:3 a key must be a text" },
	{ "a: \"\\0\"\n", "% { a=!1:4 a NUL character in a text" },
	{ "a: b\nc: \xff\n", "!2:4 invalid UTF-8" },
	{ "\xc3\xa9: \xe9\n", "!1:5 invalid UTF-8" },
	{ "a: \x01\n", "!1:4 a control character" },
	{ "\xc3\xa9: 1\n\xc3\xa9: 2\n", "% { \xc3\xa9=#1 !2:1 duplicate key '\xc3\xa9'" },
	{ "a: \x7f\n", "!1:4 a control character" },
	{ "a: \xc2\x9f\n", "!1:4 a control character" },
	{ "a: \xef\xbf\xbe\n", "!1:4 a character that no text may have" },
	{ "{\xc3\xa9: 1}\n", "% { !1:2 expected a key in double quotes, not byte 0xc3" },
};

static const char *const broken[] = { "a: [1, 2\n", "a: b: c\n",      "a: \"x\n",
				      "\ta: b\n",   "a: 1\n  b: 2\n", "- a\nb: c\n" };

TEST(bad_yaml)
{
	check(bad_yaml_rows, COUNT(bad_yaml_rows));
	/* The words are the parser's own; that they come with a place is ours. */
	for (size_t i = 0; i < COUNT(broken); i++) {
		char out[ROOM];
		fairlead_error err;

		CHECK(tokens(&fl_mem_heap, broken[i], strlen(broken[i]), 0, out, &err) ==
			      FAIRLEAD_EINPUT,
		      broken[i]);
		CHECK(strncmp(err.text, "invalid YAML: ", 14) == 0, broken[i]);
		CHECK(err.line >= 1 && err.line <= 3 && err.column >= 1, broken[i]);
	}
}

TEST(places)
{
	static const char *const texts[] = { "{\n  \"a\": [\n    1]}", "\na:\n    - 1\n",
					     "'a': \"1\"\n" };
	static const uint32_t want[][4] = { { 2, 3, 3, 5 },
					    { 2, 1, 3, 7 },
					    { 1, 1, 1, 6 } }; /* the key, the number */

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

TEST(skipping)
{
	static const char text[] = "{\"a\": {\"b\": [1, {}]}, \"c\": 2}";
	struct fl_reader *r = NULL;
	struct fl_token t;

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
TEST(many_keys)
{
	static char text[65536], out[ROOM];
	fairlead_error err;

	for (int json_format = 0; json_format < 2; json_format++) {
		size_t n = 0;

		n += (size_t)snprintf(text, sizeof text, "%s", json_format ? "{" : "");
		for (int i = 0; i < 1000; i++)
			n += (size_t)snprintf(
				text + n, sizeof text - n,
				json_format ? "\"k%d\":{\"k%d\":1},\n" : "k%d: {k%d: 1}\n", i, i);
		(void)snprintf(text + n, sizeof text - n,
			       json_format ? "\"k500\":1}" : "k500: 1\n");
		assert_int_equal(tokens(&fl_mem_heap, text, strlen(text), 0, out, &err),
				 FAIRLEAD_EINPUT);
		assert_string_equal(err.text, "duplicate key 'k500'");
		assert_int_equal(err.line, 1001);
		assert_int_equal(err.column, 1);
	}
}

/* --- streams: what comes out is what comes out of the whole text --- */

struct outcome {
	uint64_t hash; /* of tokens, with their places */
	uint32_t n;
	fairlead_error err;
};

static void mix(struct outcome *o, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		o->hash = (o->hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static struct outcome outcome_of(const char *text, size_t len, size_t most)
{
	struct pieces p = { .text = text, .len = len, .most = most };
	struct fl_reader *r = NULL;
	struct fl_token t = { .kind = FL_TOKEN_DOCUMENT };
	struct outcome o = { 0 };
	fairlead_error err;
	int code = open_text(&fl_mem_heap, &p, &r, &err);

	while (code == 0 && t.kind != FL_TOKEN_END && (code = fl_reader_next(r, &t, &err)) == 0) {
		mix(&o, &(uint32_t[]){ t.kind, t.line, t.column }, 3 * sizeof(uint32_t));
		if (t.kind == FL_TOKEN_KEY || t.kind == FL_TOKEN_SCALAR)
			mix(&o, t.text, t.len);
		o.n++;
	}
	fl_reader_free(r);
	o.err = err;
	return o;
}

static void check_same(const char *text, size_t len, size_t most)
{
	struct outcome want = outcome_of(text, len, 0), got = outcome_of(text, len, most);

	if (want.n != got.n || want.hash != got.hash || want.err.code != got.err.code ||
	    want.err.line != got.err.line || want.err.column != got.err.column ||
	    strcmp(want.err.text, got.err.text) != 0)
		fail_msg(
			"in pieces of %zu: %u tokens, %u:%u %s\n  whole: %u tokens, %u:%u %s\n%.200s",
			most, got.n, got.err.line, got.err.column, got.err.text, want.n,
			want.err.line, want.err.column, want.err.text, text);
}

static void check_pieces(const char *text, size_t len)
{
	for (size_t most = 1; most <= 8; most += under_valgrind() ? 3 : 1)
		check_same(text, len, most);
}

TEST(pieces)
{
	static const struct {
		const struct row *rows;
		size_t n;
	} tables[] = { { json_rows, COUNT(json_rows) },
		       { bad_json_rows, COUNT(bad_json_rows) },
		       { yaml_rows, COUNT(yaml_rows) },
		       { bad_yaml_rows, COUNT(bad_yaml_rows) } };
	static const char *const others[] = {
		"\xef\xbb\xbf# a byte order mark\r\na: 1\r\nb: |\r\n  x\r\n  y\r\n",
		"{\r\n\"a\" :\r\n1 ,\r\n\"b\"\r\n:[ ] }\r\n",
		"a: 1\rb: 2\r",
		"a: \xe2\x80\xa8x\nb: \xc2\x85 y\n",
		"\xef\xbb", /* half of a byte order mark */
		" \n\t\r\n",
		"- \"\\u00e9\\x41\\U0001F600\\N\"\n- 'it''s'\n- >-\n  folded\n  text\n",
	};

	for (size_t i = 0; i < COUNT(tables); i++)
		for (size_t row = 0; row < tables[i].n; row++)
			check_pieces(tables[i].rows[row].text, strlen(tables[i].rows[row].text));
	for (size_t i = 0; i < COUNT(broken); i++)
		check_pieces(broken[i], strlen(broken[i]));
	for (size_t i = 0; i < COUNT(others); i++)
		check_pieces(others[i], strlen(others[i]));
	check_pieces("{\"a\":\0 1}", 10);
	check_pieces("a: \0b\n", 7);
	check_pieces("a: b\n\0", 6);
}

enum { BLOCK = 1 << 16 }; /* the reader's first one */

/* Every byte of @text is once the first of a block. */
static void check_borders(const char *text, char filling)
{
	static char input[BLOCK + 4096];
	size_t len = strlen(text);

	assert_true(len < 4096);
	for (size_t before = BLOCK - len; before <= BLOCK; before++) {
		memset(input, filling, before);
		memcpy(input + before, text, len);
		check_same(input, before + len, BLOCK);
	}
}

TEST(borders)
{
	static char input[BLOCK + 100];
	const size_t part = under_valgrind() ? 16 : 1;
	struct outcome o;

	memset(input, '\n', BLOCK);
	strcpy(input + BLOCK, "a: 1\n  b: 2");
	o = outcome_of(input, strlen(input), BLOCK);
	assert_int_equal(o.err.line, BLOCK + 2);
	assert_int_equal(o.err.column, 4);
	for (size_t i = 0; i < COUNT(yaml_rows); i += part)
		check_borders(yaml_rows[i].text, '\n');
	for (size_t i = 0; i < COUNT(bad_yaml_rows); i += part)
		check_borders(bad_yaml_rows[i].text, '\n');
	for (size_t i = 0; i < COUNT(json_rows); i += part)
		check_borders(json_rows[i].text, ' ');
	for (size_t i = 0; i < COUNT(bad_json_rows); i += part)
		check_borders(bad_json_rows[i].text, ' ');
}

/* A text that is as long as may be, but written as escapes, which takes more than a block. */
TEST(long_json)
{
	static const char part[] = "\\u0041\\u0042\\u0043\\u0044\\u0045\\u0046\\u0047"
				   "\\ud83d\\ude00\xc3\xa9";
	static const char shifts[] = "0123456789 0123456789 0123456789 0123456789 0123456789 ";
	enum { PART = sizeof part - 1, PARTS = 19500, BLANKS = 1200000 };
	char *text = malloc(PART * PARTS + 3 * BLANKS + 100);
	size_t n;

	assert_non_null(text);
	for (size_t shift = 0; shift < PART; shift += under_valgrind() ? 20 : 5) {
		n = (size_t)sprintf(text, "[\"%.*s", (int)shift, shifts);
		for (int i = 0; i < PARTS; i++, n += PART)
			memcpy(text + n, part, PART);
		n += (size_t)sprintf(text + n, "\",\"\\q\"]");
		check_same(text, n, n);
		assert_string_equal(outcome_of(text, n, n).err.text, "unknown escape '\\q'");
	}
	/* More blanks than a block has, in each place: between a key and its colon the key must last. */
	n = (size_t)sprintf(text, "{\"key\"");
	for (const char *rest = ":,:"; *rest; rest++) {
		memset(text + n, '\n', BLANKS);
		n += BLANKS;
		n += (size_t)sprintf(text + n, "%c%s", *rest, *rest == ',' ? "\"other\"" : " 5");
	}
	n += (size_t)sprintf(text + n, "}");
	check_same(text, n, n);
	assert_int_equal(outcome_of(text, n, n).n, 8);
	free(text);
}

/* Anchors and texts that grow, so that every buffer of libyaml and the window moves. */
TEST(long_yaml)
{
	enum { SIZE = 4 << 20 };
	char *text = malloc(SIZE);
	size_t n = 0;

	assert_non_null(text);
	for (int i = 0; i < (under_valgrind() ? 40 : 70); i++) {
		n += (size_t)snprintf(text + n, SIZE - n, "- &a%d\n  k\xc3\xa9y: |+\n", i);
		for (int line = 0; line < 20 * i; line++)
			n += (size_t)snprintf(text + n, SIZE - n, "    %d \xe2\x82\xac%*d\r\n",
					      line, line % 50, i);
		n += (size_t)snprintf(text + n, SIZE - n,
				      "  again: [%sa%d, \"\\u00e9\\\n   x\"] # %*d\n",
				      i > 1 ? "*" : "", 0, 40 * i, i);
	}
	text[n] = '\0';
	assert_int_equal(outcome_of(text, n, 0).err.code, 0);
	for (size_t most = 1000; most < 100000; most = most * 5 + 1)
		check_same(text, n, most);
	free(text);
}

/* What the source says is what the reader ends with, after the tokens before. */
TEST(failing_sources)
{
	char text[300000];
	struct pieces p = { .text = text, .len = sizeof text, .most = 10000, .fail_at = 1 };
	struct fl_reader *r = NULL;
	struct fl_token t;
	fairlead_error err;

	memset(text, '\n', sizeof text);
	for (size_t i = 0; i + 100 < sizeof text; i += 100)
		memcpy(text + i, "- abc", 5);
	for (; p.fail_at < sizeof text; p.fail_at = p.fail_at * 3 + 1) {
		uint32_t n = 0;
		int code;

		p.at = 0;
		code = open_text(&fl_mem_heap, &p, &r, &err);
		while (code == 0 && (code = fl_reader_next(r, &t, &err)) == 0)
			n++;
		assert_int_equal(code, FAIRLEAD_EIO);
		assert_string_equal(err.text, "the disk is gone");
		assert_int_equal(n > 0, p.fail_at > BLOCK);
		r = fl_reader_free(r);
	}
}

static int bad_source(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	(void)buffer;
	(void)err;
	if (*(int *)user == 0)
		*ret = size + 1;
	return *(int *)user;
}

TEST(wrong_sources)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = { { 0, "the source gave more bytes than it was asked for" },
		     { 5, "the source could not be read" },
		     { -1000, "the source could not be read" },
		     { FAIRLEAD_EINPUT, "the source could not be read" } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		int code = rows[i].code;
		const struct fl_source source = { bad_source, &code };
		struct fl_reader *r = NULL;
		fairlead_error err = { 0 };

		assert_int_equal(fl_reader_open(&fl_mem_heap, &source, &r, &err), FAIRLEAD_EIO);
		assert_string_equal(err.text, rows[i].text);
		assert_int_equal(fl_reader_open(&fl_mem_heap, &source, &r, NULL), FAIRLEAD_EIO);
	}
}

/* Our own allocations fail one after another: an error each time, and nothing left behind. */
TEST(out_of_memory)
{
	static const char *const texts[] = {
		"{\"a\": {\"b\": [1, \"\\n\"]}}",
		"a: &x {k: 1, l: [2]}\nb: {<<: [*x, {m: 1}], k: 3}\n",
	};

	for (size_t i = 0; i < 2 * COUNT(texts); i++)
		for (unsigned long n = 1;; n++) {
			const char *text = texts[i / 2];
			struct fail_mem f;
			fairlead_error err;
			char out[ROOM];
			int code;

			fail_mem_init(&f);
			f.fail_at = n;
			code = tokens(&f.mem, text, strlen(text), /* most= */ i % 2, out, &err);
			assert_int_equal(f.live, 0);
			if (code == 0)
				break;
			assert_int_equal(code, FAIRLEAD_ENOMEM);
			assert_true(n < 1000);
		}
}

UNIT_GROUP("reader")
