/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept - arrays that a part of a policy keeps: one list says what is allocated, saved and loaded
 *
 * There are two kinds.  Arrays that are the same in an image as in memory are a list of fl_kept,
 * one line for each array, which the part makes when it is set up.  Rows that are put together for
 * an image are a TABLE of a state.def (tables.h).
 *
 * Guarantee: a table that is loaded has as many rows as its key says, and each row is a valid one.
 *
 * Private to the policies.
 */
#ifndef FL_DECIDE_KEPT_H
#define FL_DECIDE_KEPT_H

#include <stdbool.h>

#include "base/image.h"
#include "decide/policy.h"

/* Is @row, which was loaded for @p, a valid one? */
typedef bool fl_kept_bound(const struct fl_policy *p, const void *row);

struct fl_kept {
	void *array;          /* address of the pointer to the array */
	size_t row;           /* bytes of one row */
	uint64_t n;           /* rows; 0: the array is not needed */
	const char *name;     /* of its table in an image; NULL: not saved */
	fl_kept_bound *bound; /* NULL: all values are valid */
};
/* @array: a pointer of any type.  FL_ROOM: working memory, which is not saved in an image. */
#define FL_KEPT(array, n, name, bound)                                                             \
	{                                                                                          \
		&(array), sizeof *(array), (n), (name), (bound)                                    \
	}
#define FL_ROOM(array, n) FL_KEPT(array, n, NULL, NULL)

struct fl_kept_list {
	const struct fl_kept *rows;
	uint32_t n;
};

/* Allocates all arrays of the list, zeroed, and a copy of the list itself, in arena @a. */
int fl_kept_new(struct fl_kept_list *ret, const struct fl_kept *rows, uint32_t n,
		struct fl_arena *a, fairlead_error *err);
/* Saves the arrays in the order of the list.  FAIRLEAD_ELIMIT: more rows than an image can have. */
int fl_kept_save(const struct fl_kept_list *l, struct fl_image_writer *w, fairlead_error *err);
/* After FAIRLEAD_EINPUT a part may be loaded, and @p can only be freed. */
int fl_kept_load(const struct fl_kept_list *l, const struct fl_policy *p, const struct fl_image *i,
		 fairlead_error *err);

#endif
