#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""scale - what fairleadd --cluster takes of a cluster with many Workloads

usage: FAIRLEADD=build/fairleadd PYTHONPATH=tests/lib tests/kube/scale.py [OBJECTS [HELD [CHANGES]]]

OBJECTS Workloads (100,000) of 3,000 bytes in 100 ClusterQueues of 10 cohorts, of which HELD (2,000) hold quota and
the others wait.  The API server is a fake one, whose pages are made before.  The daemon is started twice: the first
time nothing is in its store, the second time all is.  Figures are of its own processor time, which has TLS in it,
and its memory:

    read      from the start to the first view, and then until all of history is written
    changes   CHANGES (300), 20 a second: ends, admissions as a scheduler decides them, and newcomers by turns;
              what part of a core they take, and what is taken without changes
    answers   from a change, newcomers too, to the answer of explain that knows of it
    explain   of Workloads drawn at random, one after the other
"""
import http.client
import json
import pathlib
import random
import statistics
import sys
import tempfile
import time

import certificates
from fake import Fake
from followed import kubeconfig
from watching import Unix, Watching, condition, let_pass

PAGE, QUEUES, COHORTS, CPUS = 500, 100, 10, 4
AT = "2026-01-01T00:00:00Z"


def name_of(k):
    return f"team-{k % QUEUES}", f"job-train-{k:06}-5f3a9"


def workload(k, held=False, size=3000, over=False, at=AT):
    namespace, name = name_of(k)
    status = {"conditions": [condition("QuotaReserved", held, "QuotaReserved" if held else "Pending", AT)]}
    if held:
        status["admission"] = {"clusterQueue": namespace, "podSetAssignments": [{
            "name": "main", "count": CPUS, "flavors": {"cpu": "default", "memory": "default"},
            "resourceUsage": {"cpu": str(4 * CPUS), "memory": f"{16 * CPUS}Gi"}}]}
    if over:
        status["conditions"].append(condition("Finished", True, "Succeeded", AT))
    env = []
    one = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
           "metadata": {"name": name, "namespace": namespace, "uid": f"00{k:06}-0000-4000-8000-000000000000",
                        "resourceVersion": f"1{k:06}", "creationTimestamp": at, "labels": {"kueue.x-k8s.io/job-uid": f"00{k:06}"},
                        "managedFields": [{"manager": "kueue", "operation": "Apply", "fieldsType": "FieldsV1",
                                           "fieldsV1": {"f:spec": {f"f:field{n}": {} for n in range(12)}}}]},
           "spec": {"queueName": "main", "active": True, "priority": k % 7, "podSets": [
               {"name": "main", "count": CPUS, "template": {"spec": {"restartPolicy": "Never", "containers": [
                   {"name": "c", "image": "example.com/train:1", "env": env,
                    "resources": {"requests": {"cpu": "4", "memory": "16Gi"}}}]}}}]},
           "status": status}
    room = size - len(json.dumps(one, separators=(",", ":")))
    env += [{"name": f"VARIABLE_{n:03}", "value": "/some/folder/of/the/job"} for n in range(max(room, 0) // 58)]
    return one


def fill(fake, n, held):
    """Texts of pages are made here; the objects that the fake server counts are none."""
    fake.plain = True
    fake.put("resourceflavors", None, "default", spec={})
    quota = held // QUEUES * CPUS
    for q in range(QUEUES):
        fake.put("namespaces", None, f"team-{q}")
        fake.put("localqueues", f"team-{q}", "main", spec={"clusterQueue": f"team-{q}"})
        fake.put("clusterqueues", None, f"team-{q}", spec={
            "namespaceSelector": {}, "cohortName": f"cohort-{q % COHORTS}", "resourceGroups": [{
                "coveredResources": ["cpu", "memory"], "flavors": [{"name": "default", "resources": [
                    {"name": "cpu", "nominalQuota": str(4 * quota)}, {"name": "memory", "nominalQuota": f"{16 * quota}Gi"}]}]}]})
    fake.objects["workloads"] = {("", f"{k:08}"): k for k in range(n)}
    for start in range(0, n, PAGE):
        fake.rendered["workloads", start, PAGE] = ",".join(
            json.dumps(workload(k, k < held), separators=(",", ":")) for k in range(start, min(n, start + PAGE))).encode()


def change(fake, k, **how):
    """As the watch tells of it."""
    one = workload(k, **how)
    with fake.lock:
        fake.version += 1
        one["metadata"]["resourceVersion"] = str(2000000 + fake.version)
        fake.log.append((fake.version, "workloads", "MODIFIED", one))
        fake.lock.notify_all()


class Measured(Watching):
    def used(self):
        """Seconds of processor time, all threads."""
        return time.clock_gettime((~self.process.pid << 3) | 2)  # its clock of processor time, as Linux makes the number

    def memory(self, what):
        """MB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split(what + ":")[1].split()[0]) * 1024 / 1e6

    def answer(self, k):
        """Seconds; the answer, or None."""
        connection, began = self.connection, time.perf_counter()
        connection.request("GET", "/v1/workloads/{}/{}/explain?format=json".format(*name_of(k)))
        got = connection.getresponse()
        text = got.read()
        return time.perf_counter() - began, json.loads(text) if got.status == 200 else None


def quiet(w, seconds=1.0):
    """Until it does nothing: all of history is written."""
    used, since = w.used(), time.monotonic()
    while time.monotonic() - since < seconds:
        time.sleep(0.1)
        if w.used() - used > 0.02:
            used, since = w.used(), time.monotonic()


def begin(folder, config, which, n):
    began = time.monotonic()
    w = Measured(folder, config)
    w.wait(lambda: w.get("/v1/queues")["queues"], 120)
    took, used, peak = time.monotonic() - began, w.used(), w.memory("VmHWM")
    quiet(w)
    print(f"{which} start, {n} Workloads: ready after {took:.1f} s, {used:.2f} s of processor time, {peak:.0f} MB at most; "
          f"with history written {w.used():.2f} s, {w.memory('VmHWM'):.0f} MB at most, {w.memory('VmRSS'):.0f} MB now", flush=True)
    w.connection = Unix(w.socket)
    return w


def measure_changes(w, fake, n, held, changes):
    """20 a second: one that held has finished, the head of its queue is admitted, one comes."""
    heads = [sorted(range(held + q, n, QUEUES), key=lambda k: -(k % 7)) for q in range(QUEUES)]
    began, used = time.monotonic(), w.used()
    time.sleep(changes / 20)
    still = (w.used() - used) / (time.monotonic() - began)
    began, used = time.monotonic(), w.used()
    for k in range(changes):
        if k % 3 == 0:
            change(fake, k // 3, held=True, over=True)
        elif k % 3 == 1:
            change(fake, heads[k // 3 % QUEUES].pop(0), held=True)
        else:
            change(fake, n + k, at="2026-02-01T00:00:00Z")
        time.sleep(max(0, began + (k + 1) / 20 - time.monotonic()))
    part = (w.used() - used) / (time.monotonic() - began)
    print(f"20 changes a second, {n} Workloads: {100 * part:.2f} % of a core, {100 * still:.2f} % without changes", flush=True)


def measure_answers(w, fake, n, times=100):
    took = []
    for k in range(n + 10000, n + 10000 + times):
        began = time.perf_counter()
        change(fake, k)
        while not w.answer(k)[1]:
            pass
        took.append(time.perf_counter() - began)
        time.sleep(0.05)
    tell("from a newcomer to its explain", took)


def tell(what, took):
    took = sorted(1000 * t for t in took)
    print(f"{what}: median {statistics.median(took):.1f} ms, p99 {took[int(0.99 * len(took))]:.1f} ms, "
          f"most {took[-1]:.1f} ms, {len(took)} times", flush=True)


def measure_explain(w, n, held, times=1000):
    draw, took, sizes = random.Random(1), [], []
    for _ in range(times):
        seconds, answer = w.answer(draw.randrange(held + 1000, n))
        took.append(seconds)
        sizes.append(len(json.dumps(answer)))
    tell(f"explain, {n} Workloads, {statistics.median(sizes):.0f} bytes", took)


def main(n=100000, held=2000, changes=300):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        let_pass(folder)
        certificate = certificates.Certificate(folder, "server")
        fake = Fake(certificate.file, certificate.key)
        fill(fake, n, held)
        config = kubeconfig(folder, fake.port, certificate.file)
        w = begin(folder, config, "first", n)
        w.end()
        w = begin(folder, config, "second", n)
        measure_changes(w, fake, n, held, changes)
        measure_answers(w, fake, n)
        measure_explain(w, n, held)
        w.end()
        fake.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
