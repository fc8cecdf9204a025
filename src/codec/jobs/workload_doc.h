/* SPDX-License-Identifier: Apache-2.0 */
/* workload_doc - a Workload that was made of a job, as the object that Kueue would create */
#ifndef FL_CODEC_JOBS_WORKLOAD_DOC_H
#define FL_CODEC_JOBS_WORKLOAD_DOC_H

#include "codec/jobs/jobs.h"

/*
 * @w in the form of the API (v1beta2) into @ret, which is empty.  What comes from the job keeps its
 * places; all else has that of the job itself.  @created: creationTimestamp; "": none.
 */
int fl_kjob_workload_doc(const struct fl_kjob_workload *w, struct fl_kjob_value job,
			 const char *created, struct fl_doc *ret, fairlead_error *err);

#endif
