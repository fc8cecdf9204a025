# SPDX-License-Identifier: Apache-2.0
"""ClusterQueues with admission checks are handed over: fairlead reserves, others check, and Kueue's whole manager admits."""
import os
import re
import subprocess
import threading

import pytest
from actor import now
from bed import KUEUE
from checker import Checker
from client import ApiError
from objects import condition, job, set_up_configuration
from test_handover_bed import RECLAIMS, SLOW
from test_scheduler import Tree, decide  # noqa: F401  (a fixture)

OURS = "fairlead"
MAY_WRITE = re.compile(
    r"patch /apis/kueue\.x-k8s\.io/v1beta2/namespaces/[^/]+/workloads/[^/]+/status\?fieldManager=kueue-admission&force=true&timeout=\d+s |"
    r"patch /apis/kueue\.x-k8s\.io/v1beta2/clusterqueues/check-[a-z]\?timeout=\d+s |create /apis/kueue\.x-k8s\.io/v1beta2/admissionchecks\?timeout=\d+s |"
    r"(create|update) /apis/coordination\.k8s\.io/v1/namespaces/fairlead/leases(/fairlead)?\?timeout=\d+s ")


@pytest.fixture(scope="module")
def tree(manager):
    manager.bed.namespace("fairlead")
    manager.bed.may_write = MAY_WRITE
    set_up_configuration(manager.bed)
    made = Tree(manager)
    made.check("licence", active=True)
    made.check("pool-only", active=True)
    return made


def checks(*more):
    """One of all flavors, and one of the flavor alone: Kueue puts it into the list when quota of that is reserved."""
    rows = [{"name": "licence"}, {"name": "pool-only", "onFlavors": ["pool"]}, *({"name": name} for name in more)]
    return {"admissionChecksStrategy": {"admissionChecks": rows}}


def states(body):
    return {c["name"]: c["state"] for c in body.get("status", {}).get("admissionChecks", ())}


def handover(tree, queue, *words):
    done = subprocess.run([os.environ["FAIRLEAD"], "handover", f"queue/{queue}", "--yes", *words], env={
        **os.environ, "KUBECONFIG": str(tree.bed.kubeconfig())}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=SLOW, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def standing(tree, queue):
    body = tree.admin.get(KUEUE, "clusterqueues", queue)
    names = [c["name"] for c in body["spec"].get("admissionChecksStrategy", {}).get("admissionChecks", ())]
    annotations = body["metadata"].get("annotations", {})
    return body["spec"]["stopPolicy"], annotations.get("fairlead.dev/scheduler"), annotations.get("fairlead.dev/checks"), names


class Judge:
    """What decides about both checks: Ready, unless the name of the Job says otherwise, the first time; never of one that is kept."""

    def __init__(self, tree):
        self.tree, self.client = tree, tree.bed.client(agent="judge")
        self.kept, self.said, self.over = set(), set(), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def says(self, owner):
        if owner in self.said:
            return {"state": "Ready"}
        return {"state": "Retry", "requeueAfterSeconds": 2} if owner.startswith("retry-") else \
            {"state": "Rejected"} if owner.startswith("reject-") else {"state": "Ready"}

    def look(self, body):
        owner = body["metadata"].get("ownerReferences", [{}])[0].get("name", "")
        rows = body.get("status", {}).get("admissionChecks", [])
        if condition(body, "QuotaReserved") != "True" or owner in self.kept or not any(
                c["name"] != OURS and c["state"] == "Pending" for c in rows):
            return
        says, meta = self.says(owner), body["metadata"]
        rows = [c if c["name"] == OURS or c["state"] != "Pending" else
                {"name": c["name"], "message": "as the test says", "lastTransitionTime": now(), **says} for c in rows]
        try:
            self.client.patch(KUEUE, "workloads", meta["name"], {"metadata": {"resourceVersion": meta["resourceVersion"]},
                                                                 "status": {"admissionChecks": rows}}, meta["namespace"], "status")
            self.said.add(owner)
        except ApiError as e:
            assert e.status in (404, 409), e

    def run(self):
        while not self.over.wait(0.1):
            for body in self.client.list(KUEUE, "workloads", "default"):
                self.look(body)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def test_handed_over_and_back_under_load(tree, decide):
    """What holds a reservation and waits for a check keeps it, both ways; nothing is given twice; all ends."""
    tree.queues("check", **{"check-a": (3, checks()), "check-b": (3, {})})
    decide("one")
    names = [f"load-{k}" for k in range(30)]
    with Judge(tree) as judge, Checker(tree.admin) as checker:
        judge.kept |= {"kept", "later"}
        tree.submit_all("kept", queue="check-a", seconds=1)
        tree.wait("Kueue reserves", lambda: len(tree.holders("check-a")) == 1)
        for k, name in enumerate(names):
            tree.submit_all(name, queue=f"check-{'ab'[k % 2]}", seconds=1)
        tree.wait("Kueue's end", lambda: sum(tree.done(n) for n in names) > 3)
        said = handover(tree, "check-a")
        assert "ClusterQueue check-a: has an inactive check, no scheduler decides" in said and "None -> check" in said
        assert standing(tree, "check-a") == ("None", "true", "licence,pool-only", ["licence", "pool-only", OURS])
        assert standing(tree, "check-b") == ("Hold", "true", None, [])
        tree.wait("its own check has passed", lambda: states(tree.workload("kept")).get(OURS) == "Ready")
        assert condition(tree.workload("kept"), "Admitted") != "True"
        already = sum(tree.done(n) for n in names)
        tree.wait("fairlead's end", lambda: sum(tree.done(n) for n in names) > already + 6)
        judge.kept.remove("kept")
        tree.wait("what Kueue gave a reservation ends", lambda: tree.done("kept"))
        tree.submit_all("later", queue="check-a", seconds=1)
        tree.wait("fairlead reserves", lambda: any(states(w).get(OURS) == "Ready" for w in [tree.workload("later")] if w))
        assert not tree.runs("later") and condition(tree.workload("later"), "QuotaReserved") == "True"
        handover(tree, "check-a", "--back")
        assert standing(tree, "check-a") == ("None", None, None, ["licence", "pool-only"])
        judge.kept.remove("later")
        tree.wait("all of them end", lambda: tree.done(*names, "later", "kept"))
        most, admitted = checker.check(6, {"check-a", "check-b"})
    assert len(admitted) == len(names) + 2 and set(admitted.values()) == {1} and most >= 5
    assert not any(condition(w, "Evicted") for w in tree.admin.list(KUEUE, "workloads", "default")
                   if w["spec"]["queueName"] in ("check-a", "check-b"))


def test_checks_that_say_no_and_a_preemption(tree, decide):
    """Kueue evicts and deactivates; what is preempted has to pass all of its checks once more."""
    tree.queues("check-c", **{"check-c": (2, {**checks(), **RECLAIMS})})
    handover(tree, "check-c")
    decide("one")
    with Judge(tree) as judge, Checker(tree.admin) as checker:
        tree.submit_all("retry-one", "reject-one", queue="check-c", seconds=1)
        tree.wait("one is rejected", lambda: (tree.workload("reject-one") or {"spec": {}})["spec"].get("active") is False)
        tree.wait("the other is tried again, and ends", lambda: tree.done("retry-one"))
        reasons = {e["reason"]: e["count"] for e in tree.workload("retry-one")["status"]["schedulingStats"]["evictions"]}
        assert reasons == {"AdmissionCheck": 1} and not tree.holders("check-c")
        tree.submit_all("low-0", "low-1", queue="check-c")
        tree.wait("two run", lambda: tree.runs("low-0") and tree.runs("low-1"))
        judge.kept |= {"low-0", "low-1"}
        tree.admin.apply(KUEUE, "workloadpriorityclasses", {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass",
                                                            "metadata": {"name": "urgent"}, "value": 100})
        urgent = job("urgent", "check-c", seconds=1)
        urgent["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "urgent"
        tree.admin.create("batch/v1", "jobs", urgent, "default")
        tree.wait("it ends", lambda: tree.done("urgent"))
        victim = tree.wait("who yielded has quota again, and waits for its checks", lambda: next((w for w in (
            tree.workload("low-0"), tree.workload("low-1")) if condition(w, "Preempted") == "False" and states(w) == {
                "licence": "Pending", "pool-only": "Pending", OURS: "Ready"} and condition(w, "QuotaReserved") == "True"), None))
        owner = victim["metadata"]["ownerReferences"][0]["name"]
        assert condition(victim, "Admitted") != "True" and not tree.runs(owner)
        judge.kept.clear()
        tree.wait("and runs again", lambda: tree.runs(owner))
        most, _ = checker.check(2, {"check-c"})
    assert most == 2
    for name in ("low-0", "low-1"):
        tree.admin.delete("batch/v1", "jobs", name, "default")
    tree.wait("all is free", lambda: not tree.holders("check-c"))


def test_a_check_that_is_added_later_stops_the_tree(tree, decide):
    """Until the command is run again, which looks at it; a stop is the annotation's."""
    tree.queues("check-d", **{"check-d": (2, checks())})
    handover(tree, "check-d")
    one = decide("one")
    with Judge(tree):
        tree.submit_all("before", queue="check-d", seconds=1)
        tree.wait("it ends", lambda: tree.done("before"))
        tree.check("added", active=True)
        tree.admin.patch(KUEUE, "clusterqueues", "check-d", {"spec": checks(OURS, "added")})
        tree.wait("it is told", lambda: "ClusterQueue check-d has other admission checks" in one.get("/v1/health")[1])
        tree.submit_all("after", queue="check-d", seconds=1)
        tree.wait("it has a Workload", lambda: tree.workload("after"))
        tree.quiet(2)
        assert not tree.holders("check-d")
        handover(tree, "check-d")
        assert standing(tree, "check-d")[2:] == ("licence,pool-only,added", ["licence", "pool-only", "added", OURS])
        tree.wait("it ends, too", lambda: tree.done("after"))
        tree.admin.patch(KUEUE, "clusterqueues", "check-d", {"metadata": {"annotations": {"fairlead.dev/scheduler": "drain"}}})
        tree.submit_all("stopped", queue="check-d", seconds=1)
        tree.wait("it has a Workload", lambda: tree.workload("stopped"))
        tree.quiet(2)
        assert not tree.holders("check-d")
        handover(tree, "check-d", "--back")
        assert standing(tree, "check-d") == ("HoldAndDrain", None, None, ["licence", "pool-only", "added"])
        tree.policy("None", "check-d")
        tree.wait("Kueue goes on", lambda: tree.done("stopped"))
