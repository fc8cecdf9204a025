# SPDX-License-Identifier: Apache-2.0
"""A daemon that watches a cluster: its answers are those of the API server's state, whatever happens to it."""
import json
import os
import subprocess
import time

import pytest
from fake import Fault
from watching import ACCOUNT, as_account, Unix, Watching, condition, fill, queue, workload


def test_answers_are_of_what_the_server_has(fake, watch):
    fill(fake)
    workload(fake, "a", "runs", cpu=3, held=True)
    workload(fake, "a", "small", cpu=1)
    workload(fake, "b", "large", cpu=2, priority=5)
    w = watch().ready()
    assert w.counts() == (1, 2)
    assert w.queue()["resources"]["cpu"]["usage"] == "3"
    text = w.get("/v1/workloads/b/large/explain", width=200)
    assert "b/large" in text and "can have 1 now (1 short)" in text
    plan = w.get("/v1/plan", cycles=3)
    assert "a/small" in plan
    status, answer = w.ask("/v1/jobs", method="POST", body="{}")
    assert status == 404 and answer["text"] == "this daemon watches a cluster, and runs no jobs"
    status, answer = w.ask("/v1/workloads/b/none/explain")
    assert status == 404
    assert {verb for verb, _, _ in fake.requests} <= {"list", "watch", "get"}


def test_the_command_explains_a_workload(fake, watch):
    fill(fake)
    workload(fake, "b", "large", cpu=5)
    w = watch().ready()

    def explain(what):
        return subprocess.run([os.environ["FAIRLEAD"], "explain", "--socket", w.socket, what], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    assert explain("b/large").stdout.startswith("b/large can never be admitted as quotas stand: it asks for 5 cpu")
    workload(fake, "b", "17", cpu=6)
    assert w.wait(lambda: explain("b/17").stdout).startswith("b/17 can never be admitted as quotas stand: it asks for 6 cpu")
    missing = explain("a/17")
    assert missing.returncode == 1 and "there is no such Workload" in missing.stderr
    for none in ("b/none", "b/job/none", "a/job/train"):
        missing = explain(none)
        assert missing.returncode == 1 and "there is no such Workload" in missing.stderr


def test_by_the_name_of_its_job(fake, watch):
    """The newest, where an old one is there, too."""
    fill(fake)
    w = watch().ready()
    train = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u", "controller": True}
    for name, cpu in (("job-train-11111", 5), ("job-train-22222", 6)):
        workload(fake, "b", name, cpu=cpu, owners=[train])
        w.wait(lambda: w.ask(f"/v1/workloads/b/{name}/explain")[0] == 200)

    def explain(what):
        return subprocess.run([os.environ["FAIRLEAD"], "explain", "--socket", w.socket, what], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    assert w.wait(lambda: explain("b/job/train").stdout).startswith("b/job-train-22222 can never be admitted as quotas stand: it asks for 6 cpu")
    for none in ("b/job/11111", "a/job/train"):
        assert "there is no such Workload" in explain(none).stderr


def test_changes_are_seen(fake, watch):
    fill(fake)
    workload(fake, "a", "one", cpu=3)
    w = watch().ready()
    assert w.counts() == (0, 1)
    workload(fake, "a", "one", cpu=3, held=True)
    w.wait(lambda: w.counts() == (1, 0))
    workload(fake, "a", "one", cpu=3, held=True, conditions=[condition("Evicted", reason="Preempted")])
    workload(fake, "b", "two", cpu=1)
    w.wait(lambda: w.counts() == (1, 1))
    workload(fake, "a", "one", cpu=3, conditions=[condition("Evicted", reason="Preempted")])
    w.wait(lambda: w.counts() == (0, 2))
    workload(fake, "a", "one", cpu=3, active=False)
    w.wait(lambda: w.counts() == (0, 1))
    fake.delete("workloads", "b", "two")
    w.wait(lambda: w.counts() == (0, 0))
    fake.put("clusterqueues", None, "cq", spec=queue(9))
    w.wait(lambda: w.queue()["resources"]["cpu"]["nominal"] == "9")
    w.has_all()


def test_events_and_counts(fake, watch):
    fill(fake)
    w = watch().ready()
    connection = Unix(w.socket)
    connection.request("GET", "/v1/events?follow=1")
    stream = connection.getresponse()
    workload(fake, "a", "one", cpu=3)
    first = json.loads(stream.readline())
    workload(fake, "a", "one", cpu=3, held=True)
    second = json.loads(stream.readline())
    fake.delete("workloads", "a", "one")
    third = json.loads(stream.readline())
    connection.close()
    assert [e["kind"] for e in (first, second, third)] == ["Submitted", "Admitted", "Cancelled"]
    assert {e["queue"] for e in (first, second, third)} == {"a/main"}
    assert 'fairlead_job_wait_seconds_count{queue="cq"} 1' in w.get("/metrics")


def test_what_if_is_over_the_live_state(fake, watch):
    fill(fake)
    workload(fake, "a", "runs", cpu=3, held=True)
    workload(fake, "b", "large", cpu=5)
    w = watch().ready()
    change = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: cq}\nspec: {stopPolicy: Hold}\n"
    status, text = w.ask("/v1/what-if?cycles=3", method="POST", body=change)
    assert status == 200, text
    set_ = "ClusterQueue/cq:%20nominalQuota[cpu,default]=9"
    status, text = w.ask(f"/v1/what-if?cycles=3&set={set_}", method="POST", body="")
    assert status == 200 and "b/large" in text, text


def test_deletes_while_it_was_cut_off(fake, watch):
    fill(fake)
    for k in range(5):
        workload(fake, "a", f"w{k}")
    w = watch().ready()
    assert w.counts() == (0, 5)
    fake.always[("watch", "workloads")] = Fault(status=503, retry_after=0)
    fake.cut_all()
    for k in range(3):
        fake.delete("workloads", "a", f"w{k}")
    workload(fake, "b", "new")
    fake.compact()
    del fake.always[("watch", "workloads")]
    w.wait(lambda: w.counts() == (0, 3), seconds=60)
    w.has_all()


def test_a_kind_that_may_not_be_read(fake, watch):
    fill(fake)
    fake.forbidden.add(("list", "workloads"))
    w = watch()
    w.wait(lambda: "forbidden" in w.text())
    status, answer = w.ask("/v1/queues")
    assert status == 503 and answer["text"] == "the cluster is being read for the first time"
    status, answer = w.ask("/v1/health")
    assert status == 200 and answer["status"] == "degraded" and "read for the first time" in answer["problem"]
    assert w.ask("/v1/health?ready=1")[0] == 503
    assert "fairlead_watch_stale 1" in w.get("/metrics").splitlines()
    fake.forbidden.clear()
    w.ready().has_all()


def test_a_server_that_starts_refuses_for_a_moment(fake, watch):
    """It has not read all roles yet: no minute is lost, and the log tells it once."""
    fill(fake)
    w = watch().ready()

    def asked():
        return sum(r[:2] == ("watch", "localqueues") for r in fake.requests)

    fake.forbidden.add(("watch", "localqueues"))
    before = asked()
    fake.cut_all()
    w.wait(lambda: asked() >= before + 3)
    fake.forbidden.clear()
    w.wait(lambda: "localqueues are read again" in w.text())
    assert w.text().count("cannot watch") == 1
    w.has_all()


def test_ready(fake, watch):
    fill(fake)
    w = watch().ready()
    assert w.get("/v1/health", ready=1)["status"] == "ok"


@pytest.mark.skipif("FAIRLEAD_CLOCK" not in os.environ, reason="needs the library that sets clocks")
def test_ready_until_a_kind_was_not_heard_of_for_two_minutes(fake, watch, tmp_path, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", os.environ["FAIRLEAD_CLOCK"])
    monkeypatch.setenv("TIME_FILE", str(tmp_path / "ahead"))
    fill(fake)
    w = watch().ready()
    monkeypatch.delenv("LD_PRELOAD")
    fake.forbidden.add(("watch", "localqueues"))
    fake.cut_all()
    w.wait(lambda: "cannot watch" in w.text())
    time.sleep(1)
    assert w.get("/v1/health", ready=1)["problem"]
    (tmp_path / "ahead").write_text("125")
    w.wait(lambda: w.ask("/v1/health?ready=1")[0] == 503)
    status, health = w.wait(lambda: "localqueues" in (answer := w.ask("/v1/health?ready=1"))[1]["problem"] and answer)
    assert status == 503  # though the others are heard of again
    assert "fairlead_watch_stale 1" in w.get("/metrics").splitlines()
    assert w.ask("/v1/health")[0] == 200
    assert w.queue()["name"] == "cq"
    fake.forbidden.clear()
    w.wait(lambda: w.ask("/v1/health?ready=1")[0] == 200)
    assert "fairlead_watch_stale 0" in w.get("/metrics").splitlines()


# What a pod has: the account of its own namespace, in a /run of its own.
POD = """set -e
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
cd /run/secrets/kubernetes.io/serviceaccount
printf secret >token; printf watchers >namespace; cp "$CA" ca.crt; chmod 644 *
cd /; exec "$@"
"""
OWN = "apiVersion: fairlead.dev/v1alpha1\nkind: Daemon\nmetadata: {name: own}\n"


@pytest.mark.parametrize("words, namespace", [([], "watchers"), (["--namespace", "other"], "other")])
def test_its_configuration_is_in_the_namespace_of_its_pod(fake, certificate, tmp_path, monkeypatch, words, namespace):
    inside = ["unshare", "--mount", "sh", "-c", POD, "pod"]
    for name, value in (("CA", certificate.file), ("KUBERNETES_SERVICE_HOST", "127.0.0.1"), ("KUBERNETES_SERVICE_PORT", fake.port),
                        ("HOME", tmp_path)):
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    if subprocess.run([*inside, "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    fill(fake)
    for one in ("watchers", "other", "fairlead"):
        fake.put("configmaps", one, "fairlead", data={"daemon.yaml": OWN})
    w = Watching(tmp_path, None, *words, inside=inside)
    try:
        w.ready()
        asked = {path.partition("?")[0] for _, plural, path in fake.requests if plural == "configmaps"}
        assert asked == {f"/api/v1/namespaces/{n}/configmaps" for n in (namespace, "kueue-system")}
    finally:
        assert w.end() == 0, w.text()


def test_of_its_state_the_folder_alone_is_checked(fake, watch, tmp_path):
    """A volume of a pod may be writable for the pod's group; the folder that it makes there is its own."""
    fill(fake)
    volume = tmp_path / "volume"
    volume.mkdir()
    volume.chmod(0o2775)
    if os.geteuid() == 0:
        os.chown(volume, 0, ACCOUNT)
    watch("--state", str(volume / "state"), starter=as_account()).ready()
    assert (volume / "state").stat().st_mode & 0o777 == 0o700
    refused = subprocess.run([os.environ["FAIRLEADD"], "--cluster", "--kubeconfig", tmp_path / "none", "--state", volume],
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=20, **as_account())
    assert refused.returncode == 3 and f"its group can write to {volume}" in refused.stderr, refused.stderr
    assert f"--state {volume}/state" in refused.stderr
    if os.geteuid() == 0:  # that would give the folder away, whatever its name means by then
        refused = subprocess.run([os.environ["FAIRLEADD"], "--cluster", "--kubeconfig", tmp_path / "none", "--state", volume / "other"],
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=20)
        assert refused.returncode == 3 and f"its group can write to {volume}" in refused.stderr, refused.stderr
        assert not (volume / "other").exists()


def test_an_event_is_in_the_answer_soon(fake, watch):
    fill(fake)
    for k in range(200):
        workload(fake, "a", f"w{k}")
    w = watch().ready()
    took = []
    for k in range(10):
        workload(fake, "b", f"new{k}")
        begin = time.monotonic()
        w.wait(lambda name=f"new{k}": w.ask(f"/v1/workloads/b/{name}/explain")[0] == 200)
        took.append(time.monotonic() - begin)
    assert sorted(took)[5] < 2, took
