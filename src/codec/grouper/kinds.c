/* SPDX-License-Identifier: Apache-2.0 */
#include "codec/grouper/kinds.h"

#include "codec/grouper/rules.h"
#include "codec/grouper/rules_train.h"

/* Kind, whose pods it has, their names, rule, class, stand-in for an uid. */
#define OWNER(id, pods_of, named, by, fallback, stand_in)                                          \
	.kind = id, .like = FL_FRAMEWORK_##pods_of, .pods = FL_GROUPER_##named, .rule = by,        \
	.class = fallback, .uid = stand_in
#define NEEDS(a, b) .needed = { a, b }

/* clang-format off */
static const struct fl_grouper_kind kinds[] = {
	{ OWNER(FL_FRAMEWORK_JOB, JOB, INDEX, fl_grouper_each_of_job, "train", "job") },
	{ OWNER(FL_KJOBS_CRON_JOB, JOB, NO_PODS, NULL, "train", "job"), .chain = true },
	{ OWNER(FL_FRAMEWORK_DEPLOYMENT, STATEFUL_SET, INDEX, fl_grouper_each_pod, "inference", "deployment") },
	{ OWNER(FL_FRAMEWORK_STATEFUL_SET, STATEFUL_SET, INDEX, NULL, "train", "statefulset"), .chain = true },
	{ OWNER(FL_KJOBS_REPLICA_SET, STATEFUL_SET, INDEX, NULL, "train", "replicaset"), .chain = true },
	{ OWNER(FL_FRAMEWORK_JOB_SET, JOB_SET, SET, fl_grouper_job_set, "train", "jobset") },
	{ OWNER(FL_FRAMEWORK_TRAIN_JOB, TRAIN_JOB, SET, fl_grouper_train, "train", "jobset") },
	{ OWNER(FL_FRAMEWORK_LEADER_WORKER_SET, LEADER_WORKER_SET, LEADER, fl_grouper_leaders, "train", "leaderworkerset") },
	{ OWNER(FL_FRAMEWORK_JAX_JOB, JAX_JOB, SET, fl_grouper_roles, "train", "jaxjob"),
	  .specs = "jaxReplicaSpecs", NEEDS("Worker", NULL) },
	{ OWNER(FL_FRAMEWORK_MPI_JOB, MPI_JOB, SET, fl_grouper_mpi, "train", "mpijob"),
	  .specs = "mpiReplicaSpecs", NEEDS("Launcher", "Worker") },
	{ OWNER(FL_KJOBS_MPI_JOB, MPI_JOB, SET, fl_grouper_mpi, "train", "mpijob"),
	  .specs = "mpiReplicaSpecs", NEEDS("Launcher", "Worker") },
	{ OWNER(FL_FRAMEWORK_PYTORCH_JOB, PYTORCH_JOB, SET, fl_grouper_pytorch, "train", "pytorchjob"),
	  .specs = "pytorchReplicaSpecs" },
	{ OWNER(FL_FRAMEWORK_TF_JOB, TF_JOB, SET, fl_grouper_roles, "train", "tfjob"),
	  .specs = "tfReplicaSpecs" },
	{ OWNER(FL_FRAMEWORK_XGBOOST_JOB, XGBOOST_JOB, SET, fl_grouper_roles, "train", "xgboostjob"),
	  .specs = "xgbReplicaSpecs", NEEDS("Master", "Worker") },
	{ OWNER(FL_FRAMEWORK_PADDLE_JOB, PADDLE_JOB, SET, NULL, "train", "paddlejob"), .chain = true },
	{ OWNER(FL_FRAMEWORK_RAY_CLUSTER, RAY_CLUSTER, SET, fl_grouper_ray, "train", "raycluster"), .ray = true },
	{ OWNER(FL_FRAMEWORK_RAY_JOB, RAY_JOB, SET, fl_grouper_ray, "train", "rayjob"), .ray = true },
	{ OWNER(FL_FRAMEWORK_RAY_SERVICE, RAY_SERVICE, SET, fl_grouper_ray, "train", "rayservice"), .ray = true },
	{ OWNER(FL_KJOBS_NOTEBOOK, POD, INDEX, NULL, "build", "notebook") },
	{ OWNER(FL_FRAMEWORK_APP_WRAPPER, APP_WRAPPER, NO_PODS, NULL, "train", "appwrapper"), .chain = true },
	{ OWNER(FL_FRAMEWORK_POD, POD, NO_PODS, NULL, "train", "pod"), .chain = true },
	{ OWNER(FL_KJOBS_KAI_POD, POD, NO_PODS, NULL, "train", "pod"), .chain = true },
};
/* clang-format on */

const struct fl_grouper_kind *fl_grouper_kind(uint32_t kind)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind)
			return &kinds[i];
	return NULL;
}
