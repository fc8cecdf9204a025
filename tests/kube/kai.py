# SPDX-License-Identifier: Apache-2.0
"""A cluster with KAI for a fake API server, and what `fairlead -f` says of the same objects."""
import json
import os
import subprocess

API = {"queues": ("scheduling.run.ai/v2", "Queue"), "podgroups": ("scheduling.run.ai/v2alpha2", "PodGroup"),
       "bindrequests": ("scheduling.run.ai/v1alpha2", "BindRequest"), "pods": ("v1", "Pod"), "nodes": ("v1", "Node"),
       "schedulingshards": ("kai.scheduler/v1", "SchedulingShard"), "priorityclasses": ("scheduling.k8s.io/v1", "PriorityClass")}
CREATED = "2026-11-01T10:00:00Z"


def fill(fake, nodes=1, gpus=8, quota=4):
    """Two teams below a department, and nodes. There is no Kueue."""
    for plural in fake.kinds["kueue.x-k8s.io"]["v1beta2"][:]:
        fake.remove_kind("kueue.x-k8s.io", plural)
    queue(fake, "dept", gpus * nodes)
    for name in ("team-a", "team-b"):
        queue(fake, name, quota, parentQueue="dept")
    for k in range(nodes):
        node(fake, f"n{k + 1}", gpus)


def queue(fake, name, gpus, **spec):
    rest = {"quota": -1, "limit": -1}
    fake.put("queues", None, name, metadata={"creationTimestamp": CREATED}, spec={
        "resources": {"cpu": rest, "memory": rest, "gpu": {"quota": gpus, "limit": -1, "overQuotaWeight": 1}}, **spec})


def node(fake, name, gpus=8, ready=True, beat=0):
    fake.put("nodes", None, name, metadata={"labels": {"pool": "a"}}, spec={}, status={
        "allocatable": {"cpu": "64", "memory": "256Gi", "nvidia.com/gpu": str(gpus)},
        "conditions": [{"type": "Ready", "status": str(ready), "lastHeartbeatTime": f"2026-11-01T10:00:{beat:02}Z"}]})


def group(fake, name, queue="team-a", least=1, namespace="ns", annotations=None, **spec):
    fake.put("podgroups", namespace, name, metadata={"creationTimestamp": CREATED, "annotations": annotations or {}},
             spec={"queue": queue, "minMember": least, "priorityClassName": "train", **spec})


def pod(fake, name, of, gpus=1, node=None, phase="Pending", namespace="ns", deleted=False, scheduler="kai-scheduler", **spec):
    meta = {"creationTimestamp": CREATED, "annotations": {"pod-group-name": of} if of else {}, "labels": {"pod-template-hash": name}}
    if deleted:
        meta["deletionTimestamp"] = "2026-11-01T12:00:00Z"
    if node:
        spec["nodeName"] = node
    fake.put("pods", namespace, name, metadata=meta, status={"phase": phase, "podIP": "10.0.0.1"}, spec={
        "schedulerName": scheduler, "containers": [{"name": "c", "image": "x", "resources": {
            "requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"nvidia.com/gpu": str(gpus)}}}], **spec})


def bind(fake, pod, node, namespace="ns", **status):
    fake.put("bindrequests", namespace, pod, spec={"podName": pod, "selectedNode": node, "backoffLimit": 3},
             status={"phase": "Pending", **status})


def dump(fake, file):
    """The state as `kubectl get -o json` writes it."""
    items = []
    for plural, (version, kind) in API.items():
        items += [{"apiVersion": version, "kind": kind, **o} for o in fake.state(plural).values()]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return file


def of_file(verb, file, *words):
    answer = subprocess.run([os.environ["FAIRLEAD"], verb, "-f", str(file), *words], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout
