/* SPDX-License-Identifier: Apache-2.0 */
#include "base/image.h"

#include <string.h>

enum { FORMAT = 1, BYTE_ORDER = 0x01020304, PIECE = 1 << 18, FIRST_ROOM = 1 << 24 };

static const char magic[FL_IMAGE_MAGIC] = { '\x8f', 'F', 'L', 'I', 'M', 'G', '\r', '\n' };

struct head {
	char magic[FL_IMAGE_MAGIC];
	uint32_t format, byte_order;
	char maker[48]; /* ended by a NUL */
};
struct table_head {
	uint64_t key, row, n, zero;
};
struct tail {
	uint64_t end, length, sum[2]; /* length: of all before it */
};
_Static_assert(sizeof(struct head) == 2 * FL_IMAGE_STEP, "whole steps");
_Static_assert(sizeof(struct table_head) == FL_IMAGE_STEP, "whole steps");
_Static_assert(sizeof(struct tail) == FL_IMAGE_STEP, "whole steps");

static const uint64_t end_key = UINT64_C(0x646e652065676d69);

/* --- the sum: four lanes that do not wait for each other; some 12 GB a second --- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h << 29 | h >> 35;
}

static void add_to_sum(uint64_t lanes[4], const unsigned char *bytes, size_t n)
{
	uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3], words[4];

	for (size_t i = 0; i < n; i += FL_IMAGE_STEP) {
		memcpy(words, bytes + i, FL_IMAGE_STEP);
		a = mix(a, words[0]);
		b = mix(b, words[1]);
		c = mix(c, words[2]);
		d = mix(d, words[3]);
	}
	lanes[0] = a;
	lanes[1] = b;
	lanes[2] = c;
	lanes[3] = d;
}

static void start_sum(uint64_t lanes[4])
{
	for (uint64_t i = 0; i < 4; i++)
		lanes[i] = i + 1;
}

static void end_sum(const uint64_t lanes[4], uint64_t ret[2])
{
	ret[0] = mix(mix(mix(lanes[0], lanes[1]), lanes[2]), lanes[3]);
	ret[1] = mix(mix(mix(lanes[3], lanes[2]), lanes[1]), lanes[0]);
}

void fl_image_sum(const void *bytes, size_t n, uint64_t ret[2])
{
	uint64_t lanes[4];

	start_sum(lanes);
	add_to_sum(lanes, bytes, n);
	end_sum(lanes, ret);
}

static uint64_t mix_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = mix(h, (unsigned char)*text);
	return mix(h, 0x100);
}

uint64_t fl_image_fields(uint64_t fields, const char *name, size_t offset, size_t size)
{
	return mix(mix(mix_text(fields, name), offset), size);
}

static uint64_t key_of(const struct fl_image_kind *kind)
{
	return mix(mix(mix_text(0, kind->name), kind->row), kind->fields);
}

static size_t padded(size_t n) { return (n + FL_IMAGE_STEP - 1) / FL_IMAGE_STEP * FL_IMAGE_STEP; }

/* --- writing --- */

/* Whole steps. */
static int write_steps(struct fl_image_writer *w, const void *bytes, size_t n, fairlead_error *err)
{
	int r = 0;

	for (size_t at = 0; at < n && r == 0; at += PIECE) {
		const unsigned char *piece = (const unsigned char *)bytes + at;
		size_t size = n - at < PIECE ? n - at : PIECE;

		add_to_sum(w->lanes, piece, size);
		r = w->sink.write(w->sink.user, piece, size, err);
	}
	w->length += n;
	return r;
}

int fl_image_begin(struct fl_image_writer *w, const struct fl_image_output *sink, const char *maker,
		   fairlead_error *err)
{
	struct head head = { .format = FORMAT, .byte_order = BYTE_ORDER };

	*w = (struct fl_image_writer){ .sink = *sink };
	start_sum(w->lanes);
	memcpy(head.magic, magic, sizeof magic);
	memcpy(head.maker, maker, strnlen(maker, sizeof head.maker - 1));
	return write_steps(w, &head, sizeof head, err);
}

int fl_image_put(struct fl_image_writer *w, const struct fl_image_kind *kind, const void *rows,
		 uint32_t n, fairlead_error *err)
{
	const struct table_head head = { .key = key_of(kind), .row = kind->row, .n = n };
	size_t size = (size_t)n * kind->row, whole = size / FL_IMAGE_STEP * FL_IMAGE_STEP;
	unsigned char rest[FL_IMAGE_STEP] = { 0 };
	int r = write_steps(w, &head, sizeof head, err);

	if (r == 0 && whole)
		r = write_steps(w, rows, whole, err);
	if (r < 0 || whole == size)
		return r;
	memcpy(rest, (const unsigned char *)rows + whole, size - whole);
	return write_steps(w, rest, sizeof rest, err);
}

int fl_image_end(struct fl_image_writer *w, fairlead_error *err)
{
	struct tail tail = { .end = end_key, .length = w->length };

	end_sum(w->lanes, tail.sum);
	return w->sink.write(w->sink.user, &tail, sizeof tail, err);
}

/* --- reading --- */

int fl_image_advise(fairlead_error *err)
{
	fl_fail_hint(err, "save it again from its manifests with this version");
	return FAIRLEAD_EINPUT;
}

static int refuse(fairlead_error *err, const char *text)
{
	fl_fail(err, FAIRLEAD_EINPUT, "%s", text);
	return fl_image_advise(err);
}

int fl_image_damaged(const char *table, fairlead_error *err)
{
	fl_fail(err, FAIRLEAD_EINPUT, "the image is damaged: '%s' has an impossible value", table);
	return fl_image_advise(err);
}

bool fl_image_is(const void *bytes) { return memcmp(bytes, magic, sizeof magic) == 0; }

struct input {
	const struct fl_source *source;
	uint64_t lanes[4], length;
};

/* All of @n bytes; they are part of the sum unless @tail. */
static int fill(struct input *in, void *to, size_t n, bool tail, fairlead_error *err)
{
	char *bytes = to;

	for (size_t at = 0; at < n;) {
		size_t size = n - at < PIECE ? n - at : PIECE;

		for (size_t got = 0, more = 0; got < size; got += more) {
			int r = in->source->read(in->source->user, bytes + at + got, size - got,
						 &more, err);
			if (r < 0)
				return r;
			if (more == 0)
				return refuse(err, "the image is cut off");
		}
		if (!tail)
			add_to_sum(in->lanes, (unsigned char *)bytes + at, size);
		at += size;
	}
	in->length += n;
	return 0;
}

static int check_head(const struct head *head, const char *maker, fairlead_error *err)
{
	if (memcmp(head->magic, magic, sizeof magic) != 0)
		return refuse(err, "is not an image");
	if (head->byte_order != BYTE_ORDER)
		return refuse(err, "the image is of a machine with another byte order");
	if (head->format == FORMAT && strncmp(head->maker, maker, sizeof head->maker - 1) == 0)
		return 0;
	fl_fail(err, FAIRLEAD_EINPUT, "the image is of another version: '%.*s', format %u",
		(int)sizeof head->maker - 1, head->maker, head->format);
	return fl_image_advise(err);
}

/* Grows as the rows come: what is said of their number need not be true. */
static int read_rows(struct input *in, const struct fl_mem *mem, size_t size, void **ret,
		     fairlead_error *err)
{
	size_t room = 0, got = 0;
	char *rows = NULL;
	int r = 0;

	while (got < size && r == 0) {
		size_t want = room ? room * 2 : FIRST_ROOM;
		char *wider;

		room = want < size ? want : size;
		wider = mem->resize(mem->user, rows, room);
		if (!wider) {
			r = fl_fail_nomem(err);
			break;
		}
		rows = wider;
		r = fill(in, rows + got, room - got, /* tail= */ false, err);
		got = room;
	}
	if (r < 0) {
		fl_mem_free(mem, rows);
		return r;
	}
	*ret = rows;
	return 0;
}

static int read_table(struct input *in, struct fl_image *i, const struct table_head *head,
		      fairlead_error *err)
{
	struct fl_image_table *t = &i->tables[i->n];
	int r;

	if (i->n == FL_IMAGE_TABLES || head->n > UINT32_MAX || head->row == 0 ||
	    head->row > PIECE || head->zero != 0)
		return refuse(err, "the image is damaged");
	*t = (struct fl_image_table){ head->key, (uint32_t)head->row, (uint32_t)head->n, NULL };
	r = read_rows(in, i->mem, padded((size_t)head->n * (size_t)head->row), &t->rows, err);
	if (r == 0)
		i->n++;
	return r;
}

/* Its sum is right, and nothing comes behind it. */
static int check_tail(struct input *in, const struct tail *tail, uint64_t length,
		      fairlead_error *err)
{
	uint64_t sum[2];
	size_t more = 0;
	char byte;
	int r = in->source->read(in->source->user, &byte, 1, &more, err);

	if (r < 0)
		return r;
	end_sum(in->lanes, sum);
	if (more || tail->length != length || memcmp(sum, tail->sum, sizeof sum) != 0)
		return refuse(err, "the image is damaged: its checksum is wrong");
	return 0;
}

static int read_tables(struct input *in, struct fl_image *i, const char *maker, fairlead_error *err)
{
	union {
		struct head head;
		struct table_head table;
		struct tail tail;
	} u;
	int r = fill(in, &u.head, sizeof u.head, /* tail= */ false, err);

	if (r == 0)
		r = check_head(&u.head, maker, err);
	while (r == 0) {
		uint64_t length = in->length;

		r = fill(in, &u.table, sizeof u.table, /* tail= */ true, err);
		if (r == 0 && u.table.key == end_key)
			return check_tail(in, &u.tail, length, err);
		add_to_sum(in->lanes, (unsigned char *)&u.table, sizeof u.table);
		if (r == 0)
			r = read_table(in, i, &u.table, err);
	}
	return r;
}

int fl_image_read(struct fl_image *i, const struct fl_mem *mem, const struct fl_source *source,
		  const char *maker, fairlead_error *err)
{
	struct input in = { .source = source };
	int r;

	*i = (struct fl_image){ .mem = mem };
	start_sum(in.lanes);
	r = read_tables(&in, i, maker, err);
	if (r < 0)
		fl_image_done(i);
	return r;
}

void fl_image_done(struct fl_image *i)
{
	for (uint32_t t = 0; t < i->n; t++)
		fl_mem_free(i->mem, i->tables[t].rows);
	i->n = 0;
}

/* Its place; FL_IMAGE_TABLES when there is none. */
static uint32_t place_of(const struct fl_image *i, const struct fl_image_kind *kind)
{
	uint64_t key = key_of(kind);
	uint32_t t = 0;

	while (t < i->n && (i->tables[t].key != key || i->tables[t].row != kind->row))
		t++;
	return t < i->n ? t : FL_IMAGE_TABLES;
}

bool fl_image_has(const struct fl_image *i, const struct fl_image_kind *kind)
{
	return place_of(i, kind) != FL_IMAGE_TABLES;
}

static uint32_t find(const struct fl_image *i, const struct fl_image_kind *kind,
		     fairlead_error *err)
{
	uint32_t t = place_of(i, kind);

	if (t != FL_IMAGE_TABLES)
		return t;
	fl_fail(err, FAIRLEAD_EINPUT, "the image has no '%s' in this version's layout", kind->name);
	(void)fl_image_advise(err);
	return FL_IMAGE_TABLES;
}

int fl_image_rows(const struct fl_image *i, const struct fl_image_kind *kind, const void **ret,
		  uint32_t *ret_n, fairlead_error *err)
{
	uint32_t t = find(i, kind, err);

	if (t == FL_IMAGE_TABLES)
		return FAIRLEAD_EINPUT;
	*ret = i->tables[t].rows;
	*ret_n = i->tables[t].n;
	return 0;
}

int fl_image_exactly(const struct fl_image *i, const struct fl_image_kind *kind, uint64_t n,
		     const void **ret, fairlead_error *err)
{
	uint32_t found;
	int r = fl_image_rows(i, kind, ret, &found, err);

	return r < 0 ? r : found == n ? 0 : fl_image_damaged(kind->name, err);
}

int fl_image_copy(const struct fl_image *i, const struct fl_image_kind *kind, uint64_t n, void *to,
		  fairlead_error *err)
{
	const void *rows;
	int r = fl_image_exactly(i, kind, n, &rows, err);

	if (r == 0 && n)
		memcpy(to, rows, n * kind->row);
	return r;
}

int fl_image_take(struct fl_image *i, const struct fl_image_kind *kind, void **ret, uint32_t *ret_n,
		  fairlead_error *err)
{
	uint32_t t = find(i, kind, err);

	if (t == FL_IMAGE_TABLES)
		return FAIRLEAD_EINPUT;
	*ret = i->tables[t].rows;
	*ret_n = i->tables[t].n;
	i->tables[t].rows = NULL;
	i->tables[t].n = 0;
	return 0;
}
