# SPDX-License-Identifier: Apache-2.0
"""Faults at random, by a seed, while a scheduler decides against tests/kube/scheduling.py; and what must hold of it all the same."""
import contextlib
import copy
import random
import threading
import time

from fake import Fault
from scheduling import handed_over, holds, is_true
from watching import condition, workload

QUEUES, QUOTA = ("left", "right"), 3  # of one cohort; cpu of each


def asks(one):
    return sum(p["count"] * float(p["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"]) for p in one["spec"]["podSets"])


class Ledger:
    """What was held after each change, whoever made it: it does not forget when the server does."""

    def __init__(self, server, quota):
        self.server, self.quota, self.rows, self.held, self.most, self.first = server, quota, [], {}, 0, 0
        self.wrong, self.admitted, self.released = [], {}, {}
        server.told = self.hear

    def hear(self, plural, kind, one):
        """With the server's lock."""
        if plural != "workloads":
            return
        uid, now, before = one["metadata"]["uid"], None if kind == "DELETED" else holds(one), self.held.pop(one["metadata"]["uid"], None)
        if now:
            self.held[uid] = now
        if before and now and before != now:
            self.wrong.append(f"{one['metadata']['name']} holds {now}, and held {before} until then")
        self.admitted[uid] = self.admitted.get(uid, 0) + (now is not None and before is None)
        self.released[uid] = self.released.get(uid, 0) + (now is None and before is not None)
        if self.admitted[uid] > self.released[uid] + 1:
            self.wrong.append(f"{one['metadata']['name']} is admitted twice")
        total = sum(cpu for _, cpu in self.held.values())
        self.note(self.server.version, one["metadata"]["name"], kind, before, now, total)
        self.most = max(self.most, total)
        if total > self.quota:
            self.wrong.append(f"{total} of {self.quota} cpu are held after version {self.server.version}, of {one['metadata']['name']}")

    def note(self, *row):
        self.rows.append((round(time.monotonic(), 2), *row))
        self.first = self.first if self.wrong else len(self.rows)  # the first that is wrong is about here

    def look(self, verb, old, new):
        """What a write of the scheduler has made of an object; with the server's lock."""
        name, queue = old["metadata"]["name"], old["spec"]["queueName"]
        if verb == "evict":
            if not holds(old) or is_true(old, "Evicted"):
                self.wrong.append(f"{name} is evicted, and holds nothing, or goes already")
            if new["status"].get("admission") != old["status"].get("admission"):
                self.wrong.append(f"the admission of {name} was changed by its eviction")
        elif holds(old) or not old["spec"].get("active", True):
            self.wrong.append(f"{name} is admitted, and holds quota already, or is not active")
        elif holds(new) != (queue, asks(old)):
            self.wrong.append(f"{name} holds {holds(new)}, and asks for {(queue, asks(old))}")

    def check(self):
        assert not self.wrong, "\n".join(map(str, [*self.wrong[:5], *self.rows[max(0, self.first - 40):self.first + 2]]))
        return self.most


class Storm:
    """Two queues of a cohort with work that comes and ends; its faults until `calm`.

    `writes`: of the writes that fail; `objects`: they are edited, deleted and made again; `watches`: cut, and versions forgotten.
    """

    def __init__(self, server, seed, jobs=30, kinds=("writes", "objects", "watches")):
        self.server, self.random, self.kinds, self.jobs = server, random.Random(seed), kinds, jobs
        self.ledger = Ledger(server, len(QUEUES) * QUOTA)
        self.over, self.calmed, self.made, self.counts = threading.Event(), threading.Event(), 0, {}
        self.chance = self.random.uniform(0.2, 0.5)
        server.look = self.ledger.look
        for queue in QUEUES:
            handed_over(server, queue, quota=QUOTA, cohortName="co",
                        preemption={"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"})
        if "writes" in kinds:
            server.fault_of_write = self.fault_of_write
        server.gone = 0.05
        self.threads = [threading.Thread(target=run, daemon=True) for run in (self.work, self.disturb)]

    def __enter__(self):
        for _ in range(self.jobs // 2):
            self.make()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(30)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def choose(self):
        """Some Workload that is there: ((namespace, name), what it is); None."""
        with self.server.lock:
            there = sorted((key, one) for key, one in self.server.objects.get("workloads", {}).items() if not is_true(one, "Finished"))
            return copy.deepcopy(self.random.choice(there)) if there else None

    # --- work ---

    def make(self, name=None):
        r = self.random
        self.made += name is None
        with self.server.lock:
            workload(self.server, "a", name or f"w{self.made:03}", cpu=r.choice([1, 1, 1, 2]), priority=r.choice([0, 0, 5, 10]),
                     conditions=[condition("QuotaReserved", False, "Suspended"), condition("Admitted", False, "NoReservation")],
                     created=f"2026-11-01T{r.randrange(24):02}:{r.randrange(60):02}:00Z", queueName=r.choice(QUEUES))

    def work(self):
        """Jobs come, and of those that run some end."""
        while not self.over.wait(0.02):
            if self.made < self.jobs and self.random.random() < 0.2:
                self.make()
            for key, one in list(self.server.state("workloads").items()):
                if holds(one) and not is_true(one, "Evicted") and self.random.random() < 0.08:
                    with contextlib.suppress(KeyError):  # it is deleted meanwhile
                        self.server.finish(*key)

    def left(self):
        return [name for (_, name), one in self.server.state("workloads").items() if not is_true(one, "Finished")]

    def ends(self, *daemons, seconds=60):
        """All that is there has run and ended; deactivated ones go on first."""
        end = time.monotonic() + seconds
        for key, one in self.server.state("workloads").items():
            if not one["spec"].get("active", True):
                self.server.activate(*key, True)
        while self.made < self.jobs or self.left():
            for one in daemons:
                assert one.process.poll() is None, one.text()
            assert time.monotonic() < end, (self.made, self.left(), self.counts, [one.text()[-3000:] for one in daemons])
            time.sleep(0.05)

    # --- faults ---

    def calm(self):
        self.calmed.set()
        self.threads[1].join(30)  # what it was doing is done
        self.server.fault_of_write = lambda namespace, name: None

    def fault_of_write(self, namespace, name):
        r = self.random
        if r.random() >= self.chance:
            return None
        how = r.choice(["conflict", "conflict", "conflict", "odd conflict", "later", "later", "503", "500", "lost", "lost", "not sent", "silence", "403"])
        self.count(how)
        if how == "conflict":  # somebody was first, with what changes no decision
            self.server.change(namespace, name, note=str(r.random()))
        return {"conflict": None, "odd conflict": Fault(status=409), "later": Fault(status=429, retry_after=1),
                "503": Fault(status=503, retry_after=r.choice([None, 1])), "500": Fault(status=500), "403": Fault(status=403)}.get(how, how)

    def disturb(self):
        r, what = self.random, {
            "watches": [self.cut, self.compact], "objects": [self.delete, self.again, self.edit, self.edit, self.prioritize, self.deactivate, self.activate]}
        doing = [one for kind in self.kinds for one in what.get(kind, ())]
        while doing and not self.over.wait(r.uniform(0.01, 0.12)) and not self.calmed.is_set():
            one = r.choice(doing)
            self.count(one.__name__)
            with contextlib.suppress(KeyError):  # it is gone meanwhile
                one()

    def cut(self):
        self.server.cut_all()

    def compact(self):
        self.server.compact()
        if self.random.random() < 0.5:
            self.server.cut_all()

    def delete(self):
        found = self.choose()
        if found and self.random.random() < 0.5:
            self.server.delete("workloads", *found[0])

    def again(self):
        found = self.choose()
        if found:
            with self.server.lock:
                self.server.delete("workloads", *found[0])
                self.make(found[0][1])

    def alter(self, may, **spec):
        found = self.choose()
        if not found:
            return
        with self.server.lock:
            one = self.server.objects["workloads"][found[0]]
            if may(one):
                self.server.put("workloads", *found[0], metadata={k: v for k, v in one["metadata"].items() if k != "resourceVersion"},
                                spec={**copy.deepcopy(one["spec"]), **spec}, status=one["status"])

    def edit(self):
        """What it asks for; the webhook of Workloads refuses that of one that holds quota."""
        cpu = str(self.random.choice([1, 2]))
        self.alter(lambda one: not holds(one), podSets=[{"name": "main", "count": 1, "template": {"spec": {"containers": [
            {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}]}}}])

    def prioritize(self):
        self.alter(lambda one: True, priority=self.random.choice([0, 5, 10, 20]))

    def deactivate(self):
        found = self.choose()
        if found:
            self.server.activate(*found[0], False)

    def activate(self):
        found = self.choose()
        if found and not found[1]["spec"].get("active", True):
            self.server.activate(*found[0], True)

