/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod_sets_ray - the sets of pods of a Ray cluster
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_POD_SETS_RAY_H
#define FL_CODEC_JOBS_OBJECT_POD_SETS_RAY_H

#include "codec/jobs/object/pod_sets.h"

int fl_kjob_ray_sets(const struct fl_kjob *job, struct fl_kjob_sets *sets, fairlead_error *err);

/* Where a cluster of Ray is described; none: not in this kind. */
struct fl_kjob_value fl_kjob_ray_cluster(const struct fl_kjob *job);

#endif
