/* SPDX-License-Identifier: Apache-2.0 */
/*
 * what_if_report - what a change would change, for people and for programs
 */
#ifndef FL_REPORT_COMMON_WHAT_IF_REPORT_H
#define FL_REPORT_COMMON_WHAT_IF_REPORT_H

#include "ask/common/difference.h"
#include "report/out/shape.h"

struct fl_report_face;

/* Lists of workloads for which the change makes a difference. */
enum fl_what_if_list {
	FL_LIST_ADMITTED,
	FL_LIST_RELEASED,
	FL_LIST_MOVED,
	FL_LIST_EVICTED,
	FL_LIST_SPARED,
	FL_LIST_WAITS,
	FL_LIST_LEFT,
	FL_WHAT_IF_LISTS
};

/* One object of the change. */
struct fl_what_if_change {
	const char *what, *object; /* "replace", "add", "set", "delete"; "ClusterQueue/a" */
	const char *file;          /* NULL: named on the command line */
	uint32_t line;             /* 0 without a file */
	const char *const *sets;   /* fields that are set: "spec.fairSharing.weight=2" */
	uint32_t n_sets;
};

/* One comparison of the condition, with both its values. */
struct fl_what_if_part {
	char *text;
	char left[64], right[64];
	const char *op; /* that stands between them */
	bool holds;
};

struct fl_what_if_report {
	const struct fl_difference *d;
	const struct fl_report_face *face;      /* of the policy of both */
	const struct fl_report *before, *after; /* with the model of either side */
	const char *policy;
	uint32_t limit; /* cycles at most */
	const struct fl_what_if_change *changes;
	uint32_t n_changes;
	const char *condition; /* NULL: none was given */
	bool fails;
	const struct fl_what_if_part *parts;
	uint32_t n_parts;
};

int fl_what_if_text(const struct fl_what_if_report *w, fairlead_error *err);
int fl_what_if_json(const struct fl_what_if_report *w, fairlead_error *err);
/* The same, of each policy's face. */
extern const struct fl_json_shape fl_what_if_shape;

/* Of both reports: how many workloads hold quota, wait and are evicted on one side; why one waits. */
void fl_what_if_count(const struct fl_outcome *o, uint32_t *holds, uint32_t *waits,
		      uint32_t *evicted);
const char *fl_what_if_reason(const struct fl_what_if_report *x, bool after, uint32_t w,
			      bool people, char *buffer, size_t size);
/* The node of a pair, as it is after the change where it is there, and its model; "added",
 * "removed", or NULL. */
const struct fl_model *fl_what_if_node(const struct fl_difference *d, const struct fl_pair *pair,
				       struct fl_node *ret);
extern const char *const fl_what_if_added_names[2];
#define FL_WHAT_IF_ADDED .names = fl_what_if_added_names, .n_names = 2
const char *fl_what_if_added(const struct fl_pair *pair);
/* Why a workload neither waits nor runs: "finished", "deactivated", "deleted". */
const char *fl_what_if_left(const struct fl_model *m, uint32_t w);

#endif
