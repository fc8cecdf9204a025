/* SPDX-License-Identifier: Apache-2.0 */
#include "report/out/shape.h"

#include <math.h>

#include "lib/unit.h"

struct inner {
	uint32_t usage, own;
};

static const char *const colours[] = { "red", "green" };
enum colour { RED, GREEN };

struct row {
	const char *name, *none;
	double known, unknown, bound, ratio;
	fl_amount amount, limit;
	fl_time at;
	enum colour colour;
	bool shown;
	uint32_t index, n, n_ids;
	const struct inner *inner;
	uint32_t ids[2];
};

#define ROW struct inner
static const struct fl_json_field inner_fields[] = {
	FL_FIELD(COUNT, "usage", usage, NULL),
	FL_FIELD(COUNT, "own", own, NULL),
};
static const struct fl_json_shape inner_shape = FL_SHAPE(inner_fields, "inner");
/* Planted: two keys have changed places. */
static const struct fl_json_field swapped_fields[] = {
	FL_FIELD(COUNT, "usage", own, NULL),
	FL_FIELD(COUNT, "own", usage, NULL),
};
static const struct fl_json_shape swapped_shape = FL_SHAPE(swapped_fields, "swapped");
#undef ROW

#define ROW struct row
static const struct fl_json_field fields[] = {
	FL_FIELD(TEXT, "name", name, NULL),
	FL_FIELD(TEXT, "none", none, NULL, .maybe = true),
	FL_FIELD(KNOWN, "known", known, NULL),
	FL_FIELD(KNOWN, "unknown", unknown, NULL),
	FL_FIELD(OR_NULL, "orNull", unknown, NULL),
	FL_FIELD(BOUND, "bound", bound, NULL),
	FL_FIELD(RATIO, "ratio", ratio, NULL),
	FL_FIELD(AMOUNT, "amount", amount, NULL),
	FL_FIELD(LIMIT, "limit", limit, NULL),
	FL_FIELD(SECONDS, "at", at, NULL),
	FL_FIELD(INDEX, "index", index, NULL),
	FL_FIELD_ENUM("colour", colour, colours, NULL),
	FL_FIELD(BOOL, "green", shown, NULL, FL_IF(colour, 1u << GREEN)),
	FL_FIELD(BOOL, "red", shown, NULL, FL_IF(colour, 1u << RED)),
	FL_FIELD(COUNT, "n", n, NULL, FL_IF_TRUE(shown)),
	FL_FIELD_LIST("inners", inner, n, inner_shape, NULL),
	FL_FIELD_LIST("swapped", inner, n, swapped_shape, NULL),
	FL_FIELD_ITEMS(COUNT, "ids", ids, n_ids, NULL),
	FL_FIELD_TO("first", inner, inner_shape, NULL, .maybe = true),
};
static const struct fl_json_shape shape = FL_SHAPE(fields, "row");
#undef ROW

static char *write_shape(const struct fl_json_shape *of, const void *row, bool ascii)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct fl_json j;
	const struct fl_shape_at at = { .json = &j };

	assert_non_null(out);
	fl_json_init(&j, out);
	j.ascii = ascii;
	fl_shape_json(&at, NULL, of, row);
	fclose(out);
	return text;
}

static char *write_row(const struct row *row) { return write_shape(&shape, row, false); }

TEST(all_types)
{
	const struct inner inners[] = { { 3, 2 }, { 5, 4 } };
	const struct row row = {
		.name = "a\"b",
		.known = 0.5,
		.unknown = NAN,
		.bound = FL_UNBOUNDED,
		.ratio = INFINITY,
		.amount = FL_UNLIMITED,
		.limit = FL_NO_LIMIT,
		.at = 1500000000,
		.index = FL_NONE,
		.colour = GREEN,
		.shown = true,
		.n = 2,
		.n_ids = 2,
		.inner = inners,
		.ids = { 7, 8 },
	};
	char *text = write_row(&row);

	assert_string_equal(
		text, "{\"name\":\"a\\\"b\",\"known\":0.5,\"orNull\":null,\"bound\":\"unlimited\","
		      "\"ratio\":\"inf\",\"amount\":\"unlimited\",\"at\":1.5,\"index\":null,"
		      "\"colour\":\"green\",\"green\":true,\"n\":2,"
		      "\"inners\":[{\"usage\":3,\"own\":2},{\"usage\":5,\"own\":4}],"
		      "\"swapped\":[{\"usage\":2,\"own\":3},{\"usage\":4,\"own\":5}],"
		      "\"ids\":[7,8],\"first\":{\"usage\":3,\"own\":2}}");
	free(text);
}

TEST(what_is_left_out)
{
	const struct row row = { .name = "", .limit = 4, .colour = RED };
	char *text = write_row(&row);

	assert_string_equal(text, "{\"name\":\"\",\"known\":0,\"unknown\":0,\"orNull\":0,"
				  "\"bound\":0,\"ratio\":0,\"amount\":0,\"limit\":4,\"at\":0,"
				  "\"index\":0,\"colour\":\"red\",\"red\":false,"
				  "\"inners\":[],\"swapped\":[],\"ids\":[]}");
	free(text);
}

struct told {
	const char *name;
	char word[8];
	double real, share;
	uint64_t job;
	uint32_t attempt;
	fl_time at;
	const struct inner *inner;
};

#define ROW struct told
static const struct fl_json_field told_fields[] = {
	FL_FIELD(TEXT, "name", name, NULL, .null = true),
	FL_FIELD_CHARS("word", word, NULL, .maybe = true),
	FL_FIELD(REAL, "real", real, NULL, .maybe = true),
	FL_FIELD(REAL, "share", share, NULL, .null = true),
	FL_FIELD(JOB, "job", job, NULL, .null = true),
	FL_FIELD(NTH, "attempt", attempt, NULL, .null = true),
	FL_FIELD(TIME, "at", at, NULL, .null = true),
	FL_FIELD_TO("inner", inner, inner_shape, NULL, .null = true),
};
static const struct fl_json_shape told_shape = FL_SHAPE(told_fields, "told");
#undef ROW

/* As the daemon writes: null where nothing stands there, doubles always with a point. */
TEST(told_or_null)
{
	static const struct inner inner = { 1, 2 };
	static const struct {
		struct told row;
		const char *text;
	} cases[] = {
		{ { .real = NAN, .share = NAN, .at = FL_TIME_NONE },
		  "{\"name\":null,\"share\":null,\"job\":null,\"attempt\":null,\"at\":null,"
		  "\"inner\":null}" },
		{ { "a", "b", 3, INFINITY, UINT64_C(1) << 40, 2, 0, &inner },
		  "{\"name\":\"a\",\"word\":\"b\",\"real\":3.0,\"share\":\"inf\","
		  "\"job\":1099511627776,\"attempt\":2,\"at\":\"1970-01-01T00:00:00Z\","
		  "\"inner\":{\"usage\":1,\"own\":2}}" },
		{ { .name = "", .real = 0.1, .share = 1e-5, .at = FL_TIME_NONE },
		  "{\"name\":\"\",\"real\":0.10000000000000001,"
		  "\"share\":1.0000000000000001e-5,\"job\":null,\"attempt\":null,"
		  "\"at\":null,\"inner\":null}" },
		{ { .real = 1e20, .share = -2.5, .at = FL_TIME_NONE },
		  "{\"name\":null,\"real\":1e20,\"share\":-2.5,\"job\":null,"
		  "\"attempt\":null,\"at\":null,\"inner\":null}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = write_shape(&told_shape, &cases[i].row, /* ascii= */ false);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

TEST(in_ascii)
{
	static const char expected[] =
		"{\"name\":\"gr\\u00F6\\u00DFe \\u20AC \\uD83D\\uDE00\\ufffd\",";
	const struct told row = {
		.name = "gr\xc3\xb6\xc3\x9f\x65 \xe2\x82\xac \xf0\x9f\x98\x80\xff"
	};
	char *text = write_shape(&told_shape, &row, /* ascii= */ true);

	assert_memory_equal(text, expected, sizeof(expected) - 1);
	free(text);
}

UNIT_GROUP("shape")
