/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live - which jobs have pods in the input
 *
 * An input with pods of a job, or with an object that a job made, is a dump of a cluster: what it has
 * of the job counts, and no pods are made of the job.  The owners of each such object are noted by
 * kind, namespace and name, whatever their uids are.  Where the object between a pod and its job may
 * be missing, the job is known by a label or by the name of that object.
 */
#ifndef FL_CODEC_JOBS_OBJECT_LIVE_H
#define FL_CODEC_JOBS_OBJECT_LIVE_H

#include "base/names.h"
#include "codec/jobs/object/value.h"

struct fl_kjob_live {
	struct fl_names names; /* namespaces, "Kind/name" */
	struct fl_pairs jobs;
};

int fl_kjob_live_init(struct fl_kjob_live *live, const struct fl_mem *mem, fairlead_error *err);
void fl_kjob_live_done(struct fl_kjob_live *live);

/* Notes the owners of @object: a Pod, a PodGroup, or a job that another one made. */
int fl_kjob_live_note(struct fl_kjob_live *live, struct fl_kjob_value object, fairlead_error *err);
/* The job of that kind and name. */
int fl_kjob_live_add(struct fl_kjob_live *live, const char *namespace, const char *kind,
		     const char *name, size_t len, fairlead_error *err);
bool fl_kjob_is_live(const struct fl_kjob_live *live, const char *namespace, const char *kind,
		     const char *name);

#endif
