/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admit - what the webhooks write into an object that is being created
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_ADMIT_H
#define FL_CODEC_JOBS_ADMIT_H

#include "codec/jobs/object/job.h"

/* Sets what the webhook sets. FL_KJOB_MADE: it goes on. */
enum fl_kjob_reason fl_kjob_admit(struct fl_kjob *job);

/* What the webhook writes into the pod template of a set. */
int fl_kjob_mark_template(const struct fl_kjob *job, struct fl_kjob_object *ret,
			  fairlead_error *err);

#endif
