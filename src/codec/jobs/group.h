/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group - pods that belong together and are one Workload
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_GROUP_H
#define FL_CODEC_JOBS_GROUP_H

#include "codec/jobs/workload.h"

const char *fl_kjob_group(struct fl_kjob_value pod); /* "": it is in none */

/* It has the gate of admission. */
bool fl_kjob_is_gated(const struct fl_kjob *job);

/* @jobs are the pods of a group, in the order of names. */
int fl_kjob_make_group(struct fl_kjob *jobs, uint32_t n, struct fl_kjob_list *list,
		       enum fl_kjob_reason *reason, const char **detail, fairlead_error *err);

#endif
