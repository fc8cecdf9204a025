/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell - questions about a state, asked and answered in one: what the command and the daemon share
 *
 * A state is a policy on a sealed model at a time, wherever it came from.  Every question but
 * a plan leaves the policy as it was.  Answers go to the report's output, as text or JSON.
 */
#ifndef FL_TELL_TELL_H
#define FL_TELL_TELL_H

#include "decide/policy.h"
#include "report/common/eta_report.h"
#include "report/common/evicted.h"
#include "report/out/report.h"

struct fl_explain_machine;

struct fl_question {
	const struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	fl_time now;
	const struct fl_report *report;
	bool json;
	struct fl_arena *arena;                   /* what is left there is the caller's to free */
	const struct fl_explain_machine *machine; /* ask/common/explain.h; NULL: none */
	const struct fl_evicted
		*evicted; /* the workload's last eviction; NULL: as the model has it */
};

/* Why is @w where it is?  @eta NULL: without a forecast. */
int fl_tell_explain(const struct fl_question *q, struct fl_workload w, const struct fl_eta *eta,
		    fairlead_error *err);
/* Queues and cohorts below @top, by name; NULL: all. FAIRLEAD_ENOENT. */
int fl_tell_tree(const struct fl_question *q, const char *top, fairlead_error *err);

struct fl_tell_plan {
	fl_time interval;                              /* between cycles */
	uint32_t cycles;                               /* at most */
	bool settle;                                   /* until nothing changes, or it loops */
	void (*progress)(void *user, uint32_t cycles); /* NULL: not wanted */
	void *user;
};
/*
 * What the next cycles decide.  The policy goes on with them.  *ret_ok: unless it was to settle,
 * and does not.
 */
int fl_tell_plan(const struct fl_question *q, const struct fl_tell_plan *options, bool *ret_ok,
		 fairlead_error *err);

struct fl_tell_side {
	fl_time interval; /* between cycles */
	uint32_t cycles;  /* at most, until it settles */
};

#endif
