/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects - a List of a chosen world (fuzz/chosen_*.h), taken apart
 */
#ifndef FL_TESTS_PROP_OBJECTS_H
#define FL_TESTS_PROP_OBJECTS_H

#include "fuzz/choices.h"

enum { MOST_OBJECTS = 512 };

/* One object, and of which workload it is: of w7 it is 7; or -1. */
struct object {
	size_t first, n;
	int of;
};

struct objects {
	const struct text *text;
	struct object rows[MOST_OBJECTS];
	unsigned n;
};

/*
 * Those of @text, in their order.  Unless they keep their past all is taken away in @text that says
 * that a workload ever ran.
 */
void objects_split(struct objects *ret, struct text *text, bool keep_past);
/* One more in a list, which begins with objects_begin and ends with objects_end. */
void objects_begin(struct text *to);
void objects_add(struct text *to, const struct objects *from, unsigned at);
void objects_end(struct text *to);

#endif
