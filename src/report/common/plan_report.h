/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_report - what cycles decided, for people and for programs
 *
 * Both are fed cycle by cycle.  JSON is written as it comes; a cycle that
 * decided nothing is held back until a later one decides something, because
 * trailing ones are not part of a plan.  Text keeps the decisions and lists
 * the waiting workloads once, after the last cycle.
 */
#ifndef FL_REPORT_COMMON_PLAN_REPORT_H
#define FL_REPORT_COMMON_PLAN_REPORT_H

#include "ask/common/face.h"
#include "ask/common/pending.h"
#include "ask/common/settle.h"
#include "ask/prove/remedy.h"
#include "report/out/held_shape.h"

struct fl_report_face;

struct fl_plan_cycle {
	const struct fl_settle_cycle *cycle;
	const struct fl_pending_list *pending;
	const struct fl_why *why;
	const void *stand; /* of the face; NULL: how nodes stand is not reported */
};

struct fl_plan_end {
	struct fl_settle_result result;
	bool settle;    /* --settle was asked for */
	bool given;     /* the order was that of a Moves document */
	uint32_t limit; /* cycles that were asked for at most */
	/* Of a loop that was explored further, else NULL: what other orders do, and other settings. */
	const struct fl_prove_result *proof;
	enum fl_whole whole;
	const struct fl_remedies *remedies;
};

/* Why a workload waits, in words; for people, resources without their domain. */
const char *fl_plan_message(const struct fl_report *r, const struct fl_report_face *face,
			    const struct fl_pending *p, const struct fl_why *why, bool people,
			    char *buffer, size_t size);

struct fl_plan_json {
	const struct fl_report *report;
	const struct fl_report_face *face;
	struct fl_json json;
	uint32_t *order, *scratch; /* decisions, by workload */
	uint32_t cap_order, cap_scratch;
	uint32_t *nodes, cap_nodes; /* queues, then cohorts, by name; made by the first cycle */
	char **held;                /* texts of cycles held back */
	size_t *held_len;
	uint32_t n_held, cap_held, cap_held_len;
};

void fl_plan_json_start(struct fl_plan_json *j, const struct fl_report *r,
			const struct fl_report_face *face, const char *policy);
int fl_plan_json_cycle(struct fl_plan_json *j, const struct fl_plan_cycle *c, fairlead_error *err);
void fl_plan_json_done(struct fl_plan_json *j);

/* One decision kept for the text. */
struct fl_plan_row {
	uint32_t cycle;
	enum fl_decision_kind kind;
	enum fl_reason reason;
	struct fl_workload workload, preemptor;
	struct fl_node cluster_queue;
	struct fl_span placement; /* into placements */
	enum fl_action action;
	int32_t count;
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
/* The workloads that take turns in the loop.  Room: *ret 2 * n_rows, @scratch 4 * n_rows. */
uint32_t fl_plan_log_loop(const struct fl_plan_log *log, const struct fl_model *m,
			  const struct fl_settle_result *result, struct fl_workload *ret,
			  uint32_t *scratch);
/* Is it a preemption of the loop? */
bool fl_plan_log_in_loop(const struct fl_plan_row *row, const struct fl_settle_result *result);

/* @loop: the workloads that were admitted or preempted in the loop. */
void fl_plan_json_end(struct fl_plan_json *j, const struct fl_plan_end *end,
		      const struct fl_plan_log *log, const struct fl_workload *loop,
		      uint32_t n_loop);

/* Everything after the last cycle. */
struct fl_plan_answer {
	const struct fl_plan_log *log;
	const struct fl_plan_end *end;
	const struct fl_pending_list *pending;
	const struct fl_why *why;
	const struct fl_report_face *face;
	const void *stand; /* of the face */
};

int fl_plan_text(const struct fl_report *r, const struct fl_plan_answer *a, fairlead_error *err);

/* One table of a cycle: the decisions of one kind. A row's cells behind the name. */
enum { FL_PLAN_CELL = 1024 };
struct fl_plan_table {
	enum fl_decision_kind kind;
	enum fl_style style;
	const char *counted; /* in the title: "admitted" */
	const char *heads[5];
	unsigned flags[5], n_columns;
	void (*fill)(const struct fl_report *r, const struct fl_plan_log *log,
		     const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL]);
};

/* --- plan_quota.c: of policies whose workloads hold quota of flavors; for their faces --- */

/* An admitted workload: its name, its queue, and what it holds. */
extern const struct fl_json_shape fl_plan_admitted_shape;
/* QUEUE, PODS, FLAVORS */
void fl_plan_fill_admitted(const struct fl_report *r, const struct fl_plan_log *log,
			   const struct fl_plan_row *row, char cells[4][FL_PLAN_CELL]);
void fl_plan_held_text(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
		       const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
		       size_t size);
/* @why is a shortage log (ask/common/shortage.h). */
void fl_plan_add_shortage(const struct fl_report *r, const struct fl_pending *p,
			  const struct fl_why *why, bool people, char *buffer, size_t size);

/* --- between the files of plan's JSON --- */

/* Indices of the decisions of one kind, by workload. */
struct fl_plan_decided {
	const uint32_t *rows;
	uint32_t n;
};

/* A cycle as it is written: the row of a face's cycle_shape. */
struct fl_plan_told {
	const struct fl_plan_cycle *cycle;
	const struct fl_decisions *decisions;
	struct fl_plan_decided admitted, reserved, evicted;
	const uint32_t *nodes; /* queues, then cohorts, by name */
};

/* A decision; what `fill` makes of an index. */
struct fl_plan_decision {
	struct fl_workload workload, preemptor;
	struct fl_node queue;
	enum fl_reason reason;
	enum fl_action action;
	int32_t count;
	struct fl_held held;
};
bool fl_plan_decision_fill(struct fl_shape_at *at, const void *source, uint32_t i, void *row);
/* A list of them: @kind of struct fl_plan_told. */
#define FL_PLAN_DECIDED(key, kind, of, ...) FL_FIELD_LIST(key, kind.rows, kind.n, of, __VA_ARGS__)

/* Of a struct fl_plan_told: the waiting workloads; and of the whole answer. */
extern const struct fl_json_shape fl_plan_pending_shape, fl_plan_shape;

#endif
