# SPDX-License-Identifier: Apache-2.0
"""src/kube on a real API server: after each fault, what a listener has is what a fresh list says."""
import os
import signal
import time

import pytest
from bed import KUEUE, wait_for
from churn import Churn
from client import ApiError
from followed import WORKLOADS, Follow
from objects import cluster_queue, workload

# 50 in `make soak`.
RESTARTS = int(os.environ.get("FAIRLEAD_E2E_RESTARTS", "5"))
OPTIONS = ("seed=1", "first=50", "most=400", "again=1000")
MAPS, QUEUES = "/v1/configmaps/default", "kueue.x-k8s.io/v1beta2/clusterqueues"
APIS = {"workloads": KUEUE, "clusterqueues": KUEUE, "configmaps": "v1"}


def plain(body):
    """Without what a list and a watch write differently."""
    out = {k: v for k, v in body.items() if k not in ("apiVersion", "kind")}
    out["metadata"] = {k: v for k, v in body["metadata"].items() if k != "managedFields"}
    return out


class Fresh:
    """What the server says now, in the form that followed.py compares."""

    def __init__(self, client):
        self.client = client

    def state(self, plural):
        namespace = None if plural == "clusterqueues" else "default"
        return {(o["metadata"].get("namespace", ""), o["metadata"]["name"]): plain(o)
                for o in self.client.list(APIS[plural], plural, namespace)}


class Followed(Follow):
    def take(self, kind, one):
        if one.get("object"):
            one["object"] = plain(one["object"])
        super().take(kind, one)


@pytest.fixture(scope="module")
def defined(bed):
    bed.define_kueue()
    return bed


@pytest.fixture
def follow(defined):
    started = []

    def start(*words, config=None):
        started.append(Followed(config or defined.kubeconfig(), *OPTIONS, *words))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()
        assert one.process.returncode == 0


def note(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"key": "value"}}


def made(name):
    return workload(name, "nowhere")


def test_every_change_is_told_whatever_the_names_and_texts(defined, follow):
    f = follow(WORKLOADS, MAPS, QUEUES)
    f.wait(lambda f: len(f.listed) == 3)
    fresh = Fresh(defined.admin)
    with Churn(defined.client(), KUEUE, "workloads", made, seed=1) as workloads, \
            Churn(defined.client(), "v1", "configmaps", note, seed=2) as notes:
        wait_for("hundreds of changes", lambda: min(workloads.changes(), notes.changes()) > 300, 120)
    defined.admin.apply(KUEUE, "clusterqueues", cluster_queue("one", cpu=3))
    f.wait_equal(fresh, "workloads", "configmaps", "clusterqueues")
    assert f.listed == {"workloads": 1, "configmaps": 1, "clusterqueues": 1}
    # By this name the end of the bed knows whose requests it looks at.
    assert {r["verb"] for r in defined.requests(agent="fairlead")} >= {"list", "watch"}


def test_a_server_that_is_killed_while_objects_change(defined, follow):
    """Two listeners: one reads by pages, one by initial events."""
    both = [follow(source, MAPS) for source in (WORKLOADS, "+" + WORKLOADS)]
    fresh = Fresh(defined.admin)
    for f in both:
        f.wait(lambda f: len(f.listed) == 2, 60)
    with Churn(defined.client(), KUEUE, "workloads", made, seed=3), Churn(defined.client(), "v1", "configmaps", note, seed=4):
        for i in range(RESTARTS):
            time.sleep(0.5 + 0.1 * (i % 7))
            defined.restart_api(signal.SIGKILL if i % 3 else signal.SIGTERM)
    for f in both:
        f.wait_equal(fresh, "workloads", "configmaps", seconds=60)
        f.wait(lambda f: not any(f.trouble.values()), 60)


def test_what_was_deleted_before_a_compaction_goes(defined, follow):
    for i in range(30):
        defined.admin.apply(KUEUE, "workloads", made(f"kept-{i}"), "default")
    f = follow(WORKLOADS, MAPS)
    fresh = Fresh(defined.admin)
    f.wait_equal(fresh, "workloads", "configmaps")
    with defined.behind() as hidden:
        for i in range(0, 30, 3):
            hidden.delete(KUEUE, "workloads", f"kept-{i}", "default")
            hidden.create(KUEUE, "workloads", made(f"new-{i}"), "default")
        # Another one of the same name.
        hidden.delete(KUEUE, "workloads", "kept-1", "default")
        hidden.create(KUEUE, "workloads", made("kept-1"), "default")
        defined.compact()
    f.wait_equal(Fresh(defined.admin), "workloads", "configmaps", seconds=60)
    assert f.listed["workloads"] == 2


def test_a_definition_that_is_removed_and_put_back(defined, follow):
    f = follow(QUEUES)
    defined.admin.apply(KUEUE, "clusterqueues", cluster_queue("two", cpu=3))
    f.wait_equal(Fresh(defined.admin), "clusterqueues")
    name, crds = "clusterqueues.kueue.x-k8s.io", ("apiextensions.k8s.io/v1", "customresourcedefinitions")
    body = defined.admin.get(*crds, name)
    defined.admin.delete(*crds, name)
    f.wait(lambda f: not f.mirrors["clusterqueues"], 60)
    wait_for("the definition is gone", lambda: defined.admin.find(*crds, name) is None)
    body["metadata"] = {"name": name, "annotations": {
        k: v for k, v in body["metadata"].get("annotations", {}).items() if "last-applied" not in k}}
    defined.admin.create(*crds, {k: v for k, v in body.items() if k != "status"})
    wait_for("it is served", lambda: defined.served(name))
    defined.admin.apply(KUEUE, "clusterqueues", cluster_queue("three", cpu=3))
    f.wait_equal(Fresh(defined.admin), "clusterqueues", seconds=90)
    assert {n for _, n in f.mirrors["clusterqueues"]} == {"three"}


def test_a_right_that_is_taken_away_and_given_back(defined, follow):
    read = [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["get", "list", "watch"]}]
    defined.grant("reads-workloads", read, user="bob")
    f = follow(WORKLOADS, config=defined.kubeconfig("bob"))
    f.wait_equal(Fresh(defined.admin), "workloads")
    defined.admin.delete("rbac.authorization.k8s.io/v1", "clusterroles", "reads-workloads")
    # A watch that is open stays so: the server asks at its beginning.
    defined.restart_api()
    f.wait(lambda f: (f.trouble.get("workloads") or {}).get("status") == 403, 60)
    assert f.mirrors["workloads"], "what was heard stays"
    defined.admin.apply(KUEUE, "workloads", made("meanwhile"), "default")
    defined.grant("reads-workloads", read, user="bob")
    f.wait_equal(Fresh(defined.admin), "workloads", seconds=60)
    f.wait(lambda f: not f.trouble["workloads"], 60)


def test_a_token_that_dies_with_its_pod_and_a_new_one(defined, follow):
    defined.account("reader")
    defined.grant("robot-reads", [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"],
                                   "verbs": ["get", "list", "watch"]}], account=("default", "reader"))

    def token_of(name):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
            "serviceAccountName": "reader", "containers": [{"name": "c", "image": "none"}]}}
        return defined.account_token("reader", pod=defined.admin.create("v1", "pods", pod, "default"))

    token = token_of("reader-1")
    file = defined.folder / "reader.token"
    file.write_text(token)
    f = follow(WORKLOADS, config=defined.kubeconfig("reader", token_file=file))
    f.wait_equal(Fresh(defined.admin), "workloads")
    defined.admin.ask("DELETE", "/api/v1/namespaces/default/pods/reader-1?gracePeriodSeconds=0")

    def refused():
        try:
            defined.client(token=token).list(KUEUE, "workloads", "default")
        except ApiError as e:
            return e.status == 401
        return False

    wait_for("the old token is refused", refused, 90)
    defined.restart_api()
    f.wait(lambda f: (f.trouble.get("workloads") or {}).get("status") == 401, 60)
    file.write_text(token_of("reader-2"))
    defined.admin.apply(KUEUE, "workloads", made("after-the-token"), "default")
    f.wait_equal(Fresh(defined.admin), "workloads", seconds=90)
