/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/common/shortage.h"

#include <string.h>

static void free_log(struct fl_why *why)
{
	struct fl_shortage_log *log = (struct fl_shortage_log *)why;
	const struct fl_mem *mem = log->mem;

	fl_shortage_done(log);
	fl_mem_free(mem, log);
}

static const struct fl_why_kind kind = { fl_shortage_row, free_log };

int fl_shortage_init(struct fl_shortage_log *log, const struct fl_mem *mem,
		     const struct fl_model *m, fairlead_error *err)
{
	uint32_t cap = 0;

	*log = (struct fl_shortage_log){ .why = { .kind = &kind }, .mem = mem };
	if (m->n_workloads == 0)
		return 0;
	int rc = fl_mem_grow(mem, &log->at, &cap, m->n_workloads, sizeof(*log->at), err);
	if (rc < 0)
		return rc;
	memset(log->at, 0, m->n_workloads * sizeof(*log->at));
	return 0;
}

void fl_shortage_done(struct fl_shortage_log *log)
{
	if (!log->mem)
		return;
	fl_mem_free(log->mem, log->rows);
	fl_mem_free(log->mem, log->at);
	*log = (struct fl_shortage_log){ 0 };
}

void fl_shortage_row(void *user, const struct fl_evidence *row)
{
	struct fl_shortage_log *log = user;
	bool never = row->check == FL_CHECK_POTENTIAL;

	if (row->holds || (!never && row->check != FL_CHECK_AVAILABLE) ||
	    row->resource.v == FL_NONE)
		return;
	uint32_t at = log->at[row->workload.v];
	if (at && log->rows[at - 1].cycle == log->why.cycle && (never || !log->rows[at - 1].never))
		return;
	if (!at) {
		if (fl_mem_grow(log->mem, &log->rows, &log->cap, log->n + 1, sizeof(*log->rows),
				NULL) < 0) {
			log->why.out_of_memory = true;
			return;
		}
		at = ++log->n;
		log->at[row->workload.v] = at;
	}
	log->rows[at - 1] = (struct fl_shortage){
		.workload = row->workload,
		.node = row->node,
		.flavor = row->flavor,
		.resource = row->resource,
		.requested = row->lhs.amount,
		.available = fl_amount_max(0, row->rhs.amount),
		.never = never,
		.cycle = log->why.cycle,
	};
}

const struct fl_shortage *fl_shortage_of(const struct fl_shortage_log *log, struct fl_workload w)
{
	uint32_t at = log->at ? log->at[w.v] : 0;

	return at ? &log->rows[at - 1] : NULL;
}

int fl_shortage_new(const struct fl_mem *mem, const struct fl_model *m, struct fl_why **ret,
		    fairlead_error *err)
{
	struct fl_shortage_log *log = NULL;
	uint32_t cap = 0;
	int rc = fl_mem_grow(mem, &log, &cap, 1, sizeof(*log), err);

	if (rc < 0)
		return rc;
	rc = fl_shortage_init(log, mem, m, err);
	if (rc < 0)
		fl_mem_free(mem, log);
	else
		*ret = &log->why;
	return rc;
}
