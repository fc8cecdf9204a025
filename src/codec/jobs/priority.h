/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority - the priority of a Workload, from its classes
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_PRIORITY_H
#define FL_CODEC_JOBS_PRIORITY_H

#include "codec/jobs/object/pod_sets.h"

/* Of a class that does not exist @w has kind and name all the same. */
enum fl_kjob_reason fl_kjob_resolve_priority(const struct fl_kjob *job,
					     const struct fl_kjob_sets *sets,
					     struct fl_kjob_workload *w);
/* Which class it is that does not exist, where that is the reason; FAIRLEAD_ENOMEM. */
int fl_kjob_say_class(const struct fl_kjobs_run *run, const struct fl_kjob_workload *w,
		      enum fl_kjob_reason reason, const char **detail, fairlead_error *err);

#endif
