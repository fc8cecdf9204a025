/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/unit.h"

#include "codec/jobs/name.h"

/* As a Kueue manager named them. */
static const struct {
	struct fl_job_owner owner;
	uint32_t limit;
	const char *name;
} names[] = {
	{ { "AppWrapper", "workload.codeflare.dev/v1beta2", "nightly-build-164",
	    "06ce72cf-2a4f-46c6-a4b9-e16830d675da", 1, false },
	  FL_JOB_PREFIX,
	  "appwrapper-nightly-build-164-56144" },
	{ { "JAXJob", "kubeflow.org/v1", "a-389", "0a910d63-11d3-41f7-a63c-0ecf4e46cf10", 1,
	    false },
	  FL_JOB_PREFIX,
	  "jaxjob-a-389-fcb8e" },
	{ { "JAXJob", "kubeflow.org/v1", "render-667", "329b79da-a7ff-4ceb-a7d7-638fa036acf6", 1,
	    true },
	  FL_JOB_PREFIX,
	  "jaxjob-render-667-82a62" },
	{ { "Job", "batch/v1", "etl-4", "dc4975c1-0031-4f30-a137-9b34c1771e4d", 2, false },
	  FL_JOB_PREFIX,
	  "job-etl-4-e4e46" },
	{ { "Job", "batch/v1", "sim-155", "3b3425ee-e15d-4a4a-a02c-b23ecec43523", 1, true },
	  FL_JOB_PREFIX,
	  "job-sim-155-2d604" },
	{ { "JobSet", "jobset.x-k8s.io/v1alpha2", "job-1-411",
	    "f038e2c4-121c-45f6-a35a-cc012e9a7e20", 1, false },
	  FL_JOB_PREFIX,
	  "jobset-job-1-411-cc57d" },
	{ { "JobSet", "jobset.x-k8s.io/v1alpha2",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-generator-of-"
	    "names-and-did-not-look-at-the-limits-of",
	    "9cd15bca-7ebd-4b8f-a628-582a9dd94c0c", 1, false },
	  FL_JOB_PREFIX_SHORT,
	  "jobset-this-is-a-rather-long-name-for-an-object-that-some-81820" },
	{ { "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "etl-9-0",
	    "6f39911b-fda5-417e-a163-5175b33f17b2", 1, false },
	  FL_JOB_PREFIX,
	  "leaderworkerset-etl-9-0-f1e80" },
	{ { "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-generator-of-"
	    "names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-and-on-and-on-unt"
	    "il-it-is-longer-than-anybody-would-ever-type-by-hand-but-still-va-0",
	    "c928aac1-8d73-4ef6-a64e-6cd056580601", 1, false },
	  FL_JOB_PREFIX_SHORT,
	  "leaderworkerset-this-is-a-rather-long-name-for-an-object--0082f" },
	{ { "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-generator-of-"
	    "names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-and-on-and-on-unt"
	    "il-it-is-longer-than-anybody-would-ever-type-by-hand-but-still-valid-x-3",
	    "691ddda0-d70f-4b5e-a626-90cf9559f627", 2, false },
	  FL_JOB_PREFIX,
	  "leaderworkerset-this-is-a-rather-long-name-for-an-object-that-somebody-made-with"
	  "-a-generator-of-names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-a"
	  "nd-on-and-on-until-it-is-longer-than-anybody-would-ever-type-by-hand-but-still-v"
	  "alid-x--947fd" },
	{ { "MPIJob", "kubeflow.org/v2beta1", "etl-454", "c49733c7-54ed-473a-a099-023a3b032a93", 5,
	    true },
	  FL_JOB_PREFIX,
	  "mpijob-etl-454-969fe" },
	{ { "MPIJob", "kubeflow.org/v2beta1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-w",
	    "c4e9fe95-49a3-43e8-aca8-32b6acd5e73a", 2, false },
	  FL_JOB_PREFIX,
	  "mpijob-this-is-a-rather-long-name-for-an-object-that-somebody-made-w-7f800" },
	{ { "PaddleJob", "kubeflow.org/v1", "train-778", "e4e48693-600d-41ff-ab0f-2093e7d664eb", 5,
	    false },
	  FL_JOB_PREFIX,
	  "paddlejob-train-778-63c46" },
	{ { "Pod", "v1", "etl-188", "dc06d498-8084-49dd-a90c-0215c5b39fee", 1, false },
	  FL_JOB_PREFIX,
	  "pod-etl-188-c8485" },
	{ { "Pod", "v1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-generator-of-"
	    "names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-and-on-and-on-unt"
	    "il-it-is-longer-than-anybody-would-ever",
	    "db96cbec-484b-4eb5-a576-f361f1d7c779", 1, false },
	  FL_JOB_PREFIX_SHORT,
	  "pod-this-is-a-rather-long-name-for-an-object-that-somebod-fefdd" },
	{ { "PyTorchJob", "kubeflow.org/v1", "train-835", "39300864-d42d-4710-aa33-db64b29244bc", 1,
	    false },
	  FL_JOB_PREFIX,
	  "pytorchjob-train-835-49fd2" },
	{ { "RayCluster", "ray.io/v1", "nightly-build-806", "13e5ca90-9960-49b6-a31b-d5d51ce98175",
	    5, true },
	  FL_JOB_PREFIX,
	  "raycluster-nightly-build-806-a77fd" },
	{ { "RayCluster", "ray.io/v1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-generator-of-"
	    "names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-and-on-and-on-unt"
	    "il-it-is-longer-than-anybody-would-ever",
	    "f79faff7-076c-42de-ae25-da7fbd320adc", 2, false },
	  FL_JOB_PREFIX,
	  "raycluster-this-is-a-rather-long-name-for-an-object-that-somebody-made-with-a-ge"
	  "nerator-of-names-and-did-not-look-at-the-limits-of-anything-so-it-goes-on-and-on"
	  "-and-on-until-it-is-longer-than-anybody-would-ever-45f94" },
	{ { "RayJob", "ray.io/v1", "nightly-build-102", "4d4a6ee0-0d6e-4792-a750-af79a248ac88", 1,
	    true },
	  FL_JOB_PREFIX,
	  "rayjob-nightly-build-102-cce54" },
	{ { "RayJob", "ray.io/v1", "x.y-254", "a6720693-c3a1-4099-a955-d70ce91a386d", 1, false },
	  FL_JOB_PREFIX,
	  "rayjob-x.y-254-a653b" },
	{ { "RayService", "ray.io/v1", "a-594", "9305142c-e446-496e-aac5-d66df69b4440", 1, true },
	  FL_JOB_PREFIX,
	  "rayservice-a-594-be429" },
	{ { "RayService", "ray.io/v1", "job-1-484", "ae029316-7056-4b7d-a543-f4c91a7ee7eb", 5,
	    false },
	  FL_JOB_PREFIX,
	  "rayservice-job-1-484-fb836" },
	{ { "StatefulSet", "apps/v1", "nightly-build-649", "eff1fdf5-08da-4a5d-adc6-6a4d80c6227e",
	    1, false },
	  FL_JOB_PREFIX_SHORT,
	  "statefulset-nightly-build-649-798de" },
	{ { "TFJob", "kubeflow.org/v1", "train-428", "4322e6a5-b292-497f-ad45-f26c52561921", 1,
	    false },
	  FL_JOB_PREFIX,
	  "tfjob-train-428-8a390" },
	{ { "TrainJob", "trainer.kubeflow.org/v1alpha1", "job-1-968",
	    "7cd37767-fb7e-4d93-a7e7-0d564f2407c0", 1, false },
	  FL_JOB_PREFIX,
	  "trainjob-job-1-968-541c8" },
	{ { "TrainJob", "trainer.kubeflow.org/v1alpha1", "nightly-build-458",
	    "9981c1dd-943f-4474-af3f-0ecb9ccfcb81", 2, true },
	  FL_JOB_PREFIX,
	  "trainjob-nightly-build-458-75b79" },
	{ { "TrainJob", "trainer.kubeflow.org/v1alpha1",
	    "this-is-a-rather-long-name-for-an-object-that-somebody-made-wit",
	    "83b1e36e-0c2d-49d3-a19f-ea28c9e842f0", 1, false },
	  FL_JOB_PREFIX_SHORT,
	  "trainjob-this-is-a-rather-long-name-for-an-object-that-so-4da67" },
	{ { "XGBoostJob", "kubeflow.org/v1", "x.y-774", "64ea4bdb-dd47-4245-a7f3-0fd5cceb0666", 2,
	    false },
	  FL_JOB_PREFIX,
	  "xgboostjob-x.y-774-53292" },
};

TEST(names_of_workloads)
{
	char name[FL_JOB_NAME];

	for (size_t i = 0; i < COUNT(names); i++) {
		fl_job_workload_name(&names[i].owner, names[i].limit, name);
		assert_string_equal(name, names[i].name);
	}
}

/* The group counts, its version and an elastic job's generation elsewhere do not. */
TEST(what_the_name_depends_on)
{
	struct fl_job_owner owner = { "Job", "batch/v1", "train", "", 1, false };
	char name[FL_JOB_NAME], other[FL_JOB_NAME];

	fl_job_workload_name(&owner, FL_JOB_PREFIX, name);
	owner.api_version = "batch/v2";
	owner.generation = 2;
	fl_job_workload_name(&owner, FL_JOB_PREFIX, other);
	assert_string_equal(name, other);
	owner.elastic = true;
	fl_job_workload_name(&owner, FL_JOB_PREFIX, other);
	assert_string_not_equal(name, other);
	owner.elastic = false;
	owner.api_version = "v1";
	fl_job_workload_name(&owner, FL_JOB_PREFIX, other);
	assert_string_not_equal(name, other);
}

/* Kind and name are cut where the limit is, even within the kind. */
TEST(long_names)
{
	char kind[400], name[FL_JOB_NAME];
	struct fl_job_owner owner = { kind, "batch/v1", kind, kind, 0, false };

	memset(kind, 'K', sizeof(kind) - 1);
	kind[sizeof(kind) - 1] = '\0';
	fl_job_workload_name(&owner, FL_JOB_PREFIX, name);
	assert_int_equal(strlen(name), FL_JOB_NAME - 1);
	fl_job_workload_name(&owner, FL_JOB_PREFIX_SHORT, name);
	assert_int_equal(strlen(name), 63);
}

UNIT_GROUP("job-name")
