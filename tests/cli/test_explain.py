# SPDX-License-Identifier: Apache-2.0
import pytest

import manifests as m

COLUMNS = {"COLUMNS": "80"}
PREEMPTION = {"reclaimWithinCohort": "LowerPriority", "withinClusterQueue": "LowerPriority"}


def team(*objects, **queues):
    """Queues of one flavor and cohort; a queue's value is its cpu quota."""
    out = [m.namespace("ns"), m.flavor("f"), m.cohort("team", "org")]
    for name, cpu in queues.items():
        out += [m.cluster_queue(name, m.quota("f", cpu=cpu), cohort="team", preemption=PREEMPTION),
                m.local_queue(f"l{name}", name)]
    return m.dump(*out, *objects)


def until_assumed(text):
    return text.split("\nAssumed:\n")[0]


def test_text(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert until_assumed(r.out) == """\
ns/a1 waits: it asks for 3 cpu in flavor 'f', and queue 'a' can have 2 now (1
short). What binds is Cohort 'co', where 6 of 8 cpu are in use.
  asks for: 3 cpu

Flavors tried
  PODS  FLAVOR  RESOURCE  ASKED  AVAILABLE  AT MOST
  main  f       cpu           3          2        8  not enough now

Who holds cpu in flavor 'f' below Cohort 'co'
  QUEUE  OWN  BORROWED  WORKLOADS
  b        4         2          1

Preemption
  withinClusterQueue: Never (nobody in its own queue)
  reclaimWithinCohort: Never (nobody in other queues)
  No workload came into question as a victim.

The smallest change that admits it
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 5
"""


def test_json(fairlead, write, valid):
    write("c.json", m.dump(*m.small()))
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/a1").json(), "explain")
    assert (x["state"], x["reason"], x["head"]) == ("Waiting", "PreemptionNoCandidates", True)
    assert x["failed"] == {
        "podSet": "main", "flavor": "f", "resource": "cpu", "verdict": "NotAvailable", "requested": 3000,
        "available": 2000, "maximum": 8000, "nominal": 4000,
        "binding": {"by": "Quota", "node": {"kind": "Cohort", "name": "co"}, "left": 2000, "keptBelow": 0}}
    assert x["holders"] == [{"clusterQueue": "b", "usage": 6000, "own": 4000, "borrowed": 2000,
                             "idleNotLent": 0, "workloads": 1}]
    assert x["changes"] == [{"node": {"kind": "ClusterQueue", "name": "a"}, "field": "nominalQuota",
                             "flavor": "f", "resource": "cpu", "from": 4000, "to": 5000}]


def test_the_change_it_proposes_admits_it(fairlead, write):
    objects = m.small()
    for o in objects:
        if o["kind"] == "ClusterQueue" and o["metadata"]["name"] == "a":
            o["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "5"
    write("c.json", m.dump(*objects))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert r.out.startswith("ns/a1 fits: the coming cycle admits it in queue 'a'.\n")


def test_behind_another(fairlead, write, valid):
    write("c.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "c.json", "ns/a2", env=COLUMNS)
    assert r.code == 0
    assert r.out.startswith("ns/a2 waits for its turn in queue 'a'; there is room for it. 1 other stands\n"
                            "before it in the queue.\n")
    assert "Ahead in queue 'a': 1\n  WORKLOAD  PRIORITY  AGE  ASKS FOR\n  ns/a1            0   1s  3 cpu\n" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/a2").json(), "explain")
    assert (x["state"], x["reason"], x["head"]) == ("Waiting", "BehindHead", False)
    assert x["alone"]["decision"] == "Admit"
    assert x["ahead"] == {"count": 1, "workloads": [
        {"workload": "ns/a1", "priority": 0, "created": "2026-01-01T00:00:00Z", "requests": {"cpu": 3000}}]}


def test_first_ten_ahead(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), *[
        m.workload(f"x{i:02}", "la", cpu="9", priority=i) for i in range(1, 31)]))
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/a1").json(), "explain")
    assert x["ahead"]["count"] == 30
    assert [w["workload"] for w in x["ahead"]["workloads"]] == [f"ns/x{i:02}" for i in range(30, 20, -1)]
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert "  ... and 20 more\n" in r.out


def test_borrowing_limit_binds(fairlead, write, valid):
    write("c.json", team(
        m.workload("r", "la", cpu="5", admitted=("a", "f")), m.workload("w", "la", cpu="3"),
        a={"nominalQuota": "4", "borrowingLimit": "2"}, b="8"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert r.out.startswith(
        "ns/w waits: it asks for 3 cpu in flavor 'f', and queue 'a' can have 1 now (2\n"
        "short). What binds is the borrowing limit of ClusterQueue 'a': 2 cpu, 1 borrowed\n"
        "already.\n")
    assert ("\nThe smallest change that admits it\n"
            "  ClusterQueue 'a': borrowingLimit of cpu in flavor 'f' from 2 to 4\n") in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    assert x["failed"]["binding"] == {"by": "BorrowingLimit", "node": {"kind": "ClusterQueue", "name": "a"},
                                      "left": 1000, "keptBelow": 0}


def test_never_fits(fairlead, write, valid):
    write("c.json", team(
        m.workload("r", "la", cpu="5", admitted=("a", "f")), m.workload("z", "la", cpu="9"),
        a={"nominalQuota": "4", "borrowingLimit": "2"}, b="8"))
    r = fairlead("explain", "-f", "c.json", "ns/z", env=COLUMNS)
    assert until_assumed(r.out) == """\
ns/z can never be admitted as quotas stand: it asks for 9 cpu in flavor 'f', and
queue 'a' could have 6 at most, even if nobody used anything. What binds is the
borrowing limit of ClusterQueue 'a': 2 cpu.
  asks for: 9 cpu

Flavors tried
  PODS  FLAVOR  RESOURCE  ASKED  AVAILABLE  AT MOST
  main  f       cpu           9          1        6  never enough

The smallest change that admits it
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 6
  ClusterQueue 'a': borrowingLimit of cpu in flavor 'f' from 2 to 8
"""
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/z").json(), "explain")
    assert x["failed"]["verdict"] == "ExceedsMaxQuota"


def test_preempts(fairlead, write, valid):
    write("c.json", team(
        m.workload("c1", "lc", cpu="3", admitted=("c", "f")),
        m.workload("c2", "lc", priority=1, cpu="2", admitted=("c", "f")),
        m.workload("w", "la", priority=5, cpu="4"), a="4", c="2"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert r.out.startswith("""\
ns/w waits, but perhaps not for long: the coming cycle preempts 1 workload for
it, and it can be admitted when that one is gone.
  asks for: 4 cpu

  PREEMPTED FOR IT  QUEUE  REASON
  ns/c1             c      InCohortReclamation
""")
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    assert x["state"] == "Preempting"
    assert x["preemption"]["victims"] == [{"workload": "ns/c1", "reason": "InCohortReclamation"}]


def test_victims_protected_by_priority(fairlead, write, valid):
    write("c.json", team(
        m.workload("c1", "lc", priority=9, cpu="5", admitted=("c", "f")),
        m.workload("w", "la", priority=5, cpu="4"), a="4", c="2"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert ("\nPreemption\n  1 ruled out, such as ns/c1: the preemption policy protects them by priority or\n"
            "  age\n") in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    assert x["preemption"]["refused"] == [{
        "rule": "VictimPriority", "message": "the preemption policy protects them by priority or age",
        "count": 1, "example": "ns/c1"}]


def test_idle_but_not_lent(fairlead, write):
    write("c.json", team(
        m.workload("c1", "lc", priority=9, cpu="5", admitted=("c", "f")),
        m.workload("w", "la", priority=5, cpu="4"),
        a="4", b={"nominalQuota": "8", "lendingLimit": "1"}, c="2"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert """
  QUEUE  OWN  BORROWED  WORKLOADS  IDLE, NOT LENT
  c        2         3          1               -
  b        -         -          0               7
""" in r.out


def test_not_covered(fairlead, write, valid):
    write("c.json", team(m.workload("v", "la", **{"cpu": "1", "example.com/gpu": "2"}), a="4"))
    r = fairlead("explain", "-f", "c.json", "ns/v", env=COLUMNS)
    assert r.out.startswith("ns/v can never be admitted: it requests 2 gpu, and queue 'a' has no quota for\ngpu.\n")
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/v").json(), "explain")
    assert x["failed"] == {"podSet": "main", "resource": "example.com/gpu", "verdict": "NotCovered", "requested": 2}


def test_no_flavor_matches(fairlead, write, valid):
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    objects = m.small()
    objects[1]["spec"] = {"nodeTaints": [taint]}
    write("c.json", m.dump(*objects))
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/a1").json(), "explain")
    assert x["failed"] == {"podSet": "main", "flavor": "f", "verdict": "FlavorMismatch"}
    assert x["reason"] == "NoMatchingFlavor"
    assert x["message"].startswith("ns/a1 can never be admitted: no flavor of queue 'a' suits its pods")


def test_others_come_first(fairlead, write, valid):
    write("c.json", team(
        m.workload("a1", "la", cpu="6"), m.workload("b1", "lb", cpu="6", priority=5), a="4", b="4"))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert r.out.startswith("ns/a1 waits: it fitted when the cycle began, but others were served first.\n")
    assert "\nServed in the coming cycle: 1\n" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/a1").json(), "explain")
    assert x["servedFirst"] == ["ns/b1"]
    assert x["reason"] == "NoLongerFits"


def test_admitted(fairlead, write, valid):
    write("c.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "c.json", "ns/b1", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert until_assumed(r.out) == """\
ns/b1 is admitted in queue 'b' since 2026-01-01T00:00:00Z.
  asked for: 6 cpu
  flavors: cpu: f (1 pod)
"""
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/b1").json(), "explain")
    assert x["state"] == "Admitted"
    assert x["podSets"] == [{"name": "main", "count": 1, "flavors": {"cpu": "f"}}]


def test_takes_no_part(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), m.workload("x", "nowhere", cpu="1")))
    r = fairlead("explain", "-f", "c.json", "ns/x", env=COLUMNS)
    assert r.code == 0
    assert r.out.startswith("ns/x cannot be admitted: it belongs to a queue that does not exist.\n")
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/x").json(), "explain")
    assert (x["state"], x["reason"]) == ("Excluded", "QueueDoesNotExist")


@pytest.mark.parametrize("name", ["ns/w-1", "job/train", "ns/job/train", "w-1"])
def test_names_of_a_workload(fairlead, write, name):
    write("c.json", m.dump(*m.small(), m.workload("w-1", "la", cpu="1", owner="train")))
    r = fairlead("explain", "-f", "c.json", name)
    assert r.code == 0
    assert r.out.startswith("ns/w-1 ")


@pytest.mark.parametrize("name, hint", [
    ("ns/a11", "did you mean 'ns/a1', 'ns/a2' or 'ns/b1'?"),
    ("other/a1", "did you mean 'ns/a1'?"),
    ("completely-different", "a workload is namespace/name; job/name and namespace/job/name name a Job's"),
    ("job/nothing-of-the-kind", "a workload is namespace/name; job/name and namespace/job/name name a Job's"),
])
def test_unknown_workload(fairlead, write, name, hint):
    write("c.json", m.dump(*m.small()))
    r = fairlead("explain", "-f", "c.json", name)
    assert (r.code, r.out) == (1, "")
    assert r.err == f"fairlead: error: there is no workload '{name}'\nhint: {hint}\n"
