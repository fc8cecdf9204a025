/* SPDX-License-Identifier: Apache-2.0 */
/*
 * existing - jobs whose Workloads are there already
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_EXISTING_H
#define FL_CODEC_JOBS_EXISTING_H

#include "codec/jobs/object/pod_sets.h"
#include "codec/jobs/workload.h"

/*
 * Takes the Workloads of @job that are there to @list; *found: there are some, so *reason is
 * final.
 */
int fl_kjob_existing(struct fl_kjob *job, struct fl_kjob_list *list, bool *found,
		     enum fl_kjob_reason *reason, const char **detail, fairlead_error *err);

/* A Workload of a LeaderWorkerSet that is there: its queue and priority follow the set. */
int fl_kjob_follow(const struct fl_kjob *job, const struct fl_kjob_sets *sets,
		   const struct fl_kjobs_row *row, struct fl_kjob_workload *w, fairlead_error *err);

#endif
