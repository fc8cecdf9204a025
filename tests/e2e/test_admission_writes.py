# SPDX-License-Identifier: Apache-2.0
"""What Kueue's scheduler writes of a Workload's status, which is no API of its own: admission.json has it by version, and
these tests hold the real manager against it, so that another version that does otherwise is noticed.  And what becomes of
the usage that Admission Fair Sharing keeps in a local queue's status.
"""
import json
import pathlib
import re
import signal

import pytest
from actor import GATE, PINNED, Actor, conditions_of, now, reserved, take_over
from bed import KUEUE, wait_for
from client import path_of
from objects import condition, job, set_up_queues, wait_for_condition, workload

SLOW = 120
# A value of each field that is in nobody's way, and of conditions that say nothing; "Invented" is nobody's.
FIELDS = {
    "accumulatedPastExecutionTimeSeconds": 7, "nominatedClusterNames": ["elsewhere"],
    "preemptionGates": [{"name": "gate", "position": "Open", "lastTransitionTime": now()}],
    "requeueState": {"count": 1}, "unhealthyNodes": [{"name": "node"}],
    "schedulingStats": {"evictions": [{"reason": "Preempted", "underlyingCause": "", "count": 1}]},
}
CONDITIONS = (*PINNED["conditions"], "PodsReady", "WaitingForReplacementPods", "Invented")


def written(body):
    """(fields, conditions) that Kueue's scheduler has in @body's status, by the server's own account."""
    owned = [row["fieldsV1"]["f:status"] for row in body["metadata"]["managedFields"]
             if row["manager"] == PINNED["manager"] and row.get("subresource") == "status"]
    kinds = {json.loads(key.removeprefix("k:"))["type"] for status in owned for key in status.get("f:conditions", ())
             if key.startswith("k:")}
    return {name.removeprefix("f:") for status in owned for name in status}, kinds


def put_seeds(admin, name, **status):
    """As another manager would: whoever then also writes a field, has it."""
    body = wait_for(f"{name} has been looked at", lambda: next((w for w in [admin.get(KUEUE, "workloads", name, "default")]
                                                               if conditions_of(w)), None), SLOW)
    rows = conditions_of(body)
    for kind in CONDITIONS:
        rows.setdefault(kind, {"type": kind, "status": "False", "reason": "Seed", "message": "by the test",
                               "lastTransitionTime": now()})
    return admin.patch(KUEUE, "workloads", name, {"status": {**status, "conditions": list(rows.values())}}, "default", "status")


def test_the_pin_is_of_the_version_that_the_bed_has():
    module = (pathlib.Path(__file__).parent / "bed" / "kueue" / "go.mod").read_text()
    assert re.search(r"sigs\.k8s\.io/kueue (\S+)", module)[1] == PINNED["kueue"], \
        "look what admission.json says against the new version, then say so in it"


def test_each_field_of_a_status_is_known_as_kueues_schedulers_or_anothers(manager):
    definition = manager.bed.admin.get("apiextensions.k8s.io/v1", "customresourcedefinitions", "workloads.kueue.x-k8s.io")
    version, = (v for v in definition["spec"]["versions"] if v["name"] == KUEUE.split("/")[1])
    fields = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
    assert set(fields) == {*PINNED["fields"], *PINNED["others"]["fields"]}


def test_kueue_writes_the_whole_set_with_an_admission(manager):
    admin = manager.bed.admin
    admin.create(KUEUE, "admissionchecks", {"apiVersion": KUEUE, "kind": "AdmissionCheck", "metadata": {"name": "seen"},
                                            "spec": {"controllerName": "test/seen"}})
    admin.patch(KUEUE, "admissionchecks", "seen", {"status": {"conditions": [
        {"type": "Active", "status": "True", "reason": "Active", "message": "", "lastTransitionTime": now()}]}}, part="status")
    set_up_queues(admin, {"seeds": {"cpu": 2, "stopPolicy": "Hold", "admissionChecksStrategy": {
        "admissionChecks": [{"name": "seen"}]}}})
    for name, cpu in (("seeds", 1), ("assigned", 1), ("too-large", 3)):
        admin.create(KUEUE, "workloads", workload(name, "seeds", cpu), "default")
    put_seeds(admin, "seeds", **FIELDS)
    put_seeds(admin, "too-large", unhealthyNodes=FIELDS["unhealthyNodes"])
    put_seeds(admin, "assigned", nominatedClusterNames=["elsewhere"])
    put_seeds(admin, "assigned", nominatedClusterNames=None, clusterName="elsewhere")
    admin.patch(KUEUE, "clusterqueues", "seeds", {"spec": {"stopPolicy": "None"}})
    bodies = [wait_for_condition(admin, name, "QuotaReserved", seconds=SLOW) for name in ("seeds", "assigned")]
    bodies.append(wait_for("the third asks for too much", lambda: next((w for w in [admin.get(
        KUEUE, "workloads", "too-large", "default")] if w["status"].get("resourceRequests")), None), SLOW))
    admitted, kinds = (set().union(*sets) for sets in zip(*map(written, bodies[:2])))
    fields = admitted | written(bodies[2])[0]
    assert sorted(fields - admitted) == PINNED["clearedByAdmission"]
    assert sorted(fields) == PINNED["fields"]
    assert sorted(kinds) == PINNED["conditions"]


def life_of(admin, name, since, *stages):
    """The Workload of the Job @name as it was when each of @stages first held."""
    out, left = [], list(stages)
    for event in admin.watch(KUEUE, "workloads", since, "default", SLOW):
        body = event["object"]
        if any(o["name"] == name for o in body["metadata"].get("ownerReferences", ())) and left[0](body):
            out.append(body)
            left.pop(0)
            if not left:
                return out
    raise TimeoutError(f"{name}: {len(left)} stages did not come")


def admitted(body):
    return condition(body, "Admitted") == "True"


def evicted(body):
    return condition(body, "Evicted") == "True" and reserved(body)


def cleared(body):
    return condition(body, "Evicted") == "True" and "admission" not in body["status"]


def again(body):
    return condition(body, "Evicted") == "False" and admitted(body)


def test_the_actor_writes_what_kueue_writes(manager):
    """The same life of two Jobs, one decided by Kueue and one by the actor: as many fields and conditions at each stage."""
    bed, admin = manager.bed, manager.bed.admin
    set_up_queues(admin, {"decided": {"cpu": 1, "preemption": {"withinClusterQueue": "LowerPriority"}},
                          "held": {"cpu": 1, "stopPolicy": "Hold"}})
    since = admin.ask("GET", f"/apis/{KUEUE}/workloads?limit=1")["metadata"]["resourceVersion"]
    admin.create("batch/v1", "jobs", job("decided", "decided"), "default")
    life_of(admin, "decided", since, admitted)
    admin.create(KUEUE, "workloads", workload("urgent", "decided", priority=100), "default")
    life_of(admin, "decided", since, admitted, evicted, cleared)
    wait_for_condition(admin, "urgent", "Admitted", seconds=SLOW)
    admin.delete(KUEUE, "workloads", "urgent", "default")
    by_kueue = life_of(admin, "decided", since, admitted, evicted, cleared, again)

    actor = Actor(bed.client(agent="actor"))

    def theirs():
        return next((w for w in admin.list(KUEUE, "workloads", "default") if any(
            o["name"] == "held" for o in w["metadata"].get("ownerReferences", ())) and "QuotaReserved" in conditions_of(w)), None)

    admin.create("batch/v1", "jobs", job("held", "held"), "default")
    by_actor = [actor.on_newest(lambda body: actor.admit(body, "held", "default"), theirs)]
    wait_for("it runs", lambda: admin.get("batch/v1", "jobs", "held", "default")["status"].get("ready") == 1, SLOW)
    by_actor.append(actor.on_newest(actor.evict, theirs))
    by_actor.append(wait_for("its reservation is gone", lambda: next((w for w in [theirs()] if cleared(w)), None), SLOW))
    by_actor.append(actor.on_newest(lambda body: actor.admit(body, "held", "default"), theirs))
    stages = ("admitted", "evicted", "cleared", "admitted again")
    assert dict(zip(stages, map(written, by_actor))) == dict(zip(stages, map(written, by_kueue)))


# Kueue decays what a queue has used by half in an hour: what is above this after some seconds is not Kueue's own count.
USED, NOT_USED = 900, 100


def shared(admin, name):
    """What Admission Fair Sharing says of the local queue: (cpu, when)."""
    status = admin.get(KUEUE, "localqueues", name, "default").get("status", {}).get("fairSharing", {}).get(
        "admissionFairSharingStatus")
    return status and (status["consumedResources"].get("cpu", "0"), status["lastUpdate"])


def cores(quantity):
    return int(quantity[:-1]) / 1000 if quantity.endswith("m") else float(quantity)


CONFIGURATION = {"admissionFairSharing": {"usageHalfLifeTime": "1h", "usageSamplingInterval": "1s"},
                 "featureGates": {"AdmissionGatedBy": True}}


@pytest.fixture(scope="module")
def configured(manager):
    manager.kill(signal.SIGTERM)
    manager.start(**CONFIGURATION)
    return manager


def test_a_gated_workload_in_a_held_queue_is_written_without_end(configured):
    """Kueue disagrees with itself why it waits; so such a tree is not to be taken."""
    bed, admin = configured.bed, configured.bed.admin
    set_up_queues(admin, {"gated": {"cpu": 2, "stopPolicy": "Hold"}})
    gated = job("gated", "gated")
    gated["metadata"]["annotations"] = {GATE: "test/gate"}
    since = bed.audited_so_far()
    admin.create("batch/v1", "jobs", gated, "default")
    wait_for("many writes of one Workload", lambda: sum("workloads/job-gated" in w for w in bed.writes(
        user=configured.user, since=since)) > 100, SLOW, 0.5)
    admin.ask("DELETE", path_of("batch/v1", "jobs", "default", "gated") + "?propagationPolicy=Background")


@pytest.mark.parametrize("restarted", [False, True], ids=["running", "restarted"])
def test_usage_of_a_held_queue_stays_as_another_wrote_it_and_is_lost_at_the_hand_back(configured, restarted):
    admin, name = configured.bed.admin, f"share-{restarted}".lower()
    actor = Actor(configured.bed.client(agent="actor"))
    set_up_queues(admin, {name: {"cpu": 2, "admissionScope": {"admissionMode": "UsageBasedAdmissionFairSharing"}}})
    first = wait_for("Kueue samples", lambda: shared(admin, name), SLOW)
    wait_for("and again", lambda: shared(admin, name) != first, SLOW)
    take_over(admin, [name])
    body = admin.get(KUEUE, "localqueues", name, "default")
    stands = {"consumedResources": {"cpu": str(USED)}, "lastUpdate": now()}
    admin.patch(KUEUE, "localqueues", name, {"metadata": {"resourceVersion": body["metadata"]["resourceVersion"]}, "status": {
        "fairSharing": {"weightedShare": 0, "admissionFairSharingStatus": stands}}}, "default", "status")

    # Kueue goes on writing the rest of that status.
    def counts(admitted, pending):
        status = admin.get(KUEUE, "localqueues", name, "default")["status"]
        return (status.get("admittedWorkloads"), status.get("pendingWorkloads")) == (admitted, pending)

    admin.create(KUEUE, "workloads", workload(f"{name}-1", name), "default")
    admin.create(KUEUE, "workloads", workload(f"{name}-2", name), "default")
    wait_for("Kueue counts those that wait", lambda: counts(0, 2), SLOW)
    actor.on_newest(lambda body: actor.admit(body, name, "default"), lambda: admin.get(
        KUEUE, "workloads", f"{name}-1", "default"))
    wait_for("Kueue counts the one that is admitted", lambda: counts(1, 1), SLOW)
    if restarted:
        configured.kill()
        configured.start(**CONFIGURATION)
        admin.delete(KUEUE, "workloads", f"{name}-2", "default")
        wait_for("Kueue counts again", lambda: counts(1, 0), SLOW)
    assert shared(admin, name) == (str(USED), stands["lastUpdate"])

    admin.patch(KUEUE, "clusterqueues", name, {"spec": {"stopPolicy": "None"}})
    used, _ = wait_for("Kueue samples again", lambda: next((s for s in [shared(admin, name)] if s[1] != stands[
        "lastUpdate"]), None), SLOW)
    assert cores(used) < NOT_USED, "Kueue goes on from what stands there: `handover` need not refuse such trees"
