/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "codec/jobs/object/framework.h"

enum { SUSPENDED = 1, FINISHED = 2, ACTIVE = 4 };

static const struct {
	const char *api_version, *kind, *object;
	unsigned states;
} objects[] = {
	{ "batch/v1", "Job", "{}", 0 },
	{ "batch/v1", "Job", "spec: {suspend: true}", SUSPENDED },
	{ "batch/v1", "Job", "spec: {suspend: false}", 0 },
	{ "batch/v1", "Job", "spec: {suspend: 'true'}", 0 }, /* not what the API has */
	{ "batch/v1", "Job", "spec: [suspend]", 0 },
	{ "batch/v1", "Job", "status: {active: 2}", ACTIVE },
	{ "batch/v1", "Job", "status: {active: 0}", 0 },
	{ "batch/v1", "Job", "status: {active: null}", 0 },
	{ "batch/v1", "Job", "status: {conditions: [{type: Complete, status: 'True'}]}", FINISHED },
	{ "batch/v1", "Job", "status: {conditions: [{type: Complete, status: 'False'}]}", 0 },
	{ "batch/v1", "Job",
	  "status: {conditions: [{type: Suspended, status: 'True'}, {status: 'True', type: Failed}]}",
	  FINISHED },
	{ "batch/v1", "Job", "status: {conditions: {type: Complete, status: 'True'}}", 0 },
	{ "jobset.x-k8s.io/v1alpha2", "JobSet",
	  "status: {conditions: [{type: Complete, status: 'True'}]}", 0 },
	{ "jobset.x-k8s.io/v1alpha2", "JobSet",
	  "status: {conditions: [{type: Completed, status: 'True'}]}", FINISHED },
	{ "jobset.x-k8s.io/v1alpha2", "JobSet",
	  "status: {replicatedJobsStatus: [{name: a, active: 0}, {name: b, active: 1}]}", ACTIVE },
	{ "kubeflow.org/v1", "TFJob", "spec: {suspend: true}", 0 },
	{ "kubeflow.org/v1", "TFJob", "spec: {runPolicy: {suspend: true}}", SUSPENDED },
	{ "kubeflow.org/v1", "TFJob",
	  "status: {replicaStatuses: {PS: {active: 0}, Worker: {active: 3}}}", ACTIVE },
	{ "kubeflow.org/v2beta1", "MPIJob", "status: {replicaStatuses: {}}", 0 },
	{ "kubeflow.org/v2beta1", "MPIJob",
	  "status: {conditions: [{type: Succeeded, status: 'True'}]}", FINISHED },
	{ "ray.io/v1", "RayCluster", "status: {state: ready}", ACTIVE },
	{ "ray.io/v1", "RayCluster", "status: {state: failed}", 0 },
	{ "ray.io/v1", "RayJob", "status: {jobDeploymentStatus: ''}", 0 },
	{ "ray.io/v1", "RayJob", "status: {jobDeploymentStatus: null}", 0 },
	{ "ray.io/v1", "RayJob", "status: {jobDeploymentStatus: Suspended}", 0 },
	{ "ray.io/v1", "RayJob", "status: {jobDeploymentStatus: Running}", ACTIVE },
	{ "ray.io/v1", "RayJob", "status: {jobDeploymentStatus: Failed}", FINISHED | ACTIVE },
	{ "ray.io/v1", "RayService", "spec: {rayClusterConfig: {suspend: true}}", SUSPENDED },
	{ "ray.io/v1", "RayService", "status: {conditions: [{type: Ready, status: 'True'}]}",
	  ACTIVE },
	{ "trainer.kubeflow.org/v1alpha1", "TrainJob",
	  "status: {jobsStatus: [{name: node, active: 1}]}", ACTIVE },
	{ "trainer.kubeflow.org/v1alpha1", "TrainJob",
	  "status: {conditions: [{type: Complete, status: 'True'}]}", FINISHED },
	{ "workload.codeflare.dev/v1beta2", "AppWrapper", "status: {phase: Succeeded}", FINISHED },
	{ "workload.codeflare.dev/v1beta2", "AppWrapper", "status: {phase: Failed}", FINISHED },
	{ "workload.codeflare.dev/v1beta2", "AppWrapper",
	  "status: {phase: Failed, conditions: [{type: ResourcesDeployed, status: 'True'}]}", 0 },
	{ "workload.codeflare.dev/v1beta2", "AppWrapper",
	  "status: {phase: Running, conditions: [{type: QuotaReserved, status: 'True'}]}", ACTIVE },
	{ "v1", "Pod", "status: {phase: Failed}", FINISHED },
	{ "v1", "Pod", "status: {phase: Running}", 0 },
	{ "apps/v1", "Deployment", "spec: {suspend: true}\nstatus: {phase: Failed}", 0 },
	{ "apps/v1", "StatefulSet", "{}", 0 },
	{ "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "{}", 0 },
};

static unsigned states_of(const struct fl_framework *f, const char *text)
{
	struct fl_reader *r;
	struct fl_token t;
	struct fl_doc doc;
	fairlead_error err;
	unsigned states = 0;

	assert_int_equal(fl_reader_new(&fl_mem_heap, text, strlen(text), &r, NULL), 0);
	assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	assert_int_equal(t.kind, FL_TOKEN_DOCUMENT);
	assert_int_equal(fl_reader_next(r, &t, NULL), 0);
	fl_doc_init(&doc, &fl_mem_heap);
	if (fl_doc_read(&doc, r, &t, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	states |= fl_framework_suspended(f, &doc) ? SUSPENDED : 0;
	states |= fl_framework_finished(f, &doc) ? FINISHED : 0;
	states |= fl_framework_active(f, &doc) ? ACTIVE : 0;
	fl_doc_done(&doc);
	fl_reader_free(r);
	return states;
}

TEST(what_the_status_says)
{
	for (size_t i = 0; i < COUNT(objects); i++) {
		const struct fl_framework *f = fl_framework_find(objects[i].api_version,
								 objects[i].kind);

		assert_non_null(f);
		if (states_of(f, objects[i].object) != objects[i].states)
			fail_msg("%s: %s", objects[i].kind, objects[i].object);
	}
}

TEST(finds_kinds)
{
	for (size_t i = 0; i < FL_FRAMEWORKS; i++) {
		const struct fl_framework *f = &fl_frameworks[i];

		assert_ptr_equal(fl_framework_find(f->api_version, f->kind), f);
	}
	assert_null(fl_framework_find("batch/v1", "CronJob"));
	assert_null(fl_framework_find("v1", "Job"));
	assert_null(fl_framework_find("kubeflow.org/v1", "MPIJob"));
}

/* Of an empty document nothing is so. */
TEST(an_empty_object)
{
	struct fl_doc doc;

	fl_doc_init(&doc, &fl_mem_heap);
	for (size_t i = 0; i < FL_FRAMEWORKS; i++) {
		assert_false(fl_framework_suspended(&fl_frameworks[i], &doc));
		assert_false(fl_framework_finished(&fl_frameworks[i], &doc));
		assert_false(fl_framework_active(&fl_frameworks[i], &doc));
	}
	fl_doc_done(&doc);
}

UNIT_GROUP("framework")
