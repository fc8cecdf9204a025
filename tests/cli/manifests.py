# SPDX-License-Identifier: Apache-2.0
"""Small clusters to ask about."""
import json

API = "kueue.x-k8s.io/v1beta2"


def flavor(name, **spec):
    return {"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def quota(flavor_name, **resources):
    return {"name": flavor_name, "resources": [
        {"name": r.replace("_", "/"), **(v if isinstance(v, dict) else {"nominalQuota": v})}
        for r, v in resources.items()]}


def cluster_queue(name, *flavors, cohort=None, **spec):
    covered = [r["name"] for r in flavors[0]["resources"]] if flavors else []
    groups = [{"coveredResources": covered, "flavors": list(flavors)}] if flavors else []
    body = {"namespaceSelector": {}, "resourceGroups": groups, **spec}
    if cohort:
        body["cohortName"] = cohort
    return {"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": body}


def cohort(name, parent=None, *flavors, **spec):
    body = dict(spec)
    if parent:
        body["parentName"] = parent
    if flavors:
        body["resourceGroups"] = [{"coveredResources": [r["name"] for r in flavors[0]["resources"]],
                                   "flavors": list(flavors)}]
    return {"apiVersion": API, "kind": "Cohort", "metadata": {"name": name}, "spec": body}


def local_queue(name, queue, ns="ns"):
    return {"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": name, "namespace": ns},
            "spec": {"clusterQueue": queue}}


def workload(name, queue, ns="ns", priority=0, count=1, created="2026-01-01T00:00:00Z", admitted=None,
             owner=None, **requests):
    """admitted: (ClusterQueue, flavor)."""
    meta = {"name": name, "namespace": ns, "uid": name, "creationTimestamp": created}
    if owner:
        meta["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": owner, "uid": "u",
                                    "controller": True}]
    container = {"name": "c", "image": "pause", "resources": {"requests": requests}}
    obj = {"apiVersion": API, "kind": "Workload", "metadata": meta,
           "spec": {"queueName": queue, "priority": priority, "podSets": [
               {"name": "main", "count": count,
                "template": {"spec": {"containers": [container], "restartPolicy": "Never"}}}]}}
    if admitted:
        total = {r: (str(int(v) * count) if str(v).isdigit() else v) for r, v in requests.items()}
        obj["status"] = {
            "admission": {"clusterQueue": admitted[0], "podSetAssignments": [
                {"name": "main", "count": count, "flavors": {r: admitted[1] for r in requests},
                 "resourceUsage": total}]},
            "conditions": [{"type": t, "status": "True", "reason": t, "message": "",
                            "lastTransitionTime": created} for t in ("QuotaReserved", "Admitted")]}
    return obj


def configuration(**fair):
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "fairSharing": fair}


def no_fair_sharing():
    """A Configuration that has nothing of it: then nothing is taken for granted."""
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", "metadata": {"name": "c"}}


def dump(*objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}, indent=1)


def small():
    """Two queues of 4 cpu in a cohort; b borrows 2, so that a's workload of 3 waits."""
    return [
        namespace("ns"), flavor("f"),
        cluster_queue("a", quota("f", cpu="4"), cohort="co"),
        cluster_queue("b", quota("f", cpu="4"), cohort="co"),
        local_queue("la", "a"), local_queue("lb", "b"),
        workload("b1", "lb", cpu="6", admitted=("b", "f")),
        workload("a1", "la", cpu="3"),
        workload("a2", "la", cpu="1", created="2026-01-01T00:00:01Z"),
    ]


def loop():
    """Three workloads that preempt each other for ever."""
    preemption = {"reclaimWithinCohort": "Any", "withinClusterQueue": "Never"}
    return [
        namespace("ns"), flavor("f"),
        configuration(preemptionStrategies=["LessThanOrEqualToFinalShare", "LessThanInitialShare"]),
        cluster_queue("q0", quota("f", cpu="4"), cohort="co", preemption=preemption,
                      queueingStrategy="StrictFIFO"),
        cluster_queue("q1", quota("f", cpu="2"), cohort="co", preemption=preemption,
                      queueingStrategy="StrictFIFO"),
        local_queue("l0", "q0"), local_queue("l1", "q1"),
        workload("w0", "l0", cpu="5", created="2026-01-01T00:00:01Z"),
        workload("w3", "l1", cpu="4", created="2026-01-01T00:00:03Z", admitted=("q1", "f")),
        workload("w4", "l1", cpu="2", created="2026-01-01T00:00:02Z", admitted=("q1", "f")),
    ]
