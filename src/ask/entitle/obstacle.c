/* SPDX-License-Identifier: Apache-2.0 */
#include "ask/entitle/obstacle.h"

#include <string.h>

enum rule { LIMIT, QUOTA, SHARE, ROOM, BUDGET, RULES };

static enum rule rule_of(enum fl_check check)
{
	switch (check) {
	case FL_CHECK_QUEUE_LIMIT:
		return LIMIT;
	case FL_CHECK_NON_PREEMPTIBLE_QUOTA:
		return QUOTA;
	case FL_CHECK_TURN: /* said first: with a turn its share would have been enough */
	case FL_CHECK_CAN_RECLAIM:
		return SHARE;
	case FL_CHECK_ROOM:
	case FL_CHECK_ROOM_LATER:
		return ROOM;
	case FL_CHECK_BUDGET:
		return BUDGET;
	default:
		return RULES;
	}
}

static enum rule rule_behind(enum fl_reason reason)
{
	switch (reason) {
	case FL_REASON_OVER_LIMIT:
		return LIMIT;
	case FL_REASON_NON_PREEMPTIBLE_OVER_QUOTA:
		return QUOTA;
	case FL_REASON_OVER_FAIR_SHARE:
		return SHARE;
	case FL_REASON_NO_ROOM:
	case FL_REASON_NO_VICTIMS:
		return ROOM;
	case FL_REASON_BUDGET_USED:
		return BUDGET;
	default:
		return RULES;
	}
}

static void free_log(struct fl_why *why)
{
	struct fl_obstacle_log *log = (struct fl_obstacle_log *)why;
	const struct fl_mem *mem = log->mem;

	fl_obstacle_done(log);
	fl_mem_free(mem, log);
}

static const struct fl_why_kind kind = { fl_obstacle_row, free_log };

int fl_obstacle_init(struct fl_obstacle_log *log, const struct fl_mem *mem,
		     const struct fl_model *m, fairlead_error *err)
{
	uint32_t cap = 0, n = m->n_workloads * RULES;

	*log = (struct fl_obstacle_log){ .why = { .kind = &kind }, .mem = mem };
	if (n == 0)
		return 0;
	int rc = fl_mem_grow(mem, &log->at, &cap, n, sizeof(*log->at), err);
	if (rc < 0)
		return rc;
	memset(log->at, 0, n * sizeof(*log->at));
	return 0;
}

void fl_obstacle_done(struct fl_obstacle_log *log)
{
	if (!log->mem)
		return;
	fl_mem_free(log->mem, log->rows);
	fl_mem_free(log->mem, log->at);
	*log = (struct fl_obstacle_log){ 0 };
}

void fl_obstacle_row(void *user, const struct fl_evidence *row)
{
	struct fl_obstacle_log *log = user;
	enum rule rule = rule_of(row->check);

	if (row->holds || rule == RULES || row->workload.v == FL_NONE)
		return;
	uint32_t *at = &log->at[row->workload.v * RULES + rule];
	/* What all machines have tells more than what one of them has. */
	if (*at && log->rows[*at - 1].cycle == log->why.cycle &&
	    (row->check != FL_CHECK_ROOM_LATER ||
	     log->rows[*at - 1].row.check == FL_CHECK_ROOM_LATER))
		return;
	if (!*at) {
		if (fl_mem_grow(log->mem, &log->rows, &log->cap, log->n + 1, sizeof(*log->rows),
				NULL) < 0) {
			log->why.out_of_memory = true;
			return;
		}
		*at = ++log->n;
	}
	log->rows[*at - 1] = (struct fl_obstacle){ .row = *row, .cycle = log->why.cycle };
}

const struct fl_evidence *fl_obstacle_of(const struct fl_obstacle_log *log, struct fl_workload w,
					 enum fl_reason reason)
{
	enum rule rule = rule_behind(reason);
	uint32_t at = log->at && rule != RULES ? log->at[w.v * RULES + rule] : 0;

	return at ? &log->rows[at - 1].row : NULL;
}

int fl_obstacle_new(const struct fl_mem *mem, const struct fl_model *m, struct fl_why **ret,
		    fairlead_error *err)
{
	struct fl_obstacle_log *log = NULL;
	uint32_t cap = 0;
	int rc = fl_mem_grow(mem, &log, &cap, 1, sizeof(*log), err);

	if (rc < 0)
		return rc;
	rc = fl_obstacle_init(log, mem, m, err);
	if (rc < 0)
		fl_mem_free(mem, log);
	else
		*ret = &log->why;
	return rc;
}
