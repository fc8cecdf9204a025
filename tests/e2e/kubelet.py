# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a node: pods without gates are bound to it, run, end.

A pod runs and is ready at once; it has succeeded after the seconds that its annotation `bed/seconds` says, or never
where it has none; one that is deleted is gone 2 s later.  No container is ever started.
"""
import contextlib
import threading
import time

from client import ApiError, path_of

NODE = "bed"
SECONDS = "bed/seconds"
TERMINATION = 2.0
PAUSE = 0.1
ALL = 50  # turns; in those between what has succeeded is left out: there may be many, and the server lets them go
OVER = ("Succeeded", "Failed")


class Kubelet(threading.Thread):
    """`with Kubelet(client)`: @client is its own, and has all rights."""

    def __init__(self, client):
        super().__init__(name="kubelet", daemon=True)
        self.client = client
        self.over = threading.Event()
        self.since = {}  # (uid, what) -> when that was first seen
        client.apply("v1", "nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()
        self.client.close()

    def run(self):
        turns = 0
        while not self.over.wait(PAUSE):
            turns += 1
            # A server that is away or an object that is gone: looked at again.
            with contextlib.suppress(OSError, ApiError):
                for pod in self.client.list("v1", "pods", query="" if turns % ALL == 0 else "fieldSelector=status.phase!=Succeeded"):
                    with contextlib.suppress(ApiError):
                        self.drive(pod)

    def seconds_of(self, pod, what):
        now = time.monotonic()
        return now - self.since.setdefault((pod["metadata"]["uid"], what), now)

    def drive(self, pod):
        """One step of one pod, if it is time for it."""
        meta, phase = pod["metadata"], pod["status"].get("phase")
        if meta.get("deletionTimestamp"):
            if self.seconds_of(pod, "deleted") >= TERMINATION:
                self.remove(pod, phase)
        elif phase in OVER or pod["spec"].get("schedulingGates"):
            return
        elif not pod["spec"].get("nodeName"):
            self.client.ask("POST", path_of("v1", "pods", meta["namespace"], meta["name"], "binding"), {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]},
                "target": {"kind": "Node", "name": NODE}})
        elif phase == "Pending":
            self.write(pod, "Running", ready=True)
        elif SECONDS in meta.get("annotations", {}) and self.seconds_of(pod, "running") >= float(meta["annotations"][SECONDS]):
            self.write(pod, "Succeeded")

    def remove(self, pod, phase):
        if phase not in OVER:
            self.write(pod, "Failed")
        path = path_of("v1", "pods", pod["metadata"]["namespace"], pod["metadata"]["name"])
        self.client.ask("DELETE", f"{path}?gracePeriodSeconds=0")

    def write(self, pod, phase, ready=False):
        self.client.patch("v1", "pods", pod["metadata"]["name"], {"status": {"phase": phase, "conditions": [
            {"type": "Ready", "status": str(ready)}]}}, pod["metadata"]["namespace"], "status")
