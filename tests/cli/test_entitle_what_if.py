# SPDX-License-Identifier: Apache-2.0
"""`what-if` of the entitle policy."""
import pytest

import entitle_manifests as m

OFF = m.shard(kValue=0)


def test_text_of_a_deletion(fairlead, write):
    write("c.json", m.dump(*m.small(), OFF))
    pods = [a for i in range(4) for a in ("--delete", f"Pod/ns/s1-{i}")]
    r = fairlead("what-if", "-f", "c.json", "--delete", "PodGroup/ns/s1", *pods, env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
The change:
  delete PodGroup/ns/s1
  delete Pod/ns/s1-0
  delete Pod/ns/s1-1
  delete Pod/ns/s1-2
  delete Pod/ns/s1-3

Before: 3 allocated, 2 wait, 2 evicted on the way.
After: 4 allocated, 0 wait, 0 evicted on the way.

Newly allocated: 2
  WORKLOAD  QUEUE   PODS  MACHINES
  ns/v2     vision     2  m1
  ns/v3     vision     2  m1

No longer allocated: 1
  WORKLOAD  QUEUE   NOW
  ns/s1     speech  deleted

No longer evicted: 2
  WORKLOAD  QUEUE   FOR    REASON
  ns/v2     vision  ns/s1  Reclaim
  ns/v3     vision  ns/s1  Reclaim

Queues:
  QUEUE     RESOURCE  FAIR SHARE  ALLOCATED  DESERVED      LIMIT  WEIGHT
  products  gpu           4 -> 0     4 -> 0         4  unlimited       1
  research  gpu           4 -> 7     3 -> 7         4  unlimited       1
  speech    gpu           4 -> 0     4 -> 0         4          6       1
  vision    gpu           3 -> 6     2 -> 6         3  unlimited       1

Assumed:
  the clock is 2026-01-01T05:00:00Z, the newest time in the input
  nothing finishes, and who is evicted is gone by the next cycle
"""


@pytest.fixture
def what_if(fairlead, write, valid):
    def ask(*change, args=()):
        write("c.json", m.dump(*m.small(), OFF))
        write("change.json", m.dump(*change))
        given = ("--change", "change.json") if change else ()
        r = fairlead("what-if", "-f", "c.json", *given, *args, "-o", "json")
        return r.code, valid(r.json(), "what-if")

    return ask


def node(answer, name):
    (row,) = [n for n in answer["nodes"] if n["name"] == name]
    return row


@pytest.mark.parametrize("change, reasons", [
    (m.queue("vision", "research", gpu=(3, 1, 2)), ["OverLimit", "OverLimit"]),
    (m.queue("vision", "research", gpu=(7, 1, -1)), ["NoVictims", "NoVictims"]),
])
def test_a_queue_that_is_replaced(what_if, change, reasons):
    code, answer = what_if(change)
    assert code == 0 and answer["changes"] == [
        {"change": "replace", "object": "Queue/vision", "file": "change.json", "line": 1}]
    assert [w["after"]["reason"] for w in answer["waiting"]] == reasons
    assert node(answer, "vision")["after"] != node(answer, "vision")["before"]


def test_a_second_machine(what_if):
    code, answer = what_if(m.machine("m2"))
    assert code == 0
    assert [(w["workload"], w["queue"], w["tasks"]) for w in answer["admitted"]] == [
        ("ns/v2", "vision", 2), ("ns/v3", "vision", 2)]
    assert [w["workload"] for w in answer["noLongerPreempted"]] == ["ns/v2", "ns/v3"]
    assert answer["noLongerPreempted"][0] | {"workload": 0} == {
        "workload": 0, "queue": "vision", "reclaimer": "ns/s1", "reason": "Reclaim"}
    assert answer["after"] == {"settled": True, "cycles": 1, "admitted": 5, "waiting": 0, "evicted": 0}


def test_a_shard(what_if):
    code, answer = what_if(m.shard(kValue=0, actions={"reclaim": {"enabled": False}}))
    assert code == 0
    assert [w["workload"] for w in answer["noLongerAdmitted"]] == ["ns/s1"]


def test_nothing(what_if):
    code, answer = what_if(m.queue("vision", "research", gpu=(3, 1, -1)))
    assert (code, answer["different"], answer["nodes"]) == (0, False, [])


@pytest.mark.parametrize("condition, code", [
    ("evicted.gone > 0", 1),
    ("evicted > 0", 0),
    ("fairshare(vision, gpu) > fairshare.before(vision, gpu)", 1),
    ("usage(research, gpu) >= 7 and quota(vision, gpu) == 3", 1),
    ("borrowed(vision, gpu) == 3 and share(vision) == 1000", 1),
    ("admitted(speech) == 1 and waiting == 0", 1),
    ("fairshare(vision, cpu) == 6 and fairshare(vision, memory) == 6G", 1),
])
def test_fail_if(what_if, condition, code):
    assert what_if(m.machine("m2"), args=("--fail-if", condition))[0] == code


def test_unknown_names(fairlead, write):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("what-if", "-f", "c.json", "--delete", "Queue/visio")
    assert (r.code, r.err) == (
        1, "fairlead: error: --delete: there is no Queue/visio in the input\nhint: did you mean 'Queue/vision'?\n")


def test_a_node_goes_and_its_pods_stay(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), OFF))
    r = fairlead("what-if", "-f", "c.json", "--delete", "Node/m1", env={"COLUMNS": "200"})
    assert r.code == 0 and "vision, 2 pods, (unknown)" in r.out
    answer = valid(fairlead("what-if", "-f", "c.json", "--delete", "Node/m1", "-o", "json").json(), "what-if")
    assert [(w["workload"], w["after"]) for w in answer["moved"]] == [("ns/v1", {"tasks": 2, "machines": {}})]
