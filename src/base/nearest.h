/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest - which of the known names was meant
 */
#ifndef FL_BASE_NEAREST_H
#define FL_BASE_NEAREST_H

#include <stddef.h>

enum { FL_NEAREST = 3 };

/* The nearest names given so far, best first, equals by name. Texts are copied. */
struct fl_nearest {
	const char *wanted;
	unsigned n;
	unsigned distance[FL_NEAREST];
	char name[FL_NEAREST][512];
};

/* Take @name when it is near enough to be a slip of the keyboard, once. */
void fl_nearest_offer(struct fl_nearest *n, const char *name);
/* "'a', 'b' or 'c'"; "" when nothing is near. */
const char *fl_nearest_text(const struct fl_nearest *n, char *buffer, size_t size);

#endif
