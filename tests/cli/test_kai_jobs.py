# SPDX-License-Identifier: Apache-2.0
"""Jobs with KAI's scheduler: the pods that wait, and the pod groups that KAI's pod grouper makes of them."""
import json

import pytest

import entitle_manifests as e
import manifests as m

APIS = {"Job": "batch/v1", "CronJob": "batch/v1", "JobSet": "jobset.x-k8s.io/v1alpha2", "MPIJob": "kubeflow.org/v2beta1",
        "PyTorchJob": "kubeflow.org/v1", "TFJob": "kubeflow.org/v1", "XGBoostJob": "kubeflow.org/v1",
        "JAXJob": "kubeflow.org/v1", "PaddleJob": "kubeflow.org/v1", "Notebook": "kubeflow.org/v1beta1",
        "RayCluster": "ray.io/v1", "RayJob": "ray.io/v1", "RayService": "ray.io/v1",
        "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1", "Deployment": "apps/v1", "StatefulSet": "apps/v1",
        "ReplicaSet": "apps/v1", "TrainJob": "trainer.kubeflow.org/v1alpha1",
        "ClusterTrainingRuntime": "trainer.kubeflow.org/v1alpha1", "AppWrapper": "workload.codeflare.dev/v1beta2"}
CLUSTER = [e.machine("n", gpu=64), e.queue("top", gpu=(-1, 1, -1)), e.queue("team", "top", gpu=(8, 1, -1))]


def template(gpu=1, scheduler="kai-scheduler", labels=None, annotations=None, **spec):
    resources = {"limits": {"nvidia.com/gpu": gpu}} if gpu else {}
    metadata = {k: v for k, v in (("labels", labels), ("annotations", annotations)) if v}
    return {"metadata": metadata, "spec": {
        **({"schedulerName": scheduler} if scheduler else {}),
        "containers": [{"name": "c", "resources": resources}], **spec}}


def job(kind="Job", name="x", labels=None, status=None, api=None, queue="team", **spec):
    labels = {**({"kai.scheduler/queue": queue} if queue else {}), **(labels or {})}
    return {"apiVersion": api or APIS[kind], "kind": kind, "metadata": {"name": name, "namespace": "lab", "labels": labels},
            "spec": spec, **({"status": status} if status else {})}


def role(replicas=1, **template_of):
    return {"replicas": replicas, "template": template(**template_of)}


def roles(kind, field, api=None, more=None, **specs):
    return job(kind, api=api, **(more or {}), **{field: specs})


def ray(*groups, head=None, **spec):
    return {"headGroupSpec": {"template": head or template(0)}, "workerGroupSpecs": list(groups), **spec}


def workers(name="w", replicas=1, scheduler="kai-scheduler", **more):
    return {"groupName": name, "replicas": replicas, "template": template(scheduler=scheduler), **more}


def replicated(name, parallelism=1, replicas=1, **job_spec):
    return {"name": name, "replicas": replicas, "template": {"spec": {
        "parallelism": parallelism, **job_spec, "template": template()}}}


def leaders(size=2, replicas=1, leader=False, **spec):
    group = {"size": size, "workerTemplate": template(), **({"leaderTemplate": template()} if leader else {})}
    return job("LeaderWorkerSet", replicas=replicas, leaderWorkerTemplate=group, **spec)


def owned(obj, *owners, uid=None):
    obj["metadata"]["ownerReferences"] = [
        {"apiVersion": o["apiVersion"], "kind": o["kind"], "name": o["metadata"]["name"],
         **({"uid": o["metadata"]["uid"]} if "uid" in o["metadata"] else {})} for o in owners]
    if uid:
        obj["metadata"]["uid"] = uid
    return obj


def live(obj, uid="u1"):
    obj["metadata"]["uid"] = uid
    return obj


def pod(name="p", owner=None, on=None, labels=None, **spec):
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "lab", "labels": labels or {}},
           "spec": {**template()["spec"], **spec}}
    if on:
        obj["spec"]["nodeName"] = on
        obj["status"] = {"phase": "Running"}
    return owned(obj, *([owner] if owner else []))


@pytest.fixture
def made(fairlead, write):
    """Groups: name -> (minMember, queue, class, names of its pods), of what a record has; and its notices."""
    def ask(*objects):
        write("in.json", m.dump(*CLUSTER, *objects))
        r = fairlead("record", "-f", "in.json")
        assert r.code == 0, r.err
        items = r.json()["items"]
        pods = [(i["metadata"].get("annotations", {}).get("pod-group-name"), i["metadata"]["name"])
                for i in items if i["kind"] == "Pod"]
        groups = {i["metadata"]["name"]: (i["spec"].get("minMember"), i["spec"].get("queue"), i["spec"].get("priorityClassName"),
                                          sorted(p for g, p in pods if g == i["metadata"]["name"]))
                  for i in items if i["kind"] == "PodGroup"}
        alone = sorted(p for g, p in pods if g not in groups)
        said = fairlead("check", "-f", "in.json", "-o", "json").json()
        return groups, alone, [(w["kind"], w["message"]) for w in said["notes"] + said["warnings"]]

    return ask


def group(least, *pods, queue="team", kind="train"):
    return least, queue, kind, list(pods)


MPI = {"Launcher": role(1, gpu=0), "Worker": role(2)}
RUNTIME = {"apiVersion": APIS["ClusterTrainingRuntime"], "kind": "ClusterTrainingRuntime", "metadata": {"name": "torch"},
           "spec": {"mlPolicy": {"numNodes": 1}, "template": {"spec": {"replicatedJobs": [{
               "name": "node", "template": {
                   "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                   "spec": {"template": template()}}}]}}}}

# name, objects, groups
KINDS = [
    ("job", [job(parallelism=2, completions=9, template=template())],
     {"pg-x-0-job": group(1, "x-0"), "pg-x-1-job": group(1, "x-1")}),
    ("job, one", [job(template=template())], {"pg-x-0-job": group(1, "x-0")}),
    ("job, uid", [live(job(template=template()))], {"pg-x-0-u1": group(1, "x-0")}),
    ("job, completions", [job(parallelism=4, completions=1, template=template())], {"pg-x-0-job": group(1, "x-0")}),
    ("job, nearly done", [job(parallelism=4, completions=9, status={"succeeded": 8}, template=template())],
     {"pg-x-0-job": group(1, "x-0")}),
    ("job of a cronjob", [job("CronJob"), owned(job(name="y", template=template()), job("CronJob"))],
     {"pg-y-job": group(1, "y-0")}),
    ("deployment", [job("Deployment", replicas=2, template=template())],
     {"pg-x-0-pod": group(1, "x-0", kind="inference"), "pg-x-1-pod": group(1, "x-1", kind="inference")}),
    ("deployment, default", [job("Deployment", template=template())], {"pg-x-0-pod": group(1, "x-0", kind="inference")}),
    ("statefulset", [job("StatefulSet", replicas=3, template=template())],
     {"pg-x-statefulset": group(1, "x-0", "x-1", "x-2")}),
    ("replicaset", [job("ReplicaSet", replicas=2, template=template())], {"pg-x-replicaset": group(1, "x-0", "x-1")}),
    ("replicaset of a deployment",
     [job("Deployment", replicas=2, template=template()),
      owned(job("ReplicaSet", "x-5d4", replicas=1, template=template()), job("Deployment"))],
     {"pg-x-5d4-0-pod": group(1, "x-5d4-0", kind="inference")}),
    ("notebook", [job("Notebook", template=template())], {"pg-x-notebook": group(1, "x-0", kind="build")}),
    ("pytorchjob", [roles("PyTorchJob", "pytorchReplicaSpecs", Master=role(), Worker=role(2))],
     {"pg-x-pytorchjob": group(3, "x-master-0", "x-worker-0", "x-worker-1")}),
    ("pytorchjob, elastic", [roles("PyTorchJob", "pytorchReplicaSpecs", more={"elasticPolicy": {"minReplicas": 1}},
                                   Worker=role(2))],
     {"pg-x-pytorchjob": group(1, "x-worker-0", "x-worker-1")}),
    ("pytorchjob, minAvailable", [roles(
        "PyTorchJob", "pytorchReplicaSpecs", Worker=role(3), more={
            "elasticPolicy": {"minReplicas": 1}, "runPolicy": {"schedulingPolicy": {"minAvailable": 2}}})],
     {"pg-x-pytorchjob": group(2, "x-worker-0", "x-worker-1", "x-worker-2")}),
    ("tfjob", [roles("TFJob", "tfReplicaSpecs", PS=role(), Worker=role(2))],
     {"pg-x-tfjob": group(3, "x-ps-0", "x-worker-0", "x-worker-1")}),
    ("tfjob, minAvailable", [roles("TFJob", "tfReplicaSpecs", Worker=role(2), more={
        "runPolicy": {"schedulingPolicy": {"minAvailable": 1}}})],
     {"pg-x-tfjob": group(1, "x-worker-0", "x-worker-1")}),
    ("xgboostjob", [roles("XGBoostJob", "xgbReplicaSpecs", Master=role(), Worker=role())],
     {"pg-x-xgboostjob": group(2, "x-master-0", "x-worker-0")}),
    ("jaxjob", [roles("JAXJob", "jaxReplicaSpecs", Worker=role(2))], {"pg-x-jaxjob": group(2, "x-worker-0", "x-worker-1")}),
    ("paddlejob", [roles("PaddleJob", "paddleReplicaSpecs", Worker=role(2))],
     {"pg-x-paddlejob": group(1, "x-worker-0", "x-worker-1")}),
    ("mpijob", [roles("MPIJob", "mpiReplicaSpecs", **MPI)],
     {"pg-x-mpijob": group(3, "x-launcher-0", "x-worker-0", "x-worker-1")}),
    ("mpijob v1", [roles("MPIJob", "mpiReplicaSpecs", api="kubeflow.org/v1", **MPI)],
     {"pg-x-mpijob": group(3, "x-launcher-0", "x-worker-0", "x-worker-1")}),
    ("mpijob, workers first", [roles("MPIJob", "mpiReplicaSpecs", more={"launcherCreationPolicy": "WaitForWorkersReady"},
                                     **MPI)],
     {"pg-x-mpijob": group(2, "x-launcher-0", "x-worker-0", "x-worker-1")}),
    ("raycluster", [job("RayCluster", **ray(workers(replicas=2), workers("v", 1, numOfHosts=2), workers("s", 9, suspended=True)))],
     {"pg-x-raycluster": group(5, "x-head-0", "x-v-0", "x-v-1", "x-w-0", "x-w-1")}),
    ("raycluster, minReplicas", [job("RayCluster", **ray(workers(replicas=3, minReplicas=1)))],
     {"pg-x-raycluster": group(2, "x-head-0", "x-w-0", "x-w-1", "x-w-2")}),
    ("raycluster, KubeRay names the scheduler",
     [job("RayCluster", labels={"ray.io/priority-class-name": "build"},
          **ray(workers(scheduler=None), head=template(0, scheduler=None)))],
     {"pg-x-raycluster": group(2, "x-head-0", "x-w-0", kind="build")}),
    ("rayjob", [job("RayJob", rayClusterSpec=ray(workers()))], {"pg-x-rayjob": group(2, "x-head-0", "x-w-0")}),
    ("rayjob with its cluster",
     [job("RayJob", rayClusterSpec=ray(workers()), status={"rayClusterName": "c"}),
      owned(job("RayCluster", "c", **ray(workers(replicas=2))), job("RayJob"))],
     {"pg-x-rayjob": group(3, "c-head-0", "c-w-0", "c-w-1")}),
    ("rayservice", [job("RayService", rayClusterConfig=ray(workers()))], {"pg-x-rayservice": group(2, "x-head-0", "x-w-0")}),
    ("jobset", [job("JobSet", replicatedJobs=[replicated("a", 2), replicated("b", 3, 2, completions=1)])],
     {"pg-x-jobset-a": group(2, "x-a-0", "x-a-1"), "pg-x-jobset-b": group(2, "x-b-0", "x-b-1")}),
    ("jobset, any order", [job("JobSet", startupPolicy={"startupPolicyOrder": "AnyOrder"},
                               replicatedJobs=[replicated("a", 2), replicated("b")])],
     {"pg-x-jobset": group(3, "x-a-0", "x-a-1", "x-b-0")}),
    ("leaderworkerset", [leaders(2, 2)],
     {"pg-x-leaderworkerset-group-0": group(2, "x-0", "x-0-1"), "pg-x-leaderworkerset-group-1": group(2, "x-1", "x-1-1")}),
    ("leaderworkerset, leader", [leaders(3, 1, leader=True)],
     {"pg-x-leaderworkerset-group-0": group(3, "x-0", "x-0-1", "x-0-2")}),
    ("leaderworkerset, leader first", [leaders(2, 1, startupPolicy="LeaderReady")],
     {"pg-x-leaderworkerset-group-0": group(1, "x-0", "x-0-1")}),
    ("trainjob", [RUNTIME, job("TrainJob", runtimeRef={"name": "torch"}, trainer={"numNodes": 2})],
     {"pg-x-jobset-node": group(2, "x-node-0", "x-node-1")}),
    ("trainjob with its jobset",
     [RUNTIME, job("TrainJob", runtimeRef={"name": "torch"}),
      owned(job("JobSet", queue=None, replicatedJobs=[replicated("node", 2)]), job("TrainJob"), uid="u2")],
     {"pg-x-u2-node": group(2, "x-node-0", "x-node-1")}),
]


@pytest.mark.parametrize("name, objects, groups", KINDS, ids=[k[0] for k in KINDS])
def test_kinds(made, name, objects, groups):
    has, alone, said = made(*objects)
    assert (has, alone) == (groups, [])
    assert {k for k, _ in said} <= {"assumed"}, said
    assert made(*reversed(objects))[:2] == (groups, []), "the order of objects decides nothing"


# labels of the job, of its template, its priorityClassName -> queue, class, preemptibility
LABELS = [
    ({"kai.scheduler/queue": "a"}, {"kai.scheduler/queue": "b"}, None, ("a", "train", None)),
    ({}, {"kai.scheduler/queue": "b"}, None, ("b", "train", None)),
    ({}, {}, None, ("default-queue", "train", None)),
    ({"runai/queue": "a"}, {"kai.scheduler/queue": "b"}, None, ("b", "train", None)),
    ({"project": "p"}, {"runai/queue": "a"}, None, ("a", "train", None)),
    ({"project": "p"}, {"project": "q"}, None, ("p", "train", None)),
    ({}, {"project": "q", "kai.scheduler/node-pool": "big"}, None, ("q-big", "train", None)),
    ({"priorityClassName": "build"}, {"priorityClassName": "inference"}, "mine", ("default-queue", "build", None)),
    ({}, {"priorityClassName": "inference"}, "mine", ("default-queue", "inference", None)),
    ({}, {}, "mine", ("default-queue", "mine", None)),
    ({}, {}, "other", ("default-queue", "train", None)),
    ({"kai.scheduler/preemptibility": "non-preemptible"}, {}, None, ("default-queue", "train", "non-preemptible")),
    ({"kai.scheduler/preemptibility": "what"}, {"kai.scheduler/preemptibility": "preemptible"}, None,
     ("default-queue", "train", "preemptible")),
]


@pytest.mark.parametrize("of_job, of_pod, class_name, wanted", LABELS)
def test_labels(fairlead, write, of_job, of_pod, class_name, wanted):
    spec = {"priorityClassName": class_name} if class_name else {}
    write("in.json", m.dump(*CLUSTER, e.priority_class("mine", 7),
                            job("StatefulSet", queue=None, labels=of_job, template=template(labels=of_pod, **spec))))
    r = fairlead("record", "-f", "in.json")
    spec = [i["spec"] for i in r.json()["items"] if i["kind"] == "PodGroup"][0]
    assert (spec["queue"], spec["priorityClassName"], spec.get("preemptibility")) == wanted
    kinds = {w["kind"] for w in fairlead("check", "-f", "in.json", "-o", "json").json()["warnings"]}
    assert ("missing-priority-class" in kinds) == (class_name == "other")


# name, object, the reason in a note
LEFT_OUT = [
    ("scheduler", job(template=template(scheduler="default-scheduler")), "schedulerName of its pods is not kai-scheduler"),
    ("no scheduler", job(template=template(scheduler=None)), "schedulerName of its pods is not kai-scheduler"),
    ("suspended", job(suspend=True, template=template()), "it is suspended"),
    ("suspended role", roles("PyTorchJob", "pytorchReplicaSpecs", more={"runPolicy": {"suspend": True}}, Worker=role()),
     "it is suspended"),
    ("ended", job(status={"conditions": [{"type": "Complete", "status": "True"}]}, template=template()), "it has ended"),
    ("no pods", job("Deployment", replicas=0, template=template()), "it asks for no pods"),
    ("below zero", job("Deployment", replicas=-3, template=template()), "it asks for no pods"),
    ("cronjob", job("CronJob", jobTemplate={}), "a CronJob has no pods until it makes a Job"),
    ("wrapper", job("AppWrapper", components=[]), "the objects in it are not read for KAI"),
]


@pytest.mark.parametrize("name, obj, why", LEFT_OUT, ids=[k[0] for k in LEFT_OUT])
def test_left_out_with_a_note(made, name, obj, why):
    groups, alone, said = made(obj)
    assert (groups, alone) == ({}, [])
    assert [(k, t) for k, t in said if why in t and f"{obj['kind']}/lab/x" in t and k == "assumed"], said


# name, objects, the reason in a warning
REFUSED = [
    ("no replicas", [roles("TFJob", "tfReplicaSpecs", Worker={"template": template()})], "'Worker' has no 'replicas'"),
    ("null replicas", [roles("TFJob", "tfReplicaSpecs", Worker={"replicas": None, "template": template()})],
     "'Worker' has no 'replicas'"),
    ("0 replicas", [roles("TFJob", "tfReplicaSpecs", Chief=role(), Worker=role(0))], "'Worker' has 0 replicas"),
    ("text", [roles("PyTorchJob", "pytorchReplicaSpecs", Worker=role("3"))], "'replicas' is not a whole number of 32 bits"),
    ("large", [roles("PyTorchJob", "pytorchReplicaSpecs", Chief=role(1 << 31), Worker=role())],
     "'replicas' is not a whole number of 32 bits"),
    ("minAvailable", [roles("TFJob", "tfReplicaSpecs", Worker=role(), more={
        "runPolicy": {"schedulingPolicy": {"minAvailable": "2"}}})], "'minAvailable' is not a whole number of 32 bits"),
    ("below zero", [roles("TFJob", "tfReplicaSpecs", Worker=role(), more={
        "runPolicy": {"schedulingPolicy": {"minAvailable": -1}}})], "its least number of pods would be -1"),
    ("xgboost", [roles("XGBoostJob", "xgbReplicaSpecs", Worker=role())], "'xgbReplicaSpecs' has no 'Master'"),
    ("mpi", [roles("MPIJob", "mpiReplicaSpecs", Worker=role())], "'mpiReplicaSpecs' has no 'Launcher'"),
    ("ray", [job("RayCluster", **ray(workers("w", 1, minReplicas=2)))], "group 'w' has fewer replicas than minReplicas"),
    ("ray text", [job("RayCluster", **ray(workers("w", 1, minReplicas="1")))], "'minReplicas' is not a whole number of 32 bits"),
    ("leader", [leaders(1, startupPolicy="Soon")], "its startupPolicy 'Soon' is not known"),
    ("no runtime", [job("TrainJob", runtimeRef={"name": "none"})], "its training runtime does not exist"),
    ("quantity", [job(template={"spec": {"schedulerName": "kai-scheduler", "containers": [
        {"name": "c", "resources": {"requests": {"cpu": "much"}}}]}})], "its pods cannot be read"),
    ("many", [job("Deployment", replicas=1 << 40, template=template())], "with its 1099511627776 pods, more than 131072"),
    ("many of both", [leaders(1 << 40, 1 << 40)], "more than 131072 would be made of the jobs of the input"),
    ("several owners", [job("Deployment"), job("CronJob"),
                        owned(job("ReplicaSet", "x-1", replicas=1, template=template()), job("Deployment"), job("CronJob")),
                        pod("p", job("ReplicaSet", "x-1"))], "an owner of its pods has several owners"),
    ("label", [live(job("JobSet", replicatedJobs=[replicated("a")])), pod("p", live(job("JobSet")))],
     "pod 'p' has no label jobset.sigs.k8s.io/replicatedjob-name"),
    ("long name", [job("StatefulSet", "x" * 250, template=template())], "the name of its pod group is longer than 253 bytes"),
]


@pytest.mark.parametrize("name, objects, why", REFUSED, ids=[k[0] for k in REFUSED])
def test_warned_of(made, name, objects, why):
    groups, alone, said = made(*objects)
    assert (groups, alone) == ({}, [])
    assert [t for k, t in said if k == "job-without-workload" and why in t], said


# What a dump has of a job counts, and the job adds nothing: name, objects, groups, pods alone.
LIVE = [
    ("pod of a job", [live(job(parallelism=3, template=template())), pod("x-a", live(job()))],
     {"pg-x-a-u1": group(1, "x-a")}, []),
    ("pod with a group", [live(job(parallelism=3, template=template())),
                          *e.gang("g", "team", ns="lab")[:1],
                          owned(e.pod("g-0", "g", None, 1, "1", "1G", ns="lab"), live(job()))],
     {"g": (1, "team", None, ["g-0"])}, []),
    ("group without pods", [live(job(template=template())), owned(e.gang("g", "team", ns="lab")[0], live(job()))],
     {"g": (1, "team", None, [])}, []),
    ("foreign pod", [live(job(template=template())), pod("x-a", live(job()), schedulerName="other")], {}, ["x-a"]),
    ("deployment whose replicaset is not there", [job("Deployment", replicas=3, template=template()),
                                                  pod("x-5d4-a", job("ReplicaSet", "x-5d4"))], {}, ["x-5d4-a"]),
    ("jobset whose job is not there", [job("JobSet", replicatedJobs=[replicated("a", 2)]),
                                       pod("x-a-0-0", job(name="x-a-0"), labels={"jobset.sigs.k8s.io/jobset-name": "x"})],
     {}, ["x-a-0-0"]),
    ("jobset with its jobs", [live(job("JobSet", replicatedJobs=[replicated("a", 2)])),
                              owned(job(name="x-a-0", queue=None, template=template()), live(job("JobSet")), uid="u2"),
                              pod("x-a-0-0", live(job(name="x-a-0"), "u2"),
                                  labels={"jobset.sigs.k8s.io/replicatedjob-name": "a"})],
     {"pg-x-u1-a": group(2, "x-a-0-0")}, []),
    ("running, without its group", [live(job("TFJob")), pod("p", live(job("TFJob")), on="n")], {}, ["p"]),
    ("another uid", [live(job(template=template()), "u9"), pod("x-a", live(job()), labels={"kai.scheduler/queue": "team"})],
     {}, ["x-a"]),
]


@pytest.mark.parametrize("name, objects, groups, alone", LIVE, ids=[k[0] for k in LIVE])
def test_dump_of_a_cluster(made, name, objects, groups, alone):
    assert made(*objects)[:2] == (groups, alone)
    assert made(*reversed(objects))[:2] == (groups, alone)


@pytest.mark.parametrize("kind, api", [("CronJob", None), ("Notebook", None), ("MPIJob", "kubeflow.org/v1")])
def test_jobs_to_kai_alone(fairlead, write, kind, api):
    """With Kueue's objects they are of no known kind."""
    write("in.json", m.dump(m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="4")), job(kind, api=api)))
    assert [w["message"] for w in fairlead("check", "-f", "in.json", "-o", "json").json()["notes"]
            if w["kind"] == "ignored-object"] == [f"kind '{kind}' of '{api or APIS[kind]}' is not read"]


def test_pods_that_wait_with_kueues_objects(fairlead, write):
    write("in.json", m.dump(m.flavor("f"), m.cluster_queue("q", m.quota("f", cpu="4")), pod("p", job())))
    assert "objects of two policies" in fairlead("check", "-f", "in.json").err
    write("alone.json", m.dump(pod("p", job())))
    assert " 1 workload" in fairlead("check", "-f", "alone.json").out


def test_class_is_told_once(made):
    _, _, said = made(job(parallelism=3, template=template(priorityClassName="none")))
    assert [t for k, t in said if k == "missing-priority-class"] == ["priority class 'none' does not exist: KAI takes 'train'"]


def test_fields_are_told_once(made):
    _, _, said = made(job(parallelism=3, template=template(what=1)), leaders(3, 2))
    assert [t for k, t in said if k == "unknown-field"] == [".spec.what: unknown field 'what'"]


def test_names_are_free(made):
    groups, _, _ = made(job(name="a", parallelism=2, template=template()), job("StatefulSet", "a", template=template()),
                        e.pod("a-1", "g", None, 1, "1", "1G", ns="lab"), *e.gang("g", "team", ns="lab")[:1])
    assert sorted(p for g in groups.values() for p in g[3]) == ["a-0", "a-0-2", "a-1", "a-1-2"]


def test_answers(fairlead, write):
    write("in.json", m.dump(*CLUSTER, job(name="train", parallelism=2, template=template(2)),
                            roles("PyTorchJob", "pytorchReplicaSpecs", Worker=role(3))))
    plan = fairlead("plan", "-f", "in.json", "-o", "json").json()
    assert {(a["workload"], a["tasks"]) for c in plan["cycles"] for a in c["allocated"]} == {
        ("lab/pg-train-0-job", 1), ("lab/pg-train-1-job", 1), ("lab/pg-x-pytorchjob", 3)}
    assert "7" in [w for line in fairlead("tree", "-f", "in.json").out.splitlines() if "team" in line for w in line.split()]
    assert fairlead("explain", "-f", "in.json", "lab/job/x").out.startswith("lab/pg-x-pytorchjob waits")
    assert fairlead("explain", "-f", "in.json", "job/train").out.startswith("lab/pg-train-0-job waits")
    assert fairlead("explain", "-f", "in.json", "lab/x-worker-1").out.startswith("lab/pg-x-pytorchjob waits")


def test_record_answers_alike(fairlead, write):
    write("in.json", m.dump(*CLUSTER, job(parallelism=2, template=template()), leaders(2, 2),
                            pod("p", live(job(name="y")), on="n"), live(job(name="y", template=template()))))
    write("again.json", fairlead("record", "-f", "in.json").out)
    plans = [fairlead("plan", "-f", name, "-o", "json").json() for name in ("in.json", "again.json")]
    assert plans[0]["cycles"] == plans[1]["cycles"]


def test_parts_of_gpus(fairlead, write):
    node = e.machine("n", gpu=4)
    node["metadata"]["labels"] = {"nvidia.com/gpu.memory": "1000"}
    queues = [o for o in CLUSTER if o["kind"] == "Queue"]
    write("in.json", m.dump(node, *queues, job(parallelism=2, template=template(0, annotations={"gpu-fraction": "0.25"})),
                            job(name="y", template=template(0, annotations={"gpu-memory": "500"}))))
    tree = {q["name"]: q for q in fairlead("tree", "-f", "in.json", "-o", "json").json()["nodes"]}
    assert [r["request"] for r in tree["team"]["resources"] if r["resource"] == "gpu"] == [1]


def test_hundred_thousand_pods(fairlead, write):
    write("in.json", m.dump(*CLUSTER, job("StatefulSet", replicas=100000, template=template()),
                            job("StatefulSet", "y", replicas=40000, template=template())))
    r = fairlead("check", "-f", "in.json", "-o", "json")
    assert r.code == 0
    texts = [w["message"] for w in r.json()["notes"] + r.json()["warnings"]]
    assert any(t.startswith("100000 pods of jobs wait") for t in texts)
    assert any("with its 40000 pods, more than 131072" in t for t in texts)


def test_bare_pod(fairlead, write):
    write("in.json", m.dump(*CLUSTER, e.queue("default-queue", "top"), e.queue("p", "top"),
                            pod("a", labels={"kai.scheduler/queue": "team"}), pod("b"), pod("c", labels={"project": "p"})))
    plan = fairlead("plan", "-f", "in.json", "-o", "json").json()
    assert {(a["workload"], a["queue"]) for c in plan["cycles"] for a in c["allocated"]} == {
        ("lab/a", "team"), ("lab/b", "default-queue"), ("lab/c", "p")}


ODD = [None, 0, -1, "x", [], {}, [1], {"a": 1}, True, 1e99, [[]], [{}], {"spec": []}, {"metadata": {"labels": 3}}]


@pytest.mark.parametrize("kind", sorted(k for k in APIS if k != "ClusterTrainingRuntime"))
def test_odd_shapes(fairlead, write, kind):
    """Any shape of a field is told, or is not there: nothing crashes."""
    fields = {"PyTorchJob": "pytorchReplicaSpecs", "TFJob": "tfReplicaSpecs", "XGBoostJob": "xgbReplicaSpecs",
              "JAXJob": "jaxReplicaSpecs", "PaddleJob": "paddleReplicaSpecs", "MPIJob": "mpiReplicaSpecs"}
    whole = {"replicas": 2, "template": template(), "parallelism": 2, "completions": 3, "rayClusterSpec": ray(workers()),
             "rayClusterConfig": ray(workers()), "replicatedJobs": [replicated("a")], "runtimeRef": {"name": "torch"},
             "leaderWorkerTemplate": {"size": 2, "workerTemplate": template()}, "runPolicy": {}, "elasticPolicy": {},
             "workerGroupSpecs": [workers()], "headGroupSpec": {"template": template()}, "startupPolicy": {},
             fields.get(kind, "none"): {"Master": role(), "Worker": role(2)}}
    for key in whole:
        objects = [job(kind, f"x{i}", **{**whole, key: odd}) for i, odd in enumerate(ODD)]
        for odd in ("metadata", "spec", "status"):
            objects += [{**job(kind, f"y{odd}{i}", **whole), odd: {"name": f"y{odd}{i}", "ownerReferences": shape}
                         if odd == "metadata" else shape} for i, shape in enumerate(ODD)]
        write("in.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [*CLUSTER, RUNTIME, *objects]}))
        assert fairlead("plan", "-f", "in.json").code in (0, 1)
