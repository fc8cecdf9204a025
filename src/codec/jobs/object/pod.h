/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pod - what Kueue counts of the template of a pod
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_OBJECT_POD_H
#define FL_CODEC_JOBS_OBJECT_POD_H

#include "codec/jobs/object/job.h"

/* @template has metadata and spec, as a whole Pod has. */
int fl_kjob_read_pod(const struct fl_kjobs_run *run, struct fl_kjob_value template,
		     struct fl_kjob_pod *ret, fairlead_error *err);

/* One more container at the end; *ret is it. */
int fl_kjob_add_container(const struct fl_kjobs_run *run, struct fl_kjob_pod *pod,
			  struct fl_kjob_container **ret, fairlead_error *err);

/* Only what an AppWrapper takes over is left. */
void fl_kjob_strip_pod(struct fl_kjob_pod *pod);

#endif
