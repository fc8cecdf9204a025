/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obstacle - for every workload of the entitle policy, what stood in its way when last looked at
 *
 * Fed by a sink during steps.  Of each of the rules that may refuse a workload as such
 * the first inequality that did not hold is kept: the one that the policy acted on.
 * Memory: caller's mem.
 */
#ifndef FL_ASK_ENTITLE_OBSTACLE_H
#define FL_ASK_ENTITLE_OBSTACLE_H

#include "ask/common/face.h"

struct fl_obstacle {
	struct fl_evidence row;
	uint32_t cycle;
};

struct fl_obstacle_log {
	struct fl_why why;
	const struct fl_mem *mem;
	struct fl_obstacle *rows;
	uint32_t n, cap;
	uint32_t *at; /* by workload and rule: row + 1 */
};

int fl_obstacle_init(struct fl_obstacle_log *log, const struct fl_mem *mem,
		     const struct fl_model *m, fairlead_error *err);
void fl_obstacle_done(struct fl_obstacle_log *log);
void fl_obstacle_row(void *log, const struct fl_evidence *row); /* for fl_sink */
/* One that its kind frees (ask/common/face.h). */
int fl_obstacle_new(const struct fl_mem *mem, const struct fl_model *m, struct fl_why **ret,
		    fairlead_error *err);
/* The inequality that @reason is about; NULL when it is about none, or none was seen. */
const struct fl_evidence *fl_obstacle_of(const struct fl_obstacle_log *log, struct fl_workload w,
					 enum fl_reason reason);

#endif
