/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/explain_own.h"

#include "decide/borrow/borrow.h"

/* The user where that is known, else the LocalQueue. */
static uint32_t owner_of(const struct fl_explain_run *r, uint32_t w)
{
	const uint32_t *owners = r->machine ? r->machine->owners : NULL;

	return owners ? owners[w] : r->model->workloads[w].queue.v;
}

/* What @w holds of it. */
static fl_amount held_by(const struct fl_explain_run *r, uint32_t w)
{
	const struct fl_explain_own *own = &r->x->own;
	fl_amount sum = 0;
	uint32_t n = 0;

	const struct fl_placement *rows = r->ops->placement(r->policy, (struct fl_workload){ w },
							    &n);
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].flavor.v == own->flavor.v && rows[i].resource.v == own->resource.v)
			sum = fl_sat_add(sum, rows[i].amount);
	return sum;
}

void fl_explain_own(struct fl_explain_run *r)
{
	struct fl_explain *x = r->x;
	struct fl_explain_own *own = &x->own;
	const uint32_t *holders;
	uint32_t n;

	if (x->cluster_queue.v == FL_NONE)
		return;
	if (x->failing != FL_NONE) {
		own->flavor = x->needs[x->failing].flavor;
		own->resource = x->needs[x->failing].resource;
	} else if (x->n_placement && x->state != FL_EXPLAIN_NEXT) {
		own->flavor = x->placement[0].flavor;
		own->resource = x->placement[0].resource;
	} else {
		return;
	}
	holders = fl_borrow_holders(r->policy, x->cluster_queue, &n);
	for (uint32_t i = 0; i < n; i++) {
		fl_amount held = held_by(r, holders[i]);

		if (held == 0)
			continue;
		own->queue_holds = fl_sat_add(own->queue_holds, held);
		own->n_queue++;
		if (owner_of(r, holders[i]) != owner_of(r, x->workload.v))
			continue;
		own->holds = fl_sat_add(own->holds, held);
		own->n++;
	}
}
