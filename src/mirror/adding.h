/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adding - Workloads of a mirror as rows of a model
 *
 * Podsets that are equal, of one namespace, become one row: a LimitRange of the namespace may say what
 * they leave open.  On any thread while the mirror is pinned.  Tested in tests/unit/daemon/test_cluster.c.
 */
#ifndef FL_MIRROR_ADDING_H
#define FL_MIRROR_ADDING_H

#include "mirror/mirror.h"

struct fl_mirror_adding {
	struct fl_model *model;
	struct fl_pairs pods; /* (number of the podsets, namespace) -> row of `spans` */
	struct fl_span *spans;
	uint32_t n, cap;
	const struct fl_shared **known; /* open addressing: numbers of podsets */
	uint32_t *numbers, slots, used;
};
void fl_mirror_adding_begin(struct fl_mirror_adding *a, struct fl_model *m);
void fl_mirror_adding_end(struct fl_mirror_adding *a);
/* @o has an essence. */
int fl_mirror_add(struct fl_mirror_adding *a, const struct fl_mirror_object *o,
		  fairlead_error *err);
/* One that holds quota, and how much cannot be read. */
int fl_mirror_add_uncertain(struct fl_model *m, const struct fl_mirror_object *o,
			    fairlead_error *err);
/* Of any other object the rows that the codec makes of its text; the memory of @doc is used again. */
int fl_mirror_add_text(struct fl_model *m, const struct fl_mirror_object *o, struct fl_doc *doc,
		       fairlead_error *err);

#endif
