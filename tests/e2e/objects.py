# SPDX-License-Identifier: Apache-2.0
"""Objects of Kueue's kinds as tests write them: what is not said is what Kueue's definitions default to."""
import json

from bed import KUEUE, wait_for

# Gates that Kueue 0.17 does not have, or has turned off.
LATER_GATES = ("RecomputeAssignmentUponPreemptionTargetsOverlap", "SchedulingEquivalenceHashing")


def flavor(name="default", **spec):
    return {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": {"name": name}, "spec": spec}


def cluster_queue(name, cpu, cohort=None, flavor="default", borrowing=None, **spec):
    """@cpu, @borrowing: quantities ("4"); @spec: as in the API (preemption, fairSharing, ...)."""
    quota = {"name": "cpu", "nominalQuota": str(cpu), **({"borrowingLimit": str(borrowing)} if borrowing is not None else {})}
    return {"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": {
        "namespaceSelector": {}, "queueingStrategy": "BestEffortFIFO", **({"cohortName": cohort} if cohort else {}),
        "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": flavor, "resources": [quota]}]}], **spec}}


def local_queue(name, cluster_queue=None):
    return {"apiVersion": KUEUE, "kind": "LocalQueue", "metadata": {"name": name},
            "spec": {"clusterQueue": cluster_queue or name}}


def workload(name, queue, cpu="1", count=1, priority=0, **spec):
    container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": str(cpu)}}}
    return {"apiVersion": KUEUE, "kind": "Workload", "metadata": {"name": name}, "spec": {
        "queueName": queue, "priority": priority, "active": True, "podSets": [{
            "name": "main", "count": count, "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}],
        **spec}}


def pods_of(cpu, seconds=None):
    """A pod's template; @seconds: how long it runs where a stand-in for the kubelet does (kubelet.py)."""
    container = {"name": "c", "image": "none", "resources": {"requests": {"cpu": str(cpu)}}}
    return {"metadata": {"annotations": {} if seconds is None else {"bed/seconds": str(seconds)}},
            "spec": {"restartPolicy": "Never", "containers": [container]}}


def job(name, queue, cpu="1", parallelism=1, seconds=None):
    """One that waits for its queue, as Kueue's webhook would have made it."""
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "labels": {
        "kueue.x-k8s.io/queue-name": queue}}, "spec": {"suspend": True, "parallelism": parallelism, "completions": parallelism,
                                                       "template": pods_of(cpu, seconds)}}


def pod(name, queue, cpu="1", seconds=None, group=None, of=1):
    """@group: whose @of pods are admitted together."""
    body = {"apiVersion": "v1", "kind": "Pod", **pods_of(cpu, seconds)}
    body["metadata"].update(name=name, labels={"kueue.x-k8s.io/queue-name": queue})
    if group:
        body["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = group
        body["metadata"]["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = str(of)
    return body


def condition(body, kind):
    """"True", "False" or "Unknown" of a Workload's condition, None where it has none."""
    return next((c["status"] for c in body.get("status", {}).get("conditions") or () if c["type"] == kind), None)


def set_condition(client, body, kind, status, reason, message="as the test says"):
    """By a merge patch of the whole list, as a controller that holds no other's conditions would have it."""
    from datetime import datetime, timezone
    rows = [c for c in body.get("status", {}).get("conditions") or () if c["type"] != kind]
    rows.append({"type": kind, "status": status, "reason": reason, "message": message,
                 "lastTransitionTime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")})
    meta = body["metadata"]
    return client.patch(KUEUE, "workloads", meta["name"], {"metadata": {"resourceVersion": meta["resourceVersion"]},
                                                           "status": {"conditions": rows}}, meta["namespace"], "status")


def set_up_queues(client, queues, namespace="default"):
    """A flavor, @queues (name -> keywords of cluster_queue), and a local queue of each name in @namespace."""
    client.apply(KUEUE, "resourceflavors", flavor())
    for name, words in queues.items():
        client.apply(KUEUE, "clusterqueues", cluster_queue(name, **words))
        client.apply(KUEUE, "localqueues", local_queue(name), namespace)


def set_up_configuration(bed):
    """Kueue's own, where it is kept: with the defaults of the bed's version, and without the rules that came later."""
    bed.namespace("kueue-system")
    text = json.dumps({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                       "featureGates": dict.fromkeys(LATER_GATES, False)})
    bed.admin.apply("v1", "configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kueue-manager-config"},
                                         "data": {"controller_manager_config.yaml": text}}, "kueue-system")


def wait_for_condition(client, name, kind, status="True", namespace="default", seconds=30):
    """The Workload as it is then."""
    def there():
        body = client.get(KUEUE, "workloads", name, namespace)
        return body if condition(body, kind) == status else None

    return wait_for(f"{namespace}/{name}: {kind}={status}", there, seconds)
