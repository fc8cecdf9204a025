/* SPDX-License-Identifier: Apache-2.0 */
#include "model/entitle.h"

#include <string.h>

#include "model/model.h"

/* What the real scheduler assumes of what is not said. */
const struct fl_entitle_settings fl_entitle_settings_default = {
	.k = 1,
	.multiplier = 1,
	.consolidating_reclaim = true,
	.actions = {
		[FL_ACTION_ALLOCATE] = true,
		[FL_ACTION_CONSOLIDATION] = true,
		[FL_ACTION_RECLAIM] = true,
		[FL_ACTION_PREEMPT] = true,
		[FL_ACTION_STALE_GANG] = true,
	},
	.min_run_method = FL_MIN_RUN_LCA,
	.stale_grace = 60 * FL_SECOND,
	.window = 168 * 60 * 60 * FL_SECOND,
	.resolution = 60 * FL_SECOND,
	.fetch_interval = 60 * FL_SECOND,
	.staleness = 300 * FL_SECOND,
	.window_kind = FL_WINDOW_SLIDING,
	.window_start = FL_TIME_NONE,
};

const struct fl_gang fl_gang_default = {
	.min_tasks = 1,
	.started = FL_TIME_NONE,
	.stale_since = FL_TIME_NONE,
	.queue = { FL_NONE },
};

const struct fl_task_row fl_task_default = {
	.gang_name = { FL_NONE },
	.queue_name = { FL_NONE },
	.machine_name = { FL_NONE },
	.priority_class = { FL_NONE },
	.created = FL_TIME_NONE,
	.started = FL_TIME_NONE,
	.life = FL_NONE,
	.machine = { FL_NONE },
	.workload = { FL_NONE },
};

/* A Queue that says nothing of resources: it can run nothing. */
const struct fl_entitlement fl_entitlement_default = {
	.priority = 100,
	.created = FL_TIME_NONE,
	.preempt_min_run = FL_TIME_NONE,
	.reclaim_min_run = FL_TIME_NONE,
	.request = { { -1, -1, -1 } },
};

bool fl_entitle_own_class(const char *name, int32_t *ret)
{
	static const struct {
		const char *name;
		int32_t value;
	} own[] = { { "train", 50 },
		    { "build", 100 },
		    { "inference", 125 },
		    { "interactive-preemptible", 75 } };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (strcmp(own[i].name, name) == 0) {
			*ret = own[i].value;
			return true;
		}
	return false;
}
