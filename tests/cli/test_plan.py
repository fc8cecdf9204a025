# SPDX-License-Identifier: Apache-2.0
import pytest

import manifests as m

ASSUMED = """
Assumed:
  the clock is 2026-01-01T00:00:01Z, the newest time in the input
  no workload is parked and no flavor search is under way: objects do not tell
  containers take what they state: no LimitRange in the input
"""
COLUMNS = {"COLUMNS": "80"}
PREEMPTION = {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"}


def reclaim():
    """a takes its nominal quota back from b, which borrows."""
    return [
        m.namespace("ns"), m.flavor("f"),
        m.cluster_queue("a", m.quota("f", cpu="4"), cohort="co", preemption=PREEMPTION),
        m.cluster_queue("b", m.quota("f", cpu="4"), cohort="co"),
        m.local_queue("la", "a"), m.local_queue("lb", "b"),
        m.workload("b1", "lb", cpu="3", admitted=("b", "f")),
        m.workload("b2", "lb", cpu="3", admitted=("b", "f"), created="2026-01-01T00:00:01Z"),
        m.workload("a1", "la", cpu="4"),
    ]


def test_text(fairlead, write):
    write("c.json", m.dump(*m.small(), m.no_fair_sharing()))
    r = fairlead("plan", "-f", "c.json", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
No workload is admitted or preempted.

2 wait:
  QUEUE  WAIT  FIRST  WHY
  a         2  ns/a1  does not fit, and no workload it may preempt would free
                      enough: asks for 3 cpu in flavor 'f', 2 available; 1 more
                      waits behind it

More may follow: --settle goes on until nothing changes.
""" + ASSUMED


def test_text_of_settle(fairlead, write):
    write("c.json", m.dump(*reclaim(), m.no_fair_sharing()))
    r = fairlead("plan", "--settle", "-f", "c.json", env=COLUMNS)
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
Cycle 1: 0 admitted, 1 preempted
  PREEMPTED  QUEUE  FOR    REASON
  ns/b2      b      ns/a1  InCohortReclamation

Cycle 2: 1 admitted, 0 preempted
  ADMITTED  QUEUE  PODS  FLAVORS
  ns/a1     a         1  cpu: f

1 waits:
  QUEUE  WAIT  FIRST  WHY
  b         1  ns/b2  does not fit, and no workload it may preempt would free
                      enough: asks for 3 cpu in flavor 'f', 1 available

Settled after 2 cycles: nothing changes any more.
""" + ASSUMED


def test_loop(fairlead, write, valid):
    write("c.json", m.dump(*m.loop()))
    r = fairlead("plan", "--settle", "-f", "c.json", env=COLUMNS)
    assert (r.code, r.err) == (1, "")
    assert """
Never settles: after cycle 4 the state is again that before cycle 2, and cycles
2 to 4 repeat for ever (period 3).
Taking turns:
  ns/w0
  ns/w3
  ns/w4
""" in r.out
    r = fairlead("plan", "--settle", "-f", "c.json", "-o", "json")
    assert (r.code, r.err) == (1, "")
    plan = valid(r.json(), "plan")
    assert plan["settled"] is False
    loop = plan["loop"]  # test_prove.py has the rest of it
    assert (loop["firstCycle"], loop["period"], loop["workloads"]) == (2, 3, ["ns/w0", "ns/w3", "ns/w4"])
    assert len(plan["cycles"]) == 4
    # Without --settle a loop is no reason to stop, and no failure.
    r = fairlead("plan", "--cycles", "20", "-f", "c.json", "-o", "json")
    assert r.code == 0
    cycles = r.json()["cycles"]
    assert len(cycles) == 20
    assert [c["preempted"] for c in cycles[1:4]] == [c["preempted"] for c in cycles[4:7]]


def test_limit_of_settle(fairlead, write):
    write("c.json", m.dump(*m.loop()))
    r = fairlead("plan", "--settle", "--cycles", "2", "-f", "c.json")
    assert r.code == 1
    assert "Not settled after 2 cycles, the limit.\n" in r.out


def test_json(fairlead, write, valid):
    write("c.json", m.dump(*reclaim()))
    r = fairlead("plan", "--cycles", "5", "-f", "c.json", "-o", "json")
    assert (r.code, r.err) == (0, "")
    plan = valid(r.json(), "plan")
    assert plan["settled"] is True and "loop" not in plan
    first, second = plan["cycles"]  # the trailing ones decide nothing
    assert first == {
        "admitted": [],
        "preempted": [{"workload": "ns/b2", "clusterQueue": "b", "preemptor": "ns/a1",
                       "reason": "InCohortReclamation"}],
        "pending": [{"workload": "ns/a1", "clusterQueue": "a", "head": True,
                     "reason": "WaitingForPreemptedWorkloads",
                     "message": "waits until the workloads preempted for it have released their quota: "
                                "asks for 4 cpu in flavor 'f', 2 available"}],
    }
    assert second["admitted"] == [{"workload": "ns/a1", "clusterQueue": "a", "podSets": [
        {"name": "main", "count": 1, "flavors": {"cpu": "f"}}]}]
    assert [p["workload"] for p in second["pending"]] == ["ns/b2"]


def test_first_cycle_is_kept_and_lists_are_sorted(fairlead, write, valid):
    write("c.json", m.dump(*m.small(), m.workload("a0", "la", cpu="1", created="2026-01-02T00:00:00Z")))
    r = fairlead("plan", "-f", "c.json", "-o", "json")
    plan = valid(r.json(), "plan")
    assert len(plan["cycles"]) == 1
    assert [(p["workload"], p["head"], p["reason"]) for p in plan["cycles"][0]["pending"]] == [
        ("ns/a0", False, "BehindHead"), ("ns/a1", True, "PreemptionNoCandidates"),
        ("ns/a2", False, "BehindHead")]


def test_shares_only_with_fair_sharing(fairlead, write, valid):
    write("off.json", m.dump(*m.small()))
    write("on.json", m.dump(*m.small(), m.configuration()))
    off = valid(fairlead("plan", "-f", "off.json", "-o", "json").json(), "plan")
    on = valid(fairlead("plan", "-f", "on.json", "-o", "json").json(), "plan")
    assert "shares" not in off["cycles"][0]
    assert on["cycles"][0]["shares"] == {
        "clusterQueues": {"a": {"weightedShare": "0", "precise": "0"},
                          "b": {"weightedShare": "250", "precise": "250"}},
        "cohorts": {"co": {"weightedShare": "0", "precise": "0"}}}
    assert len(off["warnings"]) == 1 and "fair sharing" in off["warnings"][0]
    assert "warnings" not in on


def test_infinite_share_and_inactive_queues(fairlead, write, valid):
    write("c.json", m.dump(
        *m.small(), m.configuration(),
        m.cluster_queue("z", m.quota("f", cpu="1"), cohort="co", fairSharing={"weight": "0"}),
        m.local_queue("lz", "z"), m.workload("z1", "lz", cpu="2", admitted=("z", "f")),
        m.cluster_queue("gone", m.quota("nowhere", cpu="1"), cohort="co"),
        m.cluster_queue("held", m.quota("f", cpu="1"), cohort="co", stopPolicy="Hold")))
    plan = valid(fairlead("plan", "-f", "c.json", "-o", "json").json(), "plan")
    queues = plan["cycles"][0]["shares"]["clusterQueues"]
    assert queues["z"] == {"weightedShare": "inf", "precise": "inf"}
    assert sorted(queues) == ["a", "b", "z"]


def test_precise_is_17_digits(fairlead, write):
    write("c.json", m.dump(*m.small(), m.configuration(), m.cluster_queue("d", m.quota("f", cpu="4"), cohort="co")))
    plan = fairlead("plan", "-f", "c.json", "-o", "json").json()
    assert plan["cycles"][0]["shares"]["clusterQueues"]["b"] == {
        "weightedShare": "167", "precise": "166.66666666666666"}


def test_long_lists_are_cut(fairlead, write):
    write("c.json", m.dump(
        m.namespace("ns"), m.flavor("f"),
        *[o for i in range(60) for o in (
            m.cluster_queue(f"q{i:02}", m.quota("f", cpu="1")), m.local_queue(f"l{i:02}", f"q{i:02}"),
            m.workload(f"w{i:02}", f"l{i:02}", cpu="1" if i < 30 else "2"))]))
    r = fairlead("plan", "-f", "c.json", env=COLUMNS)
    assert "Cycle 1: 30 admitted, 0 preempted\n" in r.out
    assert "  ... and 10 more; --all lists them\n" in r.out
    assert "ns/w19 " in r.out and "ns/w20 " not in r.out
    r = fairlead("plan", "--all", "-f", "c.json", env=COLUMNS)
    assert "--all" not in r.out
    assert all(f"ns/w{i:02} " in r.out for i in range(60))


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("args", [["plan"], ["plan", "--settle"], ["plan", "--all"], ["tree"], ["explain", "ns/a1"]])
def test_no_line_is_too_wide(fairlead, write, width, args):
    write("c.json", m.dump(*m.small(), m.configuration()))
    r = fairlead(*args, "-f", "c.json", env={"COLUMNS": str(width)})
    assert r.code == 0
    assert max(len(line) for line in r.out.splitlines()) <= width
    assert not any(line != line.rstrip() for line in r.out.splitlines())


def test_now(fairlead, write):
    write("c.json", m.dump(*m.small()))
    r = fairlead("plan", "-f", "c.json", "--now", "2027-01-01T00:00:00Z", "-o", "json")
    assert r.code == 0
    assert not any("clock" in a for a in r.json()["assumptions"])


def test_assumed_namespaces(fairlead, write):
    objects = [o for o in m.small() if o["kind"] != "Namespace"]
    for o in objects:
        if o["kind"] == "ClusterQueue":
            o["spec"]["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": "ns"}}
    write("c.json", m.dump(*objects))
    r = fairlead("plan", "-f", "c.json", "-o", "json")
    assert "every namespace exists, with its name as only label: no Namespaces in the input" in r.json()["assumptions"]
    assert r.json()["cycles"][0]["pending"][0]["reason"] == "PreemptionNoCandidates"


def test_nobody_waits(fairlead, write):
    write("c.json", m.dump(m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", cpu="1"))))
    r = fairlead("plan", "-f", "c.json")
    assert r.code == 0
    assert "No workload waits.\n" in r.out
    assert r.out.endswith("no LimitRange in the input\n")


def test_pods_with_other_selectors_are_not_alike_whatever_their_hash(fairlead, write):
    """Two values whose templates were found to have the same hash: that the first fits nowhere parks it alone."""
    def pending(name, pool, second):
        one = m.workload(name, "l", cpu="1", created=f"2026-01-01T00:00:0{second}Z")
        one["spec"]["podSets"][0]["template"]["spec"]["nodeSelector"] = {"pool": pool}
        return one

    flavor = m.flavor("f")
    flavor["spec"] = {"nodeLabels": {"pool": "gpu-h100-pool-01"}}
    write("c.json", m.dump(m.namespace("ns"), flavor, m.cluster_queue("a", m.quota("f", cpu="4")), m.local_queue("l", "a"),
                           pending("nowhere", "7b67eWsChd-x9CLY", 1), pending("fits", "gpu-h100-pool-01", 2)))
    r = fairlead("plan", "-f", "c.json", "--cycles", "2", "-o", "json")
    assert [a["workload"] for cycle in r.json()["cycles"] for a in cycle["admitted"]] == ["ns/fits"]
