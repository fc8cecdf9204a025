/* SPDX-License-Identifier: Apache-2.0 */
/* source - where bytes come from, some at a time: a file, a pipe, a text */
#ifndef FL_BASE_SOURCE_H
#define FL_BASE_SOURCE_H

#include <stddef.h>

#include "base/error.h"

/*
 * Up to @size bytes, and how many; 0 at the end, and then no more calls.  Not 0: a negative
 * FAIRLEAD_E... with *err, which is what the reader then ends with.
 */
struct fl_source {
	int (*read)(void *user, char *buffer, size_t size, size_t *ret, fairlead_error *err);
	void *user;
};

#endif
