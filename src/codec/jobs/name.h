/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name - the name that Kueue gives the Workload of a job
 *
 * "job-<name>-1a2b3": the kind and the name, cut, and the first digits of a SHA-1 over what tells
 * the job from all others.  The same job always gets the same name, so a Workload of the input is
 * known to be that of a job.  A group of pods has no such name: its Workload has the group's.
 */
#ifndef FL_CODEC_JOBS_NAME_H
#define FL_CODEC_JOBS_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Longest name, as Kueue counts: a dash and five digits are added to what is cut. */
enum { FL_JOB_PREFIX = 247, FL_JOB_PREFIX_SHORT = 57, FL_JOB_NAME = FL_JOB_PREFIX + 6 + 1 };

struct fl_job_owner {
	const char *kind;        /* as it is spelled: "RayJob" */
	const char *api_version; /* "batch/v1", "v1": only the group before the slash counts */
	const char *name;        /* of a LeaderWorkerSet "<name>-<index>" */
	const char *uid;         /* "" where the object has none yet */
	int64_t generation;      /* counts only where @elastic */
	bool elastic;
};

/* @limit is FL_JOB_PREFIX, or FL_JOB_PREFIX_SHORT with the gate ShortWorkloadNames. */
void fl_job_workload_name(const struct fl_job_owner *owner, uint32_t limit, char ret[FL_JOB_NAME]);

#endif
