# SPDX-License-Identifier: Apache-2.0
"""
Random clusters that are the same on every machine: half of Kueue's objects, half of KAI's.

They are small (a cycle takes milliseconds) and odd on purpose: references that lead nowhere,
cohorts that are their own ancestors, queues that are stopped, weights of zero.  The random numbers
are our own, for those of Python's library may change with its version.  What a seed gives must not
change either: the record holds what the command said of it.
"""
import json
import re

KUEUE = "kueue.x-k8s.io/v1beta2"
FAIRLEAD = "fairlead.dev/v1alpha1"
MASK = (1 << 64) - 1


class Random:
    """splitmix64: one addition and a mixing function, so nothing to get wrong."""

    def __init__(self, seed):
        self.state = seed * 0x9E3779B97F4A7C15 & MASK

    def next(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def below(self, n):
        return self.next() % n

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, options):
        return options[self.below(len(options))]

    def some(self, options, percent):
        return [o for o in options if self.chance(percent)]


def minute(n):
    return f"2026-01-01T{n // 60:02}:{n % 60:02}:00Z"


def thing(api, kind, name, ns=None, **rest):
    meta = {"name": name, **({"namespace": ns} if ns else {}), **rest.pop("meta", {})}
    return {"apiVersion": api, "kind": kind, "metadata": meta, **rest}


class World:
    """objects: all; change: one of them with another quota; waiting: names that explain can take."""

    def __init__(self, name, objects, change, waiting):
        self.name, self.objects, self.change, self.waiting = name, objects, change, waiting


# Kueue

def amounts(r, resources, limits):
    rows = []
    for name in resources:
        row = {"name": name, "nominalQuota": str(r.pick([0, 1, 2, 3, 4, 6, 8, 12]))}
        if limits and r.chance(25):
            row["borrowingLimit"] = str(r.between(0, 6))
        if limits and r.chance(25):
            row["lendingLimit"] = str(r.between(0, int(row["nominalQuota"])))
        rows.append(row)
    return rows


def resource_groups(r, flavors, limits=True):
    groups = [["cpu"], ["gpu"]] if r.chance(30) else [["cpu", "gpu"]] if r.chance(40) else [["cpu"]]
    out, left = [], list(flavors)
    for covered in groups:
        mine = [f for f in left if r.chance(60)] or left[:1]
        left = [f for f in left if f not in mine]
        if mine:
            out.append({"coveredResources": covered, "flavors": [
                {"name": f, "resources": amounts(r, covered, limits)} for f in mine]})
    return out


def weight(r):
    return {"fairSharing": {"weight": r.pick(["0", "0.5", "1", "2", "3"])}} if r.chance(40) else {}


def kueue_settings(r):
    """Configuration and Policy."""
    out, body = [], {}
    if r.chance(55):
        body["fairSharing"] = {"preemptionStrategies": r.pick([
            ["LessThanOrEqualToFinalShare", "LessThanInitialShare"],
            ["LessThanInitialShare"], ["LessThanOrEqualToFinalShare"]])}
    if r.chance(25):
        body["admissionFairSharing"] = {
            "usageHalfLifeTime": r.pick(["10m", "1h"]), "usageSamplingInterval": "5m"}
    if body:
        out.append({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **body})
    if r.chance(20):
        spec = r.pick([
            {"defaults": {"minimumRunTime": "30m"}},
            {"defaults": {"preemptionDelay": {"InCohortFairSharing": "5m"}, "holdFreedQuota": True}},
            {"defaults": {"reclaimBackOff": {"base": "1m", "max": "10m"}, "overrulingPriority": 3}},
            {"headsPerCycle": "all"}, {"preemptionGuarantee": "settles", "evictionTimeout": "5m"},
            {"admissionFairSharing": {"usage": "Exact"}}])
        out.append(thing(FAIRLEAD, "Policy", "default", spec=spec))
    return out


def kueue_flavors(r):
    names = ["f0", "f1", "f2"][:r.between(1, 3)]
    out = []
    for name in names:
        spec = {}
        if r.chance(30):
            spec["nodeLabels"] = {"kind": name}
        if r.chance(15):
            spec["nodeTaints"] = [{"key": "only", "value": name, "effect": "NoSchedule"}]
        if not r.chance(3):  # one that is used and is not there
            out.append(thing(KUEUE, "ResourceFlavor", name, spec=spec))
    return names, out


def kueue_cohorts(r, flavors):
    """A forest: each one's parent stands before it, unless it is odd."""
    names, out = [f"c{i}" for i in range(r.between(0, 5))], []
    for i, name in enumerate(names):
        spec = weight(r)
        if i and r.chance(75):
            spec["parentName"] = names[r.below(i)]
        elif r.chance(6):
            spec["parentName"] = r.pick(names + ["nowhere"])  # of itself, of one below, of none
        if r.chance(35):
            spec["resourceGroups"] = resource_groups(r, flavors)
        if not r.chance(10):  # one that only others name
            out.append(thing(KUEUE, "Cohort", name, spec=spec))
    return names, out


def kueue_queue(r, name, cohorts, flavors):
    spec = {"namespaceSelector": {"matchLabels": {"team": "a"}} if r.chance(6) else {},
            "resourceGroups": resource_groups(r, flavors), **weight(r),
            "queueingStrategy": r.pick(["BestEffortFIFO", "StrictFIFO"])}
    if cohorts and r.chance(85):
        spec["cohortName"] = r.pick(cohorts)
    if r.chance(75):
        spec["preemption"] = {
            "withinClusterQueue": r.pick(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
            "reclaimWithinCohort": r.pick(["Never", "LowerPriority", "Any", "Any"])}
        if r.chance(20):
            spec["preemption"]["borrowWithinCohort"] = {
                "policy": "LowerPriority", "maxPriorityThreshold": r.between(0, 3)}
    if r.chance(30):
        spec["flavorFungibility"] = {
            "whenCanBorrow": r.pick(["MayStopSearch", "TryNextFlavor"]),
            "whenCanPreempt": r.pick(["MayStopSearch", "TryNextFlavor"])}
    if r.chance(5):
        spec["stopPolicy"] = r.pick(["Hold", "HoldAndDrain"])
    if r.chance(25):
        spec["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
    return thing(KUEUE, "ClusterQueue", name, meta={"creationTimestamp": minute(0)}, spec=spec)


def kueue_local(r, name, queue):
    obj = thing(KUEUE, "LocalQueue", name, "ns", spec={"clusterQueue": queue})
    if r.chance(30):
        obj["status"] = {"fairSharing": {"weightedShare": 0, "admissionFairSharingStatus": {
            "consumedResources": {"cpu": str(r.between(0, 9))}, "lastUpdate": minute(r.between(0, 90))}}}
    return obj


def condition(kind, at, status="True", reason=None):
    return {"type": kind, "status": status, "reason": reason or kind, "message": "",
            "lastTransitionTime": at}


def kueue_admit(r, obj, queue, at):
    """As admitted in a flavor for each resource; more than there is, at times, as in real clusters."""
    main = obj["spec"]["podSets"][0]
    requests = main["template"]["spec"]["containers"][0]["resources"]["requests"]
    flavors = {}
    for group in queue["spec"]["resourceGroups"]:
        chosen = r.pick(group["flavors"])["name"]
        flavors.update({c: chosen for c in group["coveredResources"] if c in requests})
    if set(flavors) != set(requests):
        return False
    obj["status"] = {
        "admission": {"clusterQueue": queue["metadata"]["name"], "podSetAssignments": [{
            "name": "main", "count": main["count"], "flavors": flavors,
            "resourceUsage": {c: str(int(v) * main["count"]) for c, v in requests.items()}}]},
        "conditions": [condition("QuotaReserved", at), condition("Admitted", at)]}
    if r.chance(4):
        obj["status"]["conditions"].append(condition("Finished", at))
    elif r.chance(6):
        obj["status"]["conditions"].append(condition("Evicted", at, reason="Preempted"))
    return True


def kueue_workload(r, name, local):
    at = minute(r.between(0, 300))
    spec = {"restartPolicy": "Never"}
    requests = {"cpu": str(r.between(1, 6))}
    if r.chance(25):
        requests["gpu"] = str(r.between(1, 3))
    if r.chance(8):
        spec["nodeSelector"] = {"kind": r.pick(["f0", "f1"])}
    if r.chance(15):
        spec["tolerations"] = [{"key": "only", "operator": "Exists"}]
    spec["containers"] = [{"name": "c", "image": "pause", "resources": {"requests": requests}}]
    main = {"name": "main", "count": r.between(1, 3), "template": {"spec": spec}}
    if main["count"] > 1 and r.chance(15):
        main["minCount"] = 1
    body = {"queueName": "no-such-queue" if r.chance(2) else local, "podSets": [main]}
    if r.chance(20):
        class_name, body["priority"] = r.pick([("high", 4), ("low", 1), ("low", 1), ("none", 0)])
        body["priorityClassRef"] = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": class_name}
    else:
        body["priority"] = r.pick([0, 0, 0, 1, 2, 5])
    if r.chance(3):
        body["active"] = False
    return thing(KUEUE, "Workload", name, "ns", meta={"uid": name, "creationTimestamp": at}, spec=body)


def kueue(seed):
    r = Random(seed)
    objects = kueue_settings(r) + [thing("v1", "Namespace", "ns")]
    flavors, rows = kueue_flavors(r)
    objects += rows
    cohorts, rows = kueue_cohorts(r, flavors)
    objects += rows
    objects += [thing(KUEUE, "WorkloadPriorityClass", n, value=v) for n, v in (("high", 4), ("low", 1))]
    queues = [kueue_queue(r, f"q{i}", cohorts, flavors) for i in range(r.between(1, 6))]
    objects += queues
    locals_of = []
    for i, q in enumerate(queues):
        for j in range(r.between(1, 2)):
            locals_of.append((f"l{i}-{j}", q))
            objects.append(kueue_local(r, f"l{i}-{j}", q["metadata"]["name"]))
    if r.chance(8):
        objects.append(kueue_local(r, "astray", "no-such-cluster-queue"))
    waiting = []
    for i in range(r.between(4, 18)):
        local, queue = r.pick(locals_of)
        obj = kueue_workload(r, f"w{i}", local)
        if not (r.chance(45) and kueue_admit(r, obj, queue, minute(r.between(300, 400)))):
            waiting.append(f"ns/w{i}")
        objects.append(obj)
    change = json.loads(json.dumps(r.pick(queues)))
    groups = change["spec"]["resourceGroups"]
    if groups:
        cell = r.pick(r.pick(r.pick(groups)["flavors"])["resources"])
        cell["nominalQuota"] = str(int(cell["nominalQuota"]) + r.pick([-2, -1, 1, 2, 5])).replace("-", "")
        cell.pop("lendingLimit", None)
    return World(f"kueue-{seed:03}", objects, change, waiting)


# KAI

def kai_queue(r, name, parent, most):
    quota = r.pick([-1, 0, 1, 2, 2, 3, 4, most])
    gpu = {"quota": quota, "overQuotaWeight": r.pick([0, 1, 1, 2, 3]),
           "limit": r.between(max(quota, 0), most) if r.chance(20) else -1}
    free = {"quota": -1, "overQuotaWeight": 1, "limit": -1}
    cpu = {"quota": r.between(0, 16) * 1000, "overQuotaWeight": 1, "limit": -1} if r.chance(15) else free
    spec = {"resources": {"gpu": gpu, "cpu": cpu, "memory": dict(free)}}
    if parent:
        spec["parentQueue"] = parent
    if r.chance(25):
        spec["priority"] = r.pick([50, 100, 200])
    if r.chance(8):
        spec["preemptMinRuntime"] = "30m"
    if r.chance(8):
        spec["reclaimMinRuntime"] = "20m"
    return thing("scheduling.run.ai/v2", "Queue", name, spec=spec,
                 meta={"creationTimestamp": minute(r.below(5))})


def kai_queues(r, most):
    """Two levels, rarely three; a parent that is missing, or that is its own child."""
    out, leaves = [], []
    for d in range(r.between(1, 3)):
        parent = f"d{d}"
        out.append(kai_queue(r, parent, parent if r.chance(2) else None, most))
        for i in range(r.between(1, 4)):
            name = f"{parent}-{i}"
            out.append(kai_queue(r, name, "nowhere" if r.chance(2) else parent, most))
            if r.chance(6):
                out.append(kai_queue(r, f"{name}-x", name, most))
                name += "-x"
            leaves.append(name)
    return leaves, out


def kai_node(r, name):
    ready = "False" if r.chance(4) else "True"
    gpus = r.pick([2, 4, 4, 8])
    obj = thing("v1", "Node", name, meta={"labels": {"zone": r.pick(["a", "b"])}}, status={
        "allocatable": {"cpu": str(8 * gpus), "memory": "256Gi", "nvidia.com/gpu": str(gpus)},
        "conditions": [{"type": "Ready", "status": ready}]})
    if r.chance(4):
        obj["spec"] = {"unschedulable": True}
    return gpus, obj


def kai_pod(name, group, at, requests, on, selector):
    gpu = requests["nvidia.com/gpu"]
    spec = {"schedulerName": "kai-scheduler", "containers": [{"name": "c", "image": "pause", "resources": {
        "requests": requests, "limits": {"nvidia.com/gpu": gpu}}}]}
    if on:
        spec["nodeName"] = on
    if selector:
        spec["nodeSelector"] = selector
    return thing("v1", "Pod", name, "ns", meta={
        "creationTimestamp": at, "annotations": {"pod-group-name": group}},
        spec=spec, status={"phase": "Running" if on else "Pending"})


def kai_group(r, name, queue, free):
    """A PodGroup and its pods; free: GPUs that are left on each node, which it lowers."""
    pods, gpu, at = r.pick([1, 1, 1, 2, 2, 3, 4]), r.pick([1, 1, 1, 2, 4]), minute(r.between(5, 400))
    places = []
    if r.chance(55):
        for _ in range(pods):
            fits = [n for n in sorted(free) if free[n] >= gpu]
            if fits:
                places.append(r.pick(fits))
                free[places[-1]] -= gpu
    meta = {"creationTimestamp": at}
    if places:
        meta["annotations"] = {"kai.scheduler/last-start-timestamp": minute(r.between(400, 450))}
    spec = {"minMember": r.between(1, pods) if r.chance(40) else pods,
            "queue": "no-such-queue" if r.chance(2) else queue,
            "preemptibility": "non-preemptible" if r.chance(15) else "preemptible"}
    if r.chance(40):
        spec["priorityClassName"] = r.pick(["train", "build", "inference", "none"])
    selector = {"zone": "a"} if r.chance(8) else None
    requests = {"cpu": str(r.between(1, 6)), "memory": f"{r.between(1, 8)}Gi", "nvidia.com/gpu": str(gpu)}
    out = [thing("scheduling.run.ai/v2alpha2", "PodGroup", name, "ns", meta=meta, spec=spec)]
    for i in range(pods):
        out.append(kai_pod(f"{name}-{i}", name, at, requests, places[i] if i < len(places) else None, selector))
    return bool(places), out


def kai_settings(r, queues):
    spec = {"placementStrategy": {"gpu": r.pick(["binpack", "spread"]), "cpu": "binpack"}}
    out = [thing("kai.scheduler/v1", "SchedulingShard", "default", spec=spec)]
    if r.chance(35):
        spec["kValue"] = r.pick([0, 0.5, 1, 2])
        spec["usageDBConfig"] = {"clientType": "prometheus", "usageParams": {
            "windowType": "sliding", "windowSize": "24h", "halfLifePeriod": r.pick(["2h", "12h"])}}
        used = {q: {"gpu": r.between(0, 4)} for q in r.some(queues, 60)}
        out.append(thing(FAIRLEAD, "UsageHistory", "past", spec={"samples": [
            {"from": minute(0), "to": minute(r.between(30, 360)), "capacity": {"gpu": 16}, "queues": used}]}))
    if r.chance(15):
        spec["args"] = {"allow-consolidating-reclaim": "true" if r.chance(50) else "false"}
    if r.chance(10):
        spec["queueDepthPerAction"] = {"reclaim": 2, "preempt": 1}
    if r.chance(20):
        policy = r.pick([
            {"entitlement": {"division": "Bounded"}}, {"entitlement": {"turns": True}},
            {"entitlement": {"keepBelowQuota": True}}, {"entitlement": {"protectQuota": True}},
            {"budgets": {"period": {"every": "24h", "start": minute(0)}, "afterBudget": "Spare",
                         "queues": [{"name": q, "gpuHours": 10} for q in queues[:2]]}}])
        out.append(thing(FAIRLEAD, "Policy", "default", spec=policy))
    return out


def kai(seed):
    r = Random(seed + 100000)
    nodes, free = [], {}
    for i in range(r.between(1, 4)):
        gpus, obj = kai_node(r, f"n{i}")
        nodes.append(obj)
        free[f"n{i}"] = gpus
    leaves, queues = kai_queues(r, sum(free.values()))
    objects = kai_settings(r, leaves) + nodes + queues
    objects += [thing("scheduling.k8s.io/v1", "PriorityClass", n, value=v)
                for n, v in (("train", 50), ("build", 100), ("inference", 125))]
    waiting = []
    for i in range(r.between(3, 14)):
        runs, rows = kai_group(r, f"g{i}", r.pick(leaves), free)
        objects += rows
        if not runs:
            waiting.append(f"ns/g{i}")
    change = json.loads(json.dumps(r.pick(queues)))
    cell = change["spec"]["resources"]["gpu"]
    cell["quota"], cell["limit"] = abs(cell["quota"] + r.pick([-2, -1, 1, 2, 4])), -1
    return World(f"kai-{seed:03}", objects, change, waiting)


def all_worlds(count):
    for i in range(count // 2):
        yield kueue(i)
        yield kai(i)


# Text

def yaml(value, indent=0):
    """Block style, so that places in messages have lines and columns that mean something."""
    pad = "  " * indent
    if isinstance(value, (dict, list)) and not value:
        return " {}\n" if isinstance(value, dict) else " []\n"
    if isinstance(value, dict):
        keys = (k if re.fullmatch(r"[A-Za-z][A-Za-z0-9./-]*", k) else json.dumps(k) for k in value)
        return "\n" + "".join(f"{pad}{k}:{yaml(v, indent + 1)}" for k, v in zip(keys, value.values()))
    if isinstance(value, list):
        rows = (yaml(v, indent + 1).lstrip("\n ") for v in value)
        return "\n" + "".join(f"{pad}- {row}" for row in rows)
    return f" {json.dumps(value)}\n"


def as_yaml(objects):
    return "---".join([""] + [yaml(o) for o in objects])


def as_json(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, indent=1) + "\n"
