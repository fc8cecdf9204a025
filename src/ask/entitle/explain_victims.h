/* SPDX-License-Identifier: Apache-2.0 */
/* explain_victims - what a search for victims said of each; private to ask */
#ifndef FL_ASK_ENTITLE_EXPLAIN_VICTIMS_H
#define FL_ASK_ENTITLE_EXPLAIN_VICTIMS_H

#include "ask/entitle/explain_run.h"

/* What a search for victims said of each, from the evidence of a trial. */
struct fl_entitle_victims {
	const struct fl_model *model;
	struct fl_workload asks;
	struct fl_explain_refusal *refused; /* by workload; n == 0: nothing failed */
	bool *considered;                   /* by workload */
	struct fl_explain_refusal all;      /* the last that was said of all together; n 0 */
};

int fl_entitle_victims_init(struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err);
void fl_entitle_victims_row(struct fl_entitle_victims *v, const struct fl_evidence *row);
/* Into x->refusals by rule. */
int fl_entitle_victims_list(const struct fl_entitle_victims *v, struct fl_entitle_run *r,
			    fairlead_error *err);

#endif
