/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_sets_wrapper - the sets of pods of an AppWrapper
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_POD_SETS_WRAPPER_H
#define FL_CODEC_JOBS_OBJECT_POD_SETS_WRAPPER_H

#include "codec/jobs/object/pod_sets.h"

int fl_kjob_wrapper_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err);

#endif
