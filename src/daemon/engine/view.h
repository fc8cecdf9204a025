/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - jobs and the policy that decides about them at a moment: what questions are asked of (ask/)
 *
 * Filled in by whoever has them, and valid until that goes on.
 */
#ifndef FL_DAEMON_ENGINE_VIEW_H
#define FL_DAEMON_ENGINE_VIEW_H

#include "ask/common/explain.h"
#include "daemon/engine/generation.h"

/* What a daemon has, wherever its jobs run; all of it stays the daemon's. */
struct fl_living {
	const struct fl_config *config;
	const struct fl_capacity *capacity;
	const struct fl_jobs *jobs;
	const struct fl_generation *generation;
};

/* At a moment. It may be marked and rolled back. */
struct fl_live_view {
	const struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_driver *driver;
	fl_time now;
	const struct fl_live *jobs; /* all of them, by number; n_jobs */
	uint32_t n_jobs;
	struct fl_living of;
};
void fl_live_view_of(const struct fl_living *of, fl_time now, struct fl_live_view *ret);

/* What quotas are parts of.  Of @arena; FAIRLEAD_ENOMEM. */
int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err);
/*
 * In a copy of the process (aside.h), once: the next generation of @jobs, which are those of the view
 * and may be more by now, as it would be by @config, beside the one that is.  *ret may be that view.
 * FAIRLEAD_EINPUT: it would not be taken.
 */
int fl_live_view_try(const struct fl_live_view *v, struct fl_jobs *jobs,
		     const struct fl_config *config, struct fl_live_view *ret, fairlead_error *err);

#endif
