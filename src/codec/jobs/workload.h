/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workload - the Workload of a job: name, labels, owner, and what the API server refuses
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_WORKLOAD_H
#define FL_CODEC_JOBS_WORKLOAD_H

#include "codec/jobs/object/pod_sets.h"

struct fl_kjob_list {
	struct fl_kjob_workload *items;
	uint32_t n, cap;
};

/* An empty one at the end. */
int fl_kjob_add_workload(const struct fl_kjobs_run *run, struct fl_kjob_list *list,
			 struct fl_kjob_workload **ret, fairlead_error *err);

/*
 * All of the Workload that has @sets; *reason when it is refused. @index is that of the replica of a
 * LeaderWorkerSet, else -1.
 */
int fl_kjob_fill(const struct fl_kjob *job, const struct fl_kjob_sets *sets, int64_t index,
		 struct fl_kjob_workload *w, enum fl_kjob_reason *reason, const char **detail,
		 fairlead_error *err);

/* Parts of it. */
int fl_kjob_labels(const struct fl_kjob *job, struct fl_kjob_pairs *ret, fairlead_error *err);
int fl_kjob_annotations(const struct fl_kjob *job, struct fl_kjob_pairs *ret, fairlead_error *err);
int fl_kjob_own(const struct fl_kjob *const *jobs, uint32_t n, bool controller,
		struct fl_kjob_workload *w, fairlead_error *err);
int64_t fl_kjob_time_limit(const struct fl_kjob *job); /* 0: none */
int fl_kjob_set_counted(const struct fl_kjob *job, struct fl_kjob_workload *w, fairlead_error *err);
const char *fl_kjob_invalid(const struct fl_kjob *job, const struct fl_kjob_workload *w);
const char *fl_kjob_label(const struct fl_kjob *job, const char *key); /* NULL: it has none */

#endif
