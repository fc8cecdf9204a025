#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random load on one daemon for as long as one likes: no report of a sanitizer, no growth.

usage: soak.py [--seconds N] [--seed N] [--clients N]     with FAIRLEADD and FAIRLEAD_SOURCE set

Clients submit, cancel, hold, release, ask, follow and go away in the middle; the configuration is
read again, and with --restarts the daemon is stopped and started.  Live jobs stay below a bound,
so what the daemon holds should, too: the medians of its resident memory in the second and the
last quarter of the time are printed, and compared.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
os.environ.setdefault("FAIRLEAD_SOURCE", str(pathlib.Path(__file__).parents[2]))

from conftest import Daemon  # noqa: E402
from test_faults import COMPANY, job  # noqa: E402

LIVE = 300
GROWTH = 1.15
CACHES = 48 << 10  # KiB: pages of the store that its three connections keep at most


class Client(threading.Thread):
    """One that does what comes to its mind, until it is told to end."""

    def __init__(self, daemon, seed, live):
        super().__init__(daemon=True)
        self.d, self.random, self.live = daemon, random.Random(seed), live
        self.ended, self.counts = False, {}

    def number(self):
        return self.random.randint(1, max(1, self.live[1]))

    def submit(self):
        if self.live[0] > LIVE:
            return
        r = self.random
        command = r.choice([["true"], ["false"], ["sleep", f"{r.uniform(0.01, 0.5):.2f}"],
                            ["sh", "-c", "echo out; echo err >&2; exit 3"], ["no-such-thing"],
                            ["sh", "-c", "trap '' TERM; sleep 0.6"]])
        more = {}
        if r.random() < 0.1:
            more["array"] = r.randint(2, 12)
        if r.random() < 0.1:
            more["hold"] = True
        if r.random() < 0.1:
            more["after"] = [{"job": self.number(), "when": r.choice(["ok", "failed", "any"])}]
        if r.random() < 0.1:
            more["timeLimit"] = "200ms"
        if r.random() < 0.1:
            more["tasks"] = 2
        answer = self.d.post("/v1/jobs", job(r.choice("ab"), command, r.choice(["500m", "1", "2"]),
                                             priority=r.randint(0, 3), **more))
        if answer.status == 201:
            self.live[1] = max([self.live[1], *answer.json()["jobs"]])

    def act(self):
        what = self.random.choice(["cancel", "hold", "release", "release", "priority?value=5"])
        self.d.post(f"/v1/jobs/{self.number()}/{what}")

    def ask(self):
        n = self.number()
        answer = self.d.get(self.random.choice([
            "/v1/jobs?limit=50", "/v1/queues", "/metrics", f"/v1/jobs/{n}", f"/v1/jobs/{n}/log",
            f"/v1/jobs/{n}/explain", f"/v1/jobs/{n}/explain?eta=1", "/v1/tree", "/v1/shares",
            "/v1/plan?cycles=3", "/v1/events?limit=20", "/v1/history", "/v1/usage", "/v1/audit?limit=5",
            "/v1/snapshot", "/nothing"]))
        if answer.status == 200 and "jobs?" in str(answer.headers):
            self.live[0] = len(answer.json()["jobs"])

    def count(self):
        answer = self.d.get("/v1/jobs?limit=10000")
        if answer.status == 200:
            self.live[0] = len(answer.json()["jobs"])

    def what_if(self):
        kind, name, spec = self.random.choice([
            ("Cohort", "company", {"fairSharing": {"weight": 2}}),
            ("ClusterQueue", "c", {"cohortName": "company", "namespaceSelector": {}}),
            ("ClusterQueue", "a", {"cohortName": "elsewhere", "namespaceSelector": {}})])
        self.d.post("/v1/what-if" + self.random.choice(["", "", "?delete=ClusterQueue/b"]), json.dumps({
            "apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}))

    def follow(self):
        response, connection = self.d.follow(self.random.choice([
            "/v1/events?follow=1&after=0.0", f"/v1/jobs/{self.number()}/log?follow=1"]))
        connection.sock.settimeout(0.3)  # and go away in the middle
        response.read(self.random.randint(1, 2000))
        connection.close()

    def reload(self):
        self.d.post("/v1/reload")

    def odd(self):
        self.d.post("/v1/jobs", self.random.choice(["{", "[]", '{"queue": 5}', '{"a": "\\u0000"}']))

    def run(self):
        acts = [self.submit] * 10 + [self.act] * 4 + [self.ask] * 4 + [self.count] * 2 + [
            self.what_if, self.follow, self.reload, self.odd]
        while not self.ended:
            act = self.random.choice(acts)
            try:
                act()
                self.counts[act.__name__] = self.counts.get(act.__name__, 0) + 1
            except Exception:  # it is not there for a moment, or there is no such job
                time.sleep(0.05)
            time.sleep(self.random.uniform(0, 0.02))


def resident(daemon):
    try:
        for line in open(f"/proc/{daemon.process.pid}/status", encoding="ascii"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    except OSError:
        pass
    return None


def open_files(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--restarts", type=int, default=0, help="so many, spread over the time")
    o = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-soak-"))
    config = folder / "daemon.yaml"
    config.write_text(COMPANY)
    daemon = Daemon(folder, config).start()
    live, files = [0, 0], open_files(daemon)
    clients = [Client(daemon, o.seed + i, live) for i in range(o.clients)]
    for client in clients:
        client.start()
    began, samples, restarts, flips = time.monotonic(), [], 0, random.Random(o.seed)
    problem = None
    while (gone := time.monotonic() - began) < o.seconds and not problem:
        time.sleep(1)
        if daemon.process.poll() is not None:
            problem = f"the daemon ended with {daemon.process.returncode}"
        elif o.restarts and gone > (restarts + 1) * o.seconds / (o.restarts + 1):
            restarts += 1
            daemon.stop(signal.SIGTERM if restarts % 2 else signal.SIGKILL)
            daemon.start()
        elif int(gone) % 5 == 0:
            samples.append((gone, resident(daemon)))
            heavier = COMPANY.replace("metadata: {name: a}\nspec: {",
                                      "metadata: {name: a}\nspec: {fairSharing: {weight: 2}, ")
            config.write_text(flips.choice([COMPANY, heavier, COMPANY + "# another\n"]))
        if sys.stderr.isatty():
            print(f"\r{gone:6.0f} s  {live[1]} jobs, {live[0]} live, {resident(daemon)} KiB ",
                  end="", file=sys.stderr)
    for client in clients:
        client.ended = True
    for client in clients:
        client.join(30)
    if daemon.process.poll() is None:
        for row in daemon.get("/v1/jobs?limit=10000").json()["jobs"]:
            daemon.post(f"/v1/jobs/{row['id']}/cancel")
        daemon.until(lambda: not daemon.get("/v1/jobs").json()["jobs"], "all jobs are over", 120)
        daemon.until(lambda: open_files(daemon) <= files + 2, "no descriptor is left open", 120)
        code = daemon.stop()
        problem = problem or (f"it ended with {code}" if code else None)
    said = daemon.said()
    for word in ("Sanitizer", "runtime error", "does not take event"):
        if word in said:
            problem = f"it said: {said[said.index(word) - 200:][:3000]}"
    quarter = [[kib for at, kib in samples if kib and lo <= at / o.seconds < lo + 0.25]
               for lo in (0.25, 0.75)]
    before, after = (statistics.median(q) if q else 0 for q in quarter)
    counts = {}
    for client in clients:
        for name, n in client.counts.items():
            counts[name] = counts.get(name, 0) + n
    print(f"{time.monotonic() - began:.0f} s, {live[1]} jobs, {restarts} restarts, {counts}; resident "
          f"{before:.0f} KiB in the second quarter, {after:.0f} in the last")
    if not problem and not o.restarts and before and after > GROWTH * before + CACHES:
        problem = "it grows"
    if problem:
        print(problem, file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
