# SPDX-License-Identifier: Apache-2.0
"""The daemon under both policies, with what a Policy and history add: real jobs, real time."""
import os
import subprocess

import pytest

from conftest import Daemon, ms

MACHINE = """
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {name: policies}
spec:
  machine:
    COHORT
    flavors: [{name: default, resources: {cpu: "4", memory: 4Gi}}]
  jobs: {grace: 1s}
  cycleInterval: 5ms
"""

QUEUE = """
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: NAME, creationTimestamp: "2026-01-01T00:00:00Z"}
spec:
  parentQueue: PARENT
  resources:
    gpu: {quota: 0, overQuotaWeight: 1, limit: -1}
    cpu: {quota: CPU, overQuotaWeight: WEIGHT, limit: -1}
    memory: {quota: -1, overQuotaWeight: 1, limit: -1}
"""

SHARD = """
---
apiVersion: kai.scheduler/v1
kind: SchedulingShard
metadata: {name: default}
spec:
  kValue: 1
  usageDBConfig:
    clientType: prometheus
    usageParams: {halfLifePeriod: 10m, windowSize: 1h, windowType: sliding}
"""


def queue(name, cpu=0, weight=1, parent="dept"):
    text = QUEUE.replace("NAME", name).replace("CPU", str(cpu)).replace("WEIGHT", str(weight))
    return text.replace("PARENT", parent) if parent else text.replace("  parentQueue: PARENT\n", "")


@pytest.fixture
def daemon_of(tmp_path):
    made = []

    def make(text):
        path = tmp_path / "daemon.yaml"
        path.write_text(text)
        made.append(Daemon(tmp_path, path).start())
        return made[0]

    yield make
    for one in made:
        if one.process.poll() is None:
            for row in one.get("/v1/jobs?limit=1000").json()["jobs"]:
                one.post(f"/v1/jobs/{row['id']}/cancel")
            one.until(lambda: not one.get("/v1/jobs").json()["jobs"], "all are over")
        one.stop()


def states(daemon, numbers):
    return [daemon.job(n)["state"] for n in numbers]


def sleeps(daemon, where, cpu, n, seconds=60):
    return [daemon.submit("sleep", str(seconds), queue=where, requests={"cpu": str(cpu)})
            for _ in range(n)]


def entitled(*queues):
    return MACHINE.replace("    COHORT\n", "") + queue("dept", cpu=-1, parent=None) + "".join(queues)


def test_entitle_reclaims(daemon_of):
    """A queue gets back what it deserves; who is evicted comes back when there is room."""
    daemon = daemon_of(entitled(queue("a", 2000), queue("b", 2000)))
    first = sleeps(daemon, "a", 1, 4)
    daemon.until(lambda: states(daemon, first) == ["runs"] * 4, "a has the whole machine")
    other = sleeps(daemon, "b", 1, 2)
    daemon.until(lambda: states(daemon, other) == ["runs"] * 2, "b has its part")
    assert sorted(states(daemon, first)) == ["runs", "runs", "waits", "waits"]
    kinds = [e["kind"] for e in map(__import__("json").loads,
                                    daemon.get("/v1/events?limit=100").text.splitlines())]
    assert kinds.count("Preempted") == 2
    daemon.stop(9)
    daemon.start()
    assert sorted(states(daemon, first)) == ["runs", "runs", "waits", "waits"]
    for number in other:
        daemon.post(f"/v1/jobs/{number}/cancel")
    daemon.until(lambda: states(daemon, first) == ["runs"] * 4, "a has all of it again")


def test_entitle_gpus(daemon_of):
    """What queues have is called as jobs ask for it, also by its short name."""
    text = entitled(queue("a"), queue("b")).replace("memory: 4Gi}", "memory: 4Gi, nvidia.com/gpu: 2}")
    daemon = daemon_of(text.replace("gpu: {quota: 0,", "gpu: {quota: 1,"))
    resources = {q["name"]: q["resources"] for q in daemon.get("/v1/queues").json()["queues"]}
    assert resources["a"]["nvidia.com/gpu"]["nominal"] == "1"
    done = subprocess.run([os.environ["FAIRLEAD"], "submit", "--socket", str(daemon.socket), "-q", "a", "-r", "gpu=1",
                           "--wait", "--", "sh", "-c", "test -n \"$CUDA_VISIBLE_DEVICES\""],
                          capture_output=True, text=True, check=False, cwd=daemon.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_entitle_history_survives(daemon_of):
    """Usage over time is the same before and behind a kill, up to the time between."""
    daemon = daemon_of(entitled(queue("a", 0), queue("b", 0)) + SHARD)
    first = sleeps(daemon, "a", 2, 2, seconds=2)
    daemon.until(lambda: states(daemon, first) == ["done"] * 2, "a has used the machine")

    def share():
        rows = {q["name"]: q for q in daemon.get("/v1/queues").json()["queues"]}
        return rows["a"]

    daemon.stop(9)
    daemon.start()
    both = sleeps(daemon, "b", 4, 1) + sleeps(daemon, "a", 4, 1)
    daemon.until(lambda: states(daemon, both)[0] == "runs", "b is next: a has had its time")
    assert states(daemon, both)[1] == "waits"
    assert share()["waiting"] == 1


AFS = """
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
admissionFairSharing: {usageHalfLifeTime: 10m, usageSamplingInterval: 1s}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  cohortName: company
  namespaceSelector: {}
  admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}
"""

LOCAL = """
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: NAME, namespace: default}
spec: {clusterQueue: all, fairSharing: {weight: 1}}
"""


def test_admission_fair_sharing(daemon_of):
    """Of two local queues the one that has used less is next, also after a restart."""
    daemon = daemon_of(MACHINE.replace("COHORT", "cohort: company") + AFS +
                       LOCAL.replace("NAME", "one") + LOCAL.replace("NAME", "two"))
    used = [daemon.submit("sh", "-c", "until [ -e end ]; do sleep 0.05; done", queue="one", requests={"cpu": "4"})]
    later = sleeps(daemon, "one", 4, 1, seconds=1) + sleeps(daemon, "two", 4, 1, seconds=1)
    daemon.wait(used[0], "runs")
    daemon.stop()
    daemon.start()
    daemon.until(lambda: daemon.job(used[0])["ranSeconds"] > 2, "the first has used something")
    (daemon.folder / "end").touch()
    daemon.until(lambda: states(daemon, used + later) == ["done"] * 3, "all had their turn")
    begins = [ms(daemon.job(n)["startedAt"]) for n in later]
    assert begins[1] < begins[0]


def test_entitle_eta(daemon_of):
    """Also under entitlement a limit tells when a job starts, and since when those run is known."""
    daemon = daemon_of(entitled(queue("a")))
    runs = daemon.submit("sleep", "60", queue="a", requests={"cpu": "4"}, timeLimit="30m")
    daemon.wait(runs, "runs")
    waits = daemon.submit("true", queue="a", requests={"cpu": "4"}, timeLimit="1m")
    daemon.wait(waits, "waits")
    eta = daemon.get(f"/v1/jobs/{waits}/explain?eta=1&format=json").json()["eta"]
    assert (eta["state"], eta["awaits"]["workload"]) == ("Later", str(runs))
    assert eta["arrivals"] == 2


QUEUES = "".join(f"""
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec: {{cohortName: company, namespaceSelector: {{}}, fairSharing: {{weight: {weight}}}}}
""" for name, weight in (("a", 1), ("b", 3)))


def test_drf_by_weight(daemon_of):
    """Of four cores three are for the queue that counts three times, also behind a kill; nobody is evicted."""
    text = MACHINE.replace("COHORT", "cohort: company").replace("spec:\n", "spec:\n  policy: drf\n", 1)
    daemon = daemon_of(text + QUEUES)
    holder = sleeps(daemon, "a", 4, 1)
    daemon.until(lambda: states(daemon, holder) == ["runs"], "a has the whole machine")
    a, b = sleeps(daemon, "a", 1, 4), sleeps(daemon, "b", 1, 4)
    daemon.stop(9)
    daemon.start()
    assert states(daemon, holder + a + b) == ["runs"] + ["waits"] * 8
    daemon.post(f"/v1/jobs/{holder[0]}/cancel")
    daemon.until(lambda: sorted(states(daemon, a + b)) == ["runs"] * 4 + ["waits"] * 4, "four run")
    assert (states(daemon, a).count("runs"), states(daemon, b).count("runs")) == (1, 3)
    queues = daemon.get("/v1/queues").json()
    assert queues["policy"] == "drf" and queues["total"]["cpu"] == "4"
    assert {q["name"]: q["share"] for q in queues["queues"] if q["kind"] == "ClusterQueue"} == {"a": 250, "b": 250}
    waits = next(n for n in b if daemon.job(n)["state"] == "waits")
    assert daemon.get(f"/v1/jobs/{waits}/explain?format=json").json()["policy"] == "drf"


def test_a_policy_that_there_is_not(tmp_path):
    """A name that is none, and one of the other objects."""
    for name, text in (("fifo", "there is no policy 'fifo'"), ("entitle", "does not use the objects of the trees")):
        path = tmp_path / "daemon.yaml"
        path.write_text(MACHINE.replace("COHORT", "cohort: company").replace("spec:\n", f"spec:\n  policy: {name}\n", 1)
                        + QUEUES)
        done = subprocess.run([os.environ["FAIRLEADD"], "--config", str(path), "--state", str(tmp_path / "state")],
                              capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode != 0 and text in done.stderr
