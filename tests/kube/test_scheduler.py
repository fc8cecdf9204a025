# SPDX-License-Identifier: Apache-2.0
"""fairleadd --cluster --role scheduler: what it decides, what it writes, and what comes of that."""
import os
import statistics
import subprocess
import time

import pytest
from fake import Fault
from scheduling import condition_of, handed_over, is_true
from watching import condition, let_pass, queue, workload


def pending(server, name, queue="q", cpu=1, priority=0, **spec):
    """As Kueue leaves one in a queue that is on hold."""
    workload(server, "a", name, cpu=cpu, priority=priority, conditions=[condition("QuotaReserved", False, "Suspended"),
             condition("Admitted", False, "NoReservation")], **{"queueName": queue, **spec})


def running(server):
    return {name for (_, name), one in server.state("workloads").items() if is_true(one, "Admitted") and not is_true(one, "Finished")}


def admits(server, daemon, *names, seconds=60):
    return daemon.wait(lambda: running(server) == set(names) or None, seconds)


def test_it_admits_what_fits_and_the_next_when_one_is_over(server, decide):
    handed_over(server, "q")
    for k in range(6):
        pending(server, f"w{k}", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    admits(server, one, "w0", "w1", "w2", "w3")
    write = server.writes[0]
    assert write[:2] == ("admit", "a/w0")
    assert write[2]["status"]["admission"] == {"clusterQueue": "q", "podSetAssignments": [
        {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": "1"}}]}
    assert condition_of(write[2], "QuotaReserved")["message"] == "Quota reserved in ClusterQueue q"
    server.finish("a", "w1")
    admits(server, one, "w0", "w2", "w3", "w4")
    time.sleep(0.5)
    assert [w[:2] for w in server.writes] == [("admit", f"a/w{k}") for k in range(5)] and server.most["q"] == 4
    assert one.get("/v1/queues")  # and it answers as before
    assert "is admitted" in one.get("/v1/workloads/a/w0/explain", width=200)


def test_qps_is_how_many_requests_it_makes(server, decide):
    handed_over(server, "q", quota=40)
    for k in range(40):
        pending(server, f"w{k}")
    one = decide("--qps", "10")
    one.wait(lambda: server.writes)
    began = time.monotonic()
    one.wait(lambda: len(server.writes) == 40)
    assert time.monotonic() - began > 1.5, "twenty are at once, and the others two seconds"
    for wrong in ("0", "10001", "100000", "-1", "1x", ""):
        done = subprocess.run([os.environ["FAIRLEADD"], "--cluster", "--qps", wrong], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == 2 and "--qps is a number from 1 to 10000" in done.stderr


def test_one_that_is_new_is_left_to_kueue_for_a_moment(server, decide):
    """Kueue writes the conditions of each at once, and refuses a write of another one meanwhile; where it does not, it is not waited for."""
    handed_over(server, "q")
    one = decide()
    one.wait(lambda: server.lease)
    pending(server, "known")
    admits(server, one, "known")
    began = time.monotonic()
    workload(server, "a", "new", queueName="q")
    one.wait(lambda: "new" in running(server))
    assert time.monotonic() - began >= 0.4


def test_it_leaves_alone_what_is_not_handed_over_whole(server, decide):
    handed_over(server, "q")
    handed_over(server, "half", cohortName="co")
    server.put("clusterqueues", None, "other", spec={**queue(4), "cohortName": "co"})
    server.put("localqueues", "a", "other", spec={"clusterQueue": "other"})
    server.put("clusterqueues", None, "annotated", metadata={"annotations": {"fairlead.dev/scheduler": "true"}}, spec=queue(4))
    server.put("localqueues", "a", "annotated", spec={"clusterQueue": "annotated"})
    for name in ("q", "half", "other", "annotated"):
        pending(server, f"in-{name}", name)
    one = decide()
    admits(server, one, "in-q")
    time.sleep(0.5)
    assert running(server) == {"in-q"}
    handed_over(server, "other", cohortName="co")
    admits(server, one, "in-q", "in-half", "in-other")


def test_it_preempts_and_waits_until_the_quota_is_free(server, decide):
    handed_over(server, "q", preemption={"withinClusterQueue": "LowerPriority"})
    for k in range(4):
        pending(server, f"low{k}")
    server.gone = 1
    one = decide()
    admits(server, one, *(f"low{k}" for k in range(4)))
    job = "4548c8bd-c399-4027-bb02-6114f3a8cdeb"
    pending(server, "high", cpu=2, priority=10, labels={"kueue.x-k8s.io/job-uid": job})
    one.wait(lambda: sum(w[0] == "evict" for w in server.writes) == 2)
    assert "high" not in running(server)
    evicted = next(w[2] for w in server.writes if w[0] == "evict")
    assert evicted["status"]["admission"], "Kueue takes it away"
    assert condition_of(evicted, "Evicted")["reason"] == "Preempted" and condition_of(evicted, "Preempted")["reason"] == "InClusterQueue"
    uid = server.state("workloads")["a", "high"]["metadata"]["uid"]
    assert condition_of(evicted, "Preempted")["message"] == (
        f"Preempted to accommodate a workload (UID: {uid}, JobUID: {job}) due to prioritization in the ClusterQueue; "
        "preemptor path: /q; preemptee path: /q")
    assert evicted["status"]["schedulingStats"]["evictions"] == [{"reason": "Preempted", "underlyingCause": "", "count": 1}]
    one.wait(lambda: "high" in running(server))
    time.sleep(0.5)
    assert len(server.writes) == 4 + 2 + 1 and server.most["q"] == 4
    back = [w[2] for w in server.writes if w[1] == "a/high"][0]
    assert not is_true(back, "Evicted")
    told = one.get(f"/v1/workloads/a/{evicted['metadata']['name']}/explain", width=400)
    assert "by a/high of queue 'q', which holds quota now. The rule: preemption within the ClusterQueue" in told
    assert 'fairlead_preemptions_total{queue="q",reason="InClusterQueue"} 2' in one.get("/metrics").splitlines()
    server.delete("workloads", "a", "high")
    one.wait(lambda: "by another workload, which is not there any more. The rule:" in
             one.get(f"/v1/workloads/a/{evicted['metadata']['name']}/explain", width=400))


def test_one_that_was_evicted_is_admitted_again(server, decide):
    handed_over(server, "q", preemption={"withinClusterQueue": "LowerPriority"})
    pending(server, "low", cpu=4)
    one = decide()
    admits(server, one, "low")
    pending(server, "high", cpu=4, priority=10)
    admits(server, one, "high")
    server.finish("a", "high")
    admits(server, one, "low")
    again = [w[2] for w in server.writes if w[1] == "a/low"][-1]
    for kind in ("Evicted", "Preempted"):
        assert condition_of(again, kind)["status"] == "False" and condition_of(again, kind)["reason"] == "QuotaReserved"
        assert condition_of(again, kind)["message"].startswith("Previously: Preempted to accommodate")
    assert condition_of(again, "Requeued")["status"] == "True"
    assert again["status"]["schedulingStats"]["evictions"][0]["count"] == 1


def test_what_has_changed_meanwhile_is_decided_on_as_it_is(server, decide):
    """Deactivated, deleted, or another message in a condition, between the decision and its write."""
    handed_over(server, "q", quota=1)
    changes = {"w0": lambda: workload(server, "a", "w0", active=False, queueName="q"), "w1": lambda: server.delete("workloads", "a", "w1"),
               "w2": lambda: server.change("a", "w2", conditions=[{**condition("QuotaReserved", False), "message": "other"}])}

    def before(namespace, name):
        changes.pop(name, lambda: None)()

    server.before_write = before
    for k in range(4):
        pending(server, f"w{k}", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    admits(server, one, "w2")
    assert [w[:2] for w in server.writes] == [("admit", "a/w2")] and server.most["q"] == 1
    one.has_all()


def test_answers_that_are_lost_admit_nothing_twice(server, decide):
    handed_over(server, "q")
    server.lost = 3
    for k in range(8):
        pending(server, f"w{k}")
    one = decide()
    one.wait(lambda: len(running(server)) == 4)
    time.sleep(1)
    assert len(server.writes) == 4 and server.most["q"] == 4
    figures = one.get("/metrics").splitlines()
    assert {"fairlead_leader 1", "fairlead_intents 0", 'fairlead_writes_total{result="done"} 4'} <= set(figures)


def test_what_the_watch_shows_before_the_answer_ends_no_connection(server, decide):
    """A new one costs the server and the daemon more than the write does."""
    handed_over(server, "q", quota=1)
    server.fault_of_write = lambda *_: "slow"
    one = decide()
    for k in range(6):
        pending(server, f"w{k}")
        admits(server, one, f"w{k}")
        one.wait(lambda: len(server.answered) == k + 1)
        server.finish("a", f"w{k}")
        admits(server, one)
    assert len(set(server.answered)) <= 2


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_cannot_take_it_is_asked_again(server, decide, status):
    handed_over(server, "q")
    server.always["patch", "workloads"] = Fault(status=status, retry_after=1 if status == 429 else None)
    pending(server, "w")
    one = decide()
    one.wait(lambda: sum(r[0] == "patch" for r in server.requests) >= 2)
    assert not server.writes
    del server.always["patch", "workloads"]
    admits(server, one, "w")
    assert len(server.writes) == 1


def test_what_is_refused_waits_and_lets_the_next_one_by(server, decide):
    handed_over(server, "q", quota=1)
    server.faults.append(("patch", "workloads", Fault(status=422)))
    for k in range(2):
        pending(server, f"w{k}", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    admits(server, one, "w1")
    assert "refuses to have a/w0 admitted" in one.text()
    server.finish("a", "w1")
    admits(server, one, "w0")


def test_quotas_change_while_it_decides(server, decide):
    handed_over(server, "q", quota=1)
    for k in range(5):
        pending(server, f"w{k}", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    admits(server, one, "w0")
    handed_over(server, "q", quota=3)
    admits(server, one, "w0", "w1", "w2")
    handed_over(server, "q", quota=1)
    time.sleep(0.5)
    server.finish("a", "w0")
    time.sleep(0.5)
    assert running(server) == {"w1", "w2"}
    handed_over(server, "q", quota=4, scheduler="hold")
    time.sleep(0.5)
    assert running(server) == {"w1", "w2"}
    handed_over(server, "q", quota=4)
    admits(server, one, "w1", "w2", "w3", "w4")


def test_a_queue_that_is_drained(server, decide):
    handed_over(server, "q")
    pending(server, "w")
    one = decide()
    admits(server, one, "w")
    handed_over(server, "q", scheduler="drain")
    admits(server, one)
    assert condition_of(server.writes[-1][2], "Evicted")["reason"] == "ClusterQueueStopped"
    time.sleep(0.5)
    assert len(server.writes) == 2
    one.wait(lambda: "It was evicted" in one.get("/v1/workloads/a/w/explain", width=300))
    assert "its ClusterQueue was stopped (HoldAndDrain)" in one.get("/v1/workloads/a/w/explain", width=300)
    assert 'fairlead_preemptions_total{queue="q",reason="ClusterQueueStopped"} 1' in one.get("/metrics").splitlines()
    handed_over(server, "q")
    admits(server, one, "w")


def test_a_lease_that_changes_is_looked_at_at_once(server, decide):
    """And not a second later, as where it may not be watched."""
    server.lease = {**server.lease, "spec": {"holderIdentity": "other", "leaseDurationSeconds": 60}}
    decide().wait(lambda: any(r[:2] == ("watch", "leases") for r in server.requests))

    def looks():
        return sum(r[:2] == ("GET", "leases") for r in server.requests)

    took = []
    for k in range(6):
        time.sleep(0.7)
        before, begin = looks(), time.monotonic()
        server.change_lease(leaseTransitions=k)
        while looks() == before:
            time.sleep(0.01)
        took.append(time.monotonic() - begin)
    assert statistics.median(took) < 0.25, took


def test_the_second_takes_over_what_the_first_one_was_doing(server, decide):
    handed_over(server, "q")
    for k in range(12):
        pending(server, f"w{k:02}", created=f"2026-11-01T10:00:{k:02}Z")
    one = decide()
    admits(server, one, "w00", "w01", "w02", "w03")
    two = decide(identity="two")
    two.ready()
    time.sleep(1)
    assert len(server.writes) == 4
    assert one.end() == 0  # which gives the Lease back
    server.finish("a", "w00")
    admits(server, two, "w01", "w02", "w03", "w04")
    assert server.lease["spec"]["holderIdentity"] == "two"
    two.process.kill()
    three = decide(identity="three")
    server.finish("a", "w01")
    admits(server, three, "w02", "w03", "w04", "w05")
    assert len(server.writes) == 6 and server.most["q"] == 4


def test_a_cohort_shares_fairly(server, decide):
    """The queue with the lower share gets what is free; nothing of the tree is given twice."""
    for name in ("left", "right"):
        handed_over(server, name, quota=2, cohortName="co", preemption={"reclaimWithinCohort": "Any"})
    for k in range(6):
        pending(server, f"left{k}", "left", created=f"2026-11-01T10:00:0{k}Z")
    one = decide()
    admits(server, one, *(f"left{k}" for k in range(4)))
    for k in range(2):
        pending(server, f"right{k}", "right", created=f"2026-11-01T10:01:0{k}Z")
    admits(server, one, "left0", "left1", "right0", "right1")
    assert server.total == 4
    one.has_all()


@pytest.mark.parametrize("how", ["gate", "pods", "hold", "deleted", "requeued", "later"])
def test_what_kueue_would_not_admit_is_not_admitted(server, decide, how):
    """And takes no place of others, until that is over."""
    handed_over(server, "q", quota=1, queueingStrategy="StrictFIFO")
    waits = [condition("QuotaReserved", False, "OnHold" if how == "hold" else "Suspended"), condition("Admitted", False, "NoReservation")]
    spec = {"queueName": "q", "active": True, "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [
        {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}]}}}]}
    meta = {"creationTimestamp": "2026-11-01T10:00:00Z", "annotations": {"kueue.x-k8s.io/admission-gated-by": "x"} if how == "gate" else {},
            **({"deletionTimestamp": "2026-11-01T10:00:00Z"} if how == "deleted" else {})}
    status = {"conditions": waits + {"pods": [condition("WaitingForReplacementPods")], "requeued": [
        condition("Requeued", False, "AdmissionGate")]}.get(how, [])}
    if how == "later":
        status["requeueState"] = {"count": 1, "requeueAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 8))}
    server.put("workloads", "a", "kept", metadata=meta, spec=spec, status=status)
    pending(server, "next", created="2026-11-01T11:00:00Z")
    one = decide()
    admits(server, one, "next")
    if how != "later":
        assert "is held back" in one.get("/v1/workloads/a/kept/explain", width=300)
        server.put("workloads", "a", "kept", metadata={"creationTimestamp": meta["creationTimestamp"]}, spec=spec,
                   status={"conditions": waits[1:] if how == "hold" else waits})
    server.finish("a", "next")
    admits(server, one, "kept")
    assert server.most["q"] == 1


@pytest.mark.parametrize("what", ["checks", "topology"])
def test_a_tree_with_what_it_does_not_decide_for_is_left_alone(server, decide, what):
    spec = {"admissionChecksStrategy": {"admissionChecks": [{"name": "c"}]}} if what == "checks" else {}
    if what == "topology":
        server.put("resourceflavors", None, "racks", spec={"topologyName": "t"})
        spec = queue(4)
        spec["resourceGroups"][0]["flavors"][0]["name"] = "racks"
    handed_over(server, "q")
    handed_over(server, "left", **spec)
    pending(server, "w", "left")
    pending(server, "v", "q")
    one = decide()
    admits(server, one, "v")
    time.sleep(0.3)
    assert running(server) == {"v"}
    handed_over(server, "left")
    admits(server, one, "v", "w")
    handed_over(server, "left", **spec)
    pending(server, "next", "left")
    time.sleep(1)
    assert running(server) == {"v", "w"}


def test_a_workload_that_asks_for_a_topology_is_held_back(server, decide):
    handed_over(server, "q")
    pending(server, "w", podSets=[{"name": "main", "count": 1, "topologyRequest": {"required": "rack"}, "template": {"spec": {"containers": [
        {"name": "c", "image": "x", "resources": {"requests": {"cpu": "1"}}}]}}}])
    pending(server, "v")
    one = decide()
    admits(server, one, "v")
    assert "does not decide for" in one.get("/v1/workloads/a/w/explain", width=300)


def test_what_another_one_admitted_first_counts_as_it_is(server, decide):
    """Between the decision and its write, with more than was decided."""
    handed_over(server, "q", quota=2)
    done = []

    def before(namespace, name):
        if not done:
            done.append(name)
            workload(server, "a", name, cpu=2, held=True, queueName="q")
            with server.lock:
                one = server.objects["workloads"]["a", name]
                one["status"]["admission"]["clusterQueue"] = "q"
                server.count("MODIFIED", one)

    server.before_write = before
    pending(server, "w0", created="2026-11-01T10:00:00Z")
    pending(server, "w1", created="2026-11-01T10:00:01Z")
    one = decide()
    one.wait(lambda: running(server))
    time.sleep(1)
    assert server.most["q"] <= 3  # what it had decided meanwhile is not more than it may
    server.finish("a", "w0")
    admits(server, one, "w1")


def test_an_eviction_that_is_refused_frees_nothing(server, decide):
    handed_over(server, "q", quota=1, preemption={"withinClusterQueue": "LowerPriority"})
    pending(server, "low")
    one = decide()
    admits(server, one, "low")
    server.always["patch", "workloads"] = Fault(status=403)
    pending(server, "high", priority=10)
    one.wait(lambda: "refuses to have a/low evicted" in one.text())
    time.sleep(1)
    del server.always["patch", "workloads"]
    admits(server, one, "high")
    assert server.most["q"] == 1 and [w[:2] for w in server.writes] == [("admit", "a/low"), ("evict", "a/low"), ("admit", "a/high")]


def test_a_queue_that_is_given_back_gets_no_more_writes(server, decide):
    handed_over(server, "q", quota=3)
    server.always["patch", "workloads"] = Fault(status=503)
    for k in range(3):
        pending(server, f"w{k}")
    one = decide()
    one.wait(lambda: sum(r[0] == "patch" for r in server.requests) >= 3)
    server.put("clusterqueues", None, "q", spec=queue(3))
    one.wait(lambda: "fairlead_intents 0" in one.get("/metrics").splitlines())
    del server.always["patch", "workloads"]
    time.sleep(1.5)
    assert not server.writes


def test_where_it_cannot_decide_it_says_so(server, decide, tmp_path):
    handed_over(server, "q")
    pending(server, "w")
    (tmp_path / "policy.yaml").write_text(
        "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: cluster}\nspec: {policy: drf}\n")
    let_pass(tmp_path)
    one = decide("--config", str(tmp_path / "policy.yaml"))
    one.wait(lambda: "decides by the policy borrow alone" in one.get("/v1/health")["problem"])
    time.sleep(0.5)
    assert not server.writes
