/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - jobs and the policy that decides about them at a moment: the state that questions are
 * about (ask/)
 *
 * Filled in by their owner, and valid until the owner goes on.
 */
#ifndef FL_DAEMON_ENGINE_VIEW_H
#define FL_DAEMON_ENGINE_VIEW_H

#include "ask/common/explain.h"
#include "daemon/engine/generation.h"

/* The parts of a daemon, wherever its jobs run; the daemon keeps owning them. */
struct fl_living {
	const struct fl_config *config;
	const struct fl_capacity *capacity;
	const struct fl_jobs *jobs;
	const struct fl_generation *generation;
};

/* The state at a moment. The policy may be marked and rolled back. */
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

/* What quotas are parts of. In @arena; FAIRLEAD_ENOMEM. */
int fl_live_view_machine(const struct fl_live_view *v, struct fl_arena *arena,
			 struct fl_explain_machine *ret, fairlead_error *err);
/*
 * In a copy of the process (aside.h), once: the next generation of @jobs, which are those of the
 * view and may be more by now, as it would be by @config, beside the present one. *ret may be the
 * view itself.  FAIRLEAD_EINPUT: the configuration would be refused.
 */
int fl_live_view_try(const struct fl_live_view *v, struct fl_jobs *jobs,
		     const struct fl_config *config, struct fl_live_view *ret, fairlead_error *err);

#endif
