/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adopt - which row of one model is which of another
 *
 * Queues, cohorts, local queues, flavors, resources and machines of one name are the same one;
 * of workloads the caller says it.  What a policy knows by rows of one model is carried by these
 * maps into a policy on another (policy.h, `adopt`).
 *
 * Tables by id of @from have the id in @to, or FL_NONE: it is no more.  `was` and `nodes_were`
 * are the other way round.  Costs a look at each row's name; memory until fl_adoption_done.
 *
 * Private to the policies.
 */
#ifndef FL_DECIDE_ADOPT_H
#define FL_DECIDE_ADOPT_H

#include "model/model.h"

struct fl_adoption {
	const struct fl_model *from, *to;
	struct fl_arena arena; /* the caller's too, until done */
	uint32_t *nodes, *flavors, *resources, *queues, *machines, *workloads;
	uint32_t *nodes_were;
	const struct fl_workload *was;
};

/*
 * @was by workload of @to, as told in policy.h; it stays the caller's.  FAIRLEAD_EINPUT: one of
 * them is no workload of @from, or two are the same one.  After an error nothing is left.
 */
int fl_adoption_begin(struct fl_adoption *a, const struct fl_model *from, const struct fl_model *to,
		      const struct fl_workload *was, const struct fl_mem *mem, fairlead_error *err);
void fl_adoption_done(struct fl_adoption *a);

/* Where @id of `from` is in `to`, by one of the tables; FL_NONE stays that. */
static inline uint32_t fl_adopted(const uint32_t *table, uint32_t id)
{
	return id == FL_NONE ? FL_NONE : table[id];
}

#endif
