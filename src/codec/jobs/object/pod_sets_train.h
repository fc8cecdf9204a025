/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_sets_train - the sets of pods of a TrainJob, from its runtime
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_POD_SETS_TRAIN_H
#define FL_CODEC_JOBS_OBJECT_POD_SETS_TRAIN_H

#include "codec/jobs/object/pod_sets.h"

int fl_kjob_train_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets,
		       enum fl_kjob_reason *reason, fairlead_error *err);

/* The runtime of a TrainJob; NULL: there is none. */
const struct fl_kjobs_row *fl_kjob_train_runtime(const struct fl_kjob *job);

#endif
