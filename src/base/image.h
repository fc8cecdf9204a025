/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image - tables of rows as they stand in memory, one behind the other, for this program alone
 *
 * Guarantees: what is read is what was put, by the same version on a machine of the same kind, to
 * the last byte, or it is refused; nothing is looked at before all of it has been read and its
 * checksum found right.  Never crashes on any bytes, and takes no more memory than twice what is
 * there.  What the rows mean is not known here: the reader of a table checks its ids and spans, for
 * a checksum finds accidents, but no intent.
 *
 *     head      64 bytes: magic, format, byte order, the writer
 *     tables    32 bytes each: key, size of a row, number of rows; then the rows, padded
 *     tail      32 bytes: END, length, sum
 *
 * A key is made of the table's name, the size of its rows, and a number for what stands where
 * in them, so that a program with other rows does not take these for its own.  Everything is
 * padded to 32 bytes, a step of the sum.
 */
#ifndef FL_BASE_IMAGE_H
#define FL_BASE_IMAGE_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/source.h"

enum {
	FL_IMAGE_MAGIC = 8,    /* so many bytes tell an image from all else */
	FL_IMAGE_TABLES = 128, /* at most */
	FL_IMAGE_STEP = 32,
};

/* What rows a table has. */
struct fl_image_kind {
	const char *name;
	size_t row;      /* bytes */
	uint64_t fields; /* stands for what is where; 0: plain numbers */
};

/* For `fields`: mix in one more. */
uint64_t fl_image_fields(uint64_t fields, const char *name, size_t offset, size_t size);

/* --- writing --- */

struct fl_image_output {
	int (*write)(void *user, const void *bytes, size_t n, fairlead_error *err);
	void *user;
};

struct fl_image_writer {
	struct fl_image_output sink;
	uint64_t lanes[4];
	uint64_t length;
};

/* @maker: name and version of the program; no other reads it. */
int fl_image_begin(struct fl_image_writer *w, const struct fl_image_output *sink, const char *maker,
		   fairlead_error *err);
int fl_image_put(struct fl_image_writer *w, const struct fl_image_kind *kind, const void *rows,
		 uint32_t n, fairlead_error *err);
int fl_image_end(struct fl_image_writer *w, fairlead_error *err);

/* --- reading --- */

struct fl_image_table {
	uint64_t key;
	uint32_t row, n;
	void *rows; /* NULL once they were taken */
};

struct fl_image {
	const struct fl_mem *mem;
	uint32_t n;
	struct fl_image_table tables[FL_IMAGE_TABLES];
};

/* Do these FL_IMAGE_MAGIC bytes begin an image? */
bool fl_image_is(const void *bytes);

/*
 * All of it.  FAIRLEAD_EINPUT: of another program or version, cut off, or damaged; nothing is
 * left to free then.
 */
int fl_image_read(struct fl_image *i, const struct fl_mem *mem, const struct fl_source *source,
		  const char *maker, fairlead_error *err);
void fl_image_done(struct fl_image *i);

/* Is there such a table? */
bool fl_image_has(const struct fl_image *i, const struct fl_image_kind *kind);
/* The rows of a table, which stay the image's.  FAIRLEAD_EINPUT when it has no such table. */
int fl_image_rows(const struct fl_image *i, const struct fl_image_kind *kind, const void **ret,
		  uint32_t *ret_n, fairlead_error *err);
/* @n of them; a table with more or less is damaged. */
int fl_image_exactly(const struct fl_image *i, const struct fl_image_kind *kind, uint64_t n,
		     const void **ret, fairlead_error *err);
/* The same, copied: @to has room for them. */
int fl_image_copy(const struct fl_image *i, const struct fl_image_kind *kind, uint64_t n, void *to,
		  fairlead_error *err);
/* As fl_image_rows, and they are the caller's from now on, to be freed or resized with @i's mem. */
int fl_image_take(struct fl_image *i, const struct fl_image_kind *kind, void **ret, uint32_t *ret_n,
		  fairlead_error *err);

/* The sum of whole steps, as the tail has it: for tests, which damage what stands before it. */
void fl_image_sum(const void *bytes, size_t n, uint64_t ret[2]);

/* What to do about an image that is refused, as a hint. FAIRLEAD_EINPUT. */
int fl_image_advise(fairlead_error *err);
/* FAIRLEAD_EINPUT: what stands in a table cannot be. */
int fl_image_damaged(const char *table, fairlead_error *err);

#endif
