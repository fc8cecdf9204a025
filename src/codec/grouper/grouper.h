/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grouper - the pods of people's jobs, and the PodGroups that KAI's pod grouper makes of pods
 *
 * Called once, when all of an input is read.  A job without pods in the input gets those that its
 * controller would create, and they wait; each gets the PodGroup that KAI would make.  What is made
 * is read as if it were in the input.  README.md beside this says which rule is in which file.
 */
#ifndef FL_CODEC_GROUPER_GROUPER_H
#define FL_CODEC_GROUPER_GROUPER_H

#include "codec/jobs/object/job.h"
#include "codec/jobs/object/live.h"
#include "codec/object/kube.h"

struct fl_grouper_input {
	const struct fl_kjobs *kept; /* jobs, pods without PodGroup, priority classes */
	const struct fl_kjob_live *live;
	const struct fl_kube_tap *tap; /* sees what is made; NULL: none */
};

/* The errors are those of objects. */
int fl_grouper_make(struct fl_model *m, const struct fl_grouper_input *in, fairlead_error *err);

/* The input is not KAI's: its pods are read as they are, and jobs that only KAI knows are named. */
int fl_grouper_decline(struct fl_model *m, const struct fl_grouper_input *in, fairlead_error *err);

/* Is there a Pod of KAI? */
bool fl_grouper_any_pod(const struct fl_kjobs *kept);

/*
 * A Pod of KAI's scheduler with an owner and without PodGroup: it waits until all of the input is
 * read.
 */
bool fl_grouper_waits(const struct fl_doc *pod);

#endif
