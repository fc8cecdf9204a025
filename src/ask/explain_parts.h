/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_parts - the steps of explain, each in its own place; private to ask
 */
#ifndef FL_ASK_EXPLAIN_PARTS_H
#define FL_ASK_EXPLAIN_PARTS_H

#include "ask/evidence.h"

struct fl_explain_run {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	const struct fl_tree *tree;
	const struct fl_usage *usage;
	fl_time now;
	struct fl_arena *arena;
	struct fl_explain *x;
};

/* x->needs with verdicts, and x->failing. */
int fl_explain_needs(struct fl_explain_run *r, const struct fl_evidence_log *log,
		     fairlead_error *err);
/* x->refusals and x->n_considered. */
int fl_explain_refusals(struct fl_explain_run *r, const struct fl_evidence_log *log,
			fairlead_error *err);
/* x->holders, when quota is there but in use. */
int fl_explain_holders(struct fl_explain_run *r, fairlead_error *err);
/* x->changes; the state is changed on the way, so call it inside a mark. */
int fl_explain_changes(struct fl_explain_run *r, fairlead_error *err);

#endif
