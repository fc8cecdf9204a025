# SPDX-License-Identifier: Apache-2.0
"""What the cluster's scheduler decides, beside what the engine decides; and its preemption loops."""
import json
import time

import pytest
from watching import Unix, condition, fill, queue, workload

# More seconds than a decision may take, and than a scheduler may be behind.
LATE, BEHIND = 2.5, 10.5
PREEMPTED = "Preempted to accommodate a workload (UID: %s, JobUID: UNKNOWN) due to prioritization in the ClusterQueue; " \
            "preemptor path: /cq; preemptee path: /cq"


@pytest.fixture
def w(fake, watch):
    fill(fake)
    fake.put("clusterqueues", None, "cq", spec={**queue(4), "preemption": {"withinClusterQueue": "LowerPriority"}})
    return watch(listen=True).ready()


def counted(w, kind):
    return next(row for row in w.get("/v1/agreement")["kinds"] if row["kind"] == kind)


def numbers(row):
    return row["real"], row["realToo"], row["engine"], row["engineToo"]


def preempted(fake, by):
    """Conditions of one that is preempted in its queue for the Workload @by of namespace a."""
    message = PREEMPTED % fake.objects["workloads"]["a", by]["metadata"]["uid"]
    return [{**condition("Evicted", reason="Preempted"), "message": message},
            {**condition("Preempted", reason="InClusterQueue"), "message": message}]


@pytest.mark.parametrize("apart, cause", [(LATE, "time"), (BEHIND, "rule")])
def test_as_the_engine_would_and_not(fake, w, apart, cause):
    workload(fake, "a", "fits", cpu=1)
    w.wait(lambda: w.counts() == (0, 1))
    workload(fake, "a", "fits", cpu=1, held=True)
    w.wait(lambda: w.counts() == (1, 0))
    w.wait(lambda: numbers(counted(w, "admit")) == (1, 1, 1, 1))
    assert w.get("/v1/agreement")["differences"] == []
    workload(fake, "a", "low", cpu=3)
    workload(fake, "a", "high", cpu=3, priority=5)
    w.wait(lambda: w.counts() == (1, 2))
    time.sleep(apart)  # else the scheduler may not have known high yet
    workload(fake, "a", "low", cpu=3, held=True)
    w.wait(lambda: numbers(counted(w, "admit")) == (2, 1, 2, 1))
    low, high = sorted(w.get("/v1/agreement")["differences"], key=lambda d: d["side"], reverse=True)
    assert (low["workload"], low["side"], low["kind"]) == ("a/low", "real", "admit")
    assert (high["workload"], high["side"], high["engine"]) == ("a/high", "engine", "Fits")
    assert (low["cause"], high["cause"]) == (cause, "order")
    status, state = w.ask(f"/v1/agreement/{low['window']}/state")
    assert status == 200 and low["kept"], (state, low)


def test_preemptions_have_the_reason_that_kueue_writes(fake, w):
    workload(fake, "a", "low", cpu=3, held=True)
    workload(fake, "a", "high", cpu=3, priority=5)
    w.wait(lambda: w.counts() == (1, 1))
    workload(fake, "a", "low", cpu=3, held=True, conditions=preempted(fake, "high"))
    w.wait(lambda: numbers(counted(w, "evict")) == (1, 1, 1, 1))
    rows = [r for r in w.get("/v1/agreement")["reasons"] if r["kind"] == "evict"]
    assert [r["reason"] for r in rows] == ["InClusterQueue"]
    # Pods that are not ready: an eviction that no rule of preemption decides.
    workload(fake, "a", "high", cpu=3, priority=5, held=True)
    workload(fake, "a", "high", cpu=3, priority=5, held=True, conditions=[condition("Evicted", reason="PodsReadyTimeout")])
    w.wait(lambda: numbers(counted(w, "admit"))[0] == 1)
    assert numbers(counted(w, "evict")) == (1, 1, 1, 1)


def test_a_newcomer_is_admitted_while_the_structure_changes(fake, w):
    for i in range(3):
        workload(fake, "a", f"n{i}", cpu=1)
        w.wait(lambda: w.counts() == (i, 1))
        workload(fake, "a", f"n{i}", cpu=1, held=True)
        w.wait(lambda: w.counts() == (i + 1, 0))
        fake.put("clusterqueues", None, "cq", spec=queue(5 + i))
        w.wait(lambda: w.queue()["resources"]["cpu"]["nominal"] == str(5 + i))
        w.wait(lambda: numbers(counted(w, "admit")) == (i + 1,) * 4)
    assert w.get("/v1/agreement")["unjudged"] == 0


def test_loops_are_told(fake, w):
    connection = Unix(w.socket)
    connection.request("GET", "/v1/events?follow=1&kind=LoopDetected")
    stream = connection.getresponse()
    connection.sock.settimeout(20)
    workload(fake, "a", "x", cpu=3, priority=1)
    workload(fake, "a", "y", cpu=3, priority=2, held=True)
    w.wait(lambda: w.counts() == (1, 1))
    holds, waits = ("y", 2), ("x", 1)
    for _ in range(8):
        for name, priority, rest in ((*holds, {"held": True, "conditions": preempted(fake, waits[0])}),
                                     (*holds, {"conditions": preempted(fake, waits[0])}), (*waits, {"held": True})):
            workload(fake, "a", name, cpu=3, priority=priority, **rest)
        holds, waits = waits, holds
    w.wait(lambda: "fairlead_preemption_loops_total 1" in w.get("/metrics").splitlines())
    event = json.loads(stream.readline())
    assert event["kind"] == "LoopDetected" and event["reason"] == "repeated" and "2 jobs" in event["text"], event
    connection.close()


def test_states_are_for_admins(fake, w):
    fake.people = {"t-admin": {"username": "root", "groups": ["system:masters"]}, "t-alice": {"username": "alice"}}
    fake.may = lambda user, verb, resource, namespace, name: user == "root" or (resource, namespace) == ("workloads", "a")
    assert w.ask("/v1/agreement", token="t-admin")[0] == 200
    assert w.ask("/v1/agreement", token="t-alice")[0] == 200
    assert w.ask("/v1/agreement/1/state", token="t-alice")[0] == 403
