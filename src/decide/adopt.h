/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - which row of one model is which row of another
 *
 * Queues, cohorts, local queues, flavors, resources and machines of the same name are the same
 * object; of workloads the caller says which are.  What a policy knows by rows of one model is
 * carried by these maps into a policy on another model (policy.h, `adopt`).
 *
 * Tables by id of @from have the id in @to, or FL_NONE: the object is not in @to. `was` and
 * `nodes_were` have the other direction.  Costs one look at the name of each row; memory is used
 * until fl_adoption_done.
 *
 * Private to the policies.
 */
#ifndef FL_DECIDE_ADOPT_H
#define FL_DECIDE_ADOPT_H

#include "model/model.h"

struct fl_adoption {
	const struct fl_model *from, *to;
	struct fl_arena arena; /* the caller may allocate in it too, until done */
	uint32_t *nodes, *flavors, *resources, *queues, *machines, *workloads;
	uint32_t *nodes_were;
	const struct fl_workload *was;
};

/*
 * @was by workload of @to, as policy.h says; it stays the caller's.  FAIRLEAD_EINPUT: an entry is
 * not a workload of @from, or two entries are the same workload.  After an error nothing is left
 * allocated.
 */
int fl_adoption_begin(struct fl_adoption *a, const struct fl_model *from, const struct fl_model *to,
		      const struct fl_workload *was, const struct fl_mem *mem, fairlead_error *err);
void fl_adoption_done(struct fl_adoption *a);

/* The id in `to` of @id of `from`, by one of the tables; FL_NONE stays FL_NONE. */
static inline uint32_t fl_adopted(const uint32_t *table, uint32_t id)
{
	return id == FL_NONE ? FL_NONE : table[id];
}

#endif
