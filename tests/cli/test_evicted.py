# SPDX-License-Identifier: Apache-2.0
"""How a workload lost its quota the last time: which one preempted it, and by which rule."""
import json

import pytest

import manifests as m

COLUMNS = {"COLUMNS": "400"}
AT = "2026-03-01T10:00:00Z"
BY = "Preempted to accommodate a workload (UID: {uid}, JobUID: {job}) due to {why}"
PATHS = "; preemptor path: /org/team/b; preemptee path: /org/team/a"
RULES = [
    ("InClusterQueue", "prioritization in the ClusterQueue", "preemption within the ClusterQueue"),
    ("InCohortReclamation", "reclamation within the cohort", "reclamation within the cohort (reclaimWithinCohort)"),
    ("InCohortFairSharing", "Fair Sharing within the cohort", "fair sharing within the cohort"),
    ("InCohortReclaimWhileBorrowing", "reclamation within the cohort while borrowing",
     "reclamation within the cohort while borrowing"),
]


def condition(kind, status, reason, message="", at=AT):
    return {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": at}


def preempted(message, rule):
    return [condition("QuotaReserved", "False", "Pending", message), condition("Preempted", "True", rule, message),
            condition("Evicted", "True", "Preempted", message)]


def world(conditions, version="v1beta2", fair=False, there=True, held=False):
    """ns/lost, of queue a, in the cohort team with queue b, in which ns/other holds 3 of 4."""
    lost = m.workload("lost", "la", cpu="3", admitted=("a", "f") if held else None)
    lost.setdefault("status", {}).setdefault("conditions", []).extend(conditions)
    objects = [
        m.namespace("ns"), m.flavor("f"), m.cohort("org"), m.cohort("team", "org"),
        m.cluster_queue("a", m.quota("f", cpu="4"), cohort="team"),
        m.cluster_queue("b", m.quota("f", cpu="4"), cohort="team"),
        m.local_queue("la", "a"), m.local_queue("lb", "b"), lost]
    if there:
        objects.append(m.workload("other", "lb", cpu="6", admitted=("b", "f")))
    if fair:
        objects.append(m.configuration(preemptionStrategies=["LessThanOrEqualToFinalShare"]))
    for o in objects:
        if o["apiVersion"] == m.API:
            o["apiVersion"] = f"kueue.x-k8s.io/{version}"
        if version == "v1beta1" and "cohortName" in o.get("spec", {}):
            o["spec"]["cohort"] = o["spec"].pop("cohortName")
        if version == "v1beta1" and "parentName" in o.get("spec", {}):
            o["spec"]["parentName"] = o["spec"].pop("parentName")
    return m.dump(*objects)


def explain(fairlead, write, valid, text, name="ns/lost"):
    write("c.json", text)
    said = fairlead("explain", "-f", "c.json", name, env=COLUMNS)
    assert said.code == 0
    return said.out, valid(fairlead("explain", "-f", "c.json", "-o", "json", name).json(), "explain")


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
@pytest.mark.parametrize("rule, why, words", RULES)
@pytest.mark.parametrize("paths", ["", PATHS])
def test_preemptor_is_named(fairlead, write, valid, version, rule, why, words, paths):
    message = BY.format(uid="other", job="j-1", why=why) + paths
    out, x = explain(fairlead, write, valid, world(preempted(message, rule), version))
    assert f"  It was preempted at {AT} by ns/other of queue 'b', which holds quota now. The rule: {words}" in out
    assert x["preemptedBy"] == {"at": AT, "workload": "ns/other", "uid": "other", "jobUid": "j-1",
                                "clusterQueue": "b", "reason": rule, "present": True}
    assert (x["lastEviction"]["at"], x["lastEviction"]["reason"]) == (AT, "Preempted")
    assert x["lastEviction"]["admittedSince"] is False


def test_order_of_conditions_does_not_count(fairlead, write, valid):
    conditions = preempted(BY.format(uid="other", job="j", why="x") + PATHS, "InCohortReclamation")
    answers = [explain(fairlead, write, valid, world(some)) for some in (conditions, conditions[::-1])]
    assert answers[0] == answers[1]


def test_rule_is_in_the_message_alone(fairlead, write, valid):
    """Condition Preempted may be left out of a dump."""
    message = "Preempted to accommodate a workload (UID: other) due to Fair Sharing within the cohort"
    _, x = explain(fairlead, write, valid, world([condition("Evicted", "True", "Preempted", message)]))
    assert x["preemptedBy"] == {"at": AT, "workload": "ns/other", "uid": "other", "clusterQueue": "b",
                                "reason": "InCohortFairSharing", "present": True}


def test_preemptor_has_left(fairlead, write, valid):
    message = BY.format(uid="other", job="j", why="reclamation within the cohort") + PATHS
    out, x = explain(fairlead, write, valid, world(preempted(message, "InCohortReclamation"), there=False))
    assert f"It was preempted at {AT} by a workload (UID other) of queue 'b', which is not there any more." in out
    assert x["preemptedBy"] == {"at": AT, "uid": "other", "jobUid": "j", "clusterQueue": "b",
                                "reason": "InCohortReclamation", "present": False}


def test_preemptor_is_not_known(fairlead, write, valid):
    message = BY.format(uid="UNKNOWN", job="UNKNOWN", why="UNKNOWN")
    out, x = explain(fairlead, write, valid, world([condition("Evicted", "True", "Preempted", message)]))
    assert f"  It was preempted at {AT} by another workload.\n" in out
    assert x["preemptedBy"] == {"at": AT, "present": False}
    out, x = explain(fairlead, write, valid, world(preempted(BY.format(uid="UNKNOWN", job="j", why="x"), "Odd")))
    assert f"  It was preempted at {AT} by the workload of a job (UID j). The rule: Odd.\n" in out


def test_shares_of_both_sides(fairlead, write, valid):
    """b borrows 2 of the 8 that its cohort can lend."""
    message = BY.format(uid="other", job="j", why="Fair Sharing within the cohort") + PATHS
    out, x = explain(fairlead, write, valid, world(preempted(message, "InCohortFairSharing"), fair=True))
    assert "Shares now: 0 of ClusterQueue 'a', 250 of ClusterQueue 'b'.\n" in out
    assert x["preemptedBy"]["shares"] == [
        {"node": {"kind": "ClusterQueue", "name": "a"}, "share": {"weightedShare": "0", "precise": "0"}},
        {"node": {"kind": "ClusterQueue", "name": "b"}, "share": {"weightedShare": "250", "precise": "250"}}]


@pytest.mark.parametrize("status, message", [
    ("False", "Previously: " + BY.format(uid="other", job="j", why="reclamation within the cohort")),
    ("True", BY.format(uid="other", job="j", why="reclamation within the cohort"))])
def test_admitted_since(fairlead, write, valid, status, message):
    conditions = [condition("Preempted", status, "InCohortReclamation" if status == "True" else "QuotaReserved", message),
                  condition("Evicted", "False", "QuotaReserved", message)]
    out, x = explain(fairlead, write, valid, world(conditions, held=True, there=False))
    assert x["state"] == "Admitted"
    assert "Before its present admission it was preempted" in out
    assert x["lastEviction"]["admittedSince"] is True
    assert x["preemptedBy"] == {"at": AT if status == "True" else None, "uid": "other", "jobUid": "j",
                                "reason": "InCohortReclamation", "present": False}


@pytest.mark.parametrize("reason, words", [
    ("PodsReadyTimeout", "its pods were not ready in time (waitForPodsReady)"),
    ("AdmissionCheck", "an admission check was not ready any more, or rejected it"),
    ("ClusterQueueStopped", "its ClusterQueue was stopped (HoldAndDrain)"),
    ("Deactivated", "it was deactivated (spec.active: false)"),
    ("OfTheFuture", "OfTheFuture")])
def test_other_evictions(fairlead, write, valid, reason, words):
    """An old condition Preempted is of an earlier time, and does not count then."""
    old = condition("Preempted", "True", "InCohortReclamation", BY.format(uid="other", job="j", why="x"), "2026-02-01T00:00:00Z")
    out, x = explain(fairlead, write, valid, world([old, condition("Evicted", "True", reason)]))
    assert f"  It was evicted at {AT}: {words}.\n" in out
    assert "preemptedBy" not in x
    assert (x["lastEviction"]["at"], x["lastEviction"]["reason"]) == (AT, reason)


def test_never_evicted(fairlead, write, valid):
    out, x = explain(fairlead, write, valid, world([]))
    assert "preempted" not in out.split("\n\n")[0]
    assert "lastEviction" not in x and "preemptedBy" not in x


def test_saved_state_tells_the_same(fairlead, write, valid, tmp_path):
    message = BY.format(uid="other", job="j", why="reclamation within the cohort") + PATHS
    text = world(preempted(message, "InCohortReclamation"))
    out, x = explain(fairlead, write, valid, text)
    assert fairlead("save", "-f", "c.json", "--out", "state.image").code == 0
    again = json.loads(fairlead("explain", "-f", "state.image", "-o", "json", "ns/lost").out)
    assert again["preemptedBy"] == x["preemptedBy"]


def test_messages_are_not_recorded(fairlead, write):
    """A record has no texts of messages, so it does not tell which workload preempted another."""
    message = BY.format(uid="other", job="j", why="reclamation within the cohort") + PATHS
    write("c.json", world(preempted(message, "InCohortReclamation")))
    assert "Preempted to accommodate" not in fairlead("record", "-f", "c.json").out
