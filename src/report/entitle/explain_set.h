/* SPDX-License-Identifier: Apache-2.0 */
/* explain_set - what explain proposes, as `what-if --set` takes it */
#ifndef FL_REPORT_ENTITLE_EXPLAIN_SET_H
#define FL_REPORT_ENTITLE_EXPLAIN_SET_H

#include "ask/entitle/explain.h"
#include "report/common/trial.h"

/* A change, and of which workload; @user of fl_entitle_set. */
struct fl_entitle_sets {
	const struct fl_entitle_change *change;
	struct fl_workload workload;
};
/* Number 1 keeps whether a PodGroup can be preempted where its priority alone would change that. */
const char *fl_entitle_set(const struct fl_report *r, const void *user, uint32_t i,
			   char buffer[FL_TRIAL_SET]);

uint32_t fl_entitle_sets(const struct fl_report *r, const struct fl_entitle_sets *of);
/* The class that a PodGroup needs for another priority, as an object; NULL: it needs none. */
const char *fl_entitle_class(const struct fl_report *r, const struct fl_entitle_sets *of,
			     char buffer[256]);

#endif
