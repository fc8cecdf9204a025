/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare - whether two pods are the same to Kueue
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_COMPARE_H
#define FL_CODEC_JOBS_OBJECT_COMPARE_H

#include "codec/jobs/object/job.h"

/* The same containers and, with @tolerations, the same of these. */
bool fl_kjob_same_pod(const struct fl_kjob_pod *a, const struct fl_kjob_pod *b, bool tolerations);

#endif
