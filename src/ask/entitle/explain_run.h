/* SPDX-License-Identifier: Apache-2.0 */
/* explain_run - an explanation on its way, step by step; private to ask */
#ifndef FL_ASK_ENTITLE_EXPLAIN_RUN_H
#define FL_ASK_ENTITLE_EXPLAIN_RUN_H

#include "ask/entitle/explain.h"

struct fl_entitle_heard;

struct fl_entitle_run {
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_model *model;
	fl_time now;
	const struct fl_explain_machine *machine; /* NULL: none */
	struct fl_arena *arena;
	struct fl_entitle_explain *x;
	struct fl_entitle_heard *heard; /* of the cycle, or the trial, that runs */
};

#endif
