# SPDX-License-Identifier: Apache-2.0
"""Recorded series of KAI's time-based simulator, from its own YAML, row for row.

The replay of suite `timeseries` has the whole of each case; here it is what a person would write,
through `fairlead simulate`.  What that YAML cannot say (several kinds of jobs in one queue) is left out.
"""
import gzip
import json

import pytest

from conftest import SOURCE

CASES = [json.loads(line) for line in gzip.open(SOURCE / "tests/conformance/timeseries.jsonl.gz", "rt")]


def jobs_by_queue(case):
    """Of each queue GPUs a pod, pods a job, and how many; None when a queue has several kinds."""
    kinds = {}
    for job in case["jobs"]:
        kind = job["perTask"]["gpu"], job["tasks"]
        if kinds.setdefault(job["queue"], [*kind, 0])[:2] != [*kind]:
            return None
        kinds[job["queue"]][2] += 1
    return kinds


def simulator_yaml(case, jobs):
    queues = [{"Name": q["name"], "Parent": q["parent"], "Priority": q["priority"],
               "DeservedGPUs": q["deserved"]["gpu"], "Weight": q["overQuotaWeight"]["gpu"]}
              for q in case["queues"]]
    return json.dumps({
        "Cycles": case["cycles"], "WindowSize": case["windowSize"],
        "HalfLifePeriod": case["halfLifePeriod"], "KValue": case["kValue"],
        "Nodes": [{"GPUs": n["capacity"]["gpu"]} for n in case["nodes"]], "Queues": queues,
        "Jobs": {q: {"GPUs": gpus, "NumPods": pods, "NumJobs": n} for q, (gpus, pods, n) in jobs.items()},
    })


def held_at_each_cycle(path, case, jobs):
    """What each leaf held at the beginning of each cycle."""
    events = [json.loads(line) for line in path.read_text().splitlines()]
    held, rows = dict.fromkeys(jobs, 0), {}
    for cycle in range(case["cycles"]):
        while events and (events[0]["at"] < cycle or events[0]["at"] == cycle and events[0]["kind"] == "letGo"):
            e = events.pop(0)
            change = {"started": 1, "letGo": -1}.get(e["kind"], 0)
            if change:
                held[e["queue"]] += change * jobs[e["queue"]][0] * jobs[e["queue"]][1]
        for queue, gpus in held.items():
            rows[cycle, queue] = gpus
    return rows


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_series(fairlead, write, tmp_path, case):
    jobs = jobs_by_queue(case)
    if jobs is None:
        pytest.skip("several kinds of jobs in a queue")
    write("k.json", simulator_yaml(case, jobs))
    r = fairlead("simulate", "-f", "k.json", "--out", "out")
    assert r.code == 0, r.err
    expected = {(cycle, queue): held for cycle, queue, held, _ in case["expected"]["rows"]}
    got = held_at_each_cycle(tmp_path / "out/events.jsonl", case, jobs)
    assert {k: v for k, v in got.items() if expected[k] != v} == {}


def test_the_order_of_files_does_not_matter(fairlead, write):
    """A Simulation says how it runs, wherever it stands; what it leaves open has its defaults."""
    write("k.yaml", "Cycles: 9\nHalfLifePeriod: 0\nNodes: [{GPUs: 2}]\n"
          "Queues: [{Name: d, DeservedGPUs: 2}, {Name: a, Parent: d}]\n"
          "Jobs: {a: {GPUs: 1, NumPods: 1, NumJobs: 3}}\n")
    write("s.yaml", "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: s}\n"
          "spec: {cycles: {period: 2s}, until: 20s}\n")
    first = fairlead("simulate", "-f", "k.yaml", "-f", "s.yaml", "-o", "json")
    second = fairlead("simulate", "-f", "s.yaml", "-f", "k.yaml", "-o", "json")
    assert first.code == 0, first.err
    assert first.out == second.out
    assert first.json()["seconds"] == 20
