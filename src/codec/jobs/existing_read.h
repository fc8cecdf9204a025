/* SPDX-License-Identifier: Apache-2.0 */
/*
 * existing_read - a Workload of the input, in the form of one that is made
 *
 * Private to this room (job.h). Recorded: suite jobs of tests/conformance.
 */
#ifndef FL_CODEC_JOBS_EXISTING_READ_H
#define FL_CODEC_JOBS_EXISTING_READ_H

#include "codec/jobs/object/job.h"

int fl_kjob_read_workload(const struct fl_kjob *job, const struct fl_kjobs_row *row,
			  struct fl_kjob_workload *w, fairlead_error *err);

/*
 * The Workload whose owner has the kind and the name of @job, whatever its uid is: one that is not
 * finished, if there is one; NULL: none.
 */
const struct fl_kjobs_row *fl_kjob_find_workload(const struct fl_kjob *job);

/* A Workload of the input is finished, admitted, has quota. */
bool fl_kjob_has_condition(const struct fl_kjobs_row *workload, const char *type);

/* The Workload of @owner; NULL: none. */
const struct fl_kjobs_row *fl_kjob_workload_of(const struct fl_kjobs_run *run,
					       const struct fl_kjobs_row *owner);

#endif
