/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shortage - for every workload, the first quota it was short of when last looked at
 *
 * Fed by a sink during steps; a shortage of the moment is preferred to a flavor
 * that could never hold the workload.  Memory: caller's mem.
 */
#ifndef FL_ASK_COMMON_SHORTAGE_H
#define FL_ASK_COMMON_SHORTAGE_H

#include "ask/common/face.h"

struct fl_shortage {
	struct fl_workload workload;
	struct fl_node node;
	struct fl_flavor flavor;
	struct fl_resource resource;
	fl_amount requested, available; /* available: now, or with `never` at all */
	bool never;
	uint32_t cycle;
};

struct fl_shortage_log {
	struct fl_why why;
	const struct fl_mem *mem;
	struct fl_shortage *rows;
	uint32_t n, cap;
	uint32_t *at; /* by workload: row + 1 */
};

int fl_shortage_init(struct fl_shortage_log *log, const struct fl_mem *mem,
		     const struct fl_model *m, fairlead_error *err);
void fl_shortage_done(struct fl_shortage_log *log);
void fl_shortage_row(void *log, const struct fl_evidence *row); /* for fl_sink */
/* One that its kind frees (ask/common/face.h). */
int fl_shortage_new(const struct fl_mem *mem, const struct fl_model *m, struct fl_why **ret,
		    fairlead_error *err);
const struct fl_shortage *fl_shortage_of(const struct fl_shortage_log *log,
					 struct fl_workload w); /* or NULL */

#endif
