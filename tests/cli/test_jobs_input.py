# SPDX-License-Identifier: Apache-2.0
"""Jobs of the kinds that people write, as a new user would have them: manifests without a Workload."""
import hashlib
import json

import pytest
import yaml

QUEUES = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {name: cpu, nominalQuota: 4}
      - {name: memory, nominalQuota: 8Gi}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: lab}
spec: {clusterQueue: team}
"""
JOB = """\
---
apiVersion: batch/v1
kind: Job
metadata:
  name: train
  namespace: lab
  labels: {kueue.x-k8s.io/queue-name: main}
spec:
  parallelism: 3
  completions: 9
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: example.com/train
        resources: {requests: {cpu: 500m, memory: 1Gi}}
"""


def short_hash(*lines):
    return hashlib.sha1("\n".join(lines).encode()).hexdigest()[:5]


def admitted(fairlead, *arguments):
    return {w["workload"]: w["podSets"] for c in fairlead("plan", "-o", "json", *arguments).json()["cycles"]
            for w in c["admitted"]}


def pod_sets(sets):
    return [(s["name"], s["count"]) for s in sets]


def document(kind, **spec):
    api = {"JobSet": "jobset.x-k8s.io/v1alpha2", "RayJob": "ray.io/v1", "RayCluster": "ray.io/v1",
           "PyTorchJob": "kubeflow.org/v1", "MPIJob": "kubeflow.org/v2beta1", "StatefulSet": "apps/v1",
           "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1"}[kind]
    return "---\n" + json.dumps({
        "apiVersion": api, "kind": kind,
        "metadata": {"name": "x", "namespace": "lab", "labels": {"kueue.x-k8s.io/queue-name": "main"}},
        "spec": spec}) + "\n"


def template(cpu="100m"):
    return {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}}


def test_a_job_is_admitted(fairlead, write):
    write("q.yaml", QUEUES + JOB)
    name = "lab/job-train-" + short_hash("Job", "batch", "train", "")
    assert admitted(fairlead, "-f", "q.yaml") == {
        name: [{"name": "main", "count": 3, "flavors": {"cpu": "default", "memory": "default"}}]}
    assert fairlead("explain", "-f", "q.yaml", "lab/job/train").out.startswith(name)
    r = fairlead("check", "--strict", "-f", "q.yaml")
    assert r.code == 0 and r.out.endswith("1 workload: no errors, 0 warnings\n")
    assert r.err.count(": note: ") == 3
    assert len(fairlead("check", "-f", "q.yaml", "-o", "json").json()["notes"]) == 3


def test_what_is_assumed(fairlead, write):
    write("q.yaml", QUEUES + JOB)
    said = fairlead("plan", "-f", "q.yaml", "-o", "json").json()["assumptions"]
    assert "1 workload is made of jobs, as Kueue makes it" in said
    assert any("the job has no uid yet" in s for s in said)
    assert any("there is no Configuration" in s for s in said)


def test_of_a_cluster_it_has_the_name_that_the_workload_has_there(fairlead, write):
    job = JOB.replace("  name: train\n", "  name: train\n  uid: 0123-4567\n"
                                         "  creationTimestamp: 2026-01-02T03:04:05Z\n")
    write("q.yaml", QUEUES + job)
    assert list(admitted(fairlead, "-f", "q.yaml")) == [
        "lab/job-train-" + short_hash("Job", "batch", "train", "0123-4567")]
    said = fairlead("plan", "-f", "q.yaml", "-o", "json").json()["assumptions"]
    assert not any("uid" in s for s in said)


def test_a_workload_of_the_input_is_the_one_that_counts(fairlead, write):
    workload = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: job-train-abcde
  namespace: lab
  ownerReferences:
  - {apiVersion: batch/v1, kind: Job, name: train, uid: 0123-4567, controller: true}
spec:
  queueName: main
  podSets:
  - name: main
    count: 1
    template: {spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}}
"""
    for order in (JOB + workload, workload + JOB):
        write("q.yaml", QUEUES + order)
        assert {w: pod_sets(s) for w, s in admitted(fairlead, "-f", "q.yaml").items()} == {
            "lab/job-train-abcde": [("main", 1)]}


def test_without_a_queue_it_is_left_out_with_a_note(fairlead, write):
    write("q.yaml", QUEUES + JOB.replace("kueue.x-k8s.io/queue-name: main", "app: x"))
    r = fairlead("plan", "-f", "q.yaml", "-o", "json")
    assert (r.code, r.err) == (0, "")
    assert not any(c["admitted"] or c["pending"] for c in r.json()["cycles"])
    assert any("Job/lab/train" in s and "queue-name" in s for s in r.json()["assumptions"])


@pytest.mark.parametrize("manage", [False, True])
def test_manage_jobs_without_queue_name(fairlead, write, manage):
    config = ("---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
              f"manageJobsWithoutQueueName: {str(manage).lower()}\n")
    write("q.yaml", QUEUES + JOB.replace("kueue.x-k8s.io/queue-name: main", "app: x") + config)
    r = fairlead("plan", "-f", "q.yaml", "-o", "json").json()
    pending = [w["workload"] for c in r["cycles"] for w in c["pending"]]
    assert len(pending) == manage  # it has no queue, so it is never admitted


def test_integrations_that_are_not_enabled(fairlead, write):
    config = ("---\napiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
              "integrations: {frameworks: [ray.io/rayjob]}\n")
    write("q.yaml", QUEUES + JOB + config)
    r = fairlead("plan", "-f", "q.yaml", "-o", "json").json()
    assert not any(c["admitted"] for c in r["cycles"])
    assert any("integration" in s for s in r["assumptions"])


KINDS = [
    ("JobSet", {"replicatedJobs": [
        {"name": "Driver", "replicas": 1, "template": {"spec": {"template": template()}}},
        {"name": "workers", "replicas": 2,
         "template": {"spec": {"parallelism": 3, "completions": 3, "template": template()}}}]},
     [("driver", 1), ("workers", 6)]),
    ("RayCluster", {"headGroupSpec": {"template": template()},
                    "workerGroupSpecs": [{"groupName": "small", "replicas": 2, "template": template()}]},
     [("head", 1), ("small", 2)]),
    ("RayJob", {"shutdownAfterJobFinishes": True, "rayClusterSpec": {
        "headGroupSpec": {"template": template()},
        "workerGroupSpecs": [{"groupName": "small", "replicas": 1, "numOfHosts": 2, "template": template()}]}},
     [("head", 1), ("small", 2), ("submitter", 1)]),
    ("PyTorchJob", {"pytorchReplicaSpecs": {"Worker": {"replicas": 4, "template": template()},
                                            "Master": {"template": template()}}},
     [("master", 1), ("worker", 4)]),
    ("MPIJob", {"mpiReplicaSpecs": {"Launcher": {"replicas": 1, "template": template()},
                                    "Worker": {"replicas": 2, "template": template()}}},
     [("launcher", 1), ("worker", 2)]),
    ("StatefulSet", {"replicas": 3, "template": template()}, [("main", 3)]),
    ("LeaderWorkerSet", {"replicas": 1, "leaderWorkerTemplate": {
        "size": 4, "leaderTemplate": template(), "workerTemplate": template()}},
     [("leader", 1), ("worker", 3)]),
]


@pytest.mark.parametrize("kind, spec, expected", KINDS, ids=[k[0] for k in KINDS])
def test_kinds(fairlead, write, kind, spec, expected):
    write("q.yaml", QUEUES + document(kind, **spec))
    got = admitted(fairlead, "-f", "q.yaml")
    assert [pod_sets(s) for s in got.values()] == [expected]


def test_a_pod_is_a_template_without_a_warning(fairlead, write):
    """Though a Pod has a kind and a status, which a pod template has not."""
    write("q.yaml", QUEUES + """\
---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: lab, labels: {kueue.x-k8s.io/queue-name: main}}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}
status: {phase: Pending}
""")
    r = fairlead("check", "--strict", "-f", "q.yaml")
    assert r.code == 0 and "warning" not in r.err, r.err
    assert list(admitted(fairlead, "-f", "q.yaml").values()) == [
        [{"name": "main", "count": 1, "flavors": {"cpu": "default"}}]]


def test_a_group_of_pods(fairlead, write):
    pods = "".join("---\n" + json.dumps({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": f"p{i}", "namespace": "lab",
                     "labels": {"kueue.x-k8s.io/queue-name": "main", "kueue.x-k8s.io/pod-group-name": "g"},
                     "annotations": {"kueue.x-k8s.io/pod-group-total-count": "3"}},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}) + "\n"
        for i in range(3))
    write("q.yaml", QUEUES + pods)
    (name, sets), = admitted(fairlead, "-f", "q.yaml").items()
    assert (name, [s["count"] for s in sets]) == ("lab/g", [3])
    write("q.yaml", QUEUES + pods.rsplit("---\n", 1)[0])
    r = fairlead("check", "-f", "q.yaml")
    assert r.code == 0 and "fewer pods" in r.err


def test_what_kueue_refuses_is_a_warning(fairlead, write):
    write("q.yaml", QUEUES + JOB.replace("kueue.x-k8s.io/queue-name: main", "kueue.x-k8s.io/queue-name: main_"))
    r = fairlead("check", "-f", "q.yaml", "-o", "json").json()
    found = [w for w in r["warnings"] if w["kind"] == "job-without-workload"]
    assert len(found) == 1 and found[0]["subject"] == "Job/lab/train" and found[0]["line"] > 1


def test_limits_defaults_and_classes_come_from_the_input(fairlead, write):
    more = """\
---
apiVersion: v1
kind: LimitRange
metadata: {name: l, namespace: lab}
spec: {limits: [{type: Container, defaultRequest: {cpu: 2}}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 77
"""
    job = JOB.replace("queue-name: main", "queue-name: main, kueue.x-k8s.io/priority-class: high").replace(
        "cpu: 500m, ", "")
    write("q.yaml", more + "---\n" + QUEUES + job)
    x = fairlead("explain", "-f", "q.yaml", "-o", "json", "lab/job/train").json()
    assert x["requests"]["cpu"] == 6000  # 3 pods of 2 cpu, of 4
    assert '"priority":77' in fairlead("record", "-f", "q.yaml").out


def test_a_record_has_the_workloads(fairlead, write):
    write("q.yaml", QUEUES + JOB)
    text = fairlead("record", "-f", "q.yaml").out
    kinds = [o["kind"] for d in yaml.safe_load_all(text) if d for o in d.get("items", [d])]
    assert "Workload" in kinds and "Job" not in kinds
    write("again.yaml", text)
    assert admitted(fairlead, "-f", "again.yaml") == admitted(fairlead, "-f", "q.yaml")


def test_what_if_the_job_were_larger(fairlead, write):
    write("q.yaml", QUEUES + JOB)
    write("change.yaml", JOB.replace("parallelism: 3", "parallelism: 9"))
    r = fairlead("what-if", "-f", "q.yaml", "--change", "change.yaml", "-o", "json")
    assert r.code == 0, r.err
    assert "lab/job-train-" in r.out  # 9 pods of 500m do not fit into 4 cpu


def test_names_that_the_server_would_generate(fairlead, write):
    job = JOB.replace("  name: train\n", "  generateName: train-\n")
    write("q.yaml", QUEUES + job + job)
    assert [w.rsplit("-", 1)[0] for w in admitted(fairlead, "-f", "q.yaml")] == ["lab/job-train-0"]
    assert fairlead("explain", "-f", "q.yaml", "lab/job/train-1").code == 0


def test_a_job_of_many_pod_sets(fairlead, write):
    groups = [{"groupName": f"g{i}", "replicas": 1, "template": template("10m")} for i in range(17)]
    write("q.yaml", QUEUES + document("RayCluster", headGroupSpec={"template": template("10m")},
                                      workerGroupSpecs=groups))
    (sets,) = admitted(fairlead, "-f", "q.yaml").values()
    assert len(sets) == 18


DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment",
              "metadata": {"name": "web", "namespace": "lab", "labels": {"kueue.x-k8s.io/queue-name": "main"}},
              "spec": {"replicas": 2, "template": template("1")}}


def changed(**parts):
    obj = json.loads(json.dumps(DEPLOYMENT))
    for part, more in parts.items():
        obj[part].update(more)
    return "---\n" + json.dumps(obj) + "\n"


def other(kind, name, owner=None, api="v1", **spec):
    owners = [{"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1], "controller": True}] if owner else []
    return "---\n" + json.dumps({
        "apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "lab", "ownerReferences": owners},
        "spec": spec}) + "\n"


# name, objects, workloads, a text that is told
DEPLOYMENTS = [
    ("two", changed(), 2, "2 pods of Deployments are made"),
    ("default", changed(spec={"replicas": None}), 1, "1 pod of Deployments is made"),
    ("none", changed(spec={"replicas": 0}), 0, "a Deployment has no Workload: each of its pods has one"),
    ("no queue", changed(metadata={"labels": {}}), 0, "a Deployment has no Workload: each of its pods has one"),
    ("odd count", changed(spec={"replicas": "3"}), 1, "1 pod of Deployments is made"),
    ("too many", changed(spec={"replicas": 131073}), 0, "more than 131072 pods would be made"),
    ("of two", changed(spec={"replicas": 131073}) + changed(metadata={"name": "x"}), 2, "more than 131072 pods would be made"),
    ("a pod", changed() + other("Pod", "web-5d4-a", ("ReplicaSet", "web-5d4"), **template("1")["spec"]), 0, "each of its pods has one"),
    ("a ReplicaSet", changed() + other("ReplicaSet", "web-5d4", ("Deployment", "web"), "apps/v1"), 0, "each of its pods has one"),
    ("a pod of another", changed() + other("Pod", "webb-5d4-a", ("ReplicaSet", "webb-5d4"), **template("1")["spec"]), 2, "2 pods"),
    ("odd template", changed(spec={"template": [1]}), 2, "2 pods"),
]


@pytest.mark.parametrize("name, objects, workloads, text", DEPLOYMENTS, ids=[d[0] for d in DEPLOYMENTS])
def test_deployment(fairlead, write, name, objects, workloads, text):
    write("in.yaml", QUEUES + objects)
    r = fairlead("check", "-f", "in.yaml")
    assert r.code == 0 and f" {workloads} workload" in r.out, r.out
    assert text in r.err
    assert "unknown field" not in r.err


def test_pods_of_a_deployment(fairlead, write):
    write("in.yaml", QUEUES + changed() + other("Pod", "web-0", **template("1")["spec"]).replace(
        '"ownerReferences": []', '"labels": {"kueue.x-k8s.io/queue-name": "main"}'))
    assert {k: pod_sets(v) for k, v in admitted(fairlead, "-f", "in.yaml", "--settle").items()} == {
        f"lab/pod-{n}-" + short_hash("Pod", "", n, ""): [("main", 1)] for n in ("web-0", "web-0-2", "web-1")}


def test_workloads_of_a_deployment_are_there(fairlead, write):
    write("in.yaml", QUEUES + changed())
    write("kept.json", fairlead("record", "-f", "in.yaml").out.replace("pod-web-0-", "pod-web-5d4-x8b-"))
    write("deployment.yaml", changed())
    assert " 2 workloads" in fairlead("check", "-f", "kept.json", "-f", "deployment.yaml").out


def test_fields_of_a_deployment_are_told_once(fairlead, write):
    obj = changed(spec={"template": {"spec": {**template("1")["spec"], "what": 1}}})
    write("in.yaml", QUEUES + obj)
    assert fairlead("check", "-f", "in.yaml").err.count("unknown field 'what'") == 1
