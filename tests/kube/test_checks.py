# SPDX-License-Identifier: Apache-2.0
"""Role scheduler in ClusterQueues with admission checks: it reserves, its own check passes, and Kueue admits when all have.

What the real Kueue does is tried in tests/e2e/test_checks.py.
"""
import time

import pytest
from scheduling import condition_of, handed_over, holds, is_true
from test_events import told, wanted
from test_scheduler import admits, pending, running
from watching import condition, queue

SINCE = "2026-11-01T11:00:00Z"
TAKEN = {"fairlead.dev/scheduler": "true", "fairlead.dev/checks": "licence"}


def checked(fake, name="q", quota=4, annotations=(), checks=("licence", "fairlead"), stop="None", **spec):
    """As `fairlead handover` leaves it."""
    fake.put("clusterqueues", None, name, metadata={"annotations": {**TAKEN, **dict(annotations)}}, spec={
        **queue(quota), "stopPolicy": stop, "admissionChecksStrategy": {"admissionChecks": [{"name": c} for c in checks]}, **spec})
    fake.put("localqueues", "a", name, spec={"clusterQueue": name})


def state(name, is_in="Pending"):
    return {"name": name, "state": is_in, "message": "", "lastTransitionTime": SINCE}


def states(one):
    return {c["name"]: c["state"] for c in one["status"].get("admissionChecks", ())}


def asks(server, name, checks=("licence", "fairlead"), **more):
    """With the list that Kueue writes into each."""
    with server.lock:
        pending(server, name, **more)
        server.change("a", name, admissionChecks=[state(c) for c in checks])


def reserved_by_kueue(server, name, ours="Pending"):
    """Before the queue was handed over; and since then with fairlead's check."""
    with server.lock:
        pending(server, name)
        server.change("a", name, admissionChecks=[state("licence"), state("fairlead", ours)], conditions=[condition("QuotaReserved")],
                      admission={"clusterQueue": "q", "podSetAssignments": [{
                          "name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}}]})


def says(server, name, is_in):
    """Another one about its check; and what Kueue's controllers do then."""
    with server.lock:
        one = server.objects["workloads"]["a", name]
        rows = [{**c, "state": is_in} if c["name"] == "licence" else c for c in one["status"]["admissionChecks"]]
        conditions = [c for c in one["status"]["conditions"] if c["type"] not in ("Admitted", "Evicted")]
        if is_in == "Ready" and all(c["state"] == "Ready" for c in rows):
            conditions.append(condition("Admitted"))
        server.change("a", name, admissionChecks=rows, conditions=conditions)


def reserving(server):
    return {name for (_, name), one in server.state("workloads").items() if holds(one)}


def reserves(server, daemon, *names):
    return daemon.wait(lambda: reserving(server) == set(names) or None)


def test_it_reserves_and_kueue_admits(server, decide):
    """Quota is held from the reservation on, whatever the checks say."""
    checked(server, quota=2)
    for k in range(3):
        asks(server, f"w{k}", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    reserves(server, one, "w0", "w1")
    assert one.get("/v1/workloads/a/w0/explain", width=400).startswith(
        "a/w0 has quota in queue 'q', and is admitted when all its admission checks are Ready.\n")
    write = server.writes[0][2]
    assert condition_of(write, "QuotaReserved")["status"] == "True" and condition_of(write, "Admitted")["status"] == "False"
    assert states(write) == {"licence": "Pending", "fairlead": "Ready"} and write["status"]["admission"]["clusterQueue"] == "q"
    says(server, "w1", "Ready")
    one.wait(lambda: running(server) == {"w1"})
    server.finish("a", "w1")
    reserves(server, one, "w0", "w2")
    time.sleep(0.5)
    assert [w[:2] for w in server.writes] == [("admit", f"a/w{k}") for k in range(3)] and server.most["q"] == 2


def test_its_event_is_about_the_reservation(server, decide):
    """That of the admission is Kueue's own."""
    wanted(server, "all")
    checked(server)
    asks(server, "w")
    one = decide()
    one.wait(lambda: told(server) == [("QuotaReserved", "w")])
    event, = server.events.values()
    assert event["note"] == "Quota reserved in ClusterQueue q" and event["action"] == "Reserve"


def test_one_whose_list_kueue_has_not_written_is_left_to_it_for_a_moment(server, decide):
    checked(server)
    one = decide()
    one.wait(lambda: server.lease)
    asks(server, "known")
    reserves(server, one, "known")
    began = time.monotonic()
    asks(server, "new", checks=["licence"])
    reserves(server, one, "known", "new")
    assert time.monotonic() - began >= 0.4 and states(server.writes[-1][2]) == {"licence": "Pending", "fairlead": "Ready"}


def test_what_is_evicted_passes_all_checks_again(server, decide):
    checked(server, quota=1, preemption={"withinClusterQueue": "LowerPriority"})
    asks(server, "low")
    one = decide()
    reserves(server, one, "low")
    says(server, "low", "Ready")
    one.wait(lambda: running(server) == {"low"})
    asks(server, "high", priority=10)
    one.wait(lambda: server.writes[-1][:2] == ("admit", "a/high"))
    evicted = server.writes[1][2]
    assert server.writes[1][:2] == ("evict", "a/low") and states(evicted) == {"licence": "Pending", "fairlead": "Pending"}
    assert {c["message"] for c in evicted["status"]["admissionChecks"]} == {"Reset to Pending after eviction. Previously: Ready"}
    assert server.most["q"] == 1


def test_a_check_that_wants_it_to_be_tried_again(server, decide):
    """Kueue evicts it, with a back-off, for which others have its quota."""
    checked(server, quota=1)
    asks(server, "first", created="2026-11-01T10:00:00Z")
    one = decide()
    reserves(server, one, "first")
    uid = server.state("workloads")["a", "first"]["metadata"]["uid"]
    with server.lock:
        server.change("a", "first", admissionChecks=[state("licence"), state("fairlead")], conditions=[
            condition("QuotaReserved"), condition("Evicted", reason="AdmissionCheck"), condition("Requeued", False, "AdmissionCheck")],
            requeueState={"count": 1, "requeueAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))})
    asks(server, "second", created="2026-11-01T10:00:09Z")
    time.sleep(0.3)
    assert reserving(server) == {"first"}, "until Kueue has taken it away"
    server.is_gone("a", "first", uid)
    reserves(server, one, "second")
    server.finish("a", "second")
    reserves(server, one, "first")
    assert server.most["q"] == 1 and not any(w[0] == "evict" for w in server.writes)


@pytest.mark.parametrize("when", ["before", "later"])
def test_what_kueue_had_reserved_is_confirmed(server, decide, when):
    """Once; what is admitted already, or has passed, is let alone."""
    if when == "before":
        checked(server)
    else:
        checked(server, annotations={"fairlead.dev/scheduler": "handover"})
    reserved_by_kueue(server, "waits")
    reserved_by_kueue(server, "passed", ours="Ready")
    reserved_by_kueue(server, "runs")
    with server.lock:
        server.change("a", "runs", conditions=[condition("QuotaReserved"), condition("Admitted")])
    one = decide()
    if when == "later":
        one.wait(lambda: "decides for" in one.text())
        time.sleep(0.5)
        assert not server.writes
        checked(server)
    one.wait(lambda: states(server.state("workloads")["a", "waits"]) == {"licence": "Pending", "fairlead": "Ready"})
    reserved_by_kueue(server, "late")
    one.wait(lambda: states(server.state("workloads")["a", "late"])["fairlead"] == "Ready")
    time.sleep(0.5)
    assert [w[1] for w in server.writes] == ["a/waits", "a/late"]
    assert not is_true(server.writes[0][2], "Admitted") and holds(server.writes[0][2]) == ("q", 1)


def test_a_confirmation_that_is_late_or_lost(server, decide):
    checked(server)
    reserved_by_kueue(server, "waits")
    server.before_write = lambda namespace, name: len(server.requests) % 2 and says(server, "waits", "Ready")
    server.lost = 1
    one = decide()
    one.wait(lambda: states(server.state("workloads")["a", "waits"])["fairlead"] == "Ready", 60)
    asks(server, "next")
    reserves(server, one, "waits", "next")


def test_between_nothing_is_taken_away_and_a_stop_takes_reservations(server, decide):
    checked(server, annotations={"fairlead.dev/scheduler": "handover"})
    reserved_by_kueue(server, "waits", ours="Ready")
    asks(server, "new")
    one = decide()
    one.wait(lambda: "decides for" in one.text())
    time.sleep(0.5)
    assert reserving(server) == {"waits"} and not server.writes
    checked(server, annotations={"fairlead.dev/scheduler": "hold"})
    reserves(server, one)
    assert condition_of(server.writes[0][2], "Evicted")["reason"] == "ClusterQueueStopped"
    checked(server)
    reserves(server, one, "waits", "new")


CHANGED = "ClusterQueue q has other admission checks than when it was handed over: nothing is decided in the tree of "


@pytest.mark.parametrize("wrong, told", [
    ({"checks": ("licence", "more", "fairlead")}, CHANGED), ({"checks": ("fairlead",)}, CHANGED),
    ({"annotations": {"fairlead.dev/checks": "other"}}, CHANGED), ({"stop": "Hold"}, "ClusterQueue q is not handed over"),
    ({"checks": ("licence",)}, "")], ids=["more", "fewer", "others", "stopped", "without its own, which is Kueue's"])
def test_a_queue_whose_checks_are_not_those_that_were_taken_over_stops_its_tree(server, decide, wrong, told):
    checked(server, **wrong)
    handed_over(server, "free")
    asks(server, "w")
    pending(server, "v", "free")
    one = decide()
    admits(server, one, "v")
    one.wait(lambda: str(one.get("/v1/health").get("problem") or "").startswith(told))
    time.sleep(0.3)
    assert reserving(server) == {"v"}
    checked(server)
    reserves(server, one, "v", "w")
