/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile - what the controllers skip before they make a Workload
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_RECONCILE_H
#define FL_CODEC_JOBS_RECONCILE_H

#include "codec/jobs/object/job.h"

/* What keeps a job from having a Workload, up to where the Workload is looked for. */
enum fl_kjob_reason fl_kjob_reconcile(struct fl_kjob *job);

/* After a Workload was looked for and not found. */
enum fl_kjob_reason fl_kjob_wait(const struct fl_kjob *job);
bool fl_kjob_is_elastic(const struct fl_kjob *job);
const char *fl_kjob_prebuilt(const struct fl_kjob *job); /* "": none */
bool fl_kjob_finished(const struct fl_kjob *job);

#endif
