# SPDX-License-Identifier: Apache-2.0
"""`explain` of the entitle policy: the first line is the answer, and what it proposes works."""
import copy
import random

import pytest

import entitle_manifests as m

OFF = m.shard(kValue=0)


def crowded():
    """The small cluster, and more that wait."""
    return [*m.small(), *m.gang("v4", "vision", pods=2, created="2026-01-01T06:00:00Z"),
            *m.gang("s2", "speech", pods=8, created="2026-01-01T07:00:00Z"),
            *m.gang("n2", "nlp", pods=2, preemptible=False, created="2026-01-01T07:00:00Z"), OFF]


@pytest.fixture
def explain(fairlead, write, valid):
    def ask(workload, *objects):
        write("c.json", m.dump(*objects))
        r = fairlead("explain", "-f", "c.json", workload, "-o", "json")
        assert (r.code, r.err) == (0, "")
        return valid(r.json(), "explain")

    return ask


def test_text_of_one_above_its_share(fairlead, write):
    write("c.json", m.dump(*crowded()))
    r = fairlead("explain", "-f", "c.json", "ns/v4", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
ns/v4 waits: it does not fit, and its queue may not reclaim: it would exceed its fair share:
'vision' would hold 4 gpu, its fair share is 3. If it alone waited, it would start.
  asks for: 2 pods, 2 gpu, 2 cpu, 2G memory, in queue 'vision'; it runs with 2 at least

From its queue up, gpu
  QUEUE     HOLDS  WITH IT  FAIR SHARE  DESERVED      LIMIT
  vision        6        8           3         3  unlimited
  research      6        8           4         4  unlimited

Queues that hold gpu
  QUEUE   HOLDS  FAIR SHARE  DESERVED  WORKLOADS
  vision      6           3         3          3

Considered before it: 4
  WORKLOAD  QUEUE   PRIORITY  AGE
  ns/s1     speech        50   2h
  ns/n1     nlp           50   3h
  ns/s2     speech        50   0s
  ns/n2     nlp           50   0s

Workloads it might have evicted: 1 considered
  REFUSED  RULE            WHY
        1  VictimPriority  their priority is not below this one's

  NEAREST TO EVICTION  QUEUE   RULE            NUMBERS
  ns/v1                vision  VictimPriority  its priority 50, this one's 50

The smallest change that helps it
  gpu quota of queue 'vision' from 3 to 9; then it starts
    fairlead what-if -f c.json --cycles 1 --set 'Queue/vision: resources.gpu.quota=9'

Another change that is enough
  priority of ns/v4 from 50 to 51; then 1 workload is evicted for it
    fairlead what-if -f c.json --cycles 1 \\
      --change <(echo '{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "priority-51"}, "value": 51}') \\
      --set 'PodGroup/ns/v4: priorityClassName=priority-51'

Assumed:
  the clock is 2026-01-01T07:00:00Z, the newest time in the input
  nothing finishes, and who is evicted is gone by the next cycle
"""


@pytest.mark.parametrize("workload, first", [
    ("ns/n1", "ns/n1 waits, and the coming cycle starts it on m1."),
    ("ns/s1", "ns/s1 waits, and the coming cycle evicts 2 workloads for it (reclaim), so that it can start on m1."),
    ("ns/v1", "ns/v1 runs in queue 'vision': 2 pods, 2 gpu, 2 cpu, 2G memory on m1."),
    ("ns/s2", "ns/s2 waits: it would put a queue above its limit: 'speech' would hold 8 gpu, its limit is 6."),
    ("ns/n2", "ns/n2 waits: it is not preemptible, and would put a queue above its deserved quota: 'nlp' would hold 2 gpu "
              "that cannot be preempted, it deserves 1."),
])
def test_the_first_line_is_the_answer(fairlead, write, workload, first):
    write("c.json", m.dump(*crowded()))
    out = fairlead("explain", "-f", "c.json", workload, env={"COLUMNS": "300"}).out
    assert out.splitlines()[0] == first


def test_a_limit_with_both_numbers(explain):
    x = explain("ns/s2", *crowded())
    assert (x["state"], x["reason"], x["queue"]) == ("Waiting", "OverLimit", "speech")
    assert x["requests"] == {"tasks": 8, "amount": {"gpu": 8, "cpu": 8000, "memory": 8e9}}
    assert {k: x["failed"][k] for k in ("rule", "queue", "resource", "left", "right")} == {
        "rule": "QueueLimit", "queue": "speech", "resource": "gpu", "left": 8, "right": 6}
    assert [p["queue"] for p in x["path"]] == ["speech", "products"]
    assert x["holders"] == [{"queue": "vision", "allocated": 6, "fairShare": 3, "deserved": 3, "limit": "unlimited",
                             "workloads": 3}]
    assert x["ahead"] == {"count": 2, "first": ["ns/s1", "ns/n1"]}


def test_who_goes_for_it(explain):
    x = explain("ns/s1", *crowded())
    assert (x["state"], x["reason"], x["action"]) == ("Preempting", "Reserved", "reclaim")
    assert x["machines"] == {"m1": 4}
    assert sorted(v["workload"] for v in x["eviction"]["victims"]) == ["ns/v2", "ns/v3"]


def two_departments(*gangs):
    return [m.machine("m1"), m.queue("research", gpu=(4, 1, -1)), m.queue("products", gpu=(4, 1, -1)),
            m.queue("vision", "research", gpu=(4, 1, -1)), m.queue("speech", "products", gpu=(4, 1, -1)),
            m.queue("web", "products", gpu=(1, 1, -1)), *gangs, OFF]


@pytest.mark.parametrize("kind, rule", [
    ({"preemptible": False}, "VictimPreemptible"),
    ({"started": "2026-01-01T04:59:00Z"}, "VictimRunTime"),
])
def test_which_rule_refused_a_victim(explain, kind, rule):
    objects = two_departments(
        *m.gang("v1", "vision", pods=4, on="m1", preemptible=False),
        *m.gang("w1", "web", pods=4, on="m1", created="2026-01-01T02:00:00Z", **kind),
        *m.gang("s1", "speech", pods=4, created="2026-01-01T05:00:00Z"))
    objects[-1] = m.shard(kValue=0, minRuntime={"reclaimMinRuntime": "1h"})
    x = explain("ns/s1", *objects)
    refused = {v["workload"]: r["rule"] for r in x["eviction"]["refused"] for v in r["victims"]}
    assert (x["reason"], refused["ns/w1"]) == ("NoVictims", rule)
    assert x["failed"]["rule"] == "RoomLater" and (x["failed"]["left"], x["failed"]["right"]) == (4, 0)


def test_a_rule_for_each_who_stays(explain):
    x = explain("ns/s1", m.machine("m1"), m.queue("research", gpu=(4, 1, -1)), m.queue("products", gpu=(4, 1, -1)),
                m.queue("vision", "research", gpu=(4, 1, -1)), m.queue("speech", "products", gpu=(4, 1, -1)),
                m.queue("web", "products"),
                *m.gang("v1", "vision", pods=4, on="m1"), *m.gang("w1", "web", pods=2, on="m1", preemptible=False),
                *m.gang("w2", "web", on="m1"), *m.gang("s1", "speech", pods=4, created="2026-01-01T05:00:00Z"), OFF)
    assert x["eviction"]["considered"] == 3
    assert {v["workload"]: r["rule"] for r in x["eviction"]["refused"] for v in r["victims"]} == {
        "ns/v1": "MaintainFairShare", "ns/w1": "VictimPreemptible", "ns/w2": "FitsWithoutVictims"}
    (row,) = [r["victims"][0] for r in x["eviction"]["refused"] if r["rule"] == "MaintainFairShare"]
    assert (row["queue"], row["resource"], row["left"], row["right"]) == ("research", "gpu", 4, 4)
    assert [(c["machine"], c["to"], c["evicted"]) for c in x["changes"]] == [("m1", 10, 1)]


def with_change(objects, change, to):
    """The objects with a proposal carried out."""
    objects = copy.deepcopy(objects)
    for o in objects:
        name = o["metadata"]["name"]
        if o["kind"] == "Queue" and name == change.get("queue"):
            if change["field"] == "priority":
                o["spec"]["priority"] = to
            else:
                amounts = o["spec"]["resources"][change["resource"]]
                amounts[change["field"]] = to
        elif o["kind"] == "Node" and name == change.get("machine"):
            o["status"]["allocatable"]["nvidia.com/gpu"] = str(to)
        elif o["kind"] == "PodGroup" and f"ns/{name}" == change.get("workload"):
            o["spec"]["priorityClassName"] = "changed"
            objects.append(m.priority_class("changed", to))
    return objects


WAITERS = {
    "limit": ("ns/w", [m.machine("m1"), m.queue("d"), m.queue("a", "d", gpu=(2, 1, 2)), *m.gang("w", "a", pods=4), OFF]),
    "quota": ("ns/w", [m.machine("m1"), m.queue("d", gpu=(-1, 1, -1)), m.queue("a", "d", gpu=(1, 1, -1)),
                       *m.gang("w", "a", pods=4, preemptible=False), OFF]),
    "machine": ("ns/w", [m.machine("m1"), m.queue("d"), m.queue("a", "d", gpu=(9, 1, -1)), *m.gang("w", "a", gpu=9),
                         OFF]),
    "priority": ("ns/w", [m.machine("m1"), m.queue("d"), m.queue("a", "d", gpu=(8, 1, -1)),
                          *m.gang("r", "a", pods=8, on="m1"),
                          *m.gang("w", "a", pods=4, created="2026-01-01T02:00:00Z"), OFF]),
    "share": ("ns/v4", crowded()),
}


@pytest.mark.parametrize("case", sorted(WAITERS))
def test_each_proposal_does_and_one_less_does_not(explain, case):
    workload, objects = WAITERS[case]
    x = explain(workload, *objects)
    assert x["state"] == "Waiting" and x["changes"]
    for change in x["changes"]:
        done = explain(workload, *with_change(objects, change, change["to"]))
        less = explain(workload, *with_change(objects, change, change["to"] - 1))
        if change["comingCycle"] != "Wait":
            assert done["state"] in ("AdmittedNext", "Preempting"), change
            assert less["state"] == "Waiting", change
        else:
            assert (done["alone"]["decision"], less["alone"]["decision"]) == (change["alone"], "Wait")


def test_takes_no_part(fairlead, write):
    write("c.json", m.dump(m.machine("m1"), m.queue("d"), *m.gang("w", "nowhere"), OFF))
    out = fairlead("explain", "-f", "c.json", "ns/w").out
    assert out.startswith("ns/w takes no part: it belongs to a queue that does not exist.\n"
                          "  asks for: 1 pod, 1 gpu, 1 cpu, 1G memory, in queue 'nowhere'\n")


def test_one_on_a_node_that_is_not_there(fairlead, write, valid):
    write("c.json", m.dump(m.machine("m1"), m.queue("a"), *m.gang("w", "a", pods=3, on=["m1", "gone", "gone"]), OFF))
    assert fairlead("explain", "-f", "c.json", "ns/w", env={"COLUMNS": "200"}).out.splitlines()[0] == (
        "ns/w runs in queue 'a': 3 pods, 3 gpu, 3 cpu, 3G memory on 1 on m1, 2 on (unknown).")
    x = valid(fairlead("explain", "-f", "c.json", "ns/w", "-o", "json").json(), "explain")
    assert (x["tasks"], x["machines"]) == (3, {"m1": 1})


def test_an_elastic_one_that_would_like_more(fairlead, write):
    write("c.json", m.dump(m.machine("m1", gpu=1), m.queue("d"), m.queue("a", "d", gpu=(8, 1, -1)),
                           *m.gang("w", "a", pods=3, minimum=1, on=["m1", None, None]), OFF))
    assert fairlead("explain", "-f", "c.json", "ns/w", env={"COLUMNS": "200"}).out.splitlines()[0] == (
        "ns/w runs in queue 'a': 1 pod, 1 gpu, 1 cpu, 1G memory on m1; 2 more of its pods wait.")


def test_the_same_for_every_order_of_the_input(fairlead, write):
    objects = [*crowded(), *(m.machine(f"n{i}", gpu=0) for i in range(3))]
    answers = set()
    for seed in range(4):
        random.Random(seed).shuffle(objects)
        write("c.json", m.dump(*objects))
        answers.add(fairlead("explain", "-f", "c.json", "ns/v4", "-o", "json").out)
    assert len(answers) == 1
