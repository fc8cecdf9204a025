/* SPDX-License-Identifier: Apache-2.0 */
/* source - where bytes come from, some at a time: a file, a pipe, a text */
#ifndef FL_BASE_SOURCE_H
#define FL_BASE_SOURCE_H

#include <stddef.h>
#include <string.h>

#include "base/error.h"

/*
 * Up to @size bytes, and how many; 0 at the end, and then no more calls.  Not 0: a negative
 * FAIRLEAD_E... with *err, which is what the reader then ends with.
 */
struct fl_source {
	int (*read)(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err);
	void *user;
};

/* A text in memory: the `user` of a source that reads it. */
struct fl_text_source {
	const char *at;
	size_t left;
};

static inline int fl_text_read(void *user, char *buffer, size_t size, size_t *ret,
			       fairlead_error *err)
{
	struct fl_text_source *t = user;

	(void)err;
	*ret = t->left < size ? t->left : size;
	memcpy(buffer, t->at, *ret);
	t->at += *ret;
	t->left -= *ret;
	return 0;
}

#endif
