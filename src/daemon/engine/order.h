/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order - the pending jobs in the order of their queues, kept from one question to the next
 *
 * Promises: what fl_live_order_get gives is what sorting all pending jobs of the view would give
 * (tests/unit/daemon/test_order.c).  Within one model a
 * workload does not change its queue, while names keep their symbols.  It is made again when the version has changed, of what was different
 * then.
 *
 * Cost: nothing while the version stays; else a pass over all jobs, and sorting of those that came, went or
 * changed.  Memory: 120 bytes a pending job.
 */
#ifndef FL_DAEMON_ENGINE_ORDER_H
#define FL_DAEMON_ENGINE_ORDER_H

#include "daemon/engine/view.h"

struct fl_live_order {
	uint64_t version; /* of the state that it is of */
	uint64_t
		generation; /* its nodes are numbers of the model of this one; 0: nothing is kept */
	uint64_t names;     /* its queues are symbols of the names with this number (jobs.h) */
	struct fl_live_pending *sorted, *by_job, *spare;
	uint32_t n, room;
};

void fl_live_order_init(struct fl_live_order *o);
void fl_live_order_done(struct fl_live_order *o);

/*
 * The pending jobs of @v, whose state has this version, queue by queue in their order; valid until the next
 * call.  FAIRLEAD_ENOMEM.
 */
int fl_live_order_get(struct fl_live_order *o, const struct fl_live_view *v, uint64_t version,
		      const struct fl_live_pending **ret, uint32_t *ret_n, fairlead_error *err);

/* How many of the sorted ones are before @own. */
uint32_t fl_live_order_before(const struct fl_live_pending *sorted, uint32_t n,
			      const struct fl_live_pending *own);

#endif
