# SPDX-License-Identifier: Apache-2.0
"""Another scheduler's writes: a Workload's status as Kueue's scheduler writes it, so that Kueue's controllers act on it.

One server-side apply for each decision, as Kueue's own manager of fields, with force, and always the whole set that Kueue
writes under that name (admission.json): what is left out is taken away.  With a resourceVersion, so that nothing is
decided on what has changed meanwhile.  It decides nothing itself; tests say whom.
"""
import copy
import datetime
import json
import pathlib
import time
from collections import Counter

from bed import KUEUE, wait_for
from client import ApiError, path_of
from objects import condition

PINNED = json.loads((pathlib.Path(__file__).parent / "admission.json").read_text())
GATE = "kueue.x-k8s.io/admission-gated-by"
# Requeued=False for these causes goes by when the queue is Kueue's again; for others it says to wait.
STOPPED = ("ClusterQueueStopped", "LocalQueueStopped")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def conditions_of(body):
    return {c["type"]: c for c in body.get("status", {}).get("conditions") or ()}


def reserved(body):
    """Holds quota, until Kueue has taken its admission away."""
    return "admission" in body.get("status", {}) and condition(body, "Finished") != "True"


def admissible(body):
    """May be admitted now: active, waiting, neither gated nor put off."""
    conditions, meta = conditions_of(body), body["metadata"]
    requeued = conditions.get("Requeued", {})
    again = body.get("status", {}).get("requeueState", {}).get("requeueAt")
    return not (body["spec"].get("active") is False or "deletionTimestamp" in meta or meta.get("annotations", {}).get(GATE)
                or not conditions or reserved(body) or any(condition(body, c) == "True" for c in (
                    "Finished", "QuotaReserved", "WaitingForReplacementPods"))
                or conditions.get("QuotaReserved", {}).get("reason") == "OnHold"
                or requeued.get("status") == "False" and requeued["reason"] not in STOPPED or again and again > now())


def assignments(body, flavor):
    """All that the pod sets ask for, from one flavor; whole numbers only."""
    rows = []
    for pods in body["spec"]["podSets"]:
        usage = Counter()
        for container in pods["template"]["spec"]["containers"]:
            for resource, quantity in container["resources"]["requests"].items():
                usage[resource] += int(quantity) * pods["count"]
        rows.append({"name": pods["name"], "count": pods["count"], "flavors": dict.fromkeys(usage, flavor),
                     "resourceUsage": {resource: str(quantity) for resource, quantity in usage.items()}})
    return rows


class DryRun:
    """A client whose applies are tried, webhooks and all, and not kept."""

    def __init__(self, client):
        self.client = client

    def apply(self, api, plural, body, namespace, manager, part):
        path = path_of(api, plural, namespace, body["metadata"]["name"], part)
        return self.client.ask("PATCH", f"{path}?fieldManager={manager}&force=true&dryRun=All", body,
                               "application/apply-patch+yaml")


class Actor:
    def __init__(self, client):
        self.client = client

    def write(self, body, change, clears=(), versioned=True, manager=PINNED["manager"], **status):
        """What @body has of the pinned set, with the conditions of @change (type -> status, reason, message), without the
        fields that it @clears, and with those of @status."""
        meta, old = body["metadata"], conditions_of(body)
        conditions = {kind: old[kind] for kind in PINNED["conditions"] if kind in old}
        for kind, (is_true, reason, message) in change.items():
            since = old[kind]["lastTransitionTime"] if condition(body, kind) == is_true else now()
            conditions[kind] = {"type": kind, "status": is_true, "reason": reason, "message": message,
                                "observedGeneration": meta["generation"], "lastTransitionTime": since}
        kept = {f: v for f, v in body["status"].items() if f in PINNED["fields"] and f not in clears}
        sent = {k: meta[k] for k in ("name", "namespace", "uid", *(("resourceVersion",) if versioned else ()))}
        return self.client.apply(KUEUE, "workloads", {
            "apiVersion": KUEUE, "kind": "Workload", "metadata": sent,
            "status": {**kept, **status, "conditions": list(conditions.values())}}, meta["namespace"], manager, "status")

    def admit(self, body, queue, flavor="pool", admitted=True, **how):
        """Reservation and admission in one write, or the reservation alone; how it was evicted before is past."""
        conditions = conditions_of(body)
        past = {kind: ("False", "QuotaReserved", f"Previously: {conditions[kind]['message']}")
                for kind in ("Evicted", "Preempted", "BlockedOnPreemptionGates") if condition(body, kind) == "True"}
        return self.write(body, {
            **past, "QuotaReserved": ("True", "QuotaReserved", f"Quota reserved in ClusterQueue {queue}"),
            **({"Admitted": ("True", "Admitted", "The workload is admitted")} if admitted else {})},
            PINNED["clearedByAdmission"], **how, admission={"clusterQueue": queue, "podSetAssignments": assignments(body, flavor)})

    def evict(self, body, reason="InClusterQueue", **how):
        """The admission stays: Kueue takes it away when the pods are gone."""
        message = "Preempted to accommodate a workload of the test"
        stats = copy.deepcopy(body["status"].get("schedulingStats", {"evictions": []}))
        row = next((r for r in stats["evictions"] if r["reason"] == "Preempted"), None)
        if not row:
            row = {"reason": "Preempted", "underlyingCause": "", "count": 0}
            stats["evictions"].append(row)
        row["count"] += 1
        return self.write(body, {"Evicted": ("True", "Preempted", message), "Preempted": ("True", reason, message)},
                          schedulingStats=stats, **how)

    def on_newest(self, act, read, *words):
        """@act(body, *words) on what @read gives, again where that was not the newest any more."""
        def once():
            body = read()
            try:
                return body and act(body, *words)
            except ApiError as e:
                if e.status != 409:
                    raise
                return None

        return wait_for(f"{act.__name__} is taken", once)


def take_over(client, queues, quiet=2.0):
    """The barrier: @queues on Hold, each says Stopped, and no reservation of Kueue's has come for @quiet seconds.

    What Kueue had decided before still arrives after the write of Hold has returned.  Gives who holds quota then.
    """
    def stopped(queue):
        active = conditions_of(client.get(KUEUE, "clusterqueues", queue)).get("Active", {})
        return active.get("reason") == "Stopped"

    def holders():
        return {w["metadata"]["name"] for w in client.list(KUEUE, "workloads") if reserved(w) and
                w["status"]["admission"]["clusterQueue"] in queues}

    for queue in queues:
        client.patch(KUEUE, "clusterqueues", queue, {"spec": {"stopPolicy": "Hold"}})
    for queue in queues:
        wait_for(f"{queue} is stopped", lambda queue=queue: stopped(queue))
    seen, since = holders(), time.monotonic()
    while time.monotonic() - since < quiet:
        time.sleep(0.1)
        newest = holders()
        if newest != seen:
            seen, since = newest, time.monotonic()
    return seen
