# SPDX-License-Identifier: Apache-2.0
"""fairlead decides, and Kueue's whole manager does all else: Jobs and Pods of a real API server start, are evicted, end."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
import yaml
from bed import KUEUE, wait_for
from between import Between
from checker import Checker
from objects import condition, flavor, job, pod, set_up_configuration, workload
from test_handover_bed import SLOW, Cluster, conditions_of, take_over
from watching import Unix, let_pass

FLAVOR = {"flavor": "pool"}
KEPT = "fairlead.dev/scheduler"
MAY_WRITE = re.compile(r"patch /apis/kueue\.x-k8s\.io/v1beta2/namespaces/[^/]+/workloads/[^/]+/status\?fieldManager=kueue-admission&force=true&"
                       r"timeout=\d+s |patch /apis/kueue\.x-k8s\.io/v1beta2/clusterqueues/turn-[ab]\?timeout=\d+s |(create|update) /apis/coordination\.k8s\.io/v1/namespaces/fairlead/leases(/fairlead)?\?timeout=\d+s |"
                       r"create /apis/events\.k8s\.io/v1/namespaces/default/events\?timeout=\d+s ")


class Scheduler:
    """A replica."""

    def __init__(self, bed, folder, identity, *words):
        self.folder, self.identity, self.words = folder / identity, identity, [str(word) for word in words]
        self.folder.mkdir()
        let_pass(self.folder)
        self.socket = self.folder / "socket"
        self.kubeconfig = bed.whole_kubeconfig(self.folder / "kubeconfig")
        self.start()
        wait_for("it answers", self.answers)

    def start(self):
        self.log = open(self.folder / "log", "a+")
        self.process = subprocess.Popen([os.environ["FAIRLEADD"], "--cluster", "--role", "scheduler", "--identity", self.identity,
                                         "--kubeconfig", self.kubeconfig, "--state", self.folder / "state", "--socket", self.socket,
                                         *self.words],
                                        stdin=subprocess.DEVNULL, stderr=self.log)

    def answers(self):
        assert self.process.poll() is None, self.text()
        return self.socket.exists()

    def text(self):
        return (self.folder / "log").read_text()

    def begun(self):
        """How often it began to decide."""
        return self.text().count("decides for the ClusterQueues")

    def get(self, path):
        connection = Unix(self.socket)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(how)
        return self.process.wait(60)


class Tree(Cluster):
    def queues(self, cohort=None, **queues):
        self.admin.apply(KUEUE, "resourceflavors", flavor("pool", nodeLabels={"pool": "a"}))
        super().queues(cohort, **queues)

    def hand_over(self, *names):
        """As `fairlead handover` does it."""
        for name in names:
            self.admin.patch(KUEUE, "clusterqueues", name, {"metadata": {"annotations": {KEPT: "true"}}})
        return take_over(self.admin, names)

    def submit_all(self, *names, queue, **words):
        for name in names:
            self.admin.create("batch/v1", "jobs", job(name, queue, **words), "default")

    def done(self, *names):
        bodies = {b["metadata"]["name"]: b for b in self.admin.list("batch/v1", "jobs", "default")}
        return all(bodies[name].get("status", {}).get("succeeded") for name in names)


@pytest.fixture(scope="module")
def tree(manager):
    manager.bed.namespace("fairlead")
    manager.bed.may_write = MAY_WRITE
    return Tree(manager)


@pytest.fixture
def decide(tree):
    """decide(identity, spec of its Daemon document): a replica that runs until the test ends."""
    started, folder = [], pathlib.Path(tempfile.mkdtemp(prefix="fairlead-replicas."))
    folder.chmod(0o755)

    def start(identity, **spec):
        file = folder / f"{identity}.yaml"
        file.write_text(yaml.safe_dump({"apiVersion": "fairlead.dev/v1alpha1", "kind": "Daemon", "metadata": {"name": "own"}, "spec": spec}))
        let_pass(file)
        started.append(Scheduler(tree.bed, folder, identity, *(("--config", file) if spec else ())))
        return started[-1]

    yield start
    for one in started:
        assert one.end() in (0, -signal.SIGKILL), one.text()
    shutil.rmtree(folder)


def test_jobs_start_share_yield_and_end(tree, decide):
    """KEP-1714's story with real Jobs: one team takes what the other leaves, and gives it back when the other comes.

    Each decision is an Event, as that was asked for."""
    reclaims = {"preemption": {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}, "stopPolicy": "Hold"}
    tree.queues("story", left=(4, reclaims), right=(4, reclaims))
    tree.hand_over("left", "right")
    with Checker(tree.admin) as checker:
        decide("one", events="all")
        tree.submit_all(*(f"left-{k}" for k in range(8)), queue="left")
        tree.wait("the left team has all", lambda: sum(tree.runs(f"left-{k}") for k in range(8)) == 8)
        tree.submit_all(*(f"right-{k}" for k in range(6)), queue="right")
        tree.wait("each team has its half", lambda: (sum(tree.runs(f"left-{k}") for k in range(8)),
                                                     sum(tree.runs(f"right-{k}") for k in range(6))) == (4, 4))
        most, admitted = checker.check(8, {"left", "right"})
    assert most == 8 and len(admitted) == 12 and set(admitted.values()) == {1}
    evicted = [w for w in tree.admin.list(KUEUE, "workloads", "default") if condition(w, "Preempted") == "True"]
    assert {conditions_of(w)["Preempted"]["reason"] for w in evicted} == {"InCohortReclamation"} and len(evicted) == 4
    jobs = {tree.admin.get("batch/v1", "jobs", f"right-{k}", "default")["metadata"]["uid"] for k in range(6)}
    assert {re.search("JobUID: ([^)]+)", conditions_of(w)["Preempted"]["message"])[1] for w in evicted} <= jobs

    def told():
        """Reason, message and Workload of each Event of fairlead's."""
        return [(e["reason"], e["note"], e["regarding"]["name"]) for e in tree.admin.list("events.k8s.io/v1", "events", "default")
                if e.get("reportingController") == "fairlead.dev/scheduler" and e["regarding"]["kind"] == "Workload"]

    tree.wait("all of it is told", lambda: len(told()) >= 16)
    assert sorted((note, name) for reason, note, name in told() if reason == "Preempted") == sorted(
        (conditions_of(w)["Preempted"]["message"], w["metadata"]["name"]) for w in evicted)
    assert sum(reason == "Admitted" for reason, *_ in told()) == 12 == len(told()) - 4
    for name in [f"left-{k}" for k in range(8)] + [f"right-{k}" for k in range(6)]:
        tree.admin.delete("batch/v1", "jobs", name, "default")
    tree.wait("all is free", lambda: not tree.holders("left", "right"))


def test_a_ring_of_cohorts_is_told_of(tree, decide):
    """By Events that the server takes."""
    def parent(name, of):
        tree.admin.apply(KUEUE, "cohorts", {"apiVersion": KUEUE, "kind": "Cohort", "metadata": {"name": name}, "spec": {"parentName": of}})

    def events(reason):
        return sorted((e["regarding"]["kind"], e["regarding"]["name"]) for e in tree.admin.list("events.k8s.io/v1", "events", "default")
                      if e.get("reason") == reason)

    all_of_it = [("ClusterQueue", "ringed"), ("Cohort", "ring-a"), ("Cohort", "ring-b")]
    tree.queues("ring-a", ringed=(1, {}))
    parent("ring-a", "ring-b")
    decide("one")
    parent("ring-b", "ring-a")
    tree.wait("it is told that it is there", lambda: events("CohortCycle") == all_of_it)
    for name in ("ring-b", "ring-a"):
        tree.admin.delete(KUEUE, "cohorts", name)
    tree.wait("it is told that it has ended", lambda: all_of_it[0] in events("CohortCycleEnded"))
    tree.admin.delete(KUEUE, "clusterqueues", "ringed")


def test_the_command_hands_a_tree_over_and_back_while_all_decide(tree, decide):
    """Under load: nothing is evicted, nothing given twice, and all of it ends, whoever decides at the moment."""
    set_up_configuration(tree.bed)
    queues = {"turn-a": (3, {}), "turn-b": (3, {})}
    tree.queues("turn", **queues)
    decide("one")
    names = [f"turn-{k}" for k in range(40)]

    def handover(*words):
        done = subprocess.run([os.environ["FAIRLEAD"], "handover", "turn", "--yes", *words], env={
            **os.environ, "KUBECONFIG": str(tree.bed.kubeconfig())}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=SLOW, check=False)
        assert done.returncode == 0, (done.stdout, done.stderr)

    def some_end(already):
        return lambda: sum(tree.done(n) for n in names) > already + 4

    with Checker(tree.admin) as checker:
        for k, name in enumerate(names):
            tree.submit_all(name, queue=f"turn-{'ab'[k % 2]}", seconds=1)
        tree.wait("Kueue's end", some_end(0))
        handover()
        tree.wait("fairlead's end", some_end(sum(tree.done(n) for n in names)))
        handover("--back")
        tree.wait("all of them end", lambda: tree.done(*names))
        most, admitted = checker.check(6, set(queues))
    assert len(admitted) == len(names) and set(admitted.values()) == {1}


def test_pods_and_groups_of_pods(tree, decide):
    tree.queues("pods", pods=(3, {"stopPolicy": "Hold", "preemption": {"withinClusterQueue": "LowerPriority"}}))
    tree.hand_over("pods")
    decide("one")
    tree.admin.create("v1", "pods", pod("single", "pods"), "default")
    for k in range(2):
        tree.admin.create("v1", "pods", pod(f"member-{k}", "pods", group="group", of=2), "default")

    def phases():
        return [tree.admin.get("v1", "pods", name, "default").get("status", {}).get("phase") for name in ("single", "member-0", "member-1")]

    tree.wait("all of them run", lambda: phases() == ["Running"] * 3)
    assert sorted(w["status"]["admission"]["clusterQueue"] for w in tree.holders("pods")) == ["pods", "pods"]


def test_what_is_decided_while_kueues_manager_is_away(tree, decide):
    """Its webhooks refuse all writes of Workloads then: nothing goes around them, and it is told."""
    tree.queues("away", away=(2, {"stopPolicy": "Hold"}))
    tree.hand_over("away")
    tree.submit_all("away-0", "away-1", "away-2", queue="away")
    tree.wait("they have Workloads", lambda: all(tree.waits(f"away-{k}") for k in range(3)))
    tree.manager.kill()
    one = decide("one")
    try:
        tree.wait("it is told", lambda: one.socket.exists() and "cannot be written" in one.get("/v1/health")[1])
    finally:
        tree.manager.start()
    tree.wait("two run", lambda: sum(tree.runs(f"away-{k}") for k in range(3)) == 2)
    tree.wait("all is well", lambda: "cannot be written" not in one.get("/v1/health")[1])


class Load:
    """So many Jobs of a second wait or run, in the queues by turns; what has ended goes."""

    def __init__(self, tree, name, queues, open_):
        self.tree, self.name, self.queues, self.open = tree, name, queues, open_
        self.made, self.ended = [], set()

    def reap(self):
        for body in self.tree.admin.list("batch/v1", "jobs", "default"):
            name = body["metadata"]["name"]
            if name.startswith(self.name) and name not in self.ended and body.get("status", {}).get("succeeded"):
                self.ended.add(name)
                self.tree.admin.delete("batch/v1", "jobs", name, "default")
        return len(self.ended) == len(self.made)

    def fill(self):
        self.reap()
        while len(self.made) - len(self.ended) < self.open:
            k = len(self.made)
            self.made.append(f"{self.name}-{k}")
            self.tree.submit_all(self.made[-1], queue=self.queues[k % len(self.queues)], seconds=1)


def test_leaders_that_die_stop_and_come_back(tree, decide):
    """Under load, with quota for some of it: nothing is given twice, and all of it ends. FAIRLEAD_E2E_LEADERS: how many."""
    tree.queues("many", m0=(4, {"stopPolicy": "Hold", "preemption": {"reclaimWithinCohort": "Any"}}),
                m1=(4, {"stopPolicy": "Hold", "preemption": {"reclaimWithinCohort": "Any"}}))
    tree.hand_over("m0", "m1")
    replicas = [decide("one"), decide("two")]
    load, begun = Load(tree, "many", ("m0", "m1"), 60), {"one": 0, "two": 0}
    rounds = int(os.environ.get("FAIRLEAD_E2E_LEADERS", "2"))
    with Checker(tree.admin) as checker:
        for round in range(rounds):
            load.fill()
            leader = tree.wait("one decides", lambda: next((r for r in replicas if r.begun() > begun[r.identity]
                                                            and lease(tree.admin) == r.identity), None))
            begun[leader.identity] = leader.begun()
            time.sleep(0.3 * (round % 8))
            if round % 2:
                leader.process.send_signal(signal.SIGSTOP)
                tree.wait("another one leads", lambda leader=leader: lease(tree.admin) not in (leader.identity, ""))
                leader.process.send_signal(signal.SIGCONT)
            else:
                leader.end(signal.SIGKILL)
                leader.start()
        tree.wait("all of them end", load.reap)
        most, admitted = checker.check(8, {"m0", "m1"})
    print(f"{rounds} leaders, {len(admitted)} workloads admitted, {sum(admitted.values())} times, at most {most} of 8 cpu")
    assert len(admitted) == len(load.made)


def test_a_long_backlog(tree, decide):
    """Many wait while few fit: what fits goes on at once, and nothing is given twice. FAIRLEAD_E2E_BACKLOG: how many."""
    many, rounds = int(os.environ.get("FAIRLEAD_E2E_BACKLOG", "200")), 4
    queues = {"long-a": (4, {"stopPolicy": "Hold"}), "long-b": (4, {"stopPolicy": "Hold"})}
    tree.queues("long", **queues)
    tree.hand_over(*queues)
    for k in range(many):
        tree.admin.create(KUEUE, "workloads", workload(f"long-{k:05}", f"long-{'ab'[k % 2]}"), "default")
    with Checker(tree.admin) as checker:
        one = decide("one")
        for k in range(rounds):
            tree.wait("it is full", lambda: len(checker.holders(*queues)) == 8)
            begin, before = time.monotonic(), checker.holders(*queues)
            for name in before.values():
                finish(tree.admin, name)
            tree.wait("the next ones run", lambda before=before: len(checker.holders(*queues).keys() - before) == 8)
            print(f"round {k}: {time.monotonic() - begin:.1f} s")
        most, admitted = checker.check(8, set(queues))
    peak = next(line for line in pathlib.Path(f"/proc/{one.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    print(f"{many} waited, {len(admitted)} were admitted, at most {most} of 8 cpu; {peak}")
    assert most == 8 and len(admitted) == 8 * (rounds + 1) and set(admitted.values()) == {1}
    for k in range(many):
        tree.admin.delete(KUEUE, "workloads", f"long-{k:05}", "default")


def finish(client, name):
    """As the Job's controller of Kueue does."""
    row = {"type": "Finished", "status": "True", "reason": "Succeeded", "message": "as the test says",
           "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    client.apply(KUEUE, "workloads", {"apiVersion": KUEUE, "kind": "Workload", "metadata": {"name": name, "namespace": "default"},
                                      "status": {"conditions": [row]}}, "default", "test", "status")


def lease(client):
    found = client.find("coordination.k8s.io/v1", "leases", "fairlead", "fairlead")
    return found and found["spec"].get("holderIdentity")


def test_a_server_that_goes_away_and_comes_back(tree, decide):
    tree.queues("back", back=(3, {"stopPolicy": "Hold"}))
    tree.hand_over("back")
    names = [f"back-{k}" for k in range(20)]
    with Checker(tree.admin) as checker:
        decide("one")
        tree.submit_all(*names, queue="back", seconds=1)
        tree.wait("some run", lambda: tree.holders("back"))
        for _ in range(int(os.environ.get("FAIRLEAD_E2E_RESTARTS", "1"))):
            tree.bed.kill_api()
            tree.bed.start_api()
            time.sleep(2)
        tree.wait("all of them end", lambda: tree.done(*names))
        most, admitted = checker.check(3, {"back"})
    assert most == 3 and len(admitted) == len(names)


def test_an_etcd_that_is_slow_and_then_does_not_answer_in_time(tree, decide):
    """Who leads then does not know that it does, and decides nothing until it does again."""
    tree.queues("slow", slow=(3, {"stopPolicy": "Hold"}))
    tree.hand_over("slow")
    port, names = tree.bed.etcd_port, [f"slow-{k}" for k in range(9)]
    with Between(port, "leases", delay=0.05) as between, Checker(tree.admin) as checker:
        tree.bed.etcd_port = between.port
        try:
            tree.bed.restart_api(signal.SIGKILL)
            one = decide("one")
            tree.submit_all(*names, queue="slow", seconds=1)
            tree.wait("some run", lambda: tree.holders("slow"))
            between.delay = 4.0
            tree.wait("it leads no more", lambda: "leads no more" in one.text())
            between.delay = 0.05
            tree.wait("all of them end", lambda: tree.done(*names))
        finally:
            between.delay, tree.bed.etcd_port = 0.0, port
            tree.bed.restart_api(signal.SIGKILL)
        most, admitted = checker.check(3, {"slow"})
    assert most == 3 and len(admitted) == len(names)
