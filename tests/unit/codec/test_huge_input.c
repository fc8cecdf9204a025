/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs made to hurt: each must end in its error soon, with little memory. */
#include <time.h>

#include "codec/text/reader.h"
#include "lib/unit.h"

enum { HUGE = 100000000, MOST_BYTES = 128 << 20 };

/* What our own side allocates at the most. */
struct counted {
	struct fl_mem mem;
	size_t now, most;
};

enum { HEADER = 16 };

static void *resize(void *user, void *old, size_t size)
{
	struct counted *c = user;
	char *base = old ? (char *)old - HEADER : NULL;
	size_t before = 0;

	if (base)
		memcpy(&before, base, sizeof before);
	c->now += size - before;
	c->most = c->now > c->most ? c->now : c->most;
	if (size == 0) {
		free(base);
		return NULL;
	}
	base = realloc(base, size + HEADER);
	if (!base)
		return NULL;
	memcpy(base, &size, sizeof size);
	return base + HEADER;
}

/* One piece of text again and again, so often. */
struct again {
	const char *text;
	size_t len, at, times;
};

static int read_again(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err)
{
	struct again *a = user;
	size_t n = 0;

	(void)err;
	while (n < size && a->times) {
		size_t left = a->len - a->at, part = left < size - n ? left : size - n;

		memcpy(buffer + n, a->text + a->at, part);
		n += part;
		a->at = (a->at + part) % a->len;
		a->times -= a->at == 0;
	}
	*ret = n;
	return 0;
}

/* A text, or with @stream that many of it. */
static int drain_most(const char *text, size_t len, struct again *stream, size_t most,
		      fairlead_error *err)
{
	struct counted c = { .mem = { .resize = resize } };
	const struct fl_source source = { read_again, stream };
	struct fl_reader *r = NULL;
	struct fl_token t = { .kind = FL_TOKEN_DOCUMENT };
	clock_t start = clock();
	int code;

	c.mem.user = &c;
	*err = (fairlead_error){ 0 };
	code = stream ? fl_reader_open(&c.mem, &source, &r, err) :
			fl_reader_new(&c.mem, text, len, &r, err);
	while (code == 0 && t.kind != FL_TOKEN_END)
		code = fl_reader_next(r, &t, err);
	fl_reader_free(r);
	assert_int_equal(c.now, 0);
	assert_true(c.most < most);
	assert_true((double)(clock() - start) / CLOCKS_PER_SEC <
		    20); /* a second; sanitizers and valgrind take more */
	return code;
}

static int drain(const char *text, size_t len, fairlead_error *err)
{
	return drain_most(text, len, /* stream= */ NULL, MOST_BYTES, err);
}

static void check(const char *text, size_t len, uint32_t line, uint32_t column, const char *message)
{
	fairlead_error err;

	assert_int_equal(drain(text, len, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, message);
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
}

/* @before, then 100 MB of @fill. */
static char *huge(const char *before, char fill)
{
	char *text = malloc(HUGE);

	assert_non_null(text);
	memset(text, fill, HUGE);
	memcpy(text, before, strlen(before));
	return text;
}

TEST(one_line)
{
	char *text = huge("{\"a\": \"", 'x');

	check(text, HUGE, 1, 7, "a text of more than 262144 bytes");
	free(text);
	text = huge("{\"", 'x');
	check(text, HUGE, 1, 2, "a text of more than 262144 bytes");
	free(text);
	text = huge("{\"a\": \"\\n", 'x');
	check(text, HUGE, 1, 7, "a text of more than 262144 bytes");
	free(text);
	text = huge("[", '1');
	check(text, HUGE, 1, 2, "a text of more than 262144 bytes");
	free(text);
	text = huge("a: ", 'x');
	check(text, HUGE, 1, 1, "more than 3145728 bytes from here to the next value");
	free(text);
}

TEST(long_block)
{
	char *text = huge("a: |\n ", 'x');
	size_t len = 10000000;

	for (size_t i = 100; i < len; i += 100)
		memcpy(text + i, "\n ", 2);
	check(text, len, 1, 1, "more than 3145728 bytes from here to the next value");
	check(text, 1000000, 1, 4, "a text of more than 262144 bytes");
	free(text);
}

TEST(nesting)
{
	static const struct {
		const char *before;
		char fill;
		size_t len;
		uint32_t column;
	} rows[] = {
		{ "[", '[', HUGE, 65 },
		{ "a: [", '[', 1000000, 67 },
	};
	char text[80000];
	size_t n = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *input = huge(rows[i].before, rows[i].fill);

		check(input, rows[i].len, 1, rows[i].column, "nested deeper than 64 levels");
		free(input);
	}
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%*sk:\n", i, "");
	check(text, n, 65, 65, "nested deeper than 64 levels");
	n = 0;
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "{\"k\":");
	check(text, n, 1, 321, "nested deeper than 64 levels");
}

/* Nine times nine times nine ... */
TEST(aliases)
{
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof text, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	fairlead_error err;

	for (int i = 1; i < 12; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d [", i, i);
		for (int j = 0; j < 9; j++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s*a%d", j ? "," : "",
					      i - 1);
		n += (size_t)snprintf(text + n, sizeof text - n, "]\n");
	}
	assert_int_equal(drain(text, n, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "aliases expand to more than 1048576 tokens");
	assert_int_equal(err.line, 1);
}

TEST(merges)
{
	char text[4096];
	size_t n = (size_t)snprintf(text, sizeof text, "a0: &a0 {k: 1}\n");
	fairlead_error err;

	for (int i = 1; i < 12; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d {<<: [", i, i);
		for (int j = 0; j < 9; j++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s*a%d", j ? "," : "",
					      i - 1);
		n += (size_t)snprintf(text + n, sizeof text - n, "]}\n");
	}
	assert_int_equal(drain(text, n, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "aliases expand to more than 1048576 tokens");
}

/* 100 MB of small things are no error, and take no memory. */
TEST(many_documents)
{
	char *text = huge("", ' ');
	fairlead_error err;

	for (size_t i = 0; i + 100 < HUGE; i += 100)
		memcpy(text + i, "{\"a\":[{\"b\":1},2]}", 17);
	assert_int_equal(drain(text, HUGE, &err), 0);
	free(text);
}

/* What our side holds of a stream does not depend on how long it is (libyaml's part: test_big_dump.py). */
TEST(streams)
{
	static const struct {
		const char *text;
		size_t times, most;
	} rows[] = {
		{ "{\"a\": [{\"b\": \"\\n\"}, 2]}\n", 500000, 3 << 19 },
		{ "[                                ]\n", 500000, 3 << 19 },
		{ "---\na:\n- b: \"\\n\"\n- &x 2\n- *x\n", 200000, 1 << 18 },
		{ "- b: \"\\n\"\n  c: [2]\n", 200000, 1 << 18 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct again a = { rows[i].text, strlen(rows[i].text), 0, rows[i].times };
		fairlead_error err;

		assert_int_equal(drain_most(NULL, 0, &a, rows[i].most, &err), 0);
	}
}

/* Limits of what one value may hold back. */
TEST(gaps)
{
	struct again a = { "# a comment that goes on and on\n", 32, 0, 200000 };
	struct again anchors = { "- &a [x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x]\n", 54, 0,
				 200000 };
	fairlead_error err;

	assert_int_equal(drain_most(NULL, 0, &a, 9 << 20, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text, "more than 3145728 bytes from here to the next value");
	assert_int_equal(drain_most(NULL, 0, &anchors, MOST_BYTES, &err), FAIRLEAD_ELIMIT);
	assert_string_equal(err.text,
			    "anchors and merge keys of one document hold more than 67108864 bytes");
}

UNIT_GROUP("huge-input")
