/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority - the priority of a Workload, from its classes
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_PRIORITY_H
#define FL_CODEC_JOBS_PRIORITY_H

#include "codec/jobs/object/pod_sets.h"

enum fl_kjob_reason fl_kjob_resolve_priority(const struct fl_kjob *job,
					     const struct fl_kjob_sets *sets,
					     struct fl_kjob_workload *w);

#endif
