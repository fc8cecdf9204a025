# SPDX-License-Identifier: Apache-2.0
"""Kueue's own workload for measuring how it scales, while the real Kueue decides.

Queues and workloads are those of its generator.yaml.  Workloads are made at the intervals that it
states; each is marked Finished its runtime after it was admitted, and one that is evicted gives its
quota back, as the controller of its job would do: nothing runs.
"""
import heapq
import threading
import time
from datetime import datetime, timezone

import yaml
from bed import KUEUE
from client import ApiError
from objects import cluster_queue, flavor, local_queue, workload

SMALLEST_PAUSE = 0.01
STUCK = 300  # seconds without any progress: a slow machine makes some


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def conditions_of(body):
    return {c["type"]: c for c in body.get("status", {}).get("conditions", ())}


def is_true(conditions, kind):
    return conditions.get(kind, {}).get("status") == "True"


class Scalability:
    """@part: one @part-th of the workloads; 1 for all 15,000, 15 for 990.  Each round has names of its own."""

    def __init__(self, bed, part, namespace="default", round_=0):
        self.bed, self.namespace, self.round = bed, namespace, round_
        self.client = bed.client(agent="scalability")
        with open(bed.program("scalability") / "generator.yaml", encoding="utf-8") as f:
            self.generator = yaml.safe_load(f)
        self.queues = {}
        self.plan = []  # (second, name, queue, row of the generator)
        self.runtime = {}  # name -> seconds
        self.read_plan(part)
        self.lock = threading.Lock()
        self.due = []  # heap of (moment, name, how often it was admitted)
        self.to_clear = []  # evicted: objects
        self.times = {}  # name -> how often it was admitted
        self.running, self.finished = set(), set()
        self.evictions = 0
        self.made = 0
        self.trouble = None  # what ended the follower

    def read_plan(self, part):
        for cohorts in self.generator["cohorts"]:
            for cohort in range(cohorts["count"]):
                for queues in cohorts["queuesSets"]:
                    for i in range(queues["count"]):
                        name = f"{cohorts['className']}-{cohort}-{queues['className']}-{i}"
                        self.queues[name] = {
                            "cpu": queues["nominalQuota"], "borrowing": queues["borrowingLimit"],
                            "cohort": f"{cohorts['className']}-{cohort}",
                            "preemption": {"reclaimWithinCohort": queues["reclaimWithinCohort"],
                                           "withinClusterQueue": queues["withinClusterQueue"]}}
                        for rows in queues["workloadsSets"]:
                            self.plan_rows(name, rows, round(rows["count"] / part))
        self.plan.sort(key=lambda p: p[:2])

    def plan_rows(self, queue, rows, count):
        for i in range(count):
            for row in rows["workloads"]:
                name = f"{queue}-{row['className']}-{self.round}-{i}"
                self.plan.append((i * rows["creationIntervalMs"] / 1e3, name, queue, row))
                self.runtime[name] = row["runtimeMs"] / 1e3

    def make_queues(self):
        self.client.apply(KUEUE, "resourceflavors", flavor())
        for name, words in self.queues.items():
            self.client.apply(KUEUE, "clusterqueues", cluster_queue(name, **words))
            self.client.apply(KUEUE, "localqueues", local_queue(name), self.namespace)

    def follow(self):
        """Until all are finished: what the watch says goes into due and to_clear."""
        watcher = self.bed.client(agent="scalability")
        listed = watcher.ask("GET", f"/apis/{KUEUE}/namespaces/{self.namespace}/workloads?limit=1")
        since = listed["metadata"]["resourceVersion"]
        self.following.set()
        while len(self.finished) < len(self.plan) and not self.stopped:
            for event in watcher.watch(KUEUE, "workloads", since, self.namespace, seconds=5):
                if event["type"] == "ERROR":
                    raise RuntimeError(f"the watch from {since} on ended: {event['object']}")
                since = event["object"]["metadata"]["resourceVersion"]
                self.take(event["object"])

    def follow_and_tell(self):
        try:
            self.follow()
        except Exception as e:
            self.trouble = e
        finally:
            self.following.set()

    def take(self, body):
        name, conditions = body["metadata"]["name"], conditions_of(body)
        if name not in self.runtime:
            return
        with self.lock:
            if is_true(conditions, "Finished"):
                self.finished.add(name)
                self.running.discard(name)
            elif is_true(conditions, "Evicted") and is_true(conditions, "QuotaReserved"):
                if name in self.running:
                    self.running.discard(name)
                    self.evictions += 1
                self.to_clear.append(body)
            elif is_true(conditions, "Admitted"):
                if name not in self.running:
                    self.running.add(name)
                    self.times[name] = self.times.get(name, 0) + 1
                    heapq.heappush(self.due, (time.monotonic() + self.runtime[name], name, self.times[name]))
            else:
                self.running.discard(name)

    def status(self, body, conditions, manager):
        meta = {"name": body["metadata"]["name"], "namespace": self.namespace,
                **({"resourceVersion": body["metadata"]["resourceVersion"]} if manager != "scalability" else {})}
        return self.client.apply(KUEUE, "workloads", {"apiVersion": KUEUE, "kind": "Workload", "metadata": meta,
                                                      "status": {"conditions": conditions}}, self.namespace, manager, "status")

    def clear(self, body):
        """All that Kueue wrote under this name, without the admission: it unsets by leaving out."""
        rows = [c for c in body["status"]["conditions"] if c["type"] not in ("QuotaReserved", "Admitted", "Finished")]
        for kind, reason in (("QuotaReserved", "Pending"), ("Admitted", "NoReservation")):
            rows.append({"type": kind, "status": "False", "reason": reason, "message": "it was evicted",
                         "lastTransitionTime": now()})
        self.status(body, rows, "kueue-admission")

    def finish(self, name):
        self.status({"metadata": {"name": name}}, [{"type": "Finished", "status": "True", "reason": "Succeeded",
                                                    "message": "its time is over", "lastTransitionTime": now()}], "scalability")

    def step(self):
        """What is due now; nothing of it waits for anything but the API server."""
        with self.lock:
            clear, self.to_clear = self.to_clear, []
            ends = []
            while self.due and self.due[0][0] <= time.monotonic():
                _, name, times = heapq.heappop(self.due)
                if name in self.running and self.times[name] == times:
                    ends.append(name)
        for body in clear:
            try:
                self.clear(body)
            except ApiError as e:
                # Changed meanwhile: the next event of it comes here again.
                if e.status != 409:
                    raise
        for name in ends:
            self.finish(name)

    def progress(self):
        """In words, for a message: what was reached, and what the first ones that are not finished wait for."""
        with self.lock:
            left = [name for _, name, _, _ in self.plan[:self.made] if name not in self.finished]
            running, times = set(self.running), dict(self.times)
        words = [f"{self.made} of {len(self.plan)} made, {len(self.finished)} finished, {len(running)} run, "
                 f"{self.evictions} evictions, after {time.monotonic() - self.start:.0f} s"]
        words += [f"  {name}: {'runs' if name in running else 'waits'}, was admitted {times.get(name, 0)} times" for name in left[:20]]
        if self.trouble:
            words.append(f"  nothing was heard any more: {self.trouble!r}")
        return "\n".join(words)

    def make_what_is_due(self):
        while self.made < len(self.plan) and self.plan[self.made][0] <= time.monotonic() - self.start:
            _, name, queue, row = self.plan[self.made]
            self.client.create(KUEUE, "workloads", workload(name, queue, row["request"], priority=row["priority"]),
                               self.namespace)
            self.made += 1
            if self.made % 10 == 0:
                self.step()

    def run(self, stuck=STUCK):
        """True when all have finished; False when nothing was made, admitted, evicted or finished for @stuck seconds."""
        self.following, self.stopped = threading.Event(), False
        follower = threading.Thread(target=self.follow_and_tell, daemon=True)
        follower.start()
        self.following.wait()
        self.start = moved = time.monotonic()
        before = None
        while len(self.finished) < len(self.plan) and follower.is_alive() and time.monotonic() - moved < stuck:
            self.make_what_is_due()
            self.step()
            reached = (self.made, len(self.finished), self.evictions, sum(self.times.copy().values()))
            if reached != before:
                before, moved = reached, time.monotonic()
            time.sleep(SMALLEST_PAUSE)
        self.stopped = True
        follower.join(30)
        self.seconds = time.monotonic() - self.start
        return len(self.finished) == len(self.plan)
