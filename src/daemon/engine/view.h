/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view - jobs and the policy that decides about them at a moment: what questions are asked of (ask/)
 *
 * Filled in by whoever has them, and valid until that goes on.
 */
#ifndef FL_DAEMON_ENGINE_VIEW_H
#define FL_DAEMON_ENGINE_VIEW_H

#include "daemon/engine/jobs.h"
#include "decide/policy.h"
#include "sim/driver.h"

struct fl_live_view {
	const struct fl_model *model;
	const struct fl_policy_ops *ops;
	struct fl_policy *policy;
	const struct fl_driver *driver;
	fl_time now;
	const struct fl_live *jobs; /* all of them, by number; n_jobs */
	uint32_t n_jobs;
};

#endif
