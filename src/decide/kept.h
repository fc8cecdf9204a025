/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept - what a part of a policy keeps, defined once: it is allocated, saved and loaded by that
 *
 * Two shapes of it.  Arrays that stand in an image as they stand in memory are a list of fl_kept,
 * one line each, which the part makes when it is set up.  Rows that are put together for an image
 * are a TABLE of a state.def (tables.h).
 *
 * Guarantee: what is loaded has as many rows as there are of its key, and each is one that may be.
 *
 * Private to the policies.
 */
#ifndef FL_DECIDE_KEPT_H
#define FL_DECIDE_KEPT_H

#include <stdbool.h>

#include "base/image.h"
#include "decide/policy.h"

/* What @row of @p is loaded as: may it be? */
typedef bool fl_kept_bound(const struct fl_policy *p, const void *row);

struct fl_kept {
	void *array;          /* where the pointer to it stands */
	size_t row;           /* bytes */
	uint64_t n;           /* rows; 0: it is not needed */
	const char *name;     /* of its table in an image; NULL: it is in none */
	fl_kept_bound *bound; /* NULL: a row may be anything */
};
/* @array: a pointer, of whatever type; FL_ROOM: to work in, which is in no image. */
#define FL_KEPT(array, n, name, bound)                                                             \
	{                                                                                          \
		&(array), sizeof *(array), (n), (name), (bound)                                    \
	}
#define FL_ROOM(array, n) FL_KEPT(array, n, NULL, NULL)

struct fl_kept_list {
	const struct fl_kept *rows;
	uint32_t n;
};

/* All arrays of the list, zeroed, and the list itself, of arena @a. */
int fl_kept_new(struct fl_kept_list *ret, const struct fl_kept *rows, uint32_t n,
		struct fl_arena *a, fairlead_error *err);
/* In the order of the list. FAIRLEAD_ELIMIT: more rows than an image can have. */
int fl_kept_save(const struct fl_kept_list *l, struct fl_image_writer *w, fairlead_error *err);
/* After FAIRLEAD_EINPUT some of it is loaded, and @p can only be freed. */
int fl_kept_load(const struct fl_kept_list *l, const struct fl_policy *p, const struct fl_image *i,
		 fairlead_error *err);

#endif
