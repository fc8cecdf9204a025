#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""figures - what it costs that fairlead decides instead of Kueue's own scheduler

usage: FAIRLEAD=build/fairlead FAIRLEADD=build/fairleadd FAIRLEAD_SOURCE=. PYTHONPATH=tests/lib:tests/kube
       tests/e2e/figures.py [--part N] [--qps N] [--only kueue|fairlead] [--leaders N] [--json FILE]

Kueue's own workload for measuring how it scales (scale.py), one N-th (15: 990 workloads) of it, on a control plane with
Kueue's whole manager: first Kueue decides, then on a fresh one all cohorts are handed over to `fairleadd --cluster
--role scheduler`.  Both clients have --qps (50) requests a second and twice as much as burst.  Nothing runs:
a stand-in ends workloads their runtime after they were admitted, and gives back the quota of what was evicted.  All
of what was written is counted from the API server's audit log, with its own bytes and everybody's processor time and memory
beside.  Then, under the same load, the leader of two replicas goes --leaders (3) times by SIGKILL and as often by SIGTERM.

Counts are exact; times hang on what else the machine does.  It needs root, as Kueue's manager does (manager.py).
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from datetime import datetime

from bed import AUDIT_POLICY, KUEUE, Bed, wait_for
from manager import Manager
from objects import set_up_configuration
from scale import Scalability, conditions_of, is_true
from test_scheduler import Scheduler, lease

HERE = pathlib.Path(__file__).resolve().parent
OURS, STAND_IN = "fairlead", "scalability"  # agents
READS = ("get", "list", "watch")
QUIET = 3  # seconds without a write: all is over
# What a decision says is in its body.
BODIES = {**AUDIT_POLICY, "rules": [{"level": "Request", "verbs": ["patch"], "resources": [
    {"group": "kueue.x-k8s.io", "resources": ["workloads/status"]}]}, *AUDIT_POLICY["rules"]]}


def moment(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


# --- processes ---


def family(pid):
    """A process and all below it."""
    out = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            out += family(int(child))
    return out


def processor_ms(pid):
    total = 0
    for one in family(pid):
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return 1e3 * total / os.sysconf("SC_CLK_TCK")


def peak_mb(pid):
    return sum(int(line.split()[1]) for one in family(pid) for line in pathlib.Path(f"/proc/{one}/status").read_text().splitlines()
               if line.startswith("VmHWM:")) / 1024


# --- the audit log ---


def what_of(row):
    """"patch workloads/status"; a refused one with its status."""
    of, code = row.get("objectRef", {}), row.get("responseStatus", {}).get("code", 0)
    name = "/".join(of[k] for k in ("resource", "subresource") if k in of) or row["requestURI"].split("?")[0]
    return f"{row['verb']} {name}" + ("" if 200 <= code < 300 else f" {code}")


class Log:
    """Rows of the audit log from byte @since on, when all that is to come has come."""

    def __init__(self, bed, kueue, since):
        self.rows = [row for row in bed.requests(since=since) if row["stage"] == "ResponseComplete" or row["verb"] == "watch"]
        self.kueue = kueue

    def whose(self, row):
        if row.get("userAgent", "").startswith(OURS):
            return "fairlead"
        return "kueue" if row["user"].get("username") == self.kueue else row.get("userAgent", "")

    def counted(self, who, reads):
        """Stages of a watch count once."""
        rows = {row["auditID"]: row for row in self.rows if self.whose(row) == who and (row["verb"] in READS) == reads}
        return dict(Counter(map(what_of, rows.values())).most_common())

    def decisions(self):
        """(kind, name, moment, whose) of each admission and eviction, in their order, whoever wrote it.

        A write that the server did not answer in time (504) was done if what follows of that workload shows it.
        """
        state, unsure, out = {}, {}, []

        def becomes(name, new, at, whose):
            if state.get(name) == "over":
                return
            kind = {("holds", None): "admitted", ("holds", "goes"): "admitted", ("goes", "holds"): "evicted"}.get((new, state.get(name)))
            state[name] = new
            if kind:
                out.append((kind, name, at, whose))

        for row in sorted((r for r in self.rows if what_of(r).startswith("patch workloads/status")), key=lambda r: r["stageTimestamp"]):
            name, status = row["objectRef"]["name"], row.get("requestObject", {}).get("status", {})
            decides, code = "fieldManager=kueue-admission" in row["requestURI"], row["responseStatus"]["code"]
            new = None if not status.get("admission") else "goes" if is_true(conditions_of({"status": status}), "Evicted") else "holds"
            step = (name, new, moment(row["stageTimestamp"]), self.whose(row))
            if code == 504 and decides:
                unsure[name] = step
            if code != 200:
                continue
            before = unsure.pop(name, None)
            if before and (before[1] == "holds" and new != "holds" or before[1] == "goes" and decides and not new):
                becomes(*before)
            if decides:
                becomes(*step)
            else:
                state[name] = "over"
        return out

    def made(self):
        """When it was asked for each workload, by name."""
        return {row["objectRef"]["name"]: moment(row["requestReceivedTimestamp"]) for row in self.rows
                if what_of(row) == "create workloads" and "name" in row["objectRef"]}

    def first_words(self):
        """Seconds from the request that makes a workload to what Kueue writes of it first, which a decision of fairlead waits for."""
        made, first = self.made(), {}
        for row in sorted((r for r in self.rows if what_of(r) == "patch workloads/status" and self.whose(r) == "kueue"),
                          key=lambda r: r["stageTimestamp"]):
            first.setdefault(row["objectRef"]["name"], moment(row["stageTimestamp"]))
        return [at - made[name] for name, at in first.items() if name in made]

    def waits(self, decisions):
        """Seconds from the request that makes a workload to its first admission, by name."""
        made, first = self.made(), {}
        for kind, name, at, _ in decisions:
            if kind == "admitted":
                first.setdefault(name, at)
        return {name: at - made[name] for name, at in first.items() if name in made}


# --- a run ---


def allocated_by_server(bed):
    """Bytes that the API server has allocated since its start."""
    return next(float(line.split()[1]) for line in bed.admin.ask("GET", "/metrics").splitlines()
                if line.startswith("go_memstats_alloc_bytes_total "))


def quiet(bed):
    """No request but for Leases for some seconds."""
    def still():
        since = bed.audited_so_far()
        time.sleep(QUIET)
        return all(row.get("objectRef", {}).get("resource") == "leases" for row in bed.requests(since=since))

    wait_for(f"nothing is asked for {QUIET} s", still, 300)


class Run:
    """One control plane, with Kueue alone or with replicas of fairlead that decide."""

    def __init__(self, bed, words):
        self.bed = bed
        bed.namespace("fairlead")
        set_up_configuration(bed)
        self.manager = Manager(bed, clientConnection={"qps": words.qps, "burst": 2 * words.qps})
        self.processes = {"kueue": self.manager.process, "kube-apiserver": bed.api, "etcd": bed.etcd}

    def hand_over(self, scale, config):
        for cohort in sorted({queue["cohort"] for queue in scale.queues.values()}):
            subprocess.run([os.environ["FAIRLEAD"], "handover", cohort, "--yes"], env={**os.environ, "KUBECONFIG": str(config)}, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=300)

    def measure(self, scale):
        quiet(self.bed)
        first = allocated_by_server(self.bed)
        time.sleep(QUIET)
        idle = (allocated_by_server(self.bed) - first) / QUIET
        since, allocated, load = self.bed.audited_so_far(), allocated_by_server(self.bed), os.getloadavg()
        used = {name: processor_ms(p.pid) for name, p in self.processes.items()}
        begin = time.monotonic()
        if not scale.run():
            sys.exit(scale.progress())
        quiet(self.bed)
        seconds = time.monotonic() - begin
        allocated = allocated_by_server(self.bed) - allocated
        log, n = Log(self.bed, self.manager.user, since), len(scale.plan)
        decisions = log.decisions()
        count = Counter(kind for kind, *_ in decisions)
        seen = {"admitted": sum(scale.times.values()), "evicted": scale.evictions}
        waits = log.waits(decisions)
        classes = {}
        for _, name, _, row in scale.plan:
            classes.setdefault(row["className"], []).extend([waits[name]] if name in waits else [])
        return {
            "workloads": n, "seconds": round(scale.seconds, 1), "load": [round(of[0], 1) for of in (load, os.getloadavg())],
            "admissions": count["admitted"], "evictions": count["evicted"], "agrees": count == seen, "seen": seen,
            "decidedBy": dict(Counter(f"{who} {kind}" for kind, _, _, who in decisions)),
            "writes": {who: log.counted(who, reads=False) for who in ("fairlead", "kueue", STAND_IN)},
            "reads": {who: log.counted(who, reads=True) for who in ("fairlead", "kueue", STAND_IN)},
            "allocatedKBPerWorkload": round(allocated / n / 1e3), "idleAllocatedKBPerSecond": round(idle / 1e3),
            "measuredSeconds": round(seconds, 1),
            "processorMsPerWorkload": {name: round((processor_ms(p.pid) - used[name]) / n, 2) for name, p in self.processes.items()},
            "peakMB": {name: round(peak_mb(p.pid), 1) for name, p in self.processes.items()},
            "kueuesFirstWrite": mean_and_p90(log.first_words(), 2),
            "toAdmission": {name: mean_and_p90(w, 1) for name, w in sorted(classes.items())},
        }


def mean_and_p90(seconds, digits):
    return {"mean": round(statistics.mean(seconds), digits), "p90": round(sorted(seconds)[int(0.9 * len(seconds))], digits)} if seconds else {}


def kueue_alone(words):
    with Bed(words.programs, audit=BODIES) as bed:
        run = Run(bed, words)
        scale = Scalability(bed, words.part)
        scale.make_queues()
        return run.measure(scale)


@contextlib.contextmanager
def folder_of_replicas():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fairlead-replicas."))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def fairlead_decides(words):
    with Bed(words.programs, audit=BODIES) as bed, folder_of_replicas() as folder, contextlib.ExitStack() as ends:
        run = Run(bed, words)
        scale = Scalability(bed, words.part)
        scale.make_queues()
        run.hand_over(scale, bed.kubeconfig())
        replicas = [Scheduler(bed, folder, "one", "--qps", words.qps)]
        ends.callback(lambda: [replica.end() for replica in replicas])
        run.processes["fairlead"] = replicas[0].process
        wait_for("it leads", lambda: lease(bed.admin) == "one")
        out = run.measure(scale)
        if words.leaders:
            replicas.append(Scheduler(bed, folder, "two", "--qps", words.qps))
            out["leader"] = leaders_go(bed, run, words, replicas)
        return out


# --- leaders ---


def leaders_go(bed, run, words, replicas):
    """Seconds from the end of a leader to the next admission by another, while many wait."""
    load = Scalability(bed, 5, round_=1)
    thread = threading.Thread(target=load.run, daemon=True)
    thread.start()
    out = {"killed": [], "terminated": []}
    try:
        for name, how in (("killed", signal.SIGKILL), ("terminated", signal.SIGTERM)) * words.leaders:
            since = bed.audited_so_far()
            quiet_leader(bed, run, since)
            leader = next(r for r in replicas if r.identity == lease(bed.admin))
            since, at = bed.audited_so_far(), time.time()
            leader.end(how)
            wait_for("another one leads", lambda leader=leader: lease(bed.admin) not in (leader.identity, ""), 120)
            acquired = bed.admin.get("coordination.k8s.io/v1", "leases", "fairlead", "fairlead")["spec"]["acquireTime"]
            next_ = wait_for("it admits", lambda since=since: next((d for d in Log(bed, run.manager.user, since).decisions() if d[0] == "admitted" and
                                                                    d[2] > moment(acquired)), None), 120)
            out[name].append(round(next_[2] - at, 1))
            leader.start()
            wait_for("it answers", leader.answers)
    finally:
        load.stopped = True
        thread.join(60)
    return out


def quiet_leader(bed, run, since):
    """Some admissions after @since: work goes on."""
    wait_for("the leader admits", lambda: sum(d[0] == "admitted" for d in Log(bed, run.manager.user, since).decisions()) > 20, 120, 0.5)


# --- what is printed ---


def flat(of, path=()):
    for key, value in of.items():
        if isinstance(value, dict):
            yield from flat(value, (*path, key))
        else:
            yield " ".join((*path, key)), " ".join(map(str, value)) if isinstance(value, list) else value


def table(results):
    rows = {}
    for k, result in enumerate(results.values()):
        for name, value in flat(result):
            rows.setdefault(name, [""] * len(results))[k] = value
    print("| | " + " | ".join(results) + " |\n|" + "---|" * (len(results) + 1))
    for name in sorted(rows, key=lambda name: list(rows).index(name)):
        print(f"| {name} | " + " | ".join(map(str, rows[name])) + " |")


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    ask.add_argument("--part", type=int, default=15)
    ask.add_argument("--qps", type=int, default=50)
    ask.add_argument("--only", choices=("kueue", "fairlead"))
    ask.add_argument("--leaders", type=int, default=3)
    ask.add_argument("--json", type=pathlib.Path)
    words = ask.parse_args()
    words.programs = subprocess.run([HERE / "programs"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    results = {}
    for name, run in (("kueue", kueue_alone), ("fairlead", fairlead_decides)):
        if words.only in (None, name):
            results[name] = run(words)
            if words.json:
                words.json.write_text(json.dumps(results, indent=1) + "\n")
    table(results)
    sys.exit(not all(result["agrees"] for result in results.values()))


if __name__ == "__main__":
    main()
