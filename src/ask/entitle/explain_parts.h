/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_parts - the steps of it, each in its own place; private to ask
 */
#ifndef FL_ASK_ENTITLE_EXPLAIN_PARTS_H
#define FL_ASK_ENTITLE_EXPLAIN_PARTS_H

#include "ask/entitle/explain.h"
#include "ask/entitle/obstacle.h"

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

/* What a search for victims said of each, from the evidence of a trial. */
struct fl_entitle_victims {
	const struct fl_model *model;
	struct fl_workload asks;
	struct fl_explain_refusal *refused; /* by workload; n == 0: nothing failed */
	bool *considered;                   /* by workload */
	struct fl_explain_refusal all;      /* the last that was said of all together; n 0 */
};

struct fl_entitle_heard {
	struct fl_obstacle_log obstacles;
	struct fl_entitle_victims victims;
};

int fl_entitle_victims_init(struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err);
void fl_entitle_victims_row(struct fl_entitle_victims *v, const struct fl_evidence *row);
/* Into x->refusals by rule. */
int fl_entitle_victims_list(const struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err);

/* x->changes, each tried. */
int fl_entitle_changes(struct fl_entitle_run *r, fairlead_error *err);

#endif
