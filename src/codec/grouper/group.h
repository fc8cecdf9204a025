/* SPDX-License-Identifier: Apache-2.0 */
/*
 * group - the PodGroup of one pod, by the rules of KAI's pod grouper
 *
 * KAI looks at a pod and at what owns it, up to its top owner, whose kind chooses the rule.  The
 * rules are those of tests/cli/test_kai_jobs.py and doc/guide/input.md.  All texts are of the arena
 * of the run, or of the objects.
 */
#ifndef FL_CODEC_GROUPER_GROUP_H
#define FL_CODEC_GROUPER_GROUP_H

#include "codec/jobs/object/pod_sets.h"

enum { FL_GROUPER_OWNERS = 8 }; /* of one pod, in a chain */

#define FL_GROUPER_LABEL_QUEUE "kai.scheduler/queue"
#define FL_GROUPER_LABEL_OLD_QUEUE "runai/queue" /* counts only without the other one */
#define FL_GROUPER_LABEL_REPLICATED "jobset.sigs.k8s.io/replicatedjob-name"
#define FL_GROUPER_LABEL_GROUP "leaderworkerset.sigs.k8s.io/group-index"
#define FL_GROUPER_LABEL_WORKER "leaderworkerset.sigs.k8s.io/worker-index"

/* A pod of the input, or one that is made of a template. */
struct fl_grouper_pod {
	const char *name, *uid;           /* "": it has none yet */
	struct fl_kjob_value metadata;    /* of the pod, or of its template */
	const struct fl_kjob_pairs *more; /* labels that its controller adds; NULL: none */
	const char *class;                /* spec.priorityClassName; "": none */
	bool placed;
	const struct fl_kjobs_row *owners[FL_GROUPER_OWNERS]; /* from the nearest to the top */
	uint32_t n_owners;
};

struct fl_made_group {
	const char *name;
	int64_t least;                  /* minMember */
	const char *queue, *class;      /* class "": none */
	const char *preemptible;        /* "": not said */
	const char *missing_class;      /* one that is named and does not exist; NULL */
	const struct fl_kjobs_row *top; /* whose labels and annotations it has */
	bool has_sub_groups;
	const char *why; /* there is no such group */
};

/*
 * @sets are those of the job that the pod is made of; NULL: a pod of the input.  0; 1: KAI makes no
 * group, and ret->why says why; negative: memory.
 */
int fl_grouper_group(const struct fl_kjobs_run *run, const struct fl_grouper_pod *pod,
		     const struct fl_kjob_sets *sets, struct fl_made_group *ret,
		     fairlead_error *err);

#endif
