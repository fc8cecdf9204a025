/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending - all pending workloads, and why, as a policy is after a cycle
 *
 * A workload that takes no part because of its surroundings (no such queue, a stopped
 * one, a cohort cycle) waits too; the finished and the deactivated do not.
 *
 * Memory: the list is the caller's, grown through its mem and reused.
 */
#ifndef FL_ASK_COMMON_PENDING_H
#define FL_ASK_COMMON_PENDING_H

#include "decide/policy.h"

struct fl_pending {
	struct fl_workload workload;
	struct fl_node cluster_queue; /* FL_NONE when there is none */
	enum fl_reason reason;        /* never NONE */
	bool head;                    /* looked at in this cycle */
	bool parked;                  /* out of the queue until something frees */
};

struct fl_pending_list {
	const struct fl_mem *mem;
	struct fl_pending *rows; /* by workload, "namespace/name" */
	uint32_t n, cap;
	uint32_t *order;  /* all workloads by name; made by the first fill */
	uint8_t *is_head; /* by workload */
};

/* List pending workloads. @d is the cycle's decisions, or NULL before the first: no heads then. */
int fl_pending_fill(struct fl_pending_list *list, const struct fl_policy_ops *ops,
		    const struct fl_policy *p, const struct fl_model *m,
		    const struct fl_decisions *d, fairlead_error *err);
void fl_pending_done(struct fl_pending_list *list);

/* Why @w waits whatever cycles find; FL_REASON_NONE when nothing stands against it. */
enum fl_reason fl_pending_fixed_reason(const struct fl_model *m, struct fl_workload w);

/* Order of two workloads by "namespace/name", as one text. */
int fl_workload_name_cmp(const struct fl_model *m, uint32_t a, uint32_t b);

#endif
