# SPDX-License-Identifier: Apache-2.0
"""What a simulation came to: text exactly, JSON against its schema, the files, and how it ends early."""
import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from conftest import SOURCE

TREE = """
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: a}
spec:
  cohortName: all
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: b}
spec:
  cohortName: all
  namespaceSelector: {}
  preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}
  resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, resources: [{name: cpu, nominalQuota: 4}]}]}]
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
"""


def scenario(spec, name="tiny"):
    return f"apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {{name: {name}}}\nspec: {json.dumps(spec)}\n{TREE}"


def job(name, to, **fields):
    return {"name": name, "to": to, "count": 1, "every": "1h", "runs": "1h", "requests": {"cpu": 4}, **fields}


# a takes all 8 cores for two hours; b comes after half an hour for its own 4; a's second job is lost.
TINY = {
    "start": "2026-01-01T00:00:00Z",
    "classes": [job("first", "a", runs="2h"), job("second", "a", runs="2h", begins="1m"),
                job("late", "b", begins="30m")],
    "eviction": {"grace": "30s", "restart": "1m"},
    "changes": [{"at": "3h", "clusterQueue": "b", "flavor": "default", "resource": "cpu", "nominalQuota": 2}],
}
# Jobs enough that it takes a while.
LONG = {"classes": [job(f"c{i}", "ab"[i % 2], count=250000, every="1m", runs="90s", requests={"cpu": 2})
                    for i in range(4)]}
FILES = ["events.jsonl", "jobs.csv", "report.html", "series.csv", "summary.json"]


@pytest.fixture
def tiny(write):
    return write("tiny.yaml", scenario(TINY))


def test_text(fairlead, tiny):
    r = fairlead("simulate", "-f", tiny, env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    assert r.out == """\
tiny: 3h31m from 2026-01-01T00:00:00Z, policy borrow, seed 1
jobs        3 arrived, 3 finished
waiting     p50 30s, p90 1h, p99 1h, longest 1h, mean 20m10s
use         cpu 81 % of 6 cores, 98 % until the last arrival
evictions   1; 1.97 core-hours of work were lost (8.9 % of what was held), 0.07 were spent on
            restarts
fairness    Jain's index 1.00, largest envy 2.00; queues with waiting jobs held 0.99 of their
            entitlement, the worst 0.00
            a queue with waiting jobs was below its entitlement 1 time: p50 30s, longest 30s
changed     after 3h: b default cpu nominalQuota 2

P50, P90, MAX: waits. HOURS, HELD, USE: of cpu.
QUEUE  JOBS  P50  P90  MAX  HOURS  HELD  RATIO  EVICTED  LOST  USE OVER TIME
all       3  30s   1h   1h   22.0  81 %   1.00        1  1.97  █████████▅▄▄▄▄▄▄
├─a       2   0s   1h   1h   18.0  66 %   1.00        1  1.97  ██▆▄▄▄▅██▅▄▄▄▄▄▄
└─b       1  30s  30s  30s      4  15 %   0.00        -     -    ▆███▇

CLASS   JOBS  WAIT P50  P90  P99  LONGEST  WORKLOAD
first      1        0s   0s   0s       0s  trace/a-first-1
late       1       30s  30s  30s      30s  trace/b-late-1
second     1        1h   1h   1h       1h  trace/a-second-1

EVICTED FROM  FOR  REASON               TIMES  HOURS LOST
a             b    InCohortReclamation      1        1.97

Assumed:
  every namespace exists, with its name as only label: no Namespaces in the input
  no workload is parked and no flavor search is under way: objects do not tell
  containers take what they state: no LimitRange in the input
  who is admitted runs at once, and nobody submits differently because of waiting
"""


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_widths(fairlead, tiny, columns, locale):
    r = fairlead("simulate", "-f", tiny, env={"COLUMNS": str(columns), "LC_ALL": locale})
    assert r.code == 0 and all(len(line) <= columns for line in r.out.splitlines())
    assert not any(line.endswith(" ") for line in r.out.splitlines())
    assert "USE OVER TIME" in r.out and ("HOURS  " in r.out) == (columns > 60)
    assert r.out.isascii() == (locale == "C")


def test_json(fairlead, valid, tiny):
    r = fairlead("simulate", "-f", tiny, "-o", "json")
    assert (r.code, r.err) == (0, "")
    d = valid(r.json(), "simulation-report")
    assert (d["name"], d["policy"], d["ended"], d["seed"]) == ("tiny", "borrow", "all-done", 1)
    assert d["start"] == "2026-01-01T00:00:00Z" and "series" not in d
    t = d["totals"]
    assert (t["jobs"], t["finished"], t["starts"], t["evictions"]) == (3, 3, 4, 1)
    assert [n["name"] for n in d["nodes"]] == ["all", "a", "b"]
    assert [n["parent"] for n in d["nodes"]] == [None, 0, 0]
    flow, = d["flows"]
    assert (d["nodes"][flow["from"]]["name"], d["nodes"][flow["to"]]["name"]) == ("b", "a")
    assert flow["count"] == 1 and flow["lostHours"]["cpu"] == pytest.approx(4 * 29.5 / 60, abs=0.1)
    assert d["events"] == [{"at": 10800, "kind": "changed", "text": "b default cpu nominalQuota 2"}]


@pytest.mark.parametrize("what, fails, back", [
    ("clusterQueue: a, flavor: default, resource: cpu, amount: 3",
     "a default cpu nominalQuota 1", "a default cpu nominalQuota 4"),
    ("machine: n1", "n1", "n1")])
def test_failures_are_no_changes(fairlead, valid, write, what, fails, back):
    """In the figures and in the page's data they are what they are: the page has colours for them."""
    tree = TREE if what[0] == "c" else """
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {resources: {gpu: {quota: 1, limit: -1, overQuotaWeight: 1}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 8, pods: 110}}}"""
    write("s.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\nspec: "
          f"{{until: 90d, failures: [{{{what}, every: 9d, lasts: 2h}}]}}" + tree)
    r = fairlead("simulate", "-f", "s.yaml", "-o", "json")
    assert r.code == 0, r.err
    events = valid(r.json(), "simulation-report")["events"]
    assert len(events) > 4
    assert {(e["kind"], e["text"]) for e in events} == {("failed", fails), ("back", back)}
    assert [e["kind"] for e in events[:4]] == ["failed", "back"] * 2


def test_files(fairlead, valid, tiny, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "jobs.csv").write_text("old")
    (tmp_path / "out" / "mine").write_text("mine")
    r = fairlead("simulate", "-f", tiny, "--out", "out")
    assert (r.code, r.err) == (0, "")
    assert r.out.splitlines()[-1].startswith("Written: out/report.html, ")
    assert sorted(os.listdir(tmp_path / "out")) == sorted([*FILES, "mine"])
    files = {name: (tmp_path / "out" / name).read_bytes().decode() for name in FILES}
    assert files["summary.json"] == fairlead("simulate", "-f", tiny, "-o", "json").out

    jobs = list(csv.DictReader(io.StringIO(files["jobs.csv"])))
    assert len(jobs) == 3 and files["jobs.csv"].count("\r\n") == 4
    second, = [j for j in jobs if j["class"] == "second"]
    assert (second["queue"], second["state"], second["starts"], second["evictions"]) == ("a", "finished", "2", "1")
    assert float(second["arrives"]) == float(second["first_start"]) == 60
    assert float(second["lost"]) > 0 and (second["runs"], second["pods"], second["cpu"]) == ("7200", "1", "4")

    events = [json.loads(line) for line in files["events.jsonl"].splitlines()]
    assert [e["kind"] for e in events] == [
        "arrived", "started", "arrived", "started", "arrived", "evicted", "letGo", "started", "finished", "started",
        "finished", "changed", "finished"]
    assert events[6] == {"at": 1830, "kind": "letGo", "workload": "trace/a-second-1", "queue": "a", "lost": 1770}
    evicted, = [e for e in events if e["kind"] == "evicted"]
    assert evicted["workload"] == second["workload"] and evicted["queue"] == "a" and evicted["reason"]
    assert [e["at"] for e in events] == sorted(e["at"] for e in events)
    assert len(events) == json.loads(files["summary.json"])["totals"]["events"]

    series = list(csv.DictReader(io.StringIO(files["series.csv"])))
    assert {row["queue"] for row in series} == {"", "all", "a", "b"}
    assert max(float(row["cpu held"]) for row in series if row["queue"] == "a") == pytest.approx(8)
    assert all(row["cpu capacity"] for row in series if row["queue"] == "")

    data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', files["report.html"], re.S)
    page = valid(json.loads(data[1]), "simulation-report")
    assert len(page["series"]["cluster"]["jain"]) == page["series"]["n"] > 1
    assert {k: v for k, v in page.items() if k != "series"} == json.loads(files["summary.json"])


def test_same_again(fairlead, write, tmp_path):
    spec = {**TINY, "until": "30d", "classes": [
        job("r", "a", count=300, every={"exponential": "20m"}, runs={"lognormal": {"median": "30m", "p84": "2h"}}),
        job("s", "b", count=300, every={"exponential": "20m"}, runs={"lognormal": {"median": "30m", "p84": "2h"}})]}
    write("s.yaml", scenario(spec))
    for name in ("one", "two"):
        assert fairlead("simulate", "-f", "s.yaml", "--out", name, "--seed", "7").code == 0
    assert fairlead("simulate", "-f", "s.yaml", "--out", "three", "--seed", "8").code == 0
    for name in FILES:
        one, two, three = ((tmp_path / d / name).read_bytes() for d in ("one", "two", "three"))
        assert one == two and one != three


def test_until_and_top(fairlead, valid, write):
    spec = {"classes": [job(f"j{i}", f"q{i:02}", requests={"cpu": 1 + i % 3}) for i in range(15)],
            "queueTemplates": [{"match": "q*", "clusterQueue": {
                "cohortName": "all", "namespaceSelector": {}, "resourceGroups": [{
                    "coveredResources": ["cpu"],
                    "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 1}]}]}]}}]}
    write("s.yaml", scenario(spec))
    d = valid(fairlead("simulate", "-f", "s.yaml", "--until", "30m", "-o", "json").json(), "simulation-report")
    assert (d["ended"], d["seconds"], d["totals"]["finished"]) == ("until", 1800, 0)
    assert len(d["nodes"]) >= 16  # a report's nodes are all of them
    few = fairlead("simulate", "-f", "s.yaml", "--top", "3").out
    assert len(re.findall(r"─q\d\d", few)) < 15 and re.search(r"\d+ others", few)
    every = fairlead("simulate", "-f", "s.yaml", "--all").out
    assert len(re.findall(r"─q\d\d", every)) == 15 and "others" not in every


def test_nothing_to_do(fairlead, valid, write):
    write("s.yaml", scenario({}))
    r = fairlead("simulate", "-f", "s.yaml")
    assert (r.code, r.err) == (0, "") and "0 arrived" in r.out
    assert valid(fairlead("simulate", "-f", "s.yaml", "-o", "json").json(), "simulation-report")["totals"]["jobs"] == 0


def test_waits_for_ever(fairlead, write):
    write("s.yaml", scenario({"classes": [job("big", "a", requests={"cpu": 9})]}))
    r = fairlead("simulate", "-f", "s.yaml", env={"COLUMNS": "200"})
    assert r.code == 0 and "no job could start any more: 1 wait for ever" in r.out


@pytest.mark.parametrize("args, message", [
    (["--until", "soon"], "--until: 'soon' is not a time such as 12h or 30d"),
    (["--until", "0s"], "--until: '0s' is not a time such as 12h or 30d"),
    (["--seed", "-1"], "--seed: '-1' is not a number from 0 to 999999999"),
    (["--top", "0"], "--top: '0' is not a number from 1 to 1000"),
    (["--cycles", "1"], "unknown option '--cycles'"),
    (["-o", "sarif"], "--output: 'sarif' is neither text nor json"),
])
def test_usage(fairlead, args, message):
    r = fairlead("simulate", "-f", "x.yaml", *args)
    assert (r.code, r.out, r.first_error) == (2, "", "fairlead simulate: " + message)


# --- what cannot be written ---

def left(tmp_path):
    return sorted(os.listdir(tmp_path))


def test_a_file_in_the_place_of_the_folder(fairlead, tiny, tmp_path):
    (tmp_path / "out").write_text("x")
    r = fairlead("simulate", "-f", tiny, "--out", "out")
    assert (r.code, r.out, r.err) == (3, "", "out: error: not a directory\n")
    assert left(tmp_path) == ["out", "tiny.yaml"]


def test_no_parent(fairlead, tiny, tmp_path):
    r = fairlead("simulate", "-f", tiny, "--out", "no/where")
    assert (r.code, r.out, r.err) == (3, "", "no/where: error: no such file or directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_forbidden(fairlead, tiny, tmp_path):
    (tmp_path / "out").mkdir(mode=0o555)
    r = fairlead("simulate", "-f", tiny, "--out", "out")
    assert (r.code, r.out, r.err) == (3, "", "out/report.html: error: permission denied\n")


def test_a_folder_in_the_place_of_a_file(fairlead, tiny, tmp_path):
    (tmp_path / "out" / "jobs.csv").mkdir(parents=True)
    r = fairlead("simulate", "-f", tiny, "--out", "out")
    assert (r.code, r.out, r.err) == (3, "", "out/jobs.csv: error: is a directory\n")
    assert left(tmp_path / "out") == ["jobs.csv"]


@pytest.mark.parametrize("blocks", [1, 8, 64])
def test_no_room(fairlead, tiny, write, tmp_path, blocks):
    """The disk's end as the shell's: files of no more than so many half kilobytes."""
    prefix = ("sh", "-c", f"trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"", "-")
    r = fairlead("simulate", "-f", tiny, "--out", "out", prefix=prefix)
    assert (r.code, r.out) == (3, "") and re.fullmatch(r"out/[a-z.]+: error: file too large\n", r.err)
    assert left(tmp_path) == ["tiny.yaml"]  # not even the folder
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "jobs.csv").write_text("old")
    assert fairlead("simulate", "-f", tiny, "--out", "out", prefix=prefix).code == 3
    assert left(tmp_path / "out") == ["jobs.csv"] and (tmp_path / "out" / "jobs.csv").read_text() == "old"


def test_no_room_ends_it_early(fairlead, write):
    write("long.yaml", scenario(LONG))
    began = time.monotonic()
    r = fairlead("simulate", "-f", "long.yaml", "--out", "out",
                 prefix=("sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "-"))
    assert (r.code, r.err) == (3, "out/events.jsonl: error: file too large\n")
    assert time.monotonic() - began < 60


# --- a terminal, and who interrupts ---

class Terminal:
    """The command with standard error at a terminal of 70 columns."""

    def __init__(self, tmp_path, *args):
        self.master, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "COLUMNS": "80",
               **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
        self.process = subprocess.Popen([os.environ["FAIRLEAD"], *args], cwd=tmp_path, env=env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=child)
        os.close(child)
        self.seen = ""

    def wait_for(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            assert ready, self.seen
            self.seen += os.read(self.master, 65536).decode()

    def finish(self):
        out = self.process.communicate(timeout=120)[0].decode()
        try:
            while select.select([self.master], [], [], 0)[0]:
                self.seen += os.read(self.master, 65536).decode()
        except OSError:  # it is closed
            pass
        os.close(self.master)
        return out


@pytest.fixture
def long_one(write):
    return write("long.yaml", scenario(LONG))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupt(long_one, valid, tmp_path, how):
    t = Terminal(tmp_path, "simulate", "-f", long_one, "--out", "out", "-o", "json")
    t.wait_for(r" events/s")
    t.process.send_signal(how)
    out = t.finish()
    assert t.process.returncode == 1
    d = valid(json.loads(out), "simulation-report")
    assert d["ended"] == "stopped" and 0 < d["totals"]["finished"] < 1000000
    assert left(tmp_path / "out") == FILES and (tmp_path / "out" / "summary.json").read_text() == out
    for line in re.findall(r"\r\033\[K([^\r]+)", t.seen):
        assert re.fullmatch(r" *\d+ %  day \w+  \d+ events/s  (\w+ left)?", line) and len(line) < 70
    assert t.seen.endswith("\r\033[K")


def test_second_interrupt(long_one, tmp_path):
    t = Terminal(tmp_path, "simulate", "-f", long_one, "--out", "out")
    t.wait_for(r" events/s")
    t.process.send_signal(signal.SIGSTOP)
    t.process.send_signal(signal.SIGINT)
    t.process.send_signal(signal.SIGTERM)
    t.process.send_signal(signal.SIGCONT)
    assert t.finish() == "" and t.process.returncode in (-signal.SIGINT, -signal.SIGTERM)
    assert not set(left(tmp_path / "out")) & set(FILES)


def test_entitle(fairlead, valid):
    """Gangs and machines; what they run has no end, and is told so."""
    files = [a for name in ("cluster", "workloads") for a in ("-f", str(SOURCE / f"examples/departments/{name}.yaml"))]
    d = valid(fairlead("simulate", *files, "-o", "json").json(), "simulation-report")
    assert (d["policy"], d["ended"], d["totals"]["finished"]) == ("entitle", "no-progress", 0)
    assert d["totals"]["running"] > 0 and {f["reason"] for f in d["flows"]} == {"Reclaim"}
    assert {n["kind"] for n in d["nodes"]} == {"Queue"}
    text = " ".join(d["assumptions"])
    assert "5 workloads never end: nothing says how long they run" in text and "nothing finishes" not in text


def test_first_example(fairlead, valid):
    """The one of the guide."""
    d = valid(fairlead("simulate", "-f", str(SOURCE / "examples/simulate/first.yaml"), "-o", "json").json(),
              "simulation-report")
    assert d["ended"] == "until" and {n["name"] for n in d["nodes"]} == {"all", "a", "b", "c"}
