# SPDX-License-Identifier: Apache-2.0
"""The command when the environment fails it.

The n-th allocation of the whole process fails, the libraries' own included, for every n and each
verb; the n-th read fails; disks are full and outputs closed.  Each time the command says so and
exits with 3, or the failure made no difference (a locale that cannot be had, a file buffered
less) and the output is to the byte what it always is.  Nothing crashes, nothing is left behind.
"""
import gzip
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

EXE = os.environ["FAIRLEAD"]
SHIM = os.environ["FAIRLEAD_FAILING"]
EVERY = int(os.environ.get("FAIRLEAD_FAULT_EVERY", "1"))

STATE = """\
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: v1
kind: Namespace
metadata: {name: ns}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec: &spec
  cohortName: c
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [
    {name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: r}
spec:
  cohortName: c
  typo: true
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [
    {name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: ns}
spec: {clusterQueue: q}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lr, namespace: ns}
spec: {clusterQueue: r}
"""
JOB = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: %s, namespace: ns, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {queueName: %s, podSets: [{name: main, count: 1, template: {spec: {containers: [
  {name: x, resources: {requests: {cpu: %d}}}]}}}]}
"""
HELD = """\
status:
  conditions: [{type: QuotaReserved, status: "True", reason: QuotaReserved, message: "",
                lastTransitionTime: "2026-01-01T00:00:01Z"}]
  admission: {clusterQueue: %s, podSetAssignments: [{name: main, count: 1, flavors: {cpu: f},
    resourceUsage: {cpu: %d}}]}
"""
REQUEST = """\
{"totalResource": {"GPU": 9, "CPU": 2000, "Memory": 3000000}, "queues": [
 {"uid": "a", "resourceShare": {"gpu": {"deserved": 2}}},
 {"uid": "b", "resourceShare": {"gpu": {"overQuotaWeight": 3, "request": 2.5}}},
 {"uid": "c", "resourceShare": {}}]}
"""
CHANGE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: r}
spec: {cohortName: c, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [
    {name: cpu, nominalQuota: 1}]}]}]}
"""
CELLS = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: r}
spec:
  cohortName: c
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [
    {name: cpu, nominalQuota: 1}]}]}]
"""
QUEUE = """---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: %s, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {%s resources: {gpu: {quota: %d, overQuotaWeight: 1, limit: 4}, cpu: {quota: -1, limit: -1},
  memory: {quota: -1, limit: -1}}}
"""
ENTITLED = """apiVersion: v1
kind: Node
metadata: {name: m}
status: {allocatable: {cpu: 8, memory: 8G, nvidia.com/gpu: 4}}
""" + QUEUE % ("d", "", 4) + QUEUE % ("a", "parentQueue: d,", 2) + QUEUE % ("b", "parentQueue: d,", 2)
GANG = """---
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: %s, namespace: ns, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {minMember: 1, queue: %s, preemptibility: preemptible}
---
apiVersion: v1
kind: Pod
metadata: {name: %s-0, namespace: ns, annotations: {pod-group-name: %s}}
spec: {schedulerName: kai-scheduler, %s containers: [
  {name: x, resources: {limits: {nvidia.com/gpu: %d}}}]}
"""
# Much happens: b takes back what it lent, quota goes and fails, who was evicted backs off.
SIMULATION = """\
apiVersion: fairlead.dev/v1alpha1
kind: Simulation
metadata: {name: s}
spec:
  start: "2026-01-01T00:00:00Z"
  trees: [tree.yaml]
  sources: [{swf: jobs.swf.gz, queues: [{users: [1], to: q}, {to: "u-{user}"}]}]
  queueTemplates: [{match: "u-*", clusterQueue: {cohortName: c, namespaceSelector: {},
    preemption: {reclaimWithinCohort: Any}, resourceGroups: [{coveredResources: [cpu],
      flavors: [{name: f, resources: [{name: cpu, nominalQuota: 4}]}]}]}}]
  classes: [{name: k, to: r, count: 4, every: {exponential: 10m}, runs: 1h, requests: {cpu: 2}}]
  eviction: {grace: 30s, restart: 1m, backOff: {base: 1m}}
  changes: [{at: 1h, clusterQueue: r, flavor: f, resource: cpu, nominalQuota: 1, kills: true}]
  failures: [{clusterQueue: q, flavor: f, resource: cpu, amount: 4, every: 1h, lasts: 1h}]
"""
VARIANT = """\
apiVersion: fairlead.dev/v1alpha1
kind: Simulation
metadata: {name: s}
spec: {eviction: {grace: 10s}}
"""
JOBS = "".join(f"{n} {60 * n} 0 {600 * n} 1 -1 -1 {n} 900 -1 1 {1 + n % 2} 1 -1 1 -1 -1 -1\n"
               for n in range(1, 6))


def gang(name, queue, gpu, on=""):
    return GANG % (name, queue, name, name, on, gpu)


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as path:
        text = (STATE + JOB % ("held", "lr", 6) + HELD % ("r", 6) + JOB % ("a", "lq", 3) +
                JOB % ("b", "lq", 9))
        with open(f"{path}/state.yaml", "w") as f:
            f.write(text)
        with open(f"{path}/change.yaml", "w") as f:
            f.write(CHANGE)
        with open(f"{path}/script.sh", "w") as f:
            f.write("#!/bin/sh -e\n#FAIRLEAD -r cpu=1 --name 'a b'\n")
        with open(f"{path}/entitled.yaml", "w") as f:
            f.write(ENTITLED + gang("held", "a", 2, "nodeName: m,") + gang("more", "a", 2, "nodeName: m,") +
                    gang("new", "b", 2) + gang("big", "b", 3))
        with open(f"{path}/queue.yaml", "w") as f:
            f.write(QUEUE % ("b", "parentQueue: d,", 1))
        with open(f"{path}/request.json", "w") as f:
            f.write(REQUEST)
        for name, content in ("simulation", SIMULATION), ("tree", STATE), ("variant", VARIANT):
            with open(f"{path}/{name}.yaml", "w") as f:
                f.write(content)
        with open(f"{path}/jobs.swf.gz", "wb") as f:
            f.write(gzip.compress(JOBS.encode()))
        with open(f"{path}/state.json", "w") as f:
            record = subprocess.run([EXE, "record", "-f", f"{path}/state.yaml"], cwd=path,
                                    stdout=subprocess.PIPE, check=True)
            f.write(record.stdout.decode())
        subprocess.run([EXE, "prove", "-f", f"{path}/state.yaml", "--out", f"{path}/loop.json"], cwd=path,
                       stdout=subprocess.PIPE, check=False)  # 1: there is one
        with open(f"{path}/cells.yaml", "w") as f:
            f.write(CELLS)
        for name in "state", "entitled":
            subprocess.run([EXE, "save", "-f", f"{path}/{name}.yaml", "--out", f"{path}/{name}.image"], cwd=path,
                           check=True)
        subprocess.run(["gzip", "-k", "state.json"], cwd=path, check=True)
        os.mkdir(f"{path}/folder")
        os.link(f"{path}/state.json.gz", f"{path}/folder/state.json.gz")
        yield path


VERBS = {
    "check": ["check", "-f", "state.yaml"],
    "check-sarif": ["check", "-f", "state.yaml", "-o", "sarif"],
    "check-gzip": ["check", "-f", "state.json.gz"],
    "tree": ["tree", "-f", "state.json"],
    "tree-json": ["tree", "-f", "state.json", "-o", "json"],
    "plan": ["plan", "-f", "state.json", "--cycles", "3"],
    "plan-json": ["plan", "-f", "state.json", "--settle", "-o", "json"],
    "divide": ["divide", "-f", "request.json", "--rounds"],
    "divide-json": ["divide", "-f", "request.json", "--rounds", "-o", "json"],
    "divide-request": ["divide", "-f", "request.json"],
    "explain": ["explain", "-f", "state.json", "ns/b"],
    "explain-json": ["explain", "-f", "state.json", "ns/a", "-o", "json"],
    "explain-unknown": ["explain", "-f", "state.json", "ns/ab"],
    "what-if": ["what-if", "-f", "state.json", "--change", "change.yaml",
                "--fail-if", "evicted.new > 3"],
    "what-if-delete": ["what-if", "-f", "state.json", "--delete", "Workload/ns/held",
                       "-o", "json"],
    "entitle-tree": ["tree", "-f", "entitled.yaml", "-o", "json"],
    "entitle-plan": ["plan", "-f", "entitled.yaml", "--settle"],
    "entitle-plan-json": ["plan", "-f", "entitled.yaml", "-o", "json"],
    "entitle-explain": ["explain", "-f", "entitled.yaml", "ns/big"],
    "entitle-explain-json": ["explain", "-f", "entitled.yaml", "ns/big", "-o", "json"],
    "entitle-what-if": ["what-if", "-f", "entitled.yaml", "--change", "queue.yaml"],
    "save": ["save", "-f", "state.json", "--out", "out.json"],
    "image-tree": ["tree", "-f", "state.image"],
    "image-what-if": ["what-if", "-f", "state.image", "--change", "cells.yaml"],
    "image-entitle": ["plan", "-f", "entitled.image"],
    "record": ["record", "-f", "state.json", "--redact", "--salt", "x"],
    "record-out": ["record", "-f", "state.json", "--out", "out.json"],
    "tune": ["tune", "--penalty", "50%", "--hours", "12", "--gpus", "4", "--cluster", "16",
             "--weights", "1,1,2"],
    "tune-json": ["tune", "--weights", "1,2,3,4,5,6,7", "-o", "json"],
    "completion": ["completion", "bash"],
    "help": ["--help"],
    "folder": ["check", "-f", "folder"],
    "usage": ["plan", "--nonsense"],
}
# Those that take long: thousands of allocations each, of which every so many fails.  The run
# itself, where each of them does, is in test_simulation.c.
STRIDES = {
    "simulate": 5,
    "compare": 29,
    "compare-sweep": 29,
    "simulate-snapshot": 7,
    "explain-eta": 7,
    "prove": 23,
    "prove-json": 19,
    "replay": 5,
}
VERBS.update({
    "prove": ["prove", "-f", "state.yaml", "--svg", "out.json"],
    "prove-json": ["prove", "-f", "state.yaml", "-o", "json", "--out", "out.json"],
    "replay": ["plan", "--settle", "-f", "loop.json", "-o", "json"],
    "simulate": ["simulate", "-f", "simulation.yaml", "--out", "out", "-o", "json"],
    "compare": ["compare", "-f", "simulation.yaml", "--variant", "x=variant.yaml", "--out", "out",
                "-o", "json"],
    "compare-sweep": ["compare", "-f", "simulation.yaml", "--sweep", "load=1,2", "-o", "json"],
    "simulate-snapshot": ["simulate", "-f", "state.yaml", "--from-snapshot", "-o", "json"],
    "explain-eta": ["explain", "-f", "state.yaml", "ns/a", "--eta", "-o", "json"],
})

# A job that is refused without asking the daemon.
VERBS.update({
    "submit": ["submit", "-q", "a", "-r", "cpu=1,mem=1Gi", "--after", "1", "--env", "PATH", "--output", "x", "--name",
               64 * "x", "--", "true"],
    "submit-script": ["submit", "-q", "a", "--name", 64 * "x", "script.sh", "1"],
})
# Asking where there is none: libraries are loaded for it, with thousands of allocations.
NO_DAEMON = {
    "jobs": ["jobs", "--socket", "none"],
    "ask": ["explain", "--socket", "none", "17"],
}
VERBS.update(NO_DAEMON)
STRIDES.update(dict.fromkeys(NO_DAEMON, 131))

ANSWER_NO = {"explain-unknown", "prove", "prove-json", "replay", "submit", "submit-script"}


def written(folder):
    """What stands in the folder that was written, and the folder goes."""
    path = os.path.join(folder, "out")
    if not os.path.isdir(path):
        return None
    names = sorted(os.listdir(path))
    shutil.rmtree(path)
    return names


def essence(output):
    """What may not differ.  Three things may, each with exit code 0:

    - columns in SARIF, which are left out when a file cannot be read a second time;
    - the branches of a tree: libsmartcols draws blanks for a character that it got no memory for,
      the C library has it write escapes (\\xe2) when it cannot load UTF-8, and a locale that
      cannot be had is that of C;
    - the picture of `tune`, which is of other characters there.
    """
    output = re.sub(rb"(?s)\nPortion, .*?\nnote:", b"\nnote:", output)
    output = re.sub(rb',"(start|end)Column":\d+', b"", output)
    for branch in "├─", "└─", "│ ", "|-", "`-", "| ":
        output = output.replace(branch.encode(), b"  ")
    output = re.sub(rb"(\\x[0-9a-f]{2})+", b" ", output)
    return re.sub(rb" +", b" ", output)


def run(args, cwd, env=None, **how):
    how.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([EXE] + args, cwd=cwd, stderr=subprocess.PIPE, timeout=60,
                          env={**os.environ, "LC_ALL": "C.UTF-8", **(env or {})}, **how)


def failing(args, cwd, variable, n):
    """The run with the n-th call failing; None when there were fewer calls."""
    mark = os.path.join(cwd, ".reached")
    done = run(args, cwd, {"LD_PRELOAD": SHIM, variable: str(n), "FAIL_REACHED": mark})
    if not os.path.exists(mark):
        return None
    os.unlink(mark)
    return done


def says(done, text):
    """On standard error, or in the findings of SARIF."""
    return text in done.stderr.decode() or (b"sarif" in done.stdout and
                                            text in done.stdout.decode())


@pytest.mark.parametrize("name", VERBS)
def test_each_allocation(folder, name):
    args = VERBS[name]
    want = run(args, folder)
    assert want.returncode == (2 if name == "usage" else 1 if name in ANSWER_NO else 3 if name in NO_DAEMON else 0)
    wanted, made = essence(want.stdout), written(folder)
    files = sorted(set(os.listdir(folder)) - {"out.json"})
    step = STRIDES.get(name, 1) * EVERY
    wrong, n = [], 1 - step
    while True:
        n += step
        done = failing(args, folder, "FAIL_ALLOCATION", n)
        if done is None:
            break
        same = done.returncode == want.returncode and essence(done.stdout) == wanted
        told = done.returncode == 3 and any(says(done, text) for text in (
            "out of memory", "cannot allocate memory", "the output could not be written"))
        if not same and not told:
            wrong.append((n, done.returncode, done.stderr.decode()[-200:]))
        if written(folder) != (made if done.returncode == 0 else None):
            wrong.append((n, done.returncode, "half of the folder"))
        left = sorted(set(os.listdir(folder)) - {"out.json"})
        if left != files:
            wrong.append((n, "left behind", set(left) - set(files)))
            for file in set(left) - set(files):
                os.unlink(os.path.join(folder, file))
    written(folder)
    assert not wrong, f"of {n} allocations: {wrong[:10]}"
    assert n > 1


@pytest.mark.parametrize("name", ["check", "tree", "check-gzip", "record", "simulate"])
def test_each_read(folder, name):
    want = run(VERBS[name], folder)
    assert want.returncode in (0, 1)
    written(folder)
    n = 0
    while True:
        n += 1
        done = failing(VERBS[name], folder, "FAIL_READ", n)
        if done is None:
            break
        assert done.returncode == 3, (n, done)
        assert says(done, "nput/output error"), done
        assert written(folder) is None
    written(folder)
    assert n > 1


# What says all it has to say on standard error, or in a file.
QUIET = ("check", "check-gzip", "explain-unknown", "folder", "record-out", "save", "usage", "submit", "submit-script",
         *NO_DAEMON)


@pytest.mark.parametrize("name", [v for v in VERBS if v not in QUIET])
def test_full_disk(folder, name):
    assert run(VERBS[name], folder).stdout != b""
    with open("/dev/full", "w") as full:
        done = run(VERBS[name], folder, stdout=full)
    assert done.returncode == 3
    assert says(done, "fairlead: error: the output could not be written")


@pytest.mark.parametrize("name", ["tree", "plan-json", "explain", "record", "help"])
def test_closed_output(folder, name):
    done = run(VERBS[name], folder, stdout=None, preexec_fn=lambda: os.close(1))
    assert done.returncode == 3
    assert says(done, "fairlead: error: the output could not be written")


def test_closed_input(folder):
    done = run(["check", "-f", "-"], folder, preexec_fn=lambda: os.close(0))
    assert done.returncode == 3
    assert says(done, "standard input: error: ")


def test_record_on_a_full_disk_leaves_the_old_file(folder):
    out = os.path.join(folder, "kept.json")
    with open(out, "w") as f:
        f.write("old")
    before = sorted(os.listdir(folder))

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = run(["record", "-f", "state.json", "--out", "kept.json"], folder,
               preexec_fn=small_files)
    assert done.returncode == 3
    assert says(done, "kept.json: error: file too large")
    assert sorted(os.listdir(folder)) == before
    with open(out) as f:
        assert f.read() == "old"


@pytest.mark.parametrize("name", ["simulate", "compare"])
def test_no_half_of_a_folder_on_a_full_disk(folder, name):
    """However large files may be, up to the largest of them: none is there, or all are."""
    done = run(VERBS[name], folder)
    out = os.path.join(folder, "out")
    largest = max(os.path.getsize(os.path.join(out, f)) for f in os.listdir(out))
    assert done.returncode == 0 and written(folder)
    before = sorted(os.listdir(folder))
    for limit in (0, 1, 50, 200, 1000, 4096, 10000, 70000, largest - 1):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = run(VERBS[name], folder, preexec_fn=small_files)
        assert done.returncode == 3, (limit, done)
        assert re.search(r"^out/[a-z.]+: error: file too large$", done.stderr.decode(), re.M)
        assert done.stdout == b"" and sorted(os.listdir(folder)) == before


def test_simulate_keeps_old_files_on_a_full_disk(folder):
    out = os.path.join(folder, "out")
    os.mkdir(out)
    with open(f"{out}/summary.json", "w") as f:
        f.write("old")

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    assert run(VERBS["simulate"], folder, preexec_fn=small_files).returncode == 3
    with open(f"{out}/summary.json") as f:
        assert f.read() == "old"
    assert written(folder) == ["summary.json"]
