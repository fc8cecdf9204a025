# SPDX-License-Identifier: Apache-2.0
"""fairlead handover beside Kueue's whole manager, by a user with the rights that the guide names and no others.

Who decides in place of fairlead's daemon is the actor: it admits as soon as the command says that the tree is handed over.
"""
import os
import pathlib
import re
import subprocess
import threading
import time

import pytest
import yaml
from actor import conditions_of
from bed import KUEUE
from objects import condition, job, set_up_configuration, workload
from test_handover_bed import HELD, RECLAIMS, SLOW, Cluster

MAY_WRITE = re.compile(r"patch /apis/kueue\.x-k8s\.io/v1beta2/clusterqueues/[^/]* by alice ")
MARK = "fairlead.dev/scheduler"
GUIDE = pathlib.Path(__file__).parents[2] / "doc" / "guide" / "handover.md"


class Done:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def cluster(manager):
    set_up_configuration(manager.bed)
    manager.bed.may_write = MAY_WRITE
    return Cluster(manager)


@pytest.fixture(scope="module")
def fairlead(cluster, tmp_path_factory):
    """fairlead(word...) as alice, who may do what the guide and `check --rbac` say."""
    folder, bed = tmp_path_factory.mktemp("handover"), cluster.bed
    reads = yaml.safe_load(subprocess.run([os.environ["FAIRLEAD"], "check", "--rbac"], check=True, text=True,
                                          stdout=subprocess.PIPE).stdout)
    writes = next(yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(), re.S)
                  if "kind: ClusterRole" in text)
    bed.grant("fairlead-read", reads["rules"], user="alice")
    bed.grant("fairlead-handover", writes["rules"], user="alice")
    bed.grant("bob-reads", reads["rules"], user="bob")

    def run(*words, user="alice"):
        env = {**os.environ, "KUBECONFIG": str(bed.kubeconfig(user))}
        return Done(subprocess.run([os.environ["FAIRLEAD"], *words, "--context", "bed"], env=env, cwd=folder, text=True,
                                   timeout=SLOW, stdin=subprocess.DEVNULL, capture_output=True, check=False))

    return run


def standing(cluster, *queues):
    bodies = [cluster.admin.get(KUEUE, "clusterqueues", q) for q in queues]
    return [(b["spec"].get("stopPolicy", "None"), b["metadata"].get("annotations", {}).get(MARK)) for b in bodies]


def names(bodies):
    return {w["metadata"]["name"] for w in bodies}


class Load:
    """Jobs of a second each, three a second into each queue, until it ends."""

    def __init__(self, cluster, *queues):
        self.cluster, self.queues, self.n, self.over = cluster, queues, 0, threading.Event()
        self.client = cluster.bed.client(agent="users")
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.over.wait(0.3):
            for queue in self.queues:
                self.client.create("batch/v1", "jobs", job(f"{queue}-{self.n}", queue, seconds=1), "default")
            self.n += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def test_a_tree_under_load_is_handed_over_and_back(cluster, fairlead):
    queues = ("load-a", "load-b")
    cluster.queues("load", **{q: (3, RECLAIMS) for q in queues})
    with Load(cluster, *queues) as load:
        cluster.wait("Kueue admits, and some wait", lambda: len(cluster.holders(*queues)) >= 5 and load.n >= 8)
        since = cluster.bed.audited_so_far()
        done = fairlead("handover", "load", "--yes")
        assert done.code == 0 and "The tree of cohort load is handed over" in done.out, done.err
        holders = names(cluster.holders(*queues))
        cluster.wait("what ran has ended, and jobs are still taken", lambda: not cluster.holders(*queues))
        pending = cluster.wait("jobs wait", lambda: [w for w in cluster.admin.list(KUEUE, "workloads", "default") if w["spec"][
            "queueName"] in queues and condition(w, "QuotaReserved") == "False"])
        # Nothing was admitted behind the barrier: who held quota then held it already, or has ended.
        for one in cluster.admin.list(KUEUE, "workloads", "default"):
            assert condition(one, "Admitted") != "True" or condition(one, "Finished") == "True" or one["metadata"]["name"] in holders
        assert not any(condition(w, "Evicted") for w in cluster.admin.list(KUEUE, "workloads", "default")
                       if w["spec"]["queueName"] in queues)
        # Another one decides there.
        mine = pending[0]["metadata"]["ownerReferences"][0]["name"]
        cluster.admit(pending[0]["spec"]["queueName"], mine)
        cluster.wait("it runs and ends", lambda: cluster.job(mine)["status"].get("succeeded") == 1)
    assert standing(cluster, *queues) == [("Hold", "true")] * 2
    assert len(cluster.bed.writes(user="alice", since=since)) >= 2
    done = fairlead("handover", "load", "--back", "--yes")
    assert done.code == 0 and "The tree of cohort load is Kueue's" in done.out, done.err
    assert standing(cluster, *queues) == [("None", None)] * 2
    cluster.wait("Kueue goes on with those that wait", lambda: len(cluster.holders(*queues)) >= 5)


def test_nothing_is_admitted_behind_the_barrier(cluster, fairlead):
    """All of a burst is decided at the moment of the change: what comes late comes before the command ends."""
    cluster.queues("burst", **{"burst": (1000, HELD)})
    for i in range(100):
        cluster.admin.create(KUEUE, "workloads", workload(f"burst-{i}", "burst"), "default")
    cluster.quiet(1)
    cluster.policy("None", "burst")
    done = fairlead("handover", "burst", "--yes")
    assert done.code == 0, done.err
    then = names(cluster.holders("burst"))
    cluster.quiet(3)
    assert names(cluster.holders("burst")) == then
    assert fairlead("handover", "burst", "--back", "--yes").code == 0
    cluster.wait("Kueue admits the rest", lambda: len(cluster.holders("burst")) == 100)


def test_what_runs_goes_on_and_what_is_over_its_quota_is_named(cluster, fairlead):
    """Kueue then preempts one of those that were named, and no other."""
    cluster.queues("owed", **{"owed-a": (2, RECLAIMS), "owed-b": (2, RECLAIMS)})
    cluster.submit(*(f"owed-{i}" for i in range(4)), queue="owed-a")
    cluster.wait("four run", lambda: all(cluster.job(f"owed-{i}")["status"].get("ready") == 1 for i in range(4)))
    before = {w["metadata"]["uid"]: conditions_of(w)["Admitted"]["lastTransitionTime"] for w in cluster.holders("owed-a")}
    assert fairlead("handover", "owed", "--yes").code == 0
    cluster.submit("owed-claim", queue="owed-b")
    assert {w["metadata"]["uid"]: conditions_of(w)["Admitted"]["lastTransitionTime"] for w in cluster.holders("owed-a")} == before
    done = fairlead("handover", "owed", "--back", "--yes")
    assert done.code == 0 and "owed-a, cpu in pool, 2 over: " in done.out, done.err
    named = set(re.findall(r"default/(job-owed-[^\s,]+)", done.out))
    cluster.wait("Kueue gives b its own", lambda: cluster.runs("owed-claim"))
    evicted = {cluster.workload(f"owed-{i}")["metadata"]["name"] for i in range(4)
               if condition(cluster.workload(f"owed-{i}"), "Evicted") == "True"}
    assert len(named) == 4 and len(evicted) == 1 and evicted < named


def test_half_a_tree_is_finished_by_the_same_command(cluster, fairlead):
    """Kueue's manager is away at first: its webhooks refuse each write."""
    cluster.queues("half", **{"half-a": (1, {}), "half-b": (1, {})})
    cluster.admin.patch(KUEUE, "clusterqueues", "half-a", {"metadata": {"annotations": {MARK: "true"}}, "spec": {"stopPolicy": "Hold"}})
    cluster.manager.kill()
    done = fairlead("handover", "half", "--yes")
    assert done.code == 3 and "ClusterQueue half-a" in done.err and "does Kueue's manager run?" in done.err, done.err
    assert "0 of 2 ClusterQueues of the tree are on Hold for the handover" in done.err and "half-b: is not" in done.err
    cluster.manager.start()
    assert standing(cluster, "half-a", "half-b") == [("Hold", "true"), ("None", None)]
    done = fairlead("handover", "half", "--yes")
    assert done.code == 0 and "ClusterQueue half-b: handed over" in done.out and "A part of it is handed over already" in done.out, done.err
    assert standing(cluster, "half-a", "half-b") == [("Hold", "true")] * 2
    assert fairlead("handover", "half-b", "--back", "--yes").code == 0
    assert standing(cluster, "half-a", "half-b") == [("None", None)] * 2


def test_a_stop_of_a_user_outlives_both_ways(cluster, fairlead):
    cluster.queues("stop", **{"stop-a": (1, HELD), "stop-b": (1, {})})
    cluster.admin.create("batch/v1", "jobs", job("stopped", "stop-a"), "default")
    assert fairlead("handover", "stop", "--yes").code == 0
    assert standing(cluster, "stop-a", "stop-b") == [("Hold", "hold"), ("Hold", "true")]
    assert fairlead("handover", "stop", "--back", "--yes").code == 0
    assert standing(cluster, "stop-a", "stop-b") == [("Hold", None), ("None", None)]
    cluster.quiet(2)
    assert not cluster.runs("stopped")


def test_a_gated_workload_is_refused_unless_the_gate_is_off(cluster, fairlead):
    """The feature is off in the bed's version, which its Configuration need not say."""
    cluster.queues("gates", **{"gates": (1, {})})
    body = workload("gated", "gates")
    body["metadata"]["annotations"] = {"kueue.x-k8s.io/admission-gated-by": "example.com/x"}
    cluster.admin.create(KUEUE, "workloads", body, "default")
    done = fairlead("handover", "gates", "--yes")
    assert done.code == 1 and "Workload/default/gated" in done.err and "is gated" in done.err, done.err
    assert standing(cluster, "gates") == [("None", None)]
    kept = cluster.admin.get("v1", "configmaps", "kueue-manager-config", "kueue-system")["data"]
    text = yaml.safe_load(kept["controller_manager_config.yaml"])
    text["featureGates"]["AdmissionGatedBy"] = False
    cluster.admin.patch("v1", "configmaps", "kueue-manager-config", {"data": {"controller_manager_config.yaml": yaml.safe_dump(
        text)}}, "kueue-system")
    assert fairlead("handover", "gates", "--yes").code == 0
    assert fairlead("handover", "gates", "--back", "--yes").code == 0
    cluster.admin.patch("v1", "configmaps", "kueue-manager-config", {"data": kept}, "kueue-system")


def test_what_the_server_makes_of_objects_is_refused_by_its_name(cluster, fairlead):
    """As the real API server and the real webhooks have them, and all of them at once."""
    cluster.queues("odd", **{"odd-a": (1, cluster_checks("nosuch")), "odd-b": (1, {})})
    near = job("near", "odd-b")
    near["spec"]["template"]["metadata"].setdefault("annotations", {})["kueue.x-k8s.io/podset-required-topology"] = "rack"
    cluster.admin.create("batch/v1", "jobs", near, "default")
    cluster.wait("it has a Workload", lambda: cluster.workload("near"))
    done = fairlead("handover", "odd", "--yes")
    assert done.code == 1, done.out
    assert "ClusterQueue/odd-a: has the admission check nosuch, and there is no such AdmissionCheck" in done.err
    assert ".spec.podSets[0].topologyRequest.required: asks for a topology" in done.err and "for 2 reasons" in done.err
    assert standing(cluster, "odd-a", "odd-b") == [("None", None)] * 2


def cluster_checks(*checks):
    return {"admissionChecksStrategy": {"admissionChecks": [{"name": c} for c in checks]}}


def test_one_who_may_only_read(cluster, fairlead):
    cluster.queues("theirs", **{"theirs": (1, {})})
    done = fairlead("handover", "theirs", "--dry-run", user="bob")
    assert done.code == 0 and "None -> Hold" in done.out, done.err
    done = fairlead("handover", "theirs", "--yes", user="bob")
    assert done.code == 3 and "ClusterRole" in done.err and standing(cluster, "theirs") == [("None", None)], done.err


def test_what_was_written(cluster, fairlead):
    """Two writes a queue over, and two back."""
    cluster.queues("count", **{"count-a": (1, {}), "count-b": (1, {})})
    since = cluster.bed.audited_so_far()
    assert fairlead("handover", "count", "--yes").code == 0
    assert fairlead("handover", "count", "--back", "--yes").code == 0
    writes = [w for w in cluster.bed.writes(user="alice", since=since)]
    assert sorted(w.split("?")[0].split()[1].rsplit("/", 1)[1] for w in writes) == ["count-a"] * 4 + ["count-b"] * 4, writes
