/* SPDX-License-Identifier: Apache-2.0 */
#include "base/image.h"
#include "lib/fail_mem.h"
#include "lib/unit.h"

enum { SIZE = 4096 };

static const struct fl_image_kind small = { "small", 12, 0 };
static const struct fl_image_kind none = { "none", 8, 3 };
static const struct fl_image_kind other = { "small", 12, 1 }; /* what is where has moved */
static const struct fl_image_kind wider = { "small", 16, 0 };

struct row {
	uint32_t a, b, c;
};
static const struct row rows[] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };

/* Bytes in memory; given so many at a time, the writing fails behind `room`. */
struct bytes {
	char of[SIZE];
	size_t n, at, piece, room;
};

static int put(void *user, const void *from, size_t n, fairlead_error *err)
{
	struct bytes *b = user;

	if (b->n + n > b->room)
		return fl_fail(err, FAIRLEAD_EIO, "full");
	memcpy(b->of + b->n, from, n);
	b->n += n;
	return 0;
}

static int get(void *user, char *to, size_t size, size_t *ret, fairlead_error *err)
{
	struct bytes *b = user;

	(void)err;
	*ret = b->n - b->at < size ? b->n - b->at : size;
	if (*ret > b->piece)
		*ret = b->piece;
	memcpy(to, b->of + b->at, *ret);
	b->at += *ret;
	return 0;
}

static int write_image(struct bytes *b, fairlead_error *err)
{
	struct fl_image_writer w;
	int r = fl_image_begin(&w, &(struct fl_image_output){ put, b }, "test 1", err);

	if (r == 0)
		r = fl_image_put(&w, &small, rows, 3, err);
	if (r == 0)
		r = fl_image_put(&w, &none, NULL, 0, err);
	return r < 0 ? r : fl_image_end(&w, err);
}

static struct bytes made(void)
{
	struct bytes b = { .room = SIZE, .piece = SIZE };
	fairlead_error err;

	assert_int_equal(write_image(&b, &err), 0);
	return b;
}

static int read_image(struct bytes *b, const struct fl_mem *mem, struct fl_image *i,
		      fairlead_error *err)
{
	b->at = 0;
	return fl_image_read(i, mem, &(struct fl_source){ get, b }, "test 1", err);
}

static void sign(struct bytes *b)
{
	uint64_t sum[2];

	fl_image_sum(b->of, b->n - FL_IMAGE_STEP, sum);
	memcpy(b->of + b->n - sizeof sum, sum, sizeof sum);
}

TEST(test_comes_back)
{
	static const size_t pieces[] = { 1, 7, 64, SIZE };
	struct bytes b = made();
	fairlead_error err = { .code = 0 };

	assert_true(fl_image_is(b.of));
	assert_int_equal(b.n % FL_IMAGE_STEP, 0);
	for (size_t k = 0; k < COUNT(pieces); k++) {
		struct fl_image i;
		const void *found;
		void *taken;
		uint32_t n = 9;

		b.piece = pieces[k];
		assert_int_equal(read_image(&b, &fl_mem_heap, &i, &err), 0);
		assert_int_equal(fl_image_rows(&i, &small, &found, &n, &err), 0);
		assert_int_equal(n, 3);
		assert_memory_equal(found, rows, sizeof rows);
		assert_int_equal(fl_image_take(&i, &small, &taken, &n, &err), 0);
		assert_ptr_equal(taken, found);
		fl_mem_free(&fl_mem_heap, taken);
		assert_int_equal(fl_image_rows(&i, &none, &found, &n, &err), 0);
		assert_int_equal(n, 0);
		assert_int_equal(fl_image_rows(&i, &other, &found, &n, &err), FAIRLEAD_EINPUT);
		assert_string_equal(err.text, "the image has no 'small' in this version's layout");
		assert_int_equal(fl_image_take(&i, &wider, &taken, &n, &err), FAIRLEAD_EINPUT);
		fl_image_done(&i);
	}
}

/* Cut off anywhere, a bit more, any bit another: never taken, and it is said what to do. */
TEST(test_every_damage_is_found)
{
	struct bytes good = made(), b;
	struct fl_image i;
	fairlead_error err;

	for (size_t n = 0; n < good.n; n++) {
		b = good;
		b.n = n;
		assert_int_equal(read_image(&b, &fl_mem_heap, &i, &err), FAIRLEAD_EINPUT);
		assert_string_equal(err.text, "the image is cut off");
	}
	b = good;
	b.n++;
	assert_int_equal(read_image(&b, &fl_mem_heap, &i, &err), FAIRLEAD_EINPUT);
	assert_string_equal(err.text, "the image is damaged: its checksum is wrong");
	for (size_t bit = 0; bit < good.n * 8; bit++) {
		b = good;
		b.of[bit / 8] = (char)(b.of[bit / 8] ^ (1 << bit % 8));
		assert_int_equal(read_image(&b, &fl_mem_heap, &i, &err), FAIRLEAD_EINPUT);
		assert_string_equal(err.hint, "save it again from its manifests with this version");
	}
}

/* With the right sum: what a head may not say. */
TEST(test_heads)
{
	static const struct {
		const char *what;
		size_t at;
		uint64_t value;
		const char *text;
	} heads[] = {
		{ "magic", 0, 1, "is not an image" },
		{ "format", 8, 0x0102030400000002,
		  "the image is of another version: 'test 1', format 2" },
		{ "byte order", 8, 0x0403020100000001,
		  "the image is of a machine with another byte order" },
		{ "maker", 16, 0x3220747365740000 >> 16,
		  "the image is of another version: 'test 2', format 1" },
		{ "no rows", 64 + 8, 0, "the image is damaged" },
		{ "wide rows", 64 + 8, UINT64_C(1) << 60, "the image is damaged" },
		{ "too many", 64 + 16, UINT64_C(1) << 32, "the image is damaged" },
		{ "many", 64 + 16, UINT32_MAX, "the image is cut off" },
		{ "more", 64 + 16, 4, NULL },
		{ "not zero", 64 + 24, 1, "the image is damaged" },
		{ "length", 64 + 32 + 64 + 32 + 8, 1,
		  "the image is damaged: its checksum is wrong" },
	};
	struct fl_image i;
	fairlead_error err;

	for (size_t k = 0; k < COUNT(heads); k++) {
		struct bytes b = made();
		int r;

		memcpy(b.of + heads[k].at, &heads[k].value, sizeof heads[k].value);
		sign(&b);
		r = read_image(&b, &fl_mem_heap, &i, &err);
		if (!heads[k].text) { /* four rows of twelve bytes take as much room as three */
			CHECK(r == 0, heads[k].what);
			fl_image_done(&i);
			continue;
		}
		CHECK(r == FAIRLEAD_EINPUT, heads[k].what);
		assert_string_equal(err.text, heads[k].text);
	}
}

TEST(test_out_of_memory)
{
	struct bytes b = made();
	fairlead_error err;
	struct fl_image i;
	unsigned long n = 0;
	int r;

	do {
		struct fail_mem f;

		fail_mem_init(&f);
		f.fail_at = ++n;
		r = read_image(&b, &f.mem, &i, &err);
		if (r == 0)
			fl_image_done(&i);
		else
			assert_int_equal(r, FAIRLEAD_ENOMEM);
		assert_int_equal(f.live, 0);
	} while (r < 0);
	assert_int_equal(n, 2); /* one table has rows */
}

TEST(test_full_disk)
{
	size_t n = made().n;
	fairlead_error err;

	for (size_t room = 0; room < n; room++) {
		struct bytes b = { .room = room };

		assert_int_equal(write_image(&b, &err), FAIRLEAD_EIO);
	}
}

UNIT_GROUP("image")
