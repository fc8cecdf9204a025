/* SPDX-License-Identifier: Apache-2.0 */
#include "record/job.h"

#include <string.h>

const char *fl_job_state_name(enum fl_job_state state)
{
	static const char *const names[FL_JOB_STATES] = {
		[FL_JOB_HELD] = "held",           [FL_JOB_DEPENDS] = "depends",
		[FL_JOB_WAITS] = "waits",         [FL_JOB_STARTS] = "starts",
		[FL_JOB_RUNS] = "runs",           [FL_JOB_STOPS] = "stops",
		[FL_JOB_DONE] = "done",           [FL_JOB_FAILED] = "failed",
		[FL_JOB_CANCELLED] = "cancelled",
	};

	return (unsigned)state < FL_JOB_STATES ? names[state] : "";
}

const char *fl_go_why_name(enum fl_go_why why)
{
	static const char *const names[FL_GO_WHYS] = {
		[FL_GO_NOT] = "",
		[FL_GO_PREEMPTED] = "preempted",
		[FL_GO_CANCELLED] = "cancelled",
		[FL_GO_TIME_LIMIT] = "time limit",
		[FL_GO_HELD] = "held",
		[FL_GO_DRAIN] = "drained",
		[FL_GO_REQUEUED] = "requeued",
	};

	return (unsigned)why < FL_GO_WHYS ? names[why] : "";
}

const char *fl_outcome_name(enum fl_outcome_kind kind)
{
	static const char *const names[] = {
		[FL_RUN_EXITED] = "exited",
		[FL_RUN_SIGNALLED] = "signalled",
		[FL_RUN_LOST] = "lost",
		[FL_RUN_NOT_STARTED] = "not started",
		[FL_RUN_IMPOSSIBLE] = "impossible",
	};

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "";
}

bool fl_job_is_gpu(const char *resource)
{
	size_t n = strlen(resource);

	return strcmp(resource, "gpu") == 0 || (n > 4 && strcmp(resource + n - 4, "/gpu") == 0);
}
