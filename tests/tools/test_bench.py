# SPDX-License-Identifier: Apache-2.0
"""The tools in bench/: what they make of figures, and what they say when something is wrong."""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys

import pytest

BENCH = os.path.join(os.environ["FAIRLEAD_SOURCE"], "bench")
sys.path.insert(0, BENCH)
import figures  # noqa: E402
import plots  # noqa: E402


def tool(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"),
                                                  os.path.join(BENCH, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def run(*command):
    return subprocess.run([os.path.join(BENCH, command[0]), *command[1:]], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("power", [0, 0.15, 1, 2])
def test_exponent(power):
    points = [(n, 3 * n ** power) for n in (1e3, 1e4, 1e5, 1e6)]
    assert figures.exponent(points) == pytest.approx(power)


@pytest.mark.parametrize("count, budget, bad, moved", [
    (1000, 1000, False, False),
    (1020, 1000, False, False),
    (1021, 1000, True, True),
    (980, 1000, False, False),
    (979, 1000, False, True),
    (1, None, True, True),
])
def test_budget(count, budget, bad, moved):
    line, is_bad, is_moved = tool("check-budgets").judge(figures.BENCHES[0], count, budget, 2.0)
    assert (is_bad, is_moved) == (bad, moved)
    assert figures.BENCHES[0].name in line


def test_budgets_are_for_every_bench():
    with open(os.path.join(BENCH, "budgets.json"), encoding="utf-8") as f:
        assert set(json.load(f)["instructions"]) == {b.name for b in figures.BENCHES}


def test_budgets_of_another_compiler(tmp_path):
    folder = tmp_path / "bench"
    folder.mkdir()
    (folder / "build.json").write_text('{"compiler": "other 1", "buildtype": "plain"}')
    r = run("check-budgets", "--build", str(tmp_path))
    assert r.returncode == 77
    assert "compiler: other 1 here, budgets are for gcc" in r.stdout


@pytest.mark.parametrize("command, says", [
    (["check-budgets", "--build", "/nowhere"], "/nowhere is no build of this tree"),
    (["growth", "speed"], "no series 'speed'; there are event-room, "),
    (["page", "--only", "speed"], "no figures 'speed'"),
    (["compare", "HEAD", "HEAD", "speed"], "no bench 'speed'; there are cycle-fair-fit, "),
])
def test_complaints(command, says):
    r = run(*command)
    assert r.returncode == 3
    assert says in r.stderr


@pytest.mark.skipif(not os.path.exists(os.path.join(os.environ["FAIRLEAD_SOURCE"], ".git")),
                    reason="no checkout")
def test_compare_knows_no_such_revision():
    r = run("compare", "HEAD", "never-was")
    assert r.returncode == 3
    assert r.stderr == "compare: no such revision: never-was\n"


@pytest.mark.parametrize("ns, text", [
    (3, "3 ns"), (999.4, "999 ns"), (999.6, "1 us"), (1234, "1.23 us"), (45.6e6, "45.6 ms"),
    (327e9, "327 s"), (5000e9, "5,000 s"),
])
def test_durations(ns, text):
    assert plots.duration(ns) == text


def test_axis():
    axis = plots.Axis([3, 450], 100, 400)
    assert [label for _, label in axis.ticks()] == ["1", "10", "100", "1,000"]
    assert axis.at(1) == 100 and axis.at(1000) == 400
