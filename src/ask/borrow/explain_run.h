/* SPDX-License-Identifier: Apache-2.0 */
/* explain_run - an explanation on its way, step by step; private to ask */
#ifndef FL_ASK_BORROW_EXPLAIN_RUN_H
#define FL_ASK_BORROW_EXPLAIN_RUN_H

#include "ask/borrow/evidence.h"

struct fl_explain_run {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_tree *tree;
	const struct fl_usage *usage;
	fl_time now;
	const struct fl_explain_machine *machine; /* NULL: none */
	struct fl_arena *arena;
	struct fl_explain *x;
};

/* The queue whose quota @w holds, or would. */
static inline struct fl_node fl_explain_queue(const struct fl_model *m, struct fl_workload w)
{
	const struct fl_workload_row *row = &m->workloads[w.v];

	return row->admitted_queue.v != FL_NONE ? row->admitted_queue : row->cluster_queue;
}

#endif
