/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/borrow/shares.h"

#include "decide/borrow/borrow.h"
#include "decide/borrow/quota/sharing.h"

static bool waits(const struct fl_policy *p, struct fl_workload w)
{
	enum fl_workload_state state = fl_borrow_policy.state(p, w);

	return state == FL_STATE_WAITING || state == FL_STATE_INADMISSIBLE ||
	       state == FL_STATE_HELD_BACK;
}

/* May queues of the tree of @w borrow from each other? */
static bool shares_tree(const struct fl_model *m, const struct fl_tree *t, struct fl_workload w)
{
	struct fl_node q = m->workloads[w.v].cluster_queue;

	return q.v != FL_NONE && t->root_index[q.v] != FL_NONE &&
	       fl_sharing_in(t, t->root_index[q.v]);
}

bool fl_borrow_shares(const struct fl_model *m, const struct fl_policy *p, struct fl_workload of,
		      bool anyway)
{
	const struct fl_tree *t = fl_borrow_tree(p);

	if (of.v != FL_NONE)
		return waits(p, of) && shares_tree(m, t, of);
	for (uint32_t i = 0; anyway && i < t->n_roots; i++)
		if (fl_sharing_in(t, i))
			return true;
	for (uint32_t w = 0; !anyway && w < m->n_workloads; w++)
		if (waits(p, (struct fl_workload){ w }) &&
		    shares_tree(m, t, (struct fl_workload){ w }))
			return true;
	return false;
}
