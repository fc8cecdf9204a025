# SPDX-License-Identifier: Apache-2.0
"""The same jobs in several ways: what is turned is turned, and nothing else differs."""
import csv
import json
import os
import signal
import subprocess
import time

import pytest

from test_simulate import LONG, TINY, scenario

KEEP = "apiVersion: fairlead.dev/v1alpha1\nkind: Simulation\nmetadata: {name: tiny}\n" \
       "spec: {eviction: {checkpoint: always}}\n"
FILES = ["comparison.csv", "report.html", "summary.json"]


@pytest.fixture
def tiny(write):
    write("keep.yaml", KEEP)
    return write("tiny.yaml", scenario(TINY))


@pytest.fixture
def compare(fairlead, valid, tiny):
    def run(*args, code=0):
        r = fairlead("compare", "-f", tiny, "-o", "json", *args)
        assert r.code == code, r.err
        answer = valid(r.json(), "comparison-report")
        for variant in answer["variants"]:
            valid(variant["report"], "simulation-report")
        return answer

    return run


def test_text(fairlead, tiny):
    r = fairlead("compare", "-f", tiny, "--variant", "kept=keep.yaml", env={"COLUMNS": "100"})
    assert (r.code, r.err) == (0, "")
    lines = r.out.splitlines()
    assert lines[0] == "tiny: 2 runs of the same jobs"
    assert lines[3].split() == ["baseline", "kept"]
    lost = next(line for line in lines if "hours of work lost" in line)
    assert lost.split()[-3:] == ["0", "(-100", "%)"]


def test_baseline_is_what_simulate_says(fairlead, tiny, compare):
    alone = fairlead("simulate", "-f", tiny, "-o", "json").json()
    answer = compare("--variant", "kept=keep.yaml")
    assert [v["name"] for v in answer["variants"]] == ["baseline", "kept"]
    assert answer["variants"][0]["report"] == alone
    kept = answer["variants"][1]["report"]["totals"]
    assert alone["totals"]["lostHours"]["cpu"] > 0
    assert kept["lostHours"]["cpu"] == 0
    assert kept["jobs"] == alone["totals"]["jobs"]


def test_a_variant_of_several_files(fairlead, tiny, write, compare):
    from test_simulate import TREE
    queue = next(d for d in TREE.split("---\n") if "name: b}" in d)
    write("large.yaml", queue.replace("nominalQuota: 4", "nominalQuota: 8"))
    answer = compare("--variant", "both=keep.yaml", "--variant", "kept=keep.yaml",
                     "--variant", "both=large.yaml")
    totals = {v["name"]: v["report"]["totals"] for v in answer["variants"]}
    assert list(totals) == ["baseline", "both", "kept"]
    assert totals["kept"]["evictions"] > 0 and totals["both"]["evictions"] == 0
    r = fairlead("compare", "-f", tiny, "--variant", "a=keep.yaml", "--variant", "a=keep.yaml")
    assert (r.code, r.first_error) == (1, "keep.yaml:1:1: error: Simulation/tiny: a second Simulation")


def test_an_object_of_a_variant_replaces_that_of_the_scenario(write, compare):
    from test_simulate import TREE
    queue = next(d for d in TREE.split("---\n") if "name: b}" in d)
    write("large.yaml", queue.replace("nominalQuota: 4", "nominalQuota: 8"))
    answer = compare("--variant", "large=large.yaml")
    # b's quota becomes 2 in both; before that there is room for all three.
    totals = [v["report"]["totals"] for v in answer["variants"]]
    assert totals[1]["evictions"] < totals[0]["evictions"]


def test_a_sweep_turns_what_it_says(compare):
    answer = compare("--sweep", "grace=1s,1m,10m")
    assert answer["sweep"]["parameter"] == "grace"
    assert answer["sweep"]["unit"] == "seconds"
    assert [p["value"] for p in answer["sweep"]["points"]] == [1, 60, 600]
    assert [v["name"] for v in answer["variants"]] == ["grace 1 s", "grace 1 min", "grace 10 min"]
    # b waits until its victim has gone.
    waits = [v["report"]["totals"]["wait"]["p50"] for v in answer["variants"]]
    assert waits[0] < waits[1] < waits[2]


@pytest.mark.parametrize("values, expected", [
    ("load=0.5,1,2", [0.5, 1, 2]),
    ("load=0.5..1.5/3", [0.5, 1, 1.5]),
    ("load=1..100/3", [1, 10, 100]),
    ("load=2..1/2", [2, 1]),
    ("seed=1..4/4", [1, 2, 3, 4]),
    ("seed=1..12/12", list(range(1, 13))),
    ("seed=1..3/9", [1, 2, 3]),
    ("checkpoint=0,1h", [0, 3600]),
    ("quota:a=0.5,1", [0.5, 1]),
])
def test_values_of_a_sweep(compare, values, expected):
    assert [p["value"] for p in compare("--sweep", values)["sweep"]["points"]] == expected


@pytest.mark.parametrize("args, text", [
    ([], "nothing to compare with: give --variant NAME=FILE or --sweep OPTION=FROM..TO"),
    (["--variant", "a"], "--variant: 'a' is not NAME=FILE"),
    (["--variant", "=keep.yaml"], "--variant: '=keep.yaml' is not NAME=FILE"),
    (["--variant", "baseline=keep.yaml"], "--variant: 'baseline' is the scenario as it is"),
    (["--variant", "a=keep.yaml", "--sweep", "load=1,2"],
     "--variant and --sweep cannot be combined"),
    (["--sweep", "load"], "--sweep: 'load': not OPTION=FROM..TO or OPTION=VALUE,VALUE,..."),
    (["--sweep", "load=1..2/1"], "--sweep: '1': not a number of points, two or more"),
    (["--sweep", "load=1..1"], "--sweep: '1..1': a range with one end only"),
    (["--sweep", "load=1..2/1000000000"],
     "--sweep: more than 64 points: each is a run of the whole scenario"),
    (["--sweep", "load=1..2/99999999999999999999"],
     "--sweep: more than 64 points: each is a run of the whole scenario"),
    (["--sweep", "load=a..b"], "--sweep: 'a': not a number"),
    (["--sweep", "grace=5"], "--sweep: '5': not a duration such as 12h"),
    (["--sweep", "seed=1.5,2"], "--sweep: '1.5': not a whole number"),
    (["--sweep", "load=" + ",".join(["1"] * 65)],
     "--sweep: more than 64 points: each is a run of the whole scenario"),
])
def test_usage(fairlead, tiny, args, text):
    r = fairlead("compare", "-f", tiny, *args)
    assert (r.code, r.out) == (2, "")
    assert r.first_error == f"fairlead compare: {text}"


def test_an_unknown_option_of_a_sweep_names_those_that_there_are(fairlead, tiny):
    r = fairlead("compare", "-f", tiny, "--sweep", "halflife=1h,2h")
    assert r.code == 2
    assert r.first_error.startswith("fairlead compare: --sweep: no option 'halflife'; there are half-life, ")


@pytest.mark.parametrize("args, text", [
    (["--sweep", "k=0,1"], "'k' belongs to the entitle policy"),
    (["--sweep", "load=1,0"], "load"),
    (["--sweep", "weight:nobody=1,2"], "nobody"),
    (["--variant", "a=missing.yaml"], "missing.yaml"),
])
def test_what_the_scenario_cannot_take_is_said_before_anything_runs(fairlead, tiny, args, text):
    r = fairlead("compare", "-f", tiny, "--out", "out", *args)
    assert (r.code, r.out) == (1, "")
    assert text in r.first_error


def test_a_mistake_in_the_last_variant_leaves_nothing(fairlead, tiny, write, tmp_path):
    write("bad.yaml", KEEP.replace("always", "sometimes"))
    r = fairlead("compare", "-f", tiny, "--variant", "kept=keep.yaml", "--variant", "bad=bad.yaml",
                 "--out", "out")
    assert (r.code, r.out) == (1, "")
    assert r.first_error.startswith("bad.yaml:4:")
    assert not (tmp_path / "out").exists()


def test_files(fairlead, tiny, tmp_path):
    r = fairlead("compare", "-f", tiny, "--variant", "kept=keep.yaml", "--out", "out")
    assert r.code == 0
    assert r.out.splitlines()[-1] == "Written: out/report.html, summary.json, comparison.csv"
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == FILES
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    again = fairlead("compare", "-f", tiny, "--variant", "kept=keep.yaml", "-o", "json").json()
    assert summary == again
    rows = list(csv.DictReader((tmp_path / "out/comparison.csv").read_text().splitlines()))
    assert [(row["run"], row["name"]) for row in rows] == [
        (run, name) for run in ("baseline", "kept") for name in ("all", "a", "b")]
    nodes = {(v["name"], n["name"]): n for v in summary["variants"] for n in v["report"]["nodes"]}
    for row in rows:
        node = nodes[row["run"], row["name"]]
        assert float(row["lost hours cpu"]) == node["lostHours"]["cpu"]
        assert int(row["jobs"]) == node["jobs"]
    page = (tmp_path / "out/report.html").read_text()
    assert "ComparisonReport" in page


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_legible(fairlead, tiny, width):
    for args in (["--variant", "kept=keep.yaml"], ["--sweep", "grace=1s..1h"]):
        r = fairlead("compare", "-f", tiny, *args, env={"COLUMNS": width})
        assert r.code == 0
        assert max(len(line) for line in r.out.splitlines()) <= int(width)


def test_standard_input_is_read_for_every_run(fairlead, tiny, tmp_path):
    text = (tmp_path / tiny).read_bytes()
    r = fairlead("compare", "-f", "-", "--variant", "kept=keep.yaml", "-o", "json", stdin=text)
    assert r.code == 0, r.err
    assert r.json() == fairlead("compare", "-f", tiny, "--variant", "kept=keep.yaml", "-o",
                                "json").json()


def test_interrupt_reports_what_is_done(write, valid, tmp_path):
    write("long.yaml", scenario({"classes": [{**c, "count": 6000} for c in LONG["classes"]]}))
    write("keep.yaml", KEEP)
    run = subprocess.Popen(
        [os.environ["FAIRLEAD"], "compare", "-f", "long.yaml", "--sweep", "load=1..2/60", "--out",
         "out"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 300
    while not (tmp_path / "out").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=300)
    assert run.returncode == 1
    summary = valid(json.loads((tmp_path / "out/summary.json").read_text()), "comparison-report")
    done = len(summary["variants"])
    assert 1 <= done < 60 == summary["asked"]
    assert b"Stopped after %d of 60 runs." % done in out
    # It may come between two runs; otherwise it stops one.
    stopped = [v["report"]["ended"] == "stopped" for v in summary["variants"]]
    assert not any(stopped[:-1])
    assert stopped[-1] == (b" was stopped." in out)
    assert len(summary["sweep"]["points"]) == len(summary["variants"])
