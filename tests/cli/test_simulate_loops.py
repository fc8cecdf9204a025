# SPDX-License-Identifier: Apache-2.0
"""Preemption that goes round in a simulation: told once, in events, report and text, and not when it is none."""
import json

import pytest

from conftest import SOURCE

LOOP = (SOURCE / "examples" / "simulate" / "loop.yaml").read_text()
CRON = "  - {name: cron, to: cron, every: 1m, runs: 30s, requests: {gpu: 1}}\n"
FIVE = "  - {name: five, to: large, count: 1, every: 1h, begins: 2m, runs: 10h, requests: {gpu: 5}}\n"
STRICT = LOOP.replace("namespaceSelector: {}", "namespaceSelector: {}\n      queueingStrategy: StrictFIFO")
SETTLES = "\n---\n{apiVersion: fairlead.dev/v1alpha1, kind: Policy, metadata: {name: p}, spec: {preemptionGuarantee: settles}}\n"
ROUND = ["trace/large-five-1", "trace/small-four-1", "trace/small-two-1"]


def simulate(fairlead, write, tmp_path, text):
    r = fairlead("simulate", "-f", write("loop.yaml", text), "--out", "out", env={"COLUMNS": "100"})
    assert r.code == 0, r.err
    events = [json.loads(line) for line in (tmp_path / "out" / "events.jsonl").read_text().splitlines()]
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert len(events) == summary["totals"]["events"]
    return r.out, events, summary


def told(events):
    return [e for e in events if e["kind"] == "loop"]


def sums_up(loop, events):
    """The figures of a loop are those of its preemptions so far."""
    pairs = {(p["preemptor"], p["workload"]): p["times"] for p in loop["pairs"]}
    met = [(e.get("preemptor"), e["workload"]) for e in events if e["kind"] == "evicted"]
    first = [e["at"] for e in events if e["kind"] == "evicted" and (e["preemptor"], e["workload"]) in pairs]
    assert all(met.count(pair) == times for pair, times in pairs.items())
    assert loop["preemptions"] == sum(pairs.values()) and loop["since"] == first[0]
    assert {w["workload"] for w in loop["workloads"]} == {w for pair in pairs for w in pair}
    return first


def test_sure(fairlead, write, tmp_path, valid):
    """Strict queues, and nothing else happens: the third round is the same state again."""
    out, events, summary = simulate(fairlead, write, tmp_path, STRICT.replace(CRON, "").replace("until: 1h", "until: 5m"))
    one, = told(events)
    assert one["sure"] and [w["workload"] for w in one["workloads"]] == ROUND
    assert [w["queue"] for w in one["workloads"]] == ["large", "small", "small"]
    assert {p["reason"] for p in one["pairs"]} == {"InCohortFairSharing"}
    sums_up(one, events[:events.index(one)])
    assert one["at"] < 140 and one["preemptions"] == 6
    valid(summary, "simulation-report")
    last, = summary["loops"]
    assert last["last"] == sums_up(last, events)[-1] and last["sure"]
    assert last["preemptions"] == summary["totals"]["evictions"] > 60
    assert f"""
loops       1 preemption loop, {last["preemptions"]} preemptions in it
            trace/large-five-1 of large, trace/small-four-1 of small and trace/small-two-1 of small,
            from 2m on: {last["preemptions"]} preemptions, sure
            preemptionGuarantee: settles in a Policy ends loops that need no outside event;
            'fairlead prove' shows them step by step
""" in out


def test_repeated(fairlead, write, tmp_path, valid):
    """The preemptor is parked after each round until a job of another queue finishes."""
    out, events, summary = simulate(fairlead, write, tmp_path, LOOP)
    one, = told(events)
    assert not one["sure"] and [w["workload"] for w in one["workloads"]] == ROUND
    assert [p["times"] for p in one["pairs"]] == [3, 3]
    sums_up(one, events[:events.index(one)])
    between = [e for e in events[:events.index(one)] if e["at"] > one["since"] and e["kind"] == "finished"]
    assert between and all(e["queue"] == "cron" for e in between)
    last, = valid(summary, "simulation-report")["loops"]
    assert not last["sure"] and last["preemptions"] == summary["totals"]["evictions"] > 100
    assert "preemptions, repeated\n" in out


def test_two_at_once(fairlead, write, tmp_path):
    """The same twice, in two trees: each is told, and the worse comes first."""
    again = LOOP[LOOP.index("  - match: large"):LOOP.index("  classes:")].replace("match: ", "match: x-").replace(
        "cohortName: all", "cohortName: x").replace("&large", "&x").replace("*large", "*x")
    jobs = LOOP[LOOP.index("  - {name: two"):LOOP.index("  eviction:")].replace("to: ", "to: x-").replace(
        "name: ", "name: x").replace("every: 1m", "every: 2m")
    out, events, summary = simulate(fairlead, write, tmp_path, LOOP.replace("  classes:\n", again + "  classes:\n" + jobs))
    assert [len(e["workloads"]) for e in told(events)] == [3, 3]
    one, other = summary["loops"]
    queues = [{w["queue"] for w in loop["workloads"]} for loop in (one, other)]
    assert sorted(map(sorted, queues)) == [["large", "small"], ["x-large", "x-small"]]
    assert one["preemptions"] + other["preemptions"] == summary["totals"]["evictions"]
    worse = max(one, other, key=lambda loop: loop["preemptions"])
    assert worse["workloads"][0]["workload"] == "trace/large-five-1"
    assert f"2 preemption loops, {summary['totals']['evictions']} preemptions in them" in out
    assert out.index("trace/large-five-1 of large") < out.index("trace/x-large-xfive-1")


@pytest.mark.parametrize("name, text", [
    ("nobody to take from", LOOP.replace(FIVE, "")),
    ("the first rule alone", LOOP.replace(", LessThanInitialShare", "")),
    ("it settles", LOOP + SETTLES),
    ("strict, and it settles", STRICT + SETTLES),
    # Whoever takes comes later than whoever is taken from: 60 times, and no loop.
    ("turns by arrivals", LOOP.replace(FIVE, FIVE.replace("count: 1, every: 1h", "every: 3m").replace("10h", "1m").replace(
        "gpu: 5", "gpu: 4"))),
])
def test_none(fairlead, write, tmp_path, name, text):
    out, events, summary = simulate(fairlead, write, tmp_path, text)
    assert not told(events) and "loops" not in summary and "loops " not in out, name
    if name == "turns by arrivals":
        assert summary["totals"]["evictions"] > 15


def test_a_back_off_hides_nothing(fairlead, write, tmp_path):
    """Who was evicted is away for a while: that is from outside, so it is repeated."""
    text = STRICT.replace(CRON, "").replace("{grace: 5s}", "{grace: 5s, backOff: {base: 1s, max: 1m}}")
    _, events, summary = simulate(fairlead, write, tmp_path, text)
    assert [e["sure"] for e in told(events)] == [False]
    assert summary["loops"][0]["preemptions"] == summary["totals"]["evictions"]


def test_out_of_a_real_log(fairlead):
    """Four jobs of SDSC Blue Horizon in three queues that own nothing go round by themselves."""
    loops = SOURCE / "examples" / "loops"
    r = fairlead("plan", "--settle", "-f", loops / "sdsc-blue.yaml")
    assert r.code == 1 and "Never settles" in r.out
    assert "\n  ns/a-32\n  ns/b-16\n  ns/b-256\n  ns/c-504\n" in r.out and "ns/a-rest takes" not in r.out
    r = fairlead("prove", "-f", loops / "sdsc-blue.yaml")
    assert r.code == 1 and r.out.startswith("A preemption loop, forced")
    for verb in (["plan", "--settle"], ["prove"]):
        r = fairlead(*verb, "-f", loops / "sdsc-blue.yaml", "-f", loops / "settles.yaml")
        assert r.code == 0 and "Never settles" not in r.out
