/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests - what one pod requests, as Kueue counts it
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_REQUESTS_H
#define FL_CODEC_JOBS_OBJECT_REQUESTS_H

#include "codec/jobs/object/job.h"

int fl_kjob_count_pod(const struct fl_kjobs_run *run, const char *namespace,
		      const struct fl_kjob_pod *pod, struct fl_kjob_amounts *ret,
		      enum fl_kjob_misfit *misfit, fairlead_error *err);

#endif
