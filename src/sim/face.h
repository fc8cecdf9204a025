/* SPDX-License-Identifier: Apache-2.0 */
/* face - what is entitled under a policy; a table a policy, for the files of entitled.h */
#ifndef FL_SIM_FACE_H
#define FL_SIM_FACE_H

#include "sim/entitled.h"

struct fl_entitled_face {
	/* Is there a row of such a node? */
	bool (*takes_part)(const struct fl_node_row *row);
	/* Of which resources is there any?  @found by resource, all false so far. */
	void (*note_resources)(const struct fl_entitled *e, bool *found);
	/* Rows, resources, `wants` and `shares` are there: `capacity`, and e->own. FAIRLEAD_ENOMEM. */
	int (*begin)(struct fl_entitled *e, fairlead_error *err);
	void (*done)(
		struct fl_entitled *e); /* of e->own, which is not NULL; NULL: nothing to free */
	/* The following as in entitled.h. */
	void (*changed)(struct fl_entitled *e);
	void (*want)(struct fl_entitled *e, uint32_t row, const double *wanted);
	uint32_t (*find)(struct fl_entitled *e, uint32_t *changed);
	const double *(*capacity)(const struct fl_entitled *e, uint32_t row); /* NULL: `capacity` */
	bool by_cycle; /* as fl_entitled_by_cycle */
};

/* Of @row and the resource @k in @of, which is by row and resource. */
static inline double *fl_entitled_cell(const struct fl_entitled *e, double *of, uint32_t row,
				       uint32_t k)
{
	return &of[(size_t)row * e->n_resources + k];
}

#endif
