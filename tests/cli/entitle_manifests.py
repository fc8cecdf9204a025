# SPDX-License-Identifier: Apache-2.0
"""Small clusters of the entitle policy to ask about: KAI's objects."""
import json


def queue(name, parent=None, priority=None, created="2026-01-01T00:00:00Z", gpu=None, cpu=None, memory=None, **spec):
    """gpu, cpu, memory: (quota, overQuotaWeight, limit); cpu and memory are unlimited unless given."""
    def amounts(triple):
        return {"quota": triple[0], "overQuotaWeight": triple[1], "limit": triple[2]}

    body = {"resources": {"gpu": amounts(gpu or (0, 1, -1)), "cpu": amounts(cpu or (-1, 1, -1)),
                          "memory": amounts(memory or (-1, 1, -1))}, **spec}
    if parent:
        body["parentQueue"] = parent
    if priority is not None:
        body["priority"] = priority
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
            "metadata": {"name": name, "creationTimestamp": created}, "spec": body}


def machine(name, gpu=8, cpu=64, memory="512G"):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": str(cpu), "memory": memory, "nvidia.com/gpu": str(gpu)},
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def shard(**spec):
    return {"apiVersion": "kai.scheduler/v1", "kind": "SchedulingShard", "metadata": {"name": "default"}, "spec": spec}


def priority_class(name, value):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}


def pod(name, group, created, gpu, cpu, memory, on=None, scheduler="kai-scheduler", ns="ns"):
    obj = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": ns, "creationTimestamp": created,
                        **({"annotations": {"pod-group-name": group}} if group else {})},
           "spec": {"schedulerName": scheduler, "containers": [
               {"name": "c", "image": "pause",
                "resources": {"requests": {"cpu": cpu, "memory": memory, "nvidia.com/gpu": str(gpu)},
                              "limits": {"nvidia.com/gpu": str(gpu)}}}]},
           "status": {"phase": "Running" if on else "Pending"}}
    if on:
        obj["spec"]["nodeName"] = on
    return obj


def gang(name, in_queue, pods=1, gpu=1, cpu="1", memory="1G", minimum=None, on=None, created="2026-01-01T01:00:00Z",
         preemptible=True, started=None, ns="ns", **spec):
    """A PodGroup and its pods; running on the machine @on (a list: pod by pod)."""
    places = on if isinstance(on, list) else [on] * pods
    meta = {"name": name, "namespace": ns, "creationTimestamp": created}
    if started:
        meta["annotations"] = {"kai.scheduler/last-start-timestamp": started}
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": meta,
             "spec": {"minMember": minimum or pods, "queue": in_queue,
                      "preemptibility": "preemptible" if preemptible else "non-preemptible", **spec}}
    return [group] + [pod(f"{name}-{i}", name, created, gpu, cpu, memory, places[i], ns=ns) for i in range(pods)]


def small():
    """
    Two departments of 4 GPUs each, one machine of 8.  vision (deserves 3) holds 6, two of them borrowed
    from the other department; nlp (deserves 1) waits for one pod, speech (deserves 4) for a gang of 4.
    """
    return [
        machine("m1"),
        queue("research", gpu=(4, 1, -1)),
        queue("products", gpu=(4, 1, -1)),
        queue("vision", "research", gpu=(3, 1, -1)),
        queue("nlp", "research", gpu=(1, 1, -1)),
        queue("speech", "products", gpu=(4, 1, 6)),
        *gang("v1", "vision", pods=2, gpu=1, on="m1", created="2026-01-01T01:00:00Z"),
        *gang("v2", "vision", pods=2, gpu=1, on="m1", created="2026-01-01T02:00:00Z"),
        *gang("v3", "vision", pods=2, gpu=1, on="m1", created="2026-01-01T03:00:00Z"),
        *gang("n1", "nlp", pods=1, gpu=1, created="2026-01-01T04:00:00Z"),
        *gang("s1", "speech", pods=4, gpu=1, created="2026-01-01T05:00:00Z"),
    ]


def dump(*objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
