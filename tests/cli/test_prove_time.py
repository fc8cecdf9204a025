# SPDX-License-Identifier: Apache-2.0
"""`prove` where time decides too: what it lifts is looked at before and after, or there is no proof."""
import os
import random

import pytest

import entitle_manifests as e
import manifests as m
from test_prove import queue

BOTH = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
API = "fairlead.dev/v1alpha1"


def policy(**defaults):
    return {"apiVersion": API, "kind": "Policy", "metadata": {"name": "p"}, "spec": {"defaults": defaults}}


def held_back(workload, until="2026-01-01T00:10:00Z"):
    """Evicted because its pods were not ready, and in no queue until then."""
    since = "2026-01-01T00:00:05Z"
    workload["status"] = {"requeueState": {"count": 1, "requeueAt": until}, "conditions": [
        {"type": kind, "status": status, "reason": "PodsReadyTimeout", "message": "", "lastTransitionTime": since}
        for kind, status in (("Evicted", "True"), ("Requeued", "False"))]}
    return workload


def usage_based(objects, local_queues=1):
    """Admission Fair Sharing; with two, each workload of a ClusterQueue has its own local queue."""
    out = []
    for o in objects:
        if o["kind"] == "Configuration":
            o["admissionFairSharing"] = {"usageHalfLifeTime": "10m", "usageSamplingInterval": "1m"}
        if o["kind"] == "ClusterQueue":
            o["spec"]["admissionScope"] = {"admissionMode": "UsageBasedAdmissionFairSharing"}
        if o["kind"] == "Workload" and local_queues > 1 and o["metadata"]["name"][-1] in "4":
            o["spec"]["queueName"] += "-2"
        out.append(o)
    twins = [m.local_queue(o["metadata"]["name"] + "-2", o["spec"]["clusterQueue"])
             for o in objects if o["kind"] == "LocalQueue"]
    return out + (twins if local_queues > 1 else [])


def strict(objects):
    for o in objects:
        if o["kind"] == "ClusterQueue":
            o["spec"]["queueingStrategy"] = "StrictFIFO"
    return objects


def later(objects):
    return [held_back(o) if o["kind"] == "Workload" and o["metadata"]["name"] == "w0" else o for o in objects]


# What plan --settle finds going round; time alone does not end it.
LOOPS = {
    "minimum run time": lambda: strict(m.loop()) + [policy(minimumRunTime="1m")],
    "delay": lambda: strict(m.loop()) + [policy(preemptionDelay="10s")],
    "both, of their own length": lambda: strict(m.loop()) + [policy(minimumRunTime="1m", preemptionDelay="7s")],
    "by reason": lambda: strict(m.loop()) + [policy(minimumRunTime={"InCohortReclamation": "3m", "InCohortFairSharing": "20s"})],
    "requeued later": lambda: later(strict(m.loop())),
    "usage of local queues": lambda: usage_based(strict(m.loop())),
}


@pytest.mark.parametrize("name", LOOPS)
def test_time_does_not_hide_a_loop(fairlead, write, valid, name):
    write("c.json", m.dump(*LOOPS[name]()))
    r = fairlead("prove", "-f", "c.json", "-o", "json", "--out", "loop.json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["complete"], proof["proof"]) == (1, True, False)
    assert any(step["preempted"] for step in proof["loop"]["round"])
    assert fairlead("plan", "--settle", "--cycles", "2000", "-f", "c.json").code == 1
    # It can be followed, waits too, and what settles it ends it.
    r = fairlead("plan", "--settle", "-f", "loop.json", "-o", "json")
    assert (r.code, valid(r.json(), "plan")["loop"]["order"]) == (1, "given")
    settles = [x for x in proof["remedies"] if x["setting"] == "preemptionGuarantee: settles"]
    assert [(x["ends"], x["proof"]) for x in settles] == [(True, True)]
    # No setting is said to end it that leaves the scheduler going round.
    assert all(not (x["ends"] or x["proof"]) for x in proof["remedies"] if not x["settles"])


def test_a_wait_is_told(fairlead, write):
    write("c.json", m.dump(*LOOPS["minimum run time"]()))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    moves = [s["move"] for s in r.json()["loop"]["round"]]
    assert "wait" in moves
    assert "time passes until no refusal is temporary any more\n" in fairlead("prove", "-f", "c.json").out


def calm(**more):
    """b reclaims what a borrowed, once, and that is all."""
    first = ["LessThanOrEqualToFinalShare"]
    return [m.namespace("ns"), m.flavor("f"), m.configuration(preemptionStrategies=first),
            {"apiVersion": API, "kind": "Policy", "metadata": {"name": "p"},
             "spec": {"defaults": {"holdFreedQuota": True, **more}}},
            *queue("a", "co", cpu="2"), *queue("b", "co", cpu="2"),
            m.workload("a1", "la", cpu="3", admitted=("a", "f")), m.workload("b1", "lb", cpu="2")]


@pytest.mark.parametrize("more", [
    {}, {"minimumRunTime": "1m"}, {"preemptionDelay": "1m"}, {"minimumRunTime": "1m", "preemptionDelay": "10m"},
    {"reclaimBackOff": {"base": "1m", "max": "8m"}},
])
def test_proofs_hold_whatever_time_lifts_first(fairlead, write, valid, more):
    write("c.json", m.dump(*calm(**more)))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["proof"], proof["end"]) == (0, True, "all")
    assert proof["mostEvictions"] > 0  # those that time lifts are among them
    text = "That holds however long minimum run times, delays and back-offs last"
    assert (text in fairlead("prove", "-f", "c.json").out) == (set(more) & {"minimumRunTime", "preemptionDelay"} != set()
                                                              or "reclaimBackOff" in more)


def test_resume_promises_no_more_than_it_keeps(fairlead, write, tmp_path):
    """What follows when time lifts all at once is kept; what it lifts one by one is looked at anew."""
    write("c.json", m.dump(*calm(minimumRunTime="1m", preemptionDelay="10m")))
    whole = fairlead("prove", "-f", "c.json", "-o", "json").json()
    args = ("prove", "-f", "c.json", "--resume", "state")
    r = fairlead(*args, "--bound", "1")
    assert r.code == 4 and "--bound N explores more, and --resume state goes on from here.\n" in r.out
    assert "one by one" not in r.out
    for _ in range(2):
        r = fairlead(*args, "--bound", str(whole["states"] - 1))
        assert r.code == 4 and "That is the bound: --bound N explores more.\n" in r.out
        assert "not yet all in which they end one by one: that begins anew each time.\n" in r.out
    assert (tmp_path / "state").stat().st_size > 0
    again = fairlead(*args, "-o", "json")
    assert (again.code, again.json()) == (0, whole)


def race(*more):
    """a gets its own back from b; b alone comes back again before it."""
    return [m.namespace("ns"), m.flavor("f"), m.configuration(), *queue("a", "co", cpu="2"), *queue("b", "co", cpu="2"),
            m.workload("a1", "la", cpu="2"), m.workload("b1", "lb", cpu="3", admitted=("b", "f")), *more]


@pytest.mark.parametrize("objects, known", [
    (lambda: race(), True),
    (lambda: race(policy(minimumRunTime="1m")), True),
    (lambda: race(policy(preemptionDelay="1m")), True),
    (lambda: usage_based(race(m.workload("b4", "lb", cpu="1"))), True),
    (lambda: usage_based(race(m.workload("b4", "lb", cpu="1")), local_queues=2), False),
    (lambda: race({"apiVersion": API, "kind": "Policy", "metadata": {"name": "p"},
                   "spec": {"evictionTimeout": "5m", "preemptionGuarantee": "settles"}}), False),
], ids=["no time", "minimum run time", "delay", "one local queue", "usage of local queues", "evictionTimeout"])
def test_that_it_takes_a_race_is_a_proof_or_not_said(fairlead, write, valid, objects, known):
    write("c.json", m.dump(*objects()))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["complete"], proof["loop"]["kind"], proof["loop"]["race"]) == (1, True, "possible", True)
    assert proof["loop"].get("onlyRaces") == (True if known else None)
    left = [x for x in proof["remedies"] if x["loop"] != "none"]
    assert all(x["race"] == known for x in left)
    out = fairlead("prove", "-f", "c.json").out
    assert ("If each preemption is completed first, there is no loop." in out) == known
    assert ("Whether there is a loop without a race is not known." in out) == (not known)
    assert ("but for races" in out or "by a race alone" in out) == (known and left != [])


def test_no_proof_where_usage_orders_local_queues(fairlead, write, valid):
    write("c.json", m.dump(*usage_based(calm() + [m.workload("a4", "la", cpu="1")], local_queues=2)))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["complete"], proof["proof"], proof["end"]) == (5, True, False, "all")
    assert proof["doubt"].startswith("local queues of one ClusterQueue come in the order of their usage")
    r = fairlead("prove", "-f", "c.json")
    assert r.code == 5 and r.out.startswith("No preemption loop was found (") and "but this is not a proof: " in r.out


# --- small worlds at random ---

def nearly_a_loop(r):
    """Three workloads that no order lets come to rest, or what is one cpu beside it."""
    n = [4, 2, 5, 4, 2]
    if r.random() < 0.5:
        n[r.randrange(5)] += r.choice([-1, 1])
    return [*queue("a", "co", cpu=str(n[0])), *queue("b", "co", cpu=str(n[1])),
            m.workload("w0", "la", cpu=str(n[2]), created="2026-01-01T00:00:01Z"),
            m.workload("w4", "lb", cpu=str(n[4]), created="2026-01-01T00:00:02Z"),
            m.workload("w3", "lb", cpu=str(n[3]), created="2026-01-01T00:00:03Z")]


def anything(r):
    """Two or three queues of one cohort, who want more than there is."""
    names = ["a", "b", "c"][:r.choice([2, 2, 3])]
    objects = []
    for name in names:
        objects += queue(name, "co", weight=r.choice([None, "2", "3"]), cpu=str(r.randrange(4)))
        objects[-2]["spec"]["preemption"] = {
            "reclaimWithinCohort": r.choice(["Any", "Any", "LowerPriority"]),
            "withinClusterQueue": r.choice(["Never", "LowerPriority"])}
    for i in range(r.randrange(2, 5)):
        objects.append(m.workload(f"w{i}", "l" + r.choice(names), cpu=str(r.randrange(1, 5)),
                                  priority=r.choice([0, 0, 1]), created=f"2026-01-01T00:00:0{i}Z"))
    return objects


def world(r):
    """A small cluster and rules that hang on time."""
    objects = [m.namespace("ns"), m.flavor("f"), m.configuration(preemptionStrategies=r.choice([BOTH, BOTH, BOTH[:1]])),
               *r.choice([nearly_a_loop, nearly_a_loop, anything])(r)]
    fifo, says = r.choice(["StrictFIFO", "StrictFIFO", "BestEffortFIFO"]), {}
    for o in objects:
        if o["kind"] == "ClusterQueue":
            o["spec"]["queueingStrategy"] = fifo
        if o["kind"] == "Workload" and r.random() < 0.2:
            held_back(o, f"2026-01-01T00:0{r.randrange(1, 9)}:00Z")
    if r.random() < 0.6:
        says["minimumRunTime"] = r.choice(["1m", {"InCohortReclamation": "2m", "InCohortFairSharing": "30s"}])
    if r.random() < 0.4:
        says["preemptionDelay"] = r.choice(["10s", "5m"])
    if r.random() < 0.3:
        says["reclaimBackOff"] = {"base": "1m", "max": "4m"}
    if r.random() < 0.3:
        says["holdFreedQuota"] = True
    objects += [policy(**says)] if says else []
    return usage_based(objects, r.choice([1, 2])) if r.random() < 0.2 else objects


def test_prove_agrees_with_settle(fairlead, write):
    """Where the scheduler's own order goes round or does not come to rest, there is no proof; where there is one,
    it settles with no more evictions than it says."""
    seed = int(os.environ.get("FAIRLEAD_PROVE_SEED", "1"))
    proofs = loops = 0
    for i in range(int(os.environ.get("FAIRLEAD_PROVE_WORLDS", "40"))):
        write("c.json", m.dump(*world(random.Random(seed * 1000000 + i))))
        own = fairlead("plan", "--settle", "--cycles", "1000", "-f", "c.json", "-o", "json")
        r = fairlead("prove", "--bound", "20000", "-f", "c.json", "-o", "json")
        plan, proof = own.json(), r.json()
        assert r.code == (1 if "loop" in proof or "firstCycle" in proof.get("ownOrder", {}) else
                          0 if proof["proof"] else 4 if not proof["complete"] else 5), i
        if own.code == 1:
            assert "loop" in proof or proof["end"] != "all", i  # found by looking, not by its own order alone
            loops += 1
        if r.code == 0:
            assert plan["settled"], i
            evicted = sum(len(c["preempted"]) for c in plan["cycles"])
            assert evicted <= proof["mostEvictions"], i
            proofs += 1
    assert proofs > 5 and loops > 1, (proofs, loops)


# --- the entitle policy: what time lifts is looked at all at once, or not at all ---

def one_reclaim(**spec):
    """b gets back what is its own from a, whose limit was cut: it cannot come back."""
    return [e.machine("n", gpu=2), e.queue("a", gpu=(1, 1, 1), **spec), e.queue("b", gpu=(1, 1, -1)),
            *e.gang("a1", "a", on="n", started="2026-01-01T00:00:00Z"),
            *e.gang("a2", "a", on="n", started="2026-01-01T00:00:00Z"), *e.gang("b1", "b")]


def test_entitle(fairlead, write, valid):
    write("c.json", m.dump(*one_reclaim()))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["policy"], proof["proof"]) == (0, "entitle", True) and proof["mostEvictions"] == 1
    write("c.json", m.dump(*one_reclaim(reclaimMinRuntime="10m")))
    r = fairlead("prove", "-f", "c.json", "--now", "2026-01-01T00:00:10Z", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["proof"], proof["complete"]) == (5, False, True)
    assert proof["doubt"].startswith("minimum run times, and the patience with gangs")
    # It is over: time decides nothing any more.
    assert fairlead("prove", "-f", "c.json", "--now", "2026-01-01T00:10:00Z").code == 0


def test_no_proof_where_budgets_are_used_up(fairlead, write, valid):
    budgets = {"apiVersion": API, "kind": "Policy", "metadata": {"name": "p"}, "spec": {"budgets": {
        "period": {"every": "720h", "start": "2026-01-01T00:00:00Z"}, "queues": [{"name": "b", "gpuHours": 10}]}}}
    write("c.json", m.dump(*one_reclaim(), budgets))
    r = fairlead("prove", "-f", "c.json", "-o", "json")
    proof = valid(r.json(), "prove")
    assert (r.code, proof["proof"]) == (5, False) and proof["doubt"].startswith("usage over time or budgets")
