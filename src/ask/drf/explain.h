/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - why one workload is pending under drf: which one is next, and what is short
 *
 * Runs the coming step, and the workload alone, both inside a mark: the policy is as before
 * afterwards.  Memory: the caller's arena.
 */
#ifndef FL_ASK_DRF_EXPLAIN_H
#define FL_ASK_DRF_EXPLAIN_H

#include "ask/common/explain.h"
#include "ask/common/shortage.h"

struct fl_drf_explain {
	struct fl_workload workload;
	struct fl_node queue; /* FL_NONE: it has none */
	enum fl_explain_state state;
	enum fl_reason reason; /* of the coming step, or what stands against it at all */
	const struct fl_placement *placement; /* that it holds, or gets */
	uint32_t n_placement;
	struct fl_share share; /* of its queue, as it is now */

	/* where it waits */
	uint32_t ahead[FL_EXPLAIN_AHEAD], n_ahead; /* of its queue; in no order */
	struct fl_workload next;                   /* with which the step ends; FL_NONE */
	struct fl_share next_share;                /* of its queue, then */
	enum fl_reason alone;                      /* FITS, or why not, whosever turn it is */
	bool is_short;
	struct fl_shortage shortage; /* alone, where it is short of something */
};

/* FAIRLEAD_ENOMEM, or an error of the policy. */
int fl_drf_explain(const struct fl_policy_ops *ops, struct fl_policy *p, const struct fl_model *m,
		   fl_time now, struct fl_workload w, struct fl_arena *arena,
		   struct fl_drf_explain *ret, fairlead_error *err);

#endif
