#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""measure - what a list of many Workloads takes of the client, without the server's part

usage: FAIRLEAD_FOLLOW=build/tests/kube/follow PYTHONPATH=tests/lib tests/kube/measure.py [OBJECTS [BYTES]]

Pages are made before; what is printed is the program's own processor time, which has TLS in it, its memory, and
the time that all took, which has the server's sending in it.
"""
import json
import pathlib
import sys
import tempfile
import time

import certificates
from fake import Fake
from followed import WORKLOADS, Follow, kubeconfig

PAGE = 500


def workload(size):
    """With NUMBER in it, of six digits."""
    one = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload",
           "metadata": {"name": "job-train-NUMBER-5f3a9", "namespace": "team-a", "uid": "00NUMBER-0000-4000-8000-000000000000",
                        "resourceVersion": "1NUMBER", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"kueue.x-k8s.io/job-uid": "00NUMBER"},
                        "managedFields": [{"manager": "kueue", "operation": "Apply", "fieldsType": "FieldsV1",
                                           "fieldsV1": {"f:spec": {f"f:field{n}": {} for n in range(12)}}}]},
           "spec": {"queueName": "main", "active": True, "priority": 10, "podSets": [
               {"name": "main", "count": 4, "template": {"spec": {"restartPolicy": "Never", "containers": [
                   {"name": "c", "image": "example.com/train:1", "env": [], "resources": {"requests": {"cpu": "4", "memory": "16Gi"}}}]}}}]},
           "status": {"conditions": [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "couldn't assign flavors",
                                      "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
    env, text = one["spec"]["podSets"][0]["template"]["spec"]["containers"][0]["env"], json.dumps(one)
    while len(text) < size:
        env.append({"name": f"VARIABLE_{len(env)}", "value": "/some/folder/of/the/job"})
        text = json.dumps(one, separators=(",", ":"))
    return text


def main(n=100000, size=3000):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        certificate = certificates.Certificate(folder, "server")
        fake = Fake(certificate.file, certificate.key)
        fake.objects["workloads"] = {("", f"{k:08}"): k for k in range(n)}  # their texts are below
        fake.plain = True
        text = workload(size)
        for start in range(0, n, PAGE):
            fake.rendered["workloads", start, PAGE] = ",".join(
                text.replace("NUMBER", f"{k:06}") for k in range(start, min(n, start + PAGE))).encode()
        total = sum(map(len, fake.rendered.values()))
        started = time.monotonic()
        f = Follow(kubeconfig(folder, fake.port, certificate.file), "quiet=1", "listed=1", "qps=1000", "burst=1000", WORKLOADS)
        f.process.wait()
        f.reader.join()
        took, end = time.monotonic() - started, f.lines[-1]
        fake.close()
        assert end["objects"] == n
        own = end["user"] + end["system"]
        print(f"{n} objects of {total / n:.0f} bytes: {own:.2f} s of processor time ({end['user']:.2f} user, {end['system']:.2f} system), "
              f"{n / own:.0f} objects a second of it, {total / own / 1e6:.0f} MB/s; {end['KiB'] / 1024:.0f} MiB; {took:.1f} s in all")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
