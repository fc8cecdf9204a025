/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pods - the pods that the controller of a job would create, and what owns a pod
 *
 * All pods that the job has once it runs in full, also those that its controller creates only when
 * others are ready.
 */
#ifndef FL_CODEC_GROUPER_PODS_H
#define FL_CODEC_GROUPER_PODS_H

#include "codec/grouper/kinds.h"

struct fl_grouper_pods {
	const struct fl_grouper_kind *kind;
	const struct fl_kjobs_row *row;
	struct fl_kjob_sets sets; /* those of KAI's scheduler alone */
	int64_t groups;           /* as many times; but for a LeaderWorkerSet 1 */
	int64_t n;                /* of all of them */
	bool foreign;             /* it has pods, and none of them is KAI's */
};

/*
 * 0; 1: *@why says why the pods are not known; FAIRLEAD_EINPUT or ELIMIT: the template cannot be
 * read.
 */
int fl_grouper_pods(const struct fl_kjobs_run *run, const struct fl_kjobs_row *row,
		    struct fl_grouper_pods *ret, const char **why, fairlead_error *err);

/* Labels that its controller gives the pod of that group, set and index; and its name. */
int fl_grouper_labels(const struct fl_kjobs_run *run, const struct fl_grouper_pods *pods,
		      uint32_t set, int64_t group, int64_t index, struct fl_kjob_pairs *ret,
		      fairlead_error *err);
void fl_grouper_pod_name(const struct fl_grouper_pods *pods, uint32_t set, int64_t group,
			 int64_t index, char *buffer, size_t size);

/*
 * The owners of an object, from the nearest to the top, as far as they are in the input.  1 with
 * *@why: one of them has several owners, or there are too many above each other.
 */
int fl_grouper_owners(const struct fl_kjobs_run *run, struct fl_kjob_value object,
		      const char *namespace, struct fl_grouper_pod *ret, const char **why);

#endif
