/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_sets - the sets of pods of each kind of job
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_POD_SETS_H
#define FL_CODEC_JOBS_OBJECT_POD_SETS_H

#include "codec/jobs/object/job.h"

struct fl_kjob_sets {
	struct fl_kjob_pod_set *items;
	uint32_t n, cap;
};

/* One more set of @count pods of @template; its name in lower case. */
int fl_kjob_add_set(const struct fl_kjob *job, struct fl_kjob_sets *sets, const char *name,
		    int64_t count, struct fl_kjob_value template, fairlead_error *err);
int64_t fl_kjob_pods_of(struct fl_kjob_value job_spec); /* that run at the same time */

/* Sets of all kinds but a LeaderWorkerSet's; FL_KJOB_RUNTIME_NOT_FOUND is *reason then. */
int fl_kjob_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, enum fl_kjob_reason *reason,
		 fairlead_error *err);
int fl_kjob_leader_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err);

#endif
