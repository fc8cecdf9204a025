# SPDX-License-Identifier: Apache-2.0
"""fairleadd --cluster --role scheduler while all goes wrong that can: nothing is given twice, and all work ends."""
import os
import random
import signal
import threading
import time

import pytest
from fake import Fault
from scheduling import handed_over
from storm import Storm
from test_clock import HOUR, Clock
from test_scheduler import admits, pending, running
from watching import condition, queue, workload

LEADS = 10  # seconds since its last renewal
SEEDS = [int(s) for s in os.environ.get("FAIRLEAD_SEEDS", "1").split()]


def has_no_intents(one):
    return "fairlead_intents 0" in one.get("/metrics").splitlines()


@pytest.mark.parametrize("seed", SEEDS)
def test_any_faults_of_writes_objects_and_watches(server, decide, seed):
    """Conflicts, refusals, answers that are lost; objects deleted, made again and edited between decision and write; watches cut."""
    with Storm(server, seed) as storm:
        one = decide()
        one.wait(lambda: storm.made >= storm.jobs)
        storm.calm()
        storm.ends(one)
        assert storm.ledger.check() >= 4
    one.wait(lambda: has_no_intents(one))
    one.has_all()


def problem(one):
    return one.get("/v1/health").get("problem") or ""


def lead(server, *names):
    return server.lease and server.lease["spec"]["holderIdentity"] in names


@pytest.mark.parametrize("seed", SEEDS)
def test_any_faults_of_replicas(server, decide, seed):
    """Of two the one that leads is killed, ended, or its Lease is deleted or another's, while all else fails as well."""
    with Storm(server, seed, jobs=60) as storm:
        chosen, names = random.Random(seed), [f"r{k}" for k in range(9)]
        there = {name: decide(identity=name) for name in (names.pop(), names.pop())}
        for how in chosen.sample(["kill", "end", "deleted", "taken"], min(2, len(SEEDS))):
            next(iter(there.values())).wait(lambda: lead(server, *there))
            time.sleep(chosen.uniform(0, 1.5))
            name = server.lease["spec"]["holderIdentity"]
            storm.ledger.note(how, name)
            if how in ("kill", "end"):
                gone = there.pop(name)
                gone.process.send_signal(signal.SIGKILL if how == "kill" else signal.SIGTERM)
                gone.process.wait(60)
                there[names[-1]] = decide(identity=names[-1])
                names.pop()
            elif how == "deleted":
                server.lease = None
            else:
                lost = there[name].text().count("leads no more")
                server.change_lease(holderIdentity="thief")
                there[name].wait(lambda one=there[name], lost=lost: one.text().count("leads no more") > lost)
            if how in ("kill", "taken"):  # its holder is dead, or was none: a test need not wait for its end
                server.change_lease(leaseDurationSeconds=1)
        storm.calm()
        storm.ends(*there.values(), seconds=90)
        storm.ledger.check()


@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_a_leader_that_is_stopped_for_longer_than_it_may_lead(server, decide, tmp_path, monkeypatch):
    """And goes on when another one leads; their clocks are an hour apart."""
    with Storm(server, 1, kinds=()) as storm:
        one = decide(identity="one")
        one.wait(lambda: lead(server, "one") and server.writes)
        Clock(tmp_path, monkeypatch).set(HOUR)
        two = decide(identity="two")
        two.ready()
        stopped = []

        def before(namespace, name):  # its answer comes when it goes on
            one.process.send_signal(signal.SIGSTOP)
            stopped.append(time.monotonic())

        server.before_write = before
        two.wait(lambda: stopped)
        server.before_write = lambda namespace, name: None
        server.change_lease(leaseDurationSeconds=1)
        two.wait(lambda: "decides for" in two.text())
        two.wait(lambda: time.monotonic() > stopped[0] + LEADS)
        one.process.send_signal(signal.SIGCONT)
        one.wait(lambda: "leads no more" in one.text())
        storm.jobs += 10  # so that there is work while both are there
        storm.ends(one, two)
        storm.ledger.check()
    assert lead(server, "two")


# --- what cannot be read ---

def wrong(server, name, cpu="1", finished=False, where="q", local="q"):
    """As Kueue has admitted it, with an amount that is beyond all numbers here: of what it asks for, or of what it holds."""
    conditions = [condition("QuotaReserved"), condition("Admitted")] + [condition("Finished")] * finished
    server.put("workloads", "a", name, metadata={"creationTimestamp": "2026-11-01T10:00:00Z"}, spec={
        "queueName": local, "active": True, "podSets": [{"name": "main", "count": 1, "template": {"spec": {"containers": [
            {"name": "c", "image": "x", "resources": {"requests": {"cpu": "9e30"}}}]}}}]},
        status={"conditions": conditions, "admission": {"clusterQueue": where, "podSetAssignments": [
            {"name": "main", "count": 1, "flavors": {"cpu": "default"}, "resourceUsage": {"cpu": cpu}}]}})


def test_what_cannot_be_read_counts_as_what_it_holds(server, decide):
    handed_over(server, "q", quota=4)
    workload(server, "a", "held", cpu=3, queueName="q")
    wrong(server, "over", finished=True)
    wrong(server, "held", cpu="3")
    for k in range(3):
        pending(server, f"w{k}")
    one = decide()
    admits(server, one, "held", "w0")
    wrong(server, "late", cpu="1")  # by another one, beyond the quota
    one.wait(lambda: any(job["name"] == "late" for job in one.get("/v1/jobs")["jobs"]))
    server.finish("a", "w0")
    time.sleep(0.5)
    assert running(server) == {"held", "late"}
    server.finish("a", "held")
    admits(server, one, "late", "w1", "w2")


@pytest.fixture
def trees(server):
    """The tree of cohort co with the ClusterQueues q and near, and that of the ClusterQueue free; a LocalQueue of its name each."""
    handed_over(server, "q", "near", cohortName="co")
    handed_over(server, "free")
    return server


def stopped(one, where, number=1):
    """It is told as it should be."""
    one.wait(lambda: f"nothing is decided in {where} until it is corrected or removed" in problem(one))
    one.wait(lambda: f"fairlead_trees_stopped {number}" in one.get("/metrics").splitlines())
    assert problem(one).startswith("Workload a/x holds quota, and how much cannot be read (")
    assert one.get("/v1/health")["status"] == "degraded" and problem(one).partition(";")[0] in one.text()


def goes_on(one):
    one.wait(lambda: not problem(one))
    assert "fairlead_trees_stopped 0" in one.get("/metrics").splitlines() and "no tree that is handed over is stopped any more" in one.text()


@pytest.mark.parametrize("where, local, tree", [
    ("q", "q", "cohort co"), ("near", "free", "cohort co"), ("free", "q", "ClusterQueue free"),  # its admission counts
    ({"of": "q"}, "near", "cohort co"), (None, "free", "ClusterQueue free"), ("", "q", "cohort co"),  # else its LocalQueue
])
def test_a_tree_stops_while_it_is_not_known_how_much_is_held_there(trees, decide, where, local, tree):
    wrong(trees, "x", cpu="9e30", where=where, local=local)
    for name in ("q", "near", "free"):
        pending(trees, f"w-{name}", name)
    one = decide()
    stopped(one, f"the tree of {tree}")
    others = {"w-free"} if tree == "cohort co" else {"w-q", "w-near"}
    admits(trees, one, "x", *others)
    time.sleep(0.3)
    assert {name for _, name, _ in trees.writes} == {f"a/{name}" for name in others}
    assert "(.status.admission." in problem(one)
    trees.delete("workloads", "a", "x")
    admits(trees, one, "w-q", "w-near", "w-free")
    goes_on(one)


@pytest.mark.parametrize("where, local", [("gone", "q"), (None, "gone"), (None, None)])
def test_all_trees_stop_where_it_is_not_known_in_which_it_is_held(trees, decide, where, local):
    wrong(trees, "x", cpu="9e30", where=where, local=local)
    pending(trees, "w")
    pending(trees, "v", "free")
    one = decide()
    stopped(one, "any tree, as it is not known in which it holds it,", number=2)
    time.sleep(0.3)
    assert not trees.writes
    trees.finish("a", "x")
    admits(trees, one, "w", "v")
    goes_on(one)


def test_a_tree_stops_when_it_is_no_longer_known_and_what_is_corrected_counts(trees, decide):
    """What was decided there and is not written yet is dropped; the other tree goes on all the time."""
    one = decide()
    pending(trees, "first", "free")
    admits(trees, one, "first")
    trees.fault_of_write = lambda namespace, name: Fault(status=503) if name.startswith("w") else None
    for k in range(8):
        pending(trees, f"w{k}", ("q", "near")[k % 2])
    one.wait(lambda: not has_no_intents(one))
    wrong(trees, "x", cpu="9e30")
    stopped(one, "the tree of cohort co")
    one.wait(lambda: has_no_intents(one))
    trees.fault_of_write = lambda namespace, name: None
    pending(trees, "second", "free")
    admits(trees, one, "x", "first", "second")
    wrong(trees, "x", cpu="5")
    one.wait(lambda: len(running(trees)) == 6)
    goes_on(one)
    time.sleep(0.3)
    assert trees.held["q"] + trees.held["near"] == 8 and len(running(trees)) == 6


def test_a_stop_goes_with_its_tree(trees, decide):
    """Trees are joined, and parted again, while it is not known how much is held in one of them."""
    handed_over(trees, "far", cohortName="fo")
    wrong(trees, "x", cpu="9e30")
    one = decide()
    stopped(one, "the tree of cohort co")
    pending(trees, "w0", "far")
    admits(trees, one, "x", "w0")
    for cohort in ("co", "fo"):
        trees.put("cohorts", None, cohort, spec={"parentName": "top"})
    stopped(one, "the tree of cohort top")
    pending(trees, "w1", "far")
    pending(trees, "v", "free")
    admits(trees, one, "x", "w0", "v")
    trees.put("cohorts", None, "fo", spec={})
    admits(trees, one, "x", "w0", "v", "w1")
    wrong(trees, "y", cpu="9e30", where="far")
    stopped(one, "the tree of cohort top", number=2)
    assert problem(one).endswith("; 2 trees are stopped so, and the log names them")
    assert "Workload a/y holds quota" in one.text() and "in the tree of cohort fo until" in one.text()
    for name in ("x", "y"):
        trees.delete("workloads", "a", name)
    goes_on(one)


@pytest.mark.parametrize("scheduler, spec, why, until", [
    ({}, {}, "is not handed over", "fairlead handover was run for it again"),
    ({"fairlead.dev/scheduler": "true"}, {"admissionChecksStrategy": {"admissionChecks": [{"name": "c"}]}}, "is not handed over", "fairlead handover was run for it again"),
    ({"fairlead.dev/scheduler": "true"}, {"concurrentAdmissionPolicy": {"migration": {"mode": "x"}}}, "uses what fairlead does not decide for", "that is removed or the tree is handed back")])
def test_a_tree_that_is_left_to_kueue_later_is_told(trees, decide, scheduler, spec, why, until):
    """By the queue that makes it so; one that is between the two steps of the command is nothing that is told."""
    one = decide()
    handed_over(trees, "near", cohortName="co", scheduler="handover")
    pending(trees, "w-free", "free")
    admits(trees, one, "w-free")
    assert not problem(one)
    trees.put("clusterqueues", None, "near", metadata={"annotations": scheduler}, spec={**queue(4), "stopPolicy": "Hold", "cohortName": "co", **spec})
    one.wait(lambda: problem(one) == f"ClusterQueue near {why}: nothing is decided in the tree of cohort co until {until}")
    one.wait(lambda: "fairlead_trees_stopped 1" in one.get("/metrics").splitlines())
    assert problem(one) in one.text() and one.get("/v1/health")["status"] == "degraded"
    pending(trees, "w-q", "q")
    pending(trees, "v-free", "free")
    admits(trees, one, "w-free", "v-free")
    handed_over(trees, "near", cohortName="co")
    admits(trees, one, "w-free", "v-free", "w-q")
    goes_on(one)


# --- what is refused, and what never ends ---

def test_a_long_line_that_is_refused_is_no_flood(server, decide):
    handed_over(server, "q")
    server.always["patch", "workloads"] = Fault(status=403)
    for k in range(2000):
        pending(server, f"w{k:04}", created=f"2026-11-01T10:{k // 60 % 60:02}:{k % 60:02}Z")
    one = decide()
    one.wait(lambda: "refuses what is decided" in problem(one))
    before, begun = len(server.requests), time.monotonic()
    time.sleep(2)
    sent = sum(r[0] == "patch" for r in server.requests[before:])
    assert sent <= 8 * (time.monotonic() - begun), sent  # five a second
    del server.always["patch", "workloads"]
    one.wait(lambda: len(running(server)) == 4)
    one.wait(lambda: not problem(one))


def test_changes_that_never_end_keep_it_from_nothing(server, decide):
    """Of Namespaces, and of amounts of quota; but a queue that is given back gets nothing."""
    handed_over(server, "q", "kept", "other")
    for k in range(5000):
        server.put("localqueues", "a", f"q{k}", spec={"clusterQueue": "other"})
    over, turn = threading.Event(), []

    def change():
        while not over.wait(0.001):
            turn.append(None)
            server.put("namespaces", None, f"n{len(turn) % 50}", metadata={"labels": {"turn": str(len(turn))}})
            handed_over(server, "other", quota=1 + len(turn) % 7)

    pending(server, "w0")
    one = decide()
    admits(server, one, "w0")
    thread = threading.Thread(target=change, daemon=True)
    thread.start()
    try:
        one.wait(lambda: len(turn) > 100)
        pending(server, "w1")
        admits(server, one, "w0", "w1", seconds=40)
        server.put("clusterqueues", None, "q", spec=queue(4))
        pending(server, "w2")
        pending(server, "w3", queue="kept")
        admits(server, one, "w0", "w1", "w3")
    finally:
        over.set()
        thread.join(60)


def test_a_configuration_that_is_refused(server, decide):
    """What it says may be that others decide: the one before does not count for that."""
    handed_over(server, "q", quota=2)
    pending(server, "w0")
    one = decide()
    admits(server, one, "w0")
    for k in range(260):
        server.put("cohorts", None, f"c{k}", spec={"parentName": f"c{k + 1}"})
    one.wait(lambda: "nest deeper" in (one.get("/v1/health").get("warning") or ""))
    server.put("clusterqueues", None, "q", spec=queue(2))
    pending(server, "w1")
    one.wait(lambda: "the configuration of the cluster is refused" in problem(one))
    assert running(server) == {"w0"}
    server.delete("cohorts", None, "c100")
    handed_over(server, "q", quota=2)
    admits(server, one, "w0", "w1")
    one.wait(lambda: not problem(one))


def configuration(server, text):
    server.put("configmaps", "kueue-system", "kueue-manager-config", data={"controller_manager_config.yaml": (
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n" + text)})


def test_a_configuration_of_kueues_that_it_does_not_decide_by(server, decide):
    handed_over(server, "q")
    configuration(server, "")
    pending(server, "w0")
    one = decide()
    admits(server, one, "w0")
    configuration(server, "waitForPodsReady: {timeout: 5m, blockAdmission: true}\n")
    one.wait(lambda: not one.get("/v1/health").get("warning"))
    time.sleep(0.5)
    pending(server, "w1")
    time.sleep(1)
    assert running(server) == {"w0"}
    configuration(server, "")
    admits(server, one, "w0", "w1")
