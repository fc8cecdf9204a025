/* SPDX-License-Identifier: Apache-2.0 */
/* pod_doc - a Pod that the controller of a job would create, as an object that waits */
#ifndef FL_CODEC_JOBS_OBJECT_POD_DOC_H
#define FL_CODEC_JOBS_OBJECT_POD_DOC_H

#include "codec/jobs/object/types.h"

struct fl_kjob_new_pod {
	const char *namespace, *name;
	struct fl_kjob_value job; /* the whole object: its controller, and its time */
	const struct fl_kjob_pod *pod;
	/* What is added to those of the template, and counts before them. */
	struct fl_kjob_pairs labels, annotations;
};

/* In the form of the API into @ret, which is empty. */
int fl_kjob_pod_doc(const struct fl_kjob_new_pod *p, struct fl_doc *ret, fairlead_error *err);

#endif
