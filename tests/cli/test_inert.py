# SPDX-License-Identifier: Apache-2.0
"""What is legal but has no effect: a warning with its place, and the rest goes on."""
import pytest

import manifests as m


def others_go_on(r):
    """The small cluster's own decisions are there, whatever else is in the input."""
    assert r.code == 0
    pending = {p["workload"]: p for p in r.json()["cycles"][0]["pending"]}
    assert pending["ns/a1"]["head"] is True
    return pending


def plan(fairlead, write, *extra):
    write("c.json", m.dump(*m.small(), *extra))
    return fairlead("plan", "-f", "c.json", "-o", "json")


def warnings(r):
    return [line for line in r.err.splitlines() if ": warning: " in line]


def test_missing_flavor(fairlead, write):
    r = plan(fairlead, write, m.cluster_queue("c", m.quota("nowhere", cpu="4"), cohort="co"),
             m.local_queue("lc", "c"), m.workload("c1", "lc", cpu="1"))
    pending = others_go_on(r)
    assert pending["ns/c1"]["reason"] == "ClusterQueueInactive"
    assert len(warnings(r)) == 1
    assert warnings(r)[0].startswith("c.json:")
    assert "ClusterQueue/c: flavor 'nowhere' does not exist; the queue is inactive" in r.err
    tree = fairlead("tree", "-f", "c.json")
    assert "ClusterQueue c is inactive: flavor 'nowhere' does not exist" in tree.out


def test_local_queue_without_queue(fairlead, write):
    r = plan(fairlead, write, m.local_queue("lx", "nowhere"), m.workload("x1", "lx", cpu="1"))
    pending = others_go_on(r)
    assert pending["ns/x1"]["reason"] == "QueueDoesNotExist"
    assert pending["ns/x1"]["clusterQueue"] == ""
    assert len(warnings(r)) >= 1 and "nowhere" in r.err


def test_workload_of_missing_queue(fairlead, write):
    r = plan(fairlead, write, m.workload("x1", "nowhere", cpu="1"))
    assert others_go_on(r)["ns/x1"]["reason"] == "QueueDoesNotExist"
    assert len(warnings(r)) == 1 and "nowhere" in r.err


def test_workload_without_queue(fairlead, write):
    w = m.workload("x1", "la", cpu="1")
    del w["spec"]["queueName"]
    r = plan(fairlead, write, w)
    assert others_go_on(r)["ns/x1"]["reason"] == "QueueDoesNotExist"
    assert len(warnings(r)) == 1


def test_cohort_cycle(fairlead, write):
    r = plan(fairlead, write, m.cohort("r1", "r2"), m.cohort("r2", "r1"),
             m.cluster_queue("c", m.quota("f", cpu="4"), cohort="r1"),
             m.local_queue("lc", "c"), m.workload("c1", "lc", cpu="1"))
    assert others_go_on(r)["ns/c1"]["reason"] == "CohortCycle"
    assert warnings(r)
    tree = fairlead("tree", "-f", "c.json")
    assert "Cohort r1 is inactive: below a cycle of cohorts" in tree.out
    one = fairlead("tree", "-f", "c.json", "c")
    assert (one.code, one.out) == (1, "")
    assert "'c' is in no tree: below a cycle of cohorts" in one.err


def test_unknown_field_names_the_nearest(fairlead, write):
    q = m.cluster_queue("c", m.quota("f", cpu="4"))
    q["spec"]["resourceGroup"] = []
    r = plan(fairlead, write, q)
    others_go_on(r)
    assert len(warnings(r)) == 1
    assert "resourceGroup" in r.err and "'resourceGroups'" in r.err
    for verb in (["plan"], ["tree"], ["check"], ["explain", "ns/a1"]):
        strict = fairlead(*verb, "--strict", "-f", "c.json")
        assert strict.code == 1
        if verb[0] != "check":
            assert strict.out == "" and ": error: " in strict.err


def test_stopped_queue(fairlead, write):
    r = plan(fairlead, write, m.cluster_queue("c", m.quota("f", cpu="4"), stopPolicy="Hold"),
             m.local_queue("lc", "c"), m.workload("c1", "lc", cpu="1"))
    assert others_go_on(r)["ns/c1"]["reason"] == "ClusterQueueInactive"


def test_no_more_than_20_warnings(fairlead, write):
    r = plan(fairlead, write, *[m.workload(f"x{i:02}", "nowhere", cpu="1") for i in range(30)])
    others_go_on(r)
    assert len(warnings(r)) == 20
    assert r.err.splitlines()[-1] == "fairlead: 10 more warnings; 'fairlead check' prints all"
    assert len(warnings(fairlead("check", "-f", "c.json"))) >= 30


@pytest.mark.parametrize("verb", ["plan", "tree", "check"])
def test_other_kinds_are_passed_over(fairlead, write, verb):
    write("c.json", m.dump(*m.small(), {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}))
    r = fairlead(verb, "-f", "c.json")
    assert r.code == 0
    assert [line for line in r.err.splitlines() if "note: Secret/s: kind 'Secret' of 'v1' is not read" in line]
