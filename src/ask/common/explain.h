/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain - what answers of both policies to "why is it pending?" have in common
 */
#ifndef FL_ASK_COMMON_EXPLAIN_H
#define FL_ASK_COMMON_EXPLAIN_H

#include "decide/policy.h"

enum { FL_EXPLAIN_AHEAD = 10 /* of those ahead, so many are listed */ };

enum fl_explain_state {
	FL_EXPLAIN_RUNS,     /* holds quota */
	FL_EXPLAIN_EVICTING, /* holds quota and is being evicted */
	FL_EXPLAIN_NEXT,     /* waits, and the coming cycle admits it */
	FL_EXPLAIN_PREEMPTS, /* waits, and the coming cycle preempts others for it */
	FL_EXPLAIN_WAITS,
	FL_EXPLAIN_EXCLUDED, /* takes no part: finished, no queue, stopped, ... */
};

/*
 * A workload that could be a victim and is not, or all of them below a node, and the
 * inequality that failed.  FITS_WITHOUT: it may be preempted, but all together are not enough.
 */
struct fl_explain_refusal {
	enum fl_check check;
	struct fl_workload victim; /* FL_NONE: all below @node that hold what is needed */
	uint32_t n;                /* how many that is; 1 for a victim */
	struct fl_node node;       /* as in evidence */
	struct fl_flavor flavor;   /* FL_NONE: of none */
	struct fl_resource resource;
	struct fl_number lhs, rhs;
};

/* Those of one check: refusals[first] .. [first + n - 1], nearest to holding first. */
struct fl_explain_rule {
	enum fl_check check;
	uint32_t workloads, first, n;
};

struct fl_explain_victim {
	struct fl_workload workload;
	enum fl_reason reason;
};

/*
 * A machine that quotas are parts of.  Nothing is proposed that it does not have, and what is proposed is
 * tried as it would be done: quota given to a queue is taken from the cohort that has the rest.
 */
struct fl_explain_machine {
	const struct fl_explain_spare {
		struct fl_flavor flavor;
		struct fl_resource resource;
		fl_amount amount; /* that no node owns, but for `rest` */
		fl_amount beyond; /* that nodes own together, and the machine has not */
	} * spare;                /* of what is not there the machine has nothing */
	uint32_t n;
	struct fl_node rest;    /* the cohort that has all that no other node has; FL_NONE */
	const uint32_t *owners; /* by workload that holds quota: its user; NULL: not known */
	const char *owner;      /* the user of the workload that is asked about */
};

/* @rows by rule, that which refused most first, then the nearest to passing. */
int fl_explain_sort(const struct fl_model *m, struct fl_arena *arena,
		    struct fl_explain_refusal **rows, uint32_t n,
		    struct fl_explain_rule **ret_rules, uint32_t *ret_n_rules, fairlead_error *err);

#endif
