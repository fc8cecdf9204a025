# SPDX-License-Identifier: Apache-2.0
"""simulate and compare on input that is broken, huge or strange: what they say, and that they end."""
import gzip
import json
import os
import re

import pytest

import manifests as m
from conftest import SOURCE
from test_simulate import job, scenario


def line(number=1, submit=0, run=60, asked=1, status=1, user=1, memory=-1):
    return f"{number} {submit} 0 {run} 1 -1 -1 {asked} -1 {memory} {status} {user} 1 -1 1 -1 -1 -1\n"


def source(**more):
    return scenario({"sources": [{"swf": "t.swf", "queues": [{"to": "a"}], **more}]})


def classes(spec=None, **more):
    one = {**job("c", "a"), "requests": {"cpu": 1}, **more}
    return scenario({"classes": [{k: v for k, v in one.items() if v is not None}], **(spec or {})})


PACKED = gzip.compress("".join(line(n, n) for n in range(1, 2000)).encode())
POD = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,creation_time,deletion_time,scheduled_time\n"
NODE = "sn,cpu_milli,memory_mib,gpu,model\nn,8000,8000,2,T4\n"


def openb(pods, nodes=NODE):
    spec = {"sources": [{"openb": {"pods": "p.csv", "nodes": "n.csv"}, "queues": [{"to": "q"}]}]}
    return {"s.yaml": scenario(spec).split("\n---")[0] + "\n", "p.csv": pods, "n.csv": nodes}


def with_trace(text, **more):
    return {"s.yaml": source(**more), "t.swf": text}


def objects(*arrivals):
    workload = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: w%d, namespace: ns, annotations: {fairlead.dev/arrives-at: "%s", fairlead.dev/runs-for: 1h}}
spec: {queueName: la, podSets: [{name: main, count: 1, template: {spec: {containers: [
  {name: c, resources: {requests: {cpu: 1}}}]}}}]}
"""
    queue = ("---\n{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue,"
             " metadata: {name: la, namespace: ns}, spec: {clusterQueue: a}}\n")
    return {"s.yaml": scenario({"sources": [{"objects": "o.yaml", "load": 2}]}),
            "o.yaml": "".join(workload % row for row in enumerate(arrivals)) + queue}


REFUSED = {
    "truncated gzip": (with_trace(PACKED[:-20]), "t.swf: error: the gzip data ends too early"),
    "only the head of gzip": (with_trace(PACKED[:5]), "t.swf: error: the gzip data ends too early"),
    "damaged gzip": (with_trace(PACKED[:200] + bytes(200)), "t.swf: error: the gzip data is damaged"),
    "time goes backwards": (with_trace(line(1, 100) + line(2, 50)),
                            "t.swf:2:3: error: arrives 50 s before the job above it, but jobs must be in the order of arrival"),
    "openb goes backwards": (openb(POD + "p,1,1,0,0,,50,60,50\nq,1,1,0,0,,10,60,20\n"),
                             "p.csv:3:12: error: arrives 40 s before the job above it"),
    "negative size": (with_trace(line(asked=-5)),
                      "t.swf:1:18: error: field 8, processors asked for: '-5' is below 0"),
    "negative run time": (with_trace(line(run=-7)), "t.swf:1:7: error: field 4, run time: '-7' is below 0"),
    "negative cpu": (openb(POD + "p,-1,1,0,0,,50,60,50\n"), "p.csv:2:3: error: cpu_milli: '-1' is below 0"),
    "a run of 2^60 s": (with_trace(line(run=1 << 60)),
                        "t.swf:1:7: error: field 4, run time: '1152921504606846976' is more than 2147483647"),
    "a mapping that matches nothing": (
        with_trace(line(), queues=[{"users": [77], "to": "a"}]),
        "t.swf:1:1: error: no rule matches the job of user '1', group '1', queue '1', so it has no queue"),
    "a missing queue": (with_trace(line(), queues=[{"to": "nobody"}]),
                        "error: Simulation/tiny: there is no queue 'nobody'"),
    "a line of 10 MB": (with_trace("1" * 10_000_000), "t.swf:1:1: error: a line of more than 16384 bytes"),
    "10,000 columns": (openb(",".join(f"c{i}" for i in range(10000)) + "\n"),
                       "p.csv:1:1: error: a line of more than 16384 bytes"),
    "a long name": (openb(POD + "p" * 300 + ",1,1,0,0,,0,10,0\n"), "p.csv:2:1: error: name: more than 253 bytes"),
    "a zero byte": (with_trace(line().replace("60", "\0")), "t.swf:1:7: error: field 4, run time: '' is not a number"),
    "no jobs": (with_trace("; Version: 2\n"), "t.swf:1:1: error: no job in it"),
    "an empty file": (with_trace(""), "t.swf: error: is empty"),
    "10^9 jobs": ({"s.yaml": classes(count=10**9)}, r"count: expected a number from 1 to 16777216"),
    "too many jobs": ({"s.yaml": classes(count=10**7, every="1s")}, "class 'c': makes more than 4194304 jobs"),
    "a job a nanosecond": ({"s.yaml": classes({"until": "365d"}, count=None, every="1ns")},
                           "class 'c': makes more than 4194304 jobs"),
    "jobs of no distance": ({"s.yaml": classes({"until": "1d"}, count=None, every="0s")},
                            "neither 'count' nor a time between jobs"),
    "an interval of nothing": ({"s.yaml": classes({"cycles": {"interval": "0s"}})}, "interval: expected more than 0"),
    "100 years": ({"s.yaml": classes({"until": "36500d", "cycles": {"interval": "1ns"}})},
                  "Simulation/tiny .spec.until: more than 73 years"),
    "a start in 1600": ({"s.yaml": classes({"start": "1600-01-01T00:00:00Z"})}, "not within the years 1678 to 2261"),
    "a start in 2300": ({"s.yaml": classes({"start": "2300-01-01T00:00:00Z"})}, "not within the years 1678 to 2261"),
    "a start in 2261": ({"s.yaml": classes({"start": "2261-12-31T00:00:00Z"}, hours={"zone": "+24:00"})},
                        "the simulation begins at 2261-12-31T00:00:00Z: not within the years 1824 to 2116"),
    "arrivals 500 years apart": (objects("1678-01-01T00:00:00Z", "2261-12-31T00:00:00Z"),
                                 "the simulation begins at 1678-01-01T00:00:00Z: not within"),
    "a zone of 99 hours": ({"s.yaml": classes(hours={"zone": "+99:99"})}, "'+99:99' is not a time of day"),
    "nearly no load": (with_trace(line(), load=1e-320), "load: expected a number from 1e-6 to 1e6"),
    "endless run times": (with_trace(line(), runtime=1e308), "runtime: expected a number from 1e-6 to 1e6"),
    "no number of pods": ({"s.yaml": classes(pods="P").replace('"P"', ".nan")}, "pods: '.nan' is not a number"),
    "endless pods": ({"s.yaml": classes(pods="P").replace('"P"', "{uniform: [1, .inf]}")}, "'.inf' is not a number"),
    "deep lists": ({"s.yaml": classes(name="N").replace('"N"', "[" * 100 + "]" * 100)}, "nested deeper than 64"),
    "a control character": ({"s.yaml": classes(name="c\0d")}, "a NUL character in a text"),
    "/dev/zero": ({"s.yaml": source(swf="/dev/zero")}, "/dev/zero: error: is not a regular file"),
    "a folder": ({"s.yaml": source(swf=".")}, r".: error: is not a regular file"),
    "a pipe": ({"s.yaml": source(swf="fifo")}, "fifo: error: is a pipe, not a file"),
    "its own tree": ({"s.yaml": classes({"trees": ["s.yaml"]})}, "error: Simulation/tiny: a second Simulation"),
    "its own objects": ({"s.yaml": scenario({"sources": [{"objects": "s.yaml"}]})}, "a second Simulation"),
    "in a loop": ({"s.yaml": scenario({"sources": [{"objects": "t.yaml"}]}),
                   "t.yaml": scenario({"sources": [{"objects": "s.yaml"}]})}, "a second Simulation"),
    "4 * 10^18 workloads": ({"s.yaml": scenario({"sources": [{"generator": "g.yaml"}]}),
                             "g.yaml": "cohorts: [{className: c, count: 2147483647, queuesSets: [{className: q,"
                                       " count: 2147483647, nominalQuota: 1, workloadsSets: []}]}]\n"},
                            "more than 1048576 queues and cohorts"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(fairlead, write, tmp_path, name):
    files, text = REFUSED[name]
    os.mkfifo(tmp_path / "fifo")
    for file, content in files.items():
        write(file, content)
    r = fairlead("simulate", "-f", "s.yaml", "--out", "out")
    assert r.code == 1 and r.out == ""
    assert text in r.first_error, r.err
    assert "\x1b" not in r.err and not (tmp_path / "out").exists()


ENDS = {
    "a job larger than the cluster": (with_trace(line(1, asked=1000) + line(2, 5)), "no-progress", 2, 1),
    "a billion processors": (with_trace(line(1, asked=10**9) + line(2, 5)), "no-progress", 2, 1),
    "a class larger than the cluster": ({"s.yaml": classes(requests={"cpu": 100})}, "no-progress", 1, 0),
    "amounts beyond 64 bits": ({"s.yaml": classes(requests={"cpu": "9223372036854775"}, pods=65536)},
                               "no-progress", 1, 0),
    "run times of nothing": ({"s.yaml": classes(runs="0s", count=50)}, "all-done", 50, 50),
    "intervals of a nanosecond": ({"s.yaml": classes({"cycles": {"interval": "1ns"}}, count=5)}, "all-done", 5, 5),
    "endless grace and back-off": (
        {"s.yaml": classes({"eviction": {"grace": "106751d", "restart": "106751d", "checkpoint": "1ns",
                                         "backOff": {"base": "1ns", "max": "106751d"}},
                            "changes": [{"at": "30m", "clusterQueue": q, "flavor": "default", "resource": "cpu",
                                         "nominalQuota": 0, "kills": True} for q in "ab"]}, count=3)},
        "no-progress", 3, 0),
    "a run of 136 years": (with_trace(line(1, run=2147483647) + line(2, 5)), "all-done", 2, 2),
    "a run beyond the end of time": (with_trace(line(1, run=2147483647) + line(2, 5), runtime=3), "all-done", 2, 1),
    "before 1970": ({"s.yaml": classes({"start": "1900-01-01T00:00:00Z"})}, "all-done", 1, 1),
    "a minute a day, once in ten years": (
        {"s.yaml": classes(every="3650d", count=9, hours={"from": "09:00", "to": "09:01"})}, "all-done", 1, 1),
    "run times without bound": (
        {"s.yaml": classes(runs={"pareto": {"least": "1h", "exponent": 1e-300}}, count=9)}, "all-done", 9, 9),
    "all left out": (with_trace(line(), queues=[{"leaveOut": True}]), "all-done", 0, 0),
    "a name to be escaped": ({"s.yaml": classes(name="<b>\"&, \x7f 日本語")}, "all-done", 1, 1),
    "an empty Simulation": ({"s.yaml": scenario({})}, "all-done", 0, 0),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends(fairlead, valid, write, tmp_path, name):
    files, ended, jobs, finished = ENDS[name]
    for file, content in files.items():
        write(file, content)
    r = fairlead("simulate", "-f", "s.yaml", "--out", "out", "-o", "json")
    assert r.code == 0, r.err
    d = valid(r.json(), "simulation-report")
    assert (d["ended"], d["totals"]["jobs"]) == (ended, jobs)
    assert finished in (None, d["totals"]["finished"])
    assert sorted(os.listdir(tmp_path / "out")) == [
        "events.jsonl", "jobs.csv", "report.html", "series.csv", "summary.json"]
    for event in (tmp_path / "out" / "events.jsonl").read_text().splitlines():
        json.loads(event)


def annotated(name, queue, cpu, arrives, runs, stays=None):
    notes = {"arrives-at": arrives, "runs-for": runs, **({"gives-up-after": stays} if stays else {})}
    w = m.workload(name, queue, cpu=cpu)
    w["metadata"]["annotations"] = {f"fairlead.dev/{k}": v for k, v in notes.items()}
    return w


def happened(tmp_path, kind):
    lines = (tmp_path / "out" / "events.jsonl").read_text().splitlines()
    return [(e["at"], e["workload"]) for e in map(json.loads, lines) if e["kind"] == kind]


def test_patience_is_as_long_under_any_load(fairlead, write, tmp_path):
    write("o.json", m.dump(m.namespace("ns"), m.local_queue("la", "a"),
                           annotated("first", "la", "8", "2026-01-01T00:00:00Z", "10h"),
                           annotated("second", "la", "8", "2026-01-01T04:00:00Z", "1h", "1h")))
    write("s.yaml", scenario({"sources": [{"objects": "o.json", "load": 0.5}]}))
    r = fairlead("simulate", "-f", "s.yaml", "--out", "out", "-o", "json")
    assert r.code == 0, r.err
    assert happened(tmp_path, "arrived") == [(0, "ns/first"), (8 * 3600, "ns/second")]
    assert happened(tmp_path, "gaveUp") == [(9 * 3600, "ns/second")]


def test_who_started_once_does_not_give_up(fairlead, write, tmp_path):
    change = {"at": "45m", "clusterQueue": "b", "weight": 2}  # something is due before it would
    write("s.yaml", scenario({"changes": [change]}) + "---\n" + m.dump(
        m.namespace("ns"), m.local_queue("la", "a"), m.local_queue("lb", "b"),
        annotated("lent", "la", "8", "0m", "2h", "1h"), annotated("own", "lb", "4", "30m", "1h")))
    r = fairlead("simulate", "-f", "s.yaml", "--out", "out", "-o", "json")
    assert r.code == 0, r.err
    assert happened(tmp_path, "evicted") == [(1800, "ns/lent")]
    assert happened(tmp_path, "gaveUp") == [] and r.json()["totals"]["finished"] == 2


def test_who_is_killed_does_not_back_off(fairlead, write, tmp_path):
    quota = {"clusterQueue": "a", "flavor": "default", "resource": "cpu"}
    write("s.yaml", classes({
        "eviction": {"backOff": {"base": "5h", "max": "5h"}},
        "changes": [{"at": "30m", **quota, "nominalQuota": 0, "kills": True},
                    {"at": "40m", **quota, "nominalQuota": 4},
                    {"at": "1m", **{**quota, "clusterQueue": "b"}, "nominalQuota": 0}]}))
    r = fairlead("simulate", "-f", "s.yaml", "--out", "out", "-o", "json")
    assert r.code == 0, r.err
    assert happened(tmp_path, "killed") == [(1800, "trace/a-c-1")]
    assert happened(tmp_path, "started") == [(at, "trace/a-c-1") for at in (0, 2400)]


def test_too_large_is_told(fairlead, write):
    write("s.yaml", source())
    write("t.swf", line(1, asked=1000) + line(2, 5))
    r = fairlead("simulate", "-f", "s.yaml")
    assert "warning: t.swf: 1 job is larger than the whole cluster, 8 cores, and stays pending for ever" in r.err
    assert "It ended because no job could start any more: 1 wait for ever." in r.out
    assert r.code == 0 and re.search(r"^jobs +2 arrived, 1 finished, 1 wait$", r.out, re.M), r.out


@pytest.mark.parametrize("sweep, text", [
    ("load=0.1..10/1000000000", "more than 64 points"),
    ("load=0.1..10/99999999999999999999", "more than 64 points"),
    ("load=" + ",".join(["1"] * 1000), "more than 64 points"),
    ("load=0..1", "'load' cannot be 0"),
    ("load=1e-300,1", "'load' cannot be 1e-300: expected a number from 1e-6 to 1e6"),
    ("load=nan..1", "'nan': not a number"),
    ("until=1h..99999d", "that is more than 250 years"),
    ("until=1h,40000d", ".spec.until: more than 73 years"),
])
def test_sweeps(fairlead, write, sweep, text):
    write("s.yaml", classes())
    r = fairlead("compare", "-f", "s.yaml", "--sweep", sweep)
    assert r.code in (1, 2) and r.out == "" and text in r.err, r.err


def test_names_that_are_no_text(fairlead, write):
    """Bytes that are no UTF-8 and control characters in a trace: shown as '?', and nothing hangs."""
    write("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,262144,0,\n")
    write("pods.csv", b"name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
          b"deletion_time,scheduled_time\np\xff\x01x,6000,12288,0,0,,L\xfeS\xe2\x82,Running,0,100,2\n")
    write("s.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"
          "spec: {sources: [{openb: {pods: pods.csv, nodes: nodes.csv}, queues: [{to: \"{queue}\"}]}]}\n")
    r = fairlead("simulate", "-f", "s.yaml", env={"COLUMNS": "80"})
    assert (r.code, r.err) == (0, "")
    assert "L?S?? " in r.out and "p??x" in r.out
    names = [n["name"] for n in fairlead("simulate", "-f", "s.yaml", "-o", "json").json()["nodes"]]
    assert names == ["openb", "L\ufffdS\ufffd\ufffd"]


@pytest.mark.parametrize("name", ["best-effort-loop", "goes-round", "history-over-priority",
                                  "reclaim-against-tournament", "remainder-not-asked-for"])
def test_preemption_in_a_circle_ends(fairlead, name):
    r = fairlead("simulate", "-f", str(SOURCE / f"tests/prop/counterexamples/{name}.yaml"), "-o", "json")
    assert r.code == 0, r.err
    answer = r.json()
    assert answer["ended"] == "no-progress"
    assert answer["totals"]["evictions"] > 100
