# SPDX-License-Identifier: Apache-2.0
"""`plan` of the entitle policy: what it prints, and the JSON that is promised."""
import os
import pathlib
import random

import pytest

import entitle_manifests as m
import manifests

OFF = m.shard(kValue=0)


def test_text(fairlead, write):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("plan", "--settle", "-f", "c.json", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
Cycle 1: 1 allocated, 2 evicted, 1 reserved
  ALLOCATED  QUEUE  PODS  MACHINES
  ns/n1      nlp       1  m1
  EVICTED  QUEUE   PODS  FOR    REASON
  ns/v2    vision     2  ns/s1  Reclaim
  ns/v3    vision     2  ns/s1  Reclaim
  RESERVED  QUEUE   PODS  MACHINES  BY
  ns/s1     speech     4  m1        reclaim

Cycle 2: 1 allocated, 0 evicted
  ALLOCATED  QUEUE   PODS  MACHINES
  ns/s1      speech     4  m1

2 wait:
  QUEUE   WAIT  FIRST  WHY
  vision     2  ns/v2  does not fit, and its queue may not reclaim: it would exceed its fair share:
                       'vision' would hold 4 gpu, its fair share is 3

Fair shares:
  QUEUE     RESOURCE  DESERVED  FAIR SHARE  ALLOCATED  REQUEST
  products  gpu              4           4          4        4
  └─speech  gpu              4           4          4        4
  research  gpu              4           4          3        7
  ├─nlp     gpu              1           1          1        1
  └─vision  gpu              3           3          2        6
  left out, because no queue limits it: cpu, memory (-o json has it)

Settled after 2 cycles: nothing changes any more.

Assumed:
  the clock is 2026-01-01T05:00:00Z, the newest time in the input
  nothing finishes, and who is evicted is gone by the next cycle
"""


def placed(workload, queue, action, tasks, **machines):
    return {"workload": workload, "queue": queue, "action": action, "tasks": tasks, "machines": machines}


def evicted(workload, queue, reclaimer, reason, action, tasks):
    return {"workload": workload, "queue": queue, "reclaimer": reclaimer, "reason": reason, "action": action,
            "tasks": tasks}


def test_json(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), OFF))
    plan = valid(fairlead("plan", "--settle", "-f", "c.json", "-o", "json").json(), "plan")
    assert (plan["policy"], plan["settled"], len(plan["cycles"])) == ("entitle", True, 2)
    first, second = plan["cycles"]
    assert first["allocated"] == [placed("ns/n1", "nlp", "allocate", 1, m1=1)]
    assert first["reserved"] == [placed("ns/s1", "speech", "reclaim", 4, m1=4)]
    assert first["evicted"] == [evicted("ns/v2", "vision", "ns/s1", "Reclaim", "reclaim", 2),
                                evicted("ns/v3", "vision", "ns/s1", "Reclaim", "reclaim", 2)]
    assert first["pending"] == [{"workload": "ns/s1", "queue": "speech", "head": True, "reason": "Reserved",
                                 "message": "waits until terminating pods have freed its place"}]
    assert first["fairShare"]["vision"] == {"gpu": 3, "cpu": 6000, "memory": 6e9}
    assert list(first["fairShare"]) == ["products", "speech", "research", "nlp", "vision"]
    assert second["allocated"] == [placed("ns/s1", "speech", "allocate", 4, m1=4)]
    assert second["evicted"] == second["reserved"] == []
    assert [(p["workload"], p["reason"]) for p in second["pending"]] == [
        ("ns/v2", "OverFairShare"), ("ns/v3", "OverFairShare")]


def test_the_same_for_every_order_of_the_input(fairlead, write):
    objects = [*m.small(), OFF]
    write("c.json", m.dump(*objects))
    want = fairlead("plan", "--settle", "-f", "c.json", "-o", "json").out
    for seed in range(5):
        random.Random(seed).shuffle(objects)
        write("c.json", m.dump(*objects))
        assert fairlead("plan", "--settle", "-f", "c.json", "-o", "json").out == want


def test_consolidation_moves(fairlead, write, valid):
    write("c.json", m.dump(
        m.machine("m1", gpu=4), m.machine("m2", gpu=4), m.queue("d"), m.queue("a", "d", gpu=(8, 1, -1)),
        *m.gang("a1", "a", gpu=2, on="m1"), *m.gang("a2", "a", gpu=2, on="m2"),
        *m.gang("a3", "a", gpu=4, created="2026-01-01T02:00:00Z"), OFF))
    plan = valid(fairlead("plan", "--settle", "-f", "c.json", "-o", "json").json(), "plan")
    first, second = plan["cycles"]
    assert first["evicted"] == [evicted("ns/a2", "a", "ns/a3", "Consolidation", "consolidation", 1)]
    assert first["reserved"] == [placed("ns/a2", "a", "consolidation", 1, m1=1),
                                 placed("ns/a3", "a", "consolidation", 1, m2=1)]
    assert second["allocated"] == [placed("ns/a2", "a", "allocate", 1, m1=1),
                                   placed("ns/a3", "a", "allocate", 1, m2=1)]
    assert second["pending"] == []


def one_queue(*objects, **queue):
    return m.dump(m.machine("m1"), m.queue("d"), m.queue("a", "d", **{"gpu": (8, 1, -1), **queue}), *objects, OFF)


@pytest.mark.parametrize("gang, queue, reason, message", [
    ({"pods": 3}, {"gpu": (8, 1, 2)}, "OverLimit",
     "would put a queue above its limit: 'a' would hold 3 gpu, its limit is 2"),
    ({"pods": 3, "preemptible": False}, {"gpu": (2, 1, -1)}, "NonPreemptibleOverQuota",
     "is not preemptible, and would put a queue above its deserved quota: 'a' would hold 3 gpu that cannot be "
     "preempted, it deserves 2"),
    ({"gpu": 9}, {"gpu": (9, 1, -1)}, "NoVictims", None),
    ({"pods": 2, "minimum": 3}, {}, "GangTooSmall", "has fewer pods than the minimum of its gang"),
    ({"queue": "d"}, {}, "NotALeaf", "is in a queue that has queues below it"),
    ({"queue": "nowhere"}, {}, "QueueDoesNotExist", "belongs to a queue that does not exist"),
])
def test_who_waits_and_why(fairlead, write, valid, gang, queue, reason, message):
    into = gang.pop("queue", "a")
    write("c.json", one_queue(*m.gang("w", into, **gang), **queue))
    plan = valid(fairlead("plan", "-f", "c.json", "-o", "json").json(), "plan")
    (row,) = plan["cycles"][0]["pending"]
    assert row["reason"] == reason
    if message:
        assert row["message"] == message


def test_a_queue_of_its_own_preempts_by_priority(fairlead, write):
    write("c.json", one_queue(
        m.priority_class("high", 90), *m.gang("low", "a", pods=8, on="m1"),
        *m.gang("high", "a", pods=4, priorityClassName="high", created="2026-01-01T02:00:00Z")))
    first = fairlead("plan", "-f", "c.json", "-o", "json").json()["cycles"][0]
    assert first["evicted"] == [evicted("ns/low", "a", "ns/high", "Preempt", "preempt", 8)]


def test_assumptions(fairlead, write):
    write("c.json", m.dump(m.queue("d"), m.queue("a", "d"), *m.gang("w", "a")))
    assert fairlead("plan", "-f", "c.json", "-o", "json").json()["assumptions"] == [
        "k is 1, nobody has a minimum run time, and all actions are on: no SchedulingShard in the input",
        "nobody has used anything so far: no history of usage in the input",
        "the clock is 2026-01-01T01:00:00Z, the newest time in the input",
        "there is nothing to run on: no Node in the input",
        "nothing finishes, and who is evicted is gone by the next cycle"]


def test_foreign_pods_are_said(fairlead, write):
    write("c.json", one_queue(
        *m.gang("w", "a"), m.pod("other", None, "2026-01-01T00:00:00Z", 3, "1", "1G", on="m1", scheduler="default")))
    plan = fairlead("plan", "-f", "c.json", "--now", "2026-01-01T01:00:00Z", "-o", "json").json()
    assert plan["assumptions"][0] == "1 pod of other schedulers stays where it is"


EXAMPLE = str(pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2])) /
              "examples" / "departments")


def test_the_example_does_what_its_page_says(fairlead):
    first = fairlead("plan", "--settle", "-f", EXAMPLE, "-o", "json").json()["cycles"][0]
    assert [e["workload"] for e in first["evicted"]] == ["ml/detect", "ml/segment"]
    changed = fairlead("what-if", "-f", EXAMPLE, "--delete", "SchedulingShard/default", "-o", "json").json()
    assert [e["workload"] for e in changed["preempted"]] == ["ml/track"]
    assert [e["workload"] for e in changed["noLongerPreempted"]] == ["ml/detect"]


class TestPolicy:
    def test_two_policies_need_a_word(self, fairlead, write):
        write("k.json", manifests.dump(*manifests.small()))
        write("c.json", m.dump(*m.small()))
        r = fairlead("plan", "-f", "k.json", "-f", "c.json")
        assert (r.code, r.out) == (1, "")
        assert r.err == (
            "fairlead: error: the input has objects of two policies, Kueue's and KAI's\n"
            "hint: choose one: --policy borrow or --policy entitle or --policy drf\n")

    @pytest.mark.parametrize("policy, workload", [("borrow", "ns/a1"), ("entitle", "ns/n1")])
    def test_the_word_chooses(self, fairlead, write, policy, workload):
        write("k.json", manifests.dump(*manifests.small()))
        write("c.json", m.dump(*m.small()))
        both = fairlead("plan", "-f", "k.json", "-f", "c.json", "--policy", policy, "-o", "json").json()
        alone = fairlead("plan", "-f", "k.json" if policy == "borrow" else "c.json",
                         "--now", "2026-01-01T05:00:00Z", "-o", "json").json()
        assert both["policy"] == policy
        assert workload in str(both["cycles"])
        assert both["cycles"] == alone["cycles"]


@pytest.mark.parametrize("machines, reason", [
    ([], "OverFairShare"),
    ([{**m.machine("m1"), "spec": {"unschedulable": True}}], "NoVictims"),  # it is divided all the same
])
def test_nothing_to_run_on(fairlead, write, machines, reason):
    write("c.json", m.dump(*machines, m.queue("a"), *m.gang("w", "a"), OFF))
    cycle = fairlead("plan", "-f", "c.json", "-o", "json").json()["cycles"][0]
    assert [(w["workload"], w["reason"]) for w in cycle["pending"]] == [("ns/w", reason)]
