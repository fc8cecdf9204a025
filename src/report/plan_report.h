/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_report - what cycles decided, for people and for programs
 *
 * Both are fed cycle by cycle.  JSON is written as it comes; a cycle that
 * decided nothing is held back until a later one decides something, because
 * trailing ones are not part of a plan.  Text keeps the decisions and says who
 * waits once, after the last cycle.
 */
#ifndef FL_REPORT_PLAN_REPORT_H
#define FL_REPORT_PLAN_REPORT_H

#include "ask/pending.h"
#include "ask/settle.h"
#include "ask/shortage.h"
#include "report/report_json.h"

struct fl_plan_cycle {
	const struct fl_settle_cycle *cycle;
	const struct fl_pending_list *pending;
	const struct fl_shortage_log *shortages;
	const struct fl_share *shares; /* by node; NULL: fair sharing is off */
};

struct fl_plan_end {
	struct fl_settle_result result;
	bool settle;    /* --settle was asked for */
	uint32_t limit; /* cycles that were asked for at most */
};

/* What is said of one who waits; to people, resources without their domain. */
const char *fl_plan_message(const struct fl_report *r, const struct fl_pending *p,
			    const struct fl_shortage *s, bool people, char *buffer, size_t size);

struct fl_plan_json {
	const struct fl_report *report;
	struct fl_json json;
	uint32_t *order, *scratch; /* decisions, by workload */
	uint32_t cap_order, cap_scratch;
	uint32_t *nodes, cap_nodes; /* queues, then cohorts, by name; made by the first cycle */
	char **held;                /* texts of cycles held back */
	size_t *held_len;
	uint32_t n_held, cap_held, cap_held_len;
};

void fl_plan_json_start(struct fl_plan_json *j, const struct fl_report *r, const char *policy);
int fl_plan_json_cycle(struct fl_plan_json *j, const struct fl_plan_cycle *c, fairlead_error *err);
/* Names in the loop, by workload: who was admitted or preempted in it. */
void fl_plan_json_end(struct fl_plan_json *j, const struct fl_plan_end *end,
		      const struct fl_workload *loop, uint32_t n_loop);
void fl_plan_json_done(struct fl_plan_json *j);

/* One decision kept for the text. */
struct fl_plan_row {
	uint32_t cycle;
	enum fl_decision_kind kind;
	enum fl_reason reason;
	struct fl_workload workload, preemptor;
	struct fl_node cluster_queue;
	struct fl_span placement; /* into placements */
};

struct fl_plan_log {
	const struct fl_mem *mem;
	struct fl_plan_row *rows;
	struct fl_placement *placements;
	uint32_t n_rows, cap_rows, n_placements, cap_placements;
};

/* Keep what @c decided, sorted by workload. */
int fl_plan_log_cycle(struct fl_plan_log *log, const struct fl_model *m,
		      const struct fl_plan_cycle *c, fairlead_error *err);
void fl_plan_log_done(struct fl_plan_log *log);
/* Who takes turns in the loop, by workload.  Room: *ret 2 * n_rows, @scratch 4 * n_rows. */
uint32_t fl_plan_log_loop(const struct fl_plan_log *log, const struct fl_model *m,
			  const struct fl_settle_result *result, struct fl_workload *ret,
			  uint32_t *scratch);

/* @pending, @shortages: after the last cycle. */
int fl_plan_text(const struct fl_report *r, const struct fl_plan_log *log,
		 const struct fl_plan_end *end, const struct fl_pending_list *pending,
		 const struct fl_shortage_log *shortages, fairlead_error *err);

#endif
