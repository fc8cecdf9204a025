# SPDX-License-Identifier: Apache-2.0
"""`fairlead agreement --verify`: a daemon that has missed something is found, and one that has not is not."""
import itertools
import json
import os
import pathlib
import random
import subprocess
import threading
import time

import jsonschema
import kai
import openapi
import pytest
from fake import Fake
from followed import kubeconfig
from watching import condition, fill, queue, workload

SEEDS = os.environ.get("FAIRLEAD_SEEDS", "1").split()
SCHEMA = pathlib.Path(os.environ["FAIRLEAD_SOURCE"]) / "doc" / "schema" / "verification.schema.json"
ODD = {"spec": {"podSets": [{"count": "many"}]}}  # of which nothing can be made


@pytest.fixture
def w(fake, watch):
    fill(fake)
    for k in range(5):
        workload(fake, "a", f"w{k}", cpu=1, held=k == 1)
    workload(fake, "b", "over", conditions=[condition("Finished")])
    fake.put("workloads", "b", "odd", **ODD)
    return watch().ready()


def found(done):
    """{(kind, namespace, name): where it is} of an answer in JSON."""
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert done.returncode == (0 if answer["same"] and answer["complete"] else 1 if not answer["same"] else 4)
    return {(d["kind"], d.get("namespace"), d["name"]): " ".join(k for k in ("cluster", "daemon") if k in d) for d in answer["differences"]}


def test_it_has_what_the_cluster_has(fake, w):
    done = w.verify()
    assert (done.returncode, done.stderr) == (0, "")
    assert " ".join(done.stdout.split()) == (
        "What the daemon has is what the cluster has: namespaces 2, resourceflavors 1, clusterqueues 1, localqueues 2, workloads 7 "
        "Of 1 of the cluster's objects nothing can be made")
    assert {verb for verb, _, _ in fake.requests} <= {"list", "watch", "get"}


def test_each_event_that_was_missed_is_found(fake, w):
    with fake.unheard():
        fake.delete("workloads", "a", "w0")
        workload(fake, "a", "new")
        workload(fake, "a", "w1")  # releases its quota
        workload(fake, "a", "w2", cpu=2)
        workload(fake, "a", "w3", priority=1)
        fake.delete("workloads", "a", "w4")
        workload(fake, "a", "w4")  # made again
        workload(fake, "b", "odd")
        fake.put("workloads", "b", "over", **ODD)
        fake.put("clusterqueues", None, "cq", spec=queue(5))
        fake.delete("localqueues", "b", "main")
        fake.put("namespaces", None, "a", metadata={"labels": {"x": "y"}})
    done = w.verify("-o", "json")
    assert found(done) == {
        ("Workload", "a", "w0"): "daemon", ("Workload", "a", "new"): "cluster", ("LocalQueue", "b", "main"): "daemon",
        **{("Workload", "a", f"w{k}"): "cluster daemon" for k in range(1, 5)}, ("Workload", "b", "odd"): "cluster daemon",
        ("Workload", "b", "over"): "cluster daemon", ("ClusterQueue", None, "cq"): "cluster daemon",
        ("Namespace", None, "a"): "cluster daemon"}
    kinds = {k["resource"]: k for k in json.loads(done.stdout)["kinds"]}
    assert kinds["workloads"] == {"kind": "Workload", "group": "kueue.x-k8s.io", "resource": "workloads", "objects": 7, "same": 0,
                                  "onlyInCluster": 1, "onlyInDaemon": 1, "differ": 6, "unreadable": 1}
    assert kinds["localqueues"]["same"] == kinds["localqueues"]["objects"] == 1
    jsonschema.validate(json.loads(done.stdout), json.loads(SCHEMA.read_text()))
    done = w.verify()
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == "What the daemon has is not what the cluster has: 11 differ, 3 are the same"
    assert "Workload a/w0: only in the daemon" in lines and "Workload a/new: only in the cluster" in lines
    assert "Workload a/w4: the daemon has another one of this name" in lines
    assert "Workload b/odd: differs; the daemon could not read it" in lines
    assert "Workload b/over: differs; this command could not read it" in lines
    assert any(line.startswith("ClusterQueue cq: differs; the daemon has resourceVersion ") for line in lines)
    assert "The same: namespaces 1, resourceflavors 1, localqueues 1" in lines


def test_what_decides_nothing_is_the_same(fake, w):
    with fake.unheard():
        one = fake.state("workloads")["a", "w0"]
        fake.put("workloads", "a", "w0", metadata={**one["metadata"], "annotations": {"x": "y"}, "resourceVersion": str(fake.version + 1)},
                 spec=one["spec"], status=one["status"])
    w.has_all()


def test_what_it_hears_meanwhile_is_no_difference(fake, w):
    over = threading.Event()

    def change():
        k = 0
        while not over.wait(0.1):
            k += 1
            workload(fake, "a", f"w{k % 5}", cpu=1 + k % 3, held=k % 2)
            if k % 5 == 0:
                workload(fake, "b", f"new{k}")
            if k % 5 == 1 and k > 21:
                fake.delete("workloads", "b", f"new{k - 21}")

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(5):
            w.has_all()
    finally:
        over.set()
        thread.join()
    w.has_all()


def test_what_it_hears_late_is_no_difference(fake, w):
    """When it is asked by name for the second time it hears that it has to list again: it is asked for longer."""
    with fake.unheard():
        fake.delete("workloads", "a", "w0")
    named = itertools.count(1)

    def begin_again(plural):
        if plural != "workloads" or next(named) != 2:
            return
        before, end = len(fake.requests), time.monotonic() + 10
        fake.compact()
        while time.monotonic() < end and ("list", "workloads") not in {r[:2] for r in fake.requests[before:]}:
            time.sleep(0.01)

    fake.before_named = begin_again
    w.has_all()
    assert next(named) > 2


def test_odd_objects(fake, watch):
    """Names as long as they may be, texts of all sorts, and one object that is too large to be read."""
    fill(fake)
    long = "x" * 63 + ".y-0" * 47 + "zz"
    assert len(long) == 253
    workload(fake, "a", long, labels={"\u4e16": "\U0001f600 \"\\"})
    one = fake.state("workloads")["a", long]
    fake.put("workloads", "a", "noted", spec=one["spec"], metadata={
        "annotations": {"x": "\u4e16\n\"" * 30000}, "labels": {"k8s.io/a_b": "A.b_c"}, "creationTimestamp": "2026-11-01T10:00:00Z"})
    fake.put("workloads", "a", "large", spec={**one["spec"], "text": "x" * (9 << 20)})
    fake.put("workloads", "a", "deep", spec={**one["spec"], "deep": json.loads("[" * 60 + "]" * 60)})
    w = watch().ready()
    done = w.verify()
    assert done.returncode == 0 and "Of 1 of the cluster's objects nothing can be made" in done.stdout, done.stdout + done.stderr
    with fake.unheard():
        fake.delete("workloads", "a", "large")
        fake.delete("workloads", "a", long)
        workload(fake, "a", "noted", priority=3)
    assert found(w.verify("-o", "json")) == {("Workload", "a", "large"): "daemon", ("Workload", "a", long): "daemon",
                                             ("Workload", "a", "noted"): "cluster daemon"}


@pytest.mark.parametrize("seed", SEEDS)
def test_any_faults(fake, watch, seed):
    """A third of all answers are wrong in some way, while objects change and old versions are forgotten."""
    dice = random.Random(seed)
    fake.random.seed(int(seed))
    fill(fake)
    for k in range(400):
        workload(fake, "a", f"w{k}")
    w = watch().ready()
    fake.chance = 0.3
    for k in range(12):
        for _ in range(20):
            name = f"w{dice.randrange(500)}"
            if ("a", name) in fake.state("workloads") and dice.random() < 0.3:
                fake.delete("workloads", "a", name)
            else:
                workload(fake, "a", name, cpu=dice.randint(1, 3), priority=dice.randint(0, 2), held=dice.random() < 0.5)
        fake.put("clusterqueues", None, "cq", spec=queue(dice.randint(4, 40)))
        if k % 4 == 3:
            fake.compact()
        if k % 3 == 2:
            fake.cut_all()
        time.sleep(0.2)
    fake.chance = 0
    fake.cut_all()
    w.wait(lambda: w.verify().returncode == 0, seconds=90)


def test_a_kind_that_the_caller_may_not_list_is_told(fake, w):
    fake.forbidden.add(("list", "localqueues"))
    done = w.verify()
    assert (done.returncode, done.stderr) == (4, "")
    assert "Not compared: localqueues.kueue.x-k8s.io, as you may not list them" in done.stdout
    assert found(w.verify("-o", "json")) == {}
    with fake.unheard():
        fake.delete("workloads", "a", "w0")
    assert w.verify().returncode == 1


def test_an_answer_that_is_no_list_is_an_error(fake, w):
    fake.tokens.clear()
    done = w.verify()
    assert (done.returncode, done.stdout) == (3, "") and done.stderr.count("error:") == 1, done.stderr


def test_many_that_differ_are_listed_again_by_kind(fake, watch):
    fill(fake)
    for k in range(1500):
        workload(fake, "b", f"m{k}")
    w = watch().ready()
    w.has_all()  # in several pages
    with fake.unheard():
        for k in range(150):
            fake.delete("workloads", "b", f"m{k}")
    before = len(fake.requests)
    done = w.verify()
    assert done.returncode == 1 and "and 50 more: -o json lists all" in done.stdout
    assert done.stdout.startswith("What the daemon has is not what the cluster has: 150 differ, 1356 are the same")
    assert "Workload b/m0: only in the daemon" in done.stdout
    assert sum("metadata.name%3Dm" in path for _, _, path in fake.requests[before:]) == 0
    assert sum(plural == "clusterqueues" for _, plural, _ in fake.requests[before:]) == 1
    assert sum(plural == "workloads" and "continue" not in path for _, plural, path in fake.requests[before:]) == 3


def test_kai(fake, watch):
    kai.fill(fake)
    for k in range(3):
        kai.group(fake, f"g{k}")
        kai.pod(fake, f"p{k}", f"g{k}", node="n1" if k == 0 else None, phase="Running" if k == 0 else "Pending")
    kai.pod(fake, "ended", "g0", phase="Succeeded")
    w = watch().ready()
    kai.node(fake, "n1", beat=9)
    kai.pod(fake, "p0", "g0", node="n1", phase="Succeeded")
    w.has_all()
    with fake.unheard():
        fake.delete("pods", "ns", "p1")
        kai.bind(fake, "p2", "n1")
        kai.node(fake, "n1", ready=False)
    assert found(w.verify("-o", "json")) == {("Pod", "ns", "p1"): "daemon", ("BindRequest", "ns", "p2"): "cluster",
                                             ("Node", None, "n1"): "cluster daemon"}


def test_pages_and_questions_of_the_api(fake, w):
    page = w.get("/v1/mirror")
    openapi.check("GET", "/v1/mirror", 200, "application/json", json.dumps(page))
    assert len(page["objects"]) == 13 and "continue" not in page
    of = {k["kind"]: k["number"] for k in page["kinds"]}
    one = w.get("/v1/mirror", of=of["Workload"], namespace="a", name="w0")["objects"]
    assert one == [o for o in page["objects"] if o["name"] == "w0"]
    assert w.get("/v1/mirror", of=of["Workload"], namespace="b", name="w0")["objects"] == []
    assert w.get("/v1/mirror", of=4000000000, name="w0")["objects"] == []
    for query in ("of=1", "name=w0", "namespace=a", "of=1&name=w0&continue=m1", "continue=1", "continue=mx", "continue=m123456789", "of=x&name=a"):
        assert w.ask(f"/v1/mirror?{query}")[0] == 400, query


def test_of_another_cluster_nothing_is_the_same(fake, w, certificate, tmp_path):
    other = Fake(certificate.file, certificate.key, seed=1)
    try:
        other.version = 1000
        other.put("clusterqueues", None, "theirs", spec=queue(1))
        (tmp_path / "other").mkdir()
        done = subprocess.run([os.environ["FAIRLEAD"], "agreement", "--verify", "--socket", w.socket, "--kubeconfig",
                               kubeconfig(tmp_path / "other", other.port, certificate.file)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)
    finally:
        other.close()
    assert done.returncode == 1 and "Nothing is the same: is this the cluster that the daemon watches?" in done.stdout, done.stdout
