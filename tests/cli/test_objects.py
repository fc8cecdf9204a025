# SPDX-License-Identifier: Apache-2.0
"""What the objects say of workloads, from the outside: stop policies, back-off, defaults, resources."""
import pytest

import manifests as m

OPEN = {"namespaceSelector": {}}


def cluster(*extra, a=None, b=None):
    """Two queues of 4 cpu in a cohort; b1 holds 4 of b, a1 asks for 6 in a."""
    return [
        m.namespace("ns"), m.flavor("f"),
        m.cluster_queue("a", m.quota("f", cpu="4"), cohort="co", **(a or {})),
        m.cluster_queue("b", m.quota("f", cpu="4"), cohort="co", **(b or {})),
        m.local_queue("la", "a"), m.local_queue("lb", "b"),
        m.workload("b1", "lb", cpu="4", admitted=("b", "f")),
        m.workload("a1", "la", cpu="6"),
        *extra,
    ]


def with_status(workload, **status):
    workload.setdefault("status", {}).update(status)
    return workload


def reserved(workload):
    """Quota, but not all of its checks."""
    workload["status"]["conditions"] = [
        c for c in workload["status"]["conditions"] if c["type"] != "Admitted"]
    return workload


def configuration(**rest):
    return {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration", **rest}


def limit_range(*limits, ns="ns"):
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l", "namespace": ns},
            "spec": {"limits": list(limits)}}


@pytest.fixture
def run(fairlead, write, valid):
    def answer(objects, *args):
        write("c.json", m.dump(*objects))
        if args[0] == "plan":
            doc = valid(fairlead(*args, "-f", "c.json", "-o", "json").json(), "plan")
            return [sorted(w["workload"] for w in c["admitted"]) for c in doc["cycles"]], doc
        return fairlead(*args, "-f", "c.json")
    return answer


def pending(doc, cycle=0):
    return {p["workload"]: p["reason"] for p in doc["cycles"][cycle]["pending"]}


def settled(cycles):
    """Names in the order they were admitted."""
    return [name for cycle in cycles for name in cycle]


# --- stop policies ---

def test_drain_evicts_what_runs(run):
    objects = cluster(m.workload("b2", "lb", cpu="1"), b={"stopPolicy": "HoldAndDrain"})
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a1"] and doc["settled"] is True
    cycles, doc = run(objects, "plan")
    assert settled(cycles) == []
    assert pending(doc) == {"ns/a1": "WaitingForQuota", "ns/b2": "ClusterQueueInactive"}
    r = run(objects, "explain", "ns/b1")
    assert r.out.startswith("ns/b1 is evicted because its cluster queue is stopped; "
                            "until it has ended it holds quota of queue 'b'.\n")
    assert "ns/b2 cannot be admitted: it belongs to a queue that is not active." in \
        run(objects, "explain", "ns/b2").out
    r = run(objects, "check")
    assert "ClusterQueue/b: the queue is stopped: it admits nothing, and its running workloads are evicted" in r.err


def test_hold_lets_run(run):
    objects = cluster(m.workload("b2", "lb", cpu="1"), b={"stopPolicy": "Hold"})
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == []
    r = run(objects, "check")
    assert "ClusterQueue/b: the queue is stopped: it admits nothing\n" in r.err


def test_hold_takes_a_reservation(run):
    objects = cluster(b={"stopPolicy": "Hold"})
    objects[6] = reserved(objects[6])
    cycles, _ = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a1"]


@pytest.mark.parametrize("policy, admitted", [("Hold", []), ("HoldAndDrain", ["ns/a1"])])
def test_local_queue(run, policy, admitted):
    objects = cluster(m.workload("b2", "lb", cpu="1"))
    objects[5]["spec"]["stopPolicy"] = policy
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == admitted
    assert pending(doc)["ns/b2"] == "QueueStopped"
    r = run(objects, "explain", "ns/b1")
    if admitted:
        assert r.out.startswith("ns/b1 is evicted because its local queue is stopped; ")
    else:
        assert r.out.startswith("ns/b1 is admitted in queue 'b'")


def test_waiting_in_a_stopped_queue_is_counted(fairlead, write):
    write("c.json", m.dump(*cluster(m.workload("b2", "lb", cpu="1"), b={"stopPolicy": "Hold"})))
    row = [line for line in fairlead("tree", "-f", "c.json").out.splitlines() if "b  " in line][0]
    assert row.split()[-1] == "1"


# --- what must go for other reasons ---

def test_check_that_retries(run):
    objects = cluster()
    objects[6]["status"]["admissionChecks"] = [{"name": "c", "state": "Retry", "message": "",
                                                "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    cycles, _ = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/b1"] and cycles[0] == []  # it goes, and is there again
    assert "ns/b1 is evicted because an admission check asks for a retry; " in \
        run(objects, "explain", "ns/b1").out


def test_check_that_rejects(run):
    objects = cluster()
    objects[6]["status"]["admissionChecks"] = [{"name": "c", "state": "Rejected"}]
    cycles, _ = run(objects, "plan")
    assert settled(cycles) == ["ns/a1"]  # at once: it holds nothing any more
    assert run(objects, "explain", "ns/b1").out.startswith("ns/b1 is not active.")


def test_local_queue_is_gone(run):
    objects = cluster()
    objects[6] = reserved(objects[6])
    objects[6]["spec"]["queueName"] = "nowhere"
    cycles, _ = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a1"]
    assert "ns/b1 loses its reservation because its local queue no longer exists; " in \
        run(objects, "explain", "ns/b1").out


# --- back-off ---

BACK_OFF = {"requeueState": {"count": 1, "requeueAt": "2026-01-01T00:05:00Z"}}


def back_off(**more):
    return [*cluster()[:6], with_status(m.workload("a1", "la", cpu="1"), **BACK_OFF, **more),
            m.workload("a2", "la", cpu="1", created="2026-01-01T00:00:10Z")]


def test_back_off(run):
    cycles, doc = run(back_off(), "plan")
    assert settled(cycles) == ["ns/a2"]
    assert pending(doc) == {"ns/a1": "BackOff"}
    cycles, doc = run(back_off(), "plan", "--settle")
    assert settled(cycles) == ["ns/a2", "ns/a1"]
    assert doc["settled"] is True
    assert len(cycles) < 10  # nothing is done in between
    cycles, _ = run(back_off(), "plan", "--now", "2026-01-01T00:05:00Z")
    assert settled(cycles) == ["ns/a1"]


def test_back_off_explained(run):
    r = run([*back_off(), m.no_fair_sharing()], "explain", "ns/a1")
    assert r.out.startswith("ns/a1 waits for the end of its back-off, at 2026-01-01T00:05:00Z.")


def test_not_requeued(run):
    objects = back_off(conditions=[{"type": "Requeued", "status": "False", "reason": "Mine"}])
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a2"]
    assert pending(doc) == {"ns/a1": "NotRequeued"}
    r = run([*objects, m.no_fair_sharing()], "explain", "ns/a1")
    assert r.out.startswith("ns/a1 is held back: its condition Requeued is False, for reason 'Mine'.")


# --- what pods take ---

def test_limit_range_defaults(run):
    objects = cluster(m.workload("a2", "la"), limit_range(
        {"type": "Container", "defaultRequest": {"cpu": "3"}}))
    r = run(objects, "explain", "ns/a2")
    assert "asks for: 3 cpu" in r.out
    assert "no LimitRange in the input" not in r.out
    assert "containers take what they state: no LimitRange in the input" in \
        run(objects[:-1], "explain", "ns/a2").out


def test_limit_range_refuses(run):
    objects = cluster(m.workload("a2", "la", cpu="1"), limit_range({"type": "Pod", "min": {"cpu": "2"}}))
    _, doc = run(objects, "plan")
    assert pending(doc)["ns/a2"] == "OutsideLimitRange"
    r = run(objects, "check")
    assert "Workload/ns/a2: asks for more or less than a LimitRange of namespace 'ns' allows" in r.err
    assert "it asks for more or less than a LimitRange of its namespace allows." in \
        run(objects, "explain", "ns/a2").out


def test_limit_range_blocks_a_strict_queue(run):
    objects = [*cluster(a={"queueingStrategy": "StrictFIFO"})[:6],
               m.workload("a1", "la", cpu="1"),
               m.workload("a2", "la", cpu="2", created="2026-01-01T00:00:01Z"),
               limit_range({"type": "Pod", "min": {"cpu": "2"}})]
    cycles, _ = run(objects, "plan", "--settle")
    assert settled(cycles) == []
    objects[2]["spec"]["queueingStrategy"] = "BestEffortFIFO"
    cycles, _ = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a2"]


def test_runtime_class(run):
    w = m.workload("a2", "la", cpu="1")
    w["spec"]["podSets"][0]["template"]["spec"]["runtimeClassName"] = "kata"
    kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"},
            "handler": "kata", "overhead": {"podFixed": {"cpu": "250m"}}}
    assert "asks for: 1250m cpu" in run(cluster(w, kata), "explain", "ns/a2").out
    r = run(cluster(w), "explain", "ns/a2")
    assert "asks for: 1 cpu" in r.out
    assert "RuntimeClass 'kata' is not in the input: its pods are taken to have no overhead" in r.out


def test_transformations(run):
    objects = [m.namespace("ns"), m.flavor("f"),
               m.cluster_queue("a", m.quota("f", credits="10")), m.local_queue("la", "a"),
               m.workload("a1", "la", **{"example.com/gpu": "2", "cpu": "1"}),
               m.workload("a2", "la", **{"example.com/gpu": "2"}, created="2026-01-01T00:00:01Z"),
               configuration(resources={
                   "excludeResourcePrefixes": ["cpu"],
                   "transformations": [{"input": "example.com/gpu", "strategy": "Replace",
                                        "outputs": {"credits": "3"}}]})]
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a1"]
    assert list(pending(doc, -1)) == ["ns/a2"]
    assert "credits" in run(objects, "explain", "ns/a2").out
    assert run(objects[:-1], "plan")[1]["cycles"][0]["pending"][0]["reason"] == "ResourceNotCovered"


def test_pods_that_are_done(run):
    b1 = m.workload("b1", "lb", cpu="1", count=4, admitted=("b", "f"))
    a1 = m.workload("a1", "la", cpu="2", count=4)
    objects = [*cluster()[:6], b1, a1]
    assert settled(run(objects, "plan", "--settle")[0]) == []
    b1["status"]["reclaimablePods"] = [{"name": "main", "count": 2}]
    assert settled(run(objects, "plan", "--settle")[0]) == []
    a1["status"] = {"reclaimablePods": [{"name": "main", "count": 1}]}
    cycles, doc = run(objects, "plan", "--settle")
    assert settled(cycles) == ["ns/a1"]
    assert doc["cycles"][0]["admitted"][0]["podSets"][0]["count"] == 3
    objects.append(configuration(featureGates={"ReclaimablePods": False}))
    assert settled(run(objects, "plan", "--settle")[0]) == []


# --- feature gates that change decisions ---

def test_gate_partial_admission(run):
    w = m.workload("a1", "la", cpu="3", count=4)
    w["spec"]["podSets"][0]["minCount"] = 1
    objects = [*cluster()[:6], w]
    assert settled(run(objects, "plan")[0]) == ["ns/a1"]
    objects.append(configuration(featureGates={"PartialAdmission": False}))
    assert settled(run(objects, "plan")[0]) == []


def test_gate_lending_limit(run):
    objects = cluster()[:6] + [m.workload("a1", "la", cpu="6")]
    objects[3] = m.cluster_queue("b", m.quota("f", cpu={"nominalQuota": "4", "lendingLimit": "1"}), cohort="co")
    assert settled(run(objects, "plan")[0]) == []
    objects.append(configuration(featureGates={"LendingLimit": False}))
    assert settled(run(objects, "plan")[0]) == ["ns/a1"]


def test_gate_priority_sorting(run):
    """Both borrow, and only one fits: the one with the priority, or the older one."""
    objects = cluster()[:6] + [m.cluster_queue("c", m.quota("f", cpu="2"), cohort="co"),
                               m.workload("a1", "la", cpu="6"),
                               m.workload("b1", "lb", cpu="6", priority=5, created="2026-01-01T00:00:01Z")]
    assert run(objects, "plan")[0][0] == ["ns/b1"]
    objects.append(configuration(featureGates={"PrioritySortingWithinCohort": False}))
    assert run(objects, "plan")[0][0] == ["ns/a1"]


FAIR = {"preemptionStrategies": ["LessThanOrEqualToFinalShare"]}


def test_gate_preempt_within_nominal(run):
    """Within its quota by its own, beyond it with a department's: S1 takes, shares do not."""
    reclaim = {"preemption": {"reclaimWithinCohort": "Any"}}
    objects = [m.namespace("ns"), m.flavor("f"), m.cohort("left", "co"), m.cohort("right", "co"),
               m.cluster_queue("a", m.quota("f", cpu="4"), cohort="left", **reclaim),
               m.cluster_queue("a2", m.quota("f", cpu="0"), cohort="left"),
               m.cluster_queue("b", m.quota("f", cpu="4"), cohort="right"),
               m.cluster_queue("c", m.quota("f", cpu="2"), cohort="right"),
               *[m.local_queue("l" + q, q) for q in ("a", "a2", "b", "c")],
               m.workload("x2", "la2", cpu="4", admitted=("a2", "f")),
               m.workload("xb", "lb", cpu="6", admitted=("b", "f")),
               m.workload("a1", "la", cpu="4"),
               configuration(fairSharing=FAIR)]
    _, doc = run(objects, "plan")
    assert [v["reason"] for v in doc["cycles"][0]["preempted"]] == ["InCohortReclamation"]
    objects[-1] = configuration(fairSharing=FAIR, featureGates={"FairSharingPreemptWithinNominal": False})
    _, doc = run(objects, "plan")
    assert {v["reason"] for v in doc["cycles"][0]["preempted"]} <= {"InCohortFairSharing"}


def test_gate_prioritize_non_borrowing(run):
    """b borrows with its workload and has the larger weight; a stays within its quota, but borrows memory."""
    objects = [m.namespace("ns"), m.flavor("f"),
               m.cluster_queue("a", m.quota("f", cpu="4", memory="2"), cohort="co"),
               m.cluster_queue("b", m.quota("f", cpu="2", memory="2"), cohort="co", fairSharing={"weight": "100"}),
               m.cluster_queue("c", m.quota("f", cpu="0", memory="6"), cohort="co"),
               m.local_queue("la", "a"), m.local_queue("lb", "b"),
               m.workload("a0", "la", memory="6", admitted=("a", "f")),
               m.workload("a1", "la", cpu="4"), m.workload("b1", "lb", cpu="3"),
               configuration(fairSharing=FAIR)]
    assert run(objects, "plan")[0][0] == ["ns/a1"]
    objects[-1] = configuration(fairSharing=FAIR, featureGates={"FairSharingPrioritizeNonBorrowing": False})
    assert run(objects, "plan")[0][0] == ["ns/b1"]


def test_gate_recompute_on_overlap(run):
    """a1 and b1 would both take the newest that borrows: the second takes the other one, or waits for the next cycle."""
    reclaim = {"preemption": {"reclaimWithinCohort": "Any"}}
    objects = [m.namespace("ns"), m.flavor("f"),
               m.cluster_queue("a", m.quota("f", cpu="4"), cohort="co", **reclaim),
               m.cluster_queue("b", m.quota("f", cpu="4"), cohort="co", **reclaim),
               m.cluster_queue("c", m.quota("f", cpu="0"), cohort="co"),
               *[m.local_queue("l" + q, q) for q in ("a", "b", "c")],
               m.workload("c1", "lc", cpu="4", admitted=("c", "f")),
               m.workload("c2", "lc", cpu="4", admitted=("c", "f")),
               m.workload("a1", "la", cpu="4"), m.workload("b1", "lb", cpu="4")]
    assert len(run(objects, "plan")[1]["cycles"][0]["preempted"]) == 2
    objects.append(configuration(featureGates={"RecomputeAssignmentUponPreemptionTargetsOverlap": False}))
    assert len(run(objects, "plan")[1]["cycles"][0]["preempted"]) == 1
    assert settled(run(objects, "plan", "--settle")[0]) == ["ns/a1", "ns/b1"]


def test_gate_equivalence_hashing(run):
    objects = cluster()[:6] + [m.workload("a1", "la", cpu="9"),
                               m.workload("a2", "la", cpu="9", created="2026-01-01T00:00:01Z")]
    assert pending(run(objects, "plan")[1]) == {"ns/a1": "ExceedsMaxQuota", "ns/a2": "ExceedsMaxQuota"}
    objects.append(configuration(featureGates={"SchedulingEquivalenceHashing": False}))
    assert pending(run(objects, "plan")[1]) == {"ns/a1": "ExceedsMaxQuota", "ns/a2": "BehindHead"}


def test_gates_that_are_not_honoured(run):
    r = run([*cluster(), configuration(featureGates={
        "FlavorFungibility": False, "PriorityBoost": True, "ConcurrentAdmission": False,
        "VisibilityOnDemand": False, "NoSuchGate": True})], "check")
    assert "feature gate 'FlavorFungibility' is assumed to be true" in r.err
    assert "feature gate 'PriorityBoost' is assumed to be false" in r.err
    assert "unknown feature gate 'NoSuchGate' is assumed to change no decision" in r.err
    assert "ConcurrentAdmission" not in r.err and "VisibilityOnDemand" not in r.err


def test_wait_for_pods_ready(run):
    wait = {"timeout": "5m", "requeuingStrategy": {"timestamp": "Creation", "backoffLimitCount": 3}}
    evicted = [{"type": "Evicted", "status": "True", "reason": "PodsReadyTimeout", "message": "",
                "lastTransitionTime": "2026-01-01T01:00:00Z"}]
    objects = [*cluster()[:6], with_status(m.workload("a1", "la", cpu="3"), conditions=evicted),
               m.workload("a2", "la", cpu="3", created="2026-01-01T00:00:01Z"),
               configuration(waitForPodsReady=wait)]
    assert run(objects, "plan")[0][0] == ["ns/a1"]  # the older one
    r = run(objects, "check")
    assert "'waitForPodsReady' is ignored: pods are assumed to be ready at once" in r.err
    wait["requeuingStrategy"]["timestamp"] = "Eviction"
    assert run(objects, "plan")[0][0] == ["ns/a2"]
    wait["enable"] = False
    assert "waitForPodsReady" not in run(objects, "check").err
