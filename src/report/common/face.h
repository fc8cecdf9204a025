/* SPDX-License-Identifier: Apache-2.0 */
/*
 * face - what reports of one policy say in its own words, beside what all have in common
 *
 * A table a policy: report/borrow/face.c and report/entitle/face.c fill one each.
 */
#ifndef FL_REPORT_COMMON_FACE_H
#define FL_REPORT_COMMON_FACE_H

#include "report/common/plan_report.h"
#include "report/common/what_if_report.h"

struct fl_report_face {
	const struct fl_document *what_if, *plan; /* their answers as JSON */
	/* Keys of JSON: the queue of a workload, and the workload that another was evicted for. */
	const char *queue_key, *preemptor_key;
	/* In the words of the policy: with quota, evicted, and what is held. */
	const char *admitted, *evicted, *held; /* held: a head of a table */
	const char *titles[FL_WHAT_IF_LISTS];  /* of what-if's lists */

	/* What the first line of an answer must say; NULL: nothing. */
	void (*headline)(const struct fl_report *r);

	/* --- plan --- */
	const struct fl_plan_table *tables; /* of a cycle; the first two are always counted */
	unsigned n_tables;
	const char *nothing; /* "Nothing is admitted ..." */
	/* Behind the reason of @p: the numbers that @why has of it. */
	void (*add_why)(const struct fl_report *r, const struct fl_pending *p,
			const struct fl_why *why, bool people, char *buffer, size_t size);
	/*
	 * How nodes stand while cycles go on: NULL: not reported.  Of @a; called after
	 * each cycle that is written as JSON, and after the last.
	 */
	int (*stand_new)(const struct fl_report *r, struct fl_arena *a, void **ret,
			 fairlead_error *err);
	void (*stand_look)(void *stand, const struct fl_policy_ops *ops, const struct fl_policy *p);
	const struct fl_json_shape *cycle_shape; /* of a struct fl_plan_told */
	/* After the waiting workloads; NULL: nothing. */
	int (*end_text)(const struct fl_report *r, const void *stand, fairlead_error *err);

	/* --- what workloads hold, and what-if's part about queues --- */
	const struct fl_json_shape *held_shape; /* of a struct fl_held */
	void (*held_text)(const struct fl_report *r, const struct fl_model *m, struct fl_workload w,
			  const struct fl_placement *rows, uint32_t n, char pods[32], char *text,
			  size_t size);
	int (*nodes_text)(const struct fl_what_if_report *w, fairlead_error *err);
	const struct fl_json_shape *node_shape; /* of a struct fl_pair of nodes */
};

#endif
