# SPDX-License-Identifier: Apache-2.0
import json

import pytest

import manifests as m

COLUMNS = {"COLUMNS": "80"}
PREEMPTION = {"reclaimWithinCohort": "LowerPriority", "withinClusterQueue": "LowerPriority"}


def team(*objects, **queues):
    """Queues of one flavor and cohort; a queue's value is its cpu quota."""
    out = [m.namespace("ns"), m.flavor("f"), m.cohort("team", "org"), m.no_fair_sharing()]
    for name, cpu in queues.items():
        out += [m.cluster_queue(name, m.quota("f", cpu=cpu), cohort="team", preemption=PREEMPTION),
                m.local_queue(f"l{name}", name)]
    return m.dump(*out, *objects)


def until_assumed(text):
    return text.split("\nAssumed:\n")[0]


def test_text(fairlead, write):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert until_assumed(r.out) == """\
ns/a1 waits: it asks for 3 cpu in flavor 'f', and queue 'a' can have 2 now (1
short). What binds is Cohort 'co', where 6 of 8 cpu are in use.
  asks for: 3 cpu

Flavors tried
  PODS  FLAVOR  RESOURCE  ASKED  AVAILABLE  AT MOST
  main  f       cpu           3          2        8  not enough now

Queues that hold cpu in flavor 'f' below Cohort 'co'
  QUEUE  OWN  BORROWED  WORKLOADS
  b        4         2          1

Preemption: 1 considered, none can be preempted
  REFUSED  RULE          WHY
        1  VictimPolicy  this queue's preemption policy allows no victims there

  NEAREST TO PREEMPTION  QUEUE  RULE          NUMBERS
  all 1                  co     VictimPolicy  reclaimWithinCohort: Never

The smallest change that admits it
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 5; then the
  coming cycle admits it
    fairlead what-if -f c.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=5'
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
    assert x["proposals"] == [{"changes": x["changes"], "set": ["ClusterQueue/a: nominalQuota[cpu,f]=5"], "alone": "Admit", "comingCycle": "Admit",
                               "preempted": 0, "message": "the coming cycle admits it"}]
    assert x["preemption"]["refused"] == [{
        "rule": "VictimPolicy",
        "meaning": "a preemption policy of the queue allows to look for victims there",
        "message": "this queue's preemption policy allows no victims there", "count": 1,
        "victims": [{"allBelow": 1, "node": {"kind": "Cohort", "name": "co"}, "unit": "amount",
                     "lhs": 0, "rhs": 0}]}]
    assert x["preemption"]["reclaimWithinCohort"] == "Never"
    assert (x["preemption"]["considered"], x["preemption"]["victims"]) == (1, [])
    assert 0 < x["tries"] <= 1000


def test_the_change_it_proposes_admits_it(fairlead, write):
    objects = m.small()
    for o in objects:
        if o["kind"] == "ClusterQueue" and o["metadata"]["name"] == "a":
            o["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = "5"
    write("c.json", m.dump(*objects, m.no_fair_sharing()))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert r.out.startswith("ns/a1 fits: the coming cycle admits it in queue 'a'.\n")


def test_behind_another(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    r = fairlead("explain", "-f", "c.json", "ns/a2", env=COLUMNS)
    assert r.code == 0
    assert r.out.startswith("ns/a2 waits for its turn in queue 'a'; there is room for it. 1 workload is ahead\n"
                            "of it in the queue.\n")
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
    assert """
The smallest change that admits it
  ClusterQueue 'a': borrowingLimit of cpu in flavor 'f' from 2 to 4; then the
  coming cycle admits it
    fairlead what-if -f c.json --set 'ClusterQueue/a: borrowingLimit[cpu,f]=4'

Other changes, each of which is enough
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 6; then the
  coming cycle admits it
    fairlead what-if -f c.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=6'
  ns/w: priority from 0 to 1; then the coming cycle preempts 1 workload for it
    fairlead what-if -f c.json --set 'Workload/ns/w: priority=1'
""" in r.out
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
queue 'a' could have 6 at most, even if nothing were in use. What binds is the
borrowing limit of ClusterQueue 'a': 2 cpu.
  asks for: 9 cpu

Flavors tried
  PODS  FLAVOR  RESOURCE  ASKED  AVAILABLE  AT MOST
  main  f       cpu           9          1        6  never enough

The smallest change that admits it
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 12; then the
  coming cycle admits it
    fairlead what-if -f c.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=12'
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
ns/w waits: the coming cycle preempts 1 workload for it, and it can be admitted
when that one has ended.
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
    assert """
Preemption: 1 considered, none can be preempted
  REFUSED  RULE            WHY
        1  VictimPriority  their priority is not below this one's

  NEAREST TO PREEMPTION  QUEUE  RULE            NUMBERS
  ns/c1                  c      VictimPriority  priority 9, ours 5
""" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    assert x["preemption"]["refused"] == [{
        "rule": "VictimPriority",
        "meaning": "priority of the victim < priority of the preemptor, where the preemption policy asks for that",
        "message": "their priority is not below this one's", "count": 1, "example": "ns/c1",
        "victims": [{"workload": "ns/c1", "clusterQueue": "c", "unit": "amount", "lhs": 9, "rhs": 5,
                     "node": {"kind": "ClusterQueue", "name": "c"}}]}]
    assert [c["to"] for p in x["proposals"] for c in p["changes"] if c["field"] == "priority"] == [10]


def borrowers(n, *objects):
    """b borrows everything with n workloads of one cpu each; fair sharing."""
    return m.dump(
        m.namespace("ns"), m.flavor("f"), m.configuration(), m.cohort("org"),
        m.cluster_queue("a", m.quota("f", cpu="1"), cohort="org", preemption={"reclaimWithinCohort": "Any"}),
        m.cluster_queue("b", m.quota("f", cpu="1"), cohort="org"),
        m.cluster_queue("pool", m.quota("f", cpu=str(n)), cohort="org"),
        m.local_queue("la", "a"), m.local_queue("lb", "b"), m.local_queue("lpool", "pool"),
        m.workload("a1", "la", cpu="1", admitted=("a", "f")),
        *[m.workload(f"b{i:02}", "lb", cpu="1", admitted=("b", "f")) for i in range(n + 1)],
        m.workload("w", "la", cpu=str(n + 1)), *objects)


def test_equal_refusals_share_a_line(fairlead, write, valid):
    write("c.json", borrowers(12))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert """
Preemption: 14 considered, none can be preempted
  REFUSED  RULE          WHY
       12  S2-a          without them their side's share is below this one's
        1  S2-b          their side's share is not above this one's
        1  VictimPolicy  this queue's preemption policy allows no victims there

  NEAREST TO PREEMPTION  QUEUE  RULE          NUMBERS
  ns/b01 and 11 more     b      S2-a          share 786 without it, ours 929
  ns/b00                 b      S2-b          share 857, ours 929
  all 1                  a      VictimPolicy  withinClusterQueue: Never
""" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    first, second, _ = x["preemption"]["refused"]
    assert [v["workload"] for v in first["victims"]] == [f"ns/b{i:02}" for i in range(1, 13)]
    assert {(v["lhs"], v["rhs"], v["unit"], v["node"]["name"]) for v in first["victims"]} == {
        ("928.57142857142856", "785.71428571428567", "share", "b")}
    assert second["victims"][0]["rhs"] == "857.14285714285711"


def test_all_lists_each_victim(fairlead, write):
    write("c.json", borrowers(12))
    r = fairlead("explain", "-f", "c.json", "--all", "ns/w", env=COLUMNS)
    for i in range(1, 13):
        assert f"  ns/b{i:02}                 b      S2-a          share 786 without it, ours 929\n" in r.out


def test_only_the_nearest_of_a_rule(fairlead, write):
    write("c.json", team(
        *[m.workload(f"c{i}", "lc", priority=10 + i, cpu="1", admitted=("c", "f")) for i in range(9)],
        m.workload("w", "la", priority=5, cpu="4"), a="4", c="5"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert """
  NEAREST TO PREEMPTION  QUEUE  RULE            NUMBERS
  ns/c0                  c      VictimPriority  priority 10, ours 5
  ns/c1                  c      VictimPriority  priority 11, ours 5
  ns/c2                  c      VictimPriority  priority 12, ours 5
  ... and 6 more (--all)
""" in r.out
    r = fairlead("explain", "-f", "c.json", "--all", "ns/w", env=COLUMNS)
    assert "  ns/c8                  c      VictimPriority  priority 18, ours 5\n\n" in r.out


def test_those_let_off(fairlead, write):
    write("c.json", team(
        m.workload("small", "la", cpu="1", admitted=("a", "f")),
        m.workload("large", "la", priority=1, cpu="4", admitted=("a", "f")),
        m.workload("w", "la", priority=5, cpu="4"), a="5"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert "\n  PREEMPTED FOR IT  QUEUE  REASON\n  ns/large          a      InClusterQueue\n" in r.out
    assert """
Preemption: 2 considered, 1 can be preempted
  REFUSED  RULE          WHY
        1  VictimNeeded  chosen at first, but not needed

  NEAREST TO PREEMPTION  QUEUE  RULE          NUMBERS
  ns/small               a      VictimNeeded  4 cpu free while it stays, 4 asked
""" in r.out


def test_it_may_not_preempt_while_it_borrows(fairlead, write):
    objects = m.small()
    for o in objects:
        if o["metadata"]["name"] == "a1":
            o["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "5"}
    write("c.json", m.dump(*objects))
    r = fairlead("explain", "-f", "c.json", "ns/a1", env=COLUMNS)
    assert ("\nPreemption\n  It asks for more than its queue owns, and that queue may not preempt while it\n"
            "  borrows: no victims were searched.\n") in r.out


@pytest.mark.parametrize("spec, rule, numbers, message", [
    ({"minimumRunTime": "10m"}, "MinimumRunTime", (90, 600),
     "they have not held their quota for their minimum run time (Policy)"),
    # a rule without words of its own has its meaning
    ({"preemptionDelay": "5m"}, "PreemptionDelay", (0, 300),
     "time the workload has waited >= what it waits before it preempts (Policy)"),
])
def test_rules_of_a_policy_are_named(fairlead, write, valid, spec, rule, numbers, message):
    policy = {"apiVersion": "fairlead.dev/v1alpha1", "kind": "Policy", "metadata": {"name": "p"},
              "spec": {"defaults": spec}}
    write("c.json", team(
        m.workload("c1", "lc", cpu="5", admitted=("c", "f")),
        m.workload("w", "la", priority=5, cpu="4", created="2026-01-01T00:01:30Z"), policy, a="4", c="2"))
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert f"  {rule}  {'1m30s / 10m' if numbers[0] else '0s / 5m'}\n" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    refused, = x["preemption"]["refused"]
    assert (refused["rule"], refused["message"]) == (rule, message)
    victim, = refused["victims"]
    assert victim["unit"] == "nanoseconds"
    assert (victim["lhs"], victim["rhs"]) == tuple(n * 10**9 for n in numbers)


def cells(objects, change):
    """The objects and keys that a change is about, in the manifests."""
    for o in objects:
        spec, name = o.get("spec", {}), o.get("metadata", {}).get("name")
        if change["field"] == "priority":
            if o["kind"] == "Workload" and "ns/" + name == change["workload"]:
                yield spec, "priority", 1
            continue
        if (o["kind"], name) != (change["node"]["kind"], change["node"]["name"]):
            continue
        if change["field"] == "weight":
            spec.setdefault("fairSharing", {})
            yield spec["fairSharing"], "weight", None
            continue
        for group in spec["resourceGroups"]:
            for flavor in group["flavors"]:
                for r in flavor["resources"]:
                    if (flavor["name"], r["name"]) == (change["flavor"], change["resource"]):
                        yield r, change["field"], 1000


def with_change(text, change, less):
    objects = json.loads(text)["items"]
    (where, key, unit), = cells(objects, change)
    to = change["to"] - (0 if unit is None else less)
    if change["field"] == "priority":
        where[key] = to
    elif unit is None:  # a weight of two digits, or the one before it
        assert to > 1
        step = 10 ** (len(str(int(to))) - 2)
        where[key] = str(round(to - less * step, 3))
    else:
        where[key] = f"{to}m"
    return m.dump(*objects)


def test_each_proposal_holds_in_the_manifests(fairlead, write):
    reclaim = {"reclaimWithinCohort": "Any"}
    seen = set()
    clusters = [
        (borrowers(12), "ns/w"),
        (team(m.workload("r", "la", cpu="5", admitted=("a", "f")), m.workload("w", "la", cpu="3"),
              a={"nominalQuota": "4", "borrowingLimit": "2"}, b="8"), "ns/w"),
        (team(m.workload("c1", "lc", priority=9, cpu="5", admitted=("c", "f")),
              m.workload("w", "la", priority=5, cpu="4"),
              a="4", b={"nominalQuota": "8", "lendingLimit": "1"}, c="2"), "ns/w"),
        (m.dump(m.namespace("ns"), m.flavor("f"), m.configuration(), m.cohort("org"),
                m.cluster_queue("a", m.quota("f", cpu="0"), cohort="org", preemption=reclaim),
                m.cluster_queue("b", m.quota("f", cpu="0"), cohort="org"),
                m.cluster_queue("pool", m.quota("f", cpu="40"), cohort="org"),
                m.local_queue("la", "a"), m.local_queue("lb", "b"),
                m.workload("a1", "la", cpu="20", admitted=("a", "f")),
                *[m.workload(f"b{i}", "lb", cpu="2", admitted=("b", "f")) for i in range(10)],
                m.workload("w", "la", cpu="7")), "ns/w"),
    ]
    for text, name in clusters:
        write("c.json", text)
        x = fairlead("explain", "-f", "c.json", "-o", "json", name).json()
        assert x["alone"]["decision"] == "Wait" and x["proposals"]
        for p in x["proposals"]:
            change, = p["changes"]
            seen.add(change["field"])
            for less in (0, 1):
                write("d.json", with_change(text, change, less))
                y = fairlead("explain", "-f", "d.json", "-o", "json", name).json()
                assert y["alone"]["decision"] == (p["alone"] if less == 0 else "Wait"), (change, less)
                if less == 0:
                    assert {"AdmittedNext": "Admit", "Preempting": "Preempt", "Waiting": "Wait"}[
                        y["state"]] == p["comingCycle"]
    assert seen == {"nominalQuota", "borrowingLimit", "lendingLimit", "weight", "priority"}


def test_several_cells_where_one_will_not_do(fairlead, write, valid):
    cpu_and_gpu = {"cpu": "4", "example.com/gpu": "1"}
    text = m.dump(
        m.namespace("ns"), m.flavor("f"),
        m.cluster_queue("a", {"name": "f", "resources": [
            {"name": r, "nominalQuota": q} for r, q in cpu_and_gpu.items()]}),
        m.local_queue("la", "a"), m.workload("w", "la", **{"cpu": "6", "example.com/gpu": "3"}))
    write("c.json", text)
    r = fairlead("explain", "-f", "c.json", "ns/w", env=COLUMNS)
    assert """
The smallest change that admits it
  ClusterQueue 'a': nominalQuota of cpu in flavor 'f' from 4 to 6, and
  ClusterQueue 'a': nominalQuota of gpu in flavor 'f' from 1 to 3; then the
  coming cycle admits it
    fairlead what-if -f c.json --set 'ClusterQueue/a: nominalQuota[cpu,f]=6' \\
      --set 'ClusterQueue/a: nominalQuota[example.com/gpu,f]=3'
""" in r.out
    x = valid(fairlead("explain", "-f", "c.json", "-o", "json", "ns/w").json(), "explain")
    assert [(c["resource"], c["from"], c["to"]) for c in x["changes"]] == [
        ("cpu", 4000, 6000), ("example.com/gpu", 1, 3)]


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
    assert r.out.startswith("ns/a1 waits: it fitted at the start of the cycle, but not after workloads served\nbefore it.\n")
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


def test_what_its_local_queue_holds_of_its_queue(fairlead, write, valid):
    """Where others hold some, too: of what is short, and of what it holds."""
    state = [m.no_fair_sharing(), m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu="8")),
             m.local_queue("x", "a"), m.local_queue("y", "a"), m.workload("x1", "x", cpu="2", admitted=("a", "f")),
             m.workload("y1", "y", cpu="3", admitted=("a", "f")), m.workload("y2", "y", cpu="2", admitted=("a", "f")),
             m.workload("x2", "x", cpu="4"), m.workload("z", "x", cpu="1")]
    write("c.json", m.dump(*state))
    for name, queue, held, n in (("x2", "x", 2, 1), ("y2", "y", 5, 2)):
        x = valid(fairlead("explain", "-f", "c.json", "-o", "json", f"ns/{name}").json(), "explain")
        assert x["own"] == {"localQueue": f"ns/{queue}", "flavor": "f", "resource": "cpu", "holds": 1000 * held,
                            "queueHolds": 7000, "workloads": n, "queueWorkloads": 3}
        assert (f"\n  local queue 'ns/{queue}' holds {held} of the 7 cpu that queue 'a' holds in flavor 'f', in {n} of 3 "
                "workloads\n") in fairlead("explain", "-f", "c.json", f"ns/{name}").out
    # Nothing is short for the one that fits, and nothing to compare with where all is of one LocalQueue.
    assert "own" not in fairlead("explain", "-f", "c.json", "-o", "json", "ns/z").json()
    write("c.json", m.dump(*[o for o in state if o["metadata"]["name"] not in ("x1", "x2") or o["kind"] != "Workload"],
                           m.workload("y3", "y", cpu="4")))
    assert "own" not in fairlead("explain", "-f", "c.json", "-o", "json", "ns/y3").json()


@pytest.mark.parametrize("name", ["ns/w-1", "job/train", "ns/job/train", "w-1"])
def test_names_of_a_workload(fairlead, write, name):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing(),
                           m.workload("w-1", "la", cpu="1", owner="train")))
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
