/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness - passes what a rule compared to a sink
 *
 * A rule emits one row for each inequality that it tests: both numbers, and whether it held.
 * Numbers are as the rule has them: for what is deserved, a limit, and what may be held,
 * FL_UNBOUNDED is no bound.  A NULL witness is told nothing, and costs nothing.
 */
#ifndef FL_DECIDE_ENTITLE_RULES_WITNESS_H
#define FL_DECIDE_ENTITLE_RULES_WITNESS_H

#include "record/record.h"

struct fl_witness {
	const struct fl_sink *sink;
	const struct fl_resource *axis; /* of the model: what FL_CPU, FL_MEMORY, FL_GPU are */
	struct fl_workload workload;    /* the workload that asks */
	uint32_t search;
};

/* What all rows of a rule have in common. */
struct fl_rule_compared {
	enum fl_check check;
	struct fl_node node;
	struct fl_workload victim; /* FL_NONE: not about a single one */
	enum fl_number_kind kind;  /* BUNDLE or RATIO */
};

/* Tells of a comparison of @lhs with @rhs in resource @r, and whether it held. */
static inline void fl_witness_hears(const struct fl_witness *w, const struct fl_rule_compared *c,
				    int r, double lhs, double rhs, bool holds)
{
	if (!w)
		return;
	const struct fl_evidence row = {
		.check = c->check,
		.workload = w->workload,
		.podset = FL_NONE,
		.node = c->node,
		.flavor = { FL_NONE },
		.resource = w->axis[r],
		.victim = c->victim,
		.lhs = { .kind = c->kind, .share = lhs },
		.rhs = { .kind = c->kind, .share = rhs },
		.holds = holds,
		.search = w->search,
	};

	w->sink->row(w->sink->user, &row);
}

#endif
