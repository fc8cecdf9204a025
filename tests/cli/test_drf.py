# SPDX-License-Identifier: Apache-2.0
"""Plain DRF through the command: every verb, on the example of the paper and small clusters beside it."""
import re

import pytest

import manifests as m
from test_simulate import TINY, job, scenario


def task(name, queue, cpu, memory, created=0, **more):
    return m.workload(name, queue, cpu=cpu, memory=memory, created=f"2026-01-01T00:00:{created:02d}Z", **more)


def paper(n=5, weight=None):
    """9 CPUs and 18 GB, brought by a alone; a's tasks want <1 CPU, 4 GB> and b's <3 CPUs, 1 GB>."""
    more = {"fairSharing": {"weight": weight}} if weight else {}
    return [
        m.flavor("f"), m.namespace("ns"),
        m.cluster_queue("a", m.quota("f", cpu="9", memory="18Gi"), **more),
        m.cluster_queue("b", m.quota("f", cpu="0", memory="0")),
        m.local_queue("la", "a"), m.local_queue("lb", "b"),
        *[task(f"a{i}", "la", "1", "4Gi", i) for i in range(n)],
        *[task(f"b{i}", "lb", "3", "1Gi", i) for i in range(n)],
    ]


@pytest.fixture
def drf(fairlead, write):
    def run(verb, *args, objects=None):
        write("c.json", m.dump(*(objects or paper())))
        return fairlead(*verb.split(), "--policy", "drf", "-f", "c.json", *args)
    return run


def admitted(plan):
    return [a["workload"][3:] for c in plan["cycles"] for a in c["admitted"]]


def test_the_example_of_the_paper(drf):
    r = drf("plan --settle", "-o", "json")
    plan = r.json()
    assert r.code == 0 and plan["policy"] == "drf" and plan["settled"]
    assert admitted(plan) == ["a0", "a1", "a2", "b0", "b1"]
    cycle = plan["cycles"][0]
    assert {q: s["dominantResource"] for q, s in cycle["shares"].items()} == {"a": "memory", "b": "cpu"}
    assert {s["precise"] for s in cycle["shares"].values()} == {"666.66666666666663"}
    assert {p["workload"][3:]: p["reason"] for p in cycle["pending"]} == {
        "a3": "NotItsTurn", "a4": "BehindHead", "b2": "WaitingForQuota", "b3": "BehindHead", "b4": "BehindHead"}


def test_a_weight(drf):
    """a counts twice: 4/9 against 3/9 leaves it one more task, and b one less."""
    plan = drf("plan", "-o", "json", objects=paper(weight="3")).json()
    assert admitted(plan) == ["a0", "a1", "a2", "a3", "b0"]


def test_a_quota_limits_nobody(drf, fairlead):
    """b has no quota: the borrow policy admits nothing of it, and check of that policy says so."""
    assert "b0" in admitted(drf("plan", "-o", "json").json())
    plan = fairlead("plan", "-f", "c.json", "-o", "json").json()
    assert not [w for w in admitted(plan) if w.startswith("b")]
    assert "can never have more than 0" in fairlead("check", "-f", "c.json").err
    r = fairlead("check", "--policy", "drf", "-f", "c.json")
    assert r.err == "" and r.out == "2 cluster queues, 2 local queues, 10 workloads: no errors, 0 warnings\n"


def test_what_does_not_count_is_said(drf):
    objects = paper()
    objects[2]["spec"].update(cohortName="c", preemption={"reclaimWithinCohort": "Any"})
    objects.append(task("large", "la", "10", "1Gi"))
    r = drf("check", objects=objects)
    assert r.code == 0
    assert "ClusterQueue/a: plain DRF leaves out: its cohort, preemption" in r.err
    assert "Workload/ns/large: asks for more than its queue could ever have" in r.err


def test_tree(drf):
    r = drf("tree")
    lines = [re.split(r"  +", line.strip()) for line in r.out.splitlines()]
    assert ["f", "cpu", "9", "0"] in lines and ["f", "memory", "18Gi", "0"] in lines
    assert ["a", "1", "0", "cpu", "9", "0", "0", "5"] in lines
    tree = drf("tree", "-o", "json").json()
    assert [(c["resource"], c["amount"]) for c in tree["capacity"]] == [("cpu", 9000), ("memory", 18 << 30)]
    assert [n["name"] for n in tree["nodes"]] == ["a", "b"]
    assert [n["name"] for n in drf("tree", "b", "-o", "json").json()["nodes"]] == ["b"]
    assert "there is no queue 'c'" in drf("tree", "c").err


def test_explain(drf):
    r = drf("explain", "ns/a3").out
    assert r.startswith("Workload ns/a3 waits for its turn: a queue with a lower dominant share is served first.\n")
    assert "3 workloads of its queue come before it" in r
    x = drf("explain", "ns/b2", "-o", "json").json()
    assert (x["state"], x["reason"], x["ahead"]) == ("Waiting", "WaitingForQuota", 2)
    assert x["next"]["workload"] == "ns/b2" and x["next"]["share"]["dominantResource"] == "cpu"
    x = drf("explain", "ns/b0", "-o", "json").json()
    assert x["state"] == "AdmittedNext" and x["podSets"]
    objects = paper() + [task("large", "la", "10", "1Gi")]
    x = drf("explain", "ns/large", "-o", "json", objects=objects).json()
    assert x["reason"] == "ExceedsMaxQuota" and x["alone"] == {"decision": "wait", "reason": "ExceedsMaxQuota"}
    assert x["shortage"] == {"flavor": "f", "resource": "cpu", "requested": 10000, "capacity": 9000}


def test_explain_one_that_holds(drf):
    objects = paper() + [m.workload("holds", "la", cpu="1", memory="4Gi", admitted=("a", "f"))]
    r = drf("explain", "ns/holds", objects=objects)
    assert r.code == 0 and "queue 'a' has a dominant share of 223 thousandths, of memory" in r.out


def test_what_if(drf, write):
    """Three CPUs more are one task more of b."""
    write("more.json", m.dump(m.cluster_queue("a", m.quota("f", cpu="12", memory="18Gi"))))
    r = drf("what-if", "--change", "more.json", "-o", "json")
    change = r.json()
    assert [a["workload"] for a in change["admitted"]] == ["ns/b2"]
    b = next(n for n in change["nodes"] if n["name"] == "b")
    assert (b["before"]["share"]["weightedShare"], b["after"]["share"]["weightedShare"]) == ("667", "750")
    assert [r["held"] for r in b["after"]["resources"]] == [9000, 3 << 30]
    text = drf("what-if", "--change", "more.json").out
    assert re.search(r"b +667 -> 750 +cpu +0 +6 -> 9", text)
    gone = drf("what-if", "--delete", "ClusterQueue/b", "-o", "json").json()
    assert [n["change"] for n in gone["nodes"] if n["name"] == "b"] == ["removed"]


def test_prove(drf):
    r = drf("prove")
    assert r.code == 0 and r.out.startswith("No preemption loop: this policy preempts no workload.\n")
    r = drf("prove --check", objects=paper(2))
    assert r.code == 0 and r.out.startswith("No preemption loop")


def test_save_and_go_on(drf, fairlead):
    assert drf("save", "--out", "c.img").code == 0
    assert fairlead("plan", "-f", "c.img", "-o", "json").json()["cycles"] == drf("plan", "-o", "json").json()["cycles"]
    r = fairlead("plan", "--policy", "borrow", "-f", "c.img")
    assert r.code == 1 and "the image is of the policy drf" in r.err


def test_simulate(fairlead, write):
    """a takes all 8 cores for two hours; b's job waits for the end of one of them, and nobody is evicted."""
    name = write("tiny.yaml", scenario(TINY))
    r = fairlead("simulate", "--policy", "drf", "-f", name, "--out", "out", "-o", "json")
    assert r.code == 0 and r.json()["policy"] == "drf"
    totals = r.json()["totals"]
    assert (totals["finished"], totals["evictions"]) == (3, 0)
    nodes = {n["name"]: n for n in r.json()["nodes"]}
    assert nodes["b"]["wait"]["max"] == 90 * 60
    # From 30 min to 2 h both want half or more of 8 cores, and a has all: 4 and 6 hours of 3.
    assert nodes["a"]["entitled"]["cpu"] == pytest.approx((8 * 0.5 + 4 * 1.5) / 3, abs=0.1)


def test_compare_with_the_same_jobs(fairlead, write):
    """Whatever is asked of it, drf gives the two queues of a cohort the same over a day of too many jobs."""
    many = {"until": "12h", "classes": [job(f"c{i}", "ab"[i], count=400, every="3m", runs="20m", requests={"cpu": 1})
                                        for i in range(2)]}
    name = write("many.yaml", scenario(many))
    r = fairlead("compare", "--policy", "drf", "-f", name, "--sweep", "load=1,2", "-o", "json")
    assert r.code == 0, r.err
    for v in r.json()["variants"]:
        held = {n["name"]: n["held"]["cpu"] for n in v["report"]["nodes"]}
        assert held["a"] == pytest.approx(held["b"], rel=0.1)


def test_what_has_no_meaning_is_refused(drf, fairlead):
    assert drf("divide").code == 1
    r = fairlead("plan", "--policy", "fifo", "-f", "c.json")
    assert r.code == 2 and "'fifo' is neither borrow nor entitle nor drf" in r.err
