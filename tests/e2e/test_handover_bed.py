# SPDX-License-Identifier: Apache-2.0
"""What another scheduler may stand on beside Kueue's whole manager, of the version that the bed has.

Each test has queues of its own.  "Held" is a ClusterQueue with stopPolicy Hold: Kueue decides nothing there, and carries
out what stands in a Workload's status (actor.py).
"""
import contextlib
import os
import pathlib
import time

import kustomize
import pytest
from actor import Actor, DryRun, admissible, conditions_of, now, reserved, take_over
from bed import KUEUE, wait_for
from client import ApiError, path_of
from objects import condition, flavor, job, pod, set_up_queues, wait_for_condition, workload

SOURCE = pathlib.Path(os.environ["FAIRLEAD_SOURCE"])
QUEUE = "kueue.x-k8s.io/queue-name"
HELD = {"stopPolicy": "Hold"}
RECLAIMS = {"preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}}
SLOW = 120  # seconds that a loaded machine may take over what takes one


class Cluster:
    """The bed as these tests ask it."""

    def __init__(self, manager):
        self.manager, self.bed, self.admin = manager, manager.bed, manager.bed.admin
        self.actor = Actor(self.bed.client(agent="actor"))
        self.admin.apply(KUEUE, "resourceflavors", flavor("pool", nodeLabels={"pool": "a"}))

    def queues(self, cohort=None, **queues):
        """name -> (cpu, more of its spec), with a local queue of its name."""
        set_up_queues(self.admin, {name: {"cpu": cpu, "cohort": cohort, "flavor": "pool", **spec}
                                   for name, (cpu, spec) in queues.items()})
        for name in queues:
            self.wait(f"{name} is known", lambda name=name: "Active" in conditions_of(self.admin.get(
                KUEUE, "clusterqueues", name)))

    def check(self, name, active):
        """An AdmissionCheck that Kueue knows as active, or that never is."""
        self.admin.create(KUEUE, "admissionchecks", {"apiVersion": KUEUE, "kind": "AdmissionCheck", "metadata": {"name": name},
                                                     "spec": {"controllerName": f"test/{name}"}})
        if active:
            self.admin.patch(KUEUE, "admissionchecks", name, {"status": {"conditions": [{
                "type": "Active", "status": "True", "reason": "Active", "message": "", "lastTransitionTime": now()}]}},
                part="status")
        return {"admissionChecksStrategy": {"admissionChecks": [{"name": name}]}}

    def policy(self, policy, *queues):
        for queue in queues:
            self.admin.patch(KUEUE, "clusterqueues", queue, {"spec": {"stopPolicy": policy}})

    def wait(self, what, condition):
        return wait_for(what, condition, SLOW, 0.1)

    def submit(self, *names, queue, **words):
        for name in names:
            self.admin.create("batch/v1", "jobs", job(name, queue, **words), "default")
        for name in names:
            self.wait(f"{name} has a Workload that Kueue has looked at", lambda name=name: self.waits(name))

    def job(self, name):
        return self.admin.get("batch/v1", "jobs", name, "default")

    def runs(self, name):
        return not self.job(name)["spec"]["suspend"]

    def workload(self, owner):
        """Of a Job, a Pod or a group; None while there is none."""
        return next((w for w in self.admin.list(KUEUE, "workloads", "default") if w["metadata"]["name"] == owner or any(
            o["name"] == owner for o in w["metadata"].get("ownerReferences", ()))), None)

    def waits(self, owner):
        body = self.workload(owner)
        return body if body and "QuotaReserved" in conditions_of(body) else None

    def admit(self, queue, *owners, **how):
        for owner in owners:
            self.actor.on_newest(lambda body: self.actor.admit(body, queue, **how), lambda owner=owner: self.open(owner))

    def open(self, owner):
        body = self.workload(owner)
        return body if body and admissible(body) else None

    def evict(self, *owners):
        for owner in owners:
            self.actor.on_newest(self.actor.evict, lambda owner=owner: self.workload(owner))

    def holders(self, *queues):
        return [w for w in self.admin.list(KUEUE, "workloads") if reserved(w) and
                w["status"]["admission"]["clusterQueue"] in queues]

    def pods(self, job_name):
        return self.admin.list("v1", "pods", "default", f"labelSelector=job-name%3D{job_name}")

    def writes(self, since):
        """Of Kueue's manager."""
        return self.bed.writes(user=self.manager.user, since=since)

    def quiet(self, seconds):
        """Until Kueue's manager has written nothing for so long."""
        def still():
            since = self.bed.audited_so_far()
            time.sleep(seconds)
            return not self.writes(since)

        self.wait(f"Kueue writes nothing for {seconds} s", still)

    def refusal(self, call, *words, **more):
        """The status of the error that @call ends with."""
        with pytest.raises(ApiError) as refused:
            call(*words, **more)
        return refused.value


@pytest.fixture(scope="module")
def cluster(manager):
    return Cluster(manager)


def since_when(body, kind="Admitted"):
    return conditions_of(body)[kind]["lastTransitionTime"]


def test_a_job_of_a_held_queue_starts_stops_and_ends_by_the_actors_writes(cluster):
    cluster.queues(story=(4, HELD))
    cluster.submit("story", queue="story", parallelism=2)
    body = cluster.workload("story")
    assert condition(body, "QuotaReserved") == "False" and "inactive" in conditions_of(body)["QuotaReserved"]["message"]
    assert not cluster.runs("story")

    cluster.admit("story", "story")
    cluster.wait("it runs", lambda: cluster.job("story")["status"].get("ready") == 2)
    assert cluster.job("story")["spec"]["template"]["spec"]["nodeSelector"] == {"pool": "a"}
    queue = cluster.wait("the queue counts it", lambda: next((q for q in [cluster.admin.get(
        KUEUE, "clusterqueues", "story")] if q["status"].get("admittedWorkloads") == 1), None))
    assert queue["status"]["flavorsUsage"][0]["resources"][0]["total"] == "2"

    cluster.evict("story")
    cluster.wait("it is suspended", lambda: not cluster.runs("story"))
    held_while_pods_were_there = False

    def cleared():
        nonlocal held_while_pods_were_there
        body, left = cluster.workload("story"), cluster.pods("story")
        held_while_pods_were_there |= "admission" in body["status"] and bool(left)
        return body if "admission" not in body["status"] and not cluster.pods("story") else None

    body = cluster.wait("its reservation is gone", cleared)
    assert held_while_pods_were_there
    assert condition(body, "Requeued") == "True" and condition(body, "QuotaReserved") == "False"
    assert body["status"]["schedulingStats"]["evictions"] == [{"reason": "Preempted", "underlyingCause": "", "count": 1}]
    assert "nodeSelector" not in cluster.job("story")["spec"]["template"]["spec"]
    cluster.quiet(3)
    assert not cluster.runs("story") and not cluster.holders("story")

    cluster.admit("story", "story")
    cluster.wait("it runs again", lambda: cluster.job("story")["status"].get("ready") == 2)
    assert condition(cluster.workload("story"), "Evicted") == "False"
    for one in cluster.pods("story"):
        cluster.admin.patch("v1", "pods", one["metadata"]["name"], {"status": {"phase": "Succeeded"}}, "default", "status")
    body = wait_for_condition(cluster.admin, body["metadata"]["name"], "Finished", seconds=SLOW)
    cluster.wait("nothing holds it", lambda: not cluster.workload("story")["metadata"].get("finalizers"))


def test_kueue_writes_nothing_of_its_own_in_an_idle_held_queue(cluster):
    cluster.queues(idle=(4, HELD))
    cluster.submit("idle-1", "idle-2", queue="idle")
    cluster.admit("idle", "idle-1")
    cluster.wait("it runs", lambda: cluster.job("idle-1")["status"].get("ready") == 1)
    cluster.quiet(5)
    assert [w["metadata"]["name"] for w in cluster.holders("idle")] == [cluster.workload("idle-1")["metadata"]["name"]]


def test_half_a_tree_admits_more_than_its_quota(cluster):
    cluster.queues("half", **{"half-ours": (2, HELD), "half-theirs": (2, {})})
    for i in range(4):
        cluster.admin.create("batch/v1", "jobs", job(f"theirs-{i}", "half-theirs"), "default")
    cluster.wait("Kueue lends the held queue's quota", lambda: len(cluster.holders("half-theirs")) == 4)
    cluster.submit("ours-0", "ours-1", queue="half-ours")
    cluster.admit("half-ours", "ours-0", "ours-1")
    cluster.wait("six run in a quota of four", lambda: all(cluster.job(n)["status"].get("ready") == 1 for n in (
        *(f"theirs-{i}" for i in range(4)), "ours-0", "ours-1")))
    cluster.quiet(2)
    assert not any(condition(w, "Evicted") == "True" for w in cluster.holders("half-ours", "half-theirs"))
    assert len(cluster.holders("half-ours", "half-theirs")) == 6


def test_a_whole_tree_on_hold_is_left_alone_by_kueue(cluster):
    cluster.queues("whole", **{"whole-a": (2, {**HELD, **RECLAIMS}), "whole-b": (2, {**HELD, **RECLAIMS})})
    cluster.submit(*(f"wa-{i}" for i in range(4)), queue="whole-a")
    cluster.submit("wb-0", queue="whole-b")
    cluster.admit("whole-a", *(f"wa-{i}" for i in range(4)))
    cluster.wait("four run", lambda: all(cluster.job(f"wa-{i}")["status"].get("ready") == 1 for i in range(4)))
    cluster.quiet(3)  # b could reclaim
    assert len(cluster.holders("whole-a")) == 4 and not cluster.holders("whole-b")
    assert not any(condition(w, "Evicted") == "True" for w in cluster.holders("whole-a"))


def test_without_a_resource_version_a_deactivated_workload_is_admitted(cluster):
    cluster.queues(stale=(4, HELD))
    cluster.submit("stale", queue="stale")
    cluster.quiet(1)
    before = cluster.workload("stale")
    cluster.admin.patch(KUEUE, "workloads", before["metadata"]["name"], {"spec": {"active": False}}, "default")
    assert cluster.refusal(cluster.actor.admit, before, "stale").status == 409
    assert cluster.refusal(cluster.actor.evict, before).status == 409
    assert "admission" not in cluster.workload("stale")["status"]

    answer = cluster.actor.admit(before, "stale", versioned=False)
    assert answer["spec"]["active"] is False and condition(answer, "Admitted") == "True"
    # Kueue puts it right, after the quota was given.
    cluster.wait("Kueue evicts it", lambda: conditions_of(cluster.workload("stale")).get("Evicted", {}).get(
        "reason") == "Deactivated" and "admission" not in cluster.workload("stale")["status"])
    # A uid alone is no protection.
    cluster.submit("other", queue="stale")
    body = cluster.workload("other")
    body["metadata"]["uid"] = "11111111-2222-3333-4444-555555555555"
    assert condition(cluster.actor.admit(body, "stale", versioned=False), "Admitted") == "True"


WRONG = {
    "a ClusterQueue that is not there": {"clusterQueue": "nowhere"},
    "another ClusterQueue than its LocalQueue's": {"clusterQueue": "wrong-other"},
    "more than the quota": {"usage": "64"},
    "a flavor that is not there": {"flavor": "nowhere"},
}


@pytest.mark.parametrize("what", WRONG)
def test_no_webhook_refuses(cluster, what):
    """What another scheduler must never write; as a dry run."""
    cluster.queues(**{"wrong": (2, HELD), "wrong-other": (2, HELD)})
    name = f"wrong-{list(WRONG).index(what)}"
    cluster.submit(name, queue="wrong", cpu=WRONG[what].get("usage", "1"))
    actor = Actor(DryRun(cluster.admin))
    answer = actor.on_newest(actor.admit, lambda: cluster.open(name), WRONG[what].get("clusterQueue", "wrong"),
                             WRONG[what].get("flavor", "pool"))
    assert condition(answer, "Admitted") == "True"
    assert "admission" not in cluster.workload(name)["status"]


def test_a_held_queue_and_checks_to_come_do_not_go_together(cluster):
    """Hold is for queues without checks: a reservation is cancelled, and an admission passes the check by."""
    cluster.queues(checked=(2, {**HELD, **cluster.check("to-come", active=True)}))
    cluster.submit("reserves", "passes", queue="checked")
    cluster.wait("the check is to come", lambda: all(cluster.workload(n)["status"].get("admissionChecks") for n in (
        "reserves", "passes")))
    since = cluster.admin.ask("GET", path_of(KUEUE, "workloads") + "?limit=1")["metadata"]["resourceVersion"]
    cluster.admit("checked", "reserves", admitted=False)
    name = cluster.workload("reserves")["metadata"]["name"]
    states = (reserved(e["object"]) for e in cluster.admin.watch(KUEUE, "workloads", since, "default", SLOW)
              if e["object"]["metadata"]["name"] == name)
    assert any(states) and not all(states)  # it has one, and then not any more
    assert not cluster.runs("reserves")
    cluster.admit("checked", "passes")
    cluster.wait("it runs", lambda: cluster.runs("passes"))
    assert [c["state"] for c in cluster.workload("passes")["status"]["admissionChecks"]] == ["Pending"]


def test_a_check_that_is_never_active_keeps_kueue_from_deciding_where_others_are_to_come(cluster):
    cluster.queues(ours=(2, cluster.check("never", active=False)))
    cluster.submit("ours", queue="ours")
    body = cluster.wait("the check is to come", lambda: next((w for w in [cluster.workload("ours")] if w["status"].get(
        "admissionChecks")), None))
    cluster.quiet(2)
    assert not cluster.holders("ours")
    ready = [{"name": "never", "state": "Ready", "message": "", "lastTransitionTime": now()}]
    cluster.admit("ours", "ours", admitted=False, admissionChecks=ready)
    cluster.wait("Kueue admits and starts it", lambda: cluster.runs("ours"))
    assert condition(cluster.workload("ours"), "Admitted") == "True" and body["status"]["admissionChecks"][0]["state"] == "Pending"


def test_what_another_manager_has_set_kueue_cannot_take_away(cluster):
    cluster.queues(mine=(2, HELD))
    cluster.submit("mine", queue="mine")
    cluster.admit("mine", "mine", manager="somebody")
    cluster.wait("it runs", lambda: cluster.job("mine")["status"].get("ready") == 1)
    cluster.evict("mine")
    body = cluster.wait("Kueue has done with the eviction", lambda: next((w for w in [cluster.workload(
        "mine")] if condition(w, "QuotaReserved") == "False" and condition(w, "Requeued") == "True"), None))
    assert "admission" in body["status"]


def test_reservations_of_kueue_come_after_the_hold_and_none_after_the_barrier(cluster):
    """Rounds until one was seen that came after the write of Hold had returned."""
    cluster.queues(race=(1000, HELD))
    for attempt in range(8):
        for i in range(60):
            cluster.admin.create(KUEUE, "workloads", workload(f"race-{attempt}-{i}", "race"), "default")
        cluster.quiet(1)
        goes = cluster.admin.patch(KUEUE, "clusterqueues", "race", {"spec": {"stopPolicy": "None"}})
        events = cluster.admin.watch(KUEUE, "workloads", goes["metadata"]["resourceVersion"], "default", SLOW)
        assert any(reserved(e["object"]) for e in events)  # up to the first
        hold = cluster.admin.patch(KUEUE, "clusterqueues", "race", {"spec": {"stopPolicy": "Hold"}})
        then = cluster.admin.list(KUEUE, "workloads", query="resourceVersionMatch=Exact&resourceVersion=" + hold[
            "metadata"]["resourceVersion"])
        after = take_over(cluster.admin, ["race"])
        cluster.quiet(3)
        assert {w["metadata"]["name"] for w in cluster.holders("race")} == after
        if len(after) > sum(map(reserved, (w for w in then if w["spec"]["queueName"] == "race"))):
            return
        for body in cluster.admin.list(KUEUE, "workloads", "default"):
            if body["spec"]["queueName"] == "race":
                cluster.admin.delete(KUEUE, "workloads", body["metadata"]["name"], "default")
        cluster.wait("the queue is empty", lambda: not cluster.holders("race"))
    pytest.fail("no reservation came late: is the barrier needed?")


def handed_over(cluster, queue):
    """As one write: annotation and Hold."""
    return cluster.admin.patch(KUEUE, "clusterqueues", queue, {
        "metadata": {"annotations": {"fairlead.dev/scheduler": "true"}}, "spec": {"stopPolicy": "Hold"}})


@pytest.fixture
def fence(cluster):
    """The policy of deploy/scheduler for Kueue's user."""
    built = kustomize.load(cluster.bed, SOURCE / "deploy" / "scheduler", SOURCE / "deploy" / "scheduler" / "kueue-policy")
    policy, binding = (kustomize.one(built, f"ValidatingAdmissionPolicy{what}", "fairlead-kueue") for what in ("", "Binding"))
    kustomize.apply(cluster.admin, [policy, binding])
    yield
    cluster.admin.delete(policy["apiVersion"], "validatingadmissionpolicybindings", "fairlead-kueue")
    cluster.admin.delete(policy["apiVersion"], "validatingadmissionpolicies", "fairlead-kueue")


def test_the_policy_is_for_queues_with_the_check_of_fairlead_too(cluster, fence):
    cluster.queues(watched=(2, cluster.check("fairlead", active=False)))
    mark = {"fairlead.dev/scheduler": "true"}
    cluster.admin.patch(KUEUE, "clusterqueues", "watched", {"metadata": {"labels": mark, "annotations": mark}})
    cluster.submit("watched", queue="watched")
    as_kueue = Actor(DryRun(cluster.bed.client(token=cluster.bed.account_token("kueue-controller-manager", "kueue-system"))))

    def refusal():
        try:
            as_kueue.admit(cluster.workload("watched"), "watched", admitted=False)
        except ApiError as e:
            return "ClusterQueue watched is handed over" in str(e)
        return False

    cluster.wait("the policy is in force", refusal)
    cluster.admit("watched", "watched", admitted=False)
    assert cluster.holders("watched")


def test_a_policy_keeps_kueue_from_admitting_and_not_the_actor(cluster, fence):
    """What Kueue had decided before it saw the Hold is refused when it is written, and not tried again.

    Rounds until that was seen.
    """
    cluster.queues(fenced=(1000, HELD))
    cluster.admin.patch(KUEUE, "clusterqueues", "fenced", {"metadata": {"labels": {"fairlead.dev/scheduler": ""}}})
    handed_over(cluster, "fenced")
    cluster.submit("in-force", queue="fenced")
    as_kueue = Actor(DryRun(cluster.bed.client(token=cluster.bed.account_token("kueue-controller-manager", "kueue-system"))))

    def refused(since=0):
        return [r for r in cluster.bed.requests(user=cluster.manager.user, since=since) if r["verb"] == "patch" and
                "handed over" in r["responseStatus"].get("message", "")]

    def in_force():
        with contextlib.suppress(ApiError):
            as_kueue.admit(cluster.workload("in-force"), "fenced")
        return refused()

    cluster.wait("the policy is in force", in_force)
    for attempt in range(12):
        for i in range(60):
            cluster.admin.create(KUEUE, "workloads", workload(f"fenced-{attempt}-{i}", "fenced"), "default")
        cluster.quiet(1)
        since = cluster.bed.audited_so_far()
        goes = cluster.admin.patch(KUEUE, "clusterqueues", "fenced", {"spec": {"stopPolicy": "None"}})
        events = cluster.admin.watch(KUEUE, "workloads", goes["metadata"]["resourceVersion"], "default", SLOW)
        assert any(reserved(e["object"]) for e in events)  # up to the first
        handed_over(cluster, "fenced")
        after = take_over(cluster.admin, ["fenced"])
        cluster.quiet(3)
        assert {w["metadata"]["name"] for w in cluster.holders("fenced")} == after
        if refused(since):
            break
    else:
        pytest.fail("nothing of Kueue's came late: is the policy needed?")
    cluster.submit("fenced", queue="fenced")
    cluster.admit("fenced", "fenced")
    cluster.wait("it runs", lambda: cluster.runs("fenced"))
    cluster.evict("fenced")  # what Kueue does then is not refused
    cluster.wait("it is stopped, and its reservation gone", lambda: not cluster.runs("fenced") and "admission" not in
                 cluster.workload("fenced")["status"])


def test_nothing_is_lost_while_kueues_manager_is_away(cluster):
    cluster.queues(away=(4, HELD))
    cluster.submit("away-0", "away-1", "away-2", queue="away")
    cluster.admit("away", "away-0", "away-1")
    cluster.wait("two run", lambda: all(cluster.job(n)["status"].get("ready") == 1 for n in ("away-0", "away-1")))
    cluster.quiet(2)
    names = ("away-0", "away-1", "away-2")
    before = {n: cluster.workload(n)["metadata"]["resourceVersion"] for n in names}

    cluster.manager.kill()
    for call, words in ((cluster.actor.admit, (cluster.workload("away-2"), "away")),
                        (cluster.actor.evict, (cluster.workload("away-0"),)),
                        (cluster.admin.create, ("batch/v1", "jobs", job("away-3", "away"), "default"))):
        e = cluster.refusal(call, *words)
        assert e.status == 500 and "webhook" in str(e)
    assert cluster.runs("away-0") and cluster.runs("away-1")
    since = cluster.bed.audited_so_far()
    cluster.manager.start()
    cluster.quiet(3)
    assert {n: cluster.workload(n)["metadata"]["resourceVersion"] for n in names} == before
    assert not [w for w in cluster.writes(since) if "job-away" in w]

    # What was written is carried out, whoever of Kueue was there to see it.
    cluster.evict("away-0")
    cluster.manager.kill()
    assert condition(cluster.workload("away-0"), "Evicted") == "True"
    cluster.manager.start()
    cluster.wait("the eviction is carried out", lambda: not cluster.runs("away-0") and "admission" not in cluster.workload(
        "away-0")["status"])
    cluster.admit("away", "away-2")
    cluster.wait("and it goes on", lambda: cluster.runs("away-2"))


def test_a_tree_within_its_nominal_quota_is_handed_back_untouched(cluster):
    cluster.queues("back", **{"back-a": (2, {**HELD, **RECLAIMS}), "back-b": (2, {**HELD, **RECLAIMS})})
    running = ("ba-0", "ba-1", "bb-0", "bb-1")
    cluster.submit("ba-0", "ba-1", "ba-2", queue="back-a")
    cluster.submit("bb-0", "bb-1", queue="back-b")
    cluster.admit("back-a", "ba-0", "ba-1")
    cluster.admit("back-b", "bb-0", "bb-1")
    cluster.wait("four run", lambda: all(cluster.job(n)["status"].get("ready") == 1 for n in running))
    before = {n: (cluster.workload(n)["metadata"]["uid"], since_when(cluster.workload(n))) for n in running}
    cluster.policy("None", "back-a", "back-b")
    cluster.wait("Kueue has looked at the one that waits", lambda: "quota" in conditions_of(
        cluster.workload("ba-2"))["QuotaReserved"]["message"])
    assert {n: (cluster.workload(n)["metadata"]["uid"], since_when(cluster.workload(n))) for n in running} == before
    assert not any(condition(cluster.workload(n), "Evicted") for n in running)
    # And Kueue decides again.
    cluster.admin.ask("DELETE", path_of("batch/v1", "jobs", "default", "ba-0") + "?propagationPolicy=Background")
    cluster.wait("Kueue admits the one that waits", lambda: cluster.runs("ba-2"))


def test_what_is_over_its_nominal_quota_kueue_reclaims_after_the_hand_back(cluster):
    cluster.queues("over", **{"over-a": (2, {**HELD, **RECLAIMS}), "over-b": (2, {**HELD, **RECLAIMS})})
    cluster.submit(*(f"oa-{i}" for i in range(4)), queue="over-a")
    cluster.submit("ob-0", queue="over-b")
    cluster.admit("over-a", *(f"oa-{i}" for i in range(4)))
    cluster.wait("four run", lambda: all(cluster.job(f"oa-{i}")["status"].get("ready") == 1 for i in range(4)))
    cluster.policy("None", "over-a", "over-b")
    cluster.wait("Kueue gives b its own", lambda: cluster.runs("ob-0"))
    evicted = [i for i in range(4) if condition(cluster.workload(f"oa-{i}"), "Evicted") == "True"]
    assert len(evicted) == 1, "one more than is needed, or none"
    assert conditions_of(cluster.workload(f"oa-{evicted[0]}"))["Preempted"]["reason"] == "InCohortReclamation"


def test_a_pod_is_started_and_goes_with_its_workload_when_it_is_evicted(cluster):
    cluster.queues(single=(2, HELD))
    made = cluster.admin.create("v1", "pods", pod("single", "single"), "default")
    assert "kueue.x-k8s.io/admission" in [g["name"] for g in made["spec"]["schedulingGates"]]
    cluster.wait("its Workload waits", lambda: cluster.waits("single"))
    cluster.admit("single", "single")
    body = cluster.wait("it runs", lambda: next((p for p in [cluster.admin.get("v1", "pods", "single", "default")] if p[
        "status"]["phase"] == "Running"), None))
    assert body["spec"]["nodeSelector"] == {"pool": "a"}
    cluster.evict("single")
    cluster.wait("the pod is gone", lambda: not cluster.admin.find("v1", "pods", "single", "default"))
    cluster.wait("and its Workload", lambda: not cluster.workload("single"))


def test_a_group_of_pods_waits_for_new_pods_after_its_eviction(cluster):
    cluster.queues(group=(3, HELD))
    for i in range(2):
        cluster.admin.create("v1", "pods", pod(f"group-{i}", "group", group="pair", of=2), "default")
    cluster.wait("its Workload waits", lambda: cluster.waits("pair"))
    cluster.admit("group", "pair")

    def running(*names):
        found = [cluster.admin.find("v1", "pods", n, "default") for n in names]
        return all(p and p["status"]["phase"] == "Running" for p in found)

    cluster.wait("both run", lambda: running("group-0", "group-1"))
    cluster.evict("pair")
    body = cluster.wait("it waits for new pods", lambda: next((w for w in [cluster.workload(
        "pair")] if condition(w, "WaitingForReplacementPods") == "True" and "admission" not in w["status"]), None))
    assert not admissible(body)
    for i in range(2, 4):
        cluster.admin.create("v1", "pods", pod(f"group-{i}", "group", group="pair", of=2, seconds=0), "default")
    cluster.admit("group", "pair")
    name = body["metadata"]["name"]
    wait_for_condition(cluster.admin, name, "Finished", seconds=SLOW)
