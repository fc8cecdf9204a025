#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good forecasts are: `fairlead explain --eta`, asked of dumps of a cluster whose future is known.

eta.py [--fairlead PATH] [--jobs N] [--skip N] [--asks N] [--tree one|fair] [--keep DAYS] [--seed N]
       [--only GUESSER...] [--rows FILE] LOG.swf[.gz]
eta.py --sum FILE...

`fairlead simulate` runs N jobs of a log (Standard Workload Format) on as many processors as the log's.
At random moments of that run the state is written as a cluster's API server would give it: objects with
their times in whole seconds, those that have finished for DAYS more, limits as
maximumExecutionTimeSeconds, users as local queues, nothing that was not known by then.  Of those that wait
one, drawn at random, is asked about.  One a moment: those that wait together share their fate.

Three others guess the same:
  waits   the last 50 that started in its queue: what their waits leave of it, those that waited longer than it has
  limits  one run forward in which all take as long as their limits, and nobody comes: not later than that
  always  at once or not within the horizon: the interval that is always right

One JSON line for each place, and with --rows one for each ask.  What is told:
  inside  starts in the interval, before, after: parts of all asks
  open    intervals without an upper end
  width   median, seconds, an open end as the horizon
  score   mean interval score (Gneiting and Raftery 2007) of the start or the horizon, whichever is
          first, in hours: width, and 10 hours for each hour that the start is outside (level 0.8)
"""
import argparse
import csv
import datetime
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

LEVEL = 0.8
HORIZON = 7 * 86400
LAST, ENOUGH = 50, 9
API = "kueue.x-k8s.io/v1beta2"
EPOCH = datetime.datetime(2020, 1, 1)


# --- the log, and what becomes of it ---

def read_log(path, skip, most):
    """Lines of its jobs that ran, and how many processors there are."""
    procs, jobs, seen = 0, [], 0
    with gzip.open(path, "rt", errors="replace") as f:
        for line in f:
            if line.startswith(";"):
                if "MaxProcs:" in line:
                    procs = int(line.split(":")[1])
                continue
            w = line.split()
            size = int(w[4]) if int(w[4]) > 0 else int(w[7])
            if float(w[3]) <= 0 or not 0 < size <= procs:
                continue
            seen += 1
            if seen > skip and len(jobs) < most:
                jobs.append((w, size))
    return procs, jobs


def queue_of(w, tree, by_user):
    if tree == "one":
        return "all"
    return f"u{w[11]}" if by_user else f"q{w[14]}"


def scenario(procs, queues, fair):
    """Flavor, queues and settings; nobody has quota of its own."""
    def quota(n):
        return [{"coveredResources": ["cpu"], "flavors": [
            {"name": "f", "resources": [{"name": "cpu", "nominalQuota": n}]}]}]

    objects = [{"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "f"}},
               {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}},
               {"apiVersion": API, "kind": "Cohort", "metadata": {"name": "top"},
                "spec": {"resourceGroups": quota(procs)}},
               {"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                **({"fairSharing": {}} if fair else {})}]
    for q in sorted({q for q, _ in queues}):
        objects.append({"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": q},
                        "spec": {"cohortName": "top", "namespaceSelector": {}, "resourceGroups": quota(0)}})
    for q, user in sorted(queues):
        objects.append({"apiVersion": API, "kind": "LocalQueue", "metadata": {"name": f"{q}-{user}", "namespace": "ns"},
                        "spec": {"clusterQueue": q}})
    return objects


def stamp(seconds):
    return (EPOCH + datetime.timedelta(seconds=int(seconds))).strftime("%Y-%m-%dT%H:%M:%SZ")


class Job:
    def __init__(self, number, w, size, queue):
        self.name, self.size, self.queue, self.user = f"j{number:06}", size, queue, w[11]
        self.came, self.runs = float(w[1]), float(w[3])
        self.limit = int(float(w[8])) if float(w[8]) > 0 else None
        self.start = self.end = None

    def spec(self):
        body = {"queueName": f"{self.queue}-{self.user}", "priority": 0, "podSets": [
            {"name": "main", "count": 1, "template": {"spec": {"restartPolicy": "Never", "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": str(self.size)}}}]}}}]}
        if self.limit:
            body["maximumExecutionTimeSeconds"] = self.limit
        return body

    def object(self, now, **annotations):
        o = {"apiVersion": API, "kind": "Workload", "spec": self.spec(),
             "metadata": {"name": self.name, "namespace": "ns", "uid": self.name, "creationTimestamp": stamp(self.came)}}
        if annotations:
            o["metadata"]["annotations"] = {f"fairlead.dev/{k.replace('_', '-')}": v for k, v in annotations.items()}
        conditions = []
        if self.start is not None and self.start <= now:
            o["status"] = {"conditions": conditions, "admission": {
                "clusterQueue": self.queue, "podSetAssignments": [
                    {"name": "main", "count": 1, "flavors": {"cpu": "f"}, "resourceUsage": {"cpu": str(self.size)}}]}}
            conditions += [{"type": t, "status": "True", "reason": t, "message": "",
                            "lastTransitionTime": stamp(self.start)} for t in ("QuotaReserved", "Admitted")]
        if self.end is not None and self.end <= now:
            conditions.append({"type": "Finished", "status": "True", "reason": "Succeeded", "message": "",
                               "lastTransitionTime": stamp(self.end)})
        return o


class World:
    """The jobs of a place, with when each starts and ends."""

    def __init__(self, o, log, skip, tree, folder):
        self.o, self.folder, self.tree = o, folder, tree
        self.place = f"{pathlib.Path(log).name.split('-20')[0].split('-19')[0]} {skip} {tree}"
        self.procs, lines = read_log(log, skip, o.jobs)
        by_user = len({w[14] for w, _ in lines}) == 1
        first = float(lines[0][0][1]) if lines else 0
        self.jobs = []
        for i, (w, size) in enumerate(lines):
            self.jobs.append(Job(i, w, size, queue_of(w, tree, by_user)))
            self.jobs[-1].came -= first
        self.objects = scenario(self.procs, {(j.queue, j.user) for j in self.jobs}, tree == "fair")
        self.simulate()

    def run(self, *args, **kw):
        done = subprocess.run([self.o.fairlead, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **kw)
        if done.returncode != 0:
            sys.exit(f"{args}: {done.stderr.decode()}")
        return done.stdout

    def write(self, name, objects):
        path = self.folder / name
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        return str(path)

    def simulate(self):
        def coming(j):
            o = j.object(-1, arrives_at=stamp(j.came), runs_for=f"{j.runs:.0f}s")
            o["spec"].pop("maximumExecutionTimeSeconds", None)
            return o

        path = self.write("all.json", self.objects + [coming(j) for j in self.jobs])
        self.run("simulate", "-f", path, "--now", stamp(0), "--out", str(self.folder / "out"))
        by_name = {j.name: j for j in self.jobs}
        with open(self.folder / "out" / "jobs.csv", newline="") as f:
            for row in csv.DictReader(f):
                j = by_name[row["workload"].split("/")[1]]
                j.start = float(row["first_start"]) if row["first_start"] else None
                j.end = float(row["ended"]) if row["ended"] else None

    def there(self, now):
        keep = now - self.o.keep * 86400
        return [j for j in self.jobs if j.came <= now and (j.end is None or j.end > keep)]


# --- who guesses ---

def forecast(world, now, job):
    path = world.write("dump.json", world.objects + [j.object(now) for j in world.there(now)])
    begin = time.monotonic()
    e = json.loads(world.run("explain", "--eta", "-f", path, "--now", stamp(now), "-o", "json", f"ns/{job.name}"))["eta"]

    def seconds(text):
        if text is None:
            return None
        return (datetime.datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S") - EPOCH).total_seconds() - now

    low, high = seconds(e["from"]), seconds(e["to"])
    return {"low": e["horizonSeconds"] if low is None else low, "high": high, "guess": seconds(e["start"]),
            "state": e["state"], "runs": e["runs"], "seconds": time.monotonic() - begin}


def waits(world, now, job):
    last = sorted((j for j in world.jobs if j.start is not None and j.start <= now and j.queue == job.queue),
                  key=lambda j: j.start)[-LAST:]
    waited = sorted(j.start - j.came for j in last)
    aged = [t - (now - job.came) for t in waited if t > now - job.came]
    rest = aged if len(aged) >= ENOUGH else waited  # older than nearly all: as long again
    n = len(rest)
    if n == 0:
        return {"low": 0, "high": None, "guess": None}
    tail = (1 - LEVEL) / 2 * (n + 1)
    return {"low": rest[int(tail) - 1] if tail >= 1 else 0, "high": rest[-int(tail)] if tail >= 1 else None,
            "guess": rest[n // 2]}


def limits(world, now, job):
    def as_limit(j):
        o = j.object(now)
        if j.limit:
            o["metadata"]["annotations"] = {"fairlead.dev/runs-for": f"{j.limit}s"}
        return o

    there = [j for j in world.there(now) if j.end is None or j.end > now]
    path = world.write("limits.json", world.objects + [as_limit(j) for j in there])
    out = world.folder / "limits"
    world.run("simulate", "-f", path, "--now", stamp(now), "--until", "60d", "--out", str(out))
    with open(out / "jobs.csv", newline="") as f:
        for row in csv.DictReader(f):
            if row["workload"] == f"ns/{job.name}":
                at = float(row["first_start"]) if row["first_start"] else None
                return {"low": 0, "high": at, "guess": at}
    return {"low": 0, "high": None, "guess": None}


GUESSERS = {"forecast": forecast, "waits": waits, "limits": limits,
            "always": lambda world, now, job: {"low": 0, "high": None, "guess": None}}


# --- asking ---

def waiting(world, now):
    return [j for j in world.jobs if j.came < now and (j.start is None or j.start > now)]


def moments(world, o):
    """Those of which somebody waits: (when, who)."""
    came = [j.came for j in world.jobs]
    first, last = came[len(came) // 3], came[-len(came) // 10]
    r = random.Random(o.seed)
    found = []
    for _ in range(20 * o.asks):
        now = int(first + r.random() * (last - first))
        who = waiting(world, now)
        if who and len(found) < o.asks:
            found.append((now, r.choice(who), len(who)))
    return sorted(found, key=lambda m: m[0])


def ask_all(world, o, out):
    rows = []
    for now, job, n in moments(world, o):
        row = {"place": world.place, "now": now, "job": job.name, "waits": now - job.came, "there": n,
               "truth": None if job.start is None else job.start - now}
        for name in o.only:
            row[name] = GUESSERS[name](world, now, job)
        rows.append(row)
        if out:
            out.write(json.dumps(row) + "\n")
            out.flush()
    return rows


# --- figures ---

def score(row, name):
    """Interval score in hours, everything behind the horizon as at the horizon."""
    def cap(t):
        return HORIZON if t is None else min(t, HORIZON)

    low, high, truth = cap(row[name]["low"]), cap(row[name]["high"]), cap(row["truth"])
    out = max(low - truth, truth - high, 0)
    return (high - low + 2 / (1 - LEVEL) * out) / 3600


def figures(rows, name):
    def truth(r):
        return float("inf") if r["truth"] is None else r["truth"]

    n = len(rows)
    slack = 1  # objects tell times in whole seconds
    before = sum(truth(r) < r[name]["low"] - slack for r in rows)
    after = sum(r[name]["high"] is not None and truth(r) > r[name]["high"] + slack for r in rows)
    wide = [min(HORIZON if r[name]["high"] is None else r[name]["high"], HORIZON) - min(r[name]["low"], HORIZON)
            for r in rows]
    return {"inside": round(1 - (before + after) / n, 3), "before": round(before / n, 3), "after": round(after / n, 3),
            "open": round(sum(r[name]["high"] is None for r in rows) / n, 3),
            "width": round(statistics.median(wide)), "score": round(statistics.mean(score(r, name) for r in rows), 1)}


def summary(rows):
    out = {"place": rows[0]["place"], "asked": len(rows),
           "waited": round(statistics.median(HORIZON if r["truth"] is None else r["truth"] for r in rows))}
    for name in GUESSERS:
        if name in rows[0]:
            out[name] = figures(rows, name)
    if "forecast" in rows[0]:
        out["seconds"] = round(statistics.mean(r["forecast"]["seconds"] for r in rows), 2)
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--fairlead", default=os.environ.get("FAIRLEAD", "build/fairlead"))
    p.add_argument("--jobs", type=int, default=15000)
    p.add_argument("--skip", type=int, default=0)
    p.add_argument("--asks", type=int, default=40)
    p.add_argument("--tree", choices=["one", "fair"], default="fair")
    p.add_argument("--keep", type=float, default=7, help="days that finished objects are still there")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--only", nargs="+", choices=GUESSERS, default=list(GUESSERS), metavar="GUESSER")
    p.add_argument("--rows", help="file to which each ask is added as a JSON line")
    p.add_argument("--sum", action="store_true", help="figures of the rows in the files, place by place and all")
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    if o.sum:
        rows = [json.loads(line) for f in o.files for line in open(f)]
        for place in sorted({r["place"] for r in rows}):
            print(json.dumps(summary([r for r in rows if r["place"] == place])))
        print(json.dumps({**summary(rows), "place": "all"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        out = open(o.rows, "a") if o.rows else None
        rows = ask_all(World(o, o.files[0], o.skip, o.tree, pathlib.Path(folder)), o, out)
        if not rows:
            sys.exit("nobody waits at any of the moments asked about: another --skip, or more --jobs")
        print(json.dumps(summary(rows)))


if __name__ == "__main__":
    main()
