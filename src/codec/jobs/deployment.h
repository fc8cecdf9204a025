/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deployment - the Pods that a Deployment would create, each of which has a Workload
 *
 * Kueue's webhook marks the pod template, and Kueue looks at the pods alone.  A Deployment of which the
 * input has a pod, a ReplicaSet or the Workload of a pod is part of a dump: nothing is made of it.
 * Pods are called <deployment>-<index>.
 */
#ifndef FL_CODEC_JOBS_DEPLOYMENT_H
#define FL_CODEC_JOBS_DEPLOYMENT_H

#include "codec/jobs/jobs.h"
#include "codec/jobs/object/live.h"
#include "model/model.h"

struct fl_kjob_deployed {
	uint32_t row; /* of the Deployment */
	int64_t replicas;
	struct fl_kjob_pairs labels, annotations; /* of its pods */
};

/* Deployments whose pods are to be made. */
struct fl_kjob_deployments {
	struct fl_arena arena;
	struct fl_kjob_deployed *items;
	uint32_t n, cap;
	int64_t pods;
};

void fl_kjob_deployments_init(struct fl_kjob_deployments *d, const struct fl_mem *mem);
void fl_kjob_deployments_done(struct fl_kjob_deployments *d);

/*
 * Takes the answer of a Deployment.  1: its pods will be made; 2: they would be more than are made;
 * 0: no pods are made of it.
 */
int fl_kjob_deploy(struct fl_kjob_deployments *d, const struct fl_kjobs *jobs,
		   const struct fl_kjob_live *live, const struct fl_kjob_answer *a,
		   fairlead_error *err);

/*
 * Where there are Deployments: notes those of the pods that the Workloads of @m are of, and all Pods,
 * whose names are taken.
 */
int fl_kjob_deployed_before(const struct fl_model *m, const struct fl_kjobs *jobs,
			    struct fl_kjob_live *live, fairlead_error *err);

/* Makes the pods, and calls back for each as fl_kjobs_make does. @live has the names that are taken. */
int fl_kjob_make_deployed(struct fl_kjobs *jobs, const struct fl_kjob_deployments *d,
			  const struct fl_kjob_live *live, const struct fl_kjobs_config *config,
			  fl_kjobs_take *take, void *user, fairlead_error *err);

#endif
