/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make - the Workloads of one job that is no group
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_MAKE_H
#define FL_CODEC_JOBS_MAKE_H

#include "codec/jobs/workload.h"

int fl_kjob_make_one(struct fl_kjob *job, struct fl_kjob_list *list, enum fl_kjob_reason *reason,
		     const char **detail, fairlead_error *err);

#endif
